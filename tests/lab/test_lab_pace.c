// SPDX-License-Identifier: MIT

// No peer runs ahead in half an hour, nor over many seeds.

#include <stdlib.h>

#include "lab/lab_internal.h"
#include "lab/some_lab.h"
#include "session/session_internal.h"

/// Length of the match: half an hour.
#define LONG_TICKS 108000
#define SEEDS      15

/// Time after which all peers are level, however the match began.
#define SETTLED_NS (10 * SOME_SECOND_NS)

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void in_steady_state_no_peer_is_ahead_by_more_than_a_third_of_a_tick(void **state)
{
    (void)state;
    double means[SEEDS];
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        bks_lab_config config = some_lab_config(seed, 2, 1800);
        bks_lab_result result = some_match(&config, "delay=80ms,jitter=10ms", NULL);
        assert_agreed(&result, 1800);
        means[seed - 1] = result.peers[0].stats.advantage_abs_mean;
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(result.peers[i].stats.starved_ticks, 0);
            assert_int_equal(result.peers[i].stats.stalled_ticks, 0);
        }
    }
    qsort(means, SEEDS, sizeof(means[0]), by_size);
    print_message("advantage %.3f ticks, worst %.3f\n", means[SEEDS / 2], means[SEEDS - 1]);
    assert_true(means[SEEDS / 2] < 0.35);
}

/// Measurements of one match.
typedef struct drift_seen {
    uint32_t queue_max;      ///< most ticks to skip on purpose at once
    bks_tick apart_max;      ///< greatest distance of the two heads
    double interval_off_max; ///< greatest lengthening of a tick, as a share of its length
} drift_seen;

static void look(const bks_lab *lab, drift_seen *seen)
{
    bks_tick apart = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const bks_session *session = lab->peers[i].session;
        apart = bksi_common_own_head(&session->common) - apart;
        double off = session->clock.interval_ns * 60.0 / (double)SOME_SECOND_NS - 1.0;
        seen->interval_off_max = off > seen->interval_off_max ? off : seen->interval_off_max;
        seen->queue_max = session->tempo.pace.stall_queue > seen->queue_max
                              ? session->tempo.pace.stall_queue
                              : seen->queue_max;
    }
    apart = apart < 0 ? -apart : apart;
    seen->apart_max = apart > seen->apart_max ? apart : seen->apart_max;
}

/// Play half an hour with two clocks that differ by 400 ppm, as bad ones do: 43 ticks in all.
static void drift_for_half_an_hour(bks_pace pace, drift_seen *seen, bks_lab_result *result)
{
    *seen = (drift_seen){0};
    bks_lab_config config = some_lab_config(1, 2, LONG_TICKS);
    config.tuning.pace = pace;
    bks_lab *lab = some_lab(&config, "delay=80ms,jitter=10ms", "drift=0:+200ppm,drift=1:-200ppm");
    uint64_t step_ns = SOME_SECOND_NS / 20;
    while (bks_lab_advance(lab, bks_lab_now(lab) + step_ns)) {
        if (bks_lab_now(lab) > SETTLED_NS && bks_lab_progress(lab) < LONG_TICKS - 60) {
            look(lab, seen);
        }
    }
    assert_int_equal(bks_lab_outcome(lab, result), BKS_OK);
    bks_lab_destroy(lab);
    assert_agreed(result, LONG_TICKS);
    assert_int_equal(fault_count(result, "drift"), 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(result->peers[i].stats.starved_ticks, 0);
    }
}

static void slew_holds_bad_clocks_together_for_half_an_hour(void **state)
{
    (void)state;
    drift_seen seen;
    bks_lab_result result;
    drift_for_half_an_hour(BKS_PACE_SLEW, &seen, &result);
    print_message("%d ticks apart at most, ticks longer by %.3f %%\n", seen.apart_max,
                  100.0 * seen.interval_off_max);
    assert_in_range(seen.apart_max, 0, 1);
    assert_true(seen.interval_off_max < 0.005);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(result.peers[i].stats.stalled_ticks, 0);
        assert_true(result.peers[i].stats.advantage_abs_mean < 0.35);
    }
}

