// SPDX-License-Identifier: MIT

// Packets that no honest peer sends. Spoiled ones are counted, dropped and change nothing. Messages
// of a member of the match, rightly sealed and wrong inside, may end a match or make peers differ,
// but never break memory, trip an assert or hang.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "input/codec.h"
#include "session/inside.h"
#include "session/one_network.h"
#include "support/seed.h"
#include "wire/input_message.h"
#include "wire/join.h"
#include "wire/packet.h"
#include "wire/roster.h"
#include "wire/small_messages.h"

#define SECONDS   (1000 * TOY_MS)
#define HEARD_MAX 512u

/// Real packets that were on the way, to be repeated and spoiled.
static toy_packet heard[HEARD_MAX];

/// Contents of those packets.
static struct {
    uint32_t type; ///< 0: it was a handshake
    size_t count;
    uint8_t body[BKSI_BODY_BYTES_MAX];
} inside[HEARD_MAX];
static uint32_t heard_count;
static uint64_t heard_serial;

static void begin_hearing(void)
{
    heard_count = 0;
    heard_serial = 0;
}

/// Remember packets that were sent since the last call; the ring keeps old ones among the new.
static void listen(void)
{
    uint64_t newest = heard_serial;
    for (size_t i = 0; i < network.packet_count; i++) {
        const toy_packet *packet = &network.packets[i];
        if (packet->serial < heard_serial) {
            continue;
        }
        newest = packet->serial + 1 > newest ? packet->serial + 1 : newest;
        uint32_t place = heard_count < HEARD_MAX ? heard_count++ : seed_below(HEARD_MAX);
        heard[place] = *packet;
        inside[place].type =
            packet->to >= network.peer_count
                ? 0
                : inside_read(network.peers[packet->to].session, packet->bytes, packet->count,
                              inside[place].body, &inside[place].count);
    }
    heard_serial = newest;
}

/// An address: mostly a peer's, else an unused one.
static bks_address some_address(void)
{
    return toy_address(seed_below(4) != 0 ? seed_below(network.peer_count) : 100 + seed_below(100));
}

static void inject(uint32_t victim, const bks_address *from, const uint8_t *bytes, size_t count)
{
    // On the heap, so that a read behind the packet is seen.
    uint8_t *copy = malloc(count > 0 ? count : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    assert_int_equal(
        bks_session_receive(network.peers[victim].session, network.now_ns, from, copy, count),
        BKS_OK);
    free(copy);
}

static uint64_t refused_by(uint32_t peer)
{
    bks_stats stats;
    assert_int_equal(bks_session_stats(network.peers[peer].session, &stats), BKS_OK);
    return stats.packets_refused;
}

static void assert_all_agree(bks_tick ticks)
{
    uint64_t expected = toy_straight_run(network.peer_count, ticks, network.hold_input_ticks);
    for (uint32_t i = 0; i < network.peer_count; i++) {
        uint64_t hash = 0;
        assert_int_equal(bks_session_phase(network.peers[i].session), BKS_PHASE_ENDED);
        assert_int_equal(bks_session_hash(network.peers[i].session, ticks, &hash), BKS_OK);
        assert_true(hash == expected);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
    }
}

// ---- spoiled packets ----

/// A spoiled packet. Returns its size; may change its receiver.
static size_t spoil(uint8_t bytes[BKS_PACKET_BYTES_MAX + 64], uint32_t *victim)
{
    const toy_packet *real = &heard[seed_below(heard_count)];
    size_t count = real->count;
    memcpy(bytes, real->bytes, count);
    switch (seed_below(6)) {
    case 0: // random bytes
        count = 2 + seed_below(BKS_PACKET_BYTES_MAX + 62);
        for (size_t i = 0; i < count; i++) {
            bytes[i] = (uint8_t)seed_next();
        }
        break;
    case 1: // cut
        count = seed_below((uint32_t)count);
        count = count == 1 ? 0 : count; // a packet of one zero byte opens a NAT for an answer
        break;
    case 2: // lengthened
        memset(bytes + count, 0, 40);
        count = count + 1 + seed_below(20);
        break;
    case 3: // back to its sender
        *victim = real->from;
        break;
    case 4: // a message of another type
        bytes[0] ^= (uint8_t)(16 * (1 + seed_below(15)));
        break;
    default: { // damaged on the way
        uint32_t flips = 1 + seed_below(3);
        uint32_t at = seed_below((uint32_t)count * 8 - 2);
        for (uint32_t i = 0; i < flips; i++) {
            bytes[(at + i) / 8] ^= (uint8_t)(1u << (at + i) % 8);
        }
        break;
    }
    }
    return count;
}

static void spoiled_packets_are_counted_and_change_nothing(void **context)
{
    (void)context;
    for (int round = 0; round < 4; round++) {
        toy_create(&network, 3, seed_next(), NULL);
        begin_hearing();
        network.jitter_ns = 20 * TOY_MS;
        toy_run_until(&network, 2 * SECONDS);
        uint64_t injected[3] = {0};
        uint64_t before[3];
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(bks_session_phase(network.peers[i].session), BKS_PHASE_RUNNING);
            before[i] = refused_by(i);
        }
        for (uint64_t ms = 2000; ms < 9000; ms += 2) {
            toy_run_until(&network, ms * TOY_MS);
            listen();
            for (uint32_t n = seed_below(6); n > 0; n--) {
                uint8_t bytes[BKS_PACKET_BYTES_MAX + 64];
                uint32_t victim = seed_below(3);
                size_t count = spoil(bytes, &victim);
                bks_address from = some_address();
                inject(victim, &from, bytes, count);
                injected[victim]++;
            }
        }
        assert_true(injected[0] > 1000);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(refused_by(i) - before[i], injected[i]);
        }
        assert_true(toy_run_to_end(&network, 30 * SECONDS));
        assert_all_agree(600);
        toy_destroy(&network);
    }
}

