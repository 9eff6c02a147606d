// SPDX-License-Identifier: MIT

// Why there is no match: both sides learn in words what differs.

#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "session/one_network.h"
#include "session/packets.h"
#include "session/session_internal.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#define SECONDS (1000 * TOY_MS)

static const char *refusal_of(uint32_t peer)
{
    return network.peers[peer].last[BKS_EVENT_REFUSED].text;
}

/// Peer 1 must be refused within a second, and both sides must learn it once.
static void assert_both_learn(const char *host_says, const char *guest_says)
{
    toy_run_until(&network, 1 * SECONDS);
    assert_string_equal(refusal_of(0), host_says);
    assert_string_equal(refusal_of(1), guest_says);
    assert_int_equal(network.peers[0].events[BKS_EVENT_REFUSED], 1);
    assert_int_equal(network.peers[1].events[BKS_EVENT_REFUSED], 1);
    assert_int_equal(phase_of(1), BKS_PHASE_FAILED);
    assert_int_equal(phase_of(0), BKS_PHASE_GATHERING);
    assert_int_equal(network.peers[0].step_ops + network.peers[1].step_ops, 0);
    assert_true(bks_session_wake(network.peers[1].session) == UINT64_MAX);
    toy_destroy(&network);
}

static void another_protocol_is_refused_and_both_learn_it(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    network.peers[1].session->common.compat.protocol = 99;
    assert_both_learn(
        "guest refused, another Backstitch: theirs speaks protocol 99, ours 10",
        "the host refused us, another Backstitch: theirs speaks protocol 10, ours 99");
}

static void tune_game(bks_session_config *config, uint32_t peer)
{
    config->game_name = peer == 0 ? "pad" : "duel";
}

static void another_game_is_refused_and_both_learn_it(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_game);
    assert_both_learn("guest refused, another game: theirs is `duel`, ours `pad`",
                      "the host refused us, another game: theirs is `pad`, ours `duel`");
}

static void tune_long_name(bks_session_config *config, uint32_t peer)
{
    config->game_name =
        peer == 0 ? "a game whose name has 31 bytes." : "another one of just the length.";
}

static void the_longest_names_are_sent_whole(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_long_name);
    assert_both_learn("guest refused, another game: theirs is `another one of just the length.`, "
                      "ours `a game whose name has 31 bytes.`",
                      "the host refused us, another game: theirs is `a game whose name has 31 "
                      "bytes.`, ours `another one of just the length.`");
}

static void tune_version(bks_session_config *config, uint32_t peer)
{
    config->game_version = peer == 0 ? 3 : 4;
}

static void another_game_version_is_refused_and_both_learn_it(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_version);
    assert_both_learn("guest refused, another version of `toy`: theirs 4, ours 3",
                      "the host refused us, another version of `toy`: theirs 3, ours 4");
}

static const bks_field wider[] = {
    {.name = "move", .bits = 10, .is_signed = true},
    {.name = "jump", .bits = 1},
};

static void tune_fusing(bks_session_config *config, uint32_t peer)
{
    config->arithmetic = peer == 1 ? BKS_ARITHMETIC_FUSED : 0;
}

static void a_game_compiled_with_other_flags_is_refused_with_the_flag(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_fusing);
    assert_both_learn(
        "guest refused, another arithmetic: their game fuses a * b + c: compile it with "
        "-ffp-contract=off",
        "the host refused us, another arithmetic: our game fuses a * b + c: compile it "
        "with -ffp-contract=off");
}

static void tune_both_fusing(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 60;
    config->arithmetic = BKS_ARITHMETIC_FUSED;
}

static void games_compiled_alike_play_whatever_they_do(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_both_fusing);
    assert_true(toy_run_to_end(&network, 20 * SECONDS));
    assert_int_equal(network.peers[0].events[BKS_EVENT_REFUSED], 0);
    toy_destroy(&network);
}

static void tune_layout(bks_session_config *config, uint32_t peer)
{
    config->fields = peer == 0 ? config->fields : wider;
}

static void another_layout_is_refused_and_both_learn_it(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_layout);
    uint32_t ours = (uint32_t)(network.peers[0].session->common.compat.layout >> 32);
    uint32_t theirs = (uint32_t)(network.peers[1].session->common.compat.layout >> 32);
    char host_says[128];
    char guest_says[128];
    (void)snprintf(host_says, sizeof(host_says),
                   "guest refused, another build of `toy`: its input layout is %08x, ours %08x",
                   theirs, ours);
    (void)snprintf(
        guest_says, sizeof(guest_says),
        "the host refused us, another build of `toy`: its input layout is %08x, ours %08x", ours,
        theirs);
    assert_both_learn(host_says, guest_says);
}

