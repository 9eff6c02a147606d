// SPDX-License-Identifier: MIT

#include "input/command_queue.h"

#include <string.h>

#include "base/memory.h"
#include "base/report.h"

bks_status bksi_command_queue_create(bksi_command_queue *queue, const bksi_command_config *config,
                                     const bks_allocator *allocator)
{
    *queue = (bksi_command_queue){0};
    if (config->bytes_max == 0) {
        return BKS_OK;
    }
    queue->bytes = bksi_alloc(allocator, config->room_bytes, 16);
    if (queue->bytes == NULL) {
        return bksi_fail(NULL, BKS_ERR_OUT_OF_MEMORY, "input.commands", NULL,
                         "no memory for %u bytes of commands that wait", config->room_bytes);
    }
    queue->capacity = config->room_bytes;
    return BKS_OK;
}

void bksi_command_queue_destroy(bksi_command_queue *queue, const bks_allocator *allocator)
{
    bksi_free(allocator, queue->bytes, queue->capacity);
    *queue = (bksi_command_queue){0};
}

void bksi_command_queue_put(bksi_command_queue *queue, const void *bytes, uint32_t count)
{
    BKS_ASSERT(bksi_command_queue_has_room(queue, count));
    if (queue->from + queue->count + BKSI_COMMAND_HEAD_BYTES + count > queue->capacity) {
        memmove(queue->bytes, queue->bytes + queue->from, queue->count);
        queue->from = 0;
    }
    uint8_t *end = queue->bytes + queue->from + queue->count;
    end[0] = (uint8_t)count;
    end[1] = (uint8_t)(count >> 8);
    memcpy(end + BKSI_COMMAND_HEAD_BYTES, bytes, count);
    queue->count += BKSI_COMMAND_HEAD_BYTES + count;
}

bksi_blob bksi_command_queue_take(bksi_command_queue *queue, uint32_t most)
{
    const bool is_ahead = queue->ahead > 0;
    const uint32_t there = is_ahead ? queue->ready : queue->count;
    const uint32_t count = there <= most ? there : is_ahead ? 0 : most;
    if (count == 0) {
        return (bksi_blob){0};
    }
    const bksi_blob blob = {
        .bytes = queue->bytes + queue->from, .count = count, .is_ahead = is_ahead};
    queue->from += count;
    queue->count -= count;
    queue->ahead -= is_ahead ? count : 0;
    queue->ready -= is_ahead ? count : 0;
    return blob;
}
