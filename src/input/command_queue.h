// SPDX-License-Identifier: MIT

/// @file command_queue.h
/// Commands of a local player that wait for a tick, in the form of a sequence (command_log.h). The
/// queue has room for as many bytes as the rule of the log allows for its number of ticks, and
/// refuses a command that does not fit.

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

/// Append a command for which the queue has room. Blobs that were taken are no longer valid.
/// @param count  1..bytes_max of the config
void bksi_command_queue_put(bksi_command_queue *queue, const void *bytes, uint32_t count);

/// Take the oldest bytes, at most `most`. They are valid until the next command is put.
bksi_blob bksi_command_queue_take(bksi_command_queue *queue, uint32_t most);

#endif
