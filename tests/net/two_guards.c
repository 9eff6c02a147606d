// SPDX-License-Identifier: MIT

#include "net/two_guards.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "support/seed.h"

/// Packets of this moment's.
two_packet two_flying[64];
size_t two_flying_count;
uint64_t two_now_ns;

bks_address two_address(uint32_t number)
{
    return (bks_address){.length = 4, .bytes = {10, 0, 0, (uint8_t)number}};
}

void two_make_side(two_side *s, uint8_t number, uint8_t key_byte)
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

void two_begin(void)
{
    two_now_ns = SECONDS;
    two_flying_count = 0;
}

static void fly(const two_side *s, const bksi_guard_place *to, bool is_sealed)
{
    two_packet *p = &two_flying[two_flying_count];
    bool is_detoured = is_sealed && s->is_detoured;
    p->from = s->at;
    p->is_carried = to->is_carried || is_detoured;
    p->to = to->is_carried ? to->peer : to->address.bytes[3];
    two_flying_count += p->count > 0 ? 1 : 0;
    assert_true(two_flying_count < 64);
}

/// Everything a side has to send now, on top of what flies.
void two_send_all(two_side *s, bool speaks)
{
    bksi_guard_place to = {0};
    while ((two_flying[two_flying_count].count = bksi_guard_repeat(
                &s->guard, two_now_ns, &to, two_flying[two_flying_count].bytes)) > 0) {
        fly(s, &to, false);
    }
    if (speaks && s->channel != 0) {
        uint8_t body[616] = "counted";
        body[12] = (uint8_t)s->said++;
        uint64_t number;
        bool is_sealed;
        two_packet *p = &two_flying[two_flying_count];
        p->count = bksi_guard_send(&s->guard, two_now_ns, s->channel, BKSI_PACKET_LINK, body,
                                   16 + s->more_bytes, &to, p->bytes, &number, &is_sealed);
        fly(s, &to, is_sealed);
    }
    while ((two_flying[two_flying_count].count = bksi_guard_flush(
                &s->guard, two_now_ns, &to, two_flying[two_flying_count].bytes)) > 0) {
        fly(s, &to, false);
    }
}

bksi_guard_verdict two_hear(two_side *s, const two_packet *p)
{
    bks_address from = two_address(p->from);
    uint8_t *exact = malloc(p->count > 0 ? p->count : 1);
    assert_non_null(exact);
    memcpy(exact, p->bytes, p->count);
    bksi_guard_verdict verdict =
        p->is_carried ? bksi_guard_receive_carried(&s->guard, two_now_ns, p->from, TWO_CARRIER,
                                                   exact, p->count)
                      : bksi_guard_receive(&s->guard, two_now_ns, &from, exact, p->count);
    free(exact);
    bksi_guard_message message;
    while (bksi_guard_take(&s->guard, &message)) {
        assert_int_equal(message.type, BKSI_PACKET_LINK);
        assert_true(message.body_bytes >= 16);
        assert_int_equal(message.is_carried, p->is_carried);
        s->heard++;
        s->heard_unproven += message.is_proven ? 0 : 1;
        memcpy(s->last, message.body, 16);
        s->last_age_ns = message.age_ns;
        if (s->channel == 0) {
            s->channel = message.channel;
            bksi_guard_hold(&s->guard, message.channel);
        }
    }
    return verdict;
}

/// A moment: both speak, what flies arrives, some of it is lost. Returns packets that flew.
size_t two_pass(two_side *a, two_side *b, uint32_t loss_percent)
{
    two_send_all(a, true);
    two_send_all(b, true);
    size_t flew = two_flying_count;
    for (size_t i = 0; i < flew; i++) {
        if (seed_below(100) < loss_percent) {
            continue;
        }
        if (two_flying[i].to == a->at) {
            (void)two_hear(a, &two_flying[i]);
        }
        if (two_flying[i].to == b->at) {
            (void)two_hear(b, &two_flying[i]);
        }
    }
    two_flying_count = 0;
    two_now_ns += 50 * MS;
    return flew;
}

bool two_is_open(const two_side *s)
{
    const bksi_guard_channel *slot = bksi_guard_channel_of(&s->guard, s->channel);
    return slot != NULL && slot->is_open &&
           slot->handshakes[BKSI_GUARD_STRAIGHT].stage == BKSI_GUARD_IDLE &&
           slot->handshakes[BKSI_GUARD_CARRIED].stage == BKSI_GUARD_IDLE;
}

/// Two sides with the same key, A calling B.
void two_make(two_side *a, two_side *b)
{
    two_begin();
    two_make_side(a, 1, 7);
    two_make_side(b, 2, 7);
    bks_address there = two_address(2);
    a->channel = bksi_guard_bind(&a->guard, &there, NULL, true);
}

void two_connect(two_side *a, two_side *b)
{
    two_make(a, b);
    for (int i = 0; i < 4; i++) {
        (void)two_pass(a, b, 0);
    }
    assert_true(two_is_open(a) && two_is_open(b));
}
