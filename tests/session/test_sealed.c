// SPDX-License-Identifier: MIT

// A match among hostile members: what they send costs a little time and nothing else.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <time.h>

#include "session/packets.h"
#include "session/session_internal.h"
#include "session/toy_network.h"
#include "support/catch_log.h"
#include "support/counting_allocator.h"
#include "support/seed.h"

#define SECONDS     (1000 * TOY_MS)
#define FORGED      1000000u
#define RECORDED    256u
#define ATTACK_MS   9000u
#define FORGED_AT_1 (FORGED / ATTACK_MS + 1)

static toy_network network;

/// All that can be seen of a peer at the end, except what it refused.
typedef struct course {
    uint64_t steps, loads, saves;
    uint32_t packets;
    bks_stats stats;
} course;

static course course_of(uint32_t index)
{
    const toy_peer *peer = &network.peers[index];
    course found;
    memset(&found, 0, sizeof(found));
    found.steps = peer->step_ops;
    found.loads = peer->load_ops;
    found.saves = peer->save_ops;
    found.packets = peer->packets_sent;
    assert_int_equal(bks_session_stats(peer->session, &found.stats), BKS_OK);
    found.stats.packets_refused = 0;
    found.stats.packets_forged = 0;
    found.stats.packets_repeated = 0;
    return found;
}

static counting_allocator counters[TOY_PEERS_MAX];

static void tune_counted(bks_session_config *config, uint32_t peer)
{
    config->allocator = counting_allocator_hooks(&counters[peer]);
}

/// Packets that were delivered, to be repeated and spoiled.
static toy_packet recorded[RECORDED];
static uint32_t recorded_count;

static void record(void)
{
    for (size_t i = 0; i < network.packet_count; i++) {
        recorded[recorded_count++ % RECORDED] = network.packets[i];
    }
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * SECONDS + (uint64_t)now.tv_nsec;
}

/// A packet that is not to be taken, to peer 0 or 1.
static void attack(uint64_t *spent_ns)
{
    uint32_t kept = recorded_count < RECORDED ? recorded_count : RECORDED;
    toy_packet packet = recorded[seed_below(kept)];
    bks_address from = toy_address(seed_below(4));
    switch (seed_below(5)) {
    case 0: // made up
        packet.count = 2 + seed_below(seed_below(8) == 0 ? BKS_PACKET_BYTES_MAX - 2 : 60);
        for (size_t i = 0; i < packet.count; i++) {
            packet.bytes[i] = (uint8_t)seed_next();
        }
        break;
    case 1: // cut
        packet.count = seed_below((uint32_t)packet.count);
        packet.count = packet.count == 1 ? 0 : packet.count;
        break;
    case 2: // flipped
        packet.bytes[seed_below((uint32_t)packet.count)] ^= (uint8_t)(1u << seed_below(8));
        break;
    case 3: // reflected
        packet.to = packet.from;
        break;
    default: // replayed: long delivered
        if (packet.arrives_ns >= network.now_ns) {
            packet.count = 0;
        }
        break;
    }
    uint64_t start_ns = clock_ns();
    bks_status status = bks_session_receive(network.peers[packet.to].session, network.now_ns, &from,
                                            packet.bytes, packet.count);
    *spent_ns += clock_ns() - start_ns;
    assert_int_equal(status, BKS_OK);
}

static void a_million_hostile_packets_change_nothing_in_a_match(void **context)
{
    (void)context;
    course quiet[2];
    uint64_t refused_in_quiet = 0;
    for (int round = 0; round < 2; round++) {
        bool is_attacked = round == 1;
        catch_log caught;
        uint64_t spent_ns = 0;
        uint64_t sent = 0;
        uint64_t refused = 0;
        recorded_count = 0;
        toy_create(&network, 2, 1, tune_counted);
        network.jitter_ns = 10 * TOY_MS;
        toy_run_until(&network, 1 * SECONDS);
        uint32_t allocs = counters[0].allocs + counters[1].allocs;
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(bks_session_phase(network.peers[i].session), BKS_PHASE_RUNNING);
        }
        catch_log_begin(&caught);
        for (uint64_t ms = 1000; ms < 1000 + ATTACK_MS; ms++) {
            toy_run_until(&network, ms * TOY_MS);
            record();
            for (uint32_t i = 0; i < FORGED_AT_1 && is_attacked && recorded_count > 0; i++) {
                attack(&spent_ns);
                sent++;
            }
        }
        assert_int_equal(caught.count, 0);
        assert_int_equal(counters[0].allocs + counters[1].allocs, allocs);
        bks_log_clear_sink();
        assert_true(toy_run_to_end(&network, 30 * SECONDS));
        for (uint32_t i = 0; i < 2; i++) {
            bks_stats stats;
            assert_int_equal(bks_session_stats(network.peers[i].session, &stats), BKS_OK);
            refused += stats.packets_refused;
            assert_int_equal(stats.packets_refused, stats.packets_forged + stats.packets_repeated);
            course now = course_of(i);
            if (is_attacked) {
                assert_memory_equal(&now, &quiet[i], sizeof(now));
            } else {
                quiet[i] = now;
            }
        }
        if (is_attacked) {
            assert_true(sent >= FORGED);
            assert_int_equal(refused - refused_in_quiet, sent);
            print_message("%d hostile packets, %d ns for each\n", (int)sent,
                          (int)(spent_ns / sent));
        }
        refused_in_quiet = refused;
        toy_destroy(&network);
    }
}

