// SPDX-License-Identifier: MIT

/// @file replay_diff.h
/// Where two recordings first differ.

#ifndef BKS_TOOL_REPLAY_DIFF_H
#define BKS_TOOL_REPLAY_DIFF_H

#include "replay_file.h"

enum { REPLAY_DIFF_HEADERS_MAX = 64, REPLAY_DIFF_TEXT_BYTES = 256 };

/// Something that the files say of themselves, and differently.
typedef struct replay_diff_header {
    char name[80];
    char a[80];
    char b[80];
    bool counts; ///< it makes the recordings differ: true for all but where they were recorded
} replay_diff_header;

/// Whose recorded hash this machine comes to.
typedef enum replay_diff_owner {
    REPLAY_DIFF_UNKNOWN, ///< it was not stepped
    REPLAY_DIFF_A,
    REPLAY_DIFF_B,
    REPLAY_DIFF_NEITHER,
} replay_diff_owner;

/// The first input that differs.
typedef struct replay_diff_input {
    bks_tick tick; ///< BKS_TICK_NONE: none
    uint32_t player;
    const char *field;
    int32_t a;
    int32_t b;
} replay_diff_input;

/// The first recorded hash that differs, in as many bits as both have.
typedef struct replay_diff_hash {
    bks_tick compared;
    bks_tick tick; ///< BKS_TICK_NONE: none
    uint32_t bits;
    uint64_t a;
    uint64_t b;
    replay_diff_owner whose;
} replay_diff_hash;

/// The first event that differs.
typedef struct replay_diff_event {
    uint32_t index; ///< among those that count; UINT32_MAX: none
    char a[REPLAY_DIFF_TEXT_BYTES];
    char b[REPLAY_DIFF_TEXT_BYTES];
} replay_diff_event;

/// The first state that differs when both are stepped here.
typedef struct replay_diff_state {
    bool is_stepped;
    char why[REPLAY_DIFF_TEXT_BYTES]; ///< why not
    bks_tick tick;                    ///< the state at its start differs; BKS_TICK_NONE: none
    uint64_t a;
    uint64_t b;
    char mark[REPLAY_DIFF_TEXT_BYTES]; ///< the first that differs in the tick before; "": none
    uint64_t mark_a;
    uint64_t mark_b;
    char note_a[REPLAY_DIFF_TEXT_BYTES]; ///< the first note that differs in that tick; "": none
    char note_b[REPLAY_DIFF_TEXT_BYTES];
} replay_diff_state;

/// All of it.
typedef struct replay_diff {
    bks_tick first;           ///< the first tick that both have
    bks_tick common;          ///< one past the last
    bks_tick inputs_compared; ///< ticks
    uint32_t header_count;
    replay_diff_header headers[REPLAY_DIFF_HEADERS_MAX];
    replay_diff_input input;
    replay_diff_hash hash;
    replay_diff_event event;
    replay_diff_state state;
} replay_diff;

/// Compare.
/// @param game_name  NULL: found by the recordings' own; what is wrong with it is said on stderr
void replay_diff_make(replay_file *a, replay_file *b, const char *game_name, replay_diff *out);

/// Whether nothing that counts differs.
bool replay_diff_is_same(const replay_diff *d);

/// "A", "B" or "neither".
const char *replay_diff_whose(replay_diff_owner owner);

#endif
