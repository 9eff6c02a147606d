// SPDX-License-Identifier: MIT

#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"

/// Published values of the algorithms, so that every machine is held to the same.
static void golden_hashes_stay(void **state)
{
    (void)state;
    assert_true(bksi_hash64("", 0, 0) == UINT64_C(0x2d06800538d394c2));
    assert_true(bksi_check32("", 0, 0) == 0x02cc5d05);
    assert_true(bksi_check32("", 0, 0x9e3779b1) == 0x36b78ae7);
}

/// The processor's own code must give what the plain code in the header gives, at every length.
static void the_processors_code_agrees_with_the_headers(void **state)
{
    (void)state;
    uint8_t bytes[5000];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(i * 31 + (i >> 8));
    }
    for (size_t count = 0; count <= sizeof(bytes); count += count < 600 ? 1 : 97) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            assert_true(bksi_hash64(bytes, count, seed * 0x123456789) ==
                        XXH3_64bits_withSeed(bytes, count, seed * 0x123456789));
        }
        assert_true(bksi_check32(bytes, count, 7) == XXH32(bytes, count, 7));
    }
}

static void a_pair_is_its_sixteen_little_endian_bytes(void **state)
{
    (void)state;
    uint8_t bytes[16];
    bksi_put_u64(bytes, 0x1122334455667788);
    bksi_put_u64(bytes + 8, 42);
    assert_true(bksi_hash64_pair(0x1122334455667788, 42) == bksi_hash64(bytes, 16, 0));
    assert_true(bksi_hash64_pair(1, 2) != bksi_hash64_pair(2, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_hashes_stay),
        cmocka_unit_test(the_processors_code_agrees_with_the_headers),
        cmocka_unit_test(a_pair_is_its_sixteen_little_endian_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
