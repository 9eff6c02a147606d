// SPDX-License-Identifier: MIT

/// @file settings.h
/// What the user set in the start menu, kept in a small text file.
///
/// @see docs/spec/settings.md

#ifndef BKS_TOOL_SETTINGS_H
#define BKS_TOOL_SETTINGS_H

#include "screen/window/key_map.h"

enum {
    SETTINGS_BYTES_MAX = 8192, ///< of the file
    SETTINGS_VOLUME_FULL = 10,
};

/// The settings.
typedef struct user_settings {
    bool is_full_screen;
    bool has_overlay; ///< statistics from the start on
    int32_t volume;   ///< of the sound, 0..SETTINGS_VOLUME_FULL
    key_map keys;
} user_settings;

/// Fill in what is usual.
void settings_usual(user_settings *out);

/// Whether two are the same.
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

/// Load the user's. Where there are none, or they cannot be read, they are the usual ones, and so
/// is what a wrong line sets; stderr says what is wrong.
void settings_load(user_settings *out);

/// Save them. Errors go to stderr.
/// @return whether that could be done
bool settings_save(const user_settings *from);

#endif
