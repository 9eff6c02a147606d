// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/check_guest.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/tool.h"
#include "diagnose/processes/check_name.h"
#include "diagnose/processes/check_narrow.h"

bool check_guest_has_found(const check_guest *guest)
{
    return guest->tape->result.same == CHECK_DIFFERS;
}

void check_guest_find(check_guest *guest, bks_tick tick, const char *mark, const char *a,
                      const char *text)
{
    check_result *result = &guest->tape->result;
    if (result->same == CHECK_DIFFERS) {
        return;
    }
    result->same = CHECK_DIFFERS;
    result->found = (check_finding){.tick = tick,
                                    .mark_index = guest->next_mark > 0 ? guest->next_mark - 1 : 0};
    guest->tape->found_section = guest->tape->section;
    (void)snprintf(result->found.mark, sizeof(result->found.mark), "%s", mark);
    (void)snprintf(result->found.a, sizeof(result->found.a), "%s", a);
    (void)snprintf(result->found.b, sizeof(result->found.b), "%s", text);
}

// Name what differs. A variant may have moved the process elsewhere, where the game's file is not
// found and numbers are written in other ways.
static void name_bytes(check_guest *guest, const uint8_t *expected, size_t expected_count,
                       size_t count)
{
    const bks_compared_state a = {
        .bytes = expected, .count = expected_count, .address = guest->tape->addresses.state};
    const bks_compared_state b = {
        .bytes = guest->bytes, .count = count, .address = check_side_addresses(&guest->side).state};
    (void)setlocale(LC_ALL, "C");
    if (guest->folder[0] != '\0' && chdir(guest->folder) == 0) {
        check_name(&guest->side.game, &a, &b, &guest->tape->result.found);
    }
    guest->has_unnamed = false;
}

void check_guest_compare_bytes(check_guest *guest, const char *mark, const uint8_t *expected,
                               size_t count)
{
    const size_t own = check_side_bytes(&guest->side, guest->bytes, guest->bytes_capacity);
    if (!check_guest_has_found(guest) &&
        (own != count || memcmp(guest->bytes, expected, count) != 0)) {
        check_guest_find(guest, guest->tape->tick, mark, "", "");
        name_bytes(guest, expected, count, own);
    }
}

// A difference that only the game's own hash shows has no field until the bytes differ, too.
static void find_by_hash(check_guest *guest, const check_mark *mark, uint64_t own)
{
    char a[40];
    char b[40];
    (void)snprintf(a, sizeof(a), "hash %016" PRIx64, mark->hash);
    (void)snprintf(b, sizeof(b), "hash %016" PRIx64, own);
    check_guest_find(guest, guest->tape->tick, mark->name, a, b);
    (void)snprintf(guest->tape->result.found.note, sizeof(guest->tape->result.found.note), "%s",
                   mark->count > 0 ? "the game's hash differs, the bytes of its state do not: hash "
                                     "reads what they leave out"
                                   : "the game's hash differs, and save wrote nothing to compare");
    guest->has_unnamed = true;
}

// The bytes that differ at a later mark of the same tick.
static void name_late(check_guest *guest, const check_mark *mark, size_t own)
{
    check_finding *found = &guest->tape->result.found;
    name_bytes(guest, check_tape_states(guest->tape) + mark->begin_bytes, (size_t)mark->count, own);
    char note[sizeof(found->note)];
    (void)snprintf(note, sizeof(note),
                   "where and values are those at the mark %.60s: at the mark %.60s hash differs, "
                   "the bytes of the state do not yet",
                   mark->name, found->mark);
    (void)snprintf(found->note, sizeof(found->note), "%s", note);
}

// The state at a mark against that of the tape.
static void compare_mark(check_guest *guest, const check_mark *mark)
{
    const check_side *side = &guest->side;
    const size_t own = check_side_bytes(side, guest->bytes, guest->bytes_capacity);
    const uint8_t *expected = check_tape_states(guest->tape) + mark->begin_bytes;
    const bool has_hash = check_side_has_hash(side);
    const uint64_t hash = has_hash ? bks_runner_hash(side->runner) : 0;
    const bool is_seen = // in the bytes; a game may be unable to save in the midst of a step
        has_hash && (own == 0 || mark->count == 0)
            ? false
            : own != mark->count || memcmp(guest->bytes, expected, own) != 0;
    const bool is_first = !check_guest_has_found(guest);
    if (is_first && (has_hash ? hash == mark->hash : !is_seen)) {
        return;
    }
    if (is_first && is_seen) {
        check_guest_find(guest, guest->tape->tick, mark->name, "", "");
        name_bytes(guest, expected, (size_t)mark->count, own);
    } else if (is_first) {
        find_by_hash(guest, mark, hash);
    } else if (guest->has_unnamed && is_seen) {
        name_late(guest, mark, own);
    }
}

