// SPDX-License-Identifier: MIT

/// @file audio.h
/// The sound card. There are two of it: audio_sdl.c, and audio_none.c for builds without SDL2,
/// which never opens.

#ifndef BKS_TOOL_AUDIO_H
#define BKS_TOOL_AUDIO_H

#include "backstitch/present.h"

/// A sound card that plays. Opaque.
typedef struct audio audio;

/// Begin to play what a mixer gives, on a thread of its own. When there is no card, one sentence on
/// stderr says so.
/// @param mixer  must outlive it
/// @return NULL: there is none
/// Owned by the caller; release with audio_close().
audio *audio_open(bks_mixer *mixer);

/// Stop. NULL is allowed.
void audio_close(audio *a);

#endif
