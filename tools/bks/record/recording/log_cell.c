// SPDX-License-Identifier: MIT

#include "record/recording/log_cell.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/match.h"
#include "base/tool.h"

static bool take(void *context, const bks_log_entry *entry)
{
    log_entries *log = context;
    log->items[log->count++] = *entry;
    return log->count < log->file.info->log_count;
}

// Group the log's entries by tick. A group begins with the packets that came before its update.
static void group(log_entries *log)
{
    uint32_t came = UINT32_MAX; // index of the first packet that came since the last update
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
    // Search all entries that may have the hash: a state is hashed when a step makes it, and again
    // whenever a rollback makes it anew.
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

enum { WORD_BYTES = 96, NOBODY = 255 };

// Append words to the last line, or begin a new line if there is no room.
static void BKS_PRINTF(2, 3) put(log_cell *cell, const char *format, ...)
{
    char words[WORD_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    char *line = cell->count > 0 ? cell->lines[cell->count - 1] : NULL;
    const size_t used = line != NULL ? strlen(line) : 0;
    if (line != NULL && used + 2 + strlen(words) <= cell->width) {
        (void)snprintf(line + used, LOG_CELL_LINE_BYTES - used, "%s%s", used > 0 ? ", " : "",
                       words);
        return;
    }
    if (cell->count == LOG_CELL_LINES_MAX) {
        (void)snprintf(line, LOG_CELL_LINE_BYTES, "...");
        return;
    }
    (void)snprintf(cell->lines[cell->count++], LOG_CELL_LINE_BYTES, "%.*s", (int)cell->width,
                   words);
}

static void begin_line(log_cell *cell)
{
    if (cell->count < LOG_CELL_LINES_MAX) {
        cell->lines[cell->count++][0] = '\0';
    }
}

static void put_packet(log_cell *cell, const bks_log_entry *entry)
{
    const char *direction = entry->kind == BKS_ENTRY_CAME ? "from" : "to";
    if (entry->number == NOBODY) {
        put(cell, "%s ? %" PRIu32 " B", direction, entry->value);
    } else {
        put(cell, "%s %" PRIu32 ": %" PRIu32 " B", direction, entry->number, entry->value);
    }
}

static void put_rollback(log_cell *cell, const bks_log_entry *entry)
{
    char whose[16] = "";
    if (entry->number != NOBODY) {
        (void)snprintf(whose, sizeof(whose), " for p%" PRIu32, entry->number);
    }
    begin_line(cell);
    put(cell, "ROLLBACK %" PRIu32 " to %" PRId32 "%s", entry->value, entry->tick, whose);
}

static void put_load(log_cell *cell, const bks_log_entry *entry)
{
    static const char *const reasons[] = {[BKS_LOAD_ROLLBACK] = "",
                                          [BKS_LOAD_AS_WAS] = " (all as was)",
                                          [BKS_LOAD_MOVES] = " (moves)"};
    put(cell, "load %" PRId32 "%s", entry->tick,
        entry->reason <= BKS_LOAD_MOVES ? reasons[entry->reason] : "");
}

static void put_save(log_cell *cell, const bks_log_entry *entry)
{
    static const char *const reasons[] = {[BKS_SAVED_SPACED] = "",
                                          [BKS_SAVED_CERTAIN] = " (certain)",
                                          [BKS_SAVED_MOVES] = " (moves)"};
    put(cell, "save %" PRId32 "%s", entry->tick,
        entry->reason <= BKS_SAVED_MOVES ? reasons[entry->reason] : "");
}

// Write a new tick, with the players whose inputs were guessed.
static void put_step(log_cell *cell, const bks_log_entry *entry)
{
    char guessed[64] = "";
    size_t used = 0;
    for (uint32_t p = 0; p < BKS_PLAYERS_MAX; p++) {
        if ((entry->value >> p & 1) != 0) {
            used += (size_t)snprintf(guessed + used, sizeof(guessed) - used, "%sp%" PRIu32,
                                     used > 0 ? " " : " guess ", p);
        }
    }
    put(cell, "step %" PRId32 "%s", entry->tick, guessed);
}

// Write consecutive ticks that were stepped again as one range.
// @return index of the last entry of the range
static uint32_t put_again(log_cell *cell, const log_entries *log, uint32_t i, uint32_t end)
{
    const bks_tick first = log->items[i].tick;
    bks_tick last = first;
    for (uint32_t k = i + 1; k < end; k++) {
        const bks_log_entry *entry = &log->items[k];
        if (entry->kind == BKS_ENTRY_HASH) {
            continue;
        }
        if (entry->kind != BKS_ENTRY_STEP || entry->reason == 0) {
            break;
        }
        last = entry->tick;
        i = k;
    }
    if (last > first) {
        put(cell, "again %" PRId32 " to %" PRId32, first, last);
    } else {
        put(cell, "again %" PRId32, first);
    }
    return i;
}

static void put_event(log_cell *cell, const bks_log_entry *entry)
{
    begin_line(cell);
    put(cell, "EVENT %s, peer %" PRIu32, bks_event_kind_name((bks_event_kind)entry->value),
        entry->number);
    if (entry->tick != BKS_TICK_NONE) {
        put(cell, "tick %" PRId32, entry->tick);
    }
}

// Write one entry as words. Steps of a rollback become one range.
// @return index of the last entry that was written
static uint32_t put_entry(log_cell *cell, const log_entries *log, uint32_t i, uint32_t end)
{
    const bks_log_entry *entry = &log->items[i];
    switch (entry->kind) {
    case BKS_ENTRY_SENT:
    case BKS_ENTRY_CAME:
        put_packet(cell, entry);
        break;
    case BKS_ENTRY_INPUTS:
        put(cell, "p%" PRIu32 " known to %" PRId32, entry->number,
            entry->tick + (bks_tick)entry->value - 1);
        break;
    case BKS_ENTRY_WRONG:
        put(cell, "p%" PRIu32 " WRONG at %" PRId32, entry->number, entry->tick);
        break;
    case BKS_ENTRY_SAMPLED:
        put(cell, "p%" PRIu32 " sampled %" PRId32, entry->number, entry->tick);
        break;
    case BKS_ENTRY_ROLLBACK:
        put_rollback(cell, entry);
        break;
    case BKS_ENTRY_LOAD:
        put_load(cell, entry);
        break;
    case BKS_ENTRY_SAVE:
        put_save(cell, entry);
        break;
    case BKS_ENTRY_STEP:
        if (entry->reason != 0) {
            return put_again(cell, log, i, end);
        }
        put_step(cell, entry);
        break;
    case BKS_ENTRY_DELAY:
        put(cell, "delay %" PRIu32, entry->value);
        break;
    case BKS_ENTRY_EVENT:
        put_event(cell, entry);
        break;
    case BKS_ENTRY_UPDATE:
    case BKS_ENTRY_HASH:
        break; // log_cell_fill() writes the time and the last hash into the first line
    }
    return i;
}

void log_cell_fill(log_cell *cell, const log_entries *log, uint32_t group, uint32_t width)
{
    const log_group *g = &log->groups[group];
    uint32_t hash = 0;
    char text[16] = "-";
    cell->width = width;
    cell->count = 0;
    if (log_hash(log, g->tick, &hash)) {
        (void)snprintf(text, sizeof(text), "%08" PRIx32, hash);
    }
    put(cell, "%.3f s  hash %s", (double)log->items[g->first].time_us / 1e6, text);
    begin_line(cell);
    for (uint32_t i = g->first; i < g->end; i++) {
        i = put_entry(cell, log, i, g->end);
    }
}
