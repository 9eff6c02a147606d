// SPDX-License-Identifier: MIT

/// @file replay_types.h
/// What a recording holds besides ticks and states: events, repairs, and named values such as
/// options. They are written by replay_writer.h and read by replay_reader.h.
///
///     bks_replay_event event = {.kind = BKS_REPLAY_NOTE, .tick = 600, .text = "second round"};
///     status = bks_replay_writer_event(writer, &event);
///
/// Thread rule: plain data.

#ifndef BACKSTITCH_REPLAY_TYPES_H
#define BACKSTITCH_REPLAY_TYPES_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most entries that describe where a match was recorded.
#define BKS_REPLAY_ENVIRONMENT_MAX 16

/// A name and its value, such as an option's.
typedef struct bks_replay_pair {
    char name[64];  ///< zero-terminated
    char value[64]; ///< zero-terminated
} bks_replay_pair;

/// What happened in a match, beside its inputs.
typedef enum bks_replay_event_kind {
    BKS_REPLAY_JOINED = 0, ///< `peer` is in the match
    BKS_REPLAY_LEFT = 1,   ///< `peer` is out from `tick` on: its players' inputs are neutral
    BKS_REPLAY_DELAY = 2,  ///< the recording peer's input delay was `a` ticks and is `b` now
    BKS_REPLAY_DESYNC = 3, ///< the state differs from that of `peer`: `a` is its own hash, `b` the
                           ///< peer's
    BKS_REPLAY_NOTE = 4,   ///< `text`, left by the recording peer's program
    BKS_REPLAY_CLOSED = 5, ///< `peer`, which recorded, closed the recording at `tick`, before the
                           ///< match's end: `a` is a bks_replay_closed, `text` a sentence
} bks_replay_event_kind;

/// Why a recording was closed before the end of its match.
typedef enum bks_replay_closed {
    BKS_CLOSED_QUIT = 0,    ///< the program ended, without a goodbye
    BKS_CLOSED_LEFT = 1,    ///< the peer left by goodbye
    BKS_CLOSED_DROPPED = 2, ///< the others dropped the peer and played on
    BKS_CLOSED_PART = 3,    ///< it was taken from another recording, which has more ticks, or was
                            ///< closed early, or never closed
    BKS_CLOSED_FAILED = 4,  ///< the peer's game failed after the last tick's inputs: the
                            ///< event's text says why
    BKS_CLOSED_STOPPED = 5, ///< the match ended for all peers there, since states differed:
                            ///< bks_tuning.on_desync
} bks_replay_closed;

/// Name of a kind of event, such as "desync", as bks_event_kind_name(). Never NULL, never freed.
/// @return the name, "unknown" for a number that is none
BKS_API const char *bks_replay_event_kind_name(bks_replay_event_kind kind);

/// One event. Start from {0}.
typedef struct bks_replay_event {
    bks_replay_event_kind kind; ///< what happened
    bks_tick tick;              ///< when, 0 or above
    uint32_t peer;              ///< whom it concerns, 0..255
    uint64_t a;                 ///< as the kind says
    uint64_t b;                 ///< as the kind says
    char text[128];             ///< one line of printable ASCII for people, zero-terminated
} bks_replay_event;

/// Most hashes of a repair.
#define BKS_REPLAY_AGREED_MAX 256

/// The state of a peer was not that of the others for some ticks, and was put right
/// (BKS_ON_DESYNC_RESYNC). Start from {0}.
typedef struct bks_replay_repair {
    uint32_t peer;         ///< whose state it was, 0..255
    uint32_t from;         ///< whose bytes put it right, 0..255; `peer` where it healed by itself
    uint64_t bytes;        ///< that were written to it; 0 where it healed by itself
    bks_tick since;        ///< the first tick whose state differed, as far as is known; 0 or above
    bks_tick tick;         ///< whose state was put right, above `since`
    bks_tick until;        ///< in a recording of `peer` itself: its hashes, keyframes, values, page
                           ///< hashes and states at marks from `since` on, up to the tick before
                           ///< this one, were written before the repair, and may be wrong. In all
                           ///< others `since`
    uint32_t agreed_count; ///< of these ticks, those whose right hashes are known,
                           ///< 0..BKS_REPLAY_AGREED_MAX
} bks_replay_repair;

/// The hash of the state on which the others agreed, at a tick whose own was wrong.
typedef struct bks_replay_agreed {
    bks_tick tick; ///< at its start
    uint64_t hash; ///< of all 64 bits
} bks_replay_agreed;

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_REPLAY_TYPES_H
