// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "recording.h"
#include "replay/read/reader.h"

enum { TICKS = 60, WRONG = 33, KEY_EVERY = 4, GUESSES = 3, PAGE_BYTES = 4096 };

/// Differences of a recording of the same match.
typedef struct unlike {
    bks_tick wrong_input; ///< BKS_TICK_NONE: none
    bks_tick
        wrong_state; ///< from this tick on the noise differs, with its hashes, pages and values
    bks_tick ticks;
    bool is_finished; ///< finished; otherwise three more ticks are guessed
    bks_tick wrong_guess;
    bool is_unhashed; ///< no tick has a hash
} unlike;

static const unlike plain = {BKS_TICK_NONE, BKS_TICK_NONE, TICKS, true, BKS_TICK_NONE, false};

/// Bytes of the allocations that are as large as a state, by all replays.
static uint32_t states_taken;

static void *take(void *context, size_t bytes, size_t alignment)
{
    (void)context;
    (void)alignment; // malloc's is enough
    states_taken += bytes >= sizeof(walk_state);
    return malloc(bytes);
}

static void give_back(void *context, void *memory, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(memory);
}

static const bks_allocator noticing = {.alloc = take, .release = give_back};

/// Record one tick with all its details.
static void write_tick(bks_replay_writer *writer, const unlike *how, bks_tick tick)
{
    static walk_state state;
    const walk_truth *truth = walk_what_happened();
    const bool is_wrong = how->wrong_state != BKS_TICK_NONE && tick >= how->wrong_state;
    state = truth->states[tick];
    uint64_t pages[WALK_PAGES];
    memcpy(pages, truth->pages[tick], sizeof(pages));
    uint64_t hash = truth->hashes[tick];
    if (is_wrong) {
        state.noise ^= 0x100;
        pages[offsetof(walk_state, noise) / PAGE_BYTES] ^= 1;
        hash ^= 1;
    }
    uint8_t values[sizeof(state.x) + sizeof(state.noise)];
    memcpy(values, state.x, sizeof(state.x));
    memcpy(values + sizeof(state.x), &state.noise, sizeof(state.noise));
    int32_t inputs[WALK_VALUES];
    memcpy(inputs, truth->inputs[tick], sizeof(inputs));
    inputs[WALK_FIELDS] ^= tick == how->wrong_input ? 1 : 0;
    assert_int_equal(bks_replay_writer_values(writer, tick, values), BKS_OK);
    assert_int_equal(bks_replay_writer_pages(writer, tick, pages, WALK_PAGES), BKS_OK);
    assert_int_equal(
        bks_replay_writer_confirm(writer, tick, inputs, how->is_unhashed ? NULL : &hash), BKS_OK);
    if (bks_replay_writer_keyframe_due(writer) != BKS_TICK_NONE &&
        bks_replay_writer_keyframe_due(writer) <= tick) {
        assert_int_equal(bks_replay_writer_keyframe(writer, tick, &state, sizeof(state)), BKS_OK);
    }
}

static void write_guesses(bks_replay_writer *writer, const unlike *how)
{
    int32_t inputs[GUESSES][WALK_VALUES];
    memcpy(inputs, walk_what_happened()->inputs[how->ticks], sizeof(inputs));
    if (how->wrong_guess != BKS_TICK_NONE) {
        inputs[how->wrong_guess - how->ticks][0] ^= 1;
    }
    assert_int_equal(bks_replay_writer_use(writer, how->ticks, GUESSES, inputs[0]), BKS_OK);
}

static bks_replay *record(memory_file *file, const unlike *how)
{
    memory_file_init(file);
    const bks_game game = walk_game_with(walk_ranges, 3);
    bks_replay_config config = walk_replay_config(memory_file_sink(file));
    config.game = &game;
    config.detail = (bks_replay_detail){.keyframe_ticks = KEY_EVERY,
                                        .keyframe_bytes = 1u << 30,
                                        .page_hashes = true,
                                        .values = true};
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    for (bks_tick tick = 0; tick < how->ticks; tick++) {
        write_tick(writer, how, tick);
    }
    if (how->is_finished) {
        assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    } else {
        write_guesses(writer, how);
    }
    bks_replay_writer_destroy(writer);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file->bytes, file->count, &noticing, &replay, NULL), BKS_OK);
    return replay;
}

