// SPDX-License-Identifier: MIT

#include "wire/input_message.h"

#include "base/bits.h"

/// HEAD_BITS: number of the lowest bits of the sender's head that are sent; the receiver derives
/// the other bits from the newest head of the sender that it knows. Of a very old packet the
/// receiver derives a head that is too new. It refuses this packet, because `need`, which is sent
/// relative to the head, then lies beyond the receiver's own head. VIEW_BITS: bits of the number of
/// a view.
#define HEAD_BITS 12u
#define HEAD_SPAN (1u << HEAD_BITS)
#define VIEW_BITS 16u

/// Orders of the Exp-Golomb codes of distances: most distances are below 2^order.
#define NEED_ORDER  4u
#define FIRST_ORDER 4u
#define HASH_ORDER  0u
#define BITS_ORDER  6u

// Probabilities, in 1/65536, that the bit of each flag is 0.
#define NO_ECHO     54613u // every sixth packet has an echo
#define NOT_PART    64512u
#define NO_STANDING 57344u
#define SHORT_HASH  63488u

static uint32_t zigzag(int32_t value)
{
    return value >= 0 ? (uint32_t)value << 1 : ((uint32_t)(-(int64_t)value) << 1) - 1;
}

static int64_t unzigzag(uint32_t value)
{
    return (value & 1) != 0 ? -((int64_t)(value >> 1) + 1) : (int64_t)(value >> 1);
}

static void encode_64(bksi_range_encoder *encoder, uint64_t value)
{
    bksi_range_encode_bits(encoder, (uint32_t)(value >> 32), 32);
    bksi_range_encode_bits(encoder, (uint32_t)value, 32);
}

static uint64_t decode_64(bksi_range_decoder *decoder)
{
    uint64_t high = bksi_range_decode_bits(decoder, 32);
    return high << 32 | bksi_range_decode_bits(decoder, 32);
}

static void write_echo(bksi_range_encoder *encoder, const bksi_echo *echo)
{
    bksi_range_encode_bits(encoder, echo->number, 16);
    bksi_range_encode_bits(encoder, echo->stamp, 16);
    bksi_range_encode_bits(encoder, echo->came, 8);
    bksi_range_encode_bits(encoder, echo->hold, 8);
}

static bksi_echo read_echo(bksi_range_decoder *decoder)
{
    bksi_echo echo = {0};
    echo.number = (uint16_t)bksi_range_decode_bits(decoder, 16);
    echo.stamp = (uint16_t)bksi_range_decode_bits(decoder, 16);
    echo.came = (uint8_t)bksi_range_decode_bits(decoder, 8);
    echo.hold = (uint8_t)bksi_range_decode_bits(decoder, 8);
    return echo;
}

static void write_hash(bksi_range_encoder *encoder, const bksi_input_head *head)
{
    bksi_range_encode(encoder, SHORT_HASH, head->hash.kind != BKSI_HASH_SHORT);
    if (head->hash.kind != BKSI_HASH_SHORT) {
        bksi_range_encode(encoder, BKSI_RANGE_EVEN, head->hash.kind == BKSI_HASH_FULL);
    }
    if (head->hash.kind == BKSI_HASH_NONE) {
        return;
    }
    bksi_range_encode_number(encoder, (uint32_t)(head->need - head->hash.tick), HASH_ORDER);
    if (head->hash.kind == BKSI_HASH_SHORT) {
        bksi_range_encode_bits(encoder, (uint32_t)head->hash.state, 16);
        return;
    }
    encode_64(encoder, head->hash.state);
    encode_64(encoder, head->hash.inputs);
}

static void write_bytes(bksi_range_encoder *encoder, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bksi_range_encode_bits(encoder, bytes[i], 8);
    }
}

static void read_bytes(bksi_range_decoder *decoder, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)bksi_range_decode_bits(decoder, 8);
    }
}

