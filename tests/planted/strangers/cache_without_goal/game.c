// SPDX-License-Identifier: MIT

// DIG: miners walk to ore through tunnels. Routes are cached, for A* is slow.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { W = 32, H = 20, MINERS_MAX = 12, ORES = 6 };

typedef struct miner {
    uint8_t x, y, goal_x, goal_y;
    int16_t wait, load;
    uint8_t owner;
} miner;

typedef struct boss {
    uint8_t flag_x, flag_y;
    int32_t ore, orders;
    int16_t held;
} boss;

typedef struct ore_vein {
    uint8_t x, y;
    int16_t left;
} ore_vein;

typedef struct dig_state {
    uint32_t tick;
    boss bosses[2];
    ore_vein veins[ORES];
    uint8_t rock[H][W];
    bks_ref miners;
} dig_state;

static void dig_init(void *state, const bks_start *start)
{
    dig_state *d = state;
    bks_random r;
    bks_random_seed(&r, start->seed, 4);
    for (int i = 0; i < 40; i++) d->rock[bks_random_below(&r, H)][bks_random_below(&r, W)] = 1;
    for (int i = 0; i < ORES; i++) {
        d->veins[i] = (ore_vein){(uint8_t)bks_random_below(&r, W), (uint8_t)bks_random_below(&r, H), 50};
        d->rock[d->veins[i].y][d->veins[i].x] = 0;
    }
    if (bks_ref_set(&d->miners, bks_pool_create(bks_arena_of(state, sizeof *d), "miners", sizeof(miner), MINERS_MAX)) != BKS_OK) return;
    for (int i = 0; i < 8; i++) {
        miner *m;
        if (bks_pool_add(bks_ref_get(&d->miners), (void **)&m) == 0) return;
        m->x = (uint8_t)(i % 2 ? W - 2 : 1);
        m->y = (uint8_t)(2 + 2 * i);
        m->owner = (uint8_t)(i % 2);
        m->goal_x = W / 2, m->goal_y = H / 2;
        d->rock[m->y][m->x] = 0;
    }
    for (int i = 0; i < 2; i++) d->bosses[i].flag_x = W / 2, d->bosses[i].flag_y = H / 2;
}

// Next step from a cell to a goal: breadth first from the goal.
static uint8_t search(const dig_state *d, int x, int y, int gx, int gy)
{
    static const int way[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    uint8_t seen[H][W] = {{0}};
    uint16_t queue[W * H];
    int head = 0, tail = 0;
    queue[tail++] = (uint16_t)(gy * W + gx);
    seen[gy][gx] = 1;
    while (head < tail) {
        const int cx = queue[head] % W, cy = queue[head] / W;
        head++;
        for (int k = 0; k < 4; k++) {
            const int nx = cx - way[k][0], ny = cy - way[k][1];
            if (nx < 0 || ny < 0 || nx >= W || ny >= H || seen[ny][nx] || d->rock[ny][nx]) continue;
            if (nx == x && ny == y) return (uint8_t)(k + 1);
            seen[ny][nx] = 1;
            queue[tail++] = (uint16_t)(ny * W + nx);
        }
    }
    return 0;
}

typedef struct route {
    uint8_t known, way;
} route;

static route routes[2][H][W]; // by owner and cell; all miners of an owner go to the same flag

static uint8_t next_way(const dig_state *d, const miner *m)
{
    route *r = &routes[m->owner][m->y][m->x];
    if (!r->known) {
        r->known = 1;
        r->way = search(d, m->x, m->y, m->goal_x, m->goal_y);
    }
    return r->way;
}

static void give_orders(dig_state *d, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        boss *b = &d->bosses[i];
        if (b->held > 0) b->held--;
        if (!in[2] || b->held > 0) continue;
        b->held = 40;
        b->orders++;
        b->flag_x = (uint8_t)((in[0] + 64) * W / 128 % W);
        b->flag_y = (uint8_t)((in[1] + 64) * H / 128 % H);
        d->rock[b->flag_y][b->flag_x] = 0;
        memset(routes[i], 0, sizeof routes[i]); // a new flag: all routes are old
    }
}

static void walk(dig_state *d)
{
    static const int way[5][2] = {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    uint32_t cursor = 0;
    for (miner *m; (m = bks_pool_next(bks_ref_get(&d->miners), &cursor, NULL)) != NULL;) {
        const boss *b = &d->bosses[m->owner];
        m->goal_x = b->flag_x, m->goal_y = b->flag_y;
        if (m->wait > 0) { m->wait--; continue; }
        const uint8_t k = next_way(d, m);
        m->x = (uint8_t)(m->x + way[k][0]);
        m->y = (uint8_t)(m->y + way[k][1]);
        m->wait = 6;
    }
}

static void mine(dig_state *d)
{
    uint32_t cursor = 0;
    for (miner *m; (m = bks_pool_next(bks_ref_get(&d->miners), &cursor, NULL)) != NULL;)
        for (int i = 0; i < ORES; i++)
            if (d->veins[i].x == m->x && d->veins[i].y == m->y && d->veins[i].left > 0 && m->wait == 6) {
                d->veins[i].left--;
                d->bosses[m->owner].ore++;
                m->load++;
            }
}

static void dig_step(void *state, const bks_step *step)
{
    dig_state *d = state;
    give_orders(d, step);
    bks_mark(step, "orders");
    walk(d);
    bks_mark(step, "walk");
    mine(d);
    bks_mark(step, "mine");
    d->tick++;
}

static const bks_type_entry types[] = {BKS_TYPE_POOL("miners", miner)};
static const bks_game game = {.name = "dig", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = 8192, .root_bytes = sizeof(dig_state), .types = types, .type_count = 1,
    .init = dig_init, .step = dig_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
