// SPDX-License-Identifier: MIT

/// @file heads.h
/// How far each peer's inputs are known.

#ifndef BKSI_HEADS_H
#define BKSI_HEADS_H

#include "backstitch/session.h"

/// The match starts: all is known of who plays.
void bksi_heads_start(bks_session *session);
/// Whether such heads of these peers can be.
bool bksi_heads_can_be(const bks_session *session, uint32_t peers, const bks_tick *heads);

#endif
