// SPDX-License-Identifier: MIT

// SIEGE (C++): towers share a limited stock of arrows; who shoots first is decided by walking a hash map.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <cstdlib>
#include <unordered_map>
#include <vector>

namespace siege {
enum { Towers = 12, Raiders = 20 };

struct Commander {
    int32_t x, y, arrows, bolts;
    int16_t held, morale;
};
struct Tower {
    int32_t x, y, range;
    int16_t reload, shots;
    uint8_t owner, level;
};
struct Raider {
    int32_t x, y, hp;
    int16_t slowed;
    uint8_t live, kind;
};
struct State {
    uint32_t tick, killed;
    Commander commanders[2];
    Tower towers[Towers];
    Raider raiders[Raiders];
    bks_random random;
};

static void init(void *memory, const bks_start *start)
{
    State *s = static_cast<State *>(memory);
    bks_random_seed(&s->random, start->seed, 1);
    for (int i = 0; i < 2; i++) s->commanders[i].x = 150 + 300 * i, s->commanders[i].y = 200, s->commanders[i].arrows = 5;
    for (int i = 0; i < Towers; i++) {
        Tower &t = s->towers[i];
        t.x = 50 + 45 * i;
        t.y = 150 + 40 * (i % 3);
        t.range = 130;
        t.owner = static_cast<uint8_t>(i % 2);
        t.level = 1;
    }
}

static void command(State *s, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = static_cast<const int32_t *>(bks_step_input(step, i));
        Commander &c = s->commanders[i];
        c.x = (c.x + in[0] / 8 + 600) % 600;
        c.y = (c.y + in[1] / 8 + 400) % 400;
        if (c.held > 0) c.held--;
        else if (in[2]) c.arrows += 1, c.held = 20;
        if (s->tick % 120 == 119 && c.arrows < 8) c.arrows++;
    }
}

static void raid(State *s)
{
    for (int k = 0; k < Raiders; k++) {
        Raider &r = s->raiders[k];
        if (!r.live) {
            if (bks_random_below(&s->random, 120) == 0) r = Raider{bks_random_between(&s->random, 0, 600), 0, 30, 0, 1, static_cast<uint8_t>(k % 3)};
            continue;
        }
        if (r.slowed > 0) r.slowed--;
        else r.y += 1 + r.kind % 2;
        if (r.y > 400) r.live = 0;
    }
}

struct Trap { // of the map, never changes
    int32_t x, y, range;
    uint8_t owner;
};
static const Trap traps[] = {{100, 100, 60, 0}, {220, 180, 60, 1}, {330, 90, 70, 0}, {450, 210, 60, 1}, {520, 140, 70, 0}, {40, 240, 60, 1}};

static void shoot(State *s)
{
    std::unordered_map<const void *, std::vector<int>> targets; // by what shoots: a tower or a trap
    for (const Trap &t : traps)
        for (int k = 0; k < Raiders; k++) {
            const Raider &r = s->raiders[k];
            if (r.live && s->tick % 15 == 0 && std::abs(r.x - t.x) < t.range && std::abs(r.y - t.y) < t.range) targets[&t].push_back(k);
        }
    for (Tower &t : s->towers) {
        if (t.reload > 0) {
            t.reload--;
            continue;
        }
        for (int k = 0; k < Raiders; k++) {
            const Raider &r = s->raiders[k];
            if (r.live && std::abs(r.x - t.x) < t.range && std::abs(r.y - t.y) < t.range) targets[&t].push_back(k);
        }
    }
    for (const auto &[shooter, list] : targets) { // arrows are short: first come, first served
        Tower *t = nullptr;
        for (Tower &any : s->towers)
            if (&any == shooter) t = &any;
        Commander &c = s->commanders[t != nullptr ? t->owner : static_cast<const Trap *>(shooter)->owner];
        if (c.arrows <= 0) continue;
        Raider &r = s->raiders[list.front()];
        c.arrows--;
        if (t != nullptr) t->reload = 40, t->shots++;
        r.hp -= t != nullptr ? 8 + t->level : 5;
        r.slowed = 10;
        if (r.hp <= 0) r.live = 0, s->killed++, c.arrows += 2;
    }
}

static void step(void *memory, const bks_step *step)
{
    State *s = static_cast<State *>(memory);
    command(s, step);
    bks_mark(step, "command");
    raid(s);
    bks_mark(step, "raid");
    shoot(s);
    bks_mark(step, "shoot");
    s->tick++;
}
} // namespace siege

#include "../tailpp.h"
static const bks_type_entry types[] = {BKS_TYPE_ROOT(siege::State)};
static const bks_game game = make_game("siege", sizeof(siege::State), siege::init, siege::step, types, 1);
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {BKS_PLUGIN_ABI, &game};
