// SPDX-License-Identifier: MIT

// Guards whose packets others carry: handshakes by both ways, and what nothing carried may do.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/two_guards.h"
#include "support/seed.h"
#include "wire/carried.h"

/// What is lost on its way: straight from A to B, from B to A, carried from A to B, from B to A.
typedef struct cuts {
    bool straight[2];
    bool carried[2];
} cuts;

/// Both know each other from the roster, as peers 1 and 2; neither has been reached yet.
static void make_peers(two_side *a, two_side *b)
{
    two_begin();
    two_make_side(a, 1, 7);
    two_make_side(b, 2, 7);
    bks_address there = two_address(2);
    a->channel = bksi_guard_bind(&a->guard, &there, b->guard.identity, true);
    there = two_address(1);
    b->channel = bksi_guard_bind(&b->guard, &there, a->guard.identity, false);
    bksi_guard_set_detour(&a->guard, a->channel, 2, true);
    bksi_guard_set_detour(&b->guard, b->channel, 1, true);
    a->is_detoured = b->is_detoured = true;
}

static void pass(two_side *a, two_side *b, const cuts *cut)
{
    two_send_all(a, true);
    two_send_all(b, true);
    for (size_t i = 0; i < two_flying_count; i++) {
        const two_packet *p = &two_flying[i];
        bool is_back = p->from == b->at;
        bool is_lost = p->is_carried ? cut->carried[is_back] : cut->straight[is_back];
        assert_true(!p->is_carried || p->count <= BKSI_CARRIED_PACKET_BYTES_MAX);
        if (!is_lost) {
            (void)two_hear(is_back ? a : b, p);
        }
    }
    two_flying_count = 0;
    two_now_ns += 50 * MS;
}

/// Moments until both have keys.
static uint32_t moments_to_connect(two_side *a, two_side *b, const cuts *cut)
{
    uint32_t moments = 0;
    while (!(two_is_open(a) && two_is_open(b))) {
        pass(a, b, cut);
        assert_true(++moments < 200);
    }
    return moments;
}

// ---- handshakes ----

static void peers_that_cannot_reach_each_other_have_keys_from_the_start(void **context)
{
    (void)context;
    static two_side a, b;
    const cuts cut = {.straight = {true, true}};
    make_peers(&a, &b);
    assert_in_range(moments_to_connect(&a, &b, &cut), 1, 4);
    uint32_t heard = b.heard;
    for (int i = 0; i < 5; i++) {
        pass(&a, &b, &cut);
    }
    assert_int_equal(b.heard, heard + 5);
    assert_int_equal(a.guard.counts.handshakes, 1);
    assert_int_equal(b.guard.counts.handshakes, 1);
    // Where the roster says they are, they are still looked for.
    assert_int_equal(bksi_guard_address(&a.guard, a.channel).bytes[3], 2);
    assert_int_equal(bksi_guard_address(&b.guard, b.channel).bytes[3], 1);
}

/// The answer to a first message goes as that came. One direction of one way or the other is cut,
/// or one of each: as long as one way works in both, that one connects them.
static void either_way_connects_two_peers_whatever_is_cut_of_the_other(void **context)
{
    (void)context;
    static two_side a, b;
    for (uint32_t bits = 0; bits < 16; bits++) {
        const cuts cut = {.straight = {bits & 1, bits & 2}, .carried = {bits & 4, bits & 8}};
        if ((bits & 3) != 0 && (bits & 12) != 0) {
            continue;
        }
        make_peers(&a, &b);
        a.is_detoured = b.is_detoured = (bits & 3) != 0;
        assert_in_range(moments_to_connect(&a, &b, &cut), 1, 4);
        assert_int_equal(b.guard.counts.handshakes, 1);
        uint32_t heard = a.heard;
        pass(&a, &b, &cut);
        pass(&a, &b, &cut);
        assert_true(a.heard >= heard + 2);
    }
}

