// SPDX-License-Identifier: MIT

#include "wire/input_message.h"

/// Of the head, the rest follows from what is known of the sender. A packet so old that it would be
/// taken for a newer one asks for ticks that we have not made yet, and is refused for that.
#define HEAD_BITS 12u
#define HEAD_SPAN (1u << HEAD_BITS)

/// In the place of a hash's kind, which then follows: there is a mesh part.
#define KIND_MESH 3u

#define DISTANCE_BITS 6u
#define COUNT_BITS    5u

static uint32_t zigzag(int32_t value)
{
    return value >= 0 ? (uint32_t)value << 1 : ((uint32_t)(-(int64_t)value) << 1) - 1;
}

static int64_t unzigzag(uint32_t value)
{
    return (value & 1) != 0 ? -((int64_t)(value >> 1) + 1) : (int64_t)(value >> 1);
}

void bksi_input_head_write(bksi_bit_writer *writer, const bksi_input_head *head)
{
    bksi_write_bits(writer, head->has_echo ? 1 : 0, 1);
    if (head->has_echo) {
        bksi_write_bits(writer, head->echo, 8);
        bksi_write_bits(writer, head->hold, 8);
    }
    bksi_write_bits(writer, (uint64_t)(uint32_t)head->head & (HEAD_SPAN - 1), HEAD_BITS);
    bksi_write_small(writer, zigzag(head->head - head->need), DISTANCE_BITS);
    bksi_write_small(writer, (uint32_t)(head->head - head->first), COUNT_BITS);
    bool is_whole = head->first + (bks_tick)head->count == head->head;
    bksi_write_bits(writer, is_whole ? 1 : 0, 1);
    if (!is_whole)
        bksi_write_small(writer, head->count, COUNT_BITS);
    if (head->has_mesh)
        bksi_write_bits(writer, KIND_MESH, 2);
    bksi_write_bits(writer, (uint64_t)head->hash_kind, 2);
    if (head->hash_kind == BKSI_HASH_NONE)
        return;
    bksi_write_small(writer, (uint32_t)(head->head - head->hash_tick), DISTANCE_BITS);
    if (head->hash_kind == BKSI_HASH_SHORT) {
        bksi_write_bits(writer, head->state_hash & 0xFFFF, 16);
        return;
    }
    bksi_write_bits(writer, head->state_hash, 64);
    bksi_write_bits(writer, head->inputs_hash, 64);
}

/// The tick nearest to `near` whose lowest HEAD_BITS are `low`.
static int64_t expand_tick(uint32_t low, bks_tick near)
{
    uint32_t ahead = (low - (uint32_t)near) & (HEAD_SPAN - 1);
    return (int64_t)near + ahead - (ahead < HEAD_SPAN / 2 ? 0 : (int64_t)HEAD_SPAN);
}

/// Everything but the head itself travels as a distance below it.
static bool read_below(bksi_bit_reader *reader, int64_t head, uint32_t bits, bks_tick *out)
{
    int64_t tick = head - (int64_t)bksi_read_small(reader, bits);
    *out = (bks_tick)(tick < 0 ? 0 : tick);
    return tick >= 0;
}

static bool read_hash(bksi_bit_reader *reader, bksi_input_head *head)
{
    uint32_t kind = (uint32_t)bksi_read_bits(reader, 2);
    head->has_mesh = kind == KIND_MESH;
    if (head->has_mesh)
        kind = (uint32_t)bksi_read_bits(reader, 2);
    if (kind > BKSI_HASH_FULL)
        return false;
    head->hash_kind = (bksi_hash_kind)kind;
    head->hash_tick = BKS_TICK_NONE;
    head->state_hash = 0;
    head->inputs_hash = 0;
    if (kind == BKSI_HASH_NONE)
        return true;
    if (!read_below(reader, head->head, DISTANCE_BITS, &head->hash_tick))
        return false;
    head->state_hash = bksi_read_bits(reader, kind == BKSI_HASH_SHORT ? 16 : 64);
    if (kind == BKSI_HASH_FULL)
        head->inputs_hash = bksi_read_bits(reader, 64);
    return true;
}

bool bksi_input_head_read(bksi_bit_reader *reader, bks_tick near, bksi_input_head *head)
{
    head->has_echo = bksi_read_bits(reader, 1) != 0;
    head->echo = head->has_echo ? (uint8_t)bksi_read_bits(reader, 8) : 0;
    head->hold = head->has_echo ? (uint8_t)bksi_read_bits(reader, 8) : 0;
    int64_t newest = expand_tick((uint32_t)bksi_read_bits(reader, HEAD_BITS), near);
    if (newest < 0 || newest > INT32_MAX)
        return false;
    head->head = (bks_tick)newest;
    int64_t need = newest - unzigzag(bksi_read_small(reader, DISTANCE_BITS));
    if (need < 0 || need > INT32_MAX)
        return false;
    head->need = (bks_tick)need;
    if (!read_below(reader, newest, COUNT_BITS, &head->first))
        return false;
    head->count = (uint32_t)(head->head - head->first);
    if (bksi_read_bits(reader, 1) == 0) {
        uint32_t count = bksi_read_small(reader, COUNT_BITS);
        if (count > head->count)
            return false;
        head->count = count;
    }
    return read_hash(reader, head) && !reader->failed;
}
