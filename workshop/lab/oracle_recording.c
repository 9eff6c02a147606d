// SPDX-License-Identifier: MIT

// A recording must have exactly the ticks that its peer had settled. For these ticks it must have:
// - the inputs that the seats gave, or neutral inputs of seats left in the owner's view;
// - the commands that the seats gave, each once and in order;
// - the hashes that the peer published, and states with these hashes;
// - the same values and page hashes as the other recordings.
// The recording must also say truly how it ended.

#include "lab/oracle_internal.h"

#include <string.h>

#include "backstitch/replay.h"
#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/state_map.h"
#include "base/hash.h"
#include "base/memory.h"
#include "input/layout.h"
#include "lab/lab_internal.h"
#include "lab/oracle_commands.h"
#include "peer/peer_inspect.h"
#include "replay/format/replay_samples.h"

enum { STREAM = 2000, PAGES_BYTES_MAX = 1 << 20, PAGES_MAX = 1024 };

typedef struct buffer {
    const bks_allocator *allocator;
    uint8_t *bytes;
    size_t count;
    size_t capacity;
} buffer;

/// Inputs that the source of one seat gave.
typedef struct seat {
    bks_source source; ///< source that gives the seat's inputs
    bks_tick count;    ///< number of ticks, from 0 on, that were sampled
    int32_t *values;   ///< values of the seat's input at each sampled tick
} seat;

struct oracle_recordings {
    bks_allocator allocator;
    uint8_t values[2][BKS_VALUES_BYTES_MAX]; ///< values of one tick in two recordings
    uint32_t pages[2][PAGES_MAX];            ///< page hashes of one tick in two recordings
    const bks_game *game;
    bks_tick ticks; ///< length of the match in ticks
    bksi_layout layout;
    bool has_values; ///< true: the recordings have values of every tick
    bool has_pages;
    seat seats[BKS_PLAYERS_MAX];
    uint32_t seat_count;
    oracle_commands commands; ///< commands of the seats whose sources give none, if there are any
    buffer buffers[BKS_PEERS_MAX];
};

/// Recording that is being checked.
typedef struct recording {
    oracle_recordings *recordings;
    const bks_lab *lab;
    uint32_t peer;
    bks_replay *replay;
    const bks_recording *info;
    bks_roster roster;
    bks_tick settled;   ///< number of ticks that the recording must have
    bks_tick published; ///< number of ticks whose hashes the peer published
    bks_oracle_verdict *verdict;
} recording;

// ---- recording a match ----

static bks_status write_buffer(void *context, uint64_t offset, const void *bytes, size_t count)
{
    buffer *t = context;
    const size_t end = (size_t)offset + count;
    if (end > t->capacity) {
        const size_t capacity = 2 * end + 4096;
        uint8_t *grown = bksi_alloc(t->allocator, capacity, 16);
        if (grown == NULL) {
            return BKS_ERR_IO;
        }
        if (t->count > 0) {
            memcpy(grown, t->bytes, t->count);
        }
        bksi_free(t->allocator, t->bytes, t->capacity);
        t->bytes = grown;
        t->capacity = capacity;
    }
    if (offset > t->count) {
        memset(t->bytes + t->count, 0, (size_t)offset - t->count);
    }
    memcpy(t->bytes + offset, bytes, count);
    t->count = end > t->count ? end : t->count;
    return BKS_OK;
}

/// Sample a source and store the values as the session packs them.
static void sample(void *context, const bks_sample *asked, int32_t *values)
{
    oracle_recordings *recordings = context;
    seat *s = &recordings->seats[asked->player];
    if (s->source.sample != NULL) {
        s->source.sample(s->source.context, asked, values);
    }
    if (asked->tick < 0 || asked->tick >= recordings->ticks) {
        return;
    }
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    bksi_layout_pack_clamped(&recordings->layout, values, packed);
    bksi_layout_unpack(&recordings->layout, packed,
                       s->values + (size_t)asked->tick * recordings->layout.field_count);
    s->count = asked->tick >= s->count ? asked->tick + 1 : s->count;
}

