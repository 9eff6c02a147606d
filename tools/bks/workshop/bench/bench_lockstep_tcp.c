// SPDX-License-Identifier: MIT

// Lockstep over the kernel's TCP. Each peer has a network namespace with a TUN device. This process
// carries packets from one peer's device to the other peer's through the lab's link, which emulates
// delay, loss and order; TCP itself is the kernel's. All peers run in one thread, because a socket
// stays in the namespace in which it was opened.

#define _GNU_SOURCE // for unshare() and ppoll()

#include "workshop/bench/bench_lockstep_run.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/tool.h"
#include "lab/lab_link.h"

/// PATIENCE_S: longest time to wait for a connection, in seconds.
#define SECOND_NS  UINT64_C(1000000000)
#define TICK_NS    (SECOND_NS / LOCKSTEP_HZ)
#define PATIENCE_S 120u

enum {
    PORT = 7777,
    INPUT_BYTES = 2, ///< size of an input, as in the match that plays with this library
    RUNS_MAX = 64,
    FDS_OF_END = 2, ///< file descriptors of a peer: the TUN device and the socket
    PENDING_BYTES = 65536,
};

/// One peer of a match over TCP.
typedef struct end {
    int tun;
    /// Socket of the connection; -1: none. Until the guest connects, the host's listening socket.
    int stream;
    bool is_connected;
    bksi_lab_link *line; ///< emulated line from this peer to the other one
    uint64_t due_ns;     ///< time at which the next tick is due
    uint32_t tick;       ///< next tick that this peer steps
    uint32_t sampled;    ///< number of own inputs sampled so far
    size_t received;     ///< number of bytes of the other peer's inputs that have arrived
    bool is_waiting;     ///< true: the due tick lacks an input
    uint8_t pending[PENDING_BYTES]; ///< inputs that the socket has not taken yet
    size_t pending_bytes;
} end;

typedef struct pair {
    lockstep_run *run;
    end ends[LOCKSTEP_PEERS];
    uint64_t opened_ns;
    uint64_t begun_ns; ///< time of the first tick; 0: the peers are not connected yet
    bool is_over;
} pair;

typedef struct world {
    pair *pairs;
    uint32_t count;
    uint64_t now_ns;
    uint64_t late_ns;
} world;

static bool complain(char why[128], const char *what)
{
    (void)snprintf(why, 128, "%s: %s", what, strerror(errno));
    return false;
}

// ---- set-up of namespaces, TUN devices and sockets ----

/// Set the address of the TUN device, or its netmask.
/// @param request  SIOCSIFADDR or SIOCSIFNETMASK
static bool set_address(int control, unsigned long request, const char *name, uint32_t ip)
{
    struct ifreq wish = {0};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(ip)};
    (void)snprintf(wish.ifr_name, sizeof(wish.ifr_name), "%s", name);
    memcpy(&wish.ifr_addr, &address, sizeof(address));
    return ioctl(control, request, &wish) == 0;
}

/// Give the TUN device its address and MTU, and switch it on.
static bool raise_tun(int control, const char *name, uint32_t index)
{
    struct ifreq wish = {0};
    (void)snprintf(wish.ifr_name, sizeof(wish.ifr_name), "%s", name);
    wish.ifr_mtu = BKS_PACKET_BYTES_MAX;
    if (ioctl(control, SIOCSIFMTU, &wish) != 0 ||
        !set_address(control, SIOCSIFADDR, name, 0x0a000001u + index) ||
        !set_address(control, SIOCSIFNETMASK, name, 0xfffffffcu)) {
        return false;
    }
    wish.ifr_flags = IFF_UP | IFF_RUNNING;
    return ioctl(control, SIOCSIFFLAGS, &wish) == 0;
}

/// Enter a new network namespace, as root or as root of a new user namespace.
static bool enter_namespace(void)
{
    return unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
}

static bool open_tun(end *e, uint32_t index, char why[128])
{
    struct ifreq wish = {.ifr_name = "line", .ifr_flags = IFF_TUN | IFF_NO_PI};
    if (!enter_namespace()) {
        return complain(why, "no network namespace");
    }
    e->tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (e->tun < 0 || ioctl(e->tun, TUNSETIFF, &wish) != 0) {
        return complain(why, "no TUN device");
    }
    const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool is_up = control >= 0 && raise_tun(control, wish.ifr_name, index);
    if (control >= 0) {
        (void)close(control);
    }
    return is_up || complain(why, "cannot switch on a TUN device");
}