static void strangers_are_refused_whatever_they_repeat(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    begin_hearing();
    uint64_t injected = 0;
    for (uint64_t ms = 0; ms < 4000; ms += 5) {
        toy_run_until(&network, ms * TOY_MS);
        listen();
        if (heard_count == 0 || ms < 1000) {
            continue;
        }
        const toy_packet *real = &heard[seed_below(heard_count)];
        if (real->arrives_ns >= network.now_ns) {
            continue;
        }
        bks_address from = toy_address(100);
        uint64_t before = refused_by(1); // peer 1 is no host: no peer may ask it for a seat
        inject(1, &from, real->bytes, real->count);
        assert_int_equal(refused_by(1) - before, 1);
        injected++;
    }
    assert_true(injected > 500);
    assert_true(toy_run_to_end(&network, 30 * SECONDS));
    assert_all_agree(600);
    toy_destroy(&network);
}

static void repeated_old_packets_change_nothing(void **context)
{
    (void)context;
    for (int round = 0; round < 4; round++) {
        toy_create(&network, 3, seed_next(), NULL);
        begin_hearing();
        for (uint64_t ms = 0; ms < 9000; ms += 3) {
            toy_run_until(&network, ms * TOY_MS);
            listen();
            if (heard_count == 0) {
                continue;
            }
            const toy_packet *old = &heard[seed_below(heard_count)];
            bks_address from = toy_address(old->from);
            inject(old->to, &from, old->bytes, old->count);
        }
        assert_true(toy_run_to_end(&network, 30 * SECONDS));
        assert_all_agree(600);
        toy_destroy(&network);
    }
}

// ---- rightly sealed, wrong inside ----

/// Say a real message with a few things changed.
static void forge(void)
{
    uint32_t place = seed_below(heard_count);
    uint32_t type = inside[place].type;
    if (type == 0 || inside[place].count == 0) {
        return;
    }
    uint8_t bytes[BKSI_BODY_BYTES_MAX + 8];
    size_t body = inside[place].count;
    memcpy(bytes, inside[place].body, body);
    // The head of a message decides most.
    uint32_t bits = (uint32_t)(body < 40 ? body : 40) * 8;
    for (uint32_t n = 1 + seed_below(4); n > 0; n--) {
        uint32_t bit = seed_below(8) == 0 ? seed_below((uint32_t)body * 8) : seed_below(bits);
        uint8_t *at = &bytes[bit / 8];
        switch (seed_below(6)) {
        case 0:
            *at = 0;
            break;
        case 1:
            *at = 0xff;
            break;
        case 2:
            *at = (uint8_t)seed_next();
            break;
        default:
            *at ^= (uint8_t)(1u << bit % 8);
            break;
        }
    }
    if (seed_below(16) == 0) {
        body = seed_below((uint32_t)body + 1);
    }
    if (seed_below(16) == 0 && body + 8 <= BKSI_BODY_BYTES_MAX) {
        memset(bytes + body, (int)seed_below(256), 8);
        body += 8;
    }
    if (seed_below(32) == 0) {
        type = 1 + seed_below(BKSI_PACKET_SLOW);
    }
    uint32_t victim = seed_below(4);
    uint32_t from = seed_below(4) == 0 ? seed_below(4) : heard[place].from;
    inside_say(network.peers[victim].session, network.now_ns,
               from == victim ? NULL : network.peers[from].session, type, bytes, body);
}

