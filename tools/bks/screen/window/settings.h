// SPDX-License-Identifier: MIT

/// @file settings.h
/// Settings of the start menu, kept in a small text file.
///
/// @see docs/spec/settings.md

#ifndef BKS_TOOL_SETTINGS_H
#define BKS_TOOL_SETTINGS_H

#include "screen/window/key_map.h"

enum {
    SETTINGS_BYTES_MAX = 8192, ///< most bytes of the file
    SETTINGS_VOLUME_FULL = 10,
};

/// The settings.
typedef struct user_settings {
    bool is_full_screen;
    bool has_overlay; ///< statistics from the start on
    int32_t volume;   ///< volume of the sound, 0..SETTINGS_VOLUME_FULL
    key_map keys;
} user_settings;

/// Fill in the usual settings.
void settings_usual(user_settings *out);

/// Return true if two settings are the same.
bool settings_same(const user_settings *a, const user_settings *b);

/// Read the text of a file.
/// @param text  may hold anything
/// @param out   receives the settings, the usual ones for what the text leaves out, for lines that
///              are wrong, and for all of a text that is too long
/// @param error  may be NULL; its text names the first line that is wrong, what stands there, what
///               must, and what this leads to
/// @return BKS_OK, BKS_ERR_DAMAGED
bks_status settings_read(const char *text, size_t bytes, user_settings *out, bks_error *error);

/// Write the text of a file.
/// @return its bytes
size_t settings_write(const user_settings *from, char out[SETTINGS_BYTES_MAX]);

/// Load the user's settings. A missing or unreadable file and wrong lines leave the usual
/// settings; stderr says what is wrong.
void settings_load(user_settings *out);

/// Save the user's settings. Errors go to stderr.
/// @return whether that could be done
bool settings_save(const user_settings *from);

#endif
