// SPDX-License-Identifier: MIT

/// @file address.h
/// "HOST:PORT" as text, cut into its parts. Nothing is looked up here.

#ifndef BKSI_ADDRESS_H
#define BKSI_ADDRESS_H

#include "backstitch/net.h"

/// Longest host: what DNS allows for a name.
#define BKSI_HOST_BYTES_MAX 253

/// Length of a UDP address over IPv4 and IPv6: the IP and two bytes of port.
#define BKSI_UDP4_BYTES 6
#define BKSI_UDP6_BYTES 18

typedef struct bksi_host_port {
    char host[BKSI_HOST_BYTES_MAX + 1]; ///< without brackets; "" when there is none
    bool is_bracketed;                  ///< an IPv6 address, as "[…]"
    uint16_t port;
} bksi_host_port;

/// Cut "HOST:PORT", "[HOST6]:PORT" or, when `is_host_optional`, "PORT" into its parts. The text may
/// come from anywhere: characters that no host has are refused, no byte behind `end` is read.
/// @param call, name for the log and the sentence: the public function, and the name of the text
/// @param first, end  the part of `text` to read; offsets count from the text's start
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error holds the offset)
bks_status bksi_host_port_parse(const char *call, const char *name, const char *text, size_t first,
                                size_t end, bool is_host_optional, bksi_host_port *out,
                                bks_error *error);

/// Whether `host` can only be a number, so that it must be a whole IPv4 address: its last label is
/// all digits. The system would resolve "1.2.3" to 1.2.0.3.
bool bksi_host_is_number(const char *host);

#endif
