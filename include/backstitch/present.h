// SPDX-License-Identifier: MIT

/// @file present.h
/// Cues: things that must happen once, however often a tick is stepped. Steps ask for them by
/// bks_cue(); they are reported when they become true, move or turn out wrong. A match, a peer and
/// a playback collect cues themselves (bks_match_cue()); a program that carries out a session's
/// operations by itself has a collector of its own:
///
///     bks_cues_begin(cues, op.tick);                  // before the step of BKS_OP_STEP
///     …                                               // in it: bks_cues_ask(), for each cue
///     bks_cues_update(cues, bks_session_tick(session), bks_session_confirmed(session));
///     while (bks_cues_next(cues, &event)) { … }       // once bks_session_next() gave the last
///
/// With BKS_ON_DESYNC_RESYNC a repair may step confirmed ticks again, but none before the newest
/// published one: there pass bks_session_published() instead, and have `ticks` 384 larger.
///
/// Nothing of a collector flows back into the state: a step cannot learn whether there is one.
/// Reporting at once, by tick and event, is from [INVERSUS, Audio Segregation] (docs/sources.md);
/// that a cue may move by a few ticks and is still the same one is our own. Of several cues of one
/// key as many as possible stay, in the order of their ticks. Cues of later updates are not
/// foreseen: if two cues moved, one of them out of the update, one may start again.
///
/// Thread rule: a collector belongs to one thread at a time.

#ifndef BACKSTITCH_PRESENT_H
#define BACKSTITCH_PRESENT_H

#include "backstitch/game.h"
#include "backstitch/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most cues of a tick.
#define BKS_CUES_PER_TICK_MAX 1024

/// Most ticks that a collector looks back.
#define BKS_CUES_TICKS_MAX 4096

/// Largest tick of a collector: a year and 49 days at 60 Hz.
#define BKS_CUES_TICK_MAX (INT32_MAX - 1)

/// Configuration of a collector, copied by bks_cues_create(). Start from {0}.
typedef struct bks_cues_config {
    const bks_game *game; ///< required, with `cues`; must outlive the collector
    uint32_t per_tick;    ///< required, most cues of one tick, 1..BKS_CUES_PER_TICK_MAX. About
                          ///< 300 bytes for each, times `ticks`, are taken at create
    uint32_t ticks;       ///< required, most ticks that may be stepped again,
                          ///< 1..BKS_CUES_TICKS_MAX: two windows and 16 more. Cues of older ticks
                          ///< count as lost
    bks_allocator allocator; ///< default malloc and free
} bks_cues_config;

/// A collector. Opaque.
typedef struct bks_cues bks_cues;

/// Create a collector.
/// @param config  copied
/// @param out     receives it, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_cues_destroy().
BKS_API BKS_NODISCARD bks_status bks_cues_create(const bks_cues_config *config, bks_cues **out,
                                                 bks_error *error);

/// Release a collector. NULL is allowed.
BKS_API void bks_cues_destroy(bks_cues *cues);

/// Begin a tick, before it is stepped for the first time or again: the cues that an earlier step of
/// it asked for no longer count.
/// @param tick  0..BKS_CUES_TICK_MAX; cues of a larger one count as lost
BKS_API void bks_cues_begin(bks_cues *cues, bks_tick tick);

/// Ask for a cue, as bks_cue() does within a step.
/// @param payload  may be NULL when bytes is 0
/// @return false when it was not taken: a bad argument, or there is no room (logged once), or its
///         tick is before that of bks_cues_reset()
BKS_API bool bks_cues_ask(bks_cues *cues, uint32_t id, uint64_t key, const void *payload,
                          size_t bytes);

/// End an update whose steps are all done: compare their cues with those that were reported, and
/// queue the events.
/// @param present    the tick at whose start the state is: those from it on that were stepped are
///                   going to be stepped again
/// @param confirmed  ticks before it are never stepped again
BKS_API void bks_cues_update(bks_cues *cues, bks_tick present, bks_tick confirmed);

/// End the match: cancel the cues that were withdrawn, since no later step can ask for them again.
BKS_API void bks_cues_end(bks_cues *cues);

