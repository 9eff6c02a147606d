// SPDX-License-Identifier: MIT

// Conversion of a device's numbers to integers. The code runs once, on the machine with the device,
// and only its result is simulated, so floating point is safe here.

#include <math.h>

#include "backstitch/game.h"
#include "backstitch/toolkit/runner.h"
#include "base/report.h"

/// Longest deflection of an axis; a longer one is cut. The limit keeps the length of a stick's
/// vector finite, even if both axes are infinite.
#define DEFLECTION_MAX 1e6

static const double two_pi = 6.283185307179586476925;

/// Return a number as a double within -most..most, 0 for a NaN.
static double tame(float raw, double most)
{
    const double value = (double)raw;
    if (value != value) { // true for a NaN; isnan() of mingw-w64 causes a warning for a float
        return 0.0;
    }
    return value < -most ? -most : value > most ? most : value;
}

/// Round to the nearest whole number, half away from zero, within the field's range.
static int32_t round_into(const bks_field *field, double value)
{
    int32_t least = 0;
    int32_t greatest = 0;
    // bks_field_range() cannot fail, because the table of fields was checked.
    (void)bks_field_range(field, &least, &greatest);
    const double rounded = value < 0.0 ? -floor(0.5 - value) : floor(0.5 + value);
    if (rounded <= (double)least) {
        return least;
    }
    return rounded >= (double)greatest ? greatest : (int32_t)rounded;
}

/// Return the value of a field at full deflection of its axis or stick.
static double full_of(const bks_field *field)
{
    int32_t greatest = 0;
    (void)bks_field_range(field, NULL, &greatest);
    return field->limit > 0 ? (double)field->limit : (double)greatest;
}

/// Map the length of a deflection to 0..1: 0 within the dead zone, rising from 0 at its edge to 1
/// at full deflection.
static double beyond_dead_zone(double length, double dead_zone)
{
    if (length <= dead_zone) {
        return 0.0;
    }
    return length >= 1.0 ? 1.0 : (length - dead_zone) / (1.0 - dead_zone);
}

static int32_t quantise_axis(const bks_field *field, float raw)
{
    const double value = tame(raw, 1.0);
    const double length = beyond_dead_zone(fabs(value), (double)field->dead_zone);
    return round_into(field, (value < 0.0 ? -length : length) * full_of(field));
}

/// Convert a stick's x and y. The dead zone is a circle, and the limit is the unit circle.
static void quantise_stick(const bks_field *fields, const float *raw, int32_t *values)
{
    const double x = tame(raw[0], DEFLECTION_MAX);
    const double y = tame(raw[1], DEFLECTION_MAX);
    const double radius = sqrt(x * x + y * y);
    const double length = beyond_dead_zone(radius, (double)fields[0].dead_zone);
    const double scale = length > 0.0 ? length / radius : 0.0;
    values[0] = round_into(&fields[0], x * scale * full_of(&fields[0]));
    values[1] = round_into(&fields[1], y * scale * full_of(&fields[1]));
}

/// Convert a stick's angle and magnitude. Without magnitude the angle is neutral, so that noise of
/// a resting stick is never sent.
static void quantise_polar(const bks_field *fields, const float *raw, int32_t *values)
{
    const double x = tame(raw[0], DEFLECTION_MAX);
    const double y = tame(raw[1], DEFLECTION_MAX);
    const double length = beyond_dead_zone(sqrt(x * x + y * y), (double)fields[0].dead_zone);
    const double steps = (double)(UINT32_C(1) << fields[0].bits);
    int32_t magnitude_full = 0;
    (void)bks_field_range(&fields[1], NULL, &magnitude_full);
    values[0] = fields[0].neutral;
    values[1] = round_into(&fields[1], length * (double)magnitude_full);
    if (values[1] == 0) {
        return;
    }
    double angle = atan2(y, x);
    if (angle < 0.0) {
        angle += two_pi;
    }
    const double step = floor(0.5 + angle / two_pi * steps);
    values[0] = step >= steps ? 0 : (int32_t)step; // an angle that rounds to a full turn is angle 0
}

static void quantise(const bks_field *fields, uint32_t count, const float *raw, int32_t *values)
{
    for (uint32_t i = 0; i < count; i++) {
        switch (fields[i].kind) {
        case BKS_FIELD_AXIS:
            values[i] = quantise_axis(&fields[i], raw[i]);
            break;
        case BKS_FIELD_STICK_X:
            quantise_stick(&fields[i], &raw[i], &values[i]);
            break;
        case BKS_FIELD_ANGLE:
            quantise_polar(&fields[i], &raw[i], &values[i]);
            break;
        case BKS_FIELD_STICK_Y:
        case BKS_FIELD_MAGNITUDE:
            break; // second field of a pair: it was converted together with the first
        case BKS_FIELD_PLAIN:
        default:
            values[i] = round_into(&fields[i], tame(raw[i], 4294967296.0));
            break;
        }
    }
}

bks_status bks_input_quantise(const bks_field *fields, uint32_t count, const float *raw,
                              int32_t *values)
{
    static const char call[] = "bks_input_quantise";
    BKSI_REFUSE_NULL(NULL, fields);
    BKSI_REFUSE_NULL(NULL, raw);
    BKSI_REFUSE_NULL(NULL, values);
    bks_error error;
    if (bks_fields_check(fields, count, &error) != BKS_OK) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "fields", "fields is not valid: %s",
                         error.text);
    }
    quantise(fields, count, raw, values);
    return BKS_OK;
}