/// Open a peer's TCP socket: peer 0 listens, peer 1 connects.
static bool open_stream(end *e, uint32_t index, char why[128])
{
    const struct sockaddr_in host = {
        .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(0x0a000001u)};
    const struct sockaddr *address = (const struct sockaddr *)&host;
    e->stream = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool is_good = e->stream >= 0;
    if (index == 0) {
        is_good =
            is_good && bind(e->stream, address, sizeof(host)) == 0 && listen(e->stream, 1) == 0;
    } else {
        is_good =
            is_good && (connect(e->stream, address, sizeof(host)) == 0 || errno == EINPROGRESS);
    }
    // Choose CUBIC, the usual congestion control of Linux, because a system may have another
    // default.
    (void)setsockopt(e->stream, IPPROTO_TCP, TCP_CONGESTION, "cubic", sizeof("cubic"));
    return is_good || complain(why, "no TCP socket");
}

static bool open_pair(pair *p, lockstep_run *run, char why[128])
{
    bks_lab_link_spec spec;
    p->run = run;
    bool is_good = bks_lab_link_spec_parse(run->spec, &spec, NULL) == BKS_OK;
    for (uint32_t i = 0; i < LOCKSTEP_PEERS; i++) {
        p->ends[i].tun = p->ends[i].stream = -1;
    }
    for (uint32_t i = 0; is_good && i < LOCKSTEP_PEERS; i++) {
        const bks_allocator usual = {0};
        is_good =
            open_tun(&p->ends[i], i, why) && open_stream(&p->ends[i], i, why) &&
            bksi_lab_link_create(&spec, 0, run->seed, i, &usual, &p->ends[i].line, NULL) == BKS_OK;
    }
    p->opened_ns = tool_clock_ns(NULL);
    return is_good;
}

static void close_pair(pair *p)
{
    for (uint32_t i = 0; i < LOCKSTEP_PEERS; i++) {
        if (p->ends[i].stream >= 0) {
            (void)close(p->ends[i].stream);
        }
        if (p->ends[i].tun >= 0) {
            (void)close(p->ends[i].tun);
        }
        bksi_lab_link_destroy(p->ends[i].line);
    }
}

// ---- the emulated line ----

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/// Carry packets between the TUN devices of two peers.
static void carry(world *w, pair *p)
{
    uint8_t packet[2 * BKS_PACKET_BYTES_MAX];
    for (uint32_t i = 0; i < LOCKSTEP_PEERS; i++) {
        end *from = &p->ends[i];
        for (ssize_t count; (count = read(from->tun, packet, sizeof(packet))) > 0;) {
            p->run->bytes += (uint64_t)count;
            bksi_lab_link_push(from->line, w->now_ns, packet, (size_t)count);
        }
        bksi_lab_link_delivery arrived;
        while (bksi_lab_link_pop(from->line, w->now_ns, &arrived)) {
            const uint64_t late_ns = w->now_ns - arrived.time_ns;
            w->late_ns = late_ns > w->late_ns ? late_ns : w->late_ns;
            (void)!write(p->ends[1 - i].tun, arrived.bytes, arrived.count);
        }
    }
}

// ---- lockstep over TCP ----

