// SPDX-License-Identifier: MIT

// A recording with some of its bytes changed is opened, read and played as far as it goes, and once
// more as one that grows.
//
// The file's checks are the same constant here for writer and reader (CMakeLists.txt wraps them),
// or no change would get past them. The first byte chooses a recording: 1 one of version 1, else
// one made at the start, with keyframes and events. Then comes a list of changes to it: where (2
// bytes), what (1): 0 cuts the file there, 1 doubles what stands from there on, else a byte to
// replace with (1).

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/replay.h"
#include "base/bytes.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
uint32_t __wrap_bksi_check32(const void *bytes, size_t count, uint32_t seed);
uint64_t __wrap_bksi_hash64(const void *bytes, size_t count, uint64_t seed);

#define FILE_BYTES_MAX  (64 * 1024)
#define STATE_BYTES_MAX (64 * 1024)
#define TICKS           200

static uint8_t recording[FILE_BYTES_MAX];
static size_t recording_bytes;
static uint8_t old_recording[FILE_BYTES_MAX]; ///< of version 1
static size_t old_recording_bytes;

static void tag_init(void *state, const bks_start *start);
static void tag_step(void *state, const bks_step *step);

static const bks_field fields[] = {{.name = "move", .bits = 7, .is_signed = true},
                                   {.name = "jump", .bits = 1}};
static const bks_game tag = {.name = "tag",
                             .version = 1,
                             .tick_rate_hz = 60,
                             .players_max = 2,
                             .fields = fields,
                             .field_count = 2,
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
    *(int32_t *)state += step->inputs[0];
}

static bks_status keep(void *context, uint64_t offset_bytes, const void *bytes, size_t count)
{
    (void)context;
    if (offset_bytes + count > sizeof(recording))
        return BKS_ERR_IO;
    memcpy(recording + offset_bytes, bytes, count);
    if (offset_bytes + count > recording_bytes)
        recording_bytes = (size_t)offset_bytes + count;
    return BKS_OK;
}

static void must(bks_status status)
{
    if (status != BKS_OK)
        abort();
}

/// A recording with everything that a file can hold, not finished: the tail is read too.
static void record(void)
{
    uint8_t state[256] = {1};
    bks_replay_config config = {
        .game = &tag,
        .players = 2,
        .tick_rate_hz = 60,
        .unconfirmed_ticks_max = 8,
        .state = state,
        .state_bytes = sizeof(state),
        .detail = {.chunk_ticks = 24, .keyframe_ticks = 8, .keyframe_bytes = UINT64_C(1) << 30},
        .sink = {.write = keep}};
    must(bks_option_values_default(&tag, &config.options));
    bks_replay_writer *writer = NULL;
    must(bks_replay_writer_create(&config, &writer, NULL));
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        const int32_t inputs[] = {tick / 7 % 60, tick & 1, -(tick / 5 % 60), tick / 9 & 1};
        uint64_t hash = (uint64_t)tick * 0x9E3779B97F4A7C15u;
        must(bks_replay_writer_use(writer, tick, 1, inputs));
        must(bks_replay_writer_confirm(writer, tick, inputs, &hash));
        state[tick % 256]++;
        if (bks_replay_writer_keyframe_due(writer) != BKS_TICK_NONE)
            must(bks_replay_writer_keyframe(writer, tick + 1, state, sizeof(state)));
        const bks_replay_event event = {.kind = BKS_REPLAY_NOTE, .tick = tick, .text = "note"};
        if (tick % 50 == 0)
            must(bks_replay_writer_event(writer, &event));
    }
    must(bks_replay_writer_flush(writer));
    bks_replay_writer_destroy(writer);
}

/// Put the constant in place of every check of the file of version 1: 16 bytes of preamble, HEAD,
/// STAT, slots of 4 blocks each, records.
static void wrap_old_checks(void)
{
    const size_t slots_bytes = 2 * 4 * 512;
    size_t at = 16;
    size_t slots = SIZE_MAX;
    bksi_put_u32(old_recording + 12, __wrap_bksi_check32(NULL, 0, 0));
    for (uint32_t n = 0; at + 12 <= old_recording_bytes; n++) {
        const size_t end = at + 12 + bksi_get_u32(old_recording + at + 4) + 8;
        if (end > old_recording_bytes)
            break;
        bksi_put_u32(old_recording + at + 8, __wrap_bksi_check32(NULL, 0, 0));
        bksi_put_u64(old_recording + end - 8, __wrap_bksi_hash64(NULL, 0, 0));
        slots = n == 1 ? (end + 511) / 512 * 512 : slots;
        at = n == 1 ? slots + slots_bytes : end;
    }
    for (size_t block = slots; block < slots + slots_bytes; block += 512)
        if (bksi_get_u32(old_recording + block + 4) != 0)
            bksi_put_u32(old_recording + block, __wrap_bksi_check32(NULL, 0, 0));
}

