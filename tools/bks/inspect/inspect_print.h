// SPDX-License-Identifier: MIT

/// @file inspect_print.h
/// What an inspector knows, as text, as JSON and in a browser.

#ifndef BKS_TOOL_INSPECT_PRINT_H
#define BKS_TOOL_INSPECT_PRINT_H

#include <stdio.h>

#include "inspect/inspect_client.h"

/// How text looks.
typedef struct inspect_look {
    bool has_graphs;    ///< of block characters, UTF-8
    bool has_colour;    ///< escape sequences
    const char *end;    ///< of a line
    uint32_t columns;   ///< most in a line
    const char *remark; ///< a last line, NULL: none
} inspect_look;

/// Print it as text.
/// @param address  where it was found
void inspect_print_text(const inspect_view *view, const char *address, const inspect_look *look,
                        FILE *out);

/// Print it as one JSON object.
/// @return whether all of it was written
bool inspect_print_json(const inspect_view *view, const char *address, FILE *out);

/// Write the page that asks for it, for a browser.
void inspect_print_page(FILE *out);

/// The name of a phase.
const char *inspect_phase_name(bks_phase phase);

/// The delay that a summary names: "auto" or a number.
void inspect_print_delay(uint32_t delay_ticks, char out[16]);

/// The name of a pace, as `--set pace=` takes it.
const char *inspect_pace_name(bks_pace pace);

/// Serve the page until the user stops it. Errors go to stderr.
/// @param port  1..65535; 0: any free one. stdout says the page's address
/// @return TOOL_OK, TOOL_NO
int inspect_web_run(inspect_client *client, inspect_view *view, uint16_t port);
#endif