static void write_speed(bksi_range_encoder *encoder, const bksi_input_standing *standing)
{
    bksi_range_encode(encoder, BKSI_RANGE_EVEN, standing->speed.number > 0);
    if (standing->speed.number > 0) {
        uint8_t bytes[BKSI_SPEED_DECISION_BYTES];
        bksi_speed_decision_write(&standing->speed, bytes);
        write_bytes(encoder, bytes, sizeof(bytes));
    }
    bksi_range_encode(encoder, BKSI_RANGE_EVEN, standing->wish.number > 0);
    if (standing->wish.number > 0) {
        uint8_t bytes[BKSI_SPEED_WISH_BYTES];
        bksi_speed_wish_write(&standing->wish, bytes);
        write_bytes(encoder, bytes, sizeof(bytes));
    }
}

static bool read_speed(bksi_range_decoder *decoder, bksi_input_standing *standing)
{
    const bool is_decided = bksi_range_decode(decoder, BKSI_RANGE_EVEN) != 0;
    if (is_decided) {
        uint8_t bytes[BKSI_SPEED_DECISION_BYTES];
        read_bytes(decoder, bytes, sizeof(bytes));
        if (!bksi_speed_decision_read(bytes, &standing->speed)) {
            return false;
        }
    }
    if (bksi_range_decode(decoder, BKSI_RANGE_EVEN) != 0) {
        uint8_t bytes[BKSI_SPEED_WISH_BYTES];
        read_bytes(decoder, bytes, sizeof(bytes));
        return bksi_speed_wish_read(bytes, &standing->wish);
    }
    return is_decided;
}

static void write_standing(bksi_range_encoder *encoder, const bksi_input_standing *standing)
{
    const bool has_speed = standing->speed.number > 0 || standing->wish.number > 0;
    bool is_there = standing->view > 0 || standing->view_hash != 0 || standing->is_complete ||
                    standing->stop > 0 || has_speed;
    bksi_range_encode(encoder, NO_STANDING, is_there);
    if (is_there) {
        bksi_range_encode_bits(encoder, standing->view, VIEW_BITS);
        bksi_range_encode_bits(encoder, standing->view_hash, 32);
        bksi_range_encode(encoder, BKSI_RANGE_EVEN, standing->is_complete);
        bksi_range_encode(encoder, BKSI_RANGE_EVEN, standing->stop > 0 || has_speed);
        if (standing->stop > 0 || has_speed) {
            const uint32_t more = has_speed ? BKSI_STOP_MORE : 0;
            bksi_range_encode_bits(encoder, (uint32_t)standing->stop | more, 32);
        }
        if (has_speed) {
            write_speed(encoder, standing);
        }
    }
}

static bool read_standing(bksi_range_decoder *decoder, bksi_input_standing *standing)
{
    *standing = (bksi_input_standing){0};
    if (bksi_range_decode(decoder, NO_STANDING) == 0) {
        return true;
    }
    standing->view = bksi_range_decode_bits(decoder, VIEW_BITS);
    standing->view_hash = bksi_range_decode_bits(decoder, 32);
    standing->is_complete = bksi_range_decode(decoder, BKSI_RANGE_EVEN) != 0;
    if (bksi_range_decode(decoder, BKSI_RANGE_EVEN) != 0) {
        const uint32_t stop = bksi_range_decode_bits(decoder, 32);
        standing->stop = (bks_tick)(stop & ~BKSI_STOP_MORE);
        return (stop & BKSI_STOP_MORE) != 0 ? read_speed(decoder, standing) : standing->stop > 0;
    }
    return true;
}

void bksi_input_head_write(bksi_range_encoder *encoder, const bksi_input_head *head)
{
    bksi_range_encode(encoder, NO_ECHO, head->has_echo);
    if (head->has_echo) {
        write_echo(encoder, &head->echo);
    }
    bksi_range_encode_bits(encoder, (uint32_t)head->head, HEAD_BITS);
    bksi_range_encode_number(encoder, zigzag(head->head - head->need), NEED_ORDER);
    bksi_range_encode_number(encoder, (uint32_t)(head->head - head->first), FIRST_ORDER);
    bool is_part = head->first + (bks_tick)head->count != head->head;
    bksi_range_encode(encoder, NOT_PART, is_part);
    if (is_part) {
        bksi_range_encode_number(encoder, head->count, FIRST_ORDER);
    }
    write_hash(encoder, head);
    write_standing(encoder, &head->standing);
}

