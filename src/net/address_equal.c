// SPDX-License-Identifier: MIT

// bks_address_equal() has a file of its own because builds without UDP, which omit address.c, need
// it too.

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
