// SPDX-License-Identifier: MIT

/// @file feed_tape.h
/// Recording of a running match for watchers: a growing recording in memory, in small chunks that
/// can each be read alone. It has a ring of the newest records, from the match's first tick on. For
/// a newcomer it begins anew at a later tick, with the state of that tick: watchers that came
/// before pass from the old records to the new ones, since the new recording begins where the old
/// one ends. A watcher that has the match up to some tick from another source reads on from there.
///
/// Where states cannot be sent, because they hold raw pointers or are too large, it is made **by
/// history**: it has one beginning, without a state, at tick 0, and a ring for minutes of a match.

#ifndef BKSI_FEED_TAPE_H
#define BKSI_FEED_TAPE_H

#include "backstitch/session.h"
#include "backstitch/toolkit/writer.h"
#include "feed/feed_beginning.h"
#include "feed/feed_ring.h"
#include "game/runner.h"

/// Most bytes of a state that is sent to watchers.
#define BKSI_FEED_STATE_BYTES_MAX (UINT64_C(64) << 20)

/// Longest match that a newcomer watches by history.
#define BKSI_FEED_HISTORY_SECONDS 600

typedef struct bksi_feed_tape_config {
    const char *build; ///< name of the game's build, may be NULL
    /// Room for the newest records; more is taken for a game with commands, or by history.
    size_t ring_bytes;
    bks_allocator allocator;
} bksi_feed_tape_config;

/// Newest checkpoints whose hashes are held: more than `watch_delay_ms` can hold back.
#define BKSI_FEED_CHECKPOINTS 64u

typedef struct bksi_feed_checkpoint {
    bks_tick tick;
    uint64_t hash;
    uint64_t made_ns; ///< time at which it was recorded, 0: none is held here
} bksi_feed_checkpoint;

/// Memory of one writer, given out from its beginning on, and all taken back at once.
typedef struct bksi_feed_room {
    uint8_t *bytes;
    size_t count; ///< size of `bytes`
    size_t used;
    size_t most; ///< most bytes in use so far
} bksi_feed_room;

typedef struct bksi_feed_tape {
    bks_allocator allocator;
    char build[64];
    bool is_by_history;
    bool has_pointers; ///< a later state has raw pointers, so newcomers get none any more
    bool is_passing;   ///< it records what another source has recorded
    bksi_feed_room room;
    bks_replay_writer *writer; ///< NULL: nothing is recorded at present
    bks_tick begun;            ///< first tick of the present writer
    bks_tick next;             ///< first tick that is not recorded yet
    bks_tick end;              ///< end of the newest chunk
    bksi_feed_cursor after;    ///< place of the first record after that chunk
    uint32_t tick_rate_hz;
    uint64_t events;               ///< number of the session's events handled
    uint64_t now_ns;               ///< time of the records that are being written
    bksi_feed_beginning beginning; ///< beginning of the newest recording
    uint64_t made_ns;              ///< time of the state that the beginning holds
    bksi_feed_cursor records;      ///< place of the first record after the beginning
    bool is_beginning;             ///< the writer writes its beginning
    bool is_finished;              ///< the recording is complete, no new one begins
    bool has_failed;               ///< the recording ended because it could not be written
    bool is_repaired; ///< our own state was repaired: what was recorded has wrong states
    bksi_feed_ring ring;
    bksi_feed_checkpoint checkpoints[BKSI_FEED_CHECKPOINTS];
} bksi_feed_tape;

/// Allocate everything, with the state of the first tick in the runner.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_feed_tape_create(bksi_feed_tape *tape, bksi_runner *runner,
                                 const bksi_feed_tape_config *config);
/// Make a recording that has a beginning and no more, for those who need a state alone. `config`
/// has no ring.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_BAD_CONFIG
bks_status bksi_feed_tape_create_still(bksi_feed_tape *tape, const bks_start *start, bks_tick tick,
                                       const void *state, size_t state_bytes,
                                       const bksi_feed_tape_config *config);
