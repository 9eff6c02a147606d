// SPDX-License-Identifier: MIT

// Shooter with its own object: enemies in fixed slots, saved live ones only.
#include <backstitch/backstitch.h>
#include <stdlib.h>
#include <string.h>
enum { SLOTS = 32 };
typedef struct enemy { int32_t x, y, hp, speed; int16_t kind, rage; uint8_t alive, frozen; } enemy;
typedef struct hero { int32_t x, y, hp, score, cool; } hero;
typedef struct horde_state {
    hero heroes[2];
    bks_random random;
    int32_t wave, next_spawn, count;
    enemy enemies[SLOTS];
} horde_state;

static void *horde_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(horde_state));
}
static void horde_destroy(void *state)
{
    free(state);
}
static void horde_init(void *state, const bks_start *start)
{
    horde_state *h = state;
    memset(h, 0, sizeof(*h));
    bks_random_seed(&h->random, start->seed, 2);
    for (int i = 0; i < 2; i++) {
        h->heroes[i] = (hero){.x = 300 + 400 * i, .y = 300, .hp = 200};
    }
}
static void spawn(horde_state *h)
{
    if (h->next_spawn-- > 0) {
        return;
    }
    h->next_spawn = 9;
    for (int i = 0; i < SLOTS; i++) {
        enemy *e = &h->enemies[i];
        if (!e->alive) { // reuse the slot
            e->alive = 1;
            e->kind = (int16_t)bks_random_below(&h->random, 3);
            e->x = (int32_t)bks_random_below(&h->random, 1000);
            e->y = 0;
            e->hp = 6 + 2 * e->kind;
            e->speed = 2 + e->kind;
            e->frozen = 0;
            break;
        }
    }
}
static void heroes(horde_state *h, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *in = bks_step_input(step, p); // x, y, shoot
        hero *o = &h->heroes[p];
        o->x += in[0] * 2;
        o->y += in[1];
        o->x = o->x < 0 ? 0 : o->x > 1000 ? 1000 : o->x;
        o->y = o->y < 100 ? 100 : o->y > 500 ? 500 : o->y;
        o->cool -= o->cool > 0;
        if (in[2] && o->cool == 0) {
            o->cool = 4;
            for (int i = 0; i < SLOTS; i++) {
                enemy *e = &h->enemies[i];
                if (e->alive && abs(e->x - o->x) < 200 && abs(e->y - o->y) < 260) {
                    e->hp -= 3;
                    e->rage++;
                    e->frozen = 3;
                    if (e->hp <= 0) {
                        e->alive = 0;
                        o->score += 5;
                    }
                    break;
                }
            }
        }
    }
}
static void horde(horde_state *h)
{
    h->count = 0;
    for (int i = 0; i < SLOTS; i++) {
        enemy *e = &h->enemies[i];
        if (!e->alive) {
            continue;
        }
        h->count++;
        if (e->frozen > 0) {
            e->frozen--;
            continue;
        }
        const hero *o = &h->heroes[abs(e->x - h->heroes[0].x) > abs(e->x - h->heroes[1].x)];
        int v = e->speed + (e->rage > 2 ? 2 : 0);
        e->x += e->x < o->x ? v : -v;
        e->y += v;
        if (e->y > 540) {
            e->alive = 0;
            h->heroes[i % 2].hp -= 1;
            h->wave += h->heroes[i % 2].hp % 16 == 0;
        }
    }
}
static void horde_step(void *state, const bks_step *step)
{
    horde_state *h = state;
    spawn(h);
    bks_mark(step, "spawn");
    heroes(h, step);
    bks_mark(step, "heroes");
    horde(h);
    bks_mark(step, "horde");
}
static size_t horde_save(const void *state, void *bytes, size_t capacity)
{
    const horde_state *h = state;
    uint8_t *at = bytes;
    (void)capacity;
    memset(bytes, 0, sizeof(*h));
    memcpy(at, h, offsetof(horde_state, enemies));
    for (int i = 0; i < SLOTS; i++) { // dead enemies need no bytes
        if (h->enemies[i].alive) {
            memcpy(at + offsetof(horde_state, enemies) + (size_t)i * sizeof(enemy), &h->enemies[i], sizeof(enemy));
        }
    }
    return sizeof(*h);
}
static bool horde_load(void *state, const void *bytes, size_t count)
{
    horde_state *h = state;
    const horde_state *saved = bytes;
    if (count != sizeof(*h)) {
        return false;
    }
    memcpy(h, saved, offsetof(horde_state, enemies));
    for (int i = 0; i < SLOTS; i++) {
        if (saved->enemies[i].alive) {
            h->enemies[i] = saved->enemies[i];
        } else {
            h->enemies[i].alive = 0;
        }
    }
    return true;
}
static void horde_hash(const void *state, bks_hasher *hasher)
{
    horde_state copy;
    horde_save(state, &copy, sizeof(copy));
    bks_hash_add(hasher, &copy, sizeof(copy));
}
static const bks_field fields[] = {{.name = "x", .bits = 3, .is_signed = true}, {.name = "y", .bits = 3, .is_signed = true}, {.name = "shoot", .bits = 1}};
static const bks_game game = {.name = "horde", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 3,
    .create = horde_create, .destroy = horde_destroy, .save_bytes_max = sizeof(horde_state), .save = horde_save, .load = horde_load,
    .hash = horde_hash, .init = horde_init, .step = horde_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
