// SPDX-License-Identifier: MIT

/// @file web_request.h
/// The little of HTTP that the page needs. A request may come from any page of the browser, or from
/// anyone on this machine: it is bounded, and refused unless it is meant for this address.

#ifndef BKS_TOOL_WEB_REQUEST_H
#define BKS_TOOL_WEB_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEB_HEAD_BYTES = 8192, WEB_BODY_BYTES = 512 };

/// A request. Start from {0}.
typedef struct web_request {
    char head[WEB_HEAD_BYTES + 1]; ///< as it came, zero-terminated, with what came of the body
    size_t count;                  ///< bytes there
} web_request;

/// Whether all of it has come: the head, and the body that it announces.
/// @param is_wrong  receives whether it can be none: too long, or not HTTP
bool web_request_is_whole(const web_request *request, bool *is_wrong);

/// What to do with a whole request.
typedef enum web_route {
    WEB_PAGE,      ///< GET /
    WEB_DATA,      ///< GET /data
    WEB_CHANGE,    ///< POST /change
    WEB_FORBIDDEN, ///< meant for another host, or sent by another page
    WEB_NOT_FOUND, ///< no such path
    WEB_METHOD,    ///< no such method of it
} web_route;

/// The route of a whole request.
/// @param port  of this server
web_route web_request_route(const web_request *request, uint16_t port);

/// The body of a whole request, zero-terminated.
const char *web_request_body(const web_request *request);

#endif
