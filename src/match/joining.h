// SPDX-License-Identifier: MIT

/// @file joining.h
/// Waiting of a guest for its host. After a second without a seat the guest reports the host's
/// address and what is known of it, and at the timeout what to do next.

#ifndef BKSI_JOINING_H
#define BKSI_JOINING_H

#include "backstitch/match.h"

#include "net/sockets.h"

// Probe of a UDP address that does not answer. A match's own socket is not connected, so the system
// does not report ICMP errors of its packets. The socket of a probe is connected, and sends a
// single byte, which a host ignores.
//
//     bksi_host_probe probe;
//     bksi_host_probe_open(&probe, &address);     // sends; an answer takes a round trip
//     switch (bksi_host_probe_look(&probe)) …
//     bksi_host_probe_close(&probe);

/// Result of a probe.
typedef enum bksi_host_found {
    /// No answer: the host may be reachable, or a firewall or router drops packets.
    BKSI_HOST_SILENT = 0,
    BKSI_HOST_CLOSED = 1,   ///< the machine answers, but no program listens on the port
    BKSI_HOST_NO_ROUTE = 2, ///< no route leads to the machine
} bksi_host_found;

typedef struct bksi_host_probe {
    bksi_socket socket; ///< socket of the probe; BKSI_NO_SOCKET: none is open
    bksi_host_found found;
} bksi_host_probe;

/// Send a byte to an address. Errors of this call, such as a missing route, count as results too.
void bksi_host_probe_open(bksi_host_probe *probe, const bks_address *address);

/// Get the result of a probe so far.
bksi_host_found bksi_host_probe_look(bksi_host_probe *probe);

/// Close the probe. Closing twice is allowed.
void bksi_host_probe_close(bksi_host_probe *probe);

typedef struct bksi_joining {
    bool is_waiting;     ///< true for a guest that has no seat yet; false for a host
    bool is_udp;         ///< true if the address can be probed
    bool has_tried;      ///< true if `probe` is open
    bool has_reported;   ///< true if BKS_EVENT_WAITING has been reported
    uint32_t timeout_ms; ///< time in ms after which joining fails; 0: wait without a limit
    uint64_t begun_ns;   ///< time of the first update, in ns
    bks_address host;
    bksi_host_probe probe;
} bksi_joining;

/// Begin to wait for a seat, at a guest's first update.
void bksi_joining_begin(bksi_joining *joining, const bks_address *host, bool is_udp,
                        uint32_t timeout_ms, uint64_t now_ns);

/// Update the wait. Call it at each update until the guest has its seat.
/// @param has_heard  true if packets arrive, whoever sends them
/// @param out        receives BKS_EVENT_WAITING, which is logged too
/// @return true if BKS_EVENT_WAITING must be reported, which happens once
bool bksi_joining_update(bksi_joining *joining, uint64_t now_ns, bool has_heard, bks_event *out);

/// Check a guest's timeout for joining.
/// @return BKS_OK; BKS_ERR_TIMEOUT if the time is up, logged with what to do next
bks_status bksi_joining_check(bksi_joining *joining, uint64_t now_ns, bool has_heard);

/// Stop waiting, because the guest has its seat or gives up.
void bksi_joining_end(bksi_joining *joining);

#endif
