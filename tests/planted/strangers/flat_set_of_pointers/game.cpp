// SPDX-License-Identifier: MIT

// Real-time strategy, a squad moves in formation. C++: units with virtual behaviour tables, a hash set of the selected.
#include <backstitch/backstitch.h>
#include <array>
#include <algorithm>
#include <vector>
namespace rts {
struct Unit {
    int32_t x, y, goal_x, goal_y;
    int16_t hp, slot;
    uint8_t team, kind, busy, pad;
};
struct Team { int32_t wood, orders, arrived; };
constexpr int UNITS = 40;
struct World {
    std::array<Unit, UNITS> units;
    std::array<Team, 2> teams;
    bks_random random;
    int32_t tick;
};
struct Input { int32_t x, y, select, go; };
class Behaviour { // one for each kind of unit
public:
    virtual ~Behaviour() = default;
    virtual int speed() const = 0;
    virtual void work(Unit &u, World &w) const = 0;
};
class Peasant : public Behaviour {
    int speed() const override { return 3; }
    void work(Unit &u, World &w) const override { if (w.tick % 50 == u.slot % 50) w.teams[u.team].wood += 1; }
};
class Knight : public Behaviour {
    int speed() const override { return 5; }
    void work(Unit &u, World &w) const override
    {
        for (Unit &o : w.units)
            if (o.team != u.team && std::abs(o.x - u.x) < 20 && std::abs(o.y - u.y) < 20 && o.hp > 1 && w.tick % 8 == 0) { o.hp -= 1; break; }
    }
};
static const Peasant peasant;
static const Knight knight;
static const Behaviour *const behaviours[2] = {&peasant, &knight};

template <typename T> class FlatSet { // open addressing, Fibonacci hashing; walked in the order of its slots
    std::array<T *, 64> slots_{};
public:
    void insert(T *item)
    {
        size_t at = (reinterpret_cast<uintptr_t>(item) * 11400714819323198485ull) >> 58;
        while (slots_[at] && slots_[at] != item) at = (at + 1) % slots_.size();
        slots_[at] = item;
    }
    template <typename F> void each(F f) { for (T *item : slots_) if (item) f(*item); }
};
static void give_orders(World &w, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        auto in = static_cast<const Input *>(bks_step_input(step, p));
        if (!in->go || step->tick % 30 != 0) continue;
        FlatSet<Unit> selected;
        for (Unit &u : w.units)
            if (u.team == p && (u.kind == in->select || (u.x / 64 + u.y / 64) % 3 == in->select)) selected.insert(&u);
        int slot = 0;
        selected.each([&](Unit &u) { // places of the formation, five abreast
            u.slot = static_cast<int16_t>(slot);
            u.goal_x = in->x * 16 + slot % 5 * 12;
            u.goal_y = in->y * 16 + slot / 5 * 12;
            u.busy = 1;
            slot++;
        });
        w.teams[p].orders++;
    }
}
static void move(World &w)
{
    for (Unit &u : w.units) {
        if (!u.busy) continue;
        int v = behaviours[u.kind]->speed();
        u.x += std::clamp(u.goal_x - u.x, -v, v);
        u.y += std::clamp(u.goal_y - u.y, -v, v);
        if (u.x == u.goal_x && u.y == u.goal_y) { u.busy = 0; w.teams[u.team].arrived++; }
    }
}
static void init(void *state, const bks_start *start)
{
    auto &w = *static_cast<World *>(state);
    bks_random_seed(&w.random, start->seed, 9);
    for (int i = 0; i < UNITS; i++) {
        Unit &u = w.units[i];
        u.team = i % 2; u.kind = i / 2 % 2; u.hp = 60;
        u.x = u.team * 800 + bks_random_below(&w.random, 200); u.y = bks_random_below(&w.random, 500);
    }
}
static void step(void *state, const bks_step *step)
{
    auto &w = *static_cast<World *>(state);
    w.tick++;
    give_orders(w, step);
    bks_mark(step, "orders");
    move(w);
    bks_mark(step, "move");
    for (Unit &u : w.units) behaviours[u.kind]->work(u, w);
    bks_mark(step, "work");
}
static const bks_type_entry types[] = {BKS_TYPE_ROOT(World)};
static const bks_field fields[] = {{"x", 6}, {"y", 5}, {"select", 1}, {"go", 1}};
static bks_game make()
{
    bks_game g = {};
    g.name = "rts"; g.tick_rate_hz = 60; g.players_max = 2; g.fields = fields; g.field_count = 4;
    g.state_bytes = sizeof(World); g.types = types; g.type_count = 1; g.init = init; g.step = step;
    return g;
}
static const bks_game game = make();
}
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {BKS_PLUGIN_ABI, &rts::game};
