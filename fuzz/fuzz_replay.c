// SPDX-License-Identifier: MIT

// A recording with some of its bytes changed is opened and read as far as it goes.
//
// The file's checks are the same constant here for writer and reader (CMakeLists.txt wraps them),
// or no change would get past them. The bytes are a list of changes to a recording made at the
// start: where (2 bytes), what (1): 0 cuts the file there, 1 doubles what stands from there on,
// else a byte to replace with (1).

#include <stdlib.h>
#include <string.h>

#include "backstitch/replay.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
uint32_t __wrap_bksi_check32(const void *bytes, size_t count, uint32_t seed);
uint64_t __wrap_bksi_hash64(const void *bytes, size_t count, uint64_t seed);

#define FILE_BYTES_MAX  (64 * 1024)
#define STATE_BYTES_MAX (64 * 1024)
#define TICKS           200

static uint8_t recording[FILE_BYTES_MAX];
static size_t recording_bytes;

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

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
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
    uint8_t state[256] = {1};
    bks_replay_config config = {.game = &tag,
                                .players = 2,
                                .tick_rate_hz = 60,
                                .unconfirmed_ticks_max = 8,
                                .state = state,
                                .state_bytes = sizeof(state),
                                .sink = {.write = keep}};
    must(bks_option_values_default(&tag, &config.options));
    bks_replay_writer *writer = NULL;
    must(bks_replay_writer_create(&config, &writer, NULL));
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        const int32_t inputs[] = {tick / 7 % 60, tick & 1, -(tick / 5 % 60), tick / 9 & 1};
        uint64_t hash = (uint64_t)tick * 0x9E3779B97F4A7C15u;
        must(bks_replay_writer_use(writer, tick, 1, inputs));
        must(bks_replay_writer_confirm(writer, tick, inputs, &hash));
    }
    must(bks_replay_writer_flush(writer));
    bks_replay_writer_destroy(writer); // not finished: the tail is read too

    bks_replay *replay = NULL;
    must(bks_replay_open(recording, recording_bytes, NULL, &replay, NULL));
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

static void read_all(bks_replay *replay)
{
    const bks_replay_info *info = bks_replay_get_info(replay);
    int32_t *values = malloc((size_t)info->players * info->field_count * sizeof(int32_t) + 1);
    uint8_t *state = malloc(STATE_BYTES_MAX);
    if (values == NULL || state == NULL)
        abort();
    for (bks_tick tick = 0; tick < info->ticks && tick < 4 * TICKS; tick++)
        must(bks_replay_inputs(replay, tick, values));
    for (bks_tick tick = 0; tick <= info->confirmed && tick < 4 * TICKS; tick++) {
        uint64_t hash = 0;
        uint32_t bits = 0;
        must(bks_replay_hash(replay, tick, &hash, &bits));
    }
    (void)!bks_replay_state(replay, state, STATE_BYTES_MAX, NULL);
    free(state);
    free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    uint8_t *file = malloc(FILE_BYTES_MAX);
    if (file == NULL)
        abort();
    size_t file_bytes = recording_bytes;
    memcpy(file, recording, recording_bytes);
    for (size_t took = 1; took > 0; bytes += took, count -= took)
        took = change(bytes, count, file, &file_bytes);

    // Of just its size, so that a read behind the file is seen.
    uint8_t *exact = realloc(file, file_bytes > 0 ? file_bytes : 1);
    bks_replay *replay = NULL;
    (void)!bks_replay_open(exact, file_bytes, NULL, &replay, NULL);
    if (replay != NULL)
        read_all(replay);
    bks_replay_close(replay);
    free(exact);
    return 0;
}
