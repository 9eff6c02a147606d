// SPDX-License-Identifier: MIT

// When the states of two peers begin to differ at a tick, the state map compares both states of
// that tick. The previous tick is also stepped again from both peers' states, to find the first
// mark at which they differ. A difference by a flipped bit, a static variable or another thread
// does not show when a tick is stepped again.

#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/runner.h"
#include "backstitch/toolkit/state_map.h"
#include "base/memory.h"
#include "base/report.h"
#include "lab/lab_history.h"
#include "lab/lab_internal.h"
#include "peer/peer_inspect.h"

/// Maximum number of marks of one step that are compared. Later marks count as the end of the step.
enum { MARKS_MAX = 256 };

typedef struct step_mark {
    char name[BKS_LAB_MARK_BYTES];
    uint64_t hash;
} step_mark;

/// Marks and hash of a tick that was stepped again.
typedef struct step_again {
    uint32_t count;
    step_mark marks[MARKS_MAX];
    uint64_t hash; ///< hash of the state after the repeated step
} step_again;

/// First difference between the states of two peers.
typedef struct pair_difference {
    bks_tick compared; ///< number of ticks, from 0 on, that have been compared
    /// Tick of the first difference. BKS_TICK_NONE: there is none, or the states of its tick are
    /// not retained any more.
    bks_tick tick;
    char mark[BKS_LAB_MARK_BYTES];
    bks_map_place place;
    /// Differing value in the state of the lower peer, then of the other.
    char values[2][BKS_LAB_VALUE_BYTES];
} pair_difference;

typedef struct bksi_lab_naming {
    bks_state_names names;
    bks_runner *runner; ///< runner of the game that steps ticks again
    step_again steps[2];
    step_again *current_step; ///< member of `steps` in which marks are recorded now
    bks_map_place flips[BKS_PEERS_MAX];
    bool has_flip[BKS_PEERS_MAX];
    /// Difference of each pair of peers. The lower peer is the first index.
    pair_difference differences[BKS_PEERS_MAX][BKS_PEERS_MAX];
} bksi_lab_naming;

// ---- retained states ----

static bool flips_at(const bks_lab *lab, uint32_t index, bks_tick tick)
{
    const bksi_flipped flipped = bksi_peer_flipped(lab->peers[index].peer);
    return flipped.is_there && flipped.tick == tick;
}

/// Name the byte that a planted flip changed, from the state before the flip: the bit is flipped
/// back while the name is looked up. `bytes` has room for the largest state, because the flip may
/// change how many bytes are in use.
static void name_flip(bks_lab *lab, uint32_t index, uint8_t *bytes)
{
    bksi_lab_naming *naming = lab->naming;
    const uint32_t bit = lab->faults.flips[index].bit;
    const bksi_flipped flipped = bksi_peer_flipped(lab->peers[index].peer);
    if (!flipped.is_there || flipped.is_beyond) {
        return;
    }
    uint8_t *byte = bytes + (size_t)flipped.offset;
    const uint8_t after = *byte;
    *byte = (uint8_t)(after ^ 1u << bit);
    naming->has_flip[index] = bks_state_name(&naming->names, bytes, (size_t)flipped.used_bytes,
                                             flipped.offset, bit, &naming->flips[index]) == BKS_OK;
    *byte = after;
}

static void entered(void *context, bks_tick tick, const int32_t *inputs)
{
    const lab_peer *peer = context;
    bks_lab *lab = peer->lab;
    const uint32_t index = (uint32_t)(peer - lab->peers);
    bksi_lab_history_keep(lab->history, index, tick, bksi_peer_runner(peer->peer), inputs);
    bksi_lab_past past;
    if (flips_at(lab, index, tick) && bksi_lab_history_find(lab->history, index, tick, &past)) {
        name_flip(lab, index, (uint8_t *)(uintptr_t)past.bytes);
    }
}

/// Lend a peer the copy of its state at a tick as a snapshot, so that the peer does not copy the
/// state again.
static const void *lend(void *context, bks_tick tick, size_t *out_count)
{
    const lab_peer *peer = context;
    bks_lab *lab = peer->lab;
    bksi_lab_past past;
    if (!bksi_lab_history_find(lab->history, (uint32_t)(peer - lab->peers), tick, &past)) {
        return NULL;
    }
    *out_count = past.count;
    return past.bytes;
}

static void marked(void *context, bks_tick tick, const char *name)
{
    bksi_lab_naming *naming = context;
    step_again *step = naming->current_step;
    (void)tick;
    if (step != NULL && step->count < MARKS_MAX) {
        step_mark *mark = &step->marks[step->count++];
        (void)snprintf(mark->name, sizeof(mark->name), "%s", name);
        mark->hash = bks_runner_hash(naming->runner);
    }
}

static bks_status create_runner(bks_lab *lab, uint32_t players, bks_error *error)
{
    const bks_lab_config *config = &lab->config;
    const bks_runner_config runner = {.game = config->game,
                                      .options = config->options,
                                      .has_options = config->has_options,
                                      .seed = config->seed,
                                      .players = players,
                                      .marked = marked,
                                      .context = lab->naming,
                                      .allocator = config->allocator};
    return bks_runner_create(&runner, &lab->naming->runner, error);
}

