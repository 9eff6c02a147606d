// SPDX-License-Identifier: MIT

#include "diagnose/processes/check_tape.h"

#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "base/text.h"

enum { PAGE_BYTES = 4096, ROOM_BYTES = 1 << 22, ALIGNED_BYTES = 64 };

static size_t head_bytes(void)
{
    return (sizeof(check_tape) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static size_t tape_bytes(void)
{
    return head_bytes() + (size_t)CHECK_STATES_BYTES;
}

check_tape *check_tape_open(int number)
{
    return shared_memory_map(number, tape_bytes());
}

// Return the number of bytes of the tape in use: up to the last state at a mark, or the whole tape
// if its check_span stores states, because those lie at the end of the tape.
static size_t used_bytes(const check_tape *tape)
{
    const check_span *span = &tape->span;
    const uint64_t states =
        tape->states_count > span->state_bytes ? tape->states_count : span->state_bytes;
    return span->keeps ? tape_bytes() : head_bytes() + (size_t)states;
}

check_tape *check_tape_follow(check_tape *tape, int number, size_t *mapped_bytes)
{
    if (tape == NULL) {
        *mapped_bytes = head_bytes();
        tape = shared_memory_map(number, *mapped_bytes);
    }
    const size_t wanted = tape != NULL ? used_bytes(tape) : 0;
    if (wanted <= *mapped_bytes) {
        return tape;
    }
    shared_memory_unmap(tape, *mapped_bytes);
    // Map more than is needed, so that a growing state does not need a new mapping at each tick.
    *mapped_bytes = wanted < tape_bytes() / 2 ? wanted * 2 : tape_bytes();
    return shared_memory_map(number, *mapped_bytes);
}

check_tape *check_tape_make(int *out_number)
{
    *out_number = shared_memory_make(tape_bytes());
    check_tape *tape = *out_number >= 0 ? check_tape_open(*out_number) : NULL;
    if (tape != NULL && !shared_memory_ready(tape, head_bytes())) {
        check_tape_close(tape);
        tape = NULL;
    }
    if (tape == NULL && *out_number >= 0) {
        shared_memory_close(*out_number);
    }
    return tape;
}

void check_tape_close(check_tape *tape)
{
    if (tape != NULL) {
        shared_memory_unmap(tape, tape_bytes());
    }
}

uint8_t *check_tape_states(check_tape *tape)
{
    return (uint8_t *)tape + head_bytes();
}

bool check_tape_room(check_tape *tape, uint64_t bytes)
{
    if (bytes <= tape->states_ready) {
        return true;
    }
    if (bytes > CHECK_STATES_BYTES) {
        return false;
    }
    // Get more memory than is needed, so that a growing state does not call the system at each
    // tick.
    const uint64_t wanted = (bytes + ROOM_BYTES - 1) / ROOM_BYTES * ROOM_BYTES;
    const uint64_t ready = wanted < CHECK_STATES_BYTES ? wanted : CHECK_STATES_BYTES;
    if (!shared_memory_ready(check_tape_states(tape), (size_t)ready)) {
        return false;
    }
    tape->states_ready = ready;
    return true;
}

uint8_t *check_tape_kept(check_tape *tape, uint32_t process, bks_tick tick)
{
    const check_span *span = &tape->span;
    if (!span->keeps || tick < span->keep_from || tick - span->keep_from >= CHECK_KEPT_MAX) {
        return NULL;
    }
    // The states of a check_span lie at the end of the tape, which the states at marks do not
    // reach.
    const uint64_t index = process * CHECK_KEPT_MAX + (uint32_t)(tick - span->keep_from);
    return check_tape_states(tape) + (CHECK_STATES_BYTES - (index + 1) * CHECK_KEPT_BYTES);
}

static void keep(check_tape *tape, uint32_t process, bks_tick tick, bks_runner *runner)
{
    uint8_t *room = check_tape_kept(tape, process, tick);
    if (room != NULL && bks_runner_export(runner, NULL, 0) <= CHECK_KEPT_BYTES &&
        shared_memory_ready(room, CHECK_KEPT_BYTES)) {
        tape->span.kept[process][tick - tape->span.keep_from] =
            bks_runner_export(runner, room, CHECK_KEPT_BYTES);
    }
}

void check_tape_hash(check_tape *tape, uint32_t process, bks_runner *runner)
{
    check_span *span = &tape->span;
    if (!span->is_wanted) {
        return;
    }
    span->newest[process] = bks_runner_hash(runner);
    if (span->counts[process] < CHECK_HASHES_MAX) {
        keep(tape, process, span->first + (bks_tick)span->counts[process], runner);
        span->hashes[process][span->counts[process]++] = span->newest[process];
    }
}

void check_tape_begin(check_tape *tape, bks_tick tick)
{
    tape->tick = tick;
    tape->has_start = false;
    tape->mark_count = 0;
    tape->states_count = 0;
    tape->failed[0] = '\0';
    memset(tape->command_bytes, 0, sizeof(tape->command_bytes));
}

bool check_tape_put_commands(check_tape *tape, const bks_commands *commands)
{
    uint64_t end = tape->states_count;
    tape->commands_begin = end;
    for (uint32_t p = 0; p < BKS_PLAYERS_MAX; p++) {
        if (!check_tape_room(tape, end + commands[p].count)) {
            return false;
        }
        if (commands[p].count > 0) {
            memcpy(check_tape_states(tape) + end, commands[p].bytes, commands[p].count);
        }
        tape->command_bytes[p] = commands[p].count;
        end += commands[p].count;
    }
    tape->states_count = (end + ALIGNED_BYTES - 1) / ALIGNED_BYTES * ALIGNED_BYTES;
    return true;
}

void check_tape_commands(check_tape *tape, bks_commands out[BKS_PLAYERS_MAX])
{
    const uint8_t *at = check_tape_states(tape) + tape->commands_begin;
    for (uint32_t p = 0; p < BKS_PLAYERS_MAX; p++) {
        out[p] = (bks_commands){.bytes = at, .count = tape->command_bytes[p]};
        at += tape->command_bytes[p];
    }
}

bool check_tape_add(check_tape *tape, const char *name, uint64_t hash, uint64_t count)
{
    if (tape->mark_count == CHECK_MARKS_MAX) {
        return false;
    }
    check_mark *mark = &tape->marks[tape->mark_count++];
    TEXT_SET(mark->name, "%s", name);
    mark->hash = hash;
    mark->begin_bytes = tape->states_count;
    mark->count = count;
    tape->states_count += count;
    return true;
}
