// SPDX-License-Identifier: MIT

/// @file hostile_state.h
/// What a made-up state may do: changes a real one as bytes say, hands it to a game as a recording
/// would, and does with it what a tool does. Whatever the bytes are, nothing outside may be
/// touched: the guards around the region and the sanitizers see to that.

#ifndef TEST_HOSTILE_STATE_H
#define TEST_HOSTILE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Real states there are to change: of duel in both modes, pad, and a game of nested pools.
enum { HOSTILE_STATES = 6, HOSTILE_NESTED = 5 };

/// In the first byte: the state is taken as it is, and its bits flip while it is in use.
enum { HOSTILE_DAMAGED = 0x80 };

/// Play the games to where their states are taken.
void hostile_state_open(void);
void hostile_state_close(void);

/// Change a state and play on from it.
/// @param bytes  which state (1 byte), then any number of changes: what is done (1), where (3),
/// with
///               what (4)
/// @return whether it was taken for a state
bool hostile_state_try(const uint8_t *bytes, size_t count);

#endif