/// Begin at a tick, after a seek for instance: no cue of a tick before it is reported, and all that
/// was known is forgotten, events that were not taken too.
/// @param tick  0..BKS_CUES_TICK_MAX, else the nearer end
BKS_API void bks_cues_reset(bks_cues *cues, bks_tick tick);

/// Take the next event, in the order in which they became known.
/// @param event  receives it, not NULL
/// @return false when there is none
BKS_API bool bks_cues_next(bks_cues *cues, bks_cue_event *event);

/// Get the number of cues and events that were lost: no room was left, a cue was confirmed later
/// than config.ticks, or a tick older than that was stepped again; what these started may be heard
/// to its end. Those that were
/// withdrawn have room for config.ticks * config.per_tick, too: beyond it the oldest is cancelled
/// at once, and counts. The log names the first.
/// @return how many, 0 for NULL
BKS_API uint64_t bks_cues_lost(const bks_cues *cues);

// A mixer makes what a player hears of the cues of a match and the voices of its state (game.h), as
// 48 kHz, float, stereo. It has no thread and no device: the program that plays or writes the sound
// pulls it.
//
//     // the game's thread, after each update
//     bks_cue_event event;
//     while (bks_match_cue(match, &event)) {
//         const bks_cue_sound sound = sound_of(&event);
//         bks_mixer_cue(mixer, &event, &sound);
//     }
//     const game *g = bks_match_state(match);
//     const bks_session *session = bks_match_session(match);
//     bks_mixer_voices(mixer, bks_session_tick(session), g->voices, VOICES);
//
//     // the callback of the sound card
//     bks_mixer_mix(mixer, out, frames);
//
// Nothing clicks: what is cancelled, switched off, or begins inside fades over 20 ms, and so does
// a jump of a cursor, both ways at once. A voice plays on by the frames that are pulled, also when
// ticks take longer than they should. It jumps when its cursor is moved by more than 50 ms besides
// what its ticks add: so one that begins again within 50 ms of its beginning is taken for the
// same. More than a second of ticks at once, or a tick of before, is a seek: then it jumps unless
// it is where it should be. A cue, and a voice at its beginning, begin with full loudness. What is
// too loud is cut at -1 and 1. A volume or pan out of its range is brought into it, and the first
// of a mixer is logged.
//
// Thread rule: two threads, which never wait for each other: bks_mixer_mix() on one, all other
// calls on the other. Create and destroy while no one else calls.

/// Most sounds of a mixer.
#define BKS_MIXER_SOUNDS_MAX 1024

/// Most voices that are heard.
#define BKS_MIXER_VOICES_MAX 64

/// Most cues that sound at a time.
#define BKS_MIXER_CUES_MAX 64

