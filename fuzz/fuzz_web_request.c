// SPDX-License-Identifier: MIT

// Any bytes sent to the page of `bks inspect`, in two pieces. What is let in names this server,
// once, and comes from no other page; how the bytes are cut into pieces changes nothing.

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "inspect/web_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { PORT = 8080 };

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void add(web_request *request, const uint8_t *bytes, size_t count)
{
    memcpy(request->head + request->count, bytes, count);
    request->count += count;
}

/// Lines of the head that begin with a name, whatever the case.
static uint32_t lines_of(const web_request *request, const char *name)
{
    const char *end = strstr(request->head, "\r\n\r\n");
    uint32_t count = 0;
    for (const char *at = request->head; end != NULL && at < end; at++) {
        count += at[0] == '\r' && at[1] == '\n' && strncasecmp(at + 2, name, strlen(name)) == 0;
    }
    return count;
}

static void look(const web_request *request)
{
    const web_route route = web_request_route(request, PORT);
    must(route <= WEB_METHOD);
    must(strlen(web_request_body(request)) <= request->count);
    if (route == WEB_FORBIDDEN) {
        return;
    }
    must(lines_of(request, "Host:") == 1 && lines_of(request, "Transfer-Encoding:") == 0);
    must(lines_of(request, "Content-Length:") <= 1 && lines_of(request, "Origin:") <= 1);
    if (route == WEB_CHANGE) {
        must(strncmp(request->head, "POST /change ", 13) == 0 && lines_of(request, "Origin:") == 1);
    } else if (route == WEB_DATA) {
        must(strncmp(request->head, "GET /data ", 10) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static web_request whole;
    static web_request pieces;
    bool is_wrong = false;
    if (count < 2) {
        return 0;
    }
    const size_t cut = (size_t)(bytes[0] | bytes[1] << 8);
    bytes += 2;
    count -= 2;
    count = count < WEB_HEAD_BYTES ? count : WEB_HEAD_BYTES;
    const size_t first = cut < count ? cut : count;
    memset(&whole, 0, sizeof(whole));
    memset(&pieces, 0, sizeof(pieces));
    add(&whole, bytes, count);
    const bool is_whole = web_request_is_whole(&whole, &is_wrong);
    must(!is_whole || !is_wrong);
    add(&pieces, bytes, first);
    bool is_wrong_early = false;
    const bool is_whole_early = web_request_is_whole(&pieces, &is_wrong_early);
    must(!is_wrong_early || is_wrong); // more bytes mend nothing
    if (is_whole_early) {
        look(&pieces);
    }
    if (is_whole) {
        must(!is_whole_early ||
             web_request_route(&pieces, PORT) == web_request_route(&whole, PORT));
        look(&whole);
    }
    return 0;
}
