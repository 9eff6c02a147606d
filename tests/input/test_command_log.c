// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "input/command_log.h"
#include "support/counting_allocator.h"
#include "support/seed.h"

enum { CAPACITY = 64, TICKS = 48, ROOM = 1000, LONGEST = 300 };

static const bksi_command_config config = {
    .bytes_max = LONGEST, .room_bytes = ROOM, .room_ticks = TICKS};

static bksi_command_log log_;
static counting_allocator counter;
static bks_allocator hooks;
static bks_tick head;

static int begin(void **state)
{
    (void)state;
    hooks = counting_allocator_hooks(&counter);
    assert_int_equal(bksi_command_log_create(&log_, &config, 2, CAPACITY, &hooks), BKS_OK);
    head = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    bksi_command_log_destroy(&log_, &hooks);
    bksi_command_log_destroy(&log_, &hooks); // a second call is allowed
    assert_int_equal(counter.live_bytes, 0);
    return 0;
}

/// Append a blob as the one of player 0's next tick.
static bool append(const void *bytes, uint32_t count)
{
    const bksi_blob blob = {.bytes = bytes, .count = count};
    assert_true(bksi_command_log_admits(&log_, 0, head, &blob));
    return bksi_command_log_append(&log_, 0, head++, &blob);
}

static bool admits(const void *bytes, uint32_t count)
{
    const bksi_blob blob = {.bytes = bytes, .count = count};
    return bksi_command_log_admits(&log_, 0, head, &blob);
}

/// Three commands of 300 bytes and one of 92.
static const uint8_t some[ROOM + 2] = {
    0x2c, 1, [302] = 0x2c, 1, [604] = 0x2c, 1, [906] = 92, [ROOM] = 1};

static bool has(bks_tick tick, const void *bytes, uint32_t count)
{
    const bks_commands commands = bksi_command_log_commands(&log_, 0, tick);
    return commands.count == count && (count == 0 || memcmp(commands.bytes, bytes, count) == 0);
}

static void a_command_belongs_to_the_tick_that_has_its_last_byte(void **state)
{
    (void)state;
    assert_false(append("\3", 1));
    assert_false(append("\0ab", 3));
    assert_false(append(NULL, 0));
    assert_true(append("c\1\0d\2", 5)); // completes two commands, begins a third
    assert_true(append("\0ef", 3));
    assert_true(has(0, "", 0));
    assert_true(has(1, "", 0));
    assert_true(has(2, "", 0));
    assert_true(has(3, "\3\0abc\1\0d", 8));
    assert_true(has(4, "\2\0ef", 4));
    const bksi_blob blob = bksi_command_log_blob(&log_, 0, 3);
    assert_int_equal(blob.count, 5);
    assert_memory_equal(blob.bytes, "c\1\0d\2", 5);
}

static void a_command_of_a_wrong_length_is_not_admitted(void **state)
{
    (void)state;
    assert_false(admits("\0\0", 2));
    assert_false(admits("\1\0a\0\0b", 6));
    assert_false(admits("\x2d\1", 2)); // length 301
    assert_true(admits("\x2c\1", 2));  // length 300, the maximum
    (void)append("\1\0a\x2d", 4);      // the high byte of the length is missing
    assert_false(admits("\1", 1));
    assert_true(admits("\0", 1));
    (void)append("\0", 1);
    assert_true(admits("\xff", 1)); // bytes inside a command are free
}

static void blobs_of_room_ticks_together_have_at_most_the_room(void **state)
{
    (void)state;
    assert_true(admits(some, ROOM));
    assert_false(admits(some, ROOM + 1));
    (void)append(some, 400);
    for (uint32_t i = 1; i < TICKS; i++) {
        assert_int_equal(bksi_command_log_room(&log_, 0, head), ROOM - 400);
        assert_false(admits(some + 400, ROOM - 400 + 1));
        (void)append(NULL, 0);
    }
    assert_int_equal(bksi_command_log_room(&log_, 0, head), ROOM); // the 400 bytes are too old
    assert_int_equal(bksi_command_log_room(&log_, 1, 0), ROOM);    // each player has its own room
}

