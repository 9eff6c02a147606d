// SPDX-License-Identifier: MIT

// Pictures between the ticks of a playback: the state a tick before the newest is kept as a copy.

#include "base/report.h"
#include "replay/play/playback_parts.h"

bks_status bksi_playback_create_before(bks_playback *playback, const bks_playback_config *config,
                                       bks_error *error)
{
    const bks_game *game = config->game;
    playback->before_tick = BKS_TICK_NONE;
    if (!config->interpolates) {
        return BKS_OK;
    }
    if (game->create != NULL || game->pointers) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "bks_playback_create", "interpolates",
                         "interpolates is true, must be false: the state of %s %s", game->name,
                         game->pointers ? "holds raw pointers" : "does not live in a region");
    }
    const bksi_region *model = bksi_runner_region(playback->runner);
    return bksi_region_create(&playback->before, model->capacity_bytes, model->root_bytes,
                              &playback->allocator, error);
}

void bksi_playback_keep_before(bks_playback *playback)
{
    if (playback->before.bytes != NULL && !playback->is_seeking) {
        const bksi_region *from = bksi_runner_region(playback->runner);
        bksi_region_put_back(&playback->before, from->bytes, bksi_region_used(from));
        playback->before_tick = playback->tick;
    }
}

bks_status bks_playback_frame(const bks_playback *playback, float share, bks_frame *frame)
{
    static const char call[] = "bks_playback_frame";
    if (playback == NULL || frame == NULL) {
        return bksi_fail_null(NULL, call, playback == NULL ? "playback" : "frame");
    }
    if (!(share >= 0.0f && share <= 1.0f)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "share", "share is %g, must be 0..1",
                         (double)share);
    }
    const void *state = bksi_runner_state(playback->runner);
    *frame = (bks_frame){.state = state, .before = state, .tick = playback->tick};
    if (playback->before_tick != BKS_TICK_NONE && playback->before_tick + 1 == playback->tick) {
        frame->before = playback->before.bytes;
        frame->share = share;
    }
    return BKS_OK;
}
