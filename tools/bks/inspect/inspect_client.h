// SPDX-License-Identifier: MIT

/// @file inspect_client.h Client of the inspector: asks a running match by UDP for its summary,
/// figures and memory, or for a change.

#ifndef BKS_TOOL_INSPECT_CLIENT_H
#define BKS_TOOL_INSPECT_CLIENT_H

#include <stdbool.h>

#include "backstitch/toolkit/inspector.h"
#include "backstitch/toolkit/state_map.h"
#include "screen/overlay/figures.h"

enum { INSPECT_PARTS_MAX = 64 };

/// Age of a value in a view. Values may be missing or old, because packets get lost.
typedef enum inspect_age {
    INSPECT_MISSING, ///< the value never arrived
    INSPECT_OLD,     ///< the value arrived in an earlier poll
    INSPECT_FRESH,
} inspect_age;

/// Everything that a match has answered. Start from {0}.
typedef struct inspect_view {
    bks_inspect_summary summary;
    bks_figures figures; ///< figures of the match and its links
    /// Age of each figure, by peer and index of the figure.
    inspect_age figure_ages[BKS_PEERS_MAX + 1][BKS_INSPECT_MATCH_FIGURES];
    bks_memory_part parts[INSPECT_PARTS_MAX];
    inspect_age part_ages[INSPECT_PARTS_MAX];
    uint32_t part_count;
    uint32_t unanswered; ///< number of the newest poll's requests that got no answer
} inspect_view;

/// Return true if a peer has left the match, so that its figures are outdated.
static inline bool inspect_has_left(const bks_inspect_summary *summary, uint32_t peer)
{
    return summary->phase != BKS_PHASE_GATHERING && (summary->peers_in >> peer & 1) == 0;
}

/// Connection to a running match. Opaque.
typedef struct inspect_client inspect_client;

/// Open a connection to a running match; errors go to stderr.
/// @param address  "ADDR:PORT", or "PORT" for this machine
/// @param out      receives the connection; release with inspect_client_close()
/// @return TOOL_OK, TOOL_MISUSE or TOOL_NO
int inspect_client_open(const char *address, inspect_client **out);

/// Close a connection. NULL is allowed.
void inspect_client_close(inspect_client *client);

/// Return the address of the match as text.
const char *inspect_client_address(const inspect_client *client);

/// Ask for everything that a view holds. Values that do not arrive in time keep their old content.
/// @return false if no answer arrived
bool inspect_client_poll(inspect_client *client, inspect_view *view);

/// Ask the match for a change.
/// @param request   the change; this call fills in kind and serial
/// @param status    receives the result
/// @param text      receives the result as a sentence; for a value out of range, with the range
/// @param capacity  size of `text` in bytes; 128 is enough
/// @return false if no answer arrived
bool inspect_client_change(inspect_client *client, const bks_inspect_request *request,
                           bks_inspect_status *status, char *text, size_t capacity);

// ---- changes as a user types them: "window=8", "delay=auto", "pace=stall",
//      "link=delay=50ms,loss=2%", and the token that allows them ----

/// Read a token of 32 hexadecimal digits.
/// @return true if the text is valid
bool inspect_read_token(const char *text, uint8_t out[BKS_INSPECT_TOKEN_BYTES]);

/// Read a change as a user types it, such as "window=8", into a request.
/// @param why  receives what was expected, a static text
/// @return true if the text is valid
bool inspect_read_change(const char *text, bks_inspect_request *request, const char **why);

/// Write why a change's value was refused as out of range.
/// @param summary  summary of the match, which contains the range
void inspect_range_text(const bks_inspect_request *request, const bks_inspect_summary *summary,
                        char *out, size_t capacity);

/// Return the result of a change as text for people.
const char *inspect_status_text(bks_inspect_status status);

/// Find the token that allows changes. It may be in a file or the environment, which other users of
/// the machine cannot read, or in the arguments, which they can. Errors go to stderr, and a warning
/// if the token is in the arguments.
/// @param given     value of `--token`: the token, or "@FILE" for a file with the token in its
///                  first line; NULL: use the environment variable BKS_INSPECT_TOKEN, which may be
///                  unset
/// @param is_there  receives true if a token was found
/// @param out       receives the token
/// @return TOOL_OK, TOOL_MISUSE (the text is no token), TOOL_DAMAGED (the file cannot be read)
int inspect_token_find(const char *given, bool *is_there, uint8_t out[BKS_INSPECT_TOKEN_BYTES]);

#endif
