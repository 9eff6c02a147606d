// SPDX-License-Identifier: MIT

// Changes some bytes of a recording, and opens, reads and plays it as far as possible. Then opens
// it again as a recording that grows.
//
// All checks in the file are one constant here, for writer and reader (CMakeLists.txt wraps them);
// otherwise no change would get past them. An input that begins like a recording is used as one,
// with its checks replaced by the constant, so the golden files can be a corpus. In any other input
// the first byte chooses a recording: 1: of version 1; 2: begins at a later tick; else: made by
// this program. All but that of version 1 have everything that a file can hold. A list of changes
// follows: place (2 bytes) and kind (1 byte). Kind 0 cuts the file at the place, 1 appends a copy
// of the bytes from the place on, and any other is followed by a new value for the byte there (1
// byte).

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "base/bytes.h"
#include "replay/format/replay_evidence.h"
#include "replay/format/replay_format.h"
#include "replay/write/packed_writer.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
uint32_t __wrap_bksi_check32(const void *bytes, size_t count, uint32_t seed);
uint64_t __wrap_bksi_hash64(const void *bytes, size_t count, uint64_t seed);

#define FILE_BYTES_MAX  (256 * 1024)
#define STATE_BYTES_MAX (64 * 1024)
#define TICKS           200

typedef struct recording {
    uint8_t bytes[FILE_BYTES_MAX];
    size_t count;
} recording;

static recording whole; ///< recording from tick 0 on
static recording later; ///< recording from a later tick on
static recording old;   ///< a recording of version 1

static void tag_init(void *state, const bks_start *start);
static void tag_step(void *state, const bks_step *step);

static const bks_field fields[] = {{.name = "move", .bits = 7, .is_signed = true},
                                   {.name = "jump", .bits = 1}};
static const bks_field walk_fields[] = {{.name = "x", .bits = 3, .is_signed = true, .group = 1},
                                        {.name = "y", .bits = 3, .is_signed = true, .group = 1},
                                        {.name = "aim", .bits = 9, .neutral = 90},
                                        {.name = "fire", .bits = 1}};
/// Game that accepts the golden recordings, but does not have the rules of their game.
static const bks_game walk = {.name = "walk",
                              .version = 3,
                              .tick_rate_hz = 20,
                              .players_max = 2,
                              .fields = walk_fields,
                              .field_count = 4,
                              .command_bytes_max = 300,
                              .state_bytes = 9040,
                              .init = tag_init,
                              .step = tag_step};
static const bks_state_range ranges[] = {
    {.name = "first", .count = 2, .type = BKS_STATE_I32, .is_recorded = true},
    {.name = "rest", .offset_bytes = 8, .count = 248},
    {.name = "end", .offset_bytes = 252, .count = 1, .type = BKS_STATE_F64, .is_recorded = true}};
static const bks_game tag = {.name = "tag",
                             .ranges = ranges,
                             .range_count = 3,
                             .version = 1,
                             .tick_rate_hz = 60,
                             .players_max = 2,
                             .fields = fields,
                             .field_count = 2,
                             .command_bytes_max = 300,
                             .state_bytes = 256,
                             .init = tag_init,
                             .step = tag_step};

uint32_t __wrap_bksi_check32(const void *bytes, size_t count, uint32_t seed)
{
    (void)bytes;
    (void)count;
    (void)seed;
    return 0x5EA15EA1u;
}

uint64_t __wrap_bksi_hash64(const void *bytes, size_t count, uint64_t seed)
{
    return __wrap_bksi_check32(bytes, count, (uint32_t)seed);
}

static void tag_init(void *state, const bks_start *start)
{
    memset(state, (int)start->players, 100);
}

static void tag_step(void *state, const bks_step *step)
{
    uint8_t answer[BKS_ANSWER_BYTES_MAX];
    const size_t count = step->tick % 3 == 0 ? bks_ask(step, 1, answer, sizeof(answer)) : 0;
    *(uint32_t *)state += (uint32_t)step->inputs[0] + (count > 0 ? answer[count - 1] : 0u);
    bks_command command = {0};
    while (bks_step_command(step, &command)) {
        *(uint32_t *)state += command.bytes[command.count - 1];
    }
}

static bks_status keep(void *context, uint64_t offset_bytes, const void *bytes, size_t count)
{
    recording *file = context;
    if (offset_bytes + count > sizeof(file->bytes)) {
        return BKS_ERR_IO;
    }
    memcpy(file->bytes + offset_bytes, bytes, count);
    if (offset_bytes + count > file->count) {
        file->count = (size_t)offset_bytes + count;
    }
    return BKS_OK;
}

