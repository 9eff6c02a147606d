// SPDX-License-Identifier: MIT

// Packets under way lie in slots. The slot that became free last is reused first, so that a link
// with few packets stays within a few cache lines. A heap of slot numbers, ordered by time and then
// by serial number, gives the next packet: packets of the same time keep their order.
//
// Source: the two-state loss model is E. N. Gilbert's, "Capacity of a Burst-Noise Channel" (1960),
// in the simple form that loses every packet in its bad state and none in its good one.

#include "lab/lab_link.h"

#include <string.h>

#include "backstitch/det.h"
#include "backstitch/net.h"
#include "base/memory.h"
#include "base/report.h"
#include "net/bulk.h"

#define MILLISECOND_NS   UINT64_C(1000000)
#define SECOND_NS        UINT64_C(1000000000)
#define PPM              1000000u
#define HOLD_MIN_NS      (20 * MILLISECOND_NS)
#define HOLD_MOST_NS     (120 * MILLISECOND_NS)
#define CORRUPT_BITS_MAX 3u

/// Room for packets on a link. PACKETS_PER_S: a session sends at most 120 a second, and each may
/// arrive twice. PACKETS_AT_ONCE: room for bursts. LONG_BITS: size of a full packet with its
/// headers, in bits; a stream sends such packets.
#define PACKETS_PER_S   240u
#define PACKETS_AT_ONCE 64u
#define LONG_BITS       (8 * (BKS_PACKET_BYTES_MAX + BKSI_LAB_LINK_HEADER_BYTES))

typedef struct under_way {
    uint64_t time_ns;
    uint64_t sent_ns;
    uint64_t serial;
    uint32_t count;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
} under_way;

struct bksi_lab_link {
    bks_lab_link_spec spec;
    bks_lab_link_spec worst;
    bks_lab_link_counters counters;
    bks_allocator allocator;
    bks_random random;
    uint64_t free_at_ns; ///< time at which the last packet has left, if the link has a rate
    uint64_t serial;
    bool is_healed;
    bool has_loss_state; ///< true: `is_losing` is drawn, as happens with the first packet
    bool is_losing;
    uint32_t enter_loss_at; ///< chance that the good state becomes the bad one, as a share of 2^32
    uint32_t leave_loss_at; ///< chance that the bad state becomes the good one, as a share of 2^32
    uint32_t capacity;
    uint32_t heap_count;
    uint32_t free_count;
    uint32_t *heap; ///< heap of the slots with packets under way
    uint32_t *free; ///< stack of the slots that are not in use
    under_way *slots;
};

/// Convert a share (1 is all) to a share of 2^32, which can be compared with 32 random bits.
static uint32_t share_of_32_bits(double share)
{
    const double scaled = share * 4294967296.0;
    return scaled >= 4294967295.0 ? UINT32_MAX : (uint32_t)scaled;
}

static bool happens(bksi_lab_link *link, uint32_t ppm)
{
    return ppm > 0 && bks_random_below(&link->random, PPM) < ppm;
}

/// Draw a uniform time of 0..spread_ns. `spread_ns` is below 2^37, so that its product with 26
/// random bits fits.
static uint64_t draw_time(bksi_lab_link *link, uint64_t spread_ns)
{
    return (spread_ns + 1) * (bks_random_next(&link->random) >> 6) >> 26;
}

/// Return the time that the link needs to send a packet at its rate.
static uint64_t leaving_ns(const bks_lab_link_spec *spec, size_t count)
{
    return (count + BKSI_LAB_LINK_HEADER_BYTES) * 8 * SECOND_NS / spec->rate_bits_per_s;
}

/// Return the longest time for which a packet may be held back.
static uint64_t hold_most_ns(const bks_lab_link_spec *spec)
{
    return spec->hold_ns > 0 ? spec->hold_ns : HOLD_MOST_NS;
}

uint64_t bks_lab_link_longest_ns(const bks_lab_link_spec *spec)
{
    BKSI_REFUSE_NULL_OR(0, spec);
    uint64_t longest_ns = spec->delay_ns + spec->jitter_ns;
    longest_ns += spec->reorder_ppm > 0 ? hold_most_ns(spec) : 0;
    if (spec->rate_bits_per_s > 0) {
        longest_ns += BKSI_LAB_LINK_QUEUE_NS + leaving_ns(spec, BKS_PACKET_BYTES_MAX);
    }
    return longest_ns;
}

