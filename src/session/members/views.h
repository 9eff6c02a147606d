// SPDX-License-Identifier: MIT

/// @file views.h
/// How the next view comes to all, what a leaver leaves, splits. Of its parts each has its own
/// file.

#ifndef BKSI_VIEWS_H
#define BKSI_VIEWS_H

#include "session/members/ballots.h"

typedef struct session_views {
    session_ballots ballots;
    session_view_queue queue;
    uint32_t parted; ///< bits: peers that sent a log of views without us
    bool is_dropped; ///< we have ended, since the others play without us
} session_views;

/// @return whether the next view is entered
bool bksi_views_update(session_views *views, session_common *common, session_inputs *inputs);
/// Leavers' timelines continue with neutral inputs as far as our own.
void bksi_views_extend(session_runs *runs, bksi_rollback *engine, const session_common *common);
/// @param has_entered  receives whether the next view is
bool bksi_views_receive(session_views *views, session_common *common, session_inputs *inputs,
                        uint32_t peer, bksi_bit_reader *reader, bool *has_entered);
/// Something came from a peer that is not in our view.
void bksi_views_heard_departed(session_views *views, const session_common *common, uint32_t peer);
/// The first message about views that is to be sent to a peer; there is one.
/// @return bytes of body, 0 when it has become needless
size_t bksi_views_send(session_views *views, const session_common *common,
                       const session_inputs *inputs, uint32_t peer, uint8_t *body);

#endif
