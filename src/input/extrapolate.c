// SPDX-License-Identifier: MIT

// A guess continues in a straight line. `linear` follows the last two samples. `spline` follows the
// end of the natural cubic spline through the last four, where the curvature is zero [INVERSUS,
// Input Prediction: "a spline from the recent history of thrust vectors"].
//
// Polar pairs are turned into vectors and back by CORDIC, which needs only additions and shifts.

#include "input/extrapolate.h"

#include "backstitch/toolkit/runner.h"

/// Denominator of slopes: the slope of a natural spline through four points is a multiple of 1/15.
#define SLOPE_PARTS 15

/// Number of fraction bits in the coordinates of vectors made from angle and magnitude.
#define POLAR_BITS 8

#define CORDIC_STEPS 24

typedef struct vector {
    int64_t x;
    int64_t y;
} vector;

/// Arc tangents of 2^-i, in units of 1/2^32 of a full turn.
static const uint32_t cordic_angle[CORDIC_STEPS] = {
    0x20000000, 0x12E4051E, 0x09FB385B, 0x051111D4, 0x028B0D43, 0x0145D7E1, 0x00A2F61E, 0x00517C55,
    0x0028BE53, 0x00145F2F, 0x000A2F98, 0x000517CC, 0x00028BE6, 0x000145F3, 0x0000A2FA, 0x0000517D,
    0x000028BE, 0x0000145F, 0x00000A30, 0x00000518, 0x0000028C, 0x00000146, 0x000000A3, 0x00000051};

/// Factor in 1/2^30 that undoes the growth of a vector by 1.6468 when CORDIC rotates it.
#define CORDIC_SHRINK INT64_C(0x26DD3B6A)

static int64_t absolute(int64_t value)
{
    return value < 0 ? -value : value;
}

/// Divide, rounding half away from zero.
static int64_t divide_rounded(int64_t value, int64_t by)
{
    return value < 0 ? -((-value + by / 2) / by) : (value + by / 2) / by;
}

/// Return the largest whole number whose square is not above the value.
static int64_t square_root(uint64_t value)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit >>= 1) {
        if ((root | bit) * (root | bit) <= value) {
            root |= bit;
        }
    }
    return (int64_t)root;
}

static vector rotate(int64_t length, uint32_t angle)
{
    // CORDIC rotates by little more than a quarter turn each way, so begin at angle 0 or at half a
    // turn, whichever is nearer.
    const bool is_behind = angle >= UINT32_C(0x40000000) && angle < UINT32_C(0xC0000000);
    vector at = {is_behind ? -length : length, 0};
    int32_t left = (int32_t)(angle - (is_behind ? UINT32_C(0x80000000) : 0));
    for (uint32_t i = 0; i < CORDIC_STEPS; i++) {
        const int64_t sign = left < 0 ? -1 : 1;
        const int64_t part = INT64_C(1) << i;
        at = (vector){at.x - sign * (at.y / part), at.y + sign * (at.x / part)};
        left -= (int32_t)(sign * (int64_t)cordic_angle[i]);
    }
    return (vector){at.x * CORDIC_SHRINK >> 30, at.y * CORDIC_SHRINK >> 30};
}

static uint32_t angle_of(vector at)
{
    uint32_t angle = 0;
    if (at.x < 0) {
        at = (vector){-at.x, -at.y};
        angle = UINT32_C(0x80000000);
    }
    for (uint32_t i = 0; i < CORDIC_STEPS; i++) {
        const int64_t sign = at.y < 0 ? 1 : -1;
        const int64_t part = INT64_C(1) << i;
        at = (vector){at.x - sign * (at.y / part), at.y + sign * (at.x / part)};
        angle -= (uint32_t)(sign * (int64_t)cordic_angle[i]);
    }
    return angle;
}

static int64_t length_of(vector at)
{
    return square_root((uint64_t)(at.x * at.x) + (uint64_t)(at.y * at.y));
}

static int64_t full_of(const bks_field *field)
{
    int32_t greatest = 0;
    // bks_field_range() cannot fail, because the table of fields was checked.
    (void)bks_field_range(field, NULL, &greatest);
    return field->limit > 0 ? field->limit : greatest;
}

/// Return how far a coordinate moves in a tick, in units of 1 / SLOPE_PARTS.
static int64_t slope_of(bks_predictor predictor, const int64_t *at, uint32_t count)
{
    const int64_t last = at[0] - at[1];
    if (predictor != BKS_PREDICT_SPLINE || count < 4) {
        return SLOPE_PARTS * last;
    }
    // Natural spline y(0..3): y'(3) = y3 - y2 + (4 (y1 - 2 y2 + y3) - (y0 - 2 y1 + y2)) / 15.
    const int64_t bend = at[0] - 2 * at[1] + at[2];
    const int64_t bend_before = at[1] - 2 * at[2] + at[3];
    return SLOPE_PARTS * last + 4 * bend - bend_before;
}

