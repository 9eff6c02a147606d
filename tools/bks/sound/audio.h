// SPDX-License-Identifier: MIT

/// @file audio.h
/// The sound card. audio_sdl.c implements it, and in builds without SDL2 audio_none.c, which never
/// opens a card.

#ifndef BKS_TOOL_AUDIO_H
#define BKS_TOOL_AUDIO_H

#include "backstitch/present.h"

/// A sound card in use. Opaque.
typedef struct audio audio;

/// Begin to play the output of a mixer, on a thread of its own. If there is no card, one line on
/// stderr says so.
/// @param mixer  must outlive the card
/// @return NULL if there is no card
/// Owned by the caller; release with audio_close().
audio *audio_open(bks_mixer *mixer);

/// Stop playing and close the card. NULL is allowed.
void audio_close(audio *a);

#endif
