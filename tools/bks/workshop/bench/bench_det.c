// SPDX-License-Identifier: MIT

// What the library's mathematics costs beside the C library's.

#define _GNU_SOURCE

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "backstitch/det.h"
#include "backstitch/math.h"
#include "base/args.h"
#include "base/json.h"
#include "base/tool.h"
#include "workshop/bench/bench.h"

typedef struct det_timed {
    const char *name;
    const char *arguments; ///< the range they are drawn from, in words
    double own_ns;         ///< a call
    double libm_ns;        ///< likewise
    double goal;           ///< of own_ns, in libm_ns; 0 for a path that is known to be slow
} det_timed;

#define INPUTS 4096
#define ROUNDS 200

typedef struct range {
    const char *text;
    double low;
    double high;
} range;

typedef struct timed {
    const char *name;
    float (*own)(float);
    float (*libm)(float);
    float (*own2)(float, float);
    float (*libm2)(float, float);
    double (*own_double)(double);
    double (*libm_double)(double);
    double (*own_double2)(double, double);
    double (*libm_double2)(double, double);
    range x;
    range y;
    double goal;
} timed;

#define TEN                \
    {                      \
        "-10..10", -10, 10 \
    }
#define UNIT           \
    {                  \
        "-1..1", -1, 1 \
    }
#define ABOVE          \
    {                  \
        "0..10", 0, 10 \
    }
#define MANY                       \
    {                              \
        "-1000..1000", -1000, 1000 \
    }
#define HUGE_X                 \
    {                          \
        "1e8..1e30", 1e8, 1e30 \
    }

#define FLOAT(f, arguments)                                                \
    {                                                                      \
        .name = #f, .own = bks_##f, .libm = f, .x = arguments, .goal = 1.5 \
    }
#define FLOAT2(f, first, second, most)                                                 \
    {                                                                                  \
        .name = #f, .own2 = bks_##f, .libm2 = f, .x = first, .y = second, .goal = most \
    }
#define DOUBLE(f, arguments)                                                           \
    {                                                                                  \
        .name = #f, .own_double = bks_##f, .libm_double = f, .x = arguments, .goal = 2 \
    }
#define DOUBLE2(f, first, second)                                                                 \
    {                                                                                             \
        .name = #f, .own_double2 = bks_##f, .libm_double2 = f, .x = first, .y = second, .goal = 2 \
    }

static const timed functions[] = {
    FLOAT(sqrtf, ABOVE),
    FLOAT(cbrtf, TEN),
    FLOAT(floorf, MANY),
    FLOAT(ceilf, MANY),
    FLOAT(truncf, MANY),
    FLOAT(roundf, MANY),
    FLOAT(rintf, MANY),
    FLOAT(sinf, TEN),
    FLOAT(cosf, TEN),
    FLOAT(tanf, TEN),
    FLOAT(asinf, UNIT),
    FLOAT(acosf, UNIT),
    FLOAT(atanf, TEN),
    FLOAT(expf, TEN),
    FLOAT(exp2f, TEN),
    FLOAT(logf, ABOVE),
    FLOAT(log2f, ABOVE),
    FLOAT2(atan2f, TEN, TEN, 1.5),
    FLOAT2(hypotf, TEN, TEN, 1.5),
    FLOAT2(fmodf, MANY, ABOVE, 1.5),
    FLOAT2(powf, ABOVE, TEN, 2.5),
    DOUBLE(sqrt, ABOVE),
    DOUBLE(floor, MANY),
    DOUBLE(ceil, MANY),
    DOUBLE(trunc, MANY),
    DOUBLE(round, MANY),
    DOUBLE(rint, MANY),
    DOUBLE(sin, TEN),
    DOUBLE(cos, TEN),
    DOUBLE(exp, TEN),
    DOUBLE(log, ABOVE),
    DOUBLE2(atan2, TEN, TEN),
    DOUBLE2(fmod, MANY, ABOVE),
    DOUBLE2(pow, ABOVE, TEN),
    // Without a goal: glibc has a path for angles below a quarter turn, and shorter tables for
    // large ones.
    {.name = "sinf", .own = bks_sinf, .libm = sinf, .x = {"-0.7..0.7", -0.7, 0.7}},
    {.name = "sinf", .own = bks_sinf, .libm = sinf, .x = HUGE_X},
    {.name = "sin", .own_double = bks_sin, .libm_double = sin, .x = HUGE_X},
};

static double xs[INPUTS], ys[INPUTS];
static float float_xs[INPUTS], float_ys[INPUTS];
static volatile double sink; // or the calls could be left out

/// Processor time: others are at work on the machine too.
static double now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void draw(const range *from, double numbers[INPUTS], float floats[INPUTS], uint64_t stream)
{
    bks_random random;
    bks_random_seed(&random, 1, stream);
    for (int i = 0; i < INPUTS; i++) {
        numbers[i] = from->low + (from->high - from->low) * (bks_random_next(&random) * 0x1p-32);
        floats[i] = (float)numbers[i];
    }
}

