// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/variant_process.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/process.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/processes/hashed_value.h"
#include "diagnose/processes/line_search.h"
#include "map/state_names.h"

/// Largest size of the commands of a tick, of all players together, in bytes.
enum { COMMANDS_BYTES = BKS_PLAYERS_MAX * 2 * (2 + BKS_COMMAND_BYTES_MAX) };

/// Commands of all players at one tick.
typedef struct check_commands {
    bks_commands by_player[BKS_PLAYERS_MAX]; ///< commands by player, in `bytes`
    uint8_t bytes[COMMANDS_BYTES];
} check_commands;

// Commands of the last CHECK_HISTORY ticks, by tick modulo CHECK_HISTORY. Static, because memory
// from the heap would move what the game allocates.
static check_commands commands_of[CHECK_HISTORY];

bool variant_has_found(const variant_process *variant)
{
    return variant->tape->result.same == CHECK_DIFFERS;
}

void variant_find(variant_process *variant, bks_tick tick, const char *mark, const char *a,
                  const char *text)
{
    check_result *result = &variant->tape->result;
    if (result->same == CHECK_DIFFERS) {
        return;
    }
    line_search_found(variant->tape);
    result->same = CHECK_DIFFERS;
    result->found = (check_finding){
        .tick = tick, .mark_index = variant->next_mark > 0 ? variant->next_mark - 1 : 0};
    variant->tape->found_section = variant->tape->section;
    TEXT_SET(result->found.mark, "%s", mark);
    TEXT_SET(result->found.a, "%s", a);
    TEXT_SET(result->found.b, "%s", text);
}

// Choose the bytes to watch: the first byte that differs, with as many neighbours in the same field
// as one watchpoint covers.
static void choose_bytes(const bks_compared_state *a, const bks_compared_state *b,
                         const bks_map_place *place, check_bytes *out)
{
    const uint8_t *ours = a->bytes;
    const uint8_t *theirs = b->bytes;
    uint64_t at = place->begin_bytes;
    while (at < place->end_bytes && at < a->count && at < b->count && ours[at] == theirs[at]) {
        at++;
    }
    if (at >= place->end_bytes || at >= a->count || at >= b->count) {
        return;
    }
    *out = (check_bytes){.offset = at, .bytes = 1};
    for (uint32_t bytes = 2; bytes <= sizeof(uint64_t); bytes *= 2) {
        const uint64_t begin = at / bytes * bytes;
        if (begin >= place->begin_bytes && begin + bytes <= place->end_bytes) {
            *out = (check_bytes){.offset = begin, .bytes = bytes};
        }
    }
}

// Return true if a saved state is a plain copy of the memory at the state's address. The state in
// memory may be smaller than the copy, so read the memory by a system call, which fails where a
// direct read would crash.
static bool is_saved_as_it_is(const bks_compared_state *state)
{
#ifdef __linux__
    const uint8_t *saved = state->bytes;
    uint8_t part[4096];
    for (size_t at = 0; at < state->count; at += sizeof(part)) {
        const size_t left = state->count - at;
        const size_t count = left < sizeof(part) ? left : sizeof(part);
        if (process_read(getpid(), state->address + at, part, count) != count ||
            memcmp(part, saved + at, count) != 0) {
            return false;
        }
    }
    return state->count > 0;
#else
    (void)state;
    return false;
#endif
}

void variant_name(const loaded_game *game, const bks_compared_state *a, const bks_compared_state *b,
                  check_finding *found)
{
    state_names names;
    state_difference *first = &found->values;
    state_names_find(game, &names);
    if (!state_difference_find(&names, a, b, first)) {
        return;
    }
    TEXT_SET(found->object, "%s", first->place.object);
    TEXT_SET(found->field, "%s", first->place.field);
    TEXT_SET(found->note, "%s", first->note);
    TEXT_SET(found->a, "%s", first->a);
    TEXT_SET(found->b, "%s", first->b);
    const bks_state_map *map = names.names.map;
    found->is_pointer = map != NULL && first->place.type < map->type_count &&
                        map->types[first->place.type].kind == BKS_MAP_POINTER &&
                        game->game->hash == NULL; // the game's own hash may leave out pointers
    if (game->game->save == NULL || is_saved_as_it_is(b)) {
        choose_bytes(a, b, &first->place, &found->watched[0]);
    }
}

