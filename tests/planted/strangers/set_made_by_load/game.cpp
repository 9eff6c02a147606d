// SPDX-License-Identifier: MIT

// Castle siege: units live on the heap, loading a state makes them anew; loot is shared in the order of a set of pointers.
#include <backstitch/backstitch.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <vector>
namespace siege {
struct Unit { int32_t id, team, x, y, hp, gold; };
struct Castle { int32_t x, y, hp, treasure, falls; };
struct World {
    std::vector<std::unique_ptr<Unit>> units;
    Castle castle;
    bks_random random;
    int32_t next_id, tick;
};
struct Saved { Castle castle; bks_random random; int32_t next_id, tick, count, pad; Unit units[48]; };
struct Input { int32_t x, y, recruit; };
static void *create(const bks_start *) { return new World(); }
static void destroy(void *state) { delete static_cast<World *>(state); }
static void add(World &w, int team)
{
    auto u = std::make_unique<Unit>();
    *u = {w.next_id++, team, team * 400 + 20, static_cast<int32_t>(bks_random_below(&w.random, 200)), 40, 0};
    w.units.push_back(std::move(u));
}
static void init(void *state, const bks_start *start)
{
    auto &w = *static_cast<World *>(state);
    w.units.clear();
    w.next_id = 1; w.tick = 0;
    w.castle = {220, 100, 300, 100, 0};
    bks_random_seed(&w.random, start->seed, 130);
    for (int i = 0; i < 16; i++) add(w, i % 2);
}
static void command(World &w, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        auto in = static_cast<const Input *>(bks_step_input(step, p));
        for (auto &u : w.units)
            if (u->team == static_cast<int32_t>(p)) { u->x += in->x; u->y += in->y; u->x += u->x < w.castle.x ? 1 : -1; u->y += u->y < w.castle.y ? 1 : -1; }
        if (in->recruit && w.tick % 20 == 0 && w.units.size() < 40) add(w, static_cast<int>(p));
    }
}
static void siege(World &w)
{
    std::set<Unit *> near;
    for (auto &u : w.units)
        if (std::abs(u->x - w.castle.x) < 60 && std::abs(u->y - w.castle.y) < 60) near.insert(u.get());
    w.castle.hp -= static_cast<int32_t>(near.size());
    if (w.castle.hp <= 0 && !near.empty()) { // the first ones get more
        int left = w.castle.treasure;
        for (Unit *u : near) { int share = (left + 2) / 3; u->gold += share; left -= share; }
        w.castle.hp = 300; w.castle.treasure = 100 + 10 * ++w.castle.falls;
    }
}
static void losses(World &w)
{
    for (auto &u : w.units)
        if (std::abs(u->x - w.castle.x) < 30 && (w.tick + u->id) % 7 == 0) u->hp -= 1;
    w.units.erase(std::remove_if(w.units.begin(), w.units.end(), [](const std::unique_ptr<Unit> &u) { return u->hp <= 0; }), w.units.end());
}
static void step(void *state, const bks_step *step)
{
    auto &w = *static_cast<World *>(state);
    w.tick++;
    command(w, step); bks_mark(step, "command");
    siege(w); bks_mark(step, "siege");
    losses(w); bks_mark(step, "losses");
}
static size_t save(const void *state, void *bytes, size_t)
{
    auto &w = *static_cast<const World *>(state);
    Saved s; std::memset(&s, 0, sizeof s);
    s.castle = w.castle; s.random = w.random; s.next_id = w.next_id; s.tick = w.tick; s.count = static_cast<int32_t>(w.units.size());
    for (size_t i = 0; i < w.units.size(); i++) s.units[i] = *w.units[i];
    std::memcpy(bytes, &s, sizeof s);
    return sizeof s;
}
static bool load(void *state, const void *bytes, size_t count)
{
    auto &w = *static_cast<World *>(state);
    Saved s;
    if (count != sizeof s) return false;
    std::memcpy(&s, bytes, sizeof s);
    w.castle = s.castle; w.random = s.random; w.next_id = s.next_id; w.tick = s.tick;
    w.units.clear();
    for (int i = 0; i < s.count && i < 48; i++) w.units.push_back(std::make_unique<Unit>(s.units[i]));
    return true;
}
static void hash(const void *state, bks_hasher *h) { Saved s; save(state, &s, sizeof s); bks_hash_add(h, &s, sizeof s); }
static const bks_type_entry types[] = {BKS_TYPE_ROOT(Saved)};
static const bks_field fields[] = {{"x", 2, true}, {"y", 2, true}, {"recruit", 1}};
static bks_game make()
{
    bks_game g = {};
    g.name = "siege"; g.tick_rate_hz = 60; g.players_max = 2; g.fields = fields; g.field_count = 3; g.types = types; g.type_count = 1;
    g.create = create; g.destroy = destroy; g.save = save; g.load = load; g.hash = hash; g.save_bytes_max = sizeof(Saved); g.init = init; g.step = step;
    return g;
}
static const bks_game game = make();
}
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {BKS_PLUGIN_ABI, &siege::game};
