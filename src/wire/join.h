// SPDX-License-Identifier: MIT

/// @file join.h
/// JOIN: a guest asks the host for a seat, and later says that it is ready, from which state.
/// REFUSE: why not.

#ifndef BKSI_JOIN_H
#define BKSI_JOIN_H

#include "base/bytes.h"
#include "det/selftest.h"

/// A game's name with its zero.
#define BKSI_GAME_NAME_BYTES 32u

typedef struct bksi_compat {
    uint32_t protocol;               ///< BKSI_PROTOCOL_VERSION; of another one no more is known
    char game[BKSI_GAME_NAME_BYTES]; ///< at least 1 byte, printable ASCII
    uint32_t game_version;           ///< bks_game.version
    uint64_t layout;                 ///< bksi_layout_hash()
    uint64_t setup_form;             ///< bks_session_config.setup_form
    uint32_t tick_rate_hz;           ///< 1..1000
    bksi_arithmetic arithmetic;      ///< the self-test's
    uint32_t game_arithmetic;        ///< bits of bks_arithmetic, as the game was compiled
} bksi_compat;

/// Which of them differs, in the order in which they are compared.
typedef enum bksi_mismatch {
    BKSI_MISMATCH_NONE = 0,
    BKSI_MISMATCH_PROTOCOL = 1,
    BKSI_MISMATCH_GAME = 2,
    BKSI_MISMATCH_VERSION = 3,
    BKSI_MISMATCH_LAYOUT = 4,
    BKSI_MISMATCH_SETUP = 5,
    BKSI_MISMATCH_TICK_RATE = 6,
    BKSI_MISMATCH_ARITHMETIC = 7,
} bksi_mismatch;

/// The first mismatch.
bksi_mismatch bksi_compat_compare(const bksi_compat *ours, const bksi_compat *theirs);

/// What differs, for people, such as "another game: theirs is `duel`, ours `pad`".
/// @param text  receives at most `capacity` bytes with the zero; 104 are always enough
void bksi_compat_describe(bksi_mismatch mismatch, const bksi_compat *ours,
                          const bksi_compat *theirs, char *text, size_t capacity);

/// How far a guest is.
typedef enum bksi_readiness {
    BKSI_NOT_READY = 0,
    BKSI_READY = 1,    ///< state of the first tick made, every link heard both ways
    BKSI_EXPLAINS = 2, ///< the same, and the host asked for the hashes of the state's parts
} bksi_readiness;

/// Most parts of a state whose hashes are compared.
#define BKSI_PARTS_MAX        120u
#define BKSI_PARTS_MASK_BYTES (BKSI_PARTS_MAX / 8)

/// Hashes of parts of a state: its named ranges, or pieces of it.
typedef struct bksi_parts {
    uint32_t count; ///< 0..BKSI_PARTS_MAX
    uint64_t hashes[BKSI_PARTS_MAX];
} bksi_parts;

typedef struct bksi_join {
    uint64_t nonce; ///< distinguishes guests
    bksi_compat compat;
    // of our own protocol alone
    uint32_t local_players; ///< seats wanted, 1..BKS_PLAYERS_MAX
    int32_t first_player;   ///< -1: any
    uint64_t build;         ///< bks_session_config.build
    bksi_readiness ready;
    uint64_t start_hash; ///< ready: of the state of the first tick
    bksi_parts parts;    ///< BKSI_EXPLAINS: of the same state
} bksi_join;

/// Up to 7 a bksi_mismatch.
typedef enum bksi_refusal {
    BKSI_REFUSED_SEATS = 8,    ///< not enough free seats, or not the wanted ones
    BKSI_REFUSED_PEERS = 9,    ///< BKS_PEERS_MAX are there
    BKSI_REFUSED_RUNNING = 10, ///< the match is under way
    BKSI_REFUSED_START = 11,   ///< the sender cannot make the state as the host wants it
    BKSI_REFUSED_UNEQUAL = 12, ///< guests made another state of the first tick than the host
} bksi_refusal;

/// Whose states of the first tick differ, and in what.
typedef struct bksi_difference {
    uint32_t peers;                        ///< bits: whose state is not the host's, never the host
    uint32_t parts;                        ///< compared, 0..BKSI_PARTS_MAX; 0: none could be
    uint8_t differ[BKSI_PARTS_MASK_BYTES]; ///< bits by part, the lowest first; none beyond `parts`
} bksi_difference;

/// Text of a refusal, with its zero.
#define BKSI_REFUSE_TEXT_BYTES 96u

typedef struct bksi_refuse {
    uint32_t reason;    ///< a bksi_mismatch or bksi_refusal
    uint64_t nonce;     ///< of the guest that is meant, or that refuses
    bksi_compat compat; ///< the sender's
    // of our own protocol alone
    uint32_t seats_free;
    char text[BKSI_REFUSE_TEXT_BYTES]; ///< BKSI_REFUSED_START: why; else empty
    bksi_difference difference;        ///< BKSI_REFUSED_UNEQUAL
} bksi_refuse;

/// Whether a part differs.
/// @param part  below BKSI_PARTS_MAX
bool bksi_difference_has(const bksi_difference *difference, uint32_t part);

void bksi_join_write(bksi_byte_writer *writer, const bksi_join *join);
/// A join of another protocol version is read as far as all versions are alike: nonce and version.
/// @return false when the bytes are no join message
bool bksi_join_read(bksi_byte_reader *reader, bksi_join *join);

void bksi_refuse_write(bksi_byte_writer *writer, const bksi_refuse *refuse);
/// As bksi_join_read().
/// @return false when the bytes are no refuse message
bool bksi_refuse_read(bksi_byte_reader *reader, bksi_refuse *refuse);

#endif
