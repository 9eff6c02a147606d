// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/format/replay_event.h"

static bks_replay_event longest(void)
{
    bks_replay_event event = {
        .kind = BKS_REPLAY_NOTE, .tick = INT32_MAX, .peer = 255, .a = UINT64_MAX, .b = UINT64_MAX};
    memset(event.text, '~', sizeof(event.text) - 1);
    return event;
}

static void event_reads_as_written(void **state)
{
    (void)state;
    const bks_replay_event all[] = {
        {.kind = BKS_REPLAY_JOINED},
        {.kind = BKS_REPLAY_DESYNC, .tick = 900, .a = 1, .b = 2},
        {.kind = BKS_REPLAY_NOTE, .tick = 3, .text = "the boss is gone"},
        longest()};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        uint8_t bytes[BKSI_EVENT_BYTES_MAX];
        bks_replay_event read;
        assert_int_equal(bksi_event_check(&all[i], "test"), BKS_OK);
        const size_t count = bksi_event_write(bytes, &all[i]);
        assert_in_range(count, 6, BKSI_EVENT_BYTES_MAX);
        assert_int_equal(bksi_event_read(&read, bytes, count), BKSI_EVENT_OK);
        assert_int_equal(read.kind, all[i].kind);
        assert_int_equal(read.tick, all[i].tick);
        assert_int_equal(read.peer, all[i].peer);
        assert_true(read.a == all[i].a);
        assert_true(read.b == all[i].b);
        assert_string_equal(read.text, all[i].text);
        for (size_t cut = 0; cut < count; cut++) {
            assert_int_equal(bksi_event_read(&read, bytes, cut), BKSI_EVENT_WRONG);
        }
        bytes[count] = 0;
        assert_int_equal(bksi_event_read(&read, bytes, count + 1), BKSI_EVENT_WRONG);
    }
}

static void a_kind_of_a_later_version_is_distinguished_from_a_wrong_event(void **state)
{
    (void)state;
    bks_replay_event read;
    const uint8_t later[] = {3, 200, 0, 'x'};
    assert_int_equal(bksi_event_read(&read, later, sizeof(later)), BKSI_EVENT_UNKNOWN);
}

static void event_out_of_its_ranges_is_refused(void **state)
{
    (void)state;
    bks_replay_event event = {.kind = (bks_replay_event_kind)6};
    assert_int_equal(bksi_event_check(&event, "test"), BKS_ERR_BAD_ARGUMENT);
    event = (bks_replay_event){.tick = -1};
    assert_int_equal(bksi_event_check(&event, "test"), BKS_ERR_BAD_ARGUMENT);
    event = (bks_replay_event){.peer = 256};
    assert_int_equal(bksi_event_check(&event, "test"), BKS_ERR_BAD_ARGUMENT);
    event = (bks_replay_event){.text = "two\nlines"};
    assert_int_equal(bksi_event_check(&event, "test"), BKS_ERR_BAD_ARGUMENT);
    event = longest();
    event.text[sizeof(event.text) - 1] = '!';
    assert_int_equal(bksi_event_check(&event, "test"), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bksi_event_check(NULL, "test"), BKS_ERR_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(event_reads_as_written),
        cmocka_unit_test(a_kind_of_a_later_version_is_distinguished_from_a_wrong_event),
        cmocka_unit_test(event_out_of_its_ranges_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
