// SPDX-License-Identifier: MIT

#include "state/range.h"

#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/report.h"

#define STATE_BYTES_MAX (UINT64_C(1) << 30)
#define NAME_BYTES_MAX  63u

uint32_t bks_state_type_bytes(bks_state_type type)
{
    static const uint8_t bytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    const uint32_t index = (uint32_t)type;
    return index < sizeof(bytes) ? bytes[index] : 0;
}

bool bksi_range_is_sound(const bks_state_range *range)
{
    const uint64_t bytes = (uint64_t)range->count * bks_state_type_bytes(range->type);
    return bytes > 0 && range->offset_bytes < STATE_BYTES_MAX &&
           bytes <= STATE_BYTES_MAX - range->offset_bytes;
}

static bool is_name(const char *name)
{
    size_t count = 0;
    for (; name != NULL && name[count] != '\0'; count++) {
        if (name[count] < 0x20 || name[count] > 0x7E || count == NAME_BYTES_MAX) {
            return false;
        }
    }
    return count > 0;
}

bks_status bksi_ranges_check(const bks_state_range *ranges, uint32_t count, const char *call,
                             bks_error *error)
{
    if (count > BKS_STATE_RANGES_MAX || (count > 0 && ranges == NULL)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "range_count",
                         "ranges is %s with range_count %u, must be 0..%d of them",
                         ranges == NULL ? "NULL" : "given", count, BKS_STATE_RANGES_MAX);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!is_name(ranges[i].name)) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "ranges",
                             "ranges[%u].name is \"%.40s\", must be 1..%u bytes of printable ASCII",
                             i, ranges[i].name != NULL ? ranges[i].name : "", NAME_BYTES_MAX);
        }
        if (!bksi_range_is_sound(&ranges[i])) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "ranges",
                             "ranges[%u] (%s) has no bytes or an end beyond 1 GiB", i,
                             ranges[i].name);
        }
    }
    return BKS_OK;
}