static void stall_holds_bad_clocks_together_by_single_ticks_for_half_an_hour(void **state)
{
    (void)state;
    drift_seen seen;
    bks_lab_result result;
    drift_for_half_an_hour(BKS_PACE_STALL, &seen, &result);
    print_message("%d ticks apart at most, %d passed\n", seen.apart_max,
                  (int)result.peers[0].stats.stalled_ticks);
    assert_in_range(seen.apart_max, 0, 1);
    assert_int_equal(seen.queue_max, 1);
    assert_in_range(result.peers[0].stats.stalled_ticks, 38, 52);
    assert_in_range(result.peers[1].stats.stalled_ticks, 0, 4);
}

static void without_pace_bad_clocks_part(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 36000);
    config.tuning.pace = BKS_PACE_NONE;
    bks_lab_result result =
        some_match(&config, "delay=80ms,jitter=10ms", "drift=0:+200ppm,drift=1:-200ppm");
    assert_agreed(&result, 36000);
    assert_true(result.peers[0].stats.advantage_abs_max > 8.0);
}

/// Delays form a ring: 150 ms to the next peer, 5 ms everywhere else. Half of the difference
/// between a pair's directions looks like an advantage of the peer that sends slowly. All peers
/// cannot be ahead, so none may slow down for it.
static void ring_of_slow_directions(uint32_t peers, bks_pace pace)
{
    enum { TICKS = 7200 };
    bks_lab_config config = some_lab_config(1, peers, TICKS);
    config.tuning.pace = pace;
    bks_lab *lab = some_lab(&config, "delay=5ms", NULL);
    for (uint32_t i = 0; i < peers; i++) {
        char spec[32];
        (void)snprintf(spec, sizeof(spec), "%u>%u:delay=150ms", i, (i + 1) % peers);
        assert_int_equal(bks_lab_link(lab, spec, NULL), BKS_OK);
    }
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    bks_lab_destroy(lab);
    assert_agreed(&result, TICKS);
    const double seconds = (double)result.match_ns / (double)SOME_SECOND_NS;
    print_message("%u peers: %.2f s\n", peers, seconds);
    assert_true(seconds <= 120.4);
}

static void a_line_that_is_slow_in_one_direction_slows_no_peer_by_slew(void **state)
{
    (void)state;
    ring_of_slow_directions(3, BKS_PACE_SLEW);
    ring_of_slow_directions(5, BKS_PACE_SLEW);
}

static void a_line_that_is_slow_in_one_direction_slows_no_peer_by_stall(void **state)
{
    (void)state;
    ring_of_slow_directions(3, BKS_PACE_STALL);
    ring_of_slow_directions(5, BKS_PACE_STALL);
}

/// Windows and delays are counted in ticks, links in milliseconds.
static void no_tick_rate_starves(void **state)
{
    (void)state;
    static const uint32_t rates_hz[] = {1, 5, 20, 60, 500, 1000};
    static const char *const links[] = {"delay=50ms", "delay=50ms,jitter=10ms,loss=1%"};
    for (size_t i = 0; i < 2 * sizeof(rates_hz) / sizeof(rates_hz[0]); i++) {
        const uint32_t rate_hz = rates_hz[i / 2];
        const bks_tick ticks = (bks_tick)rate_hz * 30;
        bks_game game = pad_game;
        game.tick_rate_hz = rate_hz;
        bks_lab_config config = some_lab_config(1, 3, ticks);
        config.game = &game;
        const bks_lab_result result = some_match(&config, links[i % 2], NULL);
        assert_agreed(&result, ticks);
        for (uint32_t k = 0; k < 3; k++) {
            if (result.peers[k].stats.starved_ticks * 100 >= (uint64_t)ticks) {
                fail_msg("%u Hz, %s: peer %u starved in %d of %d ticks", rate_hz, links[i % 2], k,
                         (int)result.peers[k].stats.starved_ticks, ticks);
            }
        }
    }
}

