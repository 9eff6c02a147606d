// SPDX-License-Identifier: MIT

#include "some_lab.h"

#include "backstitch/toolkit/oracle.h"
#include "base/mutant.h"
#include "lab/oracle_internal.h"
#include "support/seed.h"

static bks_oracle_match good_match(void)
{
    bks_oracle_match match = {
        .config = bks_lab_config_default(), .is_scripted = true, .is_repeated = true};
    match.config.game = &pad_game;
    match.config.ticks = 400;
    return match;
}

/// Run a match and expect that nothing is wrong with it.
static void expect_good(const bks_oracle_match *match, bks_oracle_verdict *verdict)
{
    assert_int_equal(bks_oracle_run(match, verdict, NULL), BKS_OK);
    assert_string_equal(verdict->why, "");
    assert_int_equal(verdict->kind, BKS_ORACLE_GOOD);
}

static void a_match_with_bad_links_and_a_crash_is_good(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    static const char *const links[] = {"delay=40ms,jitter=10ms,loss=2%", "0>1:loss=5%"};
    static const char *const faults[] = {"crash=2@1s", "heal@2s"};
    bks_error error = {0};
    bks_oracle_match match = good_match();
    match.config.peers = 3;
    match.links = links;
    match.link_count = 2;
    match.faults = faults;
    match.fault_count = 2;
    assert_int_equal(bks_oracle_run(&match, &verdict, &error), BKS_OK);
    assert_string_equal(verdict.why, "");
    assert_int_equal(verdict.kind, BKS_ORACLE_GOOD);
    assert_int_equal(verdict.tick, BKS_TICK_NONE);
    assert_true(verdict.result.agreed && verdict.peer_hours > 0.0);
}

/// The host starts alone and leaves at once. A guest that hears the goodbye ends. A guest that was
/// cut off waits as long as the host may load.
static void a_host_that_leaves_before_its_guest_starts_ends_the_match(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    static const char *const links[] = {"loss=6%,delay=10ms"};
    static const char *const faults[][2] = {{"lobby:full=0@45ms+200ms", "leave=0@0ms"},
                                            {"lobby:cut=1-0@60ms+7100ms", "leave=0@0ms"}};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t alone = 0;
        for (uint64_t seed = 1; seed <= 40; seed++) {
            bks_oracle_match match = good_match();
            match.config.seed = seed;
            match.config.ticks = 11;
            match.config.peers = 2;
            match.links = links;
            match.link_count = 1;
            match.faults = faults[i];
            match.fault_count = 2;
            expect_good(&match, &verdict);
            alone += strcmp(verdict.result.reason, "no peer is left in the match") == 0 ? 1 : 0;
        }
        assert_true(alone > 0);
    }
}

/// A static variable, for a game whose step reads data outside its state.
static uint32_t steps;

static void a_match_that_begins_later_is_judged_from_there_on(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    static const char *const flip[] = {"flip=1@1100:byte"};
    bks_oracle_match match = good_match();
    match.config.first_tick = 1000;
    match.config.ticks += 1000;
    expect_good(&match, &verdict);
    assert_int_equal(verdict.result.compared, match.config.ticks);
    match.faults = flip;
    match.fault_count = 1;
    assert_int_equal(bks_oracle_run(&match, &verdict, NULL), BKS_OK);
    assert_int_equal(verdict.kind, BKS_ORACLE_GOOD);
    assert_int_equal(verdict.result.desync_tick, 1100);
}

static void hidden_step(void *state, const bks_step *step)
{
    steps++;
    pad_game.step(state, step);
    *(uint8_t *)state ^= steps % 97 == 0 ? 1 : 0;
}

static void a_game_that_looks_outside_its_state_is_unsafe(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    bks_game game = pad_game;
    bks_oracle_match match = good_match();
    game.step = hidden_step;
    match.config.game = &game;
    assert_int_equal(bks_oracle_run(&match, &verdict, NULL), BKS_OK);
    assert_true(verdict.kind >= BKS_ORACLE_UNSAFE);
    assert_string_not_equal(verdict.why, "");
}

static bks_tick given[2]; ///< number of samples by seat, a memory that must be rewound

