// SPDX-License-Identifier: MIT

/// @file inspect_client.h
/// Asks a match by UDP how it does.

#ifndef BKS_TOOL_INSPECT_CLIENT_H
#define BKS_TOOL_INSPECT_CLIENT_H

#include <stdbool.h>

#include "backstitch/toolkit/inspector.h"
#include "backstitch/toolkit/state_map.h"
#include "screen/overlay/figures.h"

enum { INSPECT_PARTS_MAX = 64 };

/// How new a value is. Packets get lost.
typedef enum inspect_age {
    INSPECT_MISSING, ///< it never came: what stands in its place means nothing
    INSPECT_OLD,     ///< it is of an earlier look
    INSPECT_FRESH,
} inspect_age;

/// What was seen. Zero it before the first look.
typedef struct inspect_view {
    bks_inspect_summary summary;
    bks_figures figures; ///< where the summary says there are some
    inspect_age figure_ages[BKS_PEERS_MAX + 1][BKS_INSPECT_MATCH_FIGURES]; ///< by peer and index
    bks_memory_part parts[INSPECT_PARTS_MAX];
    inspect_age part_ages[INSPECT_PARTS_MAX];
    uint32_t part_count;
    uint32_t unanswered; ///< requests of the newest look
} inspect_view;

/// Whether a peer has left: its figures are of a time that is gone.
static inline bool inspect_has_left(const bks_inspect_summary *summary, uint32_t peer)
{
    return summary->phase != BKS_PHASE_GATHERING && (summary->peers_in >> peer & 1) == 0;
}

/// The way to a match. Opaque.
typedef struct inspect_client inspect_client;

/// Open it; errors go to stderr.
/// @param address  "ADDR:PORT", or "PORT" of this machine
/// @return TOOL_OK, TOOL_MISUSE, TOOL_NO
/// Owned by the caller; release with inspect_client_close().
int inspect_client_open(const char *address, inspect_client **out);

/// Release it. NULL is allowed.
void inspect_client_close(inspect_client *client);

/// Where it leads, for people.
const char *inspect_client_address(const inspect_client *client);

/// Ask for everything. What does not come in time keeps what it was; its age says so.
/// @return false: no answer came
bool inspect_client_look(inspect_client *client, inspect_view *view);

/// Ask for a change.
/// @param request   its kind and serial are filled in
/// @param status    receives what became of it
/// @param text      receives the same for people, with the range of a value that is outside
/// @param capacity  of it, 128 are enough
/// @return false: no answer came
bool inspect_client_change(inspect_client *client, const bks_inspect_request *request,
                           bks_inspect_status *status, char *text, size_t capacity);

// ---- changes as a user types them: "window=8", "delay=auto", "pace=stall",
//      "link=delay=50ms,loss=2%", and the token that allows them ----

/// Read a token of 32 hexadecimal digits.
/// @return whether it is one
bool inspect_read_token(const char *text, uint8_t out[BKS_INSPECT_TOKEN_BYTES]);

/// Read a change into a request.
/// @param why  receives what is wrong with it, static
/// @return whether it is one
bool inspect_read_change(const char *text, bks_inspect_request *request, const char **why);

/// Why a change was refused that is out of the range.
/// @param summary  of the match, with its range
void inspect_range_text(const bks_inspect_request *request, const bks_inspect_summary *summary,
                        char *out, size_t capacity);

/// What became of a change, for people.
const char *inspect_status_text(bks_inspect_status status);

/// Find the token: in a file or the environment, which other users of the machine cannot read, or
/// in the arguments, which they can. Errors, and a warning of one in the arguments, go to stderr.
/// @param given     of `--token`: the token, or "@FILE" with it in the first line; NULL: the
///                  environment variable BKS_INSPECT_TOKEN, which may be unset
/// @param is_there  receives whether there is one
/// @param out       receives it
/// @return TOOL_OK, TOOL_MISUSE (it is no token), TOOL_DAMAGED (the file cannot be read)
int inspect_token_find(const char *given, bool *is_there, uint8_t out[BKS_INSPECT_TOKEN_BYTES]);

#endif
