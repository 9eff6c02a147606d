// SPDX-License-Identifier: MIT

// A stream beside a match: fast where there is room, next to nothing where there is none, whole and
// in order whatever is lost, and within its buffers whatever is sent to it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "bulk_model.h"
#include "net/bulk.h"
#include "support/counting_allocator.h"
#include "support/seed.h"

#define KIB  1024u
#define MIB  (1024u * KIB)
#define MBIT UINT64_C(1000000)

static bulk_model model;
static counting_allocator counting = {.fail_after = UINT32_MAX};

static void begin(uint64_t bits_per_s, uint64_t delay_ms, size_t buffer_bytes)
{
    bks_allocator allocator = counting_allocator_hooks(&counting);
    bulk_model_init(&model, bits_per_s, delay_ms * MODEL_MS, buffer_bytes, &allocator, seed_next());
}

static double mean_late_ms(const bulk_side *side)
{
    return side->late_ns / (double)side->match_packets / 1e6;
}

/// The stream of the first side alone.
/// @return seconds it took
static double transfer(uint64_t bytes, double seconds_max)
{
    bulk_model_run(&model, 5.0);
    uint64_t begun_ns = model.now_ns;
    model.sides[1].late_ns = 0.0;
    model.sides[1].match_packets = 0;
    model.sides[0].to_write = bytes;
    bulk_model_run(&model, seconds_max);
    assert_true(bulk_model_is_finished(&model));
    assert_false(model.sides[1].is_wrong);
    assert_int_equal(model.refused, 0);
    return (double)(model.now_ns - begun_ns) / 1e9;
}

static void a_stream_takes_most_of_a_fast_line_and_the_match_hardly_feels_it(void **context)
{
    (void)context;
    begin(10 * MBIT, 50, MIB);
    model.ways[0].loss_of_1000 = model.ways[1].loss_of_1000 = 20;
    double seconds = transfer(16 * MIB, 60.0);
    double share = 16.0 * MIB * 8.0 / seconds / 10e6;
    if (share < 0.7 || mean_late_ms(&model.sides[1]) > 16.7) {
        fail_msg("a share of %.3f, packets of the match %.1f ms late", share,
                 mean_late_ms(&model.sides[1]));
    }
    bulk_model_destroy(&model);
}

static void other_lines_are_used_too(void **context)
{
    (void)context;
    const struct {
        uint64_t bits_per_s, delay_ms, bytes;
        double share;
    } lines[] = {{MBIT, 50, 4 * MIB, 0.7},
                 {MBIT / 5, 30, MIB / 2, 0.55},
                 {20 * MBIT, 10, 16 * MIB, 0.6},
                 {10 * MBIT, 200, 16 * MIB, 0.4}};
    for (uint32_t k = 0; k < seed_rounds(4); k++) {
        begin(lines[k].bits_per_s, lines[k].delay_ms, MIB);
        model.ways[0].loss_of_1000 = model.ways[1].loss_of_1000 = 10;
        double seconds = transfer(lines[k].bytes, 120.0);
        double share = (double)lines[k].bytes * 8.0 / seconds / (double)lines[k].bits_per_s;
        if (share < lines[k].share) {
            fail_msg("line %u: a share of %.3f", k, share);
        }
        if (mean_late_ms(&model.sides[1]) > 16.7) {
            fail_msg("line %u: %.1f ms late", k, mean_late_ms(&model.sides[1]));
        }
        bulk_model_destroy(&model);
    }
}

/// There a rate that is too high shows late, and a match has room for little more than it needs.
static void a_far_line_has_no_long_queue_from_the_first_packet_on(void **context)
{
    (void)context;
    const struct {
        uint64_t bits_per_s, delay_ms;
    } lines[] = {{MBIT, 400}, {10 * MBIT, 400}, {MBIT, 200}, {10 * MBIT, 100}, {MBIT, 50}};
    for (uint32_t k = 0; k < seed_rounds(5); k++) {
        begin(lines[k].bits_per_s, lines[k].delay_ms, 4 * MIB);
        bulk_model_run(&model, 5.0);
        model.sides[1].late_ns_max = 0;
        model.sides[0].to_write = 64 * MIB;
        bulk_model_run(&model, 40.0);
        const double late_ms = (double)model.sides[1].late_ns_max / 1e6;
        const double share = (double)model.sides[1].read * 8.0 / 40.0 / (double)lines[k].bits_per_s;
        if (late_ms > 33.0 || share < 0.6) {
            fail_msg("line %u: %.1f ms late at most, a share of %.3f", k, late_ms, share);
        }
        bulk_model_destroy(&model);
    }
}

