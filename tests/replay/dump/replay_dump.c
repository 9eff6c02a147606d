// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L // open_memstream

// Prints all that the library makes of a recording, a line for each thing, as the reader in Python
// does (replay_dump.py): both must print the same.
//
//     replay_dump FILE    one file
//     replay_dump         those on stdin, each behind its length (4 bytes); so comes what they say

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../replay_verdict.h"
#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/state_map.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "replay/format/replay_commands.h"
#include "replay/format/replay_event.h"
#include "replay/read/reader.h"

#define FILE_BYTES_MAX  (1u << 24)
#define STATE_BYTES_MAX (1u << 24)

static void print_hex(FILE *out, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(out, "%02x", ((const uint8_t *)bytes)[i]);
    }
}

static void print_pairs(FILE *out, const char *what, const bks_replay_pair *pairs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        (void)fprintf(out, "%s %s=%s\n", what, pairs[i].name, pairs[i].value);
    }
}

static void print_head(FILE *out, const bks_replay *replay)
{
    const bks_recording *info = bks_replay_info(replay);
    (void)fprintf(out, "game %s %" PRIu32 " %s\n", info->game, info->version, info->build);
    (void)fprintf(out, "match %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu32 "\n",
                  info->players, info->tick_rate_hz, info->seed, info->hash_bits,
                  replay->head.full_hash_ticks);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const bks_field *field = &info->fields[i];
        (void)fprintf(out, "field %s %" PRIu32 " %d %" PRIu32 " %" PRId32 "\n", field->name,
                      field->bits, field->is_signed, field->group, field->neutral);
    }
    print_pairs(out, "option", info->options, info->option_count);
    print_pairs(out, "environment", info->environment, info->environment_count);
    for (uint32_t i = 0; i < info->range_count; i++) {
        const bks_state_range *range = &info->ranges[i];
        (void)fprintf(out, "range %s %" PRIu64 " %" PRIu32 " %d %d\n", range->name,
                      range->offset_bytes, range->count, (int)range->type, range->is_recorded);
    }
}

/// The state of a keyframe, or that at the first tick, when it can be had and is not too large.
static void print_state(FILE *out, const bks_replay *replay, uint32_t keyframe, uint64_t bytes)
{
    static uint8_t state[STATE_BYTES_MAX];
    const bks_status status =
        keyframe == UINT32_MAX
            ? bks_replay_state(replay, state, sizeof(state), NULL)
            : bks_replay_keyframe_state(replay, keyframe, state, sizeof(state), NULL);
    if (status != BKS_OK) {
        (void)fprintf(out, " none\n");
    } else {
        (void)fprintf(out, " %016" PRIx64 "\n", bksi_hash64(state, (size_t)bytes, 0));
    }
}

static void print_ticks(FILE *out, bks_replay *replay)
{
    const bks_recording *info = bks_replay_info(replay);
    const uint32_t values = info->players * info->field_count;
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    for (size_t i = 0; i < replay->parts.count; i++) {
        const bksi_replay_part *part = bksi_list_at(&replay->parts, i);
        for (bks_tick tick = part->begin; tick < part->end && !part->is_lost; tick++) {
            uint64_t hash = 0;
            uint32_t bits = 0;
            if (bks_replay_inputs(replay, tick, inputs) != BKS_OK ||
                bks_replay_hash(replay, tick, &hash, &bits) != BKS_OK) {
                (void)fprintf(out, "input %" PRId32 " lost\n", tick);
                continue;
            }
            (void)fprintf(out, "input %" PRId32 " %" PRIu32 " %" PRIx64, tick, bits, hash);
            for (uint32_t v = 0; v < values; v++) {
                (void)fprintf(out, " %" PRId32, inputs[v]);
            }
            (void)fprintf(out, "\n");
        }
    }
    uint64_t hash = 0;
    uint32_t bits = 0;
    if (bks_replay_hash(replay, info->end, &hash, &bits) == BKS_OK && bits == 64) {
        (void)fprintf(out, "final %016" PRIx64 "\n", hash);
    }
}

static void print_keyframes(FILE *out, const bks_replay *replay)
{
    const bks_recording *info = bks_replay_info(replay);
    for (uint32_t i = 0; i < info->keyframes; i++) {
        bks_replay_keyframe key;
        if (bks_replay_keyframe_at(replay, i, &key) != BKS_OK) {
            abort();
        }
        (void)fprintf(out, "keyframe %" PRId32 " %" PRIu64 " %" PRIu64 " %d", key.tick,
                      key.offset_bytes, key.state_bytes, key.is_whole);
        print_state(out, replay, i, key.state_bytes);
    }
}

