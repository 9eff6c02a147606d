// SPDX-License-Identifier: MIT

/// @file join.h
/// JOIN: a guest asks the host for a seat, and later says that it is ready. REFUSE: why not.

#ifndef BKSI_JOIN_H
#define BKSI_JOIN_H

#include "base/bytes.h"
#include "wire/facts.h"

typedef struct bksi_join {
    uint64_t nonce; ///< tells guests apart
    bksi_facts facts;
    // of our own protocol alone
    uint32_t local_players; ///< seats wanted, 1..BKS_PLAYERS_MAX
    int32_t first_player;   ///< -1: any
    bool is_ready;          ///< state of tick 0 made, every link heard both ways
} bksi_join;

/// Up to 7 the fact that differs.
typedef enum bksi_refusal {
    BKSI_REFUSED_SEATS = 8,    ///< not as many seats free, or not the wanted ones
    BKSI_REFUSED_PEERS = 9,    ///< BKS_PEERS_MAX are there
    BKSI_REFUSED_RUNNING = 10, ///< the match is under way
    BKSI_REFUSED_START = 11,   ///< the sender cannot make the state as the host wants it
} bksi_refusal;

/// Text of a refusal, with its zero.
#define BKSI_REFUSE_TEXT_BYTES 96u

typedef struct bksi_refuse {
    uint32_t reason;  ///< a bksi_fact or bksi_refusal
    uint64_t nonce;   ///< of the guest that is meant, or that refuses
    bksi_facts facts; ///< the sender's
    // of our own protocol alone
    uint32_t seats_free;
    char text[BKSI_REFUSE_TEXT_BYTES]; ///< BKSI_REFUSED_START: why; else empty
} bksi_refuse;

void bksi_join_write(bksi_byte_writer *writer, const bksi_join *join);
/// A join of another protocol version is read as far as all versions are alike: nonce and version.
/// @return false when the bytes are no join message
bool bksi_join_read(bksi_byte_reader *reader, bksi_join *join);

void bksi_refuse_write(bksi_byte_writer *writer, const bksi_refuse *refuse);
/// As bksi_join_read().
/// @return false when the bytes are no refuse message
bool bksi_refuse_read(bksi_byte_reader *reader, bksi_refuse *refuse);

#endif
