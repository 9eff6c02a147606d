// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "input/input_stream.h"
#include "support/seed.h"
#include "wire/input_message.h"
#include "wire/wire_bytes.h"

static size_t write_head(const bksi_input_head *head, uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX])
{
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, bytes, BKSI_INPUT_HEAD_BYTES_MAX);
    bksi_input_head_write(&encoder, head);
    size_t count = bksi_range_encoder_finish(&encoder);
    assert_false(encoder.failed);
    return count;
}

static bool read_head(const uint8_t *bytes, size_t count, bks_tick near, bksi_input_head *head)
{
    uint8_t *copy = exact_copy(bytes, count);
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, copy, count);
    bool is_ok = bksi_input_head_read(&decoder, 0, near, head);
    assert_true(!is_ok || !decoder.failed);
    free(copy);
    return is_ok;
}

static void assert_same(const bksi_input_head *a, const bksi_input_head *b)
{
    assert_int_equal(a->has_echo, b->has_echo);
    assert_int_equal(a->echo.number, b->echo.number);
    assert_int_equal(a->echo.stamp, b->echo.stamp);
    assert_int_equal(a->echo.came, b->echo.came);
    assert_int_equal(a->echo.hold, b->echo.hold);
    assert_int_equal(a->head, b->head);
    assert_int_equal(a->need, b->need);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->standing.view, b->standing.view);
    assert_int_equal(a->standing.view_hash, b->standing.view_hash);
    assert_int_equal(a->standing.is_complete, b->standing.is_complete);
    assert_int_equal(a->standing.stop, b->standing.stop);
    assert_int_equal(a->standing.speed.number, b->standing.speed.number);
    assert_int_equal(a->standing.speed.tick, b->standing.speed.tick);
    assert_int_equal(a->standing.speed.percent, b->standing.speed.percent);
    assert_int_equal(a->standing.wish.number, b->standing.wish.number);
    assert_int_equal(a->standing.wish.kind, b->standing.wish.kind);
    assert_int_equal(a->hash.kind, b->hash.kind);
    assert_int_equal(a->hash.tick, b->hash.tick);
    assert_true(a->hash.state == b->hash.state);
    assert_true(a->hash.inputs == b->hash.inputs);
}

static void heads_are_their_golden_bits(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX];
    bksi_input_head plain = {
        .head = 103, .need = 98, .first = 100, .count = 3, .hash.tick = BKS_TICK_NONE};
    assert_bytes(bytes, write_head(&plain, bytes), "0561858b");
    bksi_input_head echoing = {.has_echo = true,
                               .echo = {0x1234, 0x5678, 0x9A, 9},
                               .head = 70000,
                               .need = 70005,
                               .first = 69999,
                               .count = 1,
                               .hash.kind = BKSI_HASH_SHORT,
                               .hash.tick = 69990,
                               .hash.state = 0xBEEF};
    assert_bytes(bytes, write_head(&echoing, bytes), "d85cf8f617c6ba02ae362a1f53");
    bksi_input_head far = {.has_echo = true,
                           .echo = {0xFFFF, 0xFFFF, 255, BKSI_HOLD_NONE},
                           .head = 5000,
                           .need = 100,
                           .first = 90,
                           .count = 20,
                           .hash.kind = BKSI_HASH_FULL,
                           .standing = {.view = 0x1234,
                                        .view_hash = 0x89ABCDEF,
                                        .is_complete = true,
                                        .stop = 0x12345678},
                           .hash.tick = 40,
                           .hash.state = UINT64_C(0x0123456789ABCDEF),
                           .hash.inputs = UINT64_C(0xFEDCBA9876543210)};
    assert_bytes(bytes, write_head(&far, bytes),
                 "ffffffaaffffdec1c10aeb9332c4f12de89fc28f5c28f5c28f4f3d70a3d70a3d71472522feb851e5"
                 "0947ae12");
}