static void print_samples(FILE *out, bks_replay *replay, bool is_values)
{
    const bksi_list *parts = is_values ? &replay->values.parts : &replay->pages.parts;
    const bks_recording *info = bks_replay_info(replay);
    for (size_t i = 0; i < parts->count; i++) {
        const bksi_sample_part part = *(bksi_sample_part *)bksi_list_at(parts, i);
        for (bks_tick tick = part.first; tick < part.end; tick++) {
            static uint8_t sample[BKS_VALUES_BYTES_MAX];
            static uint32_t pages[BKS_VALUES_BYTES_MAX / sizeof(uint32_t)];
            size_t count = 0;
            bks_status status = BKS_OK;
            for (uint32_t r = 0; is_values && status == BKS_OK && r < info->range_count; r++) {
                const bks_state_range *range = &info->ranges[r];
                if (range->is_recorded) {
                    status =
                        bks_replay_values(replay, tick, r, sample + count, sizeof(sample) - count);
                    count += (size_t)range->count * bks_state_type_bytes(range->type);
                }
            }
            if (!is_values) {
                status = bks_replay_page_hashes(replay, tick, pages, sizeof(pages) / 4, &count);
                for (size_t p = 0; p < count; p++) {
                    bksi_put_u32(sample + p * sizeof(uint32_t), pages[p]);
                }
                count *= sizeof(uint32_t);
            }
            (void)fprintf(out, "%s %" PRId32, is_values ? "values" : "pages", tick);
            if (status == BKS_OK) {
                (void)fprintf(out, " %016" PRIx64 "\n", bksi_hash64(sample, count, 0));
            } else {
                (void)fprintf(out, " wrong\n");
            }
        }
    }
}

/// Where a tick's states and notes are printed to.
typedef struct mark_page {
    FILE *out;
    bks_tick tick;
} mark_page;

static bool print_mark(void *context, const char *mark, const void *state, size_t count)
{
    const mark_page *page = context;
    (void)fprintf(page->out, "mark %" PRId32 " %s %016" PRIx64 "\n", page->tick, mark,
                  bksi_hash64(state, count, 0));
    return true;
}

static bool print_note(void *context, uint32_t states_before, const char *text)
{
    const mark_page *page = context;
    (void)fprintf(page->out, "note %" PRId32 " %" PRIu32 " %s\n", page->tick, states_before, text);
    return true;
}

static void print_marks(FILE *out, bks_replay *replay)
{
    for (size_t i = 0; i < replay->marks.parts.count; i++) {
        const bksi_sample_part part = *(bksi_sample_part *)bksi_list_at(&replay->marks.parts, i);
        for (bks_tick tick = part.first; tick < part.end; tick++) {
            mark_page page = {.out = out, .tick = tick};
            if (bks_replay_marks(replay, tick, print_mark, &page) != BKS_OK) {
                (void)fprintf(out, "marks %" PRId32 " wrong\n", tick);
            }
            if (bks_replay_notes(replay, tick, print_note, &page) != BKS_OK) {
                (void)fprintf(out, "notes %" PRId32 " wrong\n", tick);
            }
        }
    }
}

static bool print_part(void *context, const bks_evidence_part *part)
{
    FILE *out = context;
    (void)fprintf(out, "part %d", (int)part->kind);
    switch (part->kind) {
    case BKS_EVIDENCE_TEXT:
        (void)fprintf(out, " %s\n", part->text);
        break;
    case BKS_EVIDENCE_ENVIRONMENT:
        (void)fprintf(out, " %s=%s\n", part->name, part->text);
        break;
    case BKS_EVIDENCE_BLOCK:
        (void)fprintf(out, " %" PRIu64 " %016" PRIx64 " %016" PRIx64 "\n", part->offset_bytes,
                      bksi_hash64(part->own, part->count, 0),
                      bksi_hash64(part->peer, part->count, 0));
        break;
    case BKS_EVIDENCE_STATE:
        (void)fprintf(out, " %" PRIu64 " %zu %016" PRIx64 "\n", part->offset_bytes, part->count,
                      bksi_hash64(part->own, part->count, 0));
        break;
    case BKS_EVIDENCE_PAGES:
        (void)fprintf(out, " %" PRId32 " %zu %016" PRIx64 "\n", part->tick, part->count,
                      bksi_hash64(part->hashes, 4 * part->count, 0));
        break;
    }
    return true;
}