static void must(bks_status status)
{
    if (status != BKS_OK) {
        abort();
    }
}

/// Write the data of a tick beside its inputs and hash.
static void say(bks_replay_writer *writer, bks_tick tick, bks_tick first, const uint8_t *state)
{
    uint8_t values[16] = {0};
    const uint64_t page = (uint64_t)tick * 0x9E3779B97F4A7C15u;
    memcpy(values, state, 8);
    must(bks_replay_writer_values(writer, tick, values));
    must(bks_replay_writer_pages(writer, tick, &page, 1));
    const int32_t guesses[] = {1, 0, 2, 0, 1, 1, 2, 1, 3, 1, 3, 1};
    if (tick % 7 == 0 && tick - 3 >= first) {
        must(bks_replay_writer_rollback(writer, tick, tick - 3, guesses));
    }
    const bks_replay_event event = {.kind = BKS_REPLAY_NOTE, .tick = tick, .text = "note"};
    if (tick % 50 == 0) {
        must(bks_replay_writer_event(writer, &event));
    }
    if (tick % 3 == 0) {
        must(bks_replay_writer_fact(writer, tick, 1, values, 1 + (size_t)tick % 16));
    }
}

/// Write the commands of a tick: some in records of plain bytes, one of 200 bytes, which is packed.
static void say_commands(bks_replay_writer *writer, bks_tick tick)
{
    static uint8_t bytes[2][2 + 200];
    bks_commands commands[BKS_PLAYERS_MAX] = {{0}};
    for (uint32_t p = 0; p < 2; p++) {
        const uint32_t count = tick == 100 ? 200 : 1 + (uint32_t)tick % 5;
        bksi_put_u16(bytes[p], (uint16_t)count);
        memset(bytes[p] + 2, tick, count);
        commands[p] = (bks_commands){bytes[p], (tick + (bks_tick)p) % 2 == 0 ? 2 + count : 0};
    }
    must(bks_replay_writer_commands(writer, tick, commands));
}

/// Write evidence of a desync, plain so that single bytes of it can be changed, and a log.
static void say_evidence(bks_replay_writer *writer, const uint8_t *state)
{
    static const bks_replay_pair pair = {"locale", "C"};
    static uint8_t room[4096];
    uint8_t content[1024];
    bksi_byte_writer parts = bksi_byte_writer_over(content, sizeof(content));
    bksi_evidence_write_text(&parts, "ships[0].x");
    bksi_evidence_write_environment(&parts, &pair);
    bksi_evidence_write_block(&parts, 1, state + 64, state);
    memcpy(bksi_evidence_begin_state(&parts, 0, 256), state, 256);
    memset(bksi_evidence_begin_pages(&parts, 90, 1), 7, 4);
    const bksi_evidence_head head = {.tick = 90, .peer = 1, .own_bytes = 256, .peer_bytes = 256};
    bksi_byte_writer record = bksi_byte_writer_over(room + BKSI_RECORD_HEAD_BYTES, 2048);
    bksi_evidence_write_head(&record, &head);
    bksi_write_varint(&record, parts.at);
    bksi_write_u8(&record, 0);
    bksi_write_bytes(&record, content, parts.at);
    must(bksi_writer_append_evidence(writer, room, record.at));
    bksi_log_cursor cursor = {.time_us = 1000};
    parts = bksi_byte_writer_over(content, sizeof(content));
    for (uint32_t i = 0; i < 30; i++) {
        const bks_log_entry entry = {.kind = (bks_entry_kind)(i % (BKS_ENTRY_EVENT + 2)),
                                     .time_us = 1000 + i * 300,
                                     .tick = (bks_tick)(i % 9) - 1,
                                     .number = i % 2,
                                     .value = i * i * i};
        bksi_log_write(&parts, &cursor, &entry);
    }
    record = bksi_byte_writer_over(room + BKSI_RECORD_HEAD_BYTES, 2048);
    bksi_log_write_head(&record, 1000, 30);
    bksi_write_varint(&record, parts.at);
    bksi_write_u8(&record, 0);
    bksi_write_bytes(&record, content, parts.at);
    must(bksi_writer_append_log(writer, room, record.at));
}