/// Draw any valid head, with small and large distances.
static bksi_input_head random_head(void)
{
    uint32_t span = seed_below(2) == 0 ? 60 : 1u << 20;
    bksi_input_head head = {
        .has_echo = seed_below(2) == 1,
        .head = (bks_tick)seed_below(seed_below(2) == 0 ? 300 : INT32_MAX),
        .hash.kind = (bksi_hash_kind)seed_below(3),
        .standing.is_complete = seed_below(4) == 0,
        .standing.stop = seed_below(4) == 0 ? 1 + (bks_tick)seed_below(INT32_MAX) : 0,
        .hash.tick = BKS_TICK_NONE,
    };
    if (seed_below(4) == 0) {
        head.standing.view = 1 + seed_below(0xFFFF);
        head.standing.view_hash = (uint32_t)seed_next();
    }
    if (span == 60 && seed_below(2) == 0) {
        head.standing.speed =
            (bksi_speed_decision){.number = (uint16_t)(1 + seed_below(UINT16_MAX)),
                                  .tick = (bks_tick)seed_below(INT32_MAX),
                                  .percent = 25 + seed_below(376)};
    }
    if (span == 60 && seed_below(4) == 0) {
        head.standing.wish = (bksi_speed_wish){.number = (uint8_t)(1 + seed_below(UINT8_MAX)),
                                               .kind = BKSI_WISH_PAUSE};
    }
    uint32_t below = (uint32_t)head.head < span ? (uint32_t)head.head : span;
    if (head.has_echo) {
        head.echo = (bksi_echo){(uint16_t)seed_next(), (uint16_t)seed_next(), (uint8_t)seed_next(),
                                (uint8_t)seed_next()};
    }
    head.need = head.head - (bks_tick)seed_below(below + 1);
    if (seed_below(2) == 0 && head.head < INT32_MAX - (bks_tick)span) {
        head.need = head.head + (bks_tick)seed_below(span);
    }
    head.first = head.head - (bks_tick)seed_below(below + 1);
    uint32_t most = (uint32_t)(head.head - head.first);
    head.count = seed_below(2) == 0 ? most : seed_below(most + 1);
    if (head.hash.kind == BKSI_HASH_NONE) {
        return head;
    }
    head.hash.tick = head.need - (bks_tick)seed_below(below < (uint32_t)head.need ? below + 1 : 1);
    head.hash.state = head.hash.kind == BKSI_HASH_SHORT ? seed_below(0x10000) : seed_next();
    head.hash.inputs = head.hash.kind == BKSI_HASH_SHORT ? 0 : seed_next();
    return head;
}

static void heads_come_back_as_they_were_whatever_is_near(void **context)
{
    (void)context;
    for (int round = 0; round < 20000; round++) {
        bksi_input_head head = random_head();
        uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX];
        size_t count = write_head(&head, bytes);
        int64_t near = (int64_t)head.head + seed_below(4095) - 2047;
        near = near < 0 ? 0 : near > INT32_MAX ? INT32_MAX : near;
        bksi_input_head back;
        assert_true(read_head(bytes, count, (bks_tick)near, &back));
        assert_same(&head, &back);
    }
}

static void ticks_expand_to_the_nearest_with_their_lowest_12_bits(void **context)
{
    (void)context;
    static const struct {
        bks_tick head, near, expanded;
    } cases[] = {
        {4095, 4096, 4095}, {4096, 4095, 4096},         {100, 2148, 100},
        {100, 2149, 4196},  {201000, 0, 201000 % 4096}, {INT32_MAX, INT32_MAX - 5, INT32_MAX},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bksi_input_head head = {.head = cases[i].head,
                                .need = cases[i].head,
                                .first = cases[i].head,
                                .hash.tick = BKS_TICK_NONE};
        uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX];
        bksi_input_head back;
        assert_true(read_head(bytes, write_head(&head, bytes), cases[i].near, &back));
        assert_int_equal(back.head, cases[i].expanded);
        assert_int_equal(back.need, cases[i].expanded);
    }
}

/// Write the body that docs/spec/wire.md explains, with plain inputs.
static void the_example_of_the_page_reads_as_it_says(void **context)
{
    (void)context;
    static const uint8_t body[] = {0x05, 0x61, 0x85, 0x95, 0xF9, 0xA2};
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, body, sizeof(body));
    bksi_input_head head;
    assert_true(bksi_input_head_read(&decoder, 0, 99, &head));
    bksi_input_head wanted = {
        .head = 103, .need = 98, .first = 100, .count = 3, .hash.tick = BKS_TICK_NONE};
    assert_same(&head, &wanted);
    assert_int_equal(bksi_range_decode(&decoder, BKSI_INPUT_CODED), 1);
    uint8_t bits[4];
    assert_int_equal(bksi_input_bits_read(&decoder, bits, sizeof(bits)), 7);
    assert_int_equal(bits[0], 0x2A); // 0 | 1 010 1 | 0
    assert_true(bksi_range_decoder_is_done(&decoder));
}

