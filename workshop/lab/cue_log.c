// SPDX-License-Identifier: MIT

#include "lab/cue_log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/// Maximum number of places by which a cue may be out of order: a cue that was reported late stands
/// in the log at most so many entries, not counting cancelled ones, after its place in the order of
/// ticks.
#define ORDER_ROOM 1024u

void bksi_cue_log_begin(bksi_cue_log *log, const bks_game *game, const bks_allocator *allocator)
{
    *log = (bksi_cue_log){.game = game, .allocator = *allocator};
}

void bksi_cue_log_end(bksi_cue_log *log)
{
    bksi_free(&log->allocator, log->reported, log->capacity * sizeof(*log->reported));
    *log = (bksi_cue_log){0};
}

static void blame(bksi_cue_log *log, const char *format, ...) BKS_PRINTF(2, 3);

static void blame(bksi_cue_log *log, const char *format, ...)
{
    if (log->why[0] != '\0') {
        return;
    }
    va_list values;
    va_start(values, format);
    (void)vsnprintf(log->why, sizeof(log->why), format, values);
    va_end(values);
}

static bool grow(bksi_cue_log *log)
{
    const size_t capacity = 2 * log->capacity + 64;
    bksi_reported_cue *grown =
        bksi_alloc(&log->allocator, capacity * sizeof(*grown), _Alignof(bksi_reported_cue));
    if (grown == NULL) {
        blame(log, "no memory for %zu cues", capacity);
        return false;
    }
    if (log->count > 0) {
        memcpy(grown, log->reported, log->count * sizeof(*grown));
    }
    bksi_free(&log->allocator, log->reported, log->capacity * sizeof(*grown));
    log->reported = grown;
    log->capacity = capacity;
    return true;
}

static const char *name_of(const bksi_cue_log *log, const bks_cue_event *event)
{
    return log->game->cues[event->id].name;
}

static bks_tick moves_of(const bksi_cue_log *log, const bks_cue_event *event)
{
    const bks_cue_type *type = &log->game->cues[event->id];
    const uint32_t moves = type->moves_ticks > 0 ? type->moves_ticks : BKS_CUE_MOVES_TICKS;
    return type->when == BKS_CUE_AT_ONCE ? (bks_tick)moves : 0;
}

static bool is_when(const bksi_cue_log *log, const bks_cue_event *event, bks_cue_when when)
{
    return log->game->cues[event->id].when == when;
}

static bksi_reported_cue *find(const bksi_cue_log *log, uint64_t serial)
{
    for (size_t i = log->count; i > 0; i--) {
        if (log->reported[i - 1].event.serial == serial) {
            return &log->reported[i - 1];
        }
    }
    return NULL;
}

static bool is_near(const bks_cue_event *a, const bks_cue_event *b, bks_tick moves)
{
    return a->id == b->id && a->key == b->key && a->tick - b->tick <= moves &&
           b->tick - a->tick <= moves;
}

/// Check that a new cue does not repeat a nearby cue that was cancelled in the same update, or
/// while it could still move. The session should have moved that cue instead of cancelling it.
static void check_restart(bksi_cue_log *log, const bks_cue_event *started)
{
    const bks_tick moves = moves_of(log, started);
    const size_t from = log->count > ORDER_ROOM ? log->count - ORDER_ROOM : 0;
    for (size_t i = from; i < log->count && moves > 0; i++) {
        const bksi_reported_cue *reported = &log->reported[i];
        const bks_cue_event *old = &reported->event;
        if (reported->is_cancelled && is_near(old, started, moves) &&
            (reported->update == log->update || (bks_tick)old->late_ticks < moves)) {
            blame(log, "%s %" PRIu64 " of tick %d moved to tick %d, and started again",
                  name_of(log, started), started->key, (int)old->tick, (int)started->tick);
        }
    }
}

void bksi_cue_log_add(bksi_cue_log *log, const bks_cue_event *event)
{
    if (event == NULL) {
        log->update++;
        return;
    }
    if (event->kind == BKS_CUE_STARTED) {
        check_restart(log, event);
        if (log->count < log->capacity || grow(log)) {
            log->reported[log->count++] = (bksi_reported_cue){.event = *event};
        }
        return;
    }
    bksi_reported_cue *reported = find(log, event->serial);
    if (reported == NULL || reported->is_cancelled || !is_when(log, event, BKS_CUE_AT_ONCE)) {
        blame(log, "%s of tick %d is %s, and none is live", name_of(log, event), (int)event->tick,
              event->kind == BKS_CUE_CHANGED ? "changed" : "cancelled");
        return;
    }
    reported->event = *event;
    reported->update = log->update;
    reported->is_cancelled = event->kind == BKS_CUE_CANCELLED;
}

