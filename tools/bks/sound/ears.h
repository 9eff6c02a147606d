// SPDX-License-Identifier: MIT

/// @file ears.h Ears hear the sound of a match or a recording: a sound card, a WAV file, both, or
/// none (NULL).

#ifndef BKS_TOOL_EARS_H
#define BKS_TOOL_EARS_H

#include "backstitch/plugin.h"
#include "backstitch/present.h"

/// Destinations of the sound of a match or recording: sound card, WAV file, or both.
typedef struct ears_config {
    const bks_plugin *plugin;
    uint32_t tick_rate_hz; ///< tick rate of the match
    /// First tick in the WAV file; BKS_TICK_NONE: the first that is stepped. The card ignores it.
    bks_tick first;
    const char *wav_path; ///< path of the WAV file, NULL: none. The text must outlive the ears
    bool has_card;        ///< true: play on the sound card, too
    /// Volume of the card, 0..10. Keys that change the volume also change this number; muting does
    /// not. NULL: full volume. The number must outlive the ears.
    int32_t *volume;
} ears_config;

/// Open sound card and WAV file of a match or recording. Opaque.
typedef struct ears ears;

/// Open the sound card and the WAV file that the config asks for. Errors go to stderr; a missing
/// card is no error.
/// @param out  receives the ears, NULL if there are none
/// @return TOOL_OK, TOOL_MISUSE (a file for a game without sounds), TOOL_DAMAGED
/// Owned by the caller; release with ears_close().
int ears_open(const ears_config *config, ears **out);

/// Return the most cues of one tick that a match must report, for cues_per_tick of its config.
/// @return 0 for NULL
uint32_t ears_cues_per_tick(const ears *e);

/// Handle an event about a cue: play the cue or cancel it. NULL is allowed.
/// @param state  the newest state
void ears_cue(ears *e, const void *state, const bks_cue_event *event);

/// Play the voices of the newest state. Call this after ears_cue() was called for the cues of the
/// update. NULL is allowed.
/// @param is_in_time  false: the match runs at another speed than its sounds, so the card is silent
void ears_show(ears *e, const void *state, bks_tick present, bool is_in_time);

/// Silence the card while the time of the match or recording stands still. NULL is allowed.
void ears_hush(ears *e);

/// Handle a key: m mutes, + and - change the volume. NULL is allowed.
/// @return a static message for the user; NULL if the key is not m, + or -
const char *ears_key(ears *e, uint8_t key);

/// Close the sound card and complete the WAV file. NULL is allowed. Errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int ears_close(ears *e);

#endif
