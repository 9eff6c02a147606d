// SPDX-License-Identifier: MIT

/// @file replay.h Reader of recordings of a match, `.bks`. It trusts no byte: damaged parts are
/// skipped, and everything else can be read. docs/spec/replay.md describes the bytes.
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

/// A recording opened for reading. Opaque.
typedef struct bks_replay bks_replay;

/// Ways in which a recording can end.
typedef enum bks_replay_ending {
    /// The recording has no closing record: the process that wrote it died, or is still writing.
    BKS_REPLAY_CUT_OFF = 0,
    /// The recording was closed before the match's end: the BKS_REPLAY_CLOSED event says why.
    BKS_REPLAY_LEFT_EARLY = 1,
    /// The recording was closed at the match's end; a match without a set length ends when its last
    /// player closes it.
    BKS_REPLAY_COMPLETE = 2,
    /// The way in which the recording ends is unknown, because of damage.
    BKS_REPLAY_UNKNOWN = 3,
} bks_replay_ending;

/// Contents of a recording.
typedef struct bks_recording {
    uint32_t format;  ///< version of the file's format
    const char *game; ///< name of the game
    uint32_t version; ///< version of the game
    /// Name of the game's build, may be "".
    const char *build;
    uint32_t players;      ///< number of seats
    uint32_t tick_rate_hz; ///< ticks a second
    uint64_t seed;         ///< seed of the match, as in bks_start
    /// First tick in the file, or the tick from which a growing file was opened.
    bks_tick first;
    bks_tick ticks; ///< one past the last tick before the first gap
    /// One past the last final tick before the first gap. No input, hash or keyframe before this
    /// tick is a guess; the later ticks had been stepped with guesses when the recording stopped.
    bks_tick confirmed;
    /// One past the last tick in the file: above `ticks` if damage left a gap.
    bks_tick end;
    /// True if bks_replay_writer_finish() ended the recording and nothing is damaged: everything
    /// recorded can be read.
    bool is_complete;
    bks_replay_ending ending;     ///< way in which the recording ends
    bool is_damaged;              ///< true if bytes in the file are wrong
    uint64_t damage_offset_bytes; ///< offset of the first wrong record or block
    /// Number of damaged parts that were skipped: bks_replay_lost_at().
    uint32_t lost_count;
    uint64_t bytes;              ///< size of the whole file in bytes
    uint64_t input_bytes;        ///< bytes of the file that inputs take
    uint64_t hash_bytes;         ///< bytes of the file that hashes take
    uint64_t packed_state_bytes; ///< bytes of the file that the state at the first tick takes
    /// Size of the state at the first tick in bytes, unpacked; 0 when the file ends before it.
    uint64_t state_bytes;
    /// True if no state is recorded because states hold raw pointers: `init` makes the first state.
    bool has_pointers;
    /// Most ticks that were appended to the file at once; 0: none yet.
    bks_tick chunk_ticks;
    uint32_t keyframes;       ///< number of states besides the one at the first tick
    uint64_t keyframe_bytes;  ///< bytes of keyframes in the file
    uint32_t event_count;     ///< number of events: bks_replay_event_at()
    uint32_t repair_count;    ///< number of repairs of peers' states: bks_replay_repair_at()
    uint32_t rollback_count;  ///< number of recorded rollbacks: bks_replay_rollback_at()
    uint64_t rollback_bytes;  ///< bytes of rollbacks in the file
    uint32_t fact_count;      ///< number of recorded answers to bks_ask(): bks_replay_fact()
    uint64_t fact_bytes;      ///< bytes of facts in the file
    uint32_t command_ticks;   ///< number of ticks with commands: bks_replay_commands()
    uint64_t command_bytes;   ///< bytes of commands in the file
    uint32_t evidence_count;  ///< number of peers whose states differed: bks_replay_evidence_at()
    uint64_t evidence_bytes;  ///< bytes of evidence and match log in the file
    uint32_t log_count;       ///< number of entries in the match log: bks_replay_log()
    bks_tick value_ticks;     ///< number of ticks with recorded values: bks_replay_values()
    uint64_t value_bytes;     ///< bytes of values in the file
    bks_tick page_hash_ticks; ///< number of ticks with page hashes: bks_replay_page_hashes()
    uint64_t page_hash_bytes; ///< bytes of page hashes in the file
    bks_tick mark_ticks;      ///< number of ticks that may have states at marks: bks_replay_marks()
    uint64_t mark_bytes;      ///< bytes of marks in the file
    uint32_t pages_max;       ///< greatest number of page hashes in one tick
    uint32_t hash_bits;       ///< number of bits recorded of most hashes
    const bks_state_range *ranges; ///< names of the state's bytes
    uint32_t range_count;          ///< length of `ranges`
    /// The layout of an input: names, bits, signs, neutral values and groups of its fields.
    const bks_field *fields;
    uint32_t field_count;           ///< length of `fields`
    const bks_replay_pair *options; ///< options of the game and their values, by name
    uint32_t option_count;          ///< length of `options`
    /// Description of the machine that recorded: compiler, architecture, byte order, library, …
    const bks_replay_pair *environment;
    uint32_t environment_count; ///< length of `environment`
} bks_recording;

