// SPDX-License-Identifier: MIT

// The figures of a peer in the lab, where it is known what its links do.

#include "some_lab.h"

#include "backstitch/present.h"
#include "backstitch/toolkit/inspector.h"
#include "base/mutant.h"
#include "support/catch_log.h"
#include "support/counting_allocator.h"

/// A peer's meter, taken after each of its updates.
typedef struct measured {
    bks_lab *lab;
    bks_meter *meter;
    uint64_t resimulation_ns; ///< time of rollbacks, a millisecond for each
    uint32_t wrong;           ///< updates in which a figure differs from the session's number
    uint32_t apart;           ///< updates in which local and remote lag differ
} measured;

static void compare(measured *m, const bks_link_stats *said)
{
    const bks_link_figures *f = &bks_meter_figures(m->meter)->links[1];
    if (!f->has_peer) {
        return;
    }
    const float ahead = (float)(said->local_lag - said->remote_lag) / 2.0f;
    m->apart += said->local_lag != said->remote_lag ? 1 : 0;
    m->wrong += f->local_lag.now != (float)said->local_lag ||
                        f->remote_lag.now != (float)said->remote_lag || f->advantage.now != ahead
                    ? 1
                    : 0;
}

static void take(void *context, uint32_t peer, const bks_cue_event *event)
{
    measured *m = context;
    if (peer != 0 || event != NULL) {
        return;
    }
    const bks_session *session = bks_peer_session(bks_lab_peer(m->lab, 0));
    bks_stats stats;
    assert_int_equal(bks_session_stats(session, &stats), BKS_OK);
    m->resimulation_ns = stats.rollbacks * 1000000;
    assert_int_equal(bks_meter_take(m->meter, session, bks_lab_now(m->lab), m->resimulation_ns),
                     BKS_OK);
    compare(m, &stats.links[1]);
}

/// Play for a time from the first tick on.
static void play(measured *m, const bks_meter_config *config, const char *link, const char *fault,
                 uint64_t seconds)
{
    bks_lab_config lab = some_lab_config(7, 2, 3600);
    lab.cue = take;
    lab.cue_context = m;
    assert_int_equal(bks_meter_create(config, &m->meter, NULL), BKS_OK);
    m->lab = some_lab(&lab, link, fault);
    (void)bks_lab_advance(m->lab, seconds * SOME_SECOND_NS);
}

static void stop(measured *m)
{
    bks_meter_destroy(m->meter);
    bks_lab_destroy(m->lab);
}

static double sum_of(const bks_figure *figure)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        sum += (double)figure->history[i].mean;
    }
    return sum;
}

static bool is_near(double a, double b, double by)
{
    return a > b - by && a < b + by;
}

static void play_over_a_bad_link(measured *m)
{
    play(m, &(bks_meter_config){.window_ms = 10000}, "delay=50ms,jitter=10ms,loss=10%", NULL, 12);
}

static bool loss_is_right(const measured *m)
{
    return is_near((double)bks_meter_figures(m->meter)->links[1].loss.mean, 0.1, 0.04);
}

static void figures_say_what_the_link_does(void **state)
{
    (void)state;
    measured m = {0};
    play_over_a_bad_link(&m);
    const bks_figures *f = bks_meter_figures(m.meter);
    const bks_link_figures *link = &f->links[1];
    assert_true(link->has_peer && !f->links[0].has_peer && f->link_count == 2);
    assert_true(is_near((double)link->round_trip_ms.mean, 100.0, 25.0));
    assert_true(loss_is_right(&m));
    assert_true(link->loss.least >= 0.0f && link->loss.most <= 1.0f);
    assert_true(is_near((double)link->local_lag.mean, 4.0, 2.0));
    assert_true(is_near((double)link->remote_lag.mean, 4.0, 2.0));
    assert_true(is_near((double)link->advantage.mean, 0.0, 0.5));
    assert_true(link->bytes_sent.mean > 1000.0f && link->bytes_received.mean > 1000.0f);
    assert_true(f->predicted.mean > 1.0f && f->predicted.most <= 20.0f);
    assert_true(f->rollbacks.mean > 1.0f && f->depth.mean >= 1.0f);
    assert_true(f->resimulation_ms.mean > 0.0f);
    assert_int_equal(f->tick, bks_session_tick(bks_peer_session(bks_lab_peer(m.lab, 0))));
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        assert_true(link->round_trip_ms.history[i].weight >= 1.0f);
    }
    stop(&m);
}

