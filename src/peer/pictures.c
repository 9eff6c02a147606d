// SPDX-License-Identifier: MIT

#include "peer/pictures.h"

#include "base/mutant.h"

bks_status bksi_pictures_fit(bksi_pictures *pictures, bksi_runner *runner, bks_error *error)
{
    pictures->before = BKS_TICK_NONE;
    pictures->has_ticks = false;
    pictures->is_corrected = false;
    if (pictures->kind == BKS_PICTURES_NONE) {
        return BKS_OK;
    }
    const bksi_region *model = bksi_runner_region(runner);
    if (pictures->region.bytes != NULL &&
        pictures->region.capacity_bytes == model->capacity_bytes) {
        return BKS_OK;
    }
    bksi_region_destroy(&pictures->region);
    pictures->region = (bksi_region){0};
    return bksi_region_create(&pictures->region, model->capacity_bytes, model->root_bytes,
                              &pictures->allocator, error);
}

void bksi_pictures_destroy(bksi_pictures *pictures)
{
    bksi_region_destroy(&pictures->region);
}

static void copy_state(bksi_pictures *pictures, const bksi_runner *runner)
{
    const bksi_region *from = bksi_runner_region(runner);
    bksi_region_put_back(&pictures->region, from->bytes, bksi_region_used(from));
}

void bksi_pictures_step(bksi_pictures *pictures, const bksi_runner *runner, bks_tick tick)
{
    // Copy no older state in a resimulation: it may end early, before it steps the newest tick, and
    // the copy must then be the state at the start of that tick.
    const bool is_newest = !pictures->has_ticks || tick >= pictures->present - 1 ||
                           bksi_mutated(BKSI_MUTANT_PICTURE_OF_THE_PAST);
    if (pictures->kind == BKS_PICTURES_INTERPOLATE && is_newest) {
        copy_state(pictures, runner);
        pictures->before = tick;
    }
}

void bksi_pictures_loaded(bksi_pictures *pictures)
{
    pictures->is_corrected = true;
}

void bksi_pictures_update(bksi_pictures *pictures, bks_tick present, uint64_t next_ns,
                          double interval_ns, bool is_last)
{
    const bool is_held_up = pictures->has_ticks && pictures->present == present;
    if (is_held_up && !bksi_mutated(BKSI_MUTANT_PICTURE_RUNS_ON)) {
        return; // keep the picture while the match waits: the next tick continues from it
    }
    pictures->has_ticks = true;
    pictures->present = present;
    pictures->length_ns = interval_ns;
    pictures->begin_ns = next_ns - (uint64_t)interval_ns;
    pictures->is_last = is_last;
}

/// Get the share of the newest tick that has passed, 0..1.
static float share_at(const bksi_pictures *pictures, uint64_t now_ns)
{
    if (now_ns <= pictures->begin_ns || bksi_mutated(BKSI_MUTANT_PICTURE_OF_TICKS)) {
        return 0.0f;
    }
    const double share = (double)(now_ns - pictures->begin_ns) / pictures->length_ns;
    return share < 1.0 ? (float)share : 1.0f;
}

/// Make a copy of the state, and let the game move the copy on by a part of a tick.
/// @return the copy
static const void *extrapolate(bksi_pictures *pictures, bksi_runner *runner, const int32_t *inputs,
                               float share)
{
    copy_state(pictures, runner);
    void *state = bksi_mutated(BKSI_MUTANT_PICTURE_FLOWS_BACK) ? bksi_runner_state(runner)
                                                               : pictures->region.bytes;
    bksi_runner_extrapolate(runner, state, pictures->present, inputs, share);
    return state;
}

void bksi_pictures_frame(bksi_pictures *pictures, bksi_runner *runner, const int32_t *inputs,
                         uint64_t now_ns, bks_frame *out)
{
    const void *state = bksi_runner_state(runner);
    *out = (bks_frame){.state = state,
                       .before = state,
                       .tick = pictures->present,
                       .is_corrected = pictures->is_corrected};
    pictures->is_corrected = false;
    // Do not extrapolate after a failed step: only drawing, not the game's `extrapolate`, must cope
    // with the unusual state that the step left.
    if (!pictures->has_ticks || bksi_runner_problem(runner) != NULL) {
        return;
    }
    const float share = share_at(pictures, now_ns);
    if (pictures->kind == BKS_PICTURES_INTERPOLATE && pictures->before == pictures->present - 1) {
        out->before = pictures->region.bytes;
        out->share = share;
    }
    if (pictures->kind == BKS_PICTURES_EXTRAPOLATE && inputs != NULL && share > 0.0f &&
        !pictures->is_last) {
        out->state = out->before = extrapolate(pictures, runner, inputs, share);
        out->share = share;
    }
}
