// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backstitch/base.h"
#include "base/hash.h"

static void a_game_gets_the_hashes_of_recordings(void **state)
{
    (void)state;
    static const uint8_t bytes[300] = {1, 2, 3};
    for (size_t count = 0; count <= sizeof(bytes); count += 60) {
        assert_true(bks_hash64(bytes, count, 7) == bksi_hash64(bytes, count, 7));
    }
    assert_true(bks_hash64_pair(1, 2) == bksi_hash64_pair(1, 2));
    assert_true(bks_hash64(bytes, 3, 0) != bks_hash64(bytes, 3, 1));
    assert_true(bks_hash64(NULL, 0, 5) == bksi_hash64("", 0, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_gets_the_hashes_of_recordings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
