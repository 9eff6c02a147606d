// SPDX-License-Identifier: MIT

#include "workshop/bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"

static int compare(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

double bench_median(const double *numbers, uint32_t count)
{
    double sorted[BENCH_PASSES_MAX];
    memcpy(sorted, numbers, count * sizeof(*numbers));
    qsort(sorted, count, sizeof(*sorted), compare);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

int bench_players(const bks_game *game, int64_t given, uint32_t *out)
{
    const int64_t least = game->players_min > 0 ? game->players_min : 1;
    int64_t players = given;
    if (players == 0) {
        players = least > 2 ? least : game->players_max < 2 ? game->players_max : 2;
    }
    if (players < least || players > game->players_max) {
        tool_complain("--players", "is %" PRId64 ", expected %" PRId64 " to %" PRIu32 " for %s",
                      players, least, game->players_max, game->name);
        return TOOL_MISUSE;
    }
    *out = (uint32_t)players;
    return TOOL_OK;
}
