// SPDX-License-Identifier: MIT

/// @file game.h
/// The one description of a game that everything else works from: state, input, `init`, `step`.
///
///     state[t+1] = step(state[t], inputs[t])
///
/// `step` must depend on nothing but the state and the inputs it is given. It cannot learn whether
/// an input is predicted or confirmed, whether this is the first time or a resimulation, what time
/// it is or which peer it runs on; so none of that can leak into the state.
///
///     static void tag_step(void *state, const bks_step *step)
///     {
///         tag_state *tag = state;
///         const tag_input *red = bks_step_input(step, 0);     // int32_t fields, as in the table
///         …
///         bks_mark(step, "movement");
///     }
///
/// Thread rule: the library calls a game from the thread that updates the match.

#ifndef BACKSTITCH_GAME_H
#define BACKSTITCH_GAME_H

#include "backstitch/base.h"
#include "backstitch/det.h"
#include "backstitch/input.h"
#include "backstitch/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most options a game may have.
#define BKS_OPTIONS_MAX 16

/// Most bytes of an option's value, the terminating zero included.
#define BKS_OPTION_VALUE_BYTES 64

/// An option that changes how a match starts. All peers play with the host's values.
typedef struct bks_option {
    const char *name;          ///< required, unique, printable ASCII, static
    const char *default_value; ///< required, printable ASCII, under BKS_OPTION_VALUE_BYTES, static
    const char *help;          ///< one line for people, with the values it takes; static
} bks_option;

/// The option values of one match, in the order of the game's table. Plain data.
typedef struct bks_option_values {
    char text[BKS_OPTIONS_MAX][BKS_OPTION_VALUE_BYTES]; ///< zero-padded to the end
} bks_option_values;

struct bks_game;
struct bks_workers;
struct bks_state_map;
struct bks_type_entry;

/// What `init` may know: the same on every peer.
typedef struct bks_start {
    const struct bks_game *game;      ///< the game itself
    uint64_t seed;                    ///< for the game's random numbers
    uint32_t players;                 ///< seats in the match, 1..players_max
    uint32_t tick_rate_hz;            ///< ticks a second
    const bks_option_values *options; ///< never NULL
} bks_start;

/// Value of an option.
/// @param start  not NULL
/// @param name   one of the game's options
/// @return the text, "" when the game has no such option (logged)
BKS_API const char *bks_start_option(const bks_start *start, const char *name);

/// Receives marks and notes, and answers questions. Opaque: a step cannot see whether there is one.
typedef struct bks_listener bks_listener;

/// What `step` may know.
typedef struct bks_step {
    bks_tick tick;                ///< the tick being stepped, from 0
    uint32_t tick_rate_hz;        ///< ticks a second
    uint32_t players;             ///< seats in the match
    uint32_t field_count;         ///< fields of an input
    const int32_t *inputs;        ///< players * field_count values, a copy of the step's own
    const bks_listener *listener; ///< for bks_mark(), bks_note(), bks_ask(), bks_cue()
} bks_step;

/// One player's input: field_count int32_t in the order of the game's table.
/// @param player  0..step->players-1
/// @return the input, valid during the step; NULL when player is out of range
static inline const void *bks_step_input(const bks_step *step, uint32_t player)
{
    return player < step->players ? step->inputs + (size_t)player * step->field_count : NULL;
}

/// Name the point just after one system of the game. A trace hashes the state here, and a report of
/// a crash names the last one. Without a listener it costs two branches and a store.
/// @param name  static, such as "physics"
BKS_API void bks_mark(const bks_step *step, const char *name);

/// Where a step is. Where in a state a byte lies is a bks_state_place.
typedef struct bks_step_place {
    const char *game;  ///< the game's name
    bks_tick tick;     ///< being stepped
    const char *mark;  ///< the last that bks_mark() named in this step; NULL: none so far
    const void *state; ///< being stepped
} bks_step_place;

/// What the calling thread is stepping: for a program's own crash handler, since it calls nothing
/// that a signal handler must not. Not for the step itself, which must not depend on it.
/// @param out  receives it; its pointers are valid during that step
/// @return false when this thread is in no step, or `out` is NULL
BKS_API bool bks_stepping(bks_step_place *out);

/// Leave free text in the trace. Nothing is formatted without a listener.
/// @param format  as printf; at most 255 bytes of the result are kept
BKS_API void bks_note(const bks_step *step, const char *format, ...) BKS_PRINTF(2, 3);

/// Most bytes of an answer to bks_ask().
#define BKS_ANSWER_BYTES_MAX 1024

/// Ask for a fact from outside the game: whether a file is loaded, what a service said, what the
/// wall clock shows. It is answered live once, by the `answer` of bks_peer_config or
/// bks_match_config, and recorded; from then on the recorded answer is used, in a replay as in a
/// resimulation. So nothing from outside gets into the state but through the recording. What one
/// machine knows the others do not: only a match whose players are all on one machine is answered.
/// @param question  which fact, a number of the game's own; asked again in the same tick it has the
///                  same answer
/// @param answer    receives it; may be NULL when capacity is 0
/// @param capacity  bytes; what is longer is cut
/// @return bytes of the whole answer, 0..BKS_ANSWER_BYTES_MAX; 0 when there is none
BKS_API size_t bks_ask(const bks_step *step, uint32_t question, void *answer, size_t capacity);