#define ANOTHER_FORM          "another `toy`: its options, command_bytes_max or command_room_bytes differ"
#define GUEST_OF_ANOTHER_FORM "guest refused, " ANOTHER_FORM
#define HOST_OF_ANOTHER_FORM  "the host refused us, " ANOTHER_FORM

static void tune_setup_form(bks_session_config *config, uint32_t peer)
{
    config->setup_form = peer == 0 ? 3 : 4;
}

static void another_table_of_options_is_refused_and_both_learn_it(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_setup_form);
    assert_both_learn(GUEST_OF_ANOTHER_FORM, HOST_OF_ANOTHER_FORM);
}

static void tune_command_bytes(bks_session_config *config, uint32_t peer)
{
    config->command_bytes_max = peer == 0 ? 60 : 61;
}

static void tune_command_room(bks_session_config *config, uint32_t peer)
{
    config->command_bytes_max = 60;
    config->command_room_bytes = peer == 0 ? 0 : 1000;
}

static void other_sizes_of_commands_are_refused_and_named(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_command_bytes);
    assert_both_learn(GUEST_OF_ANOTHER_FORM, HOST_OF_ANOTHER_FORM);
    toy_create(&network, 2, 1, tune_command_room);
    assert_both_learn(GUEST_OF_ANOTHER_FORM, HOST_OF_ANOTHER_FORM);
}

static void tune_rate(bks_session_config *config, uint32_t peer)
{
    config->tick_rate_hz = peer == 0 ? 60 : 50;
}

static void tune_seats(bks_session_config *config, uint32_t peer)
{
    config->players = 3;
    config->local_players = peer == 0 ? 1 : 2;
}

static void a_guest_with_more_seats_than_a_packet_has_room_for_is_refused(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_seats);
    network.peers[0].session->common.layout.bits = BKSI_TICK_BITS_MAX / 2;
    assert_both_learn("guest refused, seats 1 to 2 are not all free",
                      "the host refused us, seats 1 to 2 are not all free");
}

static void another_tick_rate_is_refused_and_both_learn_it(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_rate);
    assert_both_learn("guest refused, another tick rate: theirs 50 a second, ours 60",
                      "the host refused us, another tick rate: theirs 60 a second, ours 50");
}

// ---- unequal machines ----

/// Peers are created in order, so the processor can be another one for the guest.
static void tune_guest_rounds_up(bks_session_config *config, uint32_t peer)
{
    (void)config;
    (void)fesetround(peer == 0 ? FE_TONEAREST : FE_UPWARD);
}

static void a_guest_with_another_rounding_is_refused_and_both_learn_it(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_guest_rounds_up);
    (void)fesetround(FE_TONEAREST);
    assert_both_learn(
        "guest refused, another arithmetic: float + is not as IEEE 754 has it on their machine",
        "the host refused us, another arithmetic: float + is not as IEEE 754 has it on our "
        "machine");
}

#if defined(__SSE2__)
static void tune_host_takes_denormals_for_zero(bks_session_config *config, uint32_t peer)
{
    (void)config;
    _mm_setcsr((_mm_getcsr() & ~0x0040u) | (peer == 0 ? 0x0040u : 0));
}

static void a_host_that_takes_denormals_for_zero_is_distinguished_from_the_guest(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_host_takes_denormals_for_zero);
    assert_both_learn(
        "guest refused, another arithmetic: float + is not as IEEE 754 has it on our machine",
        "the host refused us, another arithmetic: float + is not as IEEE 754 has it on their "
        "machine");
}

static void tune_all_flush_to_zero(bks_session_config *config, uint32_t peer)
{
    (void)config;
    (void)peer;
    _mm_setcsr(_mm_getcsr() | 0x8000u);
}

static void machines_that_calculate_alike_play_however_they_do(void **context)
{
    (void)context;
    uint32_t before = _mm_getcsr();
    toy_create(&network, 2, 1, tune_all_flush_to_zero);
    _mm_setcsr(before);
    toy_run_until(&network, 1 * SECONDS);
    assert_int_equal(phase_of(0), BKS_PHASE_RUNNING);
    assert_int_equal(phase_of(1), BKS_PHASE_RUNNING);
    toy_destroy(&network);
}
#endif

static void every_operation_of_the_self_test_counts(void **context)
{
    (void)context;
    for (uint32_t op = 0; op < BKSI_ARITHMETIC_OPS; op++) {
        toy_create(&network, 2, 1, NULL);
        network.peers[1].session->common.compat.arithmetic.sums[op] ^= 0x8000;
        char host_says[128];
        char guest_says[128];
        (void)snprintf(host_says, sizeof(host_says),
                       "guest refused, another arithmetic: %s is not as IEEE 754 has it on their "
                       "machine",
                       bksi_arithmetic_name(op));
        (void)snprintf(guest_says, sizeof(guest_says),
                       "the host refused us, another arithmetic: %s is not as IEEE 754 has it on "
                       "our machine",
                       bksi_arithmetic_name(op));
        assert_both_learn(host_says, guest_says);
    }
}

