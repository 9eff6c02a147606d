// SPDX-License-Identifier: MIT

/// @file replay.h
/// Reader of recordings of a match, `.bks`. It trusts no byte: damaged parts are skipped, all
/// others can be read. The bytes are described in docs/spec/replay.md.
///
///     bks_replay *replay = NULL;
///     if (bks_replay_open(bytes, count, NULL, &replay, &error) == BKS_OK) {
///         const bks_recording *info = bks_replay_info(replay);
///         for (bks_tick tick = info->first; tick < info->end; tick++) {
///             status = bks_replay_inputs(replay, tick, values);
///         }
///     }
///     bks_replay_close(replay);
///
/// Thread rule: a replay belongs to one thread at a time.

#ifndef BACKSTITCH_REPLAY_H
#define BACKSTITCH_REPLAY_H

#include "backstitch/game.h"
#include "backstitch/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A recording that can be read. Opaque.
typedef struct bks_replay bks_replay;

/// Endings of a recording.
typedef enum bks_replay_ending {
    BKS_REPLAY_CUT_OFF = 0,    ///< without a closing record: its process died, or still writes
    BKS_REPLAY_LEFT_EARLY = 1, ///< closed in order before the match's end: the BKS_REPLAY_CLOSED
                               ///< event says why
    BKS_REPLAY_COMPLETE = 2,   ///< closed at the match's end; of a match without set length, when
                               ///< the last player who was in it closed it
    BKS_REPLAY_UNKNOWN = 3,    ///< damage may hide how it ends
} bks_replay_ending;

/// Contents of a recording.
typedef struct bks_recording {
    uint32_t format;              ///< version of the file's format
    const char *game;             ///< name of the game
    uint32_t version;             ///< version of the game
    const char *build;            ///< build of the game, may be ""
    uint32_t players;             ///< seats
    uint32_t tick_rate_hz;        ///< ticks a second
    uint64_t seed;                ///< as in bks_start
    bks_tick first;               ///< the first tick that is there: the recording's, or that from
                                  ///< which a growing file was opened
    bks_tick ticks;               ///< one past the last tick that is there without a gap
    bks_tick confirmed;           ///< one past the last of these ticks that is final. Up to it no
                                  ///< input, hash or keyframe is a guess; the rest was stepped with
                                  ///< guesses when the recording stopped
    bks_tick end;                 ///< one past the last tick that is there at all: above `ticks`
                                  ///< where damage left a gap
    bool is_complete;             ///< ended by bks_replay_writer_finish(), and nothing is damaged:
                                  ///< all that was recorded is there
    bks_replay_ending ending;     ///< how the recording ends
    bool is_damaged;              ///< bytes are there but wrong
    uint64_t damage_offset_bytes; ///< offset of the first wrong record or block
    uint32_t lost_count;          ///< damaged parts that were passed over: bks_replay_lost_at()
    uint64_t bytes;               ///< size of the whole file
    uint64_t input_bytes;         ///< bytes of inputs among these
    uint64_t hash_bytes;          ///< bytes of hashes among these
    uint64_t packed_state_bytes;  ///< bytes of the state at the first tick among these
    uint64_t state_bytes;         ///< size of that state, unpacked; 0 when the file ends before
    bool has_pointers;        ///< no state is recorded, since it holds raw pointers: `init` makes
                              ///< the first one
    uint32_t keyframes;       ///< states besides the one at the first tick
    uint64_t keyframe_bytes;  ///< bytes of keyframes in the file
    uint32_t event_count;     ///< events: bks_replay_event_at()
    uint32_t repair_count;    ///< repairs of peers' states: bks_replay_repair_at()
    uint32_t rollback_count;  ///< rollbacks as they happened: bks_replay_rollback_at()
    uint64_t rollback_bytes;  ///< bytes of rollbacks in the file
    uint32_t fact_count;      ///< answers from outside: bks_replay_fact()
    uint64_t fact_bytes;      ///< bytes of facts in the file
    uint32_t evidence_count;  ///< peers whose states differed: bks_replay_evidence_at()
    uint64_t evidence_bytes;  ///< bytes of evidence and match log in the file
    uint32_t log_count;       ///< entries of the log: bks_replay_log()
    bks_tick value_ticks;     ///< ticks whose values are there: bks_replay_values()
    uint64_t value_bytes;     ///< bytes of values in the file
    bks_tick page_hash_ticks; ///< ticks whose page hashes are there: bks_replay_page_hashes()
    uint64_t page_hash_bytes; ///< bytes of page hashes in the file
    bks_tick mark_ticks;      ///< ticks for which the states at marks may be there:
                              ///< bks_replay_marks()
    uint64_t mark_bytes;      ///< bytes of marks in the file
    uint32_t pages_max;       ///< most page hashes of one tick
    uint32_t hash_bits;       ///< bits kept of most hashes
    const bks_state_range *ranges;      ///< names of the state's bytes
    uint32_t range_count;               ///< length of `ranges`
    const bks_field *fields;            ///< the layout: names, bits, signs, neutrals and groups
    uint32_t field_count;               ///< length of `fields`
    const bks_replay_pair *options;     ///< the game's options by name
    uint32_t option_count;              ///< length of `options`
    const bks_replay_pair *environment; ///< compiler, architecture, byte order, library, …
    uint32_t environment_count;         ///< length of `environment`
} bks_recording;

