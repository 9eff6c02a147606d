// SPDX-License-Identifier: MIT

/// @file tuner.h
/// Tunes a running match by keys while the overlay is shown. A change is a request as `bks inspect`
/// sends it, and bks_inspect_answer() checks it.

#ifndef BKS_TOOL_TUNER_H
#define BKS_TOOL_TUNER_H

#include "backstitch/toolkit/inspector.h"

enum { TUNER_ROWS_MAX = 6 };

/// Settings of a running match that keys change. Start with tuner_open().
typedef struct tuner {
    bks_inspected inspected;
    /// Token for the tuner's own requests. The token need not be secret.
    uint8_t token[BKS_INSPECT_TOKEN_BYTES];
    uint32_t chosen; ///< index of the row whose value the keys change
} tuner;

/// A setting as the overlay shows it.
typedef struct tuner_row {
    const char *name;
    char value[48];
    bool is_chosen;
} tuner_row;

/// Begin to tune a match.
/// @param t         must stay at its address
/// @param session   session of the match; must outlive the tuner
/// @param change_link, link, context  as in bks_inspected; NULL: there is no emulated link
void tuner_open(tuner *t, bks_session *session, bool (*change_link)(void *context, const char *),
                const char *(*link)(void *context), void *context);

/// Return true if there is an emulated link, whose settings have rows.
bool tuner_has_link(const tuner *t);

/// Handle a key: F2 chooses the next row, F3 decreases the value of the chosen row, F4 increases
/// it.
/// @return true if the key is F2, F3 or F4
bool tuner_key(tuner *t, uint8_t key);

/// Write the rows with their present values.
/// @return the number of rows
uint32_t tuner_rows(const tuner *t, tuner_row out[TUNER_ROWS_MAX]);

#endif
