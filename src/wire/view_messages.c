// SPDX-License-Identifier: MIT

#include "wire/view_messages.h"

#define PEER_BITS        3u
#define WORD_NUMBER_BITS 16u
#define ENTRY_BITS       (PEER_BITS + WORD_NUMBER_BITS + BKS_PEERS_MAX)

_Static_assert(BKS_PEERS_MAX == 1u << PEER_BITS, "a peer takes three bits");

void bksi_hears_write(bksi_bit_writer *writer, const bksi_hears *message)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const bksi_hears_entry *entry = &message->of[i];
        if (entry->is_there) {
            bksi_write_bits(writer, i, PEER_BITS);
            bksi_write_bits(writer, entry->number, WORD_NUMBER_BITS);
            bksi_write_bits(writer, entry->hears, BKS_PEERS_MAX);
        }
    }
}

bool bksi_hears_read(bksi_bit_reader *reader, bksi_hears *message)
{
    *message = (bksi_hears){0};
    const size_t bits = reader->count_bits - reader->at_bits;
    const size_t count = bits / ENTRY_BITS;
    const uint32_t spare_bits = (uint32_t)(bits % ENTRY_BITS);
    if (count == 0 || count > BKS_PEERS_MAX || spare_bits >= 8) {
        return false;
    }
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t peer = (uint32_t)bksi_read_bits(reader, PEER_BITS);
        if (peer < next) {
            return false;
        }
        next = peer + 1;
        message->of[peer] =
            (bksi_hears_entry){.is_there = true,
                               .number = (uint16_t)bksi_read_bits(reader, WORD_NUMBER_BITS),
                               .hears = (uint32_t)bksi_read_bits(reader, BKS_PEERS_MAX)};
    }
    return bksi_read_bits(reader, spare_bits) == 0 && !reader->failed;
}

#define VIEW_BITS   16u
#define NUMBER_BITS 32u
#define TYPE_BITS   8u
#define COUNT_BITS  4u
_Static_assert(BKSI_GONE_VIEWS_MAX == 1u << COUNT_BITS, "a count less one fits");

static void write_type(bksi_bit_writer *writer, bksi_view_type type)
{
    bksi_write_bits(writer, type, TYPE_BITS);
}

bool bksi_view_type_read(bksi_bit_reader *reader, bksi_view_type *type)
{
    uint64_t value = bksi_read_bits(reader, TYPE_BITS);
    *type = (bksi_view_type)value;
    return !reader->failed && value <= BKSI_VIEW_GONE;
}

static void write_name(bksi_bit_writer *writer, const bksi_view_name *name)
{
    bksi_write_bits(writer, name->view, VIEW_BITS);
    bksi_write_bits(writer, name->hash, 32);
}

static void read_name(bksi_bit_reader *reader, bksi_view_name *name)
{
    name->view = (uint32_t)bksi_read_bits(reader, VIEW_BITS);
    name->hash = (uint32_t)bksi_read_bits(reader, 32);
}

/// Write a mask of peers and a tick for each peer in it.
static void write_ticks(bksi_bit_writer *writer, uint32_t mask, const bks_tick *ticks)
{
    bksi_write_bits(writer, mask, BKS_PEERS_MAX);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if ((mask >> i & 1) != 0) {
            bksi_write_bits(writer, (uint32_t)ticks[i], 32);
        }
    }
}

static bool read_ticks(bksi_bit_reader *reader, uint32_t *mask, bks_tick *ticks)
{
    *mask = (uint32_t)bksi_read_bits(reader, BKS_PEERS_MAX);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        uint64_t tick = (*mask >> i & 1) != 0 ? bksi_read_bits(reader, 32) : 0;
        if (tick > INT32_MAX) {
            return false;
        }
        ticks[i] = (bks_tick)tick;
    }
    return !reader->failed;
}

/// Write the tick before which the match is to end early, and the newest decision on its speed, if
/// there are any.
static void write_decisions(bksi_bit_writer *writer, bks_tick stop,
                            const bksi_speed_decision *speed)
{
    const bool has_speed = speed->number > 0;
    const bool is_there = stop > 0 || has_speed;
    bksi_write_bits(writer, is_there, 1);
    bksi_write_bits(writer, (uint32_t)stop | (has_speed ? BKSI_STOP_MORE : 0), is_there ? 32 : 0);
    if (has_speed) {
        uint8_t bytes[BKSI_SPEED_DECISION_BYTES];
        bksi_speed_decision_write(speed, bytes);
        for (size_t i = 0; i < sizeof(bytes); i++) {
            bksi_write_bits(writer, bytes[i], 8);
        }
    }
}