/// Make a recording with everything that a file can hold. It is not finished, so that its tail of
/// appended records is read, too.
static void record(recording *file, bks_tick first)
{
    uint8_t state[256] = {1};
    const uint64_t page = 1;
    bks_replay_config config = {.game = &tag,
                                .players = 2,
                                .tick_rate_hz = 60,
                                .first_tick = first,
                                .unconfirmed_ticks_max = 8,
                                .state = state,
                                .state_bytes = sizeof(state),
                                .page_hashes = &page,
                                .page_count = 1,
                                .detail = {.chunk_ticks = 24,
                                           .keyframe_ticks = 8,
                                           .keyframe_bytes = UINT64_C(1) << 30,
                                           .page_hashes = true,
                                           .rollbacks = true,
                                           .values = true},
                                .sink = {.write = keep, .context = file}};
    must(bks_option_values_default(&tag, &config.options));
    bks_replay_writer *writer = NULL;
    must(bks_replay_writer_create(&config, &writer, NULL));
    for (bks_tick tick = first; tick < TICKS; tick++) {
        const int32_t inputs[] = {tick / 7 % 60, tick & 1, -(tick / 5 % 60), tick / 9 & 1};
        uint64_t hash = (uint64_t)tick * 0x9E3779B97F4A7C15u;
        must(bks_replay_writer_use(writer, tick, 1, inputs));
        say(writer, tick, first, state);
        // The recording from tick 0 on has none: with commands no player's perspective is played.
        if (first > 0 && tick % 10 == 0) {
            say_commands(writer, tick);
        }
        must(bks_replay_writer_confirm(writer, tick, inputs, &hash));
        state[tick % 256]++;
        if (tick == 100) {
            say_evidence(writer, state);
        }
        if (bks_replay_writer_keyframe_due(writer) != BKS_TICK_NONE) {
            must(bks_replay_writer_keyframe(writer, tick + 1, state, sizeof(state)));
        }
    }
    must(bks_replay_writer_flush(writer));
    bks_replay_writer_destroy(writer);
}

/// Return the size of each slot, which HEAD gives.
static size_t slot_blocks(const uint8_t *file, size_t count)
{
    const size_t build = 28 + 1 + (size_t)file[28] + 4;
    const size_t at = build < count ? build + 1 + file[build] + 4 + 4 + 8 : count;
    return at + 4 <= count ? bksi_get_u32(file + at) : 0;
}

/// Replace every check by the constant, as far as records can be walked over. The file has 16 bytes
/// of preamble, HEAD, STAT, the slots and records.
static void wrap_checks(uint8_t *file, size_t count)
{
    if (count < 40) {
        return;
    }
    bksi_put_u32(file + 12, __wrap_bksi_check32(NULL, 0, 0));
    size_t at = 16;
    for (uint32_t n = 0; count - at >= 20; n++) {
        const uint64_t end = at + 20 + (uint64_t)bksi_get_u32(file + at + 4);
        if (end > count) {
            return;
        }
        if (memcmp(file + at, "keyf", 4) == 0 && end - at >= 20 + 36) { // a keyframe has a hash
            bksi_put_u64(file + at + 12 + 28, __wrap_bksi_hash64(NULL, 0, 0));
        }
        bksi_put_u32(file + at + 8, __wrap_bksi_check32(NULL, 0, 0));
        bksi_put_u64(file + end - 8, __wrap_bksi_hash64(NULL, 0, 0));
        at = (size_t)end;
        if (n != 1) {
            continue;
        }
        at = (at + 511) / 512 * 512;
        const size_t slots_end = at + 2 * 512 * slot_blocks(file, count);
        for (; at < slots_end && count >= at && count - at >= 512; at += 512) {
            if (bksi_get_u32(file + at + 4) != 0) {
                bksi_put_u32(file + at, __wrap_bksi_check32(NULL, 0, 0));
            }
        }
        if (at < slots_end || at > count) {
            return;
        }
    }
}

static void load_old(void)
{
    FILE *file = fopen(BKS_OLD_RECORDING, "rb");
    if (file == NULL) {
        abort();
    }
    old.count = fread(old.bytes, 1, sizeof(old.bytes), file);
    (void)fclose(file);
    wrap_checks(old.bytes, old.count);
}

/// Check that everything in a recording can be read.
static void must_be_right(const recording *file)
{
    bks_replay *replay = NULL;
    must(bks_replay_open(file->bytes, file->count, NULL, &replay, NULL));
    must(bks_replay_check(replay, NULL));
    const bks_recording *info = bks_replay_info(replay);
    if (info->end < TICKS && info->format > 1) {
        abort();
    }
    bks_replay_close(replay);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    record(&whole, 0);
    record(&later, 77);
    load_old();
    must_be_right(&whole);
    must_be_right(&later);
    must_be_right(&old);
    return 0;
}

