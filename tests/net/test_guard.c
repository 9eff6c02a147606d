// SPDX-License-Identifier: MIT

// Handshakes between guards, and peers that move. What strangers and hostile members can do is in
// test_guard_hostile.c.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sodium.h>
#include <string.h>

#include "base/bytes.h"
#include "net/two_guards.h"
#include "support/seed.h"

// ---- handshakes ----

static void a_payload_travels_with_the_handshake(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    two_send_all(&a, true);
    assert_int_equal(two_flying_count, 1);
    assert_int_equal(two_flying[0].count, BKSI_HELLO_BYTES);
    assert_int_equal(two_hear(&b, &two_flying[0]), BKSI_GUARD_TAKEN);
    assert_int_equal(b.heard, 1);
    assert_int_equal(b.heard_unproven, 1);
    two_flying_count = 0;
    two_send_all(&b, true);
    assert_int_equal(two_flying_count, 1);
    assert_true(two_flying[0].count <= BKSI_HELLO_BYTES);
    assert_int_equal(two_hear(&a, &two_flying[0]), BKSI_GUARD_TAKEN);
    assert_int_equal(a.heard, 1);
    assert_int_equal(a.heard_unproven, 0);
    assert_memory_equal(bksi_guard_identity(&a.guard, a.channel), b.guard.identity,
                        BKSI_IDENTITY_BYTES);
    two_flying_count = 0;
    two_send_all(&a, true);
    assert_int_equal(two_flying_count, 1);
    assert_int_equal(two_hear(&b, &two_flying[0]), BKSI_GUARD_TAKEN);
    assert_int_equal(b.heard, 2);
    assert_int_equal(b.heard_unproven, 1);
    assert_true(two_is_open(&b));
    assert_memory_equal(bksi_guard_identity(&b.guard, b.channel), a.guard.identity,
                        BKSI_IDENTITY_BYTES);
}

static void a_handshake_goes_through_under_loss(void **context)
{
    (void)context;
    static two_side a, b;
    uint32_t slowest = 0;
    for (int round = 0; round < 300; round++) {
        two_make(&a, &b);
        a.guard.entropy[0] = (uint8_t)round;
        uint32_t moments = 0;
        while (!(two_is_open(&a) && two_is_open(&b))) {
            (void)two_pass(&a, &b, 30);
            assert_true(++moments < 200);
        }
        slowest = moments > slowest ? moments : slowest;
        uint32_t heard = a.heard;
        for (int i = 0; i < 20; i++) {
            (void)two_pass(&a, &b, 30);
        }
        assert_true(a.heard > heard + 5);
    }
    print_message("slowest of 300 at 30 %% loss: %u ms\n", slowest * 50);
    assert_true(slowest * 50 < 2000);
}

/// What two sides send flies for `way_ns`, until both have keys.
/// @param flown  receives how many packets of A's flew
/// @return how long it took
static uint64_t connect_over(two_side *a, two_side *b, uint64_t way_ns, uint32_t *flown)
{
    static two_packet all[512];
    static uint64_t arrives_ns[512];
    size_t count = 0;
    *flown = 0;
    for (uint64_t begun_ns = two_now_ns; two_now_ns < begun_ns + 30 * SECONDS;
         two_now_ns += 5 * MS) {
        for (size_t i = 0; i < count; i++) {
            if (arrives_ns[i] == two_now_ns) {
                (void)two_hear(all[i].to == a->at ? a : b, &all[i]);
            }
        }
        if (two_is_open(a) && two_is_open(b)) {
            return two_now_ns - begun_ns;
        }
        bool speaks = (two_now_ns - begun_ns) % (250 * MS) == 0;
        two_send_all(a, speaks);
        two_send_all(b, speaks);
        for (size_t i = 0; i < two_flying_count; i++) {
            assert_true(count < 512);
            arrives_ns[count] = two_now_ns + way_ns;
            all[count++] = two_flying[i];
            *flown += two_flying[i].from == a->at ? 1 : 0;
        }
        two_flying_count = 0;
    }
    return UINT64_MAX;
}

