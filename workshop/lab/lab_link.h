// SPDX-License-Identifier: MIT

/// @file lab_link.h
/// One direction of a bad network: a packet comes out later, twice, or never, all from a seed.
/// Reads no clock, so it serves virtual and real time alike, and it knows nothing of the rest of
/// the lab.
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

/// Bytes of IP and UDP that every packet carries besides its payload: they count for rate and mtu.
#define BKSI_LAB_LINK_HEADER_BYTES 28u

/// What queues before a link with a rate, at most, in the time that it takes to leave.
#define BKSI_LAB_LINK_QUEUE_NS UINT64_C(500000000)

/// Read a time such as "50ms" or "1.5s", 0..1000 s.
/// @return whether all of the text is one
bool bksi_lab_time_parse(const char *text, size_t length, uint64_t *out);

/// Read a rate such as "256kbit", 1kbit..1000gbit.
/// @return whether all of the text is one
bool bksi_lab_rate_parse(const char *text, size_t length, uint64_t *out_bits_per_s);

/// Whether a spec that was filled in by hand is one that bks_lab_link_spec_parse() could give.
/// @param name  what the caller calls the spec, static: error.field and the sentence begin with it
/// @return BKS_OK, or `code` (error names the value and its range)
bks_status bksi_lab_link_spec_check(const bks_lab_link_spec *spec, const char *name,
                                    const char *call, bks_status code, bks_error *error);

/// One direction. Opaque.
typedef struct bksi_lab_link bksi_lab_link;

/// Make a link. All memory it will ever use is taken here.
/// @param rate_most     bits a second that it will ever be set to, 0: what the spec says
/// @param seed, stream  of its random numbers; another stream for each direction
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_lab_link_create(const bks_lab_link_spec *spec, uint64_t rate_most, uint64_t seed,
                                uint64_t stream, const bks_allocator *allocator,
                                bksi_lab_link **out, bks_error *error);

/// NULL is allowed.
void bksi_lab_link_destroy(bksi_lab_link *link);

/// A packet is sent. It will arrive once, twice or never.
/// @param now_ns  never less than in an earlier push
/// @param count   1..BKS_PACKET_BYTES_MAX; longer ones are dropped as over_queue
void bksi_lab_link_push(bksi_lab_link *link, uint64_t now_ns, const void *bytes, size_t count);

/// From now on the link carries this much; what is queued leaves as it would have.
/// @param bits_per_s  at most what the link was made for
/// @return whether that is another rate than before; false when the link is healed
bool bksi_lab_link_set_rate(bksi_lab_link *link, uint64_t bits_per_s);

/// Others fill the queue, so that a packet waits for at least this long.
/// @param queue_ns  at most BKSI_LAB_LINK_QUEUE_NS
/// @return false for a link without a rate, which has no queue
bool bksi_lab_link_fill(bksi_lab_link *link, uint64_t now_ns, uint64_t queue_ns);

/// From now on the link is perfect; what is under way arrives as it would have.
void bksi_lab_link_heal(bksi_lab_link *link);

/// What is under way in another link arrives from this one as it would have there; what finds no
/// room counts as `over_queue`.
void bksi_lab_link_take_over(bksi_lab_link *link, bksi_lab_link *other);

/// A packet that came out.
typedef struct bksi_lab_link_delivery {
    uint64_t time_ns;     ///< when it arrived, at most the `now_ns` it was asked for with
    uint64_t sent_ns;     ///< when it was pushed
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
const bks_lab_link_spec *bksi_lab_link_get_spec(const bksi_lab_link *link);

/// The worst that it ever did to packets: as it was made, with the lowest rate that it had.
const bks_lab_link_spec *bksi_lab_link_get_worst(const bksi_lab_link *link);

/// What happened so far.
const bks_lab_link_counters *bksi_lab_link_get_counters(const bksi_lab_link *link);

#endif
