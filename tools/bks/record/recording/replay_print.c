// SPDX-License-Identifier: MIT

#include "record/recording/replay_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/state_map.h"
#include "base/json.h"
#include "base/tool.h"
#include "map/state_names.h"
#include "record/recording/replay_commands.h"
#include "record/recording/replay_file.h"

/// Read the values of a range at a tick.
/// @return false: none are recorded
static bool read_range(const replay_file *file, bks_tick tick, uint32_t index, const uint8_t **out)
{
    static uint8_t values[BKS_VALUES_BYTES_MAX];
    *out = values;
    return file->info->ranges[index].is_recorded &&
           bks_replay_values(file->replay, tick, index, values, sizeof(values)) == BKS_OK;
}

static void print_tick(const replay_file *file, bks_tick tick)
{
    for (uint32_t i = 0; i < file->info->range_count; i++) {
        const bks_state_range *range = &file->info->ranges[i];
        const uint8_t *values = NULL;
        if (!read_range(file, tick, i, &values)) {
            continue;
        }
        printf("# value: %" PRId32 " %s", tick, range->name);
        for (uint32_t e = 0; e < range->count; e++) {
            char number[RANGE_VALUE_BYTES];
            range_value_text(range->type, values + e * bks_state_type_bytes(range->type), number);
            printf("%s%s", range->type != BKS_STATE_BYTES || e == 0 ? " " : "", number);
        }
        printf("\n");
    }
}

/// Print "# value: TICK NAME NUMBER..." for each recorded range of each tick. Bytes without a type
/// are printed as hexadecimal digits.
static void replay_values_print(const replay_file *file, bks_tick from, bks_tick until)
{
    bks_replay_ticks ticks = {.end = from};
    while (replay_file_ticks(file, until, &ticks)) {
        for (bks_tick tick = ticks.first; tick < ticks.end; tick++) {
            print_tick(file, tick);
        }
    }
}

static void json_range(json *j, const bks_state_range *range, const uint8_t *values)
{
    json_row(j, range->name);
    for (uint32_t e = 0; e < range->count; e++) {
        range_value_json(j, range->type, values + e * bks_state_type_bytes(range->type));
    }
    json_close(j);
}

static void write_json_tick(json *j, const replay_file *file, bks_tick tick)
{
    json_object(j, NULL);
    json_int(j, "tick", tick);
    for (uint32_t i = 0; i < file->info->range_count; i++) {
        const uint8_t *values = NULL;
        if (read_range(file, tick, i, &values)) {
            json_range(j, &file->info->ranges[i], values);
        }
    }
    json_close(j);
}

/// Write the recorded values as an object for each tick into the open JSON object. Whole numbers
/// are numbers; others are text, as JSON has no infinite numbers, and so are bytes.
static void replay_values_json(json *j, const replay_file *file, bks_tick from, bks_tick until)
{
    json_array(j, "values");
    bks_replay_ticks ticks = {.end = from};
    while (replay_file_ticks(file, until, &ticks)) {
        for (bks_tick tick = ticks.first; tick < ticks.end; tick++) {
            write_json_tick(j, file, tick);
        }
    }
    json_close(j);
}

void replay_print_event(const bks_replay_event *event, char out[256])
{
    char what[96] = "";
    switch (event->kind) {
    case BKS_REPLAY_JOINED:
    case BKS_REPLAY_LEFT:
    case BKS_REPLAY_CLOSED:
        snprintf(what, sizeof(what), "peer %" PRIu32 " ", event->peer);
        break;
    case BKS_REPLAY_DELAY:
        snprintf(what, sizeof(what), "%" PRIu64 " to %" PRIu64 " tick%s ", event->a, event->b,
                 TOOL_PLURAL(event->b));
        break;
    case BKS_REPLAY_DESYNC:
        snprintf(what, sizeof(what), "peer %" PRIu32 " own %016" PRIx64 " its %016" PRIx64 " ",
                 event->peer, event->a, event->b);
        break;
    case BKS_REPLAY_NOTE:
        break;
    }
    snprintf(out, 256, "%" PRId32 " %s %s%s", event->tick, bks_replay_event_kind_name(event->kind),
             what, event->text);
    for (size_t end = strlen(out); end > 0 && out[end - 1] == ' '; end--) {
        out[end - 1] = '\0';
    }
}

// Function type that prints a tick's hash.
typedef void hash_writer(json *j, bks_tick tick, const char *text);

