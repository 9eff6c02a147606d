// SPDX-License-Identifier: MIT

// Pauses of the match while states are repaired, while the match is to stop, while peers are apart,
// and while their own peer crashes. The oracle judges each match.

#include "some_lab.h"

#include "backstitch/toolkit/oracle.h"

static bks_oracle_verdict verdict;

/// Judge a match of 15 s with three peers and a pause.
static void judge(bks_on_desync policy, const char *fault, uint32_t pauser, uint32_t at_ms,
                  uint32_t span_ms)
{
    static const char *const links[] = {"delay=40ms,jitter=5ms,loss=2%"};
    char pause[64];
    snprintf(pause, sizeof(pause), "pause-game=%u@%ums+%ums", pauser, at_ms, span_ms);
    const char *const faults[] = {fault, pause};
    bks_oracle_match match = {.config = bks_lab_config_default(), .is_scripted = true};
    match.config.game = &pad_game;
    match.config.peers = 3;
    match.config.ticks = 900;
    match.config.seed = at_ms + pauser;
    match.config.tuning.on_desync = policy;
    match.links = links;
    match.link_count = 1;
    match.faults = faults;
    match.fault_count = 2;
    bks_error error = {0};
    if (bks_oracle_run(&match, &verdict, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    if (verdict.kind != BKS_ORACLE_GOOD) {
        fail_msg("%s, %s: %s", fault, pause, verdict.why);
    }
}

/// The flip comes 5 s after the first tick, a meeting is called within half a second and ends
/// within another.
static void a_state_is_repaired_whenever_the_match_pauses(void **state)
{
    (void)state;
    for (uint32_t at_ms = 4700; at_ms <= 6700; at_ms += 100) {
        judge(BKS_ON_DESYNC_RESYNC, "flip=1@300:once", at_ms / 100 % 3, at_ms, 3000);
        assert_true(verdict.result.agreed);
        assert_int_equal(verdict.result.repair_count, 1);
        assert_int_equal(some_moment(&verdict.result, "paused"), 3);
    }
}

static void a_state_is_repaired_when_a_member_of_the_meeting_sleeps_in_the_pause(void **state)
{
    (void)state;
    for (uint32_t at_ms = 4700; at_ms <= 6700; at_ms += 200) {
        char faults[64];
        const uint32_t sleeper = at_ms / 200 % 3;
        snprintf(faults, sizeof(faults), "flip=1@300:once,pause=%u@%ums+12s", sleeper, at_ms + 900);
        judge(BKS_ON_DESYNC_RESYNC, faults, 0, at_ms, 15000);
        assert_true(verdict.result.agreed);
        assert_int_equal(verdict.result.repair_count, 1);
    }
}

static void a_match_that_differs_stops_whenever_it_pauses(void **state)
{
    (void)state;
    for (uint32_t at_ms = 4700; at_ms <= 6100; at_ms += 100) {
        judge(BKS_ON_DESYNC_STOP, "flip=1@300:once", at_ms / 100 % 3, at_ms, 3000);
        assert_in_range(verdict.result.peers[0].ticks, 366, 500);
    }
}

static void peers_that_meet_again_in_a_pause_play_on_together(void **state)
{
    (void)state;
    for (uint32_t at_ms = 3000; at_ms <= 8000; at_ms += 500) {
        judge(BKS_ON_DESYNC_RESYNC, "split=0.1/2@4s+2s", at_ms / 500 % 3, at_ms, 5000);
        assert_true(verdict.result.agreed);
        assert_int_equal(some_moment(&verdict.result, "view"), 0);
    }
}

/// The pause of the host excuses all, also those that it does not reach.
static void peers_that_a_pause_excuses_meet_again_after_a_minute(void **state)
{
    (void)state;
    judge(BKS_ON_DESYNC_RESYNC, "split=0.1/2@4s+60s", 0, 3000, 65000);
    assert_true(verdict.result.agreed);
    assert_int_equal(some_moment(&verdict.result, "view"), 0);
}

static void sides_that_parted_meet_again_in_a_pause(void **state)
{
    (void)state;
    for (uint32_t at_ms = 3000; at_ms <= 12000; at_ms += 1000) {
        judge(BKS_ON_DESYNC_REPORT, "split=0.1/2@4s+6500ms", at_ms / 1000 % 3, at_ms, 4000);
    }
}

static void peers_play_on_without_one_that_crashed_in_its_pause(void **state)
{
    (void)state;
    for (uint32_t late_ms = 0; late_ms <= 4000; late_ms += 200) {
        char fault[64];
        const uint32_t pauser = late_ms / 200 % 3;
        snprintf(fault, sizeof(fault), "crash=%u@%ums", pauser, 3000 + late_ms);
        judge(BKS_ON_DESYNC_REPORT, fault, pauser, 3000, 3000);
        assert_true(verdict.result.agreed);
        assert_true(some_moment(&verdict.result, "view") == 2);
    }
}

/// The peer of the pause ends it where nobody else hears it.
static void peers_play_on_without_one_that_is_cut_off_in_its_pause(void **state)
{
    (void)state;
    for (uint32_t late_ms = 500; late_ms <= 2500; late_ms += 500) {
        char fault[64];
        snprintf(fault, sizeof(fault), "split=0.2/1@%ums+60s", 3000 + late_ms);
        judge(BKS_ON_DESYNC_REPORT, fault, 1, 3000, 3000);
        assert_int_equal(verdict.result.peers[0].ticks, 900);
        assert_int_equal(verdict.result.peers[2].ticks, 900);
    }
}

/// The pause reaches the others when its peer has crashed already.
static void peers_play_on_without_one_that_crashed_as_soon_as_it_paused(void **state)
{
    (void)state;
    for (uint32_t pauser = 0; pauser < 3; pauser++) {
        char fault[64];
        snprintf(fault, sizeof(fault), "crash=%u@3025ms", pauser);
        judge(BKS_ON_DESYNC_REPORT, fault, pauser, 3000, 30);
        assert_true(verdict.result.agreed);
    }
}

static void peers_play_on_without_two_that_crashed_in_a_pause(void **state)
{
    (void)state;
    for (uint32_t late_ms = 500; late_ms <= 4000; late_ms += 500) {
        char faults[64];
        snprintf(faults, sizeof(faults), "crash=0@4s,crash=%u@%ums", 1 + late_ms / 500 % 2,
                 3000 + late_ms);
        judge(BKS_ON_DESYNC_REPORT, faults, 0, 3000, 3000);
    }
}

/// The host says goodbye in its pause, and so cannot be waited for. Nobody excuses the crashed
/// peer any longer once the last one wants to go on.
static void a_peer_plays_on_after_a_goodbye_and_a_crash_in_a_pause(void **state)
{
    (void)state;
    for (uint32_t late_ms = 500; late_ms <= 2000; late_ms += 500) {
        char faults[64];
        snprintf(faults, sizeof(faults), "leave=0@%ums,crash=1@4s", 3000 + late_ms);
        judge(BKS_ON_DESYNC_REPORT, faults, 0, 3000, 3000);
        assert_true(verdict.result.agreed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_repaired_whenever_the_match_pauses),
        cmocka_unit_test(a_state_is_repaired_when_a_member_of_the_meeting_sleeps_in_the_pause),
        cmocka_unit_test(a_match_that_differs_stops_whenever_it_pauses),
        cmocka_unit_test(peers_that_meet_again_in_a_pause_play_on_together),
        cmocka_unit_test(peers_that_a_pause_excuses_meet_again_after_a_minute),
        cmocka_unit_test(sides_that_parted_meet_again_in_a_pause),
        cmocka_unit_test(peers_play_on_without_one_that_crashed_in_its_pause),
        cmocka_unit_test(peers_play_on_without_one_that_is_cut_off_in_its_pause),
        cmocka_unit_test(peers_play_on_without_one_that_crashed_as_soon_as_it_paused),
        cmocka_unit_test(peers_play_on_without_two_that_crashed_in_a_pause),
        cmocka_unit_test(a_peer_plays_on_after_a_goodbye_and_a_crash_in_a_pause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
