// SPDX-License-Identifier: MIT

#include "base/cause.h"

#include <stdio.h>
#include <string.h>

const char *bksi_cause_text(int cause, char out[BKSI_CAUSE_BYTES])
{
    (void)snprintf(out, BKSI_CAUSE_BYTES, "%s", strerror(cause));
    return out;
}
