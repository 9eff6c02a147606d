// SPDX-License-Identifier: MIT

/// @file match_log.h
/// What a peer did in the last ten seconds of a match: inputs, packets, snapshots, rollbacks, and
/// what was reported. A ring of a size that is fixed at create; written into a recording only where
/// states differed. It has no clock but the time that the session is given.

#ifndef BKSI_MATCH_LOG_H
#define BKSI_MATCH_LOG_H

#include "backstitch/session.h"
#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "replay/format/replay_evidence.h"
#include "replay/write/packed_writer.h"
#include "session/queries.h"

/// An entry of the ring.
typedef struct bksi_match_log_entry {
    uint32_t time; ///< in units of 1.024 us, modulo 2^32
    uint8_t kind;
    uint8_t number;
    uint8_t reason;
    bks_tick tick;
    uint32_t value;
} bksi_match_log_entry;

typedef struct bksi_match_log {
    bksi_match_log_entry *entries; ///< NULL: there is no log
    uint32_t capacity;             ///< a power of two
    uint64_t count;                ///< since the match began
    uint64_t written;              ///< of them, gone into the recording, or too old
    bool is_on;                    ///< the match runs
    uint64_t begun;                ///< when it began to, in units of 1.024 us
    uint64_t now;
    uint64_t events;    ///< of the session, seen
    uint64_t rollbacks; ///< of the engine, seen
    bool rolls_back;    ///< the LOAD of the newest one is to come
    bks_tick wrong;     ///< the first tick that was guessed wrong since; BKS_TICK_NONE: none
    uint32_t wrong_player;
    uint32_t delay;
    uint32_t players;
    uint32_t first_own; ///< the first of our players
    uint32_t own_count;
    uint8_t first_player[BKS_PEERS_MAX]; ///< by peer
    bks_tick heads[BKS_PLAYERS_MAX];     ///< one past the newest input known of each player
} bksi_match_log;

/// Begin with the match's state at hand.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_match_log_create(bksi_match_log *log, const bks_session *session,
                                 uint32_t tick_rate_hz, const bks_allocator *allocator);
void bksi_match_log_destroy(bksi_match_log *log, const bks_allocator *allocator);

/// A packet came or went (of 0 bytes: none did); an update began.
void bksi_match_log_came(bksi_match_log *log, const bks_session *session, uint64_t now_ns,
                         size_t bytes);
void bksi_match_log_sent(bksi_match_log *log, const bks_session *session, size_t bytes);
void bksi_match_log_update(bksi_match_log *log, const bks_session *session, uint64_t now_ns);
/// An operation was carried out, and the session does not know of it yet.
void bksi_match_log_op(bksi_match_log *log, const bks_session *session, const bks_op *op,
                       const bks_op_result *result);
/// What was reported since the last call.
void bksi_match_log_events(bksi_match_log *log, const bks_session *session);

/// Write what is new of the last ten seconds into a recording.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_match_log_write(bksi_match_log *log, bksi_packer *packer,
                                bks_replay_writer *writer);

#endif
