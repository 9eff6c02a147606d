// SPDX-License-Identifier: MIT

/// @file golden_changes.h
/// How the golden files are made: those of the newest version from a recording, those of version 1,
/// which is no longer written, from a golden file of that version.

#ifndef TEST_REPLAY_GOLDEN_CHANGES_H
#define TEST_REPLAY_GOLDEN_CHANGES_H

#include "backstitch/toolkit/writer.h"
#include "recording.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_head.h"

typedef struct golden_change {
    const char *name;
    bool finish;                          ///< made from a complete recording
    void (*change)(memory_file *file);    ///< change to the file
    void (*record)(memory_file *file);    ///< recording to use instead, or NULL
    void (*head)(bksi_replay_head *head); ///< change to HEAD, with nothing after it; or NULL
    uint32_t type;                        ///< type of a record in the place of DONE, 0: none
    bool is_tail;                         ///< the payload is the content of a slot, not of a record
    const char *payload;                  ///< payload of that record or slot
    size_t payload_bytes;
    uint32_t version; ///< version of the format: 1, or 2 by default
} golden_change;

/// Return the change with this number, NULL after the last one.
const golden_change *golden_change_at(size_t index);

/// Return the version of the format of a change.
uint32_t golden_change_version(const golden_change *change);

/// Make a file.
void golden_make(const golden_change *change, memory_file *file);

// ---- changing bytes ----

/// Find the nth record of a type.
bksi_record golden_find(const memory_file *file, uint32_t type, uint32_t n);

void golden_append(memory_file *file, const void *bytes, size_t count);
void golden_append_record(memory_file *file, uint32_t type, const void *payload, size_t count);

/// Take DONE off and append a record in its place.
void golden_end_with(memory_file *file, uint32_t type, const void *payload, size_t count);

/// Change a byte of a payload and correct its check, so that the record lies.
void golden_lie(memory_file *file, uint32_t type, uint32_t n, size_t at, uint8_t change);

/// Return the offset of the slots.
size_t golden_slots(const memory_file *file);

/// Begin to record a part of the match.
bks_replay_writer *golden_begin(memory_file *file, const bks_replay_detail *detail, bks_tick first);

/// Record the match with answers to the questions of its steps.
void golden_record_facts(memory_file *file);

extern const golden_change golden_lies[];       ///< files that lie, golden_lies.c
extern const golden_change golden_recordings[]; ///< files with more content, golden_recordings.c
extern const size_t golden_lie_count;
extern const size_t golden_recording_count;

#endif
