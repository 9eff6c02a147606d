// SPDX-License-Identifier: MIT

/// @file playback.h
/// Steps a game through the inputs of a recording, to any tick and back, and verifies that the
/// states are those that were recorded.
///
///     const bks_playback_config config = {.replay = replay, .game = &duel_game};
///     bks_playback *playback = NULL;
///     if (bks_playback_create(&config, &playback, &error) == BKS_OK) {
///         status = bks_playback_seek(playback, 3600, &error);
///         draw(bks_playback_state(playback));
///     }
///     bks_playback_destroy(playback);
///
/// Thread rule: a playback belongs to the thread that has its replay.

#ifndef BACKSTITCH_PLAYBACK_H
#define BACKSTITCH_PLAYBACK_H

#include "backstitch/cues.h"
#include "backstitch/frame.h"
#include "backstitch/replay_reader.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Hears what the steps of a playback leave behind. A function may be NULL.
typedef struct bks_playback_listener {
    /// A mark was reached, before its state is hashed; alone it costs a call, so it can take times.
    void (*reached)(void *context, bks_tick tick, const char *name);
    /// A mark, and the hash of the state there.
    void (*mark)(void *context, bks_tick tick, const char *name, uint64_t hash);
    /// A note's text, valid during the call.
    void (*note)(void *context, bks_tick tick, const char *text);
    void *context; ///< handed to all, may be NULL
} bks_playback_listener;

/// Whose knowledge of the inputs a playback steps with.
typedef enum bks_playback_perspective {
    /// No player's: every tick once, with the inputs that were played.
    BKS_PERSPECTIVE_REFERENCE = 0,
    /// One player's machine: the others' inputs arrive late and are guessed until then, as in a
    /// session; ticks with a wrong guess are rolled back.
    BKS_PERSPECTIVE_PLAYER = 1,
    /// The machine that recorded, with the rollbacks in the recording.
    BKS_PERSPECTIVE_RECORDER = 2,
} bks_playback_perspective;

/// What a playback needs. Start from {0}.
typedef struct bks_playback_config {
    bks_replay *replay;       ///< required, must outlive the playback, serves one at a time
    const bks_game *game;     ///< required, must outlive the playback
    bool any_version;         ///< true: play the inputs with another version of the game, and with
                              ///< defaults for options the recording does not know
    bool from_recorded_state; ///< true: start from the state in the file, not from `init`
    /// Default BKS_PERSPECTIVE_REFERENCE. From the others the state is what that machine had,
    /// guesses included, and the playback cannot go back.
    bks_playback_perspective perspective;
    uint32_t player;         ///< BKS_PERSPECTIVE_PLAYER: whose machine, 0..info->players-1
    uint32_t late_ticks;     ///< BKS_PERSPECTIVE_PLAYER: how late the others' inputs are, 1..250;
                             ///< 0 (default): 6
    size_t memory_bytes;     ///< states to keep besides the keyframes in the file, to go back to; 0
                             ///< (default): none, or 16 MiB where raw pointers keep states out of
                             ///< files (bks_game.pointers). Taken when the playback is created
    uint32_t cues_per_tick;  ///< most cues of one tick that are reported by bks_playback_cue(),
                             ///< 0..BKS_CUES_PER_TICK_MAX, with a game that names cues. 0
                             ///< (default): no one listens
    bool interpolates;       ///< keep the state a tick before the newest for bks_playback_frame(),
                             ///< of a game whose state lies in a region and holds no raw pointers:
                             ///< the memory of one state, and a copy of it for each step
    bks_allocator allocator; ///< default malloc and free
} bks_playback_config;

/// Steps a game through the inputs of a replay. Opaque.
typedef struct bks_playback bks_playback;

/// Begin a playback at the first tick: with `init` when that is 0, else with the state in the file;
/// or at the first keyframe, where that state is damaged, and of a growing file that was opened
/// from one on.
/// @param config  copied
/// @param out     receives the playback, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK; BKS_ERR_UNSUPPORTED when the recording is of another game, version, layout or
///         set of options (error says which); BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG,
///         BKS_ERR_OUT_OF_MEMORY; BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE for the recorded state, also
///         when no keyframe is there yet
/// Owned by the caller; release with bks_playback_destroy().
BKS_API BKS_NODISCARD bks_status bks_playback_create(const bks_playback_config *config,
                                                     bks_playback **out, bks_error *error);