static void count_asked(void *context, const bks_sample *asked, int32_t *values)
{
    (void)context;
    values[0] = given[asked->player]++ % 3 - 1;
}

static void forget(void *context)
{
    (void)context;
    memset(given, 0, sizeof(given));
}

static void sources_with_a_memory_are_rewound_or_the_match_varies(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    bks_oracle_match match = good_match();
    match.config.sources[0] = (bks_source){.sample = count_asked};
    match.config.sources[1] = match.config.sources[0];
    match.rewind = forget;
    assert_int_equal(bks_oracle_run(&match, &verdict, NULL), BKS_OK);
    assert_int_equal(verdict.kind, BKS_ORACLE_GOOD);
    match.rewind = NULL;
    match.is_scripted = false;
    assert_int_equal(bks_oracle_run(&match, &verdict, NULL), BKS_OK);
    assert_int_equal(verdict.kind, BKS_ORACLE_VARIES);
}

static void a_planted_desync_is_good_when_found_and_a_slow_match_is_dead(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    static const char *const flip[] = {"flip=1@100:byte"};
    static const char *const flip_at_first[] = {"flip=1@0:byte"};
    static const char *const heal[] = {"heal@1s"};
    bks_oracle_match match = good_match();
    match.faults = flip;
    match.fault_count = 1;
    assert_int_equal(bks_oracle_run(&match, &verdict, NULL), BKS_OK);
    assert_int_equal(verdict.kind, BKS_ORACLE_GOOD);
    assert_int_equal(verdict.result.desync_tick, 100);
    match.faults = flip_at_first;
    expect_good(&match, &verdict);
    assert_int_equal(verdict.result.desync_tick, 0);
    match.faults = heal;
    match.config.step_ns = 25000000; // longer than a tick: full rate is out of reach
    assert_int_equal(bks_oracle_run(&match, &verdict, NULL), BKS_OK);
    assert_int_equal(verdict.kind, BKS_ORACLE_DEAD);
}

/// Judge a match of 100 s with a link and a fault, or NULL, and return the kind of verdict.
static bks_oracle_kind judged(bks_oracle_match match, const char *link, const char *fault)
{
    static bks_oracle_verdict verdict;
    match.config.ticks = 6000;
    match.is_repeated = false;
    match.links = &link;
    match.link_count = 1;
    match.faults = &fault;
    match.fault_count = fault != NULL ? 1 : 0;
    assert_int_equal(bks_oracle_run(&match, &verdict, NULL), BKS_OK);
    return verdict.kind;
}

/// With an input delay of 7 s all inputs are known 7 s before the end.
static void a_slow_match_that_knows_all_its_inputs_goes_on(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    bks_game game = pad_game;
    bks_oracle_match match = good_match();
    game.tick_rate_hz = 1;
    match.config.game = &game;
    match.config.ticks = 10;
    match.config.tuning.delay_ticks = 7;
    expect_good(&match, &verdict);
}

/// The rate of a match is judged if its lines can carry it, commands included.
static void commands_need_wider_lines(void **state)
{
    (void)state;
    static const struct {
        const char *link;
        bool is_calm;
        bool is_calm_with_commands;
    } rows[] = {{"rate=13kbit", false, false},
                {"rate=23kbit", true, false},
                {"rate=63kbit", true, false},
                {"rate=64kbit", true, true}};
    bks_game with_commands = pad_game;
    with_commands.command_bytes_max = 3000;
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        bks_lab_config config = some_lab_config(1, 2, 60);
        bks_lab *lab = some_lab(&config, rows[row].link, NULL);
        assert_int_equal(bksi_oracle_is_calm(lab), rows[row].is_calm);
        bks_lab_destroy(lab);
        config.game = &with_commands;
        lab = some_lab(&config, rows[row].link, NULL);
        assert_int_equal(bksi_oracle_is_calm(lab), rows[row].is_calm_with_commands);
        bks_lab_destroy(lab);
    }
}

