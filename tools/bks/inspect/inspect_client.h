// SPDX-License-Identifier: MIT

/// @file inspect_client.h
/// Asks a running match by UDP for its summary, figures and memory, or for a change.

#ifndef BKS_TOOL_INSPECT_CLIENT_H
#define BKS_TOOL_INSPECT_CLIENT_H

#include <stdbool.h>

#include "backstitch/toolkit/inspector.h"
#include "backstitch/toolkit/state_map.h"
#include "screen/overlay/figures.h"

enum { INSPECT_PARTS_MAX = 64 };

/// Age of a value: packets get lost.
typedef enum inspect_age {
    INSPECT_MISSING, ///< the value never came, and its place holds nothing useful
    INSPECT_OLD,     ///< the value came with an earlier look
    INSPECT_FRESH,
} inspect_age;

/// Everything that a match answered. Start from {0}.
typedef struct inspect_view {
    bks_inspect_summary summary;
    bks_figures figures; ///< figures that the summary lists
    inspect_age figure_ages[BKS_PEERS_MAX + 1][BKS_INSPECT_MATCH_FIGURES]; ///< age of each figure,
                                                                           ///< by peer and index
    bks_memory_part parts[INSPECT_PARTS_MAX];
    inspect_age part_ages[INSPECT_PARTS_MAX];
    uint32_t part_count;
    uint32_t unanswered; ///< requests of the newest look without an answer
} inspect_view;

/// Return true if a peer has left: its figures are outdated.
static inline bool inspect_has_left(const bks_inspect_summary *summary, uint32_t peer)
{
    return summary->phase != BKS_PHASE_GATHERING && (summary->peers_in >> peer & 1) == 0;
}

/// Connection to a match. Opaque.
typedef struct inspect_client inspect_client;

/// Open a connection; errors go to stderr.
/// @param address  "ADDR:PORT", or "PORT" of this machine
/// @return TOOL_OK, TOOL_MISUSE, TOOL_NO
/// Owned by the caller; release with inspect_client_close().
int inspect_client_open(const char *address, inspect_client **out);

/// Close a connection. NULL is allowed.
void inspect_client_close(inspect_client *client);

/// Return the address of the match as text.
const char *inspect_client_address(const inspect_client *client);

/// Ask for everything. Values that do not come in time keep their old content and age.
/// @return false: no answer came
bool inspect_client_poll(inspect_client *client, inspect_view *view);

/// Ask the match for a change.
/// @param request   change; kind and serial are filled in by the call
/// @param status    receives the result
/// @param text      receives the result for people, with the range for a value outside of it
/// @param capacity  size of `text`; 128 is enough
/// @return false: no answer came
bool inspect_client_change(inspect_client *client, const bks_inspect_request *request,
                           bks_inspect_status *status, char *text, size_t capacity);

// ---- changes as a user types them: "window=8", "delay=auto", "pace=stall",
//      "link=delay=50ms,loss=2%", and the token that allows them ----

/// Read a token of 32 hexadecimal digits.
/// @return true if the text is valid
bool inspect_read_token(const char *text, uint8_t out[BKS_INSPECT_TOKEN_BYTES]);

/// Read a change into a request.
/// @param why  receives what was expected, static
/// @return true if the text is valid
bool inspect_read_change(const char *text, bks_inspect_request *request, const char **why);

/// Write why a value out of range was refused.
/// @param summary  summary of the match, which has the range
void inspect_range_text(const bks_inspect_request *request, const bks_inspect_summary *summary,
                        char *out, size_t capacity);

/// Return the result of a change for people.
const char *inspect_status_text(bks_inspect_status status);

/// Find the token: in a file or the environment, which other users of the machine cannot read, or
/// in the arguments, which they can. Errors, and a warning of one in the arguments, go to stderr.
/// @param given     value of `--token`: the token, or "@FILE" with it in the first line; NULL: the
///                  environment variable BKS_INSPECT_TOKEN, which may be unset
/// @param is_there  receives whether there is a token
/// @param out       receives the token
/// @return TOOL_OK, TOOL_MISUSE (it is no token), TOOL_DAMAGED (the file cannot be read)
int inspect_token_find(const char *given, bool *is_there, uint8_t out[BKS_INSPECT_TOKEN_BYTES]);

#endif
