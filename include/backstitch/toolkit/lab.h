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
/// The lab reads no clock and opens no socket. Without watchers it allocates nothing after
/// bks_lab_create() and bks_lab_link().
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

/// Maximum number of kinds of moments (rare situations) that are counted.
#define BKS_LAB_MOMENTS_MAX 32

/// Size of a buffer for a mark's name, its zero included.
#define BKS_LAB_MARK_BYTES 64

/// Size of a buffer for a value as text, its zero included.
#define BKS_LAB_VALUE_BYTES 192

/// Maximum number of streams beside a match: one in each direction of each pair of peers.
#define BKS_LAB_BULKS_MAX (BKS_PEERS_MAX * (BKS_PEERS_MAX - 1))

/// Maximum number of watchers in a lab.
#define BKS_LAB_WATCHERS_MAX 16

/// Configuration of a lab, copied by bks_lab_create(). Start from bks_lab_config_default().
typedef struct bks_lab_config {
    const bks_game *game; ///< the game to play, required, must outlive the lab
    /// Option values of the match; start from bks_option_values_default().
    bks_option_values options;
    /// True: use `options`; false (default): use the game's default options.
    bool has_options;
    /// Number of peers, 1..BKS_PEERS_MAX, default 2; peer 0 hosts.
    uint32_t peers;
    /// Number of seats on each peer, default 1; those of peer 0 come first.
    uint32_t players_on[BKS_PEERS_MAX];
    /// The match ends before this tick, first_tick + 1 to 10000000, default 3600.
    bks_tick ticks;
    /// The match begins with this tick and the state that `init` makes; default 0.
    bks_tick first_tick;
    /// Seed of `init` and of all random choices of the lab, each with its own stream, default 1.
    uint64_t seed;
    /// Tuning of every peer, default bks_tuning_default(); a lab compares the hashes of all ticks:
    /// hash_every_ticks is 1 or BKS_AUTO.
    bks_tuning tuning;
    /// One bit for each peer: 1 if the peer has a tuning of its own, in `tunings`; default 0.
    uint32_t own_tunings;
    /// Tunings by peer; only window, delay, snapshots and pace are used, all other settings come
    /// from `tuning`.
    bks_tuning tunings[BKS_PEERS_MAX];
    /// Rate in Hz of each peer's loop, 1..10000: the peer receives packets and updates only at this
    /// rate; 0 (default): whenever there is something to do.
    uint32_t frames_hz[BKS_PEERS_MAX];
    /// Virtual time that a step takes, in ns, 0..1000000000; each copy or hash of the state then
    /// takes 1 ns for 20 bytes. 0 (default): operations take no time, and sessions are told that a
    /// step takes 1 us.
    uint64_t step_ns;
    /// Sources of inputs by seat; the inputs of a seat without a `sample` stay neutral.
    bks_source sources[BKS_PLAYERS_MAX];
    /// Places for watchers at each peer, 0..BKS_WATCHERS_MAX, as in bks_match_config, default 8;
    /// see bks_lab_watch().
    uint32_t watchers;
    /// Destination of each peer's recording; a peer without a `write` is not recorded.
    bks_sink records[BKS_PEERS_MAX];
    /// Detail of the recordings, default as in bks_peer_config.
    bks_replay_detail record_detail;
    /// Most cues of one tick for every peer, as in bks_peer_config; 0 (default): cues are not
    /// collected.
    uint32_t cues_per_tick;

    /// Called for each event of a peer's cues, after each of its updates; a NULL event ends each
    /// update, even one without events. NULL: no callback.
    void (*cue)(void *context, uint32_t peer, const bks_cue_event *event);
    void *cue_context; ///< passed to `cue`
    /// Memory in bytes for the newest states, which give names to differences and flips; 0
    /// (default): none, and no names. The lab then copies the state at every tick and keeps, if
    /// they fit, each peer's states of the newest 2 * window + delay + 48 ticks.
    uint64_t history_bytes;
    /// Valid map that names values, must outlive the lab; NULL (default): the game's `map`, else
    /// its ranges.
    const bks_state_map *map;
    /// Faults of the game's compiled arithmetic, as in bks_session_config, for all peers.
    uint32_t arithmetic;
    /// Name of the game's build for the recordings, NULL: empty; must outlive the lab.
    const char *build;
    /// Get the time by which costs are measured, for nothing else; NULL: costs are not measured.
    uint64_t (*clock_ns)(void *context);
    void *clock_context; ///< passed to clock_ns
    /// Get the number of allocations of this thread so far; NULL: allocations are not counted.
    uint64_t (*allocations)(void *context);
    void *allocations_context; ///< passed to `allocations`
    bks_allocator allocator;   ///< memory hooks, default malloc and free
    /// Check value set by bks_lab_config_default(), do not edit.
    uint32_t cookie;
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

/// Destroy a lab. Each recording is closed at the tick that it has reached, except those of peers
/// that crashed. NULL is allowed.
void bks_lab_destroy(bks_lab *lab);

/// Make links worse, before the first bks_lab_advance().
/// @param spec   "delay=50ms,jitter=10ms,loss=2%,burst=3,dup=1%,reorder=1%,hold=2s,corrupt=0.1%,
///               rate=256kbit,mtu=600", or any of these, for each direction of the link of every
///               pair of peers. With "A>B:" before it the spec is for packets from peer A to peer B
///               alone, and overrides a spec for every pair that was set before or is set later.
///               "perfect" is a link without faults
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range),
///         BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_lab_link(bks_lab *lab, const char *spec, bks_error *error);

