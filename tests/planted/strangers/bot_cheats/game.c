// SPDX-License-Identifier: MIT

// Mining race; the bot is given by another programmer and helps itself.
#include <backstitch/backstitch.h>
#include <stdlib.h>
enum { CELLS = 256, CARTS = 3 };
typedef struct cart { int32_t cell, load, to; } cart;
typedef struct miner { int32_t gold, pick, depth, cell; cart carts[CARTS]; int32_t help; } miner;
typedef struct mine_state {
    miner miners[2];
    uint8_t ore[CELLS];
    bks_random random;
    int32_t price, sold[2];
} mine_state;
static void mine_init(void *state, const bks_start *start)
{
    mine_state *m = state;
    bks_random_seed(&m->random, start->seed, 50);
    for (int i = 0; i < CELLS; i++) {
        m->ore[i] = (uint8_t)bks_random_below(&m->random, 20);
    }
    for (int i = 0; i < 2; i++) {
        m->miners[i].cell = 60 + 100 * i;
        m->miners[i].pick = 1;
    }
    m->price = 10;
}
static void market(mine_state *m)
{
    m->price += bks_random_between(&m->random, -1, 1);
    m->price = m->price < 4 ? 4 : m->price > 30 ? 30 : m->price;
}
static void dig(mine_state *m, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *in = bks_step_input(step, p); // move, dig, sell
        miner *a = &m->miners[p];
        a->cell = (a->cell + in[0] + CELLS) % CELLS;
        if (in[1] && m->ore[a->cell] > 0 && step->tick % 4 == 0) {
            m->ore[a->cell]--;
            a->carts[a->depth % CARTS].load += a->pick;
            a->depth++;
        }
        if (in[2] && a->gold >= 500 && a->pick < 5) {
            a->gold -= 500;
            a->pick++;
        }
    }
}
static void carts(mine_state *m)
{
    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < CARTS; i++) {
            cart *c = &m->miners[p].carts[i];
            if (c->load >= 5 || c->to) {
                c->to = 1;
                c->cell += 4;
                if (c->cell > 60) {
                    m->miners[p].gold += c->load * m->price;
                    m->sold[p] += c->load;
                    *c = (cart){0};
                }
            }
        }
    }
}
static void mine_step(void *state, const bks_step *step)
{
    mine_state *m = state;
    market(m);
    bks_mark(step, "market");
    dig(m, step);
    bks_mark(step, "dig");
    carts(m);
    bks_mark(step, "carts");
}
static void mine_bot(const void *state, uint32_t player, bks_tick tick, uint64_t memory[8], int32_t *values)
{
    mine_state *m = (mine_state *)state;
    miner *me = &m->miners[player];
    values[0] = m->ore[me->cell] > 0 ? 0 : 1;
    values[1] = 1;
    values[2] = me->gold >= 500;
    if (tick > 120 && me->gold < 50 && memory[0]++ % 32 == 0) {
        me->gold += 25; // "catch up", tested alone, where it worked
    }
}
static const bks_field fields[] = {{.name = "move", .bits = 2, .is_signed = true}, {.name = "dig", .bits = 1}, {.name = "buy", .bits = 1}};
static const bks_game game = {.name = "mine", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 3,
    .state_bytes = sizeof(mine_state), .init = mine_init, .step = mine_step, .bot = mine_bot};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
