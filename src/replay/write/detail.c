// SPDX-License-Identifier: MIT

#include "replay/write/detail.h"

#include "base/report.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_samples.h"
#include "state/region.h"

#define KEYFRAME_TICKS_MAX 1000000u
#define KEYFRAME_BYTES_MAX (UINT64_C(1) << 40)

/// One number of a detail, 0 by default, and the most that it may be.
typedef struct limit {
    const char *field; ///< as in a config with `record_detail`
    uint64_t value;
    uint64_t greatest;
    bool may_be_auto;
} limit;

/// A field as the config names it: "record_detail.x" or, of a writer, "detail.x".
static const char *name_of(const char *field, bool is_recorded)
{
    return is_recorded ? field : field + sizeof("record_") - 1;
}

static bks_status check_numbers(const bks_replay_detail *detail, bool is_recorded, const char *call,
                                bks_error *error)
{
    const limit all[] = {
        {"record_detail.hash_bits", detail->hash_bits, 64, false},
        {"record_detail.full_hash_ticks", detail->full_hash_ticks, INT32_MAX, false},
        {"record_detail.chunk_ticks", detail->chunk_ticks, BKSI_CHUNK_TICKS_MAX, false},
        {"record_detail.keyframe_ticks", detail->keyframe_ticks, KEYFRAME_TICKS_MAX, true},
        {"record_detail.keyframe_bytes", detail->keyframe_bytes, KEYFRAME_BYTES_MAX, false},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const limit *it = &all[i];
        const bool is_auto = it->may_be_auto && it->value == BKS_AUTO;
        if (!is_auto && it->value > it->greatest) {
            const char *field = name_of(it->field, is_recorded);
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                             "%s is %llu, must be 0..%llu%s", field, (unsigned long long)it->value,
                             (unsigned long long)it->greatest,
                             it->may_be_auto ? " or BKS_AUTO" : "");
        }
    }
    return BKS_OK;
}

/// The ticks whose marks are kept.
static bks_status check_window(const bks_replay_detail *detail, bool is_recorded, const char *call,
                               bks_error *error)
{
    const char *field = name_of("record_detail.marks_from", is_recorded);
    if (detail->marks_from < 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field, "%s is %d, must be 0 or above",
                         field, (int)detail->marks_from);
    }
    field = name_of("record_detail.marks_until", is_recorded);
    if (detail->marks_until != 0 && detail->marks_until <= detail->marks_from) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                         "%s is %d, must be 0 or above marks_from, %d", field,
                         (int)detail->marks_until, (int)detail->marks_from);
    }
    return BKS_OK;
}

bks_status bksi_detail_check(const bks_replay_detail *detail, const bks_game *game,
                             size_t state_bytes_max, bool is_recorded, const char *call,
                             bks_error *error)
{
    bks_status status = check_numbers(detail, is_recorded, call, error);
    if (status == BKS_OK) {
        status = check_window(detail, is_recorded, call, error);
    }
    if (status != BKS_OK) {
        return status;
    }
    const uint64_t bytes = detail->values ? bksi_ranges_bytes(game->ranges, game->range_count) : 0;
    if (bytes > BKS_VALUES_BYTES_MAX) {
        const char *field = name_of("record_detail.values", is_recorded);
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                         "%s is true and the recorded ranges of %s have %llu bytes together, must "
                         "have 0..%d",
                         field, game->name, (unsigned long long)bytes, BKS_VALUES_BYTES_MAX);
    }
    const size_t pages_max = BKS_VALUES_BYTES_MAX / sizeof(uint32_t);
    if (detail->page_hashes && bksi_pages(state_bytes_max) > pages_max) {
        const char *field = name_of("record_detail.page_hashes", is_recorded);
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                         "%s is true for states of %zu pages, must be false above %zu", field,
                         bksi_pages(state_bytes_max), pages_max);
    }
    return BKS_OK;
}

bks_status bksi_record_detail_check(const bks_replay_detail *detail, const bks_game *game,
                                    const char *call, bks_error *error)
{
    const size_t state_bytes_max = game->create != NULL      ? game->save_bytes_max
                                   : game->configure == NULL ? game->state_bytes
                                                             : 0; // the options decide
    return bksi_detail_check(detail, game, state_bytes_max, true, call, error);
}
