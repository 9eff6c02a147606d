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

/// Maximum number of entries that describe where a match was recorded.
#define BKS_REPLAY_ENVIRONMENT_MAX 16

/// A name and its value, such as those of an option.
typedef struct bks_replay_pair {
    char name[64];  ///< name, zero-terminated
    char value[64]; ///< value, zero-terminated
} bks_replay_pair;

/// Kinds of event in a recording.
typedef enum bks_replay_event_kind {
    BKS_REPLAY_JOINED = 0, ///< `peer` is in the match
    /// `peer` has left the match: its players' inputs are neutral from `tick` on.
    BKS_REPLAY_LEFT = 1,
    BKS_REPLAY_DELAY = 2, ///< the recording peer's input delay was `a` ticks and is `b` now
    /// The state differs from that of `peer`: `a` is the recording peer's hash, `b` the hash of
    /// `peer`.
    BKS_REPLAY_DESYNC = 3,
    BKS_REPLAY_NOTE = 4, ///< `text` is a note by the recording peer's program
    /// The recording peer, `peer`, closed the recording at `tick`, before the match's end: `a` is a
    /// bks_replay_closed, `text` a sentence.
    BKS_REPLAY_CLOSED = 5,
} bks_replay_event_kind;

/// Reasons why a recording was closed before the end of its match.
typedef enum bks_replay_closed {
    BKS_CLOSED_QUIT = 0,    ///< the program ended, without a goodbye
    BKS_CLOSED_LEFT = 1,    ///< the recording peer left with a goodbye
    BKS_CLOSED_DROPPED = 2, ///< the other peers dropped the recording peer and played on
    /// The recording is a part of another one that has more ticks, was closed early, or was never
    /// closed.
    BKS_CLOSED_PART = 3,
    /// The recording peer's game failed after the inputs of the last tick: the event's text says
    /// why.
    BKS_CLOSED_FAILED = 4,
    /// States differed, so the match ended for all peers at this tick: bks_tuning.on_desync.
    BKS_CLOSED_STOPPED = 5,
} bks_replay_closed;

/// Get the name of a kind of event in a recording, such as "desync". bks_event_kind_name() has the
/// names of a match's events. Never NULL, never freed.
/// @return the name, "unknown" for a number that is none
BKS_API const char *bks_replay_event_kind_name(bks_replay_event_kind kind);

/// One event in a recording. Start from {0}.
typedef struct bks_replay_event {
    bks_replay_event_kind kind; ///< kind of event
    bks_tick tick;              ///< tick of the event, 0 or above
    uint32_t peer;              ///< peer that the event concerns, 0..255
    uint64_t a;                 ///< meaning depends on `kind`: see bks_replay_event_kind
    uint64_t b;                 ///< meaning depends on `kind`: see bks_replay_event_kind
    char text[128];             ///< one line of printable ASCII for people, zero-terminated
} bks_replay_event;

/// Maximum number of hashes in a repair.
#define BKS_REPLAY_AGREED_MAX 256

/// Repair of a peer whose state differed from that of the other peers for some ticks
/// (BKS_ON_DESYNC_RESYNC). Start from {0}.
typedef struct bks_replay_repair {
    uint32_t peer; ///< peer whose state was wrong, 0..255
    /// Peer whose bytes replaced the wrong ones, 0..255; equals `peer` if its state became right by
    /// itself.
    uint32_t from;
    uint64_t bytes; ///< number of bytes replaced; 0 if the state became right by itself
    bks_tick since; ///< first tick whose state differed, as far as is known; 0 or above
    bks_tick tick;  ///< tick whose state was repaired, above `since`
    /// End of the ticks that `peer` itself recorded before its repair: in its own recording the
    /// hashes, keyframes, values, page hashes and states at marks of the ticks `since` to `until` -
    /// 1 may be wrong. In the recordings of other peers it equals `since`.
    bks_tick until;
    /// Number of ticks from `since` to `until` - 1 for which the right hash is known,
    /// 0..BKS_REPLAY_AGREED_MAX.
    uint32_t agreed_count;
} bks_replay_repair;

/// Hash on which the other peers agreed, for a tick at which the repaired peer's state was wrong.
typedef struct bks_replay_agreed {
    bks_tick tick; ///< tick at whose start the state is
    uint64_t hash; ///< right hash of the state, all 64 bits
} bks_replay_agreed;

/// Destination for the bytes of a recording.
typedef struct bks_sink {
    /// Write bytes at an offset, unbuffered: once this returns, a crash of the process cannot
    /// lose them. The offset may lie before the end, as the tail is rewritten in place.
    /// @return BKS_OK; BKS_ERR_IO: the library writes nothing more, even if there is space again.
    ///         The file is then in the state that a kill of the process during this write would
    ///         leave
    bks_status (*write)(void *context, uint64_t offset_bytes, const void *bytes, size_t count);
    void *context; ///< passed to `write`, may be NULL
} bks_sink;

/// Maximum size in bytes of what `values` records for one tick. For `page_hashes` the limit is the
/// same, with 4 bytes for each page.
#define BKS_VALUES_BYTES_MAX 16384

/// Settings for the contents of a recording. {0}: inputs and hashes alone. In every field 0 selects
/// the default; that of keyframe_ticks is to record no keyframes.
typedef struct bks_replay_detail {
    uint32_t hash_bits; ///< bits recorded of each state hash, 1..64, default 16
    /// Ticks from one hash that is recorded in full (64 bits) to the next, 1..2147483647, default
    /// one second of ticks.
    uint32_t full_hash_ticks;
    /// Most ticks in one chunk, which is appended to the file as a whole, 1..1024, default four
    /// seconds of ticks; readers of a growing file lag behind by this many ticks.
    uint32_t chunk_ticks;

    /// Least ticks between two keyframes, 1..1000000. 0 (default): no keyframes. BKS_AUTO: ten
    /// seconds of ticks, or fewer in two cases: if these ticks would take over a second to step (by
    /// bks_replay_writer_step_cost()), and if keyframe_bytes is above 64 KiB (then ten seconds * 64
    /// KiB / keyframe_bytes, at least a quarter of a second).
    uint32_t keyframe_ticks;
    /// Most bytes that keyframes may take for each minute since the first tick, up to 1 TiB. If
    /// that is not enough, keyframes come less often. 0 (default): 64 KiB. With 0 here and BKS_AUTO
    /// in keyframe_ticks the limit is 4 MiB while a seek would step for over a second; the 4 MiB of
    /// the first minute may be used from the start.
    uint64_t keyframe_bytes;
    /// True: record 32 bits of the hash of every page at every tick; for states in a region of at
    /// most 16 MiB.
    bool page_hashes;
    /// True: record every rollback, and the guesses with which its ticks had been stepped.
    bool rollbacks;

    /// True: record the state at every mark of every tick, as the difference from the state before
    /// it, and every note; for states of at most 16 MiB without raw pointers. Nothing is recorded
    /// of a tick with more than 1 MiB of changes and notes, or whose states at all marks together
    /// have more than 128 MiB. Each mark then costs a pass over the state, each note its
    /// formatting. For games with `create`, what `save` writes at the start of each tick is
    /// recorded in place of states at marks.
    bool marks;
    bks_tick marks_from; ///< first tick whose marks are recorded, with `marks`; default 0
    /// One past the last tick whose marks are recorded, above marks_from; 0 (default): the match's
    /// end.
    bks_tick marks_until;
    /// True: record the contents of the game's ranges that set is_recorded, at the start of every
    /// tick; together at most BKS_VALUES_BYTES_MAX.
    bool values;
} bks_replay_detail;

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_RECORD_H