static double time_float(float (*f)(float))
{
    const double begun_ns = now_ns();
    float sum = 0.0f;
    for (int i = 0; i < INPUTS; i++) {
        sum += f(float_xs[i]);
    }
    sink = sum;
    return now_ns() - begun_ns;
}

static double time_float2(float (*f)(float, float))
{
    const double begun_ns = now_ns();
    float sum = 0.0f;
    for (int i = 0; i < INPUTS; i++) {
        sum += f(float_xs[i], float_ys[i]);
    }
    sink = sum;
    return now_ns() - begun_ns;
}

static double time_double(double (*f)(double))
{
    const double begun_ns = now_ns();
    double sum = 0.0;
    for (int i = 0; i < INPUTS; i++) {
        sum += f(xs[i]);
    }
    sink = sum;
    return now_ns() - begun_ns;
}

static double time_double2(double (*f)(double, double))
{
    const double begun_ns = now_ns();
    double sum = 0.0;
    for (int i = 0; i < INPUTS; i++) {
        sum += f(xs[i], ys[i]);
    }
    sink = sum;
    return now_ns() - begun_ns;
}

static double time_one(const timed *f, bool is_own)
{
    if (f->own != NULL) {
        return time_float(is_own ? f->own : f->libm);
    }
    if (f->own2 != NULL) {
        return time_float2(is_own ? f->own2 : f->libm2);
    }
    if (f->own_double != NULL) {
        return time_double(is_own ? f->own_double : f->libm_double);
    }
    return time_double2(is_own ? f->own_double2 : f->libm_double2);
}

static uint32_t det_timed_count(void)
{
    return sizeof(functions) / sizeof(functions[0]);
}

/// Takes about 50 ms.
/// @param index  below det_timed_count()
static det_timed det_time(uint32_t index)
{
    const timed *f = &functions[index];
    draw(&f->x, xs, float_xs, 1);
    draw(&f->y, ys, float_ys, 2);
    // The least of many rounds, in turn: what else the machine does only adds.
    double least[2] = {HUGE_VAL, HUGE_VAL};
    for (int round = 0; round < ROUNDS; round++) {
        for (int is_own = 0; is_own < 2; is_own++) {
            least[is_own] = fmin(least[is_own], time_one(f, is_own != 0));
        }
    }
    return (det_timed){f->name, f->x.text, least[1] / INPUTS, least[0] / INPUTS, f->goal};
}

static void print_timed(const det_timed *row)
{
    const double times = row->own_ns / row->libm_ns;
    printf("  %-8s %-14s %7.2f %7.2f %6.2f", row->name, row->arguments, row->own_ns, row->libm_ns,
           times);
    if (row->goal > 0) {
        printf("   %.1f%s\n", row->goal, times > row->goal ? "  missed" : "");
    } else {
        printf("   none\n");
    }
}

static void json_timed(json *out, const det_timed *row)
{
    json_object(out, NULL);
    json_text(out, "name", row->name);
    json_text(out, "arguments", row->arguments);
    json_number(out, "own_ns", row->own_ns, 2);
    json_number(out, "libm_ns", row->libm_ns, 2);
    json_number(out, "goal", row->goal, 1);
    json_close(out);
}

static int measure(bool is_json)
{
    json out;
    if (is_json) {
        json_begin(&out, stdout);
        json_text(&out, "bench", "det");
        json_array(&out, "functions");
    } else {
        printf("  function arguments       own ns libm ns  times   goal\n");
    }
    progress bar;
    progress_begin(&bar, "det", det_timed_count());
    for (uint32_t i = 0; i < det_timed_count(); i++) {
        progress_show(&bar, i);
        const det_timed row = det_time(i);
        progress_end(&bar); // wipes it away; the next progress_show() draws it again
        if (is_json) {
            json_timed(&out, &row);
        } else {
            print_timed(&row);
        }
    }
    if (is_json) {
        json_close(&out);
        return json_end(&out) ? TOOL_OK : TOOL_DAMAGED;
    }
    return TOOL_OK;
}

int bench_det(int argc, char **argv)
{
    bool is_json = false;
    const args_option options[] = {
        ARGS_JSON(&is_json),
    };
    const args_spec spec = {
        .command = "bench det",
        .usage = "[options]",
        .about =
            "Print how long a call of each function of the library's mathematics takes, and one\n"
            "of the C library's of the same name, in ns of processor time: the least mean of\n"
            "200 rounds over 4096 arguments.",
        ARGS_OPTIONS(options),
    };
    const int status = args_parse(&spec, argc, argv);
    return status == ARGS_GO ? measure(is_json) : status;
}