/// Return the least number of ticks a second of all peers, from the third second to the 20th.
static double least_rate(bks_lab *lab)
{
    enum { FROM_S = 3, TO_S = 20 };
    bks_tick begun[BKS_PEERS_MAX];
    double least = 60.0;
    while (lab->first_tick_ns == UINT64_MAX) {
        (void)bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS / 1000);
    }
    (void)bks_lab_advance(lab, lab->first_tick_ns + FROM_S * SOME_SECOND_NS);
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        begun[i] = bks_session_tick(lab->peers[i].session);
    }
    (void)bks_lab_advance(lab, lab->first_tick_ns + TO_S * SOME_SECOND_NS);
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const bks_tick ticks = bks_session_tick(lab->peers[i].session) - begun[i];
        const double rate = (double)ticks / (TO_S - FROM_S);
        least = rate < least ? rate : least;
    }
    return least;
}

/// A detour takes twice the way, which is longer than window and delay together.
static void far_peers_whose_lines_lose_much_play_at_full_rate(void **state)
{
    (void)state;
    double worst = 60.0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        bks_lab_config config = some_lab_config(seed, 4, 1500);
        config.tuning.window_ticks = 16;
        config.tuning.delay_ticks = 2;
        bks_lab *lab = some_lab(&config, "delay=250ms,loss=25%", NULL);
        const double rate = least_rate(lab);
        bks_lab_destroy(lab);
        worst = rate < worst ? rate : worst;
        if (rate < 58.0) {
            fail_msg("seed %u: %.2f ticks a second", (unsigned)seed, rate);
        }
    }
    print_message("%.2f ticks a second at least\n", worst);
}

/// Two peers begin to play through a third: each way suddenly takes twice as long.
static void the_input_delay_follows_a_line_that_became_longer(void **state)
{
    (void)state;
    enum { TICKS = 4800 };
    bks_lab_config config = some_lab_config(1, 3, TICKS);
    bks_lab *lab = some_lab(&config, "delay=400ms", NULL);
    assert_int_equal(bks_lab_fault(lab, "cut=0-2@10s+900s", NULL), BKS_OK);
    (void)bks_lab_advance(lab, 45 * SOME_SECOND_NS);
    bks_lab_result early;
    assert_int_equal(bks_lab_outcome(lab, &early), BKS_OK);
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    bks_lab_destroy(lab);
    assert_agreed(&result, TICKS);
    for (uint32_t i = 0; i < 3; i++) {
        const uint64_t late =
            result.peers[i].stats.starved_ticks - early.peers[i].stats.starved_ticks;
        print_message("peer %u starved %d ticks, %d of them after 45 s\n", i,
                      (int)result.peers[i].stats.starved_ticks, (int)late);
        assert_true(late <= TICKS / 100);
    }
}

/// Play a match of three in which peer 2 is in lockstep, and return its input delay at the end.
static double delay_of_third(uint64_t seed, const char *fault)
{
    enum { TICKS = 550 };
    static const uint32_t windows[] = {7, 25, 0};
    bks_lab_config config = some_lab_config(seed, 3, TICKS);
    config.own_tunings = 7;
    for (uint32_t i = 0; i < 3; i++) {
        config.tunings[i] = config.tuning;
        config.tunings[i].window_ticks = windows[i];
    }
    bks_lab *lab = some_lab(&config, NULL, NULL);
    assert_int_equal(bks_lab_link(lab, "0>1:delay=57ms", NULL), BKS_OK);
    assert_int_equal(bks_lab_link(lab, "2>1:delay=30ms,reorder=5%,hold=3s", NULL), BKS_OK);
    assert_int_equal(bks_lab_fault(lab, fault, NULL), BKS_OK);
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    bks_lab_destroy(lab);
    assert_agreed(&result, TICKS);
    return result.peers[2].stats.input_delay;
}

