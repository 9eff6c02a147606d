// SPDX-License-Identifier: MIT

/// @file progress.h
/// A progress bar on stderr, when that is a terminal and nothing else there would be disturbed.

#ifndef BKS_TOOL_PROGRESS_H
#define BKS_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/// One bar. Plain data.
typedef struct progress {
    const char *label;   ///< borrowed
    uint64_t total;      ///< what progress_show() counts up to
    uint64_t begun_ns;   ///< when
    uint64_t shown_ns;   ///< when it was drawn last
    bool is_on;          ///< stderr is a terminal
    bool has_been_drawn; ///< so there is something to wipe away
} progress;

/// Begin a bar; nothing is drawn before half a second has passed.
void progress_begin(progress *bar, const char *label, uint64_t total);

/// Show how far it is. Cheap to call often: it draws ten times a second at most.
void progress_show(progress *bar, uint64_t done);

/// Wipe the bar away.
void progress_end(progress *bar);

#endif
