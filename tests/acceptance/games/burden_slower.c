// SPDX-License-Identifier: MIT

// The game `burden` with a tenth more work in its step.

#define BURDEN_IDLE 10
#include "burden.c"
