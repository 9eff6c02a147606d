// SPDX-License-Identifier: MIT

// Blobs of commands are packed by what came before them, and unpacked by whoever knows the same.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "input/command_packer.h"
#include "support/seed.h"

enum { LONGEST = 400, BLOBS = 500, LINE = 4 * LONGEST };

static bksi_command_packer sender;
static bksi_command_packer receiver;
static uint8_t packed_bytes[LONGEST + BKSI_PACKED_EXTRA_BYTES];

static void begin(void)
{
    bksi_command_packer_init(&sender);
    bksi_command_packer_init(&receiver);
}

static bksi_blob pack(const bksi_blob *blob)
{
    return (bksi_blob){.bytes = packed_bytes,
                       .count = bksi_command_packer_pack(&sender, blob, packed_bytes)};
}

/// Pack a blob, and expect the receiver to read it.
/// @return number of packed bytes
static uint32_t expect_same(const bksi_blob *blob)
{
    uint8_t plain[LONGEST];
    const bksi_blob packed = pack(blob);
    assert_in_range(packed.count, 1, blob->count + BKSI_PACKED_EXTRA_BYTES);
    assert_int_equal(bksi_command_packer_unpack(&receiver, &packed, LONGEST, plain), blob->count);
    assert_memory_equal(plain, blob->bytes, blob->count);
    return packed.count;
}

/// An order of a game: a unit that was drawn goes to a place that was drawn.
static bksi_blob order(void)
{
    static uint8_t bytes[2 + 24];
    memset(bytes, 0, sizeof(bytes));
    bytes[0] = sizeof(bytes) - 2;
    bytes[2] = 7;
    bytes[6] = (uint8_t)seed_below(40);
    bytes[12] = 66;
    bytes[14] = (uint8_t)seed_next();
    bytes[18] = (uint8_t)seed_next();
    return (bksi_blob){.bytes = bytes, .count = sizeof(bytes)};
}

static void blobs_of_any_bytes_come_back(void **state)
{
    (void)state;
    begin();
    static uint8_t bytes[LONGEST];
    for (uint32_t i = 0; i < BLOBS; i++) {
        const uint32_t most = 1u << seed_below(9); // 1 to 256 different bytes
        const bksi_blob blob = {.bytes = bytes, .count = 1 + seed_below(i % 3 == 0 ? LONGEST : 5)};
        for (uint32_t k = 0; k < blob.count; k++) {
            bytes[k] = (uint8_t)seed_below(most);
        }
        (void)expect_same(&blob);
    }
}

/// Commands of one kind cost little more than what is new in them: here 21 bits.
static void orders_alike_take_few_bytes(void **state)
{
    (void)state;
    begin();
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < 2 * BLOBS; i++) {
        const bksi_blob blob = order();
        const uint32_t count = expect_same(&blob);
        bytes += i >= BLOBS ? count : 0;
    }
    assert_in_range(bytes, 21 * BLOBS / 8, 6 * BLOBS);
}

static void a_blob_of_which_all_is_expected_has_a_byte(void **state)
{
    (void)state;
    begin();
    static const uint8_t same[] = {2, 0, 5, 5};
    for (uint32_t i = 0; i < BLOBS; i++) {
        const bksi_blob blob = {.bytes = same + i % 4, .count = 1}; // a command comes in four parts
        assert_in_range(expect_same(&blob), 1, 3);
    }
}

/// Blobs that one receiver gets plain do not keep it from reading the next ones.
static void a_plain_blob_is_learnt_like_a_packed_one(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < BLOBS; i++) {
        const bksi_blob blob = order();
        if (seed_below(3) == 0) {
            (void)pack(&blob);
            bksi_command_packer_learn(&receiver, &blob);
        } else {
            (void)expect_same(&blob);
        }
    }
}

/// A right blob after a wrong one is refused, too: the receiver no longer knows what the sender
/// knows.
static void expect_refused(const bksi_blob *packed, uint32_t most)
{
    uint8_t plain[LONGEST];
    assert_int_equal(bksi_command_packer_unpack(&receiver, packed, most, plain), 0);
    assert_true(receiver.is_broken);
    const bksi_blob blob = order();
    const bksi_blob next = pack(&blob);
    assert_int_equal(bksi_command_packer_unpack(&receiver, &next, LONGEST, plain), 0);
}