/// Most cues that a game names.
#define BKS_CUE_TYPES_MAX 256

/// Most bytes of a cue's payload.
#define BKS_CUE_BYTES_MAX 32

/// Ticks that a cue may move, unless bks_cue_type.moves_ticks says otherwise.
#define BKS_CUE_MOVES_TICKS 6

/// When a cue is reported.
typedef enum bks_cue_when {
    BKS_CUE_AT_ONCE = 0,   ///< as soon as a step asks for it, with guessed inputs too: a sound,
                           ///< particles, a shaking screen
    BKS_CUE_CONFIRMED = 1, ///< when its tick is confirmed, in order: a score, an achievement. With
                           ///< BKS_ON_DESYNC_RESYNC once no repair steps it again
    BKS_CUE_SEEN = 2,      ///< only if the newest tick of an update asks for it
} bks_cue_when;

/// One thing that steps ask for by bks_cue().
typedef struct bks_cue_type {
    const char *name;     ///< required, unique, 1..31 bytes of printable ASCII, static
    bks_cue_when when;    ///< when it is reported
    uint32_t moves_ticks; ///< AT_ONCE: asked for again by the same key, by a corrected past and so
                          ///< many ticks earlier or later, it is the same one, neither cancelled
                          ///< nor started again; 1..60, 0 (default): BKS_CUE_MOVES_TICKS
} bks_cue_type;

/// Ask for something that the player is to see or hear once, however often the tick is stepped
/// (cues.h). Without one who listens it costs two branches.
/// @param id       an index of bks_game.cues
/// @param key      distinguishes cues of one id, such as the number of the ship that shot; the same
///                 whenever the tick is stepped. Two cues of one id and key in a tick are two
/// @param payload  what is needed to show or play it, such as where; copied; may be NULL when
///                 bytes is 0
/// @param bytes    0..BKS_CUE_BYTES_MAX
BKS_API void bks_cue(const bks_step *step, uint32_t id, uint64_t key, const void *payload,
                     size_t bytes);

/// The workers for the jobs of this step, for bks_jobs_run() (jobs.h). The program chooses them, in
/// bks_match_config.workers; they are not part of the state, and what comes of the jobs is the same
/// with all of them.
/// @return the workers, valid during the step; NULL: jobs run in place
BKS_API const struct bks_workers *bks_step_workers(const bks_step *step);

/// Report that the game failed: it ran out of memory, or one of its scripts threw. Counts only when
/// the tick is confirmed; then the match ends for this peer with BKS_ERR_GAME, an event and a log
/// line that give `text`, and the others play on. A failure in a tick stepped with a wrong guess is
/// forgotten. Until that is known the game is neither stepped, hashed nor saved again, so the state
/// may stay as the failure left it; only `load` and drawing must cope with it.
/// @param text  why, one sentence; copied, at most 95 bytes of it. The first of a step counts
BKS_API void bks_fail(const bks_step *step, const char *text);

