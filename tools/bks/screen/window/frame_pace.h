// SPDX-License-Identifier: MIT

/// @file frame_pace.h
/// Times at which pictures, or lines of text, are due. Drawing gets at most two thirds of the time,
/// so that a slow machine does not fall behind the others.
///
/// If presenting waits for the screen, a picture is begun as late as its drawing time allows, so
/// that it includes the newest input of the player.

#ifndef BKS_TOOL_FRAME_PACE_H
#define BKS_TOOL_FRAME_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_WINDOW_NS UINT64_C(4000000)    ///< least time between two pictures in a window
#define FRAME_TERM_NS   UINT64_C(33000000)   ///< least time between two pictures in a terminal
#define FRAME_LINE_NS   UINT64_C(1000000000) ///< least time between two lines of text

/// Time left between the drawing of a picture and the screen's next refresh.
#define FRAME_MARGIN_NS UINT64_C(1000000)

/// Return the time between two pictures in a window.
/// @param given_hz   wanted pictures a second, 0: as many as the screen shows
/// @param screen_hz  pictures a second of the screen, 0: not known
uint64_t frame_pace_of_screen(uint32_t given_hz, uint32_t screen_hz);

/// Pace of pictures. Start from {0}.
typedef struct frame_pace {
    uint64_t due_ns;   ///< time at which the next picture is due
    uint64_t begun_ns; ///< time at which the last picture began
    /// Time to draw the last picture, and to present it unless presenting waits for the screen.
    uint64_t cost_ns;
    uint64_t draw_ns; ///< time to draw the last picture
    uint64_t show_ns; ///< time to present the last picture, including a wait
} frame_pace;

/// Begin the next picture if it is due. Return true if it is.
/// @param every_ns  least time between two pictures
bool frame_pace_begin(frame_pace *pace, uint64_t now_ns, uint64_t every_ns);

/// End a picture. Call this once it is drawn, and presented, too, unless presenting waits for the
/// screen.
void frame_pace_end(frame_pace *pace, uint64_t now_ns);

/// Record when a picture was drawn and when it was presented.
/// @param drawn_ns  time at which the picture was drawn
/// @param shown_ns  time at which the picture was presented
void frame_pace_parts(frame_pace *pace, uint64_t drawn_ns, uint64_t shown_ns);

/// Set the time of the next picture after presenting has waited for a screen. The screen shows a
/// picture every `every_ns`.
void frame_pace_shown(frame_pace *pace, uint64_t now_ns, uint64_t every_ns);

/// The functions of a frame loop: wait, sample last, step, draw, present (see
/// docs/guide/frame-loop.md). `bks play` and its latency benchmark use them for whole turns, `bks
/// play --watch` for pictures. All functions except has_picture are required.
typedef struct frame_loop {
    void *context; ///< argument `context` of all functions of the loop
    uint64_t (*now)(void *context);

    /// Sleep until a step is due, but not beyond the time `until_ns`.
    void (*wait)(void *context, uint64_t until_ns);

    /// Read the devices.
    /// @return false to end the loop
    bool (*sample)(void *context);

    /// Step the ticks that are due.
    /// @return false to end the loop
    bool (*step)(void *context);

    /// Return true if a picture would show something new, now or at its due time. NULL: always.
    bool (*has_picture)(void *context);

    /// Draw the picture.
    /// @param now_ns  time that the picture shows
    void (*draw)(void *context, uint64_t now_ns);

    /// Present the picture.
    /// @return true if presenting waited for the screen
    bool (*present)(void *context);

    uint64_t every_ns; ///< time between two pictures, in ns
    frame_pace *pace;
} frame_loop;

/// Show a picture if one is due, at the end of a turn. Of the loop's functions it calls now(),
/// has_picture(), draw() and present() only.
void frame_loop_show(const frame_loop *loop);

/// Run one turn of the loop.
/// @return false if the loop ends
bool frame_loop_turn(const frame_loop *loop);

#endif
