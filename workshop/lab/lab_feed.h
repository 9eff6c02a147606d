// SPDX-License-Identifier: MIT

/// @file lab_feed.h
/// Watchers of a match in the lab. Each peer has a source as in a real match, and each watcher
/// updates 60 times a second, as a program that draws. They have lines and random numbers of their
/// own, and nothing of them reaches the match.

#ifndef BKSI_LAB_FEED_H
#define BKSI_LAB_FEED_H

#include "feed/feed_receiver.h"
#include "lab/lab_internal.h"
#include "match/watching.h"

/// Most parts of a watcher's recording, each from one source, that are remembered.
#define LAB_FEED_PARTS_MAX 16

/// Most second opinions of a watcher that are remembered.
#define LAB_FEED_OPINIONS_MAX 16

/// Part of a watcher's recording that came from one source.
typedef struct lab_feed_part {
    uint32_t peer;
    bks_tick first;
} lab_feed_part;

typedef struct lab_watcher {
    bks_lab_watch_spec spec;
    uint32_t index;
    bool has_come;
    bool has_left; ///< it left at the time of its spec
    bool has_ended;
    uint64_t wake_ns; ///< time of its next update, once it has come
    uint64_t end_ns;  ///< time at which it leaves; UINT64_MAX: it stays
    bksi_feed_receiver receiver;
    /// Lines to and from each peer; NULL: never used.
    bksi_lab_link *lines[BKS_PEERS_MAX][2];
    bks_tick next; ///< end of its recording when it was last updated
    uint32_t part_count;
    lab_feed_part parts[LAB_FEED_PARTS_MAX];
    uint32_t opinion_count;
    bksi_feed_opinion opinions[LAB_FEED_OPINIONS_MAX];
    uint64_t moved_ns;   ///< time since which it lacks ticks that it could have
    bks_tick settled;    ///< ticks that its source has settled
    uint64_t settled_ns; ///< time at which its source settled a tick last
    bool is_astray;      ///< since then its source did not run, or it looked for another
    bool was_lost;       ///< since its newest tick a source that it asked did not run
    /// Longest time for which it lacked ticks that it could have, with a source that runs [0] and
    /// while it had none [1].
    uint64_t waited_ns[2];
    uint64_t looks; ///< number of updates for which it was measured how far behind it is
    uint64_t behind_ticks_sum;
    bks_tick behind_ticks_max;
} lab_watcher;

/// Source of a peer.
typedef struct lab_feed_source {
    bks_lab *lab;
    uint32_t peer;
    bksi_watching watching;
    uint64_t wake_ns;   ///< time at which it sends next
    uint64_t closes_ns; ///< latest time at which its program ends; UINT64_MAX: the match goes on
    bool is_closed;     ///< its program has ended
    bks_tick end;       ///< end of its complete recording
} lab_feed_source;

typedef struct lab_feed {
    lab_feed_source sources[BKS_PEERS_MAX];
    uint32_t watcher_count;
    lab_watcher watchers[BKS_LAB_WATCHERS_MAX];
} lab_feed;

// The functions do nothing in a lab without watchers.

void bksi_lab_feed_destroy(bks_lab *lab);

/// Take what an update of a peer has settled, and send what is due. Call this after the peer has
/// sent all that it wants.
void bksi_lab_feed_update(bks_lab *lab, uint32_t peer);

/// Let the program of a peer leave the match: complete its recording for watchers. Call this before
/// the peer says goodbye.
void bksi_lab_feed_close(bks_lab *lab, uint32_t peer);

/// Return the time at which a watcher updates or a source sends next; UINT64_MAX: none does.
uint64_t bksi_lab_feed_next(const bks_lab *lab);

/// Update the watchers and let the sources send whose time has come.
void bksi_lab_feed_act(bks_lab *lab);

/// Close all sources after the match, and run until all watchers have ended or have waited long.
void bksi_lab_feed_finish(bks_lab *lab);

void bksi_lab_feed_fill(const bks_lab *lab, bks_lab_result *out);

#endif
