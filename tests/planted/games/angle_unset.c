// SPDX-License-Identifier: MIT

// A struct on the stack is filled in one branch only. What it holds otherwise is what earlier calls
// left there, which rollbacks change.

#include "planted.h"

typedef struct strike {
    int32_t power;
    int32_t angle;
} strike;

typedef struct angle_state {
    planted_base base;
    int32_t dizzy;
} angle_state;

static void angle_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

// Not to be seen through by the compiler, which would warn.
__attribute__((noinline)) static void hit(strike *out, bool has_angle)
{
    __asm__ volatile("" : : "r"(out) : "memory");
    out->power = 6;
    if (has_angle) {
        out->angle = 0;
    }
}

__attribute__((noinline)) static int32_t dig(bool has_angle)
{
    strike s;
    hit(&s, has_angle);
    return (s.angle & 4) != 0 ? 10 : 0;
}

static void angle_step(void *state, const bks_step *step)
{
    angle_state *angle = state;
    angle->dizzy += dig(step->tick < 20);
    planted_move(&angle->base, step);
    bks_mark(step, "dig");
}

PLANTED("angle_unset", angle_state, .state_bytes = sizeof(angle_state), .init = angle_init,
        .step = angle_step);
