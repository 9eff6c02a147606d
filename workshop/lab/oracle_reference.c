// SPDX-License-Identifier: MIT

#include <string.h>

#include "base/mutant.h"
#include "base/report.h"
#include "lab/oracle_commands.h"
#include "lab/oracle_internal.h"
#include "session/queries.h"

// ---- comparing cues ----

/// Room for each player's commands in the reference, four times the usual one.
#define ROOM_BYTES (1u << 20)

/// Maximum number of cues of a tick that are compared.
#define CUES_PER_TICK 256u

static void report_cue(void *context, uint32_t peer, const bks_cue_event *event)
{
    oracle_cues *cues = context;
    if (event != NULL && event->id == BKS_CUE_REFUSED) {
        return; // the reference has all seats, and a peer hears of its own commands alone
    }
    bksi_cue_log_add(&cues->logs[peer], event);
}

void bksi_oracle_cues_open(oracle_cues *cues, bks_lab_config *config)
{
    *cues = (oracle_cues){0};
    config->cues_per_tick = 0;
    if (config->game->cue_count == 0) {
        return;
    }
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        bksi_cue_log_begin(&cues->logs[i], config->game, &config->allocator);
    }
    config->cues_per_tick = CUES_PER_TICK;
    config->cue = report_cue;
    config->cue_context = cues;
}

void bksi_oracle_cues_close(oracle_cues *cues)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        bksi_cue_log_end(&cues->logs[i]);
    }
}

/// Compare the cues of a peer with those of the reference.
/// @param until  last tick to compare
static void compare_cues(oracle_cues *cues, const oracle_cues *reference, const bks_lab *lab,
                         uint32_t index, bks_tick until, bks_oracle_verdict *verdict)
{
    const lab_peer *peer = &lab->peers[index];
    if (cues->logs[index].game == NULL) {
        return;
    }
    const uint64_t lost = bks_peer_cues_lost(peer->peer);
    const bks_tick known = bksi_session_settled(peer->session);
    const char *why = bksi_cue_log_compare(&cues->logs[index], &reference->logs[0],
                                           until < known ? until : known);
    if (why != NULL) {
        bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, BKS_TICK_NONE, "peer %u: cue %s", index, why);
    } else if (lost > 0) {
        bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, BKS_TICK_NONE, "peer %u lost %llu cue%s",
                         index, (unsigned long long)lost, BKSI_PLURAL(lost));
    }
}

// ---- playing the reference ----

/// Input of a liar at the tick of its lie: the one that a given peer holds. If the liar was dropped
/// before it confirmed the tick itself, no other peer holds the true input, and the match continues
/// with the false one.
typedef struct held_input {
    bool is_there; ///< true if the peer confirmed the tick of the lie
    uint32_t player;
    bks_tick tick;
    int32_t values[BKS_FIELDS_MAX];
} held_input;

/// Sources of a match. A source gives neutral inputs from the tick on at which its seat was left.
typedef struct left_seats {
    const bks_oracle_match *match;
    bks_tick ends[BKS_PLAYERS_MAX]; ///< tick at which each seat was left; BKS_TICK_NONE: never
    const held_input *held;         ///< inputs of liars that the compared peer holds, by liar
    /// Commands that the compared peer recorded. The lines decide at which tick a command comes.
    oracle_recorded commands;
} left_seats;

static void sample(void *context, const bks_sample *asked, int32_t *values)
{
    const left_seats *seats = context;
    const bks_tick end = seats->ends[asked->player];
    const bks_source *source = &seats->match->config.sources[asked->player];
    if (source->sample != NULL && (end == BKS_TICK_NONE || asked->tick < end)) {
        source->sample(source->context, asked, values);
    }
    for (uint32_t i = 0; i < seats->match->config.peers; i++) {
        const held_input *held = &seats->held[i];
        if (held->is_there && held->player == asked->player && held->tick == asked->tick) {
            memcpy(values, held->values,
                   seats->match->config.game->field_count * sizeof(held->values[0]));
        }
    }
}

static size_t give_command(void *context, const bks_sample *asked, void *bytes, size_t capacity)
{
    left_seats *seats = context;
    return bksi_oracle_recorded_give(&seats->commands, asked, bytes, capacity);
}

