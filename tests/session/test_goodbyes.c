// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/common/goodbyes.h"
#include "session/common/seats.h"
#include "wire/small_messages.h"

/// A goodbye of peer 2 comes.
static bool hear(session_goodbyes *goodbyes, bks_phase phase, bool has_all, bksi_bye bye,
                 bool *out_has_ours)
{
    uint8_t bytes[16];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_bye_write(&writer, bye);
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, writer.at);
    return bksi_goodbyes_receive(goodbyes, 2, phase, has_all, &reader, out_has_ours);
}

/// The goodbye that goes to a peer.
static bksi_bye written(session_goodbyes *goodbyes, uint32_t peer, bool is_whole)
{
    uint8_t bytes[16];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_goodbyes_write(goodbyes, peer, is_whole, &writer);
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, writer.at);
    bksi_bye bye = BKSI_BYE_LEAVES;
    assert_true(bksi_bye_read(&reader, &bye));
    return bye;
}

static void a_peer_that_leaves_is_answered_once(void **state)
{
    (void)state;
    session_goodbyes goodbyes = {.complete = 0x3};
    bool has_ours;
    assert_true(hear(&goodbyes, BKS_PHASE_RUNNING, true, BKSI_BYE_LEAVES, &has_ours));
    assert_false(has_ours);
    assert_true(bksi_goodbyes_is_done(&goodbyes, 2));
    assert_false(bksi_goodbyes_is_done(&goodbyes, 1));
    assert_true(bksi_goodbyes_has_quit(&goodbyes, 2));
    assert_true(goodbyes.owes_heard != 0);
    assert_int_equal(written(&goodbyes, 2, true), BKSI_BYE_HEARD);
    assert_false(goodbyes.owes_heard != 0);
    assert_false((bksi_goodbyes_owed(&goodbyes) & PEER_BIT(2)) != 0);
}

static void a_peer_that_leaves_before_the_first_tick_is_let_go_after_it(void **state)
{
    (void)state;
    session_goodbyes goodbyes = {0};
    bool has_ours;
    assert_true(hear(&goodbyes, BKS_PHASE_GATHERING, false, BKSI_BYE_LEAVES, &has_ours));
    assert_true(bksi_goodbyes_has_quit(&goodbyes, 2));
    session_goodbyes ended = {0};
    assert_true(hear(&ended, BKS_PHASE_ENDED, false, BKSI_BYE_LEAVES, &has_ours));
    assert_false(bksi_goodbyes_has_quit(&ended, 2));
}

static void complete_counts_only_from_a_peer_whose_inputs_are_all_here(void **state)
{
    (void)state;
    session_goodbyes goodbyes = {0};
    bool has_ours;
    assert_true(hear(&goodbyes, BKS_PHASE_RUNNING, true, BKSI_BYE_COMPLETE, &has_ours));
    assert_true(has_ours);
    assert_int_equal(goodbyes.complete, PEER_BIT(2));
    goodbyes.complete = 0;
    assert_false(bksi_goodbyes_has_quit(&goodbyes, 2));
    assert_true(hear(&goodbyes, BKS_PHASE_RUNNING, false, BKSI_BYE_COMPLETE, &has_ours));
    assert_false(has_ours);
    assert_int_equal(goodbyes.complete, 0);
    assert_true(bksi_goodbyes_has_quit(&goodbyes, 2));
    assert_false(goodbyes.owes_heard != 0);
}

static void an_answer_is_heard_only_by_one_that_may_have_left(void **state)
{
    (void)state;
    session_goodbyes goodbyes = {0};
    bool has_ours;
    assert_false(hear(&goodbyes, BKS_PHASE_RUNNING, false, BKSI_BYE_HEARD, &has_ours));
    assert_false(bksi_goodbyes_is_done(&goodbyes, 2));
    assert_true(hear(&goodbyes, BKS_PHASE_ENDED, false, BKSI_BYE_HEARD, &has_ours));
    assert_true(bksi_goodbyes_is_done(&goodbyes, 2));
    assert_false(bksi_goodbyes_has_quit(&goodbyes, 2));
}

static void goodbyes_say_complete_unless_we_left(void **state)
{
    (void)state;
    session_goodbyes goodbyes = {0};
    bksi_goodbyes_complete(&goodbyes, 0);
    bksi_goodbyes_complete(&goodbyes, 2);
    assert_int_equal(goodbyes.complete, 0x5);
    bksi_goodbyes_owe(&goodbyes, 0x6);
    assert_true((bksi_goodbyes_owed(&goodbyes) & PEER_BIT(1)) != 0);
    assert_int_equal(written(&goodbyes, 1, true), BKSI_BYE_COMPLETE);
    assert_false((bksi_goodbyes_owed(&goodbyes) & PEER_BIT(1)) != 0);
    assert_true((bksi_goodbyes_owed(&goodbyes) & PEER_BIT(2)) != 0);
    assert_int_equal(written(&goodbyes, 2, false), BKSI_BYE_LEAVES);
    assert_false(goodbyes.owes_bye != 0);
    bksi_goodbyes_leave(&goodbyes, 0x6, 100);
    assert_int_equal(written(&goodbyes, 1, true), BKSI_BYE_LEAVES);
}

static void after_a_while_goodbyes_are_repeated_no_more(void **state)
{
    (void)state;
    session_goodbyes goodbyes = {0};
    assert_false(bksi_goodbyes_are_enough(&goodbyes, 1000, 50));
    bksi_goodbyes_leave(&goodbyes, 0x2, 100);
    assert_false(bksi_goodbyes_are_enough(&goodbyes, 149, 50));
    assert_true(bksi_goodbyes_are_enough(&goodbyes, 150, 50));
}

static void what_is_owed_is_set_added_and_taken_back(void **state)
{
    (void)state;
    session_goodbyes goodbyes = {0};
    bksi_goodbyes_owe(&goodbyes, 0x2);
    bksi_goodbyes_repeat(&goodbyes, 0x4);
    assert_int_equal(goodbyes.owes_bye, 0x6);
    bksi_goodbyes_set(&goodbyes, 3, true);
    bksi_goodbyes_set(&goodbyes, 1, false);
    assert_int_equal(goodbyes.owes_bye, 0xc);
    bksi_goodbyes_give_up(&goodbyes, 0x8);
    assert_true(bksi_goodbyes_is_done(&goodbyes, 3));
    bksi_goodbyes_quit(&goodbyes, 0x4);
    assert_true(bksi_goodbyes_has_quit(&goodbyes, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_that_leaves_is_answered_once),
        cmocka_unit_test(a_peer_that_leaves_before_the_first_tick_is_let_go_after_it),
        cmocka_unit_test(complete_counts_only_from_a_peer_whose_inputs_are_all_here),
        cmocka_unit_test(an_answer_is_heard_only_by_one_that_may_have_left),
        cmocka_unit_test(goodbyes_say_complete_unless_we_left),
        cmocka_unit_test(after_a_while_goodbyes_are_repeated_no_more),
        cmocka_unit_test(what_is_owed_is_set_added_and_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
