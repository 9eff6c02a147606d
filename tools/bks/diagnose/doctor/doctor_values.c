// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_values.h"

#include <stdbool.h>

enum { WHOLE_BITS = 64, SEEN_BITS = 8, SHIFTS_OF_PLACE = 17 };

/// Where a program may have things.
static const uint64_t least_place = UINT64_C(1) << 32;
static const uint64_t most_place = UINT64_C(1) << 47;

static uint64_t low(uint64_t value, uint32_t bits)
{
    return bits < WHOLE_BITS ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static uint64_t with_sign(uint64_t value, uint32_t bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return (low(value, bits) ^ sign) - sign;
}

static void add(doctor_values *out, uint64_t value)
{
    for (uint32_t i = 0; i < out->count; i++) {
        if (out->items[i] == value) {
            return;
        }
    }
    if (out->count < DOCTOR_VALUES_MAX) {
        out->items[out->count++] = value;
    }
}

// ---- the stack ----

static uint64_t repeated(uint64_t value, uint32_t bits)
{
    uint64_t word = low(value, bits);
    for (uint32_t have = bits; have < WHOLE_BITS; have *= 2) {
        word |= word << have;
    }
    return word;
}

void doctor_values_of_stack(const doctor_probe *probe, uint64_t wanted, doctor_values *out)
{
    out->count = 0;
    add(out, repeated(wanted, probe->bits));
    // The variable may have been smaller or larger than the field.
    for (uint32_t bits = SEEN_BITS; bits <= WHOLE_BITS; bits *= 2) {
        if (low(with_sign(wanted, bits), probe->bits) == low(wanted, probe->bits) ||
            low(wanted, bits) == low(wanted, probe->bits)) {
            add(out, repeated(with_sign(wanted, probe->bits), bits));
            add(out, repeated(wanted, bits));
        }
    }
}

// ---- random numbers ----

// Whether the field has, from its lowest on, the number's bits from one on.
static bool has_bits_from(const doctor_probe *probe, uint32_t shift)
{
    return low(probe->read[0] ^ probe->set[0] >> shift, SEEN_BITS) == 0 &&
           low(probe->read[1] ^ probe->set[1] >> shift, SEEN_BITS) == 0;
}

void doctor_values_of_random(const doctor_probe *probe, uint64_t wanted, doctor_values *out)
{
    out->count = 0;
    for (uint32_t shift = 0; shift < WHOLE_BITS; shift++) {
        if (has_bits_from(probe, shift)) {
            add(out, wanted << shift);
        }
    }
    add(out, wanted); // it may have been divided by something larger
}

// ---- addresses ----

// Whether the field grew as the address did; what is below its lowest bit may be carried.
static bool grew_with(const doctor_probe *probe, uint32_t shift)
{
    const uint64_t wanted = (probe->set[1] - probe->set[0]) >> shift;
    return low(probe->read[1] - probe->read[0] - wanted + 1, probe->bits) <= 2;
}

static void add_place(const doctor_probe *probe, uint64_t place, doctor_values *out)
{
    if (place >= least_place && place < most_place && place % probe->align == 0) {
        add(out, place);
    }
}

void doctor_values_of_place(const doctor_probe *probe, uint64_t wanted, doctor_values *out)
{
    out->count = 0;
    for (uint32_t shift = 0; shift < SHIFTS_OF_PLACE; shift++) {
        const uint64_t slide = with_sign(wanted - probe->read[0], probe->bits) << shift;
        if (!grew_with(probe, shift)) {
            continue;
        }
        add_place(probe, probe->set[0] + slide, out);
        if (probe->bits + shift < WHOLE_BITS) { // what the field leaves out is free
            add_place(probe, probe->set[0] + slide + (UINT64_C(1) << (probe->bits + shift)), out);
            add_place(probe, probe->set[0] + slide - (UINT64_C(1) << (probe->bits + shift)), out);
        }
    }
}
