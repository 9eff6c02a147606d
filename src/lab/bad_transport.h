// SPDX-License-Identifier: MIT

/// @file bad_transport.h
/// A transport that makes another one worse, in real time: what is sent and what is received goes
/// through a bksi_lab_link for each address. It has no thread: packets move when it is called, so
/// the owner wakes at bksi_bad_transport_wake() and calls receive.

#ifndef BKSI_BAD_TRANSPORT_H
#define BKSI_BAD_TRANSPORT_H

#include "backstitch/net.h"
#include "lab/lab_link.h"

/// Most addresses with links of their own; packets from and to others pass untouched.
#define BKSI_BAD_TRANSPORT_WAYS_MAX 16u

typedef struct bksi_bad_transport_config {
    bks_transport inner;                 ///< must outlive the bad one
    bksi_lab_link_spec send;             ///< what befalls packets on their way out
    bksi_lab_link_spec receive;          ///< and on their way in
    uint64_t seed;                       ///< of all links
    uint64_t (*clock_ns)(void *context); ///< required, never goes back
    void *clock_context;                 ///< handed to clock_ns
    bks_allocator allocator;             ///< asked at create and when a new address shows up
} bksi_bad_transport_config;

typedef struct bksi_bad_transport bksi_bad_transport;

/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_bad_transport_create(const bksi_bad_transport_config *config,
                                     bksi_bad_transport **out, bks_error *error);

/// Packets still under way are lost. NULL is allowed.
void bksi_bad_transport_destroy(bksi_bad_transport *bad);

/// Give one address links of its own before its first packet.
/// @return BKS_OK, BKS_ERR_FULL, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_bad_transport_route(bksi_bad_transport *bad, const bks_address *address,
                                    const bksi_lab_link_spec *send,
                                    const bksi_lab_link_spec *receive, bks_error *error);

/// The transport to use instead of the inner one, valid until destroy.
bks_transport bksi_bad_transport_transport(bksi_bad_transport *bad);

/// When the next packet under way is due, to go out or to come in.
/// @return a time on clock_ns, UINT64_MAX when none is under way
uint64_t bksi_bad_transport_wake(const bksi_bad_transport *bad);

/// What happened so far on all links together.
bksi_lab_link_counters bksi_bad_transport_counters(const bksi_bad_transport *bad);

#endif