static void a_line_that_the_match_fills_is_left_to_it(void **context)
{
    (void)context;
    begin(24000, 30, 64 * KIB);
    bulk_model_run(&model, 10.0);
    uint64_t before = model.sides[1].match_packets;
    bulk_model_run(&model, 60.0);
    double alone = (double)(model.sides[1].match_packets - before);
    model.sides[0].to_write = MIB;
    before = model.sides[1].match_packets;
    bulk_model_run(&model, 60.0);
    double beside = (double)(model.sides[1].match_packets - before);
    assert_true(beside > 0.8 * alone);
    // It does not stand still either.
    assert_true(model.sides[1].read > 4000);
    bulk_model_destroy(&model);
}

/// A stream that is held sends a part a second, and goes on at its rate afterwards.
static void a_stream_that_is_held_leaves_the_line_to_another_and_moves(void **context)
{
    (void)context;
    begin(MBIT, 30, 64 * KIB);
    model.sides[0].to_write = MIB;
    bulk_model_run(&model, 5.0);
    bksi_bulk_hold(&model.sides[0].bulk, true);
    bulk_model_run(&model, 1.0);
    const uint64_t packets = model.sides[0].bulk_packets;
    const uint64_t before = model.sides[1].read;
    bulk_model_run(&model, 10.0);
    assert_in_range(model.sides[0].bulk_packets - packets, 9, 11);
    assert_true(model.sides[1].read > before);
    bksi_bulk_hold(&model.sides[0].bulk, false);
    bulk_model_run(&model, 10.0);
    assert_true(model.sides[1].read > before + 300 * KIB);
    bulk_model_destroy(&model);
}

static void a_dead_line_is_asked_a_few_times_a_second_and_then_all_arrives(void **context)
{
    (void)context;
    begin(10 * MBIT, 20, 256 * KIB);
    bulk_model_run(&model, 3.0);
    model.sides[0].to_write = 4 * MIB;
    bulk_model_run(&model, 2.0);
    model.is_cut = true;
    bulk_model_run(&model, 2.0);
    uint64_t before = model.sides[0].bulk_packets;
    bulk_model_run(&model, 20.0);
    uint64_t asked = model.sides[0].bulk_packets - before;
    assert_in_range(asked, 20 * 2, 20 * 5);
    model.is_cut = false;
    bulk_model_run(&model, 30.0);
    assert_true(bulk_model_is_finished(&model));
    assert_false(model.sides[1].is_wrong);
    bulk_model_destroy(&model);
}

static void a_path_that_loses_long_packets_carries_short_ones(void **context)
{
    (void)context;
    begin(10 * MBIT, 20, MIB);
    model.longest_bytes = 600;
    (void)transfer(2 * MIB, 30.0);
    bulk_model_destroy(&model);
}

static void a_reader_that_stops_stops_the_sender_and_no_more(void **context)
{
    (void)context;
    begin(10 * MBIT, 20, 64 * KIB);
    model.ways[0].loss_of_1000 = model.ways[1].loss_of_1000 = 300;
    bulk_model_run(&model, 3.0);
    model.sides[0].to_write = 300 * KIB;
    for (int i = 0; i < 8; i++) {
        model.sides[1].read_at_once = 0;
        const bksi_bulk_in *in = &model.sides[1].bulk.in;
        for (int k = 0; k < 20 && in->floor - in->read < 64 * KIB; k++) {
            bulk_model_run(&model, 1.0);
        }
        assert_true(in->floor - in->read <= 64 * KIB);
        bulk_model_run(&model, 1.0); // until the sender knows it
        const uint64_t before = model.sides[0].bulk_packets;
        bulk_model_run(&model, 4.0);
        // A question a quarter of a second, or nothing where all is read.
        assert_in_range(model.sides[0].bulk_packets - before, 0, 16);
        model.sides[1].read_at_once = 4096;
        bulk_model_run(&model, 2.0);
    }
    bulk_model_run(&model, 30.0);
    assert_true(bulk_model_is_finished(&model));
    assert_false(model.sides[1].is_wrong);
    bulk_model_destroy(&model);
}

