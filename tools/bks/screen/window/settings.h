// SPDX-License-Identifier: MIT

/// @file settings.h
/// Settings of the start menu, kept in a small text file.
///
/// @see docs/spec/settings.md

#ifndef BKS_TOOL_SETTINGS_H
#define BKS_TOOL_SETTINGS_H

#include "screen/window/key_map.h"

enum {
    SETTINGS_BYTES_MAX = 8192, ///< maximum size of the settings file in bytes
    SETTINGS_VOLUME_FULL = 10,
};

/// Settings of the user.
typedef struct user_settings {
    bool is_full_screen;
    bool has_overlay; ///< true: the statistics of the overlay are shown from the start on
    int32_t volume;   ///< volume of the sound, 0..SETTINGS_VOLUME_FULL
    key_map keys;
} user_settings;

/// Fill in the usual settings.
void settings_usual(user_settings *out);

/// Return true if two settings are the same.
bool settings_same(const user_settings *a, const user_settings *b);

/// Read settings from the text of a file.
/// @param text  may be any bytes
/// @param out   receives the settings; missing and wrong lines, and a text that is too long, leave
///              the usual ones
/// @param error  may be NULL; names the first wrong line, its value, the expected value, and the
///               effect
/// @return BKS_OK, BKS_ERR_DAMAGED
bks_status settings_read(const char *text, size_t bytes, user_settings *out, bks_error *error);

/// Write settings as the text of a file.
/// @return number of bytes
size_t settings_write(const user_settings *from, char out[SETTINGS_BYTES_MAX]);

/// Load the user's settings. A missing or unreadable file and wrong lines leave the usual
/// settings; stderr says what is wrong.
void settings_load(user_settings *out);

/// Save the user's settings. Errors go to stderr.
/// @return true if the settings were saved
bool settings_save(const user_settings *from);

#endif