/// Play the reference of one view: a match of one peer with all seats.
/// @param game    receives the game, with room for all commands: one that was begun at an earlier
///                tick of the match is given at the tick that has its end. Must outlive the match
/// @param replay  recording of the compared peer, NULL: it has none
/// @param roster  roster of the view, which has the ends of seats
/// @param held    inputs of liars to use, by liar
/// @param cues    receives the cues; release with bksi_oracle_cues_close()
static bks_lab *play(const bks_oracle_match *match, bks_game *game, bks_replay *replay,
                     const bks_roster *roster, const held_input *held, oracle_cues *cues)
{
    left_seats seats = {.match = match, .held = held, .commands.replay = replay};
    bks_lab_config config = match->config;
    *game = *config.game;
    game->command_room_bytes = game->command_bytes_max > 0 ? ROOM_BYTES : 0;
    config.game = game;
    config.peers = 1;
    config.players_on[0] = 0;
    for (uint32_t i = 0; i < match->config.peers; i++) {
        for (uint32_t k = 0; k < match->config.players_on[i]; k++) {
            const uint32_t seat = config.players_on[0]++;
            seats.ends[seat] = roster->is_in[i] ? BKS_TICK_NONE : roster->end[i];
            config.sources[seat] = (bks_source){
                .sample = sample,
                .command = config.game->command_bytes_max > 0 ? give_command : NULL,
                .context = &seats,
            };
        }
    }
    config.clock_ns = NULL;
    config.allocations = NULL;
    config.tuning.delay_ticks = 0;
    config.own_tunings = 0;
    memset(config.frames_hz, 0, sizeof(config.frames_hz));
    memset(config.records, 0, sizeof(config.records));
    bksi_oracle_cues_open(cues, &config);
    if (match->rewind != NULL) {
        match->rewind(match->rewind_context);
    }
    const bksi_mutant before = bksi_mutant_set(BKSI_MUTANT_NONE);
    bks_lab *lab = NULL;
    if (bks_lab_create(&config, &lab, NULL) == BKS_OK) {
        while (bks_lab_advance(lab, UINT64_MAX)) {
        }
    }
    (void)bksi_mutant_set(before);
    return lab;
}

static void compare(const bks_lab *reference, const bks_lab *lab, uint32_t index, bks_tick until,
                    bks_oracle_verdict *verdict)
{
    uint64_t wanted = 0;
    uint64_t hash = 0;
    for (bks_tick tick = lab->config.first_tick; tick <= until; tick++) {
        if (bks_lab_hash(reference, 0, tick, &wanted) != BKS_OK ||
            bks_lab_hash(lab, index, tick, &hash) != BKS_OK) {
            return;
        }
        if (hash != wanted) {
            bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, tick,
                             "peer %u has another state at tick %d than the reference", index,
                             tick);
            return;
        }
    }
}

/// Find which input of each liar a peer holds.
static void find_held(const bks_lab *lab, const oracle_recordings *recordings, uint32_t index,
                      held_input *held)
{
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const bksi_lab_liar *liar = &lab->peers[i].liar;
        held[i] = (held_input){.tick = bksi_lab_lie_tick(liar)};
        if (held[i].tick != BKS_TICK_NONE) {
            held[i].player = bksi_inspect_own_player(liar->session);
            held[i].is_there = bksi_oracle_recordings_input(recordings, index, held[i].player,
                                                            held[i].tick, held[i].values);
        }
    }
}

static bool is_same_input(const held_input *a, const held_input *b)
{
    return a->is_there == b->is_there && memcmp(a->values, b->values, sizeof(a->values)) == 0;
}

/// Return the tick up to which two peers hold the same inputs of liars.
static bks_tick same_held_until(const held_input *a, const held_input *b, uint32_t peers)
{
    bks_tick until = INT32_MAX;
    for (uint32_t i = 0; i < peers; i++) {
        if (!is_same_input(&a[i], &b[i]) && a[i].tick < until) {
            until = a[i].tick;
        }
    }
    return until;
}

void bksi_oracle_compare_reference(const bks_oracle_match *match, const bks_lab *lab,
                                   const oracle_recordings *recordings, oracle_cues *cues,
                                   bks_tick until, bks_oracle_verdict *verdict)
{
    bks_roster rosters[BKS_PEERS_MAX] = {{0}};
    held_input held[BKS_PEERS_MAX][BKS_PEERS_MAX];
    uint32_t done = 0; // peers that were already compared, one bit for each
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        (void)bks_session_roster(lab->peers[i].session, &rosters[i]);
        find_held(lab, recordings, i, held[i]);
    }
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (!bksi_lab_is_in(lab, i) || (done >> i & 1u) != 0 || rosters[i].peers == 0) {
            continue;
        }
        oracle_cues straight;
        bks_replay *replay = bksi_oracle_recordings_read(recordings, i);
        bks_game game;
        bks_lab *reference = play(match, &game, replay, &rosters[i], held[i], &straight);
        // Other peers may have more ticks than the recording, and commands in them.
        const bks_tick known = replay != NULL && match->config.game->command_bytes_max > 0
                                   ? bks_replay_info(replay)->end
                                   : INT32_MAX;
        bks_replay_close(replay);
        for (uint32_t k = 0; reference != NULL && k < lab->config.peers; k++) {
            // Compare a peer of another view only up to the tick at which the views begin to
            // differ.
            const bks_tick view = bksi_lab_same_until(&rosters[k], &rosters[i]);
            const bks_tick inputs = same_held_until(held[k], held[i], lab->config.peers);
            const bks_tick alike = view < inputs ? view : inputs;
            const bks_tick same = alike < known ? alike : known;
            const bks_tick sound = bksi_oracle_sound_until(lab, k, until);
            compare(reference, lab, k, same < sound ? same : sound, verdict);
            if (same >= sound && (done >> k & 1u) == 0) {
                compare_cues(cues, &straight, lab, k, sound, verdict);
                done |= 1u << k;
            }
        }
        bks_lab_destroy(reference);
        bksi_oracle_cues_close(&straight);
    }
}
