// SPDX-License-Identifier: MIT

// Sync test. The states of the newest ticks are in a ring of the runner's snapshots, with the
// inputs and the hashes at the marks of their first step. A tick that comes out differently is
// stepped once more with its marks observed, to find the first mark that differs. So marks cost a
// hash only in the first step.
//
// Source: the sync test of GGPO and of ggrs, which compare checksums.

#include "peer/sync_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/memory.h"
#include "base/report.h"
#include "session/queries.h"

enum {
    // Maximum number of marks of one step that are compared. A difference at a later mark shows
    // only at the end of the step.
    MARKS_MAX = 128,
    STACK_FILLED_BYTES = 8192,
};

/// Hashes of a tick's first step: of the state at its start, and of the state at each mark.
typedef struct kept_tick {
    uint64_t hash;  ///< hash of the state at the start of the tick
    uint32_t marks; ///< number of marks in the step
    uint64_t mark_hashes[MARKS_MAX];
} kept_tick;

struct bksi_sync_test {
    bksi_runner *runner;
    const bks_session *session; ///< session that has the commands of the kept ticks
    bks_state_names names;
    bks_tick depth;  ///< number of ticks to go back
    bks_tick oldest; ///< oldest tick whose snapshot and hashes are kept
    bks_tick newest; ///< newest tick, whose state is the present one; BKS_TICK_NONE: none

    /// Hashes of the kept ticks, by tick modulo depth + 1, like the snapshots and the inputs.
    kept_tick *ticks;
    int32_t *inputs;
    size_t input_count;    ///< number of inputs of all players in one tick
    bksi_trace_sink outer; ///< the owner's sink, which observes the step too
    uint64_t seen[MARKS_MAX];
    uint32_t seen_count;
    kept_tick *compared; ///< kept tick whose marks the present step is compared with; NULL: none
    bool is_found;
    bks_sync_difference difference;
    char problem[192];
};

// ---- kept ticks ----

static uint32_t place_of(const bksi_sync_test *test, bks_tick tick)
{
    return (uint32_t)tick % ((uint32_t)test->depth + 1);
}

static uint32_t slot_of(const bksi_sync_test *test, bks_tick tick)
{
    return bksi_runner_slots(test->runner) + place_of(test, tick);
}

/// Get the snapshot slot for the state of a repeated step, if that state differs from the one of
/// the first step.
static uint32_t spare_slot(const bksi_sync_test *test)
{
    return bksi_runner_slots(test->runner) + (uint32_t)test->depth + 1;
}

static int32_t *inputs_of(const bksi_sync_test *test, bks_tick tick)
{
    return test->inputs + place_of(test, tick) * test->input_count;
}

/// Get the largest number of inputs of one tick.
static size_t inputs_max(const bksi_runner *runner)
{
    return (size_t)bksi_runner_start(runner)->game->players_max *
           bksi_runner_layout(runner)->field_count;
}

bks_status bksi_sync_test_create(bksi_runner *runner, const bks_session *session, uint32_t ticks,
                                 const bks_allocator *allocator, bksi_sync_test **out,
                                 bks_error *error)
{
    const bks_game *game = bksi_runner_start(runner)->game;
    const size_t room = ticks + 1;
    bksi_sync_test *test = *out = bksi_alloc(allocator, sizeof(*test), sizeof(uint64_t));
    if (test != NULL) {
        test->runner = runner;
        test->session = session;
        test->names = (bks_state_names){game->map, game->ranges, game->range_count};
        test->depth = (bks_tick)ticks;
        test->newest = BKS_TICK_NONE;
        test->input_count = inputs_max(runner);
        test->ticks = bksi_alloc(allocator, room * sizeof(kept_tick), sizeof(uint64_t));
        test->inputs = bksi_alloc(allocator, room * test->input_count * sizeof(int32_t), 4);
    }
    if (test == NULL || test->ticks == NULL || test->inputs == NULL) {
        bksi_sync_test_destroy(test, allocator);
        *out = NULL;
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "peer.sync_test", "sync_test_ticks",
                         "no memory for a sync test of %u ticks", ticks);
    }
    return BKS_OK;
}

