// SPDX-License-Identifier: MIT

// A source that lies to a relay, whose bytes go on to watchers: liar -> receiver -> relay ->
// watchers, in memory.

#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "feed/feed_end.h"
#include "match/relay.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_event.h"
#include "replay/format/replay_format.h"
#include "replay/play/playback_parts.h"

#define MS       UINT64_C(1000000)
#define WATCHERS 3
#define RATE     50u
#define PLAYERS  8u

// ---- a game ----

typedef struct toy {
    uint64_t mixed;
} toy;

static void toy_init(void *state, const bks_start *start)
{
    ((toy *)state)->mixed = start->seed;
}

static void toy_step(void *state, const bks_step *step)
{
    toy *t = state;
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *x = bks_step_input(step, p);
        t->mixed = (t->mixed ^ (uint64_t)(uint32_t)*x) * UINT64_C(0x9e3779b97f4a7c15);
    }
}

static const bks_field toy_fields[] = {{.name = "x", .bits = 8}};
static const bks_game toy_game = {.name = "toy",
                                  .version = 1,
                                  .tick_rate_hz = RATE,
                                  .players_max = PLAYERS,
                                  .fields = toy_fields,
                                  .field_count = 1,
                                  .state_bytes = sizeof(toy),
                                  .command_bytes_max = 1000,
                                  .init = toy_init,
                                  .step = toy_step};

// ---- memory that is counted ----

static size_t held, held_most;

static void *count_alloc(void *context, size_t bytes, size_t alignment)
{
    (void)context;
    held += bytes;
    held_most = held > held_most ? held : held_most;
    return aligned_alloc(alignment < 16 ? 16 : alignment, (bytes + 63) / 64 * 64);
}

static void count_release(void *context, void *memory, size_t bytes)
{
    (void)context;
    held -= memory != NULL ? bytes : 0;
    free(memory);
}

static const bks_allocator counted = {.alloc = count_alloc, .release = count_release};

// ---- the rig ----

typedef struct queued {
    bks_address from;
    size_t count;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
} queued;

typedef struct rig {
    feed_end liar;
    bksi_feed_receiver up;
    bksi_relay relay;
    bksi_feed_receiver down[WATCHERS];
    bool is_there[WATCHERS];
    queued *queue;
    size_t queued_first, queued_end;
    bksi_layout layout;
    bksi_run_shape shape;
    double most_ms; ///< longest update of the relay
    double all_ms;
    size_t sent_bytes;
    size_t sent_packets;
} rig;

static const uint8_t key[BKS_KEY_BYTES] = {7};
static rig the;

static bks_address watcher_address(uint32_t i)
{
    return (bks_address){.length = 2, .bytes = {77, (uint8_t)i}};
}

static bks_status rig_send(void *context, const bks_address *to, const void *bytes, size_t count)
{
    rig *r = context;
    const uint32_t i = to->bytes[1];
    r->sent_bytes += count;
    r->sent_packets++;
    const bks_address relay = {.length = 2, .bytes = {5, 5}};
    if (i < WATCHERS && r->is_there[i]) {
        bksi_feed_receiver_receive(&r->down[i], r->liar.now_ns, &relay, bytes, count);
    }
    return BKS_OK;
}

static size_t rig_receive(void *context, bks_address *from, void *bytes, size_t capacity)
{
    rig *r = context;
    (void)capacity;
    if (r->queued_first == r->queued_end) {
        return 0;
    }
    queued *q = &r->queue[r->queued_first++ % 1024];
    *from = q->from;
    memcpy(bytes, q->bytes, q->count);
    return q->count;
}

static bksi_feed_receiver_config receiver_config(uint8_t identity, bks_address source)
{
    bksi_feed_receiver_config config = {
        .source = source, .timeout_ns = 10000 * MS, .bytes_max = BKSI_FEED_BYTES_MAX};
    memcpy(config.key, key, sizeof(key));
    memset(config.identity, identity, sizeof(config.identity));
    memset(config.entropy, identity + 1, sizeof(config.entropy));
    return config;
}