/// Configuration of a mixer, copied by bks_mixer_create(). Start from {0}.
typedef struct bks_mixer_config {
    const bks_sound *sounds; ///< required; copied, their samples must outlive the mixer
    uint32_t sound_count;    ///< length of `sounds`, 1..BKS_MIXER_SOUNDS_MAX
    uint32_t tick_rate_hz;   ///< required, tick rate of the match, 1..1000
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

/// Publish the voices of the newest state, once a picture: the audio thread sees this copy and
/// never the state. With count 0 all voices fade out: while a game is paused.
/// @param present  the tick at whose start the state is. Published again with the same one, cursors
///                 that are the same say nothing new: a match that waits plays on
/// @param voices   copied; not NULL unless count is 0. The first whose cursor stands still while
///                 ticks pass, for want of a bks_voices_step(), is said in the log
/// @param count    0..BKS_MIXER_VOICES_MAX; more are not heard (counted by bks_mixer_lost())
BKS_API void bks_mixer_voices(bks_mixer *mixer, bks_tick present, const bks_voice *voices,
                              uint32_t count);

/// Play the event of a cue: one that starts is started, one that changes gets its new loudness, one
/// that is cancelled fades out.
/// @param event  from bks_match_cue() and its like, not NULL
/// @param sound  how it sounds, not NULL; without use when it is cancelled
BKS_API void bks_mixer_cue(bks_mixer *mixer, const bks_cue_event *event,
                           const bks_cue_sound *sound);

/// Set the loudness of everything; it changes within 20 ms.
/// @param volume  0..1, at first 1
BKS_API void bks_mixer_volume(bks_mixer *mixer, float volume);

/// Count voices and cues that found no room, or whose sound does not exist; a voice counts once,
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

// Easing of corrections on the screen. When ticks are stepped again, a ship is suddenly elsewhere;
// drawn as it is, it jumps. bks_smooth lets it slide to its new place: the error is kept beside the
// state and falls off with time, equally fast at every picture rate. Use it for objects that others
// steer; the own ship is corrected less, and a hit is where the state says.
//
//     static bks_smooth x = {.half_life_ms = 40.0f, .most = 64.0f};
//     draw_ship(bks_smooth_show(&x, ship->x, ship->speed_x, frame.is_corrected, now_ns), …);
//
// The error is counted from where the motion shown before would have led.
//
// Thread rule: one thread at a time.

/// One number on the screen, such as the x of a ship. Start from {0} with the first three set; set
/// is_shown to false where it belongs to something else from now on.
typedef struct bks_smooth {
    float half_life_ms; ///< the error is halved in that time, above 0; 30 to 100 is usual
    float most;         ///< a larger error is a jump and not eased; 0: every error is eased
    float turn;         ///< whole turn of an angle in its unit; 0 (default): no angle
    bool is_shown;      ///< the rest belongs to bks_smooth_show()
    float value;        ///< value of the state in the newest picture
    float speed;        ///< speed in the newest picture
    float error;        ///< shown value less the state's
    uint64_t at_ns;     ///< time of the newest picture
} bks_smooth;

/// Get the value to draw, once for each picture.
/// @param smooth        NULL is allowed: nothing is eased, `value` is returned
/// @param value         as it is in the state of the picture
/// @param speed         change of the value in a second, which says where to expect it in the next
///                      picture; without it every correction also shows a lag of the motion
/// @param is_corrected  bks_frame.is_corrected
/// @param now_ns        when the picture is seen
/// @return where to draw it
BKS_API float bks_smooth_show(bks_smooth *smooth, float value, float speed, bool is_corrected,
                              uint64_t now_ns);

// Figures of a match, for tuning a game: each as the newest value, as least, mean and most over a
// window, and as ten seconds of history for a graph [INVERSUS, Debugging] (docs/sources.md). One
// struct feeds the overlay of bks play, its terminal, the log and bks inspect; bks_match_figures()
// has it for a match.
//
//     const bks_figures *figures = bks_match_figures(match);
//     printf("%.0f ms\n", (double)figures->links[1].round_trip_ms.mean);
//
// Thread rule: as the session.

/// Points of a history.
#define BKS_FIGURE_POINTS 100

/// Time from one point of a history to the next, in milliseconds.
#define BKS_FIGURE_POINT_MS 100

/// Longest window: the whole history.
#define BKS_FIGURE_WINDOW_MS_MAX (BKS_FIGURE_POINTS * BKS_FIGURE_POINT_MS)

/// Longest time from one line in the log to the next, in milliseconds.
#define BKS_FIGURE_LOG_MS_MAX 3600000

/// A tenth of a second of a figure.
typedef struct bks_figure_point {
    float least;  ///< least value measured in it
    float mean;   ///< mean of the values
    float most;   ///< largest of these values
    float weight; ///< amount that was measured, such as the number of updates; 0: nothing was
} bks_figure_point;

/// One number over time.
typedef struct bks_figure {
    float now;   ///< newest value; 0 before the first
    float least; ///< least value over the window; least, mean and most are `now` while nothing was
                 ///< measured in it, see bks_figure_is_measured()
    float mean;  ///< mean of the values
    float most;  ///< largest of these values
    bks_figure_point history[BKS_FIGURE_POINTS]; ///< the oldest first; the last one is complete
} bks_figure;

/// Return true if anything of a figure was measured within the window; if not, its values are
/// older, and are best not shown: the depth of rollbacks while there are none.
/// @param figure     NULL: none
/// @param window_ms  bks_figures.window_ms
static inline bool bks_figure_is_measured(const bks_figure *figure, uint32_t window_ms)
{
    const uint32_t window = figure != NULL ? window_ms / BKS_FIGURE_POINT_MS : 0;
    const uint32_t points = window < BKS_FIGURE_POINTS ? window : BKS_FIGURE_POINTS;
    for (uint32_t i = BKS_FIGURE_POINTS - points; i < BKS_FIGURE_POINTS; i++) {
        if (figure->history[i].weight > 0.0f) {
            return true;
        }
    }
    return false;
}

/// The figures of the link to one peer.
typedef struct bks_link_figures {
    bool has_peer;             ///< there is a peer of this number, and it is not ourselves
    bks_figure round_trip_ms;  ///< as bks_link_stats has it: smoothed
    bks_figure loss;           ///< share of its packets that did not come, 0..1
    bks_figure local_lag;      ///< ticks of its input unknown to us
    bks_figure remote_lag;     ///< ticks of our input unknown to it
    bks_figure advantage;      ///< ticks that we run ahead of it: half of local minus remote lag
    bks_figure waited;         ///< ticks a second that we did not step for want of its inputs
    bks_figure bytes_sent;     ///< bytes a second, UDP payload to it
    bks_figure bytes_received; ///< bytes a second, UDP payload from it
} bks_link_figures;

/// The figures of a match on one peer.
typedef struct bks_figures {
    uint32_t window_ms;         ///< window of least, mean and most
    bks_tick tick;              ///< the present tick
    bks_tick confirmed;         ///< the first tick that is not confirmed
    bks_figure predicted;       ///< ticks from `confirmed` to the present
    bks_figure input_delay;     ///< input delay in ticks
    bks_figure rollbacks;       ///< rollbacks a second
    bks_figure depth;           ///< depth of rollbacks, in ticks
    bks_figure resimulated;     ///< ticks a second that are stepped again
    bks_figure resimulation_ms; ///< time of an update that resimulation takes; 0 where it is not
                                ///< measured
    bks_figure stalled;         ///< due ticks a second that are skipped so that others catch up
    bks_figure starved;         ///< due ticks a second that are not stepped for want of input
    bks_figure bytes_sent;      ///< bytes a second, UDP payload to all peers
    uint32_t link_count;        ///< one past the highest number of a peer
    bks_link_figures links[BKS_PEERS_MAX]; ///< figures by peer; our own are zero
} bks_figures;

// Letters for a debug display, for a program that draws boxes and has no font: ASCII on a grid of
// 5 by 9 dots.
//
//     bks_text_box boxes[1024];
//     const uint32_t count = bks_text_boxes("delay 2", 8.0f, 8.0f, 2.0f, boxes, 1024);
//     for (uint32_t i = 0; i < count; i++) {
//         SDL_RenderFillRectF(renderer, &(SDL_FRect){boxes[i].x, boxes[i].y, boxes[i].width,
//                                                    boxes[i].height});
//     }
//
// Thread rule: plain functions on the caller's memory; call from any thread.

/// Rows of a character: seven of a capital letter, two below the line.
#define BKS_TEXT_ROWS 9u

/// Columns of a character.
#define BKS_TEXT_COLUMNS 5u

/// A part of a letter to be filled. In the unit of what is drawn on; x to the right, y down.
typedef struct bks_text_box {
    float x;      ///< left edge of the box
    float y;      ///< upper edge of the box
    float width;  ///< above 0
    float height; ///< above 0
} bks_text_box;

/// Make the boxes of a text, at most 17 for each character. Letters are as wide as they need,
/// digits all the same; a line is ten dots high.
/// @param text      ASCII, zero-terminated, not NULL; a newline begins the next line at x, what is
///                  not printable is shown as ?
/// @param x, y      its upper left corner
/// @param dot       width and height of a dot, above 0
/// @param boxes     receives them, not NULL unless capacity is 0
/// @param capacity  length of `boxes`; more boxes are left out
/// @return how many were written
BKS_API uint32_t bks_text_boxes(const char *text, float x, float y, float dot, bks_text_box *boxes,
                                uint32_t capacity);

/// Get the dots of a character, for a font of your own.
/// @param character  anything but printable ASCII is shown as ?
/// @param rows       receives them from the top, not NULL: bit 4 is the leftmost dot
BKS_API void bks_text_dots(char character, uint8_t rows[BKS_TEXT_ROWS]);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_PRESENT_H
