// SPDX-License-Identifier: MIT

// A digest of the results of each function of det: of edges, of every 4099th float, of numbers that
// are drawn. All machines must print the same.
//
// Compiled with PLANT_SINF the C library's sinf takes the place of bks_sinf, which must be seen.

#include <math.h>

#include "backstitch/math.h"
#include "det/drawn.h"
#include "det/math_bits.h"
#include "matrix/matrix.h"

#define FLOAT_STEP 4099
#define DRAWN      50000
#define QUICK_STEP 16
#define BEGIN      0xCBF29CE484222325u

static const uint32_t float_edges[] = {
    0x00000000, 0x00000001, 0x00000003, 0x007FFFFF, 0x00800000, 0x00800001, 0x0D000000,
    0x33000000, 0x33800000, 0x38FFFFFF, 0x39000000, 0x3D7FFFFF, 0x3E800000, 0x3EFFFFFF,
    0x3F000000, 0x3F000001, 0x3F3504F3, 0x3F490FDB, 0x3F7FFFFF, 0x3F800000, 0x3F800001,
    0x3FC00000, 0x3FC90FDB, 0x40000000, 0x40200000, 0x40400000, 0x40490FDB, 0x40800000,
    0x41000000, 0x42AE0000, 0x42B17218, 0x42CFF1B5, 0x42FC0000, 0x43000000, 0x43160000,
    0x45801000, 0x4AFFFFFF, 0x4B000000, 0x4B7FFFFF, 0x4B800000, 0x4EFFFFFF, 0x4F000000,
    0x5F000000, 0x6258D727, 0x7E800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7FA00001,
};
#define FLOAT_EDGES (sizeof(float_edges) / sizeof(float_edges[0]))

static const uint64_t double_edges[] = {
    0x0000000000000000, 0x0000000000000001, 0x000FFFFFFFFFFFFF, 0x0010000000000000,
    0x0360000000000000, 0x3C90000000000000, 0x3E40000000000000, 0x3E4FFFFFFFFFFFFF,
    0x3F70000000000000, 0x3FB0000000000000, 0x3FDFFFFFFFFFFFFF, 0x3FE0000000000000,
    0x3FE921FB54442D18, 0x3FEFFFFFFFFFFFFF, 0x3FF0000000000000, 0x3FF0000000000001,
    0x3FF921FB54442D18, 0x4000000000000000, 0x4004000000000000, 0x400921FB54442D18,
    0x4024000000000000, 0x40862E42FEFA39EF, 0x40862E42FEFA39F0, 0x4087490D30A4B5C6,
    0x412E848000000000, 0x4130000000000000, 0x41DFFFFFFFC00000, 0x41E0000000000000,
    0x41EFFFFFFFE00000, 0x4330000000000000, 0x433FFFFFFFFFFFFF, 0x43E0000000000000,
    0x43EFFFFFFFFFFFFF, 0x6AC5B262CA1FF0A3, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,
    0x7FF8000000000000, 0x7FF4000000000001,
};
#define DOUBLE_EDGES (sizeof(double_edges) / sizeof(double_edges[0]))

static uint32_t step = 1; ///< 1 or QUICK_STEP: of how many drawn inputs one is taken
static uint64_t digest;
static uint64_t whole;
static uint64_t state;

static void add(uint64_t bits)
{
    digest = (digest ^ (bits & UINT32_MAX)) * 0x100000001B3u;
    digest = (digest ^ (bits >> 32)) * 0x100000001B3u;
}

static void add_float(float x)
{
    add(bksi_float_bits(x));
}

static void add_double(double x)
{
    add(bksi_double_bits(x));
}

static void begin(void)
{
    digest = BEGIN;
    state = 1;
}

static void end(const char *name)
{
    matrix_print(name, digest);
    whole = (whole ^ digest) * 0x100000001B3u;
}

static uint32_t drawn(void)
{
    return DRAWN / step;
}

static uint64_t draw(void)
{
    return draw_bits(&state);
}

/// Of any size, or as games have them.
static float draw_float(void)
{
    const uint32_t bits = (uint32_t)draw();
    return bksi_float_of(bits % 4 == 0 ? bits : (bits & 0x87FFFFFFu) + 0x3C000000u);
}

