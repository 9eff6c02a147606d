// SPDX-License-Identifier: MIT

// Builds without UDP compare addresses too, so this is not in address.c.

#include <string.h>

#include "backstitch/net.h"
#include "base/report.h"

bool bks_address_equal(const bks_address *a, const bks_address *b)
{
    BKSI_REFUSE_NULL_OR(false, a);
    BKSI_REFUSE_NULL_OR(false, b);
    return a->length == b->length && a->length <= BKS_ADDRESS_BYTES_MAX &&
           memcmp(a->bytes, b->bytes, a->length) == 0;
}
