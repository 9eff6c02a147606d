// SPDX-License-Identifier: MIT

/// @file phase.h
/// Where the match stands. phase.c alone writes it.

#ifndef BKSI_PHASE_H
#define BKSI_PHASE_H

#include "backstitch/session.h"

void bksi_phase_enter(bks_session *session, bks_phase phase);

#endif