// Return true if the watched bytes are a whole number and nothing else.
static bool is_whole(const state_names *names, const bks_map_place *place,
                     const check_bytes *watched)
{
    return state_place_is_number(names, place) && place->bits == 0 &&
           watched->bytes == place->end_bytes - place->begin_bytes;
}

// Choose the bytes of other values to watch beside those of the first: numbers, any of which may
// have been written differently first, except those that the game's own hash leaves out.
static void choose_others(const variant_process *variant, const state_names *names,
                          const bks_compared_state *a, const bks_compared_state *b,
                          check_finding *found)
{
    const state_difference *values = &found->values;
    if (!is_whole(names, &values->place, &found->watched[0])) {
        return;
    }
    for (uint32_t i = 1; i < CHECK_WATCHED_MAX && i <= values->also_count; i++) {
        const bks_map_place *place = &values->also[i - 1].place;
        choose_bytes(a, b, place, &found->watched[i]);
        if (!is_whole(names, place, &found->watched[i]) ||
            !hashed_value_is_read(&variant->stepper, b, place, a->bytes)) {
            found->watched[i] = (check_bytes){0};
        }
    }
}

// Name the field that differs. First return to the original working folder and to the locale "C",
// because a variant may have changed both.
static void name_bytes(variant_process *variant, const uint8_t *expected, size_t expected_count,
                       size_t count)
{
    uint8_t *compared = malloc(expected_count);
    state_names names;
    const bks_compared_state b = {.bytes = variant->bytes,
                                  .count = count,
                                  .address = stepper_addresses(&variant->stepper).state};
    (void)setlocale(LC_ALL, "C");
    if (compared != NULL && variant->folder[0] != '\0' && chdir(variant->folder) == 0) {
        const bks_compared_state a = {
            .bytes = compared, .count = expected_count, .address = variant->tape->baseline.state};
        memcpy(compared, expected, expected_count);
        if (count == expected_count) {
            state_names_find(&variant->stepper.game, &names);
            if (!hashed_value_first(&variant->stepper, &names, &b, compared)) {
                memcpy(compared, expected, expected_count); // name the first that differs
            }
        }
        check_finding *found = &variant->tape->result.found;
        variant_name(&variant->stepper.game, &a, &b, found);
        if (count == expected_count && !variant->has_unnamed) {
            choose_others(variant, &names, &a, &b, found);
        }
    }
    free(compared);
    variant->has_unnamed = false;
}

void variant_compare_bytes(variant_process *variant, const char *mark, const uint8_t *expected,
                           size_t count)
{
    const size_t own = stepper_bytes(&variant->stepper, variant->bytes, variant->bytes_capacity);
    if (!variant_has_found(variant) &&
        (own != count || memcmp(variant->bytes, expected, count) != 0)) {
        variant_find(variant, variant->tape->tick, mark, "", "");
        name_bytes(variant, expected, count, own);
    }
}

// Record that the game's hashes differ. The field is not known until the bytes of the state differ,
// too.
static void find_by_hash(variant_process *variant, const check_mark *mark, uint64_t own)
{
    char a[40];
    char b[40];
    TEXT_SET(a, "hash %016" PRIx64, mark->hash);
    TEXT_SET(b, "hash %016" PRIx64, own);
    variant_find(variant, variant->tape->tick, mark->name, a, b);
    TEXT_SET(variant->tape->result.found.note, "%s",
             mark->count > 0 ? "the game's hash differs, the bytes of its state do not: hash "
                               "reads what they leave out"
                             : "the game's hash differs, and save wrote nothing to compare");
    variant->has_unnamed = true;
}

// Name the bytes that differ. This is the first mark at which bytes differ; the hashes differed
// already at an earlier mark of the same tick.
static void name_late(variant_process *variant, const check_mark *mark, size_t own)
{
    check_finding *found = &variant->tape->result.found;
    name_bytes(variant, check_tape_states(variant->tape) + mark->begin_bytes, (size_t)mark->count,
               own);
    char note[sizeof(found->note)];
    TEXT_SET(note,
             "where and values are those at the mark %.60s: at the mark %.60s hash differs, "
             "the bytes of the state do not yet",
             mark->name, found->mark);
    TEXT_SET(found->note, "%s", note);
}