static bks_replay_comparison compare(const unlike *one, const unlike *other)
{
    memory_file files[2];
    bks_replay *a = record(&files[0], one);
    bks_replay *b = record(&files[1], other);
    bks_replay_comparison found;
    states_taken = 0;
    assert_int_equal(bks_replay_compare(a, b, &found, NULL), BKS_OK);
    bks_replay_close(a);
    bks_replay_close(b);
    memory_file_free(&files[0]);
    memory_file_free(&files[1]);
    return found;
}

static void two_of_one_match_are_the_same_in_everything(void **state)
{
    (void)state;
    const bks_replay_comparison found = compare(&plain, &plain);
    assert_int_equal(found.first, 0);
    assert_int_equal(found.until, TICKS);
    assert_int_equal(found.inputs_compared, TICKS);
    assert_int_equal(found.hashes_compared, TICKS);
    assert_int_equal(found.pages_compared, TICKS);
    assert_int_equal(found.values_compared, TICKS);
    assert_true(found.states_compared > TICKS / KEY_EVERY / 2);
    assert_int_equal(found.lost, 0);
    assert_int_equal(found.input.tick, BKS_TICK_NONE);
    assert_int_equal(found.hash_tick, BKS_TICK_NONE);
    assert_int_equal(found.page_tick, BKS_TICK_NONE);
    assert_int_equal(found.value_tick, BKS_TICK_NONE);
    assert_int_equal(found.state_tick, BKS_TICK_NONE);
    assert_int_equal(found.guesses_compared, 0);
}

static void a_state_that_parts_is_found_in_hash_page_value_and_keyframe(void **state)
{
    (void)state;
    unlike parted = plain;
    parted.wrong_state = WRONG;
    const bks_replay_comparison found = compare(&plain, &parted);
    assert_int_equal(found.input.tick, BKS_TICK_NONE);
    assert_int_equal(found.hash_tick, WRONG);
    assert_int_equal(found.hash_a ^ found.hash_b, 1);
    assert_int_equal(found.page_tick, WRONG);
    assert_int_equal(found.page, offsetof(walk_state, noise) / PAGE_BYTES);
    assert_int_equal(found.pages_differ, 1);
    assert_int_equal(found.value_tick, WRONG);
    assert_int_equal(found.value_range, 1);
    assert_int_equal(found.value_element, 0);
    assert_int_equal(found.value_ranges, 1);
    assert_in_range(found.state_tick, WRONG, WRONG + 2 * KEY_EVERY);
    assert_int_equal(found.state_differ, 1);
    assert_in_range(found.state_offset, offsetof(walk_state, noise),
                    offsetof(walk_state, noise) + 7);
}

static void only_states_that_differ_are_unpacked(void **state)
{
    (void)state;
    unlike unhashed = plain;
    unhashed.is_unhashed = true;
    const bks_replay_comparison same = compare(&unhashed, &unhashed);
    assert_int_equal(same.hashes_compared, 0);
    assert_true(same.states_compared > TICKS / KEY_EVERY / 2);
    assert_int_equal(same.state_tick, BKS_TICK_NONE);
    assert_int_equal(states_taken, 0);

    unlike parted = unhashed;
    parted.wrong_state = WRONG;
    const bks_replay_comparison found = compare(&unhashed, &parted);
    assert_in_range(found.state_tick, WRONG, WRONG + 2 * KEY_EVERY);
    assert_int_equal(found.state_differ, 1);
    assert_int_equal(states_taken, 2);
}

/// Change the last byte of each keyframe in memory, after its record was checked.
static void spoil_keyframes(memory_file *file, const bks_replay *replay)
{
    for (uint32_t i = 0; i < replay->info.keyframes; i++) {
        const bksi_replay_key *key = bksi_list_at(&replay->keys, i);
        file->bytes[key->payload + key->payload_bytes - 1] ^= 1;
    }
}