/// A piece of a file in memory.
typedef struct bks_replay_piece {
    uint64_t offset_bytes; ///< offset in the file where the piece begins
    const void *bytes;     ///< bytes of the piece; not NULL when count is above 0
    size_t count;          ///< size of the piece in bytes
} bks_replay_piece;

/// Maximum number of pieces from which a replay is read.
#define BKS_REPLAY_PIECES_MAX 4

/// Read a recording from memory. All checksums are verified now; contents are unpacked when they
/// are asked for, or by bks_replay_check(). Damaged parts are skipped: bks_replay_lost_at() lists
/// what is missing.
/// @param bytes      borrowed until bks_replay_close()
/// @param count      size of the recording
/// @param allocator  NULL: malloc and free
/// @param out        receives the replay; NULL on failure. With BKS_ERR_DAMAGED and
///                   BKS_ERR_UNSUPPORTED it is not NULL if the beginning of the file is intact: the
///                   intact parts can be read
/// @param error      may be NULL; offset_bytes is the offset of the first error
/// @return BKS_OK, also for a file that ends inside its last record: is_complete is false then;
///         BKS_ERR_INCOMPLETE (the file ends before it says what it is), BKS_ERR_DAMAGED,
///         BKS_ERR_UNSUPPORTED (the file is no replay, or has a later format),
///         BKS_ERR_OUT_OF_MEMORY, BKS_ERR_BAD_ARGUMENT
/// Owned by the caller; release with bks_replay_close().
BKS_API BKS_NODISCARD bks_status bks_replay_open(const void *bytes, size_t count,
                                                 const bks_allocator *allocator, bks_replay **out,
                                                 bks_error *error);

/// Open a recording that is still being written; call bks_replay_refresh() as it grows. A record
/// that is cut at the end of the file is read once the rest has been written.
/// @param pieces  pieces of the file, the first from its beginning on, each beginning after the
///                one before; borrowed until bks_replay_refresh() or bks_replay_close()
/// @param count   1..BKS_REPLAY_PIECES_MAX
/// @return as bks_replay_open()
/// Owned by the caller; release with bks_replay_close().
BKS_API BKS_NODISCARD bks_status bks_replay_open_growing(const bks_replay_piece *pieces,
                                                         uint32_t count,
                                                         const bks_allocator *allocator,
                                                         bks_replay **out, bks_error *error);

/// Read the records that were added to a growing recording since the last call. The call updates
/// the description that bks_replay_info() points to; pointers that were copied out of it may no
/// longer be valid.
/// @param pieces  as for bks_replay_open_growing(), with more bytes in the last piece; they may be
///                at other addresses now
/// @param count   number of pieces, as for bks_replay_open_growing()
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED, BKS_ERR_OUT_OF_MEMORY (then close the
///         replay), BKS_ERR_BAD_ARGUMENT (also for a replay that was not opened as growing)
BKS_API bks_status bks_replay_refresh(bks_replay *replay, const bks_replay_piece *pieces,
                                      uint32_t count, bks_error *error);

/// Release a replay. NULL is allowed.
BKS_API void bks_replay_close(bks_replay *replay);

/// Get the description of a recording's contents.
/// @return the description, valid until bks_replay_close(); NULL for NULL
BKS_API const bks_recording *bks_replay_info(const bks_replay *replay);

/// A keyframe: a state in the file besides the one at its first tick.
typedef struct bks_replay_keyframe {
    bks_tick tick; ///< tick at whose start the state is
    /// True: stored whole; false: stored as the difference from the keyframe before it.
    bool is_whole;
    bool is_usable; ///< true if the file has all keyframes that this one is encoded against
    /// True if the keyframe was written before a repair (bks_replay_is_repaired()), so its state
    /// may be wrong: playing never starts from it. Also true for a keyframe at the tick `until` of
    /// such a repair.
    bool is_wrong;
    uint64_t offset_bytes; ///< offset of the keyframe's record in the file
    /// Size of the keyframe's record in bytes.
    uint64_t bytes;
    uint64_t state_bytes; ///< size of the state, unpacked
} bks_replay_keyframe;

/// Get one keyframe.
/// @param index  0..info->keyframes-1, in the order of ticks
/// @param out    receives the keyframe, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_keyframe_at(const bks_replay *replay, uint32_t index,
                                          bks_replay_keyframe *out);

