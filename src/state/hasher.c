// SPDX-License-Identifier: MIT

#include "base/hash.h"
#include "base/report.h"
#include "state/region.h"

bks_hasher bksi_hasher_begin(void)
{
    return (bks_hasher){0};
}

void bks_hash_add(bks_hasher *hasher, const void *bytes, size_t count)
{
    if (hasher == NULL) {
        bksi_fail_null(NULL, "bks_hash_add", "hasher");
        return;
    }
    if (bytes == NULL && count > 0) {
        bksi_fail_null(NULL, "bks_hash_add", "bytes");
        return;
    }
    // Linked, not fed into one long hash: where one part ends and the next begins counts too.
    hasher->chain = bksi_hash64_pair(hasher->chain, bksi_hash64(bytes, count, 0));
}

uint64_t bksi_hasher_end(const bks_hasher *hasher)
{
    return hasher->chain;
}
