// SPDX-License-Identifier: MIT
//
// UDP over the system's sockets. Network trouble (full buffers, no route, ICMP errors) is packet
// loss to the caller; only a call that could never work is an error.

#define _POSIX_C_SOURCE 200809L // needed for getaddrinfo()

#include <string.h>

#include "backstitch/net.h"
#include "base/cause.h"
#include "base/memory.h"
#include "base/report.h"
#include "net/address.h"
#include "net/sockets.h"
#include "net/units.h"

/// Maximum number of datagrams and errors examined for one good packet, so that a flood cannot
/// stall the caller.
#define TRIES_MAX 64

/// Longest sleep in one call, so that any timeout fits the system's types.
#define WAIT_S_MAX 1000000000u

struct bks_udp {
    bksi_socket socket;
    int family;        ///< address family of the socket: AF_INET or AF_INET6
    bks_address local; ///< our own address as others reach it
};

static const bks_allocator default_allocator;

// Addresses -------------------------------------------------------------------------------------

static bks_address make_address(const void *ip, size_t ip_bytes, uint16_t port)
{
    bks_address address = {.length = (uint8_t)(ip_bytes + 2)};
    memcpy(address.bytes, ip, ip_bytes);
    address.bytes[ip_bytes] = (uint8_t)(port >> 8);
    address.bytes[ip_bytes + 1] = (uint8_t)port;
    return address;
}

static bool address_from_system(const struct sockaddr_storage *system, bks_address *out)
{
    if (system->ss_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, system, sizeof(in));
        *out = make_address(&in.sin_addr, sizeof(in.sin_addr), ntohs(in.sin_port));
        return true;
    }
    if (system->ss_family == AF_INET6) {
        struct sockaddr_in6 in6;
        memcpy(&in6, system, sizeof(in6));
        *out = make_address(&in6.sin6_addr, sizeof(in6.sin6_addr), ntohs(in6.sin6_port));
        return true;
    }
    return false;
}

/// Parse a numeric IP address: 192.168.1.20, or in brackets [::1].
/// @return false if the host is no such address; it may be a name
static bool number_to_address(const bksi_host_port *parts, bks_address *out)
{
    struct in_addr ip;
    struct in6_addr ip6;
    if (parts->is_bracketed) {
        if (inet_pton(AF_INET6, parts->host, &ip6) != 1) {
            return false;
        }
        *out = make_address(&ip6, sizeof(ip6), parts->port);
        return true;
    }
    if (inet_pton(AF_INET, parts->host, &ip) != 1) {
        return false;
    }
    *out = make_address(&ip, sizeof(ip), parts->port);
    return true;
}

/// Resolve a name. Prefer IPv4, because a socket without an address listens on IPv4 where it can.
static bool name_to_address(const bksi_host_port *parts, bks_address *out)
{
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    if (!bksi_sockets_start() || getaddrinfo(parts->host, NULL, &hints, &found) != 0) {
        return false;
    }
    bool is_found = false;
    for (const struct addrinfo *info = found; info != NULL; info = info->ai_next) {
        struct sockaddr_storage system = {0};
        bks_address address;
        memcpy(&system, info->ai_addr, info->ai_addrlen);
        if (!address_from_system(&system, &address)) {
            continue;
        }
        if (!is_found || (info->ai_family == AF_INET && out->length != BKSI_UDP4_BYTES)) {
            *out = make_address(address.bytes, (size_t)address.length - 2, parts->port);
        }
        is_found = true;
    }
    freeaddrinfo(found);
    return is_found;
}

bks_status bks_udp_address_parse(const char *text, bks_address *out, bks_error *error)
{
    static const char call[] = "bks_udp_address_parse";
    BKSI_REFUSE_NULL(error, text);
    BKSI_REFUSE_NULL(error, out);
    bksi_host_port parts;
    BKSI_TRY(bksi_host_port_parse(call, "text", text, 0, strlen(text), false, &parts, error));
    if (parts.port == 0) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "text",
                         "text '%s' has port 0, must be 1..65535", text);
    }
    if (number_to_address(&parts, out)) {
        return BKS_OK;
    }
    if (parts.is_bracketed || bksi_host_is_number(parts.host)) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "text",
                         "text names '%s', which is no IPv%c address", parts.host,
                         parts.is_bracketed ? '6' : '4');
    }
    if (!name_to_address(&parts, out)) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "text",
                         "text names host '%s', which cannot be found: check its spelling and your "
                         "network",
                         parts.host);
    }
    return BKS_OK;
}

// Opening ---------------------------------------------------------------------------------------

