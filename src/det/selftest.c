// SPDX-License-Identifier: MIT

#include "det/selftest.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"

typedef enum operation {
    FLOAT_ADD,
    FLOAT_SUBTRACT,
    FLOAT_MULTIPLY,
    FLOAT_DIVIDE,
    FLOAT_SQRT,
    FLOAT_CHAIN,
    DOUBLE_ADD,
    DOUBLE_SUBTRACT,
    DOUBLE_MULTIPLY,
    DOUBLE_DIVIDE,
    DOUBLE_SQRT,
    DOUBLE_CHAIN,
    COMPARE,
    TO_FLOAT,
    TO_INTEGER,
    INTEGER_DIVIDE,
} operation;

static const char *const names[BKSI_ARITHMETIC_OPS] = {
    "float +",
    "float -",
    "float *",
    "float /",
    "sqrtf",
    "float a * b + c",
    "double +",
    "double -",
    "double *",
    "double /",
    "sqrt",
    "double a * b + c",
    "a < b",
    "conversion to float",
    "conversion to integer",
    "integer /",
};

// The tables of operands are volatile, otherwise the compiler would compute the results itself.

/// Operands of float operations: zeros, denormals, the smallest and largest numbers, neighbours of
/// 1, halves of a last place, numbers whose products and quotients are denormal, infinities, a NaN.
static const volatile uint32_t floats[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000003, 0x002aaaab, 0x007fffff, 0x00800000, 0x80800001,
    0x3f800000, 0x3f800001, 0xbf7fffff, 0x3fc00000, 0x40400000, 0x3eaaaaab, 0x3dcccccd, 0xc1100003,
    0x33800000, 0xb3800001, 0x4b7fffff, 0x4b800001, 0x4f000000, 0xc9742401, 0x3fb504f3, 0x5d5e0b6b,
    0x1a800000, 0x9a7fffff, 0x20000001, 0x7f7fffff, 0xff7ffffe, 0x7f800000, 0xff800000, 0x7fc00000,
};

/// Operands of double operations: zeros, denormals, extremes and NaNs as for floats, and operands
/// whose result changes if it is rounded to 64 bits first, as on the x87.
static const volatile uint64_t doubles[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000003,
    0x0005555555555555, 0x000fffffffffffff, 0x0010000000000000, 0x8010000000000001,
    0x3ff0000000000000, 0x3ff0000000000001, 0xbfefffffffffffff, 0x3ff8000000000000,
    0x4008000000000000, 0x3fd5555555555555, 0x3fb999999999999a, 0xc022000000000003,
    0x3ca0000000000000, 0x3ca0010000000000, 0xbca0010000000000, 0x433fffffffffffff,
    0x41dfffffffc00000, 0x3ff0d295e82fc76e, 0x3ff46a8836238360, 0x3ff9316bbf28d842,
    0x3ff3fcd20b8cd972, 0x3ff99e01b047f982, 0x3fffc08bf00b56f1, 0x3ffd8dcf585ca9d3,
    0x3ff327f14c7c0440, 0x3ff3046f7db86218, 0x3fffe82751bd4192, 0x3ffa5c30a7ba8ba6,
    0x1e60000000000001, 0x9e5fffffffffffff, 0x1ff3fcd20b8cd972, 0x2008000000000001,
    0x3735555555555555, 0xb80fffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000,
};

