// SPDX-License-Identifier: MIT

// The order of a turn, and the moment that its picture shows.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "screen/window/frame_pace.h"

#define MS UINT64_C(1000000)

/// Calls so far, a letter for each, and the moment that the newest picture shows.
static struct {
    char calls[16];
    size_t count;
    uint64_t now_ns;
    uint64_t until_ns;
    uint64_t drawn_ns;
    bool ends_at_sample;
    bool ends_at_step;
} seen;

static void note(char call)
{
    assert_true(seen.count + 1 < sizeof(seen.calls));
    seen.calls[seen.count++] = call;
}

static uint64_t now(void *context)
{
    (void)context;
    return seen.now_ns;
}

static void wait_until(void *context, uint64_t until_ns)
{
    (void)context;
    note('w');
    seen.until_ns = until_ns;
    seen.now_ns = until_ns > seen.now_ns ? until_ns : seen.now_ns;
}

static bool sample(void *context)
{
    (void)context;
    note('s');
    return !seen.ends_at_sample;
}

static bool step(void *context)
{
    (void)context;
    note('t');
    seen.now_ns += 2 * MS;
    return !seen.ends_at_step;
}

static void draw(void *context, uint64_t now_ns)
{
    (void)context;
    note('d');
    seen.drawn_ns = now_ns;
    seen.now_ns += MS;
}

static bool present(void *context)
{
    (void)context;
    note('p');
    return false;
}

static frame_pace pace;

static bool turn(void)
{
    const frame_loop loop = {.now = now,
                             .wait = wait_until,
                             .sample = sample,
                             .step = step,
                             .draw = draw,
                             .present = present,
                             .every_ns = 10 * MS,
                             .pace = &pace};
    memset(seen.calls, 0, sizeof(seen.calls));
    seen.count = 0;
    return frame_loop_turn(&loop);
}

static int set_up(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof(seen));
    seen.now_ns = 1000 * MS;
    pace = (frame_pace){.due_ns = 1007 * MS};
    return 0;
}

static void devices_are_read_behind_the_wait_and_before_the_step(void **state)
{
    (void)state;
    assert_true(turn());
    assert_string_equal(seen.calls, "wstdp");
    assert_int_equal(seen.until_ns, 1007 * MS);
}

static void a_picture_shows_the_moment_at_which_it_is_begun(void **state)
{
    (void)state;
    assert_true(turn());
    assert_int_equal(seen.drawn_ns, 1009 * MS); // the step took two
    assert_true(turn());
    assert_int_equal(seen.until_ns, 1017 * MS);
    assert_int_equal(seen.drawn_ns, 1019 * MS);
}

static void a_turn_without_a_picture_reads_and_steps(void **state)
{
    (void)state;
    pace.due_ns = 2000 * MS;
    assert_true(turn());
    assert_string_equal(seen.calls, "wst");
    assert_int_equal(seen.until_ns, 1020 * MS);
}

static void what_ends_is_not_drawn(void **state)
{
    (void)state;
    seen.ends_at_step = true;
    assert_false(turn());
    assert_string_equal(seen.calls, "wst");
    seen.ends_at_sample = true;
    assert_false(turn());
    assert_string_equal(seen.calls, "ws");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(devices_are_read_behind_the_wait_and_before_the_step, set_up),
        cmocka_unit_test_setup(a_picture_shows_the_moment_at_which_it_is_begun, set_up),
        cmocka_unit_test_setup(a_turn_without_a_picture_reads_and_steps, set_up),
        cmocka_unit_test_setup(what_ends_is_not_drawn, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
