// SPDX-License-Identifier: MIT
//
// Public functions of hash.c. They are in a file of their own because hash.c may not report errors:
// the default log sink uses it.

#include "base/hash.h"
#include "base/report.h"

uint64_t bks_hash64(const void *bytes, size_t count, uint64_t seed)
{
    if (bytes == NULL && count > 0) {
        (void)bksi_fail_null(NULL, "bks_hash64", "bytes");
        return 0;
    }
    return bksi_hash64(bytes != NULL ? bytes : "", count, seed);
}

uint64_t bks_hash64_pair(uint64_t a, uint64_t b)
{
    return bksi_hash64_pair(a, b);
}
