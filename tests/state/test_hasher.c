// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "state/region.h"

#include <cmocka.h>

#include "base/hash.h"
#include "support/catch_log.h"

static uint64_t hash_of(const char *first, const char *second)
{
    bks_hasher hasher = bksi_hasher_begin();
    bks_hash_add(&hasher, first, strlen(first));
    if (second != NULL) {
        bks_hash_add(&hasher, second, strlen(second));
    }
    return bksi_hasher_end(&hasher);
}

static void the_chain_is_the_one_of_the_specification(void **state)
{
    (void)state;
    assert_true(hash_of("ab", NULL) == bksi_hash64_pair(0, bksi_hash64("ab", 2, 0)));
    assert_true(hash_of("ab", "c") ==
                bksi_hash64_pair(hash_of("ab", NULL), bksi_hash64("c", 1, 0)));
    assert_true(hash_of("ab", NULL) == UINT64_C(0x6292c41f2910327e)); // must never change
    assert_true(hash_of("ab", "c") == UINT64_C(0xd08f8b9461bcb245));
    bks_hasher hasher = bksi_hasher_begin();
    assert_true(bksi_hasher_end(&hasher) == 0);
}

static void order_and_borders_of_the_parts_count(void **state)
{
    (void)state;
    assert_true(hash_of("ab", "c") == hash_of("ab", "c"));
    assert_true(hash_of("ab", "c") != hash_of("c", "ab"));
    assert_true(hash_of("ab", "c") != hash_of("a", "bc"));
    assert_true(hash_of("abc", NULL) != hash_of("abc", ""));
}

static void missing_arguments_are_logged_and_change_nothing(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bks_hasher hasher = bksi_hasher_begin();
    bks_hash_add(NULL, "a", 1);
    assert_string_equal(log.text, "hasher is NULL, must not be");
    bks_hash_add(&hasher, NULL, 1);
    assert_string_equal(log.text, "bytes is NULL, must not be");
    assert_true(bksi_hasher_end(&hasher) == 0);
    bks_hash_add(&hasher, NULL, 0);
    bks_log_clear_sink();
    assert_int_equal(log.count, 2);
    assert_true(bksi_hasher_end(&hasher) == hash_of("", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chain_is_the_one_of_the_specification),
        cmocka_unit_test(order_and_borders_of_the_parts_count),
        cmocka_unit_test(missing_arguments_are_logged_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
