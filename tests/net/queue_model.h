// SPDX-License-Identifier: MIT

/// @file queue_model.h
/// One direction of a link on virtual time: a queue that empties at a rate and drops what would
/// stand longer than half a second, a delay, jitter, loss, stalls. Numbers come from seed.h.

#ifndef TEST_QUEUE_MODEL_H
#define TEST_QUEUE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_MS     UINT64_C(1000000)
#define MODEL_SECOND (1000 * MODEL_MS)

/// Bytes of the UDP and IP headers of each packet.
#define MODEL_HEADER_BYTES 28u
#define MODEL_PACKET_BYTES 1228u
#define MODEL_PACKETS      2048u

/// Longest time that a packet stands in the queue.
#define MODEL_QUEUE_NS (500 * MODEL_MS)

typedef struct model_packet {
    uint64_t arrives_ns;
    size_t bytes;
    uint8_t body[MODEL_PACKET_BYTES];
} model_packet;

typedef struct queue_model {
    uint64_t rate_bits_per_s; ///< 0: no queue
    uint64_t delay_ns;
    uint64_t jitter_ns; ///< delays are up to this more
    uint32_t loss_of_1000;
    uint64_t random;
    uint64_t free_at_ns; ///< when the queue is empty
    uint64_t wire_bytes; ///< that left
    uint64_t dropped;
    uint32_t count;
    model_packet packets[MODEL_PACKETS];
} queue_model;

void queue_model_init(queue_model *queue, uint64_t rate_bits_per_s, uint64_t delay_ns,
                      uint64_t seed);

/// How long a packet would stand now.
uint64_t queue_model_backlog_ns(const queue_model *queue, uint64_t now_ns);

/// Others' bytes take their place in the queue.
/// @return false when it is full
bool queue_model_take_place(queue_model *queue, size_t bytes, uint64_t now_ns);

/// The queue stands still for so long.
void queue_model_stall(queue_model *queue, uint64_t span_ns, uint64_t now_ns);

/// @param wire_bytes  what it takes on the line, with all headers
void queue_model_send(queue_model *queue, const void *body, size_t bytes, size_t wire_bytes,
                      uint64_t now_ns);

/// @param body  room for MODEL_PACKET_BYTES
/// @return bytes of a packet that has arrived by now, 0: none
size_t queue_model_receive(queue_model *queue, void *body, uint64_t now_ns);

/// 0..bound-1, from the queue's own seed.
uint32_t queue_model_below(queue_model *queue, uint32_t bound);

#endif