static uint32_t forged_window;
static bks_save_policy forged_policy;
static uint32_t forged_drop_ms;

static void tune_forged(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.window_ticks = forged_window;
    config->tuning.save = forged_policy;
    config->tuning.pace = (bks_pace)seed_below(3);
    config->tuning.delay_ticks = seed_below(2) == 0 ? BKS_AUTO : seed_below(6);
    config->tuning.hash_every_ticks = seed_below(3) == 0 ? 10 : 1;
    config->ticks = seed_below(2) == 0 ? 0 : 200;
    config->tuning.notify_after_ms = 100;
    config->tuning.drop_after_ms = forged_drop_ms;
}

static void forged_packets_never_break_a_session(void **context)
{
    (void)context;
    static const uint32_t windows[] = {0, 1, 8, 20, 64};
    uint32_t phases[4] = {0};
    for (uint32_t round = 0; round < 60; round++) {
        forged_window = windows[round % 5];
        forged_policy = (bks_save_policy)(round % 4);
        forged_drop_ms = round % 3 == 0 ? 300 : 5000;
        toy_create(&network, 4, seed_next(), tune_forged);
        begin_hearing();
        network.jitter_ns = 20 * TOY_MS;
        network.loss_percent = 5;
        uint64_t quiet_ms = seed_below(2) == 0 ? 0 : seed_below(1500);
        for (uint64_t ms = 0; ms < 5000; ms += 4) {
            // Peers that fall silent are dropped, with all messages that this takes.
            network.peers[round % 4].is_frozen = round % 3 == 0 && ms > 2000;
            network.peers[(round + 1) % 4].is_frozen = round % 3 == 0 && ms > 2400 && ms < 3400;
            toy_run_until(&network, ms * TOY_MS);
            listen();
            if (heard_count == 0 || ms < quiet_ms) {
                continue;
            }
            forge();
        }
        for (uint32_t i = 0; i < 4; i++) {
            phases[bks_session_phase(network.peers[i].session)]++;
        }
        toy_destroy(&network);
    }
    print_message("sessions gathering %u, running %u, ended %u, failed %u\n", phases[0], phases[1],
                  phases[2], phases[3]);
    assert_true(phases[BKS_PHASE_RUNNING] + phases[BKS_PHASE_ENDED] > 30); // or it tests little
}

// ---- one lie at a time ----

/// Send a victim a message in another's name.
static void send_as(uint32_t victim, uint32_t from_peer, bksi_packet_type type, const uint8_t *body,
                    size_t count)
{
    inside_say(network.peers[victim].session, network.now_ns, network.peers[from_peer].session,
               type, body, count);
}

static void send_input(uint32_t victim, uint32_t from_peer, const bksi_input_head *head)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    send_as(victim, from_peer, BKSI_PACKET_INPUT, body, inside_input(head, body));
}

static void a_peer_that_never_acknowledges_is_dropped(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_endless);
    toy_run_until(&network, 1 * SECONDS);
    network.peers[1].is_frozen = true;
    bks_session *session = network.peers[0].session;
    bks_tick head = bks_session_confirmed(session);
    bks_tick taken = 0;
    for (uint32_t i = 0; i < 1500; i++) {
        bksi_input_head message = {
            .head = head + 1, .need = 0, .first = head, .count = 1, .hash.tick = BKS_TICK_NONE};
        head++;
        send_input(0, 1, &message);
        const bool is_in = (bksi_common_members(&session->common) >> 1 & 1) != 0;
        taken = is_in ? bksi_common_head(&session->common, 1) : taken;
        toy_run_until(&network, network.now_ns + 17 * TOY_MS);
    }
    assert_int_equal(taken, BKSI_AHEAD_TICKS_MAX);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LOST], 1);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    toy_destroy(&network);
}

static void inputs_before_all_that_is_kept_are_refused(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_endless);
    toy_run_until(&network, 40 * SECONDS);
    const session_common *common = &network.peers[0].session->common;
    const bks_tick head = bksi_common_head(common, 1) + 1;
    const uint64_t before = refused_by(0);
    bksi_input_head message = {.head = head,
                               .need = bksi_common_head(common, 0),
                               .first = 1,
                               .count = (uint32_t)head - 1,
                               .hash.tick = BKS_TICK_NONE};
    send_input(0, 1, &message);
    assert_int_equal(refused_by(0) - before, 1);
    toy_destroy(&network);
}

