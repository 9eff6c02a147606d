// SPDX-License-Identifier: MIT

// Answers of an inspector about a match in the lab, and changes that it makes.

#include "some_lab.h"

#include "backstitch/toolkit/inspector.h"
#include "backstitch/toolkit/state_map.h"
#include "support/catch_log.h"

static const uint8_t token[BKS_INSPECT_TOKEN_BYTES] = {1, 2,  3,  4,  5,  6,  7,  8,
                                                       9, 10, 11, 12, 13, 14, 15, 16};

/// A match that is looked at: peer 0 of two.
static struct {
    bks_lab *lab;
    bks_meter *meter;
    bks_inspected inspected;
    char link[BKS_INSPECT_LINK_BYTES];
} looked;

static uint8_t packet[BKS_INSPECT_BYTES];
static bks_inspect_answer_read answer;

static void take(void *context, uint32_t peer, const bks_cue_event *event)
{
    (void)context;
    if (peer == 0 && event == NULL) {
        (void)bks_meter_take(looked.meter, bks_peer_session(bks_lab_peer(looked.lab, 0)),
                             bks_lab_now(looked.lab), 0);
    }
}

static bool change_link(void *context, const char *link)
{
    (void)context;
    if (strcmp(link, "delay=1ms") != 0) {
        return false;
    }
    snprintf(looked.link, sizeof(looked.link), "%s", link);
    return true;
}

static const char *link_now(void *context)
{
    (void)context;
    return looked.link;
}

static int set_up(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 3600);
    config.cue = take;
    const bks_meter_config meter = {0};
    if (bks_meter_create(&meter, &looked.meter, NULL) != BKS_OK) {
        return -1;
    }
    looked.lab = some_lab(&config, "delay=50ms,loss=5%", "pause=1@1s+1s"); // peer 0 starves
    snprintf(looked.link, sizeof(looked.link), "perfect");
    (void)bks_lab_advance(looked.lab, 5 * SOME_SECOND_NS);
    bks_peer *peer = bks_lab_peer(looked.lab, 0);
    looked.inspected = (bks_inspected){.session = bks_peer_session(peer),
                                       .game = "pad",
                                       .tick_rate_hz = 60,
                                       .figures = bks_meter_figures(looked.meter),
                                       .state = bks_peer_state(peer),
                                       .state_bytes = bks_state_bytes(bks_peer_state(peer)),
                                       .root_bytes = pad_game.root_bytes,
                                       .token = token,
                                       .change_link = change_link,
                                       .link = link_now};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    bks_meter_destroy(looked.meter);
    bks_lab_destroy(looked.lab);
    return 0;
}

/// Send a request and read the answer.
static bks_inspect_status ask(bks_inspect_request request)
{
    static uint32_t serial;
    request.serial = ++serial;
    uint8_t out[BKS_INSPECT_BYTES];
    assert_int_equal(bks_inspect_request_write(&request, packet), BKS_OK);
    assert_int_equal(bks_inspect_answer(&looked.inspected, packet, sizeof(packet), out),
                     BKS_INSPECT_BYTES);
    assert_int_equal(bks_inspect_read(out, sizeof(out), &answer), BKS_OK);
    assert_int_equal(answer.serial, serial);
    assert_int_equal(answer.kind, request.kind);
    return answer.status;
}

static bks_inspect_request change_of(bks_inspect_change what, uint32_t value)
{
    bks_inspect_request request = {.kind = BKS_INSPECT_CHANGE, .change = what, .value = value};
    memcpy(request.token, token, sizeof(token));
    return request;
}

static void a_summary_says_how_the_match_stands(void **state)
{
    (void)state;
    assert_int_equal(ask((bks_inspect_request){.kind = BKS_INSPECT_SUMMARY}), BKS_INSPECT_OK);
    const bks_inspect_summary *s = &answer.summary;
    const bks_session *session = looked.inspected.session;
    bks_stats stats;
    uint64_t hash = 0;
    (void)bks_session_stats(session, &stats);
    assert_string_equal(s->game, "pad");
    assert_int_equal(s->tick, bks_session_tick(session));
    assert_int_equal(s->confirmed, bks_session_confirmed(session));
    assert_int_equal(bks_session_hash(session, s->published, &hash), BKS_OK);
    assert_true(s->hash == hash);
    assert_int_equal(s->ticks, 3600);
    assert_int_equal(s->phase, BKS_PHASE_RUNNING);
    assert_int_equal(s->peers_in, 3);
    assert_int_equal(s->links, 2);
    assert_int_equal(s->window_ticks, 20);
    assert_int_equal(s->window_max, 20);
    assert_true(s->delay_ticks == BKS_AUTO);
    assert_true(stats.starved_ticks > stats.stalled_ticks && stats.resimulated > stats.rollbacks);
    assert_int_equal(s->rollbacks, stats.rollbacks);
    assert_int_equal(s->resimulated, stats.resimulated);
    assert_int_equal(s->stalled_ticks, stats.stalled_ticks);
    assert_int_equal(s->starved_ticks, stats.starved_ticks);
    assert_true(s->is_changeable && s->has_link);
    assert_string_equal(s->link, "perfect");
    assert_true(s->parts >= 1 && s->state_bytes > 0);
}

