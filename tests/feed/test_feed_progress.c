// SPDX-License-Identifier: MIT

// A recording that another source continues: records that are known are passed over, and ticks that
// are known are cut off a chunk.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "feed/feed_progress.h"
#include "replay/format/replay_event.h"
#include "support/counting_allocator.h"

#define TICKS 9u

static const bks_field fields[] = {{.name = "x", .bits = 7, .is_signed = true},
                                   {.name = "fire", .bits = 1}};

typedef struct known {
    bksi_feed_progress progress;
    uint8_t packed[TICKS][4];
    uint64_t hashes[TICKS];
    bool is_hashed[TICKS];
    uint8_t payload[512];
    size_t count;
} known;

/// Write the chunk of ticks 95 to 103 with the present inputs and hashes.
static void write_chunk(known *k)
{
    uint8_t inputs[128] = {0};
    bksi_bit_writer bits = bksi_bit_writer_over(inputs, sizeof(inputs));
    for (uint32_t i = 0; i < TICKS; i++) {
        bksi_run_write_inputs(&bits, &k->progress.shape, i > 0 ? k->packed[i - 1] : NULL,
                              k->packed[i]);
    }
    const bksi_chunk chunk = {.first = 95,
                              .ticks = TICKS,
                              .is_restart = true,
                              .inputs = inputs,
                              .input_bytes = bksi_bit_writer_bytes(&bits)};
    k->count = bksi_chunk_write(k->payload, sizeof(k->payload), &k->progress.shape, &chunk,
                                k->hashes, k->is_hashed);
    assert_true(k->count > 0);
}

/// A recording up to tick 100, and a chunk of ticks 95 to 103.
static void set_up(known *k)
{
    memset(k, 0, sizeof(*k));
    assert_int_equal(bksi_layout_init(&k->progress.layout, fields, 2, NULL), BKS_OK);
    k->progress.can_continue = true;
    k->progress.next = 100;
    k->progress.next_commands = 100;
    k->progress.ahead_ticks = 60;
    k->progress.shape = (bksi_run_shape){
        .layout = &k->progress.layout, .players = 2, .hash_bits = 16, .full_hash_ticks = 100};
    for (uint32_t i = 0; i < TICKS; i++) {
        for (uint32_t player = 0; player < 2; player++) {
            const int32_t values[] = {(int32_t)(i * 13 + player * 29) % 60 - 30, i % 3 == 0};
            assert_int_equal(bksi_layout_pack(&k->progress.layout, values,
                                              k->packed[i] + player * k->progress.layout.bytes,
                                              NULL),
                             BKS_OK);
        }
        k->is_hashed[i] = i % 4 != 1;
        k->hashes[i] = UINT64_C(0x123456789abcdef1) * (i + 1);
    }
    write_chunk(k);
}

/// Tick 99 is the newest known one: a new source must have it with the same inputs and hash.
static void a_chunk_with_another_newest_tick_is_of_another_match(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_after = UINT32_MAX};
    const bks_allocator allocator = counting_allocator_hooks(&counter);
    known k;
    known other;
    set_up(&k);
    for (int32_t i = 0; i < 5; i++) {
        static const struct {
            uint32_t input;
            uint32_t hash;
            bks_tick next;
            bksi_feed_joint joint;
        } cases[] = {
            {TICKS, TICKS, 100, BKSI_FEED_JOINT_SAME}, {4, TICKS, 100, BKSI_FEED_JOINT_OTHER},
            {TICKS, 4, 100, BKSI_FEED_JOINT_OTHER},    {TICKS, TICKS, 105, BKSI_FEED_JOINT_LATER},
            {TICKS, TICKS, 95, BKSI_FEED_JOINT_OTHER},
        };
        set_up(&other);
        if (cases[i].input < TICKS) {
            other.packed[cases[i].input][0] ^= 1;
        }
        if (cases[i].hash < TICKS) {
            other.hashes[cases[i].hash] ^= 1;
        }
        write_chunk(&other);
        k.progress.next = cases[i].next;
        assert_int_equal(bksi_feed_progress_join(&k.progress, k.payload, k.count, other.payload,
                                                 other.count, &allocator),
                         cases[i].joint);
        assert_int_equal(counter.live_bytes, 0);
    }
    counter.fail_after = 1;
    k.progress.next = 100;
    assert_int_equal(
        bksi_feed_progress_join(&k.progress, k.payload, k.count, k.payload, k.count, &allocator),
        BKSI_FEED_JOINT_OTHER);
}