/// Get one event.
/// @param index  0..info->event_count-1, in the order in which they were written
/// @param out    receives the event, not NULL
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
/// @param tick      info->first..info->end; a complete recording has the final hash at the tick
///                  after its last one
/// @param out_hash  receives the recorded bits, which are the lowest bits of the hash
/// @param out_bits  receives the number of recorded bits: 64, info->hash_bits, or 0 when this tick
///                  was not hashed or is lost
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_replay_hash(bks_replay *replay, bks_tick tick,
                                                 uint64_t *out_hash, uint32_t *out_bits);

/// Unpack the state at the first tick.
/// @param out       receives info->state_bytes bytes
/// @param capacity  size of `out`, at least info->state_bytes
/// @param error     may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED
///         (bks_replay_open() reported it, or info->has_pointers is true), BKS_ERR_INCOMPLETE (the
///         file ends before the state does, or was opened from a keyframe on)
BKS_API BKS_NODISCARD bks_status bks_replay_state(const bks_replay *replay, void *out,
                                                  size_t capacity, bks_error *error);

/// One player's inputs of a replay as a source for another match. Plain data.
typedef struct bks_replay_player {
    bks_replay *replay; ///< replay passed to bks_replay_player_init(), must outlive the source
    uint32_t player;    ///< number of the recorded player
    /// First tick that a match asked for and the replay does not have: the match got a neutral
    /// input for it. BKS_TICK_NONE while there is none.
    bks_tick missing;
    bks_tick command_tick; ///< tick for which a command was last asked; BKS_TICK_NONE: none
    uint32_t command_at;   ///< offset of the next command in the commands of command_tick
} bks_replay_player;

/// Prepare to play one recorded player's inputs in another match.
/// @param player        receives the recorded player, not NULL
/// @param replay        must outlive `player`
/// @param index         number of the recorded player, 0..info->players-1
/// @param fields, count layout of the match in which the inputs are played: it must have the
///                      replay's fields with their bits and signs
/// @param error         may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_UNSUPPORTED (the layouts differ)
BKS_API BKS_NODISCARD bks_status bks_replay_player_init(bks_replay_player *player,
                                                        bks_replay *replay, uint32_t index,
                                                        const bks_field *fields, uint32_t count,
                                                        bks_error *error);

/// Make an input source that plays a recorded player's inputs. `player` must outlive it.
BKS_API bks_source bks_replay_player_source(bks_replay_player *player);

// Playback: steps a game through the inputs of a recording, to any tick and back, and verifies that
// the states are those that were recorded.
//
//     const bks_playback_config config = {.replay = replay, .game = &duel_game};
//     bks_playback *playback = NULL;
//     if (bks_playback_create(&config, &playback, &error) == BKS_OK) {
//         status = bks_playback_seek(playback, 3600, &error);
//         draw(bks_playback_state(playback));
//     }
//     bks_playback_destroy(playback);
//
// Thread rule: a playback belongs to the thread that uses its replay.

/// Perspectives of a playback: which inputs it knows when it steps a tick.
typedef enum bks_playback_perspective {
    /// No player's perspective: step every tick once, with the recorded inputs.
    BKS_PERSPECTIVE_REFERENCE = 0,
    /// Perspective of one player's machine: the others' inputs arrive late and are guessed until
    /// then, as in a session; ticks with a wrong guess are rolled back.
    BKS_PERSPECTIVE_PLAYER = 1,
    /// Perspective of the machine that recorded: step as it did, with the rollbacks in its
    /// recording.
    BKS_PERSPECTIVE_RECORDER = 2,
} bks_playback_perspective;

