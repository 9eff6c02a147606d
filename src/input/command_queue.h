// SPDX-License-Identifier: MIT

/// @file command_queue.h
/// Queue of a local player's commands that wait for a tick. Its bytes are encoded like the sequence
/// of the command log (command_log.h). It has room for the log's `room_bytes`.

#ifndef BKSI_COMMAND_QUEUE_H
#define BKSI_COMMAND_QUEUE_H

#include "input/command_log.h"

typedef struct bksi_command_queue {
    uint8_t *bytes;
    uint32_t capacity; ///< size of `bytes`
    uint32_t from;     ///< offset of the first waiting byte
    uint32_t count;    ///< number of waiting bytes
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

/// Take the oldest waiting bytes, at most `most`. The blob is valid until the next command is put.
bksi_blob bksi_command_queue_take(bksi_command_queue *queue, uint32_t most);

#endif
