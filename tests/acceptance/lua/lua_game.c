// SPDX-License-Identifier: MIT

// A game written in Lua 5.4: the interpreter, its stacks, tables and coroutines all live in the
// region, so a snapshot is a copy of their bytes as of any other state. What it takes:
//
// - An allocator of size classes on the arena. A freed block goes back to its class.
// - `pointers`: Lua's memory is full of raw pointers, into the region and into the program.
// - `hash` over what the script says the match is made of; Lua's own bytes differ by process.
// - No `pairs` and no `next`: Lua seeds its hashes with addresses and the clock, so their order
//   differs from process to process.
//
// With the option eats=guess each tick from 100 on that is stepped with what the bots did not do
// takes all memory; with eats=truth tick 100 takes more than the state has that is stepped first.
//
// Built twice: with LUA_GAME_SAYS_SO it sets `pointers`, without it the recorder has to find out.

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/plugin.h"

enum { PLAYERS = 3, NUMBERS = 16, CLASSES = 13, CLASS_BYTES_MIN = 16 };

#define STATE_BYTES (2u << 20)
#define POOR_BYTES  (1u << 19) ///< of the state with less memory

typedef struct lua_game_state {
    int32_t numbers[NUMBERS]; ///< what the match is made of, by the script's put()
    void *free[CLASSES];      ///< by class: the first free block, which holds the next one
    lua_State *lua;
    bks_arena *arena;
} lua_game_state;

static const char script[] =
    "local seed, players, eats = ...\n"
    "local ships, coin = {}, {x = 0, y = 0}\n"
    "for i = 1, players do ships[i] = {x = 40 * i, y = 50, coins = 0, trail = {}} end\n"
    "local function random(n) seed = (seed * 1103515245 + 12345) & 0x7fffffff; return seed // "
    "65536 % n end\n"
    // A bot's x says which tick it is, so no guess is right.
    "local function is_guessed(tick, inputs)\n"
    "  for i = 1, players do if inputs[2 * i - 1] ~= tick % 7 - 3 then return true end end\n"
    "end\n"
    "local function eat(bytes) local meal; for _ = 1, bytes // 80 do meal = {meal} end end\n"
    // The coin's life is a coroutine: it rests a while at each place, then jumps.
    "local life = coroutine.wrap(function()\n"
    "  while true do\n"
    "    coin.x, coin.y = random(200), random(200)\n"
    "    for _ = 1, 60 + random(60) do if coroutine.yield() then break end end\n"
    "  end\n"
    "end)\n"
    "life()\n"
    "local function near(ship) return (ship.x - coin.x)^2 + (ship.y - coin.y)^2 < 400 end\n"
    "function step(tick, inputs)\n"
    "  local taken = false\n"
    "  if eats == 'guess' and tick >= 100 and is_guessed(tick, inputs) then eat(1 << 30) end\n"
    "  if eats == 'truth' and tick == 100 then eat(3 << 18) end\n"
    "  for i, ship in ipairs(ships) do\n"
    "    ship.x, ship.y = (ship.x + inputs[2 * i - 1]) % 200, (ship.y + inputs[2 * i]) % 200\n"
    "    ship.trail[tick % 32 + 1] = ship.x .. ',' .. ship.y\n" // garbage to collect
    "    if near(ship) then ship.coins, taken = ship.coins + 1, true end\n"
    "    put(3 * i - 2, ship.x) put(3 * i - 1, ship.y) put(3 * i, ship.coins)\n"
    "  end\n"
    "  life(taken)\n"
    "  put(13, coin.x) put(14, coin.y) put(15, seed) put(16, #table.concat(ships[1].trail))\n"
    "end\n";

/// A machine with less memory than the others have.
static const lua_game_state *poor;
/// True if the state that is stepped first is the poor one. The lab makes one state that is never
/// stepped.
static bool has_poor;

// ---- Lua's memory ----

static void *take_new(const lua_game_state *game, size_t bytes)
{
    const size_t most = game == poor ? POOR_BYTES : bks_arena_capacity_bytes(game->arena);
    const bool has_room = bks_arena_used_bytes(game->arena) + bytes + 16 <= most;
    return has_room ? bks_arena_alloc(game->arena, bytes, 16) : NULL;
}

static size_t class_of(size_t bytes)
{
    size_t which = 0;
    while ((size_t)CLASS_BYTES_MIN << which < bytes) {
        which++;
    }
    return which;
}

static void *take(lua_game_state *game, size_t bytes)
{
    const size_t which = class_of(bytes);
    if (which >= CLASSES) {
        return NULL;
    }
    void *block = game->free[which];
    if (block == NULL) {
        return take_new(game, (size_t)CLASS_BYTES_MIN << which);
    }
    memcpy(&game->free[which], block, sizeof(block));
    return block;
}

static void give_back(lua_game_state *game, void *block, size_t bytes)
{
    const size_t which = class_of(bytes);
    memset(block, 0, (size_t)CLASS_BYTES_MIN << which);
    memcpy(block, &game->free[which], sizeof(block));
    game->free[which] = block;
}

