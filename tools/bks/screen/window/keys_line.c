// SPDX-License-Identifier: MIT

#include "screen/window/keys_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "screen/window/controls.h"

// A text that grows.
typedef struct text {
    char *at;
    size_t room;
} text;

static void append(text *to, const char *format, ...) BKS_PRINTF(2, 3);

static void append(text *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int bytes = vsnprintf(to->at, to->room, format, values);
    va_end(values);
    const size_t used = bytes < 0 ? 0 : (size_t)bytes < to->room ? (size_t)bytes : to->room - 1;
    to->at += used;
    to->room -= used;
}

static void append_key(text *to, const keys_line *line, key_hand hand, key_action action)
{
    append(to, " %s", window_key_label(line->window, line->keys->keys[hand][action][0]));
}

static uint32_t field_of(const keys_line *line, key_action action)
{
    return controls_field(line->plugin, key_action_control(action));
}

// The left stick.
// @return false: the game does not read it
static bool append_stick(text *to, const keys_line *line, key_hand hand)
{
    const char *before = "move";
    for (int action = KEY_ACTION_UP; action <= KEY_ACTION_RIGHT; action++) {
        if (field_of(line, (key_action)action) < BKS_FIELDS_MAX) {
            append(to, "%s", before);
            append_key(to, line, hand, (key_action)action);
            before = "";
        }
    }
    return before[0] == '\0';
}

// A button by the name of its field, with all others that change the same one.
static void append_hand(text *to, const keys_line *line, key_hand hand)
{
    const char *before = append_stick(to, line, hand) ? ", " : "";
    uint8_t is_named[BKS_FIELDS_MAX] = {0};
    for (int first = KEY_ACTION_NORTH; first < KEY_ACTIONS; first++) {
        const uint32_t field = field_of(line, (key_action)first);
        if (field == BKS_FIELDS_MAX || is_named[field] != 0) {
            continue;
        }
        is_named[field] = 1;
        append(to, "%s%s", before, line->plugin->game->fields[field].name);
        for (int action = first; action < KEY_ACTIONS; action++) {
            if (field_of(line, (key_action)action) == field) {
                append_key(to, line, hand, (key_action)action);
            }
        }
        before = ", ";
    }
}

static void append_seat(text *to, const keys_line *line, uint32_t seat)
{
    const window_seat has = window_seat_of(line->window, seat, line->seats);
    if (line->seats > 1) {
        append(to, "%splayer %" PRIu32 ": ", seat > 0 ? "   " : "", seat + 1);
    }
    if (has.hand != KEY_HANDS) {
        append_hand(to, line, has.hand);
    } else {
        append(to, "%s", has.has_pad ? "gamepad" : "plug in a gamepad");
    }
    if (controls_can_aim(line->plugin) &&
        (has.hand == KEY_HAND_ALONE || has.hand == KEY_HAND_FIRST)) {
        append(to, ", aim with the mouse");
    }
    if (has.hand != KEY_HANDS && has.has_pad) {
        append(to, ", or gamepad");
    }
}

void keys_line_write(const keys_line *line, char *out, size_t capacity)
{
    text to = {out, capacity};
    out[0] = '\0';
    for (uint32_t i = 0; i < line->seats; i++) {
        append_seat(&to, line, i);
    }
    if (line->plugin->keys != NULL) {
        append(&to, "%s%s", out[0] != '\0' ? "   " : "", line->plugin->keys);
    }
}
