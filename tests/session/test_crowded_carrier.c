// SPDX-License-Identifier: MIT

// A member floods a carrier with packets in the names of others. A pair whose only way leads
// through that carrier plays on: what the liar hands over takes no place and no turn of theirs.

#include "session/some_drafts.h"
#include "support/seed.h"
#include "wire/carried.h"

#define LIAR    3u
#define CARRIER 2u ///< hears the liar
#define SECOND  4u ///< in a chain of two carriers, the one behind it
#define CRASHED 5u
#define PEERS   6u

/// Packets that the liar hands over before each time that the carrier sends; a third whenever
/// others do.
#define PIECES 24u

static uint32_t origin; ///< in whose name; BKS_PEERS_MAX: in all names
static uint32_t type;   ///< of packet
static size_t bytes;    ///< of each
static uint64_t handed;

/// A way that leads from the liar to its carrier, and on to any peer.
static bksi_routed draw_route(void)
{
    uint32_t order[TOY_PEERS_MAX];
    uint32_t rest = 0;
    for (uint32_t i = 0; i < PEERS; i++) {
        if (i != LIAR && i != CARRIER) {
            const uint32_t at = seed_below(++rest);
            order[rest - 1] = order[at];
            order[at] = i;
        }
    }
    const uint32_t before = origin == LIAR ? 0 : 1 + seed_below(rest - 1);
    const uint32_t behind = before + seed_below(rest - before); // carriers end before it
    bksi_routed routed = {.target = order[behind]};
    uint32_t all[TOY_PEERS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < before; i++) {
        all[count++] = order[i];
    }
    all[count++] = LIAR;
    routed.passed = count - 1;
    all[count++] = CARRIER;
    for (uint32_t i = before; i < behind; i++) {
        all[count++] = order[i];
    }
    routed.origin = all[0];
    routed.route.carriers = count - 1;
    for (uint32_t i = 1; i < count; i++) {
        routed.route.peers[i - 1] = (uint8_t)all[i];
    }
    return routed;
}

static void hand_over(const bksi_routed *routed)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    uint8_t packet[BKSI_CARRIED_PACKET_BYTES_MAX] = {0};
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    packet[0] = (uint8_t)(type << 4 | seed_below(16));
    bksi_carried_write_packet(&writer, bksi_routed_bits(routed), true, packet, bytes);
    inside_say(session_of(CARRIER), network.now_ns, session_of(LIAR), BKSI_PACKET_CARRIED, body,
               writer.at);
    handed++;
}

static void flood(toy_network *net, const toy_peer *peer)
{
    const uint32_t pieces = peer == &net->peers[CARRIER] ? PIECES : PIECES / 3;
    for (uint32_t i = 0; i < pieces && type != 0;) {
        const bksi_routed routed = draw_route();
        if (origin == BKS_PEERS_MAX || routed.origin == origin) {
            hand_over(&routed);
            i++;
        }
    }
}

/// All hear the carrier alone, but peer 1, which hears `last` alone.
static void cut_all_but(uint32_t last)
{
    for (uint32_t i = 0; i < PEERS; i++) {
        for (uint32_t k = i + 1; k < PEERS; k++) {
            const uint32_t to = i == 1 || k == 1 ? last : CARRIER;
            toy_cut(&network, i, k, i != to && k != to);
        }
    }
}

static void begin_with_carriers(uint32_t last, uint32_t in_the_name_of, size_t long_by)
{
    origin = in_the_name_of;
    type = 0;
    bytes = long_by;
    handed = 0;
    begin(PEERS, 1);
    network.delay_ns = 20 * TOY_MS;
    network.before_sending = flood;
    run_until_started();
    cut_all_but(last);
    run_for(3000);
}

/// Ticks that the pair confirms in 6 s.
static bks_tick play(uint32_t last, uint32_t in_the_name_of, uint32_t of_type, size_t long_by)
{
    begin_with_carriers(last, in_the_name_of, long_by);
    const bks_tick before = bks_session_confirmed(session_of(0));
    type = of_type;
    run_for(6000);
    type = 0;
    const bks_tick ticks = bks_session_confirmed(session_of(0)) - before;
    print_message("last %u, in the name of %u, type %u, %u bytes: %u handed over, %d ticks\n", last,
                  in_the_name_of, of_type, (uint32_t)long_by, (uint32_t)handed, ticks);
    assert_play_on((1u << PEERS) - 1);
    toy_destroy(&network);
    return ticks;
}

static void assert_pair_plays_on(uint32_t last, uint32_t of_type)
{
    static const size_t sizes[] = {60, 400, BKSI_CARRIED_PACKET_BYTES_MAX};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_true(play(last, BKS_PEERS_MAX, of_type, sizes[i]) > 350);
        assert_true(play(last, 0, of_type, sizes[i]) > 350);
    }
}

static void inputs_in_the_name_of_others_push_none_out(void **context)
{
    (void)context;
    assert_pair_plays_on(CARRIER, BKSI_PACKET_INPUT);
}

static void nor_at_the_second_carrier(void **context)
{
    (void)context;
    assert_pair_plays_on(SECOND, BKSI_PACKET_INPUT);
}

/// What goes about a view is no INPUT.
static void a_peer_that_crashes_is_let_go_meanwhile(void **context)
{
    (void)context;
    for (uint32_t last = CARRIER; last <= SECOND; last += SECOND - CARRIER) {
        for (uint32_t name = 0; name < 2; name++) {
            begin_with_carriers(last, name, 400);
            type = BKSI_PACKET_VIEW;
            freeze(CRASHED);
            run_for(2 * DROP_MS + 1000);
            print_message("last %u, in the name of %u: %u handed over, view %u\n", last, name,
                          (uint32_t)handed, (uint32_t)roster_of(0).view);
            assert_play_on((1u << PEERS) - 1 - (1u << CRASHED));
            toy_destroy(&network);
        }
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_in_the_name_of_others_push_none_out),
        cmocka_unit_test(nor_at_the_second_carrier),
        cmocka_unit_test(a_peer_that_crashes_is_let_go_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
