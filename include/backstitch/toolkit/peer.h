// SPDX-License-Identifier: MIT

/// @file toolkit/peer.h
/// One player's machine without clock and socket: a session, the game it runs, and the recorder.
/// For a program with a bks_game and its own clock, sockets or files; bks_match adds those.
///
/// Thread rule: a peer belongs to one thread at a time.

#ifndef BACKSTITCH_TOOLKIT_PEER_H
#define BACKSTITCH_TOOLKIT_PEER_H

#include "backstitch/game.h"
#include "backstitch/present.h"
#include "backstitch/record.h"
#include "backstitch/session.h"
#include "backstitch/toolkit/state_map.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum of bks_peer_config.sync_test_ticks.
#define BKS_SYNC_TEST_TICKS_MAX 60

/// Configuration of a peer, copied by bks_peer_create(). Start from bks_peer_config_default().
typedef struct bks_peer_config {
    const bks_game *game; ///< the game, required, must outlive the peer
    /// Host: option values, start from bks_option_values_default(); a guest gets the host's.
    bks_option_values options;
    /// True: use `options`; false (default): use the game's default options.
    bool has_options;
    /// Config of the session. Filled in from the game: game_name, game_version, fields,
    /// field_count, ranges, setup, custom_prediction, votes; tick_rate_hz if it is 0 (default);
    /// build, as the hash of `build`, if it is 0 (default).
    bks_session_config session;
    /// State to continue from, as bks_playback_export() writes it, the same on all peers; must
    /// outlive the peer. NULL (default): the state that `init` makes. bks_match alone gets a guest
    /// the host's.
    const void *start_state;
    size_t start_state_bytes; ///< size of start_state, 0 without one
    /// Tick of start_state, 1..BKS_FIRST_TICK_MAX, which becomes first_tick of the session; 0
    /// without one.
    bks_tick start_tick;

    /// Sync test, for development: after every tick go back this many ticks, step them again and
    /// compare; 0..BKS_SYNC_TEST_TICKS_MAX, 8 is usual. If a result differs, the match ends with
    /// BKS_EVENT_FAILED, BKS_ERR_GAME and bks_peer_sync_difference(). Every tick costs this many
    /// more steps, and memory for two more states and 1 kB, besides one state for each of these
    /// ticks. Every player must be on this machine. 0 (default): off.
    uint32_t sync_test_ticks;
    /// Sources by local player, beginning with the first; without `sample`, bks_peer_input() gives
    /// the inputs.
    bks_source sources[BKS_PLAYERS_MAX];
    /// Destination of the recording; without `write` the match is not recorded.
    bks_sink record;
    /// Contents of the recording; the default of keyframe_ticks is BKS_AUTO here.
    bks_replay_detail record_detail;

    /// Most cues of one tick that bks_peer_cue() reports, 0..BKS_CUES_PER_TICK_MAX, for a game with
    /// cues. Each costs about 300 bytes for each of 2 * window + 16 ticks, and with
    /// BKS_ON_DESYNC_RESYNC for 384 ticks more. 0 (default): cues are not collected.
    uint32_t cues_per_tick;
    /// Pictures between ticks for bks_peer_frame(), of a game whose state lies in a region and
    /// holds no raw pointers. Costs the memory of one more state. Default BKS_PICTURES_NONE.
    bks_pictures pictures;
    /// Valid map by which BKS_EVENT_NAMED names a difference, must outlive the peer; NULL
    /// (default): the game's `map`, else its ranges.
    const bks_state_map *map;
    /// Name of the game's build, for the recording and for peers with another build
    /// (BKS_EVENT_OTHER_BUILD); up to 63 bytes of printable ASCII; NULL: empty; must outlive the
    /// peer.
    const char *build;

    /// Answer what a step asks by bks_ask(): write the fact that `question` is about, as it is now,
    /// into `out` (BKS_ANSWER_BYTES_MAX bytes). Called once for each question of a tick. NULL
    /// (default): questions get no answer. Allowed only if every player is on this machine: on a
    /// host whose local_players are all the players.
    /// @return size of the answer in bytes, 0: there is no answer
    size_t (*answer)(void *context, bks_tick tick, uint32_t question, void *out);
    void *answer_context; ///< passed to `answer`, may be NULL
    /// Workers for the jobs of steps (det.h); copied; their context must outlive the peer. NULL
    /// (default): jobs run on the calling thread.
    const struct bks_workers *workers;
    /// Clock that measures costs, for the statistics, the spacing of snapshots and the budget;
    /// NULL: costs are not measured and there is no budget.
    uint64_t (*clock_ns)(void *context);
    void *clock_context; ///< passed to clock_ns
} bks_peer_config;

