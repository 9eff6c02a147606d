// SPDX-License-Identifier: MIT

/// @file join.h
/// JOIN: a guest asks the host for a seat, and later says that it is ready, with the hash of its
/// first state. REFUSE: the reason why a peer is refused.

#ifndef BKSI_JOIN_H
#define BKSI_JOIN_H

#include "base/bytes.h"
#include "det/selftest.h"

/// Size of a game's name with its terminating zero.
#define BKSI_GAME_NAME_BYTES 32u

typedef struct bksi_compat {
    uint32_t protocol; ///< BKSI_PROTOCOL_VERSION; with another version no other field is known
    char game[BKSI_GAME_NAME_BYTES]; ///< name of the game, at least 1 byte of printable ASCII
    uint32_t game_version;           ///< bks_game.version
    uint64_t layout;                 ///< hash of the layout: bksi_layout_hash()
    uint64_t setup_form;             ///< bks_session_config.setup_form
    uint32_t tick_rate_hz;           ///< tick rate, 1..1000
    bksi_arithmetic arithmetic;      ///< checksums of the self-test of arithmetic
    /// Bits of bks_arithmetic: deviations from IEEE 754 in the compiled game.
    uint32_t game_arithmetic;
} bksi_compat;

/// First field of two compats that differs, in the order in which they are compared.
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

/// Return the first mismatch of two compats.
bksi_mismatch bksi_compat_compare(const bksi_compat *ours, const bksi_compat *theirs);

/// Describe a mismatch for people, such as "another game: theirs is `duel`, ours `pad`".
/// @param text  receives at most `capacity` bytes with the zero; 104 are always enough
void bksi_compat_describe(bksi_mismatch mismatch, const bksi_compat *ours,
                          const bksi_compat *theirs, char *text, size_t capacity);

/// Progress of a guest before the match.
typedef enum bksi_readiness {
    BKSI_NOT_READY = 0,
    BKSI_READY = 1,    ///< the guest has made the state of the first tick, and hears every peer
    BKSI_EXPLAINS = 2, ///< ready, and asked by the host for the hashes of the state's parts
} bksi_readiness;

/// Maximum number of parts of a state whose hashes are compared, and bytes of a mask with one bit
/// for each.
#define BKSI_PARTS_MAX        120u
#define BKSI_PARTS_MASK_BYTES (BKSI_PARTS_MAX / 8)

/// Hashes of parts of a state: its named ranges, or pieces of it.
typedef struct bksi_parts {
    uint32_t count; ///< number of hashes, 0..BKSI_PARTS_MAX
    uint64_t hashes[BKSI_PARTS_MAX];
} bksi_parts;

typedef struct bksi_join {
    uint64_t nonce; ///< number that differs between guests, and between starts of a guest
    bksi_compat compat;
    // The following fields are read only if the sender has our own protocol version.
    uint32_t local_players; ///< number of wanted seats, 1..BKS_PLAYERS_MAX
    int32_t first_player;   ///< first wanted seat; -1: any
    uint32_t window;        ///< longest prediction window of the sender, 0..BKS_WINDOW_MAX
    uint64_t build;         ///< bks_session_config.build
    bksi_readiness ready;
    uint64_t start_hash; ///< once ready: hash of the state of the first tick
    /// In stage BKSI_EXPLAINS: hashes of the parts of the state of the first tick.
    bksi_parts parts;
} bksi_join;

/// Reason of a refusal; values up to 7 are a bksi_mismatch.
typedef enum bksi_refusal {
    BKSI_REFUSED_SEATS = 8,    ///< too few seats are free, or a wanted seat is taken
    BKSI_REFUSED_PEERS = 9,    ///< the match has BKS_PEERS_MAX peers already
    BKSI_REFUSED_RUNNING = 10, ///< the match is under way
    /// The sender cannot make the state of the first tick as the host wants it.
    BKSI_REFUSED_START = 11,
    BKSI_REFUSED_UNEQUAL = 12, ///< guests made another state of the first tick than the host did
} bksi_refusal;

/// Peers whose states of the first tick differ, and the parts in which they differ.
typedef struct bksi_difference {
    uint32_t peers; ///< bits: peers whose state is not the host's
    uint32_t parts; ///< number of compared parts, 0..BKSI_PARTS_MAX; 0: none could be compared
    uint8_t differ[BKSI_PARTS_MASK_BYTES]; ///< bits of the parts that differ, the lowest first
} bksi_difference;

/// Size of the text of a refusal with its terminating zero.
#define BKSI_REFUSE_TEXT_BYTES 96u

typedef struct bksi_refuse {
    uint32_t reason;    ///< a bksi_mismatch or bksi_refusal
    uint64_t nonce;     ///< nonce of the guest that is refused, or that refuses
    bksi_compat compat; ///< compat of the sender

    // The following fields are read only if the sender has our own protocol version.
    uint32_t seats_free;
    /// Cause, if the reason is BKSI_REFUSED_START; otherwise empty.
    char text[BKSI_REFUSE_TEXT_BYTES];
    bksi_difference difference; ///< set if the reason is BKSI_REFUSED_UNEQUAL
} bksi_refuse;

/// Return true if a part is among the parts that differ.
/// @param part  below BKSI_PARTS_MAX
bool bksi_difference_has(const bksi_difference *difference, uint32_t part);

void bksi_join_write(bksi_byte_writer *writer, const bksi_join *join);
/// Read a JOIN. If it is of another protocol version, read only the nonce and the version, which
/// all versions have.
/// @return false when the bytes are no join message
bool bksi_join_read(bksi_byte_reader *reader, bksi_join *join);

void bksi_refuse_write(bksi_byte_writer *writer, const bksi_refuse *refuse);
/// Read a REFUSE. If it is of another protocol version, read only what all versions have.
/// @return false when the bytes are no refuse message
bool bksi_refuse_read(bksi_byte_reader *reader, bksi_refuse *refuse);

#endif
