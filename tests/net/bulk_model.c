// SPDX-License-Identifier: MIT

#include "bulk_model.h"

#include <string.h>

#define STEP_NS           (MODEL_MS / 4)
#define TICK_NS           (MODEL_SECOND / 60)
#define ECHO_EVERY_NS     (50 * MODEL_MS)
#define ECHO_IN_BULK_NS   (10 * MODEL_MS)
#define ECHO_BYTES        6u
#define MATCH_BYTES       57u
#define BULK_HEADER_BYTES 47u ///< of UDP, IP and the seal
#define BULK_BODY_BYTES   1100u

typedef struct message {
    uint64_t number;
    uint64_t sent_ns;
    bool is_bulk;
    bool has_echo;
    bksi_line_echo echo;
} message;

void bulk_model_init(bulk_model *model, uint64_t bits_per_s, uint64_t delay_ns, size_t buffer_bytes,
                     const bks_allocator *allocator, uint64_t seed)
{
    memset(model, 0, sizeof(*model));
    model->now_ns = MODEL_SECOND;
    const bksi_bulk_config bulk = {
        .send_bytes = buffer_bytes, .receive_bytes = buffer_bytes, .most = 12.5e6};
    const bksi_line_rate_config rate = bksi_line_match_config(60.0, 0.0);
    for (uint32_t i = 0; i < 2; i++) {
        bulk_side *side = &model->sides[i];
        queue_model_init(&model->ways[i], bits_per_s, delay_ns, seed + i);
        bksi_line_init(&side->line);
        bksi_line_rate_init(&side->rate, &rate, model->now_ns);
        (void)bksi_bulk_create(&side->bulk, &bulk, allocator);
        side->tick_ns = model->now_ns;
        side->read_at_once = 4096;
    }
}

void bulk_model_destroy(bulk_model *model)
{
    bksi_bulk_destroy(&model->sides[0].bulk);
    bksi_bulk_destroy(&model->sides[1].bulk);
}

/// Return the byte at a place of a side's stream.
static uint8_t byte_at(uint32_t side, uint64_t place)
{
    return (uint8_t)((place * 2654435761u + side) >> 13);
}

static void send(bulk_model *model, uint32_t self, const uint8_t *body, size_t body_bytes)
{
    bulk_side *side = &model->sides[self];
    uint64_t every_ns = body != NULL ? ECHO_IN_BULK_NS : ECHO_EVERY_NS;
    message m = {.number = side->number++, .sent_ns = model->now_ns, .is_bulk = body != NULL};
    m.has_echo = side->is_asked || (side->came > 0 && model->now_ns - side->echoed_ns >= every_ns);
    size_t wire_bytes = body != NULL ? body_bytes + BULK_HEADER_BYTES : MATCH_BYTES;
    if (m.has_echo) {
        m.echo = (bksi_line_echo){.number = side->newest_number,
                                  .stamp = bksi_line_stamp(side->newest_ns),
                                  .came = (uint8_t)side->came,
                                  .hold_ns = model->now_ns - side->newest_ns};
        if (side->is_asked) {
            m.echo = side->asked;
            m.echo.hold_ns = model->now_ns - side->asked_ns;
            side->is_asked = false;
        }
        side->echoed_ns = model->now_ns;
        wire_bytes += ECHO_BYTES;
    }
    bksi_line_sent(&side->line, m.number, wire_bytes, 0, model->now_ns);
    uint8_t packet[MODEL_PACKET_BYTES];
    memcpy(packet, &m, sizeof(m));
    if (body != NULL) {
        memcpy(packet + sizeof(m), body, body_bytes);
        bksi_bulk_sent(&side->bulk, wire_bytes, m.number, model->now_ns);
        side->bulk_packets++;
    } else {
        bksi_line_rate_sent(&side->rate, wire_bytes, model->now_ns);
    }
    if (!model->is_cut && (model->longest_bytes == 0 || wire_bytes <= model->longest_bytes)) {
        queue_model_send(&model->ways[self], packet, sizeof(m) + body_bytes, wire_bytes,
                         model->now_ns);
    }
}

