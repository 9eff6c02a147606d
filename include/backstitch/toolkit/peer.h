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

/// Most ticks that a sync test goes back.
#define BKS_SYNC_TEST_TICKS_MAX 60

/// Configuration of a peer, copied by bks_peer_create(). Start from bks_peer_config_default().
typedef struct bks_peer_config {
    const bks_game *game; ///< required, must outlive the peer
    bks_option_values
        options; ///< host: bks_option_values_default() first; a guest's are replaced by the host's
    bool has_options;           ///< false (default): the game's default options
    bks_session_config session; ///< game_name, game_version, fields, field_count, ranges, setup,
                                ///< custom_prediction, votes are filled in from the game;
                                ///< tick_rate_hz 0 (default) is the game's, build 0 (default) the
                                ///< hash of `build`
    const void *start_state;    ///< continue from this state, as bks_playback_export() gives it,
                             ///< instead of the one that `init` makes; the same on all peers; NULL
                             ///< (default): `init`. Must outlive the peer
    size_t start_state_bytes; ///< size of start_state, 0 without it
    bks_tick start_tick;      ///< the tick that it is at the start of, 0..BKS_FIRST_TICK_MAX: the
                              ///< first_tick of the session
    uint32_t sync_test_ticks; ///< for development: go back so many ticks after every tick, step
                              ///< them again and compare, 0..BKS_SYNC_TEST_TICKS_MAX; 8 is usual.
                              ///< What comes out differently ends the match with
                              ///< BKS_EVENT_FAILED, BKS_ERR_GAME and bks_peer_sync_difference().
                              ///< A tick takes the time of so many more, and memory is taken for
                              ///< two states and 1 kB more than that many. Every player must be on
                              ///< this machine. 0 (default): off
    bks_source sources[BKS_PLAYERS_MAX]; ///< sources by local seat, the first local player's at 0;
                                         ///< a NULL sample: bks_peer_input()
    bks_sink record;                     ///< destination of the recording; a NULL write: none
    bks_replay_detail record_detail;     ///< detail of the recording; default: keyframe_ticks
                                         ///< BKS_AUTO
    uint32_t cues_per_tick;   ///< most cues of one tick that are reported by bks_peer_cue(),
                              ///< 0..BKS_CUES_PER_TICK_MAX, with a game that names cues; about 300
                              ///< bytes for each are taken for two windows and 16 ticks, and with
                              ///< BKS_ON_DESYNC_RESYNC for 384 more. 0 (default): no one listens
    bks_pictures pictures;    ///< for bks_peer_frame(): pictures between ticks, of a game whose
                              ///< state lies in a region and holds no raw pointers. Takes the
                              ///< memory of one state more. Default BKS_PICTURES_NONE
    const bks_state_map *map; ///< a sound one by which BKS_EVENT_NAMED names what differs, must
                              ///< outlive the peer; NULL (default): the game's `map`, else its
                              ///< ranges
    const char *build; ///< names the game's build in the recording, and to peers with another
                       ///< (BKS_EVENT_OTHER_BUILD); up to 63 bytes of printable ASCII; NULL:
                       ///< empty; must outlive the peer
    /// Answers what a step asks by bks_ask(): the fact that `question` is about, as it is now, into
    /// `out` (BKS_ANSWER_BYTES_MAX bytes). Called once for each question of a tick. NULL (default):
    /// nothing is answered. With it every player must be on this machine: a host whose
    /// local_players are all the players.
    /// @return bytes of the answer, 0: there is none
    size_t (*answer)(void *context, bks_tick tick, uint32_t question, void *out);
    void *answer_context;                ///< handed to answer, may be NULL
    const struct bks_workers *workers;   ///< do the jobs of steps (det.h); copied; its context must
                                         ///< outlive the peer. NULL (default): in place
    uint64_t (*clock_ns)(void *context); ///< measures costs: for the statistics, for where
                                         ///< snapshots lie and for the budget; NULL: not
                                         ///< measured, and there is no budget
    void *clock_context;                 ///< handed to clock_ns
} bks_peer_config;

/// Fill in the default of every field that has one. This symbol is in the archive: bindings of
/// other languages call it, and `session.arithmetic` is 0 then. In C and C++ the macro below takes
/// its place.
bks_peer_config bks_peer_config_default(void);

/// Fill in the same defaults, compiled into the caller, and in `session.arithmetic` how the
/// caller's program was compiled.
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

/// Destroy a peer; its recording is closed as far as it came. NULL is allowed.
void bks_peer_destroy(bks_peer *peer);

/// Receive one packet, as bks_session_receive() does.
bks_status bks_peer_receive(bks_peer *peer, uint64_t now_ns, const bks_address *from,
                            const void *bytes, size_t count);

