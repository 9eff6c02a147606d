// SPDX-License-Identifier: MIT

// Arena with scripted buffs: rules in Lua, numbers of the state in C. (Debian: liblua5.4-dev)
#include <backstitch/backstitch.h>
#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>
enum { FIGHTERS = 6, BUFFS = 6 };
typedef struct fighter { int32_t hp, attack, x, cool, kills; int32_t buff_ticks[BUFFS]; } fighter;
typedef struct brawl_state { fighter fighters[FIGHTERS]; bks_random random; int32_t round; } brawl_state;
static brawl_state *now; // the state that the script works on, only during a step

static fighter *arg(lua_State *L) { return &now->fighters[luaL_checkinteger(L, 1) % FIGHTERS]; }
static int l_attack(lua_State *L) { lua_pushinteger(L, arg(L)->attack); return 1; }
static int l_set_attack(lua_State *L) { arg(L)->attack = (int32_t)luaL_checkinteger(L, 2); return 0; }
static int l_ticks(lua_State *L) { lua_pushinteger(L, arg(L)->buff_ticks[luaL_checkinteger(L, 2) % BUFFS]); return 1; }
static const char script[] =
    "buffs = {\n"
    "  rage   = {slot = 0, apply = function(a) return a * 3 // 2 end},\n"
    "  bless  = {slot = 1, apply = function(a) return a + 5 end},\n"
    "  curse  = {slot = 2, apply = function(a) return a - 3 end},\n"
    "  shrink = {slot = 3, apply = function(a) return a // 2 end},\n"
    "  berry  = {slot = 4, apply = function(a) return a + 1 end},\n"
    "  double = {slot = 5, apply = function(a) return a * 2 end},\n"
    "}\n"
    "function attack_of(f)\n"
    "  local a = 10\n"
    "  for name, buff in pairs(buffs) do\n"
    "    if ticks(f, buff.slot) > 0 then a = buff.apply(a) end\n"
    "  end\n"
    "  set_attack(f, a)\n"
    "end\n";
static lua_State *lua(void)
{
    static lua_State *L;
    if (L == NULL) {
        L = luaL_newstate();
        luaL_openlibs(L);
        lua_register(L, "attack", l_attack);
        lua_register(L, "set_attack", l_set_attack);
        lua_register(L, "ticks", l_ticks);
        if (luaL_dostring(L, script) != LUA_OK) {
            lua_close(L);
            L = NULL;
        }
    }
    return L;
}
static void brawl_init(void *state, const bks_start *start)
{
    brawl_state *b = state;
    bks_random_seed(&b->random, start->seed, 60);
    for (int i = 0; i < FIGHTERS; i++) {
        b->fighters[i] = (fighter){.hp = 200, .attack = 10, .x = 100 * i};
    }
}
static void potions(brawl_state *b, const bks_step *step)
{
    for (int i = 0; i < FIGHTERS; i++) {
        fighter *f = &b->fighters[i];
        for (int k = 0; k < BUFFS; k++) {
            f->buff_ticks[k] -= f->buff_ticks[k] > 0;
        }
        if ((uint32_t)i < step->players) {
            const int32_t *in = bks_step_input(step, (uint32_t)i); // move, drink
            f->x += in[0] * 3;
            if (in[1] && step->tick % 20 == 0) {
                f->buff_ticks[bks_random_below(&b->random, BUFFS)] = 90;
            }
        } else if (step->tick % 64 == (uint64_t)i) {
            f->buff_ticks[bks_random_below(&b->random, BUFFS)] = 60;
        }
    }
}
static void script_step(brawl_state *b)
{
    lua_State *L = lua();
    now = b;
    for (int i = 0; i < FIGHTERS && L != NULL; i++) {
        lua_getglobal(L, "attack_of");
        lua_pushinteger(L, i);
        if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
            lua_pop(L, 1);
        }
    }
    now = NULL;
}
static void fight(brawl_state *b)
{
    for (int i = 0; i < FIGHTERS; i++) {
        fighter *f = &b->fighters[i];
        f->cool -= f->cool > 0;
        for (int k = 0; k < FIGHTERS && f->cool == 0; k++) {
            fighter *o = &b->fighters[k];
            if (k != i && o->x - f->x < 130 && f->x - o->x < 130) {
                o->hp -= f->attack > 0 ? f->attack : 0;
                f->cool = 30;
                if (o->hp <= 0) {
                    o->hp = 200;
                    f->kills++;
                    b->round++;
                }
            }
        }
    }
}
static void brawl_step(void *state, const bks_step *step)
{
    brawl_state *b = state;
    potions(b, step);
    bks_mark(step, "potions");
    script_step(b);
    bks_mark(step, "script");
    fight(b);
    bks_mark(step, "fight");
}
static const bks_field fields[] = {{.name = "move", .bits = 2, .is_signed = true}, {.name = "drink", .bits = 1}};
static const bks_game game = {.name = "brawl", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 2,
    .state_bytes = sizeof(brawl_state), .init = brawl_init, .step = brawl_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