static void keyframes_behind_sixteen_bad_ones_are_not_tried(void **state)
{
    (void)state;
    memory_file files[2];
    unlike one = plain;
    one.is_unhashed = true;
    one.ticks = 2 * TICKS;
    unlike other = one;
    other.wrong_state = 1; // otherwise equal hashes of two keyframes would be enough
    bks_replay *a = record(&files[0], &one);
    bks_replay *b = record(&files[1], &other);
    spoil_keyframes(&files[1], b);
    bks_replay_comparison found;
    assert_int_equal(bks_replay_compare(a, b, &found, NULL), BKS_OK);
    assert_int_equal(found.state_tick, BKS_TICK_NONE);
    assert_int_equal(found.states_unreadable, 16);
    assert_int_equal(found.states_unreadable + found.states_skipped, bks_replay_info(a)->keyframes);
    assert_in_range(found.states_skipped, 1, 100);
    bks_replay_close(a);
    bks_replay_close(b);
    memory_file_free(&files[0]);
    memory_file_free(&files[1]);
}

static void an_input_that_differs_is_named(void **state)
{
    (void)state;
    unlike other = plain;
    other.wrong_input = WRONG;
    const bks_replay_comparison found = compare(&other, &plain);
    assert_int_equal(found.input.tick, WRONG);
    assert_int_equal(found.input.player, 1);
    assert_int_equal(found.input.field, 0);
    assert_int_equal(found.input.a ^ found.input.b, 1);
    assert_int_equal(found.inputs_compared, WRONG + 1);
}

static void a_shorter_one_is_compared_as_far_as_it_goes(void **state)
{
    (void)state;
    unlike shorter = plain;
    shorter.ticks = 20;
    const bks_replay_comparison found = compare(&shorter, &plain);
    assert_int_equal(found.until, 20);
    assert_int_equal(found.inputs_compared, 20);
    assert_int_equal(found.input.tick, BKS_TICK_NONE);
    assert_int_equal(found.hash_tick, BKS_TICK_NONE);
}

/// Ticks that one of them only guessed do not count as differences of the match.
static void guesses_are_kept_apart(void **state)
{
    (void)state;
    unlike cut = plain;
    cut.ticks = 30;
    cut.is_finished = false;
    cut.wrong_guess = 31;
    const bks_replay_comparison found = compare(&plain, &cut);
    assert_int_equal(found.until, 30);
    assert_int_equal(found.input.tick, BKS_TICK_NONE);
    assert_int_equal(found.guess.tick, 31);
    assert_int_equal(found.guess.player, 0);
    assert_int_equal(found.guesses_compared, 2);
}

static void a_state_at_a_tick_is_the_first_one_or_a_keyframe(void **state)
{
    (void)state;
    memory_file file;
    bks_replay *replay = record(&file, &plain);
    static walk_state read;
    size_t count = 0;
    assert_int_equal(bks_replay_state_at(replay, 0, NULL, 0, &count, NULL), BKS_OK);
    assert_int_equal(count, sizeof(read));
    assert_int_equal(bks_replay_state_at(replay, 0, &read, sizeof(read), &count, NULL), BKS_OK);
    assert_memory_equal(&read, &walk_what_happened()->states[0], sizeof(read));
    bks_replay_keyframe key;
    assert_int_equal(bks_replay_keyframe_at(replay, 3, &key), BKS_OK);
    assert_int_equal(bks_replay_state_at(replay, key.tick, &read, sizeof(read), &count, NULL),
                     BKS_OK);
    assert_memory_equal(&read, &walk_what_happened()->states[key.tick], sizeof(read));
    assert_int_equal(bks_replay_state_at(replay, key.tick, &read, 8, &count, NULL),
                     BKS_ERR_TOO_SMALL);
    assert_int_equal(bks_replay_state_at(replay, key.tick + 1, NULL, 0, &count, NULL),
                     BKS_ERR_INCOMPLETE);
    bks_replay_close(replay);
    memory_file_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_of_one_match_are_the_same_in_everything),
        cmocka_unit_test(a_state_that_parts_is_found_in_hash_page_value_and_keyframe),
        cmocka_unit_test(only_states_that_differ_are_unpacked),
        cmocka_unit_test(keyframes_behind_sixteen_bad_ones_are_not_tried),
        cmocka_unit_test(an_input_that_differs_is_named),
        cmocka_unit_test(a_shorter_one_is_compared_as_far_as_it_goes),
        cmocka_unit_test(guesses_are_kept_apart),
        cmocka_unit_test(a_state_at_a_tick_is_the_first_one_or_a_keyframe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
