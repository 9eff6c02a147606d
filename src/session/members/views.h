// SPDX-License-Identifier: MIT

/// @file views.h
/// Adoption of the next view, inputs after a leaver's end, and splits. Only views.c changes
/// session_views; ballots and the queue of messages have their own files.

#ifndef BKSI_VIEWS_H
#define BKSI_VIEWS_H

#include "session/members/ballots.h"

typedef struct session_views {
    session_ballots ballots;
    session_view_queue queue;
    uint32_t parted; ///< bits: peers that sent a log of views without us
    bool is_dropped; ///< we have ended, because the others play without us
} session_views;

/// Decide and enter the next view, and repeat messages about views.
/// @return true if the next view was entered
bool bksi_views_update(session_views *views, session_common *common, session_inputs *inputs);
/// Continue the timelines of leavers with neutral inputs up to our own head.
void bksi_views_extend(session_runs *runs, bksi_rollback *engine, const session_common *common);
/// Process a message about views.
/// @param has_entered  receives true if the next view was entered
bool bksi_views_receive(session_views *views, session_common *common, session_inputs *inputs,
                        uint32_t peer, bksi_bit_reader *reader, bool *has_entered);
/// Answer a packet of a peer that is out of our view.
void bksi_views_heard_departed(session_views *views, const session_common *common, uint32_t peer);
/// Write the first message about views that must be sent to a peer. Call it only if there is one.
/// @return bytes of the body; 0: the message is not needed any more
size_t bksi_views_send(session_views *views, const session_common *common,
                       const session_inputs *inputs, uint32_t peer, uint8_t *body);

#endif
