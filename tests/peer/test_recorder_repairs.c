// SPDX-License-Identifier: MIT

// Repairs that a session reports, in the recordings of the peer that was repaired and of another.
// The session gets them by hand, and the state stays wrong: what counts is what is written.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "peer/peer_inspect.h"
#include "peer/some_records.h"
#include "session/queries.h"
#include "session/session_internal.h"
#include "support/catch_log.h"

enum { FLIPPED = 100, AT = 110 };

static const bks_repair repair = {.tick = AT, .since = FLIPPED, .peer = 1, .from = 0, .bytes = 8};

static void report(uint32_t peer, const bks_repair *reported)
{
    session_common *common = &net_session(&network, peer)->common;
    bksi_repairs_add(&common->repairs, &common->events, reported);
}

/// Play on with a wrong state until both have said their hashes, then say that it was repaired.
/// @param out_before  receives the tick up to which the repaired peer had recorded by then
static void play(bks_tick *out_before)
{
    net_create(&network, 2, NULL);
    const bksi_flip flip = {.tick = FLIPPED, .offset = 8};
    bksi_peer_flip(network.peers[1].peer, &flip);
    net_run_until(&network, 2800 * NET_MS);
    *out_before = bksi_session_settled(net_session(&network, 1));
    assert_in_range(*out_before, AT + 1, 170);
    report(0, &repair);
    report(1, &repair);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
}

static bks_replay_repair only_repair(const bks_replay *replay)
{
    bks_replay_repair found = {0};
    assert_int_equal(bks_replay_info(replay)->repair_count, 1);
    assert_int_equal(bks_replay_repair_at(replay, 0, &found), BKS_OK);
    assert_int_equal(found.peer, repair.peer);
    assert_int_equal(found.from, repair.from);
    assert_int_equal(found.bytes, repair.bytes);
    assert_int_equal(found.since, FLIPPED);
    assert_int_equal(found.tick, AT);
    return found;
}

static void the_repaired_peer_records_what_it_wrote_before_and_what_was_right(void **state)
{
    (void)state;
    bks_tick before = 0;
    play(&before);
    bks_replay *repaired = open_record(1);
    bks_replay *other = open_record(0);
    const bks_replay_repair found = only_repair(repaired);
    assert_in_range(found.until, before, before + 8);
    assert_in_range(found.agreed_count, 2, found.until - FLIPPED); // the first, and one a second
    uint32_t known = 0;
    uint64_t first = 0;
    assert_int_equal(bks_replay_agreed_hash(repaired, FLIPPED, &first), BKS_OK);
    for (bks_tick tick = FLIPPED; tick < found.until; tick++) {
        uint64_t agreed = 0;
        assert_true(bks_replay_is_repaired(repaired, tick));
        if (bks_replay_agreed_hash(repaired, tick, &agreed) == BKS_OK) {
            known++;
            uint64_t recorded = 0;
            uint32_t bits = 0;
            assert_true(bks_replay_hash_agrees(other, tick, agreed));
            assert_int_equal(bks_replay_hash(repaired, tick, &recorded, &bits), BKS_OK);
            assert_true(recorded != (agreed & (UINT64_MAX >> (64 - bits))));
        }
    }
    assert_int_equal(known, found.agreed_count);
    assert_false(bks_replay_is_repaired(repaired, found.until));
    // The state was not really repaired: from there on it is wrong again.
    const bks_playback_config config = {.replay = repaired, .game = &some_game};
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_ERR_DESYNC);
    assert_int_equal(result.first_different, found.until);
    assert_int_equal(result.repaired, found.agreed_count);
    bks_replay_close(repaired);
    bks_replay_close(other);
    net_destroy(&network);
}

static void the_others_record_the_span_alone(void **state)
{
    (void)state;
    bks_tick before = 0;
    play(&before);
    bks_replay *other = open_record(0);
    const bks_replay_repair found = only_repair(other);
    assert_int_equal(found.until, FLIPPED);
    assert_int_equal(found.agreed_count, 0);
    assert_false(bks_replay_is_repaired(other, AT));
    const bks_playback_config config = {.replay = other, .game = &some_game};
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
    assert_int_equal(result.repaired, 0);
    bks_replay_close(other);
    net_destroy(&network);
}

static void a_repair_before_its_ticks_are_written_says_that_none_is_wrong(void **state)
{
    (void)state;
    const bks_repair early = {.tick = 290, .since = 280, .peer = 1, .from = 1};
    net_create(&network, 2, NULL);
    net_run_until(&network, 2800 * NET_MS);
    report(1, &early);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_replay *repaired = open_record(1);
    bks_replay_repair found = {0};
    assert_int_equal(bks_replay_repair_at(repaired, 0, &found), BKS_OK);
    assert_int_equal(found.until, 280);
    assert_int_equal(bks_replay_info(repaired)->is_complete, true);
    bks_replay_close(repaired);
    net_destroy(&network);
}

static void a_second_repair_that_begins_before_the_first_is_recorded_too(void **state)
{
    (void)state;
    const bks_repair earlier = {.tick = 120, .since = 90, .peer = 1, .from = 0, .bytes = 1};
    net_create(&network, 2, NULL);
    net_run_until(&network, 2800 * NET_MS);
    report(1, &repair);
    report(1, &earlier);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_replay *repaired = open_record(1);
    bks_replay_repair found = {0};
    assert_int_equal(bks_replay_info(repaired)->repair_count, 2);
    assert_int_equal(bks_replay_repair_at(repaired, 1, &found), BKS_OK);
    assert_int_equal(found.since, FLIPPED); // as the order of the file wants it
    assert_int_equal(found.tick, 120);
    assert_int_equal(bks_replay_info(repaired)->is_complete, true);
    bks_replay_close(repaired);
    net_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_repaired_peer_records_what_it_wrote_before_and_what_was_right),
        cmocka_unit_test(the_others_record_the_span_alone),
        cmocka_unit_test(a_repair_before_its_ticks_are_written_says_that_none_is_wrong),
        cmocka_unit_test(a_second_repair_that_begins_before_the_first_is_recorded_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
