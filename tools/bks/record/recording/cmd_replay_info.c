// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>

#include "backstitch/toolkit/recording.h"
#include "base/args.h"
#include "base/command.h"
#include "base/json.h"
#include "base/text.h"
#include "base/tool.h"
#include "record/recording/replay_file.h"
#include "record/recording/replay_print.h"

/// Spacing of the usable keyframes, with the state at the first tick as the first of them.
typedef struct spacing {
    uint32_t whole;
    bks_tick least; ///< fewest ticks from a keyframe to the next; 0: there is no keyframe
    bks_tick most;
    bks_tick seek_max; ///< most ticks that a seek in the recording has to step
} spacing;

static spacing spacing_of(const replay_file *file)
{
    const bks_recording *info = file->info;
    spacing s = {0};
    bks_tick last = info->first;
    for (uint32_t i = 0; i < info->keyframes; i++) {
        bks_replay_keyframe key;
        if (bks_replay_keyframe_at(file->replay, i, &key) != BKS_OK || !key.is_usable ||
            key.is_wrong) {
            continue;
        }
        const bks_tick ticks = key.tick - last;
        s.whole += key.is_whole;
        s.least = s.least == 0 || ticks < s.least ? ticks : s.least;
        s.most = ticks > s.most ? ticks : s.most;
        last = key.tick;
    }
    // A seek steps at most from one keyframe to the tick before the next one, or from the last
    // keyframe to the end.
    const bks_tick rest = info->end - last;
    s.seek_max = s.most - 1 > rest ? s.most - 1 : rest;
    return s;
}

/// Print the spacing as a line of `bks replay info`.
static void replay_keys_print(const replay_file *file)
{
    const bks_recording *info = file->info;
    const spacing s = spacing_of(file);
    printf("  keyframes   %" PRIu32, info->keyframes);
    if (s.most > 0) {
        printf(", %" PRIu32 " of them whole, every ", s.whole);
        if (s.least < s.most) {
            printf("%" PRId32 " to ", s.least);
        }
        const double minutes = (double)(info->end - info->first) / (60.0 * info->tick_rate_hz);
        printf("%" PRId32 " tick%s, %.0f bytes a minute", s.most, TOOL_PLURAL(s.most),
               (double)info->keyframe_bytes / minutes);
    }
    printf("; a seek steps at most %" PRId32 " tick%s\n", s.seek_max, TOOL_PLURAL(s.seek_max));
}

/// Write the spacing into the open JSON object.
static void replay_keys_json(json *j, const replay_file *file)
{
    const spacing s = spacing_of(file);
    json_uint(j, "keyframes_whole", s.whole);
    json_int(j, "keyframe_ticks_least", s.least);
    json_int(j, "keyframe_ticks_most", s.most);
    json_int(j, "seek_ticks_max", s.seek_max);
}

enum { HEX_BYTES = 64 };

// Sums over all parts of an evidence record.
typedef struct sums {
    char text[128];
    uint32_t blocks;
    uint64_t state_bytes;
    uint32_t hashed_ticks;
    bks_tick first_hashed; ///< first tick with page hashes, if there are any
    bks_tick last_hashed;
} sums;

static void json_bytes(json *j, const char *key, const uint8_t *bytes, size_t count)
{
    char hex[2 * HEX_BYTES + 1] = "";
    for (size_t i = 0; i < count && i < HEX_BYTES; i++) {
        (void)snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    }
    json_text(j, key, hex);
}

static bool sum_up(void *context, const bks_evidence_part *part)
{
    sums *s = context;
    switch (part->kind) {
    case BKS_EVIDENCE_TEXT:
        (void)snprintf(s->text, sizeof(s->text), "%s", part->text);
        break;
    case BKS_EVIDENCE_BLOCK:
        s->blocks++;
        break;
    case BKS_EVIDENCE_STATE:
        s->state_bytes += part->count;
        break;
    case BKS_EVIDENCE_PAGES:
        s->first_hashed = s->hashed_ticks == 0 ? part->tick : s->first_hashed;
        s->last_hashed = part->tick;
        s->hashed_ticks++;
        break;
    case BKS_EVIDENCE_ENVIRONMENT:
        break;
    }
    return true;
}

static bool print_environment(void *context, const bks_evidence_part *part)
{
    bool *has_begun = context;
    if (part->kind == BKS_EVIDENCE_ENVIRONMENT) {
        printf("%s%s %s\n", *has_begun ? "              " : "  made on     ", part->name,
               part->text);
        *has_begun = true;
    }
    return true;
}

