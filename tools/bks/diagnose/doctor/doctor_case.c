// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_case.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"
#include "diagnose/variants/variants.h"

enum { WHOLE_BITS = 64 };

static void note(doctor_case *c, bool is_of_shortening, const char *format, va_list arguments)
{
    if (c->evidence_count == DOCTOR_EVIDENCE_MAX) {
        return;
    }
    doctor_evidence *out = &c->evidence[c->evidence_count++];
    *out = (doctor_evidence){.is_of_shortening = is_of_shortening};
    (void)vsnprintf(out->text, sizeof(out->text), format, arguments);
}

void doctor_note(doctor_case *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(c, false, format, arguments);
    va_end(arguments);
}

void doctor_note_detail(doctor_case *c)
{
    c->evidence[c->evidence_count - 1].is_detail = true;
}

void doctor_note_proof(doctor_case *c, uint32_t index, uint32_t to)
{
    const doctor_evidence moved = c->evidence[index];
    memmove(&c->evidence[to + 1], &c->evidence[to], (index - to) * sizeof(moved));
    c->evidence[to] = moved;
    c->evidence[to].is_detail = false;
    c->evidence[to].is_proof = true;
}

void doctor_note_shortening(doctor_case *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(c, true, format, arguments);
    va_end(arguments);
}

uint32_t doctor_hash_of(const doctor_case *c, int number, bks_tick tick, uint64_t *out)
{
    const doctor_side *side = &c->sides[number];
    uint32_t bits = 0;
    if (side->event_tick == tick) {
        *out = side->event_hash;
        return WHOLE_BITS;
    }
    if (tick >= c->first && (uint32_t)(tick - c->first) < side->here_count) {
        *out = side->here[tick - c->first];
        return WHOLE_BITS;
    }
    const bks_replay *only = c->sides[0].file.replay;
    if (side->file.replay == NULL && only != NULL &&
        bks_replay_agreed_hash(only, tick, out) == BKS_OK) {
        return WHOLE_BITS; // of this hash, which the other peers agreed on, all bits are recorded
    }
    if (side->file.replay == NULL || tick > side->file.info->confirmed ||
        bks_replay_hash(side->file.replay, tick, out, &bits) != BKS_OK) {
        return 0;
    }
    return bits;
}

bool doctor_hashes_agree(uint64_t a, uint64_t b, uint32_t bits)
{
    const uint64_t mask = bits < WHOLE_BITS ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    return ((a ^ b) & mask) == 0;
}

// Return true if the hashes of both sides at a tick are known and differ.
static bool are_apart(const doctor_case *c, bks_tick tick)
{
    uint64_t hashes[2] = {0};
    const uint32_t a = doctor_hash_of(c, 0, tick, &hashes[0]);
    const uint32_t b = doctor_hash_of(c, 1, tick, &hashes[1]);
    return !doctor_hashes_agree(hashes[0], hashes[1], a < b ? a : b);
}

doctor_match doctor_compare(const doctor_case *c, bks_tick first, const uint64_t *hashes,
                            uint32_t count)
{
    doctor_match out = {.is_same = {true, true}, .wrong = BKS_TICK_NONE};
    bool goes_on[2] = {true, true};
    for (uint32_t i = 0; i < count; i++) {
        const bks_tick tick = first + (bks_tick)i;
        for (int s = 0; s < 2; s++) {
            uint64_t known = 0;
            const uint32_t bits = doctor_hash_of(c, s, tick, &known);
            const bool agrees = doctor_hashes_agree(hashes[i], known, bits);
            out.is_same[s] = out.is_same[s] && (agrees || tick > c->hash_tick);
            goes_on[s] = goes_on[s] && agrees;
            out.bits[s] += goes_on[s] && tick >= c->hash_tick && are_apart(c, tick) ? bits : 0;
        }
        if (!out.is_same[0] && !out.is_same[1] && out.wrong == BKS_TICK_NONE) {
            out.wrong = tick;
        }
    }
    for (int s = 0; s < 2; s++) {
        out.is_same[s] = out.is_same[s] && out.bits[s] > 0;
    }
    return out;
}

const char *doctor_match_text(const doctor_case *c, const doctor_match *match)
{
    static char text[64];
    const int side = match->is_same[0] ? 0 : 1;
    if (!match->is_same[side]) {
        return "a third result";
    }
    (void)snprintf(text, sizeof(text), "the hash of %s", c->sides[side].name);
    return text;
}

// BEFORE_TICKS, BEHIND_TICKS: number of ticks to compare before and after the difference. If at
// most ALL_BEFORE_TICKS precede the difference, compare all of them, so that every run can begin
// with the first state instead of a saved one. DIFF_TICKS: number of ticks before the difference
// for `bks replay diff`. They last a second, because states in lockstep are hashed once a second.
enum { BEFORE_TICKS = 300, BEHIND_TICKS = 120, ALL_BEFORE_TICKS = 600, DIFF_TICKS = 60 };

// Bytes of states to compare in all before the difference, as far as LEAST_TICKS allow. Each change
// that is tried compares a state at every mark of each tick.
enum { COMPARED_BYTES = 1 << 27, LEAST_TICKS = 6 };

// Return the number of ticks to compare, `wanted` unless states are large.
static bks_tick ticks_of(const doctor_case *c, bks_tick wanted)
{
    const uint64_t bytes = c->sides[0].file.info->state_bytes;
    const uint64_t room = bytes > 0 ? COMPARED_BYTES / bytes : UINT64_MAX;
    return room >= (uint64_t)wanted ? wanted : room > LEAST_TICKS ? (bks_tick)room : LEAST_TICKS;
}

