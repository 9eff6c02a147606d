// SPDX-License-Identifier: MIT

// Measures how much the library's mathematics cost, compared with the C library's.

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "backstitch/det.h"
#include "backstitch/math.h"
#include "base/args.h"
#include "base/json.h"
#include "base/tool.h"
#include "workshop/bench/bench.h"

typedef struct det_timed {
    const char *name;
    const char *arguments; ///< range of the arguments, as text
    double own_ns;         ///< time of one call of the library's function, in ns
    double libm_ns;        ///< time of one call of the C library's function, in ns
    /// Goal: greatest ratio own_ns / libm_ns. 0: no goal, because this range of arguments is known
    /// to be slow.
    double goal;
} det_timed;

#define INPUTS 4096
#define ROUNDS 200

static const struct {
    const char *text;
    double low;
    double high;
} ranges[] = {{"-10..10", -10, 10},         {"-1..1", -1, 1},         {"0..10", 0, 10},
              {"-1000..1000", -1000, 1000}, {"1e8..1e30", 1e8, 1e30}, {"-0.7..0.7", -0.7, 0.7}};

enum { TEN, UNIT, ABOVE, MANY, LARGE, SMALL };

/// A function of the library (index 0) and its counterpart in the C library (index 1). Of the
/// pointers, only those with the type of the two functions are not NULL.
typedef struct timed {
    const char *name;
    float (*float1[2])(float);
    float (*float2[2])(float, float);
    double (*double1[2])(double);
    double (*double2[2])(double, double);
    uint32_t x; ///< index of the range of the first argument
    uint32_t y; ///< index of the range of the second argument
    double goal;
} timed;

#define FUNCTION(kind, f, first, second, most)                                         \
    {                                                                                  \
        .name = #f, .kind = {bks_##f, f}, .x = (first), .y = (second), .goal = (most), \
    }
#define FLOAT(f, x)      FUNCTION(float1, f, x, x, 1.5)
#define DOUBLE(f, x)     FUNCTION(double1, f, x, x, 2)
#define DOUBLE2(f, x, y) FUNCTION(double2, f, x, y, 2)

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
    FUNCTION(float2, atan2f, TEN, TEN, 1.5),
    FUNCTION(float2, hypotf, TEN, TEN, 1.5),
    FUNCTION(float2, fmodf, MANY, ABOVE, 1.5),
    FUNCTION(float2, powf, ABOVE, TEN, 2.5),
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
    // Set no goal for sines of small and large angles, which glibc computes faster: it has code of
    // its own for angles below a quarter turn, and shorter tables for large ones.
    FUNCTION(float1, sinf, SMALL, SMALL, 0),
    FUNCTION(float1, sinf, LARGE, LARGE, 0),
    FUNCTION(double1, sin, LARGE, LARGE, 0),
};

static double xs[INPUTS], ys[INPUTS];
static float float_xs[INPUTS], float_ys[INPUTS];
// Results are written here, because otherwise the compiler could leave out the calls.
static volatile double sink;

static void draw(uint32_t range, double numbers[INPUTS], float floats[INPUTS], uint64_t stream)
{
    bks_random random;
    bks_random_seed(&random, 1, stream);
    for (int i = 0; i < INPUTS; i++) {
        numbers[i] = ranges[range].low + (ranges[range].high - ranges[range].low) *
                                             (bks_random_next(&random) * 0x1p-32);
        floats[i] = (float)numbers[i];
    }
}

#define CALL_FOR_ALL(type, call)           \
    do {                                   \
        type sum = 0;                      \
        for (int i = 0; i < INPUTS; i++) { \
            sum += call;                   \
        }                                  \
        sink = sum;                        \
    } while (0)

/// Return the time of one call of a function, in ns.
/// @param which  0: the library's function, 1: the C library's
static double time_one(const timed *f, int which)
{
    const double begun_ns = bench_cpu_ns();
    if (f->float1[which] != NULL) {
        CALL_FOR_ALL(float, f->float1[which](float_xs[i]));
    } else if (f->float2[which] != NULL) {
        CALL_FOR_ALL(float, f->float2[which](float_xs[i], float_ys[i]));
    } else if (f->double1[which] != NULL) {
        CALL_FOR_ALL(double, f->double1[which](xs[i]));
    } else {
        CALL_FOR_ALL(double, f->double2[which](xs[i], ys[i]));
    }
    return bench_cpu_ns() - begun_ns;
}

/// Time a function and its counterpart. Takes about 50 ms.
/// @param index  below ARGS_COUNT(functions)
static det_timed det_time(uint32_t index)
{
    const timed *f = &functions[index];
    draw(f->x, xs, float_xs, 1);
    draw(f->y, ys, float_ys, 2);
    // Take the least time of many rounds, because other load of the machine only adds time.
    double least[2] = {HUGE_VAL, HUGE_VAL};
    for (int round = 0; round < ROUNDS; round++) {
        for (int which = 1; which >= 0; which--) {
            least[which] = fmin(least[which], time_one(f, which));
        }
    }
    return (det_timed){f->name, ranges[f->x].text, least[0] / INPUTS, least[1] / INPUTS, f->goal};
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
    progress_begin(&bar, "det", ARGS_COUNT(functions));
    for (uint32_t i = 0; i < ARGS_COUNT(functions); i++) {
        progress_show(&bar, i);
        const det_timed row = det_time(i);
        progress_end(&bar); // remove the progress bar until the next progress_show()
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
