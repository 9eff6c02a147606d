// SPDX-License-Identifier: MIT

// Who may speak: guards over a network that the test is in the middle of.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/seed.h"
#include "net/guard.h"

#define MS      UINT64_C(1000000)
#define SECONDS (1000 * MS)
#define LOG_MAX 4096

typedef struct packet {
    size_t count;
    uint32_t from, to; ///< numbers of addresses
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
} packet;

/// A guard that says "name and a counter" to its channels and keeps what it hears.
typedef struct side {
    bksi_guard guard;
    uint32_t at;          ///< its address
    bksi_channel channel; ///< the one it talks on, 0: whoever spoke to it last
    uint32_t said;
    uint32_t heard;          ///< messages
    uint32_t heard_unproven; ///< of them
    uint8_t last[16];
} side;

/// Packets of this moment's.
static packet flying[64];
static size_t flying_count;
static uint64_t now_ns;

static bks_address address(uint32_t number)
{
    return (bks_address){.length = 4, .bytes = {10, 0, 0, (uint8_t)number}};
}

static void make_side(side *s, uint8_t number, uint8_t key_byte)
{
    uint8_t key[32];
    uint8_t identity[32];
    uint8_t entropy[32];
    memset(key, key_byte, sizeof(key));
    memset(identity, number + 10, sizeof(identity));
    memset(entropy, number + 100, sizeof(entropy));
    memset(s, 0, sizeof(*s));
    bksi_guard_init(&s->guard, key, identity, entropy);
    s->at = number;
}

static void begin(void)
{
    now_ns = SECONDS;
    flying_count = 0;
}

/// Everything a side has to send now, on top of what flies.
static void send_all(side *s, bool speaks)
{
    bks_address to;
    packet *p = &flying[flying_count];
    while ((p->count = bksi_guard_repeat(&s->guard, now_ns, &to, p->bytes)) > 0) {
        p->from = s->at;
        p->to = to.bytes[3];
        p = &flying[++flying_count];
    }
    if (speaks && s->channel != 0) {
        uint8_t body[16] = "counted";
        body[12] = (uint8_t)s->said++;
        uint64_t number;
        bool is_sealed;
        p->count = bksi_guard_send(&s->guard, now_ns, s->channel, BKSI_PACKET_LINK, body,
                                   sizeof(body), &to, p->bytes, &number, &is_sealed);
        p->from = s->at;
        p->to = to.bytes[3];
        p = &flying[flying_count += p->count > 0 ? 1 : 0];
    }
    while ((p->count = bksi_guard_flush(&s->guard, now_ns, &to, p->bytes)) > 0) {
        p->from = s->at;
        p->to = to.bytes[3];
        p = &flying[++flying_count];
        assert_true(flying_count < 64);
    }
}

static bksi_guard_verdict hear(side *s, const packet *p)
{
    bks_address from = address(p->from);
    uint8_t *exact = malloc(p->count > 0 ? p->count : 1);
    assert_non_null(exact);
    memcpy(exact, p->bytes, p->count);
    bksi_guard_verdict verdict = bksi_guard_receive(&s->guard, now_ns, &from, exact, p->count);
    free(exact);
    bksi_guard_message message;
    while (bksi_guard_take(&s->guard, &message)) {
        assert_int_equal(message.type, BKSI_PACKET_LINK);
        assert_int_equal(message.body_bytes, 16);
        s->heard++;
        s->heard_unproven += message.is_proven ? 0 : 1;
        memcpy(s->last, message.body, 16);
        if (s->channel == 0) {
            s->channel = message.channel;
            bksi_guard_hold(&s->guard, message.channel);
        }
    }
    return verdict;
}

/// A moment: both speak, what flies arrives, some of it is lost. Returns packets that flew.
static size_t pass(side *a, side *b, uint32_t loss_percent)
{
    send_all(a, true);
    send_all(b, true);
    size_t flew = flying_count;
    for (size_t i = 0; i < flew; i++) {
        if (seed_below(100) < loss_percent)
            continue;
        if (flying[i].to == a->at)
            (void)hear(a, &flying[i]);
        if (flying[i].to == b->at)
            (void)hear(b, &flying[i]);
    }
    flying_count = 0;
    now_ns += 50 * MS;
    return flew;
}

