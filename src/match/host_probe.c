// SPDX-License-Identifier: MIT

#define _GNU_SOURCE // SOCK_NONBLOCK

#include "match/host_probe.h"

#include <errno.h>
#include <unistd.h>

#include "net/udp_address.h"

/// What an error of a socket call says of the address.
static void learn(bksi_host_probe *probe, int cause)
{
    switch (cause) {
    case ECONNREFUSED:
        probe->found = BKSI_HOST_CLOSED;
        break;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EHOSTDOWN:
        probe->found = BKSI_HOST_NO_ROUTE;
        break;
    default:
        break;
    }
}

void bksi_host_probe_open(bksi_host_probe *probe, const bks_address *address)
{
    static const char nothing[1] = {0};
    struct sockaddr_storage system;
    const socklen_t length = bksi_udp_address_to_system(address, &system);
    *probe = (bksi_host_probe){.socket = -1};
    if (length == 0) {
        return;
    }
    probe->socket = socket(system.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (probe->socket < 0) {
        return;
    }
    if (connect(probe->socket, (struct sockaddr *)&system, length) != 0 ||
        send(probe->socket, nothing, sizeof(nothing), MSG_NOSIGNAL) < 0) {
        learn(probe, errno);
    }
}

bksi_host_found bksi_host_probe_look(bksi_host_probe *probe)
{
    char byte;
    if (probe->socket >= 0 && recv(probe->socket, &byte, sizeof(byte), 0) < 0) {
        learn(probe, errno);
    }
    return probe->found;
}

void bksi_host_probe_close(bksi_host_probe *probe)
{
    if (probe->socket >= 0) {
        (void)close(probe->socket);
        probe->socket = -1;
    }
}
