// SPDX-License-Identifier: MIT

// Farm with scripted crops: rules in Lua.
#include <backstitch/backstitch.h>
#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>
enum { PLOTS = 32 };
typedef struct plot { int32_t crop, growth, water, ripe_at; } plot;
typedef struct farmer { int32_t at, seeds, coins, harvests; } farmer;
typedef struct farm_state { farmer farmers[2]; plot plots[PLOTS]; bks_random random; int32_t rain, day; } farm_state;
static farm_state *now;
static int l_plot(lua_State *L)
{
    const plot *p = &now->plots[luaL_checkinteger(L, 1) % PLOTS];
    lua_pushinteger(L, p->crop);
    lua_pushinteger(L, p->growth);
    lua_pushinteger(L, p->ripe_at);
    return 3;
}
static int l_set_growth(lua_State *L) { now->plots[luaL_checkinteger(L, 1) % PLOTS].growth = (int32_t)luaL_checkinteger(L, 2); return 0; }
static int l_set_ripe(lua_State *L) { now->plots[luaL_checkinteger(L, 1) % PLOTS].ripe_at = (int32_t)luaL_checkinteger(L, 2); return 0; }
static const char script[] =
    "local speed = {2, 3, 5}\n"
    "function planted(i, crop)\n"
    "  set_ripe(i, os.time() % 100000 + 2 * crop)\n" // ripe some seconds from now
    "end\n"
    "function grow(i)\n"
    "  local crop, growth, ripe = plot(i)\n"
    "  if crop > 0 and growth < 1000 then set_growth(i, growth + speed[crop]) end\n"
    "end\n";
static lua_State *lua(void)
{
    static lua_State *L;
    if (L == NULL) {
        L = luaL_newstate();
        luaL_openlibs(L);
        lua_register(L, "plot", l_plot);
        lua_register(L, "set_growth", l_set_growth);
        lua_register(L, "set_ripe", l_set_ripe);
        if (luaL_dostring(L, script) != LUA_OK) {
            lua_close(L);
            L = NULL;
        }
    }
    return L;
}
static void call(const char *name, int a, int b)
{
    lua_State *L = lua();
    lua_getglobal(L, name);
    lua_pushinteger(L, a);
    lua_pushinteger(L, b);
    if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
        lua_pop(L, 1);
    }
}
static void farm_init(void *state, const bks_start *start)
{
    farm_state *f = state;
    bks_random_seed(&f->random, start->seed, 70);
    for (int i = 0; i < 2; i++) {
        f->farmers[i] = (farmer){.at = 8 + 16 * i, .seeds = 30};
    }
}
static void work(farm_state *f, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *in = bks_step_input(step, p); // move, plant, harvest
        farmer *a = &f->farmers[p];
        if (step->tick % 6 == 0) {
            a->at = (a->at + in[0] + PLOTS) % PLOTS;
        }
        plot *t = &f->plots[a->at];
        if (in[1] && t->crop == 0 && a->seeds > 0 && step->tick % 30 == p) {
            t->crop = 1 + (int32_t)bks_random_below(&f->random, 3);
            t->growth = 0;
            a->seeds--;
            call("planted", a->at, t->crop);
        } else if (in[2] && t->crop > 0 && t->growth > 300) {
            a->coins += t->crop * 7;
            a->harvests++;
            a->seeds += 2;
            *t = (plot){0};
        }
    }
}
static void farm_step(void *state, const bks_step *step)
{
    farm_state *f = state;
    now = f;
    work(f, step);
    bks_mark(step, "work");
    for (int i = 0; i < PLOTS; i++) {
        call("grow", i, 0);
    }
    bks_mark(step, "grow");
    f->rain = f->rain > 0 ? f->rain - 1 : bks_random_below(&f->random, 200) == 0 ? 100 : 0;
    for (int i = 0; i < PLOTS; i++) {
        f->plots[i].water += f->rain > 0;
    }
    bks_mark(step, "rain");
    f->day = (int32_t)(step->tick / 300);
    now = NULL;
}
static const bks_field fields[] = {{.name = "move", .bits = 2, .is_signed = true}, {.name = "plant", .bits = 1}, {.name = "harvest", .bits = 1}};
static const bks_game game = {.name = "farm", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 3,
    .state_bytes = sizeof(farm_state), .init = farm_init, .step = farm_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