static void a_blob_of_more_bytes_than_are_allowed_is_refused(void **state)
{
    (void)state;
    begin();
    bksi_blob blob = order();
    const bksi_blob packed = pack(&blob);
    expect_refused(&packed, blob.count - 1);
    begin();
    static uint8_t zeros[LONGEST];
    for (uint32_t i = 0; i < 20; i++) { // many zeros come to take no bits
        (void)expect_same(&(bksi_blob){.bytes = zeros, .count = LONGEST});
    }
    const bksi_blob bomb = pack(&(bksi_blob){.bytes = zeros, .count = LONGEST});
    assert_in_range(bomb.count, 1, 8);
    expect_refused(&bomb, LONGEST - 1);
}

/// A range coder leaves final zeros out, so one more is read as missing. Two are too many.
static void bytes_that_are_left_over_are_refused(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        begin();
        const bksi_blob blob = order();
        bksi_blob packed = pack(&blob);
        packed_bytes[packed.count] = packed_bytes[packed.count + 1] = 0;
        packed.count += 2;
        expect_refused(&packed, LONGEST);
    }
}

static void any_bytes_are_unpacked_within_their_bounds(void **state)
{
    (void)state;
    uint32_t taken = 0;
    begin();
    for (uint32_t i = 0; i < 4000; i++) {
        uint8_t plain[LONGEST + 1];
        const uint32_t most = 1 + seed_below(LONGEST);
        const bksi_blob packed = {.bytes = packed_bytes, .count = 1 + seed_below(LONGEST)};
        for (uint32_t k = 0; k < packed.count; k++) {
            packed_bytes[k] = seed_below(3) == 0 ? 255 : (uint8_t)seed_next();
        }
        plain[most] = 99;
        const uint32_t count = bksi_command_packer_unpack(&receiver, &packed, most, plain);
        assert_in_range(count, 0, most);
        assert_int_equal(plain[most], 99);
        taken += count > 0;
        receiver.is_broken = false;
    }
    assert_true(taken > 5);
}

static uint32_t read_hex(const char *text, uint8_t *bytes)
{
    uint32_t count = 0;
    for (unsigned byte; sscanf(text + 2 * (size_t)count, "%2x", &byte) == 1; count++) {
        assert_true(count < LONGEST);
        bytes[count] = (uint8_t)byte;
    }
    return count;
}

/// The vectors are made by tests/input/packed_commands.py.
static void blobs_are_packed_as_another_implementation_packs_them(void **state)
{
    (void)state;
    begin();
    FILE *file = fopen(BKS_TEST_SOURCE_DIR "/tests/data/packed_commands.txt", "r");
    assert_non_null(file);
    uint32_t lines = 0;
    for (char plain[LINE], hex[LINE]; fscanf(file, "%1599s %1599s", plain, hex) == 2; lines++) {
        uint8_t bytes[LONGEST];
        uint8_t expected[LONGEST];
        const bksi_blob packed =
            pack(&(bksi_blob){.bytes = bytes, .count = read_hex(plain, bytes)});
        assert_int_equal(packed.count, read_hex(hex, expected));
        assert_memory_equal(packed.bytes, expected, packed.count);
    }
    assert_true(lines > 400);
    (void)fclose(file);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 31);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blobs_of_any_bytes_come_back),
        cmocka_unit_test(orders_alike_take_few_bytes),
        cmocka_unit_test(a_blob_of_which_all_is_expected_has_a_byte),
        cmocka_unit_test(a_plain_blob_is_learnt_like_a_packed_one),
        cmocka_unit_test(a_blob_of_more_bytes_than_are_allowed_is_refused),
        cmocka_unit_test(bytes_that_are_left_over_are_refused),
        cmocka_unit_test(any_bytes_are_unpacked_within_their_bounds),
        cmocka_unit_test(blobs_are_packed_as_another_implementation_packs_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
