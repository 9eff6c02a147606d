// SPDX-License-Identifier: MIT

#include "record/run/run_stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/tool.h"

void durations_add(durations *d, uint64_t ns)
{
    d->sum_ns += ns;
    d->calls++;
    d->is_sorted = false;
    if (d->count == d->capacity && d->capacity < DURATIONS_MAX) {
        const size_t capacity = d->capacity > 0 ? 2 * d->capacity : 4096;
        uint64_t *larger = realloc(d->ns, capacity * sizeof(*larger));
        if (larger != NULL) {
            d->ns = larger;
            d->capacity = capacity;
        }
    }
    if (d->count < d->capacity) {
        d->ns[d->count++] = ns;
    }
}

double durations_mean_us(const durations *d)
{
    return d->calls > 0 ? (double)d->sum_ns * 1e-3 / (double)d->calls : 0;
}

static int compare_ns(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

double durations_share_us(durations *d, double share)
{
    if (d->count == 0) {
        return 0;
    }
    if (!d->is_sorted) {
        qsort(d->ns, d->count, sizeof(*d->ns), compare_ns);
        d->is_sorted = true;
    }
    return (double)d->ns[(size_t)(share * (double)(d->count - 1))] * 1e-3;
}

void durations_json(json *j, const char *key, durations *d)
{
    json_object(j, key);
    json_number(j, "mean", durations_mean_us(d), 3);
    json_number(j, "p50", durations_share_us(d, 0.5), 3);
    json_number(j, "p99", durations_share_us(d, 0.99), 3);
    json_number(j, "max", durations_share_us(d, 1), 3);
    json_close(j);
}

void durations_free(durations *d)
{
    free(d->ns);
    *d = (durations){0};
}

bool run_stats_open(run_stats *s, bks_tick ticks)
{
    return run_least_open(&s->least, ticks);
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
    TEXT_SET(stretch->name, "%s", name);
    return stretch;
}

void run_stats_mark(run_stats *s, const char *name)
{
    const uint64_t now = tool_clock_ns(NULL);
    run_stats_stretch *stretch = find_stretch(s, name);
    if (stretch != NULL) {
        durations_add(&stretch->times, now - s->mark_ns);
    }
    // Do not count the time of this function as time of the step.
    const uint64_t after = tool_clock_ns(NULL);
    s->step_begun_ns += after - now;
    s->mark_ns = after;
}

void run_stats_end_step(run_stats *s, bks_tick tick)
{
    const uint64_t ns = tool_clock_ns(NULL) - s->step_begun_ns;
    durations_add(&s->steps, ns);
    run_least_add(&s->least, tick, ns);
    s->run_sum_ns += ns;
    s->run_steps++;
}

void run_stats_end_run(run_stats *s)
{
    if (s->run_steps > 0 && s->run_count < RUN_STATS_RUNS_MAX) {
        s->run_mean_us[s->run_count++] = (double)s->run_sum_ns * 1e-3 / (double)s->run_steps;
    }
    run_least_end_run(&s->least);
}

void run_stats_free(run_stats *s)
{
    durations_free(&s->steps);
    durations_free(&s->draws);
    for (uint32_t i = 0; i < s->mark_count; i++) {
        durations_free(&s->marks[i].times);
    }
    run_least_free(&s->least);
    *s = (run_stats){0};
}

// Insert a tick into the list of the ticks with the longest steps, in order.
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
    for (bks_tick tick = 0; tick < s->least.ticks; tick++) {
        const uint64_t ns = run_least_of_tick(&s->least, tick);
        if (ns > 0) {
            count = insert(out, count, (run_stats_tick){.tick = tick, .ns = ns});
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
    const run_least_means least = run_least_mean(&s->least);
    json_object(j, "least_us");
    json_number(j, "all", least.all_us, 4);
    json_number(j, "half", least.half_us[0], 4);
    json_number(j, "other_half", least.half_us[1], 4);
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
        TEXT_SET(what, "  to %s", s->marks[i].name);
        print_line(what, &s->marks[i].times);
    }
    if (s->draws.count > 0) {
        print_line("drawing", &s->draws);
    }
    if (s->run_count > 1) {
        const run_stats_spread spread = run_stats_scatter(s->run_mean_us, s->run_count);
        printf("  %" PRIu32
               " runs: a step took %.3f us (median of the runs), the middle half %.3f to %.3f\n",
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