static void write_hash(json *j, const replay_file *file, bks_tick tick, hash_writer *writer)
{
    uint64_t hash = 0;
    uint32_t bits = 0;
    if (bks_replay_hash(file->replay, tick, &hash, &bits) == BKS_OK && bits > 0) {
        char text[20];
        snprintf(text, sizeof(text), "%0*" PRIx64, (int)(bits + 3) / 4, hash);
        writer(j, tick, text);
    }
}

// Print the hashes of all ticks up to and including `until`. The state after the last tick of a
// recording has a hash, too.
static void write_hashes(json *j, const replay_file *file, bks_tick from, bks_tick until,
                         hash_writer *writer)
{
    const bks_tick end = file->info->end;
    bks_replay_ticks ticks = {.end = from};
    while (replay_file_ticks(file, until < end ? until + 1 : end, &ticks)) {
        for (bks_tick tick = ticks.first; tick < ticks.end; tick++) {
            write_hash(j, file, tick, writer);
        }
    }
    if (until == end) {
        write_hash(j, file, end, writer);
    }
}

static void print_hash(json *j, bks_tick tick, const char *text)
{
    (void)j;
    printf("# hash: %" PRId32 " %s\n", tick, text);
}

static void json_hash_row(json *j, bks_tick tick, const char *text)
{
    json_row(j, NULL);
    json_int(j, NULL, tick);
    json_text(j, NULL, text);
    json_close(j);
}

static void print_extras(const replay_file *file, bks_tick from, bks_tick until,
                         const replay_print_extras *extras)
{
    char text[256];
    for (uint32_t i = 0; extras->has_events && i < file->info->event_count; i++) {
        bks_replay_event event;
        if (bks_replay_event_at(file->replay, i, &event) == BKS_OK) {
            replay_print_event(&event, text);
            printf("# event: %s\n", text);
        }
    }
    if (extras->has_hashes) {
        write_hashes(NULL, file, from, until, print_hash);
    }
    if (extras->has_values) {
        replay_values_print(file, from, until);
    }
}

static void print_lost(const replay_file *file)
{
    for (uint32_t i = 0; i < file->info->lost_count; i++) {
        bks_replay_lost lost;
        (void)bks_replay_lost_at(file->replay, i, &lost);
        if (lost.ticks > 0) {
            printf("# lost: ticks %" PRId32 " to %" PRId32 "\n", lost.first,
                   lost.first + lost.ticks - 1);
        }
    }
}

static void print_inputs(const bks_recording *info, bks_tick tick, const int32_t *values)
{
    for (uint32_t player = 0; player < info->players; player++) {
        printf("%" PRId32 ",%" PRIu32, tick, player);
        for (uint32_t i = 0; i < info->field_count; i++) {
            printf(",%" PRId32, values[player * info->field_count + i]);
        }
        printf("\n");
    }
}

