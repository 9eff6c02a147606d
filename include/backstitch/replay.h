// SPDX-License-Identifier: MIT

/// @file replay.h
/// Recordings of a match, `.bks`: written so that a crash at any moment loses nothing but the tick
/// in hand, read without trusting a byte. The bytes are described in docs/spec/replay.md.
///
///     bks_replay *replay = NULL;
///     if (bks_replay_open(bytes, count, NULL, &replay, &error) == BKS_OK) {
///         const bks_playback_config config = {.replay = replay, .game = &duel_game};
///         bks_verify_result result;
///         status = bks_replay_verify(&config, 0, NULL, NULL, &result, &error);
///     }
///     bks_replay_close(replay);
///
/// Thread rule: a writer or a replay belongs to one thread at a time, a playback to the thread that
/// has its replay.

#ifndef BACKSTITCH_REPLAY_H
#define BACKSTITCH_REPLAY_H

#include "backstitch/game.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where a recording goes.
typedef struct bks_sink {
    /// Write bytes at an offset, not buffered: when it returns, a crash of this process no longer
    /// loses them. An offset may lie before the end (the tail is written anew in place).
    /// @return BKS_OK, BKS_ERR_IO
    bks_status (*write)(void *context, uint64_t offset_bytes, const void *bytes, size_t count);
    void *context; ///< handed to write, may be NULL
} bks_sink;

/// What a recording begins with.
typedef struct bks_replay_config {
    const bks_game *game;           ///< required
    uint64_t seed;                  ///< as in bks_start
    uint32_t players;               ///< 1..players_max
    uint32_t tick_rate_hz;          ///< 1..1000
    bks_option_values options;      ///< as in bks_start
    const char *build;              ///< names the game's build, up to 63 bytes; NULL: empty
    uint32_t unconfirmed_ticks_max; ///< most ticks that may be used and not yet confirmed: window +
                                    ///< delay + 1; 1..512
    const void *state;              ///< the state at tick 0, as bytes
    size_t state_bytes;             ///< 1..1 GiB
    const uint64_t *page_hashes;    ///< of the state at tick 0; NULL when there are none
    size_t page_count;              ///< length of page_hashes
    bks_sink sink;                  ///< required
    bks_allocator allocator;        ///< default malloc and free
} bks_replay_config;

/// Writes one recording.
typedef struct bks_replay_writer bks_replay_writer;

/// Begin a recording: the header is written before this returns. All memory is taken here.
/// @param config  copied
/// @param out     receives the writer, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_IO
/// Owned by the caller; release with bks_replay_writer_destroy().
BKS_API BKS_NODISCARD bks_status bks_replay_writer_create(const bks_replay_config *config,
                                                          bks_replay_writer **out,
                                                          bks_error *error);

/// Release a writer; what is written stays as it is. NULL is allowed.
BKS_API void bks_replay_writer_destroy(bks_replay_writer *writer);

/// Say what the ticks from the first unconfirmed one on are about to be stepped with, before they
/// are: written to the sink when it returns. Takes the place of what was said before.
/// @param first   the first tick not yet confirmed by bks_replay_writer_confirm()
/// @param count   ticks, 0..unconfirmed_ticks_max
/// @param inputs  count * players * field_count values, tick by tick
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_use(bks_replay_writer *writer, bks_tick first, uint32_t count,
                                         const int32_t *inputs);

/// One tick is final: its inputs, and the hash of the state at its start. Ticks come in order, 0
/// first. Written with the next bks_replay_writer_use(), bks_replay_writer_flush() or at the end.
/// @param inputs  players * field_count values
/// @param hash    NULL when this tick was not hashed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_confirm(bks_replay_writer *writer, bks_tick tick,
                                             const int32_t *inputs, const uint64_t *hash);

/// Write what is not yet written.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_flush(bks_replay_writer *writer);

/// End the recording: it is complete from now on. Ticks used and not confirmed are dropped.
/// @param final_hash  of the state at the start of the tick after the last confirmed one; NULL when
///                    it was not hashed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_finish(bks_replay_writer *writer, const uint64_t *final_hash);

/// Most entries that tell where a match was recorded.
#define BKS_REPLAY_ENVIRONMENT_MAX 16

/// A name and its value, such as an option's.
typedef struct bks_replay_pair {
    char name[64];  ///< zero-terminated
    char value[64]; ///< zero-terminated
} bks_replay_pair;

