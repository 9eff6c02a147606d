// SPDX-License-Identifier: MIT

/// @file bench_matches.h
/// The matches that benchmarks play: tables of inputs from files, or from the folder that
/// BKS_TRACES names, and a scripted one.

#ifndef BKS_BENCH_MATCHES_H
#define BKS_BENCH_MATCHES_H

#include "backstitch/game.h"
#include "base/args.h"

#define BENCH_MATCHES_MAX 512u

/// One match that people played, all players' inputs as their fields say.
typedef struct played_match {
    char group[32];        ///< matches of one game have the same
    char game[64];         ///< its name for people
    uint32_t tick_rate_hz; ///< ticks a second
    uint32_t players;
    bks_tick ticks;
    int32_t *values; ///< by tick, player and field
} played_match;

typedef struct bench_matches {
    const bks_game *game; ///< whose fields the tables are read for
    uint32_t match_count;
    played_match matches[BENCH_MATCHES_MAX];
    uint32_t skipped; ///< files that are no tables of inputs
} bench_matches;

/// The option that names the game.
#define BENCH_GAME_OPTION(out)         \
    ARGS_TEXT("--game", "GAME", (out), \
              "the game whose input layout is used to read the files (default pad)")

/// Read files; those of BKS_TRACES when none are named; and the scripted one where it is there.
/// What is wrong is complained about.
/// @param command    the benchmark's name
/// @param game_name  whose fields the tables are read for; NULL: pad
/// @param out        receives the matches, one at least; NULL on failure
/// @return exit status
/// Owned by the caller; release with bench_matches_close().
int bench_matches_open(const char *command, const char *game_name, const args_list *files,
                       bench_matches **out);

/// Release them. NULL is allowed.
void bench_matches_close(bench_matches *played);

uint32_t bench_files_of(const bench_matches *played, const char *group);
bool bench_is_first_of_group(const bench_matches *played, uint32_t index);

#endif