static bool is_open(const side *s)
{
    const bksi_guard_slot *slot = bksi_guard_slot_of(&s->guard, s->channel);
    return slot != NULL && slot->is_open && slot->handshake.stage == BKSI_GUARD_IDLE;
}

/// Two sides with the same key, A calling B.
static void make_two(side *a, side *b)
{
    begin();
    make_side(a, 1, 7);
    make_side(b, 2, 7);
    bks_address there = address(2);
    a->channel = bksi_guard_bind(&a->guard, &there, NULL, true);
}

static void connect_two(side *a, side *b)
{
    make_two(a, b);
    for (int i = 0; i < 4; i++)
        (void)pass(a, b, 0);
    assert_true(is_open(a) && is_open(b));
}

// ---- handshakes ----

static void what_is_said_travels_with_the_handshake(void **context)
{
    (void)context;
    static side a, b;
    make_two(&a, &b);
    send_all(&a, true);
    assert_int_equal(flying_count, 1);
    assert_int_equal(flying[0].count, BKSI_HELLO_BYTES);
    assert_int_equal(hear(&b, &flying[0]), BKSI_GUARD_TAKEN);
    assert_int_equal(b.heard, 1);
    assert_int_equal(b.heard_unproven, 1);
    flying_count = 0;
    send_all(&b, true);
    assert_int_equal(flying_count, 1);
    assert_true(flying[0].count <= BKSI_HELLO_BYTES);
    assert_int_equal(hear(&a, &flying[0]), BKSI_GUARD_TAKEN);
    assert_int_equal(a.heard, 1);
    assert_int_equal(a.heard_unproven, 0);
    assert_memory_equal(bksi_guard_identity(&a.guard, a.channel), b.guard.identity,
                        BKSI_IDENTITY_BYTES);
    flying_count = 0;
    send_all(&a, true);
    assert_int_equal(flying_count, 1);
    assert_int_equal(hear(&b, &flying[0]), BKSI_GUARD_TAKEN);
    assert_int_equal(b.heard, 2);
    assert_int_equal(b.heard_unproven, 1);
    assert_true(is_open(&b));
    assert_memory_equal(bksi_guard_identity(&b.guard, b.channel), a.guard.identity,
                        BKSI_IDENTITY_BYTES);
}

static void a_handshake_goes_through_under_loss(void **context)
{
    (void)context;
    static side a, b;
    uint32_t slowest = 0;
    for (int round = 0; round < 300; round++) {
        make_two(&a, &b);
        a.guard.entropy[0] = (uint8_t)round;
        uint32_t moments = 0;
        while (!(is_open(&a) && is_open(&b))) {
            (void)pass(&a, &b, 30);
            assert_true(++moments < 200);
        }
        slowest = moments > slowest ? moments : slowest;
        uint32_t heard = a.heard;
        for (int i = 0; i < 20; i++)
            (void)pass(&a, &b, 30);
        assert_true(a.heard > heard + 5);
    }
    print_message("slowest of 300 at 30 %% loss: %u ms\n", slowest * 50);
    assert_true(slowest * 50 < 2000);
}

static void a_way_that_lets_only_short_packets_through_is_found(void **context)
{
    (void)context;
    static side a, b;
    make_two(&a, &b);
    uint32_t moments = 0;
    while (!(is_open(&a) && is_open(&b))) {
        send_all(&a, true);
        send_all(&b, true);
        for (size_t i = 0; i < flying_count; i++) {
            if (flying[i].count <= 400)
                (void)hear(flying[i].to == 1 ? &a : &b, &flying[i]);
        }
        flying_count = 0;
        now_ns += 50 * MS;
        assert_true(++moments < 60);
    }
}

static void whoever_was_answered_is_told_more_before_it_has_proved_itself(void **context)
{
    (void)context;
    static side a, b;
    make_two(&a, &b);
    send_all(&a, true);
    (void)hear(&b, &flying[0]);
    flying_count = 0;
    send_all(&b, true);
    packet answer = flying[0];
    flying_count = 0;
    send_all(&b, true); // there is no third message yet
    assert_int_equal(flying_count, 1);
    packet early = flying[0];
    flying_count = 0;
    assert_int_equal(hear(&a, &early), BKSI_GUARD_REFUSED); // no key for it yet
    assert_int_equal(hear(&a, &answer), BKSI_GUARD_TAKEN);
    assert_int_equal(hear(&a, &early), BKSI_GUARD_TAKEN);
    assert_int_equal(hear(&a, &early), BKSI_GUARD_REFUSED);
    assert_int_equal(a.heard, 2);
    send_all(&a, true);
    assert_int_equal(hear(&b, &flying[0]), BKSI_GUARD_TAKEN);
    assert_true(is_open(&b));
    // The early key is of no use any more.
    early.from = 1;
    assert_int_equal(hear(&b, &early), BKSI_GUARD_REFUSED);
}

