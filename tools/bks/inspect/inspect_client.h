// SPDX-License-Identifier: MIT

/// @file inspect_client.h
/// Asks a match by UDP how it does.

#ifndef BKS_TOOL_INSPECT_CLIENT_H
#define BKS_TOOL_INSPECT_CLIENT_H

#include "inspect/inspect_view.h"

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

#endif
