// SPDX-License-Identifier: MIT

// ROUTES (C++): a haulier's fleet. Vehicles are objects on the heap; a station keeps the set of those that wait.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <vector>

namespace routes {
enum { Stations = 5, FleetMax = 24 };

struct Vehicle {
    int32_t id, x, station, cargo, speed;
    int16_t load_ticks, owner;
};
struct Station {
    int32_t goods, x;
    std::set<Vehicle *> waiting;
};
struct Company {
    int32_t money, next_id, delivered, held;
};
struct World {
    uint32_t tick = 0;
    Company companies[2] = {};
    Station stations[Stations];
    std::vector<std::unique_ptr<Vehicle>> fleet;
};

struct Saved { // as it is saved; the root of the state map
    uint32_t tick, count;
    Company companies[2];
    int32_t goods[Stations];
    Vehicle fleet[FleetMax];
    uint8_t waits_at[FleetMax]; // station + 1, 0 on the way
};

static void *create(const bks_start *) { return new World; }
static void destroy(void *state) { delete static_cast<World *>(state); }

static void init(void *state, const bks_start *)
{
    World *w = static_cast<World *>(state);
    for (int i = 0; i < Stations; i++) w->stations[i].goods = 3, w->stations[i].x = 60 * i;
    for (Company &c : w->companies) c.money = 800;
}

static size_t save(const void *state, void *bytes, size_t capacity)
{
    const World *w = static_cast<const World *>(state);
    if (capacity < sizeof(Saved)) return 0;
    Saved *out = static_cast<Saved *>(bytes);
    std::memset(out, 0, sizeof *out);
    out->tick = w->tick;
    out->count = static_cast<uint32_t>(w->fleet.size());
    std::memcpy(out->companies, w->companies, sizeof out->companies);
    for (int i = 0; i < Stations; i++) out->goods[i] = w->stations[i].goods;
    for (size_t k = 0; k < w->fleet.size(); k++) {
        out->fleet[k] = *w->fleet[k];
        for (int i = 0; i < Stations; i++)
            if (w->stations[i].waiting.count(w->fleet[k].get())) out->waits_at[k] = static_cast<uint8_t>(i + 1);
    }
    return sizeof *out;
}

static bool load(void *state, const void *bytes, size_t count)
{
    World *w = static_cast<World *>(state);
    const Saved *in = static_cast<const Saved *>(bytes);
    if (count != sizeof *in || in->count > FleetMax) return false;
    w->tick = in->tick;
    std::memcpy(w->companies, in->companies, sizeof w->companies);
    w->fleet.clear();
    for (int i = 0; i < Stations; i++) w->stations[i].goods = in->goods[i], w->stations[i].x = 60 * i, w->stations[i].waiting.clear();
    for (uint32_t k = 0; k < in->count; k++) {
        w->fleet.push_back(std::make_unique<Vehicle>(in->fleet[k]));
        if (in->waits_at[k] > 0 && in->waits_at[k] <= Stations) w->stations[in->waits_at[k] - 1].waiting.insert(w->fleet.back().get());
    }
    return true;
}

static void hash(const void *state, bks_hasher *hasher)
{
    Saved saved;
    save(state, &saved, sizeof saved);
    bks_hash_add(hasher, &saved, sizeof saved);
}

static void buy(World *w, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = static_cast<const int32_t *>(bks_step_input(step, i));
        Company &c = w->companies[i];
        if (c.held > 0) {
            c.held--;
            continue;
        }
        if (in[2] && c.money >= 50 && w->fleet.size() < FleetMax) {
            auto v = std::make_unique<Vehicle>();
            v->id = c.next_id++;
            v->owner = static_cast<int16_t>(i);
            v->speed = 2 + v->id % 3;
            v->x = 40 * static_cast<int32_t>(i);
            v->station = (in[0] + 64) % Stations;
            w->fleet.push_back(std::move(v));
            c.money -= 50;
            c.held = 15;
        } else if (in[3] && w->fleet.size() > 6) { // sell the oldest
            for (Station &s : w->stations) s.waiting.erase(w->fleet.front().get());
            w->fleet.erase(w->fleet.begin());
            c.money += 30;
            c.held = 30;
        }
    }
}

static void drive(World *w)
{
    for (auto &v : w->fleet) {
        const int32_t to = w->stations[v->station].x;
        if (std::abs(v->x - to) <= v->speed) w->stations[v->station].waiting.insert(v.get());
        else v->x += v->x < to ? v->speed : -v->speed;
    }
}

static void load_cargo(World *w)
{
    for (Station &s : w->stations) {
        if (w->tick % 40 == 0) s.goods += 2;
        for (auto at = s.waiting.begin(); at != s.waiting.end();) {
            Vehicle *v = *at;
            if (s.goods > 0 && v->cargo < 4) s.goods--, v->cargo++;
            if (++v->load_ticks < 40) {
                ++at;
                continue;
            }
            w->companies[v->owner].money += 2 * v->cargo;
            w->companies[v->owner].delivered += v->cargo;
            v->cargo = 0;
            v->load_ticks = 0;
            v->station = (v->station + 1 + v->id % 2) % Stations;
            at = s.waiting.erase(at);
        }
    }
}

static void step(void *state, const bks_step *step)
{
    World *w = static_cast<World *>(state);
    buy(w, step);
    bks_mark(step, "buy");
    drive(w);
    bks_mark(step, "drive");
    load_cargo(w);
    bks_mark(step, "load");
    w->tick++;
}
} // namespace routes

#include "../tailpp.h"
static const bks_type_entry types[] = {BKS_TYPE_ROOT(routes::Saved)};
static bks_game make()
{
    bks_game g = make_game("routes", 0, routes::init, routes::step, types, 1);
    g.create = routes::create;
    g.destroy = routes::destroy;
    g.save = routes::save;
    g.load = routes::load;
    g.hash = routes::hash;
    g.save_bytes_max = sizeof(routes::Saved);
    return g;
}
static const bks_game game = make();
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {BKS_PLUGIN_ABI, &game};
