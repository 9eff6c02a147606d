// SPDX-License-Identifier: MIT

/// @file lab_result.h
/// How a match went.

#ifndef BKSI_LAB_RESULT_H
#define BKSI_LAB_RESULT_H

#include "lab/lab_internal.h"

/// What a peer's result is now.
void bksi_lab_collect_result(const lab_peer *peer, bks_lab_peer_result *out);

#endif
