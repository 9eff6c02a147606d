// SPDX-License-Identifier: MIT

/// @file toolkit/links.h The parts of a lab, for programs that run the same match by other means
/// (in several processes, over real sockets) or that generate matches themselves: links and faults
/// as values, the config of a peer, and the comparison of what the peers confirmed.
///
///     bks_lab_link_spec spec;
///     if (bks_lab_link_spec_parse("delay=50ms,loss=2%", &spec, &error) != BKS_OK) …
///     bks_peer_config peer;
///     if (bks_lab_peer_config(&config, 1, &peer, &error) != BKS_OK) …
///     bks_lab_story stories[2] = …;                  // the hashes that both peers published
///     bks_lab_comparison found;
///     if (bks_lab_compare(stories, 2, config.ticks, &found) != BKS_OK) …
///
/// Thread rule: these functions keep no state; any thread may call them.

#ifndef BACKSTITCH_TOOLKIT_LINKS_H
#define BACKSTITCH_TOOLKIT_LINKS_H

#include "backstitch/net.h"
#include "backstitch/toolkit/lab.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Faults of one direction of a link. All zero is a perfect link.
typedef struct bks_lab_link_spec {
    uint64_t delay_ns; ///< `delay`: time from sending to arrival, 0..60 s
    /// `jitter`: each packet is later or earlier than the delay by a random time of at most this,
    /// 0..10 s, uniformly distributed; a packet never arrives before it was sent.
    uint64_t jitter_ns;
    uint32_t loss_ppm; ///< `loss`: share of packets that are lost, in millionths, 0..1000000
    /// `burst`: mean length of a run of lost packets, 1..1000 and at least loss / (1 - loss); 0:
    /// each packet is lost independently.
    double burst_packets;
    /// `dup`: share of packets that arrive twice, in millionths, 0..1000000.
    uint32_t duplicate_ppm;
    /// `reorder`: share of packets that are held back, in millionths, 0..1000000.
    uint32_t reorder_ppm;
    /// `hold`: longest time for which `reorder` holds a packet back, 20 ms..60 s; 0: 120 ms.
    uint64_t hold_ns;
    /// `corrupt`: share of packets with 1..3 bits flipped, in millionths, 0..1000000.
    uint32_t corrupt_ppm;
    /// `rate` in bit/s, 1000..10^12; packets queue for up to 500 ms, further packets are dropped;
    /// 0: no limit.
    uint64_t rate_bits_per_s;
    /// `mtu`: maximum size of a packet in bytes, 68..65535; longer packets are dropped; 0: no
    /// limit.
    uint32_t mtu_bytes;
} bks_lab_link_spec;

/// Parse "delay=50ms,jitter=10ms,loss=2%,burst=3,dup=1%,reorder=1%,hold=2s,corrupt=0.1%,
/// rate=256kbit,mtu=600": each word at most once, in any order; "" and "perfect" are a perfect
/// link. Times end in ns, us, ms or s, shares in %, rates in bit, kbit, mbit or gbit.
/// @param out    untouched on failure
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and the range)
BKS_NODISCARD bks_status bks_lab_link_spec_parse(const char *text, bks_lab_link_spec *out,
                                                 bks_error *error);

/// Value of `from` and `to` for all pairs: the text had no "A>B:" before it.
#define BKS_LAB_LINK_ALL UINT32_MAX

/// Parse "SPEC", or "A>B:SPEC" for packets from peer A to peer B.
/// @param from   receives A, BKS_LAB_LINK_ALL without "A>B:"
/// @param to     receives B, BKS_LAB_LINK_ALL without "A>B:"
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and the range)
BKS_NODISCARD bks_status bks_lab_link_route_parse(const char *text, uint32_t *from, uint32_t *to,
                                                  bks_lab_link_spec *out, bks_error *error);

/// Get the longest time that a packet may be under way on a link.
/// @return nanoseconds, 0 for NULL
uint64_t bks_lab_link_longest_ns(const bks_lab_link_spec *spec);