/// Two peers wait for a third in lockstep whose sends fail, while old packets come late: a wait
/// longer than any round trip does not mean that the line became longer.
static void a_wait_for_a_peer_that_could_not_send_does_not_raise_its_input_delay(void **state)
{
    (void)state;
    double sum = 0.0;
    double calm = 0.0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const double waited = delay_of_third(seed, "full=2@5s+1800ms,heal@6800ms");
        const double unwaited = delay_of_third(seed, "heal@6800ms");
        print_message("seed %u: %.0f ticks, %.0f without a wait\n", (unsigned)seed, waited,
                      unwaited);
        sum += waited;
        calm += unwaited;
    }
    assert_true(sum < calm + 12 * 0.5);
}

/// While two peers load, LINKs wait for them, also those that one of them passes on. Such LINKs
/// measure no line, and those that are lost then are not lost by a line.
static void a_match_after_long_loading_begins_with_the_input_delay_of_its_lines(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 3, 300);
    config.tuning.window_ticks = 0;
    bks_lab *lab = some_lab(&config, "0>2:delay=1ms", "load=1:4658ms,load=2:2049ms");
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    bks_lab_destroy(lab);
    for (uint32_t i = 0; i < 3; i++) {
        print_message("peer %u: %u ticks\n", i, result.peers[i].stats.input_delay_max);
        assert_in_range(result.peers[i].stats.input_delay_max, 0, 5);
    }
}

/// Play a match in lockstep with a silence of one peer, and check that each input delay is what it
/// was before from 5 s after the silence on: at most a fifth or a tick longer.
/// @param from_s, to_s  time of the silence after the first tick
static void play_with_silence(const bks_lab_config *config, const char *link, const char *fault,
                              double from_s, double to_s, bks_lab_result *result)
{
    bks_lab *lab = some_lab(config, link, fault);
    uint32_t before[BKS_PEERS_MAX] = {0};
    while (bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS / 10)) {
        const bool has_begun = lab->first_tick_ns != UINT64_MAX;
        const double since_s = has_begun ? (double)(lab->now_ns - lab->first_tick_ns) * 1e-9 : 0.0;
        for (uint32_t k = 0; k < config->peers; k++) {
            bks_stats stats;
            assert_int_equal(bks_session_stats(lab->peers[k].session, &stats), BKS_OK);
            before[k] = since_s < from_s ? stats.input_delay : before[k];
            const uint32_t longer = before[k] / 5 > 1 ? before[k] / 5 : 1;
            if (since_s >= to_s + 5.0 && stats.input_delay > before[k] + longer) {
                fail_msg("%u Hz, seed %u, peer %u: %u ticks, before %u", config->game->tick_rate_hz,
                         (unsigned)config->seed, k, stats.input_delay, before[k]);
            }
        }
    }
    assert_int_equal(bks_lab_outcome(lab, result), BKS_OK);
    assert_agreed(result, config->ticks);
    bks_lab_destroy(lab);
}

/// A peer that stands still for 4 s makes the others wait, but they need no more delay by that.
static void a_freeze_leaves_the_input_delay_of_lockstep_as_it_was(void **state)
{
    (void)state;
    static const uint32_t rates_hz[] = {10, 30, 60};
    for (size_t i = 0; i < 2 * sizeof(rates_hz) / sizeof(rates_hz[0]); i++) {
        const uint32_t rate_hz = rates_hz[i / 2];
        const uint32_t peers = i % 2 == 0 ? 2 : 4;
        bks_game game = pad_game;
        game.tick_rate_hz = rate_hz;
        bks_lab_config config = some_lab_config(1, peers, (bks_tick)rate_hz * 40);
        config.game = &game;
        config.tuning.window_ticks = 0;
        config.tuning.drop_after_ms = 8000;
        bks_lab_result result;
        play_with_silence(&config, "delay=60ms,loss=1%", "pause=1@20s+4s", 20.0, 24.0, &result);
        assert_true(result.match_ns > 43 * SOME_SECOND_NS); // all waited for peer 1
    }
}

