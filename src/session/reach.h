// SPDX-License-Identifier: MIT

/// @file reach.h
/// Which other peers we reach before the match: each is sent LINK until it says that it hears us.
/// reach.c alone writes this; others ask.

#ifndef BKSI_REACH_H
#define BKSI_REACH_H

#include "session/common.h"
#include "session/liveness.h"
#include "wire/small_messages.h"

typedef struct session_reach_peer {
    uint64_t renewed_ns; ///< when it was last greeted anew
    bool heard;          ///< a LINK of it came
    bool heard_us;       ///< and it had heard one of ours
    bool has_stamp;      ///< and one did not wait for us
    uint32_t stamp_us;   ///< the newest stamp of such LINKs
    uint64_t stamp_ns;   ///< when it came
} session_reach_peer;

typedef struct session_reach {
    uint64_t begun_ns; ///< since when all are known
    session_reach_peer peers[BKS_PEERS_MAX];
} session_reach;

void bksi_reach_begin(session_reach *reach, uint64_t now_ns);
/// A number passes to another peer.
void bksi_reach_forget(session_reach *reach, uint32_t peer);
/// A LINK came.
/// @param has_waited  for us, for an unknown time: its stamp is not echoed
/// @return whether to answer it
bool bksi_reach_hear(session_reach *reach, uint32_t peer, const bksi_link_message *message,
                     bool has_waited, uint64_t now_ns);
/// Whether we reach all others, or have tried for long.
bool bksi_reach_is_done(const session_reach *reach, const session_common *common);
/// Greet anew the peers that have been silent for long: one that lost our keys, as one does that
/// was dropped and comes again, hears nothing we say. In the match, those of which no input came
/// yet.
/// @param peers  bits: no others
void bksi_reach_renew(session_reach *reach, session_common *common,
                      const session_liveness *liveness, uint32_t peers);
/// Whether a peer has been silent for drop_after_ms before the start.
bool bksi_reach_has_lost(const session_common *common, const session_liveness *liveness,
                         uint32_t peer);
/// How long a packet takes to the farthest peer.
uint64_t bksi_reach_farthest_ns(const session_common *common);
/// The round trip that a LINK measured, in microseconds; negative: none.
int32_t bksi_reach_trip_us(const session_common *common, const bksi_link_message *message);
void bksi_reach_write(const session_reach *reach, const session_common *common, uint32_t peer,
                      bksi_byte_writer *writer);

/// Whether a LINK of a peer came.
static inline bool bksi_reach_has_heard(const session_reach *reach, uint32_t peer)
{
    return reach->peers[peer].heard;
}

#endif
