// SPDX-License-Identifier: MIT

/// @file inspect_print.h
/// Prints the view of an inspector as text, as JSON and as a page for a browser.

#ifndef BKS_TOOL_INSPECT_PRINT_H
#define BKS_TOOL_INSPECT_PRINT_H

#include <stdio.h>

#include "inspect/inspect_client.h"

/// Style of the text.
typedef struct inspect_style {
    bool has_graphs;    ///< print graphs of block characters in UTF-8
    bool has_colour;    ///< print escape sequences for colours
    const char *end;    ///< end of a line
    uint32_t columns;   ///< width of a line
    const char *remark; ///< last line; NULL: none
} inspect_style;

/// Print a view as text.
/// @param address  address of the match
void inspect_print_text(const inspect_view *view, const char *address, const inspect_style *style,
                        FILE *out);

/// Print a view as one JSON object.
/// @return true if all was written
bool inspect_print_json(const inspect_view *view, const char *address, FILE *out);

/// Print the HTML page that polls for the view.
void inspect_print_page(FILE *out);

/// Return the name of a phase.
const char *inspect_phase_name(bks_phase phase);

/// Write a delay as text: "auto" or a number.
void inspect_print_delay(uint32_t delay_ticks, char out[16]);

/// Return the name of a pace, as `--set pace=` takes it.
const char *inspect_pace_name(bks_pace pace);

/// Serve the page until the user stops it. Errors go to stderr.
/// @param port  1..65535; 0: any free port. The page's address is printed to stdout
/// @return TOOL_OK, TOOL_NO
int inspect_web_run(inspect_client *client, inspect_view *view, uint16_t port);
#endif