static double draw_double(void)
{
    const uint64_t bits = draw();
    return bksi_double_of(bits % 4 == 0 ? bits
                                        : (bits & 0x807FFFFFFFFFFFFFu) + 0x3FC0000000000000u);
}

/// Of any size, not negative.
static uint64_t draw_sized(void)
{
    const uint64_t bits = draw(); // C leaves open which of two calls in a sum comes first
    return bits >> draw() % 64;
}

static float edge(size_t i)
{
    return bksi_float_of(float_edges[i / 2] | (i % 2 == 0 ? 0 : BKSI_FLOAT_SIGN));
}

static double double_edge(size_t i)
{
    return bksi_double_of(double_edges[i / 2] | (i % 2 == 0 ? 0 : BKSI_DOUBLE_SIGN));
}

static void floats(const char *name, float (*f)(float))
{
    begin();
    for (size_t i = 0; i < 2 * FLOAT_EDGES; i++) {
        add_float(f(edge(i)));
    }
    for (uint64_t i = 0; i < 1ull << 32; i += (uint64_t)FLOAT_STEP * step) {
        add_float(f(bksi_float_of((uint32_t)i)));
    }
    end(name);
}

static void pairs_of_floats(const char *name, float (*f)(float, float))
{
    begin();
    for (size_t i = 0; i < 2 * FLOAT_EDGES; i++) {
        for (size_t j = 0; j < 2 * FLOAT_EDGES; j++) {
            add_float(f(edge(i), edge(j)));
        }
    }
    for (uint32_t i = 0; i < drawn(); i++) {
        const float x = draw_float();
        add_float(f(x, draw_float()));
    }
    end(name);
}

static void doubles(const char *name, double (*f)(double))
{
    begin();
    for (size_t i = 0; i < 2 * DOUBLE_EDGES; i++) {
        add_double(f(double_edge(i)));
    }
    for (uint32_t i = 0; i < drawn(); i++) {
        add_double(f(draw_double()));
    }
    end(name);
}

static void pairs_of_doubles(const char *name, double (*f)(double, double))
{
    begin();
    for (size_t i = 0; i < 2 * DOUBLE_EDGES; i++) {
        for (size_t j = 0; j < 2 * DOUBLE_EDGES; j++) {
            add_double(f(double_edge(i), double_edge(j)));
        }
    }
    for (uint32_t i = 0; i < drawn(); i++) {
        const double x = draw_double();
        add_double(f(x, draw_double()));
    }
    end(name);
}

static void conversions(void)
{
    begin();
    for (size_t i = 0; i < 2 * DOUBLE_EDGES + drawn(); i++) {
        const double x = i < 2 * DOUBLE_EDGES ? double_edge(i) : draw_double() * 1e9;
        add((uint32_t)bks_to_int32(x));
        add(bks_to_uint32(x));
        add((uint64_t)bks_to_int64(x));
        add(bks_to_uint64(x));
    }
    end("conversions");
}

static void add_vector(bks_vector v)
{
    add_float(v.x);
    add_float(v.y);
}

static void vectors(void)
{
    begin();
    for (size_t i = 0; i < 2 * FLOAT_EDGES + drawn(); i++) {
        const float angle = i < 2 * FLOAT_EDGES ? edge(i) : draw_float();
        const float x = draw_float();
        const bks_vector v = {x, draw_float()};
        add_float(bks_vector_length(v));
        add_float(bks_vector_angle(v));
        add_vector(bks_vector_normalise(v));
        add_vector(bks_vector_rotate(v, angle));
        add_vector(bks_vector_polar(angle, v.x));
        add_float(bks_angle_wrap(angle));
        add_float(bks_angle_between(angle, v.x));
        add_float(bks_angle_turn(angle, v.x, 0.1f));
    }
    end("vectors");
}

