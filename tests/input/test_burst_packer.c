// SPDX-License-Identifier: MIT

// Pieces of bursts, packed and unpacked, and bytes that no peer writes.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "input/burst_packer.h"
#include "support/counting_allocator.h"
#include "support/seed.h"

enum { MOST = BKSI_PIECE_BYTES_MAX, HEAD = BKSI_PIECE_HEAD_BYTES, GUARD = 16, PACKED = 0x80 };

static const bks_allocator by_default;
static bksi_burst_packer packer;
static uint8_t plain[MOST], piece[HEAD + MOST + GUARD], back[BKSI_BLOB_BYTES_MAX + GUARD];

static int begin(void **state)
{
    (void)state;
    return bksi_burst_packer_create(&packer, &by_default) == BKS_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    bksi_burst_packer_destroy(&packer, &by_default);
    bksi_burst_packer_destroy(&packer, &by_default); // a second call is allowed
    return 0;
}

/// Fill the plain bytes with commands to move some units: alike, as people give them.
static void give_alike(void)
{
    for (uint32_t i = 0; i < sizeof(plain); i++) {
        plain[i] = (uint8_t)(i % 32 < 24 ? i % 32 : seed_below(16));
    }
}

static void give_random(void)
{
    for (uint32_t i = 0; i < sizeof(plain); i++) {
        plain[i] = (uint8_t)seed_next();
    }
}

static uint32_t pack(uint32_t count)
{
    return bksi_burst_pack(&packer, &(bksi_blob){.bytes = plain, .count = count}, piece);
}

/// Unpack the piece, and check that nothing is written beyond `most` bytes.
static uint32_t unpack(uint32_t most)
{
    memset(back + most, 0xA5, GUARD);
    const uint32_t count = bksi_burst_unpack(&packer, piece, most, back);
    for (uint32_t i = 0; i < GUARD; i++) {
        assert_int_equal(back[most + i], 0xA5);
    }
    assert_true(count <= most);
    return count;
}

static void expect_back(uint32_t count)
{
    memset(piece + HEAD + count, 0xA5, GUARD);
    const uint32_t size = pack(count);
    assert_in_range(size, HEAD + 1, HEAD + count);
    assert_int_equal(HEAD + bksi_piece_size(piece), size);
    assert_int_equal(piece[HEAD + count], 0xA5);
    assert_int_equal(unpack(count), count);
    assert_memory_equal(back, plain, count);
    assert_int_equal(unpack(BKSI_BLOB_BYTES_MAX), count);
    assert_int_equal(unpack(count - 1), 0);
}

static void pieces_of_any_size_come_back_and_stand_for_no_other_size(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= MOST; count += count < 300 ? 1 : 263) {
        give_alike();
        expect_back(count);
        give_random();
        expect_back(count);
    }
    expect_back(MOST);
    give_alike();
    expect_back(MOST);
}

static void commands_that_are_alike_take_few_bytes(void **state)
{
    (void)state;
    give_alike();
    assert_in_range(pack(MOST), 100, MOST / 4);
    assert_in_range(pack(1000), 50, 600);
}

static void a_damaged_piece_is_refused_or_stays_in_its_room(void **state)
{
    (void)state;
    give_alike();
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        const uint32_t count = 20 + seed_below(1000);
        const uint32_t size = pack(count) - HEAD;
        piece[HEAD + seed_below(size)] ^= (uint8_t)(1 + seed_below(255));
        refused += unpack(count) != count;
        for (uint32_t k = 0; k < size && i % 4 == 0; k++) {
            piece[HEAD + k] = (uint8_t)seed_next();
        }
        refused += i % 4 == 0 && unpack(count) == 0;
    }
    assert_true(refused > 1500);
}

static void a_head_never_claims_more_than_a_piece_has(void **state)
{
    (void)state;
    memset(piece, 0, sizeof(piece));
    for (uint32_t i = 0; i < 1 << 16; i++) {
        piece[0] = (uint8_t)i;
        piece[1] = (uint8_t)(i >> 8);
        assert_in_range(bksi_piece_size(piece), 1, MOST);
        if (i % 97 == 0) {
            const uint32_t count = unpack(BKSI_BLOB_BYTES_MAX);
            assert_int_equal(count, i < MOST ? bksi_piece_size(piece) : 0); // zeros are no frame
        }
    }
}

/// Make a piece of a frame of zstd.
static void put_frame(const uint8_t *bytes, uint32_t count)
{
    piece[0] = (uint8_t)(count - 1);
    piece[1] = PACKED;
    memcpy(piece + HEAD, bytes, count);
}