static void a_blob_has_at_most_65535_bytes(void **state)
{
    (void)state;
    const bks_allocator by_default = {0};
    const bksi_command_config wide = {.bytes_max = 65535, .room_bytes = 1 << 18, .room_ticks = 60};
    bksi_command_log log;
    assert_int_equal(bksi_command_log_create(&log, &wide, 1, CAPACITY, &by_default), BKS_OK);
    assert_int_equal(bksi_command_log_room(&log, 0, 0), 65535);
    bksi_command_log_destroy(&log, &by_default);
}

/// So the commands of a tick take at most 65535 bytes, unless one is longer than half of that.
static void a_blob_is_shorter_by_a_command_that_was_begun_before_it(void **state)
{
    (void)state;
    const bks_allocator by_default = {0};
    const bksi_command_config wide = {.bytes_max = 65535, .room_bytes = 1 << 18, .room_ticks = 60};
    static uint8_t bytes[65535] = {255, 255};
    bksi_command_log log;
    assert_int_equal(bksi_command_log_create(&log, &wide, 1, CAPACITY, &by_default), BKS_OK);
    bksi_blob blob = {.bytes = bytes, .count = 1000};
    assert_false(bksi_command_log_append(&log, 0, 0, &blob));
    assert_int_equal(bksi_command_log_room(&log, 0, 1), 64535);
    blob.count = 64000;
    assert_false(bksi_command_log_append(&log, 0, 1, &blob));
    assert_int_equal(bksi_command_log_room(&log, 0, 2), 65535 - 32767);
    blob = (bksi_blob){.bytes = bytes + 2, .count = 65537 - 65000, .is_ahead = true};
    assert_true(bksi_command_log_append(&log, 0, 2, &blob));
    assert_true(bksi_command_log_blob(&log, 0, 2).is_ahead);
    assert_false(bksi_command_log_blob(&log, 0, 1).is_ahead);
    assert_int_equal(bksi_command_log_room(&log, 0, 3), 65535);
    bksi_command_log_destroy(&log, &by_default);
}

static void a_tick_is_as_used_once_it_was_stepped_with_its_commands(void **state)
{
    (void)state;
    (void)append("\1\0a\2", 4);
    (void)append("\0b", 2); // no command ends in this tick
    (void)append("c", 1);
    assert_false(bksi_command_log_is_as_used(&log_, 0, 0, 1));
    assert_true(bksi_command_log_is_as_used(&log_, 0, 1, 2));
    assert_false(bksi_command_log_is_as_used(&log_, 0, 1, 3));
    bksi_command_log_use(&log_, 0, 0);
    assert_true(bksi_command_log_is_as_used(&log_, 0, 0, 2));
    assert_false(bksi_command_log_is_as_used(&log_, 0, 0, 3));
    bksi_command_log_use(&log_, 0, 2);
    assert_true(bksi_command_log_is_as_used(&log_, 0, 0, 3));
}

static void a_newer_tick_in_an_old_ones_place_was_not_used(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CAPACITY; i++) {
        (void)append(NULL, 0);
    }
    bksi_command_log_use(&log_, 0, 5);
    while (head <= CAPACITY + 5) {
        (void)append("\1\0a", 3);
    }
    assert_false(bksi_command_log_is_as_used(&log_, 0, CAPACITY + 5, CAPACITY + 6));
}

/// All command bytes that were drawn so far. For each tick, `ends` has the end of its blob, and
/// `wholes` the end of the last command that is complete by then.
static struct {
    uint8_t bytes[1 << 20];
    uint32_t ends[1 << 13];
    uint32_t wholes[1 << 13];
    uint32_t written;
} drawn;

/// Append a random command to `drawn`.
static void draw_commands(void)
{
    const uint32_t length = 1 + (seed_next() % 8 == 0 ? seed_below(LONGEST) : seed_below(12));
    drawn.bytes[drawn.written++] = (uint8_t)length;
    drawn.bytes[drawn.written++] = (uint8_t)(length >> 8);
    for (uint32_t i = 0; i < length; i++) {
        drawn.bytes[drawn.written++] = (uint8_t)seed_next();
    }
}

