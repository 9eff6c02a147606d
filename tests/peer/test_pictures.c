// SPDX-License-Identifier: MIT

// Pictures between ticks: where they show what moves, and that nothing of them flows back.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mutant.h"
#include "game/runner.h"
#include "game/some_game.h"
#include "peer/peer_inspect.h"
#include "peer/peer_network.h"
#include "support/says.h"

#define SECOND_NS UINT64_C(1000000000)

/// What a steady thing moves by in a tick.
#define WAY 3.0

// ---- steady motion ----

typedef struct steady_state {
    double x;
    double ticks;
} steady_state;

static bks_tick failing_tick = BKS_TICK_NONE;

static void steady_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void steady_step(void *state, const bks_step *step)
{
    ((steady_state *)state)->x += WAY;
    ((steady_state *)state)->ticks += 1.0;
    if (step->tick == failing_tick) {
        bks_fail(step, "by order");
    }
}

static void steady_extrapolate(void *state, const bks_step *step, float share)
{
    (void)step;
    ((steady_state *)state)->x += WAY * (double)share;
}

static const bks_game steady = {
    .name = "steady",
    .version = 1,
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = some_fields,
    .field_count = 2,
    .state_bytes = sizeof(steady_state),
    .init = steady_init,
    .step = steady_step,
    .extrapolate = steady_extrapolate,
};

static bks_peer_config alone(const bks_game *game, bks_pictures pictures)
{
    bks_peer_config config = bks_peer_config_default();
    config.game = game;
    config.pictures = pictures;
    config.session.is_host = true;
    config.session.players = config.session.local_players = 1;
    config.session.seed = 42;
    config.session.key[0] = config.session.identity[0] = config.session.entropy[0] = 1;
    return config;
}