static void load_old(void)
{
    FILE *file = fopen(BKS_OLD_RECORDING, "rb");
    if (file == NULL)
        abort();
    old_recording_bytes = fread(old_recording, 1, sizeof(old_recording), file);
    (void)fclose(file);
    wrap_old_checks();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    record();
    load_old();
    bks_replay *replay = NULL;
    must(bks_replay_open(recording, recording_bytes, NULL, &replay, NULL));
    must(bks_replay_check(replay, NULL));
    bks_replay_close(replay);
    must(bks_replay_open(old_recording, old_recording_bytes, NULL, &replay, NULL));
    bks_replay_close(replay);
    return 0;
}

/// Apply one change; returns the bytes of `changes` it took, 0 when they end.
static size_t change(const uint8_t *changes, size_t count, uint8_t *file, size_t *file_bytes)
{
    if (count < 3)
        return 0;
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
        if (count < 4)
            return 0;
        file[at] = changes[3];
        return 4;
    }
}

static void read_ticks(bks_replay *replay)
{
    const bks_replay_info *info = bks_replay_get_info(replay);
    int32_t *values = malloc((size_t)info->players * info->field_count * sizeof(int32_t) + 1);
    if (values == NULL)
        abort();
    for (bks_tick tick = info->first; tick <= info->end && tick < 4 * TICKS; tick++) {
        uint64_t hash = 0;
        uint32_t bits = 0;
        if (tick < info->end && bks_replay_inputs(replay, tick, values) != BKS_OK &&
            !info->is_damaged)
            abort();
        if (tick <= info->end)
            must(bks_replay_hash(replay, tick, &hash, &bits));
    }
    free(values);
}

static void read_states(bks_replay *replay)
{
    const bks_replay_info *info = bks_replay_get_info(replay);
    uint8_t *state = malloc(STATE_BYTES_MAX);
    if (state == NULL)
        abort();
    (void)!bks_replay_state(replay, state, STATE_BYTES_MAX, NULL);
    for (uint32_t i = 0; i < info->keyframes && i < 100; i++)
        (void)!bks_replay_keyframe_state(replay, i, state, STATE_BYTES_MAX, NULL);
    free(state);
    bks_replay_event event;
    bks_replay_lost lost;
    for (uint32_t i = 0; i < info->event_count; i++)
        must(bks_replay_get_event(replay, i, &event));
    for (uint32_t i = 0; i < info->lost_count; i++)
        must(bks_replay_get_lost(replay, i, &lost));
}

static void play(bks_replay *replay, uint32_t random)
{
    const bks_replay_info *info = bks_replay_get_info(replay);
    const bks_playback_config config = {
        .replay = replay, .game = &tag, .any_version = true, .memory_bytes = 2000};
    bks_playback *playback = NULL;
    if (bks_playback_create(&config, &playback, NULL) != BKS_OK)
        return;
    for (uint32_t i = 0; i < 8; i++) {
        random = random * 1664525u + 1013904223u;
        const bks_tick span = info->end - info->first + 1;
        const bks_tick tick = info->first + (bks_tick)(random % (uint32_t)span);
        if (tick < 4 * TICKS)
            (void)bks_playback_seek(playback, tick, NULL);
        (void)bks_playback_step(playback);
    }
    bks_playback_destroy(playback);
}

/// The same bytes as they come in: up to `split` first.
static void read_growing(const uint8_t *file, size_t file_bytes, size_t split)
{
    bks_replay_piece pieces[2] = {{.bytes = file, .count = split}};
    bks_replay_range want = {0};
    bks_replay *replay = NULL;
    if (bks_replay_plan(pieces, 1, &want, NULL) == BKS_OK && want.offset_bytes > 0 &&
        want.offset_bytes < file_bytes)
        pieces[1] = (bks_replay_piece){want.offset_bytes, file + want.offset_bytes,
                                       (size_t)(file_bytes - want.offset_bytes)};
    const uint32_t count = pieces[1].bytes != NULL ? 2 : 1;
    (void)!bks_replay_open_growing(pieces, count, NULL, &replay, NULL);
    if (replay != NULL) {
        pieces[count - 1].count = file_bytes - (size_t)pieces[count - 1].offset_bytes;
        (void)bks_replay_refresh(replay, pieces, count, NULL);
        read_ticks(replay);
        play(replay, (uint32_t)split);
    }
    bks_replay_close(replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    uint8_t *file = malloc(FILE_BYTES_MAX);
    if (file == NULL)
        abort();
    const bool is_old = count > 0 && bytes[0] == 1;
    size_t file_bytes = is_old ? old_recording_bytes : recording_bytes;
    memcpy(file, is_old ? old_recording : recording, file_bytes);
    bytes += count > 0;
    count -= count > 0;
    for (size_t took = 1; took > 0; bytes += took, count -= took)
        took = change(bytes, count, file, &file_bytes);

    // Of just its size, so that a read behind the file is seen.
    uint8_t *exact = realloc(file, file_bytes > 0 ? file_bytes : 1);
    bks_replay *replay = NULL;
    (void)!bks_replay_open(exact, file_bytes, NULL, &replay, NULL);
    if (replay != NULL) {
        (void)bks_replay_check(replay, NULL);
        read_ticks(replay);
        read_states(replay);
        play(replay, (uint32_t)file_bytes);
    }
    bks_replay_close(replay);
    read_growing(exact, file_bytes, file_bytes / 3);
    free(exact);
    return 0;
}
