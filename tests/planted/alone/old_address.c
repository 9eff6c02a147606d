// SPDX-License-Identifier: MIT

// A local variable is read before it is written, where a function before it left addresses.

#include "planted.h"

enum { LEFT = 1024 };

typedef struct left_state {
    planted_base base;
    int32_t way;
} left_state;

static int32_t anywhere;

// Neither is to be seen through by the compiler.
__attribute__((noinline)) static void leave(void)
{
    int32_t *left[LEFT];
    for (int i = 0; i < LEFT; i++) {
        left[i] = &anywhere;
    }
    __asm__ volatile("" : : "r"(left) : "memory");
}

__attribute__((noinline)) static int32_t read_left(void)
{
    int32_t found[2 * LEFT];
    __asm__ volatile("" : : "r"(found) : "memory");
    return found[LEFT];
}

static void left_init(void *state, const bks_start *start)
{
    (void)start;
    ((left_state *)state)->way = 0;
}

static void left_step(void *state, const bks_step *step)
{
    left_state *left = state;
    planted_move(&left->base, step);
    leave();
    left->way = read_left();
    bks_mark(step, "way");
}

PLANTED("old_address", left_state, .state_bytes = sizeof(left_state), .init = left_init,
        .step = left_step);
