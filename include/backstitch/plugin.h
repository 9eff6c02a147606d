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

/// Version of the interface, raised when bks_plugin, bks_canvas, bks_picture, bks_game, or the
/// arguments of a step change their layout.
#define BKS_PLUGIN_ABI 11u

/// Begins the definition of bks_plugin_main, and defines bks_plugin_join() and
/// bks_plugin_arithmetic() before it. The attribute that exports bks_plugin_main stands at its
/// declaration below, because g++ ignores it at a definition and warns.
#define BKS_PLUGIN_EXPORT BKS_PLUGIN_BESIDE

/// Maximum number of values that a plug-in's pictures can ease (bks_smooth).
#define BKS_SMOOTHS_MAX 4096

/// A colour, 0xRRGGBBAA; AA 0xFF is opaque.
typedef uint32_t bks_colour;

/// Canvas that a game draws on: a window, a terminal, a picture file, or nothing (all drawing work
/// is done and thrown away). Units are the canvas's own: x right, y down, from 0 to width and
/// height. The size changes with the window, and from one picture to the next: if the tool shows a
/// line of text or the scrubber for some seconds, the canvas is the part of the window above it.
/// Redraw everything in each picture.
typedef struct bks_canvas {
    float width;    ///< width in the canvas's units, above 0
    float height;   ///< height in the canvas's units, above 0
    bool is_coarse; ///< true for a canvas of few, big dots (a terminal): leave out fine detail
    void *context;  ///< passed to the functions of the canvas

    /// Fill the whole canvas.
    void (*clear)(void *context, bks_colour colour);
    /// Fill a rectangle.
    void (*rectangle)(void *context, float x, float y, float width, float height,
                      bks_colour colour);
    /// Fill a convex polygon: `count` points (3..16), as x, y, x, y, …
    void (*polygon)(void *context, const float *points, uint32_t count, bks_colour colour);
    /// Draw a line of the given width.
    void (*line)(void *context, float x0, float y0, float x1, float y1, float width,
                 bks_colour colour);
    /// Fill a circle.
    void (*circle)(void *context, float x, float y, float radius, bks_colour colour);
    /// Draw ASCII text with its top left corner at x, y; `size` is the height of a line.
    void (*text)(void *context, float x, float y, float size, bks_colour colour, const char *text);
    /// Get the width of `text` when drawn.
    float (*text_width)(void *context, float size, const char *text);
} bks_canvas;

struct bks_smooth;

/// Picture to draw: a moment of the game, which may lie between two ticks.
typedef struct bks_picture {
    /// States, and share of the tick between them. Whatever the kind of picture is, a game may draw
    /// frame.state alone.
    bks_frame frame;

    /// smooth_count numbers for easing (present.h), owned by the tool, zero at first and kept from
    /// picture to picture: `draw` sets the first three fields of each. NULL: nothing is eased.
    struct bks_smooth *smooths;
    uint64_t now_ns; ///< time at which the picture is seen, for bks_smooth_show()
} bks_picture;

/// Make the picture of one state, without interpolation and easing.
static inline bks_picture bks_picture_of(const void *state)
{
    const bks_frame frame = {state, state, 0.0f, BKS_TICK_NONE, false};
    const bks_picture picture = {frame, NULL, 0};
    return picture;
}

/// Controls of a local device, one for each input field, for the tool's keyboard and gamepad.
typedef enum bks_control {
    BKS_CONTROL_NONE = 0, ///< no control: the field always stays neutral
    /// X of the left stick, or keys A and D; for the second of two players at one keyboard, the
    /// left and right arrows.
    BKS_CONTROL_LEFT_X = 1,
    /// Y of the left stick, or keys W and S; for the second of two players at one keyboard, the up
    /// and down arrows; down is positive.
    BKS_CONTROL_LEFT_Y = 2,
    BKS_CONTROL_RIGHT_X = 3,       ///< x of the right stick
    BKS_CONTROL_RIGHT_Y = 4,       ///< y of the right stick
    BKS_CONTROL_TRIGGER_LEFT = 5,  ///< left trigger, 0..1
    BKS_CONTROL_TRIGGER_RIGHT = 6, ///< right trigger, 0..1
    /// Upper face button, or key I; for the first of two players at one keyboard, T.
    BKS_CONTROL_NORTH = 7,
    /// Right face button, or key L; for the first of two players at one keyboard, H.
    BKS_CONTROL_EAST = 8,
    /// Lower face button, or key K; for the first of two players at one keyboard, G.
    BKS_CONTROL_SOUTH = 9,
    /// Left face button, or key J; for the first of two players at one keyboard, F.
    BKS_CONTROL_WEST = 10,
    BKS_CONTROL_START = 11, ///< start button, or Enter
} bks_control;

