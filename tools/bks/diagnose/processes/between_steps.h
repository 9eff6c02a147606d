// SPDX-License-Identifier: MIT

/// @file between_steps.h Finds writes to the state between two steps, such as those of a bot or of
/// drawing.

#ifndef BKS_TOOL_BETWEEN_STEPS_H
#define BKS_TOOL_BETWEEN_STEPS_H

#include "diagnose/processes/check_tape.h"
#include "diagnose/processes/stepper.h"

/// State of a game before functions are called that may only read it.
typedef struct between_steps {
    const check_stepper *stepper;
    const uint8_t *bytes; ///< bytes of the state
    size_t count;
    uint64_t hash;
} between_steps;

/// Take the state before such calls.
/// @param bytes     receives the bytes of the state; keep them until between_steps_name()
/// @param capacity  size of `bytes`
void between_steps_begin(const check_stepper *stepper, uint8_t *bytes, size_t capacity,
                         between_steps *out);

/// Return true if the state has changed since between_steps_begin().
bool between_steps_changed(const between_steps *before);

/// Name what has changed.
/// @param found  receives object, field, a, b and note; unchanged if no byte has changed
void between_steps_name(const between_steps *before, check_finding *found);

#endif
