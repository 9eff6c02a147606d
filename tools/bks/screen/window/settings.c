// SPDX-License-Identifier: MIT

#include "screen/window/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/tool.h"

enum { SHOWN_BYTES = 24 }; ///< most bytes of a wrong value that an error shows

/// Byte order mark, with which some Windows editors begin a text in UTF-8.
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

static const char *const hand_names[KEY_HANDS] = {
    [KEY_HAND_ALONE] = "alone",
    [KEY_HAND_FIRST] = "first",
    [KEY_HAND_SECOND] = "second",
};

// Part of the settings file's text.
typedef struct span {
    const char *at;
    size_t bytes;
} span;

void settings_usual(user_settings *out)
{
    *out = (user_settings){.volume = SETTINGS_VOLUME_FULL};
    key_map_usual(&out->keys);
}

bool settings_same(const user_settings *a, const user_settings *b)
{
    return a->is_full_screen == b->is_full_screen && a->has_overlay == b->has_overlay &&
           a->volume == b->volume && memcmp(&a->keys, &b->keys, sizeof(a->keys)) == 0;
}

// ---- reading a settings file ----

static bool is_blank(char character)
{
    return character == ' ' || character == '\t' || character == '\r';
}

static span trimmed(span text)
{
    while (text.bytes > 0 && is_blank(text.at[0])) {
        text.at++;
        text.bytes--;
    }
    while (text.bytes > 0 && is_blank(text.at[text.bytes - 1])) {
        text.bytes--;
    }
    return text;
}

static bool is_word(span text, const char *word)
{
    return text.bytes == strlen(word) && memcmp(text.at, word, text.bytes) == 0;
}

// Remove the text before a character, and the character, from `rest`; all of `rest` if the
// character is missing.
// @return the removed text, without the character
static span cut(span *rest, char end)
{
    const char *found = rest->bytes > 0 ? memchr(rest->at, end, rest->bytes) : NULL;
    const size_t bytes = found != NULL ? (size_t)(found - rest->at) : rest->bytes;
    const span first = {rest->at, bytes};
    const size_t used = found != NULL ? bytes + 1 : bytes;
    rest->at += used;
    rest->bytes -= used;
    return first;
}

// An action of a player, whose keys a line of the file sets.
typedef struct control {
    key_hand hand;
    key_action action;
} control;

// Read an on-off value.
// @return NULL, or a text that says what was expected
static const char *read_switch(span value, bool *out)
{
    if (!is_word(value, "yes") && !is_word(value, "no")) {
        return "yes or no";
    }
    *out = is_word(value, "yes");
    return NULL;
}

static const char *read_volume(span value, int32_t *out)
{
    for (int32_t i = 0; i <= SETTINGS_VOLUME_FULL; i++) {
        char text[16];
        snprintf(text, sizeof(text), "%" PRId32, 10 * i);
        if (is_word(value, text)) {
            *out = i;
            return NULL;
        }
    }
    return "0, 10, 20 and so on to 100";
}

static const char *read_keys(span value, const control *of, key_map *out, key_map *assigned)
{
    key_place keys[KEY_ALTERNATIVES] = {0};
    control other;
    for (uint32_t count = 0; value.bytes > 0; count++) {
        const span name = trimmed(cut(&value, ','));
        const key_place key = key_place_named(name.at, name.bytes);
        if (count == KEY_ALTERNATIVES || !key_place_is_free(key)) {
            return "nothing or up to two keys that are free, such as 'I, Keypad 8'";
        }
        if (key_map_find(assigned, of->hand, key, &other.hand, &other.action) &&
            (other.hand != of->hand || other.action != of->action)) {
            return "keys that no line before gives another meaning at this keyboard";
        }
        keys[count] = key;
    }
    key_map_set(out, of->hand, of->action, keys);
    key_map_set(assigned, of->hand, of->action, keys);
    return NULL;
}

static bool find_control(span name, control *out)
{
    const span first = cut(&name, ' ');
    for (int i = 0; i < KEY_HANDS; i++) {
        for (int k = 0; k < KEY_ACTIONS && is_word(first, hand_names[i]); k++) {
            if (is_word(name, key_action_name((key_action)k))) {
                *out = (control){(key_hand)i, (key_action)k};
                return true;
            }
        }
    }
    return false;
}

// Name and value in a line of the settings file.
typedef struct setting {
    span name; ///< name of the setting; empty: the line holds no setting
    span value;
} setting;