/// Plant faults, before the first bks_lab_advance().
/// @param spec   faults, separated by commas.
///               "flip=PEER@TICK:byte[:OFFSET[:BIT]]": one bit of the peer's state flips each time
///               that the peer makes the tick's state, also in a resimulation, before the state is
///               hashed. Without OFFSET or BIT the seed chooses; if the game has a map, it chooses
///               a byte of a value in use. An OFFSET after the bytes in use changes nothing, and
///               bks_lab_result says so. At most one flip for each peer.
///               "flip=PEER@TICK:once[:OFFSET[:BIT]]": the bit flips in the first state that the
///               peer makes when the tick is final for it, before that state is hashed, and again
///               only if a rollback makes that state anew: like a fault of its memory.
///               The other faults happen at a time after the match's first tick:
///               "pause=1@5s+800ms": peer 1 stops running, and packets wait for it;
///               "crash=2@10s": peer 2 stops for good and leaves its recording as a kill does;
///               "leave=1@5s": peer 1 says goodbye;
///               "cut=0-1@3s+2s": peers 0 and 1 cannot talk; "cut=0>1@3s+2s": packets from peer 0
///               do not reach peer 1;
///               "split=0.1/2.3@5s+1s": the groups cannot talk to each other;
///               "rate=0-1@40s:24kbit": the link of peers 0 and 1 has this rate from then on
///               (queued packets still leave at the old rate); "rate=0>1@40s:24kbit": one direction
///               of the link;
///               "fill=0-1@5s:500ms": if the link has a rate, other traffic fills its queue with so
///               much time of packets, 0..500 ms; "fill=0>1@5s:500ms": one direction of the link;
///               "drift=1:+200ppm": the clock of peer 1 runs fast, from the beginning;
///               "clock=1@4s-3s": the wall clock of peer 1 jumps (no session reads it);
///               "slow=2@6s+2s:3x": a step of peer 2 takes 3 eighths of a tick's time, or 3 times
///               config.step_ns if that is set, so its updates are late;
///               "rebind=1@7s": peer 1 gets a new address;
///               "full=1@9s+1s": sends of peer 1 fail;
///               "lie=1@8s": peer 1 sends the next peer a different input than all others, or
///               different commands in a game that has some;
///               "forge=1@5s+2s": peer 1 sends messages with arbitrary contents, then crashes;
///               "load=1:6s": peer 1 takes 6 s to make the state of the first tick;
///               "pause-game=1@5s+2s": peer 1 pauses the match for all peers by
///               bks_session_pause(), and ends the pause 2 s later; if it is gone by then, the
///               others want to go on; "speed=0@5s:200%": peer 0 changes the speed of the match for
///               all peers, 25..400 %; "heal@12s": every link is perfect from then on.
///               "lobby:pause=1@50ms+300ms": with "lobby:" the time counts from the lab's
///               beginning, while peers connect; allowed for all kinds but flip, drift, lie, forge,
///               load, pause-game, speed and heal
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range),
///         BKS_ERR_UNSUPPORTED (no such fault; error lists the valid ones)
BKS_NODISCARD bks_status bks_lab_fault(bks_lab *lab, const char *spec, bks_error *error);

