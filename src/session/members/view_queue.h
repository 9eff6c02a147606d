// SPDX-License-Identifier: MIT

/// @file view_queue.h
/// Messages about views that must be sent, their receivers, and the times of repeats. Only the
/// functions of this header change session_view_queue; other files read it.

#ifndef BKSI_VIEW_QUEUE_H
#define BKSI_VIEW_QUEUE_H

#include "session/common/seats.h"

/// Time between two copies of an unanswered message about the next view, and between two GONE to a
/// peer that is out of the view.
#define VIEW_REPEAT_NS (50 * NS_PER_MS)
#define GONE_REPEAT_NS NS_PER_SECOND

/// Messages about views, in the order of sending.
typedef enum view_message {
    VIEW_GONE,
    VIEW_ANSWER,
    VIEW_PROPOSE,
    VIEW_COMMIT,
    VIEW_MESSAGES
} view_message;

typedef struct session_view_queue {
    uint32_t owed[VIEW_MESSAGES];      ///< by message: bits of the peers that must be sent it
    uint64_t repeat_ns[BKS_PEERS_MAX]; ///< by peer: time of the next repeat
} session_view_queue;

/// Set or clear that a peer must be sent a message.
static inline void bksi_view_queue_set(session_view_queue *queue, uint32_t peer,
                                       view_message message, bool is_owed)
{
    uint32_t *owed = &queue->owed[message];
    *owed = is_owed ? *owed | PEER_BIT(peer) : *owed & ~PEER_BIT(peer);
}
/// Set the time from which all messages to a peer are repeated.
static inline void bksi_view_queue_repeat_at(session_view_queue *queue, uint32_t peer,
                                             uint64_t time_ns)
{
    queue->repeat_ns[peer] = time_ns;
}
/// Remove all messages to a peer about the next view.
static inline void bksi_view_queue_clear(session_view_queue *queue, uint32_t peer)
{
    for (uint32_t i = VIEW_GONE + 1; i < VIEW_MESSAGES; i++) {
        queue->owed[i] &= ~PEER_BIT(peer);
    }
}

/// Find the message that a peer must be sent first.
/// @return the message; VIEW_MESSAGES: none
static inline view_message bksi_view_queue_first(const session_view_queue *queue, uint32_t peer)
{
    uint32_t message = 0;
    while (message < VIEW_MESSAGES && (queue->owed[message] >> peer & 1) == 0) {
        message++;
    }
    return (view_message)message;
}
/// Get the peers that must be sent any message, as bits.
static inline uint32_t bksi_view_queue_peers(const session_view_queue *queue)
{
    uint32_t peers = 0;
    for (uint32_t i = 0; i < VIEW_MESSAGES; i++) {
        peers |= queue->owed[i];
    }
    return peers;
}

#endif