// Compare the state at a mark with the baseline's state on the tape.
static void compare_mark(variant_process *variant, const check_mark *mark)
{
    const check_stepper *stepper = &variant->stepper;
    const size_t own = stepper_bytes(stepper, variant->bytes, variant->bytes_capacity);
    const uint8_t *expected = check_tape_states(variant->tape) + mark->begin_bytes;
    const bool has_hash = stepper_has_hash(stepper);
    const uint64_t hash = has_hash ? bks_runner_hash(stepper->runner) : 0;
    const bool is_seen = // some games cannot save within a step: without bytes, compare only hashes
        has_hash && (own == 0 || mark->count == 0)
            ? false
            : own != mark->count || memcmp(variant->bytes, expected, own) != 0;
    const bool is_first = !variant_has_found(variant);
    if (is_first && (has_hash ? hash == mark->hash : !is_seen)) {
        return;
    }
    if (is_first && is_seen) {
        variant_find(variant, variant->tape->tick, mark->name, "", "");
        name_bytes(variant, expected, (size_t)mark->count, own);
    } else if (is_first) {
        find_by_hash(variant, mark, hash);
    } else if (variant->has_unnamed && is_seen) {
        name_late(variant, mark, own);
    }
}

// Find inputs that the step has changed. Here the change is harmless, because the library gives a
// step a copy of its inputs. But other rollback libraries may pass the originals.
static void compare_inputs(variant_process *variant, const char *mark)
{
    const bks_game *game = variant->stepper.game.game;
    const int32_t *given = variant_inputs(variant, variant->tape->tick);
    const int32_t *left = stepper_inputs();
    const uint32_t count = variant->stepper.players * game->field_count;
    uint32_t i = 0;
    while (i < count && given[i] == left[i]) {
        i++;
    }
    if (i == count || variant_has_found(variant)) {
        return;
    }
    char a[16];
    char b[16];
    TEXT_SET(a, "%" PRId32, given[i]);
    TEXT_SET(b, "%" PRId32, left[i]);
    variant_find(variant, variant->tape->tick, mark, a, b);
    check_finding *found = &variant->tape->result.found;
    TEXT_SET(found->object, "inputs[%" PRIu32 "]", i / game->field_count);
    TEXT_SET(found->field, "%s", game->fields[i % game->field_count].name);
    TEXT_SET(found->note, "the step writes its inputs, and so what it would be stepped with again");
    found->is_input = true;
    found->watched[0] = (check_bytes){.offset = i * sizeof(*left), .bytes = sizeof(*left)};
}

static void compare(variant_process *variant, const char *name)
{
    check_tape *tape = variant->tape;
    if (variant->kind->compare != NULL) {
        variant->kind->compare(variant, tape->tick, name);
        return;
    }
    if (variant_has_found(variant) && !variant->has_unnamed) {
        return;
    }
    const check_mark *mark =
        variant->next_mark < tape->mark_count ? &tape->marks[variant->next_mark] : NULL;
    variant->next_mark++;
    if (mark == NULL || strncmp(mark->name, name, sizeof(mark->name) - 1) != 0) {
        char a[160];
        char b[160];
        TEXT_SET(a, "reaches the mark %s", mark != NULL ? mark->name : CHECK_MARK_END);
        TEXT_SET(b, "reaches the mark %.100s", name);
        variant_find(variant, tape->tick, mark != NULL ? mark->name : CHECK_MARK_END, a, b);
        return;
    }
    if (variant->kind->before_compare != NULL) {
        variant->kind->before_compare(variant);
    }
    if (variant->kind->keeps_inputs && variant->tape->compares) {
        compare_inputs(variant, name);
    }
    compare_mark(variant, mark);
    if (variant->kind->after_compare != NULL) {
        variant->kind->after_compare(variant);
    }
}

static void begin_section(variant_process *variant)
{
    variant->tape->section++;
    line_search_section(variant->tape);
    variant->tape->is_in_game = true;
}

static void hear_mark(void *context, bks_tick tick, const char *name)
{
    (void)tick;
    variant_process *variant = context;
    variant->tape->is_in_game = false;
    TEXT_SET(variant->tape->reached, "%s", name);
    if (variant->tape->compares) {
        compare(variant, name);
    }
    begin_section(variant);
}