static void the_first_call_counts_however_long_the_answer_takes(void **context)
{
    (void)context;
    static const uint64_t ways_ms[] = {5, 500, 1050, 2000, 2400};
    for (uint32_t i = 0; i < sizeof(ways_ms) / sizeof(ways_ms[0]); i++) {
        static two_side a, b;
        uint32_t flown = 0;
        two_make(&a, &b);
        // The third message arrives; a peer hears of that with the next one that is said to it.
        uint64_t took_ns = connect_over(&a, &b, ways_ms[i] * MS, &flown);
        assert_in_range(took_ns / MS, 4 * ways_ms[i], 4 * ways_ms[i] + 250);
        assert_int_equal(a.guard.counts.handshakes, 1);
        assert_int_equal(b.guard.counts.handshakes, 1);
        assert_in_range(flown, 2, 30 + 20 * ways_ms[i] / 1000);
    }
}

static void a_call_grows_seldom(void **context)
{
    (void)context;
    static two_side a, b;
    uint32_t flown = 0;
    two_make(&a, &b);
    (void)connect_over(&a, &b, 60 * SECONDS, &flown);
    assert_in_range(flown, 110, 150); // 4 a second, and a few more each time it is made anew
}

/// The limit of handshakes is in step with 50 ms.
static void repeats_of_a_call_keep_step_with_nothing(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    uint64_t went_ns = 0;
    uint32_t gaps[256] = {0}; // by ms
    const uint64_t begun_ns = two_now_ns;
    for (; two_now_ns < begun_ns + 60 * SECONDS; two_now_ns += MS) {
        two_flying_count = 0;
        two_send_all(&a, (two_now_ns - begun_ns) % (100 * MS) == 0);
        if (two_flying_count > 0) {
            const uint64_t gap_ms = (two_now_ns - went_ns) / MS;
            gaps[gap_ms < 255 ? gap_ms : 255] += two_now_ns > begun_ns ? 1 : 0;
            went_ns = two_now_ns;
        }
    }
    uint32_t kinds = 0;
    for (uint32_t ms = 230; ms <= 251; ms++) {
        kinds += gaps[ms] > 0 ? 1 : 0;
    }
    assert_true(kinds >= 15);
    assert_int_equal(gaps[252] + gaps[253] + gaps[254] + gaps[255], 0);
}

