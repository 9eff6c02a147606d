// SPDX-License-Identifier: MIT

// Apart from address.c, since builds without UDP compare addresses, too.

#include <string.h>

#include "backstitch/net.h"
#include "base/report.h"

bool bks_address_equal(const bks_address *a, const bks_address *b)
{
    if (a == NULL || b == NULL) {
        (void)bksi_fail_null(NULL, "bks_address_equal", a == NULL ? "a" : "b");
        return false;
    }
    return a->length == b->length && a->length <= BKS_ADDRESS_BYTES_MAX &&
           memcmp(a->bytes, b->bytes, a->length) == 0;
}
