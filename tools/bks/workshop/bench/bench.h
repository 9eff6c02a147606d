// SPDX-License-Identifier: MIT

/// @file bench.h
/// The benchmarks of `bks bench`. Each gets the arguments after `bks bench`, with its own name as
/// argv[0], and returns the exit status.

#ifndef BKS_BENCH_H
#define BKS_BENCH_H

#include "backstitch/toolkit/peer.h"
#include "base/args.h"
#include "game/loader.h"
#include "game/source.h"

int bench_codec(int argc, char **argv);
int bench_det(int argc, char **argv);
int bench_forged(int argc, char **argv);
int bench_latency(int argc, char **argv);
int bench_lockstep(int argc, char **argv);
int bench_predict(int argc, char **argv);
int bench_present(int argc, char **argv);
int bench_replay(int argc, char **argv);

/// Maximum number of passes over a match.
#define BENCH_PASSES_MAX 1000u

/// Return the median of some numbers.
/// @param count  1..BENCH_PASSES_MAX
double bench_median(const double *numbers, uint32_t count);

/// Return the processor time of this thread so far, in ns. The work of other programs does not
/// count.
double bench_cpu_ns(void);

/// Options of benchmarks that play the same match several times.
typedef struct bench_match_options {
    args_list given_options;
    args_list inputs;
    const char *game;
    int64_t players; ///< number of seats; 0: as few as the game allows, but at least two
    int64_t seed;
    int64_t passes;
    bool is_json;
} bench_match_options;

/// Rows of a table of options that fill in a bench_match_options.
#define BENCH_MATCH_OPTIONS(o, seed_least, passes_help)                                           \
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

/// Match that a benchmark plays several times.
typedef struct bench_match {
    const bks_plugin *plugin;
    const bks_game *game;
    bks_option_values options;
    uint64_t seed;
    uint32_t players;
    uint32_t passes;         ///< number of times that the match is played, 1..BENCH_PASSES_MAX
    const args_list *inputs; ///< sources of the players' inputs, as typed
} bench_match;

/// Load the game and check the options; errors go to stderr.
/// @param o  options, which must outlive the match
/// @return TOOL_OK, or an exit status
int bench_match_open(const bench_match_options *o, bench_match *out);

/// Open the sources of all players' inputs; errors go to stderr.
/// @param out  receives the sources; release with source_set_close()
/// @return TOOL_OK, or an exit status
int bench_match_sources(const bench_match *match, source_set **out);

/// Return the config of a peer that plays alone, with all players.
/// @param sources  sources of the players' inputs; NULL: none
bks_peer_config bench_match_config(const bench_match *match, source_set *sources);

#endif