static void take(bulk_model *model, uint32_t self, const uint8_t *packet, size_t bytes)
{
    bulk_side *side = &model->sides[self];
    message m;
    memcpy(&m, packet, sizeof(m));
    if (side->came == 0 || m.number > side->newest_number) {
        side->newest_number = m.number;
        side->newest_ns = model->now_ns;
    }
    side->came++;
    if (m.has_echo) {
        bksi_line_echoed(&side->line, &m.echo, model->now_ns);
    }
    if (m.is_bulk) {
        const bool was_asked = bksi_bulk_is_asked(&side->bulk);
        model->refused +=
            !bksi_bulk_receive(&side->bulk, packet + sizeof(m), bytes - sizeof(m), model->now_ns);
        if (!was_asked && bksi_bulk_is_asked(&side->bulk)) {
            side->is_asked = true;
            side->asked_ns = model->now_ns;
            side->asked = (bksi_line_echo){.number = m.number,
                                           .stamp = bksi_line_stamp(model->now_ns),
                                           .came = (uint8_t)side->came};
        }
        return;
    }
    uint64_t late_ns = model->now_ns - m.sent_ns - model->ways[1 - self].delay_ns;
    side->late_ns += (double)late_ns;
    side->late_ns_max = late_ns > side->late_ns_max ? late_ns : side->late_ns_max;
    side->match_packets++;
}

static void receive(bulk_model *model, uint32_t self)
{
    uint8_t packet[MODEL_PACKET_BYTES];
    queue_model *way = &model->ways[1 - self];
    size_t bytes;
    while ((bytes = queue_model_receive(way, packet, model->now_ns)) > 0) {
        take(model, self, packet, bytes);
        if (queue_model_below(way, 1000) < model->repeat_of_1000) {
            take(model, self, packet, bytes);
        }
    }
}

static void write_and_read(bulk_model *model, uint32_t self)
{
    bulk_side *side = &model->sides[self];
    uint8_t chunk[4096];
    while (side->written < side->to_write) {
        uint64_t left = side->to_write - side->written;
        size_t count = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);
        for (size_t i = 0; i < count; i++) {
            chunk[i] = byte_at(self, side->written + i);
        }
        size_t taken = bksi_bulk_write(&side->bulk, chunk, count);
        side->written += taken;
        if (taken < count) {
            break;
        }
    }
    size_t count = bksi_bulk_read(&side->bulk, chunk, side->read_at_once, model->now_ns);
    for (size_t i = 0; i < count; i++) {
        side->is_wrong |= chunk[i] != byte_at(1 - self, side->read + i);
    }
    side->read += count;
}

static void update(bulk_model *model, uint32_t self)
{
    bulk_side *side = &model->sides[self];
    bksi_line_rate_update(&side->rate, &side->line, model->now_ns);
    bool yields = bksi_line_rate_is_cramped(&side->rate, &side->line);
    bksi_bulk_update(&side->bulk, &side->line, yields, model->now_ns);
    if (model->now_ns >= side->tick_ns) {
        side->tick_ns += TICK_NS;
        if (model->now_ns >= bksi_line_rate_next_ns(&side->rate)) {
            send(model, self, NULL, 0);
        }
    }
    uint8_t body[BULK_BODY_BYTES];
    size_t bytes = 1;
    while (bytes > 0 && model->now_ns >= bksi_bulk_due_ns(&side->bulk, model->now_ns)) {
        bytes = bksi_bulk_send(&side->bulk, body, sizeof(body), model->now_ns);
        if (bytes > 0) {
            send(model, self, body, bytes);
        }
    }
}

bool bulk_model_is_finished(const bulk_model *model)
{
    return model->sides[0].read == model->sides[1].to_write &&
           model->sides[1].read == model->sides[0].to_write;
}

void bulk_model_run(bulk_model *model, double seconds)
{
    uint64_t end_ns = model->now_ns + (uint64_t)(seconds * 1e9);
    bool has_stream = model->sides[0].to_write + model->sides[1].to_write > 0;
    for (; model->now_ns < end_ns; model->now_ns += STEP_NS) {
        if (has_stream && bulk_model_is_finished(model)) {
            return;
        }
        for (uint32_t i = 0; i < 2; i++) {
            receive(model, i);
            write_and_read(model, i);
            update(model, i);
        }
    }
}