/// Return the number of packets that a link must have room for.
/// @param rate_most  greatest rate of the link, in bits per second; 0: no limit
static uint32_t capacity_for(const bks_lab_link_spec *spec, uint64_t rate_most)
{
    bks_lab_link_spec widest = *spec;
    widest.rate_bits_per_s = rate_most;
    const uint64_t longest_ms = bks_lab_link_longest_ns(&widest) / MILLISECOND_NS;
    const uint64_t carried = longest_ms * (rate_most / 1000) / LONG_BITS;
    const uint64_t of_stream = carried < BKSI_BULK_SEGMENTS ? carried : BKSI_BULK_SEGMENTS;
    return PACKETS_AT_ONCE + (uint32_t)(longest_ms * PACKETS_PER_S / 1000 + of_stream);
}

/// Compute the chances of entering and leaving the bad state. If runs of lost packets have B
/// packets on average, the chance of leaving the state is 1 / B. If a share L of all packets is
/// lost, the chance of entering the state is L / (1 - L) / B.
static void set_loss_chances(bksi_lab_link *link)
{
    const bks_lab_link_spec *spec = &link->spec;
    if (spec->burst_packets > 0.0 && spec->loss_ppm < PPM) {
        const double loss = (double)spec->loss_ppm / PPM;
        link->leave_loss_at = share_of_32_bits(1.0 / spec->burst_packets);
        link->enter_loss_at = share_of_32_bits(loss / (1.0 - loss) / spec->burst_packets);
    }
}

bks_status bksi_lab_link_create(const bks_lab_link_spec *spec, uint64_t rate_most, uint64_t seed,
                                uint64_t stream, const bks_allocator *allocator,
                                bksi_lab_link **out, bks_error *error)
{
    *out = NULL;
    const uint64_t most = rate_most > spec->rate_bits_per_s ? rate_most : spec->rate_bits_per_s;
    bksi_lab_link *link = bksi_alloc(allocator, sizeof(*link), sizeof(uint64_t));
    if (link != NULL) {
        link->spec = *spec;
        link->worst = *spec;
        link->allocator = *allocator;
        link->capacity = capacity_for(spec, most);
        link->heap = bksi_alloc(allocator, link->capacity * sizeof(uint32_t), sizeof(uint32_t));
        link->free = bksi_alloc(allocator, link->capacity * sizeof(uint32_t), sizeof(uint32_t));
        link->slots = bksi_alloc(allocator, link->capacity * sizeof(under_way), sizeof(uint64_t));
    }
    if (link == NULL || link->heap == NULL || link->free == NULL || link->slots == NULL) {
        bksi_lab_link_destroy(link);
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bksi_lab_link_create", NULL,
                         "no memory for a link of %u packets", capacity_for(spec, most));
    }
    bks_random_seed(&link->random, seed, stream);
    set_loss_chances(link);
    link->free_count = link->capacity;
    for (uint32_t i = 0; i < link->capacity; i++) {
        link->free[i] = link->capacity - 1 - i;
    }
    *out = link;
    return BKS_OK;
}

void bksi_lab_link_destroy(bksi_lab_link *link)
{
    if (link == NULL) {
        return;
    }
    const bks_allocator allocator = link->allocator;
    bksi_free(&allocator, link->heap, link->capacity * sizeof(uint32_t));
    bksi_free(&allocator, link->free, link->capacity * sizeof(uint32_t));
    bksi_free(&allocator, link->slots, link->capacity * sizeof(under_way));
    bksi_free(&allocator, link, sizeof(*link));
}

static bool is_earlier(const bksi_lab_link *link, uint32_t slot, uint32_t other)
{
    const under_way *a = &link->slots[slot];
    const under_way *b = &link->slots[other];
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->serial < b->serial;
}

