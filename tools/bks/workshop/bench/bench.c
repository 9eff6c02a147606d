// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include "workshop/bench/bench.h"

#include <time.h>

#include "base/samples.h"
#include "base/tool.h"

double bench_median(const double *numbers, uint32_t count)
{
    samples sorted = {0};
    for (uint32_t i = 0; i < count; i++) {
        samples_add(&sorted, numbers[i]);
    }
    const double median = samples_share(&sorted, 0.5);
    samples_free(&sorted);
    return median;
}

double bench_cpu_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int bench_match_open(const bench_match_options *o, bench_match *out)
{
    loaded_game loaded;
    const int status = loader_open(o->game, &loaded);
    if (status != TOOL_OK) {
        return status;
    }
    const bks_game *game = loaded.game;
    const uint32_t most = game->players_max < 2 ? game->players_max : 2;
    uint32_t players = 0;
    if (loader_players(game, o->players, game->players_min > 2 ? game->players_min : most,
                       &players) != TOOL_OK) {
        return TOOL_MISUSE;
    }
    *out = (bench_match){.plugin = loaded.plugin,
                         .game = game,
                         .seed = (uint64_t)o->seed,
                         .players = players,
                         .passes = (uint32_t)o->passes,
                         .inputs = &o->inputs};
    return loader_options(game, o->given_options.items, o->given_options.count, &out->options);
}

int bench_match_sources(const bench_match *match, source_set **out)
{
    const source_env env = {.game = match->game, .players = match->players, .seed = match->seed};
    return source_set_open(match->inputs, match->game->bot != NULL ? "bot" : "monkey", &env, out);
}

bks_peer_config bench_match_config(const bench_match *match, source_set *sources)
{
    bks_peer_config config = bks_peer_config_default();
    config.game = match->game;
    config.options = match->options;
    config.has_options = true;
    config.session.is_host = true;
    config.session.players = config.session.local_players = match->players;
    config.session.seed = match->seed;
    // Set any secret keys: a config must have keys, although no peer joins.
    config.session.key[0] = config.session.identity[0] = config.session.entropy[0] = 1;
    for (uint32_t i = 0; sources != NULL && i < match->players; i++) {
        config.sources[i] = source_set_source(sources);
    }
    return config;
}
