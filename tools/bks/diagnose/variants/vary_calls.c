// SPDX-License-Identifier: MIT

#include "diagnose/variants/variants.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "diagnose/processes/calls_trace.h"
#include "diagnose/processes/check_imports.h"

static bool has_begun;
static bool has_stepped;

// Calls of init are noted, too.
static void begin_calls(variant_process *variant)
{
    has_begun = calls_trace_begin(variant->stepper.game.plugin);
}

static const char *why_not_calls(const variant_process *variant)
{
    (void)variant;
    return has_begun ? NULL : "calls can be noted on Linux on x86-64 only";
}

// Note the line of an import's first call.
static void note_line(check_tape *tape, const char *name, uint64_t site)
{
    if (tape->call_count < CHECK_CALLS_MAX && site != 0) {
        check_call *call = &tape->called[tape->call_count++];
        TEXT_SET(call->function, "%s", name);
        code_line_find(getpid(), site - 1, &call->at);
    }
}

static void step_calls(variant_process *variant, bks_tick tick)
{
    check_tape *tape = variant->tape;
    const char *names[CHECK_IMPORTS_MAX];
    const uint32_t count = check_imports_names(names);
    if (!has_stepped) {
        const bool *before = calls_trace_notes();
        for (uint32_t i = 0; before != NULL && i < count; i++) {
            tape->calls_before[i] = before[i];
        }
        calls_trace_forget();
    }
    has_stepped = true;
    variant_step_counted(variant, tick);
    const bool *notes = calls_trace_notes();
    for (uint32_t i = 0; notes != NULL && i < count; i++) {
        if (!tape->calls[i] && notes[i]) {
            note_line(tape, names[i], calls_trace_site(i));
        }
        tape->calls[i] = tape->calls[i] || notes[i];
    }
    tape->is_traced = notes != NULL;
}

const check_variant vary_calls = {
    .name = "calls",
    .after_load = begin_calls,
    .why_not = why_not_calls,
    .step = step_calls,
};
