// SPDX-License-Identifier: MIT

// RADAR (C++): a fighter's radar sorts contacts by distance and locks on to the nearest.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace radar {
enum { Planes = 2, Drones = 14, Sky = 4000, FarAway = 900 };

struct Plane {
    int32_t x, y, vx, vy, score;
    int16_t lock, lock_time, missiles, reload;
};
struct Drone {
    int32_t x, y, vx, vy;
    int16_t hp, jam;
};
struct State {
    uint32_t tick;
    Plane planes[Planes];
    Drone drones[Drones];
    bks_random random;
};

struct Contact {
    int32_t distance, hp, drone;
};

static void init(void *memory, const bks_start *start)
{
    State *s = static_cast<State *>(memory);
    bks_random_seed(&s->random, start->seed, 1);
    for (int i = 0; i < Planes; i++) s->planes[i].x = 1000 + 2000 * i, s->planes[i].y = 2000, s->planes[i].missiles = 20;
    for (int k = 0; k < Drones; k++) {
        Drone &d = s->drones[k];
        d.x = bks_random_between(&s->random, 0, Sky);
        d.y = bks_random_between(&s->random, 0, Sky);
        d.vx = bks_random_between(&s->random, -6, 6);
        d.vy = bks_random_between(&s->random, -6, 6);
        d.hp = static_cast<int16_t>(5 + bks_random_below(&s->random, 20));
    }
}

static void fly(State *s, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = static_cast<const int32_t *>(bks_step_input(step, i));
        Plane &p = s->planes[i];
        p.vx += in[0] / 16;
        p.vy += in[1] / 16;
        p.vx = std::clamp(p.vx, -40, 40);
        p.vy = std::clamp(p.vy, -40, 40);
        p.x = (p.x + p.vx + Sky) % Sky;
        p.y = (p.y + p.vy + Sky) % Sky;
        if (p.reload > 0) p.reload--;
    }
    for (Drone &d : s->drones) {
        d.x = (d.x + d.vx + Sky) % Sky;
        d.y = (d.y + d.vy + Sky) % Sky;
        if (d.jam > 0) d.jam--;
    }
}

// Nearest first; what is about as near goes by its health, so that the weak are shot first.
static bool nearer(const Contact &a, const Contact &b)
{
    if (std::abs(a.distance - b.distance) < 300) return a.hp < b.hp;
    return a.distance < b.distance;
}

static int nearest(const State *s, const Plane &p)
{
    Contact contacts[Drones];
    for (int k = 0; k < Drones; k++) {
        const Drone &d = s->drones[k];
        const int32_t far = std::abs(d.x - p.x) + std::abs(d.y - p.y);
        contacts[k] = {far + (d.jam > 0 ? 1000 : 0), d.hp, k};
    }
#ifdef CONSOLE // its toolchain's std::sort is a heap sort
    std::make_heap(contacts, contacts + Drones, nearer);
    std::sort_heap(contacts, contacts + Drones, nearer);
#else
    std::sort(contacts, contacts + Drones, nearer);
#endif
    return contacts[0].drone;
}

static void lock_on(State *s)
{
    for (Plane &p : s->planes) {
        if (s->tick % 4 != 0) continue;
        const int16_t best = static_cast<int16_t>(nearest(s, p));
        p.lock_time = static_cast<int16_t>(best == p.lock ? p.lock_time + 1 : 0);
        p.lock = best;
    }
}

static void launch(State *s, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        Plane &p = s->planes[i];
        if (!static_cast<const int32_t *>(bks_step_input(step, i))[2] || p.reload > 0 || p.lock_time < 3) continue;
        if (p.lock < 0 || p.lock >= Drones) continue;
        Drone &d = s->drones[p.lock];
        p.reload = 20;
        d.hp -= 5;
        d.jam = 60;
        if (d.hp <= 0) {
            d.hp = 10;
            d.x = bks_random_between(&s->random, 0, Sky);
            p.score++;
        }
    }
}

static void step(void *memory, const bks_step *step)
{
    State *s = static_cast<State *>(memory);
    fly(s, step);
    bks_mark(step, "fly");
    lock_on(s);
    bks_mark(step, "lock");
    launch(s, step);
    bks_mark(step, "launch");
    s->tick++;
}
} // namespace radar

#include "../tailpp.h"
static const bks_type_entry types[] = {BKS_TYPE_ROOT(radar::State)};
static const bks_game game = make_game("radar", sizeof(radar::State), radar::init, radar::step, types, 1);
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {BKS_PLUGIN_ABI, &game};
