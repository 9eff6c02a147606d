// SPDX-License-Identifier: MIT

#include "backstitch/replay.h"
#include "some_lab.h"

#include "support/counting_allocator.h"
#include "support/seed.h"

#define BAD_LINK "delay=60ms,jitter=30ms,loss=10%,burst=3,dup=5%,reorder=5%,corrupt=3%"

static void peers_agree_over_a_bad_link_for_every_seed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const uint32_t peers = 2 + (uint32_t)seed % 3;
        const bks_lab_config config = some_lab_config(seed, peers, 300);
        const bks_lab_result result = some_match(&config, BAD_LINK, NULL);
        if (!result.agreed) {
            fail_msg("seed %" PRIu64 ": %s", seed, result.reason);
        }
        assert_agreed(&result, 300);
        assert_true(fault_count(&result, "loss") > 0);
        assert_true(fault_count(&result, "corrupt") > 0);
        for (uint32_t i = 0; i < peers; i++) {
            assert_int_equal(result.peers[i].ticks, 300);
            assert_int_equal(result.peers[i].confirmed, 300);
            assert_int_equal(result.peers[i].first_player, i);
            assert_true(result.peers[i].stats.rollbacks > 0);
            assert_true(result.peers[i].stats.packets_refused > 0);
        }
    }
}

static void the_same_seed_gives_the_same_match(void **state)
{
    (void)state;
    const uint64_t seed = seed_next();
    const bks_lab_config config = some_lab_config(seed, 3, 300);
    const bks_lab_result first = some_match(&config, BAD_LINK, NULL);
    const bks_lab_config again = some_lab_config(seed, 3, 300);
    const bks_lab_result second = some_match(&again, BAD_LINK, NULL);
    assert_memory_equal(&first, &second, sizeof(first));
    const bks_lab_config another = some_lab_config(seed + 1, 3, 300);
    const bks_lab_result third = some_match(&another, BAD_LINK, NULL);
    assert_true(first.final_hash != third.final_hash);
    assert_true(first.peers[0].stats.payload_bytes_sent != third.peers[0].stats.payload_bytes_sent);
    assert_true(first.match_ns != third.match_ns);
}

static void a_packet_with_other_bytes_is_another_digest(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(4, 2, 60);
    config.build = "one"; // the build's hash stands in packets of the handshake
    const bks_lab_result one = some_match(&config, BAD_LINK, NULL);
    config = some_lab_config(4, 2, 60);
    config.build = "two";
    const bks_lab_result two = some_match(&config, BAD_LINK, NULL);
    assert_true(one.packet_bytes > one.packets && one.packets > 0);
    assert_int_equal(two.packets, one.packets);
    assert_int_equal(two.packet_bytes, one.packet_bytes);
    assert_true(two.final_hash == one.final_hash);
    assert_true(two.packet_digest != one.packet_digest);
}

static void the_final_hash_depends_on_seed_and_inputs_alone(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(7, 3, 240);
    const uint64_t wanted = some_match(&config, NULL, NULL).final_hash;
    static const struct {
        const char *link;
        uint32_t window;
        uint32_t delay;
        bks_save_policy save;
    } cases[] = {
        {BAD_LINK, 20, 0, BKS_SAVE_TWO},
        {BAD_LINK, 20, BKS_AUTO, BKS_SAVE_TWO},
        {BAD_LINK, 0, BKS_AUTO, BKS_SAVE_TWO},
        {"delay=30ms", 20, 3, BKS_SAVE_EVERY},
        {"delay=30ms,jitter=20ms", 8, 0, BKS_SAVE_ONE},
        {"delay=30ms", 0, 6, BKS_SAVE_TWO},
        {"loss=30%", 3, 1, BKS_SAVE_EVERY},
        {"rate=64kbit,mtu=450", 40, 0, BKS_SAVE_TWO},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        config = some_lab_config(7, 3, 240);
        config.tuning.window_ticks = cases[i].window;
        config.tuning.delay_ticks = cases[i].delay;
        config.tuning.save = cases[i].save;
        const bks_lab_result result = some_match(&config, cases[i].link, NULL);
        assert_agreed(&result, 240);
        if (result.final_hash != wanted) {
            fail_msg("%s, window %u: %016" PRIx64 ", wanted %016" PRIx64, cases[i].link,
                     cases[i].window, result.final_hash, wanted);
        }
    }
}

