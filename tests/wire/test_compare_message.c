// SPDX-License-Identifier: MIT

#include "wire/compare_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/carried.h"

static uint8_t body[BKSI_MESSAGE_BYTES_MAX];

static bool reads(const uint8_t *bytes, size_t count, bool *is_answer, bksi_compare_answer *out)
{
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    return bksi_compare_read(&reader, is_answer, out);
}

static size_t write_question(const bksi_compare_question *question)
{
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_compare_write_question(&writer, question);
    return writer.at;
}

static size_t write_answer(const bksi_compare_answer *answer)
{
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_compare_write_answer(&writer, answer);
    return writer.at;
}

static void messages_are_the_bytes_that_the_page_says(void **state)
{
    (void)state;
    static const uint8_t pages[] = {0, 0x58, 2,    0,    0,    6,    1,    0,    0,   0,
                                    0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
    static const uint8_t differ[] = {2, 0x58, 2, 0, 0, 6, 1, 0, 0, 0, 0, 0, 0x20, 0,
                                     0, 0,    0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t blocks[] = {1, 0x58, 2, 0, 0, 0, 2, 5, 0, 0, 0, 7, 0, 0, 0};
    static const uint8_t lacks[] = {3, 0x58, 2, 0, 0, 0, 0, 0x5B, 2, 0, 0};
    assert_int_equal(write_question(&(bksi_compare_question){
                         .tick = 600, .shift = 6, .count = 1, .hashes = {0x44332211, 0x88776655}}),
                     sizeof(pages));
    assert_memory_equal(body, pages, sizeof(pages));
    assert_int_equal(
        write_answer(&(bksi_compare_answer){
            .to = {.tick = 600, .shift = 6, .count = 1}, .state_bytes = 8192, .differ = {2}}),
        sizeof(differ));
    assert_memory_equal(body, differ, sizeof(differ));
    assert_int_equal(write_question(&(bksi_compare_question){
                         .wants_bytes = true, .tick = 600, .count = 2, .firsts = {5, 7}}),
                     sizeof(blocks));
    assert_memory_equal(body, blocks, sizeof(blocks));
    assert_int_equal(write_answer(&(bksi_compare_answer){.to = {.wants_bytes = true, .tick = 600},
                                                         .oldest = 603}),
                     sizeof(lacks));
    assert_memory_equal(body, lacks, sizeof(lacks));
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    bksi_compare_answer in = {.to = {.tick = 600, .shift = 12, .count = 1, .firsts = {6400}},
                              .state_bytes = 1234567,
                              .differ = {UINT64_C(1) << 63 | 1}};
    for (uint32_t i = 0; i < 64 - 9; i++) {
        in.to.hashes[i] = i % 5 * 0x01010101u;
    }
    bksi_compare_answer out;
    bool is_answer = false;
    assert_true(reads(body, write_answer(&in), &is_answer, &out));
    assert_true(is_answer);
    assert_true(bksi_compare_answers(&out, &in.to));
    assert_int_equal(out.state_bytes, in.state_bytes);
    assert_memory_equal(out.differ, in.differ, sizeof(in.differ));
    memset(&out, 0x5A, sizeof(out));
    assert_true(reads(body, write_question(&in.to), &is_answer, &out));
    assert_false(is_answer);
    assert_true(bksi_compare_answers(&out, &in.to));
    assert_memory_equal(out.to.hashes, in.to.hashes, sizeof(in.to.hashes));

    in =
        (bksi_compare_answer){.to = {.wants_bytes = true, .tick = 1, .count = 7}, .state_bytes = 1};
    for (uint32_t i = 0; i < 7; i++) {
        in.to.firsts[i] = 3 * i;
    }
    memset(in.bytes, 0x5A, sizeof(in.bytes));
    assert_true(reads(body, write_answer(&in), &is_answer, &out));
    assert_memory_equal(out.bytes, in.bytes, sizeof(in.bytes));
}

static void the_bytes_of_the_lowest_blocks_that_differ_are_in_the_answer(void **state)
{
    (void)state;
    bksi_compare_answer in = {.to = {.tick = 600, .count = 1, .firsts = {640}},
                              .state_bytes = 1234567,
                              .differ = {0xFFE}};
    memset(in.bytes, 0x5A, sizeof(in.bytes));
    bksi_compare_answer out = {0};
    bool is_answer = false;
    const size_t count = write_answer(&in);
    assert_int_equal(count, 7 + 4 + 8 + 8 + 7 * 64);
    assert_true(reads(body, count, &is_answer, &out));
    assert_memory_equal(out.differ, in.differ, sizeof(in.differ));
    assert_memory_equal(out.bytes, in.bytes, sizeof(in.bytes));
    uint32_t blocks[BKSI_COMPARE_BLOCKS_MAX];
    assert_int_equal(bksi_compare_blocks(&out, blocks), 7);
    assert_int_equal(blocks[0], 640 + 1);
    assert_int_equal(blocks[6], 640 + 7);
    // Larger parts have no bytes in an answer.
    in.to.shift = 6;
    assert_int_equal(write_answer(&in), 7 + 4 + 8 + 8);
    assert_int_equal(bksi_compare_blocks(&in, blocks), 0);
    uint32_t parts[4];
    assert_int_equal(bksi_compare_differing(&in, 4, parts), 4);
    assert_int_equal(parts[3], 640 + 4);
}

static void hashes_that_are_too_many_cut_or_end_with_a_zero_are_refused(void **state)
{
    (void)state;
    bksi_compare_question question = {.tick = 600, .count = 1};
    for (uint32_t i = 0; i < 64; i++) {
        question.hashes[i] = i + 1;
    }
    bksi_compare_answer out;
    bool is_answer = false;
    const size_t count = write_question(&question);
    assert_int_equal(count, 11 + 64 * 4);
    assert_true(reads(body, count, &is_answer, &out));
    assert_false(reads(body, count - 1, &is_answer, &out));
    assert_false(reads(body, count + 4, &is_answer, &out));
    memset(body + count - 4, 0, 4);
    assert_false(reads(body, count, &is_answer, &out));
    assert_true(reads(body, count - 4, &is_answer, &out));
    assert_int_equal(out.to.hashes[62], 63);
    assert_int_equal(out.to.hashes[63], 0);
}

static void an_answer_to_another_question_is_none(void **state)
{
    (void)state;
    const bksi_compare_question asked = {.tick = 5, .shift = 6, .count = 2, .firsts = {0, 64}};
    bksi_compare_answer answer = {.to = asked};
    assert_true(bksi_compare_answers(&answer, &asked));
    answer.to.firsts[1] = 128;
    assert_false(bksi_compare_answers(&answer, &asked));
    answer.to = asked;
    answer.to.tick = 6;
    assert_false(bksi_compare_answers(&answer, &asked));
    answer.to = asked;
    answer.to.shift = 0;
    assert_false(bksi_compare_answers(&answer, &asked));
    answer.to = asked;
    answer.to.wants_bytes = true;
    assert_false(bksi_compare_answers(&answer, &asked));
    answer.to = asked;
    answer.to.count = 0;
    assert_true(bksi_compare_answers(&answer, &asked));
}

static void what_is_out_of_range_is_refused(void **state)
{
    (void)state;
    static const uint8_t bad[][15] = {
        {4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},               // no such kind
        {0, 0, 0, 0, 0x80, 0, 1, 0, 0, 0, 0},            // tick
        {0, 0, 0, 0, 0, 5, 1, 0, 0, 0, 0},               // shift
        {0, 0, 0, 0, 0, 30, 1, 0, 0, 0, 0},              // shift
        {1, 0, 0, 0, 0, 6, 1, 0, 0, 0, 0},               // shift of bytes
        {0, 0, 0, 0, 0, 6, 1, 1, 0, 0, 0},               // no run begins there
        {0, 0, 0, 0, 0, 6, 2, 64, 0, 0, 0, 64, 0, 0, 0}, // twice
        {1, 0, 0, 0, 0, 0, 2, 7, 0, 0, 0, 5, 0, 0, 0},   // falling
    };
    bksi_compare_answer out;
    bool is_answer = false;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(reads(bad[i], bad[i][6] == 2 ? 15 : 11, &is_answer, &out));
    }
    static const uint8_t none[] = {0, 0, 0, 0, 0, 6, 0};
    assert_false(reads(none, sizeof(none), &is_answer, &out));
    static const uint8_t many[7 + 5 * 4] = {0, 0, 0, 0, 0, 6, 5};
    assert_false(reads(many, sizeof(many), &is_answer, &out));
    static const uint8_t earlier[] = {2, 5, 0, 0, 0, 6, 0, 5, 0, 0, 0};
    assert_false(reads(earlier, sizeof(earlier), &is_answer, &out));
}

static void every_cut_and_every_byte_more_is_refused(void **state)
{
    (void)state;
    const bksi_compare_answer answer = {.to = {.wants_bytes = true, .tick = 600, .count = 1},
                                        .state_bytes = 70};
    const size_t count = write_answer(&answer);
    bksi_compare_answer out;
    bool is_answer = false;
    for (size_t i = 0; i < count; i++) {
        assert_false(reads(body, i, &is_answer, &out));
    }
    assert_true(reads(body, count, &is_answer, &out));
    assert_false(reads(body, count + 1, &is_answer, &out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_the_bytes_that_the_page_says),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(the_bytes_of_the_lowest_blocks_that_differ_are_in_the_answer),
        cmocka_unit_test(hashes_that_are_too_many_cut_or_end_with_a_zero_are_refused),
        cmocka_unit_test(an_answer_to_another_question_is_none),
        cmocka_unit_test(what_is_out_of_range_is_refused),
        cmocka_unit_test(every_cut_and_every_byte_more_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
