// SPDX-License-Identifier: MIT

/// @file keys.h
/// Keys as the window and the terminal report them. Printable ASCII stands for itself; letters are
/// without shift.

#ifndef BKS_TOOL_KEYS_H
#define BKS_TOOL_KEYS_H

#include <stddef.h>
#include <stdint.h>

/// Keys that are not characters.
enum {
    KEY_INTERRUPT = 3, ///< Ctrl-C, as a terminal sends it
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
    KEY_F5,
};

/// Maximum number of keys in a list.
enum { KEYS_MAX = 64 };

/// Keys in the order in which they were pressed. Start from {0}.
typedef struct key_list {
    uint32_t count;
    uint8_t codes[KEYS_MAX];
} key_list;

/// Add a key. It is dropped if the list is full.
void keys_add(key_list *out, uint8_t code);

/// Add the keys that a terminal sent. An escape at the end is the Escape key. Otherwise an escape
/// begins the code of another key; unknown codes are skipped.
void keys_read(key_list *out, const char *bytes, size_t count);

#endif