static bool is_same(const bks_cue_event *a, const bks_cue_event *b)
{
    return a->id == b->id && a->key == b->key && a->bytes == b->bytes &&
           memcmp(a->payload, b->payload, sizeof(a->payload)) == 0;
}

// ---- cues reported once their tick is confirmed ----

/// Return the index of the next reported cue of a kind whose tick is before `until`; log->count:
/// none.
static size_t next_of(const bksi_cue_log *log, size_t index, bks_cue_when when, bks_tick until)
{
    while (index < log->count && (!is_when(log, &log->reported[index].event, when) ||
                                  log->reported[index].event.tick >= until)) {
        index++;
    }
    return index;
}

static void compare_confirmed(bksi_cue_log *reported, const bksi_cue_log *straight, bks_tick until)
{
    size_t a = next_of(reported, 0, BKS_CUE_CONFIRMED, until);
    size_t b = next_of(straight, 0, BKS_CUE_CONFIRMED, until);
    while (a < reported->count && b < straight->count) {
        const bks_cue_event *is = &reported->reported[a].event;
        const bks_cue_event *wanted = &straight->reported[b].event;
        if (!is_same(is, wanted) || is->tick != wanted->tick) {
            blame(reported,
                  "reported as confirmed is %s %" PRIu64 " of tick %d, played straight %s %" PRIu64
                  " of tick %d",
                  name_of(reported, is), is->key, (int)is->tick, name_of(straight, wanted),
                  wanted->key, (int)wanted->tick);
            return;
        }
        a = next_of(reported, a + 1, BKS_CUE_CONFIRMED, until);
        b = next_of(straight, b + 1, BKS_CUE_CONFIRMED, until);
    }
    if (a < reported->count || b < straight->count) {
        const bks_cue_event *alone =
            a < reported->count ? &reported->reported[a].event : &straight->reported[b].event;
        blame(reported, "%s of tick %d is reported as confirmed %s", name_of(reported, alone),
              (int)alone->tick, a < reported->count ? "and did not happen" : "never");
    }
}

// ---- cues reported at once ----

static bool is_live(const bksi_cue_log *log, const bksi_reported_cue *reported)
{
    return !reported->is_cancelled && is_when(log, &reported->event, BKS_CUE_AT_ONCE);
}

/// Find the earliest cue, not cancelled, that may correspond to a cue of the reference.
static bksi_reported_cue *find_live(bksi_cue_log *log, const bks_cue_event *wanted, size_t *from)
{
    const bks_tick moves = moves_of(log, wanted);
    bksi_reported_cue *best = NULL;
    uint32_t open = 0;
    for (size_t i = *from; i < log->count && open < ORDER_ROOM; i++) {
        bksi_reported_cue *reported = &log->reported[i];
        if (reported->is_matched || !is_live(log, reported)) {
            continue;
        }
        open++;
        if (is_near(&reported->event, wanted, moves) &&
            (best == NULL || reported->event.tick < best->event.tick)) {
            best = reported;
        }
    }
    while (*from < log->count &&
           (log->reported[*from].is_matched || !is_live(log, &log->reported[*from]))) {
        (*from)++;
    }
    return best;
}

static void compare_at_once(bksi_cue_log *reported, const bksi_cue_log *straight, bks_tick until)
{
    size_t from = 0;
    for (size_t i = 0; i < straight->count; i++) {
        const bks_cue_event *wanted = &straight->reported[i].event;
        if (!is_when(straight, wanted, BKS_CUE_AT_ONCE)) {
            continue;
        }
        bksi_reported_cue *found = find_live(reported, wanted, &from);
        if (found == NULL && wanted->tick + moves_of(straight, wanted) < until) {
            blame(reported, "%s %" PRIu64 " of tick %d is not reported", name_of(straight, wanted),
                  wanted->key, (int)wanted->tick);
            return;
        }
        if (found == NULL) {
            continue;
        }
        found->is_matched = true;
        if (found->event.tick < until && wanted->tick < until && !is_same(&found->event, wanted)) {
            blame(reported,
                  "%s %" PRIu64 " of tick %d is reported with another payload than at tick %d",
                  name_of(straight, wanted), wanted->key, (int)wanted->tick,
                  (int)found->event.tick);
        }
    }
    for (size_t i = 0; i < reported->count; i++) {
        const bksi_reported_cue *one = &reported->reported[i];
        if (is_live(reported, one) && !one->is_matched &&
            one->event.tick + moves_of(reported, &one->event) < until) {
            blame(reported, "%s %" PRIu64 " of tick %d did not happen, and is not cancelled",
                  name_of(reported, &one->event), one->event.key, (int)one->event.tick);
        }
    }
}

const char *bksi_cue_log_compare(bksi_cue_log *reported, const bksi_cue_log *straight,
                                 bks_tick until)
{
    compare_confirmed(reported, straight, until);
    compare_at_once(reported, straight, until);
    return reported->why[0] != '\0' ? reported->why : NULL;
}
