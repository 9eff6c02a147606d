// SPDX-License-Identifier: MIT

/// @file toolkit/links.h
/// The parts of a lab, for programs that run the same match by other means (in several processes,
/// over real sockets) or that draw matches of their own: links and faults as values, the config of
/// a peer, and the comparison of what the peers confirmed.
///
///     bks_lab_link_spec spec;
///     if (bks_lab_link_spec_parse("delay=50ms,loss=2%", &spec, &error) != BKS_OK) …
///     bks_peer_config peer;
///     if (bks_lab_peer_config(&config, 1, &peer, &error) != BKS_OK) …
///     bks_lab_story stories[2] = …;                  // the hashes that both peers published
///     bks_lab_comparison found;
///     if (bks_lab_compare(stories, 2, config.ticks, &found) != BKS_OK) …
///
/// Thread rule: these calls keep nothing; they may be made on any thread.

#ifndef BACKSTITCH_TOOLKIT_LINKS_H
#define BACKSTITCH_TOOLKIT_LINKS_H

#include "backstitch/net.h"
#include "backstitch/toolkit/lab.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Faults of one direction of a link. All zero is a perfect one.
typedef struct bks_lab_link_spec {
    uint64_t delay_ns;    ///< `delay`, 0..60 s
    uint64_t jitter_ns;   ///< `jitter`, 0..10 s: uniform, more or less than the delay, per packet;
                          ///< never before it was sent
    uint32_t loss_ppm;    ///< `loss`, 0..1000000
    double burst_packets; ///< `burst`, mean run of lost packets, 1..1000 and at least
                          ///< loss / (1 - loss); 0: each is lost on its own
    uint32_t duplicate_ppm; ///< `dup`, share that arrives twice, 0..1000000
    uint32_t reorder_ppm;   ///< `reorder`, share held back for longer, 0..1000000
    uint64_t hold_ns;     ///< `hold`, for how long at most, 20 ms..60 s; 0: 120 ms; at least 20 ms
    uint32_t corrupt_ppm; ///< `corrupt`, share with 1..3 bits flipped, 0..1000000
    uint64_t rate_bits_per_s; ///< `rate`, 1000..10^12; packets queue for up to 500 ms, what comes
                              ///< then is dropped; 0: no limit
    uint32_t mtu_bytes;       ///< `mtu`, 68..65535: longer packets are dropped; 0: no limit
} bks_lab_link_spec;

/// Read "delay=50ms,jitter=10ms,loss=2%,burst=3,dup=1%,reorder=1%,hold=2s,corrupt=0.1%,
/// rate=256kbit,mtu=600", any of them once and in any order; "" and "perfect" are a perfect link.
/// Times end in ns, us, ms or s, shares in %, rates in bit, kbit, mbit or gbit.
/// @param out    untouched on failure
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and the range)
BKS_NODISCARD bks_status bks_lab_link_spec_parse(const char *text, bks_lab_link_spec *out,
                                                 bks_error *error);

/// A route of every pair: the text had no "A>B:" before it.
#define BKS_LAB_LINK_ALL UINT32_MAX

/// Read "SPEC" or "A>B:SPEC" for packets from peer A to peer B.
/// @param from   receives A, BKS_LAB_LINK_ALL without "A>B:"
/// @param to     receives B, BKS_LAB_LINK_ALL without "A>B:"
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and the range)
BKS_NODISCARD bks_status bks_lab_link_route_parse(const char *text, uint32_t *from, uint32_t *to,
                                                  bks_lab_link_spec *out, bks_error *error);

/// Get the longest time that a packet may be under way.
/// @return nanoseconds, 0 for NULL
uint64_t bks_lab_link_longest_ns(const bks_lab_link_spec *spec);

/// Counts of link faults that really fired.
typedef struct bks_lab_link_counters {
    uint64_t sent;       ///< packets that set out
    uint64_t delivered;  ///< packets that came out, second copies included
    uint64_t lost;       ///< packets lost by `loss`
    uint64_t duplicated; ///< packets duplicated by `dup`
    uint64_t reordered;  ///< packets reordered by `reorder`
    uint64_t corrupted;  ///< packets changed by `corrupt`
    uint64_t over_rate;  ///< dropped because 500 ms of packets were queued
    uint64_t over_mtu;   ///< dropped because they were too long
    uint64_t over_queue; ///< dropped because the link's own memory was full
} bks_lab_link_counters;

