// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/state_map.h"
#include "base/tool.h"
#include "record/recording/replay_print.h"

enum { EVENT_KINDS = BKS_REPLAY_CLOSED + 1 };

/// Kinds of records, and the bytes of each in a file. The bytes of inputs and of hashes do not
/// include the heads (first 12 bytes) and checks of their records; the bytes of all other kinds do.
static const struct {
    const char *name; ///< name of the kind of records, in texts and in JSON
    size_t at;        ///< offset in bks_recording of the field with the kind's bytes
} kinds[] = {
    {"state", offsetof(bks_recording, packed_state_bytes)},
    {"inputs", offsetof(bks_recording, input_bytes)},
    {"hashes", offsetof(bks_recording, hash_bytes)},
    {"keyframes", offsetof(bks_recording, keyframe_bytes)},
    {"facts", offsetof(bks_recording, fact_bytes)},
    {"values", offsetof(bks_recording, value_bytes)},
    {"pages", offsetof(bks_recording, page_hash_bytes)},
    {"marks", offsetof(bks_recording, mark_bytes)},
    {"rollbacks", offsetof(bks_recording, rollback_bytes)},
    {"evidence", offsetof(bks_recording, evidence_bytes)}, // bytes include those of the match log
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static uint64_t bytes_of(const bks_recording *info, uint32_t kind)
{
    uint64_t bytes;
    memcpy(&bytes, (const char *)info + kinds[kind].at, sizeof(bytes));
    return bytes;
}

/// Return the number of bytes that belong to none of `kinds`: header, tail slots, events, index,
/// and the heads and checks of the records with inputs and hashes.
static uint64_t rest_of(const bks_recording *info)
{
    uint64_t known = 0;
    for (uint32_t i = 0; i < KINDS; i++) {
        known += bytes_of(info, i);
    }
    return info->bytes > known ? info->bytes - known : 0;
}

/// Print the names of ranges of the state.
static void print_names(const bks_recording *info)
{
    bool has_values = false;
    for (uint32_t i = 0; i < info->range_count; i++) {
        const bks_state_range *range = &info->ranges[i];
        printf("%s%s%s", i == 0 ? "  names       " : ", ", range->name,
               range->is_recorded ? "*" : "");
        has_values = has_values || range->is_recorded;
    }
    if (info->range_count > 0) {
        printf("%s\n", has_values ? "; *: values by tick" : "");
    }
}

void replay_kinds_print_bytes(const replay_file *file)
{
    const bks_recording *info = file->info;
    printf("  bytes       %" PRIu64 ":", info->bytes);
    for (uint32_t i = 1; i < KINDS; i++) {
        const uint64_t bytes = bytes_of(info, i);
        if (i <= 3 || bytes > 0) {
            printf("%s %s %" PRIu64, i > 1 ? "," : "", kinds[i].name, bytes);
        }
    }
    printf(", first state %" PRIu64 " (%s%" PRIu64 " unpacked), rest %" PRIu64 "\n",
           bytes_of(info, 0), info->has_pointers ? "left out for its raw pointers, " : "",
           info->state_bytes, rest_of(info));
}

// Depths of all rollbacks in a recording, in ticks.
typedef struct depths {
    bks_tick deepest;
    int64_t sum;
} depths;

static depths measure_rollbacks(const replay_file *file)
{
    depths d = {0};
    for (uint32_t i = 0; i < file->info->rollback_count; i++) {
        bks_replay_rollback rollback;
        if (bks_replay_rollback_at(file->replay, i, &rollback) == BKS_OK) {
            const bks_tick depth = rollback.present - rollback.from;
            d.deepest = depth > d.deepest ? depth : d.deepest;
            d.sum += depth;
        }
    }
    return d;
}

static void count_events(const replay_file *file, uint32_t counts[EVENT_KINDS])
{
    for (uint32_t i = 0; i < file->info->event_count; i++) {
        bks_replay_event event;
        if (bks_replay_event_at(file->replay, i, &event) == BKS_OK &&
            (uint32_t)event.kind < EVENT_KINDS) {
            counts[event.kind]++;
        }
    }
}

static void print_events(const replay_file *file)
{
    uint32_t counts[EVENT_KINDS] = {0};
    count_events(file, counts);
    printf("  events      %" PRIu32, file->info->event_count);
    const char *before = ": ";
    for (uint32_t i = 0; i < EVENT_KINDS; i++) {
        if (counts[i] > 0) {
            printf("%s%" PRIu32 " %s", before, counts[i],
                   bks_replay_event_kind_name((bks_replay_event_kind)i));
            before = ", ";
        }
    }
    printf("\n");
}

// Ticks for which states at marks are recorded.
typedef struct marked_ticks {
    bks_tick count;
    bks_tick first; ///< first tick with recorded states at marks, if there is one
    bks_tick last;
} marked_ticks;

static bool skip_note(void *context, uint32_t states_before, const char *text)
{
    (void)context;
    (void)states_before;
    (void)text;
    return false;
}

// Count the ticks with states at marks. Each tick of a record has a row, but the row may be empty.
static marked_ticks count_marks(const replay_file *file)
{
    marked_ticks m = {0};
    if (file->info->mark_ticks == 0) {
        return m;
    }
    for (bks_tick tick = file->info->first; tick < file->info->end; tick++) {
        if (bks_replay_notes(file->replay, tick, skip_note, NULL) == BKS_OK) {
            m.first = m.count == 0 ? tick : m.first;
            m.last = tick;
            m.count++;
        }
        tool_log_drop();
    }
    return m;
}

void replay_kinds_print(const replay_file *file)
{
    const bks_recording *info = file->info;
    print_events(file);
    if (info->rollback_count > 0) {
        const depths d = measure_rollbacks(file);
        printf("  rollbacks   %" PRIu32 ", the deepest of %" PRId32
               " tick%s, %.1f in the mean; %" PRId64 " tick%s stepped again\n",
               info->rollback_count, d.deepest, TOOL_PLURAL(d.deepest),
               (double)d.sum / info->rollback_count, d.sum, TOOL_PLURAL(d.sum));
    }
    replay_repairs_print(file);
    if (info->fact_count > 0) {
        printf("  facts       %" PRIu32 "\n", info->fact_count);
    }
    if (info->page_hash_ticks > 0) {
        printf("  pages       hashes of %" PRIu32 ", of %" PRId32 " tick%s\n", info->pages_max,
               info->page_hash_ticks, TOOL_PLURAL(info->page_hash_ticks));
    }
    const marked_ticks marks = count_marks(file);
    if (marks.count > 0) {
        printf("  marks       states of %" PRId32 " tick%s, the first %" PRId32
               ", the last %" PRId32 "\n",
               marks.count, TOOL_PLURAL(marks.count), marks.first, marks.last);
    }
    print_names(info);
}

static void json_rollbacks(json *j, const replay_file *file)
{
    const depths d = measure_rollbacks(file);
    json_object(j, "rollbacks");
    json_uint(j, "count", file->info->rollback_count);
    json_int(j, "depth_max", d.deepest);
    json_int(j, "resimulated", d.sum);
    json_close(j);
}

static void json_ranges(json *j, const replay_file *file)
{
    const bks_recording *info = file->info;
    json_array(j, "ranges");
    for (uint32_t i = 0; i < info->range_count; i++) {
        json_object(j, NULL);
        json_text(j, "name", info->ranges[i].name);
        json_uint(j, "offset", info->ranges[i].offset_bytes);
        json_uint(j, "count", info->ranges[i].count);
        json_uint(j, "element_bytes", bks_state_type_bytes(info->ranges[i].type));
        json_bool(j, "recorded", info->ranges[i].is_recorded);
        json_close(j);
    }
    json_close(j);
}

void replay_kinds_json(json *j, const replay_file *file)
{
    json_object(j, "bytes_by");
    for (uint32_t i = 0; i < KINDS; i++) {
        json_uint(j, kinds[i].name, bytes_of(file->info, i));
    }
    json_uint(j, "rest", rest_of(file->info));
    json_close(j);
    uint32_t counts[EVENT_KINDS] = {0};
    count_events(file, counts);
    json_object(j, "events_by");
    for (uint32_t i = 0; i < EVENT_KINDS; i++) {
        json_uint(j, bks_replay_event_kind_name((bks_replay_event_kind)i), counts[i]);
    }
    json_close(j);
    json_rollbacks(j, file);
    replay_repairs_json(j, file);
    json_uint(j, "facts", file->info->fact_count);
    json_int(j, "value_rows", file->info->value_ticks);
    json_int(j, "page_rows", file->info->page_hash_ticks);
    json_uint(j, "pages", file->info->pages_max);
    json_int(j, "mark_rows", count_marks(file).count);
    json_ranges(j, file);
}
