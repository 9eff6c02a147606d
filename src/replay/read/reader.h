// SPDX-License-Identifier: MIT

/// @file reader.h
/// An open recording as the files of this folder share it. It holds the places of all records in
/// the file. Only the tail of the file is copied, so the caller's bytes may move as the file grows.

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

/// Most keyframes that are tried one after the other until one can be loaded. Damage hardly ever
/// leaves a keyframe that passes its check but is refused, so more refused keyframes are an attack.
/// Each one may cost as much as the largest state, however few bytes it takes in the file.
#define BKSI_KEYFRAME_TRIES_MAX 16u

/// Part of a recording: consecutive ticks whose inputs are contiguous in the file.
typedef struct bksi_replay_part {
    /// Offset of the payload of the record that holds this part of the recording, 0 for the tail.
    uint64_t payload;
    size_t payload_bytes;
    bks_tick first; ///< first tick in the record that holds this part
    /// First tick to read from this part; earlier ticks are read from earlier parts.
    bks_tick begin;
    bks_tick confirmed; ///< one past the last final tick of the record
    bks_tick end;       ///< one past the last tick of the record
    size_t stretch;     ///< index of the part at which unpacking must begin to reach this part
    bool is_lost;       ///< true if the part, or one that it needs, could not be unpacked
    size_t input_bytes; ///< size of the part's inputs in bytes
    size_t hash_bytes;  ///< size of the part's hashes in bytes
} bksi_replay_part;

/// Place of a keyframe in the file.
typedef struct bksi_replay_key {
    bks_replay_keyframe keyframe;
    uint64_t payload; ///< offset of the record's payload in the file
    size_t payload_bytes;
    /// Number of keyframes to unpack for this one: from its whole keyframe to itself, both
    /// included.
    uint32_t depth;
    uint32_t usable; ///< index of the newest usable keyframe up to this one, UINT32_MAX: none
} bksi_replay_key;

/// Place of a record with samples, or rows of marks, of consecutive ticks.
typedef struct bksi_sample_part {
    uint64_t payload; ///< offset of the record's payload in the file
    size_t payload_bytes;
    bks_tick first;
    bks_tick end;    ///< one past the last tick in the record
    bool is_refused; ///< a record of marks was unpacked and is wrong
    bool is_counted; ///< the states of a record of marks are counted in states_bytes
} bksi_sample_part;

/// All samples of one kind: values, or page hashes.
typedef struct bksi_sample_list {
    bksi_list parts; ///< records of samples (bksi_sample_part) by tick

    /// Index in `parts` of the record that is unpacked in `bytes`, SIZE_MAX: none.
    size_t unpacked;
    bool is_refused;     ///< record `unpacked` failed to unpack, so do not try again for each tick
    size_t sample_bytes; ///< bytes of one sample of record `unpacked`

    /// Samples of record `unpacked`; allocated when samples are first asked for.
    uint8_t *bytes;
    size_t bytes_count;      ///< size of `bytes` in bytes
    uint64_t record_bytes;   ///< bytes in the file of all records with samples of this kind
    uint64_t samples_bytes;  ///< bytes of all samples of this kind, unpacked
    bks_tick ticks;          ///< number of ticks that have a sample of this kind
    size_t sample_bytes_max; ///< most bytes of a sample of this kind
} bksi_sample_list;

/// All recorded states at marks, and the record that is unpacked.
typedef struct bksi_mark_list {
    bksi_list parts;       ///< records of states at marks (bksi_sample_part) by tick
    uint64_t record_bytes; ///< bytes in the file of all records with states at marks
    bks_tick ticks;        ///< number of ticks that have states at marks
    uint64_t states_bytes; ///< bytes of the states of all records that were unpacked so far

    /// Index in `parts` of the record that is unpacked in `rows`, unless `rows` is NULL.
    size_t unpacked;
    uint8_t *rows;
    size_t rows_bytes;
    bks_tick next; ///< tick whose row is at `next_at` of `rows`
    size_t next_at;
    size_t row_at; ///< offset of the previous row, if next_at is not 0
    /// Tick whose row cannot be read, because the state against which its first state is coded is
    /// missing.
    bks_tick barren;
    bool has_state; ///< true if `state` is the last state of the tick before `next`
    uint8_t *state;
    size_t state_bytes;
    size_t state_room;
} bksi_mark_list;

