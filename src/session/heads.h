// SPDX-License-Identifier: MIT

/// @file heads.h
/// How far each peer's inputs are known.

#ifndef BKSI_HEADS_H
#define BKSI_HEADS_H

#include "backstitch/session.h"

/// Whether such heads of these peers can be.
bool bksi_heads_can_be(const bks_session *session, uint32_t peers, const bks_tick *heads);

#endif
