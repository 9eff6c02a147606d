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

/// Most kinds of faults that are counted.
#define BKS_LAB_FAULTS_MAX 32

/// Most kinds of moments that are counted.
#define BKS_LAB_MOMENTS_MAX 32

/// Room for a mark's name, its zero included.
#define BKS_LAB_MARK_BYTES 64

/// Room for a value as text, its zero included.
#define BKS_LAB_VALUE_BYTES 192

/// Most streams beside a match: one in each direction of each pair.
#define BKS_LAB_BULKS_MAX (BKS_PEERS_MAX * (BKS_PEERS_MAX - 1))

/// Configuration of a lab, copied by bks_lab_create(). Start from bks_lab_config_default().
typedef struct bks_lab_config {
    const bks_game *game;               ///< required, must outlive the lab
    bks_option_values options;          ///< options of the match; bks_option_values_default() first
    bool has_options;                   ///< false (default): the game's default options
    uint32_t peers;                     ///< machines, 1..BKS_PEERS_MAX, default 2; peer 0 hosts
    uint32_t players_on[BKS_PEERS_MAX]; ///< seats on each, default 1; peer 0's come first
    bks_tick ticks;                     ///< the match ends before this tick, first_tick + 1 to
                                        ///< 10000000, default 3600
    bks_tick first_tick;                ///< the match begins with this tick and the state that
                                        ///< `init` makes; default 0
    uint64_t seed;                      ///< seed of `init` and of everything in the lab, each by
                                        ///< its own stream, default 1
    bks_tuning tuning;                  ///< tuning of every peer, default bks_tuning_default(); a
                                        ///< lab compares the hashes of all ticks: hash_every_ticks
                                        ///< is 1 or BKS_AUTO
    uint32_t own_tunings;               ///< bits of the peers that have a tuning of their own, in
                                        ///< `tunings`; default 0
    bks_tuning tunings[BKS_PEERS_MAX];  ///< tunings by peer; only window, delay, snapshots and pace
                                        ///< count, all else is as in `tuning`
    uint32_t frames_hz[BKS_PEERS_MAX];  ///< rate of each peer's loop, 1..10000: it takes packets
                                        ///< and updates only then; 0 (default): as soon as there is
                                        ///< something to do
    uint64_t step_ns;                   ///< time that a step takes, 0..1000000000; each copy or
                                        ///< hash of the state then takes 1 ns for 20 bytes. 0
                                        ///< (default): nothing takes time, and sessions hear of 1
                                        ///< us a step
    bks_source sources[BKS_PLAYERS_MAX]; ///< sources by seat; a NULL sample: stays neutral
    bks_sink records[BKS_PEERS_MAX];     ///< destination of each peer's recording; a NULL write:
                                         ///< none
    bks_replay_detail record_detail;     ///< detail of the recordings, default as in
                                         ///< bks_peer_config
    uint32_t cues_per_tick; ///< as in bks_peer_config, of every peer; 0 (default): no one listens
    /// Hears what is reported of a peer's cues, after each of its updates; a NULL event ends each
    /// update, also one that reported nothing. NULL: no one hears it.
    void (*cue)(void *context, uint32_t peer, const bks_cue_event *event);
    void *cue_context;      ///< handed to cue
    uint64_t history_bytes; ///< most memory for the newest states, by which differences and flips
                            ///< get names; 0 (default): none, and no names. Kept are 2 windows, the
                            ///< delay and 48 ticks of each peer where they fit; a copy of the state
                            ///< is made at every tick then
    const bks_state_map *map; ///< a sound one that gives the names, must outlive the lab; NULL
                              ///< (default): the game's `map`, else its ranges
    uint32_t arithmetic;      ///< as in bks_session_config, of all peers
    const char *build;        ///< named in the recordings, NULL: empty; must outlive the lab
    uint64_t (*clock_ns)(void *context); ///< measures costs and nothing else; NULL: not measured
    void *clock_context;                 ///< handed to clock_ns
    uint64_t (*allocations)(
        void *context); ///< allocations of this thread so far, however counted; NULL: not counted
    void *allocations_context; ///< handed to allocations
    bks_allocator allocator;   ///< default malloc and free
    uint32_t cookie;           ///< set by bks_lab_config_default(), do not edit
} bks_lab_config;

/// Fill in the default of every field that has one. This symbol is in the archive: bindings of
/// other languages call it, and `arithmetic` is 0 then. In C and C++ the macro below takes its
/// place.
bks_lab_config bks_lab_config_default(void);

/// Fill in the same defaults, compiled into the caller, and in `arithmetic` how the caller's
/// program was compiled.
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