static uint8_t ring[4 * KIB];
static bksi_bulk_out parts_out;

/// 1000 bytes are to go, over a line with a round trip of 40 ms.
static void begin_two_parts(uint64_t now_ns)
{
    const bksi_bulk_config config = {.send_bytes = sizeof(ring), .most = 1e6};
    bksi_bulk_out_init(&parts_out, ring, &config, now_ns);
    parts_out.limit = sizeof(ring);
    parts_out.round_trip_ns = 40 * MODEL_MS;
    parts_out.reported_ns = now_ns;
    assert_int_equal(bksi_bulk_out_write(&parts_out, ring, 1000), 1000);
}

/// Two parts went, and the second is reported first: the other is lost once a quarter of a round
/// trip and 10 ms lay between them.
static void a_part_that_is_only_overtaken_does_not_go_again(void **context)
{
    (void)context;
    for (uint64_t late = 0; late < 2; late++) {
        uint64_t now_ns = 1000 * MODEL_MS;
        begin_two_parts(now_ns);
        bksi_extent first;
        bksi_extent second;
        assert_true(bksi_bulk_out_next(&parts_out, 500, now_ns, &first));
        now_ns += 20 * MODEL_MS + late;
        assert_true(bksi_bulk_out_next(&parts_out, 500, now_ns, &second));
        const bksi_bulk_report report = {.window = sizeof(ring),
                                         .count = 1,
                                         .parts = {{(uint32_t)second.begin, (uint32_t)second.end}}};
        assert_true(bksi_bulk_out_reported(&parts_out, &report, now_ns + 20 * MODEL_MS));
        assert_int_equal(parts_out.lost.count, late);
        assert_true(late == 0 || parts_out.lost.extents[0].end == first.end);
    }
}

/// No receiver of ours says so, as it takes whole parts; others may.
static void of_a_lost_part_what_has_come_does_not_go_again(void **context)
{
    (void)context;
    const uint64_t begun_ns = MODEL_SECOND;
    begin_two_parts(begun_ns);
    bksi_extent first;
    bksi_extent second;
    assert_true(bksi_bulk_out_next(&parts_out, 500, begun_ns, &first));
    assert_true(bksi_bulk_out_next(&parts_out, 500, begun_ns + 30 * MODEL_MS, &second));
    const bksi_bulk_report report = {
        .floor = 100,
        .window = sizeof(ring),
        .count = 1,
        .parts = {{(uint32_t)second.begin - 100, (uint32_t)second.end - 100}}};
    assert_true(bksi_bulk_out_reported(&parts_out, &report, begun_ns + 60 * MODEL_MS));
    assert_int_equal(parts_out.lost.count, 1);
    assert_int_equal(parts_out.lost.extents[0].begin, 100);
    assert_int_equal(parts_out.lost.extents[0].end, first.end);
}

