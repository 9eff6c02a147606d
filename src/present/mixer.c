// SPDX-License-Identifier: MIT

// The game's thread puts the newest voices into a triple buffer, and orders about cues into a
// queue. The sound thread takes voices and orders before it mixes. Tracks belong to the sound
// thread alone. A voice that jumps lets its track fade out and continues in another track.

#include "backstitch/present.h"

#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/report.h"
#include "present/mixer_queues.h"
#include "present/track.h"

/// Distance by which a voice may drift before it jumps: 50 ms.
#define APART_FRAMES 2400u

/// Fewest published copies of a voice that show that its cursor stands still. Fewer may come from a
/// seek.
#define STANDING_PICTURES 4u

/// Result of frames_between() for a seek: more than a second of ticks forward, or any tick back.
#define LEAP UINT64_MAX

/// Number of tracks. Each voice may have one track that plays and, if it jumps with every published
/// copy of the voices, two tracks that fade out. The tracks of cues come first, so voices that jump
/// more often cannot take them.
#define TRACKS (BKS_MIXER_CUES_MAX + 3 * BKS_MIXER_VOICES_MAX)

/// Playing state of a voice, used by the sound thread.
typedef struct heard_voice {
    bksi_track *track; ///< track in which the voice plays; NULL: the voice is not heard
    uint64_t cursor;   ///< newest cursor that the game's thread published
    /// Number of frames by which something other than ticks has moved the cursor since the track
    /// began.
    int64_t off_frames;
    bool is_lost; ///< the voice should be heard but is not; it was counted in `lost`
} heard_voice;

/// Time for which a voice's cursor has stood still, used by the game's thread.
typedef struct standing_voice {
    uint64_t cursor;
    bks_tick since; ///< first tick at which the voice had its present cursor
    bks_tick seen;  ///< newest tick at which the voice had its present cursor

    /// Number of ticks seen at which the voice had its present cursor, 0: the voice is off.
    uint32_t pictures;
} standing_voice;

struct bks_mixer {
    bks_allocator allocator;
    uint32_t tick_rate_hz;
    uint32_t sound_count;
    bksi_voice_post post;
    bksi_cue_orders orders;
    _Atomic float volume;
    _Atomic uint32_t lost;
    float master; ///< current volume, which moves towards `volume`
    /// True once a value out of range was logged as a warning. Used by the game's thread only.
    bool has_refused;
    /// True once a cursor that stands still was logged as a warning. Used by the game's thread
    /// only.
    bool has_warned;
    bks_tick seen; ///< tick of the newest voices that the sound thread took
    heard_voice heard[BKS_MIXER_VOICES_MAX];
    standing_voice standing[BKS_MIXER_VOICES_MAX];
    bksi_track tracks[TRACKS];
    bks_sound sounds[];
};

// ---- creating a mixer ----

/// Find the first sound that cannot be played.
/// @return index of the sound; `count` if all sounds can be played
static uint32_t find_bad_sound(const bks_sound *sounds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (sounds[i].samples == NULL || sounds[i].frames < 1 ||
            sounds[i].frames > BKS_SOUND_FRAMES_MAX) {
            return i;
        }
        for (uint32_t k = 0; k < sounds[i].frames; k++) {
            if (!(sounds[i].samples[k] >= -1.0f && sounds[i].samples[k] <= 1.0f)) {
                return i;
            }
        }
    }
    return count;
}

static bks_status check(const bks_mixer_config *config, bks_error *error)
{
    static const char call[] = "bks_mixer_create";
    if (config->sounds == NULL) {
        return bksi_fail_null(error, call, "sounds");
    }
    if (config->sound_count < 1 || config->sound_count > BKS_MIXER_SOUNDS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "sound_count",
                         "sound_count is %u, must be 1..%d", config->sound_count,
                         BKS_MIXER_SOUNDS_MAX);
    }
    if (config->tick_rate_hz < 1 || config->tick_rate_hz > 1000) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "tick_rate_hz",
                         "tick_rate_hz is %u, must be 1..1000", config->tick_rate_hz);
    }
    if (!bksi_allocator_ok(&config->allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    const uint32_t bad = find_bad_sound(config->sounds, config->sound_count);
    if (bad < config->sound_count) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "sounds",
                         "sound %u has %s, %u frames, must have samples of -1..1, 1..%u frames",
                         bad, config->sounds[bad].samples == NULL ? "no samples" : "samples",
                         config->sounds[bad].frames, BKS_SOUND_FRAMES_MAX);
    }
    return BKS_OK;
}

