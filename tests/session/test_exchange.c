// SPDX-License-Identifier: MIT

// How inputs travel: by what was learnt of the players, or plainly.

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/lab_liar.h"
#include "session/inside.h"
#include "session/one_network.h"

#define SECONDS (1000 * TOY_MS)

/// The INPUTs from one peer to another since the last look.
typedef struct look {
    uint64_t serial;
    uint32_t coded;
    uint32_t plain;
    uint32_t idle;    ///< without inputs
    bks_tick longest; ///< most ticks that were sent
    uint32_t ticks;   ///< bytes of inputs, all together
    uint32_t bytes;
} look;

static void look_at(const toy_packet *packet, look *l)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    size_t count = 0;
    if (inside_read(session_of(packet->to), packet->bytes, packet->count, body, &count) !=
        BKSI_PACKET_INPUT) {
        return;
    }
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, body, count);
    bksi_input_head head;
    assert_true(bksi_input_head_read(
        &decoder, 0, bksi_rollback_front(&session_of(packet->from)->common.engine), &head));
    if (head.count == 0) {
        l->idle++;
        return;
    }
    bool is_plain = bksi_range_decode(&decoder, BKSI_INPUT_CODED) != 0;
    l->plain += is_plain;
    l->coded += !is_plain;
    l->longest =
        !is_plain && head.head - head.first > l->longest ? head.head - head.first : l->longest;
    l->ticks += head.count;
    l->bytes += (uint32_t)count;
}

static look run_and_look(uint32_t from, uint32_t to, uint32_t ms)
{
    look l = {.serial = network.serial};
    for (uint32_t i = 0; i < ms; i++) {
        toy_run_until(&network, network.now_ns + TOY_MS);
        uint64_t next = l.serial;
        for (size_t k = 0; k < network.packet_count; k++) {
            const toy_packet *packet = &network.packets[k];
            if (packet->serial < l.serial) {
                continue;
            }
            next = packet->serial >= next ? packet->serial + 1 : next;
            if (packet->from == from && packet->to == to) {
                look_at(packet, &l);
            }
        }
        l.serial = next;
    }
    return l;
}

/// Three steps to the right, a rest, over and over.
static void sample_regularly(uint32_t player, bks_tick tick, int32_t *input)
{
    (void)player;
    *input = tick % 16 < 3 ? (tick % 16 + 1) * 9 : 0;
}

static void inputs_are_coded_by_the_model_once_that_pays(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_endless);
    network.delay_ns = 60 * TOY_MS;
    network.sample = sample_regularly;
    look first = run_and_look(0, 1, 1000);
    assert_true(first.plain > 0);
    toy_run_until(&network, 20 * SECONDS);
    look later = run_and_look(0, 1, 2000);
    assert_in_range(later.coded, 110, 125);
    assert_int_equal(later.plain, 0);
    assert_true(later.bytes * 10 <
                first.bytes * 10 / (first.plain + first.coded) * later.coded * 9);
    assert_int_equal(network.peers[1].events[BKS_EVENT_DESYNC], 0);
    toy_destroy(&network);
}

/// Each field is something else every other tick or so.
static void sample_wildly(uint32_t player, bks_tick tick, int32_t *input)
{
    for (uint32_t field = 0; field < 2; field++) {
        bks_tick since = tick;
        while (since > 0 && (toy_input(player + 50 + field, since, 1) & 1) == 0) {
            since--;
        }
        input[field] = toy_input(player, since, 1) >> (field * 3) & (field == 0 ? -1 : 1);
    }
}

static void random_inputs_are_mostly_sent_plain(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_endless);
    network.sample = sample_wildly;
    toy_run_until(&network, 5 * SECONDS);
    look l = run_and_look(0, 1, 5000);
    assert_true(l.plain > 2 * l.coded);
    toy_destroy(&network);
}

static void tune_far_apart(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 0;
    config->tuning.window_ticks = 64;
    config->tuning.delay_ticks = 120;
    config->tuning.drop_after_ms = 60000;
    config->tuning.notify_after_ms = 30000;
}

