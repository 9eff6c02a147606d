// SPDX-License-Identifier: MIT

/// @file bench.h
/// The benchmarks of `bks bench`. Each gets the arguments behind `bks bench`, its own name as
/// argv[0], and gives the program's exit status.

#ifndef BKS_BENCH_H
#define BKS_BENCH_H

#include "backstitch/game.h"
#include "base/args.h"

int bench_codec(int argc, char **argv);
int bench_det(int argc, char **argv);
int bench_forged(int argc, char **argv);
int bench_latency(int argc, char **argv);
int bench_predict(int argc, char **argv);
int bench_present(int argc, char **argv);
int bench_replay(int argc, char **argv);

/// Most passes over the match.
#define BENCH_PASSES_MAX 1000u

/// Return the median.
/// @param numbers  1..BENCH_PASSES_MAX of them
double bench_median(const double *numbers, uint32_t count);

/// Choose the number of players, of a benchmark that plays one match in several ways.
/// @param given  as asked for, 0: as few as the game allows, but two
/// @param out    receives it
/// @return TOOL_OK; TOOL_MISUSE, said on stderr, for a number that the game does not take
int bench_players(const bks_game *game, int64_t given, uint32_t *out);

/// Options of benchmarks that play one match again and again, for a table of options.
#define BENCH_PASSES_OPTIONS(o, seed_least, passes_help)                                          \
    ARGS_TEXT("--game", "GAME", &(o)->game, "the game (default duel)"),                           \
        ARGS_INT("--players", "N", &(o)->players, 1, BKS_PLAYERS_MAX, "seats (default 2)"),       \
        ARGS_INT("--seed", "N", &(o)->seed, (seed_least), INT64_MAX,                              \
                 "seed of the game and of monkeys (default 1)"),                                  \
        ARGS_LIST("--input", "P=SOURCE", &(o)->inputs,                                            \
                  "where a player's inputs come from, as for 'bks lab'; *=... for all (default: " \
                  "bots, or monkeys if the game has none)"),                                      \
        ARGS_LIST("--option", "NAME=VALUE", &(o)->given_options, "set an option of the game"),    \
        ARGS_INT("--passes", "N", &(o)->passes, 1, BENCH_PASSES_MAX, passes_help),                \
        ARGS_JSON(&(o)->is_json)

#endif
