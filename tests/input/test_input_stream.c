// SPDX-License-Identifier: MIT

#include "input/input_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "input/codec.h"
#include "input/some_input.h"

enum { TICKS = 400, BYTES_MAX = 16 * 1024 };

static const bks_field stick_and_buttons[] = {
    {.name = "x", .bits = 7, .is_signed = true, .group = 1},
    {.name = "y", .bits = 7, .is_signed = true, .group = 1},
    {.name = "fire", .bits = 1},
    {.name = "weapon", .bits = 3, .neutral = 1},
};

static const bks_allocator allocator = {0};
static bksi_layout layout;
static uint8_t inputs[TICKS][BKSI_INPUT_BYTES_MAX];

/// A message on its way.
typedef struct message {
    bks_tick first;
    bks_tick until;
    uint8_t bytes[BYTES_MAX];
    size_t count;
} message;

static void make_inputs(const bks_field *fields, uint32_t count, uint32_t wildness)
{
    assert_int_equal(bksi_layout_init(&layout, fields, count, NULL), BKS_OK);
    int32_t values[BKS_FIELDS_MAX];
    bksi_layout_neutral(&layout, values);
    for (int tick = 0; tick < TICKS; tick++) {
        for (uint32_t i = 0; i < count; i++) {
            if (some_below(100) < wildness) {
                values[i] = some_value(&fields[i]);
            }
        }
        assert_int_equal(bksi_layout_pack(&layout, values, inputs[tick], NULL), BKS_OK);
    }
}

static void create(bksi_input_stream *stream)
{
    assert_int_equal(bksi_input_stream_create(stream, &layout, &allocator), BKS_OK);
}

static void learn_until(bksi_input_stream *stream, bks_tick until)
{
    while (stream->head < until) {
        bksi_input_stream_learn(stream, inputs[stream->head]);
    }
}

static void encode(const bksi_input_stream *stream, bks_tick first, message *m)
{
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, m->bytes, sizeof(m->bytes));
    m->first = first;
    m->until = stream->head;
    const bks_tick middle = first + (bks_tick)some_below((uint32_t)(m->until - first) + 1);
    bksi_input_stream_encode(stream, first, middle, &encoder); // in one go or in two
    bksi_input_stream_encode(stream, middle, m->until, &encoder);
    m->count = bksi_range_encoder_finish(&encoder);
    assert_false(encoder.failed);
}

/// Take what is new of a message, as a session does.
/// @return whether it was sound
static bool decode(bksi_input_stream *stream, const message *m)
{
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, m->bytes, m->count);
    if (m->first > stream->head) {
        return true;
    }
    const bks_tick known = stream->head;
    const bks_tick end = m->until < known ? m->until : known;
    bksi_input_stream_skip(stream, m->first, end, &decoder);
    for (bks_tick tick = end; tick < m->until && !decoder.failed; tick++) {
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        bksi_input_stream_decode(stream, &decoder, packed);
        if (decoder.failed) {
            return false;
        }
        assert_memory_equal(packed, inputs[tick], layout.bytes);
        bksi_input_stream_learn(stream, packed);
    }
    return bksi_range_decoder_is_done(&decoder);
}

/// The model counts inputs, not ticks.
static void a_stream_that_begins_later_has_the_same_bits(void **state)
{
    (void)state;
    make_inputs(stick_and_buttons, 4, 10);
    bksi_input_stream streams[2];
    static message messages[2];
    for (bks_tick i = 0; i < 2; i++) {
        const bks_tick first = i * 6001;
        uint32_t plain_bits = 0;
        create(&streams[i]);
        bksi_input_stream_begin(&streams[i], first);
        assert_int_equal(bksi_input_stream_bits(&streams[i], first, &plain_bits), 0);
        assert_int_equal(bksi_input_stream_bits(&streams[i], first - 1, &plain_bits), UINT32_MAX);
        for (int tick = 0; tick < 40; tick++) {
            bksi_input_stream_learn(&streams[i], inputs[tick]);
        }
        assert_int_equal(bksi_input_stream_bits(&streams[i], first - 1, &plain_bits), UINT32_MAX);
        encode(&streams[i], first, &messages[i]);
    }
    assert_int_equal(messages[0].count, messages[1].count);
    assert_memory_equal(messages[0].bytes, messages[1].bytes, messages[0].count);
    for (int i = 0; i < 2; i++) {
        bksi_input_stream_destroy(&streams[i], &allocator);
    }
}

