// SPDX-License-Identifier: MIT

// A game without a region, whose `save` writes text. TEXT_SAVE_OTHER makes it come to something
// else from tick 20 on: "speed" to a number with other digits, "name" to another letter of a name
// that is UTF-8 and markup, "bytes" to bytes that are no text.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/plugin.h"

#define OTHER_TICK 20

enum { NAME_BYTES = 80, SAVE_BYTES_MAX = 512 };

typedef struct text_save_state {
    double way;
    double speed;
    char name[NAME_BYTES];
} text_save_state;

static void *create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(text_save_state));
}

static void init(void *memory, const bks_start *start)
{
    (void)start;
    *(text_save_state *)memory =
        (text_save_state){.speed = 1.25, .name = "<b>caf\u00E9</b><img src=x>"};
}

static bool is_other(const bks_step *step, const char *kind)
{
    const char *wanted = getenv("TEXT_SAVE_OTHER");
    return wanted != NULL && strcmp(wanted, kind) == 0 && step->tick >= OTHER_TICK;
}

static void step(void *memory, const bks_step *step)
{
    text_save_state *state = memory;
    state->way += state->speed + step->inputs[0];
    state->speed = is_other(step, "speed") ? 1.375 : 1.25;
    if (is_other(step, "name")) {
        (void)strcpy(state->name, "<b>caf\u00E8</b><img src=x>");
    }
    if (is_other(step, "bytes")) {
        (void)strcpy(state->name, "<b>\xFF\xFE\x80\x81</b><img src=x>");
    }
}

static size_t save(const void *memory, void *bytes, size_t capacity_bytes)
{
    const text_save_state *state = memory;
    char text[SAVE_BYTES_MAX];
    const int count =
        snprintf(text, sizeof(text), "{\"way\": %f, \"speed\": %f, \"name\": \"%s\"}\n", state->way,
                 state->speed, state->name);
    if (count <= 0 || (size_t)count > capacity_bytes) {
        return 0;
    }
    (void)memcpy(bytes, text, (size_t)count);
    return (size_t)count;
}

static bool load(void *memory, const void *bytes, size_t count_bytes)
{
    text_save_state *state = memory;
    char text[SAVE_BYTES_MAX + 1];
    if (count_bytes > SAVE_BYTES_MAX) {
        return false;
    }
    (void)memcpy(text, bytes, count_bytes);
    text[count_bytes] = '\0';
    return sscanf(text, "{\"way\": %lf, \"speed\": %lf, \"name\": \"%79[^\"]\"}", &state->way,
                  &state->speed, state->name) == 3;
}

static void hash(const void *memory, bks_hasher *hasher)
{
    const text_save_state *state = memory;
    bks_hash_add(hasher, &state->way, sizeof(state->way));
    bks_hash_add(hasher, &state->speed, sizeof(state->speed));
    bks_hash_add(hasher, state->name, strlen(state->name));
}

static const bks_field fields[] = {{.name = "move", .bits = 2, .is_signed = true}};

static const bks_game game = {
    .name = "text_save",
    .version = 1,
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = fields,
    .field_count = 1,
    .create = create,
    .destroy = free,
    .init = init,
    .step = step,
    .save = save,
    .load = load,
    .hash = hash,
    .save_bytes_max = SAVE_BYTES_MAX,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