static void how_the_caller_slices_time_changes_nothing(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(11, 2, 200);
    const bks_lab_result wanted = some_match(&config, BAD_LINK, NULL);
    config = some_lab_config(11, 2, 200);
    bks_lab *lab = some_lab(&config, BAD_LINK, NULL);
    uint64_t now_ns = 0;
    while (bks_lab_advance(lab, now_ns)) {
        assert_true(bks_lab_now(lab) == now_ns);
        now_ns += seed_below(20000000);
    }
    assert_false(bks_lab_advance(lab, UINT64_MAX));
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    assert_memory_equal(&result, &wanted, sizeof(result));
    bks_lab_destroy(lab);
}

static void each_seed_has_beginnings_of_its_own(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 10);
    const uint64_t connect_ns = some_match(&config, NULL, NULL).connect_ns;
    config.seed = 2;
    assert_true(some_match(&config, NULL, NULL).connect_ns != connect_ns);
}

static void a_starved_peer_continues_as_soon_as_the_input_arrives(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 101);
    config.tuning.window_ticks = 0;
    config.tuning.delay_ticks = 0;
    const bks_lab_result result = some_match(&config, "delay=30ms", NULL);
    assert_agreed(&result, 101);
    // A tick is sampled one interval after the last was stepped, and stepped 30 ms later.
    const uint64_t tick_ns = result.match_ns / 100;
    assert_in_range(tick_ns, 46500000, 47200000);
}

static void peers_with_several_players_take_seats_in_order(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(3, 3, 120);
    config.players_on[0] = 2;
    config.players_on[2] = 3;
    const bks_lab_result result = some_match(&config, "delay=20ms", NULL);
    assert_agreed(&result, 120);
    static const uint32_t first[] = {0, 2, 3};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(result.peers[i].first_player, first[i]);
        assert_int_equal(result.peers[i].player_count, config.players_on[i]);
    }
    // A match does not depend on which machine has which players.
    bks_lab_config other = some_lab_config(3, 2, 120);
    other.players_on[0] = 5;
    const bks_lab_result same = some_match(&other, NULL, NULL);
    assert_true(same.final_hash == result.final_hash);
}

static void a_lone_peer_needs_no_other(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(5, 1, 100);
    const bks_lab_result result = some_match(&config, NULL, NULL);
    assert_agreed(&result, 100);
    assert_int_equal(result.peers[0].stats.packets_sent, 0);
}

static void a_match_that_cannot_end_is_given_up_with_a_reason(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 60);
    bks_lab_result result = some_match(&config, "loss=100%", NULL);
    assert_false(result.agreed);
    assert_false(result.has_final_hash);
    assert_int_equal(result.compared, 0);
    assert_int_equal(result.desync_tick, BKS_TICK_NONE);
    assert_non_null(strstr(result.reason, "no first tick after 32 s"));
    // In lockstep over a slow link one tick takes as long as the way of a packet.
    config = some_lab_config(1, 2, 600);
    config.tuning.window_ticks = 0;
    config.tuning.delay_ticks = 0;
    result = some_match(&config, "delay=200ms", NULL);
    assert_false(result.agreed);
    assert_true(result.compared > 0 && result.compared < 600);
    assert_non_null(strstr(result.reason, "of 600 ticks"));
    assert_true(result.peers[0].stats.starved_ticks > 0);
}

static void one_link_can_be_worse_than_the_others_whatever_the_order(void **state)
{
    (void)state;
    uint64_t payload[2] = {0};
    for (uint32_t order = 0; order < 2; order++) {
        const bks_lab_config config = some_lab_config(9, 3, 200);
        bks_lab *lab = some_lab(&config, order == 0 ? "delay=10ms" : "0>1:delay=90ms", NULL);
        assert_int_equal(bks_lab_link(lab, order == 0 ? "0>1:delay=90ms" : "delay=10ms", NULL),
                         BKS_OK);
        while (bks_lab_advance(lab, UINT64_MAX)) {
        }
        bks_lab_result result;
        assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
        assert_agreed(&result, 200);
        payload[order] = result.peers[0].stats.payload_bytes_sent;
        const double slow_ms = result.peers[0].stats.links[1].round_trip_ms;
        const double quick_ms = result.peers[0].stats.links[2].round_trip_ms;
        assert_true(slow_ms > 95.0 && slow_ms < 125.0);
        assert_true(quick_ms > 15.0 && quick_ms < 45.0);
        bks_lab_destroy(lab);
    }
    assert_true(payload[0] == payload[1]);
}

