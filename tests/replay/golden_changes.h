// SPDX-License-Identifier: MIT

/// @file golden_changes.h
/// How the golden files are made: those of the newest version from a recording, later ones of
/// version 1, which nothing writes any more, from a golden file of it.

#ifndef TEST_REPLAY_GOLDEN_CHANGES_H
#define TEST_REPLAY_GOLDEN_CHANGES_H

#include "backstitch/toolkit/writer.h"
#include "recording.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_head.h"

typedef struct golden_change {
    const char *name;
    bool finish;                          ///< made from a complete recording
    void (*change)(memory_file *file);    ///< what is done to it
    void (*record)(memory_file *file);    ///< made from this recording instead, NULL
    void (*head)(bksi_replay_head *head); ///< what HEAD says instead, and nothing behind it; NULL
    uint32_t type;                        ///< of a record in the place of DONE, 0: none
    bool is_tail;                         ///< the payload is what a slot holds, not a record
    const char *payload;                  ///< of these
    size_t payload_bytes;
    uint32_t version; ///< 1 or, default, 2
} golden_change;

/// The change with this number, NULL behind the last.
const golden_change *golden_change_at(size_t index);

/// Its version of the format.
uint32_t golden_change_version(const golden_change *change);

/// Make a file.
void golden_make(const golden_change *change, memory_file *file);

// ---- changing bytes ----

/// The nth record of a type.
bksi_record golden_find(const memory_file *file, uint32_t type, uint32_t n);

void golden_append(memory_file *file, const void *bytes, size_t count);
void golden_append_record(memory_file *file, uint32_t type, const void *payload, size_t count);

/// Take DONE off and append a record in its place.
void golden_end_with(memory_file *file, uint32_t type, const void *payload, size_t count);

/// Change a byte of a payload and make its check right again: the record lies.
void golden_lie(memory_file *file, uint32_t type, uint32_t n, size_t at, uint8_t change);

/// Where the slots begin.
size_t golden_slots(const memory_file *file);

/// Begin to record a part of the match.
bks_replay_writer *golden_begin(memory_file *file, const bks_replay_detail *detail, bks_tick first);

/// Record the match with answers to the questions of its steps.
void golden_record_facts(memory_file *file);

extern const golden_change golden_lies[];       ///< files that lie, golden_lies.c
extern const golden_change golden_recordings[]; ///< files that hold more, golden_recordings.c
extern const size_t golden_lie_count;
extern const size_t golden_recording_count;

#endif
