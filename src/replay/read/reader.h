// SPDX-License-Identifier: MIT

/// @file reader.h
/// What this room knows of an open recording besides bks_recording: where everything stands. Only
/// the tail of the file is copied, so its bytes may move as it grows.

#ifndef BKSI_READER_H
#define BKSI_READER_H

#include "backstitch/base.h"

#include "base/memory.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_head.h"
#include "replay/format/replay_keyframe.h"
#include "replay/format/replay_marks.h"
#include "replay/format/replay_samples.h"
#include "replay/format/replay_state.h"

/// Keyframes tried one after the other until one can be taken up. Damage leaves no keyframe that
/// passes its check and is refused all the same, so more of them are no accident. Each may cost as
/// much as the largest state, however few bytes it takes in the file.
#define BKSI_KEYFRAME_TRIES_MAX 16u

/// Consecutive ticks that stand together in the file.
typedef struct bksi_replay_part {
    uint64_t payload; ///< offset of the payload of its record, 0 for the tail
    size_t payload_bytes;
    bks_tick first;     ///< its first tick
    bks_tick begin;     ///< first tick that this part serves: those before stand elsewhere
    bks_tick confirmed; ///< one past the last that is final
    bks_tick end;       ///< one past the last
    size_t stretch;     ///< number of the part from which on parts must be read to read this one
    bool is_lost;       ///< what it covers, or what it needs, turned out to make no sense
    size_t input_bytes; ///< of it, the inputs
    size_t hash_bytes;  ///< of it, the hashes
} bksi_replay_part;

/// A keyframe in the file.
typedef struct bksi_replay_key {
    bks_replay_keyframe keyframe;
    uint64_t payload; ///< offset
    size_t payload_bytes;
    uint32_t depth;  ///< length of its chain back to a whole one, itself included
    uint32_t usable; ///< number of the newest up to here that can be used, UINT32_MAX: none
} bksi_replay_key;

/// Samples of consecutive ticks in the file.
typedef struct bksi_sample_part {
    uint64_t payload; ///< offset
    size_t payload_bytes;
    bks_tick first;
    bks_tick end; ///< one past the last
} bksi_sample_part;

/// Samples by tick, of one kind.
typedef struct bksi_sample_list {
    bksi_list parts;         ///< bksi_sample_part, by tick
    size_t unpacked;         ///< number of the part that lies in `bytes`, SIZE_MAX: none
    bool is_refused;         ///< that part does not unpack: it is not tried again for each tick
    size_t sample_bytes;     ///< of it
    uint8_t *bytes;          ///< taken when samples are first asked for
    size_t bytes_count;      ///< of them
    uint64_t record_bytes;   ///< of the file, all parts
    bks_tick ticks;          ///< of all parts
    size_t sample_bytes_max; ///< of all parts
} bksi_sample_list;

/// States at marks, by tick.
typedef struct bksi_mark_list {
    bksi_list parts;       ///< bksi_sample_part, by tick
    uint64_t record_bytes; ///< of the file, all parts
    bks_tick ticks;        ///< of all parts
    size_t unpacked;       ///< number of the part that lies in `rows`, when that is not NULL
    size_t refused; ///< one more than the number of the last part that could not be read, 0: none
    uint8_t *rows;
    size_t rows_bytes;
    bks_tick next; ///< its row begins at `next_at` of `rows`
    size_t next_at;
    size_t row_at;   ///< where the row before it begins, when next_at is not 0
    bks_tick barren; ///< what the row of this tick continues from is known to be missing
    bool has_state;  ///< `state` is the last of the tick before `next`
    uint8_t *state;
    size_t state_bytes;
    size_t state_room;
} bksi_mark_list;

/// A rollback in the file.
typedef struct bksi_rollback_place {
    uint64_t payload; ///< offset of the record's payload
    size_t payload_bytes;
    size_t at; ///< where in it this one begins
    bks_tick present;
    bks_tick from;
} bksi_rollback_place;

/// What is known of a peer that differed, or a piece of the log, in the file.
typedef struct bksi_evidence_place {
    uint64_t payload; ///< offset
    size_t payload_bytes;
} bksi_evidence_place;

/// A repair of the states in this file.
typedef struct bksi_wrong_place {
    bks_tick until;  ///< end of the repaired ticks
    uint32_t repair; ///< its number in replay->repairs
} bksi_wrong_place;

/// A repair in the file.
typedef struct bksi_repair_place {
    bks_replay_repair repair;
    uint64_t offset; ///< of its record in the file
    size_t agreed;   ///< number of its first hash in replay->agreed
} bksi_repair_place;

/// What lies unpacked: parts of one stretch, as far as they were asked for.
typedef struct bksi_replay_unpacked {
    size_t stretch;    ///< number of the first part, SIZE_MAX for none
    size_t end;        ///< one past the number of the last part
    bks_tick first;    ///< tick of the first tick unpacked
    bks_tick end_tick; ///< one past the last
    size_t room_ticks; ///< ticks there is room for
    bksi_tick_arrays arrays;
} bksi_replay_unpacked;