/// Fill in the default of every field that has one. This function is for bindings of other
/// languages; it leaves `session.arithmetic` 0. In C and C++ the macro below replaces it.
bks_peer_config bks_peer_config_default(void);

/// Fill in the same defaults as bks_peer_config_default(), and set `session.arithmetic` to the
/// faults of the caller's floating-point arithmetic. The function is compiled into the caller, so
/// that it can find these faults.
BKS_OWN_UNIT bks_peer_config bks_peer_config_here(void)
{
    bks_peer_config config = bks_peer_config_default();
    config.session.arithmetic = bks_arithmetic_here();
    return config;
}
#define bks_peer_config_default() bks_peer_config_here()

/// One machine in a match. Opaque.
typedef struct bks_peer bks_peer;

/// Create a peer.
/// @param config  copied
/// @param out     receives the peer, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (also for BKS_ON_DESYNC_RESYNC with a
///         game whose states cannot be repaired), BKS_ERR_OUT_OF_MEMORY;
///         BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (the game's votes)
/// Owned by the caller; release with bks_peer_destroy().
BKS_NODISCARD bks_status bks_peer_create(const bks_peer_config *config, bks_peer **out,
                                         bks_error *error);

/// Get the peer inside a match. Do not update it.
/// @return the peer, NULL for NULL
bks_peer *bks_match_peer(bks_match *match);

/// Destroy a peer and close its recording at the tick that it has reached. NULL is allowed.
void bks_peer_destroy(bks_peer *peer);

/// Receive one packet, as bks_session_receive() does.
bks_status bks_peer_receive(bks_peer *peer, uint64_t now_ns, const bks_address *from,
                            const void *bytes, size_t count);

/// Do everything that is due: roll back, sample, step, record. Then call bks_peer_send() until it
/// returns 0. If the recording cannot be written, it ends with a log line, and the match continues.
/// @return BKS_OK; BKS_OVER once the match has ended; BKS_ERR_DESYNC instead when our states
///         differed from a peer's, the first tick is in BKS_EVENT_DESYNC; BKS_ERR_REFUSED,
///         BKS_ERR_PEER_LOST when the match failed; BKS_ERR_GAME when the game failed, by a failing
///         `save` or `load`, by bks_fail() or in the sync test: BKS_EVENT_FAILED says why;
///         BKS_ERR_DAMAGED when the game cannot take start_state; BKS_ERR_BAD_CONFIG,
///         BKS_ERR_OUT_OF_MEMORY when the game could not be created with the host's options;
///         BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_peer_update(bks_peer *peer, uint64_t now_ns);

/// Get the next packet to send, as bks_session_send() does.
size_t bks_peer_send(bks_peer *peer, bks_address *to, void *bytes, size_t capacity);

/// Get the time at which the next bks_peer_update() has something to do, as bks_session_wake()
/// does.
uint64_t bks_peer_wake(const bks_peer *peer);

/// Give a command of a local player, as bks_match_command() does.
BKS_NODISCARD bks_status bks_peer_command(bks_peer *peer, uint32_t local_player, const void *bytes,
                                          size_t count);

/// Set the input of a local player that has no source, from now on.
/// @param local_player  0..local_players-1
/// @param input         field_count int32_t in the order of the game's table, each within its range
/// @param error         may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the field, its value and range)
BKS_NODISCARD bks_status bks_peer_input(bks_peer *peer, uint32_t local_player, const void *input,
                                        bks_error *error);

