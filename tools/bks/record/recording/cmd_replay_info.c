// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>

#include "base/args.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "base/tool.h"
#include "record/recording/log_evidence.h"
#include "record/recording/replay_commands.h"
#include "record/recording/replay_file.h"
#include "record/recording/replay_keys.h"
#include "record/recording/replay_kinds.h"
#include "record/recording/replay_print.h"

static bool final_hash(const replay_file *file, uint64_t *out)
{
    uint32_t bits = 0;
    return file->info->is_complete &&
           bks_replay_hash(file->replay, file->info->ticks, out, &bits) == BKS_OK && bits == 64;
}

static void json_pairs(json *j, const char *key, const bks_replay_pair *pairs, uint32_t count)
{
    json_object(j, key);
    for (uint32_t i = 0; i < count; i++) {
        json_text(j, pairs[i].name, pairs[i].value);
    }
    json_close(j);
}

static void json_lost(json *j, const replay_file *file)
{
    json_array(j, "lost");
    for (uint32_t i = 0; i < file->info->lost_count; i++) {
        bks_replay_lost lost;
        (void)bks_replay_lost_at(file->replay, i, &lost);
        json_object(j, NULL);
        json_uint(j, "offset", lost.offset_bytes);
        json_uint(j, "bytes", lost.bytes);
        json_int(j, "first", lost.first);
        json_int(j, "ticks", lost.ticks);
        json_close(j);
    }
    json_close(j);
}

static void print_lost(const replay_file *file)
{
    for (uint32_t i = 0; i < file->info->lost_count; i++) {
        bks_replay_lost lost;
        (void)bks_replay_lost_at(file->replay, i, &lost);
        printf("  lost        %" PRIu64 " byte%s at byte %" PRIu64, lost.bytes,
               TOOL_PLURAL(lost.bytes), lost.offset_bytes);
        if (lost.ticks > 0) {
            printf(", ticks %" PRId32 " to %" PRId32 "\n", lost.first, lost.first + lost.ticks - 1);
        } else {
            printf(", no ticks\n");
        }
    }
}

// Which ticks are there: damage leaves gaps.
static void json_present(json *j, const replay_file *file)
{
    json_array(j, "present");
    bks_replay_ticks ticks = {.end = file->info->first};
    while (replay_file_ticks(file, file->info->end, &ticks)) {
        json_row(j, NULL);
        json_int(j, NULL, ticks.first);
        json_int(j, NULL, ticks.end);
        json_close(j);
    }
    json_close(j);
}

static void print_present(const replay_file *file)
{
    const char *before = "  present     ";
    bks_replay_ticks ticks = {.end = file->info->first};
    while (file->info->end > file->info->ticks &&
           replay_file_ticks(file, file->info->end, &ticks)) {
        printf("%sticks %" PRId32 " to %" PRId32, before, ticks.first, ticks.end - 1);
        before = ", ";
    }
    if (before[0] == ',') {
        printf("\n");
    }
}

// What the recording itself says of why it was closed before the match's end.
static const char *why_closed(const replay_file *file, bks_replay_event *event)
{
    for (uint32_t i = file->info->event_count; i-- > 0;) {
        if (bks_replay_event_at(file->replay, i, event) == BKS_OK &&
            event->kind == BKS_REPLAY_CLOSED) {
            return event->text;
        }
    }
    return "";
}

static void print_ending(const replay_file *file)
{
    const bks_recording *info = file->info;
    bks_replay_event event;
    if (info->is_damaged) {
        printf("damaged at byte %" PRIu64 "\n", info->damage_offset_bytes);
    } else if (info->ending == BKS_REPLAY_LEFT_EARLY) {
        printf("closed before the match's end: %s\n", why_closed(file, &event));
    } else if (info->ending == BKS_REPLAY_COMPLETE) {
        printf("complete\n");
    } else {
        printf("cut off, %" PRId32 " of them confirmed\n", info->confirmed - info->first);
    }
}

