// SPDX-License-Identifier: MIT

// A part of a recording as a recording of its own. Everything is carried over as it was recorded,
// hashes too, so that what was wrong in it is still wrong; no game is needed but for the one hash
// that the recording may hold a part of only.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cmd_replay.h"
#include "loader.h"
#include "match/record_file.h"
#include "replay/read/replay_reader.h"
#include "replay_file.h"
#include "tool.h"

static const uint64_t KEYFRAME_BYTES_MAX = UINT64_C(1) << 40; // a minute: all that there are

// One file being cut.
typedef struct cut {
    replay_file file;
    const char *out_path;
    const char *game_name; ///< NULL: found by its name
    bks_tick until;
    bksi_record_file out;
    bks_replay_writer *writer;
    bks_option options[BKS_OPTIONS_MAX];
    bks_game game; ///< as much of it as the header tells
    void *state;
    size_t state_bytes_max;
    uint32_t next_event;
    uint32_t next_key;
    int32_t *inputs;
} cut;

static void no_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void no_step(void *state, const bks_step *step)
{
    (void)state;
    (void)step;
}

static void describe_game(cut *c, bks_option_values *values)
{
    const bks_replay_info *info = c->file.info;
    for (uint32_t i = 0; i < info->option_count && i < BKS_OPTIONS_MAX; i++) {
        c->options[i] =
            (bks_option){.name = info->options[i].name, .default_value = "", .help = ""};
        snprintf(values->text[i], sizeof(values->text[i]), "%s", info->options[i].value);
    }
    c->game = (bks_game){
        .name = info->game,
        .version = info->version,
        .tick_rate_hz = info->tick_rate_hz,
        .players_max = info->players,
        .fields = info->fields,
        .field_count = info->field_count,
        .options = c->options,
        .option_count = info->option_count,
        .state_bytes = (size_t)info->state_bytes,
        .init = no_init,
        .step = no_step,
    };
}

static uint64_t *read_page_hashes(const bksi_replay_state *state)
{
    uint64_t *hashes = calloc((size_t)state->page_count + 1, sizeof(*hashes));
    for (uint32_t i = 0; hashes != NULL && i < state->page_count; i++) {
        for (uint32_t byte = 0; byte < 8; byte++) {
            hashes[i] |= (uint64_t)state->page_hashes[8 * (size_t)i + byte] << 8 * byte;
        }
    }
    return hashes;
}

static size_t largest_state(const cut *c)
{
    uint64_t bytes = c->file.info->state_bytes;
    for (uint32_t i = 0; i < c->file.info->keyframes; i++) {
        bks_replay_keyframe key;
        if (bks_replay_get_keyframe(c->file.replay, i, &key) == BKS_OK && key.state_bytes > bytes) {
            bytes = key.state_bytes;
        }
    }
    return (size_t)bytes;
}

static int fail(const cut *c, const bks_error *error, int status)
{
    tool_complain_error(c->file.path, error);
    return status;
}

static int create_writer(cut *c, const bksi_replay_state *state, const uint64_t *page_hashes)
{
    const bks_replay_info *info = c->file.info;
    const bksi_replay_head *head = &c->file.replay->head;
    bks_replay_config config = {
        .game = &c->game,
        .seed = info->seed,
        .players = info->players,
        .tick_rate_hz = info->tick_rate_hz,
        .build = info->build,
        .unconfirmed_ticks_max = 1,
        .state = c->state,
        .state_bytes = (size_t)info->state_bytes,
        .page_hashes = state->page_count > 0 ? page_hashes : NULL,
        .page_count = state->page_count,
        .state_bytes_max = c->state_bytes_max,
        .detail = {.hash_bits = head->hash_bits,
                   .full_hash_ticks = head->full_hash_ticks,
                   .keyframe_ticks = info->keyframes > 0 ? 1 : 0,
                   .keyframe_bytes = info->keyframes > 0 ? KEYFRAME_BYTES_MAX : 0,
                   .ranges = info->ranges,
                   .range_count = info->range_count},
        .environment = info->environment,
        .environment_count = info->environment_count,
        .sink = bksi_record_file_sink(&c->out),
    };
    describe_game(c, &config.options);
    bks_error error = {0};
    return bks_replay_writer_create(&config, &c->writer, &error) == BKS_OK
               ? TOOL_OK
               : fail(c, &error, TOOL_NO);
}

