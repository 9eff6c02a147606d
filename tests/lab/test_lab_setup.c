// SPDX-License-Identifier: MIT

#include "lab/lab_internal.h"
#include "some_lab.h"
#include "support/says.h"

static void a_wrong_config_is_refused_with_value_and_range(void **state)
{
    (void)state;
    bks_error error = {0};
    bks_lab_config config = some_lab_config(1, 2, 100);
    assert_int_equal(bks_lab_config_check(NULL, &error), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_config_check(&config, &error), BKS_OK);
#define REFUSED(CHANGE, NAME, SAYS)                                              \
    config = some_lab_config(1, 2, 100);                                         \
    CHANGE;                                                                      \
    assert_int_equal(bks_lab_config_check(&config, &error), BKS_ERR_BAD_CONFIG); \
    assert_string_equal(error.field, NAME);                                      \
    assert_says(error.text, SAYS)
    REFUSED(config.cookie++, "cookie", "bks_lab_config_default()");
    REFUSED(config.game = NULL, "game", "NULL");
    REFUSED(config.peers = 0, "peers", "peers is 0, must be 1..8");
    REFUSED(config.peers = 9, "peers", "peers is 9");
    REFUSED(config.ticks = 0, "ticks", "must be 1..10000000");
    REFUSED(config.ticks = 10000001, "ticks", "is 10000001");
    REFUSED(config.first_tick = -1, "first_tick", "is -1, must be 0..99");
    REFUSED(config.first_tick = 100, "first_tick", "is 100, must be 0..99");
    REFUSED(config.step_ns = 1000000001, "step_ns", "must be 0..1000000000");
    REFUSED(config.players_on[1] = 0, "players_on", "players_on[1] is 0, must be 1..16");
    REFUSED(config.players_on[1] = 16, "players_on", "is 17 in all, must be 1..16 in pad");
    REFUSED(config.tuning.hash_every_ticks = 2, "tuning.hash_every_ticks", "1 or BKS_AUTO");
    REFUSED(config.tuning.window_ticks = 65, "tuning.window_ticks", "0..64");
    REFUSED((config.own_tunings = 2, config.tunings[1].window_ticks = 65), "tuning.window_ticks",
            "0..64");
    REFUSED(config.frames_hz[1] = 10001, "frames_hz", "frames_hz[1] is 10001, must be 0..10000");
    REFUSED(config.record_detail.hash_bits = 65, "record_detail.hash_bits", "0..64");
    REFUSED(config.build = "two\nlines", "build", "printable ASCII");
#undef REFUSED
}

static void each_peer_has_its_seats_and_secrets_of_its_own(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(7, 3, 100);
    config.players_on[0] = 2;
    config.players_on[2] = 3;
    bks_peer_config peers[3];
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(bks_lab_peer_config(&config, i, &peers[i], NULL), BKS_OK);
        const bks_session_config *session = &peers[i].session;
        assert_int_equal(session->is_host, i == 0);
        assert_int_equal(session->players, 6);
        assert_int_equal(session->local_players, config.players_on[i]);
        assert_int_equal(session->ticks, 100);
        assert_int_equal(session->tuning.hash_every_ticks, 1);
        assert_memory_equal(session->key, peers[0].session.key, BKS_KEY_BYTES);
        assert_ptr_equal(peers[i].sources[0].context, &some_monkeys[session->first_player]);
    }
    assert_int_equal(peers[0].session.first_player, 0);
    assert_int_equal(peers[1].session.first_player, 2);
    assert_int_equal(peers[2].session.first_player, 3);
    assert_null(peers[1].sources[1].sample);
    for (uint32_t i = 0; i < 3; i++) {
        const bks_session_config *one = &peers[i].session;
        const bks_session_config *other = &peers[(i + 1) % 3].session;
        assert_memory_not_equal(one->identity, other->identity, BKS_KEY_BYTES);
        assert_memory_not_equal(one->entropy, other->entropy, BKS_KEY_BYTES);
        assert_memory_not_equal(one->identity, one->entropy, BKS_KEY_BYTES);
        assert_true(one->nonce != other->nonce);
    }
    bks_peer_config other;
    assert_int_equal(bks_lab_peer_config(&config, 3, &other, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_peer_config(&config, 0, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    config.seed = 8;
    assert_int_equal(bks_lab_peer_config(&config, 0, &other, NULL), BKS_OK);
    assert_memory_not_equal(other.session.key, peers[0].session.key, BKS_KEY_BYTES);
}

static void a_peer_may_have_a_tuning_of_its_own(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(7, 3, 100);
    config.own_tunings = 1u << 1;
    config.tunings[1] = config.tuning;
    config.tunings[1].window_ticks = 7;
    config.tunings[1].delay_ticks = 3;
    config.tunings[1].drop_after_ms = 9000; // only the match's tuning has this field
    config.tunings[2].window_ticks = 9;     // own_tunings does not name this peer
    for (uint32_t i = 0; i < 3; i++) {
        const bks_tuning tuning = bksi_lab_tuning_of(&config, i);
        assert_int_equal(tuning.window_ticks, i == 1 ? 7 : 20);
        assert_int_equal(tuning.delay_ticks, i == 1 ? 3 : BKS_AUTO);
        assert_int_equal(tuning.drop_after_ms, 5000);
    }
}

static void seeds_and_streams_have_numbers_of_their_own(void **state)
{
    (void)state;
    bks_random one = bksi_lab_random(1, LAB_STREAM_IDS);
    bks_random same = bksi_lab_random(1, LAB_STREAM_IDS);
    bks_random next_seed = bksi_lab_random(2, LAB_STREAM_IDS);
    bks_random next_stream = bksi_lab_random(1, LAB_STREAM_PHASE);
    const uint32_t first = bks_random_next(&one);
    assert_int_equal(bks_random_next(&same), first);
    assert_int_not_equal(bks_random_next(&next_seed), first);
    assert_int_not_equal(bks_random_next(&next_stream), first);
}

static void time_is_up_after_twice_the_match_the_silence_and_25_seconds(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 600); // at 60 a second
    config.tuning.drop_after_ms = 3000;
    assert_true(bksi_lab_limit_ns(&config) == (20 + 3 + 25) * SOME_SECOND_NS);
}

static void an_address_is_new_after_a_rebind(void **state)
{
    (void)state;
    const bks_address first = bksi_lab_address(2, 0);
    const bks_address second = bksi_lab_address(2, 1);
    const bks_address third = bksi_lab_address(2, 2);
    const bks_address others = bksi_lab_address(1, 1);
    assert_false(bks_address_equal(&first, &second));
    assert_false(bks_address_equal(&second, &third));
    assert_false(bks_address_equal(&second, &others));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_config_is_refused_with_value_and_range),
        cmocka_unit_test(each_peer_has_its_seats_and_secrets_of_its_own),
        cmocka_unit_test(a_peer_may_have_a_tuning_of_its_own),
        cmocka_unit_test(seeds_and_streams_have_numbers_of_their_own),
        cmocka_unit_test(time_is_up_after_twice_the_match_the_silence_and_25_seconds),
        cmocka_unit_test(an_address_is_new_after_a_rebind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
