// SPDX-License-Identifier: MIT

/// @file invitation.h
/// The text that one player sends another to play: "bks://HOST:PORT/#KEY".
/// @see docs/spec/invitation.md

#ifndef BKSI_INVITATION_H
#define BKSI_INVITATION_H

#include "backstitch/session.h"

#include "net/address.h"

/// Room for any invitation and its terminating zero; also the most bytes that are read of one.
#define BKSI_INVITATION_BYTES_MAX 320

typedef struct bksi_invitation {
    char address[BKSI_HOST_BYTES_MAX + 9]; ///< "HOST:PORT" or "[HOST6]:PORT", not looked up
    uint8_t key[BKS_KEY_BYTES];            ///< the match's secret
} bksi_invitation;

/// Read an invitation. The text may come from anywhere.
/// @param call  for the log: the public function
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error holds the field "invitation" and the offset)
bks_status bksi_invitation_parse(const char *call, const char *text, bksi_invitation *out,
                                 bks_error *error);

/// Write the invitation to `host`, a UDP address.
void bksi_invitation_format(const bks_address *host, const uint8_t key[BKS_KEY_BYTES],
                            char out[BKSI_INVITATION_BYTES_MAX]);

#endif
