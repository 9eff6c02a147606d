// SPDX-License-Identifier: MIT

// Strangers, and hostile members, against guards.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/two_guards.h"
#include "support/seed.h"

// ---- strangers ----

static void a_stranger_without_the_key_gets_not_one_byte(void **context)
{
    (void)context;
    static two_side a, b, stranger;
    two_connect(&a, &b);
    two_make_side(&stranger, 3, 8); // another key
    bks_address there = two_address(2);
    stranger.channel = bksi_guard_bind(&stranger.guard, &there, NULL, true);
    for (int i = 0; i < 400; i++) {
        two_flying_count = 0;
        two_send_all(&stranger, true);
        for (size_t k = 0; k < two_flying_count; k++) {
            assert_int_equal(two_hear(&b, &two_flying[k]), BKSI_GUARD_REFUSED);
        }
        two_packet noise = {.from = 3, .count = seed_below(BKS_PACKET_BYTES_MAX + 1)};
        for (size_t k = 0; k < noise.count; k++) {
            noise.bytes[k] = (uint8_t)seed_next();
        }
        noise.bytes[0] &= seed_below(2) == 0 ? 0x0f : 0xff;
        noise.bytes[1] = seed_below(2) == 0 ? (uint8_t)seed_below(4) : noise.bytes[1];
        assert_int_equal(two_hear(&b, &noise), BKSI_GUARD_REFUSED);
        two_flying_count = 0;
        two_send_all(&b, false);
        assert_int_equal(two_flying_count, 0);
        two_now_ns += 50 * MS;
    }
}

// ---- recorded and reflected packets ----

/// A calls B, which hears the call and has not answered.
static two_packet call(two_side *a, two_side *b)
{
    two_make(a, b);
    two_send_all(a, true);
    const two_packet hello = two_flying[0];
    (void)two_hear(b, &hello);
    two_flying_count = 0;
    return hello;
}

static void open_both(two_side *a, two_side *b)
{
    for (int i = 0; i < 4; i++) {
        (void)two_pass(a, b, 0);
    }
    assert_true(two_is_open(b));
}

/// Neither it nor an answer to it, from wherever it comes.
static void expect_refused_without_a_word(two_side *b, two_packet hello, uint32_t addresses)
{
    for (hello.from = 1; hello.from <= addresses; hello.from++) {
        assert_int_equal(two_hear(b, &hello), BKSI_GUARD_REFUSED);
        two_send_all(b, false);
        assert_int_equal(two_flying_count, 0);
    }
}

static void a_recorded_first_message_is_good_for_nothing(void **context)
{
    (void)context;
    static two_side a, b;
    const two_packet hello = call(&a, &b);
    two_send_all(&b, true);
    two_flying_count = 0;
    // While it is not yet answered for good: from elsewhere nothing, from there the answer again.
    two_packet elsewhere = hello;
    elsewhere.from = 9;
    assert_int_equal(two_hear(&b, &elsewhere), BKSI_GUARD_REFUSED);
    two_send_all(&b, false);
    assert_int_equal(two_flying_count, 0);
    assert_int_equal(two_hear(&b, &hello), BKSI_GUARD_QUIET);
    two_send_all(&b, false);
    assert_int_equal(two_flying_count, 1);
    open_both(&a, &b);
    bksi_guard_release(&b.guard, b.channel);
    expect_refused_without_a_word(&b, hello, 19);
}

/// So many new first messages of members that an older one is not remembered any more.
static void call_from_many(two_side *b)
{
    static two_side caller;
    for (uint32_t i = 0; i < 2 * BKSI_HELLOS_KEPT; i++) {
        two_make_side(&caller, 3, 7);
        uint8_t secret[32] = {1};
        memcpy(secret, &i, sizeof(i));
        memcpy(caller.guard.entropy, secret, sizeof(secret));
        memcpy(caller.guard.identity, secret, BKSI_IDENTITY_BYTES);
        bks_address there = two_address(b->at);
        caller.channel = bksi_guard_bind(&caller.guard, &there, NULL, true);
        two_flying_count = 0;
        two_send_all(&caller, true);
        assert_int_equal(two_hear(b, &two_flying[0]), BKSI_GUARD_TAKEN);
        two_flying_count = 0;
        two_send_all(b, false);
        two_flying_count = 0;
        two_now_ns += 60 * MS;
    }
}

