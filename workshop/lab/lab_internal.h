// SPDX-License-Identifier: MIT

/// @file lab_internal.h
/// The struct of the lab, and functions that the files of the lab share.

#ifndef BKSI_LAB_INTERNAL_H
#define BKSI_LAB_INTERNAL_H

#include "backstitch/det.h"
#include "backstitch/toolkit/links.h"
#include "lab/lab_liar.h"
#include "lab/lab_link.h"

/// Kinds of things that happen in a match and are counted.
typedef enum lab_moment {
    LAB_MOMENT_HANDOVER,  ///< another host took over the match
    LAB_MOMENT_RELAYED,   ///< packets were carried between peers that do not hear each other
    LAB_MOMENT_REBIND,    ///< a peer moved to a new address, and the others followed
    LAB_MOMENT_EARLY_END, ///< a resimulation ended before the present
    LAB_MOMENT_ROLLBACK,
    LAB_MOMENT_STARVED,
    LAB_MOMENT_RESUMED,
    LAB_MOMENT_STALL,
    LAB_MOMENT_SILENT,
    LAB_MOMENT_BACK,
    LAB_MOMENT_DELAY_RAISED,
    LAB_MOMENT_DELAY_LOWERED,
    LAB_MOMENT_CATCH_UP, ///< an update stepped several new ticks
    LAB_MOMENT_DESYNC,
    LAB_MOMENT_VIEW,         ///< a peer saw others leave
    LAB_MOMENT_DROPPED,      ///< a peer learnt that the others dropped it
    LAB_MOMENT_SPLIT,        ///< two living peers came to be in views without each other
    LAB_MOMENT_REUNION,      ///< the smaller side of a split met the larger one, and ended
    LAB_MOMENT_HOST_CRASH,   ///< the host of a view crashed
    LAB_MOMENT_TWIN_CRASH,   ///< two peers crashed within one round trip of each other
    LAB_MOMENT_SLOW,         ///< a peer learnt that it or another peer is slow
    LAB_MOMENT_NARROW,       ///< a peer learnt that its line is too narrow
    LAB_MOMENT_BALLOT_CRASH, ///< a member crashed during a ballot
    LAB_MOMENT_STOPPED,      ///< a host stopped its match because states differ
    LAB_MOMENT_REPAIRED,     ///< a peer's state was repaired, or became right by itself
    LAB_MOMENT_PAUSED,       ///< a peer paused, because some peer wanted it
    LAB_MOMENT_SPEED,        ///< a peer changed its speed, or was refused a pause or speed
    LAB_MOMENT_COUNT,
} lab_moment;

