// SPDX-License-Identifier: MIT

/// @file toolkit/lab.h
/// A whole match in one process: every peer, the network between them and its faults, on virtual
/// time and from one seed. The same config gives the same match bit for bit, so every failure can
/// be repeated; an hour of play takes seconds.
///
///     bks_lab_config config = bks_lab_config_default();
///     config.game = &tag;
///     config.sources[0] = bks_monkey_source(&red);
///     config.sources[1] = bks_monkey_source(&blue);
///     bks_lab *lab = NULL;
///     if (bks_lab_create(&config, &lab, &error) != BKS_OK) …
///     if (bks_lab_link(lab, "delay=50ms,jitter=10ms,loss=2%", &error) != BKS_OK) …
///     while (bks_lab_advance(lab, bks_lab_now(lab) + 1000000000)) …      // a second at a time
///     bks_lab_result result;
///     bks_lab_outcome(lab, &result);                                   // result.agreed
///     bks_lab_destroy(lab);
///
/// The lab reads no clock, opens no socket and allocates nothing after bks_lab_create() and
/// bks_lab_link().
///
/// Thread rule: a lab belongs to one thread at a time. Two labs may run on two threads.

#ifndef BACKSTITCH_TOOLKIT_LAB_H
#define BACKSTITCH_TOOLKIT_LAB_H

#include "backstitch/toolkit/peer.h"
#include "backstitch/toolkit/state_map.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum number of kinds of faults that are counted.
#define BKS_LAB_FAULTS_MAX 32

/// Maximum number of kinds of moments that are counted.
#define BKS_LAB_MOMENTS_MAX 32

/// Size of a buffer for a mark's name, its zero included.
#define BKS_LAB_MARK_BYTES 64

/// Size of a buffer for a value as text, its zero included.
#define BKS_LAB_VALUE_BYTES 192

/// Maximum number of streams beside a match: one in each direction of each pair of peers.
#define BKS_LAB_BULKS_MAX (BKS_PEERS_MAX * (BKS_PEERS_MAX - 1))

/// Configuration of a lab, copied by bks_lab_create(). Start from bks_lab_config_default().
typedef struct bks_lab_config {
    const bks_game *game;               ///< required, must outlive the lab
    bks_option_values options;          ///< option values of the match; start from
                                        ///< bks_option_values_default()
    bool has_options;                   ///< true: use `options`; false (default): use the game's
                                        ///< default options
    uint32_t peers;                     ///< number of peers, 1..BKS_PEERS_MAX, default 2; peer 0
                                        ///< hosts
    uint32_t players_on[BKS_PEERS_MAX]; ///< number of seats on each peer, default 1; those of peer
                                        ///< 0 come first
    bks_tick ticks;                     ///< the match ends before this tick, first_tick + 1 to
                                        ///< 10000000, default 3600
    bks_tick first_tick;                ///< the match begins with this tick and the state that
                                        ///< `init` makes; default 0
    uint64_t seed;                      ///< seed of `init` and of all random choices of the lab,
                                        ///< each with its own stream, default 1
    bks_tuning tuning;                  ///< tuning of every peer, default bks_tuning_default(); a
                                        ///< lab compares the hashes of all ticks: hash_every_ticks
                                        ///< is 1 or BKS_AUTO
    uint32_t own_tunings;               ///< bits of the peers that have a tuning of their own, in
                                        ///< `tunings`; default 0
    bks_tuning tunings[BKS_PEERS_MAX];  ///< tunings by peer; only window, delay, snapshots and pace
                                        ///< are used, all other settings come from `tuning`
    uint32_t frames_hz[BKS_PEERS_MAX];  ///< rate of each peer's loop, 1..10000: the peer receives
                                        ///< packets and updates only at this rate; 0 (default):
                                        ///< whenever there is something to do
    uint64_t step_ns;                   ///< virtual time that a step takes, 0..1000000000; each
                                        ///< copy or hash of the state then takes 1 ns for 20 bytes.
                                        ///< 0 (default): operations take no time, and sessions are
                                        ///< told that a step takes 1 us
    bks_source sources[BKS_PLAYERS_MAX]; ///< sources of inputs by seat; without `sample` the inputs
                                         ///< stay neutral
    bks_sink records[BKS_PEERS_MAX];     ///< destination of each peer's recording; without `write`
                                         ///< there is none
    bks_replay_detail record_detail;     ///< detail of the recordings, default as in
                                         ///< bks_peer_config
    uint32_t cues_per_tick; ///< most cues of one tick for every peer, as in bks_peer_config; 0
                            ///< (default): cues are not collected

    /// Called for each event of a peer's cues, after each of its updates; a NULL event ends each
    /// update, even one without events. NULL: no callback.
    void (*cue)(void *context, uint32_t peer, const bks_cue_event *event);
    void *cue_context;        ///< passed to `cue`
    uint64_t history_bytes;   ///< memory for the newest states, which give names to differences and
                              ///< flips; 0 (default): none, and no names. The lab then copies the
                              ///< state at every tick and keeps, if they fit, the states of 2
                              ///< windows, the delay and 48 ticks of each peer
    const bks_state_map *map; ///< valid map that names values, must outlive the lab; NULL
                              ///< (default): the game's `map`, else its ranges
    uint32_t arithmetic;      ///< faults of the game's compiled arithmetic, as in
                              ///< bks_session_config, for all peers
    const char *build;        ///< name of the game's build for the recordings, NULL: empty; must
                              ///< outlive the lab
    uint64_t (*clock_ns)(void *context);    ///< clock that measures costs and nothing else; NULL:
                                            ///< costs are not measured
    void *clock_context;                    ///< passed to clock_ns
    uint64_t (*allocations)(void *context); ///< count of this thread's allocations so far, however
                                            ///< counted; NULL: not counted
    void *allocations_context;              ///< passed to `allocations`
    bks_allocator allocator;                ///< default malloc and free
    uint32_t cookie;                        ///< set by bks_lab_config_default(), do not edit
} bks_lab_config;

