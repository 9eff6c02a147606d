// SPDX-License-Identifier: MIT

/// @file doctor_set.h Proof of causes that rarely occur twice with the same result, such as an
/// address, a random number or a time. Sets the quantity that a variant varies to chosen values.
/// The cause is proven if one value gives exactly the state of A and another value the state of B.

#ifndef BKS_TOOL_DOCTOR_SET_H
#define BKS_TOOL_DOCTOR_SET_H

#include <stdint.h>

#include "diagnose/doctor/doctor_try.h"

/// Try to prove that the suspected change is the cause. Complete the verdict except for its place
/// (tick, mark and name).
/// @param suspected  change that, alone of all changes, alters the value that differs
/// @return true if the change is proven to be the cause
bool doctor_set_prove(doctor_case *c, const doctor_play *straight, const doctor_try *suspected);

enum { DOCTOR_VALUES_MAX = 24 };

/// Guesses of the value to set, the likeliest first.
typedef struct doctor_values {
    uint32_t count;
    uint64_t items[DOCTOR_VALUES_MAX];
} doctor_values;

/// Two values that a quantity was set to, and the value of the field after each.
typedef struct doctor_probe {
    uint64_t set[2];
    uint64_t read[2];
    uint32_t bits;  ///< width of the field in bits: 8, 16, 32 or 64
    uint64_t align; ///< alignment of the values to set, if they are addresses; else 1
} doctor_probe;

/// Guess the bytes on the stack that give the field the value `wanted`: this value, repeated.
void doctor_values_of_stack(const doctor_probe *probe, uint64_t wanted, doctor_values *out);

/// Guess the random number that gives the field the value `wanted`. The field is assumed to hold
/// the number's bits from some bit on.
void doctor_values_of_random(const doctor_probe *probe, uint64_t wanted, doctor_values *out);

/// Guess the time that gives the field the value `wanted`. The field is assumed to count units from
/// nanoseconds to hours, or to be one of two values.
void doctor_values_of_clock(const doctor_probe *probe, uint64_t wanted, doctor_values *out);

/// Guess the address that gives the field the value `wanted`. The field is assumed to hold the
/// address's bits from some bit on, so it grows with the address.
void doctor_values_of_place(const doctor_probe *probe, uint64_t wanted, doctor_values *out);

#endif
