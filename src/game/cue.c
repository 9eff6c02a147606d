// SPDX-License-Identifier: MIT

#include "base/report.h"
#include "det/jobs.h"
#include "game/listener.h"

void bks_cue(const bks_step *step, uint32_t id, uint64_t key, const void *payload, size_t bytes)
{
    if (step == NULL) {
        (void)bksi_fail_null(NULL, "bks_cue", "step");
        return;
    }
    const bks_listener *listener = step->listener;
    if (bksi_jobs_refuse("bks_cue") || listener == NULL || listener->cue == NULL) {
        return;
    }
    (void)listener->cue(listener->cues, id, key, payload, bytes);
}