/// Counts of link faults that took effect.
typedef struct bks_lab_link_counters {
    uint64_t sent;       ///< packets sent
    uint64_t delivered;  ///< packets delivered, second copies included
    uint64_t lost;       ///< packets lost by `loss`
    uint64_t duplicated; ///< packets duplicated by `dup`
    uint64_t reordered;  ///< packets reordered by `reorder`
    uint64_t corrupted;  ///< packets changed by `corrupt`
    uint64_t over_rate;  ///< packets dropped because 500 ms of packets were queued
    uint64_t over_mtu;   ///< packets dropped because they were longer than `mtu`
    uint64_t over_queue; ///< packets dropped because the lab's memory for the link was full
} bks_lab_link_counters;

/// Add the counters of one link to a sum; do nothing if either is NULL.
void bks_lab_link_counters_add(bks_lab_link_counters *sum, const bks_lab_link_counters *added);

/// Maximum number of timed faults in a match.
#define BKS_LAB_TIMED_MAX 64

/// Maximum number of groups in a split.
#define BKS_LAB_GROUPS_MAX 4

/// Kinds of timed fault, as bks_lab_fault() describes them.
typedef enum bks_lab_fault_kind {
    BKS_LAB_PAUSE, ///< `pause=1@5s+800ms`: peer 1 stops running; packets to it wait meanwhile
    BKS_LAB_CRASH, ///< `crash=2@10s`: peer 2 stops for good
    BKS_LAB_LEAVE, ///< `leave=1@5s`: peer 1 says goodbye
    BKS_LAB_CUT,   ///< `cut=0-1@3s+2s`: a pair cannot talk; `cut=0>1@3s+2s`: one direction
    BKS_LAB_SPLIT, ///< `split=0.1/2.3@5s+1s`: groups cannot talk to each other
    /// `drift=1:+200ppm`: the clock of peer 1 is fast or slow, from the beginning.
    BKS_LAB_DRIFT,
    BKS_LAB_CLOCK, ///< `clock=1@4s-3s`: the wall clock of peer 1 jumps
    BKS_LAB_SLOW,  ///< `slow=2@6s+2s:3x`: steps of peer 2 take longer
    /// `rebind=1@7s`: peer 1 sends from a new address and can only be reached there.
    BKS_LAB_REBIND,
    BKS_LAB_FULL, ///< `full=1@9s+1s`: sends of peer 1 fail
    BKS_LAB_LIE,  ///< `lie=1@8s`: peer 1 sends one peer a different input than all other peers
    /// `forge=1@5s+2s`: peer 1 sends messages with random contents, then crashes.
    BKS_LAB_FORGE,
    /// `rate=0-1@40s:24kbit`: the link of peers 0 and 1 has this rate from then on;
    /// `rate=0>1@40s:24kbit`: one direction of it.
    BKS_LAB_RATE,
    /// `fill=0-1@5s:500ms`: other traffic fills the queue of a link that has a rate.
    BKS_LAB_FILL,
    BKS_LAB_LOAD, ///< `load=1:6s`: peer 1 takes 6 s to make the state of the first tick
    /// `pause-game=1@5s+2s`: peer 1 pauses the match for all (bks_session_pause()), and ends the
    /// pause 2 s later. If it is gone by then, the others want to go on.
    BKS_LAB_PAUSE_GAME,
    BKS_LAB_SPEED,       ///< `speed=0@5s:200%`: peer 0 doubles the speed of the match for all
    BKS_LAB_HEAL,        ///< `heal@12s`: every link is perfect from then on
    BKS_LAB_FAULT_KINDS, ///< number of kinds of timed fault
} bks_lab_fault_kind;

