// SPDX-License-Identifier: MIT

// Copies of a part of a recording with everything in it: nothing may be missing.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "support/catch_log.h"

enum { TICKS = 400, FROM = 75, UNTIL = 310, STATE_BYTES = 5 * 4096, PAGES = 5, DEEPEST = 7 };

typedef struct memory {
    uint8_t bytes[1 << 20];
    size_t count;
} memory;

static bks_status put(void *context, uint64_t offset, const void *bytes, size_t count)
{
    memory *m = context;
    assert_true(offset + count <= sizeof(m->bytes));
    memcpy(m->bytes + offset, bytes, count);
    m->count = offset + count > m->count ? (size_t)offset + count : m->count;
    return BKS_OK;
}

static void init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void step(void *state, const bks_step *step)
{
    (void)state;
    (void)step;
}

static const bks_field fields[] = {{.name = "x", .bits = 8}};
static const bks_state_range ranges[] = {
    {.name = "score", .offset_bytes = 0, .count = 2, .type = BKS_STATE_I32, .is_recorded = true},
    {.name = "name", .offset_bytes = 8, .count = 4, .type = BKS_STATE_BYTES},
    {.name = "place", .offset_bytes = 16, .count = 1, .type = BKS_STATE_F64, .is_recorded = true}};
static const bks_game game = {.name = "full",
                              .version = 3,
                              .tick_rate_hz = 60,
                              .players_max = 2,
                              .fields = fields,
                              .field_count = 1,
                              .state_bytes = STATE_BYTES,
                              .ranges = ranges,
                              .range_count = 3,
                              .init = init,
                              .step = step};

static void fill_state(uint8_t *state, bks_tick tick)
{
    for (size_t i = 0; i < STATE_BYTES; i++) {
        state[i] = (uint8_t)(i * 7 + (size_t)tick * (i % 64 == 0));
    }
}

static void write_tick(bks_replay_writer *writer, bks_tick tick)
{
    const int32_t inputs[2] = {tick % 250, 255 - tick % 199};
    const uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(tick + 1);
    uint8_t values[16];
    uint64_t pages[PAGES];
    int32_t guessed[2 * DEEPEST];
    for (size_t i = 0; i < sizeof(values); i++) {
        values[i] = (uint8_t)(tick + (bks_tick)i);
    }
    for (size_t i = 0; i < PAGES; i++) {
        pages[i] = hash >> i;
    }
    for (int i = 0; i < 2 * DEEPEST; i++) {
        guessed[i] = (tick + i) % 256;
    }
    const bks_tick depth = 1 + tick % DEEPEST;
    if (tick % 20 == 10) {
        assert_int_equal(bks_replay_writer_rollback(writer, tick, tick - depth, guessed), BKS_OK);
    }
    if (tick % 3 == 0) {
        assert_int_equal(bks_replay_writer_fact(writer, tick, 5, &tick, sizeof(tick)), BKS_OK);
        assert_int_equal(bks_replay_writer_fact(writer, tick, 6, "six", 3), BKS_OK);
    }
    if (tick % 50 == 0) {
        const bks_replay_event event = {.kind = BKS_REPLAY_NOTE, .tick = tick, .text = "fifty"};
        assert_int_equal(bks_replay_writer_event(writer, &event), BKS_OK);
    }
    assert_int_equal(bks_replay_writer_values(writer, tick, values), BKS_OK);
    assert_int_equal(bks_replay_writer_pages(writer, tick, pages, PAGES), BKS_OK);
    assert_int_equal(bks_replay_writer_confirm(writer, tick, inputs, &hash), BKS_OK);
    const bks_tick due = bks_replay_writer_keyframe_due(writer);
    if (due != BKS_TICK_NONE && due <= tick + 1) {
        static uint8_t state[STATE_BYTES];
        fill_state(state, tick + 1);
        assert_int_equal(bks_replay_writer_keyframe(writer, tick + 1, state, sizeof(state)),
                         BKS_OK);
    }
}

static memory whole;
static memory part;

static void record(void)
{
    static uint8_t state[STATE_BYTES];
    fill_state(state, 0);
    whole.count = 0;
    const bks_replay_config config = {
        .game = &game,
        .seed = 77,
        .players = 2,
        .tick_rate_hz = 60,
        .build = "built",
        .unconfirmed_ticks_max = DEEPEST + 1,
        .state = state,
        .state_bytes = sizeof(state),
        .detail = {.hash_bits = 64,
                   .keyframe_ticks = 25,
                   .keyframe_bytes = UINT64_C(1) << 30,
                   .page_hashes = true,
                   .rollbacks = true,
                   .values = true},
        .sink = {.write = put, .context = &whole},
    };
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        write_tick(writer, tick);
    }
    const uint64_t last = 99;
    assert_int_equal(bks_replay_writer_finish(writer, &last), BKS_OK);
    bks_replay_writer_destroy(writer);
}

