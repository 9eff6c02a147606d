// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"
#include "doctor/doctor_case.h"

enum { TICKS = 8, FULL_BITS = 64 };

static void bad_usage_says_what_is_wrong(void **state)
{
    (void)state;
    const cli_run *run = cli("doctor duel");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "expected GAME A.bks [B.bks]");
    run = cli("doctor duel --here a.bks --json");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "--here FILE.bks goes with GAME alone");
    run = cli("doctor duel nothing.bks");
    assert_int_equal(run->status, 3);
    cli_expect(run->err, "nothing.bks");
}

// Two sides of which only the hashes are known that this machine came to.
static void begin(doctor_case *c, const uint64_t *b)
{
    *c = (doctor_case){.hash_tick = 4, .first = 0, .until = TICKS};
    c->sides[0].event_tick = 4;
    c->sides[0].event_hash = 0xA4;
    c->sides[1].event_tick = BKS_TICK_NONE;
    c->sides[1].here_count = TICKS;
    memcpy(c->sides[1].here, b, TICKS * sizeof(*b));
}

static void hashes_count_from_the_difference_on(void **state)
{
    (void)state;
    static doctor_case c;
    const uint64_t b[TICKS] = {1, 2, 3, 4, 5, 6, 7, 8};
    begin(&c, b);
    const doctor_match match = doctor_compare(&c, 0, b, TICKS);
    assert_true(match.is_same[1]);
    assert_false(match.is_same[0]);
    assert_int_equal(match.bits[1], FULL_BITS);
    assert_int_equal(match.bits[0], 0);
}

static void a_row_that_leaves_a_side_before_the_difference_is_not_its_own(void **state)
{
    (void)state;
    static doctor_case c;
    const uint64_t b[TICKS] = {1, 2, 3, 4, 5, 6, 7, 8};
    const uint64_t row[TICKS] = {1, 2, 0, 4, 5, 6, 7, 8};
    begin(&c, b);
    const doctor_match match = doctor_compare(&c, 0, row, TICKS);
    assert_false(match.is_same[1]);
    assert_int_equal(match.wrong, 4);
}

static void a_row_that_ends_before_the_difference_shows_nothing(void **state)
{
    (void)state;
    static doctor_case c;
    const uint64_t b[TICKS] = {1, 2, 3, 4, 5, 6, 7, 8};
    begin(&c, b);
    const doctor_match match = doctor_compare(&c, 0, b, 4);
    assert_false(match.is_same[0]);
    assert_false(match.is_same[1]);
}

static void evidence_beyond_its_room_is_left_out(void **state)
{
    (void)state;
    static doctor_case c;
    for (uint32_t i = 0; i < 2 * DOCTOR_EVIDENCE_MAX; i++) {
        doctor_note(&c, "step %d", (int)i);
    }
    assert_int_equal(c.evidence_count, DOCTOR_EVIDENCE_MAX);
    assert_string_equal(c.evidence[1], "step 1");
}

static void marks_of_later_ticks_do_not_move_the_first_difference(void **state)
{
    (void)state;
    (void)cli("lab duel --ticks 200 --input *=bot --fault flip=1@100:byte:128:3 "
              "--keep marks@110..115 --record late");
    const cli_run *run = cli("doctor duel late/peer-0.bks late/peer-1.bks --json");
    assert_int_equal(run->status, 1);
    cli_expect_value(run->out, "tick", "100");
    cli_expect_value(run->out, "hash_tick", "100");
    cli_expect(run->out, "of the step before the first hash that differs there are none in both");
    run = cli("replay diff late/peer-0.bks late/peer-1.bks");
    cli_expect(run->out, "different from tick 100 on\nin tick 110, at mark (start), with no marks "
                         "in both before it:\n");
    cli_expect(run->out, "in tick 110, at mark (start), behind the first hash that differs\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_usage_says_what_is_wrong),
        cmocka_unit_test(hashes_count_from_the_difference_on),
        cmocka_unit_test(a_row_that_leaves_a_side_before_the_difference_is_not_its_own),
        cmocka_unit_test(a_row_that_ends_before_the_difference_shows_nothing),
        cmocka_unit_test(evidence_beyond_its_room_is_left_out),
        cmocka_unit_test(marks_of_later_ticks_do_not_move_the_first_difference),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
