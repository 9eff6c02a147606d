// SPDX-License-Identifier: MIT

/// @file lab_internal.h
/// The lab's struct, and the functions by which its files serve each other.

#ifndef BKSI_LAB_INTERNAL_H
#define BKSI_LAB_INTERNAL_H

#include "backstitch/det.h"
#include "backstitch/toolkit/links.h"
#include "lab/lab_liar.h"
#include "lab/lab_link.h"

/// What can happen in a match, counted.
typedef enum lab_moment {
    LAB_MOMENT_HANDOVER,  ///< another host took over
    LAB_MOMENT_RELAYED,   ///< packets carried between peers that do not hear each other
    LAB_MOMENT_REBIND,    ///< a peer was followed to its new address
    LAB_MOMENT_EARLY_END, ///< a resimulation ended before the present
    LAB_MOMENT_ROLLBACK,
    LAB_MOMENT_STARVED,
    LAB_MOMENT_RESUMED,
    LAB_MOMENT_STALL,
    LAB_MOMENT_SILENT,
    LAB_MOMENT_BACK,
    LAB_MOMENT_DELAY_RAISED,
    LAB_MOMENT_DELAY_LOWERED,
    LAB_MOMENT_CATCH_UP, ///< an update with several new ticks
    LAB_MOMENT_DESYNC,
    LAB_MOMENT_VIEW,       ///< a peer saw others leave
    LAB_MOMENT_DROPPED,    ///< a peer learnt that the others dropped it
    LAB_MOMENT_SPLIT,      ///< a peer entered a view without another that lives, in one without it
    LAB_MOMENT_REUNION,    ///< the smaller side of a split met the other, and ended
    LAB_MOMENT_HOST_CRASH, ///< a peer crashed that was the host in its view
    LAB_MOMENT_TWIN_CRASH, ///< two peers crashed within one round trip between them
    LAB_MOMENT_SLOW,       ///< a peer heard that it or another is slow
    LAB_MOMENT_NARROW,     ///< a peer heard that its line is too narrow
    LAB_MOMENT_BALLOT_CRASH, ///< a member crashed while a ballot was going on
    LAB_MOMENT_STOPPED,      ///< a host stopped its match, as states differ
    LAB_MOMENT_REPAIRED,     ///< a peer's state was repaired, or had healed
    LAB_MOMENT_COUNT,
} lab_moment;

typedef struct lab_peer {
    bks_lab *lab;
    bks_peer *peer;
    bks_session *session; ///< the one inside
    uint64_t wake_ns;     ///< when it wants its next update
    uint64_t frame_ns;    ///< between two frames of its loop, 0: it has none
    uint64_t first_frame_ns;
    uint64_t busy_until_ns; ///< paused or at work: nothing reaches it before
    uint64_t work_ns;       ///< what this update's operations cost so far
    uint64_t spent_ns;      ///< the part of it that takes time
    uint64_t work_ns_sum;   ///< of all updates
    uint64_t work_ns_max;   ///< of one
    bksi_lab_liar liar;
    uint64_t forges_until_ns;
    bool is_crashed;
    uint64_t crashed_ns;               ///< when
    bool is_leaving;                   ///< it says goodbye before its next update
    bool has_left;                     ///< by goodbye, before its match was over
    uint64_t goodbye_ns;               ///< when it said it
    uint64_t seated_ns;                ///< guest: since when it has a seat, as the host sees it
    uint64_t missed_ns[BKS_PEERS_MAX]; ///< when each peer learnt, before the start, that it left
    bool is_out;          ///< the others dropped it, or its host fell silent, and it knows
    bool is_in_at_end;    ///< it was in the match when that ended
    uint32_t rebinds;     ///< so often its address changed
    int64_t drift_ppm;    ///< by how much its clock is too fast
    int64_t wall_jump_ns; ///< so far its wall clock jumped
    uint32_t view;        ///< the newest that was counted
    uint32_t hurries;     ///< updates in a row after which it wanted the next at once
    bool is_starved;
    bool has_begun;          ///< stepped its first tick
    uint64_t first_tick_ns;  ///< when
    uint64_t allocations;    ///< since
    bks_tick hash_count;     ///< ticks from 0 on whose hashes are in `hashes`
    uint64_t *hashes;        ///< ticks + 1 of them
    uint64_t *chains;        ///< `hash_count` of them: over all inputs before the tick
    bks_lab_finding finding; ///< the first desync that it found
    uint64_t found_ns;       ///< when
    bks_tick stop_tick;      ///< its match ends before this tick, as states differ; 0: it does not
    bool has_open;           ///< it reported a difference, and no repair since
    uint32_t owed;           ///< updates in a row after which it had not done what a host must
    char trouble[128];       ///< why it failed, "" when it did not
    bks_lab_peer_result end; ///< as the match ended
} lab_peer;

