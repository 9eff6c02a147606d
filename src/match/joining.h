// SPDX-License-Identifier: MIT

/// @file joining.h
/// A guest that waits for its host: after a second without a seat it reports which address it waits
/// for and what is known of it, and at the end of its patience what to do next.

#ifndef BKSI_JOINING_H
#define BKSI_JOINING_H

#include "backstitch/match.h"
#include "match/host_probe.h"

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
