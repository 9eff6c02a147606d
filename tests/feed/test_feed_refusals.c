// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "feed/feed_match.h"
#include "peer/peer_inspect.h"
#include "session/session_internal.h"

static void
one_that_asks_again_and_again_takes_no_turn_from_another_and_keeps_its_reason(void **state)
{
    (void)state;
    bksi_feed_refusals refusals = {0};
    bksi_feed_refusal next;
    (void)bksi_feed_refusals_add(&refusals, 17, BKSI_FEED_FULL);
    (void)bksi_feed_refusals_add(&refusals, 33, BKSI_FEED_VERSIONS);
    for (int i = 0; i < 100; i++) {
        (void)bksi_feed_refusals_add(&refusals, 17, BKSI_FEED_LEAVES);
    }
    assert_true(bksi_feed_refusals_next(&refusals, SECOND_NS, &next));
    assert_int_equal(next.reason, BKSI_FEED_FULL);
    assert_int_equal(next.channel, 17);
    (void)bksi_feed_refusals_add(&refusals, 17, BKSI_FEED_FULL);
    assert_true(bksi_feed_refusals_next(&refusals, 2 * SECOND_NS, &next));
    assert_int_equal(next.channel, 33);
    assert_int_equal(next.reason, BKSI_FEED_VERSIONS);
    assert_true(bksi_feed_refusals_next(&refusals, 3 * SECOND_NS, &next));
    assert_false(bksi_feed_refusals_next(&refusals, 4 * SECOND_NS, &next));
}

static void refusals_are_20_a_second_and_as_many_as_channels_wait(void **state)
{
    (void)state;
    bksi_feed_refusals refusals = {0};
    bksi_feed_refusal next;
    for (bksi_channel i = 1; i < 100; i++) {
        (void)bksi_feed_refusals_add(&refusals, i, BKSI_FEED_FULL);
    }
    assert_int_equal(refusals.count, BKSI_FEED_REFUSALS_MAX);
    uint32_t count = 0;
    for (uint64_t ms = 1000; ms < 2000; ms++) {
        count += bksi_feed_refusals_next(&refusals, ms * 1000000, &next);
    }
    assert_int_equal(count, 20);
}

static void a_channel_that_is_given_away_leaves_its_turn_to_others(void **state)
{
    (void)state;
    bksi_feed_refusals refusals = {0};
    bksi_feed_refusal next;
    for (bksi_channel i = 1; i <= BKSI_FEED_REFUSALS_MAX; i++) {
        assert_true(bksi_feed_refusals_add(&refusals, i, BKSI_FEED_FULL));
    }
    assert_true(bksi_feed_refusals_add(&refusals, 2, BKSI_FEED_FULL)); // it has one
    assert_false(bksi_feed_refusals_ask(&refusals, 1000, 600));
    bksi_feed_refusals_remove(&refusals, 1);
    bksi_feed_refusals_remove(&refusals, 1);
    assert_true(bksi_feed_refusals_ask(&refusals, 1000, 600));
    assert_true(bksi_feed_refusals_next(&refusals, SECOND_NS, &next));
    assert_int_equal(next.channel, 2);
}

static void a_refusal_takes_the_turn_of_a_question(void **state)
{
    (void)state;
    bksi_feed_refusals refusals = {0};
    bksi_feed_refusal next;
    assert_true(bksi_feed_refusals_ask(&refusals, 3, 600));
    assert_true(bksi_feed_refusals_ask(&refusals, 3, 1200)); // the newest counts
    assert_true(bksi_feed_refusals_add(&refusals, 4, BKSI_FEED_LEAVES));
    assert_true(bksi_feed_refusals_next(&refusals, SECOND_NS, &next));
    assert_true(next.is_question && next.tick == 1200);
    assert_true(bksi_feed_refusals_ask(&refusals, 4, 600)); // it is refused all the same
    assert_true(bksi_feed_refusals_ask(&refusals, 3, 600));
    assert_true(bksi_feed_refusals_add(&refusals, 3, BKSI_FEED_TOO_SLOW));
    assert_true(bksi_feed_refusals_next(&refusals, 2 * SECOND_NS, &next));
    assert_true(!next.is_question && next.reason == BKSI_FEED_LEAVES);
    assert_true(bksi_feed_refusals_next(&refusals, 3 * SECOND_NS, &next));
    assert_true(next.channel == 3 && !next.is_question && next.reason == BKSI_FEED_TOO_SLOW);
    assert_int_equal(refusals.count, 0);
}

// ---- callers of a source whose match stands still ----

typedef struct caller {
    bksi_guard guard;
    bksi_channel channel;
    bks_address address;
    bks_address source;
} caller;

/// Begin to call, each time with another identity.
static void begin(caller *c)
{
    static uint8_t number;
    uint8_t key[BKS_KEY_BYTES];
    const uint8_t secret[BKS_KEY_BYTES] = {++number};
    bksi_feed_key(feed_match_key, key);
    bksi_guard_init(&c->guard, key, secret, secret);
    bksi_guard_widen(&c->guard, NULL, 0);
    c->address = (bks_address){.length = 2, .bytes = {9, number}};
    c->source = net_address(0);
    c->channel = bksi_guard_bind(&c->guard, &c->source, NULL, true);
}