/// Configuration of a playback. Start from {0}.
typedef struct bks_playback_config {
    /// Recording to play, required; must outlive the playback. Only one playback at a time may use
    /// it.
    bks_replay *replay;
    const bks_game *game; ///< game to step, required; must outlive the playback
    /// True: play the inputs with another version of the game, using its defaults for options that
    /// the recording lacks.
    bool any_version;
    bool from_recorded_state; ///< true: start from the state in the file instead of `init`

    /// Perspective, default BKS_PERSPECTIVE_REFERENCE. With the other two, the state is the one
    /// that the machine of the player, or the machine that recorded, had at that moment, guesses
    /// included, and the playback cannot go back.
    bks_playback_perspective perspective;
    /// BKS_PERSPECTIVE_PLAYER: number of the player whose perspective it is, 0..info->players-1.
    uint32_t player;
    /// BKS_PERSPECTIVE_PLAYER: ticks by which the others' inputs are late, 1..250; 0 (default): 6.
    uint32_t late_ticks;
    /// Bytes for states kept in memory to go back to, besides the keyframes in the file; 0
    /// (default): none, or 16 MiB if raw pointers keep states out of files (bks_game.pointers).
    /// Allocated when the playback is created.
    size_t memory_bytes;
    /// Most cues of one tick that bks_playback_cue() reports, 0..BKS_CUES_PER_TICK_MAX, for a game
    /// with cues. 0 (default): cues are not collected.
    uint32_t cues_per_tick;
    /// True: keep the state one tick before the newest, for bks_playback_frame(). Only for a game
    /// whose state lies in a region and holds no raw pointers. Costs the memory of one state and a
    /// copy of it for each step.
    bool interpolates;
    bks_allocator allocator; ///< memory hooks, default malloc and free
} bks_playback_config;

/// Steps a game through the inputs of a replay. Opaque.
typedef struct bks_playback bks_playback;

/// Begin a playback at the first tick: with `init` if that tick is 0, else with the state in the
/// file. Begin at the first keyframe if that state is damaged, or if a growing file was opened from
/// a keyframe on.
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

/// Get the recorded options as option values of the game that will use them, in the order of its
/// table: for a match that continues a recording.
/// @param config  as for bks_playback_create(); only replay, game and any_version are read
/// @param out     receives the option values, not NULL
/// @param error   may be NULL
/// @return BKS_OK; BKS_ERR_UNSUPPORTED when the recording is of another game, version, layout or
///         set of options (error says which); BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (the game)
BKS_API BKS_NODISCARD bks_status bks_playback_options(const bks_playback_config *config,
                                                      bks_option_values *out, bks_error *error);

/// Release a playback. NULL is allowed.
BKS_API void bks_playback_destroy(bks_playback *playback);

/// Step one tick. From a perspective that guesses, the step after the last tick replaces all
/// remaining guesses by the recorded inputs, so the state is then the same as without guesses.
/// @return BKS_OK; BKS_OVER when the recording has no more; BKS_ERR_DAMAGED when the tick is lost,
///         or a seek failed and none has succeeded since; BKS_ERR_GAME when the game reported that
///         it cannot continue: a log line says why, and the playback stays at that tick until it
///         seeks; BKS_ERR_BAD_ARGUMENT for NULL
BKS_API bks_status bks_playback_step(bks_playback *playback);

/// Go to any tick, forwards or backwards: begin at the nearest available state before it, and step
/// from there. The marks and notes of these steps are not reported.
/// @param tick   info->first..info->end; for one tick back pass bks_playback_tick() - 1. From a
///               perspective that guesses the call is refused
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT; BKS_ERR_DAMAGED when ticks before `tick` are lost and no
///         keyframe follows them, or the recorded state is refused: its arena or a pool is not
///         valid, or the game's `check` says no; BKS_ERR_INCOMPLETE; BKS_ERR_OUT_OF_MEMORY. After a
///         failure the playback is at some tick that can be played, if there is one
BKS_API bks_status bks_playback_seek(bks_playback *playback, bks_tick tick, bks_error *error);

/// Seek in parts, so that a window stays awake: as bks_playback_seek(), but step at most
/// `ticks_most` ticks. While bks_playback_tick() is less than `tick` afterwards, call it again with
/// the same `tick`; the state between is that of the tick reached.
/// @param tick        as for bks_playback_seek()
/// @param ticks_most  1..UINT32_MAX
/// @param error       may be NULL
/// @return as bks_playback_seek(), BKS_ERR_BAD_ARGUMENT also for ticks_most 0; after another status
///         than BKS_OK do not go on
BKS_API bks_status bks_playback_approach(bks_playback *playback, bks_tick tick, uint32_t ticks_most,
                                         bks_error *error);

/// Write the state as bytes from which another match can continue (bks_peer_config.start_state).
/// @param out       receives the bytes; NULL asks for the largest size that a state of this
///                  recording can have, at any tick
/// @param capacity  size of `out`
/// @return number of bytes written; with a NULL `out` the largest possible number; 0 when capacity
///         is too small, the game could not save, its state holds raw pointers (logged), or
///         playback is NULL
BKS_API size_t bks_playback_export(bks_playback *playback, void *out, size_t capacity);

/// Get the number of ticks stepped: the state is at the start of this tick.
/// @return the tick, 0 for NULL
BKS_API bks_tick bks_playback_tick(const bks_playback *playback);

