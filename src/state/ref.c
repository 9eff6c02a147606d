// SPDX-License-Identifier: MIT

#include "backstitch/state.h"

#include "base/report.h"

bks_status bks_ref_set(bks_ref *ref, const void *target)
{
    if (ref == NULL) {
        return bksi_fail_null(NULL, "bks_ref_set", "ref");
    }
    if (target == (const void *)ref) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_ref_set", "target",
                         "target is the reference itself, must be something else in the region");
    }
    // Whole numbers, not pointers: what lies in between need not be one C object.
    ref->distance_bytes =
        target == NULL ? 0 : (int64_t)((uint64_t)(uintptr_t)target - (uint64_t)(uintptr_t)ref);
    return BKS_OK;
}

void *bks_ref_get(const bks_ref *ref)
{
    if (ref == NULL || ref->distance_bytes == 0) {
        return NULL;
    }
    return (void *)(uintptr_t)((uint64_t)(uintptr_t)ref + (uint64_t)ref->distance_bytes);
}
