// SPDX-License-Identifier: MIT

/// @file listener.h
/// The receiver of marks, notes and questions. A runner has one such object for all its life and
/// every step gets its address, so a step looks the same with and without a listener.

#ifndef BKSI_LISTENER_H
#define BKSI_LISTENER_H

#include "game/runner.h"

struct bks_listener {
    bksi_trace_sink sink; ///< all NULL without a listener
    bksi_answers answers; ///< NULL: no answers
    bksi_runner *runner;  ///< hashes the state at a mark
    const char **mark;    ///< receives the name of the last one of this step
};

#endif