/// Get the number of ticks that will not be stepped again: less than bks_playback_tick() from a
/// perspective that guesses.
/// @return one past the last final tick, 0 for NULL
BKS_API bks_tick bks_playback_confirmed(const bks_playback *playback);

/// Get the picture to draw between the newest tick and the one before it, interpolated (bks_frame
/// in game.h). After bks_playback_create() and a seek, from a perspective that guesses, and without
/// `interpolates`, the picture is the newest state alone.
/// @param share  position between the state before (0) and the newest state (1)
/// @param frame  receives the picture, not NULL; its states are valid until the playback steps or
///               seeks
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
/// @param tick      0..bks_playback_confirmed(). Only the newest ticks are kept: at least those
///                  that the last step made final. BKS_PERSPECTIVE_REFERENCE keeps
///                  bks_playback_tick() alone
/// @param out_hash  not NULL; untouched on failure
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_NOT_CONFIRMED; BKS_ERR_TICK_TOO_OLD, also when the
///         game failed and the state was lost
BKS_API BKS_NODISCARD bks_status bks_playback_confirmed_hash(bks_playback *playback, bks_tick tick,
                                                             uint64_t *out_hash);

/// Take the oldest event of a cue, after each step: see present.h. After a seek no cue of earlier
/// ticks is reported, and events not yet taken are dropped.
/// @param event  receives the event, not NULL
/// @return false when no event waits; always with cues_per_tick 0
BKS_API bool bks_playback_cue(bks_playback *playback, bks_cue_event *event);

/// Result of verifying a replay.
typedef struct bks_verify_result {
    bool is_same;       ///< true if nothing differed
    bks_tick stepped;   ///< number of ticks stepped
    bks_tick compared;  ///< number of hashes compared
    uint32_t keyframes; ///< number of keyframes compared
    /// Number of compared hashes of ticks at which the recording peer's state was wrong until a
    /// repair; they were compared with the hashes on which the peers agreed.
    bks_tick repaired;
    /// Number of ticks counted in `repaired` at which this verification computed the same wrong
    /// hash as the repaired peer, so the fault shows on this machine, too.
    bks_tick repeated;
    bks_tick first_different; ///< first tick whose state differs, BKS_TICK_NONE when none does
    uint64_t recorded;        ///< recorded hash at first_different, with `recorded_bits` bits
    /// Number of bits in `recorded`; 0 when the state at tick 0 or a keyframe differs.
    uint32_t recorded_bits;
    uint64_t computed; ///< computed hash at first_different
    /// Index of the first page that differs, if first_different is 0 and recorded_bits is 0.
    uint32_t page;
} bks_verify_result;

/// Part of a replay to verify, and a callback for progress. {0}: verify everything.
typedef struct bks_verify_part {
    /// First tick to compare, 0..info->confirmed; stepping begins at the newest keyframe before it.
    bks_tick from;
    bks_tick until; ///< last tick to compare, `from`..info->end; 0: the end of the recording

    /// Called now and then with the ticks done and the last tick; return false to stop. NULL: no
    /// callback.
    bool (*progress)(void *context, bks_tick done, bks_tick last);
    void *context; ///< passed to `progress`, may be NULL
} bks_verify_part;

/// Step a replay again and compare the state at tick 0, every hash and, for games without a hash of
/// their own, every keyframe. A recording that begins later is stepped from the state in it. Ticks
/// that were not confirmed have no hash and are not stepped. After lost ticks it continues from the
/// next keyframe. For a tick at which the recording peer's state was wrong until a repair
/// (bks_replay_is_repaired()), two hashes count as equal: the one on which the peers agreed, and
/// the wrong one that was recorded. If the wrong one is computed again, stepping continues from the
/// repaired state in the next keyframe.
/// @param config  as for bks_playback_create(); from_recorded_state must be false
/// @param part    NULL: verify everything
/// @param result  receives the result, not NULL; also with BKS_ERR_DESYNC and BKS_ERR_DAMAGED
/// @param error   may be NULL
/// @return BKS_OK: everything in the file is the same; BKS_ERR_DESYNC: something differs;
///         BKS_ERR_DAMAGED: bytes of the file are wrong, `result` holds what was compared before
///         them; BKS_OVER: `progress` returned false; BKS_ERR_GAME: the game failed, although it
///         had not when it was recorded; or a status of bks_playback_create()
BKS_API BKS_NODISCARD bks_status bks_replay_verify(const bks_playback_config *config,
                                                   const bks_verify_part *part,
                                                   bks_verify_result *result, bks_error *error);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_REPLAY_H