static void play_past_a_pause(measured *m)
{
    play(m, &(bks_meter_config){0}, "delay=50ms,loss=10%", "pause=1@3s+1500ms", 8);
}

static bks_stats stats_of(const measured *m)
{
    bks_stats stats = {0};
    (void)bks_session_stats(bks_peer_session(bks_lab_peer(m->lab, 0)), &stats);
    return stats;
}

static bool counts_add_up(const measured *m)
{
    const bks_figures *f = bks_meter_figures(m->meter);
    const bks_stats stats = stats_of(m);
    const double per_second = 1000.0 / BKS_FIGURE_POINT_MS;
    return is_near(sum_of(&f->rollbacks), per_second * (double)stats.rollbacks, 20.0) &&
           is_near(sum_of(&f->resimulated), per_second * (double)stats.resimulated, 150.0) &&
           is_near(sum_of(&f->starved), per_second * (double)stats.starved_ticks, 20.0) &&
           is_near(sum_of(&f->links[1].waited), per_second * (double)stats.links[1].waited_ticks,
                   20.0);
}

static bool times_add_up(const measured *m)
{
    const bks_figures *f = bks_meter_figures(m->meter);
    double spent_ms = 0.0;
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        const bks_figure_point *point = &f->resimulation_ms.history[i];
        spent_ms += (double)point->mean * (double)point->weight;
    }
    return is_near(spent_ms, (double)stats_of(m).rollbacks, 3.0);
}

// All that a session counted is in the points, nothing twice and nothing lost.
static void points_add_up_to_what_the_session_counted(void **state)
{
    (void)state;
    measured m = {0};
    play_past_a_pause(&m);
    assert_true(stats_of(&m).starved_ticks > 30);
    assert_true(counts_add_up(&m));
    assert_true(times_add_up(&m));
    stop(&m);
}

/// Local and remote, sent and received, ahead and behind.
static void what_goes_one_way_is_not_what_goes_the_other(void **state)
{
    (void)state;
    measured m = {0};
    play(&m, &(bks_meter_config){0}, "delay=50ms,jitter=10ms,loss=30%", NULL, 8);
    assert_true(m.apart > 100);
    assert_int_equal(m.wrong, 0);
    const bks_link_figures *f = &bks_meter_figures(m.meter)->links[1];
    const bks_stats stats = stats_of(&m);
    const bks_link_stats *link = &stats.links[1];
    const double seconds = BKS_FIGURE_POINT_MS / 1000.0;
    assert_true(link->bytes_received * 5 < link->bytes_sent * 4);
    assert_true(is_near(sum_of(&f->bytes_sent) * seconds / (double)link->bytes_sent, 1.0, 0.1));
    assert_true(
        is_near(sum_of(&f->bytes_received) * seconds / (double)link->bytes_received, 1.0, 0.1));
    stop(&m);
}

static void planted_faults_of_the_meter_are_found(void **state)
{
    (void)state;
    static const struct {
        bksi_mutant mutant;
        void (*play)(measured *m);
        bool (*is_right)(const measured *m);
    } plants[] = {
        {BKSI_MUTANT_METER_COUNTS_AGAIN, play_past_a_pause, counts_add_up},
        {BKSI_MUTANT_METER_COUNTS_LAST, play_past_a_pause, counts_add_up},
        {BKSI_MUTANT_METER_TIMES_AGAIN, play_past_a_pause, times_add_up},
        {BKSI_MUTANT_METER_SEES_NO_LOSS, play_over_a_bad_link, loss_is_right},
    };
    for (size_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++) {
        measured m = {0};
        (void)bksi_mutant_set(plants[i].mutant);
        plants[i].play(&m);
        (void)bksi_mutant_set(BKSI_MUTANT_NONE);
        if (plants[i].is_right(&m)) {
            fail_msg("mutant %d is not found", (int)plants[i].mutant);
        }
        stop(&m);
    }
}

static void nothing_is_taken_before_the_first_tick(void **state)
{
    (void)state;
    measured m = {0};
    play(&m, &(bks_meter_config){0}, "delay=400ms", NULL, 1);
    assert_int_equal(bks_meter_figures(m.meter)->link_count, 0);
    stop(&m);
}