/// A part of a file in memory.
typedef struct bks_replay_piece {
    uint64_t offset_bytes; ///< offset in the file where the piece begins
    const void *bytes;     ///< not NULL when count is above 0
    size_t count;          ///< size of the piece
} bks_replay_piece;

/// Most pieces that a replay is read from.
#define BKS_REPLAY_PIECES_MAX 4

/// Read a recording from memory. Every byte is compared with its check now; what the checks cover
/// is unpacked when it is asked for, or by bks_replay_check(). Damaged parts are passed over:
/// bks_replay_lost_at() lists what is missing.
/// @param bytes      borrowed until bks_replay_close()
/// @param count      its bytes
/// @param allocator  NULL: malloc and free
/// @param out        receives the replay; NULL on failure, but for a file whose beginning is right
///                   it is there with BKS_ERR_DAMAGED and BKS_ERR_UNSUPPORTED too: what is right
///                   can be read
/// @param error      may be NULL; offset_bytes says where
/// @return BKS_OK, also for a file that ends inside its last record: is_complete is false then;
///         BKS_ERR_INCOMPLETE (the file ends before it says what it is), BKS_ERR_DAMAGED,
///         BKS_ERR_UNSUPPORTED (no replay, or a later version's), BKS_ERR_OUT_OF_MEMORY,
///         BKS_ERR_BAD_ARGUMENT
/// Owned by the caller; release with bks_replay_close().
BKS_API BKS_NODISCARD bks_status bks_replay_open(const void *bytes, size_t count,
                                                 const bks_allocator *allocator, bks_replay **out,
                                                 bks_error *error);

/// Open a recording that is still being written; call bks_replay_refresh() as it grows. A record
/// that is cut at the end is read once the rest has come.
/// @param pieces  pieces of the file, the first from its beginning on, each beginning after the
///                one before; borrowed until bks_replay_refresh() or bks_replay_close()
/// @param count   1..BKS_REPLAY_PIECES_MAX
/// @return as bks_replay_open()
/// Owned by the caller; release with bks_replay_close().
BKS_API BKS_NODISCARD bks_status bks_replay_open_growing(const bks_replay_piece *pieces,
                                                         uint32_t count,
                                                         const bks_allocator *allocator,
                                                         bks_replay **out, bks_error *error);

/// Read the records that were added to a growing recording since the last call. What
/// bks_replay_info() points to is replaced.
/// @param pieces  as for bks_replay_open_growing(), with more bytes in the last; they may lie
///                elsewhere now
/// @param count   as then
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED, BKS_ERR_OUT_OF_MEMORY (close it then),
///         BKS_ERR_BAD_ARGUMENT (also for a replay that was not opened as growing)
BKS_API bks_status bks_replay_refresh(bks_replay *replay, const bks_replay_piece *pieces,
                                      uint32_t count, bks_error *error);

/// Release a replay. NULL is allowed.
BKS_API void bks_replay_close(bks_replay *replay);

/// Get what the recording holds.
/// @return its description, valid until bks_replay_close(); NULL for NULL
BKS_API const bks_recording *bks_replay_info(const bks_replay *replay);

/// A state in the file besides the one at its first tick.
typedef struct bks_replay_keyframe {
    bks_tick tick;  ///< the state is that at the start of this tick
    bool is_whole;  ///< false: encoded as its differences from the keyframe before it
    bool is_usable; ///< all keyframes that it is encoded against are there too
    bool is_wrong;  ///< the keyframe was written before a repair (bks_replay_is_repaired(), and in
                    ///< the tick of its `until` where that is so): nothing is played from it
    uint64_t offset_bytes; ///< offset of its record
    uint64_t bytes;        ///< size of its record
    uint64_t state_bytes;  ///< size of the state, unpacked
} bks_replay_keyframe;

/// Get one keyframe.
/// @param index  0..info->keyframes-1, in the order of ticks
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_keyframe_at(const bks_replay *replay, uint32_t index,
                                          bks_replay_keyframe *out);

