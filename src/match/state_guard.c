// SPDX-License-Identifier: MIT

#include "match/state_guard.h"

#include "base/report.h"

/// Most bytes of the state that are looked at. Two hashes of them in each update take about 10 µs.
#define BYTES_MAX 65536

void bksi_state_guard_begin(bksi_state_guard *guard, const bks_game *game)
{
    // `configure` may make the region smaller than the game's table says, but never the root.
    const size_t bytes = game->configure == NULL ? game->state_bytes : game->root_bytes;
    *guard = (bksi_state_guard){0};
    if (game->save == NULL) {
        guard->bytes = bytes < BYTES_MAX ? bytes : BYTES_MAX;
    }
}

void bksi_state_guard_check(bksi_state_guard *guard, const void *state)
{
    if (guard->bytes == 0 || state == NULL || !guard->has_hash ||
        bks_hash64(state, guard->bytes, 0) == guard->hash) {
        return;
    }
    guard->bytes = 0;
    bksi_log(
        BKS_LOG_WARNING, "match.state",
        "the state was written outside `step`, by the program or by `on_command`: such a write "
        "gets lost, and no other peer makes it; send its cause as an input or a command");
}

void bksi_state_guard_note(bksi_state_guard *guard, const void *state)
{
    if (guard->bytes == 0 || state == NULL) {
        return;
    }
    guard->hash = bks_hash64(state, guard->bytes, 0);
    guard->has_hash = true;
}