/// Fill in the default of every field that has one. This function is for bindings of other
/// languages; it leaves `arithmetic` 0. In C and C++ the macro below replaces it.
bks_lab_config bks_lab_config_default(void);

/// Fill in the same defaults as bks_lab_config_default(), and set `arithmetic` to the faults of the
/// caller's floating-point arithmetic. The function is compiled into the caller, so that it can
/// find these faults.
BKS_OWN_UNIT bks_lab_config bks_lab_config_here(void)
{
    bks_lab_config config = bks_lab_config_default();
    config.arithmetic = bks_arithmetic_here();
    return config;
}
#define bks_lab_config_default() bks_lab_config_here()

/// One match in a lab. Opaque.
typedef struct bks_lab bks_lab;

/// Create a lab with perfect links and without faults.
/// @param config  copied
/// @param out     receives the lab, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (error names the field and the range),
///         BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_lab_destroy().
BKS_NODISCARD bks_status bks_lab_create(const bks_lab_config *config, bks_lab **out,
                                        bks_error *error);

/// Destroy a lab. Recordings are closed where they are, except those of peers that crashed. NULL is
/// allowed.
void bks_lab_destroy(bks_lab *lab);

/// Make links worse, before the first bks_lab_advance().
/// @param spec   "delay=50ms,jitter=10ms,loss=2%,burst=3,dup=1%,reorder=1%,hold=2s,corrupt=0.1%,
///               rate=256kbit,mtu=600", any part of it, one way, for both directions of every pair;
///               with "A>B:" before it only for packets from peer A to peer B, which overrides one
///               for every pair, in any order; "perfect" is a link without faults
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range),
///         BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_lab_link(bks_lab *lab, const char *spec, bks_error *error);

