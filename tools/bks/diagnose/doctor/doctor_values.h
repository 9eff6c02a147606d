// SPDX-License-Identifier: MIT

/// @file doctor_values.h
/// Which value a game asked the system for when a field of its state came to hold what a recording
/// says: found by what two other values made of the field. Each is a guess, to be tried.

#ifndef BKS_TOOL_DOCTOR_VALUES_H
#define BKS_TOOL_DOCTOR_VALUES_H

#include <stdint.h>

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
