// SPDX-License-Identifier: MIT

// Facts from outside: asked for in a step, answered live once, and from the recording ever after.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/replay.h"
#include "backstitch/toolkit/peer.h"
#include "peer/answer_cache.h"
#include "support/catch_log.h"

enum { TICKS = 200, CLOCK = 1, MAIL = 2, NOTHING = 3 };

typedef struct asking_state {
    uint64_t sum;
    uint32_t answered;
    uint32_t bytes; ///< of all answers
} asking_state;

static void asking_init(void *state, const bks_start *start)
{
    *(asking_state *)state = (asking_state){.sum = start->seed};
}

static void asking_step(void *state, const bks_step *step)
{
    asking_state *game = state;
    uint64_t now = 0;
    uint64_t again = 0;
    game->answered += bks_ask(step, CLOCK, &now, sizeof(now)) == sizeof(now);
    (void)bks_ask(step, CLOCK, &again, sizeof(again));
    game->sum = game->sum * 31 + now + (now == again ? 0 : 1);
    if (step->tick % 50 == 7) {
        uint8_t mail[BKS_ANSWER_BYTES_MAX];
        const size_t count = bks_ask(step, MAIL, mail, sizeof(mail));
        for (size_t i = 0; i < count; i++) {
            game->sum = game->sum * 31 + mail[i];
        }
        game->bytes += (uint32_t)count;
    }
    game->bytes += (uint32_t)bks_ask(step, NOTHING, NULL, 0);
    game->sum += (uint32_t)step->inputs[0];
}

static const bks_field fields[] = {{.name = "x", .bits = 8, .is_signed = true}};

static const bks_game asking = {
    .name = "asking",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = fields,
    .field_count = 1,
    .state_bytes = sizeof(asking_state),
    .init = asking_init,
    .step = asking_step,
};

/// The outside: it never says the same twice.
typedef struct outside {
    uint64_t clock;
    uint32_t calls;
    uint32_t calls_by_tick[TICKS];
} outside;

static size_t answer_of_test(void *context, bks_tick tick, uint32_t question, void *out)
{
    outside *world = context;
    world->calls++;
    world->calls_by_tick[tick]++;
    world->clock = world->clock * UINT64_C(6364136223846793005) + 12345;
    switch (question) {
    case CLOCK:
        memcpy(out, &world->clock, sizeof(world->clock));
        return sizeof(world->clock);
    case MAIL:
        memset(out, (int)(world->clock >> 56), BKS_ANSWER_BYTES_MAX);
        return tick % 100 == 7 ? BKS_ANSWER_BYTES_MAX : 5;
    default:
        return 0;
    }
}

/// A file in memory.
typedef struct memory_file {
    uint8_t bytes[1 << 18];
    size_t count;
} memory_file;

static bks_status write_memory(void *context, uint64_t offset, const void *bytes, size_t count)
{
    memory_file *file = context;
    assert_true(offset + count <= sizeof(file->bytes));
    memcpy(file->bytes + offset, bytes, count);
    file->count = offset + count > file->count ? (size_t)offset + count : file->count;
    return BKS_OK;
}

static memory_file file;

static bks_peer_config config_of(outside *world, bks_save_policy save)
{
    bks_peer_config config = bks_peer_config_default();
    config.game = &asking;
    config.session.key[0] = config.session.identity[0] = config.session.entropy[0] = 1;
    config.session.is_host = true;
    config.session.players = config.session.local_players = 2;
    config.session.ticks = TICKS;
    config.session.tuning.save = save;
    config.answer = answer_of_test;
    config.answer_context = world;
    memset(&file, 0, sizeof(file));
    config.record = (bks_sink){.write = write_memory, .context = &file};
    return config;
}

/// Play a match to its end, or up to a tick.
static uint64_t play(outside *world, bks_save_policy save, bks_tick until)
{
    const bks_peer_config config = config_of(world, save);
    bks_peer *peer = NULL;
    bks_error error = {0};
    if (bks_peer_create(&config, &peer, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    uint64_t now = 0;
    while (bks_peer_update(peer, now) == BKS_OK &&
           bks_session_tick(bks_peer_session(peer)) < until) {
        now = bks_peer_wake(peer);
    }
    asking_state state;
    memcpy(&state, bks_peer_state(peer), sizeof(state));
    if (until == TICKS) {
        assert_int_equal(state.answered, TICKS);
        assert_int_equal(state.bytes, 2 * BKS_ANSWER_BYTES_MAX + 2 * 5);
    }
    bks_peer_destroy(peer);
    return state.sum;
}

/// The sum of a playback of the recording, verified.
static uint64_t play_back(void)
{
    bks_replay *replay = NULL;
    bks_error error = {0};
    if (bks_replay_open(file.bytes, file.count, NULL, &replay, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    const bks_playback_config config = {.replay = replay, .game = &asking};
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, &error), BKS_OK);
    assert_true(result.compared > 0);
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, &error), BKS_OK);
    while (bks_playback_step(playback) == BKS_OK) {
    }
    const uint64_t sum = ((const asking_state *)bks_playback_state(playback))->sum;
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    return sum;
}