/// Let what a side sends by carriers arrive directly at the other, and lose the rest.
static void pass_directly(two_side *from, two_side *to)
{
    two_flying_count = 0;
    two_send_all(from, true);
    for (size_t i = 0; i < two_flying_count; i++) {
        if (two_flying[i].is_carried) {
            two_flying[i].is_carried = false;
            (void)two_hear(to, &two_flying[i]);
        }
    }
    two_flying_count = 0;
    two_now_ns += 50 * MS;
}

static void a_handshake_that_began_by_carriers_may_end_directly(void **context)
{
    (void)context;
    static two_side a, b;
    make_peers(&a, &b);
    two_send_all(&a, true);
    for (size_t i = 0; i < two_flying_count; i++) {
        if (two_flying[i].is_carried) {
            assert_int_equal(two_hear(&b, &two_flying[i]), BKSI_GUARD_TAKEN);
        }
    }
    pass_directly(&b, &a);
    pass_directly(&a, &b);
    pass_directly(&b, &a);
    assert_true(two_is_open(&a) && two_is_open(&b));
    assert_int_equal(b.guard.counts.handshakes, 1);
}

static void a_carried_handshake_goes_through_under_loss(void **context)
{
    (void)context;
    static two_side a, b;
    uint32_t slowest = 0;
    for (int round = 0; round < 300; round++) {
        make_peers(&a, &b);
        a.guard.entropy[0] = (uint8_t)round;
        uint32_t moments = 0;
        while (!(two_is_open(&a) && two_is_open(&b))) {
            cuts cut = {.straight = {true, seed_below(2) == 0}};
            cut.carried[0] = cut.carried[1] = seed_below(100) < 30;
            pass(&a, &b, &cut);
            assert_true(++moments < 200);
        }
        slowest = moments > slowest ? moments : slowest;
    }
    print_message("slowest of 300 at 30 %% loss: %u ms\n", slowest * 50);
    assert_true(slowest * 50 < 3000);
}

static void only_a_call_with_a_detour_is_carried(void **context)
{
    (void)context;
    static two_side a, b;
    const cuts cut = {.straight = {true, true}};
    make_peers(&a, &b);
    bksi_guard_set_detour(&a.guard, a.channel, 2, false);
    a.is_detoured = false;
    for (int i = 0; i < 20; i++) {
        two_send_all(&a, true);
        for (size_t k = 0; k < two_flying_count; k++) {
            assert_false(two_flying[k].is_carried);
        }
        two_flying_count = 0;
        two_now_ns += 50 * MS;
    }
    bksi_guard_set_detour(&a.guard, a.channel, 2, true);
    a.is_detoured = true;
    assert_in_range(moments_to_connect(&a, &b, &cut), 1, 4);
}

/// What is said before there are keys travels with the handshake, by carriers too.
static void messages_travel_with_a_carried_handshake(void **context)
{
    (void)context;
    static two_side a, b;
    const cuts cut = {.straight = {true, true}};
    make_peers(&a, &b);
    b.more_bytes = 300; // too much for the answer
    pass(&a, &b, &cut);
    assert_int_equal(b.heard, 1);
    assert_int_equal(b.heard_unproven, 1);
    for (int i = 0; i < 3; i++) {
        pass(&a, &b, &cut);
    }
    assert_true(a.heard >= 2 && b.heard >= 3);
}

static void a_peer_that_calls_anew_by_carriers_is_followed_under_its_new_keys(void **context)
{
    (void)context;
    static two_side a, b;
    const cuts cut = {.straight = {true, true}};
    make_peers(&a, &b);
    (void)moments_to_connect(&a, &b, &cut);
    bksi_guard_renew(&a.guard, a.channel);
    for (int i = 0; i < 4; i++) {
        pass(&a, &b, &cut);
    }
    assert_int_equal(b.guard.counts.handshakes, 2);
    uint32_t heard = b.heard;
    pass(&a, &b, &cut);
    assert_int_equal(b.heard, heard + 1);
}

// ---- what nothing carried may do ----

