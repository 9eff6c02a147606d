// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/doctor/doctor_play.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "base/altered_system.h"
#include "base/process.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_case.h"
#include "record/recording/replay_file.h"

/// Copy of a recording in memory, with rollbacks that guessed every input right. Start from {0},
/// release with right_guesses_free().
typedef struct right_guesses {
    doctor_memory memory;
    bks_replay *replay; ///< copy of the recording; NULL if it could not be made
} right_guesses;

enum { DEPTH_MAX = 512 };

typedef struct copying {
    bks_replay *from;
    const bks_recording *info;
    bks_replay_writer *to;
    uint32_t next_rollback;
    int32_t *inputs; ///< memory for the inputs of DEPTH_MAX ticks
} copying;

static bool create(const replay_file *file, const bks_game *game, const void *state, copying *c,
                   right_guesses *out)
{
    const bks_recording *info = file->info;
    const bks_playback_config playback = {.replay = file->replay, .game = game};
    bks_replay_config config = {
        .game = game,
        .seed = info->seed,
        .players = info->players,
        .tick_rate_hz = info->tick_rate_hz,
        .first_tick = info->first,
        .build = info->build,
        .unconfirmed_ticks_max = DEPTH_MAX,
        .pointers = info->has_pointers,
        .state = state,
        .state_bytes = state != NULL ? (size_t)info->state_bytes : 0,
        .detail = {.rollbacks = true},
        .environment = info->environment,
        .environment_count = info->environment_count,
        .sink = doctor_memory_sink(&out->memory),
    };
    return bks_playback_options(&playback, &config.options, NULL) == BKS_OK &&
           bks_replay_writer_create(&config, &c->to, NULL) == BKS_OK;
}

// Copy the rollbacks that happened before `tick` was stepped for the first time.
static bool copy_rollbacks(copying *c, bks_tick tick)
{
    const size_t values = (size_t)c->info->players * c->info->field_count;
    for (; c->next_rollback < c->info->rollback_count; c->next_rollback++) {
        bks_replay_rollback r;
        if (bks_replay_rollback_at(c->from, c->next_rollback, &r) != BKS_OK ||
            r.present - r.from > DEPTH_MAX) {
            return false;
        }
        if (r.present > tick) {
            return true;
        }
        if (r.from < c->info->first) {
            continue;
        }
        for (bks_tick t = r.from; t < r.present; t++) {
            if (bks_replay_inputs(c->from, t, c->inputs + (size_t)(t - r.from) * values) !=
                BKS_OK) {
                return false;
            }
        }
        if (bks_replay_writer_rollback(c->to, r.present, r.from, c->inputs) != BKS_OK) {
            return false;
        }
    }
    return true;
}

static bool copy_ticks(copying *c)
{
    for (bks_tick tick = c->info->first; tick < c->info->confirmed; tick++) {
        if (!copy_rollbacks(c, tick) || bks_replay_inputs(c->from, tick, c->inputs) != BKS_OK ||
            bks_replay_writer_confirm(c->to, tick, c->inputs, NULL) != BKS_OK) {
            return false;
        }
    }
    return copy_rollbacks(c, c->info->confirmed) && bks_replay_writer_finish(c->to, NULL) == BKS_OK;
}

static bool copy(const replay_file *file, const bks_game *game, uint8_t *state, copying *c,
                 right_guesses *out)
{
    const bks_recording *info = file->info;
    if (state != NULL &&
        bks_replay_state(file->replay, state, (size_t)info->state_bytes, NULL) != BKS_OK) {
        return false;
    }
    const bool is_written = create(file, game, state, c, out) && copy_ticks(c);
    bks_replay_writer_destroy(c->to);
    return is_written && bks_replay_open(out->memory.bytes, out->memory.count, NULL, &out->replay,
                                         NULL) == BKS_OK;
}

/// Make a copy of a recording in which every guess of a rollback is right.
/// @param file  the recording; refused if it has facts, the answers to bks_ask(), which are not
///              copied
/// @return false if the copy cannot be made
static bool right_guesses_make(const replay_file *file, const bks_game *game, right_guesses *out)
{
    const bks_recording *info = file->info;
    const bool has_state = !info->has_pointers && info->state_bytes > 0;
    copying c = {.from = file->replay,
                 .info = info,
                 .inputs = calloc(DEPTH_MAX, sizeof(int32_t) * info->players * info->field_count)};
    uint8_t *state = has_state ? malloc((size_t)info->state_bytes) : NULL;
    const bool is_made = info->fact_count == 0 && c.inputs != NULL &&
                         (state != NULL) == has_state && copy(file, game, state, &c, out);
    free(c.inputs);
    free(state);
    return is_made;
}

