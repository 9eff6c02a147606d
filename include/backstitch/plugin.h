// SPDX-License-Identifier: MIT

/// @file plugin.h
/// Interface by which a tool loads and shows a game: the one symbol a game's shared object exports,
/// and the canvas a game draws on. Optional: a game that links the library needs none of it.
///
///     BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {
///         .abi = BKS_PLUGIN_ABI, .game = &duel_game, .draw = duel_draw,
///     };
///
/// Thread rule: as game.h.

#ifndef BACKSTITCH_PLUGIN_H
#define BACKSTITCH_PLUGIN_H

#include "backstitch/game.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Raised when bks_plugin, bks_canvas, bks_picture, bks_game, or what a step is handed change their
/// layout.
#define BKS_PLUGIN_ABI 10u

/// Puts bks_plugin_join() and bks_plugin_arithmetic() beside the symbol, which its declaration
/// below exports: g++ ignores the same at a definition, and warns.
#define BKS_PLUGIN_EXPORT BKS_PLUGIN_BESIDE

/// Most numbers that a plug-in's pictures ease.
#define BKS_SMOOTHS_MAX 4096

/// A colour, 0xRRGGBBAA; AA 0xFF is opaque.
typedef uint32_t bks_colour;

/// Canvas that a game draws on: a window, a terminal, a picture file, or nothing (all drawing work
/// is done and thrown away). Units are the canvas's own: x right, y down, from 0 to width and
/// height. They change with the window, and from one picture to the next: a line of text or the
/// scrubber that the tool shows for some seconds stands below the canvas, which is the rest of the
/// window. Draw everything anew each time.
typedef struct bks_canvas {
    float width;    ///< above 0
    float height;   ///< above 0
    bool is_coarse; ///< few, big dots (a terminal): leave fine detail out
    void *context;  ///< the canvas's own

    /// Fill all of it.
    void (*clear)(void *context, bks_colour colour);
    /// Fill a rectangle.
    void (*rectangle)(void *context, float x, float y, float width, float height,
                      bks_colour colour);
    /// Fill a convex polygon: `count` points (3..16), x and y in turn.
    void (*polygon)(void *context, const float *points, uint32_t count, bks_colour colour);
    /// A line of the given width.
    void (*line)(void *context, float x0, float y0, float x1, float y1, float width,
                 bks_colour colour);
    /// Fill a circle.
    void (*circle)(void *context, float x, float y, float radius, bks_colour colour);
    /// ASCII text, its top left corner at x, y; `size` is the height of a line.
    void (*text)(void *context, float x, float y, float size, bks_colour colour, const char *text);
    /// Width that `text` would take.
    float (*text_width)(void *context, float size, const char *text);
} bks_canvas;

struct bks_smooth;

/// Moment of the game to draw, which may lie between two ticks.
typedef struct bks_picture {
    bks_frame frame; ///< states and share of a tick. A game that draws frame.state alone is right
                     ///< with every picture
    /// smooth_count numbers (present.h), the tool's, zero at first and kept from picture to
    /// picture: `draw` sets the first three of each. NULL: nothing is eased.
    struct bks_smooth *smooths;
    uint64_t now_ns; ///< time at which it is seen, for bks_smooth_show()
} bks_picture;

/// Make the picture of one state: nothing lies between, nothing is eased.
static inline bks_picture bks_picture_of(const void *state)
{
    const bks_frame frame = {state, state, 0.0f, BKS_TICK_NONE, false};
    const bks_picture picture = {frame, NULL, 0};
    return picture;
}

/// Controls of a local device, one for each input field, for the tool's keyboard and gamepad.
typedef enum bks_control {
    BKS_CONTROL_NONE = 0,          ///< stays neutral
    BKS_CONTROL_LEFT_X = 1,        ///< left stick or A/D (of two at a keyboard the second: arrows)
    BKS_CONTROL_LEFT_Y = 2,        ///< left stick or W/S (the same); down is positive
    BKS_CONTROL_RIGHT_X = 3,       ///< right stick
    BKS_CONTROL_RIGHT_Y = 4,       ///< right stick
    BKS_CONTROL_TRIGGER_LEFT = 5,  ///< 0..1
    BKS_CONTROL_TRIGGER_RIGHT = 6, ///< 0..1
    BKS_CONTROL_NORTH = 7,         ///< upper face button, or I (of two the first: T)
    BKS_CONTROL_EAST = 8,          ///< right face button, or L (H)
    BKS_CONTROL_SOUTH = 9,         ///< lower face button, or K (G)
    BKS_CONTROL_WEST = 10,         ///< left face button, or J (F)
    BKS_CONTROL_START = 11,        ///< start button, or Enter
} bks_control;

