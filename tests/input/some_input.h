// SPDX-License-Identifier: MIT

/// @file some_input.h
/// Random layouts and inputs for the tests of this room, from a seed that a failing test prints and
/// that the command line takes.

#ifndef TESTS_SOME_INPUT_H
#define TESTS_SOME_INPUT_H

#include <stdio.h>
#include <stdlib.h>

#include "backstitch/game.h"
#include "backstitch/toolkit/runner.h"

/// Names that live as long as the program, for tables made at random.
static const char *const some_names[BKS_FIELDS_MAX] = {
    "f00", "f01", "f02", "f03", "f04", "f05", "f06", "f07", "f08", "f09", "f10", "f11", "f12",
    "f13", "f14", "f15", "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23", "f24", "f25",
    "f26", "f27", "f28", "f29", "f30", "f31", "f32", "f33", "f34", "f35", "f36", "f37", "f38",
    "f39", "f40", "f41", "f42", "f43", "f44", "f45", "f46", "f47", "f48", "f49", "f50", "f51",
    "f52", "f53", "f54", "f55", "f56", "f57", "f58", "f59", "f60", "f61", "f62", "f63"};

static uint64_t some_state = 1;

/// Begin with the seed of the command line, if there is one, and print it.
static inline void some_begin(int argc, char **argv, uint64_t seed)
{
    some_state = argc > 1 ? strtoull(argv[1], NULL, 0) : seed;
    printf("seed %llu\n", (unsigned long long)some_state);
}

/// splitmix64, S. Vigna, public domain.
static inline uint64_t some_number(void)
{
    uint64_t z = some_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static inline uint32_t some_below(uint32_t bound)
{
    return (uint32_t)(some_number() % bound);
}

static inline int32_t some_value(const bks_field *field)
{
    int32_t least = 0;
    int32_t greatest = 0;
    (void)bks_field_range(field, &least, &greatest);
    const uint64_t span = (uint64_t)((int64_t)greatest - least) + 1;
    return (int32_t)((int64_t)least + (int64_t)(some_number() % span));
}

/// A table that passes bks_fields_check(): plain fields of any bits, signs, groups and predictors.
/// @return the number of fields
static inline uint32_t some_fields(bks_field fields[BKS_FIELDS_MAX])
{
    const uint32_t wanted = 1 + some_below(BKS_FIELDS_MAX);
    const uint32_t bits_most = 1 + some_below(31);
    uint32_t bits = 0;
    uint32_t count = 0;
    uint32_t group = 1;
    while (count < wanted) {
        bks_field field = {.name = some_names[count]};
        field.bits = 1 + some_below(bits_most);
        field.is_signed = some_below(2) == 0;
        field.predictor = some_below(4) == 0 ? BKS_PREDICT_RELEASE : BKS_PREDICT_HOLD;
        field.neutral = some_below(2) == 0 ? some_value(&field) : 0;
        if (some_below(3) == 0) {
            group++;
        }
        field.group = some_below(4) == 0 ? 0 : group;
        if (field.group == 0) {
            group++;
        }
        bits += field.bits;
        if (bits > BKS_INPUT_BITS_MAX) {
            break;
        }
        fields[count++] = field;
    }
    return count;
}

#endif
