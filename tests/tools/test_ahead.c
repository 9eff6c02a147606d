// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/writer.h"
#include "base/tool.h"
#include "pad/pad.h"
#include "record/recording/ahead.h"

/// Longer than what is read ahead at most.
enum { TICKS = 40000, PLAYERS = 2, FIELDS = 22, VALUES = PLAYERS * FIELDS };

static struct {
    uint8_t bytes[1 << 20];
    size_t count;
    bks_replay *replay;
    const bks_recording *info;
} recorded;

static bks_status keep(void *context, uint64_t offset_bytes, const void *bytes, size_t count)
{
    (void)context;
    assert_true(offset_bytes + count <= sizeof(recorded.bytes));
    memcpy(recorded.bytes + offset_bytes, bytes, count);
    recorded.count =
        offset_bytes + count > recorded.count ? (size_t)offset_bytes + count : recorded.count;
    return BKS_OK;
}

static void play(bks_tick tick, int32_t values[VALUES])
{
    memset(values, 0, VALUES * sizeof(values[0]));
    values[0] = tick / 7 % 2;
    values[FIELDS] = tick / 300 % 2;
}

static int record(void **state)
{
    (void)state;
    const uint64_t start[4] = {1};
    const bks_replay_config config = {
        .game = &pad_game,
        .players = PLAYERS,
        .tick_rate_hz = 60,
        .unconfirmed_ticks_max = 1,
        .state = start,
        .state_bytes = sizeof(start),
        .sink = {.write = keep},
    };
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        int32_t values[VALUES];
        play(tick, values);
        assert_int_equal(bks_replay_writer_confirm(writer, tick, values, NULL), BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    assert_int_equal(bks_replay_open(recorded.bytes, recorded.count, NULL, &recorded.replay, NULL),
                     BKS_OK);
    recorded.info = bks_replay_info(recorded.replay);
    assert_int_equal(pad_game.field_count, FIELDS);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    bks_replay_close(recorded.replay);
    return 0;
}

static void inputs_come_in_order_and_as_recorded(void **state)
{
    (void)state;
    ahead *inputs = ahead_open(recorded.bytes, recorded.info, TICKS);
    assert_non_null(inputs);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        int32_t values[VALUES];
        play(tick, values);
        const int32_t *read = ahead_inputs(inputs, tick);
        assert_non_null(read);
        assert_memory_equal(read, values, sizeof(values));
    }
    assert_null(ahead_inputs(inputs, TICKS));
    ahead_close(inputs);
}

/// The thread comes as far ahead as it may, and takes nothing away that is still to be read.
static void a_slow_reader_loses_nothing(void **state)
{
    (void)state;
    ahead *inputs = ahead_open(recorded.bytes, recorded.info, TICKS);
    assert_non_null(inputs);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        int32_t values[VALUES];
        play(tick, values);
        assert_memory_equal(ahead_inputs(inputs, tick), values, sizeof(values));
        if (tick % 4096 == 4) {
            tool_sleep_ns(20000000);
        }
    }
    ahead_close(inputs);
}

static void it_can_end_at_any_time(void **state)
{
    (void)state;
    static const bks_tick ends[] = {0, 1, 255, 256, 257, 5000, 20000};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        ahead *inputs = ahead_open(recorded.bytes, recorded.info, TICKS);
        assert_non_null(inputs);
        for (bks_tick tick = 0; tick < ends[i]; tick++) {
            assert_non_null(ahead_inputs(inputs, tick));
        }
        ahead_close(inputs);
    }
    ahead_close(NULL);
}

static void ticks_not_asked_for_are_not_read(void **state)
{
    (void)state;
    ahead *inputs = ahead_open(recorded.bytes, recorded.info, 100);
    assert_non_null(inputs);
    for (bks_tick tick = 0; tick < 100; tick++) {
        assert_non_null(ahead_inputs(inputs, tick));
    }
    assert_null(ahead_inputs(inputs, 100));
    ahead_close(inputs);
}

static void unreadable_ticks_are_not_waited_for(void **state)
{
    (void)state;
    // The file was opened with other bytes: the thread finds a part of it, or nothing.
    static const size_t counts[] = {0, 10, 3000};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        assert_true(counts[i] < recorded.count);
        bks_recording info = *recorded.info;
        info.bytes = counts[i];
        ahead *inputs = ahead_open(recorded.bytes, &info, TICKS);
        assert_non_null(inputs);
        bks_tick tick = 0;
        while (ahead_inputs(inputs, tick) != NULL) {
            tick++;
        }
        assert_true(tick < TICKS);
        ahead_close(inputs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_come_in_order_and_as_recorded),
        cmocka_unit_test(a_slow_reader_loses_nothing),
        cmocka_unit_test(it_can_end_at_any_time),
        cmocka_unit_test(ticks_not_asked_for_are_not_read),
        cmocka_unit_test(unreadable_ticks_are_not_waited_for),
    };
    return cmocka_run_group_tests(tests, record, forget);
}
