// SPDX-License-Identifier: MIT

/// @file sockets.h
/// UDP sockets of the system. What BSD sockets and Winsock have in common comes with their own
/// headers; each difference is a function, implemented in one file for each system.

#ifndef BKSI_SOCKETS_H
#define BKSI_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#include <winsock2.h>
// ws2tcpip.h must come after winsock2.h.
#include <ws2tcpip.h>
typedef SOCKET bksi_socket;
#define BKSI_NO_SOCKET INVALID_SOCKET
#else
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
typedef int bksi_socket;
#define BKSI_NO_SOCKET (-1)
#endif

#include "backstitch/net.h"

/// Cause of a failed socket call.
typedef enum bksi_socket_trouble {
    BKSI_SOCKET_WRONG = 0,   ///< the call can never work
    BKSI_SOCKET_NOTHING,     ///< no packet, or no room for one, at the moment
    BKSI_SOCKET_INTERRUPTED, ///< interrupted by a signal
    BKSI_SOCKET_REFUSED,     ///< an earlier packet reached a machine where no program listens
    BKSI_SOCKET_NO_ROUTE,    ///< there is no route at the moment
    BKSI_SOCKET_LOST,        ///< the packet was lost on its way out
    BKSI_SOCKET_CLOSED,      ///< the socket does not exist
} bksi_socket_trouble;

/// Prepare the system's sockets. Call this before resolving names or opening sockets; it may be
/// called repeatedly.
/// @return true if sockets can be used
bool bksi_sockets_start(void);

/// Make a UDP socket that never blocks and that child processes do not inherit.
/// @param family  AF_INET or AF_INET6
/// @param hears_refusals  true: once the socket is connected, calls report ICMP errors of earlier
///                        packets; on Windows, calls of an unconnected socket report them, too.
///                        false: never
/// @return the socket; BKSI_NO_SOCKET: see bksi_socket_cause()
bksi_socket bksi_socket_open(int family, bool hears_refusals);

void bksi_socket_close(bksi_socket handle);

/// Send one packet.
/// @param to  NULL: the address that the socket is connected to
bool bksi_socket_send(bksi_socket handle, const void *bytes, size_t count,
                      const struct sockaddr_storage *to, socklen_t to_length);

/// Receive one packet.
/// @param from  may be NULL
/// @return the packet's size; 0 for a packet that is empty or was cut; -1: none, see
///         bksi_socket_cause()
ptrdiff_t bksi_socket_receive(bksi_socket handle, void *bytes, size_t capacity,
                              struct sockaddr_storage *from);

/// Wait until a packet arrives. Signals and errors of earlier packets do not end the wait.
/// @return false if the time has passed
bool bksi_socket_wait(bksi_socket handle, uint64_t timeout_ns);

/// Call `take` with each address of this machine that is up and not loopback, until `take`
/// returns true.
/// @return true if `take` returned true
bool bksi_socket_own_addresses(int family,
                               bool (*take)(const struct sockaddr *own, size_t bytes,
                                            void *context),
                               void *context);

/// Return the system's error number of the last failed call of a socket. Ask directly after that
/// call.
int bksi_socket_cause(void);

/// Return the meaning of the system's error number of a socket call.
bksi_socket_trouble bksi_socket_trouble_of(int cause);

/// Convert an address to the system's form.
/// @return the length, 0 if `address` is no UDP address
socklen_t bksi_socket_address(const bks_address *address, struct sockaddr_storage *system);

#endif