/// Description of a plug-in, type of the symbol `bks_plugin_main`.
typedef struct bks_plugin {
    uint32_t abi;         ///< BKS_PLUGIN_ABI
    const bks_game *game; ///< required
    const char *about;    ///< one line for people, static, may be NULL
    /// Instructions for the player, one line, static, may be NULL. They name no keys: the tool
    /// shows them after the keys that the user has set, each with the name of the input field that
    /// it changes.
    const char *keys;

    /// Draw one picture. May be NULL: the tool shows inputs and numbers then. Reads the states and
    /// changes nothing but `smooths`, so what is drawn can never reach a step.
    void (*draw)(const bks_picture *picture, const bks_canvas *canvas);

    bool is_blended; ///< `draw` goes from frame.before to frame.state, by bks_blend(): without
                     ///< an `extrapolate` the tool then interpolates, else each picture is of
                     ///< the newest tick
    uint32_t smooth_count; ///< numbers that `draw` eases, 0..BKS_SMOOTHS_MAX

    /// One control for each input field, field_count of them; NULL: no device can play it.
    const bks_control *controls;

    /// Turn raw device values (one for each field, as bks_input_quantise() takes them) into what
    /// the layout wants, where one field is made of several controls. May be NULL. `control_values`
    /// holds the value of every bks_control, indexed by it.
    void (*device)(const float *control_values, float *raw);

    /// Score lines for a summary: one text for each player, at most 63 bytes each. May be NULL.
    void (*score)(const void *state, uint32_t player, char out[64]);

    /// Sounds of the game. Read and called as `draw` is, so nothing of it reaches a step.
    const uint32_t *sound_frames; ///< length of each sound, 1..BKS_SOUND_FRAMES_MAX; NULL: the game
                                  ///< is silent
    uint32_t sound_count;         ///< length of `sound_frames`, 0..1024

    /// Make a sound: fill in its frames, each -1..1. Required with sounds; called once for each,
    /// before the match.
    void (*make_sound)(uint32_t sound, float *samples);

    /// Say how a cue sounds. May be NULL: no cue is heard.
    /// @param state  the newest
    /// @return false: it is not heard
    bool (*hear)(const void *state, const bks_cue_event *event, bks_cue_sound *out);

    /// Copy the voices of a state. May be NULL: it has none.
    /// @param out  receives voice_count of them
    void (*voices)(const void *state, bks_voice *out);
    uint32_t voice_count; ///< 0..64
} bks_plugin;

/// The symbol every plug-in exports.
BKS_API extern const bks_plugin bks_plugin_main;

/// Join a plug-in's own copy of the library, if it has one, to the program's: without that,
/// bks_ref_get() in the plug-in does not know what lies in a region. BKS_PLUGIN_EXPORT writes it. A
/// loader calls it before anything else of the plug-in.
/// @param library  bks_library_here() of the program
/// @return as bks_library_join(); BKS_OK when the plug-in uses no reference and no pool
BKS_API bks_status bks_plugin_join(bks_library *library);

/// Report how the plug-in was compiled, for the tool that loads it. BKS_PLUGIN_EXPORT writes it.
/// @return bits of bks_arithmetic
BKS_API uint32_t bks_plugin_arithmetic(void);

#if defined(__GNUC__) || defined(__clang__)
#pragma weak bks_library_join
#endif
/// Functions that BKS_PLUGIN_EXPORT writes before the plug-in's symbol.
#define BKS_PLUGIN_BESIDE                                                     \
    BKS_API bks_status bks_plugin_join(bks_library *library)                  \
    {                                                                         \
        return bks_library_join != NULL ? bks_library_join(library) : BKS_OK; \
    }                                                                         \
    BKS_API uint32_t bks_plugin_arithmetic(void)                              \
    {                                                                         \
        return bks_arithmetic_here();                                         \
    }

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_PLUGIN_H
