// SPDX-License-Identifier: MIT

/// @file match_log.h
/// Log of what a peer did in the last ten seconds of a match: inputs, packets, snapshots, rollbacks
/// and events. It is a ring of fixed size, written into a recording only after a desync. Its only
/// clock is the time that the session is given.

#ifndef BKSI_MATCH_LOG_H
#define BKSI_MATCH_LOG_H

#include "backstitch/session.h"
#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "replay/format/replay_evidence.h"
#include "replay/write/packed_writer.h"
#include "session/queries.h"

/// Binary logarithm of the log's unit of time in ns: 1.024 us. It can be computed by a shift, while
/// a microsecond needs a division.
#define BKSI_LOG_TIME_SHIFT 10

/// Entry of the ring.
typedef struct bksi_match_log_entry {
    uint32_t time; ///< time of the entry in units of 1.024 us, modulo 2^32
    uint8_t kind;
    uint8_t number;
    uint8_t reason;
    bks_tick tick;
    uint32_t value;
} bksi_match_log_entry;

typedef struct bksi_match_log {
    bksi_match_log_entry *entries; ///< ring of entries; NULL: there is no log
    uint32_t capacity;             ///< number of entries in the ring, a power of two
    uint64_t count;                ///< number of entries since the match began
    /// Number of entries, counted from the first of the match, that are in the recording or were
    /// too old for it.
    uint64_t written;
    bool is_on;     ///< the match has started
    uint64_t begun; ///< time at which the match began, in units of 1.024 us
    uint64_t now;
    uint64_t events;    ///< number of session events handled
    uint64_t rollbacks; ///< number of rollbacks of the engine handled
    bool rolls_back;    ///< the LOAD of the newest rollback is still to come
    bks_tick wrong;     ///< first tick guessed wrong since the newest rollback; BKS_TICK_NONE: none
    uint32_t wrong_player;
    uint32_t delay;
    uint32_t players;
    uint32_t first_own; ///< number of our first player
    uint32_t own_count;
    uint8_t first_player[BKS_PEERS_MAX]; ///< first player of each peer
    bks_tick heads[BKS_PLAYERS_MAX];     ///< one past the newest input known of each player
} bksi_match_log;

/// Create the log for the players and peers that the match has now.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_match_log_create(bksi_match_log *log, const bks_session *session,
                                 uint32_t tick_rate_hz, const bks_allocator *allocator);
void bksi_match_log_destroy(bksi_match_log *log, const bks_allocator *allocator);

/// Log a packet that was received or sent, or the beginning of an update.
/// @param bytes  size of the packet; 0: no packet
void bksi_match_log_came(bksi_match_log *log, const bks_session *session, uint64_t now_ns,
                         size_t bytes);
void bksi_match_log_sent(bksi_match_log *log, const bks_session *session, size_t bytes);
void bksi_match_log_update(bksi_match_log *log, const bks_session *session, uint64_t now_ns);
/// Log an operation that was carried out. Call it before bks_session_done().
void bksi_match_log_op(bksi_match_log *log, const bks_session *session, const bks_op *op,
                       const bks_op_result *result);
/// Log the events reported since the last call.
void bksi_match_log_events(bksi_match_log *log, const bks_session *session);

/// Write the new entries of the last ten seconds into a recording.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_match_log_write(bksi_match_log *log, bksi_packer *packer,
                                bks_replay_writer *writer);

#endif
