// SPDX-License-Identifier: MIT

/// @file record.h
/// Contents of a recording and destination of its bytes: settings that the configs of a match, a
/// peer, the lab and a writer share. replay.h has the reader, toolkit/writer.h the writer.
///
///     bks_peer_config config = bks_peer_config_default();
///     config.record = (bks_sink){.write = write_to_disk, .context = file};
///     config.record_detail.keyframe_ticks = BKS_AUTO;
///     config.record_detail.values = true;
///
/// Thread rule: a sink is called by the thread that calls the writer.

#ifndef BACKSTITCH_RECORD_H
#define BACKSTITCH_RECORD_H

#include "backstitch/game.h"

#ifdef __cplusplus
extern "C" {
#endif

// Contents of a recording besides ticks and states: events, repairs, and named values such as
// options. They are written by toolkit/writer.h and read by replay.h.
//
//     bks_replay_event event = {.kind = BKS_REPLAY_NOTE, .tick = 600, .text = "second round"};
//     status = bks_replay_writer_event(writer, &event);
//
// Thread rule: plain data.

/// Most entries that describe where a match was recorded.
#define BKS_REPLAY_ENVIRONMENT_MAX 16

/// A name and its value, such as an option's.
typedef struct bks_replay_pair {
    char name[64];  ///< zero-terminated
    char value[64]; ///< zero-terminated
} bks_replay_pair;

/// Kinds of event in a recording.
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
    BKS_CLOSED_PART = 3,    ///< a part of another recording, which has more ticks, or was closed
                            ///< early, or never closed
    BKS_CLOSED_FAILED = 4,  ///< the peer's game failed after the last tick's inputs: the
                            ///< event's text says why
    BKS_CLOSED_STOPPED = 5, ///< the match ended for all peers there, since states differed:
                            ///< bks_tuning.on_desync
} bks_replay_closed;

/// Get the name of a kind of event, such as "desync", as bks_event_kind_name(). Never NULL, never
/// freed.
/// @return the name, "unknown" for a number that is none
BKS_API const char *bks_replay_event_kind_name(bks_replay_event_kind kind);

/// One event. Start from {0}.
typedef struct bks_replay_event {
    bks_replay_event_kind kind; ///< kind of event
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
    uint32_t peer;         ///< peer whose state was wrong, 0..255
    uint32_t from;         ///< peer whose bytes put it right, 0..255; `peer` where it healed by
                           ///< itself
    uint64_t bytes;        ///< that were written to it; 0 where it healed by itself
    bks_tick since;        ///< the first tick whose state differed, as far as is known; 0 or above
    bks_tick tick;         ///< tick whose state was put right, above `since`
    bks_tick until;        ///< in a recording of `peer` itself: its hashes, keyframes, values, page
                           ///< hashes and states at marks from `since` on, up to the tick before
                           ///< this one, were written before the repair, and may be wrong. In all
                           ///< others `since`
    uint32_t agreed_count; ///< number of these ticks whose right hashes are known,
                           ///< 0..BKS_REPLAY_AGREED_MAX
} bks_replay_repair;

/// The hash of the state on which the others agreed, at a tick whose own was wrong.
typedef struct bks_replay_agreed {
    bks_tick tick; ///< tick at whose start the state is
    uint64_t hash; ///< right hash, all 64 bits
} bks_replay_agreed;

/// Destination of a recording.
typedef struct bks_sink {
    /// Write bytes at an offset, unbuffered: once this returns, a crash of the process cannot
    /// lose them. The offset may lie before the end, as the tail is rewritten in place.
    /// @return BKS_OK; BKS_ERR_IO: the library writes nothing more, even if there is room again.
    ///         The file is then as if the process had been killed in this write
    bks_status (*write)(void *context, uint64_t offset_bytes, const void *bytes, size_t count);
    void *context; ///< handed to write, may be NULL
} bks_sink;

/// Most bytes recorded of one tick by `values`, and by `page_hashes` (4 bytes for each page).
#define BKS_VALUES_BYTES_MAX 16384

/// Detail of a recording. {0}: inputs and hashes alone. In every field 0 selects the default.
typedef struct bks_replay_detail {
    uint32_t hash_bits;       ///< bits kept of each state hash, 1..64, default 16
    uint32_t full_hash_ticks; ///< ticks from one hash kept in full (64 bits) to the next,
                              ///< 1..2147483647, default one second of ticks
    uint32_t chunk_ticks; ///< most ticks in one chunk (appended to the file as a whole), 1..1024,
                          ///< default four seconds of ticks; readers of a growing file lag
                          ///< behind by that many
    uint32_t keyframe_ticks; ///< least ticks between two keyframes, 1..1000000; 0 (default): no
                             ///< keyframes; BKS_AUTO: ten seconds, or less: where the ticks between
                             ///< two keyframes would take over a second to step (by
                             ///< bks_replay_writer_step_cost()), and with keyframe_bytes above
                             ///< 64 KiB (ten seconds * 64 KiB / keyframe_bytes, at least a quarter
                             ///< of a second)
    uint64_t keyframe_bytes; ///< bytes that keyframes may take for each minute since the first
                             ///< tick, up to 1 TiB. They never take more, but come less often.
                             ///< 0 (default): 64 KiB, and with BKS_AUTO up to 4 MiB where a seek
                             ///< would step for over a second, the first minute's share available
                             ///< at once
    bool page_hashes; ///< 32 bits of the hash of every page at every tick; for states in a region,
                      ///< of at most 16 MiB
    bool rollbacks;   ///< every rollback, with the guesses that were stepped
    bool marks; ///< the state at every mark of every tick, by what differs from the one before,
                ///< and every note, for states of at most 16 MiB without raw pointers; of a tick
                ///< that changes more than 1 MiB, or has states of over 128 MiB, nothing. Each
                ///< mark then costs a pass over the state, each note its formatting. Of games
                ///< with `create`, what `save` writes at the start of each tick instead of the
                ///< states at marks
    bks_tick marks_from;  ///< first tick of which marks are kept, with `marks`; default 0
    bks_tick marks_until; ///< one past the last tick of which marks are kept, above marks_from; 0
                          ///< (default): the match's end
    bool values; ///< the contents of the game's ranges that set is_recorded, at the start of
                 ///< every tick; together at most BKS_VALUES_BYTES_MAX
} bks_replay_detail;

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_RECORD_H
