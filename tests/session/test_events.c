// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/common/events.h"
#include "support/says.h"

static session_events events;
static bks_event event;

static void events_are_taken_in_order_each_once(void **state)
{
    (void)state;
    events = (session_events){0};
    assert_false(bksi_events_take(&events, &event));
    bks_event *raised = bksi_events_raise(&events, BKS_EVENT_BACK, 3, 17);
    assert_int_equal(raised->found_tick, BKS_TICK_NONE);
    bksi_events_raise_seated(&events, 2);
    assert_true(bksi_events_take(&events, &event));
    assert_int_equal(event.kind, BKS_EVENT_BACK);
    assert_int_equal(event.peer, 3);
    assert_int_equal(event.tick, 17);
    assert_string_equal(event.text, "peer 3 is heard again");
    assert_true(bksi_events_take(&events, &event));
    assert_string_equal(event.text, "we have a seat, as peer 2");
    assert_false(bksi_events_take(&events, &event));
}

static void when_there_are_too_many_the_oldest_are_lost(void **state)
{
    (void)state;
    events = (session_events){0};
    for (uint32_t i = 0; i < EVENTS_MAX + 5; i++) {
        (void)bksi_events_raise(&events, BKS_EVENT_SILENT, 0, (bks_tick)i);
    }
    for (uint32_t i = 5; i < EVENTS_MAX + 5; i++) {
        assert_true(bksi_events_take(&events, &event));
        assert_int_equal(event.tick, i);
    }
    assert_false(bksi_events_take(&events, &event));
}

static void a_second_reader_sees_what_was_taken_too(void **state)
{
    (void)state;
    events = (session_events){0};
    uint64_t number = 0;
    assert_false(bksi_events_after(&events, &number, &event));
    for (uint32_t i = 0; i < EVENTS_MAX + 3; i++) {
        (void)bksi_events_raise(&events, BKS_EVENT_SILENT, 0, (bks_tick)i);
        (void)bksi_events_take(&events, &event);
    }
    for (uint32_t i = 3; i < EVENTS_MAX + 3; i++) { // the first three have lost their places
        assert_true(bksi_events_after(&events, &number, &event));
        assert_int_equal(event.tick, i);
    }
    assert_false(bksi_events_after(&events, &number, &event));
}

static void every_kind_has_a_name_and_a_sentence(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind <= BKS_EVENT_SPEED; kind++) {
        events = (session_events){0};
        assert_string_not_equal(bks_event_kind_name((bks_event_kind)kind), "unknown");
        assert_true(strlen(bksi_events_raise(&events, (bks_event_kind)kind, 0, 0)->text) > 8);
    }
    assert_string_equal(bks_event_kind_name((bks_event_kind)(BKS_EVENT_SPEED + 1)), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_taken_in_order_each_once),
        cmocka_unit_test(when_there_are_too_many_the_oldest_are_lost),
        cmocka_unit_test(a_second_reader_sees_what_was_taken_too),
        cmocka_unit_test(every_kind_has_a_name_and_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