/// A timed fault.
typedef struct bks_lab_timed {
    bks_lab_fault_kind kind; ///< kind of fault
    /// Peer that the fault befalls; CUT, RATE, FILL: one of the two peers.
    uint32_t peer;
    uint32_t other; ///< CUT, RATE, FILL: the other one of the two peers
    /// CUT, RATE, FILL: true if only packets from `other` to `peer` are concerned.
    bool is_one_way;
    /// SPLIT: number of the group that each peer is in, by peer, from 1 on; 0: the peer is in no
    /// group and reaches everyone.
    uint8_t group[BKS_PEERS_MAX];
    /// True: at_ns counts from the lab's beginning, while peers connect; false: from the match's
    /// first tick.
    bool in_lobby;
    /// Time of the fault in ns, counted from the match's first tick or, with in_lobby, from the
    /// beginning.
    uint64_t at_ns;
    uint64_t span_ns; ///< duration of the fault in ns, if it has an end
    /// Strength of the fault. DRIFT: in ppm; CLOCK, LOAD, FILL: in ns; SLOW: in thousandths; RATE:
    /// in bit/s; SPEED: in percent.
    int64_t value;
    /// Number of times that the fault had an effect, set by the lab: packets, updates or inputs.
    uint64_t fired;
} bks_lab_timed;

/// Flip of one bit of a peer's state: in the state of one tick, each time that it is made, or once,
/// in a later state.
typedef struct bks_lab_flip {
    bool is_planted; ///< false: the peer has no flip
    bks_tick tick; ///< tick whose state the flip changes; with is_once tick after which it happens
    /// True: wait until the state of `tick` is published, then flip the bit in the next state made,
    /// which is of a later tick. If a rollback makes that state again, it gets the flip again; no
    /// other state does. False: flip the bit each time the state of `tick` is made.
    bool is_once;
    bool is_drawn; ///< true: the seed chooses the byte, from a value in use if the peer has a map
    uint64_t offset_bytes; ///< offset of the byte from the state's start, as given or chosen
    uint32_t bit;          ///< index of the flipped bit in its byte, 0..7
} bks_lab_flip;

/// All faults of a match. Start from {0}.
typedef struct bks_lab_faults {
    bks_lab_flip flips[BKS_PEERS_MAX];      ///< flips by peer
    uint32_t timed_count;                   ///< length of `timed`, at most BKS_LAB_TIMED_MAX
    bks_lab_timed timed[BKS_LAB_TIMED_MAX]; ///< timed faults in the order in which they were read
} bks_lab_faults;

/// Get the name of a kind of fault, as in a spec and in JSON, such as "pause".
/// @return the name, static; "unknown" for a number that is no kind
const char *bks_lab_fault_name(bks_lab_fault_kind kind);

/// Parse a spec and add its faults to a list.
/// @param config  config of the match; only peers, ticks, seed and game (may be NULL) are used. A
///                flip needs a game whose state is one region
/// @param spec    faults, as bks_lab_fault() reads them
/// @param faults  list to which faults are added; those before a refused one are added, too
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range), BKS_ERR_BAD_CONFIG,
///         BKS_ERR_UNSUPPORTED (no such fault; error lists the valid ones)
bks_status bks_lab_faults_parse(const bks_lab_config *config, const char *spec,
                                bks_lab_faults *faults, bks_error *error);

/// Write a timed fault as bks_lab_faults_parse() reads it: times in whole milliseconds, a factor in
/// tenths.
/// @param out       receives zero-terminated text, "" if the fault is NULL or its kind is unknown
/// @param capacity  size of `out`, at least 1; 128 are always enough
void bks_lab_timed_print(const bks_lab_timed *fault, char *out, size_t capacity);

/// Plant a peer's flip, which happens at a tick; all other faults happen at a time. Call this
/// before the peer's first update.
/// @param index  number of the peer in the match, 0..BKS_PEERS_MAX - 1
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_lab_faults_plant(const bks_lab_faults *faults, uint32_t index, bks_peer *peer);

/// Get the result of a peer's flip, without the name of the value.
/// @param index  number of the peer in the match, 0..BKS_PEERS_MAX - 1
/// @param out    receives the result; all zero when no flip is planted
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_lab_faults_flip(const bks_lab_faults *faults, uint32_t index, const bks_peer *peer,
                               bks_lab_flip_result *out);

/// Check that a lab would accept a config.
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (error names the field and the range)
BKS_NODISCARD bks_status bks_lab_config_check(const bks_lab_config *config, bks_error *error);

/// The tuning.bulk_bytes of `bks lab --bulk` and of `bks sweep`: as many bytes as 80 Mbit/s carry
/// in a tenth of a second.
#define BKS_LAB_BULK_BUFFER_BYTES (1u << 20)

