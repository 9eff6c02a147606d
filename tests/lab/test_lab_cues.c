// SPDX-License-Identifier: MIT

// Whatever the network does, the cues that each peer reports are those that happened.

#include "some_lab.h"

#include "backstitch/replay.h"
#include "backstitch/toolkit/runner.h"
#include "duel/duel.h"
#include "lab/cue_log.h"
#include "long_recording.h"

enum { PEERS = 4, PER_TICK = 64, SEEDS = 10 };

typedef struct ears {
    bksi_cue_log logs[PEERS];
} ears;

static void hear(void *context, uint32_t peer, const bks_cue_event *event)
{
    ears *heard = context;
    bksi_cue_log_add(&heard->logs[peer], event);
}

/// Step the recorded inputs once, in order.
static void play_straight(const long_recording *recording, bksi_cue_log *log)
{
    long_playback p = long_recording_play(recording, &duel_game, PER_TICK);
    bks_playback *playback = p.playback;
    bks_cue_event event;
    while (bks_playback_step(playback) == BKS_OK) {
        while (bks_playback_cue(playback, &event)) {
            bksi_cue_log_add(log, &event);
        }
        bksi_cue_log_add(log, NULL);
    }
    long_recording_end(&p);
}

static bks_bot bots[PEERS];

static bks_lab_config duel_of_bots(uint64_t seed, bks_tick ticks)
{
    bks_lab_config config = bks_lab_config_default();
    config.game = &duel_game;
    config.seed = seed;
    config.peers = PEERS;
    config.ticks = ticks;
    for (uint32_t i = 0; i < PEERS; i++) {
        assert_int_equal(bks_bot_init(&bots[i], &duel_game, NULL), BKS_OK);
        config.sources[i] = bks_bot_source(&bots[i]);
    }
    return config;
}

/// Play a match and check that each peer's cues are those of its inputs stepped once.
/// @return number of cues that happened
static size_t check_match(uint64_t seed, bks_tick ticks, const char *link)
{
    long_recording recording = {0};
    ears heard = {0};
    bksi_cue_log straight;
    bks_lab_config config = duel_of_bots(seed, ticks);
    config.records[0] = (bks_sink){.write = long_record, .context = &recording};
    config.cues_per_tick = PER_TICK;
    config.cue = hear;
    config.cue_context = &heard;
    for (uint32_t i = 0; i < PEERS; i++) {
        bksi_cue_log_begin(&heard.logs[i], &duel_game, &config.allocator);
    }
    bksi_cue_log_begin(&straight, &duel_game, &config.allocator);
    const bks_lab_result result = some_match(&config, link, NULL);
    assert_agreed(&result, ticks);
    play_straight(&recording, &straight);
    for (uint32_t i = 0; i < PEERS; i++) {
        const char *why = bksi_cue_log_compare(&heard.logs[i], &straight, ticks);
        if (why != NULL) {
            fail_msg("seed %d, peer %u: %s", (int)seed, i, why);
        }
        bksi_cue_log_end(&heard.logs[i]);
    }
    const size_t happened = straight.count;
    bksi_cue_log_end(&straight);
    free(recording.bytes);
    return happened;
}

static void test_peers_hear_what_happened_whatever_the_network_does(void **state)
{
    (void)state;
    size_t happened = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        happened += check_match(seed, 900, "delay=100ms,jitter=20ms,loss=5%");
    }
    assert_true(happened > SEEDS * 100);
}

/// Reporting cues must not change the match.
static void test_a_match_is_the_same_whether_or_not_anybody_listens(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (uint32_t i = 0; i < 2; i++) {
        ears heard = {0};
        bks_lab_config config = duel_of_bots(7, 600);
        for (uint32_t k = 0; k < PEERS; k++) {
            bksi_cue_log_begin(&heard.logs[k], &duel_game, &config.allocator);
        }
        config.cues_per_tick = i * PER_TICK;
        config.cue = i > 0 ? hear : NULL;
        config.cue_context = &heard;
        const bks_lab_result result = some_match(&config, "delay=60ms,loss=3%", NULL);
        assert_agreed(&result, 600);
        hashes[i] = result.final_hash;
        assert_int_equal(heard.logs[0].count > 0, i > 0);
        for (uint32_t k = 0; k < PEERS; k++) {
            bksi_cue_log_end(&heard.logs[k]);
        }
    }
    assert_int_equal(hashes[0], hashes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_peers_hear_what_happened_whatever_the_network_does),
        cmocka_unit_test(test_a_match_is_the_same_whether_or_not_anybody_listens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