/// Apply one change.
/// @return number of bytes of `changes` used; 0: no whole change is left
static size_t change(const uint8_t *changes, size_t count, uint8_t *file, size_t *file_bytes)
{
    if (count < 3) {
        return 0;
    }
    size_t at = (size_t)changes[0] | (size_t)changes[1] << 8;
    at = *file_bytes > 0 ? at % *file_bytes : 0;
    switch (changes[2]) {
    case 0:
        *file_bytes = at;
        return 3;
    case 1:
        if (*file_bytes + (*file_bytes - at) <= FILE_BYTES_MAX) {
            memmove(file + *file_bytes, file + at, *file_bytes - at);
            *file_bytes += *file_bytes - at;
        }
        return 3;
    default:
        if (count < 4) {
            return 0;
        }
        file[at] = changes[3];
        return 4;
    }
}

static void read_ticks(bks_replay *replay)
{
    const bks_recording *info = bks_replay_info(replay);
    int32_t *values = malloc((size_t)info->players * info->field_count * sizeof(int32_t) + 1);
    if (values == NULL) {
        abort();
    }
    for (bks_tick tick = info->first; tick <= info->end && tick < 4 * TICKS; tick++) {
        uint64_t hash = 0;
        uint32_t bits = 0;
        if (tick < info->end && bks_replay_inputs(replay, tick, values) != BKS_OK &&
            !info->is_damaged) {
            abort();
        }
        if (tick <= info->end) {
            must(bks_replay_hash(replay, tick, &hash, &bits));
        }
    }
    free(values);
}

static void read_states(bks_replay *replay)
{
    const bks_recording *info = bks_replay_info(replay);
    uint8_t *state = malloc(STATE_BYTES_MAX);
    if (state == NULL) {
        abort();
    }
    (void)!bks_replay_state(replay, state, STATE_BYTES_MAX, NULL);
    for (uint32_t i = 0; i < info->keyframes && i < 100; i++) {
        (void)!bks_replay_keyframe_state(replay, i, state, STATE_BYTES_MAX, NULL);
    }
    free(state);
    bks_replay_event event;
    bks_replay_lost lost;
    for (uint32_t i = 0; i < info->event_count; i++) {
        must(bks_replay_event_at(replay, i, &event));
    }
    for (uint32_t i = 0; i < info->lost_count; i++) {
        must(bks_replay_lost_at(replay, i, &lost));
    }
}

/// Read all bytes of a state at a mark, so that sanitizers see them.
static bool read_state(void *context, const char *mark, const void *state, size_t count)
{
    *(size_t *)context += strlen(mark) + (size_t)bks_hash64(state, count, 0) % 2;
    return true;
}

static bool read_note(void *context, uint32_t states_before, const char *text)
{
    if (states_before == 0) {
        abort();
    }
    *(size_t *)context += strlen(text);
    return true;
}

/// Read all bytes of the commands of a tick.
static void read_commands(bks_replay *replay, bks_tick tick)
{
    bks_commands commands[BKS_PLAYERS_MAX];
    bool has_any = false;
    if (bks_replay_commands(replay, tick, commands, &has_any) != BKS_OK) {
        return;
    }
    const bks_step step = {.players = bks_replay_info(replay)->players, .commands = commands};
    size_t sum = 0;
    for (bks_command command = {0}; bks_step_command(&step, &command);) {
        sum += 2 + (size_t)command.count + (size_t)bks_hash64(command.bytes, command.count, 0) % 2;
        if (command.count == 0 || command.player >= step.players) {
            abort();
        }
    }
    if ((sum > 0) != has_any) {
        abort();
    }
}

