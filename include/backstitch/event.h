// SPDX-License-Identifier: MIT

/// @file event.h
/// What a session reports while it runs: peers that join, fall silent and leave, a desync, the end.
/// A peer and a match pass on the events of their session.
///
///     bks_event event;
///     while (bks_match_event(match, &event)) {
///         printf("%s: %s\n", bks_event_kind_name(event.kind), event.text);
///     }
///
/// Thread rule: plain data.

#ifndef BACKSTITCH_EVENT_H
#define BACKSTITCH_EVENT_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What happened.
typedef enum bks_event_kind {
    BKS_EVENT_JOINED = 0,  ///< on the host: `peer` got a seat; on a guest: we got one
    BKS_EVENT_STARTED = 1, ///< the first tick is due
    BKS_EVENT_REFUSED = 2, ///< somebody (the host, a guest or we) refused to play: `text` says
                           ///< what differs. If states of the first tick differ, `tick` is
                           ///< that, and `peer` the first whose state is not the host's. If the
                           ///< roster of the guest `peer` differs from ours, the host has sent two
                           ///< or that guest lies: before the match (`tick` is BKS_TICK_NONE) we do
                           ///< not start while they differ; in it we do not play with that guest
    BKS_EVENT_STARVED = 3, ///< the window is used up: `tick` waits for input of `peer`; of our own
                           ///< number: for the end of a repair, whichever peer it is that lasts
    BKS_EVENT_RESUMED = 4, ///< the input of `peer` arrived that BKS_EVENT_STARVED waited for, or
                           ///< the match continues without that peer; of our own number: the repair
                           ///< has ended
    BKS_EVENT_SILENT = 5,  ///< no packet of `peer` for notify_after_ms, by any path
    BKS_EVENT_BACK = 6,    ///< packets of `peer` arrive again
    BKS_EVENT_LOST = 7,    ///< no packet of `peer` for drop_after_ms: it is about to be dropped; of
                           ///< the host before the start: our match has failed
    BKS_EVENT_LEFT = 8,    ///< `peer` left, or was dropped for its silence or by the host: its
                           ///< players' inputs are neutral from `tick` on, and the match continues.
    ///< Before the start `tick` is BKS_TICK_NONE: its seats are free again; of
    ///< the host: our match has ended
    BKS_EVENT_DESYNC = 9,    ///< `tick` is the first at which our state and that of `peer` differ
    BKS_EVENT_ENDED = 10,    ///< every tick before `tick` is confirmed everywhere
    BKS_EVENT_DROPPED = 11,  ///< the others, `peer` among them, play on without us; our match has
                             ///< ended. `tick` is BKS_TICK_NONE if we did not hear of the start
    BKS_EVENT_SLOW = 12,     ///< `peer` (maybe our own number) is too slow for its rollbacks:
                             ///< `text` says whether its input delay rises, or ticks become
                             ///< longer on all peers
    BKS_EVENT_KEEPS_UP = 13, ///< `peer` is no longer too slow
    BKS_EVENT_OTHER_BUILD = 14, ///< `peer` plays another build of the game; the match continues
    BKS_EVENT_FAILED = 15,  ///< our game failed at `tick`: `text` says why. Our match has ended,
                            ///< the others play on
    BKS_EVENT_WAITING = 16, ///< on a match's guest: the host has not given us a seat for 1 s, or
                            ///< for half of join_timeout_ms if that is less: `text` has its
                            ///< address and what is known of it. Reported once; we continue to ask
    BKS_EVENT_NARROW = 17,  ///< the line to `peer` carries less than the match needs, though as few
                            ///< and as small packets go as can be: `text` says what it carries and
                            ///< what is needed. Reported at most once a minute
    BKS_EVENT_NAMED = 18, ///< after DESYNC: `text` says in what, bks_session_difference() in parts
    BKS_EVENT_STOPPING = 19, ///< states of peers differ and tuning.on_desync is stop, or they could
                             ///< not be repaired: the match ends before `tick` on all peers, as
                             ///< `peer` (maybe our own number) decided; a second or so is left
    BKS_EVENT_REPAIRED = 20, ///< the state of `peer` (maybe our own number) is that of the others
                             ///< again from `tick` on: bks_session_repairs() says more
} bks_event_kind;

/// Name of a kind of event, such as "desync". Never NULL, never freed.
/// @return the name, "unknown" for any other number
BKS_API const char *bks_event_kind_name(bks_event_kind kind);

/// One event.
typedef struct bks_event {
    bks_event_kind kind; ///< what happened
    uint32_t peer;       ///< the peer concerned, 0..BKS_PEERS_MAX-1
    bks_tick tick;       ///< when, in ticks; BKS_TICK_NONE when no tick belongs to it
    bks_tick found_tick; ///< DESYNC: the tick that we had reached when we found it
    uint64_t own_hash;   ///< DESYNC, and REFUSED when states of the first tick differ: our hash
    uint64_t peer_hash;  ///< likewise the hash of `peer`; 0 if only a part of it arrived
    bool inputs_differ;  ///< DESYNC: the confirmed inputs before it differ, not just the states
    char text[128];      ///< one sentence for people, never empty
} bks_event;

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_EVENT_H