static void a_peer_that_calls_anew_is_followed_under_its_new_keys(void **context)
{
    (void)context;
    static side a, b;
    connect_two(&a, &b);
    bksi_channel channel = b.channel;
    // A was started again: the same identity, other entropy.
    make_side(&a, 1, 7);
    a.guard.entropy[5] = 99;
    bks_address there = address(2);
    a.channel = bksi_guard_bind(&a.guard, &there, NULL, true);
    for (int i = 0; i < 4; i++)
        (void)pass(&a, &b, 0);
    uint32_t heard = b.heard;
    (void)pass(&a, &b, 0);
    assert_int_equal(b.heard, heard + 1);
    assert_int_equal(b.channel, channel);
    assert_int_equal(b.guard.counts.handshakes, 2);
}

static void a_lost_channel_is_renewed_by_the_side_that_called(void **context)
{
    (void)context;
    static side a, b;
    connect_two(&a, &b);
    bksi_guard_release(&b.guard, b.channel);
    b.channel = 0;
    uint32_t heard = a.heard;
    for (int i = 0; i < 10; i++)
        (void)pass(&a, &b, 0);
    assert_int_equal(a.heard, heard);
    bksi_guard_renew(&a.guard, a.channel);
    for (int i = 0; i < 5; i++)
        (void)pass(&a, &b, 0);
    assert_true(a.heard > heard);
    assert_true(is_open(&a) && is_open(&b));
}

static void who_is_not_whom_we_want_gets_no_channel(void **context)
{
    (void)context;
    static side a, b;
    make_two(&a, &b);
    bksi_guard_release(&a.guard, a.channel);
    uint8_t another[BKSI_IDENTITY_BYTES] = {5};
    bks_address there = address(2);
    a.channel = bksi_guard_bind(&a.guard, &there, another, true);
    for (int i = 0; i < 30; i++)
        (void)pass(&a, &b, 0);
    assert_false(is_open(&a));
    assert_int_equal(a.heard, 0);
}

/// A member claims in its first message to be another; the third message shows that it is not.
static void who_claims_to_be_another_gets_no_channel(void **context)
{
    (void)context;
    static side a, b;
    make_two(&a, &b);
    a.guard.identity[0] ^= 1;
    for (int i = 0; i < 30; i++)
        (void)pass(&a, &b, 0);
    assert_false(is_open(&b));
    assert_int_equal(b.guard.counts.handshakes, 0);
}

/// Nor does it hear or stop what goes to the one it claims to be.
static void who_claims_to_be_a_peer_that_is_here_hears_nothing(void **context)
{
    (void)context;
    static side a, b, liar;
    connect_two(&a, &b);
    for (uint8_t i = 0; i < 15; i++) {
        make_side(&liar, 3, 7);
        liar.guard.entropy[7] = i;
        memcpy(liar.guard.identity, a.guard.identity, BKSI_IDENTITY_BYTES);
        bks_address there = address(2);
        liar.channel = bksi_guard_bind(&liar.guard, &there, NULL, true);
        send_all(&liar, true);
        (void)hear(&b, &flying[0]);
        flying_count = 0;
        uint32_t heard = a.heard;
        for (int k = 0; k < 3; k++) {
            send_all(&b, true);
            for (size_t n = 0; n < flying_count; n++)
                (void)hear(flying[n].to == 1 ? &a : &liar, &flying[n]);
            flying_count = 0;
            send_all(&liar, true);
            for (size_t n = 0; n < flying_count; n++)
                (void)hear(&b, &flying[n]);
            flying_count = 0;
            now_ns += 50 * MS;
        }
        assert_int_equal(a.heard, heard + 3);
        assert_int_equal(liar.heard, 0);
    }
    assert_int_equal(b.guard.counts.handshakes, 1);
}

