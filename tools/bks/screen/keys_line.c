// SPDX-License-Identifier: MIT

#include "screen/keys_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

// Keys that are named together, if the game reads one of their controls.
typedef struct group {
    const char *name;
    uint32_t controls;
    key_action first, last;
} group;

#define BIT(control) (1U << (control))

static const group groups[] = {
    {"move", BIT(BKS_CONTROL_LEFT_X) | BIT(BKS_CONTROL_LEFT_Y), KEY_ACTION_UP, KEY_ACTION_RIGHT},
    {"buttons",
     BIT(BKS_CONTROL_NORTH) | BIT(BKS_CONTROL_WEST) | BIT(BKS_CONTROL_SOUTH) |
         BIT(BKS_CONTROL_EAST),
     KEY_ACTION_NORTH, KEY_ACTION_EAST},
    {"triggers", BIT(BKS_CONTROL_TRIGGER_LEFT) | BIT(BKS_CONTROL_TRIGGER_RIGHT),
     KEY_ACTION_TRIGGER_LEFT, KEY_ACTION_TRIGGER_RIGHT},
    {"start", BIT(BKS_CONTROL_START), KEY_ACTION_START, KEY_ACTION_START},
};

static void append_hand(text *to, const keys_line *line, key_hand hand)
{
    const char *before = "";
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        const group *g = &groups[i];
        if ((line->controls & g->controls) == 0) {
            continue;
        }
        append(to, "%s%s", before, g->name);
        for (int action = (int)g->first; action <= (int)g->last; action++) {
            append(to, " %s", window_key_label(line->window, line->keys->keys[hand][action][0]));
        }
        before = ", ";
    }
}

static bool can_aim(const keys_line *line)
{
    return (line->controls & (BIT(BKS_CONTROL_RIGHT_X) | BIT(BKS_CONTROL_RIGHT_Y))) != 0;
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
    if (can_aim(line) && (has.hand == KEY_HAND_ALONE || has.hand == KEY_HAND_FIRST)) {
        append(to, ", aim with the mouse");
    }
    if (has.hand != KEY_HANDS && has.has_pad) {
        append(to, ", or gamepad");
    }
}

static bool is_usual(const keys_line *line)
{
    key_map usual;
    key_map_usual(&usual);
    return line->usual != NULL && line->seats <= 1 &&
           memcmp(usual.keys[KEY_HAND_ALONE], line->keys->keys[KEY_HAND_ALONE],
                  sizeof(usual.keys[KEY_HAND_ALONE])) == 0;
}

void keys_line_write(const keys_line *line, char *out, size_t capacity)
{
    text to = {out, capacity};
    out[0] = '\0';
    if (is_usual(line)) {
        append(&to, "%s", line->usual);
        return;
    }
    for (uint32_t i = 0; i < line->seats; i++) {
        append_seat(&to, line, i);
    }
}