/// Destroy a lab; recordings are closed as far as they came, but for those of peers that crashed.
/// NULL is allowed.
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
///         BKS_ERR_UNSUPPORTED (no such fault; error lists those there are)
BKS_NODISCARD bks_status bks_lab_fault(bks_lab *lab, const char *spec, bks_error *error);

/// Send a stream of bytes beside the match, before the first bks_lab_advance(). Its bytes are
/// compared as they come; what differs breaks the match.
/// @param spec   "0>1:16MiB@5s": from 5 s after the match's first tick on, peer 0 writes 16 MiB to
///               peer 1, which reads; one for each direction of a pair
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range; also when
///         tuning.bulk_bytes of the config is 0), BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_lab_bulk(bks_lab *lab, const char *spec, bks_error *error);

/// Run the match up to a virtual time, or to its end: every peer that is still in it has published
/// the hash of every tick, or all have ended, or virtual time is past 2 * ticks and 30 s.
/// @param until_ns  on the clock of bks_lab_now()
/// @return true while the match continues; false once it has ended or for NULL
bool bks_lab_advance(bks_lab *lab, uint64_t until_ns);

/// Get the virtual time since the lab was made.
/// @return nanoseconds, 0 for NULL
uint64_t bks_lab_now(const bks_lab *lab);

/// Count ticks whose hash every peer has published.
/// @return 0..ticks, 0 for NULL
bks_tick bks_lab_progress(const bks_lab *lab);

/// Get the peer that is updated or gets a packet right now, for callbacks: a log sink learns by it
/// which peer a line is of.
/// @return its number; BKS_PEERS_MAX outside of bks_lab_advance(), while no peer acts, and for NULL
uint32_t bks_lab_acting(const bks_lab *lab);

/// Get a peer inside, to look at. Do not update it.
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
    bool is_found;             ///< false: none, the rest is 0
    uint32_t peer;             ///< peer that differs from it
    bks_tick tick;             ///< the first whose states differ
    bks_tick found_tick;       ///< that it had reached
    bool is_looked_up;         ///< `difference` and `took_ns` are filled in
    bks_difference difference; ///< the difference
    uint64_t took_ns;          ///< time from the one event to the other
} bks_lab_finding;

/// The result of one peer. Counts begin at the match's first tick and stop at its end.
typedef struct bks_lab_peer_result {
    uint32_t first_player;            ///< first seat of the peer
    uint32_t player_count;            ///< number of its seats
    bks_tick ticks;                   ///< stepped
    bks_tick confirmed;               ///< ticks whose inputs it knows of everyone
    uint64_t first_tick_ns;           ///< time of its first tick, after the earliest peer's
    uint64_t allocations_after_start; ///< during its calls, from its second tick on
    uint64_t work_ns_sum;             ///< cost of its operations by that model, all together
    uint64_t work_ns_max;             ///< most cost of one update by that model
    bks_stats stats;                  ///< as its session counts
    bks_costs costs;                  ///< zero without clock_ns
    bks_lab_finding desync;           ///< difference that the peer found by itself
} bks_lab_peer_result;

/// Packets from one peer to another, without a third. Counts begin at the match's first tick and
/// stop at its end.
typedef struct bks_lab_link_result {
    uint64_t packets;        ///< that set out, lost ones too
    uint64_t bytes;          ///< bytes in them, with 28 of IP and UDP each
    uint64_t delivered;      ///< packets that arrived, second copies included
    uint64_t transit_ns_sum; ///< time that those were under way, all together
} bks_lab_link_result;

/// Result of a stream beside the match.
typedef struct bks_lab_bulk_result {
    uint32_t from;            ///< the peer that writes
    uint32_t to;              ///< the peer that reads
    uint64_t bytes;           ///< to be written
    uint64_t arrived;         ///< bytes read by the end of the match
    uint64_t rate_bits_per_s; ///< rate of its link when the stream began; 0: no limit
    uint64_t took_ns;         ///< time from its beginning until all was read; 0: not finished
} bks_lab_bulk_result;

/// How often a fault fired, or something happened that not every match sees.
typedef struct bks_lab_count {
    const char *name; ///< as in JSON, static
    uint64_t count;   ///< for a link's fault, packets over all links; for a planted fault, its
                      ///< effects; for a moment, times over all peers
} bks_lab_count;

/// Result of a planted flip.
typedef struct bks_lab_flip_result {
    uint32_t peer;         ///< peer whose state was changed
    bks_tick tick;         ///< whenever it is entered, or once when it is final
    uint64_t offset_bytes; ///< offset of the byte from the state's start; 0 while the seed has not
                           ///< chosen
    uint32_t bit;          ///< 0..7
    bks_tick flipped_tick; ///< tick of the state in which the bit was last changed, BKS_TICK_NONE:
                           ///< none
    bool is_reached;       ///< the tick was entered; of a flip that happens once: a hash of a later
                           ///< tick shows it. A bit may be overwritten first
    bool is_beyond;        ///< the byte lay after those in use, and nothing changed
    uint64_t used_bytes;   ///< size of the state at that tick, 0 while it is not reached
    bool is_named;         ///< `place` is filled in: see bks_lab_config.history_bytes
    bks_map_place place;   ///< place of the bit, in the state before it changed
} bks_lab_flip_result;