/// Do all that is due: roll back, sample, step, record. Then bks_peer_send() until it gives 0. A
/// recording that cannot be written ends with a log line; the match continues.
/// @return BKS_OK; BKS_OVER once the match has ended; BKS_ERR_DESYNC instead when our states
///         differed from a peer's, the first tick is in BKS_EVENT_DESYNC; BKS_ERR_REFUSED,
///         BKS_ERR_PEER_LOST when it failed; BKS_ERR_GAME when the game failed,
///         by a failing `save` or `load`, by bks_fail() or in the sync test: BKS_EVENT_FAILED says
///         why;
///         BKS_ERR_DAMAGED when the game cannot take start_state; BKS_ERR_BAD_CONFIG,
///         BKS_ERR_OUT_OF_MEMORY when the game could not be made as the host wants it;
///         BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_peer_update(bks_peer *peer, uint64_t now_ns);

/// Get the next packet to send, as bks_session_send() does.
size_t bks_peer_send(bks_peer *peer, bks_address *to, void *bytes, size_t capacity);

/// Get the time at which the next bks_peer_update() has something to do, as bks_session_wake()
/// does.
uint64_t bks_peer_wake(const bks_peer *peer);

/// Set the input of a local player without a source from now on.
/// @param local_player  0..local_players-1
/// @param input         field_count int32_t in the order of the game's table, each within its range
/// @param error         may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the field, its value and range)
BKS_NODISCARD bks_status bks_peer_input(bks_peer *peer, uint32_t local_player, const void *input,
                                        bks_error *error);

/// Get the present state, predictions included. Read only, valid until the next bks_peer_update().
/// @return the state, NULL for NULL
const void *bks_peer_state(const bks_peer *peer);

/// Get what to draw at a time: see game.h. Before the start, without `pictures`, and after a step
/// that failed, the newest state alone. Takes no memory.
/// @param now_ns  when the picture is seen, on the clock of bks_peer_update()
/// @param frame   receives it; its states are valid until the next bks_peer_frame() or
///                bks_peer_update()
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_peer_frame(bks_peer *peer, uint64_t now_ns, bks_frame *frame);

/// Take the oldest event of a cue, after each bks_peer_update(): see present.h.
/// @param event  receives it, not NULL
/// @return false when there is none, also with cues_per_tick 0
bool bks_peer_cue(bks_peer *peer, bks_cue_event *event);

/// Count cues that found no room, see bks_cues_lost().
/// @return how many, 0 for NULL and with cues_per_tick 0
uint64_t bks_peer_cues_lost(const bks_peer *peer);

/// Get the session inside, for its ticks, hashes, roster, events and statistics. Do not update it.
/// @return the session, NULL for NULL
bks_session *bks_peer_session(bks_peer *peer);

/// Return true once the match has started. Do not show the state before.
bool bks_peer_started(const bks_peer *peer);

/// Leave with a goodbye, as bks_session_leave() does.
bks_status bks_peer_leave(bks_peer *peer);

/// Write a line into the recording at the present tick. Without one nothing happens.
/// @param text  under 128 bytes of printable ASCII
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_peer_note(bks_peer *peer, const char *text);

/// Costs as measured by clock_ns, in nanoseconds; all 0 without it.
typedef struct bks_costs {
    uint64_t updates;             ///< bks_peer_update() calls that stepped
    uint64_t update_ns_sum;       ///< all of them
    uint64_t update_ns_max;       ///< the longest
    uint64_t game_ns_sum;         ///< inside the game: step, init, bots, hash callbacks
    uint64_t resimulation_ns_sum; ///< going back and stepping again: from each load on, up to the
                                  ///< next tick that was never stepped before
    uint32_t histogram_us[64];    ///< updates by duration: bucket b counts those of 2^(b/4) us and
                                  ///< more, the last one all above
} bks_costs;

/// Get the costs so far.
/// @param out  receives them, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_peer_costs(const bks_peer *peer, bks_costs *out);

/// Difference after a tick was taken back and stepped again.
typedef struct bks_sync_difference {
    bks_tick tick;       ///< tick whose step differs
    bks_tick found_tick; ///< the tick that had been reached. Where the step of `tick` is sound,
                         ///< what it reads beside the state changed in the step before this one,
                         ///< such as a field that `save` leaves out
    char mark[64];       ///< the first of that step at which they differ; "(end)": after the last;
                         ///< "(step)": they did not when it was stepped once more
    bks_map_place place; ///< the first value that differs at the start of the next tick, by
                         ///< bks_game.map, else by its ranges, else by page; "(unnamed).hash" where
                         ///< all that a snapshot holds is the same: `save` leaves something out
                         ///< that `hash` adds. "(step)": the step failed the second time
    char values[2][192]; ///< values of the first step and of the second
} bks_sync_difference;

/// Get what the test of sync_test_ticks found.
/// @param out  receives it, not NULL
/// @return true when the test found a difference; false for NULL
bool bks_peer_sync_difference(const bks_peer *peer, bks_sync_difference *out);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_PEER_H
