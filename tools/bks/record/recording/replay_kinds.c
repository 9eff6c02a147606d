// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/state_map.h"
#include "base/tool.h"
#include "record/recording/replay_print.h"

enum { EVENT_KINDS = BKS_REPLAY_CLOSED + 1 };

// Bytes of a file: what each kind of record takes, its head and check included.
typedef struct kinds {
    uint64_t state;
    uint64_t inputs; ///< these and hashes without heads and checks
    uint64_t hashes;
    uint64_t keyframes;
    uint64_t facts;
    uint64_t values;
    uint64_t pages;
    uint64_t marks;
    uint64_t rollbacks;
    uint64_t evidence; ///< and the log
    uint64_t rest;     ///< header, slots, events, index, heads and checks
} kinds;

static kinds sum_up(const bks_recording *info)
{
    kinds k = {
        .state = info->packed_state_bytes,
        .inputs = info->input_bytes,
        .hashes = info->hash_bytes,
        .keyframes = info->keyframe_bytes,
        .facts = info->fact_bytes,
        .values = info->value_bytes,
        .pages = info->page_hash_bytes,
        .marks = info->mark_bytes,
        .rollbacks = info->rollback_bytes,
        .evidence = info->evidence_bytes,
    };
    const uint64_t known = k.state + k.inputs + k.hashes + k.keyframes + k.facts + k.values +
                           k.pages + k.marks + k.rollbacks + k.evidence;
    k.rest = info->bytes > known ? info->bytes - known : 0;
    return k;
}

static void print_some(const char *name, uint64_t bytes)
{
    if (bytes > 0) {
        printf(", %s %" PRIu64, name, bytes);
    }
}

/// The state map: what its bytes are called.
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
    const kinds k = sum_up(file->info);
    printf("  bytes       %" PRIu64 ": inputs %" PRIu64 ", hashes %" PRIu64 ", keyframes %" PRIu64,
           file->info->bytes, k.inputs, k.hashes, k.keyframes);
    print_some("facts", k.facts);
    print_some("values", k.values);
    print_some("pages", k.pages);
    print_some("marks", k.marks);
    print_some("rollbacks", k.rollbacks);
    print_some("evidence", k.evidence);
    printf(", first state %" PRIu64 " (%s%" PRIu64 " unpacked), rest %" PRIu64 "\n", k.state,
           file->info->has_pointers ? "left out for its raw pointers, " : "",
           file->info->state_bytes, k.rest);
}

// What rollbacks come to.
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

// Ticks whose states at marks are there.
typedef struct marked_ticks {
    bks_tick count;
    bks_tick first; ///< when count is above 0
    bks_tick last;
} marked_ticks;

static bool want_no_note(void *context, uint32_t states_before, const char *text)
{
    (void)context;
    (void)states_before;
    (void)text;
    return false;
}

// A record of marks has a row for each of its ticks, which may hold nothing.
static marked_ticks count_marks(const replay_file *file)
{
    marked_ticks m = {0};
    if (file->info->mark_ticks == 0) {
        return m;
    }
    for (bks_tick tick = file->info->first; tick < file->info->end; tick++) {
        if (bks_replay_notes(file->replay, tick, want_no_note, NULL) == BKS_OK) {
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
    const kinds k = sum_up(file->info);
    json_object(j, "bytes_by");
    json_uint(j, "state", k.state);
    json_uint(j, "inputs", k.inputs);
    json_uint(j, "hashes", k.hashes);
    json_uint(j, "keyframes", k.keyframes);
    json_uint(j, "facts", k.facts);
    json_uint(j, "values", k.values);
    json_uint(j, "pages", k.pages);
    json_uint(j, "marks", k.marks);
    json_uint(j, "rollbacks", k.rollbacks);
    json_uint(j, "evidence", k.evidence);
    json_uint(j, "rest", k.rest);
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