static bool is_all_zero(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

/// Take one of the machine's addresses as our own if other machines can use it; return true if so.
/// A link-local IPv6 address is of no use without the name of a network interface, which a
/// bks_address cannot hold.
static bool take_reachable(const struct sockaddr *own, size_t bytes, void *context)
{
    bks_address *address = context;
    struct sockaddr_storage system = {0};
    bks_address found;
    if (bytes > sizeof(system)) {
        return false;
    }
    memcpy(&system, own, bytes);
    if (!address_from_system(&system, &found) ||
        (found.length == BKSI_UDP6_BYTES && found.bytes[0] == 0xfe &&
         (found.bytes[1] & 0xc0) == 0x80)) {
        return false;
    }
    memcpy(address->bytes, found.bytes, (size_t)found.length - 2);
    return true;
}

/// Return an address of this machine that other machines can use, to name it instead of the
/// wildcard address.
static bks_address own_address(int family, uint16_t port)
{
    struct in_addr loopback = {.s_addr = htonl(INADDR_LOOPBACK)};
    bks_address address = family == AF_INET
                              ? make_address(&loopback, sizeof(loopback), port)
                              : make_address(&in6addr_loopback, sizeof(in6addr_loopback), port);
    (void)bksi_socket_own_addresses(family, take_reachable, &address);
    return address;
}

/// Return true if other machines can reach this one by an address of this family.
static bool is_reachable_by(int family)
{
    bks_address unused = {0};
    return bksi_socket_own_addresses(family, take_reachable, &unused);
}

/// Return the wildcard address, which stands for every address of the machine: that of IPv4, or
/// that of IPv6 where only IPv6 reaches other machines.
static bks_address every_address(uint16_t port)
{
    const struct in_addr any = {.s_addr = htonl(INADDR_ANY)};
    return !is_reachable_by(AF_INET) && is_reachable_by(AF_INET6)
               ? make_address(&in6addr_any, sizeof(in6addr_any), port)
               : make_address(&any, sizeof(any), port);
}

static bool find_local_address(bks_udp *udp)
{
    struct sockaddr_storage system = {0};
    socklen_t length = sizeof(system);
    if (getsockname(udp->socket, (struct sockaddr *)&system, &length) != 0 ||
        !address_from_system(&system, &udp->local)) {
        return false;
    }
    size_t ip_bytes = (size_t)udp->local.length - 2;
    if (is_all_zero(udp->local.bytes, ip_bytes)) {
        const uint8_t *port = udp->local.bytes + ip_bytes;
        udp->local = own_address(udp->family, (uint16_t)(port[0] << 8 | port[1]));
    }
    return true;
}

static bool open_socket(bks_udp *udp, const bks_address *bind_to)
{
    struct sockaddr_storage system;
    socklen_t length = bksi_socket_address(bind_to, &system);
    udp->family = system.ss_family;
    udp->socket = bksi_socket_open(udp->family, false);
    if (udp->socket == BKSI_NO_SOCKET) {
        return false;
    }
    int on = 1;
    // Use IPv6 sockets for IPv6 only: otherwise an IPv4 peer would show up as an IPv6 address, and
    // one address must have one form.
    if (udp->family == AF_INET6 &&
        setsockopt(udp->socket, IPPROTO_IPV6, IPV6_V6ONLY, (const void *)&on, sizeof(on)) != 0) {
        return false;
    }
    return bind(udp->socket, (struct sockaddr *)&system, length) == 0 && find_local_address(udp);
}

bks_status bks_udp_open(const char *bind_address, bks_udp **out, bks_error *error)
{
    static const char call[] = "bks_udp_open";
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_REFUSE_NULL(error, bind_address);
    bksi_host_port parts;
    bks_address address;
    BKSI_TRY(bksi_host_port_parse(call, "bind_address", bind_address, 0, strlen(bind_address), true,
                                  &parts, error));
    if (parts.host[0] == '\0') {
        address = every_address(parts.port);
    } else if (!number_to_address(&parts, &address)) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "bind_address",
                         "bind_address names '%s', which is no IPv%c address", parts.host,
                         parts.is_bracketed ? '6' : '4');
    }
    bks_udp *udp = bksi_alloc(&default_allocator, sizeof(*udp), _Alignof(bks_udp));
    if (udp == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL, "no memory for a socket");
    }
    if (!open_socket(udp, &address)) {
        const int cause = bksi_socket_cause();
        char text[BKSI_CAUSE_BYTES];
        bks_udp_close(udp);
        return bksi_fail(error, BKS_ERR_IO, call, "bind_address", "cannot listen on '%s': %s",
                         bind_address, bksi_cause_text(cause, text));
    }
    *out = udp;
    return BKS_OK;
}

