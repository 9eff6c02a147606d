// SPDX-License-Identifier: MIT

#include "hostile_state.h"

#include <stdlib.h>
#include <string.h>

#include "duel/duel.h"
#include "game/runner.h"
#include "nested_game.h"
#include "pad/pad.h"
#include "state/arena.h"

enum {
    CHANGE_BYTES = 8,
    STEPS = 6,
    POOLS_MAX = 16,
    STATE_BYTES_MAX = 128 * 1024,
};

typedef struct real_state {
    const bks_game *game;
    const char *options[3]; ///< "name=value"
    uint32_t players;
    bks_tick ticks; ///< it was played for
    bksi_runner *runner;
    uint8_t *bytes;
    size_t count;
    uint32_t targets[POOLS_MAX]; ///< places that references lead to: pools, and what lies behind
    uint32_t target_count;
} real_state;

static real_state states[HOSTILE_STATES] = {
    {.game = &duel_game, .options = {"mode=versus", "map=plain"}, .players = 2, .ticks = 400},
    {.game = &duel_game, .options = {"mode=versus", "map=islands"}, .players = 3, .ticks = 2700},
    {.game = &duel_game, .options = {"mode=arcade", "wave=1"}, .players = 1, .ticks = 300},
    {.game = &duel_game, .options = {"mode=arcade", "wave=40"}, .players = 4, .ticks = 500},
    {.game = &pad_game, .options = {"state=4KiB"}, .players = 2, .ticks = 20},
    [HOSTILE_NESTED] = {.game = &nested_game, .players = 1, .ticks = 30},
};
static uint8_t changed[STATE_BYTES_MAX];

static void need(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void play(const real_state *real, bks_tick from, bks_tick ticks)
{
    uint64_t memory[4][8] = {{0}};
    for (bks_tick tick = from; tick < from + ticks; tick++) {
        int32_t inputs[4 * BKS_FIELDS_MAX] = {0};
        for (uint32_t player = 0; player < real->players; player++) {
            int32_t *values = &inputs[player * real->game->field_count];
            values[0] = tick & 1;
            if (real->game->bot != NULL) {
                real->game->bot(bksi_runner_state(real->runner), player, tick, memory[player],
                                values);
            }
        }
        bksi_runner_step(real->runner, tick, inputs);
    }
}

static void set_options(const real_state *real, bks_option_values *values)
{
    need(bks_option_values_default(real->game, values) == BKS_OK);
    for (uint32_t i = 0; i < 3 && real->options[i] != NULL; i++) {
        const char *equals = strchr(real->options[i], '=');
        char name[16] = "";
        memcpy(name, real->options[i], (size_t)(equals - real->options[i]));
        need(bks_option_values_set(real->game, values, name, equals + 1, NULL) == BKS_OK);
    }
}

/// The pools of a state, and the arena itself.
static void find_targets(real_state *real)
{
    if (real->game->root_bytes == 0) {
        return;
    }
    const bks_arena *arena = bksi_arena_at(real->bytes, real->game->root_bytes);
    real->targets[real->target_count++] = (uint32_t)arena->offset_bytes;
    for (uint64_t at = arena->first_pool_offset; at != 0 && real->target_count < POOLS_MAX;) {
        real->targets[real->target_count++] = (uint32_t)at;
        at = ((const bks_pool *)(const void *)(real->bytes + at))->next_pool_offset;
    }
}

void hostile_state_open(void)
{
    for (uint32_t i = 0; i < HOSTILE_STATES; i++) {
        real_state *real = &states[i];
        bksi_runner_config config = {.game = real->game,
                                     .seed = i + 1,
                                     .players = real->players,
                                     .tick_rate_hz = real->game->tick_rate_hz};
        set_options(real, &config.options);
        need(bksi_runner_create(&config, &real->runner, NULL) == BKS_OK);
        play(real, 0, real->ticks);
        real->count = bksi_runner_used_bytes(real->runner);
        real->bytes = malloc(real->count);
        need(real->bytes != NULL && real->count <= sizeof(changed));
        need(bksi_runner_export(real->runner, real->bytes, real->count) == real->count);
        real->target_count = 0;
        find_targets(real);
    }
}

void hostile_state_close(void)
{
    for (uint32_t i = 0; i < HOSTILE_STATES; i++) {
        bksi_runner_destroy(states[i].runner);
        free(states[i].bytes);
    }
}

static uint32_t number(const uint8_t *bytes, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++) {
        value |= (uint32_t)bytes[i] << 8 * i;
    }
    return value;
}

/// Half of the changes lie in the first struct: most that leads anywhere does.
static size_t place_of(const real_state *real, uint32_t where, uint32_t bytes, uint32_t alignment)
{
    size_t room = real->count - bytes;
    if ((where & 1) != 0 && real->game->root_bytes > 512) {
        room = 512;
    }
    return (where >> 1) % room / alignment * alignment;
}

static void put_reference(const real_state *real, uint32_t where, uint32_t value)
{
    const size_t at = place_of(real, where, 8, 8);
    int64_t target = (int64_t)(value % real->count);
    if ((value & 0xC0000000u) == 0 && real->target_count > 0) {
        target = real->targets[value % real->target_count];
    } else if ((value & 0xC0000000u) == 0x40000000u) {
        target = (int64_t)value * 4096 - (INT64_C(1) << 42); // outside
    }
    const int64_t distance = target - (int64_t)at;
    memcpy(changed + at, &distance, sizeof(distance));
}