/// A peer whose sends fail for 4 s is ahead of the others afterwards, by the inputs that they
/// could not get. That lead is no need of its lines.
static void a_peer_that_could_not_send_gets_its_input_delay_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        bks_lab_config config = some_lab_config(seed, 4, 1000);
        config.tuning.window_ticks = 0;
        config.tuning.pace = BKS_PACE_STALL;
        config.tuning.drop_after_ms = 9800;
        bks_lab_result result;
        play_with_silence(&config, "delay=128ms,jitter=4ms,loss=1.7%,dup=1.9%,corrupt=0.9%",
                          "full=3@4257ms+4192ms", 4.2, 8.5, &result);
    }
}

/// A delay is given back in the same time at a low speed, at which ticks are rarer.
static void an_input_delay_is_given_back_as_soon_at_a_low_speed(void **state)
{
    (void)state;
    bks_game game = pad_game;
    game.tick_rate_hz = 120;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        bks_lab_config config = some_lab_config(seed, 4, 1000);
        config.game = &game;
        config.tuning.window_ticks = 0;
        config.tuning.drop_after_ms = 9800;
        bks_lab_result result;
        play_with_silence(&config, "delay=128ms,loss=2%", "speed=0@2s:25%,full=2@14s+4s", 14.0,
                          18.0, &result);
    }
}