/// Plant faults, before the first bks_lab_advance().
/// @param spec   comma-separated. "flip=PEER@TICK:byte[:OFFSET[:BIT]]": one bit of that peer's
///               state, at these or at a byte and bit chosen by the seed, one of a value in use
///               where the game has a map, changed whenever the tick is entered, before its hash,
///               resimulating too; one for each peer. An OFFSET after the bytes in use changes
///               nothing, and bks_lab_result says so.
///               "flip=PEER@TICK:once[:OFFSET[:BIT]]": the same in the first state that is made
///               when the tick is final for that peer, before its hash, and again only when a
///               rollback makes that state anew: a fault of its memory. The others come at
///               a time after the match's first tick:
///               "pause=1@5s+800ms" peer 1 stops running, packets wait for it; "crash=2@10s" stops
///               for good and leaves its recording as a kill does; "leave=1@5s" says goodbye;
///               "cut=0-1@3s+2s" a pair cannot talk, "cut=0>1@3s+2s" 0 does not reach 1;
///               "split=0.1/2.3@5s+1s" groups cannot talk to each other;
///               "rate=0-1@40s:24kbit" the pair's link carries that much from then on (what is
///               queued still leaves as before), "rate=0>1@40s:24kbit" in one direction;
///               "fill=0-1@5s:500ms" others fill the queue of the pair's link, or of one
///               direction, with so much time, 0..500 ms, where it has a rate;
///               "drift=1:+200ppm" its clock runs fast, from the beginning; "clock=1@4s-3s" its
///               wall clock jumps (no session reads it); "slow=2@6s+2s:3x" a step takes 3
///               eighths of a tick's time, so that its updates are late; "rebind=1@7s" it gets a
///               new address; "full=1@9s+1s" its sends fail; "lie=1@8s" it sends the next peer
///               another input than the rest; "forge=1@5s+2s" it sends messages with anything in
///               them, then crashes; "load=1:6s" making the state of the first tick takes it 6 s;
///               "heal@12s" every link is perfect from then on.
///               "lobby:pause=1@50ms+300ms": the time is after the beginning, while peers connect;
///               for all kinds but flip, drift, lie, forge, load and heal
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range),
///         BKS_ERR_UNSUPPORTED (no such fault; error lists the valid ones)
BKS_NODISCARD bks_status bks_lab_fault(bks_lab *lab, const char *spec, bks_error *error);

/// Send a stream of bytes beside the match, before the first bks_lab_advance(). The lab compares
/// its bytes as they arrive; if one differs, the match fails.
/// @param spec   "0>1:16MiB@5s": from 5 s after the match's first tick on, peer 0 writes 16 MiB to
///               peer 1, which reads; one for each direction of a pair
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range; also when
///         tuning.bulk_bytes of the config is 0), BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_lab_bulk(bks_lab *lab, const char *spec, bks_error *error);

/// Run the match up to a virtual time, or to its end. It ends when every peer that is still in it
/// has published the hash of every tick, when all peers have ended, or when the virtual time
/// exceeds twice the length of the match and 30 s.
/// @param until_ns  on the clock of bks_lab_now()
/// @return true while the match continues; false once it has ended or for NULL
bool bks_lab_advance(bks_lab *lab, uint64_t until_ns);

/// Get the virtual time since the lab was made.
/// @return nanoseconds, 0 for NULL
uint64_t bks_lab_now(const bks_lab *lab);

/// Get the number of ticks whose hash every peer has published.
/// @return 0..ticks, 0 for NULL
bks_tick bks_lab_progress(const bks_lab *lab);

/// Get the peer that is being updated or receives a packet right now, for callbacks: a log sink can
/// find out which peer wrote a line.
/// @return number of the peer; BKS_PEERS_MAX while no peer runs, outside of bks_lab_advance(), and
/// for NULL
uint32_t bks_lab_acting(const bks_lab *lab);

/// Get a peer of the lab, to read from it. Do not update it.
/// @return the peer; NULL when there is no such peer or for NULL
bks_peer *bks_lab_peer(bks_lab *lab, uint32_t peer);

/// Get the hash that a peer published for the state at the start of a tick.
/// @param tick      0..ticks
/// @param out_hash  not NULL; untouched on failure
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_NOT_CONFIRMED
BKS_NODISCARD bks_status bks_lab_hash(const bks_lab *lab, uint32_t peer, bks_tick tick,
                                      uint64_t *out_hash);

/// The first desync that a peer found by itself: see BKS_EVENT_DESYNC and BKS_EVENT_NAMED.
typedef struct bks_lab_finding {
    bool is_found;             ///< true if the peer found a desync; false: the other fields are 0
    uint32_t peer;             ///< peer whose state differs from that of the finder
    bks_tick tick;             ///< first tick whose states differ
    bks_tick found_tick;       ///< tick that the finder had reached when it found the desync
    bool is_looked_up;         ///< true if `difference` and `took_ns` are filled in
    bks_difference difference; ///< difference, by the name of a value
    uint64_t took_ns;          ///< time from BKS_EVENT_DESYNC to BKS_EVENT_NAMED
} bks_lab_finding;

