// SPDX-License-Identifier: MIT

/// @file views.h
/// How the next view comes to all, what a leaver leaves, splits.

#ifndef BKSI_VIEWS_H
#define BKSI_VIEWS_H

#include "backstitch/session.h"

void bksi_views_update(bks_session *session);
/// Leavers' timelines go on with neutral inputs as far as our own.
void bksi_views_extend(bks_session *session);
bool bksi_views_receive(bks_session *session, uint32_t type, uint32_t peer, const uint8_t *body,
                        size_t count);
/// Something came from a peer that is not in our view.
void bksi_views_heard_departed(bks_session *session, uint32_t peer);
/// @return bytes of body, 0 when nothing about views is to be sent to a peer
size_t bksi_views_send(bks_session *session, uint32_t peer, uint8_t *body, uint32_t *type);

#endif
