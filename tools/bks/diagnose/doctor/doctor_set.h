// SPDX-License-Identifier: MIT

/// @file doctor_set.h
/// Proof of causes that no process repeats by itself, such as an address or a random number. Sets
/// the quantity that a variant varies to chosen values. The cause is proven if one value gives
/// exactly the state of A and another value the state of B.

#ifndef BKS_TOOL_DOCTOR_SET_H
#define BKS_TOOL_DOCTOR_SET_H

#include <stdint.h>

#include "diagnose/doctor/doctor_try.h"

/// Try to prove the suspected change. Completes the verdict except for its place.
/// @param suspected  only change that alters the value that differs
/// @return true if the change is proven to be the cause
bool doctor_set_prove(doctor_case *c, const doctor_play *straight, const doctor_try *suspected);

enum { DOCTOR_VALUES_MAX = 24 };

/// Guessed values, the likeliest first.
typedef struct doctor_values {
    uint32_t count;
    uint64_t items[DOCTOR_VALUES_MAX];
} doctor_values;

/// Two values that were set, and the field's value after each.
typedef struct doctor_probe {
    uint64_t set[2];
    uint64_t read[2];
    uint32_t bits;  ///< width of the field: 8, 16, 32 or 64
    uint64_t align; ///< alignment of values that are addresses
} doctor_probe;

/// Guess the bytes on the stack that give the field a wanted value: those of the value, repeated.
void doctor_values_of_stack(const doctor_probe *probe, uint64_t wanted, doctor_values *out);

/// Guess the random number that gives the field a wanted value: the field holds its bits from some
/// bit on.
void doctor_values_of_random(const doctor_probe *probe, uint64_t wanted, doctor_values *out);

/// Guess the address that gives the field a wanted value: the field holds its bits from some bit
/// on, and grows with it.
void doctor_values_of_place(const doctor_probe *probe, uint64_t wanted, doctor_values *out);

#endif