void bksi_sync_test_destroy(bksi_sync_test *test, const bks_allocator *allocator)
{
    if (test == NULL) {
        return;
    }
    const size_t room = (size_t)test->depth + 1;
    bksi_free(allocator, test->ticks, room * sizeof(kept_tick));
    bksi_free(allocator, test->inputs, room * test->input_count * sizeof(int32_t));
    bksi_free(allocator, test, sizeof(*test));
}

void bksi_sync_test_forget(bksi_sync_test *test)
{
    test->newest = BKS_TICK_NONE;
}

/// Keep the present state as that of a tick.
/// @return false if the game could not save
static bool keep(bksi_sync_test *test, bks_tick tick)
{
    kept_tick *kept = &test->ticks[place_of(test, tick)];
    *kept = (kept_tick){.hash = bksi_runner_hash(test->runner)};
    return bksi_runner_save(test->runner, slot_of(test, tick)) > 0;
}

// ---- marks ----

/// Fill the stack at the place of the next step's variables, so that a step that reads
/// uninitialised variables comes out differently.
static __attribute__((noinline)) void fill_stack(bks_tick tick)
{
    volatile uint64_t below[STACK_FILLED_BYTES / sizeof(uint64_t)];
    const uint64_t pattern = ((uint64_t)(uint32_t)tick + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
        below[i] = pattern;
    }
}

static void reached(void *context, bks_tick tick, const char *name)
{
    bksi_sync_test *test = context;
    if (test->outer.reached != NULL) {
        test->outer.reached(test->outer.context, tick, name);
    }
    const uint32_t index = test->seen_count;
    if (index >= MARKS_MAX) {
        return;
    }
    test->seen[test->seen_count++] = bksi_runner_hash(test->runner);
    const kept_tick *first = test->compared;
    char *mark = test->difference.mark;
    if (first != NULL && mark[0] == '\0' &&
        (index >= first->marks || first->mark_hashes[index] != test->seen[index])) {
        (void)snprintf(mark, sizeof(test->difference.mark), "%s", name);
    }
    if (first != NULL) {
        fill_stack(tick); // fill the stack again, because the hash has overwritten it
    }
}

static void marked(void *context, bks_tick tick, const char *name, uint64_t hash)
{
    const bksi_sync_test *test = context;
    if (test->outer.mark != NULL) {
        test->outer.mark(test->outer.context, tick, name, hash);
    }
}

static void noted(void *context, bks_tick tick, const char *text)
{
    const bksi_sync_test *test = context;
    if (test->outer.note != NULL) {
        test->outer.note(test->outer.context, tick, text);
    }
}

/// Observe the next step, and let `outer` observe it as usual.
static void hear_step(bksi_sync_test *test, bksi_trace_sink outer)
{
    const bksi_trace_sink sink = {.reached = reached,
                                  .mark = outer.mark != NULL ? marked : NULL,
                                  .note = outer.note != NULL ? noted : NULL,
                                  .context = test};
    test->outer = outer;
    test->seen_count = 0;
    bksi_runner_listen(test->runner, &sink);
}

void bksi_sync_test_begin(bksi_sync_test *test, bks_tick tick, const int32_t *inputs)
{
    if (test->newest != tick) {
        test->oldest = tick;
        test->newest = keep(test, tick) ? tick : BKS_TICK_NONE;
    }
    const size_t count = (size_t)bksi_runner_start(test->runner)->players *
                         bksi_runner_layout(test->runner)->field_count;
    memcpy(inputs_of(test, tick), inputs, count * sizeof(int32_t));
    hear_step(test, bksi_runner_listening(test->runner));
}

/// Step from the state that was loaded.
static bks_status step_from_there(bksi_sync_test *test, bks_tick tick)
{
    bks_commands commands[BKS_PLAYERS_MAX];
    const bool has_any = bksi_session_commands(test->session, tick, commands);
    bksi_runner_commands(test->runner, has_any ? commands : NULL);
    fill_stack(tick);
    return bksi_runner_step(test->runner, tick, inputs_of(test, tick));
}

// ---- the difference ----

