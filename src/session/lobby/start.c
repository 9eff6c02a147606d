// SPDX-License-Identifier: MIT

// Equal start: a match begins only if every guest made the same state of the first tick as the
// host.
//
//   JOIN ready        carries the hash of the guest's state
//   ROSTER unequal    a guest's hash is not the host's: guests send the hashes of the state's parts
//   JOIN explains     carries the hashes of the parts
//   REFUSE            verdict of the host: peers whose states differ, and the differing parts
//
// A part is a named range of the state, or a piece of the state if the game names no range. Each
// peer names the parts by its own knowledge of the game; on the wire they are numbers.

#include "session/lobby/start.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"

_Static_assert(BKSI_PARTS_MAX == BKS_START_RANGES_MAX, "what a message carries");

/// Time that the host waits for hashes of parts from its guests before it reports the difference.
#define PARTS_PATIENCE_NS NS_PER_SECOND

/// Longest name of a part in a message to the player.
#define PART_NAME_CHARS_MAX 40

void bksi_start_set_up(session_start *start, const void *setup, size_t bytes)
{
    if (bytes > 0) {
        memcpy(start->setup, setup, bytes);
    }
    start->setup_bytes = bytes;
}

void bksi_start_begin_view(const session_start *start, const session_seats *seats,
                           session_membership *membership)
{
    const uint64_t roster = bksi_seats_hash(seats, start->setup, start->setup_bytes);
    bksi_membership_begin(membership, 0, roster, seats->all);
}

void bksi_start_made(session_start *start)
{
    start->is_made = true;
}

void bksi_start_hashed(session_start *start, uint64_t hash)
{
    start->hash = hash;
    start->is_hashed = true;
}

bool bksi_start_wants_parts(const session_start *start)
{
    return start->is_unequal && !start->has_parts;
}

void bksi_start_take_parts(session_start *start, const uint64_t *hashes, uint32_t count)
{
    start->has_parts = true;
    start->parts.count = hashes == NULL ? 0 : count > BKSI_PARTS_MAX ? BKSI_PARTS_MAX : count;
    if (start->parts.count > 0) {
        memcpy(start->parts.hashes, hashes, start->parts.count * sizeof(hashes[0]));
    }
}

void bksi_start_take_unequal(session_start *start, bool is_unequal)
{
    start->is_unequal = is_unequal;
}

void bksi_start_wait_for_all(session_start *start)
{
    start->is_unequal = false;
    memset(start->peers, 0, sizeof(start->peers));
}

// ---- differences in words ----

typedef struct sentence {
    char *text;
    size_t capacity;
    size_t at;
} sentence;

static BKS_PRINTF(2, 3) void add(sentence *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(s->text + s->at, s->capacity - s->at, format, arguments);
    va_end(arguments);
    s->at += count > 0 ? (size_t)count : 0;
    s->at = s->at < s->capacity ? s->at : s->capacity - 1;
}

static void name_part(const session_common *common, uint32_t part, char name[64])
{
    const bks_session_config *config = &common->config;
    if (part < config->range_count) {
        (void)snprintf(name, 64, "`%.*s`", PART_NAME_CHARS_MAX, config->ranges[part].name);
    } else {
        (void)snprintf(name, 64, "%s %u", config->range_count > 0 ? "range" : "part", part);
    }
}

/// Add a description of the differing parts in the words of our owner
/// (bks_session_config.name_parts).
/// @return false if the owner has no words for them
static bool add_contents(const session_start *start, const session_common *common,
                         const bksi_difference *difference, sentence *s)
{
    const bks_session_config *config = &common->config;
    char text[512];
    const size_t room = s->capacity - s->at - 1;
    if (config->name_parts == NULL || room < 2 || !start->is_made) {
        return false;
    }
    const size_t count =
        config->name_parts(config->name_parts_context, difference->differ, difference->parts, text,
                           room < sizeof(text) ? room : sizeof(text));
    if (count > 0) {
        add(s, " %s", text);
    }
    return count > 0;
}

/// Add the names of as many parts as fit, and the number of the other parts.
static void add_parts(const session_start *start, const session_common *common,
                      const bksi_difference *difference, sentence *s)
{
    static const size_t more_chars = sizeof(" and 119 more") - 1;
    uint32_t left = 0;
    for (uint32_t i = 0; i < difference->parts; i++) {
        left += bksi_difference_has(difference, i) ? 1 : 0;
    }
    if (left == 0) {
        add(s,
            common->config.range_count > 0
                ? ", outside its %u named ranges: its size, or other bytes"
                : ", in none of the %u parts compared",
            difference->parts);
    } else if (add_contents(start, common, difference, s)) {
        return;
    }
    const char *before = " in ";
    for (uint32_t i = 0; i < difference->parts && left > 0; i++) {
        if (!bksi_difference_has(difference, i)) {
            continue;
        }
        char name[64];
        name_part(common, i, name);
        if (s->at + strlen(before) + strlen(name) + (left > 1 ? more_chars : 0) >= s->capacity) {
            break;
        }
        add(s, "%s%s", before, name);
        before = ", ";
        left--;
    }
    if (left > 0) {
        add(s, "%s%u more", before[0] == ',' ? " and " : before, left);
    }
}

