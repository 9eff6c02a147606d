// SPDX-License-Identifier: MIT

/// @file feed_tape.h
/// Recording of a running match for watchers: a growing recording in memory, in small chunks. It
/// has the beginning of the recording, with the state of its first tick, and a ring of the newest
/// records. For a newcomer the recording begins anew at a later tick: watchers that came before
/// pass from the old records to the new ones, since the new recording begins where the old one
/// ends. While nobody watches nothing is recorded.

#ifndef BKSI_FEED_TAPE_H
#define BKSI_FEED_TAPE_H

#include "backstitch/session.h"
#include "backstitch/toolkit/writer.h"
#include "feed/feed_beginning.h"
#include "feed/feed_ring.h"
#include "game/runner.h"

/// Most bytes of a state that is sent to watchers.
#define BKSI_FEED_STATE_BYTES_MAX (UINT64_C(64) << 20)

typedef struct bksi_feed_tape_config {
    const char *build; ///< name of the game's build, may be NULL
    size_t ring_bytes; ///< room for the newest records
    bks_allocator allocator;
} bksi_feed_tape_config;

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
    bksi_feed_room room;
    bks_replay_writer *writer;     ///< NULL: nothing is recorded at present
    bks_tick next;                 ///< first tick that is not recorded yet
    uint64_t events;               ///< number of the session's events handled
    uint64_t now_ns;               ///< time of the records that are being written
    bksi_feed_beginning beginning; ///< beginning of the newest recording
    uint64_t made_ns;              ///< time of the state that the beginning holds
    bksi_feed_cursor records;      ///< place of the first record after the beginning
    bool is_beginning;             ///< the writer writes its beginning
    bool is_finished;              ///< the recording is complete, no new one begins
    bool is_repaired; ///< our own state was repaired: what was recorded has wrong states
    bksi_feed_ring ring;
} bksi_feed_tape;

/// Allocate everything, with the state of the first tick in the runner.
/// @return BKS_OK; BKS_ERR_UNSUPPORTED: states of this game cannot be sent; BKS_ERR_OUT_OF_MEMORY
bks_status bksi_feed_tape_create(bksi_feed_tape *tape, bksi_runner *runner,
                                 const bksi_feed_tape_config *config);
void bksi_feed_tape_destroy(bksi_feed_tape *tape);

/// Take what the match's update has settled, and complete the recording once the match has ended.
/// @param is_watched  false: drop the recording
/// @param is_wanted   true: begin a new recording at the newest tick whose state is at hand
void bksi_feed_tape_update(bksi_feed_tape *tape, const bks_session *session, bksi_runner *runner,
                           bool is_watched, bool is_wanted, uint64_t now_ns);

/// Complete the recording now, because this machine leaves the match.
void bksi_feed_tape_finish(bksi_feed_tape *tape, const bks_session *session, uint64_t now_ns);

/// Return true if a watcher can begin with the newest beginning: all records after it are held.
static inline bool bksi_feed_tape_has_beginning(const bksi_feed_tape *tape)
{
    return tape->beginning.count > 0 && bksi_feed_ring_holds(&tape->ring, &tape->records);
}

#endif