/// Return the end of the last drawn command that ends at the offset `end` or before.
/// @param whole  end of an earlier command, at which the search begins
static uint32_t whole_before(uint32_t whole, uint32_t end)
{
    for (;;) {
        const uint32_t next = whole + 2 + drawn.bytes[whole] + drawn.bytes[whole + 1] * 256u;
        if (next > end) {
            return whole;
        }
        whole = next;
    }
}

static void everything_that_a_rollback_may_need_is_there_whatever_was_drawn(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4000; i++) {
        const uint32_t from = i > 0 ? drawn.ends[i - 1] : 0;
        const uint32_t room = bksi_command_log_room(&log_, 0, head);
        const uint32_t wanted = seed_next() % 3 == 0 ? 0 : seed_below(1 + 2 * ROOM / TICKS);
        const uint32_t most = seed_next() % 16 == 0 ? room : wanted;
        const uint32_t count = most < room ? most : room;
        while (drawn.written < from + count + 2 + LONGEST) {
            draw_commands();
        }
        (void)append(drawn.bytes + from, count);
        drawn.ends[i] = from + count;
        drawn.wholes[i] = whole_before(i > 0 ? drawn.wholes[i - 1] : 0, drawn.ends[i]);
        for (uint32_t t = i + 1 > TICKS ? i + 1 - TICKS : 0; t <= i; t++) {
            const uint32_t begins = t > 0 ? drawn.wholes[t - 1] : 0;
            assert_true(bksi_command_log_holds(&log_, 0, (bks_tick)t, head));
            assert_true(has((bks_tick)t, drawn.bytes + begins, drawn.wholes[t] - begins));
            const bksi_blob blob = bksi_command_log_blob(&log_, 0, (bks_tick)t);
            const uint32_t blob_at = t > 0 ? drawn.ends[t - 1] : 0;
            assert_int_equal(blob.count, drawn.ends[t] - blob_at);
            assert_memory_equal(blob.bytes, drawn.bytes + blob_at, blob.count);
        }
    }
    assert_true(drawn.written > 20 * ROOM); // the ring has wrapped many times
}

static void what_was_overwritten_is_not_held(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        (void)append(some, ROOM);
        for (uint32_t t = 1; t < TICKS; t++) {
            (void)append(NULL, 0);
        }
    }
    assert_true(bksi_command_log_holds(&log_, 0, 2 * TICKS, head));
    assert_false(bksi_command_log_holds(&log_, 0, TICKS, head));
    assert_false(bksi_command_log_holds(&log_, 0, head - CAPACITY, head)); // its entry was reused
}

static void a_game_without_commands_needs_no_memory(void **state)
{
    (void)state;
    const uint32_t allocs = counter.allocs;
    bksi_command_log log;
    assert_int_equal(bksi_command_log_create(&log, &(bksi_command_config){0}, 2, CAPACITY, &hooks),
                     BKS_OK);
    assert_false(bksi_command_log_is_on(&log));
    assert_int_equal(counter.allocs, allocs);
    bksi_command_log_destroy(&log, &hooks);
}

#define WITH_LOG(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_LOG(a_command_belongs_to_the_tick_that_has_its_last_byte),
        WITH_LOG(a_command_of_a_wrong_length_is_not_admitted),
        WITH_LOG(blobs_of_room_ticks_together_have_at_most_the_room),
        WITH_LOG(a_blob_has_at_most_65535_bytes),
        WITH_LOG(a_blob_is_shorter_by_a_command_that_was_begun_before_it),
        WITH_LOG(a_tick_is_as_used_once_it_was_stepped_with_its_commands),
        WITH_LOG(a_newer_tick_in_an_old_ones_place_was_not_used),
        WITH_LOG(everything_that_a_rollback_may_need_is_there_whatever_was_drawn),
        WITH_LOG(what_was_overwritten_is_not_held),
        WITH_LOG(a_game_without_commands_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