static void rig_come(rig *r, uint32_t i)
{
    const bks_address relay = {.length = 2, .bytes = {5, 5}};
    bksi_feed_receiver_config config = receiver_config((uint8_t)(100 + 2 * i), relay);
    assert_int_equal(bksi_feed_receiver_create(&r->down[i], &config), BKS_OK);
    r->is_there[i] = true;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void rig_run(rig *r, uint32_t ms)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    for (uint32_t i = 0; i < ms; i++) {
        if (r->liar.now_ns / MS % 500 == 0) {
            const uint8_t none = 0;
            feed_end_say(&r->liar, &r->up, NULL, BKSI_FEED_ALIVE, &none, 1);
        }
        feed_end_feed(&r->liar, &r->up, 1);
        if (i % 4 == 3 || ms < 4) {
            const double before = now_ms();
            bksi_relay_update(&r->relay, &r->up, packet, r->liar.now_ns);
            const double took = now_ms() - before;
            r->most_ms = took > r->most_ms ? took : r->most_ms;
            r->all_ms += took;
        }
        for (uint32_t w = 0; w < WATCHERS; w++) {
            if (!r->is_there[w]) {
                continue;
            }
            (void)!bksi_feed_receiver_update(&r->down[w], r->liar.now_ns);
            while ((count = bksi_feed_receiver_send(&r->down[w], &to, packet, r->liar.now_ns)) >
                   0) {
                queued *q = &r->queue[r->queued_end++ % 1024];
                q->from = watcher_address(w);
                q->count = count;
                memcpy(q->bytes, packet, count);
            }
        }
    }
}

static void rig_open(rig *r)
{
    memset(r, 0, sizeof(*r));
    r->queue = calloc(1024, sizeof(queued));
    held = held_most = 0;
    const bksi_feed_receiver_config config = receiver_config(9, feed_end_address());
    feed_end_open(&r->liar, key, false);
    assert_int_equal(bksi_feed_receiver_create(&r->up, &config), BKS_OK);
    r->relay = (bksi_relay){.allocator = counted, .game = &toy_game, .wanted = BKS_TICK_NONE};
    r->relay.transport = (bks_transport){rig_send, rig_receive, r};
    r->relay.source = calloc(1, sizeof(*r->relay.source));
    bksi_feed_source_config source = {.watchers = 64, .bytes_per_s = 250000};
    memcpy(source.key, key, sizeof(key));
    assert_int_equal(bksi_feed_source_create(r->relay.source, &source, key), BKS_OK);
    assert_int_equal(bksi_layout_init(&r->layout, toy_fields, 1, NULL), BKS_OK);
    feed_end_feed(&r->liar, &r->up, 60);
    assert_true(r->liar.is_sealed);
}

static void rig_close(rig *r)
{
    for (uint32_t w = 0; w < WATCHERS; w++) {
        if (r->is_there[w]) {
            bksi_feed_receiver_destroy(&r->down[w]);
        }
    }
    bksi_feed_source_destroy(r->relay.source);
    free(r->relay.source);
    bks_playback_destroy(r->relay.playback);
    bks_replay_close(r->relay.replay);
    bksi_feed_receiver_destroy(&r->up);
    feed_end_close(&r->liar);
    free(r->queue);
}

static void rig_write(rig *r, const void *bytes, size_t count)
{
    for (size_t at = 0; at < count;) {
        at += bksi_bulk_write(&r->liar.link.bulk, (const uint8_t *)bytes + at, count - at);
        if (at < count) {
            rig_run(r, 4);
            if (r->up.status != BKS_OK) {
                return;
            }
        }
    }
}

/// Send a beginning at a tick. `more` are bytes that follow in it.
static void send_beginning(rig *r, bks_tick tick, uint32_t players, const uint8_t *more,
                           size_t more_bytes)
{
    static const bks_option_values options;
    const bks_start start = {.game = &toy_game,
                             .seed = 11,
                             .players = players,
                             .tick_rate_hz = RATE,
                             .options = &options};
    const toy state = {.mixed = 5};
    const bksi_feed_tape_config config = {.build = "b"};
    bksi_feed_tape tape;
    assert_int_equal(
        bksi_feed_tape_create_still(&tape, &start, tick, &state, sizeof(state), &config), BKS_OK);
    r->shape = (bksi_run_shape){.layout = &r->layout,
                                .players = players,
                                .hash_bits = tape.beginning.head.hash_bits,
                                .full_hash_ticks = tape.beginning.head.full_hash_ticks};
    uint8_t count[8];
    bksi_put_u64(count, tape.beginning.count + more_bytes);
    rig_write(r, count, sizeof(count));
    rig_write(r, tape.beginning.bytes, tape.beginning.count);
    rig_write(r, more, more_bytes);
    bksi_feed_tape_destroy(&tape);
}

