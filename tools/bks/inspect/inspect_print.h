// SPDX-License-Identifier: MIT

/// @file inspect_print.h Prints the view of an inspector as text, as JSON, or as a page for a
/// browser.

#ifndef BKS_TOOL_INSPECT_PRINT_H
#define BKS_TOOL_INSPECT_PRINT_H

#include <stdio.h>

#include "inspect/inspect_client.h"

/// Style of the printed text.
typedef struct inspect_style {
    bool has_graphs;    ///< true: print graphs made of UTF-8 block characters
    bool has_colour;    ///< true: print escape sequences for colours
    const char *end;    ///< text at the end of each line, such as `\n`
    uint32_t columns;   ///< width of a line in columns
    const char *remark; ///< text of the last line; NULL: none
} inspect_style;

/// Print a view as text.
/// @param address  address of the match
void inspect_print_text(const inspect_view *view, const char *address, const inspect_style *style,
                        FILE *out);

/// Print a view as one JSON object.
/// @return true if the whole object was written
bool inspect_print_json(const inspect_view *view, const char *address, FILE *out);

/// Print the HTML page that shows a view. The page polls this program for the view's data.
void inspect_print_page(FILE *out);

/// Return the name of a match's phase.
const char *inspect_phase_name(bks_phase phase);

/// Write an input delay as text: "auto" or a number.
void inspect_print_delay(uint32_t delay_ticks, char out[16]);

/// Return the name of a pace, as the option `--set pace=` accepts it.
const char *inspect_pace_name(bks_pace pace);

/// Serve the HTML page until the user stops the program. Errors go to stderr.
/// @param port  1 to 65535; 0: any free port. The address of the page is printed on stdout
/// @return TOOL_OK or TOOL_NO
int inspect_web_run(inspect_client *client, inspect_view *view, uint16_t port);
#endif