/// Add the counters of one link to the sum of several; nothing where either is NULL.
void bks_lab_link_counters_add(bks_lab_link_counters *sum, const bks_lab_link_counters *added);

/// Most faults of one match that come at a time.
#define BKS_LAB_TIMED_MAX 64

/// Most groups of a split.
#define BKS_LAB_GROUPS_MAX 4

/// Faults that come at a time, as bks_lab_fault() describes them.
typedef enum bks_lab_fault_kind {
    BKS_LAB_PAUSE,       ///< `pause=1@5s+800ms`: stops running; what arrives meanwhile waits
    BKS_LAB_CRASH,       ///< `crash=2@10s`: stops for good
    BKS_LAB_LEAVE,       ///< `leave=1@5s`: says goodbye
    BKS_LAB_CUT,         ///< `cut=0-1@3s+2s`: a pair cannot talk; `cut=0>1@3s+2s`: one direction
    BKS_LAB_SPLIT,       ///< `split=0.1/2.3@5s+1s`: groups cannot talk to each other
    BKS_LAB_DRIFT,       ///< `drift=1:+200ppm`: its clock is fast or slow, from the beginning
    BKS_LAB_CLOCK,       ///< `clock=1@4s-3s`: its wall clock jumps
    BKS_LAB_SLOW,        ///< `slow=2@6s+2s:3x`: its steps take time
    BKS_LAB_REBIND,      ///< `rebind=1@7s`: it sends from a new address and is reached there alone
    BKS_LAB_FULL,        ///< `full=1@9s+1s`: its sends fail
    BKS_LAB_LIE,         ///< `lie=1@8s`: sends one other peer another input than the rest
    BKS_LAB_FORGE,       ///< `forge=1@5s+2s`: sends messages with anything in them, then crashes
    BKS_LAB_RATE,        ///< `rate=0-1@40s:24kbit`: what the pair's link carries from then on;
                         ///< `0>1`: in one direction
    BKS_LAB_FILL,        ///< `fill=0-1@5s:500ms`: others fill the queue of a link that has a rate
    BKS_LAB_LOAD,        ///< `load=1:6s`: making the state of the first tick takes it that long
    BKS_LAB_HEAL,        ///< `heal@12s`: every link is perfect from then on
    BKS_LAB_FAULT_KINDS, ///< number of kinds
} bks_lab_fault_kind;

/// One fault that comes at a time.
typedef struct bks_lab_timed {
    bks_lab_fault_kind kind;      ///< kind of fault
    uint32_t peer;                ///< the peer it befalls; CUT, RATE, FILL: one of the two
    uint32_t other;               ///< CUT, RATE, FILL: the other
    bool is_one_way;              ///< CUT, RATE, FILL: only packets from `other` to `peer`
    uint8_t group[BKS_PEERS_MAX]; ///< SPLIT: by peer, from 1 on; 0: in none, reaches everyone
    bool in_lobby;                ///< the time is counted from the beginning, while peers connect
    uint64_t at_ns;               ///< after the match's first tick
    uint64_t span_ns;             ///< duration, where the fault has an end
    int64_t value;                ///< DRIFT: ppm; CLOCK, LOAD: ns; SLOW: thousandths; RATE: bits a
                                  ///< second; FILL: ns
    uint64_t fired; ///< set by the lab: times it had an effect: packets, updates, inputs
} bks_lab_timed;

/// One bit of a peer's state, changed whenever a tick is entered, or once when it is final.
typedef struct bks_lab_flip {
    bool is_planted; ///< false: none
    bks_tick tick;   ///< the tick
    bool is_once;    ///< true: in the first state made when that tick is final, and never again
    bool is_drawn;   ///< the seed chooses the byte: of a value in use where the peer has a map
    uint64_t offset_bytes; ///< offset of the byte from the state's start, as it was drawn
    uint32_t bit;          ///< 0..7
} bks_lab_flip;

/// All faults of a match. Start from {0}.
typedef struct bks_lab_faults {
    bks_lab_flip flips[BKS_PEERS_MAX];      ///< flips by peer
    uint32_t timed_count;                   ///< length of `timed`, at most BKS_LAB_TIMED_MAX
    bks_lab_timed timed[BKS_LAB_TIMED_MAX]; ///< timed faults in the order in which they were read
} bks_lab_faults;

