// SPDX-License-Identifier: MIT

// A source over UDP that lies to `bks play --watch ... --host`.

#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../feed/feed_end.c" // one program, no library of another room
#include "backstitch/match.h"
#include "base/bytes.h"
#include "base/tool.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_format.h"
#include "watch/watch_source.h"

#define MS UINT64_C(1000000)

typedef struct toy {
    uint64_t mixed;
} toy;

static void toy_init(void *state, const bks_start *start)
{
    ((toy *)state)->mixed = start->seed;
}

static void toy_step(void *state, const bks_step *step)
{
    ((toy *)state)->mixed += (uint64_t)(uint32_t) * (const int32_t *)bks_step_input(step, 0) + 1;
}

static const bks_field toy_fields[] = {{.name = "x", .bits = 8}};
static const bks_game toy_game = {.name = "toy",
                                  .version = 1,
                                  .tick_rate_hz = 50,
                                  .players_max = 2,
                                  .fields = toy_fields,
                                  .field_count = 1,
                                  .state_bytes = sizeof(toy),
                                  .init = toy_init,
                                  .step = toy_step};

static const uint8_t key[BKS_KEY_BYTES] = {7};

static size_t ticks_record(const bksi_run_shape *shape, uint8_t *out, bks_tick first)
{
    uint8_t inputs[64];
    static const uint8_t packed[2];
    const uint64_t hashes[5] = {0};
    const bool is_hashed[5] = {0};
    bksi_bit_writer bits = bksi_bit_writer_over(inputs, sizeof(inputs));
    for (int i = 0; i < 5; i++) {
        bksi_run_write_inputs(&bits, shape, i > 0 ? packed : NULL, packed);
    }
    const bksi_chunk chunk = {.first = first,
                              .ticks = 5,
                              .is_restart = true,
                              .inputs = inputs,
                              .input_bytes = bksi_bit_writer_bytes(&bits)};
    return bksi_record_finish(
        out, BKSI_RECORD_TICKS,
        bksi_chunk_write(out + BKSI_RECORD_HEAD_BYTES, 200, shape, &chunk, hashes, is_hashed), 0);
}

/// The stream of the liar: 200 ticks, a HEAD where none must be, and 8 MB of more ticks.
static uint8_t *make_stream(size_t *out_count)
{
    static const bks_option_values options;
    static bksi_layout layout;
    const bks_start start = {
        .game = &toy_game, .seed = 11, .players = 2, .tick_rate_hz = 50, .options = &options};
    const toy state = {.mixed = 5};
    const bksi_feed_tape_config config = {.build = "b"};
    bksi_feed_tape tape;
    if (bksi_feed_tape_create_still(&tape, &start, 0, &state, sizeof(state), &config) != BKS_OK ||
        bksi_layout_init(&layout, toy_fields, 1, NULL) != BKS_OK) {
        _exit(1);
    }
    const bksi_run_shape shape = {.layout = &layout,
                                  .players = 2,
                                  .hash_bits = tape.beginning.head.hash_bits,
                                  .full_hash_ticks = tape.beginning.head.full_hash_ticks};
    uint8_t *stream = malloc(8u << 20);
    size_t at = 8 + tape.beginning.count;
    bksi_put_u64(stream, tape.beginning.count);
    memcpy(stream + 8, tape.beginning.bytes, tape.beginning.count);
    for (bks_tick tick = 0; at + 4096 < 8u << 20; tick += 5) {
        at += ticks_record(&shape, stream + at, tick);
        if (tick == 200) {
            at += bksi_record_finish(stream + at, BKSI_RECORD_HEAD, 0, 0);
        }
    }
    *out_count = at;
    return stream;
}

/// Serve whoever calls.
static void lie(bks_udp *udp)
{
    static feed_end end;
    const bks_transport transport = bks_udp_transport(udp);
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address victim = {0};
    bks_address to;
    size_t count;
    size_t stream_bytes = 0;
    size_t at = 0;
    uint8_t *stream = make_stream(&stream_bytes);
    feed_end_open(&end, key, false);
    for (;;) {
        end.now_ns += MS;
        bks_address from;
        while ((count = transport.receive(transport.context, &from, packet, sizeof(packet))) > 0) {
            victim = from;
            take(&end, packet, count);
        }
        if (end.is_sealed) {
            at += bksi_bulk_write(&end.link.bulk, stream + at, stream_bytes - at);
        }
        while ((count = bksi_feed_flush(&end.guard, &to, packet, end.now_ns)) > 0 ||
               (end.is_sealed && (count = bksi_feed_link_send(&end.link, &end.guard, end.channel,
                                                              &to, packet, end.now_ns)) > 0)) {
            (void)transport.send(transport.context, &victim, packet, count);
        }
        usleep(1000);
    }
}

static void a_relay_shows_what_it_has_after_a_lie(void **state)
{
    (void)state;
    bks_udp *udp = NULL;
    bks_address own;
    assert_int_equal(bks_udp_open("127.0.0.1:0", &udp, NULL), BKS_OK);
    assert_int_equal(bks_udp_local_address(udp, &own), BKS_OK);
    bks_invitation invitation = {.is_for_watching = true};
    memcpy(invitation.key, key, sizeof(key));
    (void)bks_udp_address_format(&own, invitation.address, sizeof(invitation.address));
    char text[BKS_INVITATION_BYTES_MAX];
    assert_int_equal(bks_invitation_format(&invitation, text, sizeof(text)), BKS_OK);
    const pid_t liar = fork();
    if (liar == 0) {
        lie(udp);
    }
    const watch_match match = {
        .invitation = text, .where = "match", .serve_address = "127.0.0.1:0", .game = &toy_game};
    watch_feed *feed = NULL;
    assert_int_equal(watch_bks_open(&match, &feed), TOOL_OK);
    const bks_playback_config config = {.replay = feed->replay, .game = &toy_game};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    for (int i = 0; i < 3000; i++) { // as the loop of the program, with a viewer that paused
        (void)feed->poll(feed, 0);
        usleep(1000);
    }
    (void)kill(liar, SIGKILL);
    (void)waitpid(liar, NULL, 0);
    fprintf(stderr, "    growing %d, status %d, why: %s; end %d\n", feed->is_growing, feed->status,
            feed->why, bks_replay_info(feed->replay)->end);
    assert_int_equal(bks_playback_seek(playback, bks_replay_info(feed->replay)->end, NULL), BKS_OK);
    assert_int_equal(bks_playback_tick(playback), bks_replay_info(feed->replay)->end);
    bks_playback_destroy(playback);
    watch_feed_close(feed);
    bks_udp_close(udp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_relay_shows_what_it_has_after_a_lie)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