static int open_file(const doctor_case *c, const char *path, replay_file *out)
{
    const int status = replay_file_open(path, out);
    if (status == TOOL_OK) {
        replay_file_check(out);
    }
    return status == TOOL_OK && !c->is_diff ? out->status : status;
}

void doctor_open_event(doctor_case *c, int side)
{
    c->sides[1 - side].event_tick = c->sides[side].event_tick;
    c->sides[1 - side].event_hash = c->sides[side].event_peer_hash;
}

// Store the full 64-bit hashes that the first desync event of a recording holds: the peer's own
// hash for its side and, if there is no second recording, the other peer's hash for the other side.
static void take_events(doctor_case *c, int s)
{
    const replay_file *file = &c->sides[s].file;
    bks_replay_event event;
    for (uint32_t i = 0; i < file->info->event_count; i++) {
        if (bks_replay_event_at(file->replay, i, &event) != BKS_OK ||
            event.kind != BKS_REPLAY_DESYNC || c->sides[s].event_tick != BKS_TICK_NONE) {
            continue;
        }
        c->sides[s].event_tick = event.tick;
        c->sides[s].event_hash = event.a;
        c->sides[s].event_peer = event.peer;
        c->sides[s].event_peer_hash = event.b;
        if (!c->has_two) {
            doctor_open_event(c, s);
        }
    }
}

int doctor_open(doctor_case *c, const char *game, const char *a, const char *b)
{
    c->game_name = game;
    c->shortened_first = BKS_TICK_NONE;
    c->keep_from = BKS_TICK_NONE;
    c->has_two = b != NULL;
    for (int s = 0; s < 2; s++) {
        c->sides[s] = (doctor_side){.event_tick = BKS_TICK_NONE};
    }
    c->sides[0].name = "A";
    c->sides[1].name = c->has_two ? "B" : "the other side";
    int status = open_file(c, a, &c->sides[0].file);
    if (status == TOOL_OK && c->has_two) {
        status = open_file(c, b, &c->sides[1].file);
    }
    if (status == TOOL_OK) {
        take_events(c, 0);
        if (c->has_two) {
            take_events(c, 1);
        }
        const bks_recording *info = c->sides[0].file.info;
        c->options.recorded = a;
        c->options.ticks = info->confirmed;
        c->options.game = doctor_game_name(c);
        c->names.names =
            (bks_state_names){.ranges = info->ranges, .range_count = info->range_count};
    }
    return status;
}

const char *doctor_game_name(const doctor_case *c)
{
    return c->game_name != NULL ? c->game_name : c->sides[0].file.info->game;
}

int doctor_open_game(doctor_case *c)
{
    const replay_file *a = &c->sides[0].file;
    int status = c->game_name != NULL ? loader_open(c->game_name, &c->game)
                                      : loader_open_recorded(a->path, NULL, a->info, &c->game);
    for (int s = 0; s < 2 && status == TOOL_OK; s++) {
        const replay_file *file = &c->sides[s].file;
        if (file->replay != NULL && strcmp(file->info->game, c->game.game->name) != 0) {
            tool_complain(file->path, "is of the game %s, expected %s", file->info->game,
                          c->game.game->name);
            return TOOL_MISUSE;
        }
        replay_file_allow(file, c->game.game);
    }
    if (status == TOOL_OK && c->game_name == NULL) {
        c->options.game = c->game.path; // the build that made the recording
    }
    if (status == TOOL_OK && c->build != NULL) {
        status = vary_build_check(c->build, c->game.game);
    }
    if (status == TOOL_OK) {
        state_names_find(&c->game, &c->names);
    }
    return status;
}

static bks_tick least_confirmed(const doctor_case *c)
{
    const bks_tick a = c->sides[0].file.info->confirmed;
    const bks_tick b = c->has_two ? c->sides[1].file.info->confirmed : a;
    return a < b ? a : b;
}

void doctor_open_look(doctor_case *c, bks_tick hash_tick)
{
    const bks_replay_comparison *found = &c->diff.found;
    const bks_tick begin = c->has_two ? found->first : c->sides[0].file.info->first;
    const bks_tick end = least_confirmed(c);
    const bks_tick input = c->has_two ? found->input.tick : BKS_TICK_NONE;
    const bks_tick tick = hash_tick != BKS_TICK_NONE ? hash_tick
                          : input != BKS_TICK_NONE   ? input
                                                     : end;
    const bks_tick all = ticks_of(c, c->is_diff ? DIFF_TICKS : ALL_BEFORE_TICKS);
    const bks_tick before = ticks_of(c, c->is_diff ? DIFF_TICKS : BEFORE_TICKS);
    const bks_tick behind = ticks_of(c, BEHIND_TICKS);
    c->hash_tick = hash_tick;
    c->first = tick - begin > all ? tick - before : begin;
    c->until = end - tick > behind ? tick + behind : end > tick ? end : tick;
}

int doctor_open_here(doctor_case *c, bks_verify_result *out)
{
    const bks_playback_config config = {.replay = c->sides[0].file.replay, .game = c->game.game};
    bks_error error = {0};
    *out = (bks_verify_result){.first_different = BKS_TICK_NONE};
    const bks_status status = bks_replay_verify(&config, NULL, out, &error);
    if (status != BKS_OK && status != BKS_ERR_DESYNC) {
        tool_complain_error(c->sides[0].file.path, &error);
        return status == BKS_ERR_DAMAGED ? TOOL_DAMAGED : TOOL_MISUSE;
    }
    tool_log_drop();
    doctor_open_look(c, out->first_different);
    return TOOL_OK;
}

void doctor_close(doctor_case *c)
{
    replay_file_close(&c->sides[0].file);
    replay_file_close(&c->sides[1].file);
}