static two_packet sealed_by(two_side *s, uint32_t type, size_t count)
{
    bksi_guard_channel *slot = bksi_guard_channel_of(&s->guard, s->channel);
    uint8_t body[64] = {0};
    two_packet made = {.from = s->at, .is_carried = true};
    made.count = bksi_seal_close(&slot->seal, (bksi_packet_type)type, slot->remote_channel, body,
                                 count, made.bytes);
    return made;
}

static void what_is_carried_asks_for_no_address_and_changes_none(void **context)
{
    (void)context;
    static two_side a, b;
    const cuts none = {0};
    make_peers(&a, &b);
    (void)moments_to_connect(&a, &b, &none);
    for (int i = 0; i < 20; i++) {
        two_packet p = sealed_by(&a, BKSI_PACKET_LINK, 16);
        assert_int_equal(two_hear(&b, &p), BKSI_GUARD_TAKEN);
        two_send_all(&b, false);
        assert_int_equal(two_flying_count, 0);
        two_now_ns += 50 * MS;
    }
    two_packet p = sealed_by(&a, BKSI_PACKET_ADDRESS, 9);
    assert_int_equal(two_hear(&b, &p), BKSI_GUARD_REFUSED);
    two_send_all(&b, false);
    assert_int_equal(two_flying_count, 0);
    assert_int_equal(b.guard.counts.address_changes, 0);
    assert_int_equal(bksi_guard_address(&b.guard, b.channel).bytes[3], 1);
    p.is_carried = false; // straight it is fine
    assert_int_equal(two_hear(&b, &p), BKSI_GUARD_QUIET);
}

static void a_carried_packet_carries_no_others_and_comes_from_its_origin_alone(void **context)
{
    (void)context;
    static two_side a, b;
    const cuts none = {0};
    make_peers(&a, &b);
    (void)moments_to_connect(&a, &b, &none);
    two_packet p = sealed_by(&a, BKSI_PACKET_CARRIED, 16);
    assert_int_equal(two_hear(&b, &p), BKSI_GUARD_REFUSED);
    p = sealed_by(&a, BKSI_PACKET_LINK, 16);
    two_packet other = p;
    other.from = 3;
    assert_int_equal(two_hear(&b, &other), BKSI_GUARD_REFUSED);
    assert_int_equal(two_hear(&b, &p), BKSI_GUARD_TAKEN);
    assert_int_equal(two_hear(&b, &p), BKSI_GUARD_REFUSED); // once
    p.is_carried = false;
    assert_int_equal(two_hear(&b, &p), BKSI_GUARD_REFUSED); // by whichever way
}

/// A carrier may say what it likes of where a first message is from.
static void a_carried_first_message_counts_for_its_own_peer_alone(void **context)
{
    (void)context;
    static two_side a, b, stranger;
    make_peers(&a, &b);
    two_send_all(&a, true);
    assert_int_equal(two_flying_count, 2);
    two_packet straight = two_flying[0];
    two_packet carried = two_flying[1];
    two_flying_count = 0;
    assert_true(carried.is_carried && !straight.is_carried);
    assert_int_equal(carried.count, BKSI_HELLO_BYTES);
    assert_memory_not_equal(straight.bytes + 2, carried.bytes + 2, BKSI_NOISE_KEY_BYTES);
    two_packet elsewhere = carried;
    elsewhere.from = 3;
    assert_int_not_equal(two_hear(&b, &elsewhere), BKSI_GUARD_TAKEN);
    // A member that is no peer has no channel to take.
    two_make_side(&stranger, 5, 7);
    bks_address there = two_address(2);
    stranger.channel = bksi_guard_bind(&stranger.guard, &there, NULL, true);
    two_send_all(&stranger, true);
    two_packet strange = two_flying[0];
    strange.is_carried = true;
    two_flying_count = 0;
    for (strange.from = 0; strange.from < BKS_PEERS_MAX; strange.from++) {
        assert_int_not_equal(two_hear(&b, &strange), BKSI_GUARD_TAKEN);
    }
    two_send_all(&b, false);
    assert_int_equal(two_flying_count, 0);
    assert_int_equal(b.heard, 0);
    // A straight one that a carrier brings, and a carried one from an address, are no calls.
    assert_int_equal(two_hear(&b, &straight), BKSI_GUARD_TAKEN);
    straight.is_carried = true;
    assert_int_equal(two_hear(&b, &straight), BKSI_GUARD_REFUSED);
}