/// Place of a rollback in the file.
typedef struct bksi_rollback_place {
    uint64_t payload; ///< offset of the record's payload
    size_t payload_bytes;
    size_t at; ///< offset of the rollback in the payload
    bks_tick present;
    bks_tick from;
} bksi_rollback_place;

/// Place of evidence of a desync, or of a piece of the match log, in the file.
typedef struct bksi_evidence_place {
    uint64_t payload; ///< offset of the record's payload in the file
    size_t payload_bytes;
} bksi_evidence_place;

/// Repair of states that this file has wrong, because they were recorded before the repair.
typedef struct bksi_wrong_place {
    bks_tick until;  ///< one past the last tick with a wrong state
    uint32_t repair; ///< index of the repair in replay->repairs
} bksi_wrong_place;

/// Place of a repair in the file.
typedef struct bksi_repair_place {
    bks_replay_repair repair;
    uint64_t offset; ///< offset of the repair's record in the file
    size_t agreed;   ///< index in replay->agreed of the repair's first hash
} bksi_repair_place;

/// Unpacked parts of the recording in one stretch: those that were asked for, and those before
/// them.
typedef struct bksi_replay_unpacked {
    size_t stretch;    ///< index of the first part of the stretch, SIZE_MAX: nothing is unpacked
    size_t end;        ///< one past the index of the last unpacked part
    bks_tick first;    ///< first tick that is unpacked
    bks_tick end_tick; ///< one past the last tick that is unpacked
    size_t room_ticks; ///< number of ticks for which there is room
    bksi_tick_arrays arrays;
} bksi_replay_unpacked;

struct bks_replay {
    bks_allocator allocator;
    bks_replay_piece pieces[BKS_REPLAY_PIECES_MAX];
    uint32_t piece_count;
    bool is_growing; ///< the file still grows, so only appended records are read
    bool is_late;    ///< the ticks before the first keyframe were not fetched
    bksi_replay_head head;
    bksi_layout layout;
    bksi_run_shape shape;
    size_t tick_bytes;
    uint32_t format;    ///< version of the file's format
    bks_recording info; ///< summary for callers; written by reader_info.c alone
    bool has_state;
    uint64_t state_payload; ///< offset in the file of the STAT record's payload
    size_t state_payload_bytes;
    uint64_t state_bytes;     ///< size of the unpacked state
    uint64_t state_bytes_max; ///< larger states are not unpacked
    bool is_state_left_out;   ///< the state holds raw pointers, so it is not recorded
    bool has_final_hash;
    uint64_t final_hash;
    bks_error damage; ///< the first damage in the file; BKS_OK if there is none

    // Progress of reading the file's records, in the following fields.
    uint64_t next;      ///< offset in the file of the next record
    bks_tick first;     ///< first tick in the file, or in the fetched pieces
    bks_tick expected;  ///< first tick of the next chunk; BKS_TICK_NONE: any tick may come next
    size_t lost_before; ///< lost.count when `expected` was set
    bool is_broken;     ///< a chunk is missing: no chunk can be read until the coder restarts
    bool is_plain;      ///< the previous chunk is not coded, so the coder learnt nothing from it
    bool is_over;       ///< true once no more records are to be read
    /// After damage: end of the range from `next` on that was searched in vain for a record's head.
    uint64_t searched;
    bool has_done;        ///< a DONE record was read: the recording was closed
    bool has_closed;      ///< an event says that the recording was closed before the match's end
    uint64_t last_index;  ///< offset in the file of the newest index, 0: none
    size_t indexed_parts; ///< parts.count when the newest index was read
    size_t indexed_keys;  ///< keys.count when the newest index was read

