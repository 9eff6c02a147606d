// SPDX-License-Identifier: MIT

// Tests commands of local players through the public calls, in a match of one machine that pulls
// its operations.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "session/toy_network.h"
#include "support/counting_allocator.h"

enum { PLAYERS = 3, LONGEST = 70, ROOM = 400, SEEN_MAX = 1 << 16 };

typedef struct seen {
    char text[SEEN_MAX]; ///< "TICK.SEAT:BYTES " for each command
    size_t at;
    uint64_t bytes[PLAYERS]; ///< number of bytes in all commands of each seat
} seen;

static bks_session *session;
static counting_allocator counter;
static seen seen_now;
static uint64_t now_ns;

static bks_session_config config_of(void)
{
    bks_session_config config = toy_config(0, PLAYERS);
    config.local_players = PLAYERS;
    config.command_bytes_max = LONGEST;
    config.command_room_bytes = ROOM;
    config.ticks = 0;
    config.tuning.window_ticks = 0;
    config.allocator = counting_allocator_hooks(&counter);
    return config;
}

static void begin(const bks_session_config *config)
{
    seen_now = (seen){0};
    now_ns = 0;
    assert_int_equal(bks_session_create(config, &session, NULL), BKS_OK);
}

static void note(const bks_op *op)
{
    for (uint32_t p = 0; op->commands != NULL && p < PLAYERS; p++) {
        const uint8_t *at = op->commands[p].bytes;
        const uint8_t *end = at + op->commands[p].count;
        while (at < end) {
            const int count = at[0] | at[1] << 8;
            seen_now.at +=
                (size_t)snprintf(seen_now.text + seen_now.at, SEEN_MAX - seen_now.at, "%d.%u:%.*s ",
                                 (int)op->tick, p, count, (const char *)at + 2);
            seen_now.bytes[p] += (uint64_t)count;
            at += 2 + count;
        }
        assert_ptr_equal(at, end);
    }
}

/// Step one tick.
static void step(void)
{
    const bks_tick tick = bks_session_tick(session);
    while (bks_session_tick(session) == tick) {
        bks_op op;
        assert_int_equal(bks_session_update(session, now_ns), BKS_OK);
        while (bks_session_next(session, &op)) {
            bks_op_result result = {0};
            if (op.kind == BKS_OP_STEP) {
                note(&op);
            }
            assert_int_equal(bks_session_done(session, &op, &result), BKS_OK);
        }
        now_ns += TOY_MS;
    }
}

static bks_status give(uint32_t player, const char *text)
{
    return bks_session_command(session, player, text, strlen(text));
}

static void commands_come_in_the_order_of_seats_then_of_issue(void **state)
{
    (void)state;
    const bks_session_config config = config_of();
    begin(&config);
    assert_int_equal(give(1, "early"), BKS_OK); // given before the first step
    step();
    assert_int_equal(give(2, "a"), BKS_OK);
    assert_int_equal(give(0, "b"), BKS_OK);
    assert_int_equal(give(2, "c"), BKS_OK);
    step();
    step();
    assert_int_equal(give(0, "d"), BKS_OK);
    step();
    assert_string_equal(seen_now.text, "0.1:early 1.0:b 1.2:a 1.2:c 3.0:d ");
    bks_session_destroy(session);
}

static void a_command_acts_as_late_as_an_input(void **state)
{
    (void)state;
    bks_session_config config = config_of();
    config.tuning.delay_ticks = 3;
    begin(&config);
    step();
    assert_int_equal(give(0, "a"), BKS_OK);
    for (uint32_t i = 0; i < 5; i++) {
        step();
    }
    assert_string_equal(seen_now.text, "4.0:a "); // tick 3 was sampled with the step of tick 0
    bks_session_destroy(session);
}

static void what_has_no_room_waits_and_nothing_is_lost(void **state)
{
    (void)state;
    bks_session_config config = config_of();
    config.tuning.delay_ticks = 0;
    begin(&config);
    char text[LONGEST + 1];
    memset(text, 'x', LONGEST);
    text[LONGEST] = '\0';
    uint64_t given = 0;
    uint32_t refused = 0;
    for (bks_tick tick = 0; tick < 3000; tick++) {
        for (uint32_t i = 0; i < 6; i++) {
            const bks_status status = give(1, text + (tick + (bks_tick)i) % LONGEST);
            given += status == BKS_OK ? strlen(text + (tick + (bks_tick)i) % LONGEST) : 0;
            refused += status == BKS_ERR_FULL;
            assert_true(status == BKS_OK || status == BKS_ERR_FULL);
        }
        seen_now.at = 0;
        step();
    }
    for (uint32_t i = 0; i < 20; i++) {
        step();
    }
    assert_true(refused > 1000);
    assert_int_equal(seen_now.bytes[1], given);
    assert_true(given > 3000 / 64 * (ROOM - 100)); // each 64 ticks have a whole room
    bks_session_destroy(session);
}