static void a_frame_that_stands_for_too_much_or_for_nothing_is_refused(void **state)
{
    (void)state;
    // Blocks that repeat one byte 131072 times; the header claims 4 GiB, no size, and too few.
    static const uint8_t claims[] = {0x28, 0xB5, 0x2F, 0xFD, 0xA0, 255, 255,
                                     255,  255,  0x03, 0x00, 0x10, 'x'};
    static const uint8_t silent[] = {0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58, 0x02,
                                     0x00, 0x10, 'x',  0x03, 0x00, 0x10, 'x'};
    static const uint8_t too_few[] = {0x28, 0xB5, 0x2F, 0xFD, 0x20, 100, 0x03, 0x00, 0x10, 'x'};
    static const uint8_t skipped[] = {0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};
    static const uint8_t none[] = {0x28, 0xB5, 0x2F, 0xFD, 0x20, 0, 0x01, 0, 0};
    static const uint8_t right[] = {0x28, 0xB5, 0x2F, 0xFD, 0x20, 100, 0x23, 0x03, 0x00, 'x'};
    const struct {
        const uint8_t *bytes;
        uint32_t count, size;
    } cases[] = {{claims, sizeof(claims), 0},   {silent, sizeof(silent), 0},
                 {too_few, sizeof(too_few), 0}, {skipped, sizeof(skipped), 0},
                 {none, sizeof(none), 0},       {right, sizeof(right), 100}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        put_frame(cases[i].bytes, cases[i].count);
        assert_int_equal(unpack(BKSI_BLOB_BYTES_MAX), cases[i].size);
    }
    put_frame(right, sizeof(right) - 1); // it is cut
    assert_int_equal(unpack(BKSI_BLOB_BYTES_MAX), 0);
}

/// Each block can have tables, which take microseconds to build: 370 fit into a piece.
static void a_frame_of_more_than_one_block_or_with_bytes_after_it_is_refused(void **state)
{
    (void)state;
    static const uint8_t blocks[] = {0x28, 0xB5, 0x2F, 0xFD, 0x20, 2, 0x08,
                                     0,    0,    'x',  0x09, 0,    0, 'y'};
    static const uint8_t ends_late[] = {0x28, 0xB5, 0x2F, 0xFD, 0x20, 1, 0x08,
                                        0,    0,    'x',  0x01, 0,    0};
    static const uint8_t frames[] = {0x28, 0xB5, 0x2F, 0xFD, 0x20, 1, 0x09, 0, 0, 'x',
                                     0x28, 0xB5, 0x2F, 0xFD, 0x20, 1, 0x09, 0, 0, 'y'};
    static const uint8_t more[] = {0x28, 0xB5, 0x2F, 0xFD, 0x20, 1, 0x09, 0, 0,
                                   'x',  0x50, 0x2A, 0x4D, 0x18, 0, 0,    0, 0};
    const struct {
        const uint8_t *bytes;
        uint32_t count;
    } cases[] = {{blocks, sizeof(blocks)},
                 {ends_late, sizeof(ends_late)},
                 {frames, sizeof(frames)},
                 {more, sizeof(more)}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        put_frame(cases[i].bytes, cases[i].count);
        assert_int_equal(unpack(BKSI_BLOB_BYTES_MAX), 0);
    }
    put_frame(frames, sizeof(frames) / 2);
    assert_int_equal(unpack(BKSI_BLOB_BYTES_MAX), 1);
}

static void all_memory_comes_from_the_allocator_at_create(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator hooks = counting_allocator_hooks(&counter);
    bksi_burst_packer other;
    counter.fail_after = 0;
    assert_int_equal(bksi_burst_packer_create(&other, &hooks), BKS_ERR_OUT_OF_MEMORY);
    bksi_burst_packer_destroy(&other, &hooks);
    counter.fail_after = UINT32_MAX;
    assert_int_equal(bksi_burst_packer_create(&other, &hooks), BKS_OK);
    assert_in_range(counter.live_bytes, 64 << 10, 256 << 10);
    const uint32_t allocs = counter.allocs;
    for (uint32_t count = 1; count <= MOST; count += 100) {
        give_alike();
        (void)bksi_burst_pack(&other, &(bksi_blob){.bytes = plain, .count = count}, piece);
        assert_int_equal(bksi_burst_unpack(&other, piece, MOST, back), count);
    }
    assert_int_equal(counter.allocs, allocs);
    bksi_burst_packer_destroy(&other, &hooks);
    assert_true(counter.live_bytes == 0 && !counter.is_wrong);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 33);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_any_size_come_back_and_stand_for_no_other_size),
        cmocka_unit_test(commands_that_are_alike_take_few_bytes),
        cmocka_unit_test(a_damaged_piece_is_refused_or_stays_in_its_room),
        cmocka_unit_test(a_head_never_claims_more_than_a_piece_has),
        cmocka_unit_test(a_frame_that_stands_for_too_much_or_for_nothing_is_refused),
        cmocka_unit_test(a_frame_of_more_than_one_block_or_with_bytes_after_it_is_refused),
        cmocka_unit_test(all_memory_comes_from_the_allocator_at_create),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
