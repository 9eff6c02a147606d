// SPDX-License-Identifier: MIT

/// @file net.h
/// Transport of packets: addresses, the transport interface, and UDP.
///
/// A session knows addresses as opaque bytes and packets as bytes. A transport carries them: the
/// UDP transport below, or your own with two callbacks (a game engine's socket layer, a relay, a
/// platform's networking).
///
/// Thread rule: a transport belongs to the thread that made it.

#ifndef BACKSTITCH_NET_H
#define BACKSTITCH_NET_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Return true if two addresses are the same.
/// @return false when either is NULL
BKS_API bool bks_address_equal(const bks_address *a, const bks_address *b);

/// Interface by which packets are sent and received. It never blocks; it may lose, repeat and
/// reorder packets.
typedef struct bks_transport {
    /// Send one packet.
    /// @param count  1..BKS_PACKET_BYTES_MAX
    /// @return BKS_OK when it was sent (it may still be lost); BKS_ERR_IO when the system refused
    bks_status (*send)(void *context, const bks_address *to, const void *bytes, size_t count);

    /// Take one packet that has arrived.
    /// @param from      receives the sender's address
    /// @param bytes     receives the packet
    /// @param capacity  at least BKS_PACKET_BYTES_MAX; a longer packet is dropped
    /// @return the size of the packet, 0 when none has arrived
    size_t (*receive)(void *context, bks_address *from, void *bytes, size_t capacity);

    void *context; ///< passed to both functions, may be NULL
} bks_transport;

/// A UDP socket, IPv4 or IPv6, non-blocking.
typedef struct bks_udp bks_udp;

/// Open a UDP socket.
/// @param bind_address  "PORT", "ADDR:PORT" or "[ADDR6]:PORT"; port 0 lets the system choose;
///                      without ADDR the socket listens on every address of the machine: over IPv4,
///                      or over IPv6 if only IPv6 reaches other machines
/// @param out           receives the socket, NULL on failure
/// @param error         may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO, BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_udp_close().
BKS_API BKS_NODISCARD bks_status bks_udp_open(const char *bind_address, bks_udp **out,
                                              bks_error *error);

/// Close the socket. NULL is allowed.
BKS_API void bks_udp_close(bks_udp *udp);

/// Get the socket as a transport, valid until it is closed. For NULL, the transport loses every
/// packet.
BKS_API bks_transport bks_udp_transport(bks_udp *udp);

/// Get the socket's own address as others on this machine or network reach it. For a socket that
/// listens on every address, the result has the address of the first network interface that is up
/// and not loopback, or the loopback address if there is none.
/// @param out  receives the address, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_udp_local_address(const bks_udp *udp, bks_address *out);

/// Sleep until a packet waits or the time is up.
/// @param timeout_ns  0 returns at once
/// @return true when a packet waits
BKS_API bool bks_udp_wait(bks_udp *udp, uint64_t timeout_ns);

/// Parse an address from text: "ADDR:PORT", "[ADDR6]:PORT" or "NAME:PORT" (looked up, which may
/// block).
/// @param out    receives the address, not NULL
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_udp_address_parse(const char *text, bks_address *out,
                                                       bks_error *error);

/// Write a UDP address as text, "127.0.0.1:7777" or "[::1]:7777"; any other address in hexadecimal.
/// @param out       receives zero-terminated text, cut to fit
/// @param capacity  at least 1; 64 is enough for any UDP address
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL
BKS_API bks_status bks_udp_address_format(const bks_address *address, char *out, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_NET_H
