// SPDX-License-Identifier: MIT

// Steps the runs of --times under variation, beside a plain baseline, as `bks check` does.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/variants/variants.h"
#include "record/run/run.h"

const char *run_varied(void)
{
#ifdef _WIN32
    return "ticks stepped beside, stack, addresses";
#else
    return alloc_count_works()
               ? "ticks stepped beside, heap fill, stack, addresses, clock, random numbers"
               : "ticks stepped beside, stack, addresses, clock, random numbers";
#endif
}

static void take(run *r, run_one *one, const check_result *result, const check_span *span)
{
    const check_finding *found = &result->found;
    one->varied = result->same;
    const bool is_at_end = result->ticks == r->end && !found->has_crashed;
    if (is_at_end && one->final_hash == r->runs[0].final_hash) {
        one->final_hash = span->newest[1];
    }
    if (result->same != CHECK_DIFFERS) {
        return;
    }
    one->has_hash = one->has_hash && is_at_end;
    // If a tick starts with the same state, the state of the next tick is the first to differ.
    one->apart = found->tick + (strcmp(found->mark, CHECK_MARK_START) == 0 ? 0 : 1);
    if (r->found.mark[0] == '\0') {
        r->found = *found;
    }
}

// Get the state with which a part of a recording begins. If the recording begins at tick 0, `init`
// makes the state.
// @param out  receives the state, NULL if there is none; release with free()
static int get_state(const run *r, uint8_t **out)
{
    const bks_recording *info = r->file.info;
    bks_error error = {0};
    *out = info->first > 0 ? malloc((size_t)info->state_bytes) : NULL;
    if (info->first == 0 ||
        (*out != NULL &&
         bks_replay_state(r->file.replay, *out, (size_t)info->state_bytes, &error) == BKS_OK)) {
        return TOOL_OK;
    }
    tool_complain_error(r->file.path, &error);
    return TOOL_DAMAGED;
}

int run_vary(run *r)
{
    static check_span span;
    static const check_request none;
    const bks_tick first = r->file.info->first;
    const check_options options = {.game = r->plugin_path, .recorded = r->file.path};
    check_run check = {.options = &options, .span = &span};
    uint8_t *state = NULL;
    if (r->run_count < 2 || r->outcome.has_failed || r->outcome.is_ended_by_hand ||
        r->file.info->is_damaged) {
        return TOOL_OK;
    }
    int status = get_state(r, &state);
    check.state = state;
    progress_begin(&check.bar, "varying", (r->run_count - 1) * (uint64_t)r->end);
    for (uint32_t i = 1; i < r->run_count && status == TOOL_OK && !stop_is_wanted(); i++) {
        char number[16];
        check_result result;
        TEXT_SET(number, "%" PRIu32, i);
        span = (check_span){.first = first,
                            .until = r->end,
                            .state_bytes = state != NULL ? r->file.info->state_bytes : 0};
        check.value = number;
        status = check_run_once(&check, &vary_run, &none, &result);
        if (status == TOOL_OK) {
            take(r, &r->runs[i], &result, &span);
        }
        check.done += (uint64_t)r->end;
    }
    progress_end(&check.bar);
    free(state);
    return status == TOOL_STOPPED ? TOOL_OK : status;
}