static void tune_patient(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 0;
    config->tuning.drop_after_ms = 600000;
}

static void inputs_are_taken_only_as_far_as_an_honest_peer_can_be_ahead(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_patient);
    toy_run_until(&network, 1 * SECONDS);
    network.peers[1].is_frozen = true;
    bks_session *session = network.peers[0].session;
    const bks_tick known = bksi_common_head(&session->common, 1);
    const bks_tick own = bksi_common_head(&session->common, 0);
    bksi_input_head message = {.head = own + BKSI_AHEAD_TICKS_MAX,
                               .need = own,
                               .first = known,
                               .count = (uint32_t)(own + BKSI_AHEAD_TICKS_MAX - known),
                               .hash.tick = BKS_TICK_NONE};
    send_input(0, 1, &message);
    const bks_tick end = bksi_common_head(&session->common, 1);
    assert_in_range(end, known + BKSI_AHEAD_TICKS_MAX, own + BKSI_AHEAD_TICKS_MAX);
    toy_run_until(&network, 20 * SECONDS);
    assert_int_equal(bks_session_phase(session), BKS_PHASE_RUNNING);
    assert_in_range(bks_session_tick(session), end, end + 60);
    assert_in_range(network.peers[0].events[BKS_EVENT_STARVED], 1, 1);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LOST], 0);
    message.need = bksi_common_head(&session->common, 0);
    message.head = message.need + BKSI_AHEAD_TICKS_MAX + 1;
    send_input(0, 1, &message);
    assert_int_equal(bksi_common_head(&session->common, 1), end);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LOST], 0);
    toy_run_until(&network, 20 * SECONDS + 200 * TOY_MS); // events are handed out in updates
    assert_int_equal(network.peers[0].events[BKS_EVENT_LOST], 1);
    toy_destroy(&network);
}

static void an_acknowledgement_of_inputs_that_do_not_exist_is_refused(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_endless);
    toy_run_until(&network, 1 * SECONDS);
    bks_tick head = bks_session_confirmed(network.peers[0].session);
    bks_tick own_head = bks_session_tick(network.peers[0].session); // the delay is 0
    uint64_t before = refused_by(0);
    bksi_input_head message = {
        .head = head, .need = own_head + 1, .first = head, .hash.tick = BKS_TICK_NONE};
    send_input(0, 1, &message);
    assert_int_equal(refused_by(0) - before, 1);
    message.need = own_head;
    send_input(0, 1, &message);
    assert_int_equal(refused_by(0) - before, 1);
    toy_destroy(&network);
}

static void hashes_of_ticks_far_away_are_kept_without_harm(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_endless);
    toy_run_until(&network, 1 * SECONDS);
    static const bks_tick firsts[] = {0, 1, 5000, 65536, INT32_MAX / 2};
    for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
        bksi_hashes_message message = {
            .first = firsts[i], .step_ticks = 65535, .count = BKSI_HASHES_MAX};
        uint8_t body[BKSI_BODY_BYTES_MAX];
        bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
        bksi_hashes_write(&writer, &message);
        send_as(0, 1, BKSI_PACKET_HASHES, body, writer.at);
        toy_run_until(&network, network.now_ns + 50 * TOY_MS);
    }
    toy_run_until(&network, network.now_ns + 2 * SECONDS);
    assert_int_equal(bks_session_phase(network.peers[0].session), BKS_PHASE_RUNNING);
    assert_int_equal(network.peers[0].events[BKS_EVENT_DESYNC], 1); // tick 0 is reported as 0
    assert_int_equal(network.peers[0].last[BKS_EVENT_DESYNC].tick, 0);
    toy_destroy(&network);
}

static void tune_three_seats(bks_session_config *config, uint32_t peer)
{
    config->players = 3;
    config->first_player = peer == 0 ? BKS_AUTO : peer == 1 ? 1 : 2;
}