static void json_info(json *j, const replay_file *file)
{
    const bks_recording *info = file->info;
    json_text(j, "file", file->path);
    json_text(j, "game", info->game);
    json_uint(j, "version", info->version);
    json_text(j, "build", info->build);
    json_int(j, "first", info->first);
    json_int(j, "ticks", info->ticks);
    json_int(j, "confirmed", info->confirmed);
    json_bool(j, "complete", info->is_complete);
    json_text(j, "end", replay_file_ending(info));
    json_uint(j, "players", info->players);
    json_uint(j, "tick_rate_hz", info->tick_rate_hz);
    json_uint(j, "seed", info->seed);
    json_uint(j, "format", info->format);
    json_uint(j, "keyframes", info->keyframes);
    json_uint(j, "keyframe_bytes", info->keyframe_bytes);
    replay_keys_json(j, file);
    json_uint(j, "events", info->event_count);
    json_uint(j, "bytes", info->bytes);
    json_uint(j, "input_bytes", info->input_bytes);
    json_uint(j, "hash_bytes", info->hash_bytes);
    json_uint(j, "state_bytes", info->state_bytes);
    json_bool(j, "pointers", info->has_pointers);
    uint64_t hash = 0;
    if (final_hash(file, &hash)) {
        json_hash(j, "final_hash", hash);
    } else {
        json_null(j, "final_hash");
    }
    if (info->is_damaged) {
        json_object(j, "damaged");
        json_uint(j, "offset", info->damage_offset_bytes);
        json_text(j, "why", file->why);
        json_close(j);
    } else {
        json_null(j, "damaged");
    }
    json_lost(j, file);
    json_present(j, file);
    replay_kinds_json(j, file);
    log_evidence_json(j, file);
    replay_print_json_fields(j, info);
    json_pairs(j, "options", info->options, info->option_count);
    json_pairs(j, "environment", info->environment, info->environment_count);
}

static void print_info(const replay_file *file)
{
    const bks_recording *info = file->info;
    const bks_tick ticks = info->ticks - info->first;
    const double seconds = (double)ticks / (double)info->tick_rate_hz;
    printf("%s\n", plain_name(file->path));
    printf("  game        %s, version %" PRIu32 "%s%s\n", info->game, info->version,
           info->build[0] != '\0' ? ", build " : "", info->build);
    printf("  players     %" PRIu32 "\n", info->players);
    printf("  ticks       %" PRId32, ticks);
    if (info->first > 0) {
        printf(", from %" PRId32 " to %" PRId32, info->first, info->ticks - 1);
    }
    printf(" (%.1f s at %" PRIu32 " a second), ", seconds, info->tick_rate_hz);
    print_ending(file);
    print_lost(file);
    print_present(file);
    uint64_t hash = 0;
    if (final_hash(file, &hash)) {
        printf("  final hash  %016" PRIx64 "\n", hash);
    }
    printf("  seed        %" PRIu64 "\n", info->seed);
    replay_kinds_print_bytes(file);
    replay_keys_print(file);
    replay_kinds_print(file);
    log_evidence_print(file);
    printf("  format      %" PRIu32 "\n", info->format);
    printf("  input      ");
    for (uint32_t i = 0; i < info->field_count; i++) {
        printf(" %s:%" PRIu32 "%s", info->fields[i].name, info->fields[i].bits,
               info->fields[i].is_signed ? "s" : "");
    }
    printf("\n");
    for (uint32_t i = 0; i < info->option_count; i++) {
        printf("  option      %s=%s\n", info->options[i].name, info->options[i].value);
    }
    printf("  recorded by");
    for (uint32_t i = 0; i < info->environment_count; i++) {
        printf("%s %s %s", i > 0 ? "," : "", info->environment[i].name, info->environment[i].value);
    }
    printf("\n");
}

int cmd_replay_info(int argc, char **argv)
{
    bool is_json = false;
    args_list files = {0};
    const args_option options[] = {
        ARGS_FLAG("--json", &is_json, "print one JSON object; of several files, an array in it"),
    };
    args_spec spec = {
        .command = "replay info",
        .about = "Print what is in a recording. Every byte of it is checked.",
        ARGS_OPTIONS(options),
    };
    int status = replay_file_parse(&spec, argc, argv, &files);
    if (status != ARGS_GO) {
        return status;
    }
    status = TOOL_OK;
    json out;
    if (is_json) {
        json_begin(&out, stdout);
    }
    if (is_json && files.count > 1) {
        json_array(&out, "files");
    }
    for (uint32_t i = 0; i < files.count; i++) {
        replay_file file;
        const bool is_open = replay_file_open(files.items[i], &file) == TOOL_OK;
        replay_file_check(&file);
        status = file.status > status ? file.status : status;
        if (is_json && files.count > 1) {
            json_object(&out, NULL);
        }
        if (is_open && is_json) {
            json_info(&out, &file);
        } else if (is_open) {
            print_info(&file);
        } else if (is_json) {
            json_text(&out, "file", files.items[i]);
            json_text(&out, "error", file.why);
        }
        if (is_json && files.count > 1) {
            json_close(&out);
        }
        replay_file_close(&file);
    }
    return !is_json || json_end(&out) ? status : TOOL_DAMAGED;
}