/// Inputs too old for the models' chances to be kept are sent plainly, and the match continues.
static void inputs_of_long_ago_are_sent_plain(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_far_apart);
    network.sample = sample_regularly;
    toy_run_until(&network, 10 * SECONDS);
    bks_tick before = bks_session_confirmed(session_of(1));
    network.cut[1] = 1; // nothing is acknowledged, and no input arrives
    look l = run_and_look(0, 1, 6000);
    assert_true(l.coded > 0 && l.plain > 0);
    assert_in_range(l.longest, 110, 128);
    network.cut[1] = 0;
    toy_run_until(&network, network.now_ns + 5 * SECONDS);
    assert_true(bks_session_confirmed(session_of(1)) > before + 400);
    assert_true(bks_session_confirmed(session_of(0)) > before + 400);
    assert_int_equal(network.peers[0].events[BKS_EVENT_DESYNC], 0);
    assert_int_equal(network.peers[1].events[BKS_EVENT_DESYNC], 0);
    toy_destroy(&network);
}

static const bks_field wide_fields[] = {
    {.name = "a", .bits = 31},
    {.name = "b", .bits = 31},
    {.name = "c", .bits = 31},
};

static void tune_wide_and_far_apart(bks_session_config *config, uint32_t peer)
{
    tune_far_apart(config, peer);
    config->fields = wide_fields;
    config->field_count = 3;
}

static void sample_wide(uint32_t player, bks_tick tick, int32_t *input)
{
    for (bks_tick i = 0; i < 3; i++) {
        input[i] = (toy_input(player, 9 * tick + 3 * i, 1) + 255) << 18 |
                   (toy_input(player, 9 * tick + 3 * i + 1, 1) + 255) << 9 |
                   (toy_input(player, 9 * tick + 3 * i + 2, 1) + 255);
    }
}

static uint64_t step_wide(uint64_t state, bks_tick tick, const int32_t *inputs, uint32_t players)
{
    for (uint32_t i = 0; i < 3 * players; i++) {
        state = (state * 31 + (uint64_t)tick) ^ (uint64_t)(uint32_t)inputs[i];
    }
    return state;
}

/// Wide numbers of which there is little to learn: too many unacknowledged ones do not fit, and the
/// oldest go first.
static void the_inputs_of_a_message_fit_into_it(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_wide_and_far_apart);
    network.sample = sample_wide;
    network.step = step_wide;
    toy_run_until(&network, 10 * SECONDS);
    look l = run_and_look(0, 1, 2000);
    assert_true(l.coded > 100);
    network.cut[1] = 1;
    l = run_and_look(0, 1, 3000);
    assert_true(l.coded > 0 && l.plain > 0);
    assert_true(l.longest < 100);
    network.cut[1] = 0;
    toy_run_until(&network, network.now_ns + 5 * SECONDS);
    assert_true(bks_session_confirmed(session_of(1)) > 800);
    assert_int_equal(network.peers[1].events[BKS_EVENT_DESYNC], 0);
    toy_destroy(&network);
}

/// A peer that got other inputs learns other things, so the liar must send it the rest plain.
static void after_an_equivocation_inputs_are_sent_plain_for_good(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_endless);
    network.sample = sample_regularly;
    toy_run_until(&network, 10 * SECONDS);
    static bksi_lab_liar lies;
    bksi_lab_lie(&lies, session_of(1), bksi_inspect_own_head(session_of(1)), 2);
    toy_run_until(&network, 11 * SECONDS);
    bksi_lab_lie(&lies, session_of(1), bksi_inspect_own_head(session_of(1)), 0);
    look victim = run_and_look(1, 2, 2000);
    assert_int_equal(victim.coded, 0);
    assert_true(victim.plain > 100);
    assert_true(bks_session_confirmed(session_of(2)) > 700);
    toy_destroy(&network);
}

// ---- what is no honest peer's ----

static uint64_t refused_by(uint32_t peer)
{
    bks_stats stats;
    assert_int_equal(bks_session_stats(session_of(peer), &stats), BKS_OK);
    return stats.packets_refused;
}