void bks_udp_close(bks_udp *udp)
{
    if (udp == NULL) {
        return;
    }
    if (udp->socket != BKSI_NO_SOCKET) {
        bksi_socket_close(udp->socket);
    }
    bksi_free(&default_allocator, udp, sizeof(*udp));
}

bks_status bks_udp_local_address(const bks_udp *udp, bks_address *out)
{
    BKSI_REFUSE_NULL(NULL, udp);
    BKSI_REFUSE_NULL(NULL, out);
    *out = udp->local;
    return BKS_OK;
}

// Packets ---------------------------------------------------------------------------------------

static bks_status udp_send(void *context, const bks_address *to, const void *bytes, size_t count)
{
    static const char call[] = "bks_transport.send";
    bks_udp *udp = context;
    if (to == NULL) {
        return bksi_fail_null(NULL, call, "to");
    }
    if (bytes == NULL) {
        return bksi_fail_null(NULL, call, "bytes");
    }
    if (count < 1 || count > BKS_PACKET_BYTES_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "count", "count is %zu, must be 1..%d",
                         count, BKS_PACKET_BYTES_MAX);
    }
    if (udp == NULL) {
        return BKS_OK; // the packet is lost, as on a network
    }
    struct sockaddr_storage system;
    socklen_t length = bksi_socket_address(to, &system);
    if (length == 0 || system.ss_family != udp->family) {
        return bksi_fail(NULL, BKS_ERR_IO, call, "to", "to has %u bytes, this socket sends to %d",
                         to->length, udp->family == AF_INET ? BKSI_UDP4_BYTES : BKSI_UDP6_BYTES);
    }
    for (int tries = 0;;) {
        if (bksi_socket_send(udp->socket, bytes, count, &system, length)) {
            return BKS_OK;
        }
        const int cause = bksi_socket_cause();
        const bksi_socket_trouble trouble = bksi_socket_trouble_of(cause);
        if (trouble == BKSI_SOCKET_INTERRUPTED) {
            continue;
        }
        // The call reported the error of an earlier packet and did not send: try once more.
        if (trouble == BKSI_SOCKET_REFUSED && tries++ == 0) {
            continue;
        }
        if (trouble == BKSI_SOCKET_WRONG || trouble == BKSI_SOCKET_CLOSED) {
            char text[BKSI_CAUSE_BYTES];
            return bksi_fail(NULL, BKS_ERR_IO, call, NULL, "cannot send %zu bytes: %s", count,
                             bksi_cause_text(cause, text));
        }
        return BKS_OK; // no error of the caller: the network lost the packet
    }
}

/// Return true if a packet can be answered, which needs a port.
static bool has_port(const bks_address *address)
{
    const uint8_t *port = address->bytes + address->length - 2;
    return (port[0] | port[1]) != 0;
}

static size_t udp_receive(void *context, bks_address *from, void *bytes, size_t capacity)
{
    static const char call[] = "bks_transport.receive";
    bks_udp *udp = context;
    if (from == NULL || bytes == NULL) {
        (void)bksi_fail_null(NULL, call, from == NULL ? "from" : "bytes");
        return 0;
    }
    for (int tries = 0; udp != NULL && tries < TRIES_MAX; tries++) {
        struct sockaddr_storage system = {0};
        const ptrdiff_t count = bksi_socket_receive(udp->socket, bytes, capacity, &system);
        if (count < 0) {
            const bksi_socket_trouble trouble = bksi_socket_trouble_of(bksi_socket_cause());
            if (trouble == BKSI_SOCKET_NOTHING || trouble == BKSI_SOCKET_CLOSED) {
                return 0;
            }
            continue; // interrupted, or the error of an earlier packet: there may be more packets
        }
        // Ignore an empty packet, and a cut one too because it is not what was sent.
        if (count > 0 && address_from_system(&system, from) && has_port(from)) {
            return (size_t)count;
        }
    }
    return 0;
}

bks_transport bks_udp_transport(bks_udp *udp)
{
    return (bks_transport){.send = udp_send, .receive = udp_receive, .context = udp};
}

bool bks_udp_wait(bks_udp *udp, uint64_t timeout_ns)
{
    BKSI_REFUSE_NULL_OR(false, udp);
    const uint64_t limit_ns = WAIT_S_MAX * SECOND;
    return bksi_socket_wait(udp->socket, timeout_ns < limit_ns ? timeout_ns : limit_ns);
}