/// The guest has asked for a seat, has one, or has not heard of the start. It tries again, gives up
/// on the host, which waits for another guest, or the others play without it.
static void a_guest_cut_off_in_the_lobby_for_long_leaves_a_good_match(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    uint32_t begun = 0;
    for (uint32_t ms = 0; ms < 400; ms += 20) {
        char split[48];
        (void)snprintf(split, sizeof(split), "lobby:split=0.1/2@%ums+12s", ms);
        const char *const faults[] = {split, "heal@13s"};
        static const char *const links[] = {"delay=50ms"};
        bks_oracle_match match = good_match();
        match.config.peers = 3;
        match.config.ticks = 1200;
        match.links = links;
        match.link_count = 1;
        match.faults = faults;
        match.fault_count = 2;
        expect_good(&match, &verdict);
        begun += verdict.result.compared == 1200 ? 1 : 0;
    }
    assert_in_range(begun, 16, 19);
}

/// The guest hears of the start so late that it is dropped before it can begin.
static void a_guest_that_stands_still_over_the_start_hears_that_it_is_out(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    for (uint32_t ms = 60; ms <= 220; ms += 20) {
        char pause[48];
        (void)snprintf(pause, sizeof(pause), "lobby:pause=2@%ums+12s", ms);
        const char *const faults[] = {pause, "heal@0s"};
        static const char *const links[] = {"1>0:delay=23ms", "1>2:delay=23ms", "2>1:delay=23ms"};
        bks_oracle_match match = good_match();
        match.config.peers = 3;
        match.config.ticks = 1200;
        match.links = links;
        match.link_count = 3;
        match.faults = faults;
        match.fault_count = 2;
        expect_good(&match, &verdict);
    }
}

/// The guests learn during the match that one has no keys of the other, and agree on new ones.
static void two_guests_that_never_heard_each_other_in_the_lobby_play(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    static const char *const faults[] = {"lobby:full=1@50ms+5000ms", "heal@0s"};
    static const char *const links[] = {"0>2:rate=69kbit"};
    bks_oracle_match match = good_match();
    match.config.peers = 3;
    match.config.frames_hz[0] = 34;
    match.config.frames_hz[2] = 75;
    match.links = links;
    match.link_count = 1;
    match.faults = faults;
    match.fault_count = 2;
    for (uint32_t seed = 1; seed <= seed_rounds(6); seed++) {
        match.config.seed = seed;
        expect_good(&match, &verdict);
    }
}

/// @return 0 if all heard it; else bits of the peers that a verdict names
static uint32_t goodbyes_missed(uint32_t leaver)
{
    static bks_oracle_verdict verdict;
    uint32_t missed = 0;
    for (uint32_t ms = 0; ms < 400; ms += 20) {
        char leave[48];
        char text[48];
        (void)snprintf(leave, sizeof(leave), "lobby:leave=%u@%ums", leaver, ms);
        const char *const faults[] = {leave};
        static const char *const links[] = {"delay=50ms"};
        bks_oracle_match match = good_match();
        match.config.peers = 3;
        match.config.ticks = 600;
        match.links = links;
        match.link_count = 1;
        match.faults = faults;
        match.fault_count = 1;
        assert_int_equal(bks_oracle_run(&match, &verdict, NULL), BKS_OK);
        for (uint32_t i = 0; i < 3; i++) {
            (void)snprintf(text, sizeof(text), "and peer %u did not receive its goodbye", i);
            missed |= strstr(verdict.why, text) != NULL ? 1u << i : 0;
        }
        assert_int_equal(verdict.kind == BKS_ORACLE_GOOD, verdict.why[0] == '\0');
        missed |= verdict.kind != BKS_ORACLE_GOOD && missed == 0 ? 8 : 0;
    }
    return missed;
}

/// The host must learn that a guest left, and guests that the host left.
static void a_goodbye_before_the_start_must_be_heard(void **state)
{
    (void)state;
    assert_int_equal(goodbyes_missed(1), 0);
    assert_int_equal(goodbyes_missed(0), 0);
    const bksi_mutant before = bksi_mutant_set(BKSI_MUTANT_FAREWELL);
    const uint32_t of_guest = goodbyes_missed(1);
    const uint32_t of_host = goodbyes_missed(0);
    (void)bksi_mutant_set(before);
    assert_int_equal(of_guest, 1u << 0);
    assert_int_equal(of_host, 1u << 1);
}