/// Give peer 0 coded inputs of peer 1 from some ticks before the first that it does not have. The
/// first decision may fall the other way, and there may be bytes too many.
static bool is_taken(bks_tick before_ticks, uint32_t spoilt_bit, size_t bytes_more)
{
    const bks_session *session = session_of(1);
    const bksi_input_stream *stream =
        &session->inputs.runs.streams[session->common.seats.peers[1].first_player];
    bks_tick known = bksi_common_head(&session_of(0)->common, 1);
    bksi_input_head head = {.head = stream->head,
                            .need = session->exchange.peers[0].first_missing,
                            .first = known - before_ticks,
                            .hash.tick = BKS_TICK_NONE};
    head.count = (uint32_t)(head.head - head.first);
    head.need = bksi_common_own_head(&session_of(0)->common);
    assert_true(head.head > known);
    uint8_t body[BKSI_BODY_BYTES_MAX] = {0};
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, body, sizeof(body));
    bksi_input_head_write(&encoder, &head);
    bksi_range_encode(&encoder, BKSI_INPUT_CODED, 0);
    uint32_t at = stream->codes[head.first % (bks_tick)BKSI_INPUT_STREAM_TICKS].at;
    stream->decisions[at] ^= (uint16_t)spoilt_bit;
    bksi_input_stream_encode(stream, head.first, head.head, &encoder);
    stream->decisions[at] ^= (uint16_t)spoilt_bit;
    size_t count = bksi_range_encoder_finish(&encoder);
    uint64_t before = refused_by(0);
    inside_say(session_of(0), network.now_ns, session, BKSI_PACKET_INPUT, body, count + bytes_more);
    return refused_by(0) == before;
}

static void inputs_that_differ_from_known_ones_are_refused(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_endless);
    network.delay_ns = 60 * TOY_MS;
    network.sample = sample_regularly;
    toy_run_until(&network, 10 * SECONDS);
    bks_tick known = bksi_common_head(&session_of(0)->common, 1);
    assert_false(is_taken(3, 1, 0));
    assert_int_equal(bksi_common_head(&session_of(0)->common, 1), known);
    assert_true(is_taken(-1, 0, 0)); // a tick is missing before it, so it is left alone
    assert_int_equal(bksi_common_head(&session_of(0)->common, 1), known);
    assert_true(is_taken(3, 0, 0));
    assert_true(bksi_common_head(&session_of(0)->common, 1) > known);
    toy_run_until(&network, 11 * SECONDS);
    assert_false(is_taken(3, 0, 2)); // the inputs are taken, but no peer writes such a message
    toy_run_until(&network, 15 * SECONDS);
    assert_int_equal(network.peers[0].events[BKS_EVENT_DESYNC], 0);
    assert_int_equal(network.peers[1].events[BKS_EVENT_DESYNC], 0);
    assert_true(bks_session_confirmed(session_of(0)) > 800);
    toy_destroy(&network);
}

/// An INPUT of peer 1 without inputs.
static bool standing_is_taken(const bksi_input_standing *standing)
{
    bks_tick known = bksi_common_head(&session_of(0)->common, 1);
    const bksi_input_head head = {.head = known,
                                  .need = session_of(1)->exchange.peers[0].first_missing,
                                  .first = known,
                                  .standing = *standing,
                                  .hash.tick = BKS_TICK_NONE};
    uint8_t body[BKSI_BODY_BYTES_MAX];
    size_t count = inside_input(&head, body);
    uint64_t before = refused_by(0);
    inside_say(session_of(0), network.now_ns, session_of(1), BKSI_PACKET_INPUT, body, count);
    return refused_by(0) == before;
}

static void an_input_says_where_its_sender_stands_and_no_other(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_endless);
    toy_run_until(&network, 2 * SECONDS);
    assert_true(standing_is_taken(&(bksi_input_standing){0}));
    assert_int_equal(session_of(0)->common.goodbyes.complete, 0);
    // No view of that number and hash.
    assert_false(standing_is_taken(&(bksi_input_standing){.view_hash = 7, .is_complete = true}));
    assert_int_equal(session_of(0)->common.goodbyes.complete, 0);
    assert_true(standing_is_taken(&(bksi_input_standing){.is_complete = true}));
    assert_int_equal(session_of(0)->common.goodbyes.complete, PEER_BIT(1));
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_coded_by_the_model_once_that_pays),
        cmocka_unit_test(random_inputs_are_mostly_sent_plain),
        cmocka_unit_test(inputs_of_long_ago_are_sent_plain),
        cmocka_unit_test(the_inputs_of_a_message_fit_into_it),
        cmocka_unit_test(an_input_says_where_its_sender_stands_and_no_other),
        cmocka_unit_test(after_an_equivocation_inputs_are_sent_plain_for_good),
        cmocka_unit_test(inputs_that_differ_from_known_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