static void describe(const session_start *start, const session_common *common,
                     const bksi_difference *difference, char *text, size_t capacity)
{
    sentence s = {.text = text, .capacity = capacity};
    add(&s, "the states of tick %d differ: peer", (int)common->seats.first_tick);
    const char *before = " ";
    EACH_PEER (i, difference->peers & ~PEER_BIT(0)) {
        add(&s, "%s%u%s", before, i, i == common->seats.self ? " (us)" : "");
        before = ", ";
    }
    add(&s, " from the host%s", common->seats.self == 0 ? " (us)" : "");
    if (difference->parts > 0) {
        add_parts(start, common, difference, &s);
    }
}

void bksi_start_report_builds(session_events *events, const session_common *common)
{
    const char *game = common->compat.game;
    EACH_PEER (i, common->seats.all) {
        uint64_t theirs = common->seats.peers[i].build;
        uint64_t ours = common->config.build;
        if (i == common->seats.self || theirs == 0 || ours == 0 || theirs == ours) {
            continue;
        }
        bks_event *event =
            bksi_events_report(events, BKS_EVENT_OTHER_BUILD, i, common->seats.first_tick,
                               "peer %u plays another build of `%s`: theirs %08x, ours %08x", i,
                               game, (uint32_t)(theirs >> 32), (uint32_t)(ours >> 32));
        bksi_log(BKS_LOG_INFO, "session.build", "%s", event->text);
    }
}

void bksi_start_fail(session_start *start, session_phase *phase, session_events *events,
                     const session_common *common, const bksi_difference *difference)
{
    const uint32_t peers = difference->peers & common->seats.all;
    if (peers == 0) {
        return;
    }
    const uint32_t first = bksi_peers_lowest(peers);
    start->difference = *difference;
    start->difference.peers = peers;
    bksi_phase_fail(phase);
    bksi_start_report_builds(events, common);
    bks_event *event =
        bksi_events_raise(events, BKS_EVENT_REFUSED, first, common->seats.first_tick);
    event->own_hash = start->hash;
    event->peer_hash = common->config.is_host ? start->peers[first].hash : 0;
    describe(start, common, &start->difference, event->text, sizeof(event->text));
    bksi_log(BKS_LOG_ERROR, "session.start", "%s", event->text);
}

// ---- for the host ----

static uint32_t peers_that_differ(const session_start *start, const session_common *common)
{
    uint32_t peers = 0;
    EACH_PEER (i, common->seats.all & ~PEER_BIT(0)) {
        peers |= start->peers[i].hash != start->hash ? PEER_BIT(i) : 0;
    }
    return peers;
}

/// Return true if the hashes of the parts have come from all `peers`, and our own are known.
static bool parts_are_here(const session_start *start, uint32_t peers)
{
    EACH_PEER (i, peers) {
        if (!start->peers[i].has_parts) {
            return false;
        }
    }
    return start->has_parts;
}

static void compare_parts(const bksi_parts *ours, const bksi_parts *theirs,
                          bksi_difference *difference)
{
    if (ours->count == 0 || theirs->count == 0) {
        return;
    }
    uint32_t count = ours->count > theirs->count ? ours->count : theirs->count;
    difference->parts = count > difference->parts ? count : difference->parts;
    for (uint32_t i = 0; i < count; i++) {
        bool is_same = i < ours->count && i < theirs->count && ours->hashes[i] == theirs->hashes[i];
        if (!is_same) {
            difference->differ[i / 8] |= (uint8_t)(1u << i % 8);
        }
    }
}

start_verdict bksi_start_compare(session_start *start, const session_common *common,
                                 bksi_difference *difference)
{
    if (!start->is_hashed) {
        return START_UNKNOWN;
    }
    uint32_t peers = peers_that_differ(start, common);
    if (peers == 0) {
        return START_EQUAL;
    }
    if (!start->is_unequal) {
        start->is_unequal = true;
        start->unequal_ns = common->now_ns;
    }
    if (!parts_are_here(start, peers) && common->now_ns - start->unequal_ns <= PARTS_PATIENCE_NS) {
        return START_UNKNOWN;
    }
    *difference = (bksi_difference){.peers = peers};
    EACH_PEER (i, peers) {
        if (start->peers[i].has_parts) {
            compare_parts(&start->parts, &start->peers[i].parts, difference);
        }
    }
    return START_FAILED;
}

void bksi_start_heard(session_start *start, uint32_t index, const bksi_join *join)
{
    session_start_peer *peer = &start->peers[index];
    // Ignore "not ready" in a JOIN: a newer JOIN may have overtaken it.
    if (join->ready != BKSI_NOT_READY) {
        peer->is_ready = true;
        peer->hash = join->start_hash;
    }
    if (join->ready == BKSI_EXPLAINS) {
        peer->has_parts = true;
        peer->parts = join->parts;
    }
}
