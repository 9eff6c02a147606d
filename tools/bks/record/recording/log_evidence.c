// SPDX-License-Identifier: MIT

#include "record/recording/log_evidence.h"
#include "base/tool.h"

#include <inttypes.h>
#include <stdio.h>

enum { HEX_BYTES = 64 };

// What parts come to.
typedef struct sums {
    char text[128];
    uint32_t blocks;
    uint64_t state_bytes;
    uint32_t hashed_ticks;
    bks_tick first_hashed; ///< when there are any
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

// The times between which a log lies.
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
    (void)!bks_replay_log(file->replay, measure, &span); // what is wrong of it was said
    return span;
}

void log_evidence_print(const replay_file *file)
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
    (void)!bks_replay_evidence_parts(file->replay, index, json_block, j);
    json_close(j);
    json_object(j, "environment");
    (void)!bks_replay_evidence_parts(file->replay, index, json_environment, j);
    json_close(j);
    json_close(j);
}

void log_evidence_json(json *j, const replay_file *file)
{
    json_array(j, "evidence");
    for (uint32_t i = 0; i < file->info->evidence_count; i++) {
        json_one(j, file, i);
    }
    json_close(j);
    json_uint(j, "log_entries", file->info->log_count);
}