void replay_print_input_log(replay_file *file, bks_tick from, bks_tick until,
                            const replay_print_extras *extras)
{
    const bks_recording *info = file->info;
    static int32_t values[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    printf("# game: %s, version %" PRIu32 "\n# tick_rate_hz: %" PRIu32 "\n", info->game,
           info->version, info->tick_rate_hz);
    if (info->confirmed < info->ticks) {
        printf("# from tick %" PRId32 " on not confirmed\n", info->confirmed);
    }
    print_lost(file);
    print_extras(file, from, until, extras);
    replay_commands_print(file, from, until);
    printf("tick,player");
    for (uint32_t i = 0; i < info->field_count; i++) {
        printf(",%s", info->fields[i].name);
    }
    printf("\n");
    bks_replay_ticks ticks = {.end = from};
    while (replay_file_ticks(file, until, &ticks)) {
        for (bks_tick tick = ticks.first; tick < ticks.end; tick++) {
            if (bks_replay_inputs(file->replay, tick, values) == BKS_OK) {
                print_inputs(info, tick, values);
            }
        }
    }
}

void replay_print_json_fields(json *j, const bks_recording *info)
{
    json_array(j, "fields");
    for (uint32_t i = 0; i < info->field_count; i++) {
        json_object(j, NULL);
        json_text(j, "name", info->fields[i].name);
        json_uint(j, "bits", info->fields[i].bits);
        json_bool(j, "signed", info->fields[i].is_signed);
        json_close(j);
    }
    json_close(j);
}

void replay_print_json_event(json *j, const bks_replay_event *event)
{
    json_int(j, "tick", event->tick);
    json_text(j, "kind", bks_replay_event_kind_name(event->kind));
    json_uint(j, "peer", event->peer);
    if (event->kind == BKS_REPLAY_DESYNC) {
        json_hash(j, "a", event->a);
        json_hash(j, "b", event->b);
    } else {
        json_uint(j, "a", event->a);
        json_uint(j, "b", event->b);
    }
    json_text(j, "text", event->text);
}

static void json_extras(json *j, const replay_file *file, bks_tick from, bks_tick until,
                        const replay_print_extras *extras)
{
    if (extras->has_events) {
        json_array(j, "events");
        for (uint32_t i = 0; i < file->info->event_count; i++) {
            bks_replay_event event;
            if (bks_replay_event_at(file->replay, i, &event) == BKS_OK) {
                json_object(j, NULL);
                replay_print_json_event(j, &event);
                json_close(j);
            }
        }
        json_close(j);
    }
    if (extras->has_hashes) {
        json_array(j, "hashes");
        write_hashes(j, file, from, until, json_hash_row);
        json_close(j);
    }
    if (extras->has_values) {
        replay_values_json(j, file, from, until);
    }
}

static void json_inputs(json *j, const bks_recording *info, bks_tick tick, const int32_t *values)
{
    json_object(j, NULL);
    json_int(j, "tick", tick);
    json_array(j, "inputs");
    for (uint32_t player = 0; player < info->players; player++) {
        json_row(j, NULL);
        for (uint32_t i = 0; i < info->field_count; i++) {
            json_int(j, NULL, values[player * info->field_count + i]);
        }
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

void replay_print_json(json *j, replay_file *file, bks_tick from, bks_tick until,
                       const replay_print_extras *extras)
{
    const bks_recording *info = file->info;
    static int32_t values[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    json_text(j, "game", info->game);
    json_uint(j, "players", info->players);
    json_int(j, "confirmed", info->confirmed);
    replay_print_json_fields(j, info);
    json_extras(j, file, from, until, extras);
    json_array(j, "ticks");
    bks_replay_ticks ticks = {.end = from};
    while (replay_file_ticks(file, until, &ticks)) {
        for (bks_tick tick = ticks.first; tick < ticks.end; tick++) {
            if (bks_replay_inputs(file->replay, tick, values) == BKS_OK) {
                json_inputs(j, info, tick, values);
            }
        }
    }
    json_close(j);
    replay_commands_json(j, file, from, until);
}

void replay_repair_text(const bks_replay_repair *repair, char out[REPLAY_REPAIR_TEXT_BYTES])
{
    int used = snprintf(out, REPLAY_REPAIR_TEXT_BYTES,
                        "peer %" PRIu32 " was wrong from tick %" PRId32 " on and ", repair->peer,
                        repair->since);
    if (repair->bytes > 0) {
        used += snprintf(out + used, REPLAY_REPAIR_TEXT_BYTES - (size_t)used,
                         "was repaired at tick %" PRId32 " with %" PRIu64 " bytes of peer %" PRIu32,
                         repair->tick, repair->bytes, repair->from);
    } else {
        used += snprintf(out + used, REPLAY_REPAIR_TEXT_BYTES - (size_t)used,
                         "healed by itself by tick %" PRId32, repair->tick);
    }
    if (repair->until > repair->since) {
        (void)snprintf(out + used, REPLAY_REPAIR_TEXT_BYTES - (size_t)used,
                       "; recorded before that: up to tick %" PRId32, repair->until - 1);
    }
}

void replay_repair_json(json *j, const bks_replay_repair *repair)
{
    json_object(j, NULL);
    json_int(j, "tick", repair->tick);
    json_uint(j, "peer", repair->peer);
    json_uint(j, "from", repair->from);
    json_int(j, "since", repair->since);
    json_uint(j, "bytes", repair->bytes);
    json_int(j, "until", repair->until);
    json_uint(j, "hashes", repair->agreed_count);
    json_close(j);
}

void replay_repairs_json(json *j, const replay_file *file)
{
    json_array(j, "repairs");
    for (uint32_t i = 0; i < file->info->repair_count; i++) {
        bks_replay_repair repair;
        (void)bks_replay_repair_at(file->replay, i, &repair);
        replay_repair_json(j, &repair);
    }
    json_close(j);
}

void replay_repairs_print(const replay_file *file)
{
    for (uint32_t i = 0; i < file->info->repair_count; i++) {
        bks_replay_repair repair;
        char text[REPLAY_REPAIR_TEXT_BYTES];
        (void)bks_replay_repair_at(file->replay, i, &repair);
        replay_repair_text(&repair, text);
        printf("%s%s\n", i == 0 ? "  repairs     " : "              ", text);
    }
}