static void both_may_call_each_other_at_once(void **context)
{
    (void)context;
    static side a, b;
    make_two(&a, &b);
    bks_address here = address(1);
    b.channel = bksi_guard_bind(&b.guard, &here, a.guard.identity, true);
    bksi_guard_release(&a.guard, a.channel);
    bks_address there = address(2);
    a.channel = bksi_guard_bind(&a.guard, &there, b.guard.identity, true);
    for (int i = 0; i < 6; i++)
        (void)pass(&a, &b, 0);
    assert_true(is_open(&a) && is_open(&b));
    assert_int_equal(a.guard.counts.handshakes, 1);
    assert_int_equal(b.guard.counts.handshakes, 1);
}

// ---- strangers ----

static void a_stranger_without_the_key_gets_not_one_byte(void **context)
{
    (void)context;
    static side a, b, stranger;
    connect_two(&a, &b);
    make_side(&stranger, 3, 8); // another key
    bks_address there = address(2);
    stranger.channel = bksi_guard_bind(&stranger.guard, &there, NULL, true);
    for (int i = 0; i < 400; i++) {
        flying_count = 0;
        send_all(&stranger, true);
        for (size_t k = 0; k < flying_count; k++)
            assert_int_equal(hear(&b, &flying[k]), BKSI_GUARD_REFUSED);
        packet noise = {.from = 3, .count = seed_below(BKS_PACKET_BYTES_MAX + 1)};
        for (size_t k = 0; k < noise.count; k++)
            noise.bytes[k] = (uint8_t)seed_next();
        noise.bytes[0] &= seed_below(2) == 0 ? 0x0f : 0xff;
        noise.bytes[1] = seed_below(2) == 0 ? (uint8_t)seed_below(4) : noise.bytes[1];
        assert_int_equal(hear(&b, &noise), BKSI_GUARD_REFUSED);
        flying_count = 0;
        send_all(&b, false);
        assert_int_equal(flying_count, 0);
        now_ns += 50 * MS;
    }
}

static void a_recorded_first_message_is_good_for_nothing(void **context)
{
    (void)context;
    static side a, b;
    make_two(&a, &b);
    send_all(&a, true);
    packet hello = flying[0];
    (void)hear(&b, &hello);
    flying_count = 0;
    send_all(&b, true);
    flying_count = 0;
    // While it is not yet answered for good: from elsewhere nothing, from there the answer again.
    packet elsewhere = hello;
    elsewhere.from = 9;
    assert_int_equal(hear(&b, &elsewhere), BKSI_GUARD_REFUSED);
    send_all(&b, false);
    assert_int_equal(flying_count, 0);
    assert_int_equal(hear(&b, &hello), BKSI_GUARD_QUIET);
    send_all(&b, false);
    assert_int_equal(flying_count, 1);
    for (int i = 0; i < 4; i++)
        (void)pass(&a, &b, 0);
    assert_true(is_open(&b));
    bksi_guard_release(&b.guard, b.channel);
    for (uint32_t from = 1; from < 20; from++) {
        hello.from = from;
        assert_int_equal(hear(&b, &hello), BKSI_GUARD_REFUSED);
        send_all(&b, false);
        assert_int_equal(flying_count, 0);
    }
}

static void reflected_packets_are_refused(void **context)
{
    (void)context;
    static side a, b;
    make_two(&a, &b);
    for (int i = 0; i < 40; i++) {
        send_all(&a, true);
        send_all(&b, true);
        size_t flew = flying_count;
        for (size_t k = 0; k < flew; k++) {
            packet back = flying[k];
            back.from = flying[k].to;
            assert_int_equal(hear(flying[k].from == 1 ? &a : &b, &back), BKSI_GUARD_REFUSED);
        }
        for (size_t k = 0; k < flew; k++)
            (void)hear(flying[k].to == 1 ? &a : &b, &flying[k]);
        flying_count = 0;
        now_ns += 50 * MS;
    }
    assert_true(is_open(&a) && is_open(&b));
    assert_true(a.heard > 30 && b.heard > 30);
}