/// Read the records beside inputs, hashes and states.
static void read_rows(bks_replay *replay)
{
    const bks_recording *info = bks_replay_info(replay);
    uint8_t values[32];
    uint32_t pages[8];
    size_t count = 0;
    for (bks_tick tick = info->first; tick <= info->end && tick < 4 * TICKS; tick++) {
        for (uint32_t range = 0; range < info->range_count && range < 4; range++) {
            (void)!bks_replay_values(replay, tick, range, values, sizeof(values));
        }
        (void)!bks_replay_page_hashes(replay, tick, pages, 8, &count);
        (void)!bks_replay_marks(replay, tick, read_state, &count);
        (void)!bks_replay_notes(replay, tick, read_note, &count);
        read_commands(replay, tick);
        const void *answer = NULL;
        must(bks_replay_fact(replay, tick, 1, &answer, &count));
        if (count > BKS_ANSWER_BYTES_MAX || (count > 0) != (answer != NULL)) {
            abort();
        }
    }
    int32_t *inputs = malloc((size_t)info->players * info->field_count * sizeof(int32_t) + 1);
    if (inputs == NULL) {
        abort();
    }
    for (uint32_t i = 0; i < info->rollback_count && i < 100; i++) {
        bks_replay_rollback rollback;
        must(bks_replay_rollback_at(replay, i, &rollback));
        for (bks_tick tick = rollback.from; tick < rollback.present; tick++) {
            must(bks_replay_rollback_inputs(replay, i, tick, inputs));
        }
    }
    free(inputs);
}

static bool read_part(void *context, const bks_evidence_part *part)
{
    size_t *sum = context;
    *sum += strlen(part->name) + strlen(part->text) + part->count;
    if (part->own != NULL) {
        *sum += (size_t)bks_hash64(part->own, part->count, 0) % 2;
    }
    if (part->peer != NULL) {
        *sum += (size_t)bks_hash64(part->peer, part->count, 0) % 2;
    }
    if (part->hashes != NULL) {
        *sum += (size_t)bks_hash64(part->hashes, 4 * part->count, 0) % 2;
    }
    if (part->kind < BKS_EVIDENCE_TEXT || part->kind > BKS_EVIDENCE_PAGES ||
        part->count > BKS_EVIDENCE_BYTES_MAX) {
        abort();
    }
    return true;
}

static bool read_entry(void *context, const bks_log_entry *entry)
{
    size_t *left = context;
    if ((uint32_t)entry->kind > BKS_ENTRY_EVENT || (*left)-- == 0) {
        abort();
    }
    return true;
}

/// Read the evidence of a desync in a recording.
static void read_evidence(bks_replay *replay)
{
    const bks_recording *info = bks_replay_info(replay);
    size_t sum = 0;
    for (uint32_t i = 0; i < info->evidence_count && i < 100; i++) {
        bks_replay_evidence evidence;
        must(bks_replay_evidence_at(replay, i, &evidence));
        (void)!bks_replay_evidence_parts(replay, i, read_part, &sum);
    }
    size_t left = info->log_count;
    (void)!bks_replay_log(replay, read_entry, &left);
}

static const bks_game *game_of(const bks_replay *replay)
{
    return strcmp(bks_replay_info(replay)->game, "walk") == 0 ? &walk : &tag;
}

/// Play the first ticks from a perspective: as a player saw the match, or as it was recorded.
static void play_from(bks_replay *replay, bks_playback_perspective perspective)
{
    const bks_playback_config config = {.replay = replay,
                                        .game = game_of(replay),
                                        .any_version = true,
                                        .perspective = perspective,
                                        .player = 1,
                                        .late_ticks = 5};
    bks_playback *playback = NULL;
    if (bks_playback_create(&config, &playback, NULL) != BKS_OK) {
        return;
    }
    for (int i = 0; i < 2 * TICKS && bks_playback_step(playback) == BKS_OK; i++) {
        if (bks_playback_confirmed(playback) > bks_playback_tick(playback)) {
            abort();
        }
    }
    bks_playback_destroy(playback);
}

static void play(bks_replay *replay, uint32_t random)
{
    const bks_recording *info = bks_replay_info(replay);
    const bks_playback_config config = {
        .replay = replay, .game = game_of(replay), .any_version = true, .memory_bytes = 2000};
    bks_playback *playback = NULL;
    if (bks_playback_create(&config, &playback, NULL) != BKS_OK) {
        return;
    }
    for (uint32_t i = 0; i < 8; i++) {
        random = random * 1664525u + 1013904223u;
        const bks_tick span = info->end - info->first + 1;
        const bks_tick tick = info->first + (bks_tick)(random % (uint32_t)span);
        if (tick < 4 * TICKS) {
            (void)bks_playback_seek(playback, tick, NULL);
        }
        (void)bks_playback_step(playback);
    }
    bks_playback_destroy(playback);
}

/// Return true if no state of a recording needs more memory than the fuzzer has.
static bool has_small_states(const bks_replay *replay)
{
    const bks_recording *info = bks_replay_info(replay);
    bool is_small = info->state_bytes <= STATE_BYTES_MAX;
    for (uint32_t i = 0; i < info->keyframes; i++) {
        bks_replay_keyframe key;
        must(bks_replay_keyframe_at(replay, i, &key));
        is_small = is_small && key.state_bytes <= STATE_BYTES_MAX;
    }
    return is_small;
}

