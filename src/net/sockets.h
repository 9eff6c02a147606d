// SPDX-License-Identifier: MIT

/// @file sockets.h
/// UDP sockets of the system: what BSD's and Winsock's have in common comes with their own headers,
/// where they differ there is a function, which each kind of system has in a file of its own.

#ifndef BKSI_SOCKETS_H
#define BKSI_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#include <winsock2.h>
// after winsock2.h
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

/// What the failure of a call says.
typedef enum bksi_socket_trouble {
    BKSI_SOCKET_WRONG = 0,   ///< such a call could never work
    BKSI_SOCKET_NOTHING,     ///< there is no packet, or no room for one, just now
    BKSI_SOCKET_INTERRUPTED, ///< by a signal
    BKSI_SOCKET_REFUSED,     ///< an earlier packet reached a machine where no program listens
    BKSI_SOCKET_NO_ROUTE,    ///< no way leads there now
    BKSI_SOCKET_LOST,        ///< the packet was lost on the way out
    BKSI_SOCKET_CLOSED,      ///< there is no such socket
} bksi_socket_trouble;

/// To be called before names are looked up or sockets opened; again and again is allowed.
/// @return whether there are sockets
bool bksi_sockets_start(void);

/// Make a UDP socket that never waits and that no child process inherits.
/// @param family  AF_INET or AF_INET6
/// @param hears_refusals  whether calls fail because of what became of earlier packets, once it is
///                 connected. Without it Windows would fail calls of one that is not, too.
/// @return BKSI_NO_SOCKET: bksi_socket_cause() knows why
bksi_socket bksi_socket_open(int family, bool hears_refusals);

void bksi_socket_close(bksi_socket handle);

/// Send one packet.
/// @param to  NULL: where the socket is connected to
bool bksi_socket_send(bksi_socket handle, const void *bytes, size_t count,
                      const struct sockaddr_storage *to, socklen_t to_length);

/// Take one packet.
/// @param from  may be NULL
/// @return its size; 0 of one that is empty or was cut; -1: none, bksi_socket_cause() knows why
ptrdiff_t bksi_socket_receive(bksi_socket handle, void *bytes, size_t capacity,
                              struct sockaddr_storage *from);

/// Wait until there is a packet. Signals and errors of earlier packets do not end it.
/// @return false: the time has passed
bool bksi_socket_wait(bksi_socket handle, uint64_t timeout_ns);

/// Call `take` with addresses of this machine's own that are up and no loopback, until it returns
/// true.
/// @return whether it did
bool bksi_socket_own_addresses(int family,
                               bool (*take)(const struct sockaddr *own, size_t bytes,
                                            void *context),
                               void *context);

/// Why the last call of a socket failed: to be asked first thing after it.
int bksi_socket_cause(void);

/// What it says.
bksi_socket_trouble bksi_socket_trouble_of(int cause);

/// An address as the system has it.
/// @return its length, 0 when this is no UDP address
socklen_t bksi_socket_address(const bks_address *address, struct sockaddr_storage *system);

#endif