/// Whatever a member at an unproved address sends, it gets no more bytes than it sent.
static void nobody_is_sent_more_than_it_sent_before_it_is_proved(void **context)
{
    (void)context;
    static side a, b;
    for (int round = 0; round < 100; round++) {
        make_two(&a, &b);
        size_t in = 0;
        size_t out = 0;
        for (int i = 0; i < 60; i++) {
            flying_count = 0;
            send_all(&a, true);
            for (size_t k = 0; k < flying_count; k++) {
                if (seed_below(3) == 0 || flying[k].bytes[1] == 3)
                    continue; // lost; and the third message never comes
                in += flying[k].count;
                (void)hear(&b, &flying[k]);
                if (seed_below(3) == 0) {
                    in += flying[k].count;
                    (void)hear(&b, &flying[k]);
                }
            }
            flying_count = 0;
            send_all(&b, true);
            send_all(&b, true);
            for (size_t k = 0; k < flying_count; k++)
                out += flying[k].count;
            if (round % 2 == 0) {
                for (size_t k = 0; k < flying_count; k++)
                    (void)hear(&a, &flying[k]);
            }
            assert_true(out <= in);
            assert_false(is_open(&b));
            now_ns += 50 * MS;
        }
        assert_true(out > 0);
    }
}

static void handshakes_are_limited_to_20_a_second(void **context)
{
    (void)context;
    static side b, caller;
    begin();
    make_side(&b, 2, 7);
    uint64_t taken = 0;
    for (uint32_t i = 0; i < 3000; i++) { // for 3 seconds, a new one each millisecond
        make_side(&caller, 1, 7);
        memcpy(caller.guard.entropy, &i, sizeof(i));
        bks_address there = address(2);
        caller.channel = bksi_guard_bind(&caller.guard, &there, NULL, true);
        flying_count = 0;
        send_all(&caller, true);
        taken += hear(&b, &flying[0]) != BKSI_GUARD_REFUSED ? 1 : 0;
        flying_count = 0;
        send_all(&b, false);
        now_ns += MS;
    }
    assert_in_range(taken, 60, 81); // a second's worth at once, then 20 a second
    assert_int_equal(b.guard.counts.limited, 3000 - taken);
}

static void members_that_call_cannot_take_the_channels_in_use(void **context)
{
    (void)context;
    static side a, b, caller;
    connect_two(&a, &b);
    bks_address elsewhere = address(40);
    uint8_t awaited[BKSI_IDENTITY_BYTES] = {9};
    bksi_channel waiting = bksi_guard_bind(&b.guard, &elsewhere, awaited, false);
    for (uint32_t i = 0; i < 400; i++) {
        make_side(&caller, 3, 7);
        uint8_t secret[32] = {1};
        memcpy(secret, &i, sizeof(i));
        memcpy(caller.guard.entropy, secret, sizeof(secret));
        bksi_noise_make_pair(&caller.guard.own, secret);
        memcpy(caller.guard.identity, secret, BKSI_IDENTITY_BYTES);
        bks_address there = address(2);
        caller.channel = bksi_guard_bind(&caller.guard, &there, NULL, true);
        flying_count = 0;
        send_all(&caller, true);
        (void)hear(&b, &flying[0]);
        flying_count = 0;
        send_all(&b, false);
        flying_count = 0;
        now_ns += 60 * MS;
    }
    assert_true(is_open(&b));
    assert_non_null(bksi_guard_slot_of(&b.guard, waiting));
    uint32_t heard = b.heard;
    for (int i = 0; i < 10; i++)
        (void)pass(&a, &b, 0);
    assert_int_equal(b.heard, heard + 10);
}

// ---- a new address ----

static void a_peer_at_a_new_address_is_asked_and_followed(void **context)
{
    (void)context;
    static side a, b;
    connect_two(&a, &b);
    a.at = 30;
    uint32_t heard = b.heard;
    for (int i = 0; i < 3; i++)
        (void)pass(&a, &b, 0);
    assert_int_equal(b.heard, heard + 3); // its words were taken all the while
    assert_int_equal(b.guard.counts.address_changes, 1);
    assert_int_equal(bksi_guard_address(&b.guard, b.channel).bytes[3], 30);
    heard = a.heard;
    (void)pass(&a, &b, 0);
    assert_int_equal(a.heard, heard + 1);
}

static void a_moved_peer_is_followed_under_loss(void **context)
{
    (void)context;
    static side a, b;
    for (int round = 0; round < 50; round++) {
        connect_two(&a, &b);
        a.at = 30;
        uint32_t moments = 0;
        while (b.guard.counts.address_changes == 0) {
            (void)pass(&a, &b, 30);
            assert_true(++moments < 40);
        }
    }
}