/// However long ago a peer called, its call says nothing while it is there.
static void the_first_message_of_a_present_peer_is_never_answered_again(void **context)
{
    (void)context;
    static two_side a, b;
    const two_packet hello = call(&a, &b);
    open_both(&a, &b);
    call_from_many(&b);
    bksi_guard_channel before = *bksi_guard_channel_of(&b.guard, b.channel);
    expect_refused_without_a_word(&b, hello, 3);
    assert_memory_equal(bksi_guard_channel_of(&b.guard, b.channel), &before, sizeof(before));
}

/// One that led to no keys, and is not remembered any more, is answered like a new one: the peer
/// that it names plays on under its keys, and what goes is less than what came.
static void a_forgotten_first_message_costs_a_present_peer_nothing(void **context)
{
    (void)context;
    static two_side a, b;
    two_packet hello = call(&a, &b);
    memset(bksi_guard_channel_of(&a.guard, a.channel)->handshakes, 0,
           BKSI_GUARD_WAYS * sizeof(bksi_guard_handshake)); // its answer gets lost, it calls anew
    two_send_all(&b, false);
    two_flying_count = 0;
    open_both(&a, &b);
    call_from_many(&b);
    hello.from = 9;
    uint32_t answered = 0;
    for (uint32_t i = 0; i < 10; i++) {
        answered += two_hear(&b, &hello) == BKSI_GUARD_TAKEN ? 1 : 0;
        two_send_all(&b, false);
        size_t bytes = 0;
        for (size_t k = 0; k < two_flying_count; k++) {
            bytes += two_flying[k].count;
        }
        assert_true(bytes < hello.count);
        two_flying_count = 0;
        const uint32_t heard = b.heard;
        (void)two_pass(&a, &b, 0);
        assert_int_equal(b.heard, heard + 1);
    }
    assert_int_equal(answered, 0);
    assert_int_equal(b.guard.counts.handshakes, 1);
}

static void reflected_packets_are_refused(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    for (int i = 0; i < 40; i++) {
        two_send_all(&a, true);
        two_send_all(&b, true);
        size_t flew = two_flying_count;
        for (size_t k = 0; k < flew; k++) {
            two_packet back = two_flying[k];
            back.from = two_flying[k].to;
            assert_int_equal(two_hear(two_flying[k].from == 1 ? &a : &b, &back),
                             BKSI_GUARD_REFUSED);
        }
        for (size_t k = 0; k < flew; k++) {
            (void)two_hear(two_flying[k].to == 1 ? &a : &b, &two_flying[k]);
        }
        two_flying_count = 0;
        two_now_ns += 50 * MS;
    }
    assert_true(two_is_open(&a) && two_is_open(&b));
    assert_true(a.heard > 30 && b.heard > 30);
}

/// Whatever a member at an unproved address sends, it gets no more bytes than it sent.
static void an_unproved_caller_is_sent_no_more_than_it_sent(void **context)
{
    (void)context;
    static two_side a, b;
    for (int round = 0; round < 300; round++) {
        two_make(&a, &b);
        b.more_bytes = seed_below(2) == 0 ? 0 : seed_below(600);
        size_t in = 0;
        size_t out = 0;
        for (int i = 0; i < 60; i++) {
            two_flying_count = 0;
            two_send_all(&a, true);
            for (size_t k = 0; k < two_flying_count; k++) {
                if (seed_below(3) == 0 || two_flying[k].bytes[1] == 3) {
                    continue; // lost; and the third message never comes
                }
                in += two_flying[k].count;
                (void)two_hear(&b, &two_flying[k]);
                if (seed_below(3) == 0) {
                    in += two_flying[k].count;
                    (void)two_hear(&b, &two_flying[k]);
                }
            }
            two_flying_count = 0;
            two_send_all(&b, true);
            two_send_all(&b, true);
            for (size_t k = 0; k < two_flying_count; k++) {
                out += two_flying[k].count;
            }
            if (round % 2 == 0) {
                for (size_t k = 0; k < two_flying_count; k++) {
                    (void)two_hear(&a, &two_flying[k]);
                }
            }
            assert_true(out <= in);
            assert_false(two_is_open(&b));
            two_now_ns += 50 * MS;
        }
        assert_true(out > 0);
    }
}

static uint32_t slots_taken(const bksi_guard *guard)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < BKSI_CHANNELS; i++) {
        taken += guard->channels[i].id != 0;
    }
    return taken;
}