    /// Parts of the recording (bksi_replay_part) by tick, with gaps; the last one is the tail.
    bksi_list parts;
    size_t parts_end;       ///< one past the index in `parts` of the last part that is not lost
    bksi_list keys;         ///< keyframes (bksi_replay_key) by tick
    bksi_list events;       ///< events (bks_replay_event) in the order of the file
    bksi_list facts;        ///< facts (bksi_fact_place) by tick
    bksi_list commands;     ///< commands (bksi_commands_place) by tick
    uint64_t command_bytes; ///< bytes of all CMDS records in the file
    uint64_t command_unpacked_bytes; ///< bytes of all packed contents of CMDS records, unpacked
    uint8_t *command_room;           ///< room for the unpacked commands of a tick, NULL: none yet
    size_t command_room_bytes;       ///< size of `command_room`
    bksi_list lost;    ///< losses (bks_replay_lost) found while reading, in the order of the file
    bksi_list late;    ///< losses (bks_replay_lost) found while unpacking, in the order of the file
    bksi_list repairs; ///< repairs (bksi_repair_place) in the order of the file
    bksi_list wrong;   ///< repairs of states in this file (bksi_wrong_place) by tick
    bksi_list agreed;  ///< agreed hashes (bks_replay_agreed) of all repairs, by repair
    bksi_list rollbacks;     ///< rollbacks (bksi_rollback_place) in the order of the file
    bksi_list evidence;      ///< evidence (bksi_evidence_place) in the order of the file
    bksi_list logs;          ///< match log (bksi_evidence_place) in the order of the file
    uint64_t evidence_bytes; ///< bytes of evidence and logs in the file
    uint32_t log_count;      ///< number of entries of all logs
    uint64_t fact_bytes;     ///< bytes of all facts in the file
    uint64_t rollback_bytes; ///< bytes of all rollbacks in the file
    bksi_sample_list values;
    bksi_sample_list pages;
    bksi_mark_list marks;
    uint8_t *tail; ///< copy of the newest tail write
    size_t tail_bytes;
    size_t tail_run; ///< offset in `tail` of the run of ticks

    bksi_models models; ///< coder of version 2, in its state after the last unpacked part
    bksi_replay_unpacked unpacked;
};

/// Return the fetched piece that holds a byte of the file, or the last piece that begins before the
/// byte.
const bks_replay_piece *bksi_replay_piece_at(const bks_replay *replay, uint64_t offset);

/// Return the bytes of the file from an offset on. The offset must be in a fetched piece.
const uint8_t *bksi_replay_bytes_at(const bks_replay *replay, uint64_t offset);

/// Return the size of the file, as far as it is known.
uint64_t bksi_replay_bytes(const bks_replay *replay);

/// Check that the index of an item is below `count`.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bksi_replay_check_index(uint32_t index, size_t count, const char *call,
                                   bks_error *error);

/// Unpack the inputs of all players at one tick.
/// @param values  receives players * field_count values
void bksi_replay_unpack_inputs(const bks_replay *replay, const uint8_t *packed, int32_t *values);

/// Unpack the inputs of all ticks of a rollback, which takes time in proportion to its ticks.
/// @param values  receives players * field_count values for each tick
void bksi_replay_rollback_all(const bks_replay *replay, uint32_t index, int32_t *values);

/// Unpack a content into memory of the replay's allocator.
/// @param out  receives content->bytes bytes, which the caller frees; NULL if the status is not
///             BKS_OK
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED (not logged)
bks_status bksi_replay_unpack(const bks_replay *replay, const bksi_packed *content, uint8_t **out,
                              const char *call);

/// Read the HEAD record at the front of a file.
/// @param out_end  receives the offset of the end of the record
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE (not logged)
bks_status bksi_replay_find_head(const bks_replay_piece *front, uint32_t format,
                                 bksi_replay_head *head, uint64_t *out_end, const char *id,
                                 bks_error *error);

/// Note damage. Only the damage nearest to the file's beginning is reported.
void bksi_replay_note_damage(bks_replay *replay, bks_status status, uint64_t offset,
                             const char *what);

/// Report the damage that was noted while reading.
/// @return BKS_OK when no damage was noted
bks_status bksi_replay_damage(const bks_replay *replay, bks_error *error);

/// Read the records from replay->next on, as far as they are in the fetched pieces of the file.
/// @return BKS_OK, also for damage, which is noted; BKS_ERR_OUT_OF_MEMORY
bks_status bksi_replay_read_records(bks_replay *replay);

/// Read the tail slots and check that the bytes before them are zero.
/// @param padding  end of the STAT record in the file, from which on the bytes must be zero
/// @return BKS_OK, also for damage, which is noted; BKS_ERR_OUT_OF_MEMORY
bks_status bksi_replay_read_tail(bks_replay *replay, uint64_t padding, uint64_t tail_offset);

/// Add a part of the recording, and note the ticks lost to the damage before it.
/// @return false when there is no memory
bool bksi_replay_add_part(bks_replay *replay, const bksi_replay_part *part);

/// Read the STAT record.
/// @return false when the record is missing or damaged
bool bksi_replay_get_state(const bks_replay *replay, bksi_replay_state *out);

/// Update replay->info to what has been read so far.
void bksi_replay_fill_info(bks_replay *replay);

/// Update replay->info after parts of the recording from tick `begin` on were lost, without walking
/// over all other parts.
void bksi_replay_set_lost(bks_replay *replay, bks_tick begin);