/// Return the tick nearest to `near` whose lowest HEAD_BITS bits are `low`.
static int64_t expand_tick(uint32_t low, bks_tick near)
{
    uint32_t ahead = (low - (uint32_t)near) & (HEAD_SPAN - 1);
    return (int64_t)near + ahead - (ahead < HEAD_SPAN / 2 ? 0 : (int64_t)HEAD_SPAN);
}

/// Read a tick that was sent as its distance below the tick `from`.
/// @return false when the tick is before `least`
static bool read_below(bksi_range_decoder *decoder, bks_tick least, bks_tick from, uint32_t order,
                       bks_tick *out)
{
    int64_t tick = (int64_t)from - (int64_t)bksi_range_decode_number(decoder, order);
    *out = (bks_tick)(tick < least ? least : tick);
    return tick >= least;
}

static bool read_hash(bksi_range_decoder *decoder, bks_tick least, bksi_input_head *head)
{
    head->hash.kind = BKSI_HASH_SHORT;
    if (bksi_range_decode(decoder, SHORT_HASH) != 0) {
        head->hash.kind =
            bksi_range_decode(decoder, BKSI_RANGE_EVEN) != 0 ? BKSI_HASH_FULL : BKSI_HASH_NONE;
    }
    head->hash.tick = BKS_TICK_NONE;
    head->hash.state = 0;
    head->hash.inputs = 0;
    if (head->hash.kind == BKSI_HASH_NONE) {
        return true;
    }
    if (!read_below(decoder, least, head->need, HASH_ORDER, &head->hash.tick)) {
        return false;
    }
    if (head->hash.kind == BKSI_HASH_SHORT) {
        head->hash.state = bksi_range_decode_bits(decoder, 16);
        return true;
    }
    head->hash.state = decode_64(decoder);
    head->hash.inputs = decode_64(decoder);
    return true;
}

bool bksi_input_head_read(bksi_range_decoder *decoder, bks_tick least, bks_tick near,
                          bksi_input_head *head)
{
    head->has_echo = bksi_range_decode(decoder, NO_ECHO) != 0;
    head->echo = head->has_echo ? read_echo(decoder) : (bksi_echo){0};
    int64_t newest = expand_tick(bksi_range_decode_bits(decoder, HEAD_BITS), near);
    if (newest < least || newest > INT32_MAX) {
        return false;
    }
    head->head = (bks_tick)newest;
    int64_t need = newest - unzigzag(bksi_range_decode_number(decoder, NEED_ORDER));
    if (need < least || need > INT32_MAX) {
        return false;
    }
    head->need = (bks_tick)need;
    if (!read_below(decoder, least, head->head, FIRST_ORDER, &head->first)) {
        return false;
    }
    head->count = (uint32_t)(head->head - head->first);
    if (bksi_range_decode(decoder, NOT_PART) != 0) {
        uint32_t count = bksi_range_decode_number(decoder, FIRST_ORDER);
        if (count > head->count) {
            return false;
        }
        head->count = count;
    }
    return read_hash(decoder, least, head) && read_standing(decoder, &head->standing) &&
           !decoder->failed;
}

void bksi_input_bits_write(bksi_range_encoder *encoder, const uint8_t *bytes, size_t bits)
{
    bksi_range_encode_number(encoder, (uint32_t)bits, BITS_ORDER);
    for (size_t at = 0; at < bits; at += 8) {
        bksi_range_encode_bits(encoder, bytes[at / 8], bits - at < 8 ? (uint32_t)(bits - at) : 8);
    }
}

size_t bksi_input_bits_read(bksi_range_decoder *decoder, uint8_t *bytes, size_t capacity)
{
    size_t bits = bksi_range_decode_number(decoder, BITS_ORDER);
    if (bits > capacity * 8) {
        return SIZE_MAX;
    }
    for (size_t at = 0; at < bits; at += 8) {
        bytes[at / 8] =
            (uint8_t)bksi_range_decode_bits(decoder, bits - at < 8 ? (uint32_t)(bits - at) : 8);
    }
    return decoder->failed ? SIZE_MAX : bits;
}