// Read a line of the settings file.
// @param out       receives the line's value; unchanged if the line is wrong
// @param assigned  keys that earlier lines of the file have set. The line must not set one of these
//                  keys for another action. A key that an action has only by default may be set.
static const char *read_line(span line, user_settings *out, key_map *assigned, setting *found)
{
    line = trimmed(line);
    *found = (setting){.value = line};
    if (line.bytes == 0 || line.at[0] == '#') {
        return NULL;
    }
    control keys_of;
    const span name = trimmed(cut(&line, '='));
    const span value = trimmed(line);
    const setting named = {name, value};
    if (is_word(name, "full screen")) {
        *found = named;
        return read_switch(value, &out->is_full_screen);
    }
    if (is_word(name, "statistics")) {
        *found = named;
        return read_switch(value, &out->has_overlay);
    }
    if (is_word(name, "volume")) {
        *found = named;
        return read_volume(value, &out->volume);
    }
    if (find_control(name, &keys_of)) {
        *found = named;
        return read_keys(value, &keys_of, &out->keys, assigned);
    }
    return "a setting such as 'volume', or a control such as 'alone upper button', '=' and a value";
}

// Description of a wrong line of the settings file.
typedef struct wrong_line {
    uint32_t number;
    setting found;
    const char *expected;
} wrong_line;

static bks_status refuse(bks_error *error, const wrong_line *first, uint32_t count)
{
    char more[32] = "";
    if (count > 1) {
        snprintf(more, sizeof(more), " and %" PRIu32 " more line%s", count - 1,
                 TOOL_PLURAL(count - 1));
    }
    const span name = first->found.name;
    const span value = first->found.value;
    return fail_with(error, BKS_ERR_DAMAGED,
                     "line %" PRIu32 "%s%.*s is '%.*s', must be %s; this%s %s not count",
                     first->number, name.bytes > 0 ? ": " : "", (int)name.bytes, name.at,
                     (int)(value.bytes < SHOWN_BYTES ? value.bytes : SHOWN_BYTES), value.at,
                     first->expected, more, count > 1 ? "do" : "does");
}

bks_status settings_read(const char *text, size_t bytes, user_settings *out, bks_error *error)
{
    settings_usual(out);
    if (bytes > SETTINGS_BYTES_MAX) {
        return fail_with(error, BKS_ERR_DAMAGED,
                         "longer than %d bytes; so the usual settings count", SETTINGS_BYTES_MAX);
    }
    wrong_line first = {0};
    key_map assigned = {0};
    uint32_t wrong = 0;
    span rest = {text, bytes};
    if (bytes >= strlen(BYTE_ORDER_MARK) &&
        memcmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0) {
        cut(&rest, BYTE_ORDER_MARK[2]);
    }
    for (uint32_t line = 1; rest.bytes > 0; line++) {
        setting found;
        const char *expected = read_line(cut(&rest, '\n'), out, &assigned, &found);
        if (expected != NULL && wrong++ == 0) {
            first = (wrong_line){line, found, expected};
        }
    }
    return wrong > 0 ? refuse(error, &first, wrong) : BKS_OK;
}

// ---- writing a settings file ----

size_t settings_write(const user_settings *from, char out[SETTINGS_BYTES_MAX])
{
    out[0] = '\0';
    text_add(out, SETTINGS_BYTES_MAX, "# What was set in the start menu of bks play.\n");
    text_add(out, SETTINGS_BYTES_MAX, "full screen = %s\n", from->is_full_screen ? "yes" : "no");
    text_add(out, SETTINGS_BYTES_MAX, "statistics = %s\n", from->has_overlay ? "yes" : "no");
    text_add(out, SETTINGS_BYTES_MAX, "volume = %" PRId32 "\n", 10 * from->volume);
    for (int hand = 0; hand < KEY_HANDS; hand++) {
        for (int action = 0; action < KEY_ACTIONS; action++) {
            const key_place *keys = from->keys.keys[hand][action];
            text_add(out, SETTINGS_BYTES_MAX, "%s %s = %s%s%s\n", hand_names[hand],
                     key_action_name((key_action)action),
                     keys[0] != 0 ? key_place_name(keys[0]) : "", keys[1] != 0 ? ", " : "",
                     keys[1] != 0 ? key_place_name(keys[1]) : "");
        }
    }
    return strlen(out);
}