static void print_one(const replay_file *file, uint32_t index)
{
    bks_replay_evidence evidence;
    sums s = {0};
    bks_status status = bks_replay_evidence_at(file->replay, index, &evidence);
    status = status == BKS_OK ? bks_replay_evidence_parts(file->replay, index, sum_up, &s) : status;
    printf("  evidence    peer %" PRIu32 " differs at tick %" PRId32 ": %s\n", evidence.peer,
           evidence.tick, status == BKS_OK ? s.text : "it cannot be read");
    printf("              %" PRIu32 " block%s of 64 bytes differ%s, %" PRIu64 " of %" PRIu64
           " bytes of the state",
           s.blocks, TOOL_PLURAL(s.blocks), s.blocks == 1 ? "s" : "", s.state_bytes,
           evidence.own_bytes);
    if (s.hashed_ticks > 0) {
        printf(", page hashes of %" PRIu32 " tick%s from %" PRId32 " to %" PRId32, s.hashed_ticks,
               TOOL_PLURAL(s.hashed_ticks), s.first_hashed, s.last_hashed);
    }
    printf("\n");
}

// Times of the first and the last entry of a match log.
typedef struct log_span {
    bool has_begun;
    uint64_t first_us;
    uint64_t last_us;
} log_span;

static bool measure(void *context, const bks_log_entry *entry)
{
    log_span *span = context;
    span->first_us = span->has_begun ? span->first_us : entry->time_us;
    span->last_us = entry->time_us;
    span->has_begun = true;
    return true;
}

static log_span measure_log(const replay_file *file)
{
    log_span span = {0};
    (void)!bks_replay_log(file->replay, measure, &span); // errors are reported already
    return span;
}

/// Print the evidence and the match log in a few lines.
static void log_evidence_print(const replay_file *file)
{
    for (uint32_t i = 0; i < file->info->evidence_count; i++) {
        print_one(file, i);
    }
    if (file->info->evidence_count > 0) {
        bool has_begun = false;
        (void)!bks_replay_evidence_parts(file->replay, 0, print_environment, &has_begun);
    }
    if (file->info->log_count > 0) {
        const log_span span = measure_log(file);
        printf("  log         %" PRIu32 " entries, from %.3f s to %.3f s: bks replay log\n",
               file->info->log_count, (double)span.first_us / 1e6, (double)span.last_us / 1e6);
    }
}

static bool json_block(void *context, const bks_evidence_part *part)
{
    json *j = context;
    if (part->kind == BKS_EVIDENCE_BLOCK) {
        json_object(j, NULL);
        json_uint(j, "offset", part->offset_bytes);
        json_bytes(j, "own", part->own, part->count);
        json_bytes(j, "peer", part->peer, part->count);
        json_close(j);
    }
    return true;
}

static bool json_environment(void *context, const bks_evidence_part *part)
{
    if (part->kind == BKS_EVIDENCE_ENVIRONMENT) {
        json_text(context, part->name, part->text);
    }
    return true;
}

static void json_one(json *j, const replay_file *file, uint32_t index)
{
    bks_replay_evidence evidence;
    sums s = {0};
    if (bks_replay_evidence_at(file->replay, index, &evidence) != BKS_OK) {
        return;
    }
    const bool is_read = bks_replay_evidence_parts(file->replay, index, sum_up, &s) == BKS_OK;
    json_object(j, NULL);
    json_int(j, "tick", evidence.tick);
    json_uint(j, "peer", evidence.peer);
    json_text(j, "text", is_read ? s.text : NULL);
    json_uint(j, "own_bytes", evidence.own_bytes);
    json_uint(j, "peer_bytes", evidence.peer_bytes);
    json_uint(j, "state_bytes", s.state_bytes);
    json_uint(j, "page_ticks", s.hashed_ticks);
    json_uint(j, "bytes", evidence.bytes);
    json_array(j, "blocks");
    if (is_read) {
        (void)!bks_replay_evidence_parts(file->replay, index, json_block, j);
    }
    json_close(j);
    json_object(j, "environment");
    if (is_read) {
        (void)!bks_replay_evidence_parts(file->replay, index, json_environment, j);
    }
    json_close(j);
    json_close(j);
}

/// Write "evidence" and "log_entries" into the open JSON object.
static void log_evidence_json(json *j, const replay_file *file)
{
    json_array(j, "evidence");
    for (uint32_t i = 0; i < file->info->evidence_count; i++) {
        json_one(j, file, i);
    }
    json_close(j);
    json_uint(j, "log_entries", file->info->log_count);
}

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

// Write the ranges of ticks that the file holds, because damage leaves gaps.
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

// Return the recorded reason why the recording was closed before the match's end.
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
