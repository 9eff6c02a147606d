// SPDX-License-Identifier: MIT

// `draw` keeps a lock that a step waits for.

#include <pthread.h>

#include "planted.h"

typedef struct locked_state {
    planted_base base;
    int32_t shown;
} locked_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void locked_init(void *state, const bks_start *start)
{
    (void)start;
    ((locked_state *)state)->shown = 1;
}

static void locked_step(void *state, const bks_step *step)
{
    locked_state *locked = state;
    planted_move(&locked->base, step);
    (void)pthread_mutex_lock(&lock);
    locked->shown++;
    (void)pthread_mutex_unlock(&lock);
    bks_mark(step, "shown");
}

static void locked_draw(const bks_picture *picture, const bks_canvas *canvas)
{
    const locked_state *locked = picture->frame.state;
    (void)pthread_mutex_lock(&lock);
    canvas->clear(canvas->context, (uint32_t)locked->shown);
    if (locked->shown < 5) {
        (void)pthread_mutex_unlock(&lock);
    }
}

#undef PLANTED_DRAW
#define PLANTED_DRAW locked_draw

PLANTED("draw_locks", locked_state, .state_bytes = sizeof(locked_state), .init = locked_init,
        .step = locked_step);