static void repeated_first_messages_share_a_slot(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    for (uint32_t round = 0; round < 20; round++) {
        // Repeated as it is, from where it came and from elsewhere; then called anew.
        two_flying_count = 0;
        two_send_all(&a, true);
        two_packet hello = two_flying[0];
        assert_int_equal(hello.count, BKSI_HELLO_BYTES);
        for (uint32_t i = 0; i < 100; i++) {
            hello.from = i % 3 == 0 ? 1 : 1 + i;
            (void)two_hear(&b, &hello);
        }
        assert_int_equal(slots_taken(&b.guard), 1);
        memset(bksi_guard_channel_of(&a.guard, a.channel)->handshakes, 0,
               BKSI_GUARD_WAYS * sizeof(bksi_guard_handshake));
        two_now_ns += 100 * MS;
    }
    assert_true(b.guard.counts.limited == 0);
}

/// Without the key not even that.
static void a_stranger_takes_no_channel(void **context)
{
    (void)context;
    static two_side b, stranger;
    two_begin();
    two_make_side(&b, 2, 7);
    two_make_side(&stranger, 3, 8);
    const uint64_t drawn = b.guard.drawn;
    bks_address there = two_address(2);
    stranger.channel = bksi_guard_bind(&stranger.guard, &there, NULL, true);
    for (uint32_t i = 0; i < 200; i++) {
        two_send_all(&stranger, true);
        for (size_t k = 0; k < two_flying_count; k++) {
            (void)two_hear(&b, &two_flying[k]);
        }
        two_flying_count = 0;
        two_now_ns += 50 * MS;
    }
    assert_int_equal(slots_taken(&b.guard), 0);
    assert_true(b.guard.counts.forged >= 40);
    assert_int_equal(b.guard.hello_next, 0);
    assert_int_equal(b.guard.drawn, drawn);
}

static void handshakes_are_limited_to_20_a_second(void **context)
{
    (void)context;
    static two_side b, caller;
    two_begin();
    two_make_side(&b, 2, 7);
    uint64_t taken = 0;
    for (uint32_t i = 0; i < 3000; i++) { // for 3 seconds, a new one each millisecond
        two_make_side(&caller, 1, 7);
        memcpy(caller.guard.entropy, &i, sizeof(i));
        bks_address there = two_address(2);
        caller.channel = bksi_guard_bind(&caller.guard, &there, NULL, true);
        two_flying_count = 0;
        two_send_all(&caller, true);
        taken += two_hear(&b, &two_flying[0]) != BKSI_GUARD_REFUSED ? 1 : 0;
        two_flying_count = 0;
        two_send_all(&b, false);
        two_now_ns += MS;
    }
    assert_in_range(taken, 60, 81); // a second's worth at once, then 20 a second
    assert_int_equal(b.guard.counts.limited, 3000 - taken);
}

/// A peer that we call may call us at the same moment, and then one call gives way. Here it is a
/// member in that peer's name, which never continues.
static void a_call_in_a_peers_name_does_not_keep_us_from_calling_it(void **context)
{
    (void)context;
    static two_side a, b, member;
    for (uint8_t i = 0; i < 2; i++) {
        two_begin();
        two_make_side(&a, 1 + i, 7); // the order of the identities says whose call stands
        two_make_side(&b, 2 - i, 7);
        two_make_side(&member, 3, 7);
        bks_address there = two_address(b.at);
        a.channel = bksi_guard_bind(&a.guard, &there, b.guard.identity, true);
        there = two_address(a.at);
        member.channel = bksi_guard_bind(&member.guard, &there, NULL, true);
        memcpy(member.guard.identity, b.guard.identity, BKSI_IDENTITY_BYTES);
        two_send_all(&a, true); // lost
        two_flying_count = 0;
        two_send_all(&member, true);
        (void)two_hear(&a, &two_flying[0]);
        two_flying_count = 0;
        uint32_t moments = 0;
        while (!two_is_open(&a) || !two_is_open(&b)) {
            (void)two_pass(&a, &b, 0);
            assert_true(++moments < 70); // of 50 ms
        }
    }
}

/// Have a new caller send its first message to a side.
static bksi_guard_verdict call_once(two_side *caller, two_side *to, uint8_t number)
{
    two_make_side(caller, number, 7);
    const bks_address there = two_address(to->at);
    caller->channel = bksi_guard_bind(&caller->guard, &there, NULL, true);
    two_flying_count = 0;
    two_send_all(caller, true);
    const bksi_guard_verdict verdict = two_hear(to, &two_flying[0]);
    two_flying_count = 0;
    return verdict;
}

