// SPDX-License-Identifier: MIT

#include "diagnose/check/check_race.h"

#include <string.h>

#include "base/process.h"
#include "base/stop.h"
#include "diagnose/variants/variants.h"

// BATCH: runs between two looks at how many differ. SERIAL_MIN: fewest runs with threads one after
// another. CHANCE: these differ in none of so many cases by chance alone. Since runs are counted
// several times until that is so, and may be of two kinds, chance proves a race in one of 136 cases
// at most. REPEATS: runs of each kind that must come to the same before a difference is no race.
// BUDGET_S: time after which no further difference is tried, so that it counts as one that may be a
// race.
enum {
    BATCH = 6,
    SERIAL_MIN = 4,
    CHANCE = 200,
    REPEATS = 2,
    BUDGET_S = 60,
    PLACES_MAX = BATCH + CHECK_RACE_PLAIN_MAX,
};

/// Search for a race in a report.
typedef struct race_search {
    check_run *run;
    check_report *report;
    const check_options *options; ///< options of the whole check
    check_options shorter;        ///< options of a run up to the tick of a difference
    uint64_t until_ns;            ///< time at which the budget ends
    uint32_t place_count;
    /// Differences of runs without a change.
    check_finding places[PLACES_MAX];
} race_search;

static const check_request no_request;

static bool has_time(const race_search *s)
{
    return process_time_now_ns() < s->until_ns && !stop_is_wanted();
}

static int run_once(race_search *s, const check_variant *variant, const char *value, int64_t ticks,
                    bool is_serial, check_result *out)
{
    s->shorter = *s->options;
    s->shorter.ticks = ticks;
    s->run->options = &s->shorter;
    s->run->value = value;
    s->run->is_serial = is_serial;
    const int status = check_run_once(s->run, variant, &no_request, out);
    s->run->options = s->options;
    s->run->is_serial = false;
    return status;
}

// ---- runs without a change ----

static check_outcome *find_outcome(check_report *report, const check_variant *variant)
{
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->outcomes[i].variant == variant) {
            return &report->outcomes[i];
        }
    }
    for (uint32_t i = 0; i < report->asked_count; i++) {
        if (report->asked[i].variant == variant) {
            return &report->asked[i];
        }
    }
    return NULL;
}

// Run a variant that changes no result of a sound game. The first difference is also its outcome.
static int sample(race_search *s, const check_variant *variant, uint32_t most, check_race *race)
{
    check_outcome *outcome = find_outcome(s->report, variant);
    while (race->plain < most && check_race_wants_plain(race->plain, race->plain_differ) &&
           (race->plain < BATCH || has_time(s))) {
        check_result result;
        const int status = run_once(s, variant, NULL, s->options->ticks, false, &result);
        if (status != TOOL_OK) {
            return status;
        }
        race->plain++;
        if (result.same != CHECK_DIFFERS) {
            continue;
        }
        race->plain_differ++;
        s->places[s->place_count++] = result.found;
        if (outcome != NULL && outcome->result.same != CHECK_DIFFERS) {
            outcome->result = result;
        }
    }
    return TOOL_OK;
}

static bks_tick earliest(const race_search *s)
{
    bks_tick tick = s->places[0].tick;
    for (uint32_t i = 1; i < s->place_count; i++) {
        tick = s->places[i].tick < tick ? s->places[i].tick : tick;
    }
    return tick;
}

static bks_tick latest(const race_search *s)
{
    bks_tick tick = 0;
    for (uint32_t i = 0; i < s->place_count; i++) {
        tick = s->places[i].tick > tick ? s->places[i].tick : tick;
    }
    return tick;
}

// If threads are no cause, each set of runs differs as likely as any other of that size, and those
// that do are all plain ones in one of so many cases.
uint32_t check_race_runs_needed(uint32_t plain, uint32_t differ)
{
    uint32_t runs = SERIAL_MIN - 1;
    double chance = 1;
    while (chance * CHANCE > 1 && runs <= CHECK_RACE_SERIAL_MAX) {
        runs++;
        chance = 1;
        for (uint32_t i = 0; i < differ; i++) {
            chance *= (double)(plain - i) / (plain + runs - i);
        }
    }
    return runs;
}