/// Find the first mark of a step that came out differently, by stepping once more.
static void find_mark(bksi_sync_test *test, bks_tick tick)
{
    kept_tick *first = &test->ticks[place_of(test, tick)];
    const char *otherwise = "(step)";
    if (bksi_runner_load(test->runner, slot_of(test, tick)) == BKS_OK) {
        test->compared = first;
        hear_step(test, (bksi_trace_sink){0});
        const bks_status status = step_from_there(test, tick);
        bksi_runner_listen(test->runner, NULL);
        test->compared = NULL;
        const uint64_t hash = test->ticks[place_of(test, tick + 1)].hash;
        if (status != BKS_OK || bksi_runner_hash(test->runner) != hash) {
            otherwise = "(end)";
        }
    }
    if (test->difference.mark[0] == '\0') {
        (void)snprintf(test->difference.mark, sizeof(test->difference.mark), "%s", otherwise);
    }
}

/// Name the difference between two states at the start of a tick: the kept state of the first step,
/// and the runner's state of the repeated step.
static void name_difference(bksi_sync_test *test, bks_tick tick, uint64_t hash)
{
    bks_sync_difference *out = &test->difference;
    bksi_runner *runner = test->runner;
    const bool is_region = bksi_runner_start(runner)->game->create == NULL;
    const uint64_t address = is_region ? (uint64_t)(uintptr_t)bksi_runner_state(runner) : 0;
    bks_compared_state states[2] = {{.address = address}, {.address = address}};
    (void)bksi_runner_save(runner, spare_slot(test));
    states[0].bytes = bksi_runner_slot(runner, slot_of(test, tick), &states[0].count);
    states[1].bytes = bksi_runner_slot(runner, spare_slot(test), &states[1].count);
    bks_state_difference found;
    (void)bks_state_difference_find(&test->names, &states[0], &states[1], &found);
    out->place = found.place;
    _Static_assert(sizeof(out->values) == sizeof(found.values), "the same room");
    memcpy(out->values, found.values, sizeof(out->values));
    if (strcmp(out->place.field, "hash") == 0 && out->place.use == BKS_MAP_UNNAMED) {
        const uint64_t hashes[2] = {test->ticks[place_of(test, tick)].hash, hash};
        for (uint32_t i = 0; i < 2; i++) {
            (void)snprintf(out->values[i], sizeof(out->values[i]), "%016" PRIx64, hashes[i]);
        }
    }
}

/// Largest numbers of characters of a place, a value and a mark in the sentence that describes a
/// difference, because the sentence must also fit an event.
enum { PLACE_SHOWN = 23, VALUE_SHOWN = 11, MARK_SHOWN = 15 };

/// Shorten a text, with dots at its end.
static const char *shorten(const char *text, size_t shown, char out[32])
{
    const bool fits = strlen(text) <= shown;
    (void)snprintf(out, 32, "%.*s%s", (int)(fits ? shown : shown - 2), text, fits ? "" : "..");
    return out;
}

static void describe(const bks_sync_difference *found, char *out, size_t capacity)
{
    char place[32];
    char values[2][32];
    char mark[32];
    (void)snprintf(out, capacity, "sync test: tick %d: %s %s, again %s, mark %s", (int)found->tick,
                   shorten(found->place.name, PLACE_SHOWN, place),
                   shorten(found->values[0], VALUE_SHOWN, values[0]),
                   shorten(found->values[1], VALUE_SHOWN, values[1]),
                   shorten(found->mark, MARK_SHOWN, mark));
}

/// Report a step that came out differently, and load the present state as the first step made it.
static bks_status fail(bksi_sync_test *test, bks_tick tick)
{
    const bks_sync_difference *found = &test->difference;
    test->is_found = true;
    test->difference.tick = tick;
    test->difference.found_tick = test->newest;
    find_mark(test, tick);
    (void)bksi_runner_load(test->runner, slot_of(test, test->newest));
    describe(found, test->problem, sizeof(test->problem));
    const char *game = bksi_runner_start(test->runner)->game->name;
    bksi_log(
        BKS_LOG_ERROR, "peer.sync_test",
        "%.30s differs when tick %d is taken back from tick %d and stepped again, first at the "
        "mark %.63s",
        game, (int)tick, (int)test->newest, found->mark);
    bksi_log(BKS_LOG_ERROR, "peer.sync_test", "%.60s was %.45s at first, is %.45s then",
             found->place.name, found->values[0], found->values[1]);
    if (found->place.use == BKS_MAP_UNNAMED && test->names.map == NULL) {
        bksi_log(
            BKS_LOG_ERROR, "peer.sync_test",
            "no field is named without bks_game.map: 'bks play PLUGIN.so --sync-test %d' names "
            "it, 'bks games --map PLUGIN.so --as-c' writes the map",
            (int)test->depth);
    }
    return BKS_ERR_GAME;
}