/// Get one event.
/// @param index  0..info->event_count-1, in the order in which they were written
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_event_at(const bks_replay *replay, uint32_t index,
                                       bks_replay_event *out);

/// Get the inputs of one tick. Cheap for consecutive ticks, forwards or backwards; a jump unpacks
/// up to some minutes of ticks, at a small part of what stepping them costs.
/// @param tick    info->first..info->end-1
/// @param values  receives players * field_count values
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_DAMAGED (the tick is lost)
BKS_API BKS_NODISCARD bks_status bks_replay_inputs(bks_replay *replay, bks_tick tick,
                                                   int32_t *values);

/// Get the recorded hash of the state at the start of a tick.
/// @param tick      info->first..info->end; after the last tick of a complete recording stands
///                  its final hash
/// @param out_hash  receives the recorded bits, the lowest ones of the hash
/// @param out_bits  receives how many: 64, info->hash_bits, or 0 when this tick was not hashed or
///                  is lost
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_replay_hash(bks_replay *replay, bks_tick tick,
                                                 uint64_t *out_hash, uint32_t *out_bits);

/// Unpack the state at the first tick.
/// @param out       receives info->state_bytes bytes
/// @param capacity  at least that
/// @param error     may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED
///         (damage, as bks_replay_open() reported it; or info->has_pointers), BKS_ERR_INCOMPLETE
///         (the file ends before the state does, or was opened from a keyframe on)
BKS_API BKS_NODISCARD bks_status bks_replay_state(const bks_replay *replay, void *out,
                                                  size_t capacity, bks_error *error);

/// One player's inputs of a replay as a source for another match. Plain data.
typedef struct bks_replay_player {
    bks_replay *replay; ///< as given, must outlive the source
    uint32_t player;    ///< as given
    bks_tick missing;   ///< the first tick that was asked for and is not in the replay, which got a
                        ///< neutral input; BKS_TICK_NONE as long as there is none
} bks_replay_player;

/// Prepare to play one recorded player's inputs in another match.
/// @param player        receives it, not NULL
/// @param replay        must outlive it
/// @param index         whose inputs, 0..info->players-1
/// @param fields, count the layout of the match it will serve: must hold the replay's fields with
///                      their bits and signs
/// @param error         may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_UNSUPPORTED (the layouts differ)
BKS_API BKS_NODISCARD bks_status bks_replay_player_init(bks_replay_player *player,
                                                        bks_replay *replay, uint32_t index,
                                                        const bks_field *fields, uint32_t count,
                                                        bks_error *error);

/// Make an input source that plays a recorded player's inputs. `player` must outlive it.
BKS_API bks_source bks_replay_player_source(bks_replay_player *player);

// Steps a game through the inputs of a recording, to any tick and back, and verifies that the
// states are those that were recorded.
//
//     const bks_playback_config config = {.replay = replay, .game = &duel_game};
//     bks_playback *playback = NULL;
//     if (bks_playback_create(&config, &playback, &error) == BKS_OK) {
//         status = bks_playback_seek(playback, 3600, &error);
//         draw(bks_playback_state(playback));
//     }
//     bks_playback_destroy(playback);
//
// Thread rule: a playback belongs to the thread that has its replay.

/// Perspectives of a playback: whose knowledge of the inputs it steps with.
typedef enum bks_playback_perspective {
    /// No player's: every tick once, with the inputs that were played.
    BKS_PERSPECTIVE_REFERENCE = 0,
    /// One player's machine: the others' inputs arrive late and are guessed until then, as in a
    /// session; ticks with a wrong guess are rolled back.
    BKS_PERSPECTIVE_PLAYER = 1,
    /// The machine that recorded, with the rollbacks in the recording.
    BKS_PERSPECTIVE_RECORDER = 2,
} bks_playback_perspective;

/// Configuration of a playback. Start from {0}.
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

/// Get the recorded options as values for the game that is to play them, in the order of its table:
/// for a match that continues a recording.
/// @param config  as for bks_playback_create(): replay, game and any_version are read
/// @param out     receives them, not NULL
/// @param error   may be NULL
/// @return BKS_OK; BKS_ERR_UNSUPPORTED when the recording is of another game, version, layout or
///         set of options (error says which); BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (the game)
BKS_API BKS_NODISCARD bks_status bks_playback_options(const bks_playback_config *config,
                                                      bks_option_values *out, bks_error *error);

/// Release a playback. NULL is allowed.
BKS_API void bks_playback_destroy(bks_playback *playback);

