// SPDX-License-Identifier: MIT

/// @file replay_print.h
/// Prints contents of a recording: as an input log or JSON for other programs, and as text for
/// people.

#ifndef BKS_TOOL_REPLAY_PRINT_H
#define BKS_TOOL_REPLAY_PRINT_H

#include "base/json.h"
#include "record/recording/replay_file.h"

/// Parts of a recording to print besides inputs.
typedef struct replay_print_extras {
    bool has_hashes;
    bool has_events;
    bool has_values;
} replay_print_extras;

/// Print a line for each player and tick, as an input log that '--input P=trace:FILE' plays. The
/// extras and the commands become header lines. Lost ticks are left out.
void replay_print_input_log(replay_file *file, bks_tick from, bks_tick until,
                            const replay_print_extras *extras);

/// Write inputs, commands and extras into the open JSON object.
void replay_print_json(json *j, replay_file *file, bks_tick from, bks_tick until,
                       const replay_print_extras *extras);

/// Write the fields of the layout as an array.
void replay_print_json_fields(json *j, const bks_recording *info);

/// Write an event into the open JSON object.
void replay_print_json_event(json *j, const bks_replay_event *event);

/// Write an event as one line of text.
void replay_print_event(const bks_replay_event *event, char out[256]);

/// Size of the sentence that replay_repair_text() writes, in bytes.
enum { REPLAY_REPAIR_TEXT_BYTES = 192 };

/// Write a sentence: which peer's state was wrong when, and how it was repaired.
void replay_repair_text(const bks_replay_repair *repair, char out[REPLAY_REPAIR_TEXT_BYTES]);

/// Write a repair as an object in the open array.
void replay_repair_json(json *j, const bks_replay_repair *repair);

/// Write all repairs as an array "repairs" into the open JSON object.
void replay_repairs_json(json *j, const replay_file *file);

/// Print a line of `bks replay info` for each repair.
void replay_repairs_print(const replay_file *file);

// ---- replay_kinds.c: bytes by kind of record, and contents besides inputs and hashes ----

/// Write "bytes_by", "rollbacks", "repairs", "facts", "events_by", "values" and "pages" into the
/// open JSON object.
void replay_kinds_json(json *j, const replay_file *file);

/// Print the bytes by kind of record.
void replay_kinds_print_bytes(const replay_file *file);

/// Print the numbers of events, rollbacks, repairs, facts, values and page hashes.
void replay_kinds_print(const replay_file *file);

#endif
