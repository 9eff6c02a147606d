// SPDX-License-Identifier: MIT

#include "screen/overlay/figure_number.h"

#include <math.h>
#include <stdio.h>

void figure_number(char out[32], float value, int digits_max)
{
    const float amount = fabsf(value);
    int digits = amount >= 99.95F || amount < 0.0005F ? 0
                 : amount >= 9.995F                   ? 1
                 : amount >= 0.0095F                  ? 2
                                                      : 3;
    digits = digits < digits_max || amount < 0.095F ? digits : digits_max; // no 0.0 of something
    const double number = (double)value + 0.0;                             // no minus before a zero
    snprintf(out, 32, amount < 999999.5F ? "%.*f" : "%.*e", digits, number);
}
