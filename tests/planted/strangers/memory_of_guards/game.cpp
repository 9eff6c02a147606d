// SPDX-License-Identifier: MIT

// Stealth: guards remember how loud they ever heard each intruder. C++, the memory is a map beside the world.
#include <backstitch/backstitch.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
namespace stealth {
constexpr int GUARDS = 8;
struct Intruder { int32_t x, y, noise, loot, caught; };
struct Guard { int32_t x, y, post_x, post_y; int32_t alert; int16_t chases, asleep; };
struct World {
    std::array<Intruder, 2> intruders;
    std::array<Guard, GUARDS> guards;
    bks_random random;
    int32_t alarms, minute;
};
struct Input { int32_t x, y, run; };
class Memory { // what the AI knows: the loudest noise per guard and intruder, and when
public:
    int hear(int guard, int intruder, int loud)
    {
        int &worst = loudest_[{guard, intruder}];
        worst = std::max(worst, loud);
        return worst;
    }
private:
    std::map<std::pair<int, int>, int> loudest_;
};
static Memory memory;

static void init(void *state, const bks_start *start)
{
    auto &w = *static_cast<World *>(state);
    bks_random_seed(&w.random, start->seed, 31);
    for (int i = 0; i < GUARDS; i++) {
        Guard &g = w.guards[i];
        g.x = g.post_x = 100 + 110 * i;
        g.y = g.post_y = 100 + static_cast<int32_t>(bks_random_below(&w.random, 300));
    }
    w.intruders[0].x = 50; w.intruders[1].x = 950;
    w.intruders[0].y = w.intruders[1].y = 480;
}
static void sneak(World &w, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        auto in = static_cast<const Input *>(bks_step_input(step, p));
        Intruder &i = w.intruders[p];
        int v = in->run ? 3 : 1;
        i.x = std::clamp(i.x + in->x * v, 0, 1000);
        i.y = std::clamp(i.y + in->y * v, 0, 500);
        i.noise = (std::abs(in->x) + std::abs(in->y)) * (in->run ? 9 : 2);
        i.loot += i.y < 20;
    }
}
static void listen(World &w)
{
    for (int k = 0; k < GUARDS; k++) {
        Guard &g = w.guards[k];
        int best = 0;
        for (int p = 0; p < 2; p++) {
            int far = (std::abs(g.x - w.intruders[p].x) + std::abs(g.y - w.intruders[p].y)) / 16;
            best = std::max(best, memory.hear(k, p, w.intruders[p].noise - far));
        }
        g.alert = best;
    }
}
static void patrol(World &w)
{
    const std::function<int(int, int)> toward = [](int from, int to) { return std::clamp(to - from, -2, 2); };
    for (Guard &g : w.guards) {
        const Intruder &near = std::abs(g.x - w.intruders[0].x) < std::abs(g.x - w.intruders[1].x) ? w.intruders[0] : w.intruders[1];
        if (g.alert > 18) {
            g.x += toward(g.x, near.x);
            g.y += toward(g.y, near.y);
            g.chases++;
        } else {
            g.x += toward(g.x, g.post_x + static_cast<int>(bks_random_below(&w.random, 40)) - 20);
            g.y += toward(g.y, g.post_y);
        }
    }
}
static void catch_them(World &w)
{
    for (Intruder &i : w.intruders)
        for (Guard &g : w.guards)
            if (std::abs(g.x - i.x) < 6 && std::abs(g.y - i.y) < 6) { i.caught++; i.y = 480; w.alarms++; }
}
static void step(void *state, const bks_step *step)
{
    auto &w = *static_cast<World *>(state);
    sneak(w, step);
    bks_mark(step, "sneak");
    listen(w);
    bks_mark(step, "listen");
    patrol(w);
    bks_mark(step, "patrol");
    catch_them(w);
    bks_mark(step, "catch");
}
static const bks_type_entry types[] = {BKS_TYPE_ROOT(World)};
static const bks_field fields[] = {{"x", 2, true}, {"y", 2, true}, {"run", 1}};
static bks_game make()
{
    bks_game g = {};
    g.name = "stealth"; g.tick_rate_hz = 60; g.players_max = 2; g.fields = fields; g.field_count = 3;
    g.state_bytes = sizeof(World); g.types = types; g.type_count = 1; g.init = init; g.step = step;
    return g;
}
static const bks_game game = make();
}
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {BKS_PLUGIN_ABI, &stealth::game};