// ---- a match that one cannot make ----

static void tune_three(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->players = 2;
    config->first_player = BKS_AUTO;
}

static void a_guest_that_cannot_make_the_match_says_why_and_another_takes_its_seat(void **context)
{
    (void)context;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        toy_create(&network, 3, seed, tune_three);
        network.loss_percent = 30;
        network.peers[2].is_frozen = true;
        network.peers[1].problem = "option `speed` is 9, must be 1..5";
        toy_run_until(&network, 3 * SECONDS);
        assert_string_equal(refusal_of(0),
                            "peer 1 cannot make the match: option `speed` is 9, must be "
                            "1..5");
        assert_string_equal(refusal_of(1),
                            "the match cannot be made, option `speed` is 9, must be 1..5");
        assert_int_equal(network.peers[0].events[BKS_EVENT_REFUSED], 1);
        assert_int_equal(network.peers[1].events[BKS_EVENT_REFUSED], 1);
        assert_int_equal(phase_of(1), BKS_PHASE_FAILED);
        // Once it was heard it is silent.
        assert_true(bks_session_wake(network.peers[1].session) == UINT64_MAX);
        network.peers[2].is_frozen = false;
        toy_run_until(&network, 6 * SECONDS);
        assert_int_equal(phase_of(0), BKS_PHASE_RUNNING);
        assert_int_equal(phase_of(2), BKS_PHASE_RUNNING);
        toy_destroy(&network);
    }
}

static void a_guest_whose_host_is_gone_does_not_say_so_for_ever(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    network.peers[1].problem = "\x01\xff";
    toy_run_until(&network, 60 * TOY_MS); // the host's roster is on its way
    network.peers[0].is_frozen = true;
    toy_run_until(&network, 8 * SECONDS);
    assert_int_equal(phase_of(1), BKS_PHASE_FAILED);
    assert_string_equal(refusal_of(1), "the match cannot be made, ??");
    assert_true(bks_session_wake(network.peers[1].session) == UINT64_MAX);
    toy_destroy(&network);
}

static void tune_short(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.notify_after_ms = config->tuning.drop_after_ms = 100;
}

static void a_refusal_is_repeated_for_as_long_as_the_line_needs(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_short);
    network.peers[1].problem = "no file";
    toy_run_until(&network, 60 * TOY_MS);
    network.peers[0].is_frozen = true;
    toy_run_until(&network, 800 * TOY_MS);
    assert_int_equal(phase_of(1), BKS_PHASE_FAILED);
    assert_true(bks_session_wake(network.peers[1].session) < UINT64_MAX);
    toy_run_until(&network, 2 * SECONDS);
    assert_true(bks_session_wake(network.peers[1].session) == UINT64_MAX);
    toy_destroy(&network);
}

static void a_host_that_cannot_make_the_match_informs_every_guest(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, NULL);
    network.peers[0].problem = "out of memory";
    toy_run_until(&network, 2 * SECONDS);
    assert_string_equal(refusal_of(0), "the match cannot be made, out of memory");
    for (uint32_t i = 1; i < 3; i++) {
        assert_string_equal(refusal_of(i), "the host refused us, it cannot be made: out of memory");
        assert_int_equal(phase_of(i), BKS_PHASE_FAILED);
    }
    toy_destroy(&network);
}

// ---- no flood ----

/// Guests who come again and again, each time as somebody else.
static void many_refused_guests_do_not_crowd_out_other_events(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_version);
    toy_run_until(&network, 200 * TOY_MS);
    bks_session *host = network.peers[0].session;
    bksi_join join = {.compat = network.peers[1].session->common.compat, .local_players = 1};
    uint8_t body[BKSI_BODY_BYTES_MAX];
    uint32_t refused_before = network.peers[0].events[BKS_EVENT_REFUSED];
    bksi_guard_message message = {.channel = host->lobby.refusal.to,
                                  .type = BKSI_PACKET_JOIN,
                                  .body = body,
                                  .is_proven = true,
                                  .is_sealed = true};
    for (uint64_t nonce = 1; nonce <= 1000; nonce++) {
        join.nonce = nonce;
        bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
        bksi_join_write(&writer, &join);
        message.body_bytes = writer.at;
        assert_true(bksi_packets_take(host, &message));
    }
    toy_run_until(&network, 300 * TOY_MS);
    assert_in_range(network.peers[0].events[BKS_EVENT_REFUSED] - refused_before, 0, 1);
    toy_destroy(&network);
}

