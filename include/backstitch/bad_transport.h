// SPDX-License-Identifier: MIT

/// @file bad_transport.h
/// A transport that makes another one worse, in real time: what is sent and what is received goes
/// through a link of the lab for each address. So a game is tried over 100 ms and 2 % loss on one
/// desk.
///
///     bks_bad_transport_config config = {.inner = bks_udp_transport(udp), .clock_ns = clock};
///     if (bks_lab_link_spec_parse("delay=50ms,loss=2%", &config.send, &error) != BKS_OK) …
///     bks_bad_transport *bad = NULL;
///     if (bks_bad_transport_create(&config, &bad, &error) != BKS_OK) …
///     bks_transport transport = bks_bad_transport_transport(bad);   // for a match or a session
///
/// It has no thread: packets move when the transport is called, so the owner wakes at
/// bks_bad_transport_wake() and calls `receive`.
///
/// Thread rule: as of the inner transport.

#ifndef BACKSTITCH_BAD_TRANSPORT_H
#define BACKSTITCH_BAD_TRANSPORT_H

#include "backstitch/lab_parts.h"
#include "backstitch/net.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most addresses with links of their own; packets from and to others pass untouched.
#define BKS_BAD_TRANSPORT_WAYS_MAX 16

/// What a bad transport needs. Start from {0}.
typedef struct bks_bad_transport_config {
    bks_transport inner;                 ///< required, must outlive the bad one
    bks_lab_link_spec send;              ///< what befalls packets on their way out
    bks_lab_link_spec receive;           ///< and on their way in
    uint64_t seed;                       ///< of all links
    uint64_t (*clock_ns)(void *context); ///< required, never goes back
    void *clock_context;                 ///< handed to clock_ns
    bks_allocator allocator;             ///< asked at create, at a change and for a new address
} bks_bad_transport_config;

/// A transport made worse. Opaque.
typedef struct bks_bad_transport bks_bad_transport;

/// Create one.
/// @param config  copied
/// @param out     receives it, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_bad_transport_destroy().
BKS_API BKS_NODISCARD bks_status bks_bad_transport_create(const bks_bad_transport_config *config,
                                                          bks_bad_transport **out,
                                                          bks_error *error);

/// Packets still under way are lost. NULL is allowed.
BKS_API void bks_bad_transport_destroy(bks_bad_transport *bad);

/// Give one address links of its own before its first packet.
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_FULL (BKS_BAD_TRANSPORT_WAYS_MAX have),
///         BKS_ERR_OUT_OF_MEMORY
BKS_API BKS_NODISCARD bks_status bks_bad_transport_route(bks_bad_transport *bad,
                                                         const bks_address *address,
                                                         const bks_lab_link_spec *send,
                                                         const bks_lab_link_spec *receive,
                                                         bks_error *error);

/// Make the network better or worse from now on, for every address. Packets under way arrive as
/// they would have. It takes memory for the new links.
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT, BKS_ERR_OUT_OF_MEMORY: all is as before
BKS_API BKS_NODISCARD bks_status bks_bad_transport_change(bks_bad_transport *bad,
                                                          const bks_lab_link_spec *send,
                                                          const bks_lab_link_spec *receive,
                                                          bks_error *error);

/// The transport to use instead of the inner one, valid until destroy; for NULL one that loses all.
BKS_API bks_transport bks_bad_transport_transport(bks_bad_transport *bad);

/// When the next packet under way is due, to go out or to come in.
/// @return a time on clock_ns; UINT64_MAX when none is under way or for NULL
BKS_API uint64_t bks_bad_transport_wake(const bks_bad_transport *bad);

/// What happened so far on all links together.
/// @return the counts, all 0 for NULL
BKS_API bks_lab_link_counters bks_bad_transport_counters(const bks_bad_transport *bad);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_BAD_TRANSPORT_H