/// Maximum length of a stream beside a match, in bytes.
#define BKS_LAB_BULK_BYTES_MAX (UINT64_C(1) << 40)

/// A stream of bytes beside a match.
typedef struct bks_lab_bulk_spec {
    uint32_t from;  ///< number of the peer that writes
    uint32_t to;    ///< number of the peer that reads
    uint64_t bytes; ///< number of bytes to write, 1..BKS_LAB_BULK_BYTES_MAX
    uint64_t at_ns; ///< time at which the stream begins, after the match's first tick
} bks_lab_bulk_spec;

/// Parse "0>1:16MiB@5s", as described for bks_lab_bulk().
/// @param config  config of the match; only `peers` is used
/// @param out     untouched on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range)
BKS_NODISCARD bks_status bks_lab_bulk_parse(const bks_lab_config *config, const char *spec,
                                            bks_lab_bulk_spec *out, bks_error *error);

/// A watcher of a match.
typedef struct bks_lab_watch_spec {
    uint32_t peer; ///< number of the peer to which it comes first
    /// True: at_ns counts from the lab's beginning; false: from the match's first tick.
    bool in_lobby;
    uint64_t at_ns;         ///< time at which it comes
    uint64_t span_ns;       ///< time after which it leaves; 0: it stays
    bks_lab_link_spec line; ///< faults of its lines, in each direction
} bks_lab_watch_spec;

/// Parse "1@3s+10s:delay=40ms,loss=5%", as described for bks_lab_watch().
/// @param config  config of the match; only `peers` is used
/// @param out     untouched on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range)
BKS_NODISCARD bks_status bks_lab_watch_parse(const bks_lab_config *config, const char *spec,
                                             bks_lab_watch_spec *out, bks_error *error);

/// Fill in the config of one peer of a lab's match, with its sources and recording. In it the
/// host's address is that of the lab's peer 0; for other transports set `session.host`.
/// @param index  0..peers - 1
/// @param error  may be NULL
/// @return BKS_OK, or a status of bks_lab_config_check()
BKS_NODISCARD bks_status bks_lab_peer_config(const bks_lab_config *config, uint32_t index,
                                             bks_peer_config *out, bks_error *error);

/// Let the host number its guests as the lab does, in whatever order they join. Call it before the
/// host's first update.
/// @param host   session of peer 0
/// @param error  may be NULL
/// @return BKS_OK, or a status of bks_lab_config_check()
BKS_NODISCARD bks_status bks_lab_number_peers(const bks_lab_config *config, bks_session *host,
                                              bks_error *error);

/// The hashes that one peer confirmed, and what explains gaps in them.
typedef struct bks_lab_story {
    const uint64_t *hashes; ///< hashes by tick, from tick 0; not NULL if count > 0
    /// Hash of all inputs before each tick, by tick, `count` hashes; NULL: not known.
    const uint64_t *chains;
    bks_tick count; ///< number of entries in `hashes`
    /// True if the peer crashed or was dropped, so it need not have all hashes.
    bool has_ended;
    /// The view: peers that left, as far as this peer knows, and their last ticks; all zero: none
    /// left.
    bks_roster roster;
    const bks_repair *repairs; ///< repairs of any peers' states; NULL: none
    uint32_t repair_count;     ///< length of `repairs`
} bks_lab_story;

/// Result of a comparison of several peers' stories.
typedef struct bks_lab_comparison {
    /// Number of ticks for which all hashes are known, without the ticks counted in `in_spans`.
    bks_tick compared;
    bks_tick in_spans;    ///< number of ticks at which some peer's state was wrong until a repair
    bks_tick desync_tick; ///< first tick whose hashes differ, BKS_TICK_NONE: none
    /// First tick whose hashes differ although no repair covers it, BKS_TICK_NONE: none.
    bks_tick open_tick;
    /// One bit for each peer: 1 if its hash differs, as bks_lab_result.desync_peers.
    uint32_t desync_peers;
    bks_tick inputs_tick; ///< first tick before which the inputs differ, BKS_TICK_NONE: none
    /// Number of sides of a match that split; 1 if the match did not split, 0 if no peer is left.
    uint32_t side_count;
    /// Peers of each side, one bit for each peer; sides are ordered by lowest peer.
    uint32_t sides[BKS_PEERS_MAX];
} bks_lab_comparison;