/// Send a stream of bytes beside the match, before the first bks_lab_advance(). The lab compares
/// its bytes as they arrive; if one differs, the match fails.
/// @param spec   "0>1:16MiB@5s": from 5 s after the match's first tick on, peer 0 writes 16 MiB to
///               peer 1, which reads them; at most one stream in each direction of a pair
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range; also when
///         tuning.bulk_bytes of the config is 0), BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_lab_bulk(bks_lab *lab, const char *spec, bks_error *error);

/// Let a watcher come, before the first bks_lab_advance(). Watchers do not change the match: the
/// peers send the same packets at the same times as without them.
/// @param spec   "1@3s+10s:delay=40ms,loss=5%": 3 s after the match's first tick a watcher comes to
///               peer 1, over lines of its own that have this spec in both directions, and leaves
///               10 s later. Without "+10s" it stays, without ":delay=…" its lines are perfect.
///               With "lobby:" before it the time counts from the lab's beginning. `heal` leaves
///               the lines of watchers as they are. At most BKS_LAB_WATCHERS_MAX
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the value and its range),
///         BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_lab_watch(bks_lab *lab, const char *spec, bks_error *error);

/// Run the match up to a virtual time, or to its end. It ends when every peer that is still in it
/// has published the hash of every tick, when all peers have ended, or when the virtual time
/// exceeds twice the length of the match plus 30 s. Then watchers get what they still lack, for
/// which the time may go beyond `until_ns`.
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
///         for NULL
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
    bool is_found; ///< true if the peer found a desync; false: the other fields are 0
    /// Peer whose state differs from that of the peer that found the desync.
    uint32_t peer;
    bks_tick tick;             ///< first tick whose states differ
    bks_tick found_tick;       ///< tick that the peer had reached when it found the desync
    bool is_looked_up;         ///< true if `difference` and `took_ns` are filled in
    bks_difference difference; ///< difference that the peer named
    uint64_t took_ns;          ///< time from BKS_EVENT_DESYNC to BKS_EVENT_NAMED, in ns
} bks_lab_finding;

/// The result of one peer. Counts begin at the match's first tick and stop at its end.
typedef struct bks_lab_peer_result {
    uint32_t first_player; ///< first seat of the peer
    uint32_t player_count; ///< number of seats of the peer
    bks_tick ticks;        ///< number of ticks that the peer stepped
    /// Number of ticks for which the peer knows everyone's inputs.
    bks_tick confirmed;
    /// Time from the first tick of the earliest peer to the first tick of this peer, in ns.
    uint64_t first_tick_ns;
    /// Number of allocations during calls of this peer, from its second tick on.
    uint64_t allocations_after_start;
    /// Total cost of the peer's operations in ns, by the model of bks_lab_config.step_ns.
    uint64_t work_ns_sum;
    /// Greatest cost of one update in ns, by the model of bks_lab_config.step_ns.
    uint64_t work_ns_max;
    bks_stats stats;        ///< statistics of the peer's session
    bks_costs costs;        ///< measured costs of the peer; zero without clock_ns
    bks_lab_finding desync; ///< difference that the peer found by itself
} bks_lab_peer_result;

