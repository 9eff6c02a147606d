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
/// published one. Then pass bks_session_published() in place of bks_session_confirmed(), and make
/// `ticks` larger by 384.
///
/// Nothing of a collector flows back into the state: a step cannot learn whether there is one.
/// Reporting at once, by tick and event, is from [INVERSUS, Audio Segregation] (docs/sources.md);
/// that a cue may move by a few ticks and is still the same one is our own. If several cues have
/// the same key, cues of corrected ticks and reported cues are paired in the order of their ticks,
/// so that as many reported cues as possible stay. The collector cannot foresee cues of later
/// updates: if two cues of one key move, one of them to a tick that is not stepped yet, one may be
/// cancelled and start again.
///
/// Thread rule: a collector belongs to one thread at a time.

#ifndef BACKSTITCH_PRESENT_H
#define BACKSTITCH_PRESENT_H

#include "backstitch/game.h"
#include "backstitch/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum number of cues in a tick.
#define BKS_CUES_PER_TICK_MAX 1024

/// Maximum number of ticks that a collector can look back.
#define BKS_CUES_TICKS_MAX 4096

/// Largest tick that a collector accepts: a year and 49 days at 60 Hz.
#define BKS_CUES_TICK_MAX (INT32_MAX - 1)

/// Configuration of a collector, copied by bks_cues_create(). Start from {0}.
typedef struct bks_cues_config {
    const bks_game *game; ///< the game with its cue types, required; must outlive the collector
    /// Most cues of one tick, required, 1..BKS_CUES_PER_TICK_MAX. Creation allocates about 300
    /// bytes for each, times `ticks`.
    uint32_t per_tick;
    /// Most ticks that may be stepped again, required, 1..BKS_CUES_TICKS_MAX: a good choice is
    /// twice the window plus 16. Cues of older ticks count as lost.
    uint32_t ticks;
    bks_allocator allocator; ///< memory hooks, default malloc and free
} bks_cues_config;

/// Collector of cues. Opaque.
typedef struct bks_cues bks_cues;

/// Create a collector.
/// @param config  copied
/// @param out     receives the collector, NULL on failure
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
/// @return false when the cue was not accepted: an argument is bad, there is no room (logged once),
///         or the tick is before that of bks_cues_reset()
BKS_API bool bks_cues_ask(bks_cues *cues, uint32_t id, uint64_t key, const void *payload,
                          size_t bytes);

/// End an update whose steps are all done: compare their cues with those that were reported, and
/// queue the events.
/// @param present    present tick, at whose start the state is. Ticks from this one on that were
///                   already stepped will be stepped again
/// @param confirmed  no tick before this one is ever stepped again
BKS_API void bks_cues_update(bks_cues *cues, bks_tick present, bks_tick confirmed);

/// End the match: cancel the cues that were withdrawn, since no later step can ask for them again.
BKS_API void bks_cues_end(bks_cues *cues);

/// Begin at a tick, for instance after a seek: cues of earlier ticks are not reported. The
/// collector forgets all that it knew, and all events that were not taken.
/// @param tick  0..BKS_CUES_TICK_MAX; a tick outside is replaced by the nearer end
BKS_API void bks_cues_reset(bks_cues *cues, bks_tick tick);

/// Take the next event, in the order in which the events became known.
/// @param event  receives the event, not NULL
/// @return false when there is none
BKS_API bool bks_cues_next(bks_cues *cues, bks_cue_event *event);

/// Get the number of lost cues and events. A cue is lost if there was no room for it, if its tick
/// was confirmed more than config.ticks ticks later, or if its tick was stepped again when it was
/// older than config.ticks; a sound that such a cue started may be heard to its end. At most
/// config.ticks * config.per_tick withdrawn cues are remembered; if there are more, the oldest is
/// cancelled at once and counts as lost. The log names the first lost cue.
/// @return the number lost, 0 for NULL
BKS_API uint64_t bks_cues_lost(const bks_cues *cues);