/// Compare the hashes of ticks 0 to `ticks` between peers that must have equal hashes.
/// @param peers       stories by peer
/// @param peer_count  1..BKS_PEERS_MAX
/// @param ticks       length of the match, at least 0
/// @param out         receives the result
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_lab_compare(const bks_lab_story *peers, uint32_t peer_count, bks_tick ticks,
                           bks_lab_comparison *out);

// A transport that makes another one worse, in real time: packets sent and received pass through a
// link of the lab, one for each address. So you can try a game over 100 ms and 2 % loss on one
// desk.
//
//     bks_bad_transport_config config = {.inner = bks_udp_transport(udp), .clock_ns = clock};
//     if (bks_lab_link_spec_parse("delay=50ms,loss=2%", &config.send, &error) != BKS_OK) …
//     bks_bad_transport *bad = NULL;
//     if (bks_bad_transport_create(&config, &bad, &error) != BKS_OK) …
//     bks_transport transport = bks_bad_transport_transport(bad);   // for a match or a session
//
// A bad transport has no thread: packets move only when it is called. So its owner must wake at
// bks_bad_transport_wake() and call `receive`.
//
// Thread rule: the same as for the inner transport.

/// Maximum number of addresses with their own links; packets from and to further addresses pass
/// unchanged.
#define BKS_BAD_TRANSPORT_WAYS_MAX 16

/// Configuration of a bad transport. Start from {0}.
typedef struct bks_bad_transport_config {
    /// The inner transport, required, must outlive the bad transport.
    bks_transport inner;
    bks_lab_link_spec send;              ///< faults of sent packets
    bks_lab_link_spec receive;           ///< faults of received packets
    uint64_t seed;                       ///< seed of all links
    uint64_t (*clock_ns)(void *context); ///< clock in ns that never goes back, required
    void *clock_context;                 ///< passed to clock_ns
    /// Memory hooks, used when the transport is created, when its faults change, and for the first
    /// packet of a new address.
    bks_allocator allocator;
} bks_bad_transport_config;

/// Transport with faults added. Opaque.
typedef struct bks_bad_transport bks_bad_transport;

/// Create a bad transport.
/// @param config  copied
/// @param out     receives the bad transport, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_bad_transport_destroy().
BKS_NODISCARD bks_status bks_bad_transport_create(const bks_bad_transport_config *config,
                                                  bks_bad_transport **out, bks_error *error);

/// Destroy a bad transport. Packets under way are lost. NULL is allowed.
void bks_bad_transport_destroy(bks_bad_transport *bad);

/// Give an address its own links, before the first packet to or from it.
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_FULL (BKS_BAD_TRANSPORT_WAYS_MAX addresses have
///         links), BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_bad_transport_route(bks_bad_transport *bad, const bks_address *address,
                                                 const bks_lab_link_spec *send,
                                                 const bks_lab_link_spec *receive,
                                                 bks_error *error);

/// Change the faults of all addresses from now on. Packets under way still arrive as they would
/// have. The call allocates memory for the new links.
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT, BKS_ERR_OUT_OF_MEMORY: nothing is changed
BKS_NODISCARD bks_status bks_bad_transport_change(bks_bad_transport *bad,
                                                  const bks_lab_link_spec *send,
                                                  const bks_lab_link_spec *receive,
                                                  bks_error *error);

/// Get the transport to use instead of the inner one, valid until destroy. For NULL, the transport
/// loses every packet.
bks_transport bks_bad_transport_transport(bks_bad_transport *bad);

/// Get the time at which the next packet under way must be sent or received.
/// @return a time on clock_ns; UINT64_MAX when no packet is under way or for NULL
uint64_t bks_bad_transport_wake(const bks_bad_transport *bad);

/// Get the sum of the counters of all links.
/// @return the counts, all 0 for NULL
bks_lab_link_counters bks_bad_transport_counters(const bks_bad_transport *bad);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_LINKS_H
