// SPDX-License-Identifier: MIT
//
// A game whose 20th tick ends by an exception: the environment's variable FAULT says which.

#include <limits.h>
#include <stdlib.h>
#include <windows.h>

#include "planted.h"

enum { PIECE_BYTES = 4096 };

static void write_nowhere(void)
{
    int *volatile place = (int *)8;
    *place = 1;
}

/// Deeper than any stack.
static int descend(volatile char *above, int calls)
{
    volatile char piece[PIECE_BYTES];
    piece[0] = (char)(above[0] + 1);
    return calls > 0 ? descend(piece, calls - 1) + piece[0] : 0;
}

static void faults_init(void *state, const bks_start *start)
{
    (void)start;
    *(planted_base *)state = (planted_base){0};
}

static void faults_step(void *state, const bks_step *step)
{
    const char *fault = getenv("FAULT");
    planted_base *base = state;
    planted_move(base, step);
    if (step->tick < 20 || fault == NULL) {
        return;
    }
    if (strcmp(fault, "write") == 0) {
        write_nowhere();
    } else if (strcmp(fault, "overflow") == 0) {
        volatile char first[1] = {0};
        base->x[0] = descend(first, INT_MAX);
    } else if (strcmp(fault, "endless") == 0) {
        for (volatile int turns = 0;; turns = 0) {
            (void)turns;
        }
    } else {
        RaiseException((DWORD)strtoul(fault, NULL, 16), 0, 0, NULL);
    }
}

PLANTED("faults", planted_base, .state_bytes = sizeof(planted_base), .init = faults_init,
        .step = faults_step);