/// A game, described once. Start from `{0}` with designated initialisers; must outlive its use.
typedef struct bks_game {
    const char *name;          ///< required, 1..31 bytes of printable ASCII
    uint32_t version;          ///< raise it when old inputs would play differently
    uint32_t tick_rate_hz;     ///< required, 1..1000
    uint32_t players_min;      ///< default 0, which means 1
    uint32_t players_max;      ///< required, players_min..BKS_PLAYERS_MAX
    const bks_field *fields;   ///< required, the input layout
    uint32_t field_count;      ///< required, 1..BKS_FIELDS_MAX
    const bks_option *options; ///< may be NULL
    uint32_t option_count;     ///< 0..BKS_OPTIONS_MAX

    size_t state_bytes; ///< required unless `configure` or `create` is set: size of the
                        ///< region, 1..1 GiB
    size_t root_bytes;  ///< size of the root struct; above 0 an arena serves the rest of the region
    const bks_state_range *ranges; ///< names of the state's bytes, for readers of a recording; of a
                                   ///< game without a region, names of the bytes that `save`
                                   ///< writes; may be NULL
    uint32_t range_count;          ///< length of it, 0..BKS_STATE_RANGES_MAX
    const struct bks_type_entry *types; ///< what debug information does not say of the state's
                                        ///< types (of a game without a region: of the bytes that
                                        ///< `save` writes), for `bks games --map`; may be NULL
    uint32_t type_count;                ///< length of it, 0..BKS_TYPE_ENTRIES_MAX
    const struct bks_state_map *map; ///< the types of the state, for a game that is shipped without
                                     ///< debug information; may be NULL

    /// Check the options and say how big the region must be. May be NULL: `state_bytes` then.
    /// Fill `error` (field and text) when an option's value is out of its range.
    /// @return BKS_OK or BKS_ERR_BAD_CONFIG
    bks_status (*configure)(const bks_start *start, size_t *out_state_bytes, bks_error *error);

    /// Make the state of tick 0 in the zeroed region. Required.
    void (*init)(void *state, const bks_start *start);

    /// Advance the state by one tick. Required.
    void (*step)(void *state, const bks_step *step);

    /// Name what the state hash is made of, by bks_hash_add(). NULL hashes the whole region by
    /// pages. It must cover all that later ticks depend on: states of one hash count as equal.
    void (*hash)(const void *state, bks_hasher *hasher);

    /// A game that cannot live in a region sets these five (and `hash`) instead of `state_bytes`.
    void *(*create)(const bks_start *start); ///< make the game's own object; NULL on failure
    void (*destroy)(void *state);            ///< release it
    size_t save_bytes_max;                   ///< most bytes a save takes, 1..1 GiB
    size_t (*save)(const void *state, void *bytes,
                   size_t capacity_bytes); ///< bytes written, 0 on failure
    bool (*load)(void *state, const void *bytes, size_t count_bytes); ///< false when it cannot. To
                                                                      ///< be repaired
                                                                      ///< (BKS_ON_DESYNC_RESYNC), a
                                                                      ///< game must save the bytes
                                                                      ///< again that it loaded

    /// Guess the input of a player whose own has not arrived, from what the state shows. On entry
    /// `guess` holds what the fields' predictors say; change it in place. It is clamped to the
    /// ranges. `last` is the player's input of `last_tick`, the newest that is known (neutral and
    /// -1 at first). Guesses need not be the same on every peer. May be NULL.
    void (*predict)(const void *state, uint32_t player, bks_tick tick, bks_tick last_tick,
                    const int32_t *last, int32_t *guess);
    const void *votes; ///< what bks bench predict learnt for the fields, shipped with the game, for
                       ///< fields predicted by BKS_PREDICT_VOTE; may be NULL
    size_t votes_bytes; ///< of it

    /// Play to win: fill in one player's input from what the state shows. `memory` is 64 bytes of
    /// the bot's own, zero at first. May be NULL: the game has no bots.
    void (*bot)(const void *state, uint32_t player, bks_tick tick, uint64_t memory[8],
                int32_t *values);

    /// Say whether `step` and `draw` can be given this state: every index, size and reference in it
    /// leads to where they may go. Called when a state came from a file or another machine, which
    /// may have put any bytes into it; what it refuses is refused as damaged. The library has
    /// proved arena and pools before, and its references cannot leave the region (state.h has
    /// helpers such as bks_ref_is_pool() for what they lead to). Where the library is built with
    /// asserts and BKS_CHECK_STEPS, which is on by default, it is also called after `init` and each
    /// step, and what it says is logged. Reads the state and nothing else. NULL: any state will do.
    /// @return NULL when it is sound, else what is wrong with it, static
    const char *(*check)(const void *state);

    /// The state holds raw pointers: addresses of the region, of functions, of anything else in
    /// this process. Needs a region and `hash`. Rollback works as ever, but no state of such a game
    /// leaves its process: recordings hold inputs and hashes, and begin with `init`, and
    /// BKS_ON_DESYNC_RESYNC is refused.
    bool pointers;

    const bks_cue_type *cues; ///< what its steps ask for by bks_cue(); may be NULL
    uint32_t cue_count;       ///< length of it, 0..BKS_CUE_TYPES_MAX

    /// Move a state on by a part of a tick, for a picture between ticks (frame.h). `state` is a
    /// copy that is drawn and then forgotten. `step` is as for the tick that comes next, with the
    /// inputs of the newest one; its cues, notes and failures are not heard, its questions have no
    /// answer, its jobs run in place. It may do less than `step`: move what moves steadily and let
    /// nothing begin or end. May be NULL. Not called for a game without a region, or with
    /// `pointers`.
    /// @param share  of a tick, above 0, at most 1
    void (*extrapolate)(void *state, const bks_step *step, float share);
} bks_game;

/// A game's bot in one seat. Plain data.
typedef struct bks_bot {
    const bks_game *game; ///< as given, must outlive the bot
    uint64_t memory[8];   ///< the bot's own
} bks_bot;

/// Make a bot.
/// @param bot    receives it, not NULL
/// @param game   with a `bot`
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_bot_init(bks_bot *bot, const bks_game *game, bks_error *error);

/// The bot as a source. It must outlive the source.
BKS_API bks_source bks_bot_source(bks_bot *bot);

/// Check a game's description.
/// @param game   not NULL
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (error names the field and the range)
BKS_API BKS_NODISCARD bks_status bks_game_check(const bks_game *game, bks_error *error);

/// Option values with every default filled in.
/// @param game    not NULL
/// @param values  receives them, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_option_values_default(const bks_game *game, bks_option_values *values);

/// Set one option's value by name.
/// @param values  not NULL
/// @param name    one of the game's options
/// @param value   under BKS_OPTION_VALUE_BYTES bytes of printable ASCII
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error lists the names there are)
BKS_API BKS_NODISCARD bks_status bks_option_values_set(const bks_game *game,
                                                       bks_option_values *values, const char *name,
                                                       const char *value, bks_error *error);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_GAME_H
