// SPDX-License-Identifier: MIT

#include <string.h>

#include "backstitch/toolkit/runner.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"

_Static_assert(BKS_PAGE_BYTES == BKSI_PAGE_BYTES, "pages are those of a region");

uint64_t bks_page_hash(const void *bytes, size_t count)
{
    uint8_t page[BKS_PAGE_BYTES];
    if (bytes == NULL && count > 0) {
        (void)bksi_fail_null(NULL, "bks_page_hash", "bytes");
        return 0;
    }
    if (count > BKS_PAGE_BYTES) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_page_hash", "count",
                        "count is %zu, expected up to %d", count, BKS_PAGE_BYTES);
        return 0;
    }
    if (count < BKS_PAGE_BYTES) {
        memset(page, 0, sizeof(page));
        if (count > 0) {
            memcpy(page, bytes, count);
        }
        bytes = page;
    }
    return bksi_hash64(bytes, BKS_PAGE_BYTES, 0);
}

uint64_t bks_pages_hash(const uint64_t *hashes, size_t count, uint64_t bytes)
{
    if (hashes == NULL && count > 0) {
        (void)bksi_fail_null(NULL, "bks_pages_hash", "hashes");
        return 0;
    }
    // The bytes of `hashes` are little-endian numbers on all supported machines.
    return bksi_hash64(hashes, count * sizeof(*hashes), bytes);
}