const int32_t *variant_inputs(const variant_process *variant, bks_tick tick)
{
    return variant->history[(uint32_t)tick % CHECK_HISTORY];
}

const bks_commands *variant_commands(bks_tick tick)
{
    return commands_of[(uint32_t)tick % CHECK_HISTORY].by_player;
}

static void step_game(variant_process *variant, bks_tick tick, const int32_t *inputs, char why[160])
{
    static const bks_commands none[BKS_PLAYERS_MAX];
    variant->tape->reached[0] = '\0';
    stepper_step(&variant->stepper, tick, inputs,
                 tick <= variant->tape->tick ? variant_commands(tick) : none, why);
    variant->tape->is_in_game = false;
}

bool variant_step_blind(variant_process *variant, bks_tick tick, const int32_t *inputs,
                        char why[160])
{
    variant->tape->compares = false;
    step_game(variant, tick, inputs, why);
    begin_section(variant);
    return why[0] == '\0';
}

void variant_step(variant_process *variant, bks_tick tick)
{
    check_tape *tape = variant->tape;
    char why[160];
    tape->compares = true;
    // take_start() has already compared the state before the first step.
    variant->next_mark = tape->has_start ? 1 : 0;
    if (variant->kind->reloads) {
        stepper_reload(&variant->stepper, tick);
    }
    step_game(variant, tick, variant_inputs(variant, tick), why);
    if (strcmp(why, tape->failed) != 0) {
        variant_find(variant, tick, CHECK_MARK_END,
                     tape->failed[0] != '\0' ? tape->failed : "the step succeeds",
                     why[0] != '\0' ? why : "the step succeeds");
    } else if (why[0] == '\0') {
        compare(variant, CHECK_MARK_END);
    }
    variant->has_unnamed = false;
    tape->compares = false;
    begin_section(variant);
}

void variant_step_counted(variant_process *variant, bks_tick tick)
{
    variant_step(variant, tick);
    variant->tape->result.perturbed++;
}

// Make the state. If this fails, destroy the variant's second copy of the game and try again,
// because some games can exist only once in a process.
static int start_side(variant_process *variant)
{
    int status = stepper_start(&variant->stepper, hear_mark, variant);
    if (status != TOOL_OK && variant->other != NULL) {
        bks_runner_destroy(variant->other);
        variant->other = NULL;
        TEXT_SET(variant->tape->result.why, "%s", CHECK_ONE_IN_A_PROCESS);
        status = stepper_start(&variant->stepper, hear_mark, variant);
    }
    return status;
}

// Make later allocations get the same addresses as in the baseline, although the processes have
// allocated different amounts so far. Do nothing for variants at random addresses or under
// valgrind, which has its own heap.
static void settle(const variant_process *variant)
{
    if ((variant->kind->process & (CHECK_WATCHED | CHECK_MOVED)) == 0) {
        heap_settle();
    }
}

static int open_variant(variant_process *variant, const check_options *options)
{
    const check_variant *kind = variant->kind;
    if (getcwd(variant->folder, sizeof(variant->folder)) == NULL) {
        variant->folder[0] = '\0';
    }
    if (kind->before_load != NULL) {
        kind->before_load(variant);
    }
    settle(variant);
    int status = stepper_load(&variant->stepper, options);
    if (status == TOOL_OK && kind->after_load != NULL) {
        kind->after_load(variant);
    }
    if (status != TOOL_OK) {
        return status;
    }
    if (start_side(variant) != TOOL_OK) {
        return TOOL_NO; // a failure is a difference, because the baseline did not fail
    }
    variant->bytes_capacity = variant->stepper.state_bytes_max;
    variant->bytes = malloc(variant->bytes_capacity);
    const char *why = variant->bytes == NULL  ? "does not fit into memory"
                      : kind->why_not != NULL ? kind->why_not(variant)
                                              : NULL;
    if (why != NULL) {
        TEXT_SET(variant->tape->result.why, "%s", why);
    }
    return TOOL_OK;
}

