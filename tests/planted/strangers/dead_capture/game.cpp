// SPDX-License-Identifier: MIT

// Card battler: cards queue effects (virtual), which are resolved after all players have played.
#include <backstitch/backstitch.h>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>
namespace cards {
struct Fighter { int32_t hp, armour, poison, mana, wins; int16_t hand[5]; int16_t deck; };
struct Lane { int32_t power[2]; int16_t owner, held; };
struct Table { std::array<Fighter, 2> fighters; std::array<Lane, 3> lanes; bks_random random; int32_t turn, played, resolved; };
struct Input { int32_t card, lane, play; };
using Effect = std::function<void(Table &)>;
class Card {
public:
    virtual ~Card() = default;
    virtual int cost() const = 0;
    virtual Effect effect(const Table &t, int player, int lane) const = 0;
};
class Strike : public Card {
    int cost() const override { return 2; }
    Effect effect(const Table &, int player, int) const override
    {
        return [player](Table &t) {
            Fighter &o = t.fighters[!player];
            int d = 6 - o.armour;
            o.hp -= d > 0 ? d : 1;
        };
    }
};
class Guard : public Card {
    int cost() const override { return 1; }
    Effect effect(const Table &, int player, int) const override { return [player](Table &t) { t.fighters[player].armour++; }; }
};
class Rally : public Card {
    int cost() const override { return 3; }
    Effect effect(const Table &t, int player, int lane) const override
    {
        const int bonus = 2 + t.lanes[lane].held / 4;
        return [player, lane, &bonus](Table &table) { // bonus is gone when this runs
            table.lanes[lane].power[player] += bonus;
            table.resolved++;
        };
    }
};
class Venom : public Card {
    int cost() const override { return 2; }
    Effect effect(const Table &, int player, int) const override { return [player](Table &t) { t.fighters[!player].poison += 2; }; }
};
static const Strike strike; static const Guard guard; static const Rally rally; static const Venom venom;
static const std::array<const Card *, 4> library = {&strike, &guard, &rally, &venom};

static void init(void *state, const bks_start *start)
{
    auto &t = *static_cast<Table *>(state);
    bks_random_seed(&t.random, start->seed, 40);
    for (Fighter &f : t.fighters) { f.hp = 60; f.mana = 5; for (int16_t &c : f.hand) c = static_cast<int16_t>(bks_random_below(&t.random, 4)); }
}
static void play(Table &t, const bks_step *step, std::vector<Effect> &queue)
{
    for (uint32_t p = 0; p < step->players; p++) {
        auto in = static_cast<const Input *>(bks_step_input(step, p));
        Fighter &f = t.fighters[p];
        if (!in->play || step->tick % 10 != 0) continue;
        int16_t &slot = f.hand[in->card % 5];
        const Card &card = *library[slot];
        if (card.cost() > f.mana) continue;
        f.mana -= card.cost();
        queue.push_back(card.effect(t, static_cast<int>(p), in->lane % 3));
        slot = static_cast<int16_t>(bks_random_below(&t.random, 4));
        t.played++;
    }
}
static void resolve(Table &t, std::vector<Effect> &queue)
{
    for (Effect &e : queue) e(t);
    queue.clear();
}
static void upkeep(Table &t, const bks_step *step)
{
    if (step->tick % 10 != 9) return;
    t.turn++;
    for (int p = 0; p < 2; p++) {
        Fighter &f = t.fighters[p];
        f.hp -= f.poison / 2;
        f.poison -= f.poison > 0;
        if (f.mana < 8) f.mana++;
        if (f.hp <= 0) { f.hp = 60; f.poison = f.armour = 0; t.fighters[!p].wins++; }
    }
    for (Lane &l : t.lanes) {
        int16_t owner = l.power[0] > l.power[1] ? 1 : l.power[1] > l.power[0] ? 2 : 0;
        l.held = owner == l.owner ? static_cast<int16_t>(l.held + 1) : 0;
        l.owner = owner;
    }
}
static void step(void *state, const bks_step *step)
{
    auto &t = *static_cast<Table *>(state);
    std::vector<Effect> queue;
    play(t, step, queue);
    bks_mark(step, "play");
    resolve(t, queue);
    bks_mark(step, "resolve");
    upkeep(t, step);
    bks_mark(step, "upkeep");
}
static const bks_type_entry types[] = {BKS_TYPE_ROOT(Table)};
static const bks_field fields[] = {{"card", 3}, {"lane", 2}, {"play", 1}};
static bks_game make()
{
    bks_game g = {};
    g.name = "cards"; g.tick_rate_hz = 60; g.players_max = 2; g.fields = fields; g.field_count = 3;
    g.state_bytes = sizeof(Table); g.types = types; g.type_count = 1; g.init = init; g.step = step;
    return g;
}
static const bks_game game = make();
}
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {BKS_PLUGIN_ABI, &cards::game};