bks_status bksi_lab_naming_create(bks_lab *lab, bks_error *error)
{
    const bks_lab_config *config = &lab->config;
    uint32_t players = 0;
    for (uint32_t i = 0; i < config->peers; i++) {
        players += config->players_on[i];
    }
    if (config->history_bytes == 0) {
        return BKS_OK;
    }
    bksi_lab_naming *naming = bksi_alloc(&config->allocator, sizeof(*naming), sizeof(uint64_t));
    lab->naming = naming;
    if (naming == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bks_lab_create", NULL,
                         "no memory for the names of differences");
    }
    *naming =
        (bksi_lab_naming){.names = {.map = config->map != NULL ? config->map : config->game->map,
                                    .ranges = config->game->ranges,
                                    .range_count = config->game->range_count}};
    for (uint32_t i = 0; i < BKS_PEERS_MAX * BKS_PEERS_MAX; i++) {
        naming->differences[i / BKS_PEERS_MAX][i % BKS_PEERS_MAX].tick = BKS_TICK_NONE;
    }
    bks_status status = create_runner(lab, players, error);
    if (status != BKS_OK) {
        return status;
    }
    status = bksi_lab_history_create(config, bks_runner_export(naming->runner, NULL, 0), players,
                                     &lab->history);
    if (status != BKS_OK) {
        return bksi_fail(error, status, "bks_lab_create", "history_bytes",
                         "no memory for %llu bytes of states",
                         (unsigned long long)config->history_bytes);
    }
    for (uint32_t i = 0; lab->history != NULL && i < config->peers; i++) {
        bksi_peer_listen_ticks(lab->peers[i].peer, entered, &lab->peers[i]);
        if (bksi_lab_history_outlasts_windows(lab->history)) {
            bksi_peer_lend_states(lab->peers[i].peer, lend, &lab->peers[i]);
        }
    }
    return BKS_OK;
}

void bksi_lab_naming_destroy(bks_lab *lab)
{
    if (lab->naming != NULL) {
        bks_runner_destroy(lab->naming->runner);
        bksi_free(&lab->config.allocator, lab->naming, sizeof(*lab->naming));
    }
    bksi_lab_history_destroy(lab->history);
}

// ---- finding the mark of a difference ----

/// Step a tick again from a copied state, and record the marks and the final hash.
/// @return false: the tick cannot be stepped again from this state
static bool step_from(bksi_lab_naming *naming, const bksi_lab_past *from, bks_tick tick,
                      const int32_t *inputs, step_again *out)
{
    out->count = 0;
    if (inputs == NULL ||
        bks_runner_import(naming->runner, from->bytes, from->count, NULL) != BKS_OK) {
        return false;
    }
    naming->current_step = out;
    const bks_status status = bks_runner_step(naming->runner, tick, inputs, NULL);
    naming->current_step = NULL;
    out->hash = bks_runner_hash(naming->runner);
    return status == BKS_OK;
}

/// Return the first mark at which two steps differ.
static const char *first_mark(const step_again *a, const step_again *b)
{
    const uint32_t least = a->count < b->count ? a->count : b->count;
    for (uint32_t i = 0; i < least; i++) {
        if (a->marks[i].hash != b->marks[i].hash ||
            strcmp(a->marks[i].name, b->marks[i].name) != 0) {
            return a->marks[i].name;
        }
    }
    if (a->count != b->count) {
        return (a->count > b->count ? a : b)->marks[least].name;
    }
    return a->hash != b->hash ? "(end)" : "(step)";
}

static const char *find_mark(bks_lab *lab, const uint32_t peers[2], bks_tick tick)
{
    bksi_lab_naming *naming = lab->naming;
    if (tick <= lab->config.first_tick || flips_at(lab, peers[0], tick) ||
        flips_at(lab, peers[1], tick)) {
        return "(start)";
    }
    for (uint32_t i = 0; i < 2; i++) {
        bksi_lab_past before;
        bksi_lab_past after;
        if (!bksi_lab_history_find(lab->history, peers[i], tick - 1, &before) ||
            !bksi_lab_history_find(lab->history, peers[i], tick, &after) ||
            !step_from(naming, &before, tick - 1, after.inputs, &naming->steps[i])) {
            return "(step)";
        }
    }
    return first_mark(&naming->steps[0], &naming->steps[1]);
}

// ---- naming a difference ----

static void name_difference(bks_lab *lab, const uint32_t peers[2], bks_tick tick,
                            pair_difference *out)
{
    bksi_lab_past past[2];
    bks_compared_state states[2];
    for (uint32_t i = 0; i < 2; i++) {
        if (!bksi_lab_history_find(lab->history, peers[i], tick, &past[i])) {
            return;
        }
        const bool is_region = lab->config.game->create == NULL;
        const void *address = is_region ? bks_peer_state(lab->peers[peers[i]].peer) : NULL;
        states[i] =
            (bks_compared_state){past[i].bytes, past[i].count, (uint64_t)(uintptr_t)address};
    }
    bks_state_difference found;
    (void)bks_state_difference_find(&lab->naming->names, &states[0], &states[1], &found);
    out->place = found.place;
    _Static_assert(sizeof(out->values) == sizeof(found.values), "the same room");
    memcpy(out->values, found.values, sizeof(out->values));
    (void)snprintf(out->mark, sizeof(out->mark), "%s", find_mark(lab, peers, tick));
    out->tick = tick;
}

