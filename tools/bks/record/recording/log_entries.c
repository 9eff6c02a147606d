// SPDX-License-Identifier: MIT

#include "record/recording/log_entries.h"

#include <stdlib.h>

#include "backstitch/match.h"
#include "base/tool.h"

static bool take(void *context, const bks_log_entry *entry)
{
    log_entries *log = context;
    log->items[log->count++] = *entry;
    return log->count < log->file.info->log_count;
}

// A group begins with the packets that came before its update.
static void group(log_entries *log)
{
    uint32_t came = UINT32_MAX; // the first packet since the update before
    for (uint32_t i = 0; i < log->count; i++) {
        const bks_log_entry *entry = &log->items[i];
        if (entry->kind == BKS_ENTRY_CAME && came == UINT32_MAX) {
            came = i;
        }
        if (entry->kind != BKS_ENTRY_UPDATE) {
            continue;
        }
        if (log->group_count == 0 || entry->tick > log->groups[log->group_count - 1].tick) {
            log->groups[log->group_count++] =
                (log_group){.tick = entry->tick, .first = came < i ? came : i};
        }
        came = UINT32_MAX;
    }
    for (uint32_t i = 0; i < log->group_count; i++) {
        log->groups[i].end = i + 1 < log->group_count ? log->groups[i + 1].first : log->count;
    }
}

int log_open(log_entries *log, const char *path)
{
    *log = (log_entries){0};
    if (replay_file_open(path, &log->file) != TOOL_OK) {
        return TOOL_DAMAGED;
    }
    const uint32_t most = log->file.info->log_count;
    if (most == 0) {
        tool_complain(path, "has no log, expected the recording of a match whose states differed: "
                            "only such a one holds what led to it, unless it was cut with --strip");
        return log->file.status != TOOL_OK ? log->file.status : TOOL_NO;
    }
    log->items = calloc(most, sizeof(log->items[0]));
    log->groups = calloc(most, sizeof(log->groups[0]));
    if (log->items == NULL || log->groups == NULL) {
        tool_complain(path, "out of memory");
        return TOOL_NO;
    }
    const bks_status status = bks_replay_log(log->file.replay, take, log);
    group(log);
    return status == BKS_OK ? log->file.status : TOOL_DAMAGED;
}

void log_close(log_entries *log)
{
    free(log->items);
    free(log->groups);
    replay_file_close(&log->file);
    *log = (log_entries){0};
}

uint32_t log_group_from(const log_entries *log, bks_tick tick)
{
    uint32_t low = 0;
    for (uint32_t high = log->group_count; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (log->groups[middle].tick < tick) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool log_hash(const log_entries *log, bks_tick tick, uint32_t *out)
{
    bool is_found = false;
    // It is hashed when it is entered, and again in every rollback over it.
    const uint32_t from = log_group_from(log, tick > 0 ? tick - 1 : 0);
    const uint32_t begin = from > 0 ? from - 1 : 0;
    for (uint32_t i = begin < log->group_count ? log->groups[begin].first : 0; i < log->count;
         i++) {
        const bks_log_entry *entry = &log->items[i];
        if (entry->kind == BKS_ENTRY_HASH && entry->tick == tick) {
            *out = entry->value;
            is_found = true;
        }
        if (entry->kind == BKS_ENTRY_UPDATE && entry->tick > tick + BKS_WINDOW_MAX) {
            break;
        }
    }
    return is_found;
}

bks_tick log_first_different(const log_entries *a, const log_entries *b)
{
    for (uint32_t i = 0; i < a->group_count; i++) {
        const bks_tick tick = a->groups[i].tick;
        uint32_t of_a = 0;
        uint32_t of_b = 0;
        if (log_hash(a, tick, &of_a) && log_hash(b, tick, &of_b) && of_a != of_b) {
            return tick;
        }
    }
    return BKS_TICK_NONE;
}
