// SPDX-License-Identifier: MIT

/// @file view_queue.h
/// Which messages about views must be sent to which peers, and when they are repeated. view_queue.c
/// alone writes this; others ask.

#ifndef BKSI_VIEW_QUEUE_H
#define BKSI_VIEW_QUEUE_H

#include "backstitch/session.h"

/// How often an unanswered message about the next view is repeated, and one to a peer that is out.
#define VIEW_REPEAT_NS (50 * NS_PER_MS)
#define GONE_REPEAT_NS NS_PER_SECOND

/// Messages about views, the first to be sent first.
typedef enum view_message {
    VIEW_GONE,
    VIEW_ANSWER,
    VIEW_PROPOSE,
    VIEW_COMMIT,
    VIEW_MESSAGES
} view_message;

typedef struct session_view_queue_peer {
    uint32_t owed;      ///< bits by message
    uint64_t repeat_ns; ///< next repeat
} session_view_queue_peer;

typedef struct session_view_queue {
    uint32_t waiting; ///< bits: peers to which something must be sent
    session_view_queue_peer peers[BKS_PEERS_MAX];
} session_view_queue;

/// Set or clear that a message must be sent to a peer.
void bksi_view_queue_set(session_view_queue *queue, uint32_t peer, view_message message,
                         bool is_owed);
/// All of these are repeated from then on.
void bksi_view_queue_repeat_at(session_view_queue *queue, uint32_t peer, uint64_t time_ns);
/// Nothing about the next view goes to a peer.
void bksi_view_queue_clear(session_view_queue *queue, uint32_t peer);
/// @return the message that must be sent to a peer first, VIEW_MESSAGES: none
view_message bksi_view_queue_first(const session_view_queue *queue, uint32_t peer);

/// Bits of the peers to which something must be sent; whether there is nothing for one.
static inline uint32_t bksi_view_queue_peers(const session_view_queue *queue)
{
    return queue->waiting;
}
static inline bool bksi_view_queue_is_empty(const session_view_queue *queue, uint32_t peer)
{
    return queue->peers[peer].owed == 0;
}

static inline uint64_t bksi_view_queue_repeat_ns(const session_view_queue *queue, uint32_t peer)
{
    return queue->peers[peer].repeat_ns;
}

#endif