static size_t bytes_of(uint32_t sound_count)
{
    return sizeof(bks_mixer) + sound_count * sizeof(bks_sound);
}

bks_status bks_mixer_create(const bks_mixer_config *config, bks_mixer **out, bks_error *error)
{
    static const char call[] = "bks_mixer_create";
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_REFUSE_NULL(error, config);
    const bks_status status = check(config, error);
    if (status != BKS_OK) {
        return status;
    }
    bks_mixer *mixer =
        bksi_alloc(&config->allocator, bytes_of(config->sound_count), _Alignof(bks_mixer));
    if (mixer == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, "allocator", "no memory for a mixer");
    }
    mixer->allocator = config->allocator;
    mixer->tick_rate_hz = config->tick_rate_hz;
    mixer->sound_count = config->sound_count;
    mixer->master = 1.0f;
    mixer->seen = BKS_TICK_NONE;
    atomic_init(&mixer->volume, 1.0f);
    bksi_voice_post_begin(&mixer->post);
    memcpy(mixer->sounds, config->sounds, config->sound_count * sizeof(bks_sound));
    *out = mixer;
    return BKS_OK;
}

void bks_mixer_destroy(bks_mixer *mixer)
{
    if (mixer != NULL) {
        const bks_allocator allocator = mixer->allocator;
        bksi_free(&allocator, mixer, bytes_of(mixer->sound_count));
    }
}

// ---- calls from the game's thread ----

/// Add to the number of lost sounds, up to UINT32_MAX. Either thread may call this.
static void lose(bks_mixer *mixer, uint32_t count)
{
    uint32_t lost = atomic_load_explicit(&mixer->lost, memory_order_relaxed);
    while (count > 0 &&
           !atomic_compare_exchange_weak_explicit(
               &mixer->lost, &lost, count < UINT32_MAX - lost ? lost + count : UINT32_MAX,
               memory_order_relaxed, memory_order_relaxed)) {
    }
}

/// Limit a value to from..to. A NaN becomes `from`.
static float within(float value, float from, float to)
{
    return value > to ? to : value >= from ? value : from;
}

/// Limit a value to its range, and log the first one that is outside.
static float take(bks_mixer *mixer, const char *call, const char *name, float value, float from,
                  float to)
{
    if (!(value >= from && value <= to) && !mixer->has_refused) {
        mixer->has_refused = true;
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, name,
                        "%s is %g, must be %g..%g: %g is heard", name, (double)value, (double)from,
                        (double)to, (double)within(value, from, to));
    }
    return within(value, from, to);
}

/// Return true if a sound exists. Log the first one that does not.
/// @param what  user of the sound, for the log: "cue" or "voice"
static bool has_sound(bks_mixer *mixer, const char *call, const char *what, uint32_t sound)
{
    if (sound >= mixer->sound_count && !mixer->has_refused) {
        mixer->has_refused = true;
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "sound",
                        "sound is %u, must be 0..%u: the %s is not heard", sound,
                        mixer->sound_count - 1, what);
    }
    return sound < mixer->sound_count;
}

/// Log a warning about a voice whose cursor stands still for half a second of ticks, because the
/// game forgot to move it. A seek does not count as standing still.
static void watch_cursor(bks_mixer *mixer, uint32_t index, bks_tick present, const bks_voice *voice)
{
    standing_voice *at = &mixer->standing[index];
    if (voice->is_on == 0 || at->pictures == 0 || at->cursor != voice->cursor ||
        present < at->seen) {
        *at = (standing_voice){.cursor = voice->cursor,
                               .since = present,
                               .seen = present,
                               .pictures = voice->is_on != 0 ? 1 : 0};
        return;
    }
    at->pictures += present > at->seen && at->pictures < STANDING_PICTURES ? 1 : 0;
    at->seen = present;
    const int64_t ticks = (int64_t)present - at->since;
    if (at->pictures == STANDING_PICTURES && 2 * ticks >= (int64_t)mixer->tick_rate_hz) {
        mixer->has_warned = true;
        bksi_log(BKS_LOG_WARNING, "mixer.standing",
                 "voice %u is on, but its cursor has stood at %llu for %d ticks, expected "
                 "bks_voices_step() in the game's step",
                 index, (unsigned long long)voice->cursor, (int)ticks);
    }
}