/// Write a TICK record of neutral inputs.
static size_t make_ticks(rig *r, uint8_t *out, bks_tick first, uint32_t ticks, bool is_restart,
                         size_t offset)
{
    static uint8_t inputs[65536];
    static const uint8_t packed[64];
    uint64_t hashes[1024] = {0};
    bool is_hashed[1024] = {0};
    bksi_bit_writer bits = bksi_bit_writer_over(inputs, sizeof(inputs));
    for (uint32_t i = 0; i < ticks; i++) {
        bksi_run_write_inputs(&bits, &r->shape, i > 0 ? packed : NULL, packed);
    }
    const bksi_chunk chunk = {.first = first,
                              .ticks = ticks,
                              .is_restart = is_restart,
                              .inputs = inputs,
                              .input_bytes = bksi_bit_writer_bytes(&bits)};
    const size_t bytes =
        bksi_chunk_write(out + BKSI_RECORD_HEAD_BYTES, 65536, &r->shape, &chunk, hashes, is_hashed);
    assert_true(bytes > 0);
    return bksi_record_finish(out, BKSI_RECORD_TICKS, bytes, offset);
}

static void send_ticks(rig *r, bks_tick first, uint32_t ticks)
{
    uint8_t record[70000];
    rig_write(r, record, make_ticks(r, record, first, ticks, true, 0));
}

static void send_record(rig *r, uint32_t type, const void *payload, size_t count)
{
    uint8_t *record = malloc(count + BKSI_RECORD_EXTRA_BYTES);
    memcpy(record + BKSI_RECORD_HEAD_BYTES, payload, count);
    rig_write(r, record, bksi_record_finish(record, type, count, 0));
    free(record);
}

static void say(rig *r, const char *what, uint32_t w)
{
    fprintf(
        stderr,
        "    %s: up %d, relay over %d, tape finished %d failed %d, wanted %d, playback %d of %d; "
        "watcher %u: status %d reason %u, %zu bytes (begun %zu), next %d; held %.1f MB (most "
        "%.1f), "
        "stream %.1f MB, worst update %.2f ms\n",
        what, r->up.status, r->relay.is_over, r->relay.source->tape.is_finished,
        r->relay.source->tape.has_failed, r->relay.wanted,
        r->relay.playback != NULL ? bks_playback_tick(r->relay.playback) : -1,
        r->relay.replay != NULL ? bks_replay_info(r->relay.replay)->end : -1, w,
        r->is_there[w] ? r->down[w].status : -99, r->is_there[w] ? r->down[w].reason : 0,
        r->is_there[w] ? bksi_feed_receiver_bytes(&r->down[w]) : 0,
        r->is_there[w] ? r->down[w].begun : 0, r->is_there[w] ? r->down[w].progress.next : 0,
        (double)held / 1e6, (double)held_most / 1e6, (double)r->up.count / 1e6, r->most_ms);
}

// ---- what is tried ----

static void an_honest_source_is_passed_on(void **state)
{
    (void)state;
    rig_open(&the);
    send_beginning(&the, 100, 2, NULL, 0);
    rig_come(&the, 0);
    for (uint32_t i = 0; i < 50; i++) {
        send_ticks(&the, (bks_tick)(100 + 5 * i), 5);
        rig_run(&the, 100);
    }
    rig_run(&the, 1000);
    say(&the, "honest", 0);
    assert_int_equal(the.down[0].progress.next, 350);
    rig_close(&the);
}

