// SPDX-License-Identifier: MIT

/// @file frame_pace.h
/// Times at which pictures, or lines instead of them, are due. Pictures get at most two thirds of
/// the time, so that a machine that draws slowly stays in step with others.
///
/// Where presenting waits for the screen, a picture is due as late as its drawing allows: what the
/// player does until then is in it.

#ifndef BKS_TOOL_FRAME_PACE_H
#define BKS_TOOL_FRAME_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_WINDOW_NS UINT64_C(4000000)    ///< least time between two pictures in a window
#define FRAME_TERM_NS   UINT64_C(33000000)   ///< least time between two pictures in a terminal
#define FRAME_LINE_NS   UINT64_C(1000000000) ///< least time between two lines of text

/// Left between the drawing of a picture and the screen that waits for it.
#define FRAME_MARGIN_NS UINT64_C(1000000)

/// Return the time from one picture in a window to the next.
/// @param given_hz   pictures a second that were asked for, 0: as many as the screen shows
/// @param screen_hz  0: it does not say
uint64_t frame_pace_of_screen(uint32_t given_hz, uint32_t screen_hz);

/// Pace of pictures. Start from {0}.
typedef struct frame_pace {
    uint64_t due_ns;   ///< when the next picture is due
    uint64_t begun_ns; ///< when the last picture was begun
    uint64_t cost_ns;  ///< how long it took
    uint64_t draw_ns;  ///< time that drawing took …
    uint64_t show_ns;  ///< … and presenting, a wait too
} frame_pace;

/// Begin the next picture if it is due.
/// @param every_ns  least time between two
bool frame_pace_begin(frame_pace *pace, uint64_t now_ns, uint64_t every_ns);

/// End a picture: it is drawn, and shown unless presenting waits for the screen.
void frame_pace_end(frame_pace *pace, uint64_t now_ns);

/// Record how long the parts of a picture took.
/// @param drawn_ns  when it was drawn
/// @param shown_ns  when presenting it was done
void frame_pace_parts(frame_pace *pace, uint64_t drawn_ns, uint64_t shown_ns);

/// Set when the next picture is due, after presenting has waited for a screen that shows one
/// each `every_ns`.
void frame_pace_shown(frame_pace *pace, uint64_t now_ns, uint64_t every_ns);

/// The parts of a loop that plays and draws: wait, sample last, step, draw, present, as
/// docs/guide/frame-loop.md says. `bks play` and the benchmark of its latency are this one;
/// watching shows its pictures by it. All parts are required but has_picture.
typedef struct frame_loop {
    void *context; ///< handed to all
    uint64_t (*now)(void *context);

    /// Sleep until something is to be stepped, at most until a time.
    void (*wait)(void *context, uint64_t until_ns);

    /// Read the devices.
    /// @return false: it ends
    bool (*sample)(void *context);

    /// Step what is due.
    /// @return false: it ends
    bool (*step)(void *context);

    /// Return true if a picture would show something new, now or when it is due. NULL: always.
    bool (*has_picture)(void *context);

    /// Draw the picture.
    /// @param now_ns  time that the picture shows
    void (*draw)(void *context, uint64_t now_ns);

    /// Present the picture.
    /// @return whether that waited for the screen
    bool (*present)(void *context);

    uint64_t every_ns; ///< from one picture to the next
    frame_pace *pace;
} frame_loop;

/// Show a picture if one is due, which ends a turn. It uses the parts now, has_picture, draw
/// and present.
void frame_loop_show(const frame_loop *loop);

/// Run one turn of the loop.
/// @return false: it ends
bool frame_loop_turn(const frame_loop *loop);

#endif