/// Give a command of a seat: of its source, or else one that is drawn.
static size_t give_command(void *context, const bks_sample *asked, void *bytes, size_t capacity)
{
    oracle_recordings *recordings = context;
    const bks_source *source = &recordings->seats[asked->player].source;
    return source->command != NULL ? source->command(source->context, asked, bytes, capacity)
                                   : bksi_oracle_commands_give(&recordings->commands, asked, bytes);
}

/// Return true if page hashes can be recorded: the state is a region that is not too large.
static bool may_keep_pages(const bks_lab_config *config, uint32_t players)
{
    const bks_game *game = config->game;
    size_t bytes = game->state_bytes;
    const bks_start start = {.game = game,
                             .seed = config->seed,
                             .players = players,
                             .tick_rate_hz = game->tick_rate_hz,
                             .options = &config->options};
    const bool is_known = game->configure == NULL ||
                          (config->has_options && game->configure(&start, &bytes, NULL) == BKS_OK);
    return game->create == NULL && is_known && bytes <= PAGES_BYTES_MAX;
}

static void draw_detail(const bks_lab_config *config, uint32_t players, bks_replay_detail *out)
{
    bks_random random = bksi_lab_random(config->seed, STREAM);
    const uint32_t details = bks_random_below(&random, 8);
    *out = (bks_replay_detail){.keyframe_ticks = BKS_AUTO, .rollbacks = details >= 6};
    if (bks_random_below(&random, 2) == 0) {
        out->keyframe_ticks = 20 + bks_random_below(&random, 200);
        out->keyframe_bytes = UINT64_C(1) << 24;
    }
    if (bks_random_below(&random, 2) == 0) {
        out->chunk_ticks = 1 + bks_random_below(&random, 120);
    }
    const bks_game *game = config->game;
    out->values = (details & 1) != 0 &&
                  bksi_ranges_bytes(game->ranges, game->range_count) <= BKS_VALUES_BYTES_MAX;
    out->page_hashes = (details & 3) == 0 && may_keep_pages(config, players);
}

/// Return the size of the stored inputs of one seat.
static size_t seat_bytes(const oracle_recordings *recordings)
{
    return (size_t)recordings->ticks * recordings->layout.field_count * sizeof(int32_t);
}

oracle_recordings *bksi_oracle_recordings_open(const bks_oracle_match *match,
                                               bks_lab_config *config)
{
    oracle_recordings *recordings =
        bksi_alloc(&config->allocator, sizeof(*recordings), sizeof(uint64_t));
    if (recordings == NULL) {
        return NULL;
    }
    recordings->allocator = config->allocator;
    recordings->game = config->game;
    recordings->ticks = config->ticks;
    for (uint32_t i = 0; i < config->peers; i++) {
        recordings->seat_count += config->players_on[i];
        recordings->buffers[i].allocator = &recordings->allocator;
        config->records[i] = (bks_sink){.write = write_buffer, .context = &recordings->buffers[i]};
    }
    bool is_made = recordings->seat_count <= BKS_PLAYERS_MAX &&
                   bksi_layout_init(&recordings->layout, config->game->fields,
                                    config->game->field_count, NULL) == BKS_OK;
    for (uint32_t i = 0; is_made && i < recordings->seat_count; i++) {
        seat *s = &recordings->seats[i];
        s->source = match->config.sources[i];
        s->values = bksi_alloc(&config->allocator, seat_bytes(recordings), sizeof(int32_t));
        is_made = s->values != NULL;
        config->sources[i] = (bks_source){
            .sample = sample,
            .command = config->game->command_bytes_max > 0 ? give_command : NULL,
            .context = recordings,
        };
    }
    recordings->commands.seed = config->seed;
    recordings->commands.bytes_max = config->game->command_bytes_max;
    if (!is_made) {
        bksi_oracle_recordings_close(recordings);
        return NULL;
    }
    draw_detail(config, recordings->seat_count, &config->record_detail);
    recordings->has_values = config->record_detail.values;
    recordings->has_pages = config->record_detail.page_hashes;
    return recordings;
}

