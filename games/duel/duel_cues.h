// SPDX-License-Identifier: MIT

/// @file duel_cues.h
/// Cues of duel: events of a step to be seen or heard once (bks_cue()). Every payload is a
/// duel_cue_payload. The key is the seat, or the number of the round or match.

#ifndef DUEL_CUES_H
#define DUEL_CUES_H

#include "backstitch/game.h"

typedef enum duel_cue {
    DUEL_CUE_SHOT,    ///< a ship fires
    DUEL_CUE_VOLLEY,  ///< a full charge
    DUEL_CUE_CHARGED, ///< a charge is full
    DUEL_CUE_SHIELD,  ///< a shield breaks
    DUEL_CUE_LOSS,    ///< a ship is lost
    DUEL_CUE_BACK,    ///< a ship comes back
    DUEL_CUE_PICKUP,  ///< a ship takes a pickup
    DUEL_CUE_ROUND,   ///< a round is decided; like a match, reported once it is confirmed
    DUEL_CUE_MATCH,   ///< a match is decided
    DUEL_CUES,
} duel_cue;

/// Payload of a cue. Fields that a cue does not use are 0.
typedef struct duel_cue_payload {
    int32_t x; ///< place of the event, in units of the board
    int32_t y;
    uint8_t side; ///< side of the ship; for a round or match the winner's, DUEL_NOBODY for a draw
    uint8_t kind; ///< a duel_pickup_kind
    uint8_t pad[2];
} duel_cue_payload;

extern const bks_cue_type duel_cue_types[DUEL_CUES];

#endif
