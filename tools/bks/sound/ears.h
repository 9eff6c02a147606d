// SPDX-License-Identifier: MIT

/// @file ears.h
/// Listeners of a match or a recording: a sound card, a WAV file, both, or none, which is NULL.

#ifndef BKS_TOOL_EARS_H
#define BKS_TOOL_EARS_H

#include "backstitch/plugin.h"
#include "backstitch/present.h"

/// Set-up of the ears.
typedef struct ears_config {
    const bks_plugin *plugin;
    uint32_t tick_rate_hz; ///< tick rate of the match
    bks_tick first;        ///< tick that is heard first, BKS_TICK_NONE: the first that is stepped
    const char *wav_path;  ///< NULL: no file. Must outlive the ears
    bool has_card;         ///< the sound card plays too
    int32_t *volume; ///< tenths of the full loudness on the card, 0..10: keys change it, unless
                     ///< they mute; NULL: all of it. Must outlive the ears
} ears_config;

/// Opaque.
typedef struct ears ears;

/// Begin to listen. Errors go to stderr; that there is no card is none.
/// @param out  receives them, NULL when no one listens
/// @return TOOL_OK, TOOL_MISUSE (a file of a game without sounds), TOOL_DAMAGED
/// Owned by the caller; release with ears_close().
int ears_open(const ears_config *config, ears **out);

/// Return the number of cues a tick to listen to, for a config.
/// @return 0 for NULL
uint32_t ears_cues_per_tick(const ears *e);

/// Hear what became of a cue. NULL is allowed.
/// @param state  the newest
void ears_cue(ears *e, const void *state, const bks_cue_event *event);

/// Hear the state that an update came to, once its cues were heard. NULL is allowed.
/// @param is_in_time  false: the match runs at another speed than its sounds, which hush on the
/// card
void ears_show(ears *e, const void *state, bks_tick present, bool is_in_time);

/// Hush on the card: time stands still. NULL is allowed.
void ears_hush(ears *e);

/// A key: m mutes, + and - change the loudness. NULL is allowed.
/// @return what to say of it, static; NULL: it is no key of theirs
const char *ears_key(ears *e, uint8_t key);

/// Finish. NULL is allowed. Errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int ears_close(ears *e);

#endif
