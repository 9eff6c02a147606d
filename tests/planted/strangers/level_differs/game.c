// SPDX-License-Identifier: MIT

// CRYPT: two heroes in a dungeon of tiles; the level is a text file beside the game.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { W = 24, H = 12, HEROES = 2, GHOULS = 5, TILE = 32 };

typedef struct hero {
    int32_t x, y, hp, gold;
    int16_t hurt, swing;
    uint8_t keys, falls;
} hero;

typedef struct ghoul {
    int32_t x, y, hp;
    int16_t wait;
} ghoul;

typedef struct crypt_state {
    uint32_t tick;
    hero heroes[HEROES];
    ghoul ghouls[GHOULS];
    uint8_t opened[H][W];
    uint32_t doors;
} crypt_state;

static char level[H][W + 1]; // never changes in a match, so it is no part of the state

static bool load_level(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    char line[64];
    for (int y = 0; y < H && fgets(line, sizeof line, file); y++) {
        memset(level[y], '#', W);
        memcpy(level[y], line, strcspn(line, "\n") < W ? strcspn(line, "\n") : W);
    }
    fclose(file);
    return true;
}

static char tile_at(int32_t x, int32_t y)
{
    x /= TILE, y /= TILE;
    return x < 0 || y < 0 || x >= W || y >= H ? '#' : level[y][x];
}

static void crypt_init(void *state, const bks_start *start)
{
    crypt_state *c = state;
    (void)start;
    if (!load_level("crypt.lvl")) load_level("data/crypt.lvl");
    for (int i = 0; i < HEROES; i++) c->heroes[i] = (hero){.x = 64 + 96 * i, .y = 64, .hp = 100};
    for (int i = 0; i < GHOULS; i++) c->ghouls[i] = (ghoul){.x = 400 + 48 * i, .y = 250, .hp = 30};
}

static void move_heroes(crypt_state *c, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        hero *h = &c->heroes[i];
        const int32_t nx = h->x + in[0] / 14, ny = h->y + in[1] / 14;
        if (tile_at(nx, h->y) != '#') h->x = nx;
        if (tile_at(h->x, ny) != '#') h->y = ny;
        h->swing = (int16_t)(in[2] ? 8 : h->swing > 0 ? h->swing - 1 : 0);
        if (h->hurt > 0) h->hurt--;
    }
}

static void tiles(crypt_state *c)
{
    for (int i = 0; i < HEROES; i++) {
        hero *h = &c->heroes[i];
        const int tx = h->x / TILE, ty = h->y / TILE;
        switch (tile_at(h->x, h->y)) {
        case '^':
            if (h->hurt == 0) h->hp -= 5, h->hurt = 20;
            break;
        case '$':
            if (!c->opened[ty][tx]) c->opened[ty][tx] = 1, h->gold += 10;
            break;
        case 'k':
            if (!c->opened[ty][tx]) c->opened[ty][tx] = 1, h->keys++;
            break;
        default: break;
        }
        if (h->hp <= 0) h->hp = 100, h->x = 64, h->y = 64, h->falls++;
    }
}

static void move_ghouls(crypt_state *c)
{
    for (int i = 0; i < GHOULS; i++) {
        ghoul *g = &c->ghouls[i];
        hero *near = &c->heroes[i % 2];
        if (g->wait > 0) { g->wait--; continue; }
        g->x += near->x > g->x ? 1 : -1;
        g->y += near->y > g->y ? 1 : -1;
        if (abs(near->x - g->x) < 12 && abs(near->y - g->y) < 12) {
            if (near->swing > 0) g->hp -= 10; else near->hp -= 2;
            g->wait = 30;
        }
        if (g->hp <= 0) *g = (ghoul){.x = 600, .y = 300, .hp = 30};
    }
}

static void crypt_step(void *state, const bks_step *step)
{
    crypt_state *c = state;
    move_heroes(c, step);
    bks_mark(step, "heroes");
    move_ghouls(c);
    bks_mark(step, "ghouls");
    tiles(c);
    bks_mark(step, "tiles");
    c->tick++;
}

static const bks_game game = {.name = "crypt", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(crypt_state), .init = crypt_init, .step = crypt_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