static void *allocate(void *context, void *old, size_t old_bytes, size_t bytes)
{
    lua_game_state *game = context;
    void *block = NULL;
    if (old == NULL) {
        return bytes > 0 ? take(game, bytes) : NULL; // old_bytes says the kind of object
    }
    if (bytes > 0) {
        if (class_of(old_bytes) == class_of(bytes)) {
            return old;
        }
        block = take(game, bytes);
        if (block == NULL) {
            return NULL;
        }
        memcpy(block, old, old_bytes < bytes ? old_bytes : bytes);
    }
    give_back(game, old, old_bytes);
    return block;
}

// ---- the game ----

static int put(lua_State *lua)
{
    lua_game_state *game = lua_touserdata(lua, lua_upvalueindex(1));
    const lua_Integer index = luaL_checkinteger(lua, 1);
    luaL_argcheck(lua, index >= 1 && index <= NUMBERS, 1, "no such number");
    game->numbers[index - 1] = (int32_t)luaL_checkinteger(lua, 2);
    return 0;
}

static void must(bool is_so)
{
    if (!is_so) {
        abort();
    }
}

static void open_libraries(lua_State *lua)
{
    luaL_requiref(lua, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(lua, LUA_COLIBNAME, luaopen_coroutine, 1);
    luaL_requiref(lua, LUA_TABLIBNAME, luaopen_table, 1);
    lua_settop(lua, 0);
    static const char *const hidden[] = {"pairs", "next", "print", "dofile", "loadfile"};
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
        lua_pushnil(lua);
        lua_setglobal(lua, hidden[i]);
    }
}

static void lua_game_init(void *state, const bks_start *start)
{
    lua_game_state *game = state;
    game->arena = bks_arena_of(state, sizeof(*game));
    const char *eats = bks_start_option(start, "eats");
    has_poor |= strcmp(eats, "truth") == 0;
    lua_State *lua = game->lua = lua_newstate(allocate, game);
    must(lua != NULL);
    open_libraries(lua);
    lua_pushlightuserdata(lua, game);
    lua_pushcclosure(lua, put, 1);
    lua_setglobal(lua, "put");
    must(luaL_loadbufferx(lua, script, sizeof(script) - 1, "=script", "t") == LUA_OK);
    lua_pushinteger(lua, (lua_Integer)(start->seed & 0x7fffffff));
    lua_pushinteger(lua, (lua_Integer)start->players);
    lua_pushstring(lua, eats);
    must(lua_pcall(lua, 3, 0, 0) == LUA_OK);
}

/// Under lua_pcall, as all that may run out of memory.
static int call_step(lua_State *lua)
{
    const bks_step *step = lua_touserdata(lua, 1);
    lua_getglobal(lua, "step");
    lua_pushinteger(lua, step->tick);
    lua_createtable(lua, (int)(step->players * step->field_count), 0);
    for (uint32_t i = 0; i < step->players * step->field_count; i++) {
        lua_pushinteger(lua, step->inputs[i]);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    bks_mark(step, "script");
    lua_call(lua, 2, 0);
    return 0;
}

static void lua_game_step(void *state, const bks_step *step)
{
    lua_State *lua = ((lua_game_state *)state)->lua;
    poor = poor == NULL && has_poor ? state : poor;
    lua_pushcfunction(lua, call_step);
    lua_pushlightuserdata(lua, (void *)(uintptr_t)step);
    if (lua_pcall(lua, 1, 0, 0) != LUA_OK) {
        (void)fprintf(stderr, "lua: no memory at tick %d\n", (int)step->tick);
        bks_fail(step, lua_tostring(lua, -1));
    }
}

/// Its x is another at each tick.
static void lua_game_bot(const void *state, uint32_t player, bks_tick tick, uint64_t memory[8],
                         int32_t *input)
{
    (void)state;
    (void)player;
    (void)memory;
    input[0] = tick % 7 - 3;
    input[1] = tick % 5 - 2;
}

static void lua_game_hash(const void *state, bks_hasher *hasher)
{
    const lua_game_state *game = state;
    bks_hash_add(hasher, game->numbers, sizeof(game->numbers));
}

static const bks_field fields[] = {
    {.name = "x", .bits = 3, .is_signed = true},
    {.name = "y", .bits = 3, .is_signed = true},
};

static const bks_option options[] = {
    {.name = "eats", .default_value = "no", .help = "guess, truth or no"},
};

static const bks_game lua_game = {
    .name = "lua",
    .tick_rate_hz = 60,
    .players_max = PLAYERS,
    .fields = fields,
    .field_count = 2,
    .options = options,
    .option_count = 1,
    .state_bytes = STATE_BYTES,
    .root_bytes = sizeof(lua_game_state),
    .init = lua_game_init,
    .step = lua_game_step,
    .hash = lua_game_hash,
    .bot = lua_game_bot,
#ifdef LUA_GAME_SAYS_SO
    .pointers = true,
#endif
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &lua_game};