// The library hands a step a copy of its inputs, so that what it writes there is gone when it is
// stepped again; another engine may not.
static void compare_inputs(check_guest *guest, const char *mark)
{
    const bks_game *game = guest->side.game.game;
    const int32_t *given = check_guest_inputs(guest, guest->tape->tick);
    const int32_t *left = check_side_handed();
    const uint32_t count = guest->side.players * game->field_count;
    uint32_t i = 0;
    while (i < count && given[i] == left[i]) {
        i++;
    }
    if (i == count || check_guest_has_found(guest)) {
        return;
    }
    char a[16];
    char b[16];
    (void)snprintf(a, sizeof(a), "%" PRId32, given[i]);
    (void)snprintf(b, sizeof(b), "%" PRId32, left[i]);
    check_guest_find(guest, guest->tape->tick, mark, a, b);
    check_finding *found = &guest->tape->result.found;
    (void)snprintf(found->object, sizeof(found->object), "inputs[%" PRIu32 "]",
                   i / game->field_count);
    (void)snprintf(found->field, sizeof(found->field), "%s",
                   game->fields[i % game->field_count].name);
    (void)snprintf(found->note, sizeof(found->note),
                   "the step writes its inputs, and so what it would be stepped with again");
    found->is_input = true;
    found->offset = i * sizeof(*left);
    found->bytes = sizeof(*left);
}

static void compare(check_guest *guest, const char *name)
{
    check_tape *tape = guest->tape;
    if (guest->variant->marked != NULL) {
        guest->variant->marked(guest, tape->tick, name);
        return;
    }
    if (check_guest_has_found(guest) && !guest->has_unnamed) {
        return;
    }
    const check_mark *mark =
        guest->next_mark < tape->mark_count ? &tape->marks[guest->next_mark] : NULL;
    guest->next_mark++;
    if (mark == NULL || strncmp(mark->name, name, sizeof(mark->name) - 1) != 0) {
        char a[160];
        char b[160];
        (void)snprintf(a, sizeof(a), "reaches the mark %s",
                       mark != NULL ? mark->name : CHECK_MARK_END);
        (void)snprintf(b, sizeof(b), "reaches the mark %.100s", name);
        check_guest_find(guest, tape->tick, mark != NULL ? mark->name : CHECK_MARK_END, a, b);
        return;
    }
    if (guest->variant->calm != NULL) {
        guest->variant->calm(guest);
    }
    if (guest->variant->keeps_inputs && guest->compares) {
        compare_inputs(guest, name);
    }
    compare_mark(guest, mark);
    if (guest->variant->stir != NULL) {
        guest->variant->stir(guest);
    }
}

static void begin_section(check_guest *guest)
{
    guest->tape->section++;
    guest->tape->is_in_game = true;
}

static void hear_mark(void *context, bks_tick tick, const char *name)
{
    (void)tick;
    check_guest *guest = context;
    guest->tape->is_in_game = false;
    (void)snprintf(guest->tape->reached, sizeof(guest->tape->reached), "%s", name);
    if (guest->compares) {
        compare(guest, name);
    }
    begin_section(guest);
}

const int32_t *check_guest_inputs(const check_guest *guest, bks_tick tick)
{
    return guest->history[(uint32_t)tick % CHECK_HISTORY];
}

static void step_game(check_guest *guest, bks_tick tick, const int32_t *inputs, char why[160])
{
    guest->tape->reached[0] = '\0';
    check_side_step(&guest->side, tick, inputs, why);
    guest->tape->is_in_game = false;
}

bool check_guest_step_blind(check_guest *guest, bks_tick tick, const int32_t *inputs, char why[160])
{
    guest->compares = false;
    step_game(guest, tick, inputs, why);
    begin_section(guest);
    return why[0] == '\0';
}

void check_guest_step(check_guest *guest, bks_tick tick)
{
    check_tape *tape = guest->tape;
    char why[160];
    guest->compares = true;
    // The state before the step was compared when the guest began.
    guest->next_mark = tape->has_start ? 1 : 0;
    if (guest->variant->reloads) {
        check_side_reload(&guest->side, tick);
    }
    step_game(guest, tick, check_guest_inputs(guest, tick), why);
    if (strcmp(why, tape->failed) != 0) {
        check_guest_find(guest, tick, CHECK_MARK_END,
                         tape->failed[0] != '\0' ? tape->failed : "the step succeeds",
                         why[0] != '\0' ? why : "the step succeeds");
    } else if (why[0] == '\0') {
        compare(guest, CHECK_MARK_END);
    }
    guest->has_unnamed = false;
    guest->compares = false;
    begin_section(guest);
}

// Some engines exist once in a process: the other copy gives way.
static int start_side(check_guest *guest)
{
    int status = check_side_start(&guest->side, hear_mark, guest);
    if (status != TOOL_OK && guest->other != NULL) {
        bks_runner_destroy(guest->other);
        guest->other = NULL;
        (void)snprintf(guest->tape->result.why, sizeof(guest->tape->result.why), "%s",
                       CHECK_ONE_IN_A_PROCESS);
        status = check_side_start(&guest->side, hear_mark, guest);
    }
    return status;
}

// What was taken until now is not the same in both processes. One that is to lie elsewhere shall
// not come to lie at round addresses, and what valgrind lays out is its own.
static void settle(const check_guest *guest)
{
    if ((guest->variant->process & (CHECK_WATCHED | CHECK_MOVED)) == 0) {
        heap_settle();
    }
}

