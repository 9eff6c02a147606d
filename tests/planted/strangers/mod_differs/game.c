// SPDX-License-Identifier: MIT

// HORDE: waves of monsters; their stats and the damage rule come from a Lua mod.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { MONSTERS = 40, GUARDS = 2 };

typedef struct guard {
    int32_t x, y, hp, kills;
    int16_t reload;
    uint8_t level;
} guard;

typedef struct monster {
    int32_t x, y, hp, armour;
    bks_id target_unused;
    uint8_t kind, angry;
} monster;

typedef struct horde_state {
    uint32_t tick, wave;
    guard guards[GUARDS];
    bks_random random;
    bks_ref monsters;
} horde_state;

static lua_State *mod; // read only: functions of the mod, no variables

static int call_mod(const char *function, int a, int b)
{
    lua_getglobal(mod, function);
    lua_pushinteger(mod, a);
    lua_pushinteger(mod, b);
    if (lua_pcall(mod, 2, 1, 0) != LUA_OK) {
        lua_pop(mod, 1);
        return 0;
    }
    const int result = (int)lua_tointeger(mod, -1);
    lua_pop(mod, 1);
    return result;
}

static void load_mod(void)
{
    if (mod != NULL) return;
    mod = luaL_newstate();
    luaL_requiref(mod, "math", luaopen_math, 1);
    lua_pop(mod, 1);
    if (luaL_dofile(mod, "units.lua")) lua_pop(mod, 1);
}

static void horde_init(void *state, const bks_start *start)
{
    horde_state *h = state;
    load_mod();
    bks_random_seed(&h->random, start->seed, 9);
    if (bks_ref_set(&h->monsters, bks_pool_create(bks_arena_of(state, sizeof *h), "monsters", sizeof(monster), MONSTERS)) != BKS_OK) return;
    for (int i = 0; i < GUARDS; i++) h->guards[i] = (guard){.x = 200 + 200 * i, .y = 300, .hp = 200, .level = 1};
}

static void spawn(horde_state *h)
{
    if (h->tick % 90 != 60) return;
    h->wave++;
    for (uint32_t n = 0; n < 1 + h->wave % 4; n++) {
        monster *m;
        if (bks_pool_add(bks_ref_get(&h->monsters), (void **)&m) == 0) return;
        m->kind = (uint8_t)bks_random_below(&h->random, 3);
        m->x = bks_random_between(&h->random, 0, 600);
        m->hp = call_mod("monster_hp", m->kind, (int)h->wave);
        m->armour = call_mod("monster_armour", m->kind, (int)h->wave);
    }
}

static void walk(horde_state *h, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        h->guards[i].x = (h->guards[i].x + in[0] / 10 + 600) % 600;
        h->guards[i].y = (h->guards[i].y + in[1] / 10 + 400) % 400;
    }
    uint32_t cursor = 0;
    for (monster *m; (m = bks_pool_next(bks_ref_get(&h->monsters), &cursor, NULL)) != NULL;) {
        const guard *g = &h->guards[m->kind % 2];
        m->x += g->x > m->x ? 1 : -1;
        m->y += g->y > m->y ? 1 : -1;
    }
}

static void fight(horde_state *h, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        guard *g = &h->guards[i];
        if (g->reload > 0) { g->reload--; continue; }
        if (!((const int32_t *)bks_step_input(step, i))[2]) continue;
        bks_pool *pool = bks_ref_get(&h->monsters);
        uint32_t cursor = 0;
        bks_id id;
        for (monster *m; (m = bks_pool_next(pool, &cursor, &id)) != NULL;) {
            if (abs(m->x - g->x) > 120 || abs(m->y - g->y) > 120) continue;
            m->hp -= call_mod("damage", 10 + g->level, m->armour);
            m->angry = 1;
            g->reload = 15;
            if (m->hp <= 0) {
                bks_pool_remove(pool, id);
                if (++g->kills % 5 == 0) g->level++;
            }
            break;
        }
    }
}

static void horde_step(void *state, const bks_step *step)
{
    horde_state *h = state;
    spawn(h);
    bks_mark(step, "spawn");
    walk(h, step);
    bks_mark(step, "walk");
    fight(h, step);
    bks_mark(step, "fight");
    h->tick++;
}

static const bks_type_entry types[] = {BKS_TYPE_POOL("monsters", monster)};
static const bks_game game = {.name = "horde", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = 16384, .root_bytes = sizeof(horde_state), .types = types, .type_count = 1,
    .init = horde_init, .step = horde_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
