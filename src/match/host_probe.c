// SPDX-License-Identifier: MIT

#include "match/host_probe.h"

/// What the error of the last socket call says of the address.
static void learn(bksi_host_probe *probe)
{
    switch (bksi_socket_trouble_of(bksi_socket_cause())) {
    case BKSI_SOCKET_REFUSED:
        probe->found = BKSI_HOST_CLOSED;
        break;
    case BKSI_SOCKET_NO_ROUTE:
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
    const socklen_t length = bksi_socket_address(address, &system);
    *probe = (bksi_host_probe){.socket = BKSI_NO_SOCKET};
    if (length == 0) {
        return;
    }
    probe->socket = bksi_socket_open(system.ss_family, true);
    if (probe->socket == BKSI_NO_SOCKET) {
        return;
    }
    if (connect(probe->socket, (struct sockaddr *)&system, length) != 0 ||
        !bksi_socket_send(probe->socket, nothing, sizeof(nothing), NULL, 0)) {
        learn(probe);
    }
}

bksi_host_found bksi_host_probe_look(bksi_host_probe *probe)
{
    char byte;
    if (probe->socket != BKSI_NO_SOCKET &&
        bksi_socket_receive(probe->socket, &byte, sizeof(byte), NULL) < 0) {
        learn(probe);
    }
    return probe->found;
}

void bksi_host_probe_close(bksi_host_probe *probe)
{
    if (probe->socket != BKSI_NO_SOCKET) {
        bksi_socket_close(probe->socket);
        probe->socket = BKSI_NO_SOCKET;
    }
}
