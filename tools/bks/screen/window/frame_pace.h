// SPDX-License-Identifier: MIT

/// @file frame_pace.h
/// When the next picture, or line instead of one, is due. Pictures get two thirds of the time at
/// most, so that a machine that is slow at drawing stays in step with others.
///
/// Where presenting waits for the screen, a picture is due as late as its drawing allows: what the
/// player does until then is in it.

#ifndef BKS_TOOL_FRAME_PACE_H
#define BKS_TOOL_FRAME_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_WINDOW_NS UINT64_C(4000000)    ///< least time between two pictures in a window
#define FRAME_TERM_NS   UINT64_C(33000000)   ///< the same in a terminal
#define FRAME_LINE_NS   UINT64_C(1000000000) ///< and between two lines

/// Left between the drawing of a picture and the screen that waits for it.
#define FRAME_MARGIN_NS UINT64_C(1000000)

/// From one picture in a window to the next.
/// @param given_hz   pictures a second that were asked for, 0: as many as the screen shows
/// @param screen_hz  0: it does not say
uint64_t frame_pace_of_screen(uint32_t given_hz, uint32_t screen_hz);

/// Start from {0}.
typedef struct frame_pace {
    uint64_t due_ns;   ///< when the next one is
    uint64_t begun_ns; ///< when the last one was begun
    uint64_t cost_ns;  ///< how long it took
    uint64_t draw_ns;  ///< of it: drawing …
    uint64_t show_ns;  ///< … and presenting, a wait too
} frame_pace;

/// Whether it is time for the next one. If so, it counts as begun.
/// @param every_ns  least time between two
bool frame_pace_begin(frame_pace *pace, uint64_t now_ns, uint64_t every_ns);

/// It is drawn, and if presenting does not wait shown.
void frame_pace_end(frame_pace *pace, uint64_t now_ns);

/// How long the parts of it took, for those who ask.
/// @param drawn_ns  when it was drawn
/// @param shown_ns  when presenting it was done
void frame_pace_parts(frame_pace *pace, uint64_t drawn_ns, uint64_t shown_ns);

/// Presenting it has waited for the screen, which shows one each `every_ns`.
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

    /// Whether a picture would show something new, now or when it is due. NULL: always.
    bool (*has_picture)(void *context);

    /// Draw it.
    /// @param now_ns  the moment it shows
    void (*draw)(void *context, uint64_t now_ns);

    /// Show it.
    /// @return whether that waited for the screen
    bool (*present)(void *context);

    uint64_t every_ns; ///< from one picture to the next
    frame_pace *pace;
} frame_loop;

/// Show a picture when one is due, with which a turn ends. Of the parts it needs now, has_picture,
/// draw and present.
void frame_loop_show(const frame_loop *loop);

/// One turn of it.
/// @return false: it ends
bool frame_loop_turn(const frame_loop *loop);

#endif
