// SPDX-License-Identifier: MIT

#include "base/assert.h"

#include <stdlib.h>

#include "base/report.h"

_Noreturn void bksi_assert_failed(const char *condition, const char *file, int line)
{
    bksi_log(BKS_LOG_ERROR, "assert", "%s:%d: %s is false, which is a bug in this library", file,
             line, condition);
    abort();
}