void bksi_oracle_recordings_close(oracle_recordings *recordings)
{
    if (recordings == NULL) {
        return;
    }
    const bks_allocator allocator = recordings->allocator;
    for (uint32_t i = 0; i < BKS_PLAYERS_MAX; i++) {
        bksi_free(&allocator, recordings->seats[i].values, seat_bytes(recordings));
    }
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        bksi_free(&allocator, recordings->buffers[i].bytes, recordings->buffers[i].capacity);
    }
    bksi_free(&allocator, recordings, sizeof(*recordings));
}

uint64_t bksi_oracle_recordings_digest(const oracle_recordings *recordings)
{
    uint64_t digest = 0;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const buffer *t = &recordings->buffers[i];
        digest = bksi_hash64_pair(digest, bksi_hash64(t->bytes, t->count, i));
    }
    return digest;
}

// ---- checks of one recording ----

/// Return the first tick from which on a seat's inputs are neutral in the view of the recording's
/// owner.
static bks_tick end_of_seat(const recording *e, uint32_t player)
{
    for (uint32_t i = 0; i < e->roster.peers; i++) {
        const uint32_t first = e->roster.first_player[i];
        if (player >= first && player < first + e->roster.player_count[i]) {
            return e->roster.is_in[i] ? INT32_MAX : e->roster.end[i];
        }
    }
    return INT32_MAX;
}

