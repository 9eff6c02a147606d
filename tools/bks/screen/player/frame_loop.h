// SPDX-License-Identifier: MIT

/// @file frame_loop.h
/// The order of a loop that plays and draws: wait, sample last, step, draw, present, as
/// docs/guide/frame-loop.md says. `bks play` and the benchmark of its latency are this one;
/// watching shows its pictures by it.

#ifndef BKS_TOOL_FRAME_LOOP_H
#define BKS_TOOL_FRAME_LOOP_H

#include "screen/window/frame_pace.h"

/// The parts of a loop. All are required but has_picture.
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