static void an_answer_is_150_bytes_shorter_than_a_call(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    a.more_bytes = b.more_bytes = 500; // does not fit, and goes when there are keys
    for (uint32_t i = 0; i < 2; i++) {
        two_send_all(i == 0 ? &a : &b, true);
        assert_int_equal(two_flying_count, 1);
        assert_true(two_flying[0].count <= (i == 0 ? BKSI_HELLO_BYTES : BKSI_HELLO_BYTES - 150));
        (void)two_hear(i == 0 ? &b : &a, &two_flying[0]);
        two_flying_count = 0;
    }
    assert_int_equal(a.heard + b.heard, 0);
    for (uint32_t i = 0; i < 4; i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_true(two_is_open(&a) && two_is_open(&b));
    assert_true(a.heard > 0 && b.heard > 0);
}

static void a_handshake_that_goes_again_says_how_old_its_messages_are(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    two_send_all(&a, true);
    const two_packet hello = two_flying[0];
    for (uint32_t i = 0; i < 3; i++) {
        two_flying_count = 0;
        assert_int_not_equal(two_hear(&b, &hello), BKSI_GUARD_REFUSED);
        two_send_all(&b, i == 0);
        assert_int_equal(two_flying_count, 1);
        two_now_ns += 70 * MS;
    }
    two_packet bent = two_flying[0]; // another age
    bent.bytes[bent.count - 17] ^= 1;
    assert_int_equal(two_hear(&a, &bent), BKSI_GUARD_REFUSED);
    assert_int_equal(two_hear(&a, &two_flying[0]), BKSI_GUARD_TAKEN);
    assert_int_equal(a.last_age_ns, 140 * MS);
    assert_int_equal(bksi_guard_answer_took_ns(&a.guard, a.channel), 210 * MS);
    assert_int_equal(bksi_guard_answered_ns(&a.guard, a.channel), two_now_ns);
    two_flying_count = 0;
    two_send_all(&a, true);
    two_now_ns += 20 * MS;
    two_flying_count = 0;
    two_send_all(&a, false);
    assert_int_equal(two_flying_count, 1);
    bent = two_flying[0];
    bent.bytes[bent.count - 17] ^= 1;
    assert_int_equal(two_hear(&b, &bent), BKSI_GUARD_REFUSED);
    assert_int_equal(two_hear(&b, &two_flying[0]), BKSI_GUARD_TAKEN);
    assert_int_equal(b.last_age_ns, 20 * MS);
}

/// One on the way that has the match key, and no secret of the two.
static void a_member_cannot_change_how_old_a_handshake_is(void **context)
{
    (void)context;
    static two_side a, b, member;
    two_make(&a, &b);
    two_make_side(&member, 3, 7);
    two_send_all(&a, true);
    const two_packet hello = two_flying[0];
    assert_int_equal(two_hear(&b, &hello), BKSI_GUARD_TAKEN);
    bksi_noise opened = member.guard.start;
    uint8_t plain[BKSI_HELLO_BYTES];
    size_t plain_bytes = 0;
    assert_true(
        bksi_noise_read(&opened, hello.bytes + 2, hello.count - 2 - 16, plain, &plain_bytes));
    for (uint32_t i = 0; i < 2; i++) {
        two_flying_count = 0;
        two_send_all(i == 0 ? &b : &a, true);
        two_packet bent = two_flying[0];
        bksi_put_u16(bent.bytes + bent.count - 18, 65535);
        uint8_t check[16];
        const size_t check_bytes = i == 0 ? 8 : 16;
        const size_t checked = bent.count - check_bytes;
        (void)crypto_generichash(check, 16, bent.bytes, checked, opened.chain,
                                 BKSI_NOISE_HASH_BYTES);
        memcpy(bent.bytes + checked, check, check_bytes);
        assert_int_equal(two_hear(i == 0 ? &a : &b, &bent), BKSI_GUARD_REFUSED);
        assert_int_equal(two_hear(i == 0 ? &a : &b, &two_flying[0]), BKSI_GUARD_TAKEN);
        assert_int_equal(i == 0 ? a.last_age_ns : b.last_age_ns, 0);
    }
}

static void an_answered_caller_may_get_more_before_it_has_proved_itself(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    two_send_all(&a, true);
    (void)two_hear(&b, &two_flying[0]);
    two_flying_count = 0;
    two_send_all(&b, true);
    two_packet answer = two_flying[0];
    two_flying_count = 0;
    two_send_all(&b, true); // there is no third message yet
    assert_int_equal(two_flying_count, 1);
    two_packet early = two_flying[0];
    two_flying_count = 0;
    assert_int_equal(two_hear(&a, &early), BKSI_GUARD_REFUSED); // no key for it yet
    assert_int_equal(two_hear(&a, &answer), BKSI_GUARD_TAKEN);
    assert_int_equal(two_hear(&a, &early), BKSI_GUARD_TAKEN);
    assert_int_equal(two_hear(&a, &early), BKSI_GUARD_REFUSED);
    assert_int_equal(a.heard, 2);
    two_send_all(&a, true);
    assert_int_equal(two_hear(&b, &two_flying[0]), BKSI_GUARD_TAKEN);
    assert_true(two_is_open(&b));
    // The early key is of no use any more.
    early.from = 1;
    assert_int_equal(two_hear(&b, &early), BKSI_GUARD_REFUSED);
}

static void a_peer_that_calls_anew_is_followed_under_its_new_keys(void **context)
{
    (void)context;
    static two_side a, b;
    two_connect(&a, &b);
    bksi_channel channel = b.channel;
    // A was started again: the same identity, other entropy.
    two_make_side(&a, 1, 7);
    a.guard.entropy[5] = 99;
    bks_address there = two_address(2);
    a.channel = bksi_guard_bind(&a.guard, &there, NULL, true);
    for (int i = 0; i < 4; i++) {
        (void)two_pass(&a, &b, 0);
    }
    uint32_t heard = b.heard;
    (void)two_pass(&a, &b, 0);
    assert_int_equal(b.heard, heard + 1);
    assert_int_equal(b.channel, channel);
    assert_int_equal(b.guard.counts.handshakes, 2);
}

static void a_lost_channel_is_renewed_by_the_side_that_called(void **context)
{
    (void)context;
    static two_side a, b;
    two_connect(&a, &b);
    bksi_guard_release(&b.guard, b.channel);
    b.channel = 0;
    uint32_t heard = a.heard;
    for (int i = 0; i < 10; i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_int_equal(a.heard, heard);
    bksi_guard_renew(&a.guard, a.channel);
    for (int i = 0; i < 5; i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_true(a.heard > heard);
    assert_true(two_is_open(&a) && two_is_open(&b));
}

/// Let a side speak, and catch the last packet that it sends.
static two_packet catch_last(two_side *s)
{
    two_flying_count = 0;
    two_send_all(s, true);
    assert_true(two_flying_count > 0);
    const two_packet last = two_flying[two_flying_count - 1];
    two_flying_count = 0;
    return last;
}

static void an_older_call_changes_nothing_once_a_newer_one_has_led_to_keys(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    const two_packet older = catch_last(&a);
    two_now_ns += 6 * SECONDS; // A makes a new first message
    const two_packet newer = catch_last(&a);
    assert_int_equal(two_hear(&b, &newer), BKSI_GUARD_TAKEN);
    for (uint32_t i = 0; i < 4; i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_true(two_is_open(&a) && two_is_open(&b));
    const bksi_guard_rate rate = b.guard.rate;
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(two_hear(&b, &older), BKSI_GUARD_REFUSED);
    }
    assert_memory_equal(&rate, &b.guard.rate, sizeof(rate));
    assert_true(two_is_open(&a) && two_is_open(&b));
}

/// A first message proves nothing, so it must not keep the peer out in whose name it comes.
static void
an_older_call_that_arrives_before_the_newer_one_has_led_to_keys_only_delays(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    const two_packet older = catch_last(&a);
    two_now_ns += 6 * SECONDS;
    const two_packet newer = catch_last(&a);
    assert_int_equal(two_hear(&b, &newer), BKSI_GUARD_TAKEN);
    const two_packet answer = catch_last(&b);
    assert_int_equal(two_hear(&a, &answer), BKSI_GUARD_TAKEN);
    assert_int_equal(two_hear(&b, &older), BKSI_GUARD_TAKEN); // B no longer knows the newer one
    for (uint32_t i = 0; i < 70 && !(two_is_open(&a) && two_is_open(&b)); i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_true(two_is_open(&a) && two_is_open(&b));
}

static void a_call_whose_keys_the_peer_does_not_use_is_made_anew(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    const two_packet call = catch_last(&a);
    assert_int_equal(two_hear(&b, &call), BKSI_GUARD_TAKEN);
    const two_packet answer = catch_last(&b);
    assert_int_equal(two_hear(&a, &answer), BKSI_GUARD_TAKEN);
    bksi_guard_release(&b.guard, b.channel);
    b.channel = 0;
    for (uint32_t i = 0; i < 70 && !(two_is_open(&a) && two_is_open(&b)); i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_true(two_is_open(&a) && two_is_open(&b));
}

/// Somebody between two peers who passes packets on may have one follow the other to a place where
/// it is not.
static void a_peer_that_never_moved_is_called_where_it_was(void **context)
{
    (void)context;
    static two_side a, b;
    two_connect(&a, &b);
    bksi_guard_channel_of(&a.guard, a.channel)->address = two_address(9);
    bksi_guard_release(&b.guard, b.channel);
    b.channel = 0;
    for (uint32_t i = 0; i < 3 && !(two_is_open(&a) && two_is_open(&b)); i++) {
        bksi_guard_renew(&a.guard, a.channel);
        for (uint32_t k = 0; k < 60; k++) { // 3 seconds
            (void)two_pass(&a, &b, 0);
        }
    }
    assert_true(two_is_open(&a) && two_is_open(&b));
    assert_int_equal(bksi_guard_address(&a.guard, a.channel).bytes[3], 2);
}

static void an_answer_of_the_wrong_peer_gets_no_channel(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    bksi_guard_release(&a.guard, a.channel);
    uint8_t another[BKSI_IDENTITY_BYTES] = {5};
    bks_address there = two_address(2);
    a.channel = bksi_guard_bind(&a.guard, &there, another, true);
    for (int i = 0; i < 30; i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_false(two_is_open(&a));
    assert_int_equal(a.heard, 0);
}

/// A member claims in its first message to be another; the third message shows that it is not.
static void a_caller_with_a_false_identity_gets_no_channel(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    a.guard.identity[0] ^= 1;
    for (int i = 0; i < 30; i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_false(two_is_open(&b));
    assert_int_equal(b.guard.counts.handshakes, 0);
}

/// Nor does it two_hear or stop what goes to the one it claims to be.
static void a_caller_with_the_identity_of_a_present_peer_gets_no_answer(void **context)
{
    (void)context;
    static two_side a, b, liar;
    two_connect(&a, &b);
    for (uint8_t i = 0; i < 15; i++) {
        two_make_side(&liar, 3, 7);
        liar.guard.entropy[7] = i;
        memcpy(liar.guard.identity, a.guard.identity, BKSI_IDENTITY_BYTES);
        bks_address there = two_address(2);
        liar.channel = bksi_guard_bind(&liar.guard, &there, NULL, true);
        two_send_all(&liar, true);
        (void)two_hear(&b, &two_flying[0]);
        two_flying_count = 0;
        uint32_t heard = a.heard;
        for (int k = 0; k < 3; k++) {
            two_send_all(&b, true);
            for (size_t n = 0; n < two_flying_count; n++) {
                (void)two_hear(two_flying[n].to == 1 ? &a : &liar, &two_flying[n]);
            }
            two_flying_count = 0;
            two_send_all(&liar, true);
            for (size_t n = 0; n < two_flying_count; n++) {
                (void)two_hear(&b, &two_flying[n]);
            }
            two_flying_count = 0;
            two_now_ns += 50 * MS;
        }
        assert_int_equal(a.heard, heard + 3);
        assert_int_equal(liar.heard, 0);
    }
    assert_int_equal(b.guard.counts.handshakes, 1);
}

static void both_may_call_each_other_at_once(void **context)
{
    (void)context;
    static two_side a, b;
    two_make(&a, &b);
    bks_address here = two_address(1);
    b.channel = bksi_guard_bind(&b.guard, &here, a.guard.identity, true);
    bksi_guard_release(&a.guard, a.channel);
    bks_address there = two_address(2);
    a.channel = bksi_guard_bind(&a.guard, &there, b.guard.identity, true);
    for (int i = 0; i < 6; i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_true(two_is_open(&a) && two_is_open(&b));
    assert_int_equal(a.guard.counts.handshakes, 1);
    assert_int_equal(b.guard.counts.handshakes, 1);
}

// ---- a new address ----

static void a_peer_at_a_new_address_is_asked_and_followed(void **context)
{
    (void)context;
    static two_side a, b;
    two_connect(&a, &b);
    a.at = 30;
    uint32_t heard = b.heard;
    for (int i = 0; i < 3; i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_int_equal(b.heard, heard + 3); // its words were taken all the while
    assert_int_equal(b.guard.counts.address_changes, 1);
    assert_int_equal(bksi_guard_address(&b.guard, b.channel).bytes[3], 30);
    heard = a.heard;
    (void)two_pass(&a, &b, 0);
    assert_int_equal(a.heard, heard + 1);
}

static void a_moved_peer_is_followed_under_loss(void **context)
{
    (void)context;
    static two_side a, b;
    for (int round = 0; round < 50; round++) {
        two_connect(&a, &b);
        a.at = 30;
        uint32_t moments = 0;
        while (b.guard.counts.address_changes == 0) {
            (void)two_pass(&a, &b, 30);
            assert_true(++moments < 40);
        }
    }
}

/// An ADDRESS packet of a side's, from an address.
static two_packet address_packet(two_side *s, uint32_t from, uint8_t what, uint64_t token)
{
    bksi_guard_channel *slot = bksi_guard_channel_of(&s->guard, s->channel);
    uint8_t body[9] = {what};
    for (uint32_t i = 0; i < 8; i++) {
        body[1 + i] = (uint8_t)(token >> 8 * i);
    }
    two_packet made = {.from = from};
    made.count = bksi_seal_close(&slot->seal, BKSI_PACKET_ADDRESS, slot->remote_channel, body,
                                 sizeof(body), made.bytes);
    return made;
}

static void only_the_right_answer_from_the_right_place_moves_an_address(void **context)
{
    (void)context;
    static two_side a, b;
    two_connect(&a, &b);
    a.at = 30;
    two_send_all(&a, true);
    assert_int_equal(two_hear(&b, &two_flying[0]), BKSI_GUARD_TAKEN);
    two_flying_count = 0;
    two_send_all(&b, false);
    assert_int_equal(two_flying_count, 1);
    assert_int_equal(two_flying[0].to, 30);
    uint64_t token = bksi_guard_channel_of(&b.guard, b.channel)->challenge.token;
    two_packet p = address_packet(&a, 30, 1, token ^ 1);
    assert_int_equal(two_hear(&b, &p), BKSI_GUARD_QUIET);
    assert_int_equal(b.guard.counts.address_changes, 0);
    p = address_packet(&a, 31, 1, token);
    assert_int_equal(two_hear(&b, &p), BKSI_GUARD_QUIET);
    assert_int_equal(b.guard.counts.address_changes, 0);
    // From there it is asked anew.
    a.at = 31;
    two_flying_count = 0;
    two_send_all(&a, true);
    assert_int_equal(two_hear(&b, &two_flying[0]), BKSI_GUARD_TAKEN);
    token = bksi_guard_channel_of(&b.guard, b.channel)->challenge.token;
    p = address_packet(&a, 31, 1, token);
    assert_int_equal(two_hear(&b, &p), BKSI_GUARD_QUIET);
    assert_int_equal(b.guard.counts.address_changes, 1);
    assert_int_equal(bksi_guard_address(&b.guard, b.channel).bytes[3], 31);
}

/// The answer is the most that may go to an unproved address.
static void a_question_from_elsewhere_is_answered_and_not_asked_back(void **context)
{
    (void)context;
    static two_side a, b;
    two_connect(&a, &b);
    two_packet question = address_packet(&a, 30, 0, 5);
    assert_int_equal(two_hear(&b, &question), BKSI_GUARD_QUIET);
    two_flying_count = 0;
    two_send_all(&b, false);
    assert_int_equal(two_flying_count, 1);
    assert_int_equal(two_flying[0].to, 30);
    assert_int_equal(two_flying[0].count, question.count);
}

static void packets_passed_on_by_somebody_else_change_no_address(void **context)
{
    (void)context;
    static two_side a, b;
    two_connect(&a, &b);
    for (int i = 0; i < 40; i++) {
        two_flying_count = 0;
        two_send_all(&a, true);
        two_packet taken = two_flying[0];
        taken.from = 66; // the real one never comes
        assert_int_equal(two_hear(&b, &taken), BKSI_GUARD_TAKEN);
        two_flying_count = 0;
        two_send_all(&b, true); // its question goes to 66, which cannot answer
        for (size_t k = 0; k < two_flying_count; k++) {
            if (two_flying[k].to == 1) {
                (void)two_hear(&a, &two_flying[k]);
            } else {
                assert_true(two_flying[k].count <= taken.count);
            }
        }
        two_now_ns += 50 * MS;
    }
    assert_int_equal(b.guard.counts.address_changes, 0);
    assert_int_equal(bksi_guard_address(&b.guard, b.channel).bytes[3], 1);
}

static void an_old_packet_from_the_old_address_moves_no_peer_back(void **context)
{
    (void)context;
    static two_side a, b;
    two_connect(&a, &b);
    two_send_all(&a, true);
    two_packet old = two_flying[0];
    two_flying_count = 0;
    a.at = 30;
    for (int i = 0; i < 3; i++) {
        (void)two_pass(&a, &b, 0);
    }
    assert_int_equal(two_hear(&b, &old), BKSI_GUARD_TAKEN);
    two_send_all(&b, false);
    assert_int_equal(two_flying_count, 0); // not even a question
    assert_int_equal(bksi_guard_address(&b.guard, b.channel).bytes[3], 30);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_payload_travels_with_the_handshake),
        cmocka_unit_test(a_handshake_goes_through_under_loss),
        cmocka_unit_test(the_first_call_counts_however_long_the_answer_takes),
        cmocka_unit_test(a_call_grows_seldom),
        cmocka_unit_test(repeats_of_a_call_keep_step_with_nothing),
        cmocka_unit_test(an_answer_is_150_bytes_shorter_than_a_call),
        cmocka_unit_test(a_handshake_that_goes_again_says_how_old_its_messages_are),
        cmocka_unit_test(a_member_cannot_change_how_old_a_handshake_is),
        cmocka_unit_test(an_answered_caller_may_get_more_before_it_has_proved_itself),
        cmocka_unit_test(a_peer_that_calls_anew_is_followed_under_its_new_keys),
        cmocka_unit_test(a_lost_channel_is_renewed_by_the_side_that_called),
        cmocka_unit_test(an_older_call_changes_nothing_once_a_newer_one_has_led_to_keys),
        cmocka_unit_test(
            an_older_call_that_arrives_before_the_newer_one_has_led_to_keys_only_delays),
        cmocka_unit_test(a_call_whose_keys_the_peer_does_not_use_is_made_anew),
        cmocka_unit_test(a_peer_that_never_moved_is_called_where_it_was),
        cmocka_unit_test(an_answer_of_the_wrong_peer_gets_no_channel),
        cmocka_unit_test(a_caller_with_a_false_identity_gets_no_channel),
        cmocka_unit_test(a_caller_with_the_identity_of_a_present_peer_gets_no_answer),
        cmocka_unit_test(both_may_call_each_other_at_once),
        cmocka_unit_test(a_peer_at_a_new_address_is_asked_and_followed),
        cmocka_unit_test(a_moved_peer_is_followed_under_loss),
        cmocka_unit_test(only_the_right_answer_from_the_right_place_moves_an_address),
        cmocka_unit_test(a_question_from_elsewhere_is_answered_and_not_asked_back),
        cmocka_unit_test(packets_passed_on_by_somebody_else_change_no_address),
        cmocka_unit_test(an_old_packet_from_the_old_address_moves_no_peer_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