static void fixed(void)
{
    static const bks_fixed edges[] = {0, 1, -1, 32768, -32768, 65536, 98304, INT32_MAX, INT32_MIN};
    begin();
    for (uint32_t i = 0; i < 81 + drawn(); i++) {
        const bks_fixed a = i < 81 ? edges[i / 9] : (bks_fixed)(uint32_t)draw_sized();
        const bks_fixed b = i < 81 ? edges[i % 9] : -(bks_fixed)(uint32_t)(draw_sized() >> 33);
        const bks_fixed results[] = {
            bks_fixed_of_int(a),      bks_fixed_of_double(a * 0.37), bks_fixed_floor(a),
            bks_fixed_round(a),       bks_fixed_add(a, b),           bks_fixed_subtract(a, b),
            bks_fixed_multiply(a, b), bks_fixed_divide(a, b),        bks_fixed_remainder(a, b),
            bks_fixed_sqrt(a),        bks_fixed_hypot(a, b),         bks_fixed_sin(a),
            bks_fixed_cos(b),         bks_fixed_atan2(a, b),         bks_fixed_exp(b),
            bks_fixed_log(a),         bks_fixed_pow(a, b / 1024),
        };
        for (size_t k = 0; k < sizeof(results) / sizeof(results[0]); k++) {
            add((uint32_t)results[k]);
        }
        add_double(bks_fixed_to_double(a));
    }
    end("fixed");
}

static void fixed64(void)
{
    static const bks_fixed64 edges[] = {0, 1,         -1,       BKS_FIXED64_ONE, -BKS_FIXED64_ONE,
                                        3, INT64_MAX, INT64_MIN};
    begin();
    for (uint32_t i = 0; i < 64 + drawn(); i++) {
        const bks_fixed64 a = i < 64 ? edges[i / 8] : (bks_fixed64)draw_sized();
        const bks_fixed64 b = i < 64 ? edges[i % 8] : -(bks_fixed64)(draw_sized() >> 1);
        add((uint64_t)bks_fixed64_add(a, b));
        add((uint64_t)bks_fixed64_subtract(a, b));
        add((uint64_t)bks_fixed64_multiply(a, b));
        add((uint64_t)bks_fixed64_divide(a, b));
        add((uint64_t)bks_fixed64_sqrt(a));
        add((uint64_t)bks_fixed64_of_int((int32_t)(a >> 40)));
        add((uint64_t)bks_fixed64_of_double((double)b * 0.37));
        add_double(bks_fixed64_to_double(a));
    }
    end("fixed64");
}

#ifdef PLANT_SINF
#define SINF sinf
#else
#define SINF bks_sinf
#endif

void matrix_math(bool quick)
{
    step = quick ? QUICK_STEP : 1;
    whole = BEGIN;
    floats("sqrtf", bks_sqrtf);
    floats("cbrtf", bks_cbrtf);
    floats("floorf", bks_floorf);
    floats("ceilf", bks_ceilf);
    floats("truncf", bks_truncf);
    floats("roundf", bks_roundf);
    floats("rintf", bks_rintf);
    floats("sinf", SINF);
    floats("cosf", bks_cosf);
    floats("tanf", bks_tanf);
    floats("asinf", bks_asinf);
    floats("acosf", bks_acosf);
    floats("atanf", bks_atanf);
    floats("expf", bks_expf);
    floats("exp2f", bks_exp2f);
    floats("logf", bks_logf);
    floats("log2f", bks_log2f);
    pairs_of_floats("atan2f", bks_atan2f);
    pairs_of_floats("hypotf", bks_hypotf);
    pairs_of_floats("fmodf", bks_fmodf);
    pairs_of_floats("powf", bks_powf);
    doubles("sqrt", bks_sqrt);
    doubles("floor", bks_floor);
    doubles("ceil", bks_ceil);
    doubles("trunc", bks_trunc);
    doubles("round", bks_round);
    doubles("rint", bks_rint);
    doubles("sin", bks_sin);
    doubles("cos", bks_cos);
    doubles("exp", bks_exp);
    doubles("log", bks_log);
    pairs_of_doubles("atan2", bks_atan2);
    pairs_of_doubles("fmod", bks_fmod);
    pairs_of_doubles("pow", bks_pow);
    conversions();
    vectors();
    fixed();
    fixed64();
    matrix_print("all", whole);
}
