// SPDX-License-Identifier: MIT

#include "net/sockets.h"

// iphlpapi.h must come after winsock2.h.
#include <iphlpapi.h>
#include <mswsock.h>
#include <stdlib.h>

#include "base/timer_windows.h"

static BOOL CALLBACK start_once(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    (void)once, (void)parameter, (void)context;
    WSADATA about;
    return WSAStartup(MAKEWORD(2, 2), &about) == 0;
}

bool bksi_sockets_start(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    return InitOnceExecuteOnce(&once, start_once, NULL, NULL);
}

/// Turn off error 10054, by which a receive reports that an earlier packet met a closed port. The
/// error would hit packets of any peer, because one socket serves all.
static bool ignore_refusals(SOCKET handle)
{
    BOOL reports = FALSE;
    DWORD bytes = 0;
    return WSAIoctl(handle, SIO_UDP_CONNRESET, &reports, sizeof(reports), NULL, 0, &bytes, NULL,
                    NULL) == 0;
}

static bool prepare(SOCKET handle, bool hears_refusals)
{
    u_long on = 1;
    BOOL is_exclusive = TRUE; // otherwise another program may take the port away
    (void)setsockopt(handle, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (const char *)&is_exclusive,
                     sizeof(is_exclusive));
    if (!hears_refusals) {
        (void)ignore_refusals(handle); // a refusal reported anyway counts as no packet
    }
    return ioctlsocket(handle, (long)FIONBIO, &on) == 0;
}

bksi_socket bksi_socket_open(int family, bool hears_refusals)
{
    if (!bksi_sockets_start()) {
        return BKSI_NO_SOCKET;
    }
    const SOCKET handle = WSASocketW(family, SOCK_DGRAM, IPPROTO_UDP, NULL, 0,
                                     WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    if (handle != INVALID_SOCKET && !prepare(handle, hears_refusals)) {
        const int cause = WSAGetLastError();
        (void)closesocket(handle);
        WSASetLastError(cause);
        return BKSI_NO_SOCKET;
    }
    return handle;
}

void bksi_socket_close(bksi_socket handle)
{
    (void)closesocket(handle);
}

bool bksi_socket_send(bksi_socket handle, const void *bytes, size_t count,
                      const struct sockaddr_storage *to, socklen_t to_length)
{
    return sendto(handle, bytes, (int)count, 0, (const struct sockaddr *)to, to_length) >= 0;
}

ptrdiff_t bksi_socket_receive(bksi_socket handle, void *bytes, size_t capacity,
                              struct sockaddr_storage *from)
{
    struct sockaddr_storage any;
    int length = sizeof(any);
    const int count = recvfrom(handle, bytes, (int)capacity, 0,
                               (struct sockaddr *)(from != NULL ? from : &any), &length);
    return count < 0 && WSAGetLastError() == WSAEMSGSIZE ? 0 : count;
}

static bool is_readable(SOCKET handle)
{
    struct timeval now = {0};
    fd_set readable;
    FD_ZERO(&readable);
    readable.fd_array[readable.fd_count++] = handle;
    return select(0, &readable, NULL, NULL, &now) > 0;
}

/// Wait until a packet sets the event, or the timer ends. Without a timer (NULL) wait for a tick of
/// the system. Return true if a packet can be read.
static bool wait_for_event(SOCKET handle, HANDLE event, HANDLE timer)
{
    const HANDLE both[] = {event, timer};
    const DWORD count = timer != NULL ? 2 : 1;
    const DWORD patience_ms = timer != NULL ? INFINITE : 1;
    for (;;) {
        (void)ResetEvent(event);
        if (is_readable(handle)) {
            return true; // a packet may have arrived before the event was set
        }
        if (WaitForMultipleObjects(count, both, FALSE, patience_ms) != WAIT_OBJECT_0) {
            return is_readable(handle);
        }
    }
}

bool bksi_socket_wait(bksi_socket handle, uint64_t timeout_ns)
{
    if (is_readable(handle)) {
        return true;
    }
    HANDLE event = timeout_ns > 0 ? CreateEventW(NULL, TRUE, FALSE, NULL) : NULL;
    HANDLE timer = event != NULL ? bksi_timer_start(timeout_ns) : NULL;
    bool is_there = false;
    if (event != NULL && WSAEventSelect(handle, event, FD_READ) == 0) {
        is_there = wait_for_event(handle, event, timer);
        (void)WSAEventSelect(handle, NULL, 0);
    }
    if (timer != NULL) {
        (void)CloseHandle(timer);
    }
    if (event != NULL) {
        (void)CloseHandle(event);
    }
    return is_there;
}

/// Return the system's list of its own addresses, which the caller frees; NULL on failure.
static IP_ADAPTER_ADDRESSES *ask_adapters(int family)
{
    const ULONG flags = GAA_FLAG_SKIP_ANYCAST | GAA_FLAG_SKIP_MULTICAST | GAA_FLAG_SKIP_DNS_SERVER;
    ULONG bytes = 16384;
    for (int tries = 0; tries < 3; tries++) {
        IP_ADAPTER_ADDRESSES *all = HeapAlloc(GetProcessHeap(), 0, bytes);
        if (all == NULL) {
            return NULL;
        }
        const ULONG status = GetAdaptersAddresses((ULONG)family, flags, NULL, all, &bytes);
        if (status == ERROR_SUCCESS) {
            return all;
        }
        (void)HeapFree(GetProcessHeap(), 0, all);
        if (status != ERROR_BUFFER_OVERFLOW) {
            return NULL;
        }
    }
    return NULL;
}

bool bksi_socket_own_addresses(int family,
                               bool (*take)(const struct sockaddr *own, size_t bytes,
                                            void *context),
                               void *context)
{
    IP_ADAPTER_ADDRESSES *all = ask_adapters(family);
    bool is_taken = false;
    for (const IP_ADAPTER_ADDRESSES *i = all; i != NULL && !is_taken; i = i->Next) {
        if (i->OperStatus != IfOperStatusUp || i->IfType == IF_TYPE_SOFTWARE_LOOPBACK) {
            continue;
        }
        for (const IP_ADAPTER_UNICAST_ADDRESS *u = i->FirstUnicastAddress; u != NULL && !is_taken;
             u = u->Next) {
            is_taken = take(u->Address.lpSockaddr, (size_t)u->Address.iSockaddrLength, context);
        }
    }
    if (all != NULL) {
        (void)HeapFree(GetProcessHeap(), 0, all);
    }
    return is_taken;
}

int bksi_socket_cause(void)
{
    return WSAGetLastError();
}

bksi_socket_trouble bksi_socket_trouble_of(int cause)
{
    switch (cause) {
    case WSAEWOULDBLOCK:
        return BKSI_SOCKET_NOTHING;
    case WSAEINTR:
        return BKSI_SOCKET_INTERRUPTED;
    case WSAECONNRESET: // 10054 on a UDP socket: ICMP reported that a port is closed
    case WSAECONNREFUSED:
        return BKSI_SOCKET_REFUSED;
    case WSAENETUNREACH:
    case WSAEHOSTUNREACH:
    case WSAENETDOWN:
    case WSAEHOSTDOWN:
        return BKSI_SOCKET_NO_ROUTE;
    case WSAENOBUFS:
    case WSAENETRESET: // the packet passed too many routers
    case WSAEACCES:    // a packet filter dropped the packet
        return BKSI_SOCKET_LOST;
    case WSAENOTSOCK:
        return BKSI_SOCKET_CLOSED;
    default:
        return BKSI_SOCKET_WRONG;
    }
}
