// SPDX-License-Identifier: MIT

/// @file inspection.h
/// Socket through which bks inspect watches a match.

#ifndef BKSI_INSPECTION_H
#define BKSI_INSPECTION_H

#include "backstitch/match.h"
#include "backstitch/toolkit/inspector.h"
#include "backstitch/toolkit/peer.h"

typedef struct bksi_inspection {
    bks_udp *udp; ///< socket for bks inspect; NULL: the match cannot be watched
    bks_inspected inspected;
    uint8_t token[BKS_INSPECT_TOKEN_BYTES];
    char address[64];
    /// Token that changes need, as text; "" if nothing may be changed.
    char token_text[2 * BKS_INSPECT_TOKEN_BYTES + 1];
    uint8_t request[BKS_PACKET_BYTES_MAX];
    uint8_t answer[BKS_INSPECT_BYTES];
} bksi_inspection;

/// Open the socket that the config asks for.
/// @param tick_rate_hz  tick rate of the match; 0: that of the game
/// @return BKS_OK, also if the config asks for no socket; BKS_ERR_BAD_CONFIG, BKS_ERR_IO,
///         BKS_ERR_OUT_OF_MEMORY
bks_status bksi_inspection_open(bksi_inspection *inspection, const bks_match_config *config,
                                uint32_t tick_rate_hz, bks_error *error);
/// Close the socket, if there is one.
void bksi_inspection_close(bksi_inspection *inspection);

/// Answer the requests that arrived.
void bksi_inspection_update(bksi_inspection *inspection, bks_peer *peer,
                            const bks_figures *figures);

#endif
