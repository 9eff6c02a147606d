// SPDX-License-Identifier: MIT

/// @file replay_print.h
/// What is in a recording, printed: as text that other programs read, an input log or JSON, and for
/// people.

#ifndef BKS_TOOL_REPLAY_PRINT_H
#define BKS_TOOL_REPLAY_PRINT_H

#include "base/json.h"
#include "record/recording/replay_file.h"

/// What is printed besides inputs.
typedef struct replay_print_extras {
    bool has_hashes;
    bool has_events;
    bool has_values;
} replay_print_extras;

/// Print one line for each player and tick, as an input log that '--input P=trace:FILE'
/// plays. The extras are header lines of it. Ticks that are lost are left out.
void replay_print_input_log(replay_file *file, bks_tick from, bks_tick until,
                            const replay_print_extras *extras);

/// Write the same into the object that is open.
void replay_print_json(json *j, replay_file *file, bks_tick from, bks_tick until,
                       const replay_print_extras *extras);

/// Write an array of the layout's fields.
void replay_print_json_fields(json *j, const bks_recording *info);

/// Write what happened into the object that is open.
void replay_print_json_event(json *j, const bks_replay_event *event);

/// What happened as one line.
void replay_print_event(const bks_replay_event *event, char out[256]);

/// Room for a sentence.
enum { REPLAY_REPAIR_TEXT_BYTES = 192 };

/// Whose state was wrong when, and how it was put right.
void replay_repair_text(const bks_replay_repair *repair, char out[REPLAY_REPAIR_TEXT_BYTES]);

/// Write one as an object in an array.
void replay_repair_json(json *j, const bks_replay_repair *repair);

/// Write the key "repairs", an array of all.
void replay_repairs_json(json *j, const replay_file *file);

/// Print a line for each, as part of what a recording holds.
void replay_repairs_print(const replay_file *file);

// ---- replay_kinds.c: its bytes by kind, and what there is besides inputs and hashes ----

/// Write the keys "bytes_by", "rollbacks", "repairs", "facts", "events_by", "values" and "pages".
void replay_kinds_json(json *j, const replay_file *file);

/// Print where the bytes are.
void replay_kinds_print_bytes(const replay_file *file);

/// Print what there is of events, rollbacks, repairs, facts, values and pages.
void replay_kinds_print(const replay_file *file);

#endif
