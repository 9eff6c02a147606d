// SPDX-License-Identifier: MIT

#include "backstitch/det.h"
#include "base/report.h"
#include "game/listener.h"

const bks_workers *bks_step_workers(const bks_step *step)
{
    if (step == NULL) {
        (void)bksi_fail_null(NULL, "bks_step_workers", "step");
        return NULL;
    }
    const bks_listener *listener = step->listener;
    return listener != NULL && listener->workers.run != NULL ? &listener->workers : NULL;
}