static void heap_push(bksi_lab_link *link, uint32_t slot)
{
    uint32_t at = link->heap_count++;
    while (at > 0 && is_earlier(link, slot, link->heap[(at - 1) / 2])) {
        link->heap[at] = link->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    link->heap[at] = slot;
}

static uint32_t heap_pop(bksi_lab_link *link)
{
    const uint32_t first = link->heap[0];
    const uint32_t moved = link->heap[--link->heap_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= link->heap_count) {
            break;
        }
        if (child + 1 < link->heap_count &&
            is_earlier(link, link->heap[child + 1], link->heap[child])) {
            child++;
        }
        if (!is_earlier(link, link->heap[child], moved)) {
            break;
        }
        link->heap[at] = link->heap[child];
        at = child;
    }
    link->heap[at] = moved;
    return first;
}

static bool is_lost(bksi_lab_link *link)
{
    const bks_lab_link_spec *spec = &link->spec;
    if (spec->burst_packets <= 0.0 || spec->loss_ppm >= PPM) {
        return happens(link, spec->loss_ppm);
    }
    if (!link->has_loss_state) {
        link->has_loss_state = true;
        link->is_losing = happens(link, spec->loss_ppm);
        return link->is_losing;
    }
    const uint32_t draw = bks_random_next(&link->random);
    if (link->is_losing) {
        // leave_loss_at is UINT32_MAX for runs of exactly one lost packet, which always end here.
        link->is_losing = draw >= link->leave_loss_at && link->leave_loss_at != UINT32_MAX;
    } else {
        link->is_losing = draw < link->enter_loss_at;
    }
    return link->is_losing;
}

/// Find the time at which the packet has left the sender.
/// @return false: the queue before a narrow link is full
static bool leave_at(bksi_lab_link *link, uint64_t now_ns, size_t count, uint64_t *out_ns)
{
    *out_ns = now_ns;
    if (link->spec.rate_bits_per_s == 0) {
        return true;
    }
    const uint64_t begin_ns = link->free_at_ns > now_ns ? link->free_at_ns : now_ns;
    if (begin_ns - now_ns > BKSI_LAB_LINK_QUEUE_NS) {
        return false;
    }
    link->free_at_ns = begin_ns + leaving_ns(&link->spec, count);
    *out_ns = link->free_at_ns;
    return true;
}

