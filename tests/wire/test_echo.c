// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "wire/small_messages.h"

static void the_examples_bytes_are_these(void **state)
{
    (void)state;
    const bksi_echo echo = {.number = 0x0102, .stamp = 0xA0B0, .came = 7, .hold = 255};
    const uint8_t wanted[BKSI_ECHO_BYTES] = {0x02, 0x01, 0xB0, 0xA0, 7, 255};
    uint8_t bytes[BKSI_ECHO_BYTES];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_echo_write(&writer, &echo);
    assert_int_equal(writer.at, sizeof(wanted));
    assert_memory_equal(bytes, wanted, sizeof(wanted));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, sizeof(bytes));
    const bksi_echo back = bksi_echo_read(&reader);
    assert_false(reader.failed);
    assert_int_equal(back.number, echo.number);
    assert_int_equal(back.stamp, echo.stamp);
    assert_int_equal(back.came, echo.came);
    assert_int_equal(back.hold, echo.hold);
}

static void one_that_is_cut_off_is_none(void **state)
{
    (void)state;
    const uint8_t bytes[BKSI_ECHO_BYTES] = {0};
    for (size_t count = 0; count < sizeof(bytes); count++) {
        bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
        (void)bksi_echo_read(&reader);
        assert_true(reader.failed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_bytes_are_these),
        cmocka_unit_test(one_that_is_cut_off_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