static void pass_commands_of(uint32_t seats)
{
    rig_open(&the);
    send_beginning(&the, 100, PLAYERS, NULL, 0);
    rig_come(&the, 0);
    for (uint32_t i = 0; i < 10; i++) {
        send_ticks(&the, (bks_tick)(100 + 5 * i), 5);
        rig_run(&the, 100);
    }
    const size_t each = 65u * 1002u;
    uint8_t *payload = calloc(1, 5 + PLAYERS * (each + 5));
    bksi_byte_writer writer = bksi_byte_writer_over(payload, 5 + PLAYERS * (each + 5));
    bksi_write_u32(&writer, 150);
    bksi_write_u8(&writer, 0); // not packed
    for (uint32_t p = 0; p < seats; p++) {
        uint8_t command[1002] = {1000 & 255, 1000 >> 8};
        bksi_write_u8(&writer, (uint8_t)p);
        bksi_write_u32(&writer, (uint32_t)each);
        for (uint32_t c = 0; c < 65; c++) {
            bksi_write_bytes(&writer, command, sizeof(command));
        }
    }
    assert_false(writer.failed);
    send_record(&the, BKSI_RECORD_COMMANDS, payload, writer.at);
    free(payload);
    for (uint32_t i = 10; i < 40; i++) {
        send_ticks(&the, (bks_tick)(100 + 5 * i), 5);
        rig_run(&the, 100);
    }
    rig_run(&the, 3000);
    say(&the, "commands", 0);
    assert_int_equal(the.up.status, BKS_OK);
    const bool is_right = !the.relay.is_over && !the.relay.source->tape.has_failed &&
                          the.down[0].progress.next == 300;
    rig_close(&the);
    assert_true(is_right);
}

static void the_largest_commands_of_five_players_are_passed_on(void **state)
{
    (void)state;
    pass_commands_of(5);
}

static void the_largest_commands_of_three_players_are_passed_on(void **state)
{
    (void)state;
    pass_commands_of(3);
}

/// Flood with records of a type for a while.
static void flood(const char *what, bool with_ticks, size_t megabytes)
{
    rig_open(&the);
    the.up.bytes_max = megabytes << 20;
    send_beginning(&the, 100, 1, NULL, 0);
    uint8_t many[65536];
    size_t at = 0;
    bks_tick tick = 100;
    while (the.up.count < megabytes << 20 && the.up.status == BKS_OK && !the.relay.is_over) {
        while (at + 200 < sizeof(many)) {
            if (with_ticks) {
                at += make_ticks(&the, many + at, tick++, 1, true, 0);
            } else {
                const bks_replay_event event = {.kind = BKS_REPLAY_JOINED, .tick = 100};
                at += bksi_record_finish(
                    many + at, BKSI_RECORD_EVENT,
                    bksi_event_write(many + at + BKSI_RECORD_HEAD_BYTES, &event), 0);
            }
        }
        rig_write(&the, many, at);
        at = 0;
    }
    rig_run(&the, 100);
    say(&the, what, 0);
    fprintf(stderr, "    %s: all updates of the relay: %.0f ms\n", what, the.all_ms);
    the.most_ms = 0;
    send_ticks(&the, tick, 1);
    rig_run(&the, 40);
    say(&the, "one more record", 0);
    const double ratio = (double)held_most / (double)(megabytes << 20);
    rig_close(&the);
    fprintf(stderr, "    held at most %.1f times the bytes\n", ratio);
    assert_true(ratio < 3.0);
}

static void a_flood_of_events_is_held_in_as_much_memory(void **state)
{
    (void)state;
    flood("events", false, 16);
}

static void a_flood_of_ticks_is_held_in_as_much_memory(void **state)
{
    (void)state;
    flood("ticks", true, 16);
}

