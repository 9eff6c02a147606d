// SPDX-License-Identifier: MIT

// Tile war: two painters fill a board; scores by rows. Nothing is wrong with it: a bit of memory flips.
#include <backstitch/backstitch.h>
#include <string.h>
enum { W = 48, H = 32 };
typedef enum colour { NONE, RED, BLUE, WALL } colour;
typedef struct painter { int16_t x, y; int32_t painted, paint, row_score; } painter;
typedef struct tile { uint8_t colour, age, hard, worth; } tile;
typedef struct tiles_state { painter painters[2]; tile board[H][W]; bks_random random; int32_t rows[H]; int32_t refills; } tiles_state;
static const bks_type_entry types[] = {BKS_TYPE_ENUM(tile, colour, colour)};
static void tiles_init(void *state, const bks_start *start)
{
    tiles_state *t = state;
    bks_random_seed(&t->random, start->seed, 110);
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            t->board[y][x] = (tile){.colour = bks_random_below(&t->random, 12) == 0 ? WALL : NONE, .worth = (uint8_t)(1 + bks_random_below(&t->random, 4))};
        }
    }
    t->painters[0] = (painter){.x = 4, .y = 4, .paint = 200};
    t->painters[1] = (painter){.x = 40, .y = 26, .paint = 200};
}
static void paint(tiles_state *t, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *in = bks_step_input(step, p);
        painter *a = &t->painters[p];
        int x = (a->x + in[0] + W) % W, y = (a->y + in[1] + H) % H;
        if (step->tick % 3 == 0 && t->board[y][x].colour != WALL) {
            a->x = (int16_t)x;
            a->y = (int16_t)y;
        }
        tile *c = &t->board[a->y][a->x];
        if (in[2] && a->paint > 0 && c->colour != p + 1) {
            c->colour = (uint8_t)(p + 1);
            c->age = 0;
            a->painted++;
            a->paint--;
        }
    }
}
static void dry(tiles_state *t, const bks_step *step)
{
    int y = (int)(step->tick % H);
    t->rows[y] = 0;
    for (int x = 0; x < W; x++) {
        tile *c = &t->board[y][x];
        if (c->colour == RED || c->colour == BLUE) {
            c->age = (uint8_t)(c->age < 250 ? c->age + 1 : 250);
            t->rows[y] += c->colour == RED ? c->worth : -c->worth;
        }
    }
}
static void refill(tiles_state *t, const bks_step *step)
{
    if (step->tick % 240 == 239) {
        t->refills++;
        t->painters[0].paint += 40;
        t->painters[1].paint += 40;
    }
    for (int p = 0; p < 2; p++) {
        t->painters[p].row_score = 0;
        for (int y = 0; y < H; y++) {
            t->painters[p].row_score += (t->rows[y] > 0) == (p == 0) && t->rows[y] != 0;
        }
    }
}
static void tiles_step(void *state, const bks_step *step)
{
    tiles_state *t = state;
    paint(t, step);
    bks_mark(step, "paint");
    dry(t, step);
    bks_mark(step, "dry");
    refill(t, step);
    bks_mark(step, "refill");
}
static const bks_field fields[] = {{.name = "x", .bits = 2, .is_signed = true}, {.name = "y", .bits = 2, .is_signed = true}, {.name = "paint", .bits = 1}};
static const bks_game game = {.name = "tiles", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 3,
    .state_bytes = sizeof(tiles_state), .types = types, .type_count = 1, .init = tiles_init, .step = tiles_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
