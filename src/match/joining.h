// SPDX-License-Identifier: MIT

/// @file joining.h
/// A guest that waits for its host: after a second without a seat it reports which address it waits
/// for and what is known of it, and at the end of its patience what to do next.

#ifndef BKSI_JOINING_H
#define BKSI_JOINING_H

#include "backstitch/match.h"

#include "net/sockets.h"

// Why nothing comes back from a UDP address, as far as the network says it. A match's own socket
// is not connected, so the system does not report the ICMP errors of its packets; the socket here
// is, and it sends a single byte, which a host ignores.
//
//     bksi_host_probe probe;
//     bksi_host_probe_open(&probe, &address);     // sends; an answer takes a round trip
//     switch (bksi_host_probe_look(&probe)) …
//     bksi_host_probe_close(&probe);

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

typedef struct bksi_joining {
    bool is_waiting;     ///< false: a host, alone, or a guest that has its seat
    bool is_udp;         ///< the address can be tried
    bool has_tried;      ///< `probe` is open
    bool has_reported;   ///< the word is given
    uint32_t timeout_ms; ///< 0: waits for good
    uint64_t begun_ns;   ///< the first update
    bks_address host;
    bksi_host_probe probe;
} bksi_joining;

/// A guest's first update.
void bksi_joining_begin(bksi_joining *joining, const bks_address *host, bool is_udp,
                        uint32_t timeout_ms, uint64_t now_ns);

/// In each update until the guest has its seat.
/// @param has_heard  a packet came, from whomever
/// @param out        receives BKS_EVENT_WAITING, which is logged too
/// @return whether there is an event: once
bool bksi_joining_update(bksi_joining *joining, uint64_t now_ns, bool has_heard, bks_event *out);

/// @return BKS_OK; BKS_ERR_TIMEOUT when the time is up, logged with what to do next
bks_status bksi_joining_check(bksi_joining *joining, uint64_t now_ns, bool has_heard);

/// The guest has its seat, or gives up.
void bksi_joining_end(bksi_joining *joining);

#endif