/// Copy the spans of final ticks as recordings of their own, and check that each copy is whole.
static void copy(bks_replay *replay)
{
    static recording part;
    const bks_recording *info = bks_replay_info(replay);
    bks_replay_ticks ticks = {.end = info->first};
    for (int i = 0; i < 4 && bks_replay_ticks_from(replay, ticks.end, &ticks) == BKS_OK; i++) {
        if (ticks.first >= ticks.end || ticks.end > info->end || ticks.confirmed < ticks.first ||
            ticks.confirmed > ticks.end) {
            abort();
        }
        const bks_tick most = ticks.first + 2 * TICKS;
        const bks_replay_copy_config config = {
            .replay = replay,
            .from = ticks.first,
            .until = ticks.confirmed < most ? ticks.confirmed : most,
            .sink = {.write = keep, .context = &part},
        };
        part.count = 0;
        if (ticks.confirmed > ticks.first && bks_replay_copy(&config, NULL, NULL) == BKS_OK) {
            bks_replay *again = NULL;
            must(bks_replay_open(part.bytes, part.count, NULL, &again, NULL));
            must(bks_replay_check(again, NULL));
            if (bks_replay_info(again)->ticks != config.until) {
                abort();
            }
            bks_replay_close(again);
        }
    }
}

/// Read a recording that grows: its first `split` bytes, then all of it.
static void read_growing(const uint8_t *file, size_t file_bytes, size_t split)
{
    bks_replay_piece pieces[2] = {{.bytes = file, .count = split}};
    bks_replay_range want = {0};
    bks_replay *replay = NULL;
    if (bks_replay_plan(pieces, 1, &want, NULL) == BKS_OK && want.offset_bytes > 0 &&
        want.offset_bytes < file_bytes) {
        pieces[1] = (bks_replay_piece){want.offset_bytes, file + want.offset_bytes,
                                       (size_t)(file_bytes - want.offset_bytes)};
    }
    const uint32_t count = pieces[1].bytes != NULL ? 2 : 1;
    (void)!bks_replay_open_growing(pieces, count, NULL, &replay, NULL);
    if (replay != NULL) {
        pieces[count - 1].count = file_bytes - (size_t)pieces[count - 1].offset_bytes;
        (void)bks_replay_refresh(replay, pieces, count, NULL);
        read_ticks(replay);
        read_rows(replay);
        read_evidence(replay);
        play(replay, (uint32_t)split);
    }
    bks_replay_close(replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    uint8_t *file = malloc(FILE_BYTES_MAX);
    if (file == NULL) {
        abort();
    }
    size_t file_bytes = 0;
    if (count > 4 && memcmp(bytes,
                            "\x89"
                            "BKS",
                            4) == 0) {
        file_bytes = count < FILE_BYTES_MAX ? count : FILE_BYTES_MAX;
        memcpy(file, bytes, file_bytes);
        wrap_checks(file, file_bytes);
    } else {
        const recording *source = count > 0 && bytes[0] == 1   ? &old
                                  : count > 0 && bytes[0] == 2 ? &later
                                                               : &whole;
        file_bytes = source->count;
        memcpy(file, source->bytes, file_bytes);
        bytes += count > 0;
        count -= count > 0;
        for (size_t took = 1; took > 0; bytes += took, count -= took) {
            took = change(bytes, count, file, &file_bytes);
        }
    }

    // Shrink the memory to exactly the size of the file, so that a read behind its end is found.
    uint8_t *exact = realloc(file, file_bytes > 0 ? file_bytes : 1);
    bks_replay *replay = NULL;
    (void)!bks_replay_open(exact, file_bytes, NULL, &replay, NULL);
    if (replay != NULL) {
        (void)bks_replay_check(replay, NULL);
        read_ticks(replay);
        read_states(replay);
        read_rows(replay);
        read_evidence(replay);
        play(replay, (uint32_t)file_bytes);
        play_from(replay, BKS_PERSPECTIVE_PLAYER);
        play_from(replay, BKS_PERSPECTIVE_RECORDER);
        if (has_small_states(replay)) {
            copy(replay);
        }
    }
    bks_replay_close(replay);
    read_growing(exact, file_bytes, file_bytes / 3);
    read_growing(exact, file_bytes, file_bytes - file_bytes / 5);
    free(exact);
    return 0;
}