/// The recorded options as values for the game that is to play them, in the order of its table: for
/// a match that continues a recording.
/// @param config  as for bks_playback_create(): replay, game and any_version are read
/// @param out     receives them, not NULL
/// @param error   may be NULL
/// @return BKS_OK; BKS_ERR_UNSUPPORTED when the recording is of another game, version, layout or
///         set of options (error says which); BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (the game)
BKS_API BKS_NODISCARD bks_status bks_playback_options(const bks_playback_config *config,
                                                      bks_option_values *out, bks_error *error);

/// Release a playback. NULL is allowed.
BKS_API void bks_playback_destroy(bks_playback *playback);

/// Step one tick. Behind the last one, from a perspective that guesses, it is rolled back for good:
/// the state is then as if nothing had been guessed.
/// @return BKS_OK; BKS_OVER when the recording has no more; BKS_ERR_DAMAGED when the tick is lost,
///         or a seek failed and no state could be taken since; BKS_ERR_GAME when the game said that
///         it cannot continue; a log line says why: the playback stays at that tick until it seeks;
///         BKS_ERR_BAD_ARGUMENT for NULL
BKS_API bks_status bks_playback_step(bks_playback *playback);

/// The same with the inputs of that tick at hand, which are then not read here: unpacking them is
/// what a step costs beside the game's own, and another thread can do it ahead of this one, by
/// bks_replay_inputs() on a replay of its own.
/// @param inputs  as bks_replay_inputs() gives them; not NULL
/// @return BKS_OK; BKS_OVER; BKS_ERR_GAME; BKS_ERR_DAMAGED when a seek failed and no state
///         could be taken since; BKS_ERR_BAD_ARGUMENT for NULL, and from a perspective that guesses
BKS_API bks_status bks_playback_step_with(bks_playback *playback, const int32_t *inputs);

/// Go to any tick, forwards or backwards: from the nearest state before it that is at hand, by
/// steps. Their marks and notes are not reported.
/// @param tick   info->first..info->end; one back is bks_playback_tick() - 1. Refused
///               from a perspective that guesses
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT; BKS_ERR_DAMAGED when ticks before it are lost and no
///         keyframe stands behind them, or the recorded state is refused: its arena or a pool is
///         not sound, or the game's `check` says no; BKS_ERR_INCOMPLETE; BKS_ERR_OUT_OF_MEMORY.
///         After a failure the playback stands at some tick that can be played, if there is one
BKS_API bks_status bks_playback_seek(bks_playback *playback, bks_tick tick, bks_error *error);

/// What a playback did so far.
typedef struct bks_playback_counts {
    uint64_t steps;     ///< ticks stepped, again too
    uint64_t rollbacks; ///< from a perspective that guesses
    uint64_t keyframes; ///< keyframes of the file unpacked
    uint64_t starts;    ///< times that the state of the first tick was taken up
    uint64_t kept;      ///< states kept in memory
} bks_playback_counts;

/// What it did so far.
/// @param out  receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_playback_costs(const bks_playback *playback, bks_playback_counts *out);

/// The state as bytes, from which another match can continue: see bks_peer_config.
/// @param out       receives the bytes; NULL asks for the most that they ever take in this
///                  recording, whatever the tick
/// @param capacity  bytes at `out`
/// @return bytes written; with a NULL `out` the most there ever are; 0 when capacity is too small,
///         the game could not save, its state holds raw pointers (logged), or playback is NULL
BKS_API size_t bks_playback_export(bks_playback *playback, void *out, size_t capacity);

/// Ticks stepped: the state is at the start of this tick.
/// @return the tick, 0 for NULL
BKS_API bks_tick bks_playback_tick(const bks_playback *playback);

/// Ticks that will not be stepped again: fewer than bks_playback_tick() from a perspective that
/// guesses.
/// @return one past the last of them, 0 for NULL
BKS_API bks_tick bks_playback_confirmed(const bks_playback *playback);

/// What to draw between the newest tick and the one before it: see frame.h, interpolated. After
/// bks_playback_create() and a seek, from a perspective that guesses, and without `interpolates`,
/// it is the newest state alone.
/// @param share  of the way from the state before to the newest, 0..1
/// @param frame  receives it, not NULL; its states are valid until the playback steps or seeks
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_playback_frame(const bks_playback *playback, float share, bks_frame *frame);

/// The state as it is. Read only, stays at one address.
/// @return the state, NULL for NULL
BKS_API const void *bks_playback_state(const bks_playback *playback);

/// Hash of the state as it is.
/// @return the hash, 0 for NULL
BKS_API uint64_t bks_playback_hash(bks_playback *playback);