/// Every message begins at some tick that the receiver has acknowledged, many are lost or come
/// late, and some come through a third peer that encodes them itself.
static void inputs_sent_again_and_again_decode_alike(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        bks_field fields[BKS_FIELDS_MAX];
        const bool is_any = round % 2 == 1;
        const uint32_t count = is_any ? some_fields(fields) : 4;
        make_inputs(is_any ? fields : stick_and_buttons, count, is_any ? 2 : 10);
        bksi_input_stream own;
        bksi_input_stream third;
        bksi_input_stream other;
        create(&own);
        create(&third);
        create(&other);
        bks_tick acknowledged = 0;
        static message late;
        bool is_late = false;
        for (bks_tick tick = 1; tick < TICKS; tick++) {
            static message m;
            learn_until(&own, tick);
            learn_until(&third, tick - (bks_tick)some_below(3));
            bksi_input_stream *stream = some_below(5) == 0 ? &third : &own;
            uint32_t plain_bits = 0;
            if (acknowledged > stream->head ||
                bksi_input_stream_bits(stream, acknowledged, &plain_bits) == UINT32_MAX) {
                learn_until(&other, tick); // sent plain
                continue;
            }
            encode(stream, acknowledged, &m);
            if (some_below(3) == 0) {
                late = m;
                is_late = true;
                continue;
            }
            assert_true(decode(&other, &m));
            assert_true(!is_late || decode(&other, &late));
            is_late = false;
            acknowledged = some_below(4) == 0 ? other.head : acknowledged;
        }
        assert_true(other.head > TICKS - 50);
        assert_memory_equal(
            own.model->chances, other.model->chances,
            own.head == other.head ? sizeof(bksi_chance) << (32 - own.model->chance_shift) : 0);
        bksi_input_stream_destroy(&own, &allocator);
        bksi_input_stream_destroy(&third, &allocator);
        bksi_input_stream_destroy(&other, &allocator);
    }
}

static void a_changed_input_is_noticed(void **state)
{
    (void)state;
    make_inputs(stick_and_buttons, 4, 30);
    bksi_input_stream own;
    bksi_input_stream other;
    create(&own);
    create(&other);
    learn_until(&own, 100);
    learn_until(&other, 99);
    uint8_t lie[BKSI_INPUT_BYTES_MAX];
    memcpy(lie, inputs[99], layout.bytes);
    lie[0] ^= 1;
    bksi_input_stream_learn(&other, lie);
    learn_until(&own, 110);
    static message m;
    encode(&own, 95, &m);
    assert_false(decode(&other, &m));
    assert_int_equal(other.head, 100);
    bksi_input_stream_destroy(&own, &allocator);
    bksi_input_stream_destroy(&other, &allocator);
}

static void only_the_newest_ticks_can_be_encoded(void **state)
{
    (void)state;
    make_inputs(stick_and_buttons, 4, 0); // every tick is coded alike
    bksi_input_stream stream;
    create(&stream);
    learn_until(&stream, 300);
    uint32_t plain_bits = 0;
    const bks_tick oldest = 300 - (bks_tick)BKSI_INPUT_STREAM_TICKS;
    assert_true(bksi_input_stream_bits(&stream, oldest, &plain_bits) < UINT32_MAX);
    assert_int_equal(bksi_input_stream_bits(&stream, oldest - 1, &plain_bits), UINT32_MAX);
    assert_int_equal(bksi_input_stream_bits(&stream, 300, &plain_bits), 0);
    static message m;
    encode(&stream, oldest, &m);
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, m.bytes, m.count);
    bksi_input_stream_skip(&stream, oldest - 1, oldest, &decoder);
    assert_true(decoder.failed);
    bksi_range_decoder_init(&decoder, m.bytes, m.count);
    bksi_input_stream_skip(&stream, oldest, 300, &decoder);
    assert_false(decoder.failed);
    bksi_input_stream_destroy(&stream, &allocator);
}

