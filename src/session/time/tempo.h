// SPDX-License-Identifier: MIT

/// @file tempo.h
/// How fast ticks are to go, and with how much delay: what the clock stands on.

#ifndef BKSI_TEMPO_H
#define BKSI_TEMPO_H

#include "session/time/budget.h"
#include "session/time/pace.h"

typedef struct session_tempo {
    session_pace pace;
    session_budget budget;
} session_tempo;

#endif