static bks_replay *open_memory(const memory *m)
{
    bks_replay *replay = NULL;
    bks_error error = {0};
    if (bks_replay_open(m->bytes, m->count, NULL, &replay, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return replay;
}

static void expect_same_tick(bks_replay *a, bks_replay *b, bks_tick tick)
{
    int32_t inputs[2][2];
    uint64_t hashes[2];
    uint32_t bits[2];
    uint8_t values[2][8];
    uint32_t pages[2][PAGES];
    size_t counts[2];
    const void *answers[2];
    bks_replay *replays[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bks_replay_inputs(replays[i], tick, inputs[i]), BKS_OK);
        assert_int_equal(bks_replay_hash(replays[i], tick, &hashes[i], &bits[i]), BKS_OK);
        assert_int_equal(bks_replay_page_hashes(replays[i], tick, pages[i], PAGES, &counts[i]),
                         BKS_OK);
    }
    assert_memory_equal(inputs[0], inputs[1], sizeof(inputs[0]));
    assert_true(hashes[0] == hashes[1] && bits[0] == 64 && bits[1] == 64);
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(pages[0], pages[1], sizeof(pages[0]));
    for (uint32_t range = 0; range < 3; range += 2) {
        for (int i = 0; i < 2; i++) {
            assert_int_equal(bks_replay_values(replays[i], tick, range, values[i], 8), BKS_OK);
        }
        assert_memory_equal(values[0], values[1], 8);
    }
    for (uint32_t question = 5; question <= 6; question++) {
        for (int i = 0; i < 2; i++) {
            assert_int_equal(bks_replay_fact(replays[i], tick, question, &answers[i], &counts[i]),
                             BKS_OK);
        }
        assert_int_equal(counts[0], counts[1]);
        assert_int_equal(counts[0] > 0, tick % 3 == 0);
        if (counts[0] > 0) {
            assert_memory_equal(answers[0], answers[1], counts[0]);
        }
    }
}

static void expect_same_rollbacks(const bks_replay *a, const bks_replay *b)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < bks_replay_info(a)->rollback_count; i++) {
        bks_replay_rollback rolls[2];
        assert_int_equal(bks_replay_rollback_at(a, i, &rolls[0]), BKS_OK);
        if (rolls[0].from < FROM || rolls[0].present > UNTIL) {
            continue;
        }
        assert_int_equal(bks_replay_rollback_at(b, at, &rolls[1]), BKS_OK);
        assert_memory_equal(&rolls[0], &rolls[1], sizeof(rolls[0]));
        for (bks_tick tick = rolls[0].from; tick < rolls[0].present; tick++) {
            int32_t inputs[2][2];
            assert_int_equal(bks_replay_rollback_inputs(a, i, tick, inputs[0]), BKS_OK);
            assert_int_equal(bks_replay_rollback_inputs(b, at, tick, inputs[1]), BKS_OK);
            assert_memory_equal(inputs[0], inputs[1], sizeof(inputs[0]));
        }
        at++;
    }
    assert_int_equal(at, bks_replay_info(b)->rollback_count);
    assert_int_equal(at, 12);
}

static void expect_same_keyframes_and_events(const bks_replay *replay)
{
    const bks_recording *info = bks_replay_info(replay);
    static uint8_t states[2][STATE_BYTES];
    for (uint32_t i = 0; i < info->keyframes; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_keyframe_at(replay, i, &key), BKS_OK);
        assert_int_equal(key.tick, FROM + 25 * (bks_tick)(i + 1));
        assert_int_equal(bks_replay_keyframe_state(replay, i, states[0], STATE_BYTES, NULL),
                         BKS_OK);
        fill_state(states[1], key.tick);
        assert_memory_equal(states[0], states[1], STATE_BYTES);
    }
    assert_int_equal(info->keyframes, 9);
    assert_int_equal(info->event_count, 6); // at 100, 150, … 300, and that it was closed
    bks_replay_event event;
    for (uint32_t i = 0; i < info->event_count - 1; i++) {
        assert_int_equal(bks_replay_event_at(replay, i, &event), BKS_OK);
        assert_int_equal(event.tick, 100 + 50 * (bks_tick)i);
    }
    assert_int_equal(bks_replay_event_at(replay, 5, &event), BKS_OK);
    assert_int_equal(event.kind, BKS_REPLAY_CLOSED);
    assert_int_equal(event.a, BKS_CLOSED_PART);
    assert_int_equal(event.tick, info->ticks);
    assert_int_equal(info->ending, BKS_REPLAY_LEFT_EARLY);
}

