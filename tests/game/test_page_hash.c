// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "backstitch/toolkit/runner.h"
#include "some_game.h"

enum { PAGES_MAX = 8 };

static void pages_hash_as_the_specification_says(void **state)
{
    (void)state;
    uint8_t bytes[5000];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(i * 7 % 256);
    }
    const uint64_t hashes[2] = {
        bks_page_hash(bytes, BKS_PAGE_BYTES),
        bks_page_hash(bytes + BKS_PAGE_BYTES, sizeof(bytes) - BKS_PAGE_BYTES)};
    assert_true(hashes[0] == UINT64_C(0x8fb047a89e810965));
    assert_true(hashes[1] == UINT64_C(0x0425fbc6726fcdf6));
    assert_true(bks_pages_hash(hashes, 2, sizeof(bytes)) == UINT64_C(0x516271976efe401b));
}

static void the_pages_of_a_runners_state_hash_as_the_runner_says(void **state)
{
    (void)state;
    const bks_runner_config config = {.game = &some_game, .seed = 7, .players = 2};
    bks_runner *runner = NULL;
    assert_int_equal(bks_runner_create(&config, &runner, NULL), BKS_OK);
    static uint8_t bytes[BKS_PAGE_BYTES * PAGES_MAX];
    const size_t used = bks_runner_export(runner, bytes, sizeof(bytes));
    uint64_t hashes[PAGES_MAX];
    size_t pages = 0;
    for (size_t at = 0; at < used; at += BKS_PAGE_BYTES, pages++) {
        const size_t left = used - at;
        hashes[pages] = bks_page_hash(bytes + at, left < BKS_PAGE_BYTES ? left : BKS_PAGE_BYTES);
    }
    assert_in_range(pages, 1, PAGES_MAX);
    assert_true(bks_pages_hash(hashes, pages, used) == bks_runner_hash(runner));
    bks_runner_destroy(runner);
}

static void what_is_no_page_has_no_hash(void **state)
{
    (void)state;
    static const uint8_t bytes[BKS_PAGE_BYTES + 1];
    assert_true(bks_page_hash(bytes, sizeof(bytes)) == 0);
    assert_true(bks_page_hash(NULL, 1) == 0);
    assert_true(bks_page_hash(NULL, 0) == bks_page_hash(bytes, BKS_PAGE_BYTES));
    assert_true(bks_pages_hash(NULL, 1, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_hash_as_the_specification_says),
        cmocka_unit_test(the_pages_of_a_runners_state_hash_as_the_runner_says),
        cmocka_unit_test(what_is_no_page_has_no_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