static void right_guesses_free(right_guesses *right)
{
    bks_replay_close(right->replay);
    doctor_memory_free(&right->memory);
    right->replay = NULL;
}

enum { PATIENCE_MS = 60000 };

/// Name of a note on the tape.
#define NOTE_NAME "(note)"

/// Factor by which a tick may take longer than in the match.
enum { SLOWER = 4 };

// ---- in the process that plays the recording ----

typedef struct player {
    check_tape *tape;
    bks_playback *playback;
    bks_tick looked_at; ///< tick whose states at marks are put on the tape
    /// Number of ticks stepped in all before the newest step of tick `looked_at`.
    uint64_t stepped;
    bool is_rolled;
    bool is_sought;
    size_t room; ///< largest size of a state in bytes, 0: store no states
} player;

// Store the current state, at the start of a tick, if the tape's check_span has a place for it. If
// a tick is stepped several times, its last state counts. Leave out ticks after the compared ones,
// because a play with rollbacks may not have reached their last state.
static void keep_around(void *context, bks_tick tick)
{
    player *p = context;
    check_span *span = &p->tape->span;
    if (tick > span->until) {
        return;
    }
    uint8_t *room = check_tape_kept(p->tape, 0, tick);
    if (room != NULL && p->room > 0 && p->room <= CHECK_KEPT_BYTES) {
        span->kept[0][tick - span->keep_from] =
            bks_playback_export(p->playback, room, CHECK_KEPT_BYTES);
    }
}

static void add_state(player *p, const char *name)
{
    check_tape *tape = p->tape;
    if (p->room > 0 && p->room <= CHECK_STATES_BYTES - tape->states_count &&
        check_tape_room(tape, tape->states_count + p->room)) {
        const size_t count =
            bks_playback_export(p->playback, check_tape_states(tape) + tape->states_count, p->room);
        (void)check_tape_add(tape, name, 0, count);
    }
}

// Put the states at marks on the tape. If a tick is stepped several times, only the last time
// counts.
static void hear_mark(void *context, bks_tick tick, const char *name)
{
    player *p = context;
    bks_playback_counts costs = {0};
    if (tick != p->looked_at) {
        return;
    }
    (void)bks_playback_costs(p->playback, &costs);
    if (p->is_rolled && costs.steps != p->stepped) {
        check_tape_begin(p->tape, tick);
    }
    p->stepped = costs.steps;
    add_state(p, name);
}

// Put a note on the tape as if it were a state. Leave half of the tape's marks for states.
static void hear_note(void *context, bks_tick tick, const char *text)
{
    const player *p = context;
    check_tape *tape = p->tape;
    const size_t length = strlen(text);
    const size_t count = length / sizeof(uint64_t) * sizeof(uint64_t) + sizeof(uint64_t);
    if (tick == p->looked_at && !p->is_rolled && tape->mark_count < CHECK_MARKS_MAX / 2 &&
        check_tape_room(tape, tape->states_count + count)) {
        uint8_t *at = check_tape_states(tape) + tape->states_count;
        memcpy(at, text, length);
        memset(at + length, 0, count - length); // so that the next state is aligned
        (void)check_tape_add(tape, NOTE_NAME, 0, count);
    }
}

static bool note_hashes(player *p)
{
    check_span *span = &p->tape->span;
    const bks_tick known =
        p->is_rolled ? bks_playback_confirmed(p->playback) : bks_playback_tick(p->playback);
    for (;;) {
        const bks_tick next = span->first + (bks_tick)span->counts[0];
        uint64_t hash = 0;
        if (next > known || next > span->until || span->counts[0] == CHECK_HASHES_MAX) {
            return true;
        }
        if (bks_playback_confirmed_hash(p->playback, next, &hash) != BKS_OK) {
            return false;
        }
        span->hashes[0][span->counts[0]++] = hash;
    }
}

static void keep_states(player *p)
{
    const bks_tick tick = bks_playback_tick(p->playback);
    if (p->is_rolled) {
        return;
    }
    if (tick == p->tape->span.first) {
        add_state(p, DOCTOR_STATE_FIRST);
    }
    if (tick == p->looked_at) {
        add_state(p, DOCTOR_STATE_BEFORE);
    }
    if (tick == p->looked_at + 1) {
        add_state(p, DOCTOR_STATE_THERE);
    }
}

