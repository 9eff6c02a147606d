// SPDX-License-Identifier: MIT

// Facts by tick and question.

#include "backstitch/toolkit/recording.h"
#include "base/report.h"
#include "replay/format/replay_fact.h"
#include "replay/read/reader.h"

static const bksi_fact_place *fact_at(const bks_replay *replay, size_t index)
{
    return bksi_list_at(&replay->facts, index);
}

/// The first fact of a tick or of a later one.
static size_t first_from(const bks_replay *replay, bks_tick tick)
{
    size_t low = 0;
    for (size_t high = replay->facts.count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (fact_at(replay, middle)->tick < tick) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bks_status bks_replay_fact(const bks_replay *replay, bks_tick tick, uint32_t question,
                           const void **out_bytes, size_t *out_count)
{
    static const char call[] = "bks_replay_fact";
    if (replay == NULL || out_bytes == NULL || out_count == NULL) {
        return bksi_fail_null(NULL, call,
                              replay == NULL      ? "replay"
                              : out_bytes == NULL ? "out_bytes"
                                                  : "out_count");
    }
    *out_bytes = NULL;
    *out_count = 0;
    for (size_t i = first_from(replay, tick); i < replay->facts.count; i++) {
        const bksi_fact_place *fact = fact_at(replay, i);
        if (fact->tick != tick) {
            break;
        }
        if (fact->question == question) {
            *out_bytes = bksi_replay_bytes_at(replay, fact->offset);
            *out_count = fact->count;
            break;
        }
    }
    return BKS_OK;
}
