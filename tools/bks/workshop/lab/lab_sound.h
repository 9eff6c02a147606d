// SPDX-License-Identifier: MIT

/// @file lab_sound.h
/// What the first peer of a match in the lab hears, into a WAV file.

#ifndef BKS_TOOL_LAB_SOUND_H
#define BKS_TOOL_LAB_SOUND_H

#include "backstitch/toolkit/lab.h"
#include "sound/sound_file.h"

/// Start from {0}.
typedef struct lab_sound {
    sound_file *file; ///< NULL: no one hears it
    bks_lab *lab;     ///< to be set once it is created
} lab_sound;

/// Create the file and let the lab report to it. Errors go to stderr.
/// @param sound  must stay where it is
/// @param path   must outlive it
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int lab_sound_open(lab_sound *sound, const bks_plugin *plugin, const char *path,
                   bks_lab_config *config);

/// Finish the file, before the lab goes.
/// @return TOOL_OK, TOOL_DAMAGED
int lab_sound_close(lab_sound *sound);

#endif
