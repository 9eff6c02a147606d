// SPDX-License-Identifier: MIT

#include "diagnose/variants/variants.h"

#include <stddef.h>
#include <string.h>

#include "backstitch/present.h"
#include "base/text.h"
#include "diagnose/processes/between_steps.h"
#include "diagnose/processes/variant_process.h"
#include "screen/window/canvas.h"
#include "sound/game_sound.h"

// ---- the variant `derived` ----

static const char *why_not_derived(const variant_process *variant)
{
    return variant->stepper.game.game->check == NULL ? "the game has no check (bks_game.check)"
                                                     : NULL;
}

static void step_derived(variant_process *variant, bks_tick tick)
{
    variant_step(variant, tick);
    const char *fault =
        variant->stepper.game.game->check(bks_runner_state(variant->stepper.runner));
    if (fault != NULL) {
        variant_find(variant, tick, CHECK_MARK_END, "is accepted by the game's check", fault);
        return;
    }
    variant->tape->result.perturbed++;
}

// ---- the variant `drawn` ----

static const float canvas_width = 1280;
static const float canvas_height = 720;

/// Bytes for the collector of cues.
enum { HEARD_ROOM_BYTES = 1 << 16 };

bool vary_drawn_can(const bks_plugin *plugin)
{
    const bks_game *game = plugin->game;
    return plugin->draw != NULL || plugin->hear != NULL || plugin->voices != NULL ||
           plugin->score != NULL || game->bot != NULL || game->predict != NULL ||
           game->extrapolate != NULL || game->on_command != NULL;
}

static const char *why_not_drawn(const variant_process *variant)
{
    return vary_drawn_can(variant->stepper.game.plugin)
               ? NULL
               : "the plug-in has no draw, hear, voices, score, bot, predict, extrapolate or "
                 "on_command";
}

/// Cues that the steps asked for. They are static, because a process runs one variant.
static struct {
    bks_cues *collector; ///< NULL: the game has no cues, or its plug-in does not hear them
    bool has_begun;
    uint64_t count; ///< number of cues that were heard
} heard;

// Allocate memory outside the C heap, because a game may go by where its blocks lie there.
static void *alloc_apart(void *context, size_t bytes, size_t alignment)
{
    static _Alignas(max_align_t) uint8_t room[HEARD_ROOM_BYTES];
    static size_t used;
    (void)context;
    const size_t begin = (used + alignment - 1) / alignment * alignment;
    if (begin > sizeof(room) || bytes > sizeof(room) - begin) {
        return NULL;
    }
    used = begin + bytes;
    return room + begin;
}

static void keep_apart(void *context, void *memory, size_t bytes)
{
    (void)context, (void)memory, (void)bytes;
}

static void begin_to_hear(variant_process *variant)
{
    const bks_plugin *plugin = variant->stepper.game.plugin;
    const bks_cues_config config = {.game = plugin->game,
                                    .per_tick = GAME_SOUND_CUES_PER_TICK,
                                    .ticks = 1,
                                    .allocator = {.alloc = alloc_apart, .release = keep_apart}};
    if (plugin->hear != NULL && plugin->game->cue_count > 0 &&
        bks_cues_create(&config, &heard.collector, NULL) == BKS_OK) {
        variant->stepper.config.cues = heard.collector;
    }
}

// Have the plug-in hear the cues of the last step and the voices, as a match with sound does before
// the next one.
static void listen(variant_process *variant, bks_tick tick)
{
    const bks_plugin *plugin = variant->stepper.game.plugin;
    const void *state = bks_runner_state(variant->stepper.runner);
    bks_cue_event event;
    if (heard.collector != NULL && heard.has_begun) {
        bks_cues_update(heard.collector, tick, tick);
    } else if (heard.collector != NULL) {
        bks_cues_reset(heard.collector, tick);
    }
    heard.has_begun = true;
    while (heard.collector != NULL && bks_cues_next(heard.collector, &event)) {
        bks_cue_sound sound = {0};
        (void)plugin->hear(state, &event, &sound);
        heard.count++;
    }
    if (plugin->voices != NULL && plugin->voice_count <= BKS_MIXER_VOICES_MAX) {
        bks_voice voices[BKS_MIXER_VOICES_MAX] = {0};
        plugin->voices(state, voices);
    }
    TEXT_SET(variant->tape->result.info, "%s",
             plugin->hear != NULL && heard.count == 0
                 ? "hear was not called: no step asked for a cue"
                 : "");
}