static void inputs_before_the_start_are_refused_by_the_host(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_three_seats);
    toy_run_until(&network, 75 * TOY_MS); // complete, not yet ready
    uint64_t before = refused_by(0);
    bksi_input_head message = {.head = 5, .first = 0, .count = 5, .hash.tick = BKS_TICK_NONE};
    send_input(0, 1, &message);
    assert_int_equal(refused_by(0) - before, 1);
    assert_int_equal(bks_session_confirmed(network.peers[0].session), 0);
    assert_true(toy_run_to_end(&network, 30 * SECONDS));
    assert_all_agree(600);
    toy_destroy(&network);
}

/// The roster of a three-player match as the toy host sends it to peer 1.
static bksi_roster_message toy_roster(void)
{
    bksi_roster_message roster = {.stage = BKSI_ROSTER_COMPLETE,
                                  .self = 1,
                                  .members = 7,
                                  .players = 3,
                                  .ticks = 600,
                                  .hash_every_ticks = 1};
    for (uint32_t i = 0; i < 3; i++) {
        roster.peers[i] =
            (bksi_roster_peer){.first_player = i, .player_count = 1, .address = toy_address(i)};
        memcpy(roster.peers[i].identity, network.peers[i].session->common.guard.identity,
               BKSI_IDENTITY_BYTES);
    }
    return roster;
}

static void send_roster(const bksi_roster_message *roster)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_roster_write(&writer, roster);
    assert_false(writer.failed);
    send_as(1, 0, BKSI_PACKET_ROSTER, body, writer.at);
}

static void the_start_is_fixed_once_the_state_is_made(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_three_seats);
    toy_run_until(&network, 110 * TOY_MS); // peer 1 has made the state of tick 0
    bksi_roster_message roster = toy_roster();
    uint64_t before = refused_by(1);
    send_roster(&roster);
    assert_int_equal(refused_by(1) - before, 0); // the same again

    roster.players = 16;
    roster.peers[2].player_count = 14;
    send_roster(&roster);
    roster = toy_roster();
    roster.seed = 5;
    send_roster(&roster);
    roster = toy_roster();
    roster.ticks = 601;
    send_roster(&roster);
    roster = toy_roster();
    roster.hash_every_ticks = 7;
    send_roster(&roster);
    roster = toy_roster();
    roster.setup_bytes = 1;
    send_roster(&roster);
    assert_int_equal(refused_by(1) - before, 5);

    bks_roster now;
    assert_int_equal(bks_session_roster(network.peers[1].session, &now), BKS_OK);
    assert_int_equal(now.players, 3);
    assert_true(now.seed == 0);
    assert_true(toy_run_to_end(&network, 30 * SECONDS));
    assert_all_agree(600);
    toy_destroy(&network);
}

static void a_roster_without_us_is_refused(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_three_seats);
    toy_run_until(&network, 10 * TOY_MS);
    uint64_t before = refused_by(1);
    bksi_roster_message roster = toy_roster();
    roster.self = 0; // we are not the host
    send_roster(&roster);
    roster.self = 2; // that is another's place
    send_roster(&roster);
    roster = toy_roster();
    roster.peers[1].identity[0]++;
    send_roster(&roster);
    assert_int_equal(refused_by(1) - before, 3);
    assert_int_equal(network.peers[1].events[BKS_EVENT_JOINED], 0);
    assert_true(toy_run_to_end(&network, 30 * SECONDS));
    assert_all_agree(600);
    toy_destroy(&network);
}

static void a_join_for_a_guest_is_no_refusal(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    toy_run_until(&network, 10 * TOY_MS);
    bksi_refuse refuse = {.reason = BKSI_MISMATCH_GAME,
                          .nonce = 1001,
                          .compat = network.peers[0].session->common.compat};
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_refuse_write(&writer, &refuse);
    uint64_t before = refused_by(1);
    send_as(1, 0, BKSI_PACKET_JOIN, body, writer.at);
    assert_int_equal(refused_by(1) - before, 1);
    assert_int_equal(bks_session_phase(network.peers[1].session), BKS_PHASE_GATHERING);
    send_as(1, 0, BKSI_PACKET_REFUSE, body, writer.at);
    assert_int_equal(bks_session_phase(network.peers[1].session), BKS_PHASE_FAILED);
    toy_destroy(&network);
}

static void a_complete_peer_that_leaves_us_without_inputs_has_left(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    toy_run_until(&network, 1 * SECONDS);
    network.peers[1].is_frozen = true;
    toy_run_until(&network, network.now_ns + 200 * TOY_MS); // no INPUT follows its goodbye
    static const uint8_t complete[] = {1};
    send_as(0, 1, BKSI_PACKET_BYE, complete, 1);
    toy_run_until(&network, network.now_ns + 1 * SECONDS);
    assert_int_equal(bks_session_phase(network.peers[0].session), BKS_PHASE_RUNNING);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    assert_true(bks_session_confirmed(network.peers[0].session) > 60);
    toy_destroy(&network);
}

