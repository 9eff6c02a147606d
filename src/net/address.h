// SPDX-License-Identifier: MIT

/// @file address.h
/// "HOST:PORT" as text, cut into its parts. Names are not resolved here.

#ifndef BKSI_ADDRESS_H
#define BKSI_ADDRESS_H

#include "backstitch/net.h"

/// Longest host: what DNS allows for a name.
#define BKSI_HOST_BYTES_MAX 253

/// Length of a UDP address over IPv4 and IPv6: the IP and two bytes of port.
#define BKSI_UDP4_BYTES 6
#define BKSI_UDP6_BYTES 18

typedef struct bksi_host_port {
    char host[BKSI_HOST_BYTES_MAX + 1]; ///< the host, without brackets; "" if the text has none
    bool is_bracketed;                  ///< true for an IPv6 address in brackets
    uint16_t port;
} bksi_host_port;

/// Cut "HOST:PORT", "[HOST6]:PORT" or, if `is_host_optional`, "PORT" into its parts. The text may
/// be hostile: characters that no host has are refused, and no byte at or after `end` is read.
/// @param call, name  public function and name of the text, for the log and the error
/// @param first, end  the part of `text` to read; offsets count from the text's start
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error holds the offset)
bks_status bksi_host_port_parse(const char *call, const char *name, const char *text, size_t first,
                                size_t end, bool is_host_optional, bksi_host_port *out,
                                bks_error *error);

/// Return true if `host` can only be a numeric address and no name, because its last label is all
/// digits. Such a host must be a whole IPv4 address: the system would resolve "1.2.3" to 1.2.0.3.
bool bksi_host_is_number(const char *host);

#endif
