// SPDX-License-Identifier: MIT

#include "wire/speed.h"

#include "backstitch/match.h"

#include "base/bits.h"

#define NUMBER_BITS  16u
#define TICK_BITS    31u
#define PERCENT_BITS 9u
#define PEER_BITS    3u
#define WISH_BITS    8u
#define ANSWER_BITS  3u
#define KIND_BITS    2u

_Static_assert(NUMBER_BITS + TICK_BITS + 1 + PERCENT_BITS + 2 * PEER_BITS + BKS_PEERS_MAX +
                       WISH_BITS + ANSWER_BITS <=
                   8 * BKSI_SPEED_DECISION_BYTES,
               "a decision fits");
_Static_assert(WISH_BITS + KIND_BITS + PERCENT_BITS <= 8 * BKSI_SPEED_WISH_BYTES, "a wish fits");

static bool is_speed(uint32_t percent)
{
    return percent >= BKS_SPEED_MIN && percent <= BKS_SPEED_MAX;
}

/// Return true if all bits that are left are 0.
static bool is_at_end(bksi_bit_reader *reader)
{
    const size_t left = reader->count_bits - reader->at_bits;
    return bksi_read_bits(reader, (uint32_t)left) == 0 && !reader->failed;
}

void bksi_speed_decision_write(const bksi_speed_decision *decision, uint8_t *bytes)
{
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, BKSI_SPEED_DECISION_BYTES);
    bksi_write_bits(&writer, decision->number, NUMBER_BITS);
    bksi_write_bits(&writer, (uint32_t)decision->tick, TICK_BITS);
    bksi_write_bits(&writer, decision->is_paused, 1);
    bksi_write_bits(&writer, decision->percent, PERCENT_BITS);
    bksi_write_bits(&writer, decision->by, PEER_BITS);
    bksi_write_bits(&writer, decision->excused, BKS_PEERS_MAX);
    bksi_write_bits(&writer, decision->asker, PEER_BITS);
    bksi_write_bits(&writer, decision->wish, WISH_BITS);
    bksi_write_bits(&writer, (uint32_t)decision->answer, ANSWER_BITS);
    const uint32_t left = 8 * BKSI_SPEED_DECISION_BYTES - (uint32_t)writer.at_bits;
    bksi_write_bits(&writer, 0, left);
}

bool bksi_speed_decision_read(const uint8_t *bytes, bksi_speed_decision *decision)
{
    bksi_bit_reader reader = bksi_bit_reader_over(bytes, BKSI_SPEED_DECISION_BYTES);
    decision->number = (uint16_t)bksi_read_bits(&reader, NUMBER_BITS);
    decision->tick = (bks_tick)bksi_read_bits(&reader, TICK_BITS);
    decision->is_paused = bksi_read_bits(&reader, 1) != 0;
    decision->percent = (uint32_t)bksi_read_bits(&reader, PERCENT_BITS);
    decision->by = (uint32_t)bksi_read_bits(&reader, PEER_BITS);
    decision->excused = (uint32_t)bksi_read_bits(&reader, BKS_PEERS_MAX);
    decision->asker = (uint32_t)bksi_read_bits(&reader, PEER_BITS);
    decision->wish = (uint8_t)bksi_read_bits(&reader, WISH_BITS);
    const uint32_t answer = (uint32_t)bksi_read_bits(&reader, ANSWER_BITS);
    decision->answer = (bksi_speed_answer)answer;
    return decision->number > 0 && is_speed(decision->percent) && answer <= BKSI_SPEED_TOO_LATE &&
           (answer == BKSI_SPEED_GRANTED || decision->wish > 0) && is_at_end(&reader);
}

void bksi_speed_wish_write(const bksi_speed_wish *wish, uint8_t *bytes)
{
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, BKSI_SPEED_WISH_BYTES);
    bksi_write_bits(&writer, wish->number, WISH_BITS);
    bksi_write_bits(&writer, (uint32_t)wish->kind, KIND_BITS);
    bksi_write_bits(&writer, wish->percent, PERCENT_BITS);
    const uint32_t left = 8 * BKSI_SPEED_WISH_BYTES - (uint32_t)writer.at_bits;
    bksi_write_bits(&writer, 0, left);
}

bool bksi_speed_wish_read(const uint8_t *bytes, bksi_speed_wish *wish)
{
    bksi_bit_reader reader = bksi_bit_reader_over(bytes, BKSI_SPEED_WISH_BYTES);
    wish->number = (uint8_t)bksi_read_bits(&reader, WISH_BITS);
    const uint32_t kind = (uint32_t)bksi_read_bits(&reader, KIND_BITS);
    wish->kind = (bksi_speed_wish_kind)kind;
    wish->percent = (uint32_t)bksi_read_bits(&reader, PERCENT_BITS);
    const bool is_sound =
        is_speed(wish->percent) || (wish->percent == 0 && kind != BKSI_WISH_SPEED);
    return wish->number > 0 && kind <= BKSI_WISH_RESUME && is_sound && is_at_end(&reader);
}

const char *bksi_speed_answer_reason(bksi_speed_answer answer)
{
    switch (answer) {
    case BKSI_SPEED_GRANTED:
        return "nothing is against it";
    case BKSI_SPEED_TOO_MANY:
        return "all our pauses are used up";
    case BKSI_SPEED_TOO_LONG:
        return "our pauses have taken all the time that they may take";
    case BKSI_SPEED_TOO_SOON:
        return "our last wish was granted less than a second ago";
    case BKSI_SPEED_NOT_OWN:
        return "only the host and the peer that paused the match end the pause while that peer is "
               "heard";
    case BKSI_SPEED_FORBIDDEN:
        return "the host alone pauses the match and changes its speed";
    case BKSI_SPEED_TOO_LATE:
        return "the match ends first";
    }
    return "the reason is not known";
}
