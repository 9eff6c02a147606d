// SPDX-License-Identifier: MIT

#define _GNU_SOURCE // needed for ppoll() and SOCK_NONBLOCK

#include "net/sockets.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "net/units.h"

bool bksi_sockets_start(void)
{
    return true;
}

bksi_socket bksi_socket_open(int family, bool hears_refusals)
{
    (void)hears_refusals; // an unconnected socket never reports ICMP errors
    return socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP);
}

void bksi_socket_close(bksi_socket handle)
{
    (void)close(handle);
}

bool bksi_socket_send(bksi_socket handle, const void *bytes, size_t count,
                      const struct sockaddr_storage *to, socklen_t to_length)
{
    return sendto(handle, bytes, count, MSG_NOSIGNAL, (const struct sockaddr *)to, to_length) >= 0;
}

ptrdiff_t bksi_socket_receive(bksi_socket handle, void *bytes, size_t capacity,
                              struct sockaddr_storage *from)
{
    struct iovec buffer = {.iov_base = bytes, .iov_len = capacity};
    struct msghdr message = {.msg_name = from,
                             .msg_namelen = from != NULL ? sizeof(*from) : 0,
                             .msg_iov = &buffer,
                             .msg_iovlen = 1};
    const ssize_t count = recvmsg(handle, &message, 0);
    return count > 0 && (message.msg_flags & MSG_TRUNC) != 0 ? 0 : count;
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

bool bksi_socket_wait(bksi_socket handle, uint64_t timeout_ns)
{
    const uint64_t start_ns = clock_ns();
    const uint64_t end_ns = start_ns + timeout_ns;
    for (uint64_t now_ns = start_ns;; now_ns = clock_ns()) {
        uint64_t left_ns = now_ns < end_ns ? end_ns - now_ns : 0;
        struct timespec left = {.tv_sec = (time_t)(left_ns / SECOND),
                                .tv_nsec = (long)(left_ns % SECOND)};
        struct pollfd waiting = {.fd = handle, .events = POLLIN};
        int ready = ppoll(&waiting, 1, &left, NULL);
        if (ready > 0 && (waiting.revents & POLLIN) != 0) {
            return true;
        }
        if (ready > 0) {
            // Fetch a pending ICMP error from the socket, otherwise it would end every later wait
            // at once.
            int cause = 0;
            socklen_t length = sizeof(cause);
            (void)getsockopt(handle, SOL_SOCKET, SO_ERROR, &cause, &length);
        }
        if (ready == 0 || left_ns == 0 || (ready < 0 && errno != EINTR)) {
            return false;
        }
    }
}

bool bksi_socket_own_addresses(int family,
                               bool (*take)(const struct sockaddr *own, size_t bytes,
                                            void *context),
                               void *context)
{
    struct ifaddrs *interfaces = NULL;
    bool is_taken = false;
    if (getifaddrs(&interfaces) != 0) {
        return false;
    }
    for (const struct ifaddrs *i = interfaces; i != NULL && !is_taken; i = i->ifa_next) {
        if (i->ifa_addr != NULL && i->ifa_addr->sa_family == family &&
            (i->ifa_flags & IFF_UP) != 0 && (i->ifa_flags & IFF_LOOPBACK) == 0) {
            const size_t bytes =
                family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
            is_taken = take(i->ifa_addr, bytes, context);
        }
    }
    freeifaddrs(interfaces);
    return is_taken;
}

int bksi_socket_cause(void)
{
    return errno;
}

bksi_socket_trouble bksi_socket_trouble_of(int cause)
{
    switch (cause) {
    case EAGAIN:
        return BKSI_SOCKET_NOTHING;
    case EINTR:
        return BKSI_SOCKET_INTERRUPTED;
    case ECONNREFUSED:
        return BKSI_SOCKET_REFUSED;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EHOSTDOWN:
        return BKSI_SOCKET_NO_ROUTE;
    case ENOBUFS:
    case ENOMEM:
    case ECONNRESET:
    case EPERM: // a packet filter dropped the packet
        return BKSI_SOCKET_LOST;
    case EBADF:
        return BKSI_SOCKET_CLOSED;
    default:
        return BKSI_SOCKET_WRONG;
    }
}