static void change(const real_state *real, uint32_t what, uint32_t where, uint32_t value)
{
    static const uint64_t odd[] = {0,          1,         0x7F,       0xFF,      0x7FFF,
                                   UINT16_MAX, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    const uint64_t strange = odd[value % (sizeof(odd) / sizeof(odd[0]))];
    switch (what % 8) {
    case 0:
        changed[place_of(real, where, 1, 1)] ^= (uint8_t)(1u << value % 8);
        break;
    case 1:
        changed[place_of(real, where, 1, 1)] = (uint8_t)value;
        break;
    case 2:
        memcpy(changed + place_of(real, where, 2, 2), &value, 2);
        break;
    case 3:
        memcpy(changed + place_of(real, where, 4, 4), &value, 4);
        break;
    case 4:
        memcpy(changed + place_of(real, where, 8, 8), &strange, 1u << value % 4);
        break;
    case 5:
        memmove(changed + place_of(real, where, 256, 8), changed + place_of(real, value, 256, 8),
                8u << value % 6);
        break;
    default:
        put_reference(real, where, value);
        break;
    }
}

// ---- a canvas that looks at every argument and shows nothing ----

static volatile double seen;

static void clear(void *context, bks_colour colour)
{
    (void)context;
    seen += colour;
}

static void rectangle(void *context, float x, float y, float width, float height, bks_colour colour)
{
    (void)context;
    seen += (double)(x + y + width + height) + colour;
}

static void polygon(void *context, const float *points, uint32_t count, bks_colour colour)
{
    (void)context;
    for (uint32_t i = 0; i < 2 * count; i++) {
        seen += (double)points[i] + colour;
    }
}

static void line(void *context, float x0, float y0, float x1, float y1, float width,
                 bks_colour colour)
{
    rectangle(context, x0, y0, x1, y1 + width, colour);
}

static void circle(void *context, float x, float y, float radius, bks_colour colour)
{
    rectangle(context, x, y, radius, radius, colour);
}

static void text(void *context, float x, float y, float size, bks_colour colour, const char *words)
{
    rectangle(context, x, y, size, (float)strlen(words), colour);
}

static float text_width(void *context, float size, const char *words)
{
    (void)context;
    return size * (float)strlen(words) * 0.6f;
}

static void draw(const real_state *real, bool is_coarse)
{
    const bks_canvas canvas = {.width = is_coarse ? 80 : 640,
                               .height = is_coarse ? 40 : 400,
                               .is_coarse = is_coarse,
                               .clear = clear,
                               .rectangle = rectangle,
                               .polygon = polygon,
                               .line = line,
                               .circle = circle,
                               .text = text,
                               .text_width = text_width};
    char score[64];
    if (real->game == &duel_game) {
        const bks_picture picture = bks_picture_of(bksi_runner_state(real->runner));
        duel_draw(&picture, &canvas);
        duel_score(bksi_runner_state(real->runner), 0, score);
    }
}

/// Whether a flip there is the library's to survive. The indices of the nested game are its own: it
/// checks them when a state comes in, and then relies on them.
static bool is_survived(const real_state *real, uint32_t at)
{
    return real->game != &nested_game ||
           bksi_arena_is_bookkeeping(real->bytes, real->game->root_bytes, real->count, at);
}

/// Flip bits of the state that is played on, as a memory fault does: no check comes before its use.
static void damage(const real_state *real, const uint8_t *bytes, size_t count)
{
    for (size_t at = 0; at + CHANGE_BYTES <= count; at += CHANGE_BYTES) {
        const uint32_t where = number(bytes + at + 4, 4) % (uint32_t)real->count;
        const uint32_t header = real->targets[where % POOLS_MAX]; // 0 behind the last
        const bool is_header = (bytes[at] & 0x80) != 0 && header != 0;
        const uint32_t offset = is_header ? header + where % 200 : where;
        if (is_survived(real, offset)) {
            bksi_runner_flip(real->runner, offset, bytes[at + 1] % 8);
        }
    }
}

bool hostile_state_try(const uint8_t *bytes, size_t count)
{
    if (count == 0) {
        return false;
    }
    const real_state *real = &states[bytes[0] % HOSTILE_STATES];
    const bool is_damaged = (bytes[0] & HOSTILE_DAMAGED) != 0;
    memcpy(changed, real->bytes, real->count);
    for (size_t at = 1; at + CHANGE_BYTES <= count && !is_damaged; at += CHANGE_BYTES) {
        change(real, bytes[at], number(bytes + at + 1, 3), number(bytes + at + 4, 4));
    }
    const bool is_taken = bksi_runner_import(real->runner, changed, real->count, NULL) == BKS_OK;
    if (is_damaged) {
        damage(real, bytes + 1, count - 1);
    }
    draw(real, (count & 8) != 0);
    play(real, real->ticks, STEPS);
    (void)bksi_runner_hash(real->runner);
    (void)bksi_runner_export(real->runner, changed, sizeof(changed));
    return is_taken;
}