/// A recording that can be read. Opaque.
typedef struct bks_replay bks_replay;

/// What is in a recording.
typedef struct bks_replay_info {
    const char *game;             ///< its name
    uint32_t version;             ///< of the game
    const char *build;            ///< of the game, may be ""
    uint32_t players;             ///< seats
    uint32_t tick_rate_hz;        ///< ticks a second
    uint64_t seed;                ///< as in bks_start
    bks_tick ticks;               ///< ticks that can be stepped, from 0
    bks_tick confirmed;           ///< of these, the ticks that are final; the rest was stepped with
                                  ///< guesses when the recording stopped
    bool is_complete;             ///< ended by bks_replay_writer_finish(), and nothing is damaged
    bool is_damaged;              ///< bytes are there but wrong; all else is told up to there
    uint64_t damage_offset_bytes; ///< of the first record or block that is wrong
    uint64_t bytes;               ///< of the whole file
    uint64_t input_bytes;         ///< of these, the inputs
    uint64_t hash_bytes;          ///< of these, the hashes
    uint64_t state_bytes;         ///< of the state at tick 0, unpacked; 0 when the file ends before
    uint32_t keyframes;           ///< states besides the one at tick 0
    const bks_field *fields;      ///< the layout: names, bits, signs, neutrals and groups
    uint32_t field_count;         ///< length of it
    const bks_replay_pair *options;     ///< the game's options by name
    uint32_t option_count;              ///< length of it
    const bks_replay_pair *environment; ///< compiler, architecture, byte order, library, …
    uint32_t environment_count;         ///< length of it
} bks_replay_info;

/// Read a recording from memory. Every byte is checked now, but no state is unpacked.
/// @param bytes      borrowed until bks_replay_close()
/// @param count      its bytes
/// @param allocator  NULL: malloc and free
/// @param out        receives the replay; NULL on failure, but for a file whose beginning is right
///                   it is there with BKS_ERR_DAMAGED and BKS_ERR_UNSUPPORTED too: what stands
///                   before the damage can be read
/// @param error      may be NULL; offset_bytes says where
/// @return BKS_OK, also for a file that ends inside its last record: is_complete is false then;
///         BKS_ERR_INCOMPLETE (the file ends before it says what it is), BKS_ERR_DAMAGED,
///         BKS_ERR_UNSUPPORTED (no replay, or a later version's), BKS_ERR_OUT_OF_MEMORY,
///         BKS_ERR_BAD_ARGUMENT
/// Owned by the caller; release with bks_replay_close().
BKS_API BKS_NODISCARD bks_status bks_replay_open(const void *bytes, size_t count,
                                                 const bks_allocator *allocator, bks_replay **out,
                                                 bks_error *error);

/// Release a replay. NULL is allowed.
BKS_API void bks_replay_close(bks_replay *replay);

/// What is in it.
/// @return the facts, valid until bks_replay_close(); NULL for NULL
BKS_API const bks_replay_info *bks_replay_get_info(const bks_replay *replay);

/// The inputs of one tick. Cheap in order, either way; a jump unpacks about a second of ticks.
/// @param tick    0..info->ticks-1
/// @param values  receives players * field_count values
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_replay_inputs(bks_replay *replay, bks_tick tick,
                                                   int32_t *values);

/// The recorded hash of the state at the start of a tick.
/// @param tick      0..info->confirmed; the last is the final hash of a complete recording
/// @param out_hash  receives the recorded bits, the lowest ones of the hash
/// @param out_bits  receives how many: 64, 16, or 0 when this tick was not hashed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_replay_hash(bks_replay *replay, bks_tick tick,
                                                 uint64_t *out_hash, uint32_t *out_bits);

/// Whether a hash is the one that was recorded, as far as that was.
/// @param hash  computed
/// @return false only when the tick was hashed and the recorded bits differ
BKS_API bool bks_replay_hash_agrees(bks_replay *replay, bks_tick tick, uint64_t hash);

/// Unpack the state at tick 0.
/// @param out       receives info->state_bytes bytes
/// @param capacity  at least that
/// @param error     may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE
///         (the file ends before the state does)
BKS_API BKS_NODISCARD bks_status bks_replay_state(const bks_replay *replay, void *out,
                                                  size_t capacity, bks_error *error);

