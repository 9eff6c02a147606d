// SPDX-License-Identifier: MIT

#include "peer/repairable.h"

#include <string.h>

#include "backstitch/match.h"
#include "base/memory.h"
#include "base/report.h"

static const char call[] = "bks_peer_create";
static const char field[] = "tuning.on_desync";

/// Two saved copies of a state.
typedef struct copies {
    uint8_t *bytes[2];
    size_t room;
    size_t counts[2];
} copies;

static bks_status refuse_pointers(const bks_game *game, bks_error *error)
{
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                     "on_desync is resync, but the state of %s holds raw pointers, which lead "
                     "nowhere on another machine: use bks_ref instead, or another on_desync",
                     game->name);
}

static bks_status refuse_save(bksi_runner *runner, const char *what, bks_error *error)
{
    const bks_game *game = bksi_runner_start(runner)->game;
    const char *problem = bksi_runner_problem(runner);
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                     "on_desync is resync, but %s %s: correct its save and load, or choose another "
                     "on_desync%s%s",
                     game->name, what, problem != NULL ? "; " : "", problem != NULL ? problem : "");
}

static bks_status refuse_difference(const bks_game *game, const copies *c, bks_error *error)
{
    size_t at = 0;
    while (at < c->counts[0] && at < c->counts[1] && c->bytes[0][at] == c->bytes[1][at]) {
        at++;
    }
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                     "on_desync is resync, but %s saves other bytes than it has loaded, from byte "
                     "%zu of %zu on: correct its save and load, or choose another on_desync",
                     game->name, at, c->counts[0]);
}

/// Save the state, load the saved bytes, and save again.
static bks_status compare_saves(bksi_runner *runner, copies *c, bks_error *error)
{
    c->counts[0] = bksi_runner_export(runner, c->bytes[0], c->room);
    if (c->counts[0] == 0) {
        return refuse_save(runner, "cannot save its first state", error);
    }
    if (bksi_runner_import(runner, c->bytes[0], c->counts[0], NULL) != BKS_OK) {
        return refuse_save(runner, "cannot load what it saves", error);
    }
    c->counts[1] = bksi_runner_export(runner, c->bytes[1], c->room);
    if (c->counts[1] == 0) {
        return refuse_save(runner, "cannot save what it has loaded", error);
    }
    const bool is_same =
        c->counts[0] == c->counts[1] && memcmp(c->bytes[0], c->bytes[1], c->counts[0]) == 0;
    return is_same ? BKS_OK : refuse_difference(bksi_runner_start(runner)->game, c, error);
}

/// Return true if the largest state of this game can be kept and compared.
static bool fits(const bksi_runner *runner)
{
    const bks_game *game = bksi_runner_start(runner)->game;
    const bksi_kept_pages *kept = bksi_runner_kept_pages(runner);
    const bool has_page_hashes = game->create == NULL && game->hash == NULL;
    return bksi_kept_pages_bytes_max(kept) > 0 &&
           (has_page_hashes || bksi_kept_pages_are_hashed(kept));
}

static bks_status refuse_size(bksi_runner *runner, bks_error *error)
{
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                     "on_desync is resync, but a state of %s may take %zu bytes, must be at most "
                     "256 MiB, or 4 MiB with a hash of its own: choose another on_desync",
                     bksi_runner_start(runner)->game->name, bksi_runner_export_bytes_max(runner));
}

bks_status bksi_repairable_check(bksi_runner *runner, uint32_t keep_ticks,
                                 const bks_allocator *allocator, bks_error *error)
{
    const bks_game *game = bksi_runner_start(runner)->game;
    if (game->pointers || bksi_runner_points_to_itself(runner)) {
        return refuse_pointers(game, error);
    }
    // A host with resync and keep_ticks 0 was refused before, so this is a guest.
    if (keep_ticks == 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "tuning.keep_ticks",
                         "tuning.keep_ticks is 0, must be 1..%u, as the host's on_desync is resync",
                         (unsigned)BKS_KEEP_TICKS_MAX);
    }
    if (!fits(runner)) {
        return refuse_size(runner, error);
    }
    if (game->create == NULL) {
        // A region is saved and loaded as its plain bytes, so there is nothing to compare.
        return BKS_OK;
    }
    copies c = {.room = bksi_runner_export_bytes_max(runner)};
    c.bytes[0] = bksi_alloc(allocator, c.room, 64);
    c.bytes[1] = bksi_alloc(allocator, c.room, 64);
    const bks_status status =
        c.bytes[0] != NULL && c.bytes[1] != NULL
            ? compare_saves(runner, &c, error)
            : bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, "allocator",
                        "allocator has no room for two states of %zu bytes", c.room);
    bksi_free(allocator, c.bytes[0], c.bytes[0] != NULL ? c.room : 0);
    bksi_free(allocator, c.bytes[1], c.bytes[1] != NULL ? c.room : 0);
    return status;
}