/// Secrets that must not be left in memory.
static uint8_t secrets[16][BKSI_SEAL_KEY_BYTES];
static uint32_t secret_count;
static uint32_t secrets_found;

static void look_for_secrets(const uint8_t *bytes, size_t count)
{
    for (uint32_t i = 0; i < secret_count; i++) {
        for (size_t at = 0; at + sizeof(secrets[i]) <= count; at++) {
            secrets_found += memcmp(bytes + at, secrets[i], sizeof(secrets[i])) == 0;
        }
    }
}

static void release_looking(void *context, void *memory, size_t bytes)
{
    look_for_secrets(memory, bytes);
    counting_release(context, memory, bytes);
}

static void tune_looking(bks_session_config *config, uint32_t peer)
{
    config->allocator = counting_allocator_hooks(&counters[peer]);
    config->allocator.release = release_looking;
}

static void note_secret(const uint8_t *secret)
{
    memcpy(secrets[secret_count++], secret, sizeof(secrets[0]));
}

static void no_key_is_left_where_a_session_was(void **context)
{
    (void)context;
    bks_session_config config = toy_config(0, 2);
    toy_create(&network, 2, 1, tune_looking);
    toy_run_until(&network, 1 * SECONDS);
    const bksi_guard *guard = &network.peers[0].session->common.guard;
    const bksi_guard_channel *channel =
        bksi_guard_channel_of(guard, network.peers[0].session->common.seats.peers[1].channel);
    secret_count = secrets_found = 0;
    note_secret(config.key);
    note_secret(config.identity);
    note_secret(config.entropy);
    note_secret(channel->seal.send_key);
    note_secret(channel->seal.receive_key);
    look_for_secrets((const uint8_t *)network.peers[0].session, sizeof(bks_session));
    assert_true(secrets_found >= 4); // all but the match key, which only its hash is kept of
    secrets_found = 0;
    toy_destroy(&network);
    assert_int_equal(secrets_found, 0);
    assert_true(counters[0].releases > 0);
}

static void a_peer_whose_address_changes_is_followed(void **context)
{
    (void)context;
    for (uint32_t mover = 0; mover < 3; mover++) {
        toy_create(&network, 3, 1, NULL);
        network.loss_percent = 5;
        toy_run_until(&network, 3 * SECONDS);
        network.peers[mover].moved = 100;
        toy_run_until(&network, 5 * SECONDS);
        network.peers[mover].moved = 120;
        assert_true(toy_run_to_end(&network, 30 * SECONDS));
        for (uint32_t i = 0; i < 3; i++) {
            bks_stats stats;
            uint64_t hash = 0;
            assert_int_equal(bks_session_stats(network.peers[i].session, &stats), BKS_OK);
            assert_int_equal(stats.address_changes, i == mover ? 0 : 2);
            assert_int_equal(bks_session_hash(network.peers[i].session, 600, &hash), BKS_OK);
            assert_true(hash == toy_straight_run(3, 600, network.hold_input_ticks));
            assert_int_equal(network.peers[i].events[BKS_EVENT_SILENT], 0);
        }
        toy_destroy(&network);
    }
}

/// With the match key alone one may ask for a seat and greet, and nothing else.
static void a_first_message_can_but_ask(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    toy_run_until(&network, 1 * SECONDS);
    bks_session *session = network.peers[0].session;
    static const uint8_t bye[1] = {0};
    bksi_guard_message message = {.channel = session->common.seats.peers[1].channel,
                                  .type = BKSI_PACKET_BYE,
                                  .body = bye,
                                  .body_bytes = sizeof(bye)};
    for (uint32_t type = 0; type < 16; type++) {
        message.type = type;
        assert_false(bksi_packets_take(session, &message));
    }
    assert_int_equal(bks_session_phase(session), BKS_PHASE_RUNNING);
    message.type = BKSI_PACKET_BYE;
    message.is_proven = true;
    assert_true(bksi_packets_take(session, &message));
    toy_run_until(&network, 1100 * TOY_MS);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    toy_destroy(&network);
}