static int begin(cut *c)
{
    bks_error error = {0};
    const bks_replay_info *info = c->file.info;
    bksi_replay_state state;
    c->state_bytes_max = largest_state(c);
    c->state = malloc(c->state_bytes_max + 1);
    c->inputs = calloc((size_t)info->players * info->field_count, sizeof(*c->inputs));
    if (c->state == NULL || c->inputs == NULL) {
        tool_complain(c->file.path, "out of memory");
        return TOOL_NO;
    }
    if (bks_replay_state(c->file.replay, c->state, c->state_bytes_max, &error) != BKS_OK ||
        !bksi_replay_get_state(c->file.replay, &state)) {
        return fail(c, &error, TOOL_DAMAGED);
    }
    if (bksi_record_file_open(&c->out, c->out_path, info->game, &error) != BKS_OK) {
        tool_complain_error("-o", &error);
        return TOOL_MISUSE;
    }
    uint64_t *page_hashes = read_page_hashes(&state);
    const int status = page_hashes != NULL ? create_writer(c, &state, page_hashes) : TOOL_NO;
    free(page_hashes);
    return status;
}

// What happened up to a tick, in the order of the file.
static bks_status copy_events(cut *c, bks_tick until)
{
    bks_status status = BKS_OK;
    while (status == BKS_OK && c->next_event < c->file.info->event_count) {
        bks_replay_event event;
        status = bks_replay_get_event(c->file.replay, c->next_event, &event);
        if (status != BKS_OK || event.tick >= until) {
            return status;
        }
        c->next_event++;
        status = bks_replay_writer_event(c->writer, &event);
    }
    return status;
}

static bks_status copy_keyframe(cut *c, bks_tick tick)
{
    bks_replay_keyframe key;
    while (c->next_key < c->file.info->keyframes) {
        bks_status status = bks_replay_get_keyframe(c->file.replay, c->next_key, &key);
        if (status != BKS_OK || key.tick > tick) {
            return status;
        }
        const uint32_t index = c->next_key++;
        const bks_tick due = bks_replay_writer_keyframe_due(c->writer);
        if (key.tick < tick || !key.is_usable || due == BKS_TICK_NONE || due > tick) {
            continue; // the states between are reached from the one before
        }
        status =
            bks_replay_keyframe_state(c->file.replay, index, c->state, c->state_bytes_max, NULL);
        if (status == BKS_OK) {
            status = bks_replay_writer_keyframe(c->writer, tick, c->state, (size_t)key.state_bytes);
        }
        return status;
    }
    return BKS_OK;
}

static bks_status copy_tick(cut *c, bks_tick tick)
{
    uint64_t hash = 0;
    uint32_t bits = 0;
    bks_status status = bks_replay_inputs(c->file.replay, tick, c->inputs);
    if (status == BKS_OK) {
        status = bks_replay_hash(c->file.replay, tick, &hash, &bits);
    }
    if (status == BKS_OK) {
        status = copy_events(c, tick + 1);
    }
    if (status == BKS_OK) {
        status = bks_replay_writer_confirm(c->writer, tick, c->inputs, bits > 0 ? &hash : NULL);
    }
    return status == BKS_OK ? copy_keyframe(c, tick + 1) : status;
}

// The hash behind the last tick: recorded whole, or else that of the state that the game comes to,
// if what is recorded agrees with it.
static bool final_hash(cut *c, uint64_t *out)
{
    uint32_t bits = 0;
    if (bks_replay_hash(c->file.replay, c->until, out, &bits) == BKS_OK && bits == 64) {
        return true;
    }
    loaded_game game;
    const char *name = c->game_name != NULL ? c->game_name : c->file.info->game;
    if (bits == 0 || loader_open(name, &game) != TOOL_OK) {
        return false;
    }
    const bks_playback_config config = {.replay = c->file.replay, .game = game.game};
    bks_playback *playback = NULL;
    bks_error error = {0};
    if (bks_playback_create(&config, &playback, &error) != BKS_OK) {
        tool_complain_error(c->file.path, &error);
        return false;
    }
    const bool is_there = bks_playback_seek(playback, c->until, &error) == BKS_OK;
    *out = bks_playback_hash(playback);
    bks_playback_destroy(playback);
    return is_there && bks_replay_hash_agrees(c->file.replay, c->until, *out);
}

