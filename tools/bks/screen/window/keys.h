// SPDX-License-Identifier: MIT

/// @file keys.h
/// Keys as the window and the terminal both report them. Printable ASCII stands for itself, letters
/// without shift.

#ifndef BKS_TOOL_KEYS_H
#define BKS_TOOL_KEYS_H

#include <stddef.h>
#include <stdint.h>

/// Keys that are no character.
enum {
    KEY_INTERRUPT = 3, ///< Ctrl-C in a terminal
    KEY_BACKSPACE = 8,
    KEY_ENTER = 13,
    KEY_ESCAPE = 27,
    KEY_LEFT = 128,
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_F2,
    KEY_F3,
    KEY_F4,
};

/// Most keys taken in at a time.
enum { KEYS_MAX = 64 };

/// Keys in the order in which they were pressed. Start from {0}.
typedef struct key_list {
    uint32_t count;
    uint8_t codes[KEYS_MAX];
} key_list;

/// Add a key; what does not fit is dropped.
void keys_add(key_list *out, uint8_t code);

/// Add the keys that a terminal sent. An escape alone at the end is the key; with more behind it,
/// it begins another key's code, of which unknown ones are passed over.
void keys_read(key_list *out, const char *bytes, size_t count);

#endif
