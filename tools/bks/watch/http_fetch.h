// SPDX-License-Identifier: MIT

/// @file http_fetch.h
/// Fetches ranges of a file from an http:// or https:// URL with libcurl, one request at a time
/// over one connection, without blocking.
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

/// Maximum size of a file, and of a range, in bytes. A server that sends more fails the request.
#define HTTP_FILE_BYTES_MAX ((size_t)256 << 20)

/// Longest time of a request, however slowly the server sends.
#define HTTP_REQUEST_S_MAX 30

/// State of a request.
typedef enum http_state {
    HTTP_BUSY, ///< the request is not answered yet
    /// The request succeeded: `bytes` and `count` hold the range. `count` is 0 if the file ends
    /// before the range.
    HTTP_DONE,
    HTTP_FAILED, ///< the request failed; `why` is the reason
} http_state;

/// One file on a server. Read the fields; the functions change them.
typedef struct http_fetch {
    void *easy;            ///< easy handle of libcurl, for one request
    void *multi;           ///< multi handle of libcurl
    const char *url;       ///< URL of the file as given
    http_state state;      ///< status of the last request
    uint64_t offset_bytes; ///< offset of the requested range in the file
    /// Number of received bytes to skip before the range, because the server sends the whole file.
    uint64_t skip_bytes;
    uint64_t limit_bytes; ///< length of the requested range in bytes, or HTTP_FILE_BYTES_MAX
    bool is_limited;      ///< true: a length was requested, so bytes after the range are not read
    bool is_full;         ///< true: the whole range was received, and more bytes came
    /// Number of received bytes that are not part of the file: the answer's headers, or a page
    /// about an error.
    size_t waste_bytes;
    const char *refused; ///< reason why the answer is not read any further, NULL: none
    /// Received bytes, owned by the fetch. The caller may take them over and set this pointer to
    /// NULL.
    uint8_t *bytes;
    size_t count;            ///< number of bytes in `bytes`
    size_t capacity;         ///< allocated size of `bytes`
    int64_t age_s;           ///< age of the file in seconds, by the server's clock; -1: unknown
    int64_t date_s;          ///< time of the last answer by the server's clock; -1: unknown
    uint64_t received_bytes; ///< bytes received by all requests, headers of the answers included
    uint32_t requests;       ///< number of requests so far
    char why[192];           ///< reason why the last request failed, if `state` is HTTP_FAILED
} http_fetch;

/// Prepare to fetch a file. No request is sent yet.
/// @param url  must outlive the fetch
/// @return false if memory ran out
/// Release with http_fetch_close().
bool http_fetch_open(http_fetch *fetch, const char *url);

/// Release a fetch, also during a request. An empty one is allowed.
void http_fetch_close(http_fetch *fetch);

/// Request a range. A request under way is cancelled.
/// @param count  length of the range in bytes; 0: to the end of the file
void http_fetch_begin(http_fetch *fetch, uint64_t offset, uint64_t count);

/// Continue the request as far as possible without waiting.
http_state http_fetch_poll(http_fetch *fetch);

/// Wait until the request is answered or `limit_ns` have passed.
http_state http_fetch_wait(http_fetch *fetch, uint64_t limit_ns);

#endif