// Play the recording to the end of the compared ticks, and put their hashes on the tape.
static bool play(player *p)
{
    const check_span *span = &p->tape->span;
    const bks_playback_listener listener = {
        .begun = keep_around, .reached = hear_mark, .note = hear_note, .context = p};
    (void)bks_playback_listen(p->playback, &listener);
    bool is_good = true;
    while (is_good && span->first + (bks_tick)span->counts[0] <= span->until) {
        keep_states(p);
        is_good = bks_playback_confirmed(p->playback) < span->first || note_hashes(p);
        if (is_good && bks_playback_step(p->playback) != BKS_OK) {
            return note_hashes(p) && span->first + (bks_tick)span->counts[0] > span->until;
        }
    }
    return is_good;
}

static int play_all(player *p, bks_replay *replay, const bks_game *game, const char *path)
{
    const bks_playback_config config = {.replay = replay,
                                        .game = game,
                                        .perspective = p->is_rolled ? BKS_PERSPECTIVE_RECORDER
                                                                    : BKS_PERSPECTIVE_REFERENCE};
    bks_error error = {0};
    if (bks_playback_create(&config, &p->playback, &error) != BKS_OK) {
        tool_complain_error(path, &error);
        return TOOL_NO;
    }
    const size_t most = bks_playback_export(p->playback, NULL, 0);
    const bks_tick first = p->tape->span.first;
    p->room = game->pointers ? 0 : most;
    const bool is_there = !p->is_sought || bks_playback_seek(p->playback, first, &error) == BKS_OK;
    if (!is_there) {
        tool_complain_error(path, &error);
    }
    const bool is_whole = is_there && play(p);
    keep_around(p, bks_playback_tick(p->playback));
    p->tape->threads = thread_created_count();
    p->tape->is_finished = is_whole;
    bks_playback_destroy(p->playback);
    return is_there ? TOOL_OK : TOOL_NO;
}

// Step the whole recording, and put the result of comparing all hashes on the tape.
static int verify(check_tape *tape, const replay_file *file, const bks_game *game)
{
    const bks_playback_config config = {.replay = file->replay, .game = game};
    bks_error error = {0};
    tape->verified.first_different = BKS_TICK_NONE;
    const bks_status status = bks_replay_verify(&config, NULL, &tape->verified, &error);
    if (status != BKS_OK && status != BKS_ERR_DESYNC) {
        tool_complain_error(file->path, &error);
        return status == BKS_ERR_DAMAGED ? TOOL_DAMAGED : TOOL_MISUSE;
    }
    tape->is_finished = true;
    return TOOL_OK;
}

int doctor_play_process(const check_task *task)
{
    static check_options options;
    check_tape *tape = check_tape_open(task->tape);
    const uint32_t mode = task->variant;
    loaded_game game;
    right_guesses right = {0};
    if (tape == NULL || check_options_read(&tape->plan, &options) != TOOL_OK ||
        loader_open(options.game, &game) != TOOL_OK) {
        return TOOL_MISUSE;
    }
    const replay_file *file = options.recording;
    player p = {.tape = tape,
                .looked_at = tape->request.tick,
                .is_rolled = mode == DOCTOR_ROLLED || mode == DOCTOR_RIGHT_GUESSES,
                .is_sought = mode == DOCTOR_SOUGHT};
    int status = TOOL_NO;
    if (mode == DOCTOR_VERIFIED) {
        status = verify(tape, file, game.game);
    } else if (mode != DOCTOR_RIGHT_GUESSES) {
        status = play_all(&p, file->replay, game.game, file->path);
    } else if (right_guesses_make(file, game.game, &right)) {
        status = play_all(&p, right.replay, game.game, file->path);
    } else {
        tool_complain(file->path, "cannot be written with right guesses");
    }
    right_guesses_free(&right);
    check_tape_close(tape);
    return status;
}

// ---- in the process of `bks doctor` itself ----

int doctor_play_patience_ms(const bks_recording *info, bks_tick until)
{
    const int64_t ticks = (int64_t)until - info->first;
    const int64_t ms = PATIENCE_MS + ticks * SLOWER * 1000 / (int64_t)info->tick_rate_hz;
    return ms < INT_MAX ? (int)ms : INT_MAX;
}

