// SPDX-License-Identifier: MIT

#include "recording/replay_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "recording/replay_values.h"
#include "replay/read/replay_reader.h"
#include "screen/scrubber.h"

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
        snprintf(what, sizeof(what), "%" PRIu64 " to %" PRIu64 " ticks ", event->a, event->b);
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

// The first tick from one on that is there: damage may leave gaps larger than the file.
static bks_tick next_tick(const replay_file *file, bks_tick tick)
{
    return bksi_replay_next_tick(file->replay, tick);
}

// The same of a tick that may have a hash: the one behind the last has, too.
static bks_tick next_hash(const replay_file *file, bks_tick tick)
{
    const bks_tick next = next_tick(file, tick);
    return next == INT32_MAX && tick <= file->info->end ? file->info->end : next;
}

static bool get_hash(const replay_file *file, bks_tick tick, char out[20])
{
    uint64_t hash = 0;
    uint32_t bits = 0;
    if (bks_replay_hash(file->replay, tick, &hash, &bits) != BKS_OK || bits == 0) {
        return false;
    }
    snprintf(out, 20, "%0*" PRIx64, (int)(bits + 3) / 4, hash);
    return true;
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
    for (bks_tick tick = next_hash(file, from); extras->has_hashes && tick <= until;
         tick = next_hash(file, tick + 1)) {
        if (get_hash(file, tick, text)) {
            printf("# hash: %" PRId32 " %s\n", tick, text);
        }
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
    printf("tick,player");
    for (uint32_t i = 0; i < info->field_count; i++) {
        printf(",%s", info->fields[i].name);
    }
    printf("\n");
    for (bks_tick tick = next_tick(file, from); tick < until; tick = next_tick(file, tick + 1)) {
        if (bks_replay_inputs(file->replay, tick, values) != BKS_OK) {
            continue;
        }
        for (uint32_t player = 0; player < info->players; player++) {
            printf("%" PRId32 ",%" PRIu32, tick, player);
            for (uint32_t i = 0; i < info->field_count; i++) {
                printf(",%" PRId32, values[player * info->field_count + i]);
            }
            printf("\n");
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
        for (bks_tick tick = next_hash(file, from); tick <= until;
             tick = next_hash(file, tick + 1)) {
            char text[20];
            if (get_hash(file, tick, text)) {
                json_row(j, NULL);
                json_int(j, NULL, tick);
                json_text(j, NULL, text);
                json_close(j);
            }
        }
        json_close(j);
    }
    if (extras->has_values) {
        replay_values_json(j, file, from, until);
    }
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
    for (bks_tick tick = next_tick(file, from); tick < until; tick = next_tick(file, tick + 1)) {
        if (bks_replay_inputs(file->replay, tick, values) != BKS_OK) {
            continue;
        }
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
    json_close(j);
}