/// Carry packets both ways.
/// @return messages that the caller got
static uint32_t carry(caller *c, bksi_feed_source *source, uint64_t now_ns)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    bksi_guard_message message;
    size_t count;
    uint32_t came = 0;
    for (uint32_t i = 0; i < 4; i++) {
        while ((count = bksi_feed_flush(&c->guard, &to, packet, now_ns)) > 0) {
            bksi_feed_source_receive(source, now_ns, &c->address, packet, count);
        }
        while ((count = bksi_feed_source_send(source, &to, packet, now_ns)) > 0) {
            if (bks_address_equal(&to, &c->address)) {
                bksi_feed_receive(&c->guard, now_ns, &c->source, packet, count);
            }
        }
        while (bksi_guard_take(&c->guard, &message)) {
            came++;
        }
    }
    return came;
}

static uint32_t say(caller *c, bksi_feed_source *source, uint32_t type, const uint8_t *body,
                    size_t body_bytes, uint64_t now_ns)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    const size_t count =
        bksi_feed_send(NULL, &c->guard, c->channel, type, body, body_bytes, &to, packet, now_ns);
    if (count > 0) {
        bksi_feed_source_receive(source, now_ns, &c->address, packet, count);
    }
    return carry(c, source, now_ns);
}

static uint32_t ask_hash(caller *c, bksi_feed_source *source, uint64_t now_ns)
{
    uint8_t body[BKSI_FEED_QUESTION_BYTES];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_write_u8(&writer, BKSI_FEED_VERSION);
    bksi_write_u64(&writer, source->seed);
    bksi_write_u32(&writer, 600);
    return say(c, source, BKSI_FEED_HASH, body, writer.at, now_ns);
}

static void those_who_come_and_go_while_it_is_held_back_close_no_place(void **state)
{
    (void)state;
    static caller callers[200];
    const uint8_t version = BKSI_FEED_VERSION;
    const bksi_feed_source_config config = feed_config(2);
    feed_network *network = feed_open(2, 600, &config);
    feed_run_until(network, 2 * SECOND_NS);
    bksi_feed_source *source = feed_source(network);
    uint64_t now_ns = network->net.now_ns;
    source->held_ns = UINT64_MAX; // a member's line is cramped
    for (uint32_t i = 0; i < 160; i++) {
        caller *c = &callers[i];
        begin(c);
        for (uint32_t k = 0; k < 4; k++, now_ns += 100 * NET_MS) {
            if (i < 80) {
                (void)say(c, source, BKSI_FEED_WATCH, &version, 1, now_ns);
            }
            (void)ask_hash(c, source, now_ns);
        }
        if (i < 80) {
            assert_int_equal(bksi_feed_source_watchers(source), 1);
            (void)say(c, source, BKSI_FEED_BYE, &version, 1, now_ns);
            assert_int_equal(bksi_feed_source_watchers(source), 0);
        }
    }
    source->held_ns = 0;
    caller *honest = &callers[160];
    begin(honest);
    for (uint32_t k = 0; k < 60; k++, now_ns += 100 * NET_MS) {
        (void)say(honest, source, BKSI_FEED_WATCH, &version, 1, now_ns);
    }
    assert_int_equal(bksi_feed_source_watchers(source), 1);
    feed_close(network);
}

static void nobody_is_answered_while_a_members_line_is_cramped_though_nobody_watches(void **state)
{
    (void)state;
    static caller c;
    const bksi_feed_source_config config = feed_config(1);
    feed_network *network = feed_open(2, 600, &config);
    feed_run_until(network, 2 * SECOND_NS);
    bksi_feed_source *source = feed_source(network);
    bks_peer *peer = network->net.peers[network->at].peer;
    bks_session *session = bks_peer_session(peer);
    session_link *link = &session->common.links.peers[0];
    uint64_t now_ns = network->net.now_ns;
    link->rate.ceiling = 1.0;
    link->rate.rate = link->rate.config.most / 2;
    link->line.capacity = 1.0;
    bksi_feed_source_update(source, session, bksi_peer_runner(peer), now_ns);
    begin(&c);
    for (uint32_t k = 0; k < 9; k++, now_ns += 100 * NET_MS) {
        (void)ask_hash(&c, source, now_ns);
    }
    assert_int_equal(source->refusals.count, 1); // it waits
    now_ns += 200 * NET_MS;
    (void)carry(&c, source, now_ns);
    assert_int_equal(source->refusals.count, 0);
    feed_close(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            one_that_asks_again_and_again_takes_no_turn_from_another_and_keeps_its_reason),
        cmocka_unit_test(refusals_are_20_a_second_and_as_many_as_channels_wait),
        cmocka_unit_test(a_refusal_takes_the_turn_of_a_question),
        cmocka_unit_test(a_channel_that_is_given_away_leaves_its_turn_to_others),
        cmocka_unit_test(those_who_come_and_go_while_it_is_held_back_close_no_place),
        cmocka_unit_test(nobody_is_answered_while_a_members_line_is_cramped_though_nobody_watches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