/// In what the first states that differ do.
typedef struct bks_lab_difference {
    bool is_named;                 ///< the rest is filled in: see bks_lab_config.history_bytes
    char mark[BKS_LAB_MARK_BYTES]; ///< the first of the tick before at which they differ;
                                   ///< "(start)": it is the match's first tick, or a bit flips on
                                   ///< entering it; "(end)": after the last mark;
                                   ///< "(step)": they do not when it is stepped again
    bks_map_place place;           ///< the first value that differs; padding, free space and
                                   ///< bookkeeping only where no value does
    uint32_t value_peers;          ///< bits of the peers in `values`
    char values[BKS_PEERS_MAX][BKS_LAB_VALUE_BYTES]; ///< value on each peer, as text
} bks_lab_difference;

/// Most repairs of a match that a lab remembers.
#define BKS_LAB_REPAIRS_MAX 64

/// The result of a match.
typedef struct bks_lab_result {
    bool is_over; ///< nothing more will happen
    bool agreed;  ///< every peer that neither crashed, left nor was dropped published every hash,
                  ///< the hashes were equal in each view, and no peer broke a promise such as the
    ///< window. A peer that crashed or was dropped, and the two sides of a split, must
    ///< have equal hashes up to the tick at which their views part. What was repaired may
    ///< have differed in its span
    char reason[192];       ///< one sentence when over and not agreed, else ""
    bks_tick compared;      ///< ticks whose hashes every peer in the match published, 0..ticks,
                            ///< without those in spans of `repairs`
    bks_tick in_spans;      ///< ticks in spans of `repairs`
    bool has_final_hash;    ///< true when final_hash is known
    uint64_t final_hash;    ///< hash of the state after the last tick, on the lowest peer that is
                            ///< in
    uint64_t packets;       ///< handed out by all peers, also lost and undeliverable ones
    uint64_t packet_bytes;  ///< bytes in these packets
    uint64_t packet_digest; ///< XXH3-64 over every byte of them, in order, with sender, receiver
                            ///< and time: two labs with the same one sent the same packets
    uint64_t connect_ns;    ///< time from the beginning to the earliest first tick
    uint64_t match_ns;      ///< time from there to the end, or to now
    bks_tick desync_tick;   ///< the first whose hashes differ between two peers that must have
                            ///< the same; BKS_TICK_NONE: none
    bks_tick desync_found_tick; ///< tick at which the first peer noticed; BKS_TICK_NONE: none did
    uint32_t desync_peers; ///< bit for each peer whose hash is not the majority's; on a tie, not
                           ///< the one of the group with the lowest peer
    uint32_t side_count; ///< sides of a split that still play at the end, each a match of its own;
                         ///< 1 when there was none or it healed, 0: no peer is left
    uint32_t sides[BKS_PEERS_MAX]; ///< bits of the peers of each, that of the lowest peer first;
                                   ///< peers that crashed, left or were dropped are in none
    uint32_t fault_count;          ///< length of `faults`
    bks_lab_count faults[BKS_LAB_FAULTS_MAX];   ///< by name in a spec; also "queue": a link's own
                                                ///< memory was full
    uint32_t moment_count;                      ///< length of `moments`
    bks_lab_count moments[BKS_LAB_MOMENTS_MAX]; ///< counts of moments
    uint32_t peer_count;                        ///< length of `peers`
    bks_lab_peer_result peers[BKS_PEERS_MAX];   ///< results by peer
    bks_lab_link_result links[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< links by sender and receiver
    uint32_t flip_count;                                     ///< length of `flips`
    bks_lab_flip_result flips[BKS_PEERS_MAX];                ///< flips by peer
    bks_lab_difference difference;                           ///< difference at desync_tick
    uint32_t bulk_count;                                     ///< length of `bulk`
    bks_lab_bulk_result bulk[BKS_LAB_BULKS_MAX]; ///< as they were given to bks_lab_bulk()
    uint32_t repair_count;                       ///< length of `repairs`
    bks_repair repairs[BKS_LAB_REPAIRS_MAX];     ///< the first of them, by tick and peer: see
                                                 ///< BKS_ON_DESYNC_RESYNC
} bks_lab_result;

/// Get the result so far.
/// @param out  receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_lab_outcome(const bks_lab *lab, bks_lab_result *out);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_LAB_H
