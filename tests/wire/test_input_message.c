// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/seed.h"
#include "input/codec.h"
#include "wire/input_message.h"
#include "wire/wire_bytes.h"

static size_t write_head(const bksi_input_head *head, uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX])
{
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, BKSI_INPUT_HEAD_BYTES_MAX);
    bksi_input_head_write(&writer, head);
    assert_false(writer.failed);
    return bksi_bit_writer_bytes(&writer);
}

static bool read_head(const uint8_t *bytes, size_t count, bks_tick near, bksi_input_head *head)
{
    uint8_t *copy = exact_copy(bytes, count);
    bksi_bit_reader reader = bksi_bit_reader_over(copy, count);
    bool is_ok = bksi_input_head_read(&reader, near, head);
    free(copy);
    return is_ok;
}

static void assert_same(const bksi_input_head *a, const bksi_input_head *b)
{
    assert_int_equal(a->has_echo, b->has_echo);
    assert_int_equal(a->echo, b->echo);
    assert_int_equal(a->hold, b->hold);
    assert_int_equal(a->head, b->head);
    assert_int_equal(a->need, b->need);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->hash_kind, b->hash_kind);
    assert_int_equal(a->hash_tick, b->hash_tick);
    assert_true(a->state_hash == b->state_hash);
    assert_true(a->inputs_hash == b->inputs_hash);
}

static void heads_are_their_golden_bits(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX];
    bksi_input_head plain = {
        .head = 103, .need = 98, .first = 100, .count = 3, .hash_tick = BKS_TICK_NONE};
    assert_bytes(bytes, write_head(&plain, bytes), "ce806204");
    bksi_input_head echoing = {.has_echo = true,
                               .echo = 0x12,
                               .hold = 9,
                               .head = 70000,
                               .need = 70005,
                               .first = 69999,
                               .count = 1,
                               .hash_kind = BKSI_HASH_SHORT,
                               .hash_tick = 69990,
                               .state_hash = 0x1234BEEF};
    assert_bytes(bytes, write_head(&echoing, bytes), "2512e042228cf2ee0b");
    bksi_input_head far = {.has_echo = true,
                           .echo = 255,
                           .hold = 255,
                           .head = 5000,
                           .need = 100,
                           .first = 90,
                           .count = 20,
                           .hash_kind = BKSI_HASH_FULL,
                           .hash_tick = 4000,
                           .state_hash = UINT64_C(0x0123456789ABCDEF),
                           .inputs_hash = UINT64_C(0xFEDCBA9876543210)};
    assert_bytes(bytes, write_head(&far, bytes),
                 "ffff11279209004097090000a8d1070000de9b5713cf8a46022064a8ec3075b9fd01");
}

/// Anything that a head may hold; distances small and large.
static bksi_input_head random_head(void)
{
    uint32_t span = seed_below(2) == 0 ? 60 : 1u << 20;
    bksi_input_head head = {
        .has_echo = seed_below(2) == 1,
        .head = (bks_tick)seed_below(seed_below(2) == 0 ? 300 : INT32_MAX),
        .hash_kind = (bksi_hash_kind)seed_below(3),
        .hash_tick = BKS_TICK_NONE,
    };
    uint32_t below = (uint32_t)head.head < span ? (uint32_t)head.head : span;
    head.echo = head.has_echo ? (uint8_t)seed_next() : 0;
    head.hold = head.has_echo ? (uint8_t)seed_next() : 0;
    head.need = head.head - (bks_tick)seed_below(below + 1);
    if (seed_below(2) == 0 && head.head < INT32_MAX - (bks_tick)span)
        head.need = head.head + (bks_tick)seed_below(span);
    head.first = head.head - (bks_tick)seed_below(below + 1);
    uint32_t most = (uint32_t)(head.head - head.first);
    head.count = seed_below(2) == 0 ? most : seed_below(most + 1);
    if (head.hash_kind == BKSI_HASH_NONE)
        return head;
    head.hash_tick = head.head - (bks_tick)seed_below(below + 1);
    head.state_hash = head.hash_kind == BKSI_HASH_SHORT ? seed_below(0x10000) : seed_next();
    head.inputs_hash = head.hash_kind == BKSI_HASH_SHORT ? 0 : seed_next();
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
                                .hash_tick = BKS_TICK_NONE};
        uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX];
        bksi_input_head back;
        assert_true(read_head(bytes, write_head(&head, bytes), cases[i].near, &back));
        assert_int_equal(back.head, cases[i].expanded);
        assert_int_equal(back.need, cases[i].expanded);
    }
}