/// Final hash of the state at the start of a tick. From a perspective that guesses,
/// bks_playback_hash() is of a state that may still change; this hash never does.
/// @param tick      0..bks_playback_confirmed(). Only the newest are kept: at least those that the
///                  last step made final. BKS_PERSPECTIVE_REFERENCE keeps bks_playback_tick() alone
/// @param out_hash  not NULL; untouched on failure
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_NOT_CONFIRMED; BKS_ERR_TICK_TOO_OLD, also when the
///         state was lost because the game failed
BKS_API BKS_NODISCARD bks_status bks_playback_confirmed_hash(bks_playback *playback, bks_tick tick,
                                                             uint64_t *out_hash);

/// Listen to marks and notes from now on; NULL stops. Copied.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_playback_listen(bks_playback *playback,
                                       const bks_playback_listener *listener);

/// Take what is to be reported of cues, after each step: see cues.h. After a seek no cue of the
/// past is reported, and what was not taken before is gone.
/// @param event  receives it, not NULL
/// @return false when there is none, also with cues_per_tick 0
BKS_API bool bks_playback_cue(bks_playback *playback, bks_cue_event *event);

/// What verifying a replay found.
typedef struct bks_verify_result {
    bool is_same;             ///< nothing differed
    bks_tick stepped;         ///< ticks stepped
    bks_tick compared;        ///< hashes compared
    uint32_t keyframes;       ///< keyframes compared
    bks_tick repaired;        ///< of the hashes compared, those of ticks that were wrong until a
                              ///< repair: compared with what the peers agreed on
    bks_tick repeated;        ///< of these, those that differ from it, being what the peer had: the
                              ///< fault shows here too
    bks_tick first_different; ///< the first tick whose state differs, BKS_TICK_NONE when none does
    uint64_t recorded;        ///< at that tick, `recorded_bits` of it
    uint32_t recorded_bits;   ///< as recorded; 0 when the state at tick 0 or a keyframe differs
    uint64_t computed;        ///< at that tick
    uint32_t page;            ///< the first page that differs at tick 0 when recorded_bits is 0
} bks_verify_result;

/// Which part of a replay is verified, and a callback for its progress. {0}: all of it.
typedef struct bks_verify_part {
    bks_tick from;  ///< compare from this tick on, 0..info->confirmed; stepped is from the newest
                    ///< keyframe before it
    bks_tick until; ///< compare up to this tick, itself included: from..info->end; 0: all
    /// Called now and then with the ticks done and the last one; false ends it. NULL: no callback.
    bool (*progress)(void *context, bks_tick done, bks_tick last);
    void *context; ///< handed to progress, may be NULL
} bks_verify_part;

/// Step a replay again and compare the state at tick 0, every hash and, for games without a hash of
/// their own, every keyframe. A recording that begins later is stepped from the state in it. Ticks
/// that were not confirmed have no hash and are not stepped. Behind lost ticks it continues from
/// the next keyframe. At a tick whose state was wrong until a repair (bks_replay_is_repaired()) the
/// hash that the peers agreed on is right, and what the peer had is no difference either: where
/// that comes out here again, the repaired state is taken from the next keyframe.
/// @param config  as for bks_playback_create(); from_recorded_state must be false
/// @param part    NULL: all
/// @param result  receives what was found, not NULL; also with BKS_ERR_DESYNC and BKS_ERR_DAMAGED
/// @param error   may be NULL
/// @return BKS_OK: all is the same as far as the file goes; BKS_ERR_DESYNC: it is not;
///         BKS_ERR_DAMAGED: bytes of the file are wrong, `result` holds what was compared before
///         them; BKS_OVER: progress ended it; BKS_ERR_GAME: the game failed where it did not when
///         it was recorded; the codes of bks_playback_create()
BKS_API BKS_NODISCARD bks_status bks_replay_verify(const bks_playback_config *config,
                                                   const bks_verify_part *part,
                                                   bks_verify_result *result, bks_error *error);

/// Cut a replay into parts that can be verified at the same time, each by a thread with a
/// bks_replay of its own over the same bytes. Each part but the first begins with a keyframe, which
/// the part before compares; so when all parts verify, the recording does. Part i is from the tick
/// behind untils[i - 1], part 0 from 0.
/// @param config  as for bks_replay_verify()
/// @param parts   most parts, at least 1
/// @param untils  receives `until` of each part
/// @return the number of parts, each of about the same number of ticks; 1 when it has no keyframes,
///         has lost ticks, is from a perspective that guesses, or the game has a hash of its own,
///         by which keyframes are not compared; 0 for NULL
BKS_API uint32_t bks_replay_split(const bks_playback_config *config, uint32_t parts,
                                  bks_tick *untils);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_PLAYBACK_H