static void check_inputs(const recording *e, bks_tick until)
{
    const uint32_t fields = e->recordings->layout.field_count;
    int32_t recorded[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    int32_t neutral[BKS_FIELDS_MAX];
    bks_tick ends[BKS_PLAYERS_MAX];
    bksi_layout_neutral(&e->recordings->layout, neutral);
    for (uint32_t p = 0; p < e->recordings->seat_count; p++) {
        ends[p] = end_of_seat(e, p);
    }
    for (bks_tick tick = e->lab->config.first_tick; tick < until; tick++) {
        if (bks_replay_inputs(e->replay, tick, recorded) != BKS_OK) {
            bksi_oracle_fail(e->verdict, BKS_ORACLE_UNSAFE, tick,
                             "the recording of peer %u has no inputs of tick %d", e->peer, tick);
            return;
        }
        for (uint32_t p = 0; p < e->recordings->seat_count; p++) {
            const seat *s = &e->recordings->seats[p];
            const int32_t *given = tick >= ends[p] ? neutral : s->values + (size_t)tick * fields;
            const bool is_given = tick >= ends[p] || tick < s->count;
            if (!is_given ||
                memcmp(recorded + (size_t)p * fields, given, fields * sizeof(int32_t)) != 0) {
                bksi_oracle_fail(
                    e->verdict, BKS_ORACLE_UNSAFE, tick,
                    "the recording of peer %u has an input of player %u for tick %d that "
                    "was never given",
                    e->peer, p, tick);
                return;
            }
        }
    }
}

/// Check that a recording has the drawn commands of each seat, each once and in order. Commands
/// that were still waiting for a tick at the end are missing.
static void check_commands(const recording *e, bks_tick until)
{
    const oracle_recordings *recordings = e->recordings;
    uint32_t numbers[BKS_PLAYERS_MAX] = {0};
    for (bks_tick tick = e->lab->config.first_tick; tick < until; tick++) {
        bks_commands all[BKS_PLAYERS_MAX];
        bool has_any = false;
        if (bks_replay_commands(e->replay, tick, all, &has_any) != BKS_OK) {
            bksi_oracle_fail(e->verdict, BKS_ORACLE_UNSAFE, tick,
                             "the recording of peer %u has damaged commands of tick %d", e->peer,
                             tick);
            return;
        }
        for (uint32_t p = 0; has_any && p < recordings->seat_count; p++) {
            if (recordings->seats[p].source.command == NULL &&
                !bksi_oracle_commands_follow(&recordings->commands, p, &all[p], &numbers[p])) {
                bksi_oracle_fail(e->verdict, BKS_ORACLE_UNSAFE, tick,
                                 "the recording of peer %u has a command of player %u at tick %d "
                                 "that is not the next one it gave",
                                 e->peer, p, tick);
                return;
            }
        }
    }
}

/// Return true if a peer published any hash.
static bool has_begun(const bks_lab *lab, uint32_t index)
{
    return lab->peers[index].hash_count > lab->config.first_tick;
}

static void check_hashes(const recording *e)
{
    const uint64_t *hashes = e->lab->peers[e->peer].hashes;
    // Expect no hash from a peer that left before its first tick.
    const bool has_last = e->info->is_complete && has_begun(e->lab, e->peer);
    const bks_tick known = has_last ? e->settled : e->info->confirmed - 1;
    const bks_tick last = known < e->published ? known : e->published;
    for (bks_tick tick = e->lab->config.first_tick; tick <= last; tick++) {
        uint64_t hash = 0;
        uint32_t bits = 0;
        const bool is_there = bks_replay_hash(e->replay, tick, &hash, &bits) == BKS_OK && bits > 0;
        if (!is_there || !bks_replay_hash_agrees(e->replay, tick, hashes[tick])) {
            bksi_oracle_fail(e->verdict, BKS_ORACLE_UNSAFE, tick,
                             "the recording of peer %u has %s hash of tick %d", e->peer,
                             is_there ? "a wrong" : "no", tick);
            return;
        }
    }
}

/// Check that the states in the file have the hashes that the peer published.
static void check_states(const recording *e)
{
    const bks_playback_config config = {
        .replay = e->replay, .game = e->recordings->game, .from_recorded_state = true};
    bks_playback *playback = NULL;
    bks_tick tick = e->lab->config.first_tick;
    bool is_right = bks_playback_create(&config, &playback, NULL) == BKS_OK;
    const uint64_t *hashes = e->lab->peers[e->peer].hashes;
    // The recording begins with the state that all agreed on, before any flip.
    const bks_lab_flip *flip = &e->lab->faults.flips[e->peer];
    const bool is_flipped = flip->is_planted && !flip->is_once && flip->tick == tick;
    if (is_right && !is_flipped && has_begun(e->lab, e->peer)) {
        is_right = bks_playback_hash(playback) == hashes[tick];
    }
    for (uint32_t i = 0; is_right && i < e->info->keyframes; i++) {
        bks_replay_keyframe key;
        (void)bks_replay_keyframe_at(e->replay, i, &key);
        if (key.is_wrong) {
            continue; // the state was repaired later: playbacks do not begin with it
        }
        tick = key.tick;
        const bks_status sought = bks_playback_seek(playback, tick, NULL);
        // The game may refuse a state with a flipped bit.
        const bool is_refused = sought == BKS_ERR_DAMAGED && flip->is_planted && tick >= flip->tick;
        is_right =
            tick <= e->settled &&
            (is_refused || (sought == BKS_OK &&
                            (tick > e->published || bks_playback_hash(playback) == hashes[tick])));
    }
    if (!is_right) {
        bksi_oracle_fail(e->verdict, BKS_ORACLE_UNSAFE, tick,
                         "the recording of peer %u has a wrong state at tick %d", e->peer, tick);
    }
    bks_playback_destroy(playback);
}

/// Check that each leaver has an event, with the right tick in the owner's view.
static void check_leavers(const recording *e)
{
    if (!has_begun(e->lab, e->peer)) {
        return; // the peer left before the start, when there was no view yet
    }
    uint32_t noted = 0;
    for (uint32_t i = 0; i < e->info->event_count; i++) {
        bks_replay_event event;
        (void)bks_replay_event_at(e->replay, i, &event);
        if (event.kind != BKS_REPLAY_LEFT) {
            continue;
        }
        noted |= 1u << event.peer;
        if (event.peer >= e->roster.peers || e->roster.is_in[event.peer] ||
            e->roster.end[event.peer] != event.tick) {
            bksi_oracle_fail(
                e->verdict, BKS_ORACLE_UNSAFE, event.tick,
                "the recording of peer %u says that peer %u left at tick %d, and it did not",
                e->peer, event.peer, event.tick);
        }
    }
    for (uint32_t i = 0; e->info->is_complete && i < e->roster.peers; i++) {
        if (!e->roster.is_in[i] && (noted >> i & 1u) == 0) {
            bksi_oracle_fail(e->verdict, BKS_ORACLE_UNSAFE, e->roster.end[i],
                             "the recording of peer %u does not say that peer %u left at tick %d",
                             e->peer, i, e->roster.end[i]);
        }
    }
}

/// Check that a recording has the right ending. A crashed peer may have crashed before or after its
/// recording was closed.
static void check_ending(const recording *e)
{
    const lab_peer *peer = &e->lab->peers[e->peer];
    const bks_replay_ending closed =
        e->settled == e->recordings->ticks ? BKS_REPLAY_COMPLETE : BKS_REPLAY_LEFT_EARLY;
    const bool may_be_closed =
        !peer->is_crashed || bks_session_phase(peer->session) == BKS_PHASE_ENDED;
    const bool is_right = (may_be_closed && e->info->ending == closed) ||
                          (peer->is_crashed && e->info->ending == BKS_REPLAY_CUT_OFF);
    if (!is_right) {
        bksi_oracle_fail(
            e->verdict, BKS_ORACLE_UNSAFE, e->settled,
            "the recording of peer %u has the wrong ending %d: its peer ended after tick %d",
            e->peer, (int)e->info->ending, e->settled);
    }
}

/// Return true if a recording has exactly the final ticks that it must have. After a kill its
/// newest ticks may be stepped but not final, because final ticks are written with the next step.
static bool has_its_ticks(const recording *e)
{
    const bks_tick stepped = bks_session_tick(e->lab->peers[e->peer].session);
    return e->info->is_complete ? e->info->confirmed == e->settled && e->info->ticks == e->settled
                                : e->info->confirmed <= e->settled && e->info->ticks >= stepped;
}

/// Check that a recording says that the match stopped if it did, and only then.
static void check_stop(const recording *e)
{
    const lab_peer *peer = &e->lab->peers[e->peer];
    const bool has_stopped = peer->stop_tick != 0 && bksi_lab_is_in(e->lab, e->peer) &&
                             bks_session_phase(peer->session) == BKS_PHASE_ENDED;
    bool says_so = false;
    for (uint32_t i = 0; i < e->info->event_count; i++) {
        bks_replay_event event;
        (void)bks_replay_event_at(e->replay, i, &event);
        says_so |= event.kind == BKS_REPLAY_CLOSED && event.a == BKS_CLOSED_STOPPED;
    }
    if (has_stopped && !says_so) {
        bksi_oracle_fail(e->verdict, BKS_ORACLE_UNSAFE, e->settled,
                         "the recording of peer %u does not say that the match stopped at tick %d",
                         e->peer, peer->stop_tick);
    } else if (says_so && peer->stop_tick == 0) {
        bksi_oracle_fail(e->verdict, BKS_ORACLE_UNSAFE, e->settled,
                         "the recording of peer %u says that the match stopped, and it did not",
                         e->peer);
    }
}

/// Check that a recording lists the repairs that its peer knows, except those of a state that was
/// never final while it was wrong (`since` equals `tick`).
static void check_repairs(const recording *e)
{
    bks_repair known[BKS_REPAIRS_MAX];
    const uint32_t count =
        bks_session_repairs(e->lab->peers[e->peer].session, known, BKS_REPAIRS_MAX);
    uint32_t at = 0;
    bool is_right = count < BKS_REPAIRS_MAX; // a full list may lack the oldest repair
    for (uint32_t i = 0; i < count && is_right; i++) {
        bks_replay_repair repair = {0};
        if (known[i].since < known[i].tick) {
            is_right = bks_replay_repair_at(e->replay, at++, &repair) == BKS_OK &&
                       repair.peer == known[i].peer && repair.from == known[i].from &&
                       repair.bytes == known[i].bytes && repair.since == known[i].since &&
                       repair.tick == known[i].tick;
        }
    }
    if (count < BKS_REPAIRS_MAX && (!is_right || e->info->repair_count != at)) {
        bksi_oracle_fail(
            e->verdict, BKS_ORACLE_UNSAFE, e->settled,
            "the recording of peer %u lists %u repairs, must list the %u that its peer knows",
            e->peer, e->info->repair_count, at);
    }
}

static void check_recording(const recording *e, bks_tick lie)
{
    if (!has_its_ticks(e)) {
        bksi_oracle_fail(
            e->verdict, BKS_ORACLE_UNSAFE, e->settled,
            "the recording of peer %u has %d ticks, %d of them final, must have %d final", e->peer,
            e->info->ticks, e->info->confirmed, e->settled);
        return;
    }
    const bks_tick until = lie != BKS_TICK_NONE && lie < e->settled ? lie : e->settled;
    check_inputs(e, until);
    if (e->recordings->game->command_bytes_max > 0) {
        check_commands(e, until);
    }
    check_hashes(e);
    check_states(e);
    check_leavers(e);
    check_ending(e);
    check_stop(e);
    if (e->info->is_complete) {
        check_repairs(e);
    }
}

// ---- comparing values and page hashes of two recordings ----

/// Return true if two recordings have the same values and page hashes of a tick, or if one of them
/// has none.
static bool are_samples_same(oracle_recordings *recordings, bks_replay *a, bks_replay *b,
                             bks_tick tick)
{
    const bks_recording *info = bks_replay_info(a);
    bool is_same = true;
    for (uint32_t i = 0; recordings->has_values && is_same && i < info->range_count; i++) {
        const bks_state_range *range = &info->ranges[i];
        if (range->is_recorded &&
            bks_replay_values(a, tick, i, recordings->values[0], sizeof(recordings->values[0])) ==
                BKS_OK &&
            bks_replay_values(b, tick, i, recordings->values[1], sizeof(recordings->values[1])) ==
                BKS_OK) {
            is_same = memcmp(recordings->values[0], recordings->values[1],
                             range->count * (size_t)bks_state_type_bytes(range->type)) == 0;
        }
    }
    size_t counts[2] = {0};
    if (is_same && recordings->has_pages &&
        bks_replay_page_hashes(a, tick, recordings->pages[0], PAGES_MAX, &counts[0]) == BKS_OK &&
        bks_replay_page_hashes(b, tick, recordings->pages[1], PAGES_MAX, &counts[1]) == BKS_OK) {
        is_same = counts[0] == counts[1] && memcmp(recordings->pages[0], recordings->pages[1],
                                                   counts[0] * sizeof(uint32_t)) == 0;
    }
    return is_same;
}

static void check_samples(const recording *a, const recording *b, bks_tick planted)
{
    bks_tick until = bksi_lab_same_until(&a->roster, &b->roster);
    until = planted != BKS_TICK_NONE && planted <= until ? planted - 1 : until;
    until = a->settled - 1 < until ? a->settled - 1 : until;
    until = b->settled - 1 < until ? b->settled - 1 : until;
    for (bks_tick tick = a->lab->config.first_tick; tick <= until; tick++) {
        if (!are_samples_same(a->recordings, a->replay, b->replay, tick)) {
            bksi_oracle_fail(
                a->verdict, BKS_ORACLE_UNSAFE, tick,
                "the recordings of peers %u and %u have different values or page hashes of tick %d",
                a->peer, b->peer, tick);
            return;
        }
    }
}

// ---- checks of all recordings ----

/// Open the recording of a peer. A missing or damaged one is a fault.
/// @return true if there is a recording to check
static bool open_recording(oracle_recordings *recordings, const bks_lab *lab, uint32_t index,
                           bks_oracle_verdict *verdict, recording *out)
{
    const lab_peer *peer = &lab->peers[index];
    const bks_tick first = lab->config.first_tick;
    const buffer *t = &recordings->buffers[index];
    *out = (recording){.recordings = recordings,
                       .lab = lab,
                       .peer = index,
                       .settled = has_begun(lab, index) ? peer->hash_count - 1 : first,
                       .published = has_begun(lab, index) ? peer->hash_count - 1 : first,
                       .verdict = verdict};
    (void)bks_session_roster(peer->session, &out->roster);
    if (t->count == 0) {
        if (has_begun(lab, index)) {
            bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, 0, "peer %u recorded nothing", index);
        }
        return false;
    }
    bks_error error = {0};
    if (bks_replay_open(t->bytes, t->count, NULL, &out->replay, &error) != BKS_OK) {
        bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, 0,
                         "the recording of peer %u cannot be read: %s", index, error.text);
        bks_replay_close(out->replay);
        out->replay = NULL;
        return false;
    }
    out->info = bks_replay_info(out->replay);
    // While a tick is not published because of a meeting, the recording may already have later
    // ticks as final.
    const bks_tick confirmed = bks_session_confirmed(peer->session);
    const bks_tick present = bks_session_tick(peer->session);
    if (lab->config.tuning.on_desync == BKS_ON_DESYNC_RESYNC &&
        out->info->confirmed > out->settled && out->info->confirmed <= confirmed &&
        out->info->confirmed <= present) {
        out->settled = out->info->confirmed;
    }
    return true;
}

