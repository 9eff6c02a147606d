// SPDX-License-Identifier: MIT

/// @file lab_internal.h
/// The lab's own struct, and what each of its files may ask of it (lab_state.c).

#ifndef BKSI_LAB_INTERNAL_H
#define BKSI_LAB_INTERNAL_H

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

/// Whether a stream goes from one peer to another.
bool bksi_lab_has_bulk(const bks_lab *lab, uint32_t from, uint32_t to);

/// Something that must hold did not, or a game failed. Only what happened first is kept.
void bksi_lab_break(bks_lab *lab, const char *format, ...) BKS_PRINTF(2, 3);

#endif
