// SPDX-License-Identifier: MIT

#include "queue_model.h"

#include <string.h>

void queue_model_init(queue_model *queue, uint64_t rate_bits_per_s, uint64_t delay_ns,
                      uint64_t seed)
{
    memset(queue, 0, sizeof(*queue));
    queue->rate_bits_per_s = rate_bits_per_s;
    queue->delay_ns = delay_ns;
    queue->random = seed * 2 + 1;
}

uint32_t queue_model_below(queue_model *queue, uint32_t bound)
{
    // Knuth's numbers, MMIX.
    queue->random = queue->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((queue->random >> 33) % bound);
}

uint64_t queue_model_backlog_ns(const queue_model *queue, uint64_t now_ns)
{
    return queue->free_at_ns > now_ns ? queue->free_at_ns - now_ns : 0;
}

bool queue_model_take_place(queue_model *queue, size_t bytes, uint64_t now_ns)
{
    if (queue->rate_bits_per_s == 0) {
        return true;
    }
    if (queue_model_backlog_ns(queue, now_ns) > MODEL_QUEUE_NS) {
        queue->dropped++;
        return false;
    }
    uint64_t begin_ns = queue->free_at_ns > now_ns ? queue->free_at_ns : now_ns;
    queue->free_at_ns = begin_ns + bytes * 8 * MODEL_SECOND / queue->rate_bits_per_s;
    queue->wire_bytes += bytes;
    return true;
}

void queue_model_stall(queue_model *queue, uint64_t span_ns, uint64_t now_ns)
{
    uint64_t until_ns = now_ns + span_ns;
    queue->free_at_ns = queue->free_at_ns > until_ns ? queue->free_at_ns : until_ns;
    for (uint32_t i = 0; i < queue->count; i++) {
        uint64_t *arrives_ns = &queue->packets[i].arrives_ns;
        *arrives_ns = *arrives_ns > until_ns ? *arrives_ns : until_ns;
    }
}

void queue_model_send(queue_model *queue, const void *body, size_t bytes, size_t wire_bytes,
                      uint64_t now_ns)
{
    if (!queue_model_take_place(queue, wire_bytes, now_ns) || queue->count == MODEL_PACKETS ||
        queue_model_below(queue, 1000) < queue->loss_of_1000) {
        return;
    }
    uint64_t leaves_ns = queue->free_at_ns > now_ns ? queue->free_at_ns : now_ns;
    uint64_t jitter_ns = queue->jitter_ns * queue_model_below(queue, 1001) / 1000;
    model_packet *packet = &queue->packets[queue->count++];
    packet->arrives_ns = leaves_ns + queue->delay_ns + jitter_ns;
    packet->bytes = bytes;
    memcpy(packet->body, body, bytes);
}

size_t queue_model_receive(queue_model *queue, void *body, uint64_t now_ns)
{
    uint32_t first = queue->count;
    for (uint32_t i = 0; i < queue->count; i++) {
        if (queue->packets[i].arrives_ns <= now_ns &&
            (first == queue->count ||
             queue->packets[i].arrives_ns < queue->packets[first].arrives_ns)) {
            first = i;
        }
    }
    if (first == queue->count) {
        return 0;
    }
    size_t bytes = queue->packets[first].bytes;
    memcpy(body, queue->packets[first].body, bytes);
    queue->count--;
    memmove(&queue->packets[first], &queue->packets[first + 1],
            (queue->count - first) * sizeof(model_packet));
    return bytes;
}
