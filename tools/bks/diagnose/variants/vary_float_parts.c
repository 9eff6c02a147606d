// SPDX-License-Identifier: MIT

#include "diagnose/variants/vary_float_parts.h"

#include <stdio.h>
#include <unistd.h>

#include "diagnose/processes/variant_process.h"
#include "map/code_line.h"

static char seen_at[CHECK_MARK_BYTES];

char *vary_float_seen_at(void)
{
    return seen_at;
}

void vary_float_see(const variant_process *variant)
{
    bks_step_place place;
    if (seen_at[0] == '\0') {
        (void)snprintf(seen_at, sizeof(seen_at), "%s",
                       bks_stepping(&place) ? variant->tape->reached : CHECK_MARK_END);
    }
}

void vary_float_guard(variant_process *variant, bks_runner_floats floats)
{
    bks_error error = {0};
    if (bks_runner_set_floats(variant->stepper.runner, floats, &error) != BKS_OK) {
        variant_find(variant, variant->tape->tick, CHECK_MARK_START, "", error.text);
    }
}

void vary_float_place(const variant_process *variant, const float_catch *caught, code_line *line,
                      char *out, size_t capacity)
{
    const void *address =
        code_line_choose(caught->frames, caught->count, variant->stepper.game.plugin);
    *line = (code_line){0};
    code_line_find(getpid(), (uint64_t)(uintptr_t)address, line);
    if (line->line[0] != '\0') {
        (void)snprintf(out, capacity, "%s (%s)", line->function, line->line);
    } else {
        code_line_write(address, out, capacity);
    }
}