static void a_line_is_logged_for_the_match_and_for_each_link(void **state)
{
    (void)state;
    measured m = {0};
    catch_log log;
    catch_log_begin(&log);
    play(&m, &(bks_meter_config){.log_every_ms = 1000}, "delay=20ms", NULL, 4);
    bks_log_clear_sink();
    assert_in_range(log.count, 6, 8);
    assert_string_equal(log.id, "figures");
    assert_int_equal(log.level, BKS_LOG_INFO);
    assert_non_null(strstr(log.text, "peer 1: round trip"));
    char line[256];
    const bks_figures *f = bks_meter_figures(m.meter);
    assert_non_null((bks_figures_line(f, BKS_PEERS_MAX, line, sizeof(line)), strstr(line, "tick")));
    assert_int_equal(bks_figures_line(f, 0, line, sizeof(line)), 0); // our own peer has no line
    assert_int_equal(bks_figures_line(f, 1, line, 5), 4);
    assert_string_equal(line, "peer");
    stop(&m);
}

static void the_longest_line_has_room(void **state)
{
    (void)state;
    static bks_figures f;
    char line[256];
    f.tick = INT32_MAX;
    f.window_ms = 2000;
    f.links[7].has_peer = true;
    bks_figure *const all = &f.predicted;
    for (uint32_t i = 0; i < 9; i++) {
        all[i].least = all[i].mean = all[i].most = -3e38f;
        all[i].history[BKS_FIGURE_POINTS - 1].weight = 1.0f;
    }
    bks_figure *const links = &f.links[7].round_trip_ms;
    for (uint32_t i = 0; i < 8; i++) {
        links[i].least = links[i].mean = links[i].most = -3e38f;
        links[i].history[BKS_FIGURE_POINTS - 1].weight = 1.0f;
    }
    const char *const last = " kB/s";
    for (uint32_t peer = 7; peer <= BKS_PEERS_MAX; peer++) {
        const size_t length = bks_figures_line(&f, peer, line, sizeof(line));
        assert_true(length > 100 && length < sizeof(line));
        assert_string_equal(line + length - strlen(last), last);
    }
}

/// Rollbacks end with the bad link; their depth is outdated then.
static void without_rollbacks_there_is_no_depth(void **state)
{
    (void)state;
    measured m = {0};
    play_over_a_bad_link(&m);
    bks_figures f = *bks_meter_figures(m.meter);
    char line[256];
    assert_true(bks_figure_is_measured(&f.depth, f.window_ms));
    (void)bks_figures_line(&f, BKS_PEERS_MAX, line, sizeof(line));
    assert_null(strstr(line, "depth -"));
    memset(&f.depth.history[BKS_FIGURE_POINTS - 20], 0, 20 * sizeof(bks_figure_point));
    f.window_ms = 2000;
    assert_false(bks_figure_is_measured(&f.depth, f.window_ms));
    assert_true(bks_figure_is_measured(&f.rollbacks, f.window_ms));
    (void)bks_figures_line(&f, BKS_PEERS_MAX, line, sizeof(line));
    assert_non_null(strstr(line, "depth -, resimulated"));
    f.window_ms = BKS_FIGURE_WINDOW_MS_MAX;
    assert_true(bks_figure_is_measured(&f.depth, f.window_ms));
    stop(&m);
}

static void memory_is_taken_at_create_alone(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_after = UINT32_MAX};
    measured m = {0};
    play(&m, &(bks_meter_config){.allocator = {counting_alloc, counting_release, &counter}},
         "delay=20ms", NULL, 3);
    assert_int_equal(counter.allocs, 1);
    assert_int_equal(counter.releases, 0);
    stop(&m);
    assert_int_equal(counter.releases, 1);
    assert_false(counter.is_wrong);
    counter.fail_after = 0;
    bks_meter *none = NULL;
    assert_int_equal(
        bks_meter_create(
            &(bks_meter_config){.allocator = {counting_alloc, counting_release, &counter}}, &none,
            NULL),
        BKS_ERR_OUT_OF_MEMORY);
    assert_null(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_say_what_the_link_does),
        cmocka_unit_test(points_add_up_to_what_the_session_counted),
        cmocka_unit_test(what_goes_one_way_is_not_what_goes_the_other),
        cmocka_unit_test(planted_faults_of_the_meter_are_found),
        cmocka_unit_test(nothing_is_taken_before_the_first_tick),
        cmocka_unit_test(a_line_is_logged_for_the_match_and_for_each_link),
        cmocka_unit_test(the_longest_line_has_room),
        cmocka_unit_test(without_rollbacks_there_is_no_depth),
        cmocka_unit_test(memory_is_taken_at_create_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