static void every_byte_arrives_once_and_in_order_over_any_line(void **context)
{
    (void)context;
    for (uint32_t round = 0; round < seed_rounds(30); round++) {
        begin((1 + seed_below(100)) * MBIT / 10, seed_below(120), 4 * KIB + seed_below(100 * KIB));
        for (int i = 0; i < 2; i++) {
            model.ways[i].loss_of_1000 = seed_below(300);
            model.ways[i].jitter_ns = seed_below(3) == 0 ? seed_below(150) * MODEL_MS : 0;
            model.sides[i].to_write = seed_below(150 * KIB);
            model.sides[i].read_at_once = 1 + seed_below(4096);
        }
        model.repeat_of_1000 = seed_below(200);
        bulk_model_run(&model, 240.0);
        if (!bulk_model_is_finished(&model) || model.sides[0].is_wrong || model.sides[1].is_wrong) {
            fail_msg("round %u: %llu of %llu and %llu of %llu read", round,
                     (unsigned long long)model.sides[0].read,
                     (unsigned long long)model.sides[1].to_write,
                     (unsigned long long)model.sides[1].read,
                     (unsigned long long)model.sides[0].to_write);
        }
        assert_int_equal(model.refused, 0);
        bulk_model_destroy(&model);
    }
}

// ---- hostile bytes ----

static void assert_extents_in_order(const bksi_extents *extents, uint64_t from, uint64_t until)
{
    assert_true(extents->count <= BKSI_EXTENTS_MAX);
    uint64_t at = from;
    for (uint32_t i = 0; i < extents->count; i++) {
        assert_true(extents->extents[i].begin >= at &&
                    extents->extents[i].end > extents->extents[i].begin);
        at = extents->extents[i].end + 1;
    }
    assert_true(extents->count == 0 || at <= until + 1);
}

static void assert_in_its_bounds(const bksi_bulk *bulk)
{
    const bksi_bulk_out *out = &bulk->out;
    const bksi_bulk_in *in = &bulk->in;
    assert_true(out->floor <= out->sent && out->sent <= out->written);
    assert_true(out->written - out->floor <= out->room);
    assert_true(out->next_segment - out->first_segment <= BKSI_BULK_SEGMENTS);
    assert_extents_in_order(&out->came, out->floor, out->sent);
    assert_extents_in_order(&out->lost, out->floor, out->sent);
    assert_true(in->read <= in->floor && in->floor <= in->limit);
    assert_true(in->limit <= in->read + in->room);
    assert_extents_in_order(&in->came, in->floor, in->limit);
}

static size_t random_report(uint8_t *body, size_t room, const bksi_bulk_out *out)
{
    bksi_bulk_message message = {.has_report = true};
    uint32_t under_way = (uint32_t)(out->sent - out->floor);
    uint32_t came = seed_below(under_way / 2 + 2);
    message.report.floor = (uint32_t)out->floor + came;
    message.report.window = seed_below(100000);
    uint32_t at = 0;
    for (uint32_t i = seed_below(BKSI_BULK_PARTS_MAX + 1); i > 0; i--) {
        bksi_bulk_part part = {.begin = at + 1 + seed_below(300)};
        part.end = part.begin + 1 + seed_below(300);
        if (part.end > message.report.window || part.end > under_way + 100) {
            break;
        }
        message.report.parts[message.report.count++] = part;
        at = part.end;
    }
    bksi_byte_writer writer = bksi_byte_writer_over(body, room);
    bksi_bulk_message_write(&writer, &message);
    return writer.at;
}

static size_t random_data(uint8_t *body, size_t room, uint32_t around)
{
    uint8_t data[700];
    memset(data, (int)seed_below(256), sizeof(data));
    bksi_bulk_message message = {.has_data = true, .data = data};
    message.place = around + seed_below(9000) - 1000;
    message.bytes = seed_below(sizeof(data));
    bksi_byte_writer writer = bksi_byte_writer_over(body, room);
    bksi_bulk_message_write(&writer, &message);
    return writer.at;
}

