// SPDX-License-Identifier: MIT

#include "session/view_queue.h"

void bksi_view_queue_set(session_view_queue *queue, uint32_t peer, view_message message,
                         bool is_owed)
{
    queue->peers[peer].is_owed[message] = is_owed;
}

void bksi_view_queue_repeat_at(session_view_queue *queue, uint32_t peer, uint64_t time_ns)
{
    queue->peers[peer].repeat_ns = time_ns;
}

void bksi_view_queue_clear(session_view_queue *queue, uint32_t peer)
{
    queue->peers[peer].is_owed[VIEW_ANSWER] = false;
    queue->peers[peer].is_owed[VIEW_PROPOSE] = false;
    queue->peers[peer].is_owed[VIEW_COMMIT] = false;
}

view_message bksi_view_queue_first(const session_view_queue *queue, uint32_t peer)
{
    uint32_t message = 0;
    while (message < VIEW_MESSAGES && !queue->peers[peer].is_owed[message]) {
        message++;
    }
    return (view_message)message;
}

bool bksi_view_queue_is_empty(const session_view_queue *queue, uint32_t peer_count)
{
    for (uint32_t i = 0; i < peer_count; i++) {
        if (bksi_view_queue_first(queue, i) != VIEW_MESSAGES) {
            return false;
        }
    }
    return true;
}
