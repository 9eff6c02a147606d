// SPDX-License-Identifier: MIT

#include "borrowed.h"

#include <math.h>
#include <string.h>

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

// The C library's forms of a function differ in the last bit of some of these values.
uint32_t borrowed_turn(void)
{
    uint64_t turned = 0;
    for (int32_t i = 1; i < 5000; i++) {
        turned = turned * 31 + bits_of(sin(i * 0.01));
        turned = turned * 31 + bits_of(exp(i * 0.001));
        turned = turned * 31 + bits_of(pow(i * 0.1, 1.3));
    }
    return (uint32_t)(turned ^ turned >> 32);
}