static void draw(const bks_plugin *plugin, const void *state)
{
    if (plugin->draw != NULL) {
        canvas_dry dry = {0};
        const bks_canvas canvas = canvas_dry_canvas(&dry, canvas_width, canvas_height);
        const bks_picture picture = bks_picture_of(state);
        plugin->draw(&picture, &canvas);
    }
}

// Draw the state extrapolated to a time between the last tick and this one.
static void draw_between(const variant_process *variant, bks_tick tick)
{
    const bks_plugin *plugin = variant->stepper.game.plugin;
    const bks_game *game = plugin->game;
    if (game->extrapolate == NULL || game->create != NULL || game->pointers) {
        // A match does not extrapolate either: no bks_game.extrapolate, or states made by `create`
        // or with pointers.
        return;
    }
    const void *moved = NULL;
    const int32_t *newest = variant_inputs(variant, tick > 0 ? tick - 1 : 0);
    if (bks_runner_extrapolate(variant->stepper.runner, tick, newest, 0.5F, &moved, NULL) ==
        BKS_OK) {
        draw(plugin, moved);
    }
}

// Respond to the commands of a tick, as a match does before the tick is stepped.
static void respond(const variant_process *variant, bks_tick tick)
{
    const bks_game *game = variant->stepper.game.game;
    const bks_step step = {.players = variant->stepper.players, .commands = variant_commands(tick)};
    bks_command next = {0};
    while (game->on_command != NULL && bks_step_command(&step, &next)) {
        const bks_command given = {.player = next.player, .bytes = next.bytes, .count = next.count};
        game->on_command(bks_runner_state(variant->stepper.runner), &given);
    }
}

// Call every function of the plug-in that may read the state but must not change it.
static void look(variant_process *variant, bks_tick tick)
{
    const bks_plugin *plugin = variant->stepper.game.plugin;
    const void *state = bks_runner_state(variant->stepper.runner);
    const int32_t *inputs = variant_inputs(variant, tick);
    static uint64_t memory[BKS_PLAYERS_MAX][8];
    listen(variant, tick);
    draw(plugin, state);
    draw_between(variant, tick);
    respond(variant, tick);
    for (uint32_t player = 0; player < variant->stepper.players; player++) {
        const int32_t *last = inputs + (size_t)player * plugin->game->field_count;
        int32_t values[BKS_FIELDS_MAX];
        memcpy(values, last, plugin->game->field_count * sizeof(*values));
        char text[64];
        if (plugin->score != NULL) {
            plugin->score(state, player, text);
        }
        if (plugin->game->bot != NULL) {
            plugin->game->bot(state, player, tick, memory[player], values);
        }
        if (plugin->game->predict != NULL) {
            plugin->game->predict(state, player, tick + 1, tick, last, values);
        }
    }
}

static void step_drawn(variant_process *variant, bks_tick tick)
{
    between_steps before;
    between_steps_begin(&variant->stepper, variant->bytes, variant->bytes_capacity, &before);
    look(variant, tick);
    if (!variant_has_found(variant) && between_steps_changed(&before)) {
        variant->next_mark = 0;
        variant_find(variant, tick, CHECK_MARK_BETWEEN, "", "");
        between_steps_name(&before, &variant->tape->result.found);
    }
    variant_step(variant, tick);
    variant->tape->result.perturbed++;
}

const check_variant vary_derived = {
    .name = "derived",
    .about = "the game's own check of its state after each tick: caches that do not match the "
             "values they come from",
    .unit = "state",
    .perturbed = "that the game's check accepts",
    .cause = "derived",
    .advice = "look for what the check compares: a cache was not brought up to date",
    .why_not = why_not_derived,
    .step = step_derived,
};

const check_variant vary_drawn = {
    .name = "drawn",
    .about = "between all steps the game is drawn and heard and responds to commands, its bots "
             "play, scores and guesses are asked for: drawing or sound that writes to the state",
    .unit = "tick",
    .perturbed = "drawn",
    .cause = "drawing",
    .advice = "look for what draw, hear, voices, score, bot, predict, on_command or extrapolate "
              "write: they may read the state alone, extrapolate its copy",
    .after_load = begin_to_hear,
    .why_not = why_not_drawn,
    .step = step_drawn,
};