static void a_guest_says_which_peer_it_is(void **state)
{
    (void)state;
    looked.inspected.session = bks_peer_session(bks_lab_peer(looked.lab, 1));
    assert_int_equal(ask((bks_inspect_request){.kind = BKS_INSPECT_SUMMARY}), BKS_INSPECT_OK);
    assert_int_equal(answer.summary.self, 1);
    assert_int_equal(answer.summary.host, 0);
    assert_int_equal(answer.summary.players, 2);
}

static void a_figure_comes_with_its_history(void **state)
{
    (void)state;
    const bks_figure *figure = &looked.inspected.figures->links[1].round_trip_ms;
    assert_int_equal(ask((bks_inspect_request){.kind = BKS_INSPECT_FIGURE, .peer = 1}),
                     BKS_INSPECT_OK);
    assert_true(answer.figure.now == figure->now && answer.figure.least == figure->least);
    assert_true(answer.figure.mean == figure->mean && answer.figure.most == figure->most);
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        const bks_figure_point *was = &figure->history[i];
        const bks_figure_point *read = &answer.figure.history[i];
        assert_int_equal(read->weight > 0.0f, was->weight > 0.0f);
        assert_true(read->mean <= was->mean && read->mean >= 0.98f * was->mean);
    }
}

static void every_figure_is_there_and_no_other(void **state)
{
    (void)state;
    for (uint32_t peer = 0; peer < 12; peer++) {
        for (uint32_t i = 0; i < 12; i++) {
            const bool is_there = (peer == BKS_PEERS_MAX && i < BKS_INSPECT_MATCH_FIGURES) ||
                                  (peer == 1 && i < BKS_INSPECT_LINK_FIGURES);
            const bks_inspect_request request = {
                .kind = BKS_INSPECT_FIGURE, .peer = peer, .index = i};
            assert_int_equal(ask(request), is_there ? BKS_INSPECT_OK : BKS_INSPECT_NOT_THERE);
        }
    }
    looked.inspected.figures = NULL;
    assert_int_equal(ask((bks_inspect_request){.kind = BKS_INSPECT_FIGURE, .peer = 1}),
                     BKS_INSPECT_NOT_THERE);
}

static void the_memory_comes_in_parts(void **state)
{
    (void)state;
    bks_memory_part parts[64];
    const uint32_t there = bks_state_memory(looked.inspected.state, looked.inspected.state_bytes,
                                            looked.inspected.root_bytes, parts, 64);
    assert_int_equal(ask((bks_inspect_request){.kind = BKS_INSPECT_MEMORY}), BKS_INSPECT_OK);
    assert_int_equal(answer.part_count, there);
    for (uint32_t i = 0; i < there; i++) {
        assert_int_equal(answer.parts[i].kind, parts[i].kind);
        assert_int_equal(answer.parts[i].bytes, parts[i].bytes);
    }
    assert_int_equal(ask((bks_inspect_request){.kind = BKS_INSPECT_MEMORY, .index = UINT32_MAX}),
                     BKS_INSPECT_OK);
    assert_int_equal(answer.part_count, 0);
}

static void with_the_token_the_tuning_changes(void **state)
{
    (void)state;
    assert_int_equal(ask(change_of(BKS_INSPECT_WINDOW, 7)), BKS_INSPECT_OK);
    assert_int_equal(answer.summary.window_ticks, 7);
    assert_int_equal(ask(change_of(BKS_INSPECT_DELAY, 3)), BKS_INSPECT_OK);
    assert_int_equal(answer.summary.delay_ticks, 3);
    assert_int_equal(ask(change_of(BKS_INSPECT_DELAY, BKS_AUTO)), BKS_INSPECT_OK);
    assert_int_equal(ask(change_of(BKS_INSPECT_PACE, BKS_PACE_NONE)), BKS_INSPECT_OK);
    assert_int_equal(answer.summary.pace, BKS_PACE_NONE);
    assert_int_equal(answer.summary.window_ticks, 7);
    bks_inspect_request link = change_of(BKS_INSPECT_LINK, 0);
    snprintf(link.link, sizeof(link.link), "delay=1ms");
    assert_int_equal(ask(link), BKS_INSPECT_OK);
    assert_string_equal(answer.summary.link, "delay=1ms");
}

