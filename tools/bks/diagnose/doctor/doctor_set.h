// SPDX-License-Identifier: MIT

/// @file doctor_set.h
/// What no process comes to again by itself, such as an address or a random number: the one thing
/// that a change varies is set to a value of our choice, until the state is exactly that of A, and
/// with another value exactly that of B.

#ifndef BKS_TOOL_DOCTOR_SET_H
#define BKS_TOOL_DOCTOR_SET_H

#include <stdint.h>

#include "diagnose/doctor/doctor_try.h"

/// Prove what is suspected. Completes the verdict but for its place.
/// @param suspected  by doctor_marks_suspect()
/// @return whether it is the cause, proven
bool doctor_set_prove(doctor_case *c, const doctor_play *straight, const doctor_try *suspected);

enum { DOCTOR_VALUES_MAX = 24 };

/// Guesses, the likeliest first.
typedef struct doctor_values {
    uint32_t count;
    uint64_t items[DOCTOR_VALUES_MAX];
} doctor_values;

/// Two values that were set, and what the field came to hold.
typedef struct doctor_probe {
    uint64_t set[2];
    uint64_t read[2];
    uint32_t bits;  ///< of the field: 8, 16, 32 or 64
    uint64_t align; ///< of values that are addresses
} doctor_probe;

/// Of what lies on the stack: the field's own bytes, over and over.
void doctor_values_of_stack(const doctor_probe *probe, uint64_t wanted, doctor_values *out);

/// Of a random number: the field has its bits from one on.
void doctor_values_of_random(const doctor_probe *probe, uint64_t wanted, doctor_values *out);

/// Of an address: the field has its bits from one on, and grows with it.
void doctor_values_of_place(const doctor_probe *probe, uint64_t wanted, doctor_values *out);

#endif