/// The body that docs/spec/wire.md takes apart.
static void the_example_of_the_page_reads_as_it_says(void **context)
{
    (void)context;
    static const bks_field fields[] = {
        {.name = "x", .bits = 7, .is_signed = true, .group = 1},
        {.name = "y", .bits = 7, .is_signed = true, .group = 1},
        {.name = "fire", .bits = 1},
        {.name = "weapon", .bits = 3, .neutral = 1},
    };
    static const uint8_t body[] = {0xCE, 0x80, 0x62, 0x44, 0x05};
    bksi_bit_reader reader = bksi_bit_reader_over(body, sizeof(body));
    bksi_input_head head;
    assert_true(bksi_input_head_read(&reader, 99, &head));
    bksi_input_head wanted = {
        .head = 103, .need = 98, .first = 100, .count = 3, .hash_tick = BKS_TICK_NONE};
    assert_same(&head, &wanted);
    bksi_layout layout;
    assert_int_equal(bksi_layout_init(&layout, fields, 4, NULL), BKS_OK);
    int32_t values[] = {5, -3, 0, 1};
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    assert_int_equal(bksi_layout_pack(&layout, values, packed, NULL), BKS_OK);
    for (int tick = 100; tick < 103; tick++) {
        bksi_codec_read(&reader, &layout, packed, packed);
        bksi_layout_unpack(&layout, packed, values);
        assert_int_equal(values[0], 5);
        assert_int_equal(values[1], -3);
        assert_int_equal(values[2], tick >= 101);
        assert_int_equal(values[3], 1);
    }
    assert_false(reader.failed);
    assert_int_equal(reader.at_bits, 36);
}

static void every_missing_bit_is_noticed(void **context)
{
    (void)context;
    for (int round = 0; round < 500; round++) {
        bksi_input_head head = random_head();
        uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX];
        bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
        bksi_input_head_write(&writer, &head);
        for (size_t bits = 0; bits < writer.at_bits; bits++) {
            bksi_bit_reader reader = bksi_bit_reader_over(bytes, sizeof(bytes));
            reader.count_bits = bits;
            bksi_input_head back;
            assert_false(bksi_input_head_read(&reader, head.head, &back));
        }
        size_t count = bksi_bit_writer_bytes(&writer);
        for (size_t cut = 0; cut < count; cut++) {
            bksi_input_head back;
            assert_false(read_head(bytes, cut, head.head, &back));
        }
    }
}

/// Bits of a head by hand, to say what the writer never would.
typedef struct hand_made {
    int64_t head;
    uint32_t need_zigzag;
    uint32_t first_below;
    uint32_t count; ///< UINT32_MAX: whole
    uint32_t hash_kind;
    uint32_t hash_below;
} hand_made;

static bool is_taken(const hand_made *made, bks_tick near)
{
    uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX] = {0};
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    bksi_write_bits(&writer, 0, 1);
    bksi_write_bits(&writer, (uint64_t)made->head & 0xFFF, 12);
    bksi_write_small(&writer, made->need_zigzag, 6);
    bksi_write_small(&writer, made->first_below, 5);
    bksi_write_bits(&writer, made->count == UINT32_MAX, 1);
    if (made->count != UINT32_MAX)
        bksi_write_small(&writer, made->count, 5);
    bksi_write_bits(&writer, made->hash_kind, 2);
    if (made->hash_kind != 0)
        bksi_write_small(&writer, made->hash_below, 6);
    bksi_input_head head;
    bool is_ok = read_head(bytes, sizeof(bytes), near, &head);
    if (is_ok) {
        assert_true(head.head >= 0 && head.need >= 0);
        assert_true(head.first >= 0 && head.first <= head.head);
        assert_true(head.count <= (uint32_t)(head.head - head.first));
        assert_true(head.hash_tick >= -1 && head.hash_tick <= head.head);
    }
    return is_ok;
}