/// 64 fields of 8 bits, all at once elsewhere.
static void inputs_of_too_many_decisions_are_neither_encoded_nor_decoded(void **state)
{
    (void)state;
    bks_field fields[BKS_FIELDS_MAX];
    for (uint32_t i = 0; i < BKS_FIELDS_MAX; i++) {
        fields[i] = (bks_field){.name = some_names[i], .bits = 8};
    }
    make_inputs(fields, BKS_FIELDS_MAX, 0);
    memset(inputs[10], 0x55, layout.bytes);
    memset(inputs[11], 0x55, layout.bytes);
    bksi_input_stream own;
    bksi_input_stream other;
    create(&own);
    create(&other);
    learn_until(&own, 10);
    learn_until(&other, 10);
    uint32_t plain_bits = 0;
    assert_true(bksi_input_stream_bits(&own, 0, &plain_bits) < UINT32_MAX);
    assert_int_equal(plain_bits, 10);
    learn_until(&own, 11);
    assert_int_equal(bksi_input_stream_bits(&own, 0, &plain_bits), UINT32_MAX);
    learn_until(&own, 12);
    assert_int_equal(bksi_input_stream_bits(&own, 10, &plain_bits), UINT32_MAX);
    assert_true(bksi_input_stream_bits(&own, 11, &plain_bits) < UINT32_MAX);

    // A peer that writes it nevertheless is refused, and nothing is learnt of it.
    bksi_model *model = test_malloc(bksi_model_bytes(&layout));
    memcpy(model, other.model, bksi_model_bytes(&layout));
    static uint8_t bytes[4096];
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
    bksi_model_encode(model, &layout, &encoder, inputs[10]);
    const size_t count = bksi_range_encoder_finish(&encoder);
    memcpy(model, other.model, bksi_model_bytes(&layout));
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, bytes, count);
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    bksi_input_stream_decode(&other, &decoder, packed);
    assert_true(decoder.failed);
    assert_memory_equal(model, other.model, bksi_model_bytes(&layout));
    bksi_input_stream_learn(&other, inputs[10]); // sent plain
    learn_until(&other, 12);
    assert_memory_equal(own.model, other.model, bksi_model_bytes(&layout));
    test_free(model);
    bksi_input_stream_destroy(&own, &allocator);
    bksi_input_stream_destroy(&other, &allocator);
}

static void costs_are_those_of_the_codes(void **state)
{
    (void)state;
    make_inputs(stick_and_buttons, 4, 10);
    bksi_input_stream stream;
    create(&stream);
    static uint8_t bytes[BYTES_MAX];
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    learn_until(&stream, TICKS);
    for (bks_tick tick = TICKS - 100; tick < TICKS; tick++) {
        bksi_codec_write(&writer, &layout, inputs[tick - 1], inputs[tick]);
    }
    static message m;
    encode(&stream, TICKS - 100, &m);
    uint32_t plain_bits = 0;
    const uint32_t bits = bksi_input_stream_bits(&stream, TICKS - 100, &plain_bits);
    assert_int_equal(plain_bits, writer.at_bits);
    assert_true(m.count * 8 <= bits + 16); // and what its last byte is short of
    assert_true(m.count * 8 >= bits - bits / 8);
    bksi_input_stream_destroy(&stream, &allocator);
}

/// The ring of decisions begins again now and then, in the midst of a run.
static void run_is_coded_as_its_ticks_are(void **state)
{
    (void)state;
    make_inputs(stick_and_buttons, 4, 100);
    bksi_input_stream stream;
    create(&stream);
    uint32_t parted = 0;
    for (bks_tick head = 100; head <= TICKS; head++) {
        learn_until(&stream, head);
        static message run;
        static message ticks;
        bksi_range_encoder encoders[2];
        bksi_range_encoder_init(&encoders[0], run.bytes, sizeof(run.bytes));
        bksi_range_encoder_init(&encoders[1], ticks.bytes, sizeof(ticks.bytes));
        bksi_input_stream_encode(&stream, head - 100, head, &encoders[0]);
        for (bks_tick tick = head - 100; tick < head; tick++) {
            bksi_input_stream_encode(&stream, tick, tick + 1, &encoders[1]);
        }
        run.count = bksi_range_encoder_finish(&encoders[0]);
        assert_int_equal(run.count, bksi_range_encoder_finish(&encoders[1]));
        assert_memory_equal(run.bytes, ticks.bytes, run.count);
        bksi_range_decoder decoder;
        bksi_range_decoder_init(&decoder, run.bytes, run.count);
        bksi_input_stream_skip(&stream, head - 100, head, &decoder);
        assert_true(bksi_range_decoder_is_done(&decoder));
        const bks_tick ring = (bks_tick)BKSI_INPUT_STREAM_TICKS;
        parted += stream.codes[(head - 1) % ring].at < stream.codes[(head - 100) % ring].at;
    }
    assert_true(parted >= 50);
    bksi_input_stream_destroy(&stream, &allocator);
}