// Add a note to the finding if saved bytes differ although the hash of the loaded state is the
// same.
static void note_equal_hash(variant_process *variant, const check_mark *start)
{
    if (variant_has_found(variant) && stepper_has_hash(&variant->stepper) &&
        bks_runner_hash(variant->stepper.runner) == start->hash) {
        check_finding *found = &variant->tape->result.found;
        TEXT_SET(found->note,
                 "the game's hash is the same: save writes what load took up in another order, "
                 "or what hash leaves out; let the state decide the order");
    }
}

// Import the baseline's state from the tape if the variant or the span asks for it. Then compare
// the state before the first step.
static void take_start(variant_process *variant)
{
    check_tape *tape = variant->tape;
    const check_mark *start = &tape->marks[0];
    if (variant->kind->imports || tape->span.state_bytes > 0) {
        bks_error error = {0};
        if (bks_runner_import(variant->stepper.runner, check_tape_states(tape),
                              (size_t)start->count, &error) != BKS_OK) {
            variant_find(variant, tape->tick, CHECK_MARK_START, "is saved", error.text);
            return;
        }
        tape->result.perturbed += variant->kind->imports ? 1 : 0;
        variant_compare_bytes(variant, CHECK_MARK_START, check_tape_states(tape),
                              (size_t)start->count);
        note_equal_hash(variant, start);
    }
    variant->next_mark = 0;
    compare(variant, CHECK_MARK_START);
}

// Append the hash of the state to the tape's check_span. First undo what the variant itself has
// changed in the state, and afterwards change it again.
static void note_hash(variant_process *variant)
{
    const check_variant *kind = variant->kind;
    if (kind->before_compare != NULL && kind->after_compare != NULL) {
        kind->before_compare(variant);
    }
    check_tape_hash(variant->tape, 1, variant->stepper.runner);
    if (kind->before_compare != NULL && kind->after_compare != NULL) {
        kind->after_compare(variant);
    }
}

// Map more of the tape if the current tick needs more of it than is mapped.
static bool follow_tape(variant_process *variant, const check_task *task)
{
    if (variant->mapped_bytes > 0) {
        variant->tape = check_tape_follow(variant->tape, task->tape, &variant->mapped_bytes);
    }
    return variant->tape != NULL;
}

// Copy the commands of the tick that is on the tape.
static void take_commands(check_tape *tape)
{
    check_commands *own = &commands_of[(uint32_t)tape->tick % CHECK_HISTORY];
    uint8_t *at = own->bytes;
    check_tape_commands(tape, own->by_player);
    for (uint32_t p = 0; p < BKS_PLAYERS_MAX; p++) {
        memcpy(at, own->by_player[p].bytes, own->by_player[p].count);
        own->by_player[p].bytes = at;
        at += own->by_player[p].count;
    }
}

// Step the tick that is on the tape.
static void take_tick(variant_process *variant)
{
    check_tape *tape = variant->tape;
    const size_t values = (size_t)variant->stepper.players *
                          variant->stepper.game.game->field_count * sizeof(int32_t);
    tape->reached[0] = '\0';
    tape->is_in_variant = true;
    begin_section(variant);
    memcpy(variant->history[(uint32_t)tape->tick % CHECK_HISTORY], tape->inputs, values);
    take_commands(tape);
    variant->kind->step(variant, tape->tick);
    note_hash(variant);
    tape->is_in_variant = false;
    tape->is_in_game = false;
    line_search_done(tape);
}

int variant_main(const check_options *options, const check_variant *kind, const check_task *task,
                 check_tape *tape, size_t mapped_bytes)
{
    static variant_process variant;
    variant = (variant_process){
        .kind = kind, .tape = tape, .mapped_bytes = mapped_bytes, .stepper = {.options = options}};
    const int status = open_variant(&variant, options);
    if (status != TOOL_OK) {
        return status;
    }
    tape->variant = stepper_addresses(&variant.stepper);
    if (tape->result.why[0] == '\0') {
        take_start(&variant);
        note_hash(&variant);
    }
    settle(&variant);
    while (check_pipe_answer(&task->pipe) && follow_tape(&variant, task)) {
        take_tick(&variant);
    }
    if (variant.other != NULL) {
        bks_runner_destroy(variant.other);
    }
    stepper_close(&variant.stepper);
    free(variant.bytes);
    return TOOL_OK;
}