void doctor_play_run(const doctor_case *c, int side, doctor_play_mode mode, bool is_moved,
                     doctor_play *out)
{
    static child process;
    *out = (doctor_play){.tape_number = -1};
    static check_options options;
    check_task task = {.role = CHECK_PLAYS, .variant = (uint32_t)mode};
    options = c->options;
    options.recorded = c->sides[side].file.path;
    out->tape = check_tape_make(&task.tape);
    out->tape_number = task.tape;
    process = (child){0};
    if (out->tape == NULL || !check_options_write(&options, &out->tape->plan)) {
        (void)snprintf(out->why, sizeof(out->why), "no memory for its states");
        return;
    }
    out->tape->span.first = c->first;
    out->tape->span.until = c->until;
    out->tape->span.keeps = c->keep_from != BKS_TICK_NONE;
    out->tape->span.keep_from = c->keep_from;
    out->tape->request.tick = c->hash_tick - 1;
    if (!check_task_start(&task, is_moved ? CHECK_MOVED : CHECK_PLAIN, &process)) {
        (void)snprintf(out->why, sizeof(out->why), "no process can be started");
        return;
    }
    const bks_recording *info = c->sides[side].file.info;
    const int patience_ms =
        doctor_play_patience_ms(info, mode == DOCTOR_VERIFIED ? info->confirmed : c->until);
    const uint64_t begun_ns = tool_clock_ns(NULL);
    child_finish(&process, patience_ms);
    const uint64_t took_ns = tool_clock_ns(NULL) - begun_ns;
    out->status = process.status;
    out->has_crashed = process.signal != 0 && took_ns < (uint64_t)patience_ms * UINT64_C(1000000);
    // A process that crashes after its last step has put everything on the tape.
    out->is_done = (process.status == TOOL_OK || out->has_crashed) && out->tape->is_finished;
    if (!out->is_done) {
        const char *text = process.complaint[0] != '\0' ? process.complaint
                           : out->has_crashed           ? "it crashes"
                                                        : "it does not come that far";
        (void)snprintf(out->why, sizeof(out->why), "%.*s", (int)strcspn(text, "\n"), text);
    }
}

void doctor_play_close(doctor_play *play)
{
    check_tape_close(play->tape);
    if (play->tape_number >= 0) {
        shared_memory_close(play->tape_number);
    }
    *play = (doctor_play){.tape_number = -1};
}

doctor_match doctor_play_match(const doctor_case *c, const doctor_play *play)
{
    const check_span *span = &play->tape->span;
    return doctor_compare(c, span->first, span->hashes[0], span->counts[0]);
}

static bks_compared_state state_of(const doctor_play *play, const check_mark *mark)
{
    return (bks_compared_state){.bytes = check_tape_states(play->tape) + mark->begin_bytes,
                                .count = (size_t)mark->count};
}

bool doctor_play_state(const doctor_play *play, const char *name, bks_compared_state *out)
{
    for (uint32_t i = 0; play->tape != NULL && i < play->tape->mark_count; i++) {
        const check_mark *mark = &play->tape->marks[i];
        if (strcmp(mark->name, name) == 0 && mark->count > 0) {
            *out = state_of(play, mark);
            return true;
        }
    }
    return false;
}

const char *doctor_play_mark(const doctor_play *play, uint32_t number, bks_compared_state *out)
{
    for (uint32_t i = 0; i < play->tape->mark_count; i++) {
        const check_mark *mark = &play->tape->marks[i];
        if (mark->name[0] != '(' && number-- == 0) {
            *out = state_of(play, mark);
            return mark->name;
        }
    }
    return NULL;
}

const char *doctor_play_note(const doctor_play *play, uint32_t number, bks_compared_state *out)
{
    const char *name = CHECK_MARK_START;
    for (uint32_t i = 0; i < play->tape->mark_count; i++) {
        const check_mark *mark = &play->tape->marks[i];
        if (mark->name[0] != '(') {
            name = mark->name;
        } else if (strcmp(mark->name, NOTE_NAME) == 0 && number-- == 0) {
            *out = state_of(play, mark);
            return name;
        }
    }
    return NULL;
}

enum { CAPACITY_FIRST = 1 << 16 };

static bks_status write_memory(void *context, uint64_t offset_bytes, const void *bytes,
                               size_t count)
{
    doctor_memory *memory = context;
    const size_t offset = (size_t)offset_bytes;
    if (offset + count > memory->capacity) {
        size_t capacity = memory->capacity > 0 ? memory->capacity : CAPACITY_FIRST;
        while (capacity < offset + count) {
            capacity *= 2;
        }
        uint8_t *grown = realloc(memory->bytes, capacity);
        if (grown == NULL) {
            return BKS_ERR_IO;
        }
        memory->bytes = grown;
        memory->capacity = capacity;
    }
    memcpy(memory->bytes + offset, bytes, count);
    memory->count = offset + count > memory->count ? offset + count : memory->count;
    return BKS_OK;
}

bks_sink doctor_memory_sink(doctor_memory *memory)
{
    return (bks_sink){.write = write_memory, .context = memory};
}

void doctor_memory_free(doctor_memory *memory)
{
    free(memory->bytes);
    *memory = (doctor_memory){0};
}
