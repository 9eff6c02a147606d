// SPDX-License-Identifier: MIT

#include "wire/meet_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint8_t body[128];

static size_t written(const bksi_meet_message *message)
{
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_meet_write(&writer, message);
    return writer.at;
}

static bool reads(size_t count, bksi_meet_message *out)
{
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    return bksi_meet_read(&reader, out);
}

static bksi_meet_message a_message(bksi_meet_stage stage)
{
    bksi_meet_message message = {.tick = 618, .stage = stage};
    if (stage == BKSI_MEET_STATED || stage == BKSI_MEET_DONE || stage == BKSI_MEET_ENDED) {
        message.seen = 1;
        message.state = 0x0102030405060708;
        message.inputs = 0x1112131415161718;
        message.before = 0x2122232425262728;
        message.known = 2;
        message.same[1] = 600;
        message.differing = 2;
        message.since[1] = 604;
    }
    if (stage == BKSI_MEET_DONE || stage == BKSI_MEET_ENDED) {
        message.now = 0x3132333435363738;
        message.from = 7;
        message.bytes = 4096;
    }
    if (stage == BKSI_MEET_ENDED) {
        message.repaired = 0x82;
        message.repairs[1] = (bksi_meet_repair){.since = 604, .from = 0, .bytes = 64};
        message.repairs[7] = (bksi_meet_repair){.since = 618, .from = 7};
    }
    return message;
}

static void messages_are_the_bytes_that_the_page_says(void **state)
{
    (void)state;
    static const uint8_t heard[] = {0x6A, 2, 0, 0, 0};
    static const uint8_t stated[] = {0x6A, 2,    0,    0,    9,    8,    7,    6,    5,    4,
                                     3,    2,    1,    0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12,
                                     0x11, 0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21, 2,
                                     0x58, 2,    0,    0,    2,    0x5C, 2,    0,    0};
    bksi_meet_message message = a_message(BKSI_MEET_HEARD);
    assert_int_equal(written(&message), sizeof(heard));
    assert_memory_equal(body, heard, sizeof(heard));
    message = a_message(BKSI_MEET_STATED);
    assert_int_equal(written(&message), sizeof(stated));
    assert_memory_equal(body, stated, sizeof(stated));
    message.is_refused = true;
    assert_int_equal(written(&message), sizeof(stated));
    assert_int_equal(body[4], 0x49);
    assert_memory_equal(body + 5, stated + 5, sizeof(stated) - 5);
    assert_true(reads(sizeof(stated), &message) && message.is_refused);
}

static void what_is_written_is_read_and_nothing_shorter_or_longer(void **state)
{
    (void)state;
    for (uint32_t stage = 0; stage <= BKSI_MEET_ENDED; stage++) {
        const bksi_meet_message in = a_message((bksi_meet_stage)stage);
        const size_t count = written(&in);
        bksi_meet_message out;
        assert_true(reads(count, &out));
        uint8_t bytes[sizeof(body)];
        memcpy(bytes, body, count);
        assert_int_equal(written(&out), count);
        assert_memory_equal(body, bytes, count);
        for (size_t less = 0; less < count; less++) {
            assert_false(reads(less, &out));
        }
        assert_false(reads(count + 1, &out));
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    bksi_meet_message out;
    bksi_meet_message message = a_message(BKSI_MEET_STATED);
    message.since[1] = 619;
    assert_false(reads(written(&message), &out));
    message = a_message(BKSI_MEET_STATED);
    message.same[1] = 619;
    assert_false(reads(written(&message), &out));
    message = a_message(BKSI_MEET_DONE);
    message.from = 8;
    assert_false(reads(written(&message), &out));
    message = a_message(BKSI_MEET_ENDED);
    message.repairs[7].since = 619;
    assert_false(reads(written(&message), &out));
    message = a_message(BKSI_MEET_ENDED);
    message.repairs[1].from = 8;
    assert_false(reads(written(&message), &out));
    message = a_message(BKSI_MEET_HEARD);
    size_t count = written(&message);
    body[3] = 0x80; // a tick beyond the last
    assert_false(reads(count, &out));
    count = written(&message);
    body[4] = 5; // a stage that there is not
    assert_false(reads(count, &out));
    body[4] = 6 << 3; // likewise, heard
    assert_false(reads(count, &out));
    body[4] = 1 << 6; // a state that it does not speak of
    assert_false(reads(count, &out));
    body[4] = 1 << 7;
    assert_false(reads(count, &out));
    body[4] = 5 << 3;
    assert_true(reads(count, &out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_the_bytes_that_the_page_says),
        cmocka_unit_test(what_is_written_is_read_and_nothing_shorter_or_longer),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
