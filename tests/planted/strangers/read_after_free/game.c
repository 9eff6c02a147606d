// SPDX-License-Identifier: MIT

// Space shooter: ships, rocks; each tick a list of contacts is made on the heap and worked off.
#include <backstitch/backstitch.h>
#include <stdlib.h>
enum { ROCKS = 20, SHOTS = 24 };
typedef struct ship { int32_t x, y, vx, vy, shield, score, cool; } ship;
typedef struct rock { int32_t x, y, vx, vy; int16_t size, hits; } rock;
typedef struct shot { int32_t x, y, vx, vy; int16_t owner, left; } shot;
typedef struct rocks_state {
    ship ships[2];
    rock rocks[ROCKS];
    shot shots[SHOTS];
    bks_random random;
    int32_t wave, contacts, combo, best_combo;
} rocks_state;
typedef struct contact { int32_t rock, shot; } contact;
typedef struct contact_list { int32_t count, room; contact *items; } contact_list;

static contact_list *contacts_new(void)
{
    contact_list *list = calloc(1, sizeof(*list));
    list->room = 8;
    list->items = calloc((size_t)list->room, sizeof(contact));
    return list;
}
static void contacts_add(contact_list *list, int32_t r, int32_t s)
{
    if (list->count == list->room) {
        list->room *= 2;
        list->items = realloc(list->items, (size_t)list->room * sizeof(contact));
    }
    list->items[list->count++] = (contact){r, s};
}
static void contacts_free(contact_list *list)
{
    free(list->items);
    free(list);
}
static void new_rock(rocks_state *s, rock *r)
{
    *r = (rock){.x = (int32_t)bks_random_below(&s->random, 64000), .y = 0, .vx = bks_random_between(&s->random, -90, 90),
                .vy = bks_random_between(&s->random, 20, 120), .size = (int16_t)bks_random_between(&s->random, 800, 2600)};
}
static void rocks_init(void *state, const bks_start *start)
{
    rocks_state *s = state;
    bks_random_seed(&s->random, start->seed, 4);
    for (int i = 0; i < ROCKS; i++) {
        new_rock(s, &s->rocks[i]);
    }
    s->ships[0] = (ship){.x = 16000, .y = 44000, .shield = 100};
    s->ships[1] = (ship){.x = 48000, .y = 44000, .shield = 100};
}
static void ships_step(rocks_state *s, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *in = bks_step_input(step, p); // x, fire
        ship *h = &s->ships[p];
        h->vx = (h->vx + in[0] * 12) * 15 / 16;
        h->x = (h->x + h->vx + 64000) % 64000;
        if (h->cool > 0) {
            h->cool--;
        } else if (in[1]) {
            for (int i = 0; i < SHOTS; i++) {
                if (s->shots[i].left == 0) {
                    s->shots[i] = (shot){.x = h->x, .y = h->y, .vy = -900, .owner = (int16_t)p, .left = 60};
                    h->cool = 9;
                    break;
                }
            }
        }
    }
}
static void move(rocks_state *s)
{
    for (int i = 0; i < ROCKS; i++) {
        rock *r = &s->rocks[i];
        r->x = (r->x + r->vx + 64000) % 64000;
        r->y += r->vy;
        if (r->y > 48000) {
            new_rock(s, r);
        }
    }
    for (int i = 0; i < SHOTS; i++) {
        shot *t = &s->shots[i];
        if (t->left > 0) {
            t->y += t->vy;
            t->left--;
        }
    }
}
static void collide(rocks_state *s)
{
    contact_list *list = contacts_new();
    for (int i = 0; i < SHOTS; i++) {
        for (int r = 0; r < ROCKS && s->shots[i].left > 0; r++) {
            int32_t dx = s->shots[i].x - s->rocks[r].x, dy = s->shots[i].y - s->rocks[r].y;
            if (abs(dx) < s->rocks[r].size && abs(dy) < s->rocks[r].size) {
                contacts_add(list, r, i);
                break;
            }
        }
    }
    for (int32_t i = 0; i < list->count; i++) {
        shot *t = &s->shots[list->items[i].shot];
        t->left = 0;
        s->ships[t->owner].score += 10;
        new_rock(s, &s->rocks[list->items[i].rock]);
    }
    if (list->count > 0) {
        contacts_free(list);
        s->contacts += list->count; // the list is gone
        s->combo++;
        s->best_combo = s->combo > s->best_combo ? s->combo : s->best_combo;
    } else {
        s->combo = 0;
        contacts_free(list);
    }
}
static void rocks_step(void *state, const bks_step *step)
{
    rocks_state *s = state;
    ships_step(s, step);
    bks_mark(step, "ships");
    move(s);
    bks_mark(step, "move");
    collide(s);
    bks_mark(step, "collide");
}
static const bks_field fields[] = {{.name = "x", .bits = 3, .is_signed = true}, {.name = "fire", .bits = 1}};
static const bks_game game = {.name = "rocks", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 2,
    .state_bytes = sizeof(rocks_state), .init = rocks_init, .step = rocks_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