void bksi_oracle_recordings_finish(const bks_lab *lab)
{
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (!lab->peers[i].is_crashed) {
            bksi_peer_close_recording(lab->peers[i].peer, false);
        }
    }
}

bks_replay *bksi_oracle_recordings_read(const oracle_recordings *recordings, uint32_t peer)
{
    const buffer *t = &recordings->buffers[peer];
    bks_replay *replay = NULL;
    return t->count > 0 && bks_replay_open(t->bytes, t->count, NULL, &replay, NULL) == BKS_OK
               ? replay
               : NULL;
}

bool bksi_oracle_recordings_input(const oracle_recordings *recordings, uint32_t peer,
                                  uint32_t player, bks_tick tick, int32_t *values)
{
    const buffer *t = &recordings->buffers[peer];
    const uint32_t fields = recordings->layout.field_count;
    int32_t recorded[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    bks_replay *replay = NULL;
    const bool is_there = t->count > 0 &&
                          bks_replay_open(t->bytes, t->count, NULL, &replay, NULL) == BKS_OK &&
                          tick < bks_replay_info(replay)->confirmed &&
                          bks_replay_inputs(replay, tick, recorded) == BKS_OK;
    bks_replay_close(replay);
    if (is_there) {
        memcpy(values, recorded + (size_t)player * fields, fields * sizeof(int32_t));
    }
    return is_there;
}

void bksi_oracle_recordings_compare(oracle_recordings *recordings, const bks_lab *lab, bks_tick lie,
                                    bks_tick planted, bks_oracle_verdict *verdict)
{
    recording opened[BKS_PEERS_MAX] = {{0}};
    const recording *longest = NULL;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        recording *e = &opened[i];
        if (open_recording(recordings, lab, i, verdict, e)) {
            check_recording(e, lie);
            // Choose a complete recording: after a kill the last ticks have no values, because
            // values are written in appended records.
            const bool is_longer = longest == NULL || e->settled > longest->settled;
            longest = e->info->is_complete && is_longer ? e : longest;
        }
    }
    const bool has_rows = recordings->has_values || recordings->has_pages;
    for (uint32_t i = 0; has_rows && i < lab->config.peers; i++) {
        if (longest != NULL && opened[i].replay != NULL && &opened[i] != longest &&
            opened[i].info->is_complete) {
            check_samples(longest, &opened[i], planted);
        }
    }
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        bks_replay_close(opened[i].replay);
    }
}