/// An ADDRESS packet of a side's, from an address.
static packet address_packet(side *s, uint32_t from, uint8_t what, uint64_t token)
{
    bksi_guard_slot *slot = bksi_guard_slot_of(&s->guard, s->channel);
    uint8_t body[9] = {what};
    for (uint32_t i = 0; i < 8; i++)
        body[1 + i] = (uint8_t)(token >> 8 * i);
    packet made = {.from = from};
    made.count = bksi_seal_close(&slot->seal, BKSI_PACKET_ADDRESS, slot->remote_slot, body,
                                 sizeof(body), made.bytes);
    return made;
}

static void only_the_right_answer_from_the_right_place_moves_an_address(void **context)
{
    (void)context;
    static side a, b;
    connect_two(&a, &b);
    a.at = 30;
    send_all(&a, true);
    assert_int_equal(hear(&b, &flying[0]), BKSI_GUARD_TAKEN);
    flying_count = 0;
    send_all(&b, false);
    assert_int_equal(flying_count, 1);
    assert_int_equal(flying[0].to, 30);
    uint64_t token = bksi_guard_slot_of(&b.guard, b.channel)->challenge.token;
    packet p = address_packet(&a, 30, 1, token ^ 1);
    assert_int_equal(hear(&b, &p), BKSI_GUARD_QUIET);
    assert_int_equal(b.guard.counts.address_changes, 0);
    p = address_packet(&a, 31, 1, token);
    assert_int_equal(hear(&b, &p), BKSI_GUARD_QUIET);
    assert_int_equal(b.guard.counts.address_changes, 0);
    // That was another address still, so there is a new question.
    token = bksi_guard_slot_of(&b.guard, b.channel)->challenge.token;
    p = address_packet(&a, 31, 1, token);
    assert_int_equal(hear(&b, &p), BKSI_GUARD_QUIET);
    assert_int_equal(b.guard.counts.address_changes, 1);
    assert_int_equal(bksi_guard_address(&b.guard, b.channel).bytes[3], 31);
}

static void packets_passed_on_by_somebody_else_change_no_address(void **context)
{
    (void)context;
    static side a, b;
    connect_two(&a, &b);
    for (int i = 0; i < 40; i++) {
        flying_count = 0;
        send_all(&a, true);
        packet taken = flying[0];
        taken.from = 66; // the real one never comes
        assert_int_equal(hear(&b, &taken), BKSI_GUARD_TAKEN);
        flying_count = 0;
        send_all(&b, true); // its question goes to 66, which cannot answer
        for (size_t k = 0; k < flying_count; k++) {
            if (flying[k].to == 1)
                (void)hear(&a, &flying[k]);
            else
                assert_true(flying[k].count <= taken.count);
        }
        now_ns += 50 * MS;
    }
    assert_int_equal(b.guard.counts.address_changes, 0);
    assert_int_equal(bksi_guard_address(&b.guard, b.channel).bytes[3], 1);
}

static void an_old_packet_from_the_old_address_moves_nobody_back(void **context)
{
    (void)context;
    static side a, b;
    connect_two(&a, &b);
    send_all(&a, true);
    packet old = flying[0];
    flying_count = 0;
    a.at = 30;
    for (int i = 0; i < 3; i++)
        (void)pass(&a, &b, 0);
    assert_int_equal(hear(&b, &old), BKSI_GUARD_TAKEN);
    send_all(&b, false);
    assert_int_equal(flying_count, 0); // not even a question
    assert_int_equal(bksi_guard_address(&b.guard, b.channel).bytes[3], 30);
}

// ---- hostile ----

static uint64_t clock_ns(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * SECONDS + (uint64_t)now.tv_nsec;
}

