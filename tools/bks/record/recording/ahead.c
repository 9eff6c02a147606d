// SPDX-License-Identifier: MIT

// A ring with the inputs of one tick in each row. The unpacking thread fills it block by block; the
// caller's thread frees half of it at a time. The ring is large because on a busy machine the
// unpacking thread may not run for long.

#include "record/recording/ahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/system.h"

enum {
    BLOCK_TICKS = 256, ///< ticks of a block; at the beginning the caller waits for one block
    RING_BYTES_MAX = 4 << 20,
};

struct ahead {
    const void *bytes; ///< bytes of the recording's file
    size_t count;
    int32_t *ring;       ///< values of all players' inputs: one row of the ring for each tick
    size_t stride;       ///< number of values in a row: players * fields
    bks_tick ring_ticks; ///< number of rows in the ring: a power of two, at least two blocks
    bks_tick first;
    bks_tick end;
    pthread_t thread;
    pthread_mutex_t lock; ///< protects filled_end, given_back, is_over and is_stopped
    pthread_cond_t moved;
    bks_tick filled_end; ///< one past the last tick whose inputs are in the ring
    bks_tick given_back; ///< first tick whose inputs the caller still needs
    bool is_over;        ///< true: no tick after filled_end follows in the ring
    bool is_stopped;
    bks_tick known_end; ///< copy of filled_end for the caller's thread, which needs no lock for it
};

bool ahead_helps(void)
{
    return system_processors() > 1;
}

static int32_t *row_of(const ahead *a, bks_tick tick)
{
    return a->ring + (size_t)(tick & (a->ring_ticks - 1)) * a->stride;
}

/// Wait until the ring has room for another block.
/// @return false: the thread must end
static bool wait_for_room(ahead *a, bks_tick begin)
{
    pthread_mutex_lock(&a->lock);
    while (!a->is_stopped && begin + BLOCK_TICKS - a->given_back > a->ring_ticks) {
        pthread_cond_wait(&a->moved, &a->lock);
    }
    const bool is_wanted = !a->is_stopped;
    pthread_mutex_unlock(&a->lock);
    return is_wanted;
}

static void publish_filled(ahead *a, bks_tick end, bool is_over)
{
    pthread_mutex_lock(&a->lock);
    a->filled_end = end;
    a->is_over = is_over;
    pthread_cond_signal(&a->moved);
    pthread_mutex_unlock(&a->lock);
}

static void *fill(void *context)
{
    ahead *a = context;
    bks_replay *replay = NULL;
    bool is_over = bks_replay_open(a->bytes, a->count, NULL, &replay, NULL) != BKS_OK;
    bks_tick tick = a->first;
    while (!is_over && wait_for_room(a, tick)) {
        const bks_tick left = a->end - tick;
        const bks_tick end = tick + (left < BLOCK_TICKS ? left : BLOCK_TICKS);
        while (tick < end && bks_replay_inputs(replay, tick, row_of(a, tick)) == BKS_OK) {
            tick++;
        }
        is_over = tick < end || tick == a->end;
        publish_filled(a, tick, false);
    }
    publish_filled(a, tick, true);
    bks_replay_close(replay);
    return NULL;
}

ahead *ahead_open(const void *bytes, const bks_recording *info, bks_tick end)
{
    ahead *a = calloc(1, sizeof(*a));
    if (a == NULL) {
        return NULL;
    }
    *a = (ahead){
        .bytes = bytes,
        .count = (size_t)info->bytes,
        .stride = (size_t)info->players * info->field_count,
        .first = info->first,
        .end = end,
        .filled_end = info->first,
        .given_back = info->first,
        .known_end = info->first,
    };
    const size_t row_bytes = a->stride * sizeof(int32_t);
    a->ring_ticks = 2 * BLOCK_TICKS;
    while ((size_t)a->ring_ticks * 2 * row_bytes <= RING_BYTES_MAX) {
        a->ring_ticks *= 2;
    }
    a->ring = malloc((size_t)a->ring_ticks * row_bytes);
    (void)pthread_mutex_init(&a->lock, NULL);
    (void)pthread_cond_init(&a->moved, NULL);
    if (a->ring == NULL || pthread_create(&a->thread, NULL, fill, a) != 0) {
        free(a->ring);
        free(a);
        return NULL;
    }
    return a;
}

/// Wait until a tick is in the ring or known to be missing. If the caller has used half of the
/// ring, free the rows of all ticks before this one.
static void wait_for_tick(ahead *a, bks_tick tick)
{
    pthread_mutex_lock(&a->lock);
    if (tick - a->given_back >= a->ring_ticks / 2) {
        a->given_back = tick;
        pthread_cond_signal(&a->moved);
    }
    while (a->filled_end <= tick && !a->is_over) {
        pthread_cond_wait(&a->moved, &a->lock);
    }
    a->known_end = a->filled_end;
    pthread_mutex_unlock(&a->lock);
}

const int32_t *ahead_inputs(ahead *a, bks_tick tick)
{
    if (tick >= a->known_end || (tick & (a->ring_ticks / 2 - 1)) == 0) {
        wait_for_tick(a, tick);
    }
    return tick < a->known_end ? row_of(a, tick) : NULL;
}

void ahead_close(ahead *a)
{
    if (a == NULL) {
        return;
    }
    pthread_mutex_lock(&a->lock);
    a->is_stopped = true;
    pthread_cond_signal(&a->moved);
    pthread_mutex_unlock(&a->lock);
    (void)pthread_join(a->thread, NULL);
    (void)pthread_cond_destroy(&a->moved);
    (void)pthread_mutex_destroy(&a->lock);
    free(a->ring);
    free(a);
}