/// A request that arrives after the goodbye is of a guest that is gone.
static void a_request_that_its_guests_goodbye_overtook_takes_no_seat(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    for (uint32_t ms = 215; ms <= 240; ms += 5) {
        char leave[48];
        (void)snprintf(leave, sizeof(leave), "lobby:leave=2@%ums", ms);
        const char *const faults[] = {leave};
        static const char *const links[] = {"delay=92ms,jitter=11ms,reorder=5%"};
        bks_oracle_match match = good_match();
        match.config.seed = 5;
        match.config.peers = 3;
        match.links = links;
        match.link_count = 1;
        match.faults = faults;
        match.fault_count = 1;
        expect_good(&match, &verdict);
    }
}

static void a_match_is_slow_only_where_its_links_cannot_carry_it(void **state)
{
    (void)state;
    const bks_oracle_match match = good_match();
    assert_int_equal(judged(match, "delay=80ms,loss=5%", NULL), BKS_ORACLE_GOOD);
    assert_int_equal(judged(match, "delay=80ms", "drift=0:-100000ppm"), BKS_ORACLE_DEAD);
    assert_int_equal(judged(match, "loss=30%", "drift=0:-100000ppm"), BKS_ORACLE_GOOD);
    bks_oracle_match tight = match;
    tight.config.tuning.window_ticks = 3;
    tight.config.tuning.delay_ticks = 2;
    assert_int_equal(judged(tight, "delay=100ms", NULL), BKS_ORACLE_GOOD); // the match is slow, as
                                                                           // it must be
    // Full rate is not demanded of links that were bad until they healed.
    tight.config.tuning.window_ticks = 12;
    tight.config.tuning.delay_ticks = 0;
    assert_int_equal(judged(tight, "delay=400ms", "heal@40s"), BKS_ORACLE_GOOD);
}

/// Play lockstep with one tick of delay, at 37 frames a second.
static void a_rate_that_frames_do_not_allow_is_not_asked_for(void **state)
{
    (void)state;
    bks_oracle_match match = good_match();
    match.config.tuning.window_ticks = 0;
    match.config.tuning.delay_ticks = 1;
    match.config.frames_hz[0] = 37;
    match.config.frames_hz[1] = 43;
    assert_int_equal(judged(match, "delay=20ms", "heal@2s"), BKS_ORACLE_GOOD);
    match.config.frames_hz[0] = match.config.frames_hz[1] = 0;
    assert_int_equal(judged(match, "delay=20ms", "heal@2s"), BKS_ORACLE_GOOD);
    match.config.step_ns = 25000000;
    assert_int_equal(judged(match, "delay=20ms", "heal@2s"), BKS_ORACLE_DEAD);
}

/// Peer 1 sends a wrong input and then receives nothing: it cannot confirm the tick of its lie
/// before peer 0, which holds the wrong input, drops it. No other peer holds the right one.
static void a_lie_that_only_one_side_confirmed_is_no_difference(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    static const char *const links[] = {"delay=20ms"};
    static const char *const faults[] = {"full=0@1900ms+7s", "lie=1@2s", "pause=1@3s+6s"};
    bks_oracle_match match = good_match();
    match.links = links;
    match.link_count = 1;
    match.faults = faults;
    match.fault_count = 3;
    expect_good(&match, &verdict);
    assert_int_equal(verdict.result.desync_tick, BKS_TICK_NONE);
    assert_int_equal(verdict.result.peers[0].ticks, match.config.ticks);
    assert_true(verdict.result.peers[1].confirmed < match.config.ticks);
}

/// The peers confirm the last tick, about which one of them lied, at different times: the other has
/// left by then.
static void a_lie_about_the_last_tick_is_a_reason_to_differ_after_a_goodbye_too(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    static const char *const faults[] = {"leave=0@933ms", "lie=1@767ms"};
    bks_oracle_match match = {.config = some_lab_config(1, 2, 55)};
    match.config.own_tunings = 3;
    match.config.tuning.pace = BKS_PACE_STALL;
    for (uint32_t i = 0; i < 2; i++) {
        match.config.tunings[i] = match.config.tuning;
        match.config.tunings[i].delay_ticks = i == 0 ? 4 : 12;
    }
    match.faults = faults;
    match.fault_count = 2;
    expect_good(&match, &verdict);
    assert_int_equal(verdict.result.desync_tick, 55);
}

