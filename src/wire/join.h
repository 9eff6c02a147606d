// SPDX-License-Identifier: MIT

/// @file join.h
/// JOIN: a guest asks the host for a seat, and later says that it is ready. REFUSE: why not.

#ifndef BKSI_JOIN_H
#define BKSI_JOIN_H

#include "base/bytes.h"

/// What both sides must agree on before anything else. docs/spec/wire.md gives the bytes.
typedef struct bksi_facts {
    uint32_t protocol;     ///< BKSI_PROTOCOL_VERSION
    uint64_t game;         ///< XXH3-64 of the game's name
    uint32_t game_version; ///< bks_game.version
    uint64_t layout;       ///< bksi_layout_hash()
    uint32_t tick_rate_hz; ///< 1..1000
} bksi_facts;

typedef struct bksi_join {
    bksi_facts facts;
    uint64_t nonce;         ///< tells guests apart
    uint32_t local_players; ///< seats wanted, 1..BKS_PLAYERS_MAX
    int32_t first_player;   ///< -1: any
    bool is_ready;          ///< state of tick 0 made, every link heard both ways
} bksi_join;

typedef enum bksi_refusal {
    BKSI_REFUSED_PROTOCOL = 1,
    BKSI_REFUSED_GAME = 2,
    BKSI_REFUSED_VERSION = 3,
    BKSI_REFUSED_LAYOUT = 4,
    BKSI_REFUSED_TICK_RATE = 5,
    BKSI_REFUSED_SEATS = 6,   ///< not as many seats free, or not the wanted ones
    BKSI_REFUSED_RUNNING = 7, ///< the match is under way
} bksi_refusal;

/// The refusal and both sides' values.
typedef struct bksi_refuse {
    bksi_refusal reason;
    uint64_t nonce; ///< of the guest that is meant
    uint64_t host;
    uint64_t guest;
} bksi_refuse;

void bksi_join_write(bksi_byte_writer *writer, const bksi_join *join);
/// @return false when the bytes are no join message
bool bksi_join_read(bksi_byte_reader *reader, bksi_join *join);

void bksi_refuse_write(bksi_byte_writer *writer, const bksi_refuse *refuse);
/// @return false when the bytes are no refuse message
bool bksi_refuse_read(bksi_byte_reader *reader, bksi_refuse *refuse);

/// The first fact that differs, 0 when none does.
/// @param refuse  reason, host and guest are filled in when one does
bksi_refusal bksi_facts_compare(const bksi_facts *host, const bksi_facts *guest,
                                bksi_refuse *refuse);

/// What a refusal means, for people, such as "game version".
const char *bksi_refusal_text(bksi_refusal reason);

#endif
