// SPDX-License-Identifier: MIT

/// @file lab_link.h
/// One direction of a bad network: packets go in at one time and come out at others, or not at all,
/// all from a seed. Reads no clock, so it serves virtual and real time alike, and it knows nothing
/// of the rest of the lab.
///
///     bksi_lab_link_spec spec;
///     bksi_lab_link_spec_parse("delay=50ms,jitter=10ms,loss=2%", &spec, &error);
///     bksi_lab_link_create(&spec, seed, stream, &allocator, &link, &error);
///     bksi_lab_link_push(link, now, packet, count);
///     while (bksi_lab_link_pop(link, now, &delivery)) … delivery.bytes …
///     // sleep until bksi_lab_link_next_time(link)

#ifndef BKSI_LAB_LINK_H
#define BKSI_LAB_LINK_H

#include "backstitch/base.h"

/// Bytes of IP and UDP that every packet carries besides its payload: they count for rate and mtu.
#define BKSI_LAB_LINK_HEADER_BYTES 28u

/// What a direction does to packets. All zero is a perfect one.
typedef struct bksi_lab_link_spec {
    uint64_t delay_ns;    ///< `delay`, 0..60 s
    uint64_t jitter_ns;   ///< `jitter`, 0..10 s: uniform, more or less than the delay, per packet;
                          ///< never before it was sent
    uint32_t loss_ppm;    ///< `loss`, 0..1000000
    double burst_packets; ///< `burst`, mean run of lost packets, 1..1000 and at least
                          ///< loss / (1 - loss); 0: each is lost on its own
    uint32_t duplicate_ppm;   ///< `dup`, share that arrives twice, 0..1000000
    uint32_t reorder_ppm;     ///< `reorder`, share held back for 20..120 ms more, 0..1000000
    uint32_t corrupt_ppm;     ///< `corrupt`, share with 1..3 bits flipped, 0..1000000
    uint64_t rate_bits_per_s; ///< `rate`, 1000..10^12; packets queue for up to 500 ms, what comes
                              ///< then is dropped; 0: no limit
    uint32_t mtu_bytes;       ///< `mtu`, 68..65535: longer packets are dropped; 0: no limit
} bksi_lab_link_spec;

/// How often each fault really fired.
typedef struct bksi_lab_link_counters {
    uint64_t sent;       ///< packets pushed
    uint64_t delivered;  ///< packets popped, second copies included
    uint64_t lost;       ///< by `loss`
    uint64_t duplicated; ///< by `dup`
    uint64_t reordered;  ///< by `reorder`
    uint64_t corrupted;  ///< by `corrupt`
    uint64_t over_rate;  ///< dropped because 500 ms of packets were queued
    uint64_t over_mtu;   ///< dropped because they were too long
    uint64_t over_queue; ///< dropped because the link's own memory was full
} bksi_lab_link_counters;

/// Read "delay=50ms,jitter=10ms,loss=2%,burst=3,dup=1%,reorder=1%,corrupt=0.1%,rate=256kbit,
/// mtu=600", any of them once and in any order; "" and "perfect" are a perfect link. Times end in
/// ns, us, ms or s, shares in %, rates in bit, kbit, mbit or gbit.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (the error names the value and the range)
bks_status bksi_lab_link_spec_parse(const char *text, bksi_lab_link_spec *out, bks_error *error);

/// Read a time such as "50ms" or "1.5s", 0..1000 s.
/// @return whether all of the text is one
bool bksi_lab_time_parse(const char *text, size_t length, uint64_t *out);

/// A route of every pair: the text had no "a>b:" before it.
#define BKSI_LAB_LINK_ALL UINT32_MAX

/// Read "SPEC" or "a>b:SPEC" for the way from peer a to peer b.
/// @param from, to  receive the peers' numbers, both BKSI_LAB_LINK_ALL without "a>b:"
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (the error names the value and the range)
bks_status bksi_lab_link_route_parse(const char *text, uint32_t *from, uint32_t *to,
                                     bksi_lab_link_spec *out, bks_error *error);

/// One direction. Opaque.
typedef struct bksi_lab_link bksi_lab_link;

/// Make a link. All memory it will ever use is taken here.
/// @param seed, stream  of its random numbers; another stream for each direction
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_lab_link_create(const bksi_lab_link_spec *spec, uint64_t seed, uint64_t stream,
                                const bks_allocator *allocator, bksi_lab_link **out,
                                bks_error *error);

/// NULL is allowed.
void bksi_lab_link_destroy(bksi_lab_link *link);

/// A packet sets out. It will come out once, twice or never.
/// @param now_ns  never less than in an earlier push
/// @param count   1..BKS_PACKET_BYTES_MAX; longer ones are dropped as over_queue
void bksi_lab_link_push(bksi_lab_link *link, uint64_t now_ns, const void *bytes, size_t count);

/// From now on the link is perfect; what is under way arrives as it would have.
void bksi_lab_link_heal(bksi_lab_link *link);

/// A packet that came out.
typedef struct bksi_lab_link_delivery {
    uint64_t time_ns;     ///< when it arrived, at most the `now_ns` it was asked for with
    const uint8_t *bytes; ///< valid until the next push, pop or destroy
    size_t count;         ///< as pushed
} bksi_lab_link_delivery;

/// The earliest packet that arrived by now.
/// @return false when there is none
bool bksi_lab_link_pop(bksi_lab_link *link, uint64_t now_ns, bksi_lab_link_delivery *out);

/// When the next packet arrives.
/// @return UINT64_MAX when none is under way
uint64_t bksi_lab_link_next_time(const bksi_lab_link *link);

/// What it does to packets now.
const bksi_lab_link_spec *bksi_lab_link_get_spec(const bksi_lab_link *link);

/// The longest that a packet may be under way.
uint64_t bksi_lab_link_longest_ns(const bksi_lab_link_spec *spec);

/// What happened so far.
const bksi_lab_link_counters *bksi_lab_link_get_counters(const bksi_lab_link *link);

/// Add one link's counters to the sum of several.
void bksi_lab_link_add_counters(bksi_lab_link_counters *sum, const bksi_lab_link_counters *added);

#endif
