// SPDX-License-Identifier: MIT

/// @file lab_link.h
/// One direction of a bad network. A packet arrives later, twice, or never, as a seed decides. A
/// link reads no clock, so it works in virtual and in real time. It needs no other part of the lab.
///
///     bks_lab_link_spec spec;
///     bks_lab_link_spec_parse("delay=50ms,jitter=10ms,loss=2%", &spec, &error);
///     bksi_lab_link_create(&spec, 0, seed, stream, &allocator, &link, &error);
///     bksi_lab_link_push(link, now, packet, count);
///     while (bksi_lab_link_pop(link, now, &delivery)) … delivery.bytes …
///     // sleep until bksi_lab_link_next_time(link)

#ifndef BKSI_LAB_LINK_H
#define BKSI_LAB_LINK_H

#include "backstitch/toolkit/links.h"

/// Bytes of the IP and UDP headers of a packet, which count for rate and mtu.
#define BKSI_LAB_LINK_HEADER_BYTES 28u

/// Longest queue before a link with a rate, as the time that the link needs to send it.
#define BKSI_LAB_LINK_QUEUE_NS UINT64_C(500000000)

/// Read a time such as "50ms" or "1.5s", 0..1000 s.
/// @return true if the whole text is a time in this range
bool bksi_lab_time_parse(const char *text, size_t length, uint64_t *out);

/// Read a rate such as "256kbit", 1kbit..1000gbit.
/// @return true if the whole text is a rate in this range
bool bksi_lab_rate_parse(const char *text, size_t length, uint64_t *out_bits_per_s);

/// Check a spec that was filled in by hand: it may have only values that bks_lab_link_spec_parse()
/// can give.
/// @param name  name of the spec in the caller, static: error.field and the sentence begin with it
/// @return BKS_OK, or `code` (error names the value and its range)
bks_status bksi_lab_link_spec_check(const bks_lab_link_spec *spec, const char *name,
                                    const char *call, bks_status code, bks_error *error);

/// One direction of a link. Opaque.
typedef struct bksi_lab_link bksi_lab_link;

/// Create a link. Nothing is allocated afterwards.
/// @param rate_most     greatest rate that will be set, in bits per second; 0: the rate of the spec
/// @param seed, stream  seed and stream of its random numbers; each direction has a stream of its
///              own
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_lab_link_create(const bks_lab_link_spec *spec, uint64_t rate_most, uint64_t seed,
                                uint64_t stream, const bks_allocator *allocator,
                                bksi_lab_link **out, bks_error *error);

/// Destroy a link. NULL is allowed.
void bksi_lab_link_destroy(bksi_lab_link *link);

/// Send a packet, which arrives once, twice or never.
/// @param now_ns  never less than in an earlier push
/// @param count   1..BKS_PACKET_BYTES_MAX; a longer packet is dropped and counts as `over_queue`
void bksi_lab_link_push(bksi_lab_link *link, uint64_t now_ns, const void *bytes, size_t count);

/// Set the rate from now on. Packets in the queue leave at their old times.
/// @param bits_per_s  rate, at most the greatest one that the link was created with
/// @return true if the rate changed; false for a link that is healed
bool bksi_lab_link_set_rate(bksi_lab_link *link, uint64_t bits_per_s);

/// Fill the link's queue, as packets of other senders would, so that the next packet waits at least
/// `queue_ns`.
/// @param queue_ns  wait of the next packet, at most BKSI_LAB_LINK_QUEUE_NS
/// @return false for a link without a rate, which has no queue
bool bksi_lab_link_fill(bksi_lab_link *link, uint64_t now_ns, uint64_t queue_ns);

/// Make the link perfect from now on. Packets under way arrive at their old times.
void bksi_lab_link_heal(bksi_lab_link *link);

/// Move the packets under way from another link to this one. They arrive at the same times; packets
/// for which there is no room count as `over_queue`.
void bksi_lab_link_take_over(bksi_lab_link *link, bksi_lab_link *other);

/// Packet that has arrived at the end of a link.
typedef struct bksi_lab_link_delivery {
    uint64_t time_ns;     ///< time of arrival, at most the `now_ns` of the call
    uint64_t sent_ns;     ///< time at which the packet was sent
    const uint8_t *bytes; ///< bytes of the packet; valid until the next push, pop or destroy
    size_t count;         ///< size of the packet in bytes, as it was sent
} bksi_lab_link_delivery;

/// Take the earliest packet that has arrived by now.
/// @return false: no packet has arrived
bool bksi_lab_link_pop(bksi_lab_link *link, uint64_t now_ns, bksi_lab_link_delivery *out);

/// Return the time at which the next packet arrives.
/// @return UINT64_MAX: no packet is under way
uint64_t bksi_lab_link_next_time(const bksi_lab_link *link);

/// Return the present spec of the link.
const bks_lab_link_spec *bksi_lab_link_get_spec(const bksi_lab_link *link);

/// Return the worst spec of the link so far: its spec at creation, with the lowest rate since.
const bks_lab_link_spec *bksi_lab_link_get_worst(const bksi_lab_link *link);

/// Return the counters of what happened to packets so far.
const bks_lab_link_counters *bksi_lab_link_get_counters(const bksi_lab_link *link);

#endif
