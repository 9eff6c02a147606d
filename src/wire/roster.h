// SPDX-License-Identifier: MIT

/// @file roster.h
/// ROSTER: the host tells who plays, from which state the match starts, and when.

#ifndef BKSI_ROSTER_H
#define BKSI_ROSTER_H

#include "backstitch/match.h"

#include "base/bytes.h"

/// Maximum number of ticks from one hash to the next; the session's config has the same limit. The
/// session's ring of hashes always holds more ticks.
#define BKSI_HASH_EVERY_TICKS_MAX 1000u

/// Bytes of an identity, the same as the guard's BKSI_IDENTITY_BYTES.
#define BKSI_ROSTER_IDENTITY_BYTES 16u

typedef enum bksi_roster_stage {
    BKSI_ROSTER_GATHERING = 0, ///< seats are still free
    BKSI_ROSTER_COMPLETE = 1,  ///< all peers are known: make links, make the state, report ready
    BKSI_ROSTER_GO = 2,        ///< the time of the first tick is known
    BKSI_ROSTER_UNEQUAL =
        3, ///< the states of the first tick differ: send the hashes of their parts
} bksi_roster_stage;

typedef struct bksi_roster_peer {
    /// Number of guests that had joined when this one had, itself included, lowest 8 bits; 0: host.
    uint32_t joined;
    uint32_t first_player;
    uint32_t player_count;
    uint8_t identity[BKSI_ROSTER_IDENTITY_BYTES]; ///< short form of the peer's static public key
    bks_address address; ///< address as the host sees it; empty for the host
} bksi_roster_peer;

typedef struct bksi_roster_message {
    bksi_roster_stage stage;
    uint32_t change;  ///< number that rises with each change of stage or peers
    uint32_t self;    ///< number of the receiver
    uint32_t members; ///< bits: numbers of the members; bit 0, the host, is set
    bksi_roster_peer peers[BKS_PEERS_MAX]; ///< peers by number
    uint32_t players;
    uint64_t seed;
    uint64_t build;            ///< bks_session_config.build of the host
    bks_tick first_tick;       ///< first tick of the match, 0..BKS_FIRST_TICK_MAX
    bks_tick ticks;            ///< length of the match, at most INT32_MAX - first_tick; 0: no end
    uint32_t hash_every_ticks; ///< ticks from one hash to the next, 1..BKSI_HASH_EVERY_TICKS_MAX
    bks_on_desync on_desync;
    /// Longest prediction window of any peer, 0..BKS_WINDOW_MAX; an odd one arrives as the next.
    uint32_t window;
    uint32_t guest_pauses; ///< bks_tuning.guest_pauses of the host, 0..BKS_GUEST_PAUSES_MAX
    /// In stage GO: time of the first tick on the host's clock in us, lowest 32 bits; otherwise 0.
    uint32_t start_us;
    /// In stage GO: estimated time in us from this message's arrival to the first tick.
    uint32_t go_delay_us;
    uint8_t setup[BKS_SETUP_BYTES_MAX];
    size_t setup_bytes;
} bksi_roster_message;

/// Get half of a window, rounded up, as a ROSTER has it.
static inline uint32_t bksi_roster_half_window(uint32_t window)
{
    return (window + 1) / 2;
}

void bksi_roster_write(bksi_byte_writer *writer, const bksi_roster_message *roster);

/// Read a ROSTER.
/// @return false when the bytes are no roster, seats overlap or leave gaps, or a value is out of
///         range
bool bksi_roster_read(bksi_byte_reader *reader, bksi_roster_message *roster);

#endif