bool check_race_wants_plain(uint32_t plain, uint32_t differ)
{
    const bool is_first = plain == 0 || plain % BATCH != 0;
    return plain < CHECK_RACE_PLAIN_MAX &&
           (is_first ||
            (differ > 0 && check_race_runs_needed(plain, differ) > CHECK_RACE_SERIAL_MAX));
}

// Run without a change, and with threads held up if too few of those runs differ to prove a race.
static int sample_plain(race_search *s)
{
    check_race held_up = {.is_held_up = true};
    check_race *race = &s->report->race;
    int status = sample(s, &vary_baseline, BATCH, race);
    if (status == TOOL_OK &&
        check_race_runs_needed(race->plain, race->plain_differ) > CHECK_RACE_SERIAL_MAX) {
        status = sample(s, &vary_threads, CHECK_RACE_PLAIN_MAX, &held_up);
    }
    if (held_up.plain_differ > 0 || (held_up.plain > 0 && race->plain_differ == 0)) {
        *race = held_up;
    }
    return status;
}

const check_variant *check_race_serial_variant(uint32_t runs)
{
    return runs < SERIAL_MIN ? &vary_world : &vary_baseline;
}

static const check_variant *serial_variant(race_search *s)
{
    const check_outcome *world = find_outcome(s->report, &vary_world);
    const bool is_of_world = world != NULL && world->by_threads == CHECK_STAYS;
    return is_of_world ? &vary_baseline : check_race_serial_variant(s->report->race.serial);
}

static int sample_serial(race_search *s)
{
    check_race *race = &s->report->race;
    const uint32_t needed = check_race_runs_needed(race->plain, race->plain_differ);
    const uint32_t runs = needed > CHECK_RACE_SERIAL_MAX ? SERIAL_MIN : needed;
    int status = TOOL_OK;
    while (race->serial < runs && race->serial_differ == 0 && status == TOOL_OK && has_time(s)) {
        check_result result;
        status = run_once(s, serial_variant(s), NULL, (int64_t)latest(s) + 1, true, &result);
        race->serial += status == TOOL_OK ? 1 : 0;
        race->serial_differ += status == TOOL_OK && result.same != CHECK_SAME ? 1 : 0;
    }
    race->is_proven = race->serial >= needed && race->serial_differ == 0;
    return status;
}

// ---- differences with threads one after another ----

// Return true if two findings are of the same value in the same tick, with the same result.
static bool is_same_finding(const check_report *report, const check_finding *a,
                            const check_finding *b)
{
    return a->tick == b->tick && strcmp(a->mark, b->mark) == 0 &&
           strcmp(a->object, b->object) == 0 && strcmp(a->field, b->field) == 0 &&
           (!report->has_fixed_addresses || strcmp(a->b, b->b) == 0);
}

// Return true if two names are the same but for numbers, as units[3] and units[12] are.
static bool is_same_name(const char *a, const char *b)
{
    while (*a != '\0' || *b != '\0') {
        a += strspn(a, "0123456789");
        b += strspn(b, "0123456789");
        if (*a != *b) {
            return false;
        }
        a += *a != '\0' ? 1 : 0;
        b += *b != '\0' ? 1 : 0;
    }
    return true;
}

// Return true if runs without a change differ in the same value, or in another of its kind.
static bool is_of_race(const race_search *s, const check_finding *found)
{
    for (uint32_t i = 0; i < s->place_count; i++) {
        const check_finding *place = &s->places[i];
        if (strcmp(place->mark, found->mark) == 0 && is_same_name(place->object, found->object) &&
            is_same_name(place->field, found->field)) {
            return true;
        }
    }
    return false;
}