static void a_call_is_not_lost_to_19_others_of_the_same_moment(void **context)
{
    (void)context;
    static two_side a, b, others[19];
    two_begin();
    two_make_side(&b, 2, 7);
    assert_int_equal(call_once(&a, &b, 3), BKSI_GUARD_TAKEN);
    uint32_t taken = 1;
    for (uint8_t i = 0; i < 19; i++) {
        taken += call_once(&others[i], &b, (uint8_t)(10 + i)) == BKSI_GUARD_TAKEN;
    }
    assert_int_equal(taken, BKSI_CHANNELS); // the others call again
    two_now_ns += 200 * MS;
    for (int i = 0; i < 3; i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_true(two_is_open(&a));
    two_now_ns += SECONDS; // those who do not go on lose their channels
    for (uint8_t i = 0; i < 15; i++) {
        assert_int_equal(call_once(&others[i], &b, (uint8_t)(40 + i)), BKSI_GUARD_TAKEN);
    }
}

static void members_that_call_cannot_take_the_channels_in_use(void **context)
{
    (void)context;
    static two_side a, b, caller;
    two_connect(&a, &b);
    bks_address elsewhere = two_address(40);
    uint8_t awaited[BKSI_IDENTITY_BYTES] = {9};
    bksi_channel waiting = bksi_guard_bind(&b.guard, &elsewhere, awaited, false);
    for (uint32_t i = 0; i < 400; i++) {
        two_make_side(&caller, 3, 7);
        uint8_t secret[32] = {1};
        memcpy(secret, &i, sizeof(i));
        memcpy(caller.guard.entropy, secret, sizeof(secret));
        bksi_noise_make_pair(&caller.guard.own, secret);
        memcpy(caller.guard.identity, secret, BKSI_IDENTITY_BYTES);
        bks_address there = two_address(2);
        caller.channel = bksi_guard_bind(&caller.guard, &there, NULL, true);
        two_flying_count = 0;
        two_send_all(&caller, true);
        (void)two_hear(&b, &two_flying[0]);
        two_flying_count = 0;
        two_send_all(&b, false);
        two_flying_count = 0;
        two_now_ns += 60 * MS;
    }
    assert_true(two_is_open(&b));
    assert_non_null(bksi_guard_channel_of(&b.guard, waiting));
    uint32_t heard = b.heard;
    for (int i = 0; i < 10; i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_int_equal(b.heard, heard + 10);
}

// ---- hostile ----

/// Not a byte of the channel moves, whatever comes.
static void forged_packets_leave_the_guard_as_it_was(void **context)
{
    (void)context;
    static two_side a, b;
    two_connect(&a, &b);
    two_send_all(&a, true);
    two_packet real = two_flying[0];
    two_flying_count = 0;
    bksi_guard_channel before = *bksi_guard_channel_of(&b.guard, b.channel);
    for (int round = 0; round < 100000; round++) {
        two_packet forged = real;
        switch (seed_below(4)) {
        case 0:
            forged.bytes[seed_below((uint32_t)forged.count)] ^= (uint8_t)(1 + seed_below(255));
            break;
        case 1:
            forged.count = seed_below((uint32_t)forged.count);
            break;
        case 2:
            forged.count = 2 + seed_below(100);
            for (size_t i = 0; i < forged.count; i++) {
                forged.bytes[i] = (uint8_t)seed_next();
            }
            break;
        default:
            forged.bytes[0] = (uint8_t)(forged.bytes[0] ^ 16 * (1 + seed_below(14)));
            break;
        }
        forged.from = 1 + seed_below(5);
        assert_int_equal(two_hear(&b, &forged), BKSI_GUARD_REFUSED);
    }
    assert_memory_equal(bksi_guard_channel_of(&b.guard, b.channel), &before, sizeof(before));
    assert_int_equal(two_hear(&b, &real), BKSI_GUARD_TAKEN);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stranger_without_the_key_gets_not_one_byte),
        cmocka_unit_test(a_recorded_first_message_is_good_for_nothing),
        cmocka_unit_test(the_first_message_of_a_present_peer_is_never_answered_again),
        cmocka_unit_test(a_forgotten_first_message_costs_a_present_peer_nothing),
        cmocka_unit_test(reflected_packets_are_refused),
        cmocka_unit_test(an_unproved_caller_is_sent_no_more_than_it_sent),
        cmocka_unit_test(repeated_first_messages_share_a_slot),
        cmocka_unit_test(a_stranger_takes_no_channel),
        cmocka_unit_test(handshakes_are_limited_to_20_a_second),
        cmocka_unit_test(a_call_in_a_peers_name_does_not_keep_us_from_calling_it),
        cmocka_unit_test(a_call_is_not_lost_to_19_others_of_the_same_moment),
        cmocka_unit_test(members_that_call_cannot_take_the_channels_in_use),
        cmocka_unit_test(forged_packets_leave_the_guard_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
