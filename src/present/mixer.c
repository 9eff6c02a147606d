// SPDX-License-Identifier: MIT

// The thread of the game leaves the newest voices in a post and what becomes of cues in a row of
// orders; the thread of the sound takes both before it mixes. Tracks are the latter's alone. A
// voice or a cue that is to be heard elsewhere lets its track fade and takes another.

#include "backstitch/present.h"

#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/report.h"
#include "present/mixer_queues.h"
#include "present/track.h"

/// How far a voice may be moved before it jumps: 50 ms.
#define APART_FRAMES 2400u

/// Fewest pictures that show that a cursor stands still: with fewer it may be a seek.
#define STANDING_PICTURES 4u

/// In place of the frames that passed between two pictures of voices: it was a seek, which is more
/// than a second of ticks, or a tick of before.
#define LEAP UINT64_MAX

/// Each voice has one that sounds and, jumping at every picture, two that fade. The cues' come
/// first: voices that jump more often do not take them.
#define TRACKS (BKS_MIXER_CUES_MAX + 3 * BKS_MIXER_VOICES_MAX)

/// What is heard of a voice.
typedef struct heard_voice {
    bksi_track *track;  ///< NULL: nothing
    uint64_t cursor;    ///< that was published last
    int64_t off_frames; ///< by how much it was moved since the track began, besides by ticks
    bool is_lost;       ///< it should be heard, and has no room or no sound: counted
} heard_voice;

/// Where the cursor of a voice stands, to the thread of the game.
typedef struct standing_voice {
    uint64_t cursor;
    bks_tick since;    ///< tick in which it came there
    bks_tick seen;     ///< newest one that has it there
    uint32_t pictures; ///< of as many ticks that have it there, 0: it is off
} standing_voice;

struct bks_mixer {
    bks_allocator allocator;
    uint32_t tick_rate_hz;
    uint32_t sound_count;
    bksi_voice_post post;
    bksi_cue_orders orders;
    _Atomic float volume;
    _Atomic uint32_t lost;
    float master;     ///< on its way to volume
    bool has_refused; ///< a value out of range, said once: the thread of the game's
    bool has_warned;  ///< of a cursor that stands still, likewise
    bks_tick seen;    ///< what was present in the newest voices that were taken
    heard_voice heard[BKS_MIXER_VOICES_MAX];
    standing_voice standing[BKS_MIXER_VOICES_MAX];
    bksi_track tracks[TRACKS];
    bks_sound sounds[];
};

// ---- create ----

/// @return the index of one that is not sound, count: none
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

// ---- the thread of the game ----

/// Both threads do; the count stays at its most.
static void lose(bks_mixer *mixer, uint32_t count)
{
    uint32_t lost = atomic_load_explicit(&mixer->lost, memory_order_relaxed);
    while (count > 0 &&
           !atomic_compare_exchange_weak_explicit(
               &mixer->lost, &lost, count < UINT32_MAX - lost ? lost + count : UINT32_MAX,
               memory_order_relaxed, memory_order_relaxed)) {
    }
}

/// @return value, or the nearer end of from..to; from for what is no number
static float within(float value, float from, float to)
{
    return value > to ? to : value >= from ? value : from;
}

/// Bring a value into its range; the first that lies outside is said.
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

/// @param what  of it, "cue" or "voice"
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

/// A cursor that stays where it is for half a second of ticks, and not over a seek, was forgotten.
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

/// Say what is wrong with voices, each kind once.
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

// ---- the thread of the sound: cues ----

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
        return; // it has ended, or was never heard
    }
    if (order->kind == BKS_CUE_CANCELLED) {
        bksi_track_leave(track);
    } else {
        bksi_track_loudness(track, order->volume, order->pan);
    }
}

// ---- the thread of the sound: voices ----

static float volume_of(const bks_voice *voice)
{
    return (float)voice->volume / (float)BKS_VOICE_FULL;
}

static float pan_of(const bks_voice *voice)
{
    return within((float)voice->pan / (float)BKS_VOICE_RIGHT, -1.0f, 1.0f);
}

/// Of a loop it does not matter how often it went round.
static uint64_t least_way(const bksi_track *track, uint64_t apart)
{
    if (!track->is_loop) {
        return apart;
    }
    const uint64_t round = apart % track->sound->frames;
    const uint64_t rest = track->sound->frames - round;
    return round < rest ? round : rest;
}

/// Take in where a voice is now.
/// @return whether it is still what its track plays: ticks moved its cursor, and little else. How
///         long these took does not matter, or a match slower than its tick rate would make every
///         voice jump back all the time. After a leap it is where the track is, or not.
/// @param passed  frames that the ticks since the picture before add, 0: it is of the same tick
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
    const uint64_t off = (uint64_t)before + (uint64_t)moved; // any bytes may be a cursor
    heard->off_frames = (int64_t)off;
    return least_way(track, heard->off_frames < 0 ? 0 - off : off) <= APART_FRAMES;
}

static bool has_ended(const bks_mixer *mixer, const bks_voice *voice)
{
    return voice->is_loop == 0 && voice->cursor >= mixer->sounds[voice->sound].frames;
}

/// @return its track, NULL: there is no room
static bksi_track *begin(bks_mixer *mixer, const bks_voice *voice)
{
    const bks_sound *sound = &mixer->sounds[voice->sound];
    bksi_track *track = find_free(mixer, BKS_MIXER_CUES_MAX, TRACKS);
    if (track != NULL) {
        // The first picture that has it may be a little late: its beginning is heard all the same.
        const uint64_t cursor = voice->cursor > APART_FRAMES ? voice->cursor : 0;
        bksi_track_begin(track, sound, cursor, volume_of(voice), pan_of(voice));
        track->is_loop = voice->is_loop != 0;
    }
    return track;
}

/// @param is_lost  whether it should be heard and is not, counted when that begins
static void count_lost(bks_mixer *mixer, heard_voice *heard, bool is_lost)
{
    lose(mixer, is_lost && !heard->is_lost ? 1 : 0);
    heard->is_lost = is_lost;
}

/// @param voice  NULL: it is not to be heard, or has no sound
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

/// Frames from the start of the match to the start of a tick.
static uint64_t frames_until(const bks_mixer *mixer, bks_tick tick)
{
    return (uint64_t)tick * BKS_SOUND_RATE_HZ / mixer->tick_rate_hz;
}

/// Frames that the ticks between two pictures of voices add to their cursors.
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

// ---- the thread of the sound: the mix ----

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