// A mixer makes the sound that a player hears, of the cues of a match and the voices of its state
// (game.h): stereo float frames at 48 kHz. It has no thread and no device: the program that plays
// or writes the sound calls it for frames.
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
// Nothing clicks: a sound that is cancelled or switched off fades out over 20 ms, a sound that does
// not begin at its first frame fades in, and a cursor that jumps is cross-faded. A voice sounds on
// without gaps, also when ticks take longer than they should. A voice jumps when its cursor is more
// than 50 ms away from where the ticks that passed have moved it; a voice that restarts within 50
// ms of its beginning counts as the same one. More than a second of ticks at once, or an earlier
// tick, is a seek: then a voice jumps if its cursor is more than 50 ms away from the frame that is
// heard. Cues, and voices at their beginning, start at full loudness. Samples beyond -1 and 1 are
// clipped. A volume or pan out of its range is clamped, and the first one is logged.
//
// Thread rule: a mixer may be used by two threads, which never wait for each other: bks_mixer_mix()
// on one, all other calls on the other. Create and destroy while no one else calls.

/// Maximum number of sounds of a mixer.
#define BKS_MIXER_SOUNDS_MAX 1024

/// Maximum number of voices that a mixer plays.
#define BKS_MIXER_VOICES_MAX 64

/// Maximum number of cues that sound at a time.
#define BKS_MIXER_CUES_MAX 64

/// Configuration of a mixer, copied by bks_mixer_create(). Start from {0}.
typedef struct bks_mixer_config {
    const bks_sound *sounds; ///< the sounds, required; copied, their samples must outlive the mixer
    uint32_t sound_count;    ///< length of `sounds`, 1..BKS_MIXER_SOUNDS_MAX
    uint32_t tick_rate_hz;   ///< tick rate of the match, required, 1..1000
    bks_allocator allocator; ///< memory hooks, default malloc and free
} bks_mixer_config;

/// Mixer of cues and voices. Opaque.
typedef struct bks_mixer bks_mixer;

/// Create a mixer. Nothing is allocated afterwards.
/// @param config  copied
/// @param out     receives the mixer, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_mixer_destroy().
BKS_API BKS_NODISCARD bks_status bks_mixer_create(const bks_mixer_config *config, bks_mixer **out,
                                                  bks_error *error);

/// Release a mixer. NULL is allowed.
BKS_API void bks_mixer_destroy(bks_mixer *mixer);

/// Publish the voices of the newest state, once for each picture: the audio thread reads this copy
/// and never the state. With count 0, as while a game is paused, all voices fade out.
/// @param present  present tick, at whose start the state is. If the same tick is published again,
///                 unchanged cursors are ignored, so sounds continue while a match waits
/// @param voices   copied; not NULL unless count is 0. The log names the first voice whose cursor
///                 does not move although ticks pass, because bks_voices_step() is not called
/// @param count    0..BKS_MIXER_VOICES_MAX; further voices are silent (counted by bks_mixer_lost())
BKS_API void bks_mixer_voices(bks_mixer *mixer, bks_tick present, const bks_voice *voices,
                              uint32_t count);

/// Play an event of a cue: start a cue, change its loudness, or fade out a cancelled one.
/// @param event  from bks_match_cue(), bks_peer_cue(), bks_playback_cue() or bks_cues_next(), not
///               NULL
/// @param sound  how the cue sounds, not NULL; ignored for a cancelled cue
BKS_API void bks_mixer_cue(bks_mixer *mixer, const bks_cue_event *event,
                           const bks_cue_sound *sound);

/// Set the loudness of everything; it changes within 20 ms.
/// @param volume  0..1, initially 1
BKS_API void bks_mixer_volume(bks_mixer *mixer, float volume);

/// Get the number of voices and cues that were not played, because there was no room or their sound
/// does not exist. A voice that is not played counts once until it is heard or switched off. A
/// voice that jumps three times within a fade of 20 ms has no room, and is heard again once one of
/// its fades has ended. Voices take no room from cues.
/// @return the number; UINT32_MAX means that many or more; 0 for NULL
BKS_API uint64_t bks_mixer_lost(const bks_mixer *mixer);

