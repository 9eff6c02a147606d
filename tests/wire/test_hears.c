// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/seed.h"
#include "wire/packet.h"
#include "wire/view_messages.h"
#include "wire/wire_bytes.h"

static bool read_word(const uint8_t *bytes, size_t count, bksi_hears *message)
{
    uint8_t *copy = exact_copy(bytes, count);
    bksi_bit_reader reader = bksi_bit_reader_over(copy, count);
    bool is_ok = bksi_hears_read(&reader, message);
    free(copy);
    return is_ok;
}

static size_t write_word(const bksi_hears *message, uint8_t *bytes)
{
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, BKSI_BODY_BYTES_MAX);
    bksi_hears_write(&writer, message);
    assert_false(writer.failed);
    return bksi_bit_writer_bytes(&writer);
}

static void a_word_is_its_golden_bytes(void **context)
{
    (void)context;
    const bksi_hears message = {.of = {[1] = {true, 0x1234, 0x0D}, [2] = {true, 7, 0x06}}};
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    assert_bytes(bytes, write_word(&message, bytes), "a19168d0018001");
}

static void any_word_comes_back_and_its_pieces_are_refused(void **context)
{
    (void)context;
    for (int round = 0; round < 20000; round++) {
        bksi_hears message = {0};
        uint32_t there = 1 + seed_below(255);
        for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
            if ((there >> i & 1) != 0) {
                message.of[i] = (bksi_hears_entry){true, (uint16_t)seed_next(), seed_below(256)};
            }
        }
        uint8_t bytes[BKSI_BODY_BYTES_MAX];
        size_t count = write_word(&message, bytes);
        bksi_hears back;
        assert_true(read_word(bytes, count, &back));
        assert_memory_equal(&back.of[0].number, &message.of[0].number, sizeof(uint16_t));
        for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
            assert_int_equal(back.of[i].is_there, message.of[i].is_there);
            assert_int_equal(back.of[i].number, message.of[i].number);
            assert_int_equal(back.of[i].hears, message.of[i].hears);
        }
        assert_false(read_word(bytes, 0, &back));
        bytes[count] = 0;
        assert_false(count < 27 && read_word(bytes, count + 1, &back) &&
                     write_word(&back, bytes) == count);
    }
}

static void what_is_not_in_order_or_beyond_is_refused(void **context)
{
    (void)context;
    uint8_t bytes[40] = {0};
    bksi_hears message;
    for (size_t count = 0; count < sizeof(bytes); count++) {
        // Peer 0 alone; a second entry of it is one too many.
        assert_int_equal(read_word(bytes, count, &message), count == 4);
    }
    for (uint32_t spare = 27; spare < 32; spare++) {
        uint8_t odd[4] = {0};
        odd[spare / 8] = (uint8_t)(1u << spare % 8);
        assert_false(read_word(odd, sizeof(odd), &message));
    }
    const bksi_hears both = {.of = {[3] = {true, 1, 2}, [5] = {true, 3, 4}}};
    assert_int_equal(write_word(&both, bytes), 7);
    assert_true(read_word(bytes, 7, &message));
    bytes[0] = (uint8_t)((bytes[0] & ~7u) | 6u); // 6 before 5
    assert_false(read_word(bytes, 7, &message));
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_its_golden_bytes),
        cmocka_unit_test(any_word_comes_back_and_its_pieces_are_refused),
        cmocka_unit_test(what_is_not_in_order_or_beyond_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
