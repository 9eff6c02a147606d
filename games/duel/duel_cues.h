// SPDX-License-Identifier: MIT

/// @file duel_cues.h
/// What a step of duel asks to be seen or heard once (bks_cue()). All payloads are a
/// duel_cue_payload. The key is the seat, of rounds and matches their number.

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
    DUEL_CUE_ROUND,   ///< a round is decided; reported once it is confirmed, as a match
    DUEL_CUE_MATCH,   ///< a match is decided
    DUEL_CUES,
} duel_cue;

/// Plain data; what does not belong to a cue is 0.
typedef struct duel_cue_payload {
    int32_t x; ///< where, in units of the board
    int32_t y;
    uint8_t side; ///< side of the ship; for a round or match the winner's, DUEL_NOBODY for a draw
    uint8_t kind; ///< a duel_pickup_kind
    uint8_t pad[2];
} duel_cue_payload;

extern const bks_cue_type duel_cue_types[DUEL_CUES];

#endif