/// Make a placeholder sound, until a game has its own: a tone that glides from one frequency to
/// another and fades. The same bits on every machine.
/// @param samples  receives `frames` samples, not NULL; they must outlive the sound
/// @param frames   1..BKS_SOUND_FRAMES_MAX; 12000 are a quarter of a second
/// @param from_hz  1..20000
/// @param to_hz    1..20000
/// @return the sound for bks_mixer_config.sounds; {0}, which a mixer refuses, when an argument is
///         out of its range (logged)
BKS_API bks_sound bks_tone(float *samples, uint32_t frames, float from_hz, float to_hz);

/// Mix the next frames.
/// @param out     receives 2 * frames samples, left and right alternating, -1..1
/// @param frames  any number
BKS_API void bks_mixer_mix(bks_mixer *mixer, float *out, uint32_t frames);

// Easing of corrections on the screen. When ticks are stepped again, a ship is suddenly elsewhere
// and would jump on the screen. bks_smooth lets it slide to its new position: the error is kept
// outside the state and decays with time, equally fast at every picture rate. Use it for objects of
// other players. Your own ship is corrected less, and hits must be drawn at their true position.
//
//     static bks_smooth x = {.half_life_ms = 40.0f, .most = 64.0f};
//     draw_ship(bks_smooth_show(&x, ship->x, ship->speed_x, frame.is_corrected, now_ns), …);
//
// The error is measured from the position to which the motion shown so far would have led.
//
// Thread rule: one thread at a time.

/// One number on the screen, such as the x of a ship. Start from {0} with the first three fields
/// set. Set is_shown to false when the number is used for another object.
typedef struct bks_smooth {
    float half_life_ms; ///< time in which the error is halved, in ms, above 0; 30 to 100 is usual
    /// Largest error that is eased, because a larger one is a jump; 0: every error is eased.
    float most;
    float turn;     ///< size of a whole turn, if the number is an angle; 0 (default): no angle
    bool is_shown;  ///< true once shown; from here on the fields belong to bks_smooth_show()
    float value;    ///< value of the state in the newest picture
    float speed;    ///< speed of the value in the newest picture
    float error;    ///< shown value minus the state's value
    uint64_t at_ns; ///< time of the newest picture
} bks_smooth;

/// Get the value to draw, once for each picture.
/// @param smooth        if NULL, nothing is eased and `value` is returned
/// @param value         value in the state of the picture
/// @param speed         change of the value per second, which predicts its value in the next
///                      picture. With 0 the motion since the last picture counts as part of
///                      each error
/// @param is_corrected  bks_frame.is_corrected of the picture
/// @param now_ns        when the picture is seen
/// @return the value to draw
BKS_API float bks_smooth_show(bks_smooth *smooth, float value, float speed, bool is_corrected,
                              uint64_t now_ns);

// Figures of a match, for tuning a game: each has its newest value, its least, mean and most over a
// window, and ten seconds of history for a graph [INVERSUS, Debugging] (docs/sources.md). One
// struct feeds the overlay of bks play, its terminal, the log and bks inspect; bks_match_figures()
// returns that of a match.
//
//     const bks_figures *figures = bks_match_figures(match);
//     printf("%.0f ms\n", (double)figures->links[1].round_trip_ms.mean);
//
// Thread rule: as the session.

/// Number of points in the history of a figure.
#define BKS_FIGURE_POINTS 100

/// Time from one point of a history to the next, in milliseconds.
#define BKS_FIGURE_POINT_MS 100

/// Longest window in milliseconds: the whole history.
#define BKS_FIGURE_WINDOW_MS_MAX (BKS_FIGURE_POINTS * BKS_FIGURE_POINT_MS)

/// Longest time from one log line of the figures to the next, in milliseconds.
#define BKS_FIGURE_LOG_MS_MAX 3600000

/// One point in the history of a figure: a tenth of a second.
typedef struct bks_figure_point {
    float least; ///< least value in this tenth of a second
    float mean;  ///< mean of the values in this tenth of a second
    float most;  ///< largest value in this tenth of a second
    /// Weight of the point, such as the number of updates measured; 0: nothing was measured.
    float weight;
} bks_figure_point;