/// Whatever messages a member forges, the others must agree, and be at full rate 2 s after they
/// drop it. If it forges no inputs, all their states are the same.
static void a_member_that_forges_messages_parts_no_others(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    static const char *const links[] = {"delay=40ms,jitter=5ms,loss=1%"};
    const uint32_t seeds = seed_rounds(24);
    uint32_t agreed = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        char forge[64];
        (void)snprintf(forge, sizeof(forge), "forge=%u@1s+2s", (unsigned)(seed % 4));
        const char *const faults[] = {forge, "heal@3s"};
        const bks_oracle_match match = {.config = some_lab_config(seed, 4, 750),
                                        .links = links,
                                        .link_count = 1,
                                        .faults = faults,
                                        .fault_count = 2};
        expect_good(&match, &verdict);
        agreed += verdict.result.agreed ? 1 : 0;
    }
    print_message("%u of %u agreed\n", agreed, seeds);
    assert_true(agreed > seeds / 2 && (agreed < seeds || seeds < 24));
}

/// Expect that a match is good, and dead with a mutant.
/// @param why  part of the reason that the verdict gives
static void expect_dead_by(bksi_mutant mutant, const bks_oracle_match *match, const char *why)
{
    static bks_oracle_verdict verdict;
    expect_good(match, &verdict);
    (void)bksi_mutant_set(mutant);
    assert_int_equal(bks_oracle_run(match, &verdict, NULL), BKS_OK);
    (void)bksi_mutant_set(BKSI_MUTANT_NONE);
    assert_int_equal(verdict.kind, BKS_ORACLE_DEAD);
    assert_non_null(strstr(verdict.why, why));
}

/// Peers that wait for one that is frozen must not take the wait for a need of delay.
static void a_delay_that_a_freeze_leaves_behind_is_found(void **state)
{
    (void)state;
    static const char *const links[] = {"delay=60ms"};
    static const char *const faults[] = {"pause=1@4s+3s"};
    bks_oracle_match match = good_match();
    match.config.ticks = 60 * 16;
    match.config.tuning.window_ticks = 0;
    match.links = links;
    match.link_count = 1;
    match.faults = faults;
    match.fault_count = 1;
    expect_dead_by(BKSI_MUTANT_SILENCE, &match, "has an input delay of");
}

/// Expect that a match of three peers in lockstep with a fault is good. Expect that it is not good
/// with the mutant that keeps an input delay which only a disturbance needed.
static void expect_given_back(const char *fault)
{
    static const char *const links[] = {"delay=60ms"};
    bks_oracle_match match = good_match();
    match.config.peers = 3;
    match.config.ticks = 60 * 20;
    match.config.tuning.window_ticks = 0;
    match.config.tuning.drop_after_ms = 8000;
    match.links = links;
    match.link_count = 1;
    match.faults = &fault;
    match.fault_count = 1;
    expect_dead_by(BKSI_MUTANT_DISTURBED, &match, "has an input delay of");
}

/// While a pair is cut, packets take a longer path and need a longer input delay. The delay must
/// become shorter again after the cut.
static void a_delay_that_a_detour_leaves_behind_is_found(void **state)
{
    (void)state;
    expect_given_back("cut=0-1@5s+4s");
}

/// A delay that leaves one tick in a hundred late hitches 36 times a minute at 60 Hz.
static void a_delay_that_leaves_many_ticks_late_is_found(void **state)
{
    (void)state;
    static const char *const links[] = {"delay=40ms,loss=7%"};
    bks_oracle_match match = good_match();
    match.config.ticks = 60 * 90;
    match.config.tuning.window_ticks = 0;
    match.links = links;
    match.link_count = 1;
    match.fault_count = 0;
    expect_dead_by(BKSI_MUTANT_SHARE, &match, "peers hitched");
}

static void late_ticks_are_found_at_another_speed_too(void **state)
{
    (void)state;
    static const char *const links[] = {"delay=40ms,loss=7%"};
    static const char *const speeds[] = {"speed=1@4s:150%"};
    bks_oracle_match match = good_match();
    match.config.ticks = 60 * 120;
    match.config.tuning.window_ticks = 0;
    match.links = links;
    match.link_count = 1;
    match.faults = speeds;
    match.fault_count = 1;
    expect_dead_by(BKSI_MUTANT_SHARE, &match, "peers hitched");
}