/// The result of one peer. Counts begin at the match's first tick and stop at its end.
typedef struct bks_lab_peer_result {
    uint32_t first_player;            ///< first seat of the peer
    uint32_t player_count;            ///< number of its seats
    bks_tick ticks;                   ///< number of ticks stepped
    bks_tick confirmed;               ///< number of ticks for which the peer knows everyone's
                                      ///< inputs
    uint64_t first_tick_ns;           ///< time from the first tick of the earliest peer to that of
                                      ///< this peer
    uint64_t allocations_after_start; ///< allocations during calls of this peer, from its second
                                      ///< tick on
    uint64_t work_ns_sum;             ///< cost of its operations in total, by the model of
                                      ///< bks_lab_config.step_ns
    uint64_t work_ns_max;             ///< greatest cost of one update, by the model of
                                      ///< bks_lab_config.step_ns
    bks_stats stats;                  ///< statistics of its session
    bks_costs costs;                  ///< measured costs; zero without clock_ns
    bks_lab_finding desync;           ///< difference that the peer found by itself
} bks_lab_peer_result;

/// Packets that went directly from one peer to another. Counts begin at the match's first tick and
/// stop at its end.
typedef struct bks_lab_link_result {
    uint64_t packets;        ///< packets sent, lost ones too
    uint64_t bytes;          ///< bytes of the sent packets, with 28 bytes of IP and UDP headers for
                             ///< each
    uint64_t delivered;      ///< packets that arrived, second copies included
    uint64_t transit_ns_sum; ///< sum of the times that the delivered packets were under way
} bks_lab_link_result;

/// Result of a stream beside the match.
typedef struct bks_lab_bulk_result {
    uint32_t from;            ///< the peer that writes the stream
    uint32_t to;              ///< the peer that reads the stream
    uint64_t bytes;           ///< number of bytes to write
    uint64_t arrived;         ///< bytes read by the end of the match
    uint64_t rate_bits_per_s; ///< rate of its link when the stream began; 0: no limit
    uint64_t took_ns;         ///< time from the stream's beginning until all bytes were read; 0:
                              ///< not finished
} bks_lab_bulk_result;

/// Count of a fault that fired, or of a moment: something that does not happen in every match.
typedef struct bks_lab_count {
    const char *name; ///< name as in JSON, static
    uint64_t count;   ///< count: for a link's fault, packets over all links; for a planted fault,
                      ///< times it had an effect; for a moment, times over all peers
} bks_lab_count;

/// Result of a planted flip.
typedef struct bks_lab_flip_result {
    uint32_t peer;         ///< peer whose state was changed
    bks_tick tick;         ///< tick of the flip: whenever it is entered, or once, when it is final
    uint64_t offset_bytes; ///< offset of the byte from the state's start; 0 while the seed has not
                           ///< chosen
    uint32_t bit;          ///< bit of the byte, 0..7
    bks_tick flipped_tick; ///< tick of the state in which the bit was last changed, BKS_TICK_NONE:
                           ///< none
    bool is_reached;       ///< true if the tick was entered. For a flip that happens once: true if
                           ///< a hash of a later tick shows the flip; the bit may be overwritten
                           ///< before
    bool is_beyond;        ///< true if the byte lay after the bytes in use, so nothing changed
    uint64_t used_bytes;   ///< size of the state at that tick, 0 if the tick was not reached
    bool is_named;         ///< true if `place` is filled in: see bks_lab_config.history_bytes
    bks_map_place place;   ///< place of the bit, in the state before it changed
} bks_lab_flip_result;

/// Description of the first difference between peers' states.
typedef struct bks_lab_difference {
    bool is_named; ///< true if the other fields are filled in: see
                   ///< bks_lab_config.history_bytes

    /// First mark at which the states differ, in the tick before desync_tick. "(start)": the
    /// difference is in the match's first tick, or a bit flips when the tick is entered; "(end)":
    /// it arises after the last mark; "(step)": it is gone when the tick is stepped again.
    char mark[BKS_LAB_MARK_BYTES];
    bks_map_place place;  ///< first value that differs; padding, free space or bookkeeping
                          ///< only if no value differs
    uint32_t value_peers; ///< bits of the peers in `values`
    char values[BKS_PEERS_MAX][BKS_LAB_VALUE_BYTES]; ///< value on each peer, as text
} bks_lab_difference;