/// Report a step that succeeded at first and failed when repeated.
static bks_status fail_step(bksi_sync_test *test, bks_tick tick)
{
    bks_map_place *place = &test->difference.place;
    *place = (bks_map_place){.use = BKS_MAP_UNNAMED, .type = UINT32_MAX};
    (void)snprintf(place->object, sizeof(place->object), "(step)");
    (void)snprintf(place->name, sizeof(place->name), "(step)");
    (void)snprintf(test->difference.values[0], sizeof(test->difference.values[0]), "good");
    (void)snprintf(test->difference.values[1], sizeof(test->difference.values[1]), "failed: %s",
                   bksi_runner_problem(test->runner));
    return fail(test, tick);
}

/// Report that the game cannot save or load a state, which a rollback needs.
static bks_status fail_snapshot(bksi_sync_test *test, const char *what)
{
    const char *problem = bksi_runner_problem(test->runner);
    (void)snprintf(test->problem, sizeof(test->problem), "sync test: %s",
                   problem != NULL ? problem : what);
    return BKS_ERR_GAME;
}

// ---- stepping again ----

static bks_status step_again(bksi_sync_test *test, bks_tick tick)
{
    if (step_from_there(test, tick) != BKS_OK) {
        return fail_step(test, tick);
    }
    const uint64_t hash = bksi_runner_hash(test->runner);
    if (hash != test->ticks[place_of(test, tick + 1)].hash) {
        name_difference(test, tick + 1, hash);
        return fail(test, tick);
    }
    return BKS_OK;
}

static bks_status go_back(bksi_sync_test *test)
{
    if (bksi_runner_load(test->runner, slot_of(test, test->oldest)) != BKS_OK) {
        return fail_snapshot(test, "the game could not load");
    }
    bks_status status = BKS_OK;
    for (bks_tick tick = test->oldest; tick < test->newest && status == BKS_OK; tick++) {
        status = step_again(test, tick);
    }
    return status;
}

/// Keep the marks of the newest tick, whose step was observed.
static void keep_marks(bksi_sync_test *test)
{
    kept_tick *kept = &test->ticks[place_of(test, test->newest)];
    kept->marks = test->seen_count;
    memcpy(kept->mark_hashes, test->seen, test->seen_count * sizeof(uint64_t));
}

/// Keep the state after the step in place of the oldest one.
static bool keep_next(bksi_sync_test *test)
{
    test->newest++;
    test->oldest += test->newest - test->oldest > test->depth ? 1 : 0;
    return keep(test, test->newest);
}

bks_status bksi_sync_test_end(bksi_sync_test *test, bks_status stepped)
{
    const bksi_trace_sink outer = test->outer;
    bks_status status = stepped;
    bksi_runner_listen(test->runner, NULL);
    if (stepped != BKS_OK) {
        bksi_sync_test_forget(test);
    } else if (test->newest == BKS_TICK_NONE) {
        status = fail_snapshot(test, "the game could not save");
    } else {
        keep_marks(test);
        status = keep_next(test) ? go_back(test) : fail_snapshot(test, "the game could not save");
    }
    bksi_runner_listen(test->runner, &outer);
    return status;
}

const char *bksi_sync_test_problem(const bksi_sync_test *test)
{
    return test->problem[0] != '\0' ? test->problem : NULL;
}

const bks_sync_difference *bksi_sync_test_difference(const bksi_sync_test *test)
{
    return test->is_found ? &test->difference : NULL;
}