// ---- honest corners that look alike ----

static void a_cut_at_the_very_end_leaves_no_peer_waiting_for_ever(void **context)
{
    (void)context;
    // At the end one side has every tick and gives up on the other, which comes back without.
    uint32_t ended = 0;
    for (uint64_t cut_ms = 9900; cut_ms < 10400; cut_ms += 10) {
        toy_create(&network, 2, 1, NULL);
        network.jitter_ns = 60 * TOY_MS;
        toy_run_until(&network, cut_ms * TOY_MS);
        network.is_cut = true;
        toy_run_until(&network, (cut_ms + 1500) * TOY_MS);
        network.is_cut = false;
        toy_run_until(&network, 40 * SECONDS);
        for (uint32_t i = 0; i < 2; i++) {
            bks_phase phase = bks_session_phase(network.peers[i].session);
            if (phase != BKS_PHASE_ENDED) {
                fail_msg("cut at %d ms: peer %u is in phase %d", (int)cut_ms, i, (int)phase);
            }
            ended += network.peers[i].events[BKS_EVENT_ENDED];
        }
        toy_destroy(&network);
    }
    assert_true(ended > 50); // mostly both see the end
}

static void a_clock_that_jumps_by_centuries_does_not_stop_the_match(void **context)
{
    (void)context;
    bks_session_config config = toy_config(0, 1);
    config.ticks = 0;
    bks_session *session = NULL;
    assert_int_equal(bks_session_create(&config, &session, NULL), BKS_OK);
    uint64_t now_ns = 0;
    for (uint32_t i = 0; i < 20; i++) {
        now_ns += i % 5 == 4 ? UINT64_MAX / 5 : 17 * TOY_MS;
        bks_op op;
        bks_op_result result = {0};
        assert_int_equal(bks_session_update(session, now_ns), BKS_OK);
        while (bks_session_next(session, &op)) {
            assert_int_equal(bks_session_done(session, &op, &result), BKS_OK);
        }
    }
    assert_in_range(bks_session_tick(session), 20, 40);
    assert_true(bks_session_wake(session) <= now_ns + 50 * TOY_MS);
    bks_session_destroy(session);
}

static void tune_far_hashes(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.hash_every_ticks = 1000;
    config->tuning.window_ticks = 64;
    config->ticks = 1024; // its hash would lie where that of tick 0 lies
}

static void a_hash_in_the_same_place_does_not_hide_the_published_one(void **context)
{
    (void)context;
    for (uint64_t way_ms = 300; way_ms <= 900; way_ms += 100) {
        toy_create(&network, 2, 1, tune_far_hashes);
        network.delay_ns = way_ms * TOY_MS;
        assert_true(toy_run_to_end(&network, 60 * SECONDS));
        assert_all_agree(1024);
        toy_destroy(&network);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spoiled_packets_are_counted_and_change_nothing),
        cmocka_unit_test(strangers_are_refused_whatever_they_repeat),
        cmocka_unit_test(repeated_old_packets_change_nothing),
        cmocka_unit_test(forged_packets_never_break_a_session),
        cmocka_unit_test(a_peer_that_never_acknowledges_is_dropped),
        cmocka_unit_test(inputs_before_all_that_is_kept_are_refused),
        cmocka_unit_test(inputs_are_taken_only_as_far_as_an_honest_peer_can_be_ahead),
        cmocka_unit_test(an_acknowledgement_of_inputs_that_do_not_exist_is_refused),
        cmocka_unit_test(hashes_of_ticks_far_away_are_kept_without_harm),
        cmocka_unit_test(inputs_before_the_start_are_refused_by_the_host),
        cmocka_unit_test(the_start_is_fixed_once_the_state_is_made),
        cmocka_unit_test(a_roster_without_us_is_refused),
        cmocka_unit_test(a_join_for_a_guest_is_no_refusal),
        cmocka_unit_test(a_complete_peer_that_leaves_us_without_inputs_has_left),
        cmocka_unit_test(a_cut_at_the_very_end_leaves_no_peer_waiting_for_ever),
        cmocka_unit_test(a_clock_that_jumps_by_centuries_does_not_stop_the_match),
        cmocka_unit_test(a_hash_in_the_same_place_does_not_hide_the_published_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