/// Log what is wrong with voices, each kind once.
static void check_voices(bks_mixer *mixer, bks_tick present, const bks_voice *voices,
                         uint32_t count)
{
    for (uint32_t i = 0; i < BKS_MIXER_VOICES_MAX; i++) {
        const bks_voice off = {0};
        const bks_voice *voice = i < count ? &voices[i] : &off;
        if (voice->is_on != 0) {
            (void)has_sound(mixer, "bks_mixer_voices", "voice", voice->sound);
        }
        if (!mixer->has_warned) {
            watch_cursor(mixer, i, present, voice);
        }
    }
}

void bks_mixer_voices(bks_mixer *mixer, bks_tick present, const bks_voice *voices, uint32_t count)
{
    if (mixer == NULL || (voices == NULL && count > 0)) {
        (void)bksi_fail_null(NULL, "bks_mixer_voices", mixer == NULL ? "mixer" : "voices");
        return;
    }
    const uint32_t heard = count < BKS_MIXER_VOICES_MAX ? count : BKS_MIXER_VOICES_MAX;
    lose(mixer, count - heard);
    check_voices(mixer, present, voices, heard);
    bksi_voices *next = bksi_voice_post_next(&mixer->post);
    next->present = present;
    next->count = heard;
    if (heard > 0) {
        memcpy(next->voices, voices, heard * sizeof(*voices));
    }
    bksi_voice_post_publish(&mixer->post);
}

static bool is_dropped(const bks_cue_event *event, const bks_cue_sound *sound)
{
    const uint32_t after = sound->drop_after_ticks;
    return (after > 0 && event->late_ticks > after) ||
           (event->late_ticks > 0 && bksi_mutated(BKSI_MUTANT_MIX_LATE_IS_LOST));
}

void bks_mixer_cue(bks_mixer *mixer, const bks_cue_event *event, const bks_cue_sound *sound)
{
    if (mixer == NULL || event == NULL || sound == NULL) {
        const char *name = mixer == NULL ? "mixer" : event == NULL ? "event" : "sound";
        (void)bksi_fail_null(NULL, "bks_mixer_cue", name);
        return;
    }
    const bool is_start = event->kind == BKS_CUE_STARTED;
    if (is_start && is_dropped(event, sound)) {
        return;
    }
    const bool is_inside = sound->is_inside || bksi_mutated(BKSI_MUTANT_MIX_LATE_IS_INSIDE);
    const uint64_t late_frames =
        (uint64_t)event->late_ticks * BKS_SOUND_RATE_HZ / mixer->tick_rate_hz;
    bksi_cue_order order = {
        .kind = event->kind,
        .serial = event->serial,
        .sound = sound->sound,
        .cursor = is_inside ? late_frames : 0,
    };
    if (event->kind != BKS_CUE_CANCELLED) {
        order.volume = take(mixer, "bks_mixer_cue", "volume", sound->volume, 0.0f, 2.0f);
        order.pan = take(mixer, "bks_mixer_cue", "pan", sound->pan, -1.0f, 1.0f);
    }
    if ((is_start && !has_sound(mixer, "bks_mixer_cue", "cue", order.sound)) ||
        !bksi_cue_orders_put(&mixer->orders, &order)) {
        lose(mixer, 1);
    }
}

void bks_mixer_volume(bks_mixer *mixer, float volume)
{
    BKSI_REFUSE_NULL_OR(, mixer);
    atomic_store_explicit(&mixer->volume,
                          take(mixer, "bks_mixer_volume", "volume", volume, 0.0f, 1.0f),
                          memory_order_relaxed);
}

uint64_t bks_mixer_lost(const bks_mixer *mixer)
{
    BKSI_REFUSE_NULL_OR(0, mixer);
    return atomic_load_explicit(&mixer->lost, memory_order_relaxed);
}

// ---- the sound thread: cues ----

