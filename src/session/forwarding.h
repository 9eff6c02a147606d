// SPDX-License-Identifier: MIT

/// @file forwarding.h
/// Which peers lack whose inputs, and what is passed on. forwarding.c alone writes this; others
/// ask.

#ifndef BKSI_FORWARDING_H
#define BKSI_FORWARDING_H

#include "base/bits.h"
#include "session/liveness.h"
#include "session/runs.h"
#include "wire/input_message.h"
#include "wire/mesh_messages.h"

/// A peer does not hear a third one well.
typedef struct help_request {
    bool is_active;
    bks_tick need;    ///< the first tick of that one which it lacks; it never lessens
    uint64_t need_ns; ///< since when it is active and lacks that tick
} help_request;

typedef struct session_forwarding_peer {
    help_request requests[BKS_PEERS_MAX]; ///< by the peer that it does not hear
    uint32_t heartbeat;                   ///< the newest of its own that came, by any path
    uint32_t heartbeat_from;              ///< and through whom
    uint32_t owed_inputs;                 ///< bits: whose inputs go to it, our own among them
    uint32_t first_inputs;                ///< with whose they begin this time
} session_forwarding_peer;

typedef struct session_forwarding {
    uint32_t rounds; ///< how often inputs were owed
    session_forwarding_peer peers[BKS_PEERS_MAX];
    uint64_t forwarded; ///< messages
} session_forwarding;

/// What the part of an INPUT about the mesh says, once it is known to be sound.
typedef struct session_mesh_news {
    uint32_t view;     ///< of its sender
    uint32_t complete; ///< bits: peers that have every tick
    uint32_t alive;    ///< bits: peers that it knows to live
} session_mesh_news;

/// What a FORWARD brings.
typedef struct session_forward_news {
    bool has_any;
    uint32_t peer;  ///< whose inputs
    bks_tick ack;   ///< the first tick of ours that it does not have
    uint32_t view;  ///< that it is in
    bks_tick known; ///< its head before the message
} session_forward_news;

/// Inputs are owed to some, once more.
void bksi_forwarding_begin_round(session_forwarding *forwarding);
/// Owe a peer our own inputs, and those of others that it lacks and we have.
void bksi_forwarding_owe(session_forwarding *forwarding, const session_liveness *liveness,
                         const session_common *common, uint32_t peer);
/// Owe it none.
void bksi_forwarding_owe_none(session_forwarding *forwarding, uint32_t peer);
/// Whether inputs are owed to a peer.
static inline bool bksi_forwarding_owes(const session_forwarding *forwarding, uint32_t peer)
{
    return forwarding->peers[peer].owed_inputs != 0;
}
/// Whose inputs go to it next, of those owed; each in turn goes first.
uint32_t bksi_forwarding_next(session_forwarding *forwarding, uint32_t peer);
/// How we hear the others, for a peer.
/// @return whether to send it
bool bksi_forwarding_fill_part(const session_forwarding *forwarding,
                               const session_liveness *liveness, const session_common *common,
                               uint32_t peer, bksi_mesh_part *part);
void bksi_forwarding_write_part(const session_common *common, uint32_t peer, bks_tick head,
                                const bksi_mesh_part *part, bksi_bit_writer *writer);
/// @return false when it is no mesh part, or the view is not of our line
bool bksi_forwarding_read_part(session_forwarding *forwarding, session_common *common,
                               uint32_t peer, const bksi_input_head *head, bksi_bit_reader *reader,
                               session_mesh_news *news);
/// @param about  whose inputs
size_t bksi_forwarding_write(session_forwarding *forwarding, const session_common *common,
                             uint32_t peer, uint32_t about, uint8_t *body);
/// Write a run of each peer of a mask: what one peer lacks of it, up to its end.
void bksi_forwarding_write_runs(const session_forwarding *forwarding, const session_common *common,
                                bksi_bit_writer *writer, uint32_t to, uint32_t peers,
                                const bks_tick *ends);
bool bksi_forwarding_receive(session_runs *runs, session_liveness *liveness, session_common *common,
                             const uint8_t *body, size_t count, session_forward_news *news);
/// A peer lacks a third one's inputs from a tick on.
void bksi_forwarding_note_need(session_forwarding *forwarding, uint32_t peer, uint32_t about,
                               bks_tick head);

/// Whether a peer does not hear a third one well.
static inline bool bksi_forwarding_is_asked(const session_forwarding *forwarding, uint32_t peer,
                                            uint32_t about)
{
    return forwarding->peers[peer].requests[about].is_active;
}

/// The peer through which a third one's newest heartbeat came.
static inline uint32_t bksi_forwarding_way(const session_forwarding *forwarding, uint32_t about)
{
    return forwarding->peers[about].heartbeat_from;
}

/// The first tick of a third one that a peer lacks, as far as it asked.
static inline bks_tick bksi_forwarding_need(const session_forwarding *forwarding, uint32_t peer,
                                            uint32_t about)
{
    return forwarding->peers[peer].requests[about].need;
}

#endif
