// SPDX-License-Identifier: MIT

/// @file inputs.h
/// What brings inputs to us, for the parts that stand on it: the exchange with each peer, the
/// membership.

#ifndef BKSI_INPUTS_H
#define BKSI_INPUTS_H

#include "session/inputs/liveness.h"
#include "session/inputs/needs.h"
#include "session/inputs/runs.h"

typedef struct session_inputs {
    session_liveness liveness;
    session_runs runs;
    session_needs needs;
} session_inputs;

/// Read a run of each peer of a mask, each before its limit. Others say it, so it is no sign of
/// life.
bool bksi_inputs_read_of(session_inputs *inputs, session_common *common, bksi_bit_reader *reader,
                         uint32_t peers, const bks_tick *limits);

#endif