struct bks_replay {
    bks_allocator allocator;
    bks_replay_piece pieces[BKS_REPLAY_PIECES_MAX];
    uint32_t piece_count;
    bool is_growing; ///< only appended records count, and more may come
    bool is_late;    ///< what comes before the first keyframe was left out
    bksi_replay_head head;
    bksi_layout layout;
    bksi_run_shape shape;
    size_t tick_bytes;
    uint32_t format;    ///< version of the file's format
    bks_recording info; ///< what is below, as a caller sees it: written by reader_info.c alone
    bool has_state;
    uint64_t state_payload; ///< offset of the payload of STAT
    size_t state_payload_bytes;
    uint64_t state_bytes;   ///< unpacked
    bool is_state_left_out; ///< it holds raw pointers
    bool has_final_hash;
    uint64_t final_hash;
    bks_error damage; ///< nearest to the file's beginning; its code is BKS_OK when there is none

    // How far the records are read.
    uint64_t next;        ///< where the next one stands
    bks_tick first;       ///< the first tick that the file, or what was fetched of it, holds
    bks_tick expected;    ///< tick with which the next chunk begins; BKS_TICK_NONE: any
    size_t lost_before;   ///< damaged parts when that was known
    bool is_broken;       ///< a chunk before is missing: until one stands alone none can be read
    bool is_plain;        ///< the chunk before teaches the coder nothing
    bool is_over;         ///< nothing behind `next` is read
    uint64_t searched;    ///< no right head begins between `next` and here
    bool has_done;        ///< it was closed
    bool has_closed;      ///< an event says that this was before the match's end
    uint64_t last_index;  ///< offset of the newest index, 0: none
    size_t indexed_parts; ///< parts when that was read
    size_t indexed_keys;  ///< keyframes when that was read

    bksi_list parts;     ///< bksi_replay_part, by tick; gaps where ticks are lost; the tail last
    size_t parts_end;    ///< one past the last that is not lost
    bksi_list keys;      ///< bksi_replay_key, by tick
    bksi_list events;    ///< bks_replay_event, in the order of the file
    bksi_list facts;     ///< bksi_fact_place, by tick
    bksi_list lost;      ///< bks_replay_lost, found while reading, in the order of the file
    bksi_list late;      ///< the same, found when they were unpacked
    bksi_list repairs;   ///< bksi_repair_place, in the order of the file
    bksi_list wrong;     ///< bksi_wrong_place, by tick: repairs of what this file says
    bksi_list agreed;    ///< bks_replay_agreed, of all repairs
    bksi_list rollbacks; ///< bksi_rollback_place, in the order of the file
    bksi_list evidence;  ///< bksi_evidence_place, in the order of the file
    bksi_list logs;      ///< likewise
    uint64_t evidence_bytes; ///< of the file, all of both
    uint32_t log_count;      ///< entries of all logs
    uint64_t fact_bytes;     ///< of the file, all facts
    uint64_t rollback_bytes; ///< the same of the rollbacks
    bksi_sample_list values;
    bksi_sample_list pages;
    bksi_mark_list marks;
    uint8_t *tail; ///< bytes of the newest tail write
    size_t tail_bytes;
    size_t tail_run; ///< where in these the run begins

    bksi_models models; ///< since version 2, as they are behind what is unpacked
    bksi_replay_unpacked unpacked;
};

/// The piece that holds a byte of the file, or behind which it comes.
const bks_replay_piece *bksi_replay_piece_at(const bks_replay *replay, uint64_t offset);

/// Bytes of the file that are known to be there.
const uint8_t *bksi_replay_bytes_at(const bks_replay *replay, uint64_t offset);

/// Bytes of the file, as far as it is known.
uint64_t bksi_replay_bytes(const bks_replay *replay);

/// Check the number of an item.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bksi_replay_check_index(uint32_t index, size_t count, const char *call,
                                   bks_error *error);

/// Unpack the inputs of all players at one tick.
/// @param values  players * field_count
void bksi_replay_unpack_inputs(const bks_replay *replay, const uint8_t *packed, int32_t *values);

/// Unpack a content into memory of the replay's allocator.
/// @param out  receives content->bytes, to be freed; NULL without BKS_OK
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED (not logged)
bks_status bksi_replay_unpack(const bks_replay *replay, const bksi_packed *content, uint8_t **out,
                              const char *call);

/// Read the HEAD record at the front of a file.
/// @param out_end  receives where it ends
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE (not logged)
bks_status bksi_replay_find_head(const bks_replay_piece *front, uint32_t format,
                                 bksi_replay_head *head, uint64_t *out_end, const char *id,
                                 bks_error *error);

/// Remember damage; the one nearest to the file's beginning is reported.
void bksi_replay_note_damage(bks_replay *replay, bks_status status, uint64_t offset,
                             const char *what);

