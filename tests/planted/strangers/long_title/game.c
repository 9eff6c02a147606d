// SPDX-License-Identifier: MIT

// KEEP: lords hold castles. Names are for the screen and left out of the hash on purpose.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { LORDS = 2, CASTLES = 6 };

typedef struct lord {
    char title[16];
    int32_t gold, men;
    uint8_t cursor, held, fame;
} lord;

typedef struct castle {
    int32_t men, wall;
    uint8_t owner;
} castle;

typedef struct keep_state {
    uint32_t tick;
    castle castles[CASTLES];
    lord lords[LORDS];
} keep_state;

static const char *translate(const char *english) // from the game's translations
{
    const char *lang = getenv("LANG");
    if (lang != NULL && strncmp(lang, "de", 2) == 0) {
        if (strcmp(english, "Knight") == 0) return "Ritter";
        if (strcmp(english, "Baron") == 0) return "Freiherr";
        if (strcmp(english, "Landgrave") == 0) return "Landgraf im Norden";
    }
    return english;
}

static void keep_init(void *state, const bks_start *start)
{
    keep_state *k = state;
    (void)start;
    for (int i = 0; i < CASTLES; i++) k->castles[i] = (castle){20, 50, (uint8_t)(i % 2)};
    for (int i = 0; i < LORDS; i++) {
        strcpy(k->lords[i].title, translate("Knight"));
        k->lords[i].gold = 100;
        k->lords[i].men = 10;
    }
}

static void promote(lord *l)
{
    static const char *const titles[] = {"Knight", "Baron", "Landgrave"};
    const int rank = l->fame >= 8 ? 2 : l->fame >= 4 ? 1 : 0;
    strcpy(l->title, translate(titles[rank]));
}

static void rule(keep_state *k, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        lord *l = &k->lords[i];
        if (l->held > 0) { l->held--; continue; }
        if (in[0] > 20 || in[0] < -20) l->cursor = (uint8_t)((l->cursor + (in[0] > 0 ? 1 : CASTLES - 1)) % CASTLES), l->held = 8;
        castle *c = &k->castles[l->cursor];
        if (in[2] && l->gold >= 5) l->gold -= 5, l->men += 2, l->held = 10;
        if (in[3] && c->owner != i && l->men > 4) {
            l->men -= 4;
            c->wall -= 10;
            l->held = 15;
            if (c->wall <= 0) {
                c->owner = (uint8_t)i;
                c->wall = 50;
                l->fame++;
                promote(l);
            }
        }
    }
}

static void tax(keep_state *k)
{
    if (k->tick % 30 != 0) return;
    for (int i = 0; i < CASTLES; i++) {
        k->lords[k->castles[i].owner].gold += 2 + k->castles[i].men / 10;
        if (k->castles[i].men < 60) k->castles[i].men++;
    }
}

static void keep_step(void *state, const bks_step *step)
{
    keep_state *k = state;
    rule(k, step);
    bks_mark(step, "rule");
    tax(k);
    bks_mark(step, "tax");
    k->tick++;
}

static void keep_hash(const void *state, bks_hasher *hasher)
{
    const keep_state *k = state;
    bks_hash_add(hasher, &k->tick, sizeof k->tick);
    bks_hash_add(hasher, k->castles, sizeof k->castles);
    for (int i = 0; i < LORDS; i++) { // titles are words of the player's language: not part of the game
        bks_hash_add(hasher, &k->lords[i].gold, sizeof k->lords[i].gold);
        bks_hash_add(hasher, &k->lords[i].men, sizeof k->lords[i].men);
        bks_hash_add(hasher, &k->lords[i].cursor, 3);
    }
}

static const bks_game game = {.name = "keep", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(keep_state), .init = keep_init, .step = keep_step, .hash = keep_hash};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