typedef struct lab_peer {
    bks_lab *lab;
    bks_peer *peer;
    bks_session *session; ///< session inside `peer`
    uint64_t wake_ns;     ///< time of the peer's next update

    /// Time between two rounds of the peer's game loop; 0: the loop has no rounds.
    uint64_t frame_ns;
    uint64_t first_frame_ns;
    uint64_t busy_until_ns; ///< end of the peer's pause or work; no packet reaches the peer earlier
    uint64_t work_ns;       ///< modelled cost so far of the operations in the present update
    uint64_t spent_ns;      ///< part of `work_ns` that passes in virtual time
    uint64_t work_ns_sum;   ///< sum of `work_ns` over all updates
    uint64_t work_ns_max;   ///< greatest `work_ns` of an update
    bksi_lab_liar liar;
    uint64_t forges_until_ns;
    bool is_crashed;
    uint64_t crashed_ns; ///< time of the crash
    bool is_leaving;     ///< the peer says goodbye before its next update
    /// Speed in percent that the peer wants before its next update; 0: none.
    uint32_t wanted_percent;
    bool wants_pause;  ///< the peer wants a pause before its next update
    bool wants_resume; ///< the peer wants to end the pause before its next update
    bool has_paused;   ///< the peer has wanted a pause
    bool has_resumed;  ///< the peer has wanted to end its newest pause
    /// Time at which the peer ends the pause that it wanted; UINT64_MAX: it wanted none.
    uint64_t resumes_ns;
    bool has_left;       ///< the peer said goodbye before its match was over
    uint64_t goodbye_ns; ///< time of the goodbye
    uint64_t seated_ns;  ///< time at which the host gave this guest its seat
    /// By other peer: time at which it learnt before the start that this peer left; 0: it did not.
    uint64_t missed_ns[BKS_PEERS_MAX];
    /// True if this peer knows that the others dropped it, or that its host fell silent.
    bool is_out;
    bool is_in_at_end;    ///< the peer was in the match when the match ended
    uint32_t rebinds;     ///< number of changes of the peer's address
    int64_t drift_ppm;    ///< ppm by which the peer's clock is too fast
    int64_t wall_jump_ns; ///< sum of the jumps of the peer's wall clock
    uint32_t view;        ///< number of the newest view of the peer that was counted as a moment
    /// Number of updates in a row after which the peer asked for another update at once.
    uint32_t immediate_updates;
    bool is_starved;
    bool has_begun;         ///< the peer has stepped its first tick
    uint64_t first_tick_ns; ///< time of the peer's first tick
    uint64_t allocations;   ///< allocations since the first tick
    bks_tick hash_count;    ///< number of ticks, from 0 on, whose hashes are in `hashes`
    uint64_t *hashes;       ///< hash of the state at each tick, for ticks + 1 ticks
    /// For each of `hash_count` ticks: hash over all inputs before that tick.
    uint64_t *chains;
    bks_lab_finding finding; ///< first desync that the peer found by itself
    uint64_t found_ns;       ///< time at which the peer found the desync in `finding`
    /// Tick before which the peer's match ends early because states differ; 0: it does not.
    bks_tick stop_tick;
    bool has_open_desync; ///< the peer has reported a difference, and seen no repair since
    uint32_t
        overdue_updates; ///< updates in a row in which the host did not act as its policy demands
    char failure[128];   ///< reason why the peer failed, "" if it did not
    bks_lab_peer_result end; ///< result of the peer when the match has ended
} lab_peer;

/// Next packet that reaches a peer.
typedef struct lab_arrival {
    uint64_t time_ns; ///< time of arrival; UINT64_MAX: no packet is under way
    uint32_t from;
} lab_arrival;

/// Stream of bytes beside the match, from one peer to another.
typedef struct lab_bulk {
    bks_lab_bulk_spec spec;
    uint64_t rate_bits_per_s; ///< rate of the stream's link when the stream began; 0: no limit
    uint64_t begun_ns;        ///< time at which the stream began; 0: not yet
    uint64_t moved_ns;        ///< time at which bytes were last read, or the stream began
    uint64_t done_ns;         ///< time at which all bytes were read; 0: not yet
    uint64_t written;
    uint64_t read;
} lab_bulk;

/// Comparison of two peers' confirmed ticks while both are in one view.
typedef struct lab_finding {
    bks_tick compared; ///< number of ticks, from 0 on, that have been compared
    bool is_there;
    bks_tick tick; ///< first tick at which the hashes differ
    /// For each of the two peers: number of packets with inputs of the other that it had received
    /// when both had the tick.
    uint64_t packets_before[BKS_PEERS_MAX];
} lab_finding;

