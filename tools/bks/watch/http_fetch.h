// SPDX-License-Identifier: MIT

/// @file http_fetch.h
/// Ranges of a file behind http:// or https://, one request at a time over one connection, without
/// blocking. By libcurl.
///
///     http_fetch_begin(fetch, 4096, 0);              // from byte 4096 on, all there is
///     while (http_fetch_poll(fetch) == HTTP_BUSY)
///         …
///     use(fetch->bytes, fetch->count);

#ifndef BKS_TOOL_HTTP_FETCH_H
#define BKS_TOOL_HTTP_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Most bytes of one file, and so of one range. A server that sends more fails the request.
#define HTTP_FILE_BYTES_MAX ((size_t)256 << 20)

/// Longest that one request takes, however slowly the answer drips.
#define HTTP_REQUEST_S_MAX 30

/// How a request stands.
typedef enum http_state {
    HTTP_BUSY,   ///< not answered yet
    HTTP_DONE,   ///< `bytes` and `count` are what came; 0 when the file ends before the range
    HTTP_FAILED, ///< `why` says why
} http_state;

/// One file on a server. Read the fields; the functions change them.
typedef struct http_fetch {
    void *easy;            ///< libcurl's
    void *multi;           ///< libcurl's
    const char *url;       ///< as given
    http_state state;      ///< status of the last request
    uint64_t offset_bytes; ///< asked for
    uint64_t skip_bytes;   ///< to come before it: the server sends the whole file
    uint64_t limit_bytes;  ///< asked for, or HTTP_FILE_BYTES_MAX
    bool is_limited;       ///< a number was asked for: what comes behind it is not read
    bool is_full;          ///< they are here, and more came
    size_t waste_bytes;    ///< bytes of the answer that are no file: its head, or a page for people
    const char *refused;   ///< why the answer is not read on, NULL: it is
    uint8_t *bytes;        ///< bytes that came, owned by the fetch; may be taken and set to NULL
    size_t count;          ///< its bytes
    size_t capacity;       ///< bytes that there is room for
    int64_t age_s;         ///< how long ago the file was written by the server's clock; -1: unknown
    int64_t date_s;        ///< the server's clock, in the last answer; -1: unknown
    uint64_t received_bytes; ///< by all requests, heads included
    uint32_t requests;       ///< so far
    char why[192];           ///< reason of HTTP_FAILED
} http_fetch;

/// Make ready for a file; nothing is asked yet.
/// @param url  must outlive the fetch
/// @return false when there is no memory
/// Release with http_fetch_close().
bool http_fetch_open(http_fetch *fetch, const char *url);

/// Release it, whatever it does. An empty one is allowed.
void http_fetch_close(http_fetch *fetch);

/// Ask for a range. What was asked before is forgotten.
/// @param count  bytes, 0: all there are from `offset` on
void http_fetch_begin(http_fetch *fetch, uint64_t offset, uint64_t count);

/// Go on with it as far as that is possible now.
http_state http_fetch_poll(http_fetch *fetch);

/// Wait until it is answered or `limit_ns` have passed.
http_state http_fetch_wait(http_fetch *fetch, uint64_t limit_ns);

#endif
