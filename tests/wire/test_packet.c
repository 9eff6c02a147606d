// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/seed.h"
#include "wire/packet.h"
#include "wire/wire_bytes.h"

#define SESSION_ID UINT64_C(0x1122334455667788)

static void a_packet_is_its_golden_bytes(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_PACKET_HEAD_BYTES + 1] = {0, 0, 0, 0, 0, 1};
    assert_int_equal(bksi_packet_close(bytes, 1, BKSI_PACKET_BYE, SESSION_ID), 6);
    assert_bytes(bytes, 6, "41d2f8bf0701");
    assert_int_equal(bksi_packet_open(bytes, 6, SESSION_ID), BKSI_PACKET_BYE);
}

static void every_size_of_body_opens_as_its_type(void **context)
{
    (void)context;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)seed_next();
    for (size_t body = 0; body <= BKSI_BODY_BYTES_MAX; body++) {
        bksi_packet_type type = (bksi_packet_type)(1 + body % 7);
        size_t count = bksi_packet_close(bytes, body, type, body);
        assert_int_equal(count, BKSI_PACKET_HEAD_BYTES + body);
        uint8_t *copy = exact_copy(bytes, count);
        assert_int_equal(bksi_packet_open(copy, count, body), type);
        free(copy);
    }
}

static void any_flipped_bit_is_refused(void **context)
{
    (void)context;
    uint8_t bytes[64] = {0};
    size_t count = bksi_packet_close(bytes, 40, BKSI_PACKET_INPUT, SESSION_ID);
    for (size_t bit = 0; bit < count * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(bksi_packet_open(bytes, count, SESSION_ID), 0);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(bksi_packet_open(bytes, count, SESSION_ID), BKSI_PACKET_INPUT);
}

static void packets_of_another_session_are_refused(void **context)
{
    (void)context;
    uint8_t bytes[64] = {0};
    size_t count = bksi_packet_close(bytes, 40, BKSI_PACKET_INPUT, SESSION_ID);
    for (uint32_t bit = 0; bit < 64; bit++)
        assert_int_equal(bksi_packet_open(bytes, count, SESSION_ID ^ UINT64_C(1) << bit), 0);
}

static void cut_and_lengthened_packets_are_refused(void **context)
{
    (void)context;
    uint8_t bytes[BKS_PACKET_BYTES_MAX + 1] = {0};
    size_t count = bksi_packet_close(bytes, 100, BKSI_PACKET_INPUT, SESSION_ID);
    for (size_t cut = 0; cut < count; cut++) {
        uint8_t *copy = exact_copy(bytes, cut);
        assert_int_equal(bksi_packet_open(copy, cut, SESSION_ID), 0);
        free(copy);
    }
    assert_int_equal(bksi_packet_open(bytes, count + 1, SESSION_ID), 0);
    assert_int_equal(bksi_packet_open(bytes, sizeof(bytes), SESSION_ID), 0);
    assert_int_equal(bksi_packet_open(NULL, 0, SESSION_ID), 0);
}

static void random_bytes_are_no_packets(void **context)
{
    (void)context;
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[48];
        size_t count = seed_below(sizeof(bytes) + 1);
        for (size_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)seed_next();
        uint8_t *copy = exact_copy(bytes, count);
        assert_int_equal(bksi_packet_open(copy, count, SESSION_ID), 0);
        free(copy);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_is_its_golden_bytes),
        cmocka_unit_test(every_size_of_body_opens_as_its_type),
        cmocka_unit_test(any_flipped_bit_is_refused),
        cmocka_unit_test(packets_of_another_session_are_refused),
        cmocka_unit_test(cut_and_lengthened_packets_are_refused),
        cmocka_unit_test(random_bytes_are_no_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