static bool print_entry(void *context, const bks_log_entry *entry)
{
    (void)fprintf(context, "entry %" PRIu64 " %d %" PRIu32 " %" PRIu32 " %" PRId32 " %" PRIu32 "\n",
                  entry->time_us, (int)entry->kind, entry->number, entry->reason, entry->tick,
                  entry->value);
    return true;
}

/// What it holds of a desync.
static void print_evidence(FILE *out, const bks_replay *replay)
{
    for (uint32_t i = 0; i < bks_replay_info(replay)->evidence_count; i++) {
        bks_replay_evidence evidence = {0};
        (void)!bks_replay_evidence_at(replay, i, &evidence);
        (void)fprintf(out, "evidence %" PRId32 " %" PRIu32 " %" PRIu64 " %" PRIu64 "\n",
                      evidence.tick, evidence.peer, evidence.own_bytes, evidence.peer_bytes);
        if (bks_replay_evidence_parts(replay, i, print_part, out) != BKS_OK) {
            (void)fprintf(out, "part wrong\n");
        }
    }
    if (bks_replay_log(replay, print_entry, out) != BKS_OK) {
        (void)fprintf(out, "entry wrong\n");
    }
}

static int by_tick(const void *a, const void *b)
{
    const bks_replay_agreed *one = a;
    const bks_replay_agreed *other = b;
    return (one->tick > other->tick) - (one->tick < other->tick);
}

static void print_repairs(FILE *out, const bks_replay *replay)
{
    for (uint32_t i = 0; i < bks_replay_info(replay)->repair_count; i++) {
        bks_replay_repair repair = {0};
        (void)!bks_replay_repair_at(replay, i, &repair);
        (void)fprintf(out,
                      "repair %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRId32 " %" PRId32 " %" PRId32
                      " %" PRIu32 "\n",
                      repair.peer, repair.from, repair.bytes, repair.since, repair.tick,
                      repair.until, repair.agreed_count);
    }
    const size_t count = replay->agreed.count;
    bks_replay_agreed *all = malloc((count + 1) * sizeof(*all));
    if (all == NULL) {
        abort();
    }
    for (size_t i = 0; i < count; i++) {
        all[i] = *(const bks_replay_agreed *)bksi_list_at(&replay->agreed, i);
    }
    qsort(all, count, sizeof(*all), by_tick);
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = 0;
        if ((i == 0 || all[i].tick != all[i - 1].tick) &&
            bks_replay_agreed_hash(replay, all[i].tick, &hash) == BKS_OK) {
            (void)fprintf(out, "agreed %" PRId32 " %016" PRIx64 "\n", all[i].tick, hash);
        }
    }
    free(all);
}

static void print_commands(FILE *out, bks_replay *replay)
{
    for (size_t i = 0; i < replay->commands.count; i++) {
        const bksi_commands_place *place = bksi_list_at(&replay->commands, i);
        bks_commands commands[BKS_PLAYERS_MAX];
        bool has_any = false;
        const bool is_right =
            bks_replay_commands(replay, place->tick, commands, &has_any) == BKS_OK;
        (void)fprintf(out, "commands %" PRId32 "%s", place->tick, is_right ? "" : " wrong");
        const bks_step step = {.players = replay->info.players,
                               .commands = is_right ? commands : NULL};
        bks_command command = {0};
        while (bks_step_command(&step, &command)) {
            if (command.index == 0) {
                (void)fprintf(out, " %" PRIu32 ":", command.player);
            } else {
                (void)fputc(',', out);
            }
            print_hex(out, command.bytes, command.count);
        }
        (void)fputc('\n', out);
    }
}

