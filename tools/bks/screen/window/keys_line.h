// SPDX-License-Identifier: MIT

/// @file keys_line.h
/// The keys of those who play at this machine, as text.

#ifndef BKS_TOOL_KEYS_LINE_H
#define BKS_TOOL_KEYS_LINE_H

#include "screen/window/window.h"

/// What it is about.
typedef struct keys_line {
    const bks_plugin *plugin; ///< its fields name the buttons, its own words stand behind them
    const key_map *keys;      ///< those that count
    uint32_t seats;           ///< players at this machine
    window *window;           ///< knows what they have, and what is printed on keys
} keys_line;

/// Write it, cut where it is too long. Parts that belong together stand two spaces apart.
void keys_line_write(const keys_line *line, char *out, size_t capacity);

#endif
