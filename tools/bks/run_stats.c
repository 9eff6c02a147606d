// SPDX-License-Identifier: MIT

#include "run_stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

bool run_stats_open(run_stats *s, bks_tick ticks)
{
    s->tick_ns = calloc((size_t)ticks + 1, sizeof(*s->tick_ns));
    s->ticks = ticks;
    return s->tick_ns != NULL;
}

void run_stats_begin_run(run_stats *s)
{
    s->run_sum_ns = 0;
    s->run_steps = 0;
}

void run_stats_begin_step(run_stats *s)
{
    s->step_begun_ns = tool_clock_ns(NULL);
    s->mark_ns = s->step_begun_ns;
}

static run_stats_stretch *find_stretch(run_stats *s, const char *name)
{
    for (uint32_t i = 0; i < s->mark_count; i++) {
        if (strncmp(s->marks[i].name, name, sizeof(s->marks[i].name) - 1) == 0) {
            return &s->marks[i];
        }
    }
    if (s->mark_count == RUN_STATS_MARKS_MAX) {
        return NULL;
    }
    run_stats_stretch *stretch = &s->marks[s->mark_count++];
    snprintf(stretch->name, sizeof(stretch->name), "%s", name);
    return stretch;
}

void run_stats_mark(run_stats *s, const char *name)
{
    const uint64_t now = tool_clock_ns(NULL);
    run_stats_stretch *stretch = find_stretch(s, name);
    if (stretch != NULL) {
        durations_add(&stretch->times, now - s->mark_ns);
    }
    // What was spent here is taken out of the step as well.
    const uint64_t after = tool_clock_ns(NULL);
    s->step_begun_ns += after - now;
    s->mark_ns = after;
}

void run_stats_end_step(run_stats *s, bks_tick tick)
{
    const uint64_t ns = tool_clock_ns(NULL) - s->step_begun_ns;
    durations_add(&s->steps, ns);
    if (s->tick_ns[tick] == 0 || ns < s->tick_ns[tick]) {
        s->tick_ns[tick] = ns;
    }
    s->run_sum_ns += ns;
    s->run_steps++;
}

void run_stats_end_run(run_stats *s)
{
    if (s->run_steps > 0 && s->run_count < RUN_STATS_RUNS_MAX) {
        s->run_mean_us[s->run_count++] = (double)s->run_sum_ns * 1e-3 / (double)s->run_steps;
    }
}

void run_stats_free(run_stats *s)
{
    durations_free(&s->steps);
    durations_free(&s->draws);
    for (uint32_t i = 0; i < s->mark_count; i++) {
        durations_free(&s->marks[i].times);
    }
    free(s->tick_ns);
    *s = (run_stats){0};
}

// Put a tick where it belongs among the longest.
static uint32_t insert(run_stats_tick *longest, uint32_t count, run_stats_tick tick)
{
    uint32_t at = count;
    while (at > 0 && longest[at - 1].ns < tick.ns) {
        at--;
    }
    if (at == RUN_STATS_LONGEST_MAX) {
        return count;
    }
    count += count < RUN_STATS_LONGEST_MAX ? 1 : 0;
    memmove(&longest[at + 1], &longest[at], (count - 1 - at) * sizeof(*longest));
    longest[at] = tick;
    return count;
}

uint32_t run_stats_longest(const run_stats *s, run_stats_tick out[RUN_STATS_LONGEST_MAX])
{
    uint32_t count = 0;
    for (bks_tick tick = 0; tick < s->ticks; tick++) {
        if (s->tick_ns[tick] > 0) {
            count = insert(out, count, (run_stats_tick){.tick = tick, .ns = s->tick_ns[tick]});
        }
    }
    return count;
}

static int compare_us(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

run_stats_spread run_stats_scatter(const double *means, uint32_t count)
{
    double sorted[RUN_STATS_RUNS_MAX];
    if (count == 0) {
        return (run_stats_spread){0};
    }
    memcpy(sorted, means, count * sizeof(*means));
    qsort(sorted, count, sizeof(*sorted), compare_us);
    const uint32_t quarter = (count - 1) / 4;
    return (run_stats_spread){
        .low_us = sorted[quarter],
        .median_us = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2,
        .high_us = sorted[count - 1 - quarter],
    };
}

void run_stats_json(json *j, run_stats *s)
{
    durations_json(j, "step_us", &s->steps);
    durations_json(j, "draw_us", &s->draws);
    json_row(j, "runs_us");
    for (uint32_t i = 0; i < s->run_count; i++) {
        json_number(j, NULL, s->run_mean_us[i], 4);
    }
    json_close(j);
    json_object(j, "marks");
    for (uint32_t i = 0; i < s->mark_count; i++) {
        durations_json(j, s->marks[i].name, &s->marks[i].times);
    }
    json_close(j);
    json_array(j, "longest");
    run_stats_tick longest[RUN_STATS_LONGEST_MAX];
    const uint32_t count = run_stats_longest(s, longest);
    for (uint32_t i = 0; i < count; i++) {
        json_object(j, NULL);
        json_int(j, "tick", longest[i].tick);
        json_number(j, "us", (double)longest[i].ns * 1e-3, 3);
        json_close(j);
    }
    json_close(j);
}

static void print_line(const char *what, durations *d)
{
    printf("  %-20.20s %10.2f %10.2f %10.2f %10.2f\n", what, durations_mean_us(d),
           durations_share_us(d, 0.5), durations_share_us(d, 0.99), durations_share_us(d, 1));
}

void run_stats_print(run_stats *s)
{
    printf("\n  %-20s %10s %10s %10s %10s\n", "microseconds", "mean", "median", "99 %", "longest");
    print_line("a step", &s->steps);
    for (uint32_t i = 0; i < s->mark_count; i++) {
        char what[48];
        snprintf(what, sizeof(what), "  to %s", s->marks[i].name);
        print_line(what, &s->marks[i].times);
    }
    if (s->draws.count > 0) {
        print_line("drawing", &s->draws);
    }
    if (s->run_count > 1) {
        const run_stats_spread spread = run_stats_scatter(s->run_mean_us, s->run_count);
        printf("  %" PRIu32 " runs: a step took %.3f us in the median run, mostly %.3f to %.3f\n",
               s->run_count, spread.median_us, spread.low_us, spread.high_us);
    }
    printf("  longest ticks:");
    run_stats_tick longest[RUN_STATS_LONGEST_MAX];
    const uint32_t count = run_stats_longest(s, longest);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s %" PRId32 " (%.1f)", i > 0 ? "," : "", longest[i].tick,
               (double)longest[i].ns * 1e-3);
    }
    printf("\n");
}