/// Description of a plug-in, type of the symbol `bks_plugin_main`.
typedef struct bks_plugin {
    uint32_t abi;         ///< version of the interface: BKS_PLUGIN_ABI
    const bks_game *game; ///< the game, required
    const char *about;    ///< description of the game for people, one line, static, may be NULL

    /// Instructions for the player, one line, static, may be NULL. They should not name keys: the
    /// tool first lists the user's keys, each with the input field that it changes, then these
    /// instructions.
    const char *keys;

    /// Draw one picture. May be NULL: the tool then shows inputs and numbers. It reads the states
    /// and changes nothing but `smooths`, so drawing cannot affect a step.
    void (*draw)(const bks_picture *picture, const bks_canvas *canvas);

    /// True if `draw` blends from frame.before to frame.state by bks_blend(). The tool then
    /// interpolates the pictures of a game without `extrapolate`. If `draw` does not blend and the
    /// game has no `extrapolate`, each picture shows the newest tick.
    bool is_blended;
    uint32_t smooth_count; ///< number of values that `draw` eases, 0..BKS_SMOOTHS_MAX

    /// one control for each of the game's input fields; NULL: the game cannot be played with a
    /// device
    const bks_control *controls;

    /// Change raw device values before bks_input_quantise() gets them, for fields that are made of
    /// several controls. May be NULL. `control_values` has the value of each bks_control, by its
    /// number. `raw` has one value for each field, at first that of the field's entry in
    /// `controls`.
    void (*device)(const float *control_values, float *raw);

    /// Write the score lines of a summary: one text for each player, at most 63 bytes each. May be
    /// NULL.
    void (*score)(const void *state, uint32_t player, char out[64]);

    /// Sounds of the game. Like `draw`, these functions only read states, so nothing of them
    /// reaches a step.
    const uint32_t *sound_frames; ///< lengths of the sounds, 1..BKS_SOUND_FRAMES_MAX; NULL: none
    uint32_t sound_count;         ///< length of `sound_frames`, 0..1024

    /// Make a sound: fill in its frames, each -1..1. Required if the game has sounds; called once
    /// for each, before the match.
    void (*make_sound)(uint32_t sound, float *samples);

    /// Describe the sound of a cue. May be NULL: cues are silent.
    /// @param state  the newest state
    /// @return false when the cue is silent
    bool (*hear)(const void *state, const bks_cue_event *event, bks_cue_sound *out);

    /// Copy the voices of a state. May be NULL: the game has no voices.
    /// @param out  receives voice_count voices
    void (*voices)(const void *state, bks_voice *out);
    uint32_t voice_count; ///< number of voices, 0..64
} bks_plugin;

/// The symbol that every plug-in exports.
BKS_API extern const bks_plugin bks_plugin_main;

/// Join a plug-in's own copy of the library, if it has one, to the program's copy. Otherwise
/// bks_ref_get() in the plug-in would not know which memory is a region. BKS_PLUGIN_EXPORT defines
/// this function. A loader calls it before any other function of the plug-in.
/// @param library  bks_library_here() of the program
/// @return the result of bks_library_join(); BKS_OK when the plug-in uses no bks_ref and no pool
BKS_API bks_status bks_plugin_join(bks_library *library);

/// Report how the plug-in was compiled, for the tool that loads it. BKS_PLUGIN_EXPORT defines this
/// function.
/// @return bits of bks_arithmetic
BKS_API uint32_t bks_plugin_arithmetic(void);

#if defined(__GNUC__) || defined(__clang__)
#pragma weak bks_library_join
#endif
/// Definitions of bks_plugin_join() and bks_plugin_arithmetic(). BKS_PLUGIN_EXPORT puts them before
/// bks_plugin_main.
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
