// SPDX-License-Identifier: MIT

// A carrier can drop, keep back, repeat, spoil and misdirect what it carries. That costs the pair
// whose path it is a moment, and no other peer anything.

#include <string.h>

#include "session/one_network.h"
#include "session/session_internal.h"

#define SECONDS (1000 * TOY_MS)

#define LIAR 2u
#define KEPT 64u

typedef enum lie { DROPS, DROPS_ONE_WAY, KEEPS_BACK, REPEATS, SPOILS, MISDIRECTS, LIES } lie;

static const char *const names[LIES] = {"drops",   "drops one way", "keeps back",
                                        "repeats", "spoils",        "misdirects"};

/// A packet that the liar passes on later.
typedef struct kept_packet {
    uint64_t at_ns;
    bksi_routed routed;
    size_t count;
    uint8_t bytes[BKSI_CARRIED_PACKET_BYTES_MAX];
} kept_packet;

static lie what;
static bool is_lying;
static uint64_t seen_ns; ///< the liar has looked at what came until then
static uint32_t lies;
static kept_packet kept[KEPT];
static uint32_t kept_next;

static void put(session_carriage *carriage, const bksi_routed *routed, const uint8_t *bytes,
                size_t count, uint64_t now_ns)
{
    bksi_carrier_put(&carriage->carrier, routed, bytes, count, false, now_ns);
}

static void keep(const bksi_routed *routed, const uint8_t *bytes, size_t count, uint64_t at_ns)
{
    kept_packet *place = &kept[kept_next++ % KEPT];
    *place = (kept_packet){.at_ns = at_ns, .routed = *routed, .count = count};
    memcpy(place->bytes, bytes, count);
}

static void pass_on_kept(session_carriage *carriage, uint64_t now_ns)
{
    for (uint32_t i = 0; i < KEPT; i++) {
        kept_packet *packet = &kept[i];
        if (packet->at_ns > 0 && packet->at_ns <= now_ns) {
            packet->at_ns = 0;
            put(carriage, &packet->routed, packet->bytes, packet->count, now_ns);
        }
    }
}

/// One packet of others that waits.
static void lie_about(session_carriage *carriage, const bksi_routed *routed, const uint8_t *bytes,
                      size_t count, uint64_t now_ns)
{
    uint8_t other[BKSI_CARRIED_PACKET_BYTES_MAX];
    bksi_routed turned = *routed;
    memcpy(other, bytes, count);
    lies++;
    switch (what) {
    case DROPS:
        return;
    case DROPS_ONE_WAY:
        if (routed->origin > routed->target) {
            put(carriage, routed, other, count, now_ns);
        }
        return;
    case KEEPS_BACK:
        keep(routed, other, count, now_ns + 400 * TOY_MS);
        return;
    case REPEATS:
        put(carriage, routed, other, count, now_ns);
        keep(routed, other, count, now_ns + (20 + lies % 2000) * TOY_MS);
        return;
    case SPOILS:
        other[lies % count] ^= (uint8_t)(1 + lies % 255);
        put(carriage, routed, other, count, now_ns);
        return;
    case MISDIRECTS: // to the peer that is not on its way, and in another's name
        turned.target = 6 - routed->origin - LIAR - routed->target;
        put(carriage, &turned, other, count, now_ns);
        turned = *routed;
        turned.origin = 6 - routed->origin - LIAR - routed->target;
        put(carriage, &turned, other, count, now_ns);
        return;
    case LIES:
        break;
    }
}

static void lie_in_carrying(toy_network *net, const toy_peer *peer)
{
    bks_session *session = net->peers[LIAR].session;
    if (peer != &net->peers[LIAR] || !is_lying) {
        return;
    }
    session_carriage *carriage = &session->carriage;
    const uint64_t now_ns = session->common.now_ns;
    const bksi_carrier was = carriage->carrier;
    bksi_carrier_init(&carriage->carrier);
    for (uint32_t from = 0; from < BKS_PEERS_MAX; from++) {
        const bksi_carrier_queue *queue = &was.queues[from];
        const uint8_t *bytes = queue->bytes;
        for (uint32_t i = 0; i < queue->count; i++) {
            const bksi_carrier_packet *packet = &queue->packets[i];
            if (from == LIAR || packet->since_ns <= seen_ns) {
                put(carriage, &packet->routed, bytes, packet->count, packet->since_ns);
            } else {
                lie_about(carriage, &packet->routed, bytes, packet->count, now_ns);
            }
            bytes += packet->count;
        }
    }
    pass_on_kept(carriage, now_ns);
    seen_ns = now_ns;
}

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 1200;
}

/// Peers 0 and 1 do not hear each other from 3 s on.
static void begin(uint32_t peers, lie how, uint64_t seed)
{
    toy_create(&network, peers, seed, tune);
    network.delay_ns = 30 * TOY_MS;
    network.jitter_ns = 10 * TOY_MS;
    network.before_sending = lie_in_carrying;
    what = how;
    is_lying = true;
    seen_ns = 0;
    lies = 0;
    memset(kept, 0, sizeof(kept));
    toy_run_until(&network, 3 * SECONDS);
    toy_cut(&network, 0, 1, true);
}

static void assert_ends_agreed(uint32_t peers)
{
    assert_true(toy_run_to_end(&network, 40 * SECONDS));
    const uint64_t expected = toy_straight_run(peers, 1200, network.hold_input_ticks);
    for (uint32_t i = 0; i < peers; i++) {
        uint64_t hash = 0;
        assert_int_equal(bks_session_hash(session_of(i), 1200, &hash), BKS_OK);
        assert_true(hash == expected);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        assert_int_equal(network.peers[i].events[BKS_EVENT_LOST], 0);
        assert_int_equal(network.peers[i].events[BKS_EVENT_LEFT], 0);
    }
}

static void another_carrier_is_taken_and_no_other_peer_notices(void **context)
{
    (void)context;
    for (uint32_t how = 0; how < LIES; how++) {
        for (uint64_t seed = 1; seed <= 8; seed++) {
            begin(4, (lie)how, seed);
            assert_ends_agreed(4);
            print_message("%s, seed %u: %u lies, starved %u %u %u %u\n", names[how], (uint32_t)seed,
                          lies, (uint32_t)stats_of(0).starved_ticks,
                          (uint32_t)stats_of(1).starved_ticks, (uint32_t)stats_of(2).starved_ticks,
                          (uint32_t)stats_of(3).starved_ticks);
            for (uint32_t i = 0; i < 4; i++) {
                assert_true(stats_of(i).starved_ticks < 90);
                assert_int_equal(network.peers[i].events[BKS_EVENT_SILENT], 0);
            }
            toy_destroy(&network);
        }
    }
}

static void where_it_is_the_only_one_its_pair_waits_until_it_carries_again(void **context)
{
    (void)context;
    for (uint32_t how = 0; how < LIES; how++) {
        begin(3, (lie)how, 1);
        toy_run_until(&network, 6 * SECONDS);
        is_lying = false;
        assert_true(lies > 20);
        toy_run_until(&network, 9 * SECONDS);
        const uint64_t starved = stats_of(0).starved_ticks + stats_of(1).starved_ticks;
        assert_ends_agreed(3);
        print_message("%s: %u lies, starved %u\n", names[how], lies, (uint32_t)starved);
        assert_true(stats_of(0).starved_ticks + stats_of(1).starved_ticks == starved);
        toy_destroy(&network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_carrier_is_taken_and_no_other_peer_notices),
        cmocka_unit_test(where_it_is_the_only_one_its_pair_waits_until_it_carries_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