/// Allocate memory for unpacking the parts of a recording.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_replay_make_room(bks_replay *replay);

/// Free the memory that bksi_replay_make_room() allocated.
void bksi_replay_drop_unpacked(bks_replay *replay);

/// Each of the following functions adds the content of records of one type to the replay.
/// @param out_wrong  receives what is wrong with the record, if anything is
/// @return false when there is no memory
bool bksi_replay_take_samples(bks_replay *replay, const bksi_record *record,
                              const char **out_wrong);
bool bksi_replay_take_rollbacks(bks_replay *replay, const bksi_record *record,
                                const char **out_wrong);
bool bksi_replay_take_commands(bks_replay *replay, const bksi_record *record,
                               const char **out_wrong);
bool bksi_replay_take_marks(bks_replay *replay, const bksi_record *record, const char **out_wrong);
bool bksi_replay_take_evidence(bks_replay *replay, const bksi_record *record,
                               const char **out_wrong);
bool bksi_replay_take_log(bks_replay *replay, const bksi_record *record, const char **out_wrong);
bool bksi_replay_take_repair(bks_replay *replay, const bksi_record *record, const char **out_wrong);

/// Return the first tick of the repair that shows that a keyframe's state is wrong. A keyframe of
/// the tick in which the repair ends is wrong, too, if the keyframe comes before the repair in the
/// file.
/// @return the tick; BKS_TICK_NONE when the state is right
bks_tick bksi_replay_key_wrong_since(const bks_replay *replay, const bks_replay_keyframe *keyframe);

/// Return true if the file holds the state of a tick as it was before a repair.
bool bksi_replay_state_is_wrong(const bks_replay *replay, bks_tick tick);

/// Return true if a playback may begin with the keyframe.
bool bksi_replay_can_begin_at(const bks_replay *replay, const bksi_replay_key *key);

/// Unpack the row of states at marks of a tick. It is valid until another row is unpacked.
/// @return BKS_OK, BKS_ERR_INCOMPLETE (the tick has no row), BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_replay_mark_row(bks_replay *replay, bks_tick tick, const uint8_t **out,
                                size_t *out_count, const char *call);

/// Free the unpacked states at marks.
void bksi_replay_drop_marks(bks_replay *replay);

/// Free the unpacked samples.
void bksi_replay_drop_samples(bks_replay *replay, bksi_sample_list *list);

/// Add a part of samples or marks. The part must begin after all parts of the list.
/// @return false when there is no memory
bool bksi_sample_part_add(bks_replay *replay, bksi_list *parts, const bksi_record *record,
                          bks_tick first, uint32_t ticks);

/// Return the index of the part of samples or marks that has a tick, SIZE_MAX: none.
size_t bksi_sample_part_find(const bksi_list *parts, bks_tick tick);

/// Return true if the list has a sample of a tick.
bool bksi_replay_has_sample(const bksi_sample_list *list, bks_tick tick);

/// Unpack the sample of a tick, of list->sample_bytes bytes. It is valid until another sample of
/// the list is unpacked.
/// @param call  name of the public function, for the log
/// @return BKS_OK, BKS_ERR_INCOMPLETE (the tick has no sample), BKS_ERR_DAMAGED,
///   BKS_ERR_OUT_OF_MEMORY
bks_status bksi_replay_sample(bks_replay *replay, bksi_sample_list *list, bks_tick tick,
                              const uint8_t **out, const char *call);

/// Return true if the file holds the state of a tick: at the first tick, or as a usable keyframe.
/// @param out_room  receives the bytes that unpacking the state needs
bool bksi_replay_has_state(const bks_replay *replay, bks_tick tick, size_t *out_room);

/// Return true if two files hold the same state at a tick, without unpacking the state. Keyframes
/// are compared by hash and size, states at the first tick by their packed bytes.
/// @return false if the states differ, or if that is not known
bool bksi_replay_has_same_state(const bks_replay *a, const bks_replay *b, bks_tick tick);

/// Return true if the recording has a tick and its inputs are final.
bool bksi_replay_is_final(const bks_replay *replay, bks_tick tick);

/// Find the newest keyframe up to a tick with which a playback may begin.
/// @return index of the keyframe, UINT32_MAX when there is no such keyframe
uint32_t bksi_replay_find_keyframe(const bks_replay *replay, bks_tick tick);

/// Unpack all CMDS records, and note what is damaged.
void bksi_replay_check_commands(bks_replay *replay);

#endif