/// Packets that went directly from one peer to another. Counts begin at the match's first tick and
/// stop at its end.
typedef struct bks_lab_link_result {
    uint64_t packets; ///< packets sent, lost ones too
    /// Bytes of the sent packets, with 28 bytes of IP and UDP headers for each.
    uint64_t bytes;
    uint64_t delivered;      ///< packets that arrived, second copies included
    uint64_t transit_ns_sum; ///< sum of the times that the delivered packets were under way, in ns
} bks_lab_link_result;

/// Result of a stream beside the match.
typedef struct bks_lab_bulk_result {
    uint32_t from;            ///< number of the peer that writes the stream
    uint32_t to;              ///< number of the peer that reads the stream
    uint64_t bytes;           ///< number of bytes to write
    uint64_t arrived;         ///< number of bytes read by the end of the match
    uint64_t rate_bits_per_s; ///< rate of the stream's link when the stream began; 0: no limit
    /// Time from the stream's beginning until all bytes were read, in ns; 0: not finished.
    uint64_t took_ns;
} bks_lab_bulk_result;

/// Result of a watcher.
typedef struct bks_lab_watcher_result {
    uint32_t peer;   ///< peer to which it came first
    uint32_t source; ///< peer from which it got its newest tick, or which it asked last
    /// First tick of its recording, BKS_TICK_NONE: it got none.
    bks_tick first_tick;
    bks_tick end_tick; ///< one past the newest tick of its recording; 0: it got none
    uint32_t turns;    ///< number of times that it went on with another source
    /// Time by which its newest tick was behind the newest one that was final at its source, in ns
    /// at the match's tick rate: mean over the time in which it had a first state.
    uint64_t behind_ns_mean;
    uint64_t behind_ns_max; ///< maximum of the same
    bool has_come;          ///< true if it came before the match was over
    bool has_ended;         ///< true if it left, or its feed ended
    const char *text;       ///< how the feed is, or why it ended, static
} bks_lab_watcher_result;

/// Count of a fault that fired, or of a moment: a situation that does not arise in every match.
typedef struct bks_lab_count {
    const char *name; ///< name of the fault or moment as in JSON, static
    /// Count: for a link's fault, packets over all links; for a planted fault, times it had an
    /// effect; for a moment, times over all peers.
    uint64_t count;
} bks_lab_count;

/// Result of a planted flip.
typedef struct bks_lab_flip_result {
    uint32_t peer; ///< peer whose state was changed
    /// Tick of the flip: the bit flips each time that the state of this tick is made, or once, in a
    /// state that is made after this tick is final.
    bks_tick tick;
    /// Offset of the byte from the state's start; 0 while the seed has not chosen.
    uint64_t offset_bytes;
    uint32_t bit; ///< index of the flipped bit in its byte, 0..7
    /// Tick of the state in which the bit was last changed, BKS_TICK_NONE: the bit was never
    /// changed.
    bks_tick flipped_tick;
    /// True if the peer made the state of this tick. For a flip that happens once: true if a hash
    /// of a later tick shows the flip; the bit may be overwritten before that.
    bool is_reached;
    bool is_beyond; ///< true if the byte lay after the bytes in use, so nothing changed
    /// Size in bytes of the state at that tick, 0 if the tick was not reached.
    uint64_t used_bytes;
    bool is_named;       ///< true if `place` is filled in: see bks_lab_config.history_bytes
    bks_map_place place; ///< place of the bit, in the state before it changed
} bks_lab_flip_result;