/// When the next packet reaches a peer, and from whom.
typedef struct lab_arrival {
    uint64_t time_ns; ///< UINT64_MAX: none is under way
    uint32_t from;
} lab_arrival;

/// A stream beside the match, from one peer to another.
typedef struct lab_bulk {
    bks_lab_bulk_spec spec;
    uint64_t rate_bits_per_s; ///< of its link when it began; 0: no limit
    uint64_t begun_ns;        ///< 0: not yet
    uint64_t moved_ns;        ///< bytes were last read, or it began
    uint64_t done_ns;         ///< all is read; 0: not yet
    uint64_t written;
    uint64_t read;
} lab_bulk;

/// Two peers that confirmed a tick differently, while they were together in one view.
typedef struct lab_finding {
    bks_tick compared; ///< ticks from 0 on that are
    bool is_there;
    bool inputs_differ; ///< not just the states
    bks_tick tick;      ///< the first whose hashes differ
    uint64_t
        heard[BKS_PEERS_MAX]; ///< by either: packets with inputs of the other before both had it
} lab_finding;

struct bks_lab {
    bks_lab_config config;
    bks_lab_faults faults;  ///< by their times once the match runs
    uint32_t lobby_faults;  ///< that many come first in `faults`, by the time since the beginning
    uint32_t lobby_done;    ///< of them have begun
    uint32_t faults_done;   ///< all before it that are not of the lobby have begun
    uint64_t first_tick_ns; ///< of the earliest peer; UINT64_MAX before
    uint64_t now_ns;
    uint32_t acting;   ///< the peer that is updated now, or gets a packet; BKS_PEERS_MAX: none
    uint64_t limit_ns; ///< when the match is given up
    bool has_begun;    ///< links and faults are settled
    bool is_over;      ///< the match has ended, `end` is filled in
    bool is_closed;    ///< and the peers have sent what they owed each other
    uint64_t end_ns;   ///< when the match ended
    lab_peer peers[BKS_PEERS_MAX];
    bksi_lab_link *links[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< from, to
    bool is_own_link[BKS_PEERS_MAX][BKS_PEERS_MAX];     ///< its spec was for this pair alone
    lab_arrival arrivals[BKS_PEERS_MAX];                ///< by receiver
    uint32_t bulk_count;
    lab_bulk bulk[BKS_LAB_BULKS_MAX];
    bks_lab_link_result traffic[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< from, to; of the match
    uint64_t packets;                                          ///< handed out so far, by all peers
    uint64_t packet_bytes;                                     ///< in them
    uint64_t packet_digest;                                    ///< over them
    uint64_t *hashes; ///< the memory behind the peers' hashes and chains
    size_t hashes_bytes;
    lab_finding findings[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< the lower peer first
    struct bksi_lab_history *history;                   ///< NULL: no states are kept
    struct bksi_lab_naming *naming;                     ///< NULL: nothing gets a name
    uint32_t repair_count;
    bks_repair repairs[BKS_LAB_REPAIRS_MAX]; ///< by tick and peer
    uint64_t moments[LAB_MOMENT_COUNT];
    char broken[160]; ///< what must hold and did not, or whose game failed; "" otherwise
};

/// Whether a peer plays no more, of itself: it crashed, left by goodbye, or forges.
bool bksi_lab_is_gone(const lab_peer *peer);

/// Whether a peer is in the match, or was when it ended: it has not crashed or left, and was not
/// dropped.
bool bksi_lab_is_in(const bks_lab *lab, uint32_t index);

/// Where the match of a peer ends, as it knows: its length, or the tick before which it stops.
bks_tick bksi_lab_end_of(const bks_lab *lab, uint32_t index);

/// Where those end that are in the match, the first of them; its length when none is.
bks_tick bksi_lab_end(const bks_lab *lab);

/// What a peer of the lab confirmed so far.
bks_lab_story bksi_lab_story_of(const bks_lab *lab, uint32_t index);

/// Return the number of ticks, from 0 on, whose hashes two peers both have.
static inline bks_tick bksi_lab_shared_ticks(const lab_peer *a, const lab_peer *b)
{
    return a->hash_count < b->hash_count ? a->hash_count : b->hash_count;
}

/// Whether a stream goes from one peer to another.
bool bksi_lab_has_bulk(const bks_lab *lab, uint32_t from, uint32_t to);

/// Something that must hold did not, or a game failed. Only what happened first is kept.
void bksi_lab_break(bks_lab *lab, const char *format, ...) BKS_PRINTF(2, 3);

// ---- what a match is made from ----

/// Streams of random numbers that the one seed splits into.
typedef enum lab_stream {
    LAB_STREAM_IDS = 1,     ///< the match key, the peers' nonces and secrets
    LAB_STREAM_PHASE = 2,   ///< when each peer begins
    LAB_STREAM_FLIP = 3,    ///< which byte a planted fault hits
    LAB_STREAM_FORGE = 10,  ///< what a peer forges, and one for each
    LAB_STREAM_LINKS = 100, ///< and one for each direction
} lab_stream;

/// A generator of its own for each stream.
bks_random bksi_lab_random(uint64_t seed, uint64_t stream);

/// As bks_lab_peer_config(), of a config that was checked.
bks_peer_config bksi_lab_peer_config_of(const bks_lab_config *config, uint32_t index);

/// How a peer plays.
bks_tuning bksi_lab_tuning_of(const bks_lab_config *config, uint32_t index);

/// When virtual time is up for a match.
uint64_t bksi_lab_limit_ns(const bks_lab_config *config);

/// The address that a peer sends from.
/// @param rebinds  how often it has changed
bks_address bksi_lab_address(uint32_t peer, uint32_t rebinds);

// ---- links between peers ----

/// Make the links of all pairs that have none of their own, in place of those that are there.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_lab_links_set(bks_lab *lab, const bks_lab_link_spec *spec, bks_error *error);

/// Make links again that faults will make wider than they were made for. Before the match.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_lab_links_fit(bks_lab *lab, bks_error *error);

void bksi_lab_links_destroy(bks_lab *lab);

/// Every link is perfect from now on.
void bksi_lab_links_heal(bks_lab *lab);

/// What a fault says of a pair's links takes effect.
/// @return whether it had one
bool bksi_lab_links_change(bks_lab *lab, const bks_lab_timed *fault);

// ---- planted faults ----

/// A time of the lab on a peer's own clock, and the first time of the lab at which a peer's clock
/// shows at least `peer_ns`.
uint64_t bksi_lab_to_peer_time(const lab_peer *peer, uint64_t lab_ns);
uint64_t bksi_lab_from_peer_time(const lab_peer *peer, uint64_t peer_ns);

/// A peer's wall clock, by which its costs are measured. `context` is the lab_peer.
uint64_t bksi_lab_peer_clock(void *context);

/// All faults are known: the match begins.
void bksi_lab_faults_begin(bks_lab *lab);

/// When the next fault begins, UINT64_MAX when none is left or the first tick is not stepped yet.
uint64_t bksi_lab_faults_next(const bks_lab *lab);

/// It begins now.
void bksi_lab_faults_act(bks_lab *lab);

/// A peer that is leaving says goodbye now.
void bksi_lab_say_goodbye(lab_peer *peer);

/// Whether a packet that sets out now is lost to a fault.
bool bksi_lab_faults_block(bks_lab *lab, uint32_t from, uint32_t to);

/// How much longer a peer's steps take now, in thousandths; 0: it is not slow. Called for a step.
uint64_t bksi_lab_faults_slowness(bks_lab *lab, uint32_t index);

/// How many faults of a kind really had an effect.
uint64_t bksi_lab_faults_fired(const bks_lab *lab, bks_lab_fault_kind kind);

// ---- costs ----

/// What an operation costs, by a model and not by a clock, so that a seed stays a seed. `context`
/// is the lab_peer.
uint64_t bksi_lab_op_cost(void *context, bks_op_kind kind, size_t state_bytes);

/// An update has ended: keep its peer busy for its duration.
void bksi_lab_end_work(lab_peer *peer);

// ---- streams ----

/// A peer writes what is due and reads what came, after its update and before it sends.
void bksi_lab_bulk_run(bks_lab *lab, uint32_t peer);

// ---- what must hold after every update ----

/// What a peer was like before an update.
typedef struct lab_before {
    bks_tick tick;
    bks_tick confirmed;
    bks_tick published;
    uint32_t delay;
} lab_before;

lab_before bksi_lab_watch_before(const lab_peer *peer);

/// Check what must hold, count moments, take over hashes.
void bksi_lab_watch_after(bks_lab *lab, uint32_t index, const lab_before *before);

/// Count an event of a peer, and see whether it is true.
void bksi_lab_watch_event(bks_lab *lab, uint32_t index, const bks_event *event);

/// Check that a peer does not ask for immediate updates without end.
void bksi_lab_watch_wake(bks_lab *lab, uint32_t index);

/// Count the moments of a crash, which is about to happen now.
void bksi_lab_watch_crash(bks_lab *lab, uint32_t index);

/// How often a moment came.
uint64_t bksi_lab_moment(const bks_lab *lab, lab_moment moment);

/// After an update of a peer: a host that reported a difference must have stopped the match, or
/// have all meet, as tuning.on_desync says.
void bksi_lab_policy_watch(bks_lab *lab, uint32_t index);

/// A peer says where the match ends before its time.
void bksi_lab_policy_watch_stop(bks_lab *lab, uint32_t index, const bks_event *event);

/// After an update of a peer: if it differs from another in its view, it must have found that once
/// it received enough.
void bksi_lab_findings_watch(bks_lab *lab, uint32_t index);

/// Whether two peers of one view confirmed different inputs of a liar. Where the true ones came
/// first, by another path, the lie had no effect.
bool bksi_lab_lie_mattered(const bks_lab *lab, uint32_t liar);

/// Whether two others confirmed different inputs since a peer forges its own.
bool bksi_lab_forgery_mattered(const bks_lab *lab, uint32_t forger);

// ---- comparison of what peers confirmed ----

/// The last tick up to which two peers must have the same: everyone who left before it left at the
/// same tick in both their views. INT32_MAX: they are in one view.
bks_tick bksi_lab_same_until(const bks_roster *a, const bks_roster *b);

/// As bks_lab_compare(), of arguments that are right.
bks_lab_comparison bksi_lab_compare_stories(const bks_lab_story *peers, uint32_t peer_count,
                                            bks_tick ticks);

/// Take over the hashes that a session has published since.
/// @param hashes  ticks + 1 of them
/// @param count   those that are there, moves on
void bksi_lab_collect_hashes(const bks_session *session, bks_tick ticks, uint64_t *hashes,
                             bks_tick *count);

// ---- names of differences ----

/// Take the memory for names, when config.history_bytes ask for them. The peers are there.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, or why a game to step again cannot be made
bks_status bksi_lab_naming_create(bks_lab *lab, bks_error *error);
void bksi_lab_naming_destroy(bks_lab *lab);

/// After an update of a peer: name where it differs from the others.
void bksi_lab_naming_watch(bks_lab *lab, uint32_t index);

/// Fill in the flips, and the names of the difference that `out` has the tick and the peers of.
void bksi_lab_naming_fill(const bks_lab *lab, bks_lab_result *out);

// ---- the result ----

/// What a peer's result is now.
void bksi_lab_collect_result(const lab_peer *peer, bks_lab_peer_result *out);

#endif