static void a_fact_is_answered_once_and_from_the_recording_ever_after(void **state)
{
    (void)state;
    static outside world;
    world = (outside){.clock = 5};
    const uint64_t sum = play(&world, BKS_SAVE_TWO, TICKS);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        assert_int_equal(world.calls_by_tick[tick], tick % 50 == 7 ? 3 : 2);
    }
    const uint32_t calls = world.calls;
    assert_true(play_back() == sum);
    assert_int_equal(world.calls, calls);
    world = (outside){.clock = 6};
    assert_true(play(&world, BKS_SAVE_TWO, TICKS) != sum); // or the facts would not matter
}

static void a_tick_stepped_again_gets_the_same_answers(void **state)
{
    (void)state;
    static outside world;
    world = (outside){.clock = 5};
    const uint64_t sum = play(&world, BKS_SAVE_TWO, TICKS);
    world = (outside){.clock = 5};
    assert_true(play(&world, BKS_SAVE_ONE, TICKS) == sum); // it steps every tick many times
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        assert_int_equal(world.calls_by_tick[tick], tick % 50 == 7 ? 3 : 2);
    }
}

static void facts_of_a_match_that_was_cut_short_are_there(void **state)
{
    (void)state;
    static outside world;
    world = (outside){.clock = 9};
    const uint64_t sum = play(&world, BKS_SAVE_TWO, 77);
    assert_true(play_back() == sum);
}

static void facts_need_all_players_on_this_machine(void **state)
{
    (void)state;
    static outside world;
    bks_peer *peer = NULL;
    bks_error error = {0};
    bks_peer_config config = config_of(&world, BKS_SAVE_TWO);
    config.session.local_players = 1;
    catch_log log;
    catch_log_begin(&log);
    assert_int_equal(bks_peer_create(&config, &peer, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "answer");
    bks_log_clear_sink();
    config.answer = NULL;
    assert_int_equal(bks_peer_create(&config, &peer, &error), BKS_OK);
    bks_peer_destroy(peer);
}

static void facts_that_are_settled_make_room(void **state)
{
    (void)state;
    static const uint8_t bytes[BKS_ANSWER_BYTES_MAX] = {7};
    const bks_allocator allocator = {0};
    bksi_answer_cache cache;
    assert_int_equal(bksi_answer_cache_create(&cache, &allocator, NULL), BKS_OK);
    bks_tick tick = 0;
    while (bksi_answer_cache_keep(&cache, 0, tick, CLOCK, bytes, sizeof(bytes))) {
        tick++;
    }
    assert_true(tick > 50);
    uint8_t out[BKS_ANSWER_BYTES_MAX];
    size_t count = 0;
    assert_true(bksi_answer_cache_keep(&cache, 10, tick, CLOCK, bytes, sizeof(bytes)));
    assert_false(bksi_answer_cache_find(&cache, 9, CLOCK, out, &count));
    assert_true(bksi_answer_cache_find(&cache, 10, CLOCK, out, &count));
    assert_int_equal(count, sizeof(bytes));
    assert_memory_equal(out, bytes, sizeof(bytes));
    assert_false(bksi_answer_cache_find(&cache, 10, MAIL, out, &count));
    bksi_answer_cache_destroy(&cache);
}

static void a_step_made_by_hand_has_no_answers(void **state)
{
    (void)state;
    const bks_step step = {.tick = 3};
    uint8_t out = 1;
    assert_int_equal(bks_ask(&step, CLOCK, &out, sizeof(out)), 0);
    assert_int_equal(out, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fact_is_answered_once_and_from_the_recording_ever_after),
        cmocka_unit_test(a_tick_stepped_again_gets_the_same_answers),
        cmocka_unit_test(facts_of_a_match_that_was_cut_short_are_there),
        cmocka_unit_test(facts_need_all_players_on_this_machine),
        cmocka_unit_test(facts_that_are_settled_make_room),
        cmocka_unit_test(a_step_made_by_hand_has_no_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