/// Step one tick. From a perspective that guesses, the step after the last tick replaces all
/// remaining guesses by the recorded inputs: the state is then as if nothing had been guessed.
/// @return BKS_OK; BKS_OVER when the recording has no more; BKS_ERR_DAMAGED when the tick is lost,
///         or a seek failed and no state could be taken since; BKS_ERR_GAME when the game said that
///         it cannot continue; a log line says why: the playback stays at that tick until it seeks;
///         BKS_ERR_BAD_ARGUMENT for NULL
BKS_API bks_status bks_playback_step(bks_playback *playback);

/// Go to any tick, forwards or backwards: begin at the nearest state before it that is at hand, and
/// step from there. Marks and notes of these steps are not reported.
/// @param tick   info->first..info->end; one back is bks_playback_tick() - 1. Refused
///               from a perspective that guesses
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT; BKS_ERR_DAMAGED when ticks before it are lost and no
///         keyframe stands after them, or the recorded state is refused: its arena or a pool is
///         not sound, or the game's `check` says no; BKS_ERR_INCOMPLETE; BKS_ERR_OUT_OF_MEMORY.
///         After a failure the playback stands at some tick that can be played, if there is one
BKS_API bks_status bks_playback_seek(bks_playback *playback, bks_tick tick, bks_error *error);

/// Write the state as bytes, from which another match can continue: see bks_peer_config.
/// @param out       receives the bytes; NULL asks for the most that they ever take in this
///                  recording, whatever the tick
/// @param capacity  bytes at `out`
/// @return bytes written; with a NULL `out` the most there ever are; 0 when capacity is too small,
///         the game could not save, its state holds raw pointers (logged), or playback is NULL
BKS_API size_t bks_playback_export(bks_playback *playback, void *out, size_t capacity);

/// Get the number of ticks stepped: the state is at the start of this tick.
/// @return the tick, 0 for NULL
BKS_API bks_tick bks_playback_tick(const bks_playback *playback);

/// Get the number of ticks that will not be stepped again: fewer than bks_playback_tick() from a
/// perspective that guesses.
/// @return one past the last of them, 0 for NULL
BKS_API bks_tick bks_playback_confirmed(const bks_playback *playback);

/// Get what to draw between the newest tick and the one before it: see game.h, interpolated. After
/// bks_playback_create() and a seek, from a perspective that guesses, and without `interpolates`,
/// it is the newest state alone.
/// @param share  part of the way from the state before to the newest, 0..1
/// @param frame  receives it, not NULL; its states are valid until the playback steps or seeks
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_playback_frame(const bks_playback *playback, float share, bks_frame *frame);

/// Get the present state. Read only, stays at one address.
/// @return the state, NULL for NULL
BKS_API const void *bks_playback_state(const bks_playback *playback);

/// Hash the present state.
/// @return the hash, 0 for NULL
BKS_API uint64_t bks_playback_hash(bks_playback *playback);

/// Get the final hash of the state at the start of a tick. From a perspective that guesses,
/// bks_playback_hash() is of a state that may still change; this hash never does.
/// @param tick      0..bks_playback_confirmed(). Only the newest are kept: at least those that the
///                  last step made final. BKS_PERSPECTIVE_REFERENCE keeps bks_playback_tick() alone
/// @param out_hash  not NULL; untouched on failure
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_NOT_CONFIRMED; BKS_ERR_TICK_TOO_OLD, also when the
///         state was lost because the game failed
BKS_API BKS_NODISCARD bks_status bks_playback_confirmed_hash(bks_playback *playback, bks_tick tick,
                                                             uint64_t *out_hash);

/// Take the oldest event of a cue, after each step: see present.h. After a seek no cue of the past
/// is reported, and what was not taken before is gone.
/// @param event  receives it, not NULL
/// @return false when there is none, also with cues_per_tick 0
BKS_API bool bks_playback_cue(bks_playback *playback, bks_cue_event *event);

/// Result of verifying a replay.
typedef struct bks_verify_result {
    bool is_same;             ///< nothing differed
    bks_tick stepped;         ///< ticks stepped
    bks_tick compared;        ///< hashes compared
    uint32_t keyframes;       ///< keyframes compared
    bks_tick repaired;        ///< number of compared hashes whose ticks were wrong until a repair:
                              ///< compared with the hashes that the peers agreed on
    bks_tick repeated;        ///< number of these that differ, and are the hashes of the repaired
                              ///< peer: the fault shows here too
    bks_tick first_different; ///< the first tick whose state differs, BKS_TICK_NONE when none does
    uint64_t recorded;        ///< recorded hash at that tick, `recorded_bits` of it
    uint32_t recorded_bits;   ///< as recorded; 0 when the state at tick 0 or a keyframe differs
    uint64_t computed;        ///< computed hash at that tick
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
/// that were not confirmed have no hash and are not stepped. After lost ticks it continues from
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

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_REPLAY_H
