// SPDX-License-Identifier: MIT

// A liar has a seat in the lobby, says things of a match that has not begun, and leaves. Its seat
// and its number pass to another guest, which must not be held to what the liar said.

#include <string.h>

#include "session/inside.h"
#include "session/one_network.h"
#include "wire/packet.h"
#include "wire/small_messages.h"

#define LIAR   3u ///< session and number
#define HEIR   4u ///< session; its number is the liar's
#define HONEST 3u ///< sessions 0 to 2 play from the begin
#define BUFFER 4096u

static void tune(bks_session_config *config, uint32_t peer)
{
    config->players = 4;
    config->first_player = peer == 0 ? (uint32_t)BKS_AUTO : peer < HEIR ? peer : LIAR;
    config->ticks = 0;
    config->tuning.bulk_bytes = BUFFER;
}

/// All four seats are taken, and the state of the first tick is being made.
static void begin(void)
{
    toy_create(&network, 5, 1, tune);
    network.peers[HEIR].is_frozen = true;
    const session_phase *host = &session_of(0)->common.phase;
    for (uint32_t i = 0; i < HONEST; i++) {
        while (!session_of(i)->lobby.start.is_made) {
            assert_true(network.now_ns < 10000 * TOY_MS);
            run_for(1);
        }
    }
    assert_true(bksi_phase_is_linking(host));
    assert_int_equal(session_of(LIAR)->common.seats.self, LIAR);
}

/// The liar leaves, and the heir gets its seat.
static void pass_on(void)
{
    for (uint32_t i = 0; i < HONEST; i++) {
        assert_true(bksi_phase_is_linking(&session_of(i)->common.phase));
    }
    assert_int_equal(bks_session_leave(session_of(LIAR)), BKS_OK);
    while (network.peers[0].events[BKS_EVENT_LEFT] == 0) {
        assert_true(network.now_ns < 20000 * TOY_MS);
        run_for(1);
    }
    network.peers[LIAR].is_frozen = true;
    network.peers[HEIR].is_frozen = false;
    while (phase_of(0) == BKS_PHASE_GATHERING || phase_of(HEIR) == BKS_PHASE_GATHERING) {
        assert_true(network.now_ns < 40000 * TOY_MS);
        run_for(1);
    }
    assert_int_equal(phase_of(0), BKS_PHASE_RUNNING);
    assert_int_equal(phase_of(HEIR), BKS_PHASE_RUNNING);
    assert_int_equal(session_of(HEIR)->common.seats.self, LIAR);
}

static void say_to_all(uint32_t type, const uint8_t *body, size_t count)
{
    for (uint32_t i = 0; i < HONEST; i++) {
        inside_say(session_of(i), network.now_ns, session_of(LIAR), type, body, count);
    }
}

static void hashes_of_one_are_not_its_heirs(void **context)
{
    (void)context;
    begin();
    bksi_hashes_message lie = {.first = 0, .step_ticks = 1, .count = BKSI_HASHES_MAX};
    memset(lie.state, 0x55, sizeof(lie.state));
    memset(lie.inputs, 0x55, sizeof(lie.inputs));
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_hashes_write(&writer, &lie);
    assert_false(writer.failed);
    say_to_all(BKSI_PACKET_HASHES, body, writer.at);
    pass_on();
    run_for(3000);
    for (uint32_t i = 0; i < HONEST; i++) {
        print_message("peer %u: %u desyncs: %s\n", i, network.peers[i].events[BKS_EVENT_DESYNC],
                      network.peers[i].last[BKS_EVENT_DESYNC].text);
    }
    for (uint32_t i = 0; i < HONEST; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
    }
    toy_destroy(&network);
}

static void bytes_of_one_are_not_its_heirs(void **context)
{
    (void)context;
    begin();
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    const bksi_echo echo = {.hold = BKSI_HOLD_NONE};
    bksi_echo_write(&writer, &echo);
    const bksi_bulk_message lie = {
        .has_data = true, .place = 0, .bytes = 9, .data = (const uint8_t *)"the liar!"};
    bksi_bulk_message_write(&writer, &lie);
    say_to_all(BKSI_PACKET_BULK, body, writer.at);
    pass_on();
    size_t count = 0;
    for (uint32_t i = 0; i < HONEST; i++) {
        assert_int_equal(bks_session_bulk_write(session_of(HEIR), i, "from the heir", 13, &count),
                         BKS_OK);
        assert_int_equal(count, 13);
    }
    run_for(3000);
    char said[HONEST][64] = {{0}};
    for (uint32_t i = 0; i < HONEST; i++) {
        assert_int_equal(bks_session_bulk_read(session_of(i), LIAR, said[i], 63, &count), BKS_OK);
        print_message("peer %u reads: '%s'\n", i, said[i]);
    }
    for (uint32_t i = 0; i < HONEST; i++) {
        assert_string_equal(said[i], "from the heir");
    }
    toy_destroy(&network);
}

static void slowness_of_one_is_not_its_heirs(void **context)
{
    (void)context;
    begin();
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_slow_write(&writer, BKSI_STRETCH_MAX);
    say_to_all(BKSI_PACKET_SLOW, body, writer.at);
    pass_on();
    run_for(3000);
    for (uint32_t i = 0; i < HONEST; i++) {
        print_message("peer %u: %u slow: %s\n", i, network.peers[i].events[BKS_EVENT_SLOW],
                      network.peers[i].last[BKS_EVENT_SLOW].text);
    }
    for (uint32_t i = 0; i < HONEST; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_SLOW], 0);
    }
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_of_one_are_not_its_heirs),
        cmocka_unit_test(bytes_of_one_are_not_its_heirs),
        cmocka_unit_test(slowness_of_one_is_not_its_heirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
