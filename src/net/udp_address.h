// SPDX-License-Identifier: MIT

/// @file udp_address.h
/// A UDP address as the system's sockets take it.

#ifndef BKSI_UDP_ADDRESS_H
#define BKSI_UDP_ADDRESS_H

#include <sys/socket.h>

#include "backstitch/net.h"

/// @return length of the system's address, 0 when this is no UDP address
socklen_t bksi_udp_address_to_system(const bks_address *address, struct sockaddr_storage *system);

#endif
