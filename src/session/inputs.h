// SPDX-License-Identifier: MIT

/// @file inputs.h
/// What brings inputs to us and on to others, for the parts that stand on it: the exchange with
/// each peer, the relays, the membership.

#ifndef BKSI_INPUTS_H
#define BKSI_INPUTS_H

#include "session/forwarding.h"
#include "session/liveness.h"
#include "session/runs.h"

typedef struct session_inputs {
    session_liveness liveness;
    session_runs runs;
    session_forwarding forwarding;
} session_inputs;

#endif