/// Make a recording of what another source has recorded, with states of up to `state_bytes_max`
/// bytes; 0: by history. By history it has its beginning at once. Call bksi_feed_tape_pass(),
/// bksi_feed_tape_begin() and bksi_feed_tape_pack() in place of bksi_feed_tape_update().
/// @param bytes  beginning of a recording that the other source has sent
/// @return BKS_OK; BKS_ERR_UNSUPPORTED: states are too large; BKS_ERR_OUT_OF_MEMORY;
///         BKS_ERR_DAMAGED
bks_status bksi_feed_tape_create_passing(bksi_feed_tape *tape, const uint8_t *bytes, size_t count,
                                         size_t state_bytes_max,
                                         const bksi_feed_tape_config *config);
void bksi_feed_tape_destroy(bksi_feed_tape *tape);

/// Take what the match's update has settled, and complete the recording once the match has ended.
/// @param is_wanted  true: begin a new recording at the newest tick whose state is at hand
void bksi_feed_tape_update(bksi_feed_tape *tape, const bks_session *session, bksi_runner *runner,
                           bool is_wanted, uint64_t now_ns);

/// Record a line of text for the watchers, under 128 bytes of printable ASCII.
void bksi_feed_tape_note(bksi_feed_tape *tape, const char *text);

/// Keep a whole record of a recording that another source sends, as it stands there.
void bksi_feed_tape_pass(bksi_feed_tape *tape, const uint8_t *record, size_t count,
                         uint64_t now_ns);

/// Begin a new recording with the state in the runner, which is that of a tick at which a chunk
/// ended. bksi_feed_tape_pack() makes the beginning.
/// @param records  `after`, as it was behind that chunk
void bksi_feed_tape_begin(bksi_feed_tape *tape, bksi_runner *runner, bks_tick tick,
                          const bksi_feed_cursor *records);

/// Pack the next slice of a beginning's state.
void bksi_feed_tape_pack(bksi_feed_tape *tape, uint64_t now_ns);

/// End the recording, because there is no more to pass on. A tape that was not created may fail,
/// too.
/// @param is_repaired  true: what was recorded has wrong states
void bksi_feed_tape_fail(bksi_feed_tape *tape, bool is_repaired);

/// Drop all that was recorded, because states in it were wrong. The next update begins anew.
void bksi_feed_tape_drop(bksi_feed_tape *tape);

/// Answer to a watcher that wants to read on from a tick.
typedef enum bksi_feed_stretch {
    BKSI_FEED_STRETCH_HELD,  ///< the ring holds all from that tick on
    BKSI_FEED_STRETCH_LATER, ///< the tick will be recorded soon
    BKSI_FEED_STRETCH_LOST,  ///< the ring no longer holds the tick, or it is far away
} bksi_feed_stretch;

/// Find the records from a tick on. The first chunk may begin before the tick.
/// @param out  receives the place of the first record, if the ring holds it
bksi_feed_stretch bksi_feed_tape_find(const bksi_feed_tape *tape, bks_tick tick,
                                      bksi_feed_cursor *out);

/// Get the hash of a checkpoint that was recorded at `until_ns` or before.
/// @return false if it is not held
bool bksi_feed_tape_hash(const bksi_feed_tape *tape, bks_tick tick, uint64_t until_ns,
                         uint64_t *out);

/// Complete the recording now, because this machine leaves the match.
void bksi_feed_tape_finish(bksi_feed_tape *tape, const bks_session *session, uint64_t now_ns);

/// Return true if a watcher can begin with the newest beginning: all records after it are held,
/// and by history there are not too many ticks to step.
static inline bool bksi_feed_tape_has_beginning(const bksi_feed_tape *tape)
{
    const int64_t most = (int64_t)BKSI_FEED_HISTORY_SECONDS * tape->tick_rate_hz;
    return tape->beginning.count > 0 && bksi_feed_ring_holds(&tape->ring, &tape->records) &&
           (!tape->is_by_history || tape->next <= most);
}

#endif