// Run a change again, with threads one after another and as they come. A fault that is no race is
// found at the same place each time.
static int repeat(race_search *s, const check_outcome *outcome, const check_finding *first,
                  bool *stays)
{
    const int64_t ticks = check_fault_ticks(outcome->variant, first->tick, s->options->ticks);
    int status = TOOL_OK;
    *stays = true;
    for (uint32_t i = 0; i < 2 * REPEATS && *stays && status == TOOL_OK; i++) {
        check_result result;
        status = run_once(s, outcome->variant, outcome->value, ticks, i % 2 == 0, &result);
        *stays = status == TOOL_OK && result.same == CHECK_DIFFERS &&
                 is_same_finding(s->report, first, &result.found);
    }
    return status;
}

// Find out whether a difference stays with threads one after another. One that comes no earlier
// than those of runs without a change may be their race all the same: stepping more often than
// usual, for one, changes the order of the threads of a pool.
static int try_outcome(race_search *s, check_outcome *outcome)
{
    const check_finding *found = &outcome->result.found;
    const int64_t ticks = check_fault_ticks(outcome->variant, found->tick, s->options->ticks);
    check_result first;
    bool stays = false;
    int status = run_once(s, outcome->variant, outcome->value, ticks, true, &first);
    if (status != TOOL_OK) {
        return status;
    }
    if (first.same != CHECK_DIFFERS) {
        outcome->by_threads = CHECK_GOES;
        return TOOL_OK;
    }
    const bool is_late = s->place_count > 0 && first.found.tick >= earliest(s);
    if (is_late && outcome->variant != &vary_baseline) {
        outcome->by_threads = is_of_race(s, &first.found) ? CHECK_GOES : CHECK_VARIES;
        return TOOL_OK;
    }
    status = repeat(s, outcome, &first.found, &stays);
    outcome->by_threads = stays ? CHECK_STAYS : CHECK_VARIES;
    return status;
}

// Return true if a difference must be tried. The variant `threads` orders the threads itself, and
// variants with a comparison of their own do not compare two processes.
static bool is_wanted(const check_outcome *outcome)
{
    return outcome->result.same == CHECK_DIFFERS && outcome->variant != &vary_threads &&
           outcome->variant->compare == NULL && !outcome->result.found.is_of_baseline &&
           outcome->by_threads == CHECK_NOT_TRIED;
}

static int try_each(race_search *s, check_outcome *outcomes, uint32_t count)
{
    int status = TOOL_OK;
    for (uint32_t i = 0; i < count && status == TOOL_OK; i++) {
        if (is_wanted(&outcomes[i]) && !has_time(s)) {
            outcomes[i].by_threads = CHECK_VARIES;
        } else if (is_wanted(&outcomes[i])) {
            status = try_outcome(s, &outcomes[i]);
        }
    }
    return status;
}

// Try the baseline's outcome. If two plain runs differ with threads one after another, too, that
// explains all other differences.
static int try_baseline(race_search *s, bool *explains)
{
    check_outcome *baseline = find_outcome(s->report, &vary_baseline);
    *explains = false;
    if (baseline == NULL || !is_wanted(baseline)) {
        return TOOL_OK;
    }
    const int status = try_outcome(s, baseline);
    if (baseline->by_threads == CHECK_GOES && s->report->race.serial_differ > 0) {
        baseline->by_threads = CHECK_VARIES;
    }
    *explains = baseline->by_threads != CHECK_GOES;
    return status;
}

int check_race_find(check_run *run, check_report *report)
{
    static race_search s;
    const check_race *race = &report->race;
    bool explains = false;
    s = (race_search){.run = run,
                      .report = report,
                      .options = report->options,
                      .until_ns = process_time_now_ns() + BUDGET_S * UINT64_C(1000000000)};
    int status = sample_plain(&s);
    check_outcome *world = find_outcome(report, &vary_world);
    if (status == TOOL_OK && race->plain_differ > 0 && world != NULL) {
        status = try_each(&s, world, 1);
    }
    if (status == TOOL_OK && race->plain_differ > 0) {
        status = sample_serial(&s);
    }
    if (status == TOOL_OK) {
        status = try_baseline(&s, &explains);
    }
    if (status == TOOL_OK && !explains) {
        status = try_each(&s, report->outcomes, report->count);
    }
    if (status == TOOL_OK && !explains) {
        status = try_each(&s, report->asked, report->asked_count);
    }
    return status;
}