static void hostile_bytes_move_nothing_beyond_its_bounds(void **context)
{
    (void)context;
    bks_allocator allocator = counting_allocator_hooks(&counting);
    const bksi_bulk_config config = {.send_bytes = 20000, .receive_bytes = 7777, .most = 1e6};
    bksi_bulk bulk;
    assert_int_equal(bksi_bulk_create(&bulk, &config, &allocator), BKS_OK);
    static bksi_line line;
    bksi_line_init(&line);
    uint8_t body[1200];
    uint64_t now_ns = MODEL_SECOND;
    uint64_t taken[3] = {0};
    for (uint32_t i = 0; i < seed_rounds(200000); i++) {
        uint32_t kind = seed_below(3);
        size_t count = kind == 0   ? random_report(body, sizeof(body), &bulk.out)
                       : kind == 1 ? random_data(body, sizeof(body), (uint32_t)bulk.in.floor)
                                   : seed_below(60);
        for (uint32_t k = kind == 2 ? (uint32_t)count : seed_below(3) / 2; k > 0; k--) {
            body[seed_below((uint32_t)count + 1)] = (uint8_t)seed_next();
        }
        taken[kind] += bksi_bulk_receive(&bulk, body, count, now_ns);
        assert_in_its_bounds(&bulk);
        if (seed_below(4) == 0) {
            (void)bksi_bulk_write(&bulk, body, seed_below(sizeof(body)));
            (void)bksi_bulk_read(&bulk, body, seed_below(sizeof(body)), now_ns);
            bksi_bulk_update(&bulk, &line, false, now_ns);
            count = bksi_bulk_send(&bulk, body, sizeof(body), now_ns);
            bksi_bulk_sent(&bulk, count + 47, i, now_ns);
            assert_true(count <= sizeof(body));
            assert_in_its_bounds(&bulk);
        }
        now_ns += seed_below(5) * MODEL_MS;
    }
    // All three kinds got in, so that more than the door was tested.
    assert_true(taken[0] > 1000 && taken[1] > 1000 && taken[2] > 100);
    bksi_bulk_destroy(&bulk);
}

static void bytes_beyond_the_window_and_reports_of_unsent_bytes_are_refused(void **context)
{
    (void)context;
    bks_allocator allocator = counting_allocator_hooks(&counting);
    const bksi_bulk_config config = {.send_bytes = 1000, .receive_bytes = 1000, .most = 1e6};
    bksi_bulk bulk;
    assert_int_equal(bksi_bulk_create(&bulk, &config, &allocator), BKS_OK);
    uint8_t data[1001] = {0};
    uint8_t body[1200];
    const struct {
        uint32_t place;
        size_t bytes;
        bool is_taken;
    } parts[] = {{0, 1001, false}, {1000, 1, false}, {UINT32_MAX, 1, false}, {999, 1, true},
                 {0, 1000, true},  {0, 1000, true},  {1000, 1, false}};
    for (uint32_t i = 0; i < 7; i++) {
        const bksi_bulk_message message = {
            .has_data = true, .place = parts[i].place, .bytes = parts[i].bytes, .data = data};
        bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
        bksi_bulk_message_write(&writer, &message);
        assert_int_equal(bksi_bulk_receive(&bulk, body, writer.at, MODEL_SECOND),
                         parts[i].is_taken);
    }
    bksi_bulk_message report = {.has_report = true, .report = {.floor = 1, .window = 100}};
    for (uint32_t i = 0; i < 2; i++) {
        bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
        bksi_bulk_message_write(&writer, &report);
        assert_false(bksi_bulk_receive(&bulk, body, writer.at, MODEL_SECOND));
        report.report = (bksi_bulk_report){.floor = UINT32_MAX, .window = 100};
    }
    assert_in_its_bounds(&bulk);
    bksi_bulk_destroy(&bulk);
}

