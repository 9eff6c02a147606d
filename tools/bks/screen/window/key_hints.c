// SPDX-License-Identifier: MIT

#include "screen/window/key_hints.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "screen/window/controls.h"

// Buffer for a text that grows by appending.
typedef struct text {
    char *out;
    size_t capacity;
} text;

static void append_key(const text *to, const key_hints *line, key_hand hand, key_action action)
{
    text_add(to->out, to->capacity, " %s",
             window_key_label(line->window, line->keys->keys[hand][action][0]));
}

static uint32_t field_of(const key_hints *line, key_action action)
{
    return controls_field(line->plugin, key_action_control(action));
}

// Append the keys of the left stick.
// @return false if the game does not read the stick
static bool append_stick(const text *to, const key_hints *line, key_hand hand)
{
    const char *before = "move";
    for (int action = KEY_ACTION_UP; action <= KEY_ACTION_RIGHT; action++) {
        if (field_of(line, (key_action)action) < BKS_FIELDS_MAX) {
            text_add(to->out, to->capacity, "%s", before);
            append_key(to, line, hand, (key_action)action);
            before = "";
        }
    }
    return before[0] == '\0';
}

// Append the keys of a button by the name of its field, together with all other buttons that change
// the same field.
static void append_hand(const text *to, const key_hints *line, key_hand hand)
{
    const char *before = append_stick(to, line, hand) ? ", " : "";
    uint8_t is_named[BKS_FIELDS_MAX] = {0};
    for (int first = KEY_ACTION_NORTH; first < KEY_ACTIONS; first++) {
        const uint32_t field = field_of(line, (key_action)first);
        if (field == BKS_FIELDS_MAX || is_named[field] != 0) {
            continue;
        }
        is_named[field] = 1;
        text_add(to->out, to->capacity, "%s%s", before, line->plugin->game->fields[field].name);
        for (int action = first; action < KEY_ACTIONS; action++) {
            if (field_of(line, (key_action)action) == field) {
                append_key(to, line, hand, (key_action)action);
            }
        }
        before = ", ";
    }
}

static void append_seat(const text *to, const key_hints *line, uint32_t seat)
{
    const window_seat has = window_seat_of(line->window, seat, line->seats);
    if (line->seats > 1) {
        text_add(to->out, to->capacity, "%splayer %" PRIu32 ": ", seat > 0 ? "   " : "", seat + 1);
    }
    if (has.hand != KEY_HANDS) {
        append_hand(to, line, has.hand);
    } else {
        text_add(to->out, to->capacity, "%s", has.has_pad ? "gamepad" : "plug in a gamepad");
    }
    if (controls_can_aim(line->plugin) &&
        (has.hand == KEY_HAND_ALONE || has.hand == KEY_HAND_FIRST)) {
        text_add(to->out, to->capacity, ", aim with the mouse");
    }
    if (has.hand != KEY_HANDS && has.has_pad) {
        text_add(to->out, to->capacity, ", or gamepad");
    }
}

void key_hints_write(const key_hints *line, char *out, size_t capacity)
{
    const text to = {out, capacity};
    out[0] = '\0';
    for (uint32_t i = 0; i < line->seats; i++) {
        append_seat(&to, line, i);
    }
    if (line->plugin->keys != NULL) {
        text_add(out, capacity, "%s%s", out[0] != '\0' ? "   " : "", line->plugin->keys);
    }
}

void awake_rouse(awake *a, uint64_t now_ns)
{
    a->until_ns = now_ns + AWAKE_NS;
}

void awake_look(awake *a, const window_wishes *wishes, awake_signs signs, uint64_t now_ns)
{
    const bool has_moved =
        a->has_mouse && (wishes->mouse_x != a->mouse_x || wishes->mouse_y != a->mouse_y);
    const bool has_key = wishes->place != 0 || wishes->pressed.count > 0;
    a->has_mouse = true;
    a->mouse_x = wishes->mouse_x;
    a->mouse_y = wishes->mouse_y;
    if (wishes->overlay || key_place_is_function(wishes->place) || (signs.keys && has_key) ||
        (signs.mouse && (has_moved || wishes->is_held))) {
        awake_rouse(a, now_ns);
    }
}

bool awake_is(const awake *a, uint64_t now_ns)
{
    return now_ns < a->until_ns;
}
