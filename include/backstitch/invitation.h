// SPDX-License-Identifier: MIT

/// @file invitation.h
/// The text that one player sends another to play: "bks://HOST:PORT/#KEY". A match makes one and
/// reads one by itself (match.h). These calls are for a program that checks what a player typed,
/// that hands out an address other than the one this machine sees (of a forwarded port, or a name),
/// or that has a transport of its own.
///
///     bks_invitation invitation;
///     status = bks_invitation_parse(bks_match_invitation(match), &invitation, &error);
///     if (status == BKS_OK) {
///         snprintf(invitation.address, sizeof(invitation.address), "play.example.org:7777");
///         status = bks_invitation_format(&invitation, text, BKS_INVITATION_BYTES_MAX);
///     }
///
/// Thread rule: these may be called from any thread at any time.
/// @see docs/spec/invitation.md

#ifndef BACKSTITCH_INVITATION_H
#define BACKSTITCH_INVITATION_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Room for any invitation, its terminating zero included; a longer text is refused.
#define BKS_INVITATION_BYTES_MAX 320

/// Room for the address in an invitation, its terminating zero included.
#define BKS_INVITATION_ADDRESS_BYTES_MAX 262

/// What an invitation says.
typedef struct bks_invitation {
    /// Where the host is: "ADDR:PORT", "[ADDR6]:PORT" or "NAME:PORT", PORT 1..65535,
    /// zero-terminated. bks_udp_address_parse() looks it up.
    char address[BKS_INVITATION_ADDRESS_BYTES_MAX];
    uint8_t key[BKS_KEY_BYTES]; ///< the match's secret
} bks_invitation;

/// Read an invitation. Nothing is looked up: whether a host of digits is an IP address,
/// bks_udp_address_parse() says.
/// @param text   may come from anywhere, zero-terminated
/// @param out    receives it, not NULL; zero on failure
/// @param error  may be NULL; offset_bytes is that of the first byte that is wrong
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_invitation_parse(const char *text, bks_invitation *out,
                                                      bks_error *error);

/// Write an invitation.
/// @param out       receives zero-terminated text; "" on failure
/// @param capacity  at least 1; BKS_INVITATION_BYTES_MAX is enough for any
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (also for a malformed address), BKS_ERR_TOO_SMALL
BKS_API BKS_NODISCARD bks_status bks_invitation_format(const bks_invitation *invitation, char *out,
                                                       size_t capacity);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_INVITATION_H