/// The other side's stream is fast, so a report goes every 20 ms: more than ours may send.
static void reports_do_not_stop_a_slow_stream(void **context)
{
    (void)context;
    bks_allocator allocator = counting_allocator_hooks(&counting);
    const bksi_bulk_config config = {.send_bytes = 1000, .receive_bytes = 1000, .most = 1e6};
    static bksi_line line;
    bksi_bulk bulk;
    uint8_t body[1200];
    uint32_t data = 0;
    assert_int_equal(bksi_bulk_create(&bulk, &config, &allocator), BKS_OK);
    const bksi_bulk_message offer = {.has_report = true, .report = {.floor = 0, .window = 1000}};
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_bulk_message_write(&writer, &offer);
    assert_true(bksi_bulk_receive(&bulk, body, writer.at, MODEL_SECOND));
    assert_int_equal(bksi_bulk_write(&bulk, (uint8_t[1000]){0}, 1000), 1000);
    bksi_bulk_update(&bulk, &line, true, MODEL_SECOND);
    bksi_bulk_pace_yield(&bulk.out.pace); // to the least that goes beside any queue
    for (uint64_t ms = 1000; ms < 6000; ms++) {
        const uint64_t now_ns = ms * MODEL_MS;
        if (!bulk.in.owes_report) {
            bulk.in.owes_report = true;
            bulk.in.report_at_ns = now_ns + 20 * MODEL_MS;
        }
        bksi_bulk_update(&bulk, &line, false, now_ns);
        const bool is_report = bulk.in.report_at_ns <= now_ns;
        const size_t count = bksi_bulk_send(&bulk, body, sizeof(body), now_ns);
        data += count > 0 && !is_report ? 1 : 0;
        if (count > 0) {
            bksi_bulk_sent(&bulk, count + 47, ms, now_ns);
        }
    }
    assert_in_range(data, 5, 40);
    bksi_bulk_destroy(&bulk);
}

/// Count the bytes that a stream sends from one time to another, while nothing comes back.
static size_t bytes_sent(bksi_bulk *bulk, uint64_t from_ms, uint64_t until_ms)
{
    static bksi_line line; // no packet was echoed
    size_t sum = 0;
    for (uint64_t ms = from_ms; ms < until_ms; ms++) {
        uint8_t body[1200];
        const uint64_t now_ns = ms * MODEL_MS;
        bksi_bulk_update(bulk, &line, false, now_ns);
        if (bksi_bulk_due_ns(bulk, now_ns) > now_ns) {
            continue;
        }
        const size_t count = bksi_bulk_send(bulk, body, sizeof(body), now_ns);
        bksi_bulk_message message = {0};
        bksi_byte_reader reader = bksi_byte_reader_over(body, count);
        assert_true(bksi_bulk_message_read(&reader, &message));
        bksi_bulk_sent(bulk, count + 47, ms, now_ns);
        sum += message.bytes;
    }
    return sum;
}

static void the_window_that_is_presumed_is_sent_once_before_the_first_report(void **context)
{
    (void)context;
    bks_allocator allocator = counting_allocator_hooks(&counting);
    const bksi_bulk_config config = {
        .send_bytes = 9000, .receive_bytes = 10, .most = 1e6, .first = 16000.0};
    for (uint32_t is_presumed = 0; is_presumed < 2; is_presumed++) {
        bksi_bulk bulk;
        assert_int_equal(bksi_bulk_create(&bulk, &config, &allocator), BKS_OK);
        bksi_bulk_restart(&bulk, 5000 * MODEL_MS);
        if (is_presumed != 0) {
            bksi_bulk_presume(&bulk, 4000, 5000 * MODEL_MS);
        }
        assert_int_equal(bksi_bulk_write(&bulk, (uint8_t[9000]){0}, 9000), 9000);
        assert_int_equal(bytes_sent(&bulk, 5000, 5001), 0); // the first asks for a report
        assert_int_equal(bytes_sent(&bulk, 5001, 6000), is_presumed != 0 ? 4000 : 0);
        const size_t again = bytes_sent(&bulk, 6001, 8000); // none came, so they go again, slowly
        assert_in_range(again, is_presumed != 0 ? 128 : 0, is_presumed != 0 ? 4000 : 0);
        const bksi_bulk_message report = {.has_report = true,
                                          .report = {.floor = 0, .window = 9000}};
        uint8_t body[100];
        bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
        bksi_bulk_message_write(&writer, &report);
        assert_true(bksi_bulk_receive(&bulk, body, writer.at, 8000 * MODEL_MS));
        assert_true(bytes_sent(&bulk, 8000, 8200) > 1000); // at the stream's pace
        bksi_bulk_destroy(&bulk);
    }
}

static bool give(bksi_bulk *bulk, uint32_t place, const char *bytes)
{
    const bksi_bulk_message message = {
        .has_data = true, .place = place, .bytes = strlen(bytes), .data = (const uint8_t *)bytes};
    uint8_t body[200];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_bulk_message_write(&writer, &message);
    return bksi_bulk_receive(bulk, body, writer.at, MODEL_SECOND);
}