static int64_t go_on(bks_predictor predictor, const int64_t *at, uint32_t count, uint32_t steps)
{
    return at[0] + divide_rounded(slope_of(predictor, at, count) * (int64_t)steps, SLOPE_PARTS);
}

static int64_t clamp(int64_t value, int64_t least, int64_t greatest)
{
    return value < least ? least : value > greatest ? greatest : value;
}

/// Return the longest deflection that a guess may have: the full one, or the newest sample's if
/// that is longer.
static int64_t reach_of(const bks_field *field, int64_t newest)
{
    const int64_t full = full_of(field);
    return absolute(newest) > full ? absolute(newest) : full;
}

static int32_t into_range(const bks_field *field, int64_t value)
{
    int32_t least = 0;
    int32_t greatest = 0;
    // bks_field_range() cannot fail, because the table of fields was checked.
    (void)bks_field_range(field, &least, &greatest);
    return (int32_t)clamp(value, least, greatest);
}

static void guess_axis(const bks_field *field, const vector *at, uint32_t count, uint32_t steps,
                       int32_t *guess)
{
    int64_t x[BKSI_SAMPLES_MAX] = {0};
    for (uint32_t i = 0; i < count; i++) {
        x[i] = at[i].x;
    }
    const int64_t reach = reach_of(field, x[0]);
    *guess = into_range(field, clamp(go_on(field->predictor, x, count, steps), -reach, reach));
}

/// Guess the vector `steps` ticks after the newest sample, at most `reach` long.
static vector guess_vector(bks_predictor predictor, const vector *at, uint32_t count,
                           uint32_t steps, int64_t reach)
{
    int64_t x[BKSI_SAMPLES_MAX] = {0};
    int64_t y[BKSI_SAMPLES_MAX] = {0};
    for (uint32_t i = 0; i < count; i++) {
        x[i] = at[i].x;
        y[i] = at[i].y;
    }
    vector to = {go_on(predictor, x, count, steps), go_on(predictor, y, count, steps)};
    // Shorten both coordinates alike if they are very large, so that their squares fit 64 bits.
    while (absolute(to.x) > INT32_MAX || absolute(to.y) > INT32_MAX) {
        to = (vector){to.x / 2, to.y / 2};
    }
    const int64_t length = length_of(to);
    if (length > reach) {
        to = (vector){to.x * reach / length, to.y * reach / length};
    }
    return to;
}

static void guess_polar(const bks_field *fields, const int32_t (*samples)[2], uint32_t count,
                        uint32_t steps, int32_t guess[2])
{
    const uint32_t angle_bits = fields[0].bits;
    const uint32_t shift = fields[1].bits + POLAR_BITS > 30 ? 0 : POLAR_BITS;
    vector at[BKSI_SAMPLES_MAX];
    for (uint32_t i = 0; i < count; i++) {
        at[i] =
            rotate((int64_t)samples[i][1] << shift, (uint32_t)samples[i][0] << (32 - angle_bits));
    }
    const int64_t reach = reach_of(&fields[1], samples[0][1]);
    const vector to = guess_vector(fields[0].predictor, at, count, steps, reach << shift);
    const int64_t length = (length_of(to) + (shift > 0 ? 1 << (shift - 1) : 0)) >> shift;
    guess[1] = into_range(&fields[1], length);
    if (guess[1] == 0) {
        return; // at magnitude 0 any angle is possible, so keep the newest one
    }
    const uint32_t half_step = UINT32_C(1) << (31 - angle_bits);
    guess[0] = (int32_t)((angle_of(to) + half_step) >> (32 - angle_bits));
}

void bksi_extrapolate(const bks_field *fields, const int32_t (*samples)[2], uint32_t count,
                      uint32_t steps, int32_t guess[2])
{
    const bool is_pair = fields[0].kind != BKS_FIELD_AXIS;
    guess[0] = samples[0][0];
    guess[1] = is_pair ? samples[0][1] : 0;
    if (count < 2 ||
        (samples[0][0] == samples[1][0] && (!is_pair || samples[0][1] == samples[1][1]))) {
        return;
    }
    if (fields[0].kind == BKS_FIELD_ANGLE) {
        guess_polar(fields, samples, count, steps, guess);
        return;
    }
    vector at[BKSI_SAMPLES_MAX];
    for (uint32_t i = 0; i < count; i++) {
        at[i] = (vector){samples[i][0], is_pair ? samples[i][1] : 0};
    }
    if (!is_pair) {
        guess_axis(&fields[0], at, count, steps, guess);
        return;
    }
    // The axes of a stick may have different limits; the radius of the circle is the larger limit.
    const int64_t reach_x = full_of(&fields[0]);
    const int64_t reach_y = full_of(&fields[1]);
    const int64_t newest = length_of(at[0]);
    int64_t reach = reach_x > reach_y ? reach_x : reach_y;
    reach = newest > reach ? newest : reach;
    const vector to = guess_vector(fields[0].predictor, at, count, steps, reach);
    guess[0] = into_range(&fields[0], to.x);
    guess[1] = into_range(&fields[1], to.y);
}