static bks_peer *make(const bks_peer_config *config)
{
    bks_peer *peer = NULL;
    bks_error error = {0};
    if (bks_peer_create(config, &peer, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return peer;
}

static double x_of(const bks_frame *frame)
{
    const steady_state *before = frame->before;
    const steady_state *now = frame->state;
    return (double)bks_blend((float)before->x, (float)now->x, frame->share, 0.0f);
}

/// The loop of a screen of `rate_hz` pictures a second, for four seconds.
/// @return how far a picture was from where it belonged, at most, in parts of a tick's way
static double worst_of(const bks_game *game, bks_pictures pictures, uint32_t rate_hz)
{
    const bks_peer_config config = alone(game, pictures);
    bks_peer *peer = make(&config);
    const double tick_ns = (double)SECOND_NS / game->tick_rate_hz;
    uint64_t first_ns = 0;
    double first_x = 0.0;
    double worst = 0.0;
    for (uint64_t i = 0; i < 4 * (uint64_t)rate_hz; i++) {
        const uint64_t now_ns = SECOND_NS + i * SECOND_NS / rate_hz;
        if (bks_peer_wake(peer) <= now_ns) {
            assert_int_equal(bks_peer_update(peer, now_ns), BKS_OK);
        }
        bks_frame frame;
        assert_int_equal(bks_peer_frame(peer, now_ns, &frame), BKS_OK);
        if (frame.tick < 2) {
            continue;
        }
        if (first_ns == 0) {
            first_ns = now_ns;
            first_x = x_of(&frame);
        }
        const double right = first_x + WAY * (double)(now_ns - first_ns) / tick_ns;
        const double error = x_of(&frame) > right ? x_of(&frame) - right : right - x_of(&frame);
        worst = error / WAY > worst ? error / WAY : worst;
    }
    assert_true(first_ns > 0 && bks_session_tick(bks_peer_session(peer)) > 2);
    bks_peer_destroy(peer);
    return worst;
}

static const uint32_t rates_hz[] = {30, 75, 144, 240};

static void steady_motion_is_drawn_steadily_at_every_picture_rate(void **context)
{
    (void)context;
    for (size_t i = 0; i < sizeof(rates_hz) / sizeof(rates_hz[0]); i++) {
        const double worst = worst_of(&steady, BKS_PICTURES_EXTRAPOLATE, rates_hz[i]);
        print_message("%3u pictures from 60 ticks: %.4f %%\n", rates_hz[i], 100.0 * worst);
        assert_true(worst <= 0.05);
    }
}

static void ten_ticks_a_second_are_drawn_steadily_by_interpolation(void **context)
{
    (void)context;
    bks_game slow = steady;
    slow.tick_rate_hz = 10;
    slow.extrapolate = NULL;
    for (size_t i = 0; i < sizeof(rates_hz) / sizeof(rates_hz[0]); i++) {
        const double worst = worst_of(&slow, BKS_PICTURES_INTERPOLATE, rates_hz[i]);
        print_message("%3u pictures from 10 ticks: %.4f %%\n", rates_hz[i], 100.0 * worst);
        assert_true(worst <= 0.02);
    }
}

static void pictures_of_ticks_alone_are_found_unsteady(void **context)
{
    (void)context;
    assert_true(worst_of(&steady, BKS_PICTURES_NONE, 144) > 0.05);
    bksi_mutant_set(BKSI_MUTANT_PICTURE_OF_TICKS);
    const double extrapolated = worst_of(&steady, BKS_PICTURES_EXTRAPOLATE, 144);
    const double interpolated = worst_of(&steady, BKS_PICTURES_INTERPOLATE, 144);
    bksi_mutant_set(BKSI_MUTANT_NONE);
    assert_true(extrapolated > 0.05 && interpolated > 0.02);
}

// ---- where there is nothing between ticks ----

static void before_the_start_and_behind_the_end_the_state_itself_is_drawn(void **context)
{
    (void)context;
    bks_peer_config config = alone(&steady, BKS_PICTURES_EXTRAPOLATE);
    config.session.ticks = 20;
    bks_peer *peer = make(&config);
    bks_frame frame;
    assert_int_equal(bks_peer_frame(peer, SECOND_NS, &frame), BKS_OK);
    assert_true(frame.state == bks_peer_state(peer) && frame.share == 0.0f);
    bks_status status = BKS_OK;
    uint64_t now_ns = SECOND_NS;
    for (; status == BKS_OK; now_ns += 7000000) {
        status = bks_peer_update(peer, now_ns);
    }
    assert_int_equal(status, BKS_OVER);
    assert_int_equal(bks_peer_frame(peer, now_ns + SECOND_NS, &frame), BKS_OK);
    assert_true(frame.state == bks_peer_state(peer) && frame.before == frame.state);
    assert_int_equal(frame.tick, 20);
    bks_peer_destroy(peer);
}

static void what_a_failed_step_left_is_not_moved(void **context)
{
    (void)context;
    failing_tick = 20;
    const bks_peer_config config = alone(&steady, BKS_PICTURES_EXTRAPOLATE);
    bks_peer *peer = make(&config);
    bks_status status = BKS_OK;
    uint64_t now_ns = SECOND_NS;
    for (; status == BKS_OK; now_ns += 7000000) {
        status = bks_peer_update(peer, now_ns);
    }
    failing_tick = BKS_TICK_NONE;
    assert_int_equal(status, BKS_ERR_GAME);
    bks_frame frame;
    assert_int_equal(bks_peer_frame(peer, now_ns + 5000000, &frame), BKS_OK);
    assert_true(frame.state == bks_peer_state(peer) && frame.share == 0.0f);
    bks_peer_destroy(peer);
}

static peer_network network;

static void tune_steady(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->game = &steady;
    config->pictures = BKS_PICTURES_EXTRAPOLATE;
}

/// @return the longest way back from one picture to the next, while the other peer is silent
static double way_back_while_held_up(void)
{
    net_create(&network, 2, tune_steady);
    double newest = 0.0;
    double back = 0.0;
    for (uint64_t ms = 0; ms < 2500; ms += 4) {
        network.peers[1].is_frozen = ms > 1500;
        net_run_until(&network, ms * NET_MS);
        bks_frame frame;
        assert_int_equal(bks_peer_frame(network.peers[0].peer, ms * NET_MS, &frame), BKS_OK);
        const double x = x_of(&frame);
        back = newest - x > back ? newest - x : back;
        newest = x;
    }
    assert_true(network.peers[0].events[BKS_EVENT_STARVED] > 0);
    net_destroy(&network);
    return back;
}

static void a_picture_rests_while_no_tick_can_be_stepped(void **context)
{
    (void)context;
    // A step of the pace is small: ticks become longer by a little when the peers' clocks meet.
    assert_true(way_back_while_held_up() < 0.05 * WAY);
    bksi_mutant_set(BKSI_MUTANT_PICTURE_RUNS_ON);
    const double back = way_back_while_held_up();
    bksi_mutant_set(BKSI_MUTANT_NONE);
    assert_true(back > 0.05 * WAY);
}

/// The inputs of the newest step, and what its pictures are moved by.
static struct {
    bks_tick stepped;
    int32_t inputs[2];
    uint32_t shown;
    uint32_t wrong;
} held;

static void held_step(void *state, const bks_step *step)
{
    steady_step(state, step);
    held.stepped = step->tick;
    memcpy(held.inputs, bks_step_input(step, 0), sizeof(held.inputs));
}

static void held_extrapolate(void *state, const bks_step *step, float share)
{
    steady_extrapolate(state, step, share);
    held.shown++;
    held.wrong += step->tick != held.stepped + 1 ||
                  memcmp(held.inputs, bks_step_input(step, 0), sizeof(held.inputs)) != 0;
}

static void hold(void *context, const bks_sample *sample, int32_t *values)
{
    (void)context;
    values[0] = sample->tick % 8;
    values[1] = sample->tick % 2;
}

static void a_picture_is_moved_by_the_inputs_of_the_newest_tick(void **context)
{
    (void)context;
    memset(&held, 0, sizeof(held));
    bks_game game = steady;
    game.step = held_step;
    game.extrapolate = held_extrapolate;
    bks_peer_config config = alone(&game, BKS_PICTURES_EXTRAPOLATE);
    config.sources[0] = (bks_source){.sample = hold};
    bks_peer *peer = make(&config);
    for (uint64_t ms = 1000; ms < 3000; ms += 4) {
        bks_frame frame;
        assert_int_equal(bks_peer_update(peer, ms * NET_MS), BKS_OK);
        assert_int_equal(bks_peer_frame(peer, ms * NET_MS, &frame), BKS_OK);
    }
    bks_peer_destroy(peer);
    assert_true(held.shown > 300);
    assert_int_equal(held.wrong, 0);
}

// ---- nothing flows back ----

static const bks_cue_type cue_types[] = {{.name = "move"}};

/// Every part of a step that could be heard outside.
static void loud_step(void *state, const bks_step *step)
{
    some_step(state, step);
    for (uint32_t player = 0; player < step->players; player++) {
        const some_input *input = bks_step_input(step, player);
        if (input->fire != 0) {
            bks_cue(step, 0, player, NULL, 0);
        }
    }
}

/// As far as a game can go wrong in it: all of a step, and some more of the state.
static void loud_extrapolate(void *state, const bks_step *step, float share)
{
    loud_step(state, step);
    bks_note(step, "share %g", (double)share);
    bks_fail(step, "not heard");
    some_state *some = state;
    some->x[0] = -1;
    (void)bks_random_between(&some->random, 1, 20);
    (void)bks_pool_add(bks_ref_get(&some->shots), NULL);
}

static bks_game loud;
static bks_pictures loud_pictures;

static void tune_loud(bks_peer_config *config, uint32_t peer)
{
    loud = some_game;
    loud.step = loud_step;
    loud.extrapolate = loud_extrapolate;
    loud.cues = cue_types;
    loud.cue_count = 1;
    config->game = &loud;
    config->cues_per_tick = 8;
    config->pictures = loud_pictures;
    config->session.allocator = counting_allocator_hooks(&network.peers[peer].counter);
}

typedef struct outcome {
    uint64_t hashes[2]; ///< of the last tick
    uint64_t record;    ///< hash of the host's recording
    uint32_t cues;
    uint32_t changes;      ///< times that a frame changed the state's hash
    uint32_t shown;        ///< frames that were between ticks
    uint32_t allocs;       ///< by frames
    uint32_t corrected;    ///< frames that say so
    uint32_t unsaid;       ///< frames that say it without a rollback, or do not say it of one
    uint64_t rollbacks[2]; ///< when a frame was taken last
} outcome;

static void look(uint32_t peer, uint64_t now_ns, outcome *out)
{
    bks_peer *mine = network.peers[peer].peer;
    bksi_runner *runner = bksi_peer_runner(mine);
    const uint64_t before = bksi_runner_hash(runner);
    const uint32_t allocs = network.peers[peer].counter.allocs;
    bks_frame frame;
    assert_int_equal(bks_peer_frame(mine, now_ns, &frame), BKS_OK);
    bks_stats stats;
    assert_int_equal(bks_session_stats(bks_peer_session(mine), &stats), BKS_OK);
    out->corrected += frame.is_corrected;
    out->unsaid += frame.is_corrected != (stats.rollbacks > out->rollbacks[peer]);
    out->rollbacks[peer] = stats.rollbacks;
    out->changes += bksi_runner_hash(runner) != before;
    out->shown += frame.state != bks_peer_state(mine) || frame.before != frame.state;
    out->allocs += network.peers[peer].counter.allocs - allocs;
}

static outcome play(bks_pictures pictures)
{
    outcome out = {0};
    loud_pictures = pictures;
    net_create(&network, 2, tune_loud);
    network.loss_percent = 10;
    bool is_over = false;
    for (uint64_t ms = 0; ms < 20000 && !is_over; ms += 3) {
        net_run_until(&network, ms * NET_MS);
        is_over = true;
        for (uint32_t i = 0; i < 2; i++) {
            bks_cue_event event;
            while (bks_peer_cue(network.peers[i].peer, &event)) {
                out.cues++;
            }
            is_over &= network.peers[i].status != BKS_OK;
            if (pictures != BKS_PICTURES_NONE) {
                look(i, ms * NET_MS + 1234567, &out);
            }
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        out.hashes[i] = bksi_runner_hash(bksi_peer_runner(network.peers[i].peer));
    }
    const memory_sink *record = &network.peers[0].record;
    out.record = bks_hash64(record->bytes, record->count, 0);
    net_destroy(&network);
    return out;
}

static void a_match_is_the_same_with_and_without_pictures(void **context)
{
    (void)context;
    const outcome without = play(BKS_PICTURES_NONE);
    assert_true(without.hashes[0] == without.hashes[1] && without.cues > 100);
    for (int kind = BKS_PICTURES_EXTRAPOLATE; kind <= BKS_PICTURES_INTERPOLATE; kind++) {
        const outcome with = play((bks_pictures)kind);
        assert_true(with.shown > 1000);
        assert_int_equal(with.changes, 0);
        assert_true(with.corrected > 100);
        assert_int_equal(with.unsaid, 0);
        assert_int_equal(with.allocs, 0);
        assert_int_equal(with.cues, without.cues);
        assert_true(with.record == without.record);
        assert_true(with.hashes[0] == without.hashes[0] && with.hashes[1] == without.hashes[1]);
    }
}

static void a_picture_that_flows_back_is_found(void **context)
{
    (void)context;
    const outcome without = play(BKS_PICTURES_NONE);
    bksi_mutant_set(BKSI_MUTANT_PICTURE_FLOWS_BACK);
    const outcome with = play(BKS_PICTURES_EXTRAPOLATE);
    bksi_mutant_set(BKSI_MUTANT_NONE);
    assert_true(with.changes > 0 && with.record != without.record);
}

// ---- the two newest states ----

enum { KEPT = 64 };

typedef struct kept_state {
    bks_tick tick;
    some_state state;
} kept_state;

static kept_state kept_states[KEPT];
static bks_game deaf;

/// A tap is guessed to be over in the next tick.
static const bks_field tapped_fields[] = {
    {.name = "move", .bits = 5, .is_signed = true},
    {.name = "fire", .bits = 1, .predictor = BKS_PREDICT_RELEASE},
};

/// Deaf to taps in every second half of 64 ticks: there, a wrong guess changes nothing, and
/// stepping again ends early.
static void deaf_step(void *state, const bks_step *step)
{
    some_state *some = state;
    for (uint32_t player = 0; player < step->players; player++) {
        const some_input *input = bks_step_input(step, player);
        some->x[player] += step->tick % 64 < 32 ? 1 + input->fire : 1;
    }
}

static void tap(void *context, const bks_sample *sample, int32_t *values)
{
    (void)context;
    values[0] = 0;
    values[1] = sample->tick % 16 == 3 + (bks_tick)sample->player;
}

static void tune_deaf(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    deaf = some_game;
    deaf.step = deaf_step;
    deaf.fields = tapped_fields;
    config->game = &deaf;
    config->pictures = BKS_PICTURES_INTERPOLATE;
    config->sources[0] = (bks_source){.sample = tap};
    config->session.tuning.delay_ticks = 0;
    config->session.tuning.save = BKS_SAVE_EVERY; // so that resimulations can end early
}

static void entered(void *context, bks_tick tick, const int32_t *inputs)
{
    (void)inputs;
    kept_states[tick % KEPT].tick = tick;
    kept_states[tick % KEPT].state = *(const some_state *)bks_peer_state(context);
}

/// @return how often a frame had not the state of the tick before the newest
static uint32_t count_wrong(uint64_t *out_early_ends, uint32_t *out_corrected)
{
    uint32_t wrong = 0;
    *out_corrected = 0;
    net_create(&network, 2, tune_deaf);
    bks_peer *mine = network.peers[0].peer;
    bksi_peer_listen_ticks(mine, entered, mine);
    while (network.peers[0].status == BKS_OK && network.now_ns < 20 * SECOND_NS) {
        net_run_until(&network, network.now_ns);
        bks_frame frame;
        assert_int_equal(bks_peer_frame(mine, network.now_ns, &frame), BKS_OK);
        *out_corrected += frame.is_corrected;
        if (frame.tick == 0) {
            continue;
        }
        const kept_state *kept = &kept_states[(frame.tick - 1) % KEPT];
        if (frame.before != frame.state && kept->tick == frame.tick - 1) {
            wrong += memcmp(frame.before, &kept->state, sizeof(some_state)) != 0;
        } else {
            wrong += frame.tick > 1 && frame.before == frame.state;
        }
    }
    bks_stats stats;
    assert_int_equal(bks_session_stats(net_session(&network, 0), &stats), BKS_OK);
    *out_early_ends = stats.early_ends;
    net_destroy(&network);
    return wrong;
}

static void the_older_state_is_that_of_the_tick_before_the_newest(void **context)
{
    (void)context;
    uint64_t early_ends = 0;
    uint32_t corrected = 0;
    assert_int_equal(count_wrong(&early_ends, &corrected), 0);
    assert_true(early_ends > 5 && corrected > 10);
    bksi_mutant_set(BKSI_MUTANT_PICTURE_OF_THE_PAST);
    const uint32_t wrong = count_wrong(&early_ends, &corrected);
    bksi_mutant_set(BKSI_MUTANT_NONE);
    assert_true(wrong > 0);
}

// ---- what is refused ----

static void assert_refused(const bks_peer_config *config, const char *text)
{
    bks_peer *peer = NULL;
    bks_error error = {0};
    assert_int_equal(bks_peer_create(config, &peer, &error), BKS_ERR_BAD_CONFIG);
    assert_null(peer);
    assert_string_equal(error.field, "pictures");
    assert_says(error.text, text);
}

static void games_that_cannot_be_shown_between_ticks_are_refused(void **context)
{
    (void)context;
    bks_game game = steady;
    game.extrapolate = NULL;
    bks_peer_config config = alone(&game, BKS_PICTURES_EXTRAPOLATE);
    assert_refused(&config, "steady has no `extrapolate`");
    config = alone(&steady, (bks_pictures)3);
    assert_refused(&config, "pictures is 3, must be 0..2");
    config = alone(&own_game, BKS_PICTURES_INTERPOLATE);
    assert_refused(&config, "own does not live in a region");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_motion_is_drawn_steadily_at_every_picture_rate),
        cmocka_unit_test(ten_ticks_a_second_are_drawn_steadily_by_interpolation),
        cmocka_unit_test(pictures_of_ticks_alone_are_found_unsteady),
        cmocka_unit_test(before_the_start_and_behind_the_end_the_state_itself_is_drawn),
        cmocka_unit_test(what_a_failed_step_left_is_not_moved),
        cmocka_unit_test(a_picture_rests_while_no_tick_can_be_stepped),
        cmocka_unit_test(a_picture_is_moved_by_the_inputs_of_the_newest_tick),
        cmocka_unit_test(a_match_is_the_same_with_and_without_pictures),
        cmocka_unit_test(a_picture_that_flows_back_is_found),
        cmocka_unit_test(the_older_state_is_that_of_the_tick_before_the_newest),
        cmocka_unit_test(games_that_cannot_be_shown_between_ticks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