static void values_out_of_range_are_refused(void **context)
{
    (void)context;
    assert_true(is_taken(&(hand_made){.head = 10, .count = UINT32_MAX}, 10));
    assert_false(is_taken(&(hand_made){.head = 0xFFF, .count = UINT32_MAX}, 0));     // tick -1
    assert_false(is_taken(&(hand_made){.head = 0, .count = UINT32_MAX}, INT32_MAX)); // 2^31
    assert_true(is_taken(&(hand_made){.head = 10, .need_zigzag = 20, .count = UINT32_MAX}, 10));
    assert_false(is_taken(&(hand_made){.head = 10, .need_zigzag = 22, .count = UINT32_MAX}, 10));
    assert_true(is_taken(&(hand_made){.head = 10, .need_zigzag = 23, .count = UINT32_MAX}, 10));
    assert_false(
        is_taken(&(hand_made){.head = 10, .need_zigzag = UINT32_MAX, .count = UINT32_MAX}, 10));
    assert_true(is_taken(&(hand_made){.head = 10, .first_below = 10, .count = UINT32_MAX}, 10));
    assert_false(is_taken(&(hand_made){.head = 10, .first_below = 11, .count = UINT32_MAX}, 10));
    assert_false(
        is_taken(&(hand_made){.head = 10, .first_below = UINT32_MAX, .count = UINT32_MAX}, 10));
    assert_true(is_taken(&(hand_made){.head = 10, .first_below = 4, .count = 4}, 10));
    assert_false(is_taken(&(hand_made){.head = 10, .first_below = 4, .count = 5}, 10));
    assert_false(is_taken(&(hand_made){.head = 10, .first_below = 4, .count = 0xFFFFFFF0}, 10));
    for (uint32_t kind = 0; kind < 4; kind++) // 3: a part about the mesh, and the kind again
        assert_true(is_taken(&(hand_made){.head = 10, .count = UINT32_MAX, .hash_kind = kind}, 10));
    // The kind after that is 3 again.
    assert_false(is_taken(
        &(hand_made){.head = 10, .count = UINT32_MAX, .hash_kind = 3, .hash_below = UINT32_MAX},
        10));
    assert_true(is_taken(
        &(hand_made){.head = 10, .count = UINT32_MAX, .hash_kind = 1, .hash_below = 10}, 10));
    assert_false(is_taken(
        &(hand_made){.head = 10, .count = UINT32_MAX, .hash_kind = 1, .hash_below = 11}, 10));
    assert_false(is_taken(
        &(hand_made){.head = 10, .count = UINT32_MAX, .hash_kind = 2, .hash_below = UINT32_MAX},
        10));
}

static void random_bytes_are_read_within_their_bounds(void **context)
{
    (void)context;
    uint32_t taken = 0;
    for (int round = 0; round < 100000; round++) {
        uint8_t bytes[BKSI_INPUT_HEAD_BYTES_MAX];
        size_t count = seed_below(sizeof(bytes) + 1);
        for (size_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)(seed_below(2) == 0 ? 0 : seed_next());
        bks_tick near = (bks_tick)seed_below(seed_below(2) == 0 ? 1000 : INT32_MAX);
        bksi_input_head head;
        if (!read_head(bytes, count, near, &head))
            continue;
        taken++;
        assert_true(head.head >= 0 && head.need >= 0);
        assert_true(head.first >= 0 && head.first <= head.head);
        assert_true(head.count <= (uint32_t)(head.head - head.first));
        assert_true(head.hash_tick >= -1 && head.hash_tick <= head.head);
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
        cmocka_unit_test(every_missing_bit_is_noticed),
        cmocka_unit_test(values_out_of_range_are_refused),
        cmocka_unit_test(random_bytes_are_read_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