static bksi_track *find_free(bks_mixer *mixer, uint32_t from, uint32_t until)
{
    for (uint32_t i = from; i < until; i++) {
        if (mixer->tracks[i].sound == NULL) {
            return &mixer->tracks[i];
        }
    }
    return NULL;
}

static bksi_track *find_cue(bks_mixer *mixer, uint64_t serial)
{
    for (uint32_t i = 0; i < BKS_MIXER_CUES_MAX; i++) {
        if (mixer->tracks[i].sound != NULL && mixer->tracks[i].serial == serial) {
            return &mixer->tracks[i];
        }
    }
    return NULL;
}

static void start(bks_mixer *mixer, const bksi_cue_order *order)
{
    const bks_sound *sound = &mixer->sounds[order->sound];
    bksi_track *track = find_free(mixer, 0, BKS_MIXER_CUES_MAX);
    if (track == NULL) {
        lose(mixer, 1);
    } else if (order->cursor < sound->frames) {
        bksi_track_begin(track, sound, order->cursor, order->volume, order->pan);
        track->serial = order->serial;
    }
}

static void obey(bks_mixer *mixer, const bksi_cue_order *order)
{
    if (order->kind == BKS_CUE_STARTED) {
        start(mixer, order);
        return;
    }
    bksi_track *track = find_cue(mixer, order->serial);
    if (track == NULL) {
        return; // the cue has ended, or was never played
    }
    if (order->kind == BKS_CUE_CANCELLED) {
        bksi_track_leave(track);
    } else {
        bksi_track_loudness(track, order->volume, order->pan);
    }
}

// ---- the sound thread: voices ----

static float volume_of(const bks_voice *voice)
{
    return (float)voice->volume / (float)BKS_VOICE_FULL;
}

static float pan_of(const bks_voice *voice)
{
    return within((float)voice->pan / (float)BKS_VOICE_RIGHT, -1.0f, 1.0f);
}

/// Return how far two cursors are apart, in frames. For a loop take the shorter way round.
static uint64_t distance(const bksi_track *track, uint64_t apart)
{
    if (!track->is_loop) {
        return apart;
    }
    const uint64_t round = apart % track->sound->frames;
    const uint64_t rest = track->sound->frames - round;
    return round < rest ? round : rest;
}

/// Take the new cursor of a voice whose sound plays in a track.
/// @return true if the track still plays the right frames: apart from the frames that ticks add,
///         the voice's cursor has moved by at most APART_FRAMES. The time that the ticks took does
///         not matter, otherwise every voice of a match slower than its tick rate would keep
///         jumping back. After a seek the voice's cursor must be near the track's cursor.
/// @param passed  frames that the ticks since the last snapshot add, 0: the same tick
static bool take_cursor(const bks_mixer *mixer, heard_voice *heard, const bks_voice *voice,
                        uint64_t passed)
{
    const bksi_track *track = heard->track;
    if (track->sound != &mixer->sounds[voice->sound] || track->is_loop != (voice->is_loop != 0)) {
        return false;
    }
    const uint64_t expected = passed == LEAP ? track->cursor : heard->cursor + passed;
    const int64_t moved = (int64_t)(voice->cursor - expected);
    const int64_t before = passed == LEAP ? 0 : heard->off_frames;
    // Add as unsigned numbers, because a cursor may have any value and the sum may overflow.
    const uint64_t off = (uint64_t)before + (uint64_t)moved;
    heard->off_frames = (int64_t)off;
    return distance(track, heard->off_frames < 0 ? 0 - off : off) <= APART_FRAMES;
}

static bool has_ended(const bks_mixer *mixer, const bks_voice *voice)
{
    return voice->is_loop == 0 && voice->cursor >= mixer->sounds[voice->sound].frames;
}

/// Begin to play a voice in a free track.
/// @return the track, or NULL if none is free
static bksi_track *begin(bks_mixer *mixer, const bks_voice *voice)
{
    const bks_sound *sound = &mixer->sounds[voice->sound];
    bksi_track *track = find_free(mixer, BKS_MIXER_CUES_MAX, TRACKS);
    if (track != NULL) {
        // The first published copy with a voice may be a little late, so begin with the sound's
        // first frame if the cursor is near it.
        const uint64_t cursor = voice->cursor > APART_FRAMES ? voice->cursor : 0;
        bksi_track_begin(track, sound, cursor, volume_of(voice), pan_of(voice));
        track->is_loop = voice->is_loop != 0;
    }
    return track;
}