/// Write the five inputs of docs/spec/input-codec.md, coded by the model.
static void the_other_example_reads_as_it_says(void **context)
{
    (void)context;
    static const bks_field fields[] = {
        {.name = "x", .bits = 7, .is_signed = true, .group = 1},
        {.name = "y", .bits = 7, .is_signed = true, .group = 1},
        {.name = "fire", .bits = 1},
        {.name = "weapon", .bits = 3, .neutral = 1},
    };
    static const int32_t inputs[5][4] = {
        {0, 0, 0, 1}, {5, -3, 0, 1}, {5, -3, 1, 1}, {5, -3, 1, 1}, {-64, 63, 0, 7}};
    static const uint8_t body[] = {0x00, 0x42, 0xBE, 0x28, 0xDE, 0x1E,
                                   0x3C, 0x22, 0x02, 0x58, 0x48, 0x40};
    bksi_layout layout;
    assert_int_equal(bksi_layout_init(&layout, fields, 4, NULL), BKS_OK);
    bks_allocator allocator = {0};
    bksi_input_stream stream;
    assert_int_equal(bksi_input_stream_create(&stream, &layout, &allocator), BKS_OK);
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, body, sizeof(body));
    bksi_input_head head;
    assert_true(bksi_input_head_read(&decoder, 0, 0, &head));
    assert_int_equal(head.head, 5);
    assert_int_equal(head.first, 0);
    assert_int_equal(bksi_range_decode(&decoder, BKSI_INPUT_CODED), 0);
    for (int tick = 0; tick < 5; tick++) {
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        int32_t values[4];
        bksi_input_stream_decode(&stream, &decoder, packed);
        bksi_input_stream_learn(&stream, packed);
        bksi_layout_unpack(&layout, packed, values);
        assert_memory_equal(values, inputs[tick], sizeof(values));
    }
    assert_true(bksi_range_decoder_is_done(&decoder));
    bksi_input_stream_destroy(&stream, &allocator);
}

static void bits_come_back_with_their_number(void **context)
{
    (void)context;
    for (int round = 0; round < 2000; round++) {
        uint8_t bits[100];
        for (size_t i = 0; i < sizeof(bits); i++) {
            bits[i] = (uint8_t)seed_next();
        }
        size_t count = seed_below(sizeof(bits) * 8 + 1);
        uint8_t bytes[120];
        bksi_range_encoder encoder;
        bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
        bksi_input_bits_write(&encoder, bits, count);
        bksi_range_encode_bits(&encoder, 0x5A, 8);
        size_t written = bksi_range_encoder_finish(&encoder);
        assert_true(written <= count / 8 + 5);
        bksi_range_decoder decoder;
        bksi_range_decoder_init(&decoder, bytes, written);
        uint8_t back[100];
        assert_int_equal(bksi_input_bits_read(&decoder, back, sizeof(back)), count);
        assert_memory_equal(back, bits, count / 8);
        if (count % 8 != 0) {
            assert_int_equal(back[count / 8], bits[count / 8] & ((1u << count % 8) - 1));
        }
        assert_int_equal(bksi_range_decode_bits(&decoder, 8), 0x5A);
        bksi_range_decoder_init(&decoder, bytes, written);
        if (count > 8) {
            assert_true(bksi_input_bits_read(&decoder, back, count / 8 - 1) == SIZE_MAX);
        }
    }
}

/// Cut heads short. Not every missing bit shows, because the coder holds some back; if it shows,
/// the head is refused.
static void heads_without_most_of_their_bytes_are_refused(void **context)
{
    (void)context;
    for (int round = 0; round < 2000; round++) {
        bksi_input_head head = random_head();
        head.hash.kind = BKSI_HASH_FULL;
        head.hash.tick = head.need;
        head.standing.speed.number = 0;
        head.standing.wish.number = 0;
        uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX];
        size_t count = write_head(&head, bytes);
        for (size_t cut = 0; cut + 17 < count; cut++) {
            bksi_input_head back;
            bool is_ok = read_head(bytes, cut, head.head, &back);
            // Missing bits read as 0, which may mean that there is no long hash.
            assert_true(!is_ok || back.hash.kind != BKSI_HASH_FULL);
        }
    }
}

/// Head written by hand, with content that the writer never writes.
typedef struct hand_made {
    int64_t head;
    uint32_t need_zigzag;
    uint32_t first_below;
    uint32_t count; ///< ticks of inputs, UINT32_MAX: all
    uint32_t hash;  ///< kind of hash: 0 short, 1 none, 2 full
    uint32_t hash_below;
} hand_made;

static bool is_taken(const hand_made *made, bks_tick near)
{
    uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX] = {0};
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
    bksi_range_encode(&encoder, 54613, 0);
    bksi_range_encode_bits(&encoder, (uint32_t)made->head & 0xFFF, 12);
    bksi_range_encode_number(&encoder, made->need_zigzag, 4);
    bksi_range_encode_number(&encoder, made->first_below, 4);
    bksi_range_encode(&encoder, 64512, made->count != UINT32_MAX);
    if (made->count != UINT32_MAX) {
        bksi_range_encode_number(&encoder, made->count, 4);
    }
    bksi_range_encode(&encoder, 63488, made->hash > 0);
    if (made->hash > 0) {
        bksi_range_encode(&encoder, BKSI_RANGE_EVEN, made->hash - 1);
    }
    if (made->hash != 1) {
        bksi_range_encode_number(&encoder, made->hash_below, 0);
    }
    size_t count = bksi_range_encoder_finish(&encoder);
    memset(bytes + count, 0x33, sizeof(bytes) - count); // a hash
    bksi_input_head head;
    bool is_ok = read_head(bytes, sizeof(bytes), near, &head);
    if (is_ok) {
        assert_true(head.head >= 0 && head.need >= 0);
        assert_true(head.first >= 0 && head.first <= head.head);
        assert_true(head.count <= (uint32_t)(head.head - head.first));
        assert_true(head.hash.tick >= -1 && head.hash.tick <= head.need);
    }
    return is_ok;
}

