// SPDX-License-Identifier: MIT

#include "diagnose/processes/between_steps.h"

#include <stdlib.h>

#include "diagnose/processes/variant_process.h"

void between_steps_begin(const check_stepper *stepper, uint8_t *bytes, size_t capacity,
                         between_steps *out)
{
    *out = (between_steps){.stepper = stepper,
                           .bytes = bytes,
                           .count = stepper_bytes(stepper, bytes, capacity),
                           .hash = bks_runner_hash(stepper->runner)};
}

bool between_steps_changed(const between_steps *before)
{
    return bks_runner_hash(before->stepper->runner) != before->hash;
}

void between_steps_name(const between_steps *before, check_finding *found)
{
    const check_stepper *stepper = before->stepper;
    uint8_t *bytes = malloc(stepper->state_bytes_max);
    const uint64_t address = stepper_addresses(stepper).state;
    if (bytes != NULL) {
        const bks_compared_state a = {
            .bytes = before->bytes, .count = before->count, .address = address};
        const bks_compared_state b = {.bytes = bytes,
                                      .count =
                                          stepper_bytes(stepper, bytes, stepper->state_bytes_max),
                                      .address = address};
        variant_name(&stepper->game, &a, &b, found);
    }
    free(bytes);
}