/// Get the name of a kind as in a spec and in JSON, such as "pause".
/// @return the name, static; "unknown" for a number that is no kind
const char *bks_lab_fault_name(bks_lab_fault_kind kind);

/// Add the faults of a spec to those there are.
/// @param config  config of the match; only peers, ticks, seed and game (may be NULL) are used: a
///                flip needs a game whose state is one region
/// @param spec    as bks_lab_fault() takes it
/// @param faults  receives them; what stands before the one refused is added
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range), BKS_ERR_BAD_CONFIG,
///         BKS_ERR_UNSUPPORTED (no such fault; error lists those there are)
bks_status bks_lab_faults_parse(const bks_lab_config *config, const char *spec,
                                bks_lab_faults *faults, bks_error *error);

/// Write a timed fault as bks_lab_faults_parse() reads it: times in whole milliseconds, a factor in
/// tenths.
/// @param out       receives a text that ends with 0, "" where the fault is NULL or of no kind
/// @param capacity  bytes there, at least 1; 128 are enough for any
void bks_lab_timed_print(const bks_lab_timed *fault, char *out, size_t capacity);

/// Plant in a peer its faults that have no time: its flip. Before its first update.
/// @param index  number of the peer in the match, 0..BKS_PEERS_MAX - 1
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_lab_faults_plant(const bks_lab_faults *faults, uint32_t index, bks_peer *peer);

/// Get the result of a peer's flip, without a name.
/// @param index  number of the peer in the match, 0..BKS_PEERS_MAX - 1
/// @param out    receives it; all zero when none is planted
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_lab_faults_flip(const bks_lab_faults *faults, uint32_t index, const bks_peer *peer,
                               bks_lab_flip_result *out);

/// Check that a lab would take a config.
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (error names the field and the range)
BKS_NODISCARD bks_status bks_lab_config_check(const bks_lab_config *config, bks_error *error);

/// The tuning.bulk_bytes of `bks lab --bulk` and of `bks sweep`: what 80 Mbit carry in a tenth of a
/// second.
#define BKS_LAB_BULK_BUFFER_BYTES (1u << 20)

/// Most bytes of a stream beside a match.
#define BKS_LAB_BULK_BYTES_MAX (UINT64_C(1) << 40)

/// A stream of bytes beside a match.
typedef struct bks_lab_bulk_spec {
    uint32_t from;  ///< the peer that writes
    uint32_t to;    ///< the peer that reads
    uint64_t bytes; ///< 1..BKS_LAB_BULK_BYTES_MAX
    uint64_t at_ns; ///< when it begins, after the match's first tick
} bks_lab_bulk_spec;

/// Read "0>1:16MiB@5s", as bks_lab_bulk() takes it.
/// @param config  config of the match; only `peers` is used
/// @param out     untouched on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range)
BKS_NODISCARD bks_status bks_lab_bulk_parse(const bks_lab_config *config, const char *spec,
                                            bks_lab_bulk_spec *out, bks_error *error);

/// Fill in the config of a peer of a lab's match, its sources and recording included. Its host is
/// at address 0 of the lab: elsewhere set `session.host`.
/// @param index  0..peers - 1
/// @param error  may be NULL
/// @return BKS_OK, or as bks_lab_config_check()
BKS_NODISCARD bks_status bks_lab_peer_config(const bks_lab_config *config, uint32_t index,
                                             bks_peer_config *out, bks_error *error);

/// Ticks and hashes that one peer confirmed.
typedef struct bks_lab_story {
    const uint64_t *hashes; ///< hashes by tick, from 0 on; not NULL where count > 0
    const uint64_t *chains; ///< `count` hashes over the inputs before each tick; NULL: not known
    bks_tick count;         ///< number of hashes
    bool has_ended;         ///< the peer crashed or was dropped, so it need not have all
    bks_roster roster; ///< peers that left, as far as this peer knows, and when; all zero: none
    const bks_repair *repairs; ///< repairs of any peers' states; NULL: none
    uint32_t repair_count;     ///< length of repairs
} bks_lab_story;

