// SPDX-License-Identifier: MIT

/// @file mixer.h
/// Mixes what a player hears: the cues of a match and the voices of its state (sound.h), as 48 kHz,
/// float, stereo. It has no thread and no device: the program that plays or writes the sound pulls
/// it.
///
///     // the game's thread, after each update
///     bks_cue_event event;
///     while (bks_match_cue(match, &event)) {
///         const bks_cue_sound sound = sound_of(&event);
///         bks_mixer_cue(mixer, &event, &sound);
///     }
///     const game *g = bks_match_state(match);
///     const bks_session *session = bks_peer_session(bks_match_peer(match));
///     bks_mixer_voices(mixer, bks_session_tick(session), g->voices, VOICES);
///
///     // the callback of the sound card
///     bks_mixer_mix(mixer, out, frames);
///
/// Nothing clicks: what is cancelled, switched off, or begins inside fades over 20 ms, and so does
/// a jump of a cursor, both ways at once. A voice plays on by the frames that are pulled, also when
/// ticks take longer than they should. It jumps when its cursor is moved by more than 50 ms besides
/// what its ticks add: so one that begins again within 50 ms of its beginning is taken for the
/// same. More than a second of ticks at once, or a tick of before, is a seek: then it jumps unless
/// it is where it should be. A cue, and a voice at its beginning, begin with full loudness. What is
/// too loud is cut at -1 and 1. A volume or pan out of its range is brought into it, and the first
/// of a mixer is logged.
///
/// Thread rule: two threads, which never wait for each other: bks_mixer_mix() on one, all other
/// calls on the other. Create and destroy while no one else calls.

#ifndef BACKSTITCH_MIXER_H
#define BACKSTITCH_MIXER_H

#include "backstitch/cues.h"
#include "backstitch/sound.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most sounds of a mixer.
#define BKS_MIXER_SOUNDS_MAX 1024

/// Most voices that are heard.
#define BKS_MIXER_VOICES_MAX 64

/// Most cues that sound at a time.
#define BKS_MIXER_CUES_MAX 64

/// What a mixer needs, copied by bks_mixer_create(). Start from {0}.
typedef struct bks_mixer_config {
    const bks_sound *sounds; ///< required; copied, their samples must outlive the mixer
    uint32_t sound_count;    ///< length of it, 1..BKS_MIXER_SOUNDS_MAX
    uint32_t tick_rate_hz;   ///< required, of the match, 1..1000
    bks_allocator allocator; ///< default malloc and free
} bks_mixer_config;

/// A mixer. Opaque.
typedef struct bks_mixer bks_mixer;

/// Create a mixer. Nothing is allocated afterwards.
/// @param config  copied
/// @param out     receives it, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_mixer_destroy().
BKS_API BKS_NODISCARD bks_status bks_mixer_create(const bks_mixer_config *config, bks_mixer **out,
                                                  bks_error *error);

/// Release a mixer. NULL is allowed.
BKS_API void bks_mixer_destroy(bks_mixer *mixer);

/// Publish the voices of the newest state, once a frame: the audio thread sees this copy and never
/// the state. With count 0 all voices fade out: while a game is paused.
/// @param present  the tick at whose start the state is. Published again with the same one, cursors
///                 that are the same say nothing new: a match that waits plays on
/// @param voices   copied; not NULL unless count is 0. The first whose cursor stands still while
///                 ticks pass, for want of a bks_voices_step(), is said in the log
/// @param count    0..BKS_MIXER_VOICES_MAX; more are not heard (counted by bks_mixer_lost())
BKS_API void bks_mixer_voices(bks_mixer *mixer, bks_tick present, const bks_voice *voices,
                              uint32_t count);

/// Hear what became of a cue: one that starts is started, one that changes gets its new loudness,
/// one that is cancelled fades out.
/// @param event  from bks_match_cue() and its like, not NULL
/// @param sound  how it sounds, not NULL; without use when it is cancelled
BKS_API void bks_mixer_cue(bks_mixer *mixer, const bks_cue_event *event,
                           const bks_cue_sound *sound);

/// Set the loudness of all; it changes within 20 ms.
/// @param volume  0..1, at first 1
BKS_API void bks_mixer_volume(bks_mixer *mixer, float volume);

/// Voices and cues that found no room, and such of a sound that there is not; a voice counts once,
/// until it is heard or off. It finds no room when it jumps three times within a fade, and is heard
/// again once one has passed; that takes no room from the cues.
/// @return how many, UINT32_MAX: that many or more; 0 for NULL
BKS_API uint64_t bks_mixer_lost(const bks_mixer *mixer);

/// Make a sound to begin with, before a game has its own: a tone that glides from one frequency to
/// another and fades. The same bits on every machine.
/// @param samples  receives them, `frames` of them, not NULL; they must outlive the sound
/// @param frames   1..BKS_SOUND_FRAMES_MAX; 12000 are a quarter of a second
/// @param from_hz  1..20000
/// @param to_hz    1..20000
/// @return the sound for bks_mixer_config.sounds; {0}, which a mixer refuses, where an argument is
///         out of its range (logged)
BKS_API bks_sound bks_tone(float *samples, uint32_t frames, float from_hz, float to_hz);

/// Mix the next frames.
/// @param out     receives 2 * frames samples, left and right in turn, -1..1
/// @param frames  any number
BKS_API void bks_mixer_mix(bks_mixer *mixer, float *out, uint32_t frames);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_MIXER_H