/// Description of the first difference between peers' states.
typedef struct bks_lab_difference {
    /// True if the other fields are filled in: see bks_lab_config.history_bytes.
    bool is_named;

    /// First mark at which the states differ, in the tick before desync_tick. "(start)": the
    /// difference is in the match's first tick, or a bit was flipped in the state at a tick's
    /// start; "(end)": it arises after the last mark; "(step)": it is gone when the tick is stepped
    /// again.
    char mark[BKS_LAB_MARK_BYTES];
    /// First value that differs; padding, free space or bookkeeping only if no value differs.
    bks_map_place place;
    uint32_t value_peers; ///< one bit for each peer: 1 if `values` has its value
    char values[BKS_PEERS_MAX][BKS_LAB_VALUE_BYTES]; ///< the differing value on each peer, as text
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
    /// One sentence if the match is over and `agreed` is false, else "".
    char reason[192];
    /// Number of ticks whose hashes every peer in the match published, 0..ticks, without the ticks
    /// counted in `in_spans`.
    bks_tick compared;
    /// Number of ticks at which some peer's state was wrong until a repair: see `repairs`.
    bks_tick in_spans;
    bool has_final_hash; ///< true when final_hash is known
    /// Hash of the state after the last tick, on the lowest peer that is still in the match.
    uint64_t final_hash;
    uint64_t packets;      ///< packets sent by all peers, also lost and undeliverable ones
    uint64_t packet_bytes; ///< bytes of the packets sent
    /// XXH3-64 over all bytes of the packets in order, with sender, receiver and time: two labs
    /// with the same digest sent the same packets.
    uint64_t packet_digest;
    /// Time from the lab's beginning to the first tick of the earliest peer, in ns.
    uint64_t connect_ns;
    /// Time from the first tick of the earliest peer to the match's end, or to now, in ns.
    uint64_t match_ns;
    /// First tick whose hashes differ between two peers that must have equal hashes; BKS_TICK_NONE:
    /// none.
    bks_tick desync_tick;
    /// Tick that a peer had reached when it noticed the desync, for the peer that noticed it first;
    /// BKS_TICK_NONE: no peer noticed.
    bks_tick desync_found_tick;
    /// One bit for each peer: 1 if its hash is not that of the majority. On a tie the group that
    /// includes the lowest peer counts as the majority.
    uint32_t desync_peers;
    /// Number of sides of a split that still play at the end, each a match of its own; 1 if there
    /// was no split or it healed, 0: no peer is left.
    uint32_t side_count;
    /// Sides of the split, ordered by lowest peer, each with one bit for each of its peers; peers
    /// that crashed, left or were dropped are on no side.
    uint32_t sides[BKS_PEERS_MAX];
    uint32_t fault_count; ///< length of `faults`
    /// Counts of faults by their name in a spec; also "queue": the lab's memory for a link was
    /// full.
    bks_lab_count faults[BKS_LAB_FAULTS_MAX];
    uint32_t moment_count; ///< length of `moments`
    /// Counts of moments, which are situations that do not arise in every match.
    bks_lab_count moments[BKS_LAB_MOMENTS_MAX];
    uint32_t peer_count;                      ///< length of `peers`
    bks_lab_peer_result peers[BKS_PEERS_MAX]; ///< results by peer
    /// Packets of each link, by sender and receiver.
    bks_lab_link_result links[BKS_PEERS_MAX][BKS_PEERS_MAX];
    uint32_t flip_count;                      ///< length of `flips`
    bks_lab_flip_result flips[BKS_PEERS_MAX]; ///< results of planted flips, by peer
    /// Description of the difference at desync_tick.
    bks_lab_difference difference;
    uint32_t bulk_count; ///< length of `bulk`
    /// Results of streams, in the order of bks_lab_bulk().
    bks_lab_bulk_result bulk[BKS_LAB_BULKS_MAX];
    uint32_t repair_count; ///< length of `repairs`
    /// The first repairs, by tick and peer: see BKS_ON_DESYNC_RESYNC.
    bks_repair repairs[BKS_LAB_REPAIRS_MAX];
    uint32_t watcher_count; ///< length of `watchers`
    /// Results of watchers, in the order of bks_lab_watch().
    bks_lab_watcher_result watchers[BKS_LAB_WATCHERS_MAX];
} bks_lab_result;

/// Get the result so far.
/// @param out  receives the result, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_lab_outcome(const bks_lab *lab, bks_lab_result *out);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_LAB_H