/// One figure: a number over time.
typedef struct bks_figure {
    float now; ///< newest value; 0 before the first one
    /// Least value in the window. If nothing was measured in the window, `least`, `mean` and `most`
    /// equal `now`: see bks_figure_is_measured().
    float least;
    float mean; ///< mean of the values in the window
    float most; ///< largest value in the window
    /// Points of the history, from the oldest to the newest that is complete.
    bks_figure_point history[BKS_FIGURE_POINTS];
} bks_figure;

/// Return true if a figure was measured within the window. If not, its values are older and are
/// best not shown, such as the depth of rollbacks while there are none.
/// @param figure     NULL: not measured
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
    bool has_peer;            ///< true if a peer other than ourselves has this number
    bks_figure round_trip_ms; ///< smoothed round trip in ms, as in bks_link_stats
    bks_figure loss;          ///< share of the peer's packets that did not arrive, 0..1
    bks_figure local_lag;     ///< number of ticks of the peer's input that are unknown to us
    bks_figure remote_lag;    ///< number of ticks of our input that are unknown to the peer
    /// Number of ticks that we are ahead of the peer: half of (local lag - remote lag).
    bks_figure advantage;
    /// Ticks a second that we did not step because the peer's inputs were missing.
    bks_figure waited;
    bks_figure bytes_sent;     ///< bytes a second of UDP payload sent to the peer
    bks_figure bytes_received; ///< bytes a second of UDP payload received from the peer
} bks_link_figures;

/// The figures of a match on one peer.
typedef struct bks_figures {
    /// Length in ms of the window for `least`, `mean` and `most` of each figure.
    uint32_t window_ms;
    bks_tick tick;          ///< present tick
    bks_tick confirmed;     ///< the first tick that is not confirmed
    bks_figure predicted;   ///< ticks from `confirmed` to the present tick
    bks_figure input_delay; ///< input delay in ticks
    bks_figure rollbacks;   ///< rollbacks a second
    bks_figure depth;       ///< depth of rollbacks, in ticks
    bks_figure resimulated; ///< ticks a second that are stepped again
    /// Time of an update spent on resimulation, in ms; 0 if it is not measured.
    bks_figure resimulation_ms;
    bks_figure stalled; ///< due ticks a second that are skipped so that others catch up
    /// Due ticks a second that are not stepped because inputs are missing.
    bks_figure starved;
    bks_figure bytes_sent; ///< bytes a second of UDP payload sent to all peers
    uint32_t link_count;   ///< one past the highest number of a peer
    /// Figures of the links by peer; those at our own number are zero.
    bks_link_figures links[BKS_PEERS_MAX];
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

/// Rows of dots of a character: seven for a capital letter, and two below it for letters such as g.
#define BKS_TEXT_ROWS 9u

/// Columns of dots of a character.
#define BKS_TEXT_COLUMNS 5u

/// Box that fills a part of a letter, in the units of the surface that you draw on; x to the right,
/// y down.
typedef struct bks_text_box {
    float x;      ///< left edge of the box
    float y;      ///< upper edge of the box
    float width;  ///< width of the box, above 0
    float height; ///< height of the box, above 0
} bks_text_box;

/// Make the boxes of a text, at most 17 for each character. Letters have different widths, all
/// digits the same; a line is ten dots high.
/// @param text      ASCII, zero-terminated, not NULL; a newline begins the next line at x;
///                  characters that are not printable appear as ?
/// @param x, y      upper left corner of the text
/// @param dot       width and height of a dot, above 0
/// @param boxes     receives the boxes, not NULL unless capacity is 0
/// @param capacity  length of `boxes`; more boxes are left out
/// @return number of boxes written
BKS_API uint32_t bks_text_boxes(const char *text, float x, float y, float dot, bks_text_box *boxes,
                                uint32_t capacity);

/// Get the dots of a character, for a font of your own.
/// @param character  a character that is not printable ASCII gives the dots of ?
/// @param rows       receives the rows of dots from the top, not NULL: bit 4 is the leftmost dot
BKS_API void bks_text_dots(char character, uint8_t rows[BKS_TEXT_ROWS]);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_PRESENT_H
