// SPDX-License-Identifier: MIT

/// @file bench_matches.h
/// Matches that benchmarks play: tables of inputs from files or from the folder that BKS_TRACES
/// names, and a scripted one.

#ifndef BKS_BENCH_MATCHES_H
#define BKS_BENCH_MATCHES_H

#include "backstitch/game.h"
#include "base/args.h"
#include "base/json.h"

#define BENCH_MATCHES_MAX 512u

/// Match that people played: the inputs of all players.
typedef struct played_match {
    char group[32];        ///< name of the game in names of files; matches of one game share it
    char game[64];         ///< name of the game in the tables that are printed
    uint32_t tick_rate_hz; ///< tick rate of the match
    uint32_t players;
    bks_tick ticks;
    int32_t *values; ///< values by tick, player and field
} played_match;

typedef struct bench_matches {
    const bks_game *game; ///< game whose fields the tables are read for
    uint32_t match_count;
    played_match matches[BENCH_MATCHES_MAX];
    uint32_t skipped; ///< number of files that are no tables of inputs
} bench_matches;

/// Option that names the game.
#define BENCH_GAME_OPTION(out)         \
    ARGS_TEXT("--game", "GAME", (out), \
              "the game whose input layout is used to read the files (default pad)")

/// Read the named files, or the files of BKS_TRACES if none are named. Also read the scripted match
/// if its file exists. Errors go to stderr.
/// @param command    name of the benchmark
/// @param game_name  game whose fields the tables are read for; NULL: pad
/// @param out        receives at least one match; release with bench_matches_close(); NULL on
///                   failure
/// @return exit status
int bench_matches_open(const char *command, const char *game_name, const args_list *files,
                       bench_matches **out);

/// Release the matches. NULL is allowed.
void bench_matches_close(bench_matches *played);

/// All matches of one game.
typedef struct bench_game {
    const played_match *first; ///< first match of this game
    uint32_t files;
    uint64_t inputs;       ///< number of inputs in the matches of the game, over all players
    double player_seconds; ///< time played, summed over players
} bench_game;

/// A benchmark that measures the matches of each game and prints a table for it.
typedef struct bench_games {
    const char *name;
    void *context; ///< argument `context` of all functions

    /// Measure a match, and add the result to earlier matches of the same game.
    /// @param is_first  first match of its game: earlier results are forgotten
    bks_status (*measure)(void *context, uint32_t index, bool is_first, bks_error *error);
    /// Print the measurements of a game, below the heading with its name.
    void (*print)(const void *context, const bench_game *game);
    /// Write the measurements into the JSON object of the game.
    void (*json)(const void *context, const bench_game *game, json *out);
    uint32_t delay_ms;  ///< delay of inputs in ms, which the JSON names; 0: none
    const char *legend; ///< text below all tables; NULL: none
} bench_games;

/// Measure all games; errors go to stderr.
/// @return exit status
int bench_games_measure(const bench_matches *played, const bench_games *games, bool is_json);

// ---- guesses of recorded inputs (bench_predict_run.c) ----

/// Counts of guesses.
typedef struct guess_count {
    uint64_t inputs; ///< number of inputs that had to be guessed
    uint64_t misses; ///< number of inputs whose guess was wrong
    /// Number of rollbacks: updates in which a player learnt that guesses of other players' inputs
    /// were wrong, summed over players.
    uint64_t rollbacks;
    double player_seconds; ///< time played, summed over players
    /// Length of the match, summed over its watchers: all players, who guess the inputs of the
    /// others. A match of a lone player has one watcher without a seat.
    double watcher_seconds;
} guess_count;

/// Count the guesses of one match. In every tick one input of each player arrives, `delay_ticks`
/// late.
/// @param fields   fields of the match's values, with the predictors to try
/// @param votes    table of votes_learn(); NULL: none
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED
BKS_NODISCARD bks_status guess_match(const played_match *match, const bks_field *fields,
                                     uint32_t field_count, uint32_t delay_ticks, const void *votes,
                                     size_t votes_bytes, guess_count *count, bks_error *error);

/// Learn a table of votes from matches, as a game may ship it.
/// @param out  receives the bytes; release with free()
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status votes_learn(const played_match *const *matches, uint32_t match_count,
                                     const bks_field *fields, uint32_t field_count, uint8_t **out,
                                     size_t *out_bytes, bks_error *error);
#endif