struct bks_lab {
    bks_lab_config config;
    bks_lab_faults faults;  ///< planted faults, sorted by time once the match runs
    uint32_t lobby_faults;  ///< number of faults in the lobby, which come first in `faults`
    uint32_t lobby_done;    ///< number of faults in the lobby that have begun
    uint32_t faults_done;   ///< index of the next fault that is not in the lobby
    uint64_t first_tick_ns; ///< time of the first tick that any peer stepped; UINT64_MAX: none yet
    uint64_t now_ns;
    uint32_t acting;   ///< peer that is updated or gets a packet now; BKS_PEERS_MAX: none
    uint64_t limit_ns; ///< time at which the lab gives the match up
    bool has_begun;    ///< the match has begun: links and faults can no longer be set
    bool is_over;      ///< the match has ended, `end` of each peer is filled in
    /// True if the match has ended and the peers have sent each other their last messages.
    bool is_closed;
    uint64_t end_ns; ///< time at which the match ended
    lab_peer peers[BKS_PEERS_MAX];
    bksi_lab_link *links[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< link from each sender to each receiver
    /// By sender and receiver: true if the spec of the link was given for this pair alone.
    bool is_own_link[BKS_PEERS_MAX][BKS_PEERS_MAX];
    lab_arrival arrivals[BKS_PEERS_MAX]; ///< next packet that reaches each receiver
    uint32_t bulk_count;
    lab_bulk bulk[BKS_LAB_BULKS_MAX];
    struct lab_feed *feed; ///< watchers and their sources; NULL: no watchers
    /// Traffic of the match, by sender and receiver.
    bks_lab_link_result traffic[BKS_PEERS_MAX][BKS_PEERS_MAX];
    uint64_t packets;       ///< packets that peers handed out so far
    uint64_t packet_bytes;  ///< bytes in all packets that peers handed out
    uint64_t packet_digest; ///< digest over all packets that peers handed out
    uint64_t *hashes;       ///< memory of all peers' `hashes` and `chains`
    size_t hashes_bytes;
    /// Difference of each pair of peers. The lower peer is the first index.
    lab_finding findings[BKS_PEERS_MAX][BKS_PEERS_MAX];

    /// States retained to name differences; NULL: none.
    struct bksi_lab_history *history;
    struct bksi_lab_naming *naming; ///< data for naming differences; NULL: none
    uint32_t repair_count;
    bks_repair repairs[BKS_LAB_REPAIRS_MAX]; ///< repairs of all peers, sorted by tick and peer
    uint64_t moments[LAB_MOMENT_COUNT];
    char invariant_error[160]; ///< first broken invariant or failure of a game; "" without one
};

/// Return true if a peer has stopped playing by itself: it crashed, said goodbye, or forges.
bool bksi_lab_is_gone(const lab_peer *peer);

/// Return true if a peer is in the match, or was in it when the match ended. Such a peer did not
/// crash or leave, and was not dropped.
bool bksi_lab_is_in(const bks_lab *lab, uint32_t index);

/// Return the tick before which a peer's match ends, as far as the peer knows: its length, or the
/// tick of an early stop.
bks_tick bksi_lab_end_of(const bks_lab *lab, uint32_t index);

/// Return the earliest tick before which the match ends for a peer that is in the match; the
/// match's length if no peer is left.
bks_tick bksi_lab_end(const bks_lab *lab);

/// Return what a peer has confirmed so far: its hashes, inputs, view and repairs.
bks_lab_story bksi_lab_story_of(const bks_lab *lab, uint32_t index);

/// Return the number of ticks, from 0 on, whose hashes two peers both have.
static inline bks_tick bksi_lab_shared_ticks(const lab_peer *a, const lab_peer *b)
{
    return a->hash_count < b->hash_count ? a->hash_count : b->hash_count;
}

/// Return true if a stream goes from one peer to another.
bool bksi_lab_has_bulk(const bks_lab *lab, uint32_t from, uint32_t to);

/// Record a broken invariant or a failure of a game. Only the first one is recorded.
void bksi_lab_fail(bks_lab *lab, const char *format, ...) BKS_PRINTF(2, 3);

// ---- configs and random numbers ----

/// Streams of random numbers that the seed of a match splits into.
typedef enum lab_stream {
    LAB_STREAM_IDS = 1,     ///< match key, nonces and secrets of the peers
    LAB_STREAM_PHASE = 2,   ///< time of each peer's first update
    LAB_STREAM_FLIP = 3,    ///< byte that a planted bit flip hits
    LAB_STREAM_FORGE = 10,  ///< forged messages: one stream for each peer from this number on
    LAB_STREAM_LINKS = 100, ///< links: one stream for each direction from this number on
    LAB_STREAM_FEED = 200,  ///< secrets of sources and watchers
    LAB_STREAM_LINES = 300, ///< lines of watchers: one stream for each from this number on
} lab_stream;

/// Return the generator of one stream of random numbers.
bks_random bksi_lab_random(uint64_t seed, uint64_t stream);

/// Draw 32 random bytes.
void bksi_lab_draw_key(bks_random *random, uint8_t key[BKS_KEY_BYTES]);

/// Return the config of one peer, as bks_lab_peer_config() does, from a config that was checked.
bks_peer_config bksi_lab_peer_config_of(const bks_lab_config *config, uint32_t index);

/// Return the tuning of one peer's session.
bks_tuning bksi_lab_tuning_of(const bks_lab_config *config, uint32_t index);

/// Return the virtual time at which a match is given up.
uint64_t bksi_lab_limit_ns(const bks_lab_config *config);

/// Return the address that a peer sends from.
/// @param rebinds  number of changes of the address so far
bks_address bksi_lab_address(uint32_t peer, uint32_t rebinds);

// ---- links between peers ----

/// Replace the links of all pairs without a spec of their own.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_lab_links_set(bks_lab *lab, const bks_lab_link_spec *spec, bks_error *error);

/// Make room on links whose rate a fault will raise above the rate for which the link was created:
/// replace each of them by a link that has room for more packets. Call this function before the
/// match.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_lab_links_fit(bks_lab *lab, bks_error *error);

void bksi_lab_links_destroy(bks_lab *lab);

/// Make every link perfect from now on.
void bksi_lab_links_heal(bks_lab *lab);

/// Let a fault change the links between its two peers.
/// @return true if a link changed
bool bksi_lab_links_change(bks_lab *lab, const bks_lab_timed *fault);

// ---- planted faults ----

/// Convert a time of the lab to a peer's clock.
uint64_t bksi_lab_to_peer_time(const lab_peer *peer, uint64_t lab_ns);

/// Return the first time of the lab at which a peer's clock shows at least `peer_ns`.
uint64_t bksi_lab_from_peer_time(const lab_peer *peer, uint64_t peer_ns);

/// Read a peer's wall clock, which measures its costs. `context` is the lab_peer.
uint64_t bksi_lab_peer_clock(void *context);

/// Sort the faults and start those that last for the whole match. No fault may be added afterwards.
void bksi_lab_faults_begin(bks_lab *lab);

/// Return the time at which the next fault begins; UINT64_MAX: none is left, or the first tick is
/// not stepped yet.
uint64_t bksi_lab_faults_next(const bks_lab *lab);

/// Begin the next fault, which is due now.
void bksi_lab_faults_act(bks_lab *lab);

/// Let a peer that is leaving say goodbye now.
void bksi_lab_say_goodbye(lab_peer *peer);

/// Let a peer that wants a pause, its end or another speed call its session now.
void bksi_lab_call_speed(lab_peer *peer);

/// Return how much longer a match may take because of its pauses and speeds, in ns.
uint64_t bksi_lab_longer_ns(const bks_lab *lab);

/// Return true if a fault drops a packet that is sent now.
bool bksi_lab_faults_block(bks_lab *lab, uint32_t from, uint32_t to);

/// Return true if all sends of a peer fail now.
bool bksi_lab_faults_silence(const bks_lab *lab, uint32_t peer);

/// Return the time that faults add to making the state of a peer's first tick, in ns.
uint64_t bksi_lab_faults_loading(bks_lab *lab, uint32_t index);
/// Return the factor by which faults multiply the cost of a peer's steps now, in thousandths; 0:
/// the peer is not slow. Call this once for each step, because it counts the effect of each fault.
uint64_t bksi_lab_faults_slowness(bks_lab *lab, uint32_t index);

/// Return the number of faults of a kind that had an effect.
uint64_t bksi_lab_faults_fired(const bks_lab *lab, bks_lab_fault_kind kind);

// ---- modelled costs of operations ----

/// Return the cost of an operation by a model instead of a clock, so that a seed always gives the
/// same match. `context` is the lab_peer.
uint64_t bksi_lab_op_cost(void *context, bks_op_kind kind, size_t state_bytes);

/// End the work of an update: the peer stays busy for the modelled time.
void bksi_lab_end_work(lab_peer *peer);

// ---- streams of bytes beside the match ----

/// Write and read the streams of a peer, after its update and before it sends.
void bksi_lab_bulk_run(bks_lab *lab, uint32_t peer);

// ---- invariants and counters ----

/// Progress of a peer before an update, to compare with afterwards.
typedef struct lab_before {
    bks_tick tick;
    bks_tick confirmed;
    bks_tick published;
    uint32_t delay;
} lab_before;

lab_before bksi_lab_watch_before(const lab_peer *peer);

/// Check the invariants after an update, count moments and copy new hashes.
void bksi_lab_watch_after(bks_lab *lab, uint32_t index, const lab_before *before);

/// Count an event of a peer, and check that a reported desync exists.
void bksi_lab_watch_event(bks_lab *lab, uint32_t index, const bks_event *event);

/// Check that a peer does not ask for immediate updates without end.
void bksi_lab_watch_wake(bks_lab *lab, uint32_t index);

/// Count the moments that the crash of a peer brings about. Call this just before the crash.
void bksi_lab_watch_crash(bks_lab *lab, uint32_t index);

/// Return how often a kind of moment happened.
uint64_t bksi_lab_moment(const bks_lab *lab, lab_moment moment);

/// Check after an update that a host which reported a difference has stopped the match or called a
/// meeting, as tuning.on_desync demands.
void bksi_lab_policy_watch(bks_lab *lab, uint32_t index);

/// Check the event by which a peer reports that the match stops early.
void bksi_lab_policy_watch_stop(bks_lab *lab, uint32_t index, const bks_event *event);

/// Check that a peer has found its differences from the others in its view if it has received
/// enough packets since. Call this after each update.
void bksi_lab_findings_watch(bks_lab *lab, uint32_t index);

/// Return true if a lie mattered: two peers confirmed different inputs of the liar. A lie does not
/// matter if the true inputs came first, by another path.
bool bksi_lab_lie_mattered(const bks_lab *lab, uint32_t liar);

/// Return true if a forgery mattered: two peers confirmed different inputs since a peer began to
/// forge its own.
bool bksi_lab_forgery_mattered(const bks_lab *lab, uint32_t forger);

// ---- comparison of what peers confirmed ----

/// Return the last tick up to which two peers must have the same states. Every peer that left
/// before this tick left at the same tick in both views. INT32_MAX: both are in one view.
bks_tick bksi_lab_same_until(const bks_roster *a, const bks_roster *b);

/// Compare as bks_lab_compare() does, with valid arguments.
bks_lab_comparison bksi_lab_compare_stories(const bks_lab_story *peers, uint32_t peer_count,
                                            bks_tick ticks);

/// Copy the hashes that a session has published since the last call.
/// @param hashes  hashes by tick, room for ticks + 1
/// @param count   number of hashes copied so far; is increased
void bksi_lab_collect_hashes(const bks_session *session, bks_tick ticks, uint64_t *hashes,
                             bks_tick *count);

// ---- names of differences ----

/// Allocate memory for naming differences if config.history_bytes is above 0. The peers must exist.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, or the error of creating another runner of the game
bks_status bksi_lab_naming_create(bks_lab *lab, bks_error *error);
void bksi_lab_naming_destroy(bks_lab *lab);

/// After an update of a peer, find the name of each new difference between this peer and the
/// others.
void bksi_lab_naming_watch(bks_lab *lab, uint32_t index);

/// Fill in the flips and the name of the difference, whose tick and peers are already in `out`.
void bksi_lab_naming_fill(const bks_lab *lab, bks_lab_result *out);

// ---- result of a match ----

/// Collect the present result of a peer.
void bksi_lab_collect_result(const lab_peer *peer, bks_lab_peer_result *out);

#endif