/// Maximum number of repairs that a lab remembers.
#define BKS_LAB_REPAIRS_MAX 64

/// The result of a match.
typedef struct bks_lab_result {
    bool is_over; ///< true when the match is over

    /// True if every peer that neither crashed, left nor was dropped published every hash, the
    /// hashes were equal in each view, and no peer broke a promise such as the window. A peer that
    /// crashed or was dropped, and the two sides of a split, must have equal hashes up to the tick
    /// at which their views part. States within the span of a repair may have differed.
    bool agreed;
    char reason[192];       ///< one sentence if the match is over and `agreed` is false, else ""
    bks_tick compared;      ///< number of ticks whose hashes every peer in the match published,
                            ///< 0..ticks, without the ticks counted in `in_spans`
    bks_tick in_spans;      ///< number of ticks at which some peer's state was wrong until a repair
                            ///< (`repairs`)
    bool has_final_hash;    ///< true when final_hash is known
    uint64_t final_hash;    ///< hash of the state after the last tick, on the lowest peer that is
                            ///< still in the match
    uint64_t packets;       ///< packets sent by all peers, also lost and undeliverable ones
    uint64_t packet_bytes;  ///< bytes of the packets sent
    uint64_t packet_digest; ///< XXH3-64 over all bytes of the packets in order, with sender,
                            ///< receiver and time: two labs with the same digest sent the same
                            ///< packets
    uint64_t connect_ns;    ///< time from the lab's beginning to the first tick of the earliest
                            ///< peer
    uint64_t match_ns;      ///< time from the first tick of the earliest peer to the match's end,
                            ///< or to now
    bks_tick desync_tick;   ///< first tick whose hashes differ between two peers that must have the
                            ///< same; BKS_TICK_NONE: none
    bks_tick desync_found_tick; ///< tick of the first peer that noticed the desync, when it did;
                                ///< BKS_TICK_NONE: none did
    uint32_t desync_peers; ///< bits of the peers whose hash is not that of the majority; on a tie,
                           ///< of those not in the group of the lowest peer
    uint32_t side_count; ///< number of sides of a split that still play at the end, each a match of
                         ///< its own; 1 if there was no split or it healed, 0: no peer is left
    uint32_t sides[BKS_PEERS_MAX]; ///< bits of the peers of each side, ordered by lowest peer;
                                   ///< peers that crashed, left or were dropped are on no side
    uint32_t fault_count;          ///< length of `faults`
    bks_lab_count faults[BKS_LAB_FAULTS_MAX];   ///< counts of faults by their name in a spec; also
                                                ///< "queue": the lab's memory for a link was full
    uint32_t moment_count;                      ///< length of `moments`
    bks_lab_count moments[BKS_LAB_MOMENTS_MAX]; ///< counts of moments, things that do not happen in
                                                ///< every match
    uint32_t peer_count;                        ///< length of `peers`
    bks_lab_peer_result peers[BKS_PEERS_MAX];   ///< results by peer
    bks_lab_link_result links[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< packets of each link, by sender
                                                             ///< and receiver
    uint32_t flip_count;                                     ///< length of `flips`
    bks_lab_flip_result flips[BKS_PEERS_MAX];                ///< results of planted flips, by peer
    bks_lab_difference difference;                           ///< description of the difference at
                                                             ///< desync_tick
    uint32_t bulk_count;                                     ///< length of `bulk`
    bks_lab_bulk_result bulk[BKS_LAB_BULKS_MAX]; ///< results of streams, in the order of
                                                 ///< bks_lab_bulk()
    uint32_t repair_count;                       ///< length of `repairs`
    bks_repair repairs[BKS_LAB_REPAIRS_MAX];     ///< the first repairs, by tick and peer: see
                                                 ///< BKS_ON_DESYNC_RESYNC
} bks_lab_result;

/// Get the result so far.
/// @param out  receives the result, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_lab_outcome(const bks_lab *lab, bks_lab_result *out);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_LAB_H