static uint32_t logged;

static void count_line(void *counter, bks_log_level level, const char *id, const char *text)
{
    (void)level;
    (void)id;
    (void)text;
    ++*(uint32_t *)counter;
}

static void say(bks_session *to, bksi_channel from, uint32_t type, const uint8_t *body,
                size_t count)
{
    const bksi_guard_message message = {.channel = from,
                                        .type = type,
                                        .body = body,
                                        .body_bytes = count,
                                        .is_proven = true,
                                        .is_sealed = true};
    (void)bksi_packets_take(to, &message);
}

/// A member that takes a seat and gives it back, again and again: by saying that it cannot make the
/// match, or by coming as if it was started again.
static void a_guest_that_comes_and_goes_does_not_crowd_out_other_events(void **context)
{
    (void)context;
    for (uint32_t says_why = 0; says_why < 2; says_why++) {
        toy_create(&network, 3, 1, NULL);
        network.peers[2].is_frozen = true; // so seats are free
        toy_run_until(&network, 200 * TOY_MS);
        bks_session *host = network.peers[0].session;
        const bks_session *guest = network.peers[1].session;
        const bksi_channel channel = host->common.seats.peers[1].channel;
        bksi_join join = {.compat = guest->common.compat,
                          .nonce = guest->common.config.nonce,
                          .local_players = 1,
                          .first_player = -1};
        uint8_t body[BKSI_BODY_BYTES_MAX];
        const uint32_t refused = network.peers[0].events[BKS_EVENT_REFUSED];
        const uint32_t joined = network.peers[0].events[BKS_EVENT_JOINED];
        const bks_log_sink sink = {.write = count_line, .context = &logged};
        logged = 0;
        assert_int_equal(bks_log_set_sink(&sink), BKS_OK);
        for (uint32_t i = 0; i < 30; i++) {
            if (says_why == 1) {
                const bksi_refuse refuse = {.reason = BKSI_REFUSED_START,
                                            .nonce = join.nonce,
                                            .compat = guest->common.compat,
                                            .text = "no"};
                bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
                bksi_refuse_write(&writer, &refuse);
                say(host, channel, BKSI_PACKET_REFUSE, body, writer.at);
            } else {
                join.nonce++;
            }
            bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
            bksi_join_write(&writer, &join);
            say(host, channel, BKSI_PACKET_JOIN, body, writer.at);
        }
        bks_log_clear_sink();
        toy_run_until(&network, 210 * TOY_MS);
        assert_in_range(network.peers[0].events[BKS_EVENT_REFUSED] - refused, 0, 1);
        assert_in_range(network.peers[0].events[BKS_EVENT_JOINED] - joined, 0, 1);
        assert_in_range(logged, 0, 1);
        toy_destroy(&network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_compiled_with_other_flags_is_refused_with_the_flag),
        cmocka_unit_test(games_compiled_alike_play_whatever_they_do),
        cmocka_unit_test(another_protocol_is_refused_and_both_learn_it),
        cmocka_unit_test(another_game_is_refused_and_both_learn_it),
        cmocka_unit_test(the_longest_names_are_sent_whole),
        cmocka_unit_test(another_game_version_is_refused_and_both_learn_it),
        cmocka_unit_test(another_layout_is_refused_and_both_learn_it),
        cmocka_unit_test(another_table_of_options_is_refused_and_both_learn_it),
        cmocka_unit_test(other_sizes_of_commands_are_refused_and_named),
        cmocka_unit_test(a_guest_with_more_seats_than_a_packet_has_room_for_is_refused),
        cmocka_unit_test(another_tick_rate_is_refused_and_both_learn_it),
        cmocka_unit_test(a_guest_with_another_rounding_is_refused_and_both_learn_it),
#if defined(__SSE2__)
        cmocka_unit_test(a_host_that_takes_denormals_for_zero_is_distinguished_from_the_guest),
        cmocka_unit_test(machines_that_calculate_alike_play_however_they_do),
#endif
        cmocka_unit_test(every_operation_of_the_self_test_counts),
        cmocka_unit_test(a_guest_that_cannot_make_the_match_says_why_and_another_takes_its_seat),
        cmocka_unit_test(a_guest_whose_host_is_gone_does_not_say_so_for_ever),
        cmocka_unit_test(a_refusal_is_repeated_for_as_long_as_the_line_needs),
        cmocka_unit_test(a_host_that_cannot_make_the_match_informs_every_guest),
        cmocka_unit_test(many_refused_guests_do_not_crowd_out_other_events),
        cmocka_unit_test(a_guest_that_comes_and_goes_does_not_crowd_out_other_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