static const volatile int64_t integers[] = {
    0,
    1,
    -1,
    3,
    -7,
    10,
    16777217,
    -16777219,
    33554435,
    INT32_MAX,
    INT32_MIN,
    INT64_C(0x7fffffc0),
    INT64_C(9007199254740993),
    INT64_C(-9007199254740995),
    INT64_C(0x7fffffffffffffff),
    INT64_C(-0x7fffff4000000001),
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

typedef struct sums {
    uint64_t of[BKSI_ARITHMETIC_OPS];
} sums;

static void add(sums *s, operation op, uint64_t result)
{
    s->of[op] = bksi_hash64_pair(s->of[op], result);
}

/// Add a float result to the hash of an operation. All NaNs are hashed alike, because a NaN can
/// have many signs and payloads, which no step may distinguish.
static void add_float(sums *s, operation op, float result)
{
    uint32_t bits;
    memcpy(&bits, &result, sizeof(bits));
    add(s, op, (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits);
}

static void add_double(sums *s, operation op, double result)
{
    uint64_t bits;
    memcpy(&bits, &result, sizeof(bits));
    uint64_t size = bits & UINT64_C(0x7fffffffffffffff);
    add(s, op, size > UINT64_C(0x7ff0000000000000) ? UINT64_C(0x7ff8000000000000) : bits);
}

static float float_at(size_t index)
{
    uint32_t bits = floats[index % COUNT(floats)];
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static double double_at(size_t index)
{
    uint64_t bits = doubles[index % COUNT(doubles)];
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void try_floats(sums *s, float a, float b)
{
    add_float(s, FLOAT_ADD, a + b);
    add_float(s, FLOAT_SUBTRACT, a - b);
    add_float(s, FLOAT_MULTIPLY, a * b);
    add_float(s, FLOAT_DIVIDE, a / b);
    add(s, COMPARE, (uint64_t)(a < b) | (uint64_t)(a == b) << 1 | (uint64_t)(a != a) << 2);
}

/// Test expressions that a compiler might fuse, share or reorder. A compiler does so only if
/// nothing else uses the partial results, so this function reads the operands again.
static void try_float_chains(sums *s, float a, float b, float c)
{
    add_float(s, FLOAT_CHAIN, a * b + c);
    add_float(s, FLOAT_CHAIN, (a + c) - c);
    add_float(s, FLOAT_CHAIN, a / c + b / c + 1.0f / c);
}

static void try_doubles(sums *s, double a, double b)
{
    add_double(s, DOUBLE_ADD, a + b);
    add_double(s, DOUBLE_SUBTRACT, a - b);
    add_double(s, DOUBLE_MULTIPLY, a * b);
    add_double(s, DOUBLE_DIVIDE, a / b);
    add(s, COMPARE, (uint64_t)(a < b) | (uint64_t)(a == b) << 1 | (uint64_t)(a != a) << 2);
}

static void try_double_chains(sums *s, double a, double b, double c)
{
    add_double(s, DOUBLE_CHAIN, a * b + c);
    add_double(s, DOUBLE_CHAIN, (a + c) - c);
    add_double(s, DOUBLE_CHAIN, a / c + b / c + 1.0 / c);
}

/// Test conversions to float and to integers. Numbers that do not fit an integer are not converted
/// to it: C leaves the result open, and machines differ.
static void try_to_integer(sums *s, double value)
{
    if (value > -9e18 && value < 9e18) {
        add(s, TO_INTEGER, (uint64_t)(int64_t)value);
    }
    if (value > -2147483648.0 && value < 2147483648.0) {
        add(s, TO_INTEGER, (uint64_t)(int32_t)value);
    }
    add_float(s, TO_FLOAT, (float)value);
}

static void try_integers(sums *s, int64_t a, int64_t b)
{
    if (b != 0) {
        add(s, INTEGER_DIVIDE, (uint64_t)(a / b));
        add(s, INTEGER_DIVIDE, (uint64_t)(a % b));
    }
    // C leaves shifts of negative numbers to the compiler. All supported compilers shift the sign
    // in.
    add(s, INTEGER_DIVIDE, (uint64_t)(a >> (b & 31)));
    add(s, INTEGER_DIVIDE, (uint64_t)(((int32_t)(a & 0x7fffffff) - 0x40000000) >> (b & 15)));
}

void bksi_arithmetic_test(bksi_arithmetic *arithmetic)
{
    sums s = {{0}};
    for (size_t i = 0; i < COUNT(floats); i++) {
        for (size_t k = 0; k < COUNT(floats); k++) {
            try_floats(&s, float_at(i), float_at(k));
            try_float_chains(&s, float_at(i), float_at(k), float_at(i + k));
        }
        add_float(&s, FLOAT_SQRT, sqrtf(float_at(i)));
        try_to_integer(&s, float_at(i));
    }
    for (size_t i = 0; i < COUNT(doubles); i++) {
        for (size_t k = 0; k < COUNT(doubles); k++) {
            try_doubles(&s, double_at(i), double_at(k));
            try_double_chains(&s, double_at(i), double_at(k), double_at(i + k));
        }
        add_double(&s, DOUBLE_SQRT, sqrt(double_at(i)));
        try_to_integer(&s, double_at(i));
    }
    for (size_t i = 0; i < COUNT(integers); i++) {
        int64_t value = integers[i];
        add_float(&s, TO_FLOAT, (float)value);
        add_double(&s, TO_FLOAT, (double)value);
        add_float(&s, TO_FLOAT, (float)(int32_t)(value & INT32_MAX));
        for (size_t k = 0; k < COUNT(integers); k++) {
            try_integers(&s, value, integers[k]);
        }
    }
    for (uint32_t op = 0; op < BKSI_ARITHMETIC_OPS; op++) {
        arithmetic->sums[op] = (uint16_t)s.of[op];
    }
}

const bksi_arithmetic bksi_arithmetic_right = {{0x9e0d, 0x79ac, 0x85bd, 0x3cf8, 0x1a44, 0x9327,
                                                0xfac0, 0x71ef, 0x60f7, 0x61a4, 0xdf9d, 0xab28,
                                                0x5be5, 0xbb36, 0xe581, 0xa0ce}};

const char *bks_arithmetic_text(uint32_t faults)
{
    if ((faults & BKS_ARITHMETIC_REASSOCIATED) != 0) {
        return "reorders sums: compile it without -ffast-math and -Ofast";
    }
    if ((faults & BKS_ARITHMETIC_FUSED) != 0) {
        return "fuses a * b + c: compile it with -ffp-contract=off";
    }
    if ((faults & BKS_ARITHMETIC_EXCESS) != 0) {
        return "keeps too many digits: compile it with -msse2 -mfpmath=sse";
    }
    return faults != 0 ? "calculates in a way unknown to this build" : "";
}

const char *bksi_arithmetic_name(uint32_t op)
{
    return names[op];
}

uint32_t bksi_arithmetic_compare(const bksi_arithmetic *a, const bksi_arithmetic *b)
{
    uint32_t op = 0;
    while (op < BKSI_ARITHMETIC_OPS && a->sums[op] == b->sums[op]) {
        op++;
    }
    return op;
}
