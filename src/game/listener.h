// SPDX-License-Identifier: MIT

/// @file listener.h
/// Who hears marks and notes, and answers. A runner has one such object for all its life and every
/// step gets its address, so that a step looks the same whether anybody listens or not.

#ifndef BKSI_LISTENER_H
#define BKSI_LISTENER_H

#include "game/runner.h"

struct bks_listener {
    bksi_trace_sink sink; ///< all NULL when nobody listens
    bksi_answers answers; ///< NULL when nobody answers
    bksi_runner *runner;  ///< hashes the state at a mark
    const char **mark;    ///< receives the name of the last one of this step
};

#endif