/// One player's inputs of a replay as a source for another match. Plain data.
typedef struct bks_replay_player {
    bks_replay *replay; ///< as given, must outlive the source
    uint32_t player;    ///< as given
    bks_tick missing;   ///< the first tick that was asked for and is not in the replay, which got a
                        ///< neutral input; BKS_TICK_NONE as long as there is none
} bks_replay_player;

/// Choose a player of a replay.
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

/// The player as a source. It must outlive the source.
BKS_API bks_source bks_replay_player_source(bks_replay_player *player);

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

/// What a playback needs. Start from {0}.
typedef struct bks_playback_config {
    bks_replay *replay;       ///< required, must outlive the playback, serves one at a time
    const bks_game *game;     ///< required, must outlive the playback
    bool any_version;         ///< true: play the inputs with another version of the game, and with
                              ///< defaults for options the recording does not know
    bool from_recorded_state; ///< true: start from the state in the file, not from `init`
    bks_allocator allocator;  ///< default malloc and free
} bks_playback_config;

/// Steps a game through the inputs of a replay. Opaque.
typedef struct bks_playback bks_playback;

/// Begin a playback at tick 0.
/// @param config  copied
/// @param out     receives the playback, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK; BKS_ERR_UNSUPPORTED when the recording is of another game, version, layout or
///         set of options (error says which); BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG,
///         BKS_ERR_OUT_OF_MEMORY; BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE for the recorded state
/// Owned by the caller; release with bks_playback_destroy().
BKS_API BKS_NODISCARD bks_status bks_playback_create(const bks_playback_config *config,
                                                     bks_playback **out, bks_error *error);

/// Release a playback. NULL is allowed.
BKS_API void bks_playback_destroy(bks_playback *playback);

/// Step one tick.
/// @return BKS_OK; BKS_ERR_OVER when the recording has no more; BKS_ERR_BAD_ARGUMENT for NULL
BKS_API bks_status bks_playback_step(bks_playback *playback);

/// Ticks stepped: the state is at the start of this tick.
/// @return the tick, 0 for NULL
BKS_API bks_tick bks_playback_tick(const bks_playback *playback);

/// The state as it is. Read only, stays at one address.
/// @return the state, NULL for NULL
BKS_API const void *bks_playback_state(const bks_playback *playback);

/// Hash of the state as it is.
/// @return the hash, 0 for NULL
BKS_API uint64_t bks_playback_hash(bks_playback *playback);

/// Listen to marks and notes from now on; NULL stops. Copied.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_playback_listen(bks_playback *playback,
                                       const bks_playback_listener *listener);

/// What verifying a replay found.
typedef struct bks_verify_result {
    bool is_same;             ///< nothing differed
    bks_tick stepped;         ///< ticks stepped
    bks_tick compared;        ///< hashes compared
    bks_tick first_different; ///< the first tick whose state differs, BKS_TICK_NONE when none does
    uint64_t recorded;        ///< at that tick, `recorded_bits` of it
    uint32_t recorded_bits;   ///< 16 or 64; 0 when the pages of the state at tick 0 tell it
    uint64_t computed;        ///< at that tick
    uint32_t page;            ///< the first page that differs when recorded_bits is 0
} bks_verify_result;

/// Step a replay again and compare the state at tick 0 and every hash. Ticks that were not
/// confirmed have no hash and are not stepped.
/// @param config    as for bks_playback_create(); from_recorded_state must be false
/// @param from      compare from this tick on, 0..info->confirmed
/// @param progress  called now and then with the ticks done and all of them, false ends it; NULL
/// @param context   handed to progress
/// @param result    receives what was found, not NULL; also with BKS_ERR_DESYNC and BKS_ERR_DAMAGED
/// @param error     may be NULL
/// @return BKS_OK: all is the same as far as the file goes; BKS_ERR_DESYNC: it is not;
///         BKS_ERR_DAMAGED: bytes of the file are wrong, `result` tells what stands before them;
///         BKS_ERR_OVER: progress ended it;
///         the codes of bks_playback_create()
BKS_API BKS_NODISCARD bks_status bks_replay_verify(const bks_playback_config *config, bks_tick from,
                                                   bool (*progress)(void *context, bks_tick done,
                                                                    bks_tick total),
                                                   void *context, bks_verify_result *result,
                                                   bks_error *error);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_REPLAY_H
