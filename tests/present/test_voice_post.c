// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "present/mixer_queues.h"

static void publish(bksi_voice_post *post, bks_tick present)
{
    bksi_voice_post_next(post)->present = present;
    bksi_voice_post_publish(post);
}

static void nothing_is_there_before_the_first(void **state)
{
    (void)state;
    static bksi_voice_post post;
    bksi_voice_post_begin(&post);
    assert_null(bksi_voice_post_take(&post));
}

static void of_several_only_the_newest_is_taken_and_once(void **state)
{
    (void)state;
    static bksi_voice_post post;
    bksi_voice_post_begin(&post);
    for (bks_tick present = 1; present <= 5; present++) {
        publish(&post, present);
    }
    const bksi_voices *newest = bksi_voice_post_take(&post);
    assert_non_null(newest);
    assert_int_equal(newest->present, 5);
    assert_null(bksi_voice_post_take(&post));
}

static void what_was_taken_is_not_written_over(void **state)
{
    (void)state;
    static bksi_voice_post post;
    bksi_voice_post_begin(&post);
    publish(&post, 1);
    const bksi_voices *newest = bksi_voice_post_take(&post);
    assert_non_null(newest);
    for (bks_tick present = 2; present <= 8; present++) {
        assert_ptr_not_equal(bksi_voice_post_next(&post), newest);
        publish(&post, present);
        assert_int_equal(newest->present, 1);
    }
    newest = bksi_voice_post_take(&post);
    assert_non_null(newest);
    assert_int_equal(newest->present, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_there_before_the_first),
        cmocka_unit_test(of_several_only_the_newest_is_taken_and_once),
        cmocka_unit_test(what_was_taken_is_not_written_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
