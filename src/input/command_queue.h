// SPDX-License-Identifier: MIT

/// @file command_queue.h
/// Queue of a local player's commands that wait for a tick. Its bytes are encoded like the sequence
/// of the command log (command_log.h). It has room for the log's `room_bytes`.
///
/// The first bytes of a burst may travel ahead of the ticks that take them (session/inputs/lane.h).
/// A tick takes those that are ready, which means that they have arrived. All other bytes wait
/// until then, because commands keep their order.

#ifndef BKSI_COMMAND_QUEUE_H
#define BKSI_COMMAND_QUEUE_H

#include "input/command_log.h"

typedef struct bksi_command_queue {
    uint8_t *bytes;
    uint32_t capacity; ///< size of `bytes`
    uint32_t from;     ///< offset of the first waiting byte
    uint32_t count;    ///< number of waiting bytes
    uint32_t ahead;    ///< number of the first waiting bytes that travel ahead of their ticks
    uint32_t ready;    ///< number of the first waiting bytes that a tick may take, up to `ahead`
    bool is_waiting;   ///< bytes wait for room in the log, which was logged
} bksi_command_queue;

/// Create an empty queue. A game without commands needs no memory.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_command_queue_create(bksi_command_queue *queue, const bksi_command_config *config,
                                     const bks_allocator *allocator);
void bksi_command_queue_destroy(bksi_command_queue *queue, const bks_allocator *allocator);

/// Return true if the queue has room for a command of `count` bytes.
static inline bool bksi_command_queue_has_room(const bksi_command_queue *queue, uint32_t count)
{
    return count + BKSI_COMMAND_HEAD_BYTES <= queue->capacity - queue->count;
}

/// Append a command. The queue must have room for it. Blobs that were taken are no longer valid.
/// @param count  1..bytes_max of the config
void bksi_command_queue_put(bksi_command_queue *queue, const void *bytes, uint32_t count);

/// Take the oldest waiting bytes, at most `most`. If any travel ahead, take all that are ready, or
/// none if they are more than `most`. The blob is valid until the next command is put.
bksi_blob bksi_command_queue_take(bksi_command_queue *queue, uint32_t most);

/// Get the waiting bytes that do not travel ahead. They are valid until the next command is put.
static inline bksi_blob bksi_command_queue_rest(const bksi_command_queue *queue)
{
    return (bksi_blob){.bytes = queue->bytes + queue->from + queue->ahead,
                       .count = queue->count - queue->ahead};
}
/// Note that so many bytes of bksi_command_queue_rest() travel ahead from now on.
static inline void bksi_command_queue_go_ahead(bksi_command_queue *queue, uint32_t count)
{
    queue->ahead += count;
}
/// Note that the first `count` bytes have arrived ahead, up to those that travel ahead. A tick
/// takes all of them or none.
static inline void bksi_command_queue_arrived(bksi_command_queue *queue, uint32_t count)
{
    queue->ready = count < queue->ahead ? count : queue->ahead;
}

#endif