static void input_that_was_heard_and_not_taken_changes_nothing(void **state)
{
    (void)state;
    make_inputs(stick_and_buttons, 4, 30);
    bksi_input_stream own;
    bksi_input_stream other;
    create(&own);
    create(&other);
    learn_until(&own, 51);
    learn_until(&other, 50);
    bksi_range_decoder decoder;
    static message m;
    encode(&own, 50, &m);
    bksi_range_decoder_init(&decoder, m.bytes, m.count);
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    bksi_input_stream_decode(&other, &decoder, packed);
    assert_memory_equal(packed, inputs[50], layout.bytes);
    packed[0] ^= 3; // another one is taken
    bksi_input_stream_learn(&other, packed);
    bksi_input_stream fresh;
    create(&fresh);
    learn_until(&fresh, 50);
    bksi_input_stream_learn(&fresh, packed);
    assert_memory_equal(fresh.model, other.model, bksi_model_bytes(&layout));
    bksi_input_stream_destroy(&own, &allocator);
    bksi_input_stream_destroy(&other, &allocator);
    bksi_input_stream_destroy(&fresh, &allocator);
}

static void any_bytes_are_heard_as_inputs_or_refused(void **state)
{
    (void)state;
    make_inputs(stick_and_buttons, 4, 10);
    uint32_t heard = 0;
    for (int round = 0; round < 300; round++) {
        bksi_input_stream stream;
        create(&stream);
        learn_until(&stream, 20);
        message m = {.first = 20, .until = 40, .count = some_below(40)};
        for (size_t i = 0; i < m.count; i++) {
            m.bytes[i] = (uint8_t)some_number();
        }
        bksi_range_decoder decoder;
        bksi_range_decoder_init(&decoder, m.bytes, m.count);
        bksi_input_stream fresh; // knows nothing of what was heard
        create(&fresh);
        learn_until(&fresh, 20);
        for (bks_tick tick = 20; tick < 40 && !decoder.failed; tick++) {
            uint8_t packed[BKSI_INPUT_BYTES_MAX] = {0};
            bksi_input_stream_decode(&stream, &decoder, packed);
            assert_int_equal(packed[2] >> 2, 0); // 18 bits
            heard += decoder.failed ? 0 : 1;
            bksi_input_stream_learn(&stream, packed);
            bksi_input_stream_learn(&fresh, packed);
            assert_memory_equal(fresh.model, stream.model, bksi_model_bytes(&layout));
        }
        bksi_input_stream_destroy(&stream, &allocator);
        bksi_input_stream_destroy(&fresh, &allocator);
    }
    assert_true(heard > 500);
}

int main(int argc, char **argv)
{
    some_begin(argc, argv, 20265);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_that_begins_later_has_the_same_bits),
        cmocka_unit_test(inputs_sent_again_and_again_decode_alike),
        cmocka_unit_test(a_changed_input_is_noticed),
        cmocka_unit_test(only_the_newest_ticks_can_be_encoded),
        cmocka_unit_test(inputs_of_too_many_decisions_are_neither_encoded_nor_decoded),
        cmocka_unit_test(costs_are_those_of_the_codes),
        cmocka_unit_test(run_is_coded_as_its_ticks_are),
        cmocka_unit_test(input_that_was_heard_and_not_taken_changes_nothing),
        cmocka_unit_test(any_bytes_are_heard_as_inputs_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
