// SPDX-License-Identifier: MIT

/// @file feed_progress.h
/// How far a watcher's recording goes, so that it can continue it with another source: records that
/// it has already are passed over, and the ticks that it has are cut off the first chunk.

#ifndef BKSI_FEED_PROGRESS_H
#define BKSI_FEED_PROGRESS_H

#include "replay/format/replay_chunk.h"

/// Newest notes that are known, to find those that two sources have.
#define BKSI_FEED_NOTES 8u

typedef struct bksi_feed_note {
    uint64_t text; ///< hash of the text
    bks_tick tick;
    bool is_of_another; ///< a source before the present one sent it
} bksi_feed_note;

typedef struct bksi_feed_progress {
    bool can_continue; ///< the beginning is known and could be read
    bksi_layout layout;
    bksi_run_shape shape;
    uint64_t seed;
    bks_tick first;         ///< first tick of the recording
    bks_tick next;          ///< end of the ticks in the recording
    bks_tick next_commands; ///< one past the newest tick with commands
    bks_tick ahead_ticks;   ///< commands are of fewer ticks than this beyond `next`
    bks_tick checkpoint;    ///< newest checkpoint that was looked at, BKS_TICK_NONE: none
    uint32_t left;          ///< peers whose leaving is recorded, as bits
    uint32_t note_count;
    bksi_feed_note notes[BKSI_FEED_NOTES]; ///< note i is at i % BKSI_FEED_NOTES
} bksi_feed_progress;

/// News in a record that came from a source.
typedef enum bksi_feed_news {
    BKSI_FEED_NEWS_ALL,    ///< keep it as it is
    BKSI_FEED_NEWS_NONE,   ///< it has nothing new
    BKSI_FEED_NEWS_PART,   ///< only the later ticks of a TICK record are new: cut it
    BKSI_FEED_NEWS_LEAVES, ///< it says that the source leaves a match that may go on
    BKSI_FEED_NEWS_WRONG,  ///< it does not follow
} bksi_feed_news;

/// Read the beginning of a recording.
void bksi_feed_progress_begin(bksi_feed_progress *progress, const uint8_t *bytes, size_t count,
                              const bks_allocator *allocator);

/// Another source continues the recording: pass over the notes that it has, too.
void bksi_feed_progress_turn(bksi_feed_progress *progress);

/// Find out what of a record is new, and count that as taken. Without a known beginning everything
/// is.
bksi_feed_news bksi_feed_progress_take(bksi_feed_progress *progress, uint32_t type,
                                       const uint8_t *payload, size_t count, bks_tick *out_first);

/// Read the hash of a checkpoint from the payload of a TICK record, each once.
/// @param out_tick, out_hash  receive the checkpoint
/// @return false if there is none with all bits of a hash
bool bksi_feed_progress_checkpoint(bksi_feed_progress *progress, const uint8_t *payload,
                                   size_t count, bks_tick *out_tick, uint64_t *out_hash,
                                   const bks_allocator *allocator);

/// Parts of two recordings of one match.
typedef enum bksi_feed_joint {
    BKSI_FEED_JOINT_LATER, ///< the chunk ends before the newest known tick
    BKSI_FEED_JOINT_SAME,  ///< both have the newest known tick, with the same inputs and hash
    BKSI_FEED_JOINT_OTHER, ///< they differ, or the chunk begins after that tick
} bksi_feed_joint;

/// Compare a chunk of a new source with the newest one of the recording. Members that part, or of
/// which one has left, may have played their newest ticks with other inputs.
/// @param own      payload of the newest TICK record
/// @param payload  payload of a TICK record that was not taken yet
bksi_feed_joint bksi_feed_progress_join(const bksi_feed_progress *progress, const uint8_t *own,
                                        size_t own_count, const uint8_t *payload, size_t count,
                                        const bks_allocator *allocator);

/// Cut the ticks before `first` off the payload of a TICK record.
/// @param out       receives the new payload, to be released as `out_room` bytes
/// @return bytes of the new payload, 0: it cannot be cut, or there is no memory
size_t bksi_feed_progress_cut(const bksi_feed_progress *progress, bks_tick first,
                              const uint8_t *payload, size_t count, uint8_t **out, size_t *out_room,
                              const bks_allocator *allocator);

#endif