static void parts_that_overlap_fill_each_place_once(void **context)
{
    (void)context;
    bks_allocator allocator = counting_allocator_hooks(&counting);
    const bksi_bulk_config config = {.send_bytes = 10, .receive_bytes = 10, .most = 1e6};
    bksi_bulk bulk;
    assert_int_equal(bksi_bulk_create(&bulk, &config, &allocator), BKS_OK);
    char read[11] = "";
    assert_true(give(&bulk, 0, "abcde"));
    assert_int_equal(bksi_bulk_read(&bulk, read, 10, MODEL_SECOND), 5);
    assert_string_equal(read, "abcde");
    uint8_t body[100];
    assert_true(bksi_bulk_send(&bulk, body, sizeof(body), 2 * MODEL_SECOND) >
                0); // the window moves
    assert_true(give(&bulk, 8, "ijk"));
    assert_true(give(&bulk, 12, "mno"));
    // The ring's place of what was read holds bytes of its next round by now.
    assert_true(give(&bulk, 2, "cdefghij"));
    assert_true(give(&bulk, 9, "jklm"));
    memset(read, 0, sizeof(read));
    assert_int_equal(bksi_bulk_read(&bulk, read, 10, MODEL_SECOND), 10);
    assert_string_equal(read, "fghijklmno");
    bksi_bulk_destroy(&bulk);
}

static void buffers_are_made_at_create_and_given_back(void **context)
{
    (void)context;
    begin(10 * MBIT, 20, 64 * KIB);
    assert_int_equal(counting.allocs, 4);
    model.sides[0].to_write = MIB;
    model.sides[1].to_write = MIB;
    bulk_model_run(&model, 20.0);
    assert_true(bulk_model_is_finished(&model));
    assert_int_equal(counting.allocs, 4);
    bulk_model_destroy(&model);
    bks_allocator allocator = counting_allocator_hooks(&counting);
    const bksi_bulk_config config = {.send_bytes = 100, .receive_bytes = 100, .most = 1e6};
    for (uint32_t i = 0; i < 2; i++) {
        bksi_bulk bulk;
        counting.fail_after = i;
        assert_int_equal(bksi_bulk_create(&bulk, &config, &allocator), BKS_ERR_OUT_OF_MEMORY);
        counting.fail_after = UINT32_MAX;
    }
    assert_true(counting.live_bytes == 0);
    assert_false(counting.is_wrong);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 12);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_takes_most_of_a_fast_line_and_the_match_hardly_feels_it),
        cmocka_unit_test(other_lines_are_used_too),
        cmocka_unit_test(a_far_line_has_no_long_queue_from_the_first_packet_on),
        cmocka_unit_test(a_line_that_the_match_fills_is_left_to_it),
        cmocka_unit_test(a_stream_that_is_held_leaves_the_line_to_another_and_moves),
        cmocka_unit_test(a_dead_line_is_asked_a_few_times_a_second_and_then_all_arrives),
        cmocka_unit_test(a_path_that_loses_long_packets_carries_short_ones),
        cmocka_unit_test(a_reader_that_stops_stops_the_sender_and_no_more),
        cmocka_unit_test(a_part_that_is_only_overtaken_does_not_go_again),
        cmocka_unit_test(of_a_lost_part_what_has_come_does_not_go_again),
        cmocka_unit_test(every_byte_arrives_once_and_in_order_over_any_line),
        cmocka_unit_test(hostile_bytes_move_nothing_beyond_its_bounds),
        cmocka_unit_test(bytes_beyond_the_window_and_reports_of_unsent_bytes_are_refused),
        cmocka_unit_test(reports_do_not_stop_a_slow_stream),
        cmocka_unit_test(the_window_that_is_presumed_is_sent_once_before_the_first_report),
        cmocka_unit_test(parts_that_overlap_fill_each_place_once),
        cmocka_unit_test(buffers_are_made_at_create_and_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
