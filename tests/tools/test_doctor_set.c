// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const uint64_t place = 0x300000000000;
static const uint64_t apart = 0x123457890;

static bool has(const doctor_values *values, uint64_t wanted)
{
    for (uint32_t i = 0; i < values->count; i++) {
        if (values->items[i] == wanted) {
            return true;
        }
    }
    return false;
}

// A field of 32 bits with an address, from one of its bits on; what lies there is `below` the
// place.
static doctor_probe place_probe(uint32_t shift, uint64_t below, uint64_t align)
{
    const doctor_probe probe = {.set = {place, place + apart},
                                .read = {(uint32_t)((place - below) >> shift),
                                         (uint32_t)((place + apart - below) >> shift)},
                                .bits = 32,
                                .align = align};
    return probe;
}

static void an_address_is_found_from_what_a_field_has_of_it(void **state)
{
    (void)state;
    doctor_values values;
    const uint64_t there = 0x7ffd12345670;
    for (uint32_t shift = 0; shift <= 4; shift++) {
        const doctor_probe probe = place_probe(shift, 0x1234, 16);
        doctor_values_of_place(&probe, (uint32_t)((there - 0x1234) >> shift), &values);
        assert_true(values.count > 0);
        // What the field leaves out is free.
        const uint64_t mask = (UINT64_C(1) << (32 + shift)) - 1;
        assert_int_equal((values.items[0] ^ there) & mask, 0);
    }
}

static void a_whole_address_has_one_place(void **state)
{
    (void)state;
    doctor_values values;
    const doctor_probe probe = {.set = {place, place + apart},
                                .read = {place - 64, place + apart - 64},
                                .bits = 64,
                                .align = 16};
    doctor_values_of_place(&probe, 0x7ffd12345670 - 64, &values);
    assert_int_equal(values.count, 1);
    assert_int_equal(values.items[0], 0x7ffd12345670);
    doctor_values_of_place(&probe, 0x7ffd12345671 - 64, &values);
    assert_int_equal(values.count, 0); // nothing lies there
    doctor_values_of_place(&probe, UINT64_MAX - 63, &values);
    assert_int_equal(values.count, 0);
}

static void pages_are_not_split(void **state)
{
    (void)state;
    doctor_values values;
    const doctor_probe probe = place_probe(4, 0x1234, 4096);
    doctor_values_of_place(&probe, probe.read[0] + 4096 / 16, &values);
    assert_true(has(&values, place + 4096));
    doctor_values_of_place(&probe, probe.read[0] + 1, &values);
    assert_int_equal(values.count, 0);
}

static void a_field_that_does_not_grow_with_the_address_gives_none(void **state)
{
    (void)state;
    doctor_values values;
    const doctor_probe still = {
        .set = {place, place + apart}, .read = {77, 77}, .bits = 32, .align = 16};
    doctor_values_of_place(&still, 78, &values);
    assert_int_equal(values.count, 0);
    const doctor_probe hashed = {
        .set = {place, place + apart}, .read = {0x9e3779b1, 0x85ebca77}, .bits = 32, .align = 16};
    doctor_values_of_place(&hashed, 0x12345678, &values);
    assert_int_equal(values.count, 0);
}

static void a_random_number_is_found_from_one_of_its_bits_on(void **state)
{
    (void)state;
    doctor_values values;
    for (uint32_t shift = 0; shift <= 24; shift++) {
        doctor_probe probe = {.set = {0x3c6ef372a54ff53a, 0x9b05688c5be0cd19}, .bits = 32};
        for (int i = 0; i < 2; i++) {
            probe.read[i] = (uint32_t)probe.set[i] >> shift; // four bytes are drawn
        }
        doctor_values_of_random(&probe, 0x5b, &values);
        assert_true(has(&values, UINT64_C(0x5b) << shift));
        assert_true(values.count <= 3);
    }
}

static void a_time_is_found_from_the_unit_that_a_field_counts(void **state)
{
    (void)state;
    const uint64_t us[] = {1, 1000, 10000, 1000000, 60000000, 3600000000};
    const uint64_t first = 1769904000000000; // at the beginning of an hour
    doctor_values values;
    for (size_t i = 0; i < sizeof(us) / sizeof(us[0]); i++) {
        doctor_probe probe = {.set = {first, first + 7777123457}, .bits = 32};
        for (int k = 0; k < 2; k++) {
            probe.read[k] = (uint32_t)(probe.set[k] / us[i] + 3000);
        }
        const uint64_t there = first + 123456 * us[i];
        doctor_values_of_clock(&probe, (uint32_t)(there / us[i] + 3000), &values);
        assert_true(has(&values, there));
    }
    doctor_probe coin = {.set = {first, first + 7777123457}, .read = {3, 4}, .bits = 8};
    doctor_values_of_clock(&coin, 4, &values);
    assert_true(has(&values, coin.set[1]));
    assert_false(has(&values, coin.set[0]));
    coin.read[1] = 3;
    doctor_values_of_clock(&coin, 4, &values);
    assert_int_equal(values.count, 0);
}

static void a_variable_on_the_stack_may_be_of_another_size_than_the_field(void **state)
{
    (void)state;
    doctor_values values;
    const doctor_probe word = {.bits = 32};
    doctor_values_of_stack(&word, (uint32_t)-60, &values);
    assert_int_equal(values.items[0], 0xffffffc4ffffffc4);
    assert_true(has(&values, (uint64_t)-60));
    assert_true(has(&values, 0xc4c4c4c4c4c4c4c4));
    doctor_values_of_stack(&word, 0x12345678, &values);
    assert_true(has(&values, 0x1234567812345678));
    assert_true(has(&values, 0x12345678));
    const doctor_probe byte = {.bits = 8};
    doctor_values_of_stack(&byte, 0x28, &values);
    assert_int_equal(values.items[0], 0x2828282828282828);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_found_from_what_a_field_has_of_it),
        cmocka_unit_test(a_whole_address_has_one_place),
        cmocka_unit_test(pages_are_not_split),
        cmocka_unit_test(a_field_that_does_not_grow_with_the_address_gives_none),
        cmocka_unit_test(a_random_number_is_found_from_one_of_its_bits_on),
        cmocka_unit_test(a_time_is_found_from_the_unit_that_a_field_counts),
        cmocka_unit_test(a_variable_on_the_stack_may_be_of_another_size_than_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