/// What damage there is, as a status.
/// @return BKS_OK when there is none
bks_status bksi_replay_damage(const bks_replay *replay, bks_error *error);

/// Read the records from replay->next on, as far as they are there.
/// @return BKS_OK also for damage; BKS_ERR_OUT_OF_MEMORY
bks_status bksi_replay_read_records(bks_replay *replay);

/// Take in what the slots hold and check the bytes before them.
/// @param padding  offset of what is behind STAT
/// @return BKS_OK also for damage; BKS_ERR_OUT_OF_MEMORY
bks_status bksi_replay_read_tail(bks_replay *replay, uint64_t padding, uint64_t tail_offset);

/// Add a part, and note which ticks the damage before it lost.
/// @return false when there is no memory
bool bksi_replay_add_part(bks_replay *replay, const bksi_replay_part *part);

/// The STAT record.
/// @return false when it is not there
bool bksi_replay_get_state(const bks_replay *replay, bksi_replay_state *out);

/// Say in info what is read so far.
void bksi_replay_fill_info(bks_replay *replay);

/// The same after parts from a tick on turned out to be lost: costs no look at all others.
void bksi_replay_set_lost(bks_replay *replay, bks_tick begin);

/// Take memory to unpack the parts.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_replay_make_room(bks_replay *replay);

/// Release what bksi_replay_make_room() took.
void bksi_replay_drop_unpacked(bks_replay *replay);

/// Take in a record of its type.
/// @param out_wrong  receives what is wrong with the record, if anything is
/// @return false when there is no memory
bool bksi_replay_take_samples(bks_replay *replay, const bksi_record *record,
                              const char **out_wrong);
bool bksi_replay_take_rollbacks(bks_replay *replay, const bksi_record *record,
                                const char **out_wrong);
bool bksi_replay_take_marks(bks_replay *replay, const bksi_record *record, const char **out_wrong);
bool bksi_replay_take_evidence(bks_replay *replay, const bksi_record *record,
                               const char **out_wrong);
bool bksi_replay_take_log(bks_replay *replay, const bksi_record *record, const char **out_wrong);
bool bksi_replay_take_repair(bks_replay *replay, const bksi_record *record, const char **out_wrong);

/// The same of a keyframe's state: one of the tick in which that repair ends is wrong, too, where
/// it stands before the repair.
bks_tick bksi_replay_key_wrong_since(const bks_replay *replay, const bks_replay_keyframe *keyframe);

/// Whether the state of a tick is in the file, as it was before a repair.
bool bksi_replay_state_is_wrong(const bks_replay *replay, bks_tick tick);

/// Whether a playback may begin with the state of a keyframe.
bool bksi_replay_can_begin_at(const bks_replay *replay, const bksi_replay_key *key);

/// The row of a tick, valid until another one is asked for.
/// @return BKS_OK, BKS_ERR_INCOMPLETE (there is none), BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_replay_mark_row(bks_replay *replay, bks_tick tick, const uint8_t **out,
                                size_t *out_count, const char *call);

/// Release what was unpacked of states at marks.
void bksi_replay_drop_marks(bks_replay *replay);

/// Release what was unpacked of samples.
void bksi_replay_drop_samples(bks_replay *replay, bksi_sample_list *list);

/// Add a part of samples or marks, which must begin behind those that are there.
/// @return false when there is no memory
bool bksi_sample_part_add(bks_replay *replay, bksi_list *parts, const bksi_record *record,
                          bks_tick first, uint32_t ticks);

/// Number of the part of samples or marks with a tick, SIZE_MAX: none.
size_t bksi_sample_part_find(const bksi_list *parts, bks_tick tick);

/// Whether the sample of a tick is there.
bool bksi_replay_has_sample(const bksi_sample_list *list, bks_tick tick);

/// The sample of a tick, list->sample_bytes long, valid until another one of the list is asked for.
/// @param call  the public function, for the error
/// @return BKS_OK, BKS_ERR_INCOMPLETE (there is none), BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_replay_sample(bks_replay *replay, bksi_sample_list *list, bks_tick tick,
                              const uint8_t **out, const char *call);

/// Whether the state of a tick is there: that at the first tick or a keyframe that is usable.
/// @param out_room  receives the bytes that unpacking it needs
bool bksi_replay_has_state(const bks_replay *replay, bks_tick tick, size_t *out_room);

/// Whether two files say that they hold the same state at a tick, without unpacking it: by its hash
/// and size in a keyframe, by its bytes at the first tick.
/// @return false also when they do not say
bool bksi_replay_has_same_state(const bks_replay *a, const bks_replay *b, bks_tick tick);

/// Whether a tick is there and its inputs are final.
bool bksi_replay_is_final(const bks_replay *replay, bks_tick tick);

/// The newest keyframe up to a tick that a playback may begin with.
/// @return its number, UINT32_MAX when there is none
uint32_t bksi_replay_find_keyframe(const bks_replay *replay, bks_tick tick);

#endif
