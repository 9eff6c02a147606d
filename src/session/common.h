// SPDX-License-Identifier: MIT

/// @file common.h
/// What all parts of a session may ask. A part's functions take its own struct and this one.

#ifndef BKSI_COMMON_H
#define BKSI_COMMON_H

#include "backstitch/session.h"

#include "input/layout.h"
#include "net/guard.h"
#include "rollback/rollback.h"
#include "session/events.h"
#include "session/goodbyes.h"
#include "session/inspect.h"
#include "session/links.h"
#include "session/membership.h"
#include "session/phase.h"
#include "session/seats.h"

typedef struct session_common {
    bks_session_config config;
    bksi_layout layout;
    bksi_facts facts; ///< what peers must have in common with us
    bksi_guard guard;

    bks_phase phase;
    uint64_t now_ns;

    session_seats seats;
    session_membership membership;
    session_links links;
    session_goodbyes goodbyes;
    session_events events;
    bksi_rollback engine;

    const bksi_equivocation *equivocation; ///< NULL: all hear the truth
} session_common;

#endif