/// Count a voice as lost when it should be heard and is not. It counts once, until that ends.
/// @param is_lost  true if the voice should be heard and is not
static void count_lost(bks_mixer *mixer, heard_voice *heard, bool is_lost)
{
    lose(mixer, is_lost && !heard->is_lost ? 1 : 0);
    heard->is_lost = is_lost;
}

/// Update the track of a voice to the newest published copy of the voice.
/// @param voice  NULL: the voice is off, or has no sound
static void follow(bks_mixer *mixer, heard_voice *heard, const bks_voice *voice, uint64_t passed)
{
    if (heard->track != NULL && (voice == NULL || !take_cursor(mixer, heard, voice, passed))) {
        bksi_track_leave(heard->track);
        heard->track = NULL;
    }
    const bool begins = voice != NULL && heard->track == NULL && !has_ended(mixer, voice);
    if (heard->track != NULL) {
        bksi_track_loudness(heard->track, volume_of(voice), pan_of(voice));
    } else if (begins) {
        heard->track = begin(mixer, voice);
        heard->off_frames = 0;
    }
    if (voice != NULL) {
        count_lost(mixer, heard, begins && heard->track == NULL);
    }
    heard->cursor = voice != NULL ? voice->cursor : 0;
}

/// Return the frames from the start of the match to the start of a tick.
static uint64_t frames_until(const bks_mixer *mixer, bks_tick tick)
{
    return (uint64_t)tick * BKS_SOUND_RATE_HZ / mixer->tick_rate_hz;
}

/// Return the number of frames by which the ticks between two published copies of voices move a
/// cursor; LEAP for a seek.
static uint64_t frames_between(const bks_mixer *mixer, bks_tick before, bks_tick present)
{
    const int64_t ticks = (int64_t)present - before;
    if (before == BKS_TICK_NONE || ticks < 0 || ticks > (int64_t)mixer->tick_rate_hz) {
        return LEAP;
    }
    return frames_until(mixer, present) - frames_until(mixer, before);
}

static void take_voices(bks_mixer *mixer)
{
    const bksi_voices *newest = bksi_voice_post_take(&mixer->post);
    if (newest == NULL) {
        return;
    }
    const uint64_t passed = frames_between(mixer, mixer->seen, newest->present);
    mixer->seen = newest->present;
    for (uint32_t i = 0; i < BKS_MIXER_VOICES_MAX; i++) {
        const bks_voice *voice = i < newest->count ? &newest->voices[i] : NULL;
        const bool is_on = voice != NULL && voice->is_on != 0;
        const bool is_heard = is_on && voice->sound < mixer->sound_count;
        follow(mixer, &mixer->heard[i], is_heard ? voice : NULL, passed);
        if (!is_heard) {
            count_lost(mixer, &mixer->heard[i], is_on);
        }
    }
}

// ---- the sound thread: the mix ----

static void finish(bks_mixer *mixer, float *out, uint32_t frames)
{
    const float volume = atomic_load_explicit(&mixer->volume, memory_order_relaxed);
    for (uint32_t i = 0; i < frames; i++) {
        out[2 * i] = within(out[2 * i] * mixer->master, -1.0f, 1.0f);
        out[2 * i + 1] = within(out[2 * i + 1] * mixer->master, -1.0f, 1.0f);
        mixer->master = bksi_approach(mixer->master, volume, 1.0f / (float)BKSI_FADE_FRAMES);
    }
}

void bks_mixer_mix(bks_mixer *mixer, float *out, uint32_t frames)
{
    BKSI_REFUSE_NULL_OR(, mixer);
    BKSI_REFUSE_NULL_OR(, out);
    take_voices(mixer);
    for (bksi_cue_order order; bksi_cue_orders_take(&mixer->orders, &order);) {
        obey(mixer, &order);
    }
    memset(out, 0, 2 * (size_t)frames * sizeof(*out));
    for (uint32_t i = 0; i < TRACKS; i++) {
        if (mixer->tracks[i].sound != NULL) {
            bksi_track_mix(&mixer->tracks[i], out, frames);
        }
    }
    finish(mixer, out, frames);
}