static void each_link_counts_its_packets_and_how_long_they_were_under_way(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(9, 3, 300);
    bks_lab *lab = some_lab(&config, "delay=10ms", NULL);
    assert_int_equal(bks_lab_link(lab, "1>2:delay=90ms,loss=100%", NULL), BKS_OK);
    assert_int_equal(bks_lab_link(lab, "0>2:delay=60ms", NULL), BKS_OK);
    assert_true(bks_lab_advance(lab, SOME_SECOND_NS / 20)); // until the peers connect
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    assert_true(result.packets > 2 && result.links[0][2].packets == 0);
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    uint64_t packets = 0;
    uint64_t bytes = 0;
    for (uint32_t from = 0; from < 3; from++) {
        for (uint32_t to = 0; to < 3; to++) {
            const bks_lab_link_result *link = &result.links[from][to];
            const uint64_t delay_ms = from == 0 && to == 2 ? 60 : 10;
            assert_int_equal(link->transit_ns_sum, link->delivered * delay_ms * 1000000);
            assert_true(from == to || link->packets > 0);
            assert_int_equal(link->delivered > 0, from != to && (from != 1 || to != 2));
            packets += link->packets;
            bytes += link->bytes;
        }
    }
    // The remaining packets connected the peers, or were sent after the end.
    assert_true(packets < result.packets && packets > result.packets * 7 / 10);
    assert_true(bytes - 28 * packets < result.packet_bytes);
    assert_true(bytes - 28 * packets > result.packet_bytes / 2);
    bks_lab_destroy(lab);
}

/// A clock and an allocation count for the test to move.
typedef struct meters {
    uint64_t clock_ns;
    uint64_t allocations;
} meters;

static uint64_t read_clock(void *context)
{
    meters *m = context;
    return m->clock_ns += 500;
}

static uint64_t read_allocations(void *context)
{
    return ((meters *)context)->allocations;
}

/// Sample as the monkey does, and pretend to allocate.
static void wasteful_sample(void *context, const bks_sample *sample, int32_t *values)
{
    (void)values;
    if (sample->tick >= 10) {
        ((meters *)context)->allocations += 3;
    }
}

static void allocations_are_counted_for_the_peer_that_makes_them(void **state)
{
    (void)state;
    meters m = {0};
    bks_lab_config config = some_lab_config(2, 2, 60);
    config.allocations = read_allocations;
    config.allocations_context = &m;
    config.sources[1] = (bks_source){.sample = wasteful_sample, .context = &m};
    const bks_lab_result result = some_match(&config, NULL, NULL);
    assert_agreed(&result, 60);
    assert_int_equal(result.peers[0].allocations_after_start, 0);
    assert_int_equal(result.peers[1].allocations_after_start, 50 * 3);
}

static void costs_are_measured_by_the_callers_clock_and_change_nothing(void **state)
{
    (void)state;
    meters m = {0};
    bks_lab_config config = some_lab_config(2, 2, 60);
    const uint64_t wanted = some_match(&config, "delay=20ms", NULL).final_hash;
    config = some_lab_config(2, 2, 60);
    config.clock_ns = read_clock;
    config.clock_context = &m;
    const bks_lab_result result = some_match(&config, "delay=20ms", NULL);
    assert_true(result.final_hash == wanted);
    assert_true(result.peers[0].costs.updates >= 60);
    assert_true(result.peers[0].costs.update_ns_sum > result.peers[0].costs.game_ns_sum);
}

static void nothing_is_allocated_while_it_runs_and_all_is_given_back(void **state)
{
    (void)state;
    counting_allocator counter;
    bks_lab_config config = some_lab_config(4, 3, 120);
    config.allocator = counting_allocator_hooks(&counter);
    bks_lab *lab = some_lab(&config, BAD_LINK, NULL);
    // Creating the state may allocate, at the start of the match.
    (void)bks_lab_advance(lab, SOME_SECOND_NS);
    assert_true(bks_lab_progress(lab) > 0);
    const uint32_t allocs = counter.allocs;
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    assert_int_equal(counter.allocs, allocs);
    bks_lab_destroy(lab);
    bks_lab_destroy(NULL);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
}

static void create_survives_every_failed_allocation(void **state)
{
    (void)state;
    counting_allocator counter;
    bks_lab_config config = some_lab_config(4, 2, 120);
    config.allocator = counting_allocator_hooks(&counter);
    bks_status status = BKS_ERR_OUT_OF_MEMORY;
    for (uint32_t fail_after = 0; status != BKS_OK; fail_after++) {
        bks_lab *lab = NULL;
        counter.fail_after = fail_after;
        status = bks_lab_create(&config, &lab, NULL);
        counter.fail_after = UINT32_MAX;
        assert_true(status == BKS_OK || (status == BKS_ERR_OUT_OF_MEMORY && lab == NULL));
        bks_lab_destroy(lab);
        assert_int_equal(counter.live_bytes, 0);
        assert_in_range(fail_after, 0, 300);
    }
    assert_false(counter.is_wrong);
}