static int copy(cut *c)
{
    bks_status status = BKS_OK;
    for (bks_tick tick = 0; tick < c->until && status == BKS_OK; tick++) {
        status = copy_tick(c, tick);
    }
    uint64_t hash = 0;
    if (status == BKS_OK) {
        const bool has_hash = final_hash(c, &hash);
        if (!has_hash) {
            tool_complain(c->file.path,
                          "the state at tick %" PRId32
                          " has no whole hash: the part is written without a final one",
                          c->until);
        }
        status = bks_replay_writer_finish(c->writer, has_hash ? &hash : NULL);
    }
    if (status != BKS_OK) {
        tool_complain(c->out_path, "cannot be written: %s", bks_status_text(status));
        return status == BKS_ERR_DAMAGED ? TOOL_DAMAGED : TOOL_NO;
    }
    return TOOL_OK;
}

static int cut_file(const char *path, int64_t from, int64_t until, const char *out_path,
                    const char *game_name)
{
    static cut c;
    c = (cut){.out = {.descriptor = -1}, .out_path = out_path, .game_name = game_name};
    if (replay_file_open(path, &c.file) != TOOL_OK) {
        return TOOL_DAMAGED;
    }
    replay_file_check(&c.file);
    const bks_tick confirmed = c.file.info->confirmed;
    int status = TOOL_OK;
    if (from > 0) {
        tool_complain("--from", "is %" PRId64 ", expected 0: a recording begins with the match",
                      from);
        status = TOOL_MISUSE;
    } else if (until != INT32_MAX && (until < 1 || until > confirmed)) {
        tool_complain(path, "cannot be cut at tick %" PRId64 ", expected --until 1 to %" PRId32,
                      until, confirmed);
        status = TOOL_MISUSE;
    } else {
        c.until = until < confirmed ? (bks_tick)until : confirmed;
        status = begin(&c);
        status = status == TOOL_OK ? copy(&c) : status;
    }
    bks_replay_writer_destroy(c.writer);
    bksi_record_file_close(&c.out);
    free(c.state);
    free(c.inputs);
    const int file_status = c.file.status;
    replay_file_close(&c.file);
    return file_status > status ? file_status : status;
}

int cmd_replay_cut(int argc, char **argv)
{
    int64_t from = 0;
    int64_t until = INT32_MAX;
    const char *out_path = NULL;
    const char *game_name = NULL;
    args_list files = {0};
    const args_option options[] = {
        ARGS_INT("--from", "TICK", &from, 0, INT32_MAX, "the first tick: 0 (the default)"),
        ARGS_INT("--until", "TICK", &until, 1, INT32_MAX,
                 "one past the last tick (default: all that is confirmed)"),
        ARGS_TEXT("-o", "FILE", &out_path, "where the part goes, required"),
        ARGS_TEXT("--game", "GAME", &game_name, "the game (default: found by its name)"),
    };
    const args_spec spec = {
        .command = "replay cut",
        .usage = "-o FILE [options] FILE",
        .about = "Writes a part of a recording as a recording of its own, complete and with all\n"
                 "that was recorded: hashes, keyframes, events. Of a damaged or incomplete one,\n"
                 "what is good.",
        .options = options,
        .option_count = ARGS_COUNT(options),
        .positionals = &files,
        .positionals_min = 1,
        .positionals_max = 1,
    };
    const int status = args_parse(&spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    if (out_path == NULL) {
        tool_complain("-o", "is missing, expected the file that the part goes to");
        return TOOL_MISUSE;
    }
    return cut_file(files.items[0], from, until, out_path, game_name);
}