static void what_is_out_of_range_changes_nothing(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    assert_int_equal(ask(change_of(BKS_INSPECT_WINDOW, 0)), BKS_INSPECT_OUT_OF_RANGE);
    assert_int_equal(ask(change_of(BKS_INSPECT_WINDOW, 21)), BKS_INSPECT_OUT_OF_RANGE);
    assert_int_equal(ask(change_of(BKS_INSPECT_DELAY, 256)), BKS_INSPECT_OUT_OF_RANGE);
    assert_int_equal(ask(change_of(BKS_INSPECT_PACE, 3)), BKS_INSPECT_OUT_OF_RANGE);
    bks_inspect_request link = change_of(BKS_INSPECT_LINK, 0);
    snprintf(link.link, sizeof(link.link), "delay=forever");
    assert_int_equal(ask(link), BKS_INSPECT_OUT_OF_RANGE);
    looked.inspected.change_link = NULL;
    assert_int_equal(ask(link), BKS_INSPECT_NOT_THERE);
    bks_log_clear_sink();
    bks_tuning tuning;
    (void)bks_session_tuning(looked.inspected.session, &tuning);
    assert_int_equal(tuning.window_ticks, 20);
    assert_true(tuning.delay_ticks == BKS_AUTO);
    assert_string_equal(looked.link, "perfect");
}

static void without_the_token_nothing_changes(void **state)
{
    (void)state;
    for (uint32_t bit = 0; bit <= 8 * BKS_INSPECT_TOKEN_BYTES; bit++) {
        bks_inspect_request request = change_of(BKS_INSPECT_WINDOW, 7);
        if (bit < 8 * BKS_INSPECT_TOKEN_BYTES) {
            request.token[bit / 8] ^= (uint8_t)(1U << bit % 8);
        } else {
            memset(request.token, 0, sizeof(request.token));
        }
        assert_int_equal(ask(request), BKS_INSPECT_NOT_ALLOWED);
    }
    looked.inspected.token = NULL; // the program gave out no token
    assert_int_equal(ask(change_of(BKS_INSPECT_WINDOW, 7)), BKS_INSPECT_NOT_ALLOWED);
    bks_inspect_request zero = {.kind = BKS_INSPECT_CHANGE, .value = 7};
    assert_int_equal(ask(zero), BKS_INSPECT_NOT_ALLOWED);
    bks_tuning tuning;
    (void)bks_session_tuning(looked.inspected.session, &tuning);
    assert_int_equal(tuning.window_ticks, 20);
}

// A request of another size, version or kind gets no answer, so no answer is longer than its
// request.
static void what_is_no_request_gets_no_answer(void **state)
{
    (void)state;
    static uint8_t bytes[BKS_INSPECT_BYTES + 1];
    uint8_t out[BKS_INSPECT_BYTES];
    const bks_inspect_request request = {.kind = BKS_INSPECT_SUMMARY};
    assert_int_equal(bks_inspect_request_write(&request, bytes), BKS_OK);
    assert_int_equal(bks_inspect_answer(&looked.inspected, bytes, sizeof(bytes), out), 0);
    assert_int_equal(bks_inspect_answer(&looked.inspected, bytes, BKS_INSPECT_BYTES - 1, out), 0);
    assert_int_equal(bks_inspect_answer(&looked.inspected, NULL, 0, out), 0);
    for (size_t at = 0; at < 8; at++) {
        bytes[at] ^= 0x40;
        assert_int_equal(bks_inspect_answer(&looked.inspected, bytes, BKS_INSPECT_BYTES, out), 0);
        bytes[at] ^= 0x40;
    }
    bytes[12] = 0; // no such kind
    assert_int_equal(bks_inspect_answer(&looked.inspected, bytes, BKS_INSPECT_BYTES, out), 0);
    bytes[12] = 5;
    assert_int_equal(bks_inspect_answer(&looked.inspected, bytes, BKS_INSPECT_BYTES, out), 0);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        EACH(a_summary_says_how_the_match_stands),
        EACH(a_guest_says_which_peer_it_is),
        EACH(a_figure_comes_with_its_history),
        EACH(every_figure_is_there_and_no_other),
        EACH(the_memory_comes_in_parts),
        EACH(with_the_token_the_tuning_changes),
        EACH(what_is_out_of_range_changes_nothing),
        EACH(without_the_token_nothing_changes),
        EACH(what_is_no_request_gets_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