static bool read_decisions(bksi_bit_reader *reader, bks_tick *stop, bksi_speed_decision *speed)
{
    const bool is_there = bksi_read_bits(reader, 1) != 0;
    const uint32_t tick = is_there ? (uint32_t)bksi_read_bits(reader, 32) : 0;
    *stop = (bks_tick)(tick & ~BKSI_STOP_MORE);
    *speed = (bksi_speed_decision){0};
    if ((tick & BKSI_STOP_MORE) == 0) {
        return !reader->failed && (*stop > 0) == is_there;
    }
    uint8_t bytes[BKSI_SPEED_DECISION_BYTES];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)bksi_read_bits(reader, 8);
    }
    return bksi_speed_decision_read(bytes, speed) && !reader->failed;
}

void bksi_propose_write(bksi_bit_writer *writer, const bksi_propose *message)
{
    write_type(writer, BKSI_VIEW_PROPOSE);
    write_name(writer, &message->base);
    bksi_write_bits(writer, message->number, NUMBER_BITS);
    write_ticks(writer, message->leavers, message->heads);
    bksi_write_bits(writer, message->dropped, BKS_PEERS_MAX);
}

bool bksi_propose_read(bksi_bit_reader *reader, bksi_propose *message)
{
    read_name(reader, &message->base);
    message->number = (uint32_t)bksi_read_bits(reader, NUMBER_BITS);
    const bool is_sound = read_ticks(reader, &message->leavers, message->heads);
    message->dropped = (uint32_t)bksi_read_bits(reader, BKS_PEERS_MAX);
    return is_sound && !reader->failed && message->number > 0 &&
           (message->dropped & ~message->leavers) == 0;
}

void bksi_answer_write(bksi_bit_writer *writer, const bksi_answer *message)
{
    write_type(writer, BKSI_VIEW_ANSWER);
    write_name(writer, &message->base);
    bksi_write_bits(writer, message->number, NUMBER_BITS);
    bksi_write_bits(writer, message->leavers, BKS_PEERS_MAX);
    write_ticks(writer, message->frozen, message->heads);
    write_decisions(writer, message->stop, &message->speed);
}

bool bksi_answer_read(bksi_bit_reader *reader, bksi_answer *message)
{
    read_name(reader, &message->base);
    message->number = (uint32_t)bksi_read_bits(reader, NUMBER_BITS);
    message->leavers = (uint32_t)bksi_read_bits(reader, BKS_PEERS_MAX);
    return read_ticks(reader, &message->frozen, message->heads) &&
           read_decisions(reader, &message->stop, &message->speed) &&
           (message->leavers & ~message->frozen) == 0;
}

void bksi_commit_write(bksi_bit_writer *writer, const bksi_commit *message)
{
    write_type(writer, BKSI_VIEW_COMMIT);
    write_name(writer, &message->base);
    bksi_write_bits(writer, message->members, BKS_PEERS_MAX);
    write_ticks(writer, message->leavers, message->ends);
    write_decisions(writer, message->stop, &message->speed);
}

bool bksi_commit_read(bksi_bit_reader *reader, bksi_commit *message)
{
    read_name(reader, &message->base);
    message->members = (uint32_t)bksi_read_bits(reader, BKS_PEERS_MAX);
    return read_ticks(reader, &message->leavers, message->ends) &&
           read_decisions(reader, &message->stop, &message->speed) && message->members != 0 &&
           (message->members & message->leavers) == 0;
}

void bksi_gone_write(bksi_bit_writer *writer, const bksi_gone *message)
{
    write_type(writer, BKSI_VIEW_GONE);
    bksi_write_bits(writer, message->view, VIEW_BITS);
    bksi_write_bits(writer, message->count - 1, COUNT_BITS);
    for (uint32_t k = message->count; k > 0; k--) {
        const uint32_t at = (message->view - k + 1) % BKSI_GONE_VIEWS_MAX;
        bksi_write_bits(writer, message->hashes[at], 32);
        bksi_write_bits(writer, message->members[at], BKS_PEERS_MAX);
    }
}

bool bksi_gone_read(bksi_bit_reader *reader, bksi_gone *message)
{
    *message = (bksi_gone){.view = (uint32_t)bksi_read_bits(reader, VIEW_BITS)};
    message->count = (uint32_t)bksi_read_bits(reader, COUNT_BITS) + 1;
    if (reader->failed || message->count > message->view + 1) {
        return false;
    }
    uint32_t before = 0;
    for (uint32_t k = message->count; k > 0; k--) {
        const uint32_t at = (message->view - k + 1) % BKSI_GONE_VIEWS_MAX;
        message->hashes[at] = (uint32_t)bksi_read_bits(reader, 32);
        message->members[at] = (uint32_t)bksi_read_bits(reader, BKS_PEERS_MAX);
        // A view has members, and they always differ from those of the previous view.
        if (message->members[at] == 0 || message->members[at] == before) {
            return false;
        }
        before = message->members[at];
    }
    return !reader->failed;
}