static void a_part_holds_everything_that_the_whole_does(void **state)
{
    (void)state;
    record();
    static uint8_t first[STATE_BYTES];
    fill_state(first, FROM);
    bks_replay *all = open_memory(&whole);
    const uint64_t final_hash = 42;
    const bks_replay_copy_config config = {
        .replay = all,
        .from = FROM, // where a keyframe stands
        .until = UNTIL,
        .final_hash = &final_hash,
        .sink = {.write = put, .context = &part},
    };
    part.count = 0;
    bks_tick lost = 1;
    assert_int_equal(bks_replay_copy(&config, &lost, NULL), BKS_OK);
    assert_int_equal(lost, BKS_TICK_NONE);
    bks_replay *replay = open_memory(&part);
    const bks_recording *info = bks_replay_info(replay);
    assert_true(info->is_complete);
    assert_int_equal(info->first, FROM);
    assert_int_equal(info->ticks, UNTIL);
    assert_int_equal(info->seed, 77);
    assert_string_equal(info->build, "built");
    assert_int_equal(info->range_count, 3);
    static uint8_t found[STATE_BYTES];
    assert_int_equal(bks_replay_state(replay, found, STATE_BYTES, NULL), BKS_OK);
    assert_memory_equal(found, first, STATE_BYTES);
    for (bks_tick tick = FROM; tick < UNTIL; tick++) {
        expect_same_tick(all, replay, tick);
    }
    uint64_t last = 0;
    uint32_t bits = 0;
    assert_int_equal(bks_replay_hash(replay, UNTIL, &last, &bits), BKS_OK);
    assert_true(last == 42 && bits == 64);
    assert_int_equal(info->fact_count, 2 * 79);
    assert_int_equal(info->fact_bytes, 79 * (2 * 28 + sizeof(bks_tick) + 3)); // 28 around each
    assert_int_equal(info->value_ticks, UNTIL - FROM);
    assert_int_equal(info->page_hash_ticks, UNTIL - FROM);
    assert_int_equal(info->pages_max, PAGES);
    assert_true(info->packed_state_bytes > 0 && info->rollback_bytes > 0);
    const uint64_t known = info->input_bytes + info->hash_bytes + info->packed_state_bytes +
                           info->keyframe_bytes + info->fact_bytes + info->value_bytes +
                           info->page_hash_bytes + info->rollback_bytes;
    assert_in_range(info->bytes - known, 1, 8192); // header, slots, events, index
    expect_same_rollbacks(all, replay);
    expect_same_keyframes_and_events(replay);
    bks_replay_close(replay);
    bks_replay_close(all);
}

static void all_of_it_is_copied_when_nothing_is_said(void **state)
{
    (void)state;
    record();
    bks_replay *all = open_memory(&whole);
    const bks_replay_copy_config config = {.replay = all, .sink = {.write = put, .context = &part}};
    part.count = 0;
    assert_int_equal(bks_replay_copy(&config, NULL, NULL), BKS_OK);
    bks_replay *replay = open_memory(&part);
    const bks_recording *info = bks_replay_info(replay);
    assert_int_equal(info->ending, BKS_REPLAY_COMPLETE);
    assert_int_equal(info->ticks, TICKS);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        expect_same_tick(all, replay, tick);
    }
    uint64_t last = 0;
    uint32_t bits = 0;
    assert_int_equal(bks_replay_hash(replay, TICKS, &last, &bits), BKS_OK);
    assert_true(last == 99 && bits == 64);
    bks_replay_close(replay);
    bks_replay_close(all);
}

static void a_state_that_is_not_in_the_recording_is_given(void **state)
{
    (void)state;
    record();
    bks_replay *all = open_memory(&whole);
    bks_error error = {0};
    static uint8_t first[STATE_BYTES];
    static uint8_t found[STATE_BYTES];
    fill_state(first, FROM + 1);
    bks_replay_copy_config config = {
        .replay = all, .from = FROM + 1, .sink = {.write = put, .context = &part}};
    part.count = 0;
    assert_int_equal(bks_replay_copy(&config, NULL, &error), BKS_ERR_INCOMPLETE);
    assert_non_null(strstr(error.text, "no state of tick 76"));
    assert_int_equal(part.count, 0);
    config.state = first;
    config.state_bytes = sizeof(first);
    assert_int_equal(bks_replay_copy(&config, NULL, NULL), BKS_OK);
    bks_replay *replay = open_memory(&part);
    assert_int_equal(bks_replay_info(replay)->first, FROM + 1);
    assert_int_equal(bks_replay_state(replay, found, STATE_BYTES, NULL), BKS_OK);
    assert_memory_equal(found, first, STATE_BYTES);
    bks_replay_close(replay);
    bks_replay_close(all);
}