/// Packets go as rarely as ticks, so a lost one costs more time than at the usual speed.
static void a_delay_that_a_low_speed_needs_is_good(void **state)
{
    (void)state;
    static const char *const links[] = {"delay=93ms,jitter=2ms,loss=19%"};
    static const char *const faults[] = {"speed=1@4s:25%"};
    for (uint64_t seed = 20; seed < 30; seed++) {
        bks_oracle_match match = good_match();
        match.config.seed = seed;
        match.config.peers = 3;
        match.config.ticks = 60 * 12;
        match.config.tuning.window_ticks = 0;
        match.links = links;
        match.link_count = 1;
        match.faults = faults;
        match.fault_count = 1;
        bks_oracle_verdict verdict;
        expect_good(&match, &verdict);
    }
}

/// In lockstep a pause leaves neither a longer delay nor hitches. A peer that goes on is found.
static void a_match_with_a_pause_is_good_and_a_pause_that_is_missed_is_found(void **state)
{
    (void)state;
    static const char *const faults[] = {"pause-game=1@4s+4s"};
    for (uint32_t window = 0; window <= 20; window += 20) {
        bks_oracle_match match = good_match();
        match.config.ticks = 60 * 25;
        match.config.tuning.window_ticks = window;
        match.faults = faults;
        match.fault_count = 1;
        bks_oracle_verdict verdict;
        expect_good(&match, &verdict);
        const bksi_mutant before = bksi_mutant_set(BKSI_MUTANT_PAUSE);
        assert_int_equal(bks_oracle_run(&match, &verdict, NULL), BKS_OK);
        (void)bksi_mutant_set(before);
        assert_int_equal(verdict.kind, BKS_ORACLE_UNSAFE);
        assert_non_null(strstr(verdict.why, "beyond the tick of a pause"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_with_bad_links_and_a_crash_is_good),
        cmocka_unit_test(a_match_with_a_pause_is_good_and_a_pause_that_is_missed_is_found),
        cmocka_unit_test(a_match_that_begins_later_is_judged_from_there_on),
        cmocka_unit_test(a_host_that_leaves_before_its_guest_starts_ends_the_match),
        cmocka_unit_test(a_game_that_looks_outside_its_state_is_unsafe),
        cmocka_unit_test(sources_with_a_memory_are_rewound_or_the_match_varies),
        cmocka_unit_test(a_planted_desync_is_good_when_found_and_a_slow_match_is_dead),
        cmocka_unit_test(a_slow_match_that_knows_all_its_inputs_goes_on),
        cmocka_unit_test(commands_need_wider_lines),
        cmocka_unit_test(a_guest_cut_off_in_the_lobby_for_long_leaves_a_good_match),
        cmocka_unit_test(a_guest_that_stands_still_over_the_start_hears_that_it_is_out),
        cmocka_unit_test(a_goodbye_before_the_start_must_be_heard),
        cmocka_unit_test(two_guests_that_never_heard_each_other_in_the_lobby_play),
        cmocka_unit_test(a_request_that_its_guests_goodbye_overtook_takes_no_seat),
        cmocka_unit_test(a_match_is_slow_only_where_its_links_cannot_carry_it),
        cmocka_unit_test(a_rate_that_frames_do_not_allow_is_not_asked_for),
        cmocka_unit_test(a_lie_that_only_one_side_confirmed_is_no_difference),
        cmocka_unit_test(a_lie_about_the_last_tick_is_a_reason_to_differ_after_a_goodbye_too),
        cmocka_unit_test(a_member_that_forges_messages_parts_no_others),
        cmocka_unit_test(a_delay_that_a_freeze_leaves_behind_is_found),
        cmocka_unit_test(a_delay_that_a_detour_leaves_behind_is_found),
        cmocka_unit_test(a_delay_that_leaves_many_ticks_late_is_found),
        cmocka_unit_test(late_ticks_are_found_at_another_speed_too),
        cmocka_unit_test(a_delay_that_a_low_speed_needs_is_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