static void no_more_is_sent_by_carriers_than_came(void **context)
{
    (void)context;
    static two_side a, b;
    make_peers(&a, &b);
    b.more_bytes = 600;
    size_t in = 0;
    size_t out = 0;
    for (int i = 0; i < 200; i++) {
        two_send_all(&a, true);
        for (size_t k = 0; k < two_flying_count; k++) {
            if (two_flying[k].is_carried && two_flying[k].bytes[1] != 3 && seed_below(3) > 0) {
                in += two_flying[k].count;
                (void)two_hear(&b, &two_flying[k]);
            }
        }
        two_flying_count = 0;
        two_send_all(&b, true);
        for (size_t k = 0; k < two_flying_count; k++) {
            out += two_flying[k].is_carried ? two_flying[k].count : 0;
        }
        two_flying_count = 0;
        two_now_ns += 50 * MS;
        assert_true(out <= in);
    }
    assert_true(out > 0);
}

/// One carrier that brings calls without end leaves the others their share.
static void a_carrier_has_its_share_of_the_handshakes(void **context)
{
    (void)context;
    static two_side b;
    static two_side callers[2];
    two_begin();
    two_make_side(&b, 2, 7);
    for (uint8_t i = 0; i < 2; i++) {
        two_make_side(&callers[i], (uint8_t)(3 + i), 7);
        bks_address here = two_address(3 + i);
        bksi_channel channel = bksi_guard_bind(&b.guard, &here, callers[i].guard.identity, false);
        bksi_guard_set_detour(&b.guard, channel, 3 + i, true);
    }
    uint64_t taken[2] = {0};
    for (uint32_t n = 0; n < 300; n++) { // for 3 seconds; the second now and then
        for (uint32_t i = 0; i < (n % 20 == 0 ? 2u : 1u); i++) {
            two_side *caller = &callers[i];
            memcpy(caller->guard.entropy, &n, sizeof(n));
            caller->guard.calls = (bksi_guard_rate){0}; // it keeps to no limit
            bks_address there = two_address(2);
            caller->channel = bksi_guard_bind(&caller->guard, &there, b.guard.identity, true);
            bksi_guard_set_detour(&caller->guard, caller->channel, 2, true);
            two_flying_count = 0;
            two_send_all(caller, true);
            const two_packet *p = &two_flying[1];
            assert_true(p->is_carried);
            taken[i] += bksi_guard_receive_carried(&b.guard, two_now_ns, 3 + i, i, p->bytes,
                                                   p->count) == BKSI_GUARD_TAKEN
                            ? 1
                            : 0;
            bksi_guard_release(&caller->guard, caller->channel);
        }
        two_now_ns += 10 * MS;
    }
    assert_in_range(taken[0], 18, 24); // a second's worth at once, then 6 a second
    assert_int_equal(taken[1], 15);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peers_that_cannot_reach_each_other_have_keys_from_the_start),
        cmocka_unit_test(either_way_connects_two_peers_whatever_is_cut_of_the_other),
        cmocka_unit_test(a_handshake_that_began_by_carriers_may_end_directly),
        cmocka_unit_test(a_carried_handshake_goes_through_under_loss),
        cmocka_unit_test(only_a_call_with_a_detour_is_carried),
        cmocka_unit_test(messages_travel_with_a_carried_handshake),
        cmocka_unit_test(a_peer_that_calls_anew_by_carriers_is_followed_under_its_new_keys),
        cmocka_unit_test(what_is_carried_asks_for_no_address_and_changes_none),
        cmocka_unit_test(a_carried_packet_carries_no_others_and_comes_from_its_origin_alone),
        cmocka_unit_test(a_carried_first_message_counts_for_its_own_peer_alone),
        cmocka_unit_test(no_more_is_sent_by_carriers_than_came),
        cmocka_unit_test(a_carrier_has_its_share_of_the_handshakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