static void all_peers_record_the_same_complete_match(void **state)
{
    (void)state;
    static some_recording recordings[2];
    memset(recordings, 0, sizeof(recordings));
    bks_lab_config config = some_lab_config(6, 2, 150);
    for (uint32_t i = 0; i < 2; i++) {
        config.records[i] = (bks_sink){.write = some_record, .context = &recordings[i]};
    }
    const bks_lab_result result = some_match(&config, BAD_LINK, NULL);
    assert_agreed(&result, 150);
    for (uint32_t i = 0; i < 2; i++) {
        bks_replay *replay = NULL;
        assert_int_equal(
            bks_replay_open(recordings[i].bytes, recordings[i].count, NULL, &replay, NULL), BKS_OK);
        const bks_recording *info = bks_replay_info(replay);
        assert_true(info->is_complete);
        assert_int_equal(info->ticks, 150);
        bks_replay_close(replay);
    }
}

/// Find how a recording of the lab ends, and why.
/// @return number of its final ticks
static bks_tick ending_of(const some_recording *from, bks_replay_ending *ending, uint64_t *why)
{
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(from->bytes, from->count, NULL, &replay, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    const bks_tick confirmed = info->confirmed;
    *ending = info->ending;
    for (uint32_t i = 0; i < info->event_count; i++) {
        bks_replay_event event;
        assert_int_equal(bks_replay_event_at(replay, i, &event), BKS_OK);
        *why = event.kind == BKS_REPLAY_CLOSED ? event.a : *why;
    }
    bks_replay_close(replay);
    return confirmed;
}

static void a_recording_says_how_its_peer_ended(void **state)
{
    (void)state;
    static some_recording recordings[3];
    memset(recordings, 0, sizeof(recordings));
    bks_lab_config config = some_lab_config(6, 3, 300);
    for (uint32_t i = 0; i < 3; i++) {
        config.records[i] = (bks_sink){.write = some_record, .context = &recordings[i]};
    }
    const bks_lab_result result = some_match(&config, BAD_LINK, "leave=1@2s,crash=2@3s");
    assert_agreed(&result, 300);
    static const bks_replay_ending wanted[] = {BKS_REPLAY_COMPLETE, BKS_REPLAY_LEFT_EARLY,
                                               BKS_REPLAY_CUT_OFF};
    static const bks_tick ticks[][2] = {{300, 300}, {100, 122}, {150, 182}};
    for (uint32_t i = 0; i < 3; i++) {
        bks_replay_ending ending = BKS_REPLAY_UNKNOWN;
        uint64_t why = UINT64_MAX;
        assert_in_range(ending_of(&recordings[i], &ending, &why), ticks[i][0], ticks[i][1]);
        assert_int_equal(ending, wanted[i]);
        assert_true(why == (i == 1 ? BKS_CLOSED_LEFT : UINT64_MAX));
    }
}

static void a_wrong_config_is_refused_by_field(void **state)
{
    (void)state;
    bks_error error = {0};
    bks_lab *lab = NULL;
    bks_lab_config config = some_lab_config(1, 2, 100);
    assert_int_equal(bks_lab_create(NULL, &lab, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_create(&config, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
#define REFUSED(FIELD, VALUE, NAME)                                              \
    config = some_lab_config(1, 2, 100);                                         \
    config.FIELD = (VALUE);                                                      \
    assert_int_equal(bks_lab_create(&config, &lab, &error), BKS_ERR_BAD_CONFIG); \
    assert_null(lab);                                                            \
    assert_string_equal(error.field, NAME)
    REFUSED(cookie, 0, "cookie");
    REFUSED(game, NULL, "game");
    REFUSED(peers, 0, "peers");
    REFUSED(peers, BKS_PEERS_MAX + 1, "peers");
    REFUSED(ticks, 0, "ticks");
    REFUSED(ticks, 10000001, "ticks");
    REFUSED(players_on[1], 0, "players_on");
    REFUSED(players_on[1], BKS_PLAYERS_MAX, "players_on");
    REFUSED(tuning.window_ticks, BKS_WINDOW_MAX + 1, "tuning.window_ticks");
    REFUSED(tuning.delay_ticks, BKS_DELAY_MAX + 1, "tuning.delay_ticks");
    REFUSED(tuning.hash_every_ticks, 2, "tuning.hash_every_ticks");
    REFUSED(tuning.pace, (bks_pace)3, "tuning.pace");
    REFUSED(step_ns, UINT64_C(1000000001), "step_ns");
    REFUSED(build, "a\nb", "build");
    REFUSED(arithmetic, 8, "arithmetic");
    REFUSED(record_detail.hash_bits, 65, "record_detail.hash_bits");
    REFUSED(allocator.alloc, counting_alloc, "allocator");
#undef REFUSED
}

static void links_are_settled_before_the_match(void **state)
{
    (void)state;
    bks_error error = {0};
    const bks_lab_config config = some_lab_config(1, 2, 100);
    bks_lab *lab = some_lab(&config, NULL, NULL);
    assert_int_equal(bks_lab_link(lab, "0>2:loss=1%", &error), BKS_ERR_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "peers of 0..1"));
    assert_int_equal(bks_lab_link(lab, "loss=1", &error), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_link(NULL, "", NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_link(lab, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_true(bks_lab_advance(lab, 1));
    assert_int_equal(bks_lab_link(lab, "loss=1%", &error), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_fault(lab, "flip=0@1:byte", &error), BKS_ERR_BAD_ARGUMENT);
    bks_lab_destroy(lab);
}

static void hashes_can_be_asked_for(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 30);
    bks_lab *lab = some_lab(&config, NULL, NULL);
    uint64_t hash = 0;
    assert_int_equal(bks_lab_hash(lab, 0, 0, &hash), BKS_ERR_NOT_CONFIRMED);
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    uint64_t other = 0;
    for (bks_tick tick = 0; tick <= 30; tick++) {
        assert_int_equal(bks_lab_hash(lab, 0, tick, &hash), BKS_OK);
        assert_int_equal(bks_lab_hash(lab, 1, tick, &other), BKS_OK);
        assert_true(hash == other);
    }
    assert_int_equal(bks_lab_hash(lab, 0, 31, &hash), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_hash(lab, 0, -1, &hash), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_hash(lab, 2, 0, &hash), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_hash(lab, 0, 0, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_hash(NULL, 0, 0, &hash), BKS_ERR_BAD_ARGUMENT);
    assert_non_null(bks_lab_peer(lab, 1));
    assert_null(bks_lab_peer(lab, 2));
    assert_null(bks_lab_peer(NULL, 0));
    assert_int_equal(bks_lab_progress(NULL), 0);
    assert_true(bks_lab_now(NULL) == 0);
    assert_int_equal(bks_lab_acting(lab), BKS_PEERS_MAX);
    assert_int_equal(bks_lab_acting(NULL), BKS_PEERS_MAX);
    assert_false(bks_lab_advance(NULL, 1));
    assert_int_equal(bks_lab_outcome(lab, NULL), BKS_ERR_BAD_ARGUMENT);
    bks_lab_destroy(lab);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 20261120);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peers_agree_over_a_bad_link_for_every_seed),
        cmocka_unit_test(the_same_seed_gives_the_same_match),
        cmocka_unit_test(a_packet_with_other_bytes_is_another_digest),
        cmocka_unit_test(the_final_hash_depends_on_seed_and_inputs_alone),
        cmocka_unit_test(how_the_caller_slices_time_changes_nothing),
        cmocka_unit_test(each_seed_has_beginnings_of_its_own),
        cmocka_unit_test(a_starved_peer_continues_as_soon_as_the_input_arrives),
        cmocka_unit_test(peers_with_several_players_take_seats_in_order),
        cmocka_unit_test(a_lone_peer_needs_no_other),
        cmocka_unit_test(a_match_that_cannot_end_is_given_up_with_a_reason),
        cmocka_unit_test(one_link_can_be_worse_than_the_others_whatever_the_order),
        cmocka_unit_test(allocations_are_counted_for_the_peer_that_makes_them),
        cmocka_unit_test(costs_are_measured_by_the_callers_clock_and_change_nothing),
        cmocka_unit_test(nothing_is_allocated_while_it_runs_and_all_is_given_back),
        cmocka_unit_test(create_survives_every_failed_allocation),
        cmocka_unit_test(all_peers_record_the_same_complete_match),
        cmocka_unit_test(a_recording_says_how_its_peer_ended),
        cmocka_unit_test(a_wrong_config_is_refused_by_field),
        cmocka_unit_test(links_are_settled_before_the_match),
        cmocka_unit_test(each_link_counts_its_packets_and_how_long_they_were_under_way),
        cmocka_unit_test(hashes_can_be_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
