// SPDX-License-Identifier: MIT

// Evidence that other programs lose. Whose failure each test stands for, and which tests of the
// rooms go deeper, is in docs/rivals.md.

#include "lab/some_lab.h"

#include "backstitch/toolkit/recording.h"
#include "session/toy_network.h"
#include "support/seed.h"

#define TICKS 600

/// As they would be in files.
static some_recording recordings[3];

static bks_lab_config recorded(uint64_t seed, uint32_t peers)
{
    bks_lab_config config = some_lab_config(seed, peers, TICKS);
    for (uint32_t i = 0; i < peers; i++) {
        recordings[i].count = 0;
        config.records[i] = (bks_sink){.write = some_record, .context = &recordings[i]};
    }
    return config;
}

static bks_replay *open_recording(uint32_t peer)
{
    bks_replay *replay = NULL;
    assert_int_equal(
        bks_replay_open(recordings[peer].bytes, recordings[peer].count, NULL, &replay, NULL),
        BKS_OK);
    return replay;
}

static bks_verify_result verify(bks_replay *replay)
{
    const bks_playback_config config = {.replay = replay, .game = &pad_game};
    bks_verify_result result;
    const bks_status status = bks_replay_verify(&config, NULL, &result, NULL);
    assert_int_equal(status, result.is_same ? BKS_OK : BKS_ERR_DESYNC);
    return result;
}

/// Spring, Fortress: a crash takes the whole recording. Here what the sink has got when a process
/// is gone is a recording that verifies, up to the tick in hand.
static void a_recording_survives_a_crash(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 20; round++) {
        bks_lab_config config = recorded(seed_next(), 2);
        bks_lab *lab = some_lab(&config, "delay=60ms,jitter=20ms,loss=5%", NULL);
        (void)bks_lab_advance(lab, (3000 + seed_below(5000)) * UINT64_C(1000000));
        // Nothing is closed or flushed: the process is gone.
        bks_replay *replay = open_recording(0);
        const bks_recording *info = bks_replay_info(replay);
        const bks_session *session = bks_peer_session(bks_lab_peer(lab, 0));
        const bks_tick stepped = bks_session_tick(session);
        assert_true(stepped > 60);
        assert_false(info->is_complete);
        assert_false(info->is_damaged);
        assert_int_equal(info->ticks, stepped);
        assert_true(info->confirmed > 0 && info->confirmed >= stepped - 40);
        assert_true(verify(replay).is_same);
        bks_replay_close(replay);
        bks_lab_destroy(lab);
    }
}

static void tune_endless(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 0;
}

/// Factorio, Spring, OpenTTD: each side writes down another tick of a desync.
static void both_sides_of_a_desync_name_the_same_tick(void **state)
{
    (void)state;
    static toy_network network;
    for (uint32_t round = 0; round < 10; round++) {
        toy_create(&network, 2, seed_next(), tune_endless);
        network.jitter_ns = 30 * TOY_MS;
        network.loss_percent = 10;
        const bks_tick flip = 120 + (bks_tick)seed_below(200);
        network.peers[1].flip_tick = flip;
        toy_run_until(&network, 9000 * TOY_MS);
        const bks_event *a = &network.peers[0].last[BKS_EVENT_DESYNC];
        const bks_event *b = &network.peers[1].last[BKS_EVENT_DESYNC];
        assert_int_equal(network.peers[0].events[BKS_EVENT_DESYNC], 1);
        assert_int_equal(network.peers[1].events[BKS_EVENT_DESYNC], 1);
        assert_int_equal(a->tick, flip);
        assert_int_equal(b->tick, flip);
        assert_true(a->own_hash == b->peer_hash && a->peer_hash == b->own_hash);
        assert_true(a->own_hash != a->peer_hash);
        assert_false(a->inputs_differ || b->inputs_differ);
        toy_destroy(&network);
    }
}

/// OpenRA, bevy_ggrs: the evidence is gone when the difference shows. Here both recordings have the
/// inputs and the hash of the very tick, and stepping them again shows which one was right.
static void the_evidence_is_there_when_a_desync_shows(void **state)
{
    (void)state;
    bks_lab_config config = recorded(3, 2);
    const bks_lab_result result = some_match(&config, "delay=60ms,jitter=20ms", "flip=1@300:byte");
    assert_false(result.agreed);
    assert_int_equal(result.desync_tick, 300);
    bks_replay *a = open_recording(0);
    bks_replay *b = open_recording(1);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        int32_t of_a[2 * 64];
        int32_t of_b[2 * 64];
        uint64_t hash_a = 0;
        uint64_t hash_b = 0;
        uint32_t bits = 0;
        assert_int_equal(bks_replay_inputs(a, tick, of_a), BKS_OK);
        assert_int_equal(bks_replay_inputs(b, tick, of_b), BKS_OK);
        assert_memory_equal(of_a, of_b, 2 * pad_game.field_count * sizeof(int32_t));
        assert_int_equal(bks_replay_hash(a, tick, &hash_a, &bits), BKS_OK);
        assert_int_equal(bks_replay_hash(b, tick, &hash_b, &bits), BKS_OK);
        assert_int_equal(hash_a == hash_b, tick < 300);
    }
    assert_true(verify(a).is_same);
    const bks_verify_result wrong = verify(b);
    assert_false(wrong.is_same);
    assert_int_equal(wrong.first_different, 300);
    bks_replay_close(a);
    bks_replay_close(b);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_survives_a_crash),
        cmocka_unit_test(both_sides_of_a_desync_name_the_same_tick),
        cmocka_unit_test(the_evidence_is_there_when_a_desync_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
