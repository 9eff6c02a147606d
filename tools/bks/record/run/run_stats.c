// SPDX-License-Identifier: MIT

#include "record/run/run_stats.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/tool.h"

enum { LONGEST_MAX = 10 }; // number of ticks in the list of the longest steps

static void add_ns(samples *s, uint64_t ns)
{
    samples_add(s, (double)ns * 1e-3);
}

static void json_times(json *j, const char *key, samples *us)
{
    json_object(j, key);
    json_number(j, "mean", samples_mean(us), 3);
    json_number(j, "p50", samples_share(us, 0.5), 3);
    json_number(j, "p99", samples_share(us, 0.99), 3);
    json_number(j, "max", samples_share(us, 1), 3);
    json_close(j);
}

bool run_stats_open(run_stats *s, bks_tick first, bks_tick end)
{
    return run_least_open(&s->least, first, end);
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
        add_ns(&stretch->times, now - s->mark_ns);
    }
    // Do not count the time of this function as time of the step.
    const uint64_t after = tool_clock_ns(NULL);
    s->step_begun_ns += after - now;
    s->mark_ns = after;
}

void run_stats_end_step(run_stats *s, bks_tick tick)
{
    const uint64_t ns = tool_clock_ns(NULL) - s->step_begun_ns;
    add_ns(&s->steps, ns);
    run_least_add(&s->least, tick, ns);
    s->run_sum_ns += ns;
    s->run_steps++;
}

void run_stats_end_run(run_stats *s)
{
    if (s->run_steps > 0) {
        samples_add(&s->run_means, (double)s->run_sum_ns * 1e-3 / (double)s->run_steps);
    }
    s->least.run_count++;
}

void run_stats_free(run_stats *s)
{
    samples_free(&s->steps);
    samples_free(&s->draws);
    samples_free(&s->run_means);
    for (uint32_t i = 0; i < s->mark_count; i++) {
        samples_free(&s->marks[i].times);
    }
    run_least_free(&s->least);
    *s = (run_stats){0};
}

// Find the ticks whose steps took longest, the longest first.
// @param out  receives them, counted from the first tick on
// @return their number
static uint32_t find_longest(const run_least *least, bks_tick out[LONGEST_MAX])
{
    uint32_t count = 0;
    for (bks_tick i = 0; i < least->ticks; i++) {
        uint32_t at = count < LONGEST_MAX ? count : LONGEST_MAX - 1;
        if (least->ns[i] == 0 || (count == LONGEST_MAX && least->ns[i] <= least->ns[out[at]])) {
            continue;
        }
        for (; at > 0 && least->ns[out[at - 1]] < least->ns[i]; at--) {
            out[at] = out[at - 1];
        }
        out[at] = i;
        count += count < LONGEST_MAX ? 1 : 0;
    }
    return count;
}

void run_stats_json(json *j, run_stats *s)
{
    json_times(j, "step_us", &s->steps);
    json_times(j, "draw_us", &s->draws);
    json_row(j, "runs_us");
    for (size_t i = 0; i < s->run_means.count; i++) {
        json_number(j, NULL, s->run_means.values[i], 4);
    }
    json_close(j);
    json_number(j, "least_us", run_least_mean_us(&s->least), 4);
    json_object(j, "marks");
    for (uint32_t i = 0; i < s->mark_count; i++) {
        json_times(j, s->marks[i].name, &s->marks[i].times);
    }
    json_close(j);
    json_array(j, "longest");
    bks_tick longest[LONGEST_MAX];
    const uint32_t count = find_longest(&s->least, longest);
    for (uint32_t i = 0; i < count; i++) {
        json_object(j, NULL);
        json_int(j, "tick", s->least.first + longest[i]);
        json_number(j, "us", (double)s->least.ns[longest[i]] * 1e-3, 3);
        json_close(j);
    }
    json_close(j);
}

static void print_line(const char *what, samples *us)
{
    printf("  %-20.20s %10.2f %10.2f %10.2f %10.2f\n", what, samples_mean(us),
           samples_share(us, 0.5), samples_share(us, 0.99), samples_share(us, 1));
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
    samples *runs = &s->run_means;
    if (runs->count > 1) {
        printf(
            "  %zu runs: a step took %.3f us (median of the runs), the middle half %.3f to %.3f\n",
            runs->count, samples_share(runs, 0.5), samples_share(runs, 0.25),
            samples_share(runs, 0.75));
    }
    printf("  longest ticks:");
    bks_tick longest[LONGEST_MAX];
    const uint32_t count = find_longest(&s->least, longest);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s %" PRId32 " (%.1f)", i > 0 ? "," : "", s->least.first + longest[i],
               (double)s->least.ns[longest[i]] * 1e-3);
    }
    printf("\n");
}