static void known_ticks_are_cut_off_a_chunk(void **state)
{
    (void)state;
    known k;
    set_up(&k);
    bks_tick first = 0;
    assert_int_equal(
        bksi_feed_progress_take(&k.progress, BKSI_RECORD_TICKS, k.payload, k.count, &first),
        BKSI_FEED_NEWS_PART);
    assert_int_equal(first, 100);
    assert_int_equal(k.progress.next, 104);
    counting_allocator counter = {.fail_after = UINT32_MAX};
    const bks_allocator allocator = counting_allocator_hooks(&counter);
    uint8_t *part = NULL;
    size_t room = 0;
    const size_t count =
        bksi_feed_progress_cut(&k.progress, first, k.payload, k.count, &part, &room, &allocator);
    bksi_chunk chunk;
    uint8_t packed[4][4] = {0};
    uint64_t hashes[4];
    uint8_t hash_bits[4];
    const bksi_tick_arrays arrays = {packed[0], hashes, hash_bits};
    assert_true(bksi_chunk_read(part, count, &k.progress.shape, &chunk));
    assert_int_equal(chunk.first, 100);
    assert_int_equal(chunk.ticks, 4);
    assert_true(chunk.is_restart);
    uint8_t together[4 * 4];
    const size_t tick_bytes = bksi_run_tick_bytes(&k.progress.shape);
    const bksi_tick_arrays flat = {together, arrays.hashes, arrays.hash_bits};
    assert_true(bksi_chunk_unpack(&k.progress.shape, &chunk, NULL, &flat));
    for (uint32_t i = 0; i < 4; i++) {
        assert_memory_equal(together + i * tick_bytes, k.packed[5 + i], tick_bytes);
        assert_int_equal(hash_bits[i] > 0, k.is_hashed[5 + i]);
        const uint64_t mask = i == 0 ? UINT64_MAX : 0xffff;
        assert_int_equal(hashes[i], k.is_hashed[5 + i] ? k.hashes[5 + i] & mask : 0);
    }
    bksi_free(&allocator, part, room);
    assert_int_equal(counter.live_bytes, 0);
}

static void a_cut_without_memory_gives_nothing(void **state)
{
    (void)state;
    known k;
    set_up(&k);
    for (uint32_t i = 0; i < 2; i++) {
        counting_allocator counter;
        const bks_allocator allocator = counting_allocator_hooks(&counter);
        counter.fail_after = i;
        uint8_t *part = NULL;
        size_t room = 0;
        assert_int_equal(
            bksi_feed_progress_cut(&k.progress, 100, k.payload, k.count, &part, &room, &allocator),
            0);
        assert_null(part);
        assert_int_equal(counter.live_bytes, 0);
    }
}

static void chunks_are_new_known_or_leave_a_gap(void **state)
{
    (void)state;
    const struct {
        bks_tick next;
        bksi_feed_news news;
    } cases[] = {{94, BKSI_FEED_NEWS_WRONG},
                 {95, BKSI_FEED_NEWS_ALL},
                 {103, BKSI_FEED_NEWS_PART},
                 {104, BKSI_FEED_NEWS_NONE},
                 {5000, BKSI_FEED_NEWS_NONE}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        known k;
        set_up(&k);
        k.progress.next = cases[i].next;
        bks_tick first;
        assert_int_equal(
            bksi_feed_progress_take(&k.progress, BKSI_RECORD_TICKS, k.payload, k.count, &first),
            cases[i].news);
    }
}

static void commands_and_leavers_are_taken_once(void **state)
{
    (void)state;
    known k;
    set_up(&k);
    bks_tick first;
    const struct {
        uint32_t tick;
        bksi_feed_news news;
    } commands[] = {
        {99, BKSI_FEED_NEWS_NONE},   {101, BKSI_FEED_NEWS_ALL}, {100, BKSI_FEED_NEWS_NONE},
        {101, BKSI_FEED_NEWS_NONE},  {102, BKSI_FEED_NEWS_ALL}, {UINT32_MAX, BKSI_FEED_NEWS_WRONG},
        {160, BKSI_FEED_NEWS_WRONG}, {103, BKSI_FEED_NEWS_ALL}, {159, BKSI_FEED_NEWS_ALL}};
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        uint8_t payload[5];
        bksi_put_u32(payload, commands[i].tick);
        assert_int_equal(bksi_feed_progress_take(&k.progress, BKSI_RECORD_COMMANDS, payload,
                                                 sizeof(payload), &first),
                         commands[i].news);
    }
    const bks_replay_event left = {.kind = BKS_REPLAY_LEFT, .tick = 90, .peer = 2};
    uint8_t event[BKSI_EVENT_BYTES_MAX];
    const size_t count = bksi_event_write(event, &left);
    const bksi_feed_news news[] = {BKSI_FEED_NEWS_ALL, BKSI_FEED_NEWS_NONE};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(
            bksi_feed_progress_take(&k.progress, BKSI_RECORD_EVENT, event, count, &first), news[i]);
    }
}

