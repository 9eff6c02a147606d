// SPDX-License-Identifier: MIT

#include "diagnose/variants/variants.h"

#include "diagnose/processes/calls_trace.h"

static bool has_stepped;

static const char *why_not_calls(const variant_process *variant)
{
    return calls_trace_begin(variant->stepper.game.plugin)
               ? NULL
               : "calls can be noted on Linux on x86-64 only";
}

static void step_calls(variant_process *variant, bks_tick tick)
{
    check_tape *tape = variant->tape;
    if (!has_stepped) {
        calls_trace_forget(); // forget those of init
    }
    has_stepped = true;
    variant_step_counted(variant, tick);
    const bool *notes = calls_trace_notes();
    for (uint32_t i = 0; notes != NULL && i < CHECK_IMPORTS_MAX; i++) {
        tape->calls[i] = tape->calls[i] || notes[i];
    }
    tape->is_traced = notes != NULL;
}

const check_variant vary_calls = {
    .name = "calls",
    .why_not = why_not_calls,
    .step = step_calls,
};
