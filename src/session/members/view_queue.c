// SPDX-License-Identifier: MIT

#include "session/members/view_queue.h"

#include "session/common/peers.h"

static void note_waiting(session_view_queue *queue, uint32_t peer)
{
    queue->waiting &= ~PEER_BIT(peer);
    queue->waiting |= queue->peers[peer].owed != 0 ? PEER_BIT(peer) : 0;
}

void bksi_view_queue_set(session_view_queue *queue, uint32_t peer, view_message message,
                         bool is_owed)
{
    uint32_t *owed = &queue->peers[peer].owed;
    *owed = is_owed ? *owed | 1u << message : *owed & ~(1u << message);
    note_waiting(queue, peer);
}

void bksi_view_queue_repeat_at(session_view_queue *queue, uint32_t peer, uint64_t time_ns)
{
    queue->peers[peer].repeat_ns = time_ns;
}

void bksi_view_queue_clear(session_view_queue *queue, uint32_t peer)
{
    queue->peers[peer].owed &= 1u << VIEW_GONE;
    note_waiting(queue, peer);
}

view_message bksi_view_queue_first(const session_view_queue *queue, uint32_t peer)
{
    uint32_t message = 0;
    while (message < VIEW_MESSAGES && (queue->peers[peer].owed >> message & 1) == 0) {
        message++;
    }
    return (view_message)message;
}