static bksi_feed_news take_note(known *k, bks_tick tick, const char *text)
{
    uint8_t bytes[BKSI_EVENT_BYTES_MAX];
    bks_tick first;
    bks_replay_event note = {.kind = BKS_REPLAY_NOTE, .tick = tick};
    (void)snprintf(note.text, sizeof(note.text), "%s", text);
    const size_t count = bksi_event_write(bytes, &note);
    return bksi_feed_progress_take(&k->progress, BKSI_RECORD_EVENT, bytes, count, &first);
}

static void a_note_that_the_source_before_had_too_is_passed_over(void **state)
{
    (void)state;
    known k;
    set_up(&k);
    const bks_tick second = k.progress.ahead_ticks;
    assert_int_equal(take_note(&k, 100, "round 2"), BKSI_FEED_NEWS_ALL);
    assert_int_equal(take_note(&k, 101, "round 2"), BKSI_FEED_NEWS_ALL); // it says so twice
    assert_int_equal(take_note(&k, 110, "gg"), BKSI_FEED_NEWS_ALL);
    bksi_feed_progress_turn(&k.progress);
    assert_int_equal(take_note(&k, 97, "hello"), BKSI_FEED_NEWS_ALL); // that of the source alone
    assert_int_equal(take_note(&k, 98, "round 2"), BKSI_FEED_NEWS_NONE);
    assert_int_equal(take_note(&k, 103, "round 2"), BKSI_FEED_NEWS_NONE);
    assert_int_equal(take_note(&k, 104, "round 2"), BKSI_FEED_NEWS_ALL);
    assert_int_equal(take_note(&k, 110 + second, "gg"), BKSI_FEED_NEWS_ALL); // a later one
    for (bks_tick i = 0; i < 100; i++) {
        char text[16];
        (void)snprintf(text, sizeof(text), "%d", (int)i);
        assert_int_equal(take_note(&k, 200, text), BKSI_FEED_NEWS_ALL);
    }
    bksi_feed_progress_turn(&k.progress);
    assert_int_equal(take_note(&k, 200, "99"), BKSI_FEED_NEWS_NONE);
}

static void events_of_later_versions_are_kept(void **state)
{
    (void)state;
    known k;
    set_up(&k);
    bks_tick first;
    const bks_replay_event closed = {.kind = BKS_REPLAY_CLOSED, .tick = 90, .a = BKS_CLOSED_LEFT};
    uint8_t event[BKSI_EVENT_BYTES_MAX + 4] = {0};
    const size_t count = bksi_event_write(event, &closed);
    assert_int_equal(bksi_feed_progress_take(&k.progress, BKSI_RECORD_EVENT, event, count, &first),
                     BKSI_FEED_NEWS_LEAVES);
    event[1] = BKS_REPLAY_CLOSED + 1; // the kind
    assert_int_equal(
        bksi_feed_progress_take(&k.progress, BKSI_RECORD_EVENT, event, count + 4, &first),
        BKSI_FEED_NEWS_ALL);
    assert_int_equal(bksi_feed_progress_take(&k.progress, BKSI_RECORD_EVENT, event, 1, &first),
                     BKSI_FEED_NEWS_WRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_with_another_newest_tick_is_of_another_match),
        cmocka_unit_test(known_ticks_are_cut_off_a_chunk),
        cmocka_unit_test(a_cut_without_memory_gives_nothing),
        cmocka_unit_test(chunks_are_new_known_or_leave_a_gap),
        cmocka_unit_test(commands_and_leavers_are_taken_once),
        cmocka_unit_test(a_note_that_the_source_before_had_too_is_passed_over),
        cmocka_unit_test(events_of_later_versions_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