/// Not a byte of the channel moves, whatever comes.
static void forged_packets_leave_the_guard_as_it_was(void **context)
{
    (void)context;
    static side a, b;
    connect_two(&a, &b);
    send_all(&a, true);
    packet real = flying[0];
    flying_count = 0;
    bksi_guard_slot before = *bksi_guard_slot_of(&b.guard, b.channel);
    for (int round = 0; round < 100000; round++) {
        packet forged = real;
        switch (seed_below(4)) {
        case 0:
            forged.bytes[seed_below((uint32_t)forged.count)] ^= (uint8_t)(1 + seed_below(255));
            break;
        case 1:
            forged.count = seed_below((uint32_t)forged.count);
            break;
        case 2:
            forged.count = 2 + seed_below(100);
            for (size_t i = 0; i < forged.count; i++)
                forged.bytes[i] = (uint8_t)seed_next();
            break;
        default:
            forged.bytes[0] = (uint8_t)(forged.bytes[0] ^ 16 * (1 + seed_below(14)));
            break;
        }
        forged.from = 1 + seed_below(5);
        assert_int_equal(hear(&b, &forged), BKSI_GUARD_REFUSED);
    }
    assert_memory_equal(bksi_guard_slot_of(&b.guard, b.channel), &before, sizeof(before));
    assert_int_equal(hear(&b, &real), BKSI_GUARD_TAKEN);
}

typedef struct attack {
    const char *name;
    size_t count;
    bool is_first_message;
    bool is_repeat;
} attack;

static void what_a_forged_packet_costs_is_told(void **context)
{
    (void)context;
    static side a, b;
    static const attack attacks[] = {
        {"forged, 40 bytes", 40, false, false},
        {"forged, 1200 bytes", 1200, false, false},
        {"a repeated one", 0, false, true},
        {"a forged first message, 360 bytes", 360, true, false},
        {"a forged first message, 1200 bytes", 1200, true, false},
    };
    for (size_t k = 0; k < sizeof(attacks) / sizeof(attacks[0]); k++) {
        connect_two(&a, &b);
        send_all(&a, true);
        packet p = flying[0];
        (void)hear(&b, &p);
        flying_count = 0;
        if (!attacks[k].is_repeat) {
            p.count = attacks[k].count;
            for (size_t i = 3; i < p.count; i++)
                p.bytes[i] = (uint8_t)seed_next();
        }
        if (attacks[k].is_first_message) {
            p.bytes[0] = 0;
            p.bytes[1] = 1;
        }
        bks_address from = address(1);
        const uint32_t times = 200000;
        uint64_t start_ns = clock_ns();
        for (uint32_t i = 0; i < times; i++) {
            if (!attacks[k].is_repeat)
                memcpy(p.bytes + 4, &i, sizeof(i));
            (void)bksi_guard_receive(&b.guard, now_ns, &from, p.bytes, p.count);
        }
        print_message("%s: %d ns\n", attacks[k].name, (int)((clock_ns() - start_ns) / times));
        assert_true(b.guard.counts.forged + b.guard.counts.repeated >= times);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_travels_with_the_handshake),
        cmocka_unit_test(a_handshake_goes_through_under_loss),
        cmocka_unit_test(a_way_that_lets_only_short_packets_through_is_found),
        cmocka_unit_test(whoever_was_answered_is_told_more_before_it_has_proved_itself),
        cmocka_unit_test(a_peer_that_calls_anew_is_followed_under_its_new_keys),
        cmocka_unit_test(a_lost_channel_is_renewed_by_the_side_that_called),
        cmocka_unit_test(who_is_not_whom_we_want_gets_no_channel),
        cmocka_unit_test(who_claims_to_be_another_gets_no_channel),
        cmocka_unit_test(who_claims_to_be_a_peer_that_is_here_hears_nothing),
        cmocka_unit_test(both_may_call_each_other_at_once),
        cmocka_unit_test(a_stranger_without_the_key_gets_not_one_byte),
        cmocka_unit_test(a_recorded_first_message_is_good_for_nothing),
        cmocka_unit_test(reflected_packets_are_refused),
        cmocka_unit_test(nobody_is_sent_more_than_it_sent_before_it_is_proved),
        cmocka_unit_test(handshakes_are_limited_to_20_a_second),
        cmocka_unit_test(members_that_call_cannot_take_the_channels_in_use),
        cmocka_unit_test(a_peer_at_a_new_address_is_asked_and_followed),
        cmocka_unit_test(a_moved_peer_is_followed_under_loss),
        cmocka_unit_test(only_the_right_answer_from_the_right_place_moves_an_address),
        cmocka_unit_test(packets_passed_on_by_somebody_else_change_no_address),
        cmocka_unit_test(an_old_packet_from_the_old_address_moves_nobody_back),
        cmocka_unit_test(forged_packets_leave_the_guard_as_it_was),
        cmocka_unit_test(what_a_forged_packet_costs_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