static void print_happened(FILE *out, bks_replay *replay)
{
    const bks_recording *info = bks_replay_info(replay);
    for (uint32_t i = 0; i < info->event_count; i++) {
        bks_replay_event event = {0};
        (void)!bks_replay_event_at(replay, i, &event);
        (void)fprintf(out, "event %" PRId32 " %d %" PRIu32 " %" PRIu64 " %" PRIu64 " %s\n",
                      event.tick, (int)event.kind, event.peer, event.a, event.b, event.text);
    }
    for (size_t i = 0; i < replay->facts.count; i++) {
        const bksi_fact_place *fact = bksi_list_at(&replay->facts, i);
        const void *answer = NULL;
        size_t count = 0;
        (void)!bks_replay_fact(replay, fact->tick, fact->question, &answer, &count);
        (void)fprintf(out, "fact %" PRId32 " %" PRIu32 " ", fact->tick, fact->question);
        print_hex(out, answer, count);
        (void)fprintf(out, "\n");
    }
    print_commands(out, replay);
    for (uint32_t i = 0; i < info->rollback_count; i++) {
        bks_replay_rollback rollback;
        int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
        if (bks_replay_rollback_at(replay, i, &rollback) != BKS_OK) {
            abort();
        }
        (void)fprintf(out, "rollback %" PRId32 " %" PRId32, rollback.present, rollback.from);
        for (bks_tick tick = rollback.from; tick < rollback.present; tick++) {
            (void)!bks_replay_rollback_inputs(replay, i, tick, inputs);
            for (uint32_t v = 0; v < info->players * info->field_count; v++) {
                (void)fprintf(out, " %" PRId32, inputs[v]);
            }
        }
        (void)fprintf(out, "\n");
    }
    print_evidence(out, replay);
    print_repairs(out, replay);
    for (uint32_t i = 0; i < info->lost_count; i++) {
        bks_replay_lost lost = {0};
        (void)!bks_replay_lost_at(replay, i, &lost);
        (void)fprintf(out, "lost %" PRIu64 " %" PRIu64 "\n", lost.offset_bytes, lost.bytes);
    }
}

static void print_replay(FILE *out, const uint8_t *bytes, size_t count)
{
    bks_replay *replay = NULL;
    bks_error error = {0};
    bks_status status = bks_replay_open(bytes, count, NULL, &replay, &error);
    if (replay != NULL) {
        status = bks_replay_check(replay, &error); // may find damage before the one known
    }
    const bks_recording none = {0};
    const bks_recording *info = replay != NULL ? bks_replay_info(replay) : &none;
    (void)fprintf(out,
                  "%s %" PRIu64 " %" PRId32 " %" PRId32 " %" PRId32 " %" PRId32 " %" PRIu32
                  " %" PRIu32 " %s\n",
                  verdict_of(status, replay), status == BKS_OK ? 0 : error.offset_bytes,
                  info->first, info->ticks, info->confirmed, info->end, info->keyframes,
                  info->lost_count, status == BKS_OK ? "-" : error.text);
    if (replay != NULL) {
        print_head(out, replay);
        if (replay->has_state) {
            (void)fprintf(out, "state %" PRIu64, info->state_bytes);
            print_state(out, replay, UINT32_MAX, info->state_bytes);
        }
        print_ticks(out, replay);
        print_keyframes(out, replay);
        print_samples(out, replay, true);
        print_samples(out, replay, false);
        print_marks(out, replay);
        print_happened(out, replay);
    }
    bks_replay_close(replay);
}

/// Read one more file from stdin.
/// @return false when there is none
static bool read_next(uint8_t **out, size_t *count)
{
    uint8_t length[4];
    if (fread(length, 1, sizeof(length), stdin) != sizeof(length)) {
        return false;
    }
    *count = bksi_get_u32(length);
    *out = malloc(*count + (*count == 0)); // of just its size, so that a read behind it is seen
    if (*out == NULL || fread(*out, 1, *count, stdin) != *count) {
        abort();
    }
    return true;
}

static void answer(const uint8_t *bytes, size_t count)
{
    char *text = NULL;
    size_t text_bytes = 0;
    FILE *out = open_memstream(&text, &text_bytes);
    if (out == NULL) {
        abort();
    }
    print_replay(out, bytes, count);
    (void)fclose(out);
    uint8_t length[4];
    bksi_put_u32(length, (uint32_t)text_bytes);
    (void)fwrite(length, 1, sizeof(length), stdout);
    (void)fwrite(text, 1, text_bytes, stdout);
    free(text);
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        static uint8_t bytes[FILE_BYTES_MAX];
        FILE *file = fopen(argv[1], "rb");
        if (file == NULL) {
            return 1;
        }
        print_replay(stdout, bytes, fread(bytes, 1, sizeof(bytes), file));
        return fclose(file);
    }
    uint8_t *bytes = NULL;
    size_t count = 0;
    while (read_next(&bytes, &count)) {
        answer(bytes, count);
        free(bytes);
    }
    return 0;
}
