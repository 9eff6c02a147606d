// SPDX-License-Identifier: MIT

/// @file tuner.h
/// Changes how a running match plays, by keys while the overlay is shown: one tunes a game by it.
/// Each change takes the way of those of `bks inspect`: a request that bks_inspect_answer() checks.

#ifndef BKS_TOOL_TUNER_H
#define BKS_TOOL_TUNER_H

#include "backstitch/toolkit/inspector.h"

enum { TUNER_ROWS_MAX = 6 };

/// Settings of a running match that keys change. Start with tuner_open().
typedef struct tuner {
    bks_inspected inspected;
    uint8_t token[BKS_INSPECT_TOKEN_BYTES]; ///< token for our own requests: keys of this program
                                            ///< need no secret
    uint32_t chosen;                        ///< row
} tuner;

/// One setting, as it is shown.
typedef struct tuner_row {
    const char *name;
    char value[48];
    bool is_chosen;
} tuner_row;

/// Begin.
/// @param t         stays where it is
/// @param session   of the match, must outlive it
/// @param change_link, link, context  as in bks_inspected; NULL: there is no emulated link
void tuner_open(tuner *t, bks_session *session, bool (*change_link)(void *context, const char *),
                const char *(*link)(void *context), void *context);

/// Return true if there is an emulated link, which has rows of its own.
bool tuner_has_link(const tuner *t);

/// F2 goes to the next row, F3 makes its value less, F4 more.
/// @return whether the key was one of these
bool tuner_key(tuner *t, uint8_t key);

/// Write the rows with their present values.
/// @return how many
uint32_t tuner_rows(const tuner *t, tuner_row out[TUNER_ROWS_MAX]);

#endif
