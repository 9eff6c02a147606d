// SPDX-License-Identifier: MIT

/// @file host_probe.h
/// Why nothing comes back from a UDP address, as far as the network says it. A match's own socket
/// is not connected, so the system does not report the ICMP errors of its packets; the socket here
/// is, and it sends a single byte, which a host ignores.
///
///     bksi_host_probe probe;
///     bksi_host_probe_open(&probe, &address);     // sends; an answer takes a round trip
///     switch (bksi_host_probe_look(&probe)) …
///     bksi_host_probe_close(&probe);

#ifndef BKSI_HOST_PROBE_H
#define BKSI_HOST_PROBE_H

#include "net/sockets.h"

/// What is known of an address.
typedef enum bksi_host_found {
    BKSI_HOST_SILENT = 0,   ///< nothing: it may be reached, or a firewall or router drops packets
    BKSI_HOST_CLOSED = 1,   ///< the machine is there, and no program listens on the port
    BKSI_HOST_NO_ROUTE = 2, ///< no path leads to that machine
} bksi_host_found;

typedef struct bksi_host_probe {
    bksi_socket socket; ///< BKSI_NO_SOCKET: none
    bksi_host_found found;
} bksi_host_probe;

/// Send a byte to an address. What fails here is found too, such as a missing route.
void bksi_host_probe_open(bksi_host_probe *probe, const bks_address *address);

/// What came back until now.
bksi_host_found bksi_host_probe_look(bksi_host_probe *probe);

/// Closing twice is allowed.
void bksi_host_probe_close(bksi_host_probe *probe);

#endif