static void ticks_in_a_beginning_keep_no_newcomer_waiting(void **state)
{
    (void)state;
    rig_open(&the);
    static const bks_option_values options;
    const bks_start start = {
        .game = &toy_game, .seed = 11, .players = 2, .tick_rate_hz = RATE, .options = &options};
    const toy first = {.mixed = 5};
    const bksi_feed_tape_config config = {.build = "b"};
    bksi_feed_tape tape;
    assert_int_equal(
        bksi_feed_tape_create_still(&tape, &start, 100, &first, sizeof(first), &config), BKS_OK);
    the.shape = (bksi_run_shape){
        .layout = &the.layout, .players = 2, .hash_bits = 16, .full_hash_ticks = 50};
    uint8_t more[1024];
    const size_t more_bytes = make_ticks(&the, more, 100, 5, true, tape.beginning.count);
    bksi_feed_tape_destroy(&tape);
    send_beginning(&the, 100, 2, more, more_bytes);
    rig_run(&the, 200);
    rig_come(&the, 0);
    rig_run(&the, 8000);
    say(&the, "ticks in the beginning", 0);
    const bool waits = the.down[0].status == BKS_OK && the.down[0].count == 0;
    rig_close(&the);
    assert_false(waits);
}

static void a_chunk_that_cannot_be_read_alone_is_not_passed_on(void **state)
{
    (void)state;
    rig_open(&the);
    send_beginning(&the, 100, 2, NULL, 0);
    bksi_models models;
    const bks_allocator none = {0};
    assert_int_equal(bksi_models_create(&models, &the.layout, 2, &none), BKS_OK);
    bksi_models_restart(&models);
    rig_run(&the, 100);
    for (uint32_t i = 0; i < 60; i++) {
        uint8_t inputs[256];
        uint8_t record[512];
        static const uint8_t packed[2] = {0};
        bksi_range_encoder encoder;
        bksi_range_encoder_init(&encoder, inputs, sizeof(inputs));
        for (int t = 0; t < 5; t++) {
            bksi_models_encode(&models, &encoder, packed);
        }
        const bksi_chunk chunk = {.first = (bks_tick)(100 + 5 * i),
                                  .ticks = 5,
                                  .is_coded = true,
                                  .is_restart = i == 0,
                                  .inputs = inputs,
                                  .input_bytes = bksi_range_encoder_finish(&encoder)};
        const uint64_t hashes[5] = {0};
        const bool is_hashed[5] = {0};
        const size_t bytes = bksi_chunk_write(record + BKSI_RECORD_HEAD_BYTES, 400, &the.shape,
                                              &chunk, hashes, is_hashed);
        rig_write(&the, record, bksi_record_finish(record, BKSI_RECORD_TICKS, bytes, 0));
        rig_run(&the, 100);
        if (i == 20) {
            rig_come(&the, 0);
        }
    }
    bksi_models_destroy(&models, &none);
    say(&the, "coded", 0);
    bks_replay *replay = NULL;
    const bks_replay_piece piece = {.bytes = the.down[0].bytes, .count = the.down[0].count};
    bks_error error = {0};
    const bks_status status =
        piece.count > 0 ? bks_replay_open_growing(&piece, 1, NULL, &replay, &error) : 99;
    fprintf(stderr, "    a newcomer's recording: %d %s; the relay's own: end %d, is over %d\n",
            status, error.text, bks_replay_info(the.relay.replay)->end, the.relay.is_over);
    bks_replay_close(replay);
    const bool is_wrong = status != BKS_OK && !the.relay.is_over && the.up.status == BKS_OK;
    rig_close(&the);
    assert_false(is_wrong);
}

static void the_last_ticks_there_are_overflow_nothing(void **state)
{
    (void)state;
    rig_open(&the);
    const bks_tick tick = INT32_MAX - 200;
    send_beginning(&the, tick, 2, NULL, 0);
    rig_come(&the, 0);
    for (uint32_t i = 0; i < 20; i++) {
        send_ticks(&the, tick + (bks_tick)(5 * i), 5);
        rig_run(&the, 100);
    }
    // A watcher that continues from there.
    bksi_feed_cursor cursor;
    fprintf(stderr, "    find %d: %d (0 held, 1 later, 2 lost)\n", tick + 60,
            bksi_feed_tape_find(&the.relay.source->tape, tick + 60, &cursor));
    fprintf(stderr, "    find a tick that comes soon: %d\n",
            bksi_feed_tape_find(&the.relay.source->tape, tick + 120, &cursor));
    say(&the, "the last ticks", 0);
    const bool is_right = bksi_feed_tape_find(&the.relay.source->tape, tick + 120, &cursor) ==
                          BKSI_FEED_STRETCH_LATER;
    rig_close(&the);
    assert_true(is_right);
}