/// Compare the new ticks that both peers have, up to the first difference.
static void compare_pair(bks_lab *lab, uint32_t a, uint32_t b)
{
    pair_difference *pair = &lab->naming->differences[a][b];
    const lab_peer *one = &lab->peers[a];
    const lab_peer *other = &lab->peers[b];
    const bks_tick count = bksi_lab_shared_ticks(one, other);
    while (pair->tick == BKS_TICK_NONE && pair->compared < count) {
        const bks_tick tick = pair->compared++;
        if (one->hashes[tick] != other->hashes[tick]) {
            const uint32_t peers[2] = {a, b};
            const bks_lab_story first = bksi_lab_story_of(lab, a);
            const bks_lab_story second = bksi_lab_story_of(lab, b);
            if (tick > bksi_lab_same_until(&first.roster, &second.roster)) {
                return; // the peers are in different views, so their states may differ
            }
            name_difference(lab, peers, tick, pair);
        }
    }
}

void bksi_lab_naming_watch(bks_lab *lab, uint32_t index)
{
    for (uint32_t i = 0; lab->history != NULL && i < lab->config.peers; i++) {
        if (i != index) {
            compare_pair(lab, i < index ? i : index, i < index ? index : i);
        }
    }
}

// ---- filling in the result ----

static const pair_difference *difference_of(const bks_lab *lab, uint32_t a, uint32_t b)
{
    return &lab->naming->differences[a < b ? a : b][a < b ? b : a];
}

/// Find the difference at the tick of the result. Compare a peer that disagrees with the majority
/// and a peer of the majority.
static const pair_difference *find_difference(const bks_lab *lab, const bks_lab_result *result)
{
    for (uint32_t i = 0; i < lab->config.peers * lab->config.peers; i++) {
        const uint32_t a = i / lab->config.peers;
        const uint32_t b = i % lab->config.peers;
        const bool is_odd = (result->desync_peers >> a & 1u) != 0;
        const bool is_other_odd = (result->desync_peers >> b & 1u) != 0;
        if (is_odd && !is_other_odd && difference_of(lab, a, b)->tick == result->desync_tick) {
            return difference_of(lab, a, b);
        }
    }
    return NULL;
}

static void fill_values(const bks_lab *lab, const pair_difference *chosen, bks_lab_result *result)
{
    bks_lab_difference *out = &result->difference;
    for (uint32_t i = 0; i < lab->config.peers * lab->config.peers; i++) {
        const uint32_t a = i / lab->config.peers;
        const uint32_t b = i % lab->config.peers;
        const pair_difference *pair = difference_of(lab, a, b);
        if (a == b || pair->tick != result->desync_tick ||
            strcmp(pair->place.name, chosen->place.name) != 0) {
            continue;
        }
        out->value_peers |= 1u << a;
        (void)snprintf(out->values[a], sizeof(out->values[a]), "%s", pair->values[a < b ? 0 : 1]);
    }
}

/// Return true if a final hash of a peer after its flip differs from that of a peer without a flip.
static bool is_seen(const bks_lab *lab, uint32_t index)
{
    const lab_peer *one = &lab->peers[index];
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *other = &lab->peers[i];
        const bks_tick count = bksi_lab_shared_ticks(one, other);
        for (bks_tick t = lab->faults.flips[index].tick;
             !lab->faults.flips[i].is_planted && t < count; t++) {
            if (one->hashes[t] != other->hashes[t]) {
                return true;
            }
        }
    }
    return false;
}

static void fill_flip(const bks_lab *lab, uint32_t index, bks_lab_result *out)
{
    const bks_lab_flip *flip = &lab->faults.flips[index];
    bks_lab_flip_result *to = &out->flips[out->flip_count];
    if (!flip->is_planted) {
        return;
    }
    (void)bks_lab_faults_flip(&lab->faults, index, lab->peers[index].peer, to);
    to->is_reached = to->is_reached && (!flip->is_once || is_seen(lab, index));
    if (lab->naming != NULL && lab->naming->has_flip[index]) {
        to->is_named = true;
        to->place = lab->naming->flips[index];
    }
    out->flip_count++;
}

void bksi_lab_naming_fill(const bks_lab *lab, bks_lab_result *out)
{
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        fill_flip(lab, i, out);
    }
    const pair_difference *chosen = lab->history != NULL && out->desync_tick != BKS_TICK_NONE
                                        ? find_difference(lab, out)
                                        : NULL;
    if (chosen != NULL) {
        out->difference.is_named = true;
        out->difference.place = chosen->place;
        (void)snprintf(out->difference.mark, sizeof(out->difference.mark), "%s", chosen->mark);
        fill_values(lab, chosen, out);
    }
}