static void ticks_that_are_not_there_are_refused(void **state)
{
    (void)state;
    record();
    bks_replay *all = open_memory(&whole);
    static const bks_tick wrong[][2] = {{-1, 10}, {TICKS, 0}, {0, TICKS + 1}, {25, 25}, {25, -1}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const bks_replay_copy_config config = {.replay = all,
                                               .from = wrong[i][0],
                                               .until = wrong[i][1],
                                               .sink = {.write = put, .context = &part}};
        part.count = 0;
        bks_error error = {0};
        assert_int_equal(bks_replay_copy(&config, NULL, &error), BKS_ERR_BAD_CONFIG);
        assert_string_equal(error.field, i < 2 ? "from" : "until");
        assert_int_equal(part.count, 0);
    }
    bks_replay_close(all);
}

/// Damage a byte of a record, so that only page hashes are lost.
static bks_replay *open_without_pages(memory *m)
{
    bks_replay *replay = NULL;
    for (size_t at = 0; at < m->count; at += 50) {
        m->bytes[at] ^= 1;
        if (bks_replay_open(m->bytes, m->count, NULL, &replay, NULL) == BKS_ERR_DAMAGED) {
            const bks_recording *info = replay != NULL ? bks_replay_info(replay) : NULL;
            if (info != NULL && info->confirmed == TICKS && info->value_ticks == TICKS &&
                info->page_hash_ticks < TICKS) {
                return replay;
            }
        }
        bks_replay_close(replay);
        m->bytes[at] ^= 1;
    }
    fail_msg("no byte is of page hashes alone");
    return NULL;
}

static void lost_page_hashes_are_reported_once(void **state)
{
    (void)state;
    record();
    bks_replay *all = open_without_pages(&whole);
    const bks_replay_copy_config config = {.replay = all, .sink = {.write = put, .context = &part}};
    catch_log log;
    catch_log_begin(&log);
    bks_tick lost = BKS_TICK_NONE;
    part.count = 0;
    assert_int_equal(bks_replay_copy(&config, &lost, NULL), BKS_OK);
    assert_in_range(lost, 0, TICKS - 1);
    assert_int_equal(log.count, 0); // the caller is told, so nothing is logged
    part.count = 0;
    assert_int_equal(bks_replay_copy(&config, NULL, NULL), BKS_OK);
    bks_log_clear_sink();
    assert_int_equal(log.count, 1);
    char expected[64];
    snprintf(expected, sizeof(expected), "page hashes of tick %d are lost", (int)lost);
    assert_non_null(strstr(log.text, expected));
    bks_replay_close(all);
}

static bks_status fail_late(void *context, uint64_t offset, const void *bytes, size_t count)
{
    (void)bytes;
    (void)count;
    (void)context;
    return offset > 1000 ? BKS_ERR_IO : BKS_OK;
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    record();
    bks_replay *all = open_memory(&whole);
    bks_error error = {0};
    const bks_replay_copy_config config = {
        .replay = all, .from = FROM, .until = UNTIL, .sink = {.write = fail_late}};
    assert_int_equal(bks_replay_copy(&config, NULL, &error), BKS_ERR_IO);
    assert_int_equal(error.code, BKS_ERR_IO);
    bks_replay_close(all);
}

/// Allocator that fails at one call.
typedef struct scarce {
    uint32_t calls;
    uint32_t fails_at;
} scarce;

static void *take_scarce(void *context, size_t bytes, size_t alignment)
{
    scarce *store = context;
    const size_t units = (bytes + alignment) / alignment;
    return store->calls++ == store->fails_at ? NULL : aligned_alloc(alignment, units * alignment);
}

static void release_scarce(void *context, void *old, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(old);
}

/// Missing memory is reported as such, whichever call fails.
static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    record();
    bks_status status = BKS_ERR_OUT_OF_MEMORY;
    scarce store = {0};
    for (; status != BKS_OK; store.fails_at++) {
        store.calls = UINT32_MAX / 2; // opening may have what it needs
        const bks_allocator allocator = {
            .alloc = take_scarce, .release = release_scarce, .context = &store};
        bks_replay *all = NULL;
        assert_int_equal(bks_replay_open(whole.bytes, whole.count, &allocator, &all, NULL), BKS_OK);
        const bks_replay_copy_config config = {
            .replay = all, .sink = {.write = put, .context = &part}, .allocator = allocator};
        part.count = 0;
        store.calls = 0;
        status = bks_replay_copy(&config, NULL, NULL);
        if (store.calls > store.fails_at) {
            assert_int_equal(status, BKS_ERR_OUT_OF_MEMORY);
        }
        bks_replay_close(all);
    }
    assert_true(store.fails_at > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_holds_everything_that_the_whole_does),
        cmocka_unit_test(all_of_it_is_copied_when_nothing_is_said),
        cmocka_unit_test(a_state_that_is_not_in_the_recording_is_given),
        cmocka_unit_test(ticks_that_are_not_there_are_refused),
        cmocka_unit_test(lost_page_hashes_are_reported_once),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