static void what_comes_after_a_wrong_done_is_told(void **state)
{
    (void)state;
    rig_open(&the);
    send_beginning(&the, 100, 2, NULL, 0);
    rig_come(&the, 0);
    for (uint32_t i = 0; i < 20; i++) {
        send_ticks(&the, (bks_tick)(100 + 5 * i), 5);
        rig_run(&the, 100);
    }
    send_record(&the, BKSI_RECORD_DONE, "abc", 3);
    for (uint32_t i = 20; i < 40; i++) {
        send_ticks(&the, (bks_tick)(100 + 5 * i), 5);
        rig_run(&the, 100);
    }
    rig_run(&the, 8000);
    say(&the, "wrong DONE", 0);
    rig_close(&the);
}

static void hops_stay_what_they_are(void **state)
{
    (void)state;
    rig_open(&the);
    send_beginning(&the, 100, 2, NULL, 0);
    rig_come(&the, 0);
    const uint8_t body[] = {255, 0, 0, 0, 0, 2, 1, 2};
    feed_end_say(&the.liar, &the.up, NULL, BKSI_FEED_MEMBERS, body, sizeof(body));
    rig_run(&the, 1000);
    fprintf(stderr, "    relay's hops %u; the watcher of the relay reads %u, reason %u\n",
            the.relay.source->members.hops, the.down[0].members.hops, the.down[0].reason);
    const uint32_t hops = the.relay.source->members.hops;
    rig_close(&the);
    assert_in_range(hops, BKSI_FEED_HOPS_MAX + 1, 255); // one byte says it
}

static void a_ring_of_small_records_costs_little_to_search(void **state)
{
    (void)state;
    rig_open(&the);
    send_beginning(&the, 100, 2, NULL, 0);
    send_ticks(&the, 100, 5);
    rig_run(&the, 200);
    uint8_t many[4096];
    size_t at = 0;
    while (at + 100 < sizeof(many)) {
        const uint8_t unknown[] = {0, 200, 0};
        memcpy(many + at + BKSI_RECORD_HEAD_BYTES, unknown, sizeof(unknown));
        at += bksi_record_finish(many + at, BKSI_RECORD_EVENT, sizeof(unknown), 0);
    }
    for (int i = 0; i < 200; i++) {
        rig_write(&the, many, at);
    }
    rig_run(&the, 100);
    bksi_feed_cursor cursor;
    const double before = now_ms();
    bksi_feed_stretch stretch = 0;
    for (int i = 0; i < 64; i++) {
        stretch = bksi_feed_tape_find(&the.relay.source->tape, 103, &cursor);
    }
    const double took = now_ms() - before;
    fprintf(stderr, "    64 watchers that wait: %.2f ms an update, answer %d\n", took, stretch);
    rig_close(&the);
    assert_true(stretch != BKSI_FEED_STRETCH_LATER);
}

static void lists_that_change_are_not_told_each_time(void **state)
{
    (void)state;
    size_t sent[2];
    size_t said = 0;
    for (int lies = 0; lies < 2; lies++) {
        rig_open(&the);
        send_beginning(&the, 100, 2, NULL, 0);
        for (uint32_t w = 0; w < WATCHERS; w++) {
            rig_come(&the, w);
        }
        rig_run(&the, 1000);
        the.sent_bytes = 0;
        for (uint32_t i = 0; i < 1250; i++) {
            uint8_t body[] = {0, 0, 0, 0, 0, 6, 1, 1, 1, 1, 1, (uint8_t)i};
            if (lies) {
                feed_end_say(&the.liar, &the.up, NULL, BKSI_FEED_MEMBERS, body, sizeof(body));
                said += sizeof(body) + 22;
            }
            if (i % 25 == 0) {
                send_ticks(&the, (bks_tick)(100 + i / 5), 5);
            }
            rig_run(&the, 4);
        }
        sent[lies] = the.sent_bytes;
        say(&the, lies ? "lists that change" : "the same list", 0);
        rig_close(&the);
    }
    fprintf(stderr, "    in 5 s to %d watchers: %zu bytes, and %zu for %zu bytes of lists\n",
            WATCHERS, sent[0], sent[1], said);
    assert_true(sent[1] < 3 * sent[0]);
}

