// SPDX-License-Identifier: MIT

// Picture of `pad`: a panel for each player that shows the buttons held.

#include <stdio.h>

#include "backstitch/plugin.h"
#include "pad/pad.h"

static const bks_colour colour_back = 0x14161BFF;
static const bks_colour colour_panel = 0x1F232BFF;
static const bks_colour colour_well = 0x2C313CFF;
static const bks_colour colour_text = 0xC9CED8FF;
static const bks_colour colour_faint = 0x7B8392FF;

/// Colours of players. They differ in the dark too, and repeat after eight players.
static const bks_colour colour_player[8] = {0x4FB3FFFF, 0xFF8A5BFF, 0x7ED67AFF, 0xE27BE0FF,
                                            0xF2CF5BFF, 0x5BD9D0FF, 0xFF7A92FF, 0xA9A2FFFF};

typedef struct box {
    float x;
    float y;
    float width;
    float height;
} box;

static float least(float a, float b)
{
    return a < b ? a : b;
}

static box shrunk(box outer, float by)
{
    return (box){outer.x + by, outer.y + by, outer.width - 2 * by, outer.height - 2 * by};
}

static void fill(const bks_canvas *canvas, box at, bks_colour colour)
{
    if (at.width > 0 && at.height > 0) {
        canvas->rectangle(canvas->context, at.x, at.y, at.width, at.height, colour);
    }
}

/// Draw a stick as a dot in a round well, with a line from the middle.
static void draw_stick(const bks_canvas *canvas, box at, int32_t x, int32_t y, bks_colour colour)
{
    const float radius = least(at.width, at.height) / 2;
    const float middle_x = at.x + at.width / 2;
    const float middle_y = at.y + at.height / 2;
    const float dot = radius * 0.22f;
    const float reach = (radius - dot) / 127.0f;
    const float dot_x = middle_x + (float)x * reach;
    const float dot_y = middle_y + (float)y * reach;
    canvas->circle(canvas->context, middle_x, middle_y, radius, colour_well);
    if (!canvas->is_coarse) {
        canvas->line(canvas->context, middle_x, middle_y, dot_x, dot_y, dot * 0.5f, colour_faint);
    }
    canvas->circle(canvas->context, dot_x, dot_y, dot, colour);
}

/// Draw the buttons as two rows of eight lamps, b0 at the top left.
static void draw_buttons(const bks_canvas *canvas, box at, const pad_input *input,
                         bks_colour colour)
{
    const float pitch_x = at.width / 8;
    const float pitch_y = at.height / 2;
    const float gap = least(pitch_x, pitch_y) * 0.15f;
    for (int i = 0; i < PAD_BUTTONS; i++) {
        const box lamp = {at.x + (float)(i % 8) * pitch_x, at.y + (float)(i / 8) * pitch_y, pitch_x,
                          pitch_y};
        fill(canvas, shrunk(lamp, gap / 2), input->button[i] != 0 ? colour : colour_well);
    }
}

static void draw_trigger(const bks_canvas *canvas, box at, int32_t value, bks_colour colour)
{
    fill(canvas, at, colour_well);
    const float height = at.height * (float)value / 255.0f;
    fill(canvas, (box){at.x, at.y + at.height - height, at.width, height}, colour);
}

/// Draw a player's panel, from top to bottom: name, sticks between their triggers, buttons.
static void draw_player(const bks_canvas *canvas, box panel, const pad_state *pad, uint32_t player)
{
    const bks_colour colour = colour_player[player % 8];
    const pad_input input = pad_newest_input(&pad->player[player]);
    const float unit = least(panel.width / 16, panel.height / 12);
    fill(canvas, panel, colour_panel);
    // The content keeps its shape and stands in the middle of the panel.
    const box at = {panel.x + (panel.width - unit * 14) / 2,
                    panel.y + (panel.height - unit * 10) / 2, unit * 14, unit * 10};
    char name[24];
    (void)snprintf(name, sizeof(name), "Player %u", player + 1);
    canvas->text(canvas->context, at.x, at.y, unit * 1.2f, colour, name);
    if (!canvas->is_coarse) {
        char mixed[24];
        (void)snprintf(mixed, sizeof(mixed), "%08x", (uint32_t)pad->player[player].mixed);
        const float width = canvas->text_width(canvas->context, unit * 1.2f, mixed);
        canvas->text(canvas->context, at.x + at.width - width, at.y, unit * 1.2f, colour_faint,
                     mixed);
    }
    const float row = at.y + unit * 1.8f;
    draw_trigger(canvas, (box){at.x, row, unit, unit * 5}, input.trigger[0], colour);
    draw_stick(canvas, (box){at.x + unit * 1.6f, row, unit * 5, unit * 5}, input.axis[0],
               input.axis[1], colour);
    draw_stick(canvas, (box){at.x + unit * 7.4f, row, unit * 5, unit * 5}, input.axis[2],
               input.axis[3], colour);
    draw_trigger(canvas, (box){at.x + unit * 13, row, unit, unit * 5}, input.trigger[1], colour);
    draw_buttons(canvas, (box){at.x, at.y + unit * 7.4f, unit * 14, unit * 2.6f}, &input, colour);
}

