// SPDX-License-Identifier: MIT

// Adventure: dialogues pop up over characters; a dialogue stays as long as its text takes to read.
#include <backstitch/backstitch.h>
#include <stdlib.h>
#include <string.h>
typedef enum phrase { PHRASE_NONE, PHRASE_HELLO, PHRASE_TRADE, PHRASE_QUEST, PHRASE_BYE, PHRASES } phrase;
static const char *const english[PHRASES] = {"", "Hello there!", "Care to trade?", "Wolves took my sheep. Bring me five pelts.", "Farewell."};
static const char *const german[PHRASES] = {"", "Sei gegruesst, Wanderer!", "Lust auf ein kleines Tauschgeschaeft?",
    "Woelfe haben meine Schafe gerissen. Bringt mir fuenf Felle.", "Leb wohl."};
enum { NPCS = 6, ITEMS = 30 };
typedef struct npc { int32_t x, y; uint8_t says, to, mood, pad; int32_t says_ticks, quests; } npc;
typedef struct player { int32_t x, y, gold, pelts, quest, karma; } player;
typedef struct item { int16_t x, y; uint8_t kind, taken; } item;
typedef struct village_state {
    player players[2];
    npc npcs[NPCS];
    item items[ITEMS];
    bks_random random;
    int32_t talks, trades;
} village_state;
static const bks_type_entry types[] = {BKS_TYPE_ENUM(npc, says, phrase)};

static const char *text_of(phrase p) // in the player's language
{
    const char *language = getenv("LANG");
    return language != NULL && strncmp(language, "de", 2) == 0 ? german[p] : english[p];
}
static void village_init(void *state, const bks_start *start)
{
    village_state *v = state;
    bks_random_seed(&v->random, start->seed, 6);
    for (int i = 0; i < NPCS; i++) {
        v->npcs[i] = (npc){.x = 80 + 100 * i, .y = 120 + 30 * (i % 3), .mood = 5};
    }
    for (int i = 0; i < ITEMS; i++) {
        v->items[i] = (item){.x = (int16_t)bks_random_below(&v->random, 640), .y = (int16_t)bks_random_below(&v->random, 360), .kind = (uint8_t)(i % 2)};
    }
    for (int i = 0; i < 2; i++) {
        v->players[i] = (player){.x = 200 + 200 * i, .y = 180, .gold = 10};
    }
}
static void walk(village_state *v, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *in = bks_step_input(step, p);
        player *a = &v->players[p];
        a->x += in[0] * 2;
        a->y += in[1] * 2;
        a->x = a->x < 0 ? 0 : a->x > 640 ? 640 : a->x;
        a->y = a->y < 0 ? 0 : a->y > 360 ? 360 : a->y;
        for (int i = 0; i < ITEMS; i++) {
            item *it = &v->items[i];
            if (!it->taken && abs(it->x - a->x) < 10 && abs(it->y - a->y) < 10) {
                it->taken = 1;
                *(it->kind ? &a->pelts : &a->gold) += 1;
            }
        }
    }
}
static void say(npc *n, phrase p, uint32_t to)
{
    n->says = (uint8_t)p;
    n->to = (uint8_t)to;
    n->says_ticks = 12 + (int32_t)strlen(text_of(p));
}
static void talk(village_state *v, const bks_step *step)
{
    for (int i = 0; i < NPCS; i++) {
        npc *n = &v->npcs[i];
        if (n->says_ticks > 0) {
            if (--n->says_ticks == 0) {
                n->says = PHRASE_NONE;
            }
            continue;
        }
        for (uint32_t p = 0; p < step->players; p++) {
            const int32_t *in = bks_step_input(step, p);
            player *a = &v->players[p];
            if (!in[2] || abs(n->x - a->x) > 90 || abs(n->y - a->y) > 90) {
                continue;
            }
            v->talks++;
            if (a->pelts >= 5) {
                a->pelts -= 5;
                a->gold += 20;
                n->quests++;
                say(n, PHRASE_BYE, p);
            } else if (a->gold >= 12) {
                a->gold -= 2;
                a->karma++;
                v->trades++;
                say(n, PHRASE_TRADE, p);
            } else {
                say(n, bks_random_below(&v->random, 2) ? PHRASE_HELLO : PHRASE_QUEST, p);
            }
            break;
        }
    }
}
static void village_step(void *state, const bks_step *step)
{
    village_state *v = state;
    walk(v, step);
    bks_mark(step, "walk");
    talk(v, step);
    bks_mark(step, "talk");
}
static const bks_field fields[] = {{.name = "x", .bits = 3, .is_signed = true}, {.name = "y", .bits = 3, .is_signed = true}, {.name = "talk", .bits = 1}};
static const bks_game game = {.name = "village", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 3,
    .state_bytes = sizeof(village_state), .types = types, .type_count = 1, .init = village_init, .step = village_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
