// SPDX-License-Identifier: MIT

/// @file replay_print.h
/// What is in a recording as text that other programs read: an input log, or JSON.

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

#endif
