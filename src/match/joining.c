// SPDX-License-Identifier: MIT

#include "match/joining.h"

#include <stdio.h>

#include "base/report.h"
#include "match/system.h"

/// Store what the last socket error shows about the probed address.
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

/// Time without a seat after which a guest reports that it waits. Joining over bad links takes
/// less.
#define REPORT_AFTER_MS 1000u

#define ADDRESS_BYTES 80

/// State of a host that gives no seat.
typedef enum finding {
    SILENT = BKSI_HOST_SILENT,
    CLOSED = BKSI_HOST_CLOSED,
    NO_ROUTE = BKSI_HOST_NO_ROUTE,
    HEARD,   ///< packets arrive, whoever sends them, but no seat is given
    UNTRIED, ///< no packets arrive, and addresses of a custom transport cannot be probed
} finding;

static const char *const findings[] = {
    [SILENT] = "check its program, UDP port and newest invitation",
    [CLOSED] = "no program listens on that port",
    [NO_ROUTE] = "there is no route to that address",
    [HEARD] = "packets come, but none gives a seat",
    [UNTRIED] = "does it run, does your transport reach it?",
};

static const char *const next_steps[] = {
    [SILENT] = "check that it runs and its UDP port is open, then join with its newest invitation",
    [CLOSED] = "no program listens there; start it, then join with its new invitation",
    [NO_ROUTE] = "no route leads there; check your network and the invitation's address",
    [HEARD] = "packets came but no seat; join with its newest invitation",
    [UNTRIED] = "check that it runs, your transport reaches it and both have the same key",
};

void bksi_joining_begin(bksi_joining *joining, const bks_address *host, bool is_udp,
                        uint32_t timeout_ms, uint64_t now_ns)
{
    *joining = (bksi_joining){.is_waiting = true,
                              .is_udp = is_udp,
                              .timeout_ms = timeout_ms,
                              .begun_ns = now_ns,
                              .host = *host,
                              .probe = {.socket = BKSI_NO_SOCKET}};
}

static finding find(bksi_joining *joining, bool has_heard)
{
    return has_heard            ? HEARD
           : !joining->is_udp   ? UNTRIED
           : joining->has_tried ? (finding)bksi_host_probe_look(&joining->probe)
                                : SILENT;
}

static uint64_t waited_ms(const bksi_joining *joining, uint64_t now_ns)
{
    return (now_ns - joining->begun_ns) / BKSI_NS_PER_MS;
}

/// Get the time without a seat after which a guest reports that it waits: half its timeout, at most
/// REPORT_AFTER_MS.
static uint32_t report_after_ms(const bksi_joining *joining)
{
    const uint32_t half_ms = joining->timeout_ms / 2;
    return half_ms > 0 && half_ms < REPORT_AFTER_MS ? half_ms : REPORT_AFTER_MS;
}

bool bksi_joining_update(bksi_joining *joining, uint64_t now_ns, bool has_heard, bks_event *out)
{
    if (!joining->is_waiting || joining->has_reported) {
        return false;
    }
    const uint64_t ms = waited_ms(joining, now_ns);
    if (joining->is_udp && !joining->has_tried && ms >= report_after_ms(joining) / 2) {
        joining->has_tried = true;
        bksi_host_probe_open(&joining->probe, &joining->host);
    }
    if (ms < report_after_ms(joining)) {
        return false;
    }
    joining->has_reported = true;
    char address[ADDRESS_BYTES];
    (void)bks_udp_address_format(&joining->host, address, sizeof(address));
    *out = (bks_event){.kind = BKS_EVENT_WAITING, .tick = BKS_TICK_NONE};
    (void)snprintf(out->text, sizeof(out->text), "no %s from the host at %.60s: %s",
                   has_heard ? "seat" : "answer", address, findings[find(joining, has_heard)]);
    bksi_log(BKS_LOG_WARNING, "match.join", "%s; we continue to ask", out->text);
    return true;
}

bks_status bksi_joining_check(bksi_joining *joining, uint64_t now_ns, bool has_heard)
{
    if (!joining->is_waiting || joining->timeout_ms == 0 ||
        waited_ms(joining, now_ns) < joining->timeout_ms) {
        return BKS_OK;
    }
    char address[ADDRESS_BYTES];
    (void)bks_udp_address_format(&joining->host, address, sizeof(address));
    const finding found = find(joining, has_heard);
    bksi_joining_end(joining);
    return bksi_fail(NULL, BKS_ERR_TIMEOUT, "bks_match_update", "join_timeout_ms",
                     "the host at %.60s %s within %u ms: %s", address,
                     found == HEARD ? "gave no seat" : "did not answer",
                     (unsigned)joining->timeout_ms, next_steps[found]);
}

void bksi_joining_end(bksi_joining *joining)
{
    if (joining->is_waiting) {
        joining->is_waiting = false;
        bksi_host_probe_close(&joining->probe);
    }
}