/// A first message may hold anything, and name any peer as its sender.
static void nothing_is_carried_for_the_sender_of_a_first_message(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, NULL);
    toy_run_until(&network, 1 * SECONDS);
    bks_session *session = network.peers[0].session;
    const bksi_routed routed = {.route = {.carriers = 1}, .origin = 1, .target = 2};
    uint8_t body[64] = {0};
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_carried_write_packet(&writer, bksi_routed_bits(&routed), true, body + 32, 20);
    bksi_guard_message message = {.channel = session->common.seats.peers[1].channel,
                                  .type = BKSI_PACKET_CARRIED,
                                  .body = body,
                                  .body_bytes = writer.at};
    uint64_t relayed = session->carriage.relayed;
    assert_false(bksi_packets_take(session, &message));
    assert_int_equal(session->carriage.relayed, relayed);
    message.is_proven = true;
    assert_true(bksi_packets_take(session, &message));
    assert_int_equal(session->carriage.relayed, relayed + 1);
    toy_destroy(&network);
}

static void tune_third_seat(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->players = 3;
}

/// A first message names an identity and proves nothing: in a peer's name it changes nothing.
static void a_first_message_in_a_peers_name_takes_no_seat_from_it(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_third_seat);
    toy_run_until(&network, 1 * SECONDS);
    bks_session *session = network.peers[0].session;
    assert_int_equal(session->common.seats.all, 3);
    bksi_join join = {
        .compat = session->common.compat, .nonce = 5, .local_players = 2, .first_player = 1};
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_join_write(&writer, &join);
    bksi_guard_message message = {.channel = session->common.seats.peers[1].channel,
                                  .type = BKSI_PACKET_JOIN,
                                  .body = body,
                                  .body_bytes = writer.at};
    uint64_t nonce = session->common.seats.peers[1].nonce;
    assert_true(bksi_packets_take(session, &message));
    assert_int_equal(session->common.seats.peers[1].player_count, 1);
    assert_true(session->common.seats.peers[1].nonce == nonce);
    message.is_proven = true; // the same guest, started again
    assert_true(bksi_packets_take(session, &message));
    assert_int_equal(session->common.seats.peers[1].player_count, 2);
    assert_true(session->common.seats.peers[1].nonce == 5);
    toy_destroy(&network);
}

/// Heads travel shortened to 12 bits: what is that late is not read at all.
static void input_of_long_ago_is_not_taken_for_new(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    toy_run_until(&network, 4 * SECONDS);
    bks_session *session = network.peers[0].session;
    const session_peer *peer = &session->common.seats.peers[1];
    static const uint8_t rubbish[1] = {0xff};
    bksi_guard_message message = {.channel = peer->channel,
                                  .type = BKSI_PACKET_INPUT,
                                  .body = rubbish,
                                  .body_bytes = sizeof(rubbish),
                                  .is_proven = true,
                                  .is_sealed = true,
                                  .number = session->common.links.peers[1].link.stale_below};
    assert_true(message.number > 0);
    assert_false(bksi_packets_take(session, &message)); // read, and refused
    message.number--;
    assert_true(bksi_packets_take(session, &message));
    toy_destroy(&network);
}

static void everything_on_the_way_looks_random(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    uint64_t ones = 0;
    uint64_t bits = 0;
    for (uint64_t ms = 1; ms < 9000; ms++) {
        toy_run_until(&network, ms * TOY_MS);
        for (size_t i = 0; i < network.packet_count; i++) {
            const toy_packet *packet = &network.packets[i];
            for (size_t b = BKSI_PACKET_HEAD_BYTES; b < packet->count; b++) {
                for (uint32_t bit = 0; bit < 8; bit++) {
                    ones += packet->bytes[b] >> bit & 1;
                }
                bits += 8;
            }
        }
    }
    assert_true(bits > 1000000);
    assert_in_range(ones * 10000 / bits, 4950, 5050);
    toy_destroy(&network);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_hostile_packets_change_nothing_in_a_match),
        cmocka_unit_test(no_key_is_left_where_a_session_was),
        cmocka_unit_test(a_peer_whose_address_changes_is_followed),
        cmocka_unit_test(a_first_message_can_but_ask),
        cmocka_unit_test(nothing_is_carried_for_the_sender_of_a_first_message),
        cmocka_unit_test(a_first_message_in_a_peers_name_takes_no_seat_from_it),
        cmocka_unit_test(input_of_long_ago_is_not_taken_for_new),
        cmocka_unit_test(everything_on_the_way_looks_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