/// Return the number of columns that makes the panels largest.
static uint32_t columns_for(uint32_t players, float width, float height)
{
    uint32_t best = 1;
    float best_unit = 0;
    for (uint32_t columns = 1; columns <= players; columns++) {
        const uint32_t rows = (players + columns - 1) / columns;
        const float unit = least(width / (float)columns / 16, height / (float)rows / 12);
        if (unit > best_unit) {
            best_unit = unit;
            best = columns;
        }
    }
    return best;
}

static void draw(const bks_picture *picture, const bks_canvas *canvas)
{
    const pad_state *pad = picture->frame.state;
    canvas->clear(canvas->context, colour_back);
    if (pad->players == 0) {
        return;
    }
    const float gap = least(canvas->width, canvas->height) * 0.02f;
    const float line = gap * 2;
    const box all = {gap, gap + line, canvas->width - 2 * gap, canvas->height - 2 * gap - line};
    char text[64];
    (void)snprintf(text, sizeof(text), "pad   tick %u   %llu bytes, %llu a tick", pad->ticks,
                   (unsigned long long)pad->state_bytes, (unsigned long long)pad->touch_bytes);
    canvas->text(canvas->context, gap, gap / 2, line * 0.8f, colour_text, text);
    const uint32_t columns = columns_for(pad->players, all.width, all.height);
    const uint32_t rows = (pad->players + columns - 1) / columns;
    const float width = all.width / (float)columns;
    const float height = all.height / (float)rows;
    for (uint32_t i = 0; i < pad->players; i++) {
        const box cell = {all.x + (float)(i % columns) * width,
                          all.y + (float)(i / columns) * height, width, height};
        draw_player(canvas, shrunk(cell, gap / 2), pad, i);
    }
}

/// Controls of the fields: the buttons that a keyboard has come first. Fields without a control are
/// for traces and monkeys.
static const bks_control controls[PAD_BUTTONS + PAD_AXES + PAD_TRIGGERS] = {
    [0] = BKS_CONTROL_SOUTH,
    [1] = BKS_CONTROL_EAST,
    [2] = BKS_CONTROL_WEST,
    [3] = BKS_CONTROL_NORTH,
    [4] = BKS_CONTROL_START,
    [PAD_BUTTONS + 0] = BKS_CONTROL_LEFT_X,
    [PAD_BUTTONS + 1] = BKS_CONTROL_LEFT_Y,
    [PAD_BUTTONS + 2] = BKS_CONTROL_RIGHT_X,
    [PAD_BUTTONS + 3] = BKS_CONTROL_RIGHT_Y,
    [PAD_BUTTONS + PAD_AXES + 0] = BKS_CONTROL_TRIGGER_LEFT,
    [PAD_BUTTONS + PAD_AXES + 1] = BKS_CONTROL_TRIGGER_RIGHT,
};

/// Convert a device's controls to the fields' range: a trigger is 0..1, its field 0..255.
static void device(const float *control_values, float *raw)
{
    raw[PAD_BUTTONS + PAD_AXES] = control_values[BKS_CONTROL_TRIGGER_LEFT] * 255.0f;
    raw[PAD_BUTTONS + PAD_AXES + 1] = control_values[BKS_CONTROL_TRIGGER_RIGHT] * 255.0f;
}

/// Write a digest as score, because nobody can win: it is equal if all inputs were.
static void score(const void *state, uint32_t player, char out[64])
{
    const pad_state *pad = state;
    const uint64_t mixed = player < BKS_PLAYERS_MAX ? pad->player[player].mixed : 0;
    (void)snprintf(out, 64, "inputs %016llx", (unsigned long long)mixed);
}

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {
    .abi = BKS_PLUGIN_ABI,
    .game = &pad_game,
    .about = "a whole controller for each player and a state as big as you ask for, without rules",
    .keys = "sticks, triggers and buttons light up; there is nothing to win",
    .draw = draw,
    .controls = controls,
    .device = device,
    .score = score,
};