/// Accept or finish a peer's connection, and switch Nagle's algorithm off.
static void connect_end(end *e, uint32_t index)
{
    const int on = 1;
    int cause = 0;
    socklen_t length = sizeof(cause);
    struct tcp_info info;
    socklen_t info_bytes = sizeof(info);
    if (index == 0) {
        const int taken = accept4(e->stream, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (taken < 0) {
            return;
        }
        (void)close(e->stream);
        e->stream = taken;
    } else if (getsockopt(e->stream, SOL_SOCKET, SO_ERROR, &cause, &length) != 0 || cause != 0 ||
               getsockopt(e->stream, IPPROTO_TCP, TCP_INFO, &info, &info_bytes) != 0 ||
               info.tcpi_state != TCP_ESTABLISHED) {
        return;
    }
    (void)setsockopt(e->stream, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    e->is_connected = true;
}

static void send_pending(end *e)
{
    const ssize_t sent =
        e->pending_bytes > 0 ? send(e->stream, e->pending, e->pending_bytes, MSG_NOSIGNAL) : 0;
    if (sent > 0) {
        e->pending_bytes -= (size_t)sent;
        memmove(e->pending, e->pending + sent, e->pending_bytes);
    }
}

/// Sample all inputs up to the due tick plus the input delay, and send each at once.
static void sample(end *e, const pair *p, lockstep_trace *trace, uint64_t now_ns)
{
    while (e->sampled <= e->tick + p->run->delay_ticks) {
        const bool has_room = e->pending_bytes + INPUT_BYTES <= sizeof(e->pending);
        if (!has_room) {
            return;
        }
        if (e->sampled >= p->run->delay_ticks) {
            lockstep_note_sample(trace, e->sampled, now_ns - p->begun_ns);
        }
        memset(e->pending + e->pending_bytes, (int)e->sampled, INPUT_BYTES);
        e->pending_bytes += INPUT_BYTES;
        e->sampled++;
        send_pending(e);
    }
}

/// Step the due tick if the inputs of both peers are here. A tick that is stepped late delays all
/// later ticks, too.
static void play_end(end *e, const pair *p, lockstep_trace *trace, uint64_t now_ns)
{
    uint8_t bytes[4096];
    for (ssize_t count; (count = recv(e->stream, bytes, sizeof(bytes), 0)) > 0;) {
        e->received += (size_t)count;
    }
    send_pending(e);
    if (now_ns < e->due_ns) {
        return;
    }
    sample(e, p, trace, now_ns);
    e->is_waiting = e->received / INPUT_BYTES <= e->tick;
    if (e->is_waiting) {
        return;
    }
    lockstep_note_step(trace, now_ns - p->begun_ns);
    e->tick++;
    e->due_ns += TICK_NS;
    e->due_ns = e->due_ns > now_ns ? e->due_ns : now_ns + TICK_NS;
}

static void play_pair(world *w, pair *p)
{
    for (uint32_t i = 0; i < LOCKSTEP_PEERS && p->begun_ns == 0; i++) {
        if (!p->ends[i].is_connected) {
            connect_end(&p->ends[i], i);
        }
    }
    if (p->begun_ns == 0 && p->ends[0].is_connected && p->ends[1].is_connected) {
        p->begun_ns = w->now_ns;
        p->ends[0].due_ns = p->ends[1].due_ns = w->now_ns;
        p->run->has_begun = true;
        p->run->connect_ms = (double)(w->now_ns - p->opened_ns) / 1e6;
    }
    for (uint32_t i = 0; i < LOCKSTEP_PEERS && p->begun_ns != 0; i++) {
        play_end(&p->ends[i], p, &p->run->traces[i], w->now_ns);
    }
    const uint64_t end_ns = p->begun_ns != 0 ? p->begun_ns + p->run->seconds * SECOND_NS
                                             : p->opened_ns + PATIENCE_S * SECOND_NS;
    p->is_over = w->now_ns >= end_ns;
}

/// Return the time at which a pair of peers has something to do, if no packet arrives before.
static uint64_t next_ns(const pair *p, uint64_t now_ns)
{
    uint64_t next = now_ns + SECOND_NS / 20; // check for a connection at least 20 times a second
    for (uint32_t i = 0; i < LOCKSTEP_PEERS; i++) {
        const end *e = &p->ends[i];
        next = least(next, bksi_lab_link_next_time(e->line));
        next = p->begun_ns != 0 && !e->is_waiting ? least(next, e->due_ns) : next;
    }
    return next;
}

static void wait_for(const world *w, uint64_t until_ns)
{
    struct pollfd waiting[RUNS_MAX * LOCKSTEP_PEERS * FDS_OF_END];
    nfds_t count = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        for (uint32_t k = 0; k < LOCKSTEP_PEERS && !w->pairs[i].is_over; k++) {
            waiting[count++] = (struct pollfd){.fd = w->pairs[i].ends[k].tun, .events = POLLIN};
            if (w->pairs[i].ends[k].is_connected) {
                waiting[count++] =
                    (struct pollfd){.fd = w->pairs[i].ends[k].stream, .events = POLLIN};
            }
        }
    }
    const uint64_t now_ns = tool_clock_ns(NULL);
    const uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    const struct timespec left = {(time_t)(left_ns / SECOND_NS), (long)(left_ns % SECOND_NS)};
    (void)ppoll(waiting, count, &left, NULL);
}

static void play(world *w)
{
    for (bool is_on = true; is_on;) {
        is_on = false;
        uint64_t until_ns = UINT64_MAX;
        w->now_ns = tool_clock_ns(NULL);
        for (uint32_t i = 0; i < w->count; i++) {
            pair *p = &w->pairs[i];
            if (!p->is_over) {
                carry(w, p);
                play_pair(w, p);
                until_ns = least(until_ns, next_ns(p, w->now_ns));
                is_on = true;
            }
        }
        if (is_on) {
            wait_for(w, until_ns);
        }
    }
}

bool lockstep_tcp(lockstep_run *runs, uint32_t count, lockstep_tcp_facts *facts)
{
    world w = {.pairs = calloc(count, sizeof(pair)), .count = count};
    *facts = (lockstep_tcp_facts){.why = "no memory"};
    bool is_good = w.pairs != NULL && count <= RUNS_MAX;
    uint32_t opened = 0;
    for (; is_good && opened < count; opened++) {
        is_good = open_pair(&w.pairs[opened], &runs[opened], facts->why);
    }
    if (is_good) {
        socklen_t length = sizeof(facts->congestion) - 1;
        (void)getsockopt(w.pairs[0].ends[1].stream, IPPROTO_TCP, TCP_CONGESTION, facts->congestion,
                         &length);
        play(&w);
    }
    for (uint32_t i = 0; i < opened; i++) {
        close_pair(&w.pairs[i]);
    }
    free(w.pairs);
    facts->late_ns = w.late_ns;
    return is_good;
}