/// Result of comparing several stories.
typedef struct bks_lab_comparison {
    bks_tick compared;     ///< ticks after which all hashes are there, without `in_spans`
    bks_tick in_spans;     ///< number of these in which a peer's state was to be repaired
    bks_tick desync_tick;  ///< the first that differs, BKS_TICK_NONE: none
    bks_tick open_tick;    ///< the first that differs and was not repaired, likewise
    uint32_t desync_peers; ///< bits, as in bks_lab_result
    bks_tick inputs_tick;  ///< the first before which the inputs differ, BKS_TICK_NONE: none
    uint32_t side_count;   ///< sides of a match that split, 1 if it did not, 0: no peer is left
    uint32_t sides[BKS_PEERS_MAX]; ///< bits: peers that end in one match, by the lowest of them
} bks_lab_comparison;

/// Compare the hashes of ticks 0 to `ticks` of those peers that must have the same.
/// @param peers       by peer
/// @param peer_count  1..BKS_PEERS_MAX
/// @param ticks       length of the match, at least 0
/// @param out         receives what it showed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_lab_compare(const bks_lab_story *peers, uint32_t peer_count, bks_tick ticks,
                           bks_lab_comparison *out);

// A transport that makes another one worse, in real time: what is sent and what is received goes
// through a link of the lab for each address. So a game is tried over 100 ms and 2 % loss on one
// desk.
//
//     bks_bad_transport_config config = {.inner = bks_udp_transport(udp), .clock_ns = clock};
//     if (bks_lab_link_spec_parse("delay=50ms,loss=2%", &config.send, &error) != BKS_OK) …
//     bks_bad_transport *bad = NULL;
//     if (bks_bad_transport_create(&config, &bad, &error) != BKS_OK) …
//     bks_transport transport = bks_bad_transport_transport(bad);   // for a match or a session
//
// A bad transport has no thread: packets move when it is called, so the owner wakes at
// bks_bad_transport_wake() and calls `receive`.
//
// Thread rule: as of the inner transport.

/// Most addresses with links of their own; packets from and to others pass untouched.
#define BKS_BAD_TRANSPORT_WAYS_MAX 16

/// Configuration of a bad transport. Start from {0}.
typedef struct bks_bad_transport_config {
    bks_transport inner;                 ///< required, must outlive the bad one
    bks_lab_link_spec send;              ///< faults of packets on their way out
    bks_lab_link_spec receive;           ///< faults of packets on their way in
    uint64_t seed;                       ///< seed of all links
    uint64_t (*clock_ns)(void *context); ///< required, never goes back
    void *clock_context;                 ///< handed to clock_ns
    bks_allocator allocator;             ///< asked at create, at a change and for a new address
} bks_bad_transport_config;

/// A transport made worse. Opaque.
typedef struct bks_bad_transport bks_bad_transport;

/// Create a bad transport.
/// @param config  copied
/// @param out     receives it, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_bad_transport_destroy().
BKS_NODISCARD bks_status bks_bad_transport_create(const bks_bad_transport_config *config,
                                                  bks_bad_transport **out, bks_error *error);

/// Destroy a bad transport. Packets still under way are lost. NULL is allowed.
void bks_bad_transport_destroy(bks_bad_transport *bad);

/// Give one address links of its own before its first packet.
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_FULL (BKS_BAD_TRANSPORT_WAYS_MAX have),
///         BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_bad_transport_route(bks_bad_transport *bad, const bks_address *address,
                                                 const bks_lab_link_spec *send,
                                                 const bks_lab_link_spec *receive,
                                                 bks_error *error);

/// Make the network better or worse from now on, for every address. Packets under way arrive as
/// they would have. It takes memory for the new links.
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT, BKS_ERR_OUT_OF_MEMORY: all is as before
BKS_NODISCARD bks_status bks_bad_transport_change(bks_bad_transport *bad,
                                                  const bks_lab_link_spec *send,
                                                  const bks_lab_link_spec *receive,
                                                  bks_error *error);

/// Get the transport to use instead of the inner one, valid until destroy; for NULL one that loses
/// all.
bks_transport bks_bad_transport_transport(bks_bad_transport *bad);

/// Get the time at which the next packet under way is due, to go out or to come in.
/// @return a time on clock_ns; UINT64_MAX when none is under way or for NULL
uint64_t bks_bad_transport_wake(const bks_bad_transport *bad);

/// Get the counters of all links together.
/// @return the counts, all 0 for NULL
bks_lab_link_counters bks_bad_transport_counters(const bks_bad_transport *bad);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_LINKS_H