/// Flip 1 to CORRUPT_BITS_MAX bits of a packet.
static void corrupt(bksi_lab_link *link, under_way *packet)
{
    const uint32_t flips = 1 + bks_random_below(&link->random, CORRUPT_BITS_MAX);
    const uint32_t first = bks_random_below(&link->random, packet->count * 8);
    for (uint32_t i = 0; i < flips; i++) {
        // Choose distinct bits: two flips of one bit would undo each other.
        const uint32_t bit = (first + i * 13) % (packet->count * 8);
        packet->bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
}

/// Put one copy of a packet on its way.
static void send_copy(bksi_lab_link *link, uint64_t now_ns, uint64_t left_ns, const void *bytes,
                      size_t count)
{
    const bks_lab_link_spec *spec = &link->spec;
    if (link->free_count == 0 || count > BKS_PACKET_BYTES_MAX) {
        link->counters.over_queue++;
        return;
    }
    const uint32_t slot = link->free[--link->free_count];
    under_way *packet = &link->slots[slot];
    uint64_t travel_ns = spec->delay_ns;
    if (spec->jitter_ns > 0) {
        travel_ns += draw_time(link, 2 * spec->jitter_ns);
        travel_ns = travel_ns > spec->jitter_ns ? travel_ns - spec->jitter_ns : 0;
    }
    if (happens(link, spec->reorder_ppm)) {
        link->counters.reordered++;
        travel_ns += HOLD_MIN_NS + draw_time(link, hold_most_ns(spec) - HOLD_MIN_NS);
    }
    packet->time_ns = left_ns + travel_ns;
    packet->sent_ns = now_ns;
    packet->serial = link->serial++;
    packet->count = (uint32_t)count;
    memcpy(packet->bytes, bytes, count);
    if (happens(link, spec->corrupt_ppm)) {
        link->counters.corrupted++;
        corrupt(link, packet);
    }
    heap_push(link, slot);
}

void bksi_lab_link_push(bksi_lab_link *link, uint64_t now_ns, const void *bytes, size_t count)
{
    const bks_lab_link_spec *spec = &link->spec;
    link->counters.sent++;
    if (count == 0) {
        return;
    }
    if (spec->mtu_bytes > 0 && count + BKSI_LAB_LINK_HEADER_BYTES > spec->mtu_bytes) {
        link->counters.over_mtu++;
        return;
    }
    uint64_t left_ns = now_ns;
    if (!leave_at(link, now_ns, count, &left_ns)) {
        link->counters.over_rate++;
        return;
    }
    if (is_lost(link)) {
        link->counters.lost++;
        return;
    }
    send_copy(link, now_ns, left_ns, bytes, count);
    if (happens(link, spec->duplicate_ppm)) {
        link->counters.duplicated++;
        send_copy(link, now_ns, left_ns, bytes, count);
    }
}

bool bksi_lab_link_set_rate(bksi_lab_link *link, uint64_t bits_per_s)
{
    if (link->is_healed || link->spec.rate_bits_per_s == bits_per_s) {
        return false;
    }
    link->spec.rate_bits_per_s = bits_per_s;
    if (link->worst.rate_bits_per_s == 0 || bits_per_s < link->worst.rate_bits_per_s) {
        link->worst.rate_bits_per_s = bits_per_s;
    }
    return true;
}

bool bksi_lab_link_fill(bksi_lab_link *link, uint64_t now_ns, uint64_t queue_ns)
{
    if (link->spec.rate_bits_per_s == 0) {
        return false;
    }
    const uint64_t until_ns = now_ns + queue_ns;
    link->free_at_ns = link->free_at_ns > until_ns ? link->free_at_ns : until_ns;
    return true;
}

void bksi_lab_link_heal(bksi_lab_link *link)
{
    link->is_healed = true;
    link->spec = (bks_lab_link_spec){0};
    link->free_at_ns = 0;
}

void bksi_lab_link_take_over(bksi_lab_link *link, bksi_lab_link *other)
{
    while (other->heap_count > 0) {
        const uint32_t from = heap_pop(other);
        other->free[other->free_count++] = from;
        if (link->free_count == 0) {
            link->counters.over_queue++;
            continue;
        }
        const uint32_t to = link->free[--link->free_count];
        link->slots[to] = other->slots[from];
        link->slots[to].serial = link->serial++;
        heap_push(link, to);
    }
}

uint64_t bksi_lab_link_next_time(const bksi_lab_link *link)
{
    return link->heap_count > 0 ? link->slots[link->heap[0]].time_ns : UINT64_MAX;
}

bool bksi_lab_link_pop(bksi_lab_link *link, uint64_t now_ns, bksi_lab_link_delivery *out)
{
    if (bksi_lab_link_next_time(link) > now_ns || link->heap_count == 0) {
        return false;
    }
    // The packet may be read after its slot became free, because only the next push overwrites it.
    const uint32_t slot = heap_pop(link);
    link->free[link->free_count++] = slot;
    const under_way *packet = &link->slots[slot];
    *out = (bksi_lab_link_delivery){.time_ns = packet->time_ns,
                                    .sent_ns = packet->sent_ns,
                                    .bytes = packet->bytes,
                                    .count = packet->count};
    link->counters.delivered++;
    return true;
}

const bks_lab_link_spec *bksi_lab_link_get_spec(const bksi_lab_link *link)
{
    return &link->spec;
}

const bks_lab_link_spec *bksi_lab_link_get_worst(const bksi_lab_link *link)
{
    return &link->worst;
}

const bks_lab_link_counters *bksi_lab_link_get_counters(const bksi_lab_link *link)
{
    return &link->counters;
}

void bks_lab_link_counters_add(bks_lab_link_counters *sum, const bks_lab_link_counters *added)
{
    BKSI_REFUSE_NULL_OR(, sum);
    BKSI_REFUSE_NULL_OR(, added);
    sum->sent += added->sent;
    sum->delivered += added->delivered;
    sum->lost += added->lost;
    sum->duplicated += added->duplicated;
    sum->reordered += added->reordered;
    sum->corrupted += added->corrupted;
    sum->over_rate += added->over_rate;
    sum->over_mtu += added->over_mtu;
    sum->over_queue += added->over_queue;
}
