// SPDX-License-Identifier: MIT

/// @file inspect_web.h
/// What an inspector knows in a browser: one page, served on the loopback address alone.

#ifndef BKS_TOOL_INSPECT_WEB_H
#define BKS_TOOL_INSPECT_WEB_H

#include "inspect/inspect_client.h"

/// Serve the page until the user stops it. Errors go to stderr.
/// @param port  1..65535; 0: any free one. stdout says the page's address
/// @return TOOL_OK, TOOL_NO
int inspect_web_run(inspect_client *client, inspect_view *view, uint16_t port);

#endif