static void ticks_by_the_thousand_keep_no_newcomer_waiting(void **state)
{
    (void)state;
    rig_open(&the);
    send_beginning(&the, 100, 1, NULL, 0);
    rig_run(&the, 100);
    const size_t before = the.up.count;
    for (uint32_t i = 0; i < 400; i++) {
        send_ticks(&the, (bks_tick)(100 + 1024 * i), 1024);
    }
    rig_come(&the, 0);
    uint32_t waited = 0;
    for (; waited < 60000 && the.down[0].begun == 0; waited += 100) {
        rig_run(&the, 100);
    }
    fprintf(stderr,
            "    %zu bytes: %d ticks to step, %.0f ms of work, a newcomer waits for %u ms\n",
            the.up.count - before, 400 * 1024, the.all_ms, waited);
    rig_close(&the);
}

static void strangers_get_no_byte_of_a_relay(void **state)
{
    (void)state;
    rig_open(&the);
    send_beginning(&the, 100, 2, NULL, 0);
    rig_run(&the, 200);
    the.sent_bytes = 0;
    uint32_t random = 1;
    bksi_guard stranger;
    const uint8_t other[BKS_KEY_BYTES] = {8};
    bksi_guard_init(&stranger, other, other, other);
    const bks_address relay = {.length = 2, .bytes = {5, 5}};
    (void)bksi_guard_bind(&stranger, &relay, NULL, true);
    for (uint32_t i = 0; i < 20000; i++) {
        queued *q = &the.queue[the.queued_end++ % 1024];
        q->from = watcher_address(i % 250);
        bks_address to;
        q->count = i % 2 ? bksi_feed_flush(&stranger, &to, q->bytes, the.liar.now_ns + i * MS) : 0;
        if (q->count == 0) {
            q->count = 3 + i % 600;
            for (size_t k = 0; k < q->count; k++) {
                random = random * 1664525u + 1013904223u;
                q->bytes[k] = (uint8_t)(random >> 24);
            }
            q->bytes[0] = BKSI_FEED_MARK_0;
            q->bytes[1] = BKSI_FEED_MARK_1;
            q->bytes[3] = i % 3 ? q->bytes[3] : 0;
            q->bytes[4] = i % 3 ? q->bytes[4] : (uint8_t)(1 + i % 3);
        }
        if (i % 500 == 499) {
            rig_run(&the, 4);
        }
    }
    rig_run(&the, 3000);
    fprintf(stderr, "    sent to strangers: %zu bytes; worst update %.2f ms for 500 packets\n",
            the.sent_bytes, the.most_ms);
    const size_t sent = the.sent_bytes;
    bksi_guard_wipe(&stranger);
    rig_close(&the);
    assert_int_equal(sent, 0);
}

int main(int argc, char **argv)
{
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_source_is_passed_on),
        cmocka_unit_test(the_largest_commands_of_five_players_are_passed_on),
        cmocka_unit_test(the_largest_commands_of_three_players_are_passed_on),
        cmocka_unit_test(a_flood_of_events_is_held_in_as_much_memory),
        cmocka_unit_test(a_flood_of_ticks_is_held_in_as_much_memory),
        cmocka_unit_test(ticks_in_a_beginning_keep_no_newcomer_waiting),
        cmocka_unit_test(a_chunk_that_cannot_be_read_alone_is_not_passed_on),
        cmocka_unit_test(the_last_ticks_there_are_overflow_nothing),
        cmocka_unit_test(what_comes_after_a_wrong_done_is_told),
        cmocka_unit_test(hops_stay_what_they_are),
        cmocka_unit_test(lists_that_change_are_not_told_each_time),
        cmocka_unit_test(ticks_by_the_thousand_keep_no_newcomer_waiting),
        cmocka_unit_test(strangers_get_no_byte_of_a_relay),
        cmocka_unit_test(a_ring_of_small_records_costs_little_to_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