/// Two losses in a row are one in ten thousand, and a late tick in ten minutes.
static void lockstep_hardly_hitches_over_lines_that_lose_packets(void **state)
{
    (void)state;
    static const struct {
        const char *link;
        double hitches_most;
        double delay_most;
    } cases[] = {{"delay=50ms,loss=1%", 1.0, 6.0}, {"delay=125ms,loss=5%", 1.0, 12.0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bks_lab_config config = some_lab_config(1, 2, 60 * 180);
        config.tuning.window_ticks = 0;
        const bks_lab_result result = some_match(&config, cases[i].link, NULL);
        assert_agreed(&result, 60 * 180);
        for (uint32_t k = 0; k < 2; k++) {
            const bks_stats *stats = &result.peers[k].stats;
            print_message("%s, peer %u: %u hitches in 3 min, delay %.2f\n", cases[i].link, k,
                          (unsigned)stats->hitches, stats->input_delay_mean);
            assert_true((double)stats->hitches <= 3.0 * cases[i].hitches_most);
            assert_true(stats->input_delay_mean <= cases[i].delay_most);
        }
    }
}

/// Packets that came while the guest stood still waited for it: no round trip was that long.
static void a_guest_that_stands_still_in_the_lobby_gets_no_input_delay_by_that(void **state)
{
    (void)state;
    static const struct {
        uint32_t peers;
        const char *link;
        const char *pause;
    } cases[] = {
        {2, "delay=200ms", "lobby:pause=1@500ms+4400ms"},
        {2, "delay=30ms", "lobby:pause=1@80ms+4s"},
        {2, "delay=30ms", "lobby:pause=1@100ms+4s"},
        {2, "delay=30ms", "lobby:pause=1@120ms+2s"},
        {4, "delay=50ms", "lobby:pause=1@150ms+4s"},
        {4, "delay=50ms", "lobby:pause=2@240ms+3s"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const bks_lab_config config = some_lab_config(1, cases[i].peers, 600);
        const bks_lab_result result = some_match(&config, cases[i].link, cases[i].pause);
        assert_agreed(&result, 600);
        for (uint32_t k = 0; k < cases[i].peers; k++) {
            const double delay = result.peers[k].stats.input_delay_mean;
            print_message("%s, peer %u: %.1f ticks\n", cases[i].pause, (unsigned)k, delay);
            assert_true(delay < 6.0);
        }
    }
}

/// A loop of 30 frames a second steps two ticks at each and none between them.
static void a_peer_that_is_driven_by_frames_steps_at_its_frames_alone(void **state)
{
    (void)state;
    const uint64_t frame_ns = SOME_SECOND_NS / 30;
    bks_lab_config config = some_lab_config(1, 2, 600);
    config.frames_hz[1] = 30;
    bks_lab *lab = some_lab(&config, "delay=30ms,jitter=10ms,loss=2%", NULL);
    const lab_peer *peer = &lab->peers[1];
    const uint64_t first_ns = peer->first_frame_ns;
    bks_tick stepped = 0;
    while (bks_lab_advance(lab, bks_lab_now(lab) + 1000000)) {
        const bks_tick tick = bks_session_tick(peer->session);
        const uint64_t since_ns = (bks_lab_now(lab) - first_ns) % frame_ns;
        if (tick != stepped && stepped > 0 && stepped < 590) {
            assert_true(since_ns <= 1000000);
            assert_in_range(tick - stepped, 1, 4);
        }
        stepped = tick;
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    bks_lab_destroy(lab);
    assert_agreed(&result, 600);
    assert_true(result.match_ns < 11 * SOME_SECOND_NS);
}

/// The lines of three peers carry the match with ease, but not many copies of the lobby's packets,
/// nor 120 packets a second. So the match must not begin with queues that take seconds to drain.
static void a_fast_match_on_narrow_lines_does_not_begin_with_long_queues(void **state)
{
    (void)state;
    bks_game fast = pad_game;
    fast.tick_rate_hz = 240;
    double seconds = 0.0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        bks_lab_config config = some_lab_config(seed, 3, 3600);
        config.game = &fast;
        bks_lab *lab = some_lab(&config, "0>2:rate=23kbit", NULL);
        assert_int_equal(bks_lab_link(lab, "1>0:rate=28kbit", NULL), BKS_OK);
        assert_int_equal(bks_lab_link(lab, "2>1:rate=22kbit", NULL), BKS_OK);
        while (bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS)) {
        }
        bks_lab_result result;
        assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
        assert_agreed(&result, 3600);
        seconds += (double)result.match_ns / (double)SOME_SECOND_NS / 6.0;
        bks_lab_destroy(lab);
    }
    print_message("matches of 15 s take %.1f s\n", seconds);
    assert_true(seconds < 16.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_steady_state_no_peer_is_ahead_by_more_than_a_third_of_a_tick),
        cmocka_unit_test(slew_holds_bad_clocks_together_for_half_an_hour),
        cmocka_unit_test(stall_holds_bad_clocks_together_by_single_ticks_for_half_an_hour),
        cmocka_unit_test(without_pace_bad_clocks_part),
        cmocka_unit_test(no_tick_rate_starves),
        cmocka_unit_test(far_peers_whose_lines_lose_much_play_at_full_rate),
        cmocka_unit_test(the_input_delay_follows_a_line_that_became_longer),
        cmocka_unit_test(a_wait_for_a_peer_that_could_not_send_does_not_raise_its_input_delay),
        cmocka_unit_test(a_match_after_long_loading_begins_with_the_input_delay_of_its_lines),
        cmocka_unit_test(a_freeze_leaves_the_input_delay_of_lockstep_as_it_was),
        cmocka_unit_test(a_peer_that_could_not_send_gets_its_input_delay_back),
        cmocka_unit_test(an_input_delay_is_given_back_as_soon_at_a_low_speed),
        cmocka_unit_test(lockstep_hardly_hitches_over_lines_that_lose_packets),
        cmocka_unit_test(a_guest_that_stands_still_in_the_lobby_gets_no_input_delay_by_that),
        cmocka_unit_test(a_peer_that_is_driven_by_frames_steps_at_its_frames_alone),
        cmocka_unit_test(a_line_that_is_slow_in_one_direction_slows_no_peer_by_slew),
        cmocka_unit_test(a_line_that_is_slow_in_one_direction_slows_no_peer_by_stall),
        cmocka_unit_test(a_fast_match_on_narrow_lines_does_not_begin_with_long_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