static void nothing_is_allocated_after_create(void **state)
{
    (void)state;
    const bks_session_config config = config_of();
    begin(&config);
    const uint32_t allocs = counter.allocs;
    for (uint32_t i = 0; i < 200; i++) {
        (void)give(i % PLAYERS, "some command");
        step();
    }
    assert_int_equal(counter.allocs, allocs);
    bks_session_destroy(session);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
}

static void wrong_arguments_are_refused_and_nothing_is_taken(void **state)
{
    (void)state;
    const bks_session_config config = config_of();
    char text[LONGEST + 2];
    memset(text, 'x', sizeof(text));
    begin(&config);
    step();
    assert_int_equal(bks_session_command(NULL, 0, "a", 1), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_session_command(session, 0, NULL, 1), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_session_command(session, PLAYERS, "a", 1), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_session_command(session, 0, "", 0), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_session_command(session, 0, text, LONGEST + 1), BKS_ERR_BAD_ARGUMENT);
    step();
    assert_string_equal(seen_now.text, "");
    assert_int_equal(bks_session_command(session, 0, text, LONGEST), BKS_OK);
    assert_int_equal(bks_session_leave(session), BKS_OK);
    assert_int_equal(give(0, "a"), BKS_OVER);
    bks_session_destroy(session);
}

static void a_game_without_commands_refuses_them(void **state)
{
    (void)state;
    bks_session_config config = config_of();
    config.command_bytes_max = config.command_room_bytes = 0;
    begin(&config);
    assert_int_equal(give(0, "a"), BKS_ERR_UNSUPPORTED);
    bks_session_destroy(session);
}

static void refuse_config(const bks_session_config *config, bks_status status, const char *field)
{
    bks_error error = {0};
    bks_session *refused = (bks_session *)&error;
    assert_int_equal(bks_session_create(config, &refused, &error), status);
    assert_null(refused);
    assert_string_equal(error.field, field);
}

static void sizes_that_are_out_of_range_are_refused(void **state)
{
    (void)state;
    bks_session_config config = config_of();
    config.command_bytes_max = BKS_COMMAND_BYTES_MAX + 1;
    refuse_config(&config, BKS_ERR_BAD_CONFIG, "command_bytes_max");
    config = config_of();
    config.command_bytes_max = 0; // the config has a room, but no commands
    refuse_config(&config, BKS_ERR_BAD_CONFIG, "command_bytes_max");
    config = config_of();
    config.command_room_bytes = LONGEST + 1; // the largest command does not fit
    refuse_config(&config, BKS_ERR_BAD_CONFIG, "command_room_bytes");
    config.command_room_bytes = BKS_COMMAND_ROOM_MAX + 1;
    refuse_config(&config, BKS_ERR_BAD_CONFIG, "command_room_bytes");
}

static void the_delay_stays_what_the_room_counts_on(void **state)
{
    (void)state;
    bks_session_config config = config_of();
    config.tuning.delay_ticks = 3;
    begin(&config);
    assert_int_equal(bks_session_retune(session, 0, 1, BKS_PACE_SLEW, NULL), BKS_OK);
    assert_int_equal(bks_session_retune(session, 0, 3, BKS_PACE_SLEW, NULL), BKS_OK);
    assert_int_equal(bks_session_retune(session, 0, 4, BKS_PACE_SLEW, NULL), BKS_ERR_BAD_CONFIG);
    assert_int_equal(bks_session_retune(session, 0, BKS_AUTO, BKS_PACE_SLEW, NULL),
                     BKS_ERR_BAD_CONFIG);
    bks_session_destroy(session);
    config.tuning.delay_ticks = BKS_AUTO; // then there is room for any delay
    begin(&config);
    assert_int_equal(bks_session_retune(session, 0, 255, BKS_PACE_SLEW, NULL), BKS_OK);
    assert_int_equal(bks_session_retune(session, 0, BKS_AUTO, BKS_PACE_SLEW, NULL), BKS_OK);
    bks_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_come_in_the_order_of_seats_then_of_issue),
        cmocka_unit_test(a_command_acts_as_late_as_an_input),
        cmocka_unit_test(what_has_no_room_waits_and_nothing_is_lost),
        cmocka_unit_test(nothing_is_allocated_after_create),
        cmocka_unit_test(wrong_arguments_are_refused_and_nothing_is_taken),
        cmocka_unit_test(a_game_without_commands_refuses_them),
        cmocka_unit_test(sizes_that_are_out_of_range_are_refused),
        cmocka_unit_test(the_delay_stays_what_the_room_counts_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
