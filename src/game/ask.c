// SPDX-License-Identifier: MIT

#include <string.h>

#include "base/assert.h"
#include "base/report.h"
#include "det/jobs.h"
#include "game/listener.h"

size_t bks_ask(const bks_step *step, uint32_t question, void *answer, size_t capacity)
{
    if (step == NULL || (answer == NULL && capacity > 0)) {
        (void)bksi_fail_null(NULL, "bks_ask", step == NULL ? "step" : "answer");
        return 0;
    }
    const bks_listener *listener = step->listener;
    if (bksi_jobs_refuse("bks_ask") || listener == NULL || listener->answers.answer == NULL) {
        return 0;
    }
    uint8_t bytes[BKS_ANSWER_BYTES_MAX];
    const size_t count =
        listener->answers.answer(listener->answers.context, step->tick, question, bytes);
    BKS_ASSERT(count <= sizeof(bytes));
    const size_t given = count < capacity ? count : capacity;
    if (given > 0) {
        memcpy(answer, bytes, given);
    }
    return count;
}