static int open_guest(check_guest *guest, const check_options *options)
{
    const check_variant *variant = guest->variant;
    if (getcwd(guest->folder, sizeof(guest->folder)) == NULL) {
        guest->folder[0] = '\0';
    }
    if (variant->prepare != NULL) {
        variant->prepare(guest);
    }
    settle(guest);
    int status = check_side_load(&guest->side, options);
    if (status == TOOL_OK && variant->loaded != NULL) {
        variant->loaded(guest);
    }
    if (status != TOOL_OK) {
        return status;
    }
    if (start_side(guest) != TOOL_OK) {
        return TOOL_NO; // the baseline could: a difference
    }
    guest->bytes_capacity = guest->side.state_bytes_max;
    guest->bytes = malloc(guest->bytes_capacity);
    const char *why = guest->bytes == NULL       ? "does not fit into memory"
                      : variant->why_not != NULL ? variant->why_not(guest)
                                                 : NULL;
    if (why != NULL) {
        (void)snprintf(guest->tape->result.why, sizeof(guest->tape->result.why), "%s", why);
    }
    return TOOL_OK;
}

// What load took up is saved otherwise, though the game's hash is the same.
static void note_equal_hash(check_guest *guest, const check_mark *start)
{
    if (check_guest_has_found(guest) && check_side_has_hash(&guest->side) &&
        bks_runner_hash(guest->side.runner) == start->hash) {
        check_finding *found = &guest->tape->result.found;
        (void)snprintf(
            found->note, sizeof(found->note),
            "the game's hash is the same: save writes what load took up in another order, "
            "or what hash leaves out; let the state decide the order");
    }
}

// Take up the state that the baseline left on the tape: that of `init`, or one to run on from.
static void take_start(check_guest *guest)
{
    check_tape *tape = guest->tape;
    const check_mark *start = &tape->marks[0];
    if (guest->variant->imports || tape->span.state_bytes > 0) {
        bks_error error = {0};
        if (bks_runner_import(guest->side.runner, check_tape_states(tape), (size_t)start->count,
                              &error) != BKS_OK) {
            check_guest_find(guest, tape->tick, CHECK_MARK_START, "is saved", error.text);
            return;
        }
        tape->result.perturbed += guest->variant->imports ? 1 : 0;
        check_guest_compare_bytes(guest, CHECK_MARK_START, check_tape_states(tape),
                                  (size_t)start->count);
        note_equal_hash(guest, start);
    }
    guest->next_mark = 0;
    compare(guest, CHECK_MARK_START);
}

// The hash of the state without what the variant stirs.
static void note_hash(check_guest *guest)
{
    const check_variant *variant = guest->variant;
    if (variant->calm != NULL && variant->stir != NULL) {
        variant->calm(guest);
    }
    check_tape_hash(guest->tape, 1, guest->side.runner);
    if (variant->calm != NULL && variant->stir != NULL) {
        variant->stir(guest);
    }
}

// What the tick left on the tape may be more than ever before.
static bool follow_tape(check_guest *guest, const check_seat *seat)
{
    if (guest->mapped_bytes > 0) {
        guest->tape = check_tape_follow(guest->tape, seat->tape, &guest->mapped_bytes);
    }
    return guest->tape != NULL;
}

// Step what is on the tape.
static void take_tick(check_guest *guest)
{
    check_tape *tape = guest->tape;
    const size_t values =
        (size_t)guest->side.players * guest->side.game.game->field_count * sizeof(int32_t);
    tape->reached[0] = '\0';
    tape->is_in_variant = true;
    begin_section(guest);
    memcpy(guest->history[(uint32_t)tape->tick % CHECK_HISTORY], tape->inputs, values);
    guest->variant->step(guest, tape->tick);
    note_hash(guest);
    tape->is_in_variant = false;
    tape->is_in_game = false;
    check_narrow_done(tape);
}

int check_guest_main(const check_options *options, const check_variant *variant,
                     const check_seat *seat, check_tape *tape, size_t mapped_bytes)
{
    static check_guest guest;
    guest = (check_guest){.variant = variant,
                          .tape = tape,
                          .mapped_bytes = mapped_bytes,
                          .side = {.options = options}};
    const int status = open_guest(&guest, options);
    if (status != TOOL_OK) {
        return status;
    }
    tape->variant_state = check_side_addresses(&guest.side).state;
    tape->variant_code = check_side_addresses(&guest.side).code;
    tape->variant_inputs = check_side_addresses(&guest.side).inputs;
    if (tape->result.why[0] == '\0') {
        take_start(&guest);
        note_hash(&guest);
    }
    settle(&guest);
    while (check_talk_answer(&seat->talk) && follow_tape(&guest, seat)) {
        take_tick(&guest);
    }
    if (guest.other != NULL) {
        bks_runner_destroy(guest.other);
    }
    check_side_close(&guest.side);
    free(guest.bytes);
    return TOOL_OK;
}