#define WHOLE .count = UINT32_MAX, .hash = 1

static void values_out_of_range_are_refused(void **context)
{
    (void)context;
    assert_true(is_taken(&(hand_made){.head = 10, WHOLE}, 10));
    assert_false(is_taken(&(hand_made){.head = 0xFFF, WHOLE}, 0));     // tick -1
    assert_false(is_taken(&(hand_made){.head = 0, WHOLE}, INT32_MAX)); // 2^31
    assert_true(is_taken(&(hand_made){.head = 10, .need_zigzag = 20, WHOLE}, 10));
    assert_false(is_taken(&(hand_made){.head = 10, .need_zigzag = 22, WHOLE}, 10));
    assert_true(is_taken(&(hand_made){.head = 10, .need_zigzag = 23, WHOLE}, 10));
    assert_false(is_taken(&(hand_made){.head = 10, .need_zigzag = UINT32_MAX, WHOLE}, 10));
    assert_true(is_taken(&(hand_made){.head = 10, .first_below = 10, WHOLE}, 10));
    assert_false(is_taken(&(hand_made){.head = 10, .first_below = 11, WHOLE}, 10));
    assert_false(is_taken(&(hand_made){.head = 10, .first_below = UINT32_MAX, WHOLE}, 10));
    assert_true(is_taken(&(hand_made){.head = 10, .first_below = 4, .count = 4, .hash = 1}, 10));
    assert_false(is_taken(&(hand_made){.head = 10, .first_below = 4, .count = 5, .hash = 1}, 10));
    assert_false(
        is_taken(&(hand_made){.head = 10, .first_below = 4, .count = 0xFFFFFFF0, .hash = 1}, 10));
    for (uint32_t hash = 0; hash < 3; hash += 2) {
        assert_true(is_taken(
            &(hand_made){.head = 10, .count = UINT32_MAX, .hash = hash, .hash_below = 10}, 10));
        assert_false(is_taken(
            &(hand_made){.head = 10, .count = UINT32_MAX, .hash = hash, .hash_below = 11}, 10));
        assert_false(is_taken(
            &(hand_made){.head = 10, .count = UINT32_MAX, .hash = hash, .hash_below = UINT32_MAX},
            10));
    }
    // A hash below the needed tick, which is beyond the head.
    assert_true(is_taken(
        &(hand_made){
            .head = 10, .need_zigzag = 7, .count = UINT32_MAX, .hash = 0, .hash_below = 14},
        10));
}

static void random_bytes_are_read_within_their_bounds(void **context)
{
    (void)context;
    uint32_t taken = 0;
    for (int round = 0; round < 100000; round++) {
        uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX];
        size_t count = seed_below(sizeof(bytes) + 1);
        for (size_t i = 0; i < count; i++) {
            bytes[i] = (uint8_t)(seed_below(2) == 0 ? 0 : seed_next());
        }
        bks_tick near = (bks_tick)seed_below(seed_below(2) == 0 ? 1000 : INT32_MAX);
        bksi_input_head head;
        if (!read_head(bytes, count, near, &head)) {
            continue;
        }
        taken++;
        assert_true(head.head >= 0 && head.need >= 0);
        assert_true(head.first >= 0 && head.first <= head.head);
        assert_true(head.count <= (uint32_t)(head.head - head.first));
        assert_true(head.hash.tick >= -1 && head.hash.tick <= head.need);
    }
    assert_true(taken > 1000);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_their_golden_bits),
        cmocka_unit_test(heads_come_back_as_they_were_whatever_is_near),
        cmocka_unit_test(ticks_expand_to_the_nearest_with_their_lowest_12_bits),
        cmocka_unit_test(the_example_of_the_page_reads_as_it_says),
        cmocka_unit_test(the_other_example_reads_as_it_says),
        cmocka_unit_test(bits_come_back_with_their_number),
        cmocka_unit_test(heads_without_most_of_their_bytes_are_refused),
        cmocka_unit_test(values_out_of_range_are_refused),
        cmocka_unit_test(random_bytes_are_read_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
