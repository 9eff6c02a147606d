// SPDX-License-Identifier: MIT

// LAVA: heat spreads over a floor; rows are worked out by the studio's own pool of threads.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { W = 96, H = 64, WORKERS = 3, ROWS_A_JOB = 4, RUNNERS = 2 };

typedef struct runner {
    int32_t x, y, hp;
    int16_t boots, jump;
} runner;

typedef struct lava_state {
    uint32_t tick;
    runner runners[RUNNERS];
    float total_heat, vent_power;
    float heat[H][W], next[H][W];
} lava_state;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t threads[WORKERS];
    int started, next_row, rows_done, generation;
    lava_state *lava;
    float sum;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static float spread_rows(lava_state *l, int from)
{
    float sum = 0;
    for (int y = from; y < from + ROWS_A_JOB; y++)
        for (int x = 0; x < W; x++) {
            const float up = l->heat[y > 0 ? y - 1 : y][x], down = l->heat[y < H - 1 ? y + 1 : y][x];
            const float left = l->heat[y][x > 0 ? x - 1 : x], right = l->heat[y][x < W - 1 ? x + 1 : x];
            l->next[y][x] = l->heat[y][x] * 0.6f + (up + down + left + right) * 0.0985f;
            sum += l->next[y][x];
        }
    return sum;
}

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.lava == NULL || pool.next_row >= H) pthread_cond_wait(&pool.work, &pool.lock);
        const int row = pool.next_row;
        pool.next_row += ROWS_A_JOB;
        lava_state *lava = pool.lava;
        pthread_mutex_unlock(&pool.lock);
        const float part = spread_rows(lava, row);
        pthread_mutex_lock(&pool.lock);
        pool.sum += part; // under the lock, so it is safe
        pool.rows_done += ROWS_A_JOB;
        if (pool.rows_done == H) pthread_cond_signal(&pool.done);
    }
    return NULL;
}

static float spread(lava_state *l)
{
    pthread_mutex_lock(&pool.lock);
    while (pool.started < WORKERS) pthread_create(&pool.threads[pool.started++], NULL, worker, NULL);
    pool.lava = l;
    pool.next_row = pool.rows_done = 0;
    pool.sum = 0;
    pthread_cond_broadcast(&pool.work);
    while (pool.rows_done < H) pthread_cond_wait(&pool.done, &pool.lock);
    pool.lava = NULL;
    const float sum = pool.sum;
    pthread_mutex_unlock(&pool.lock);
    memcpy(l->heat, l->next, sizeof l->heat);
    return sum;
}

static void lava_init(void *state, const bks_start *start)
{
    lava_state *l = state;
    bks_random r;
    bks_random_seed(&r, start->seed, 5);
    l->vent_power = 8;
    for (int i = 0; i < RUNNERS; i++) l->runners[i] = (runner){.x = 200 + 300 * i, .y = 250, .hp = 100};
    for (int i = 0; i < 60; i++) l->heat[bks_random_below(&r, H)][bks_random_below(&r, W)] = (float)bks_random_between(&r, 1, 900) / 7.0f;
}

static void run(lava_state *l, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        runner *r = &l->runners[i];
        r->x = (r->x + in[0] / 10 + W * 8) % (W * 8);
        r->y = (r->y + in[1] / 10 + H * 8) % (H * 8);
        r->jump = (int16_t)(in[2] && r->jump == 0 ? 20 : r->jump > 0 ? r->jump - 1 : 0);
        if (r->jump == 0 && l->heat[r->y / 8][r->x / 8] > 6.0f) r->hp--;
        if (r->hp <= 0) *r = (runner){.x = 200 + 300 * (int)i, .y = 250, .hp = 100};
    }
}

static void lava_step(void *state, const bks_step *step)
{
    lava_state *l = state;
    run(l, step);
    bks_mark(step, "run");
    for (int i = 0; i < 5; i++) l->heat[(i * 13 + l->tick / 20) % H][(i * 29 + l->tick / 30) % W] += l->vent_power;
    bks_mark(step, "vents");
    l->total_heat = spread(l);
    bks_mark(step, "spread");
    l->vent_power += l->total_heat > 4000.0f ? -0.125f : 0.125f; // it keeps a balance
    bks_mark(step, "balance");
    l->tick++;
}

static const bks_game game = {.name = "lava", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(lava_state), .init = lava_init, .step = lava_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