/// Get the present state, predictions included. Read only, valid until the next bks_peer_update().
/// @return the state, NULL for NULL
const void *bks_peer_state(const bks_peer *peer);

/// Get the picture to draw at a time (bks_frame in game.h). Before the start, without `pictures`,
/// and after a step that failed, the picture is the newest state alone. Takes no memory.
/// @param now_ns  time at which the picture is seen, on the clock of bks_peer_update()
/// @param frame   receives the picture; its states are valid until the next bks_peer_frame() or
///                bks_peer_update()
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_peer_frame(bks_peer *peer, uint64_t now_ns, bks_frame *frame);

/// Take the oldest event of a cue, after each bks_peer_update(): see present.h.
/// @param event  receives the event, not NULL
/// @return false when no event waits; always with cues_per_tick 0
bool bks_peer_cue(bks_peer *peer, bks_cue_event *event);

/// Get the number of lost cues and events, as bks_cues_lost().
/// @return the number, 0 for NULL and with cues_per_tick 0
uint64_t bks_peer_cues_lost(const bks_peer *peer);

/// Get the peer's session, for its ticks, hashes, roster, events and statistics. Do not update it.
/// @return the session, NULL for NULL
bks_session *bks_peer_session(bks_peer *peer);

/// Return true once the match has started. Do not draw the state before the match has started.
bool bks_peer_started(const bks_peer *peer);

/// Leave with a goodbye, as bks_session_leave() does.
bks_status bks_peer_leave(bks_peer *peer);

/// Write a note, one line of text, into the recording at the present tick. Without a recording
/// nothing happens.
/// @param text  under 128 bytes of printable ASCII
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_peer_note(bks_peer *peer, const char *text);

/// Costs measured by clock_ns, in nanoseconds; all 0 without a clock.
typedef struct bks_costs {
    uint64_t updates;       ///< number of bks_peer_update() calls that stepped
    uint64_t update_ns_sum; ///< total time of the updates that stepped, in ns
    uint64_t update_ns_max; ///< time of the longest update that stepped, in ns
    /// Time spent in the game's own code (step, init, bots, hash callbacks), in ns.
    uint64_t game_ns_sum;
    /// Time of rollbacks in ns: from each load to the next tick that was never stepped before.
    uint64_t resimulation_ns_sum;
    /// Number of updates by duration: bucket b counts updates of 2^(b/4) us up to 2^((b+1)/4) us,
    /// the first bucket also shorter and the last also longer ones.
    uint32_t histogram_us[64];
} bks_costs;

/// Get the costs so far.
/// @param out  receives the costs, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_peer_costs(const bks_peer *peer, bks_costs *out);

/// Difference that a sync test found between the first step of a tick and its repetition.
typedef struct bks_sync_difference {
    bks_tick tick; ///< tick whose step differs
    /// Tick that the match had reached when the difference was found; all earlier repetitions gave
    /// the same. So if the step of `tick` reads data outside the state, such as a field that `save`
    /// leaves out, the step of found_tick - 1 changed these data.
    bks_tick found_tick;
    /// First mark of the tick's step at which the states differ; "(end)": the states differ only
    /// after the last mark; "(step)": they did not differ when the tick was stepped a third time.
    char mark[64];
    /// First value that differs at the start of the next tick, by bks_game.map, else by its ranges,
    /// else by page. "(unnamed).hash": all bytes of the snapshots are equal, so `save` leaves out
    /// something that `hash` adds. "(step)": the step failed the second time.
    bks_map_place place;
    char values[2][192]; ///< value after the first step and after the repetition, as text
} bks_sync_difference;

/// Get the difference that the sync test found.
/// @param out  receives the difference, not NULL
/// @return true when the sync test found a difference; false for NULL
bool bks_peer_sync_difference(const bks_peer *peer, bks_sync_difference *out);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_PEER_H
