// SPDX-License-Identifier: MIT

#include "inspect/web_request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *head_end(const web_request *request)
{
    return strstr(request->head, "\r\n\r\n");
}

/// The value of a header, without spaces around it.
/// @return how many there are of that name; the first one's value is written
static uint32_t header(const web_request *request, const char *name, char *out, size_t capacity)
{
    const char *end = head_end(request);
    const size_t length = strlen(name);
    uint32_t count = 0;
    out[0] = '\0';
    for (const char *at = strstr(request->head, "\r\n"); at != NULL && at < end;
         at = strstr(at + 2, "\r\n")) {
        const char *text = at + 2;
        if (strncasecmp(text, name, length) != 0 || text[length] != ':') {
            continue;
        }
        text += length + 1;
        text += strspn(text, " \t");
        if (count++ == 0) {
            snprintf(out, capacity, "%.*s", (int)(strstr(text, "\r\n") - text), text);
            for (size_t i = strlen(out); i > 0 && (out[i - 1] == ' ' || out[i - 1] == '\t'); i--) {
                out[i - 1] = '\0';
            }
        }
    }
    return count;
}

/// @return false: there is a length, and it is none
static bool body_bytes(const web_request *request, size_t *out)
{
    char text[16];
    char other[8];
    *out = 0;
    if (header(request, "Transfer-Encoding", other, sizeof(other)) > 0) {
        return false;
    }
    const uint32_t count = header(request, "Content-Length", text, sizeof(text));
    if (count == 0) {
        return true;
    }
    const size_t digits = strspn(text, "0123456789");
    if (count > 1 || digits == 0 || digits > 4 || text[digits] != '\0') {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        *out = *out * 10 + (size_t)(text[i] - '0');
    }
    return *out <= WEB_BODY_BYTES;
}

bool web_request_is_whole(const web_request *request, bool *is_wrong)
{
    const char *end = head_end(request);
    size_t body = 0;
    *is_wrong = strlen(request->head) != request->count; // a zero within
    if (*is_wrong || end == NULL) {
        *is_wrong |= request->count >= WEB_HEAD_BYTES;
        return false;
    }
    *is_wrong = !body_bytes(request, &body);
    const size_t came = request->count - (size_t)(end + 4 - request->head);
    *is_wrong |= came < body && request->count >= WEB_HEAD_BYTES;
    return !*is_wrong && came >= body;
}

/// Whether a text is "PREFIX" and an address of this server.
static bool is_own(const char *text, const char *prefix, uint16_t port)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char own[64];
        snprintf(own, sizeof(own), "%s%s:%u", prefix, names[i], (unsigned)port);
        if (strcasecmp(text, own) == 0) {
            return true;
        }
        snprintf(own, sizeof(own), "%s%s", prefix, names[i]);
        if (port == 80 && strcasecmp(text, own) == 0) {
            return true;
        }
    }
    return false;
}

/// A name that leads here by a trick has another Host; a page from elsewhere has another Origin,
/// which a browser sends with each change, and says so in Sec-Fetch-Site. A link may lead to the
/// page itself.
static bool is_meant_for_us(const web_request *request, uint16_t port, bool is_page, bool is_change)
{
    char host[128];
    char origin[128];
    char site[32];
    if (header(request, "Host", host, sizeof(host)) != 1 || !is_own(host, "", port)) {
        return false;
    }
    const uint32_t sites = header(request, "Sec-Fetch-Site", site, sizeof(site));
    if (!is_page && sites > 0 && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0) {
        return false;
    }
    const uint32_t origins = header(request, "Origin", origin, sizeof(origin));
    return origins == 0 ? !is_change : origins == 1 && is_own(origin, "http://", port);
}

static bool starts(const web_request *request, const char *text)
{
    return strncmp(request->head, text, strlen(text)) == 0;
}

web_route web_request_route(const web_request *request, uint16_t port)
{
    static const struct {
        const char *path;
        const char *method;
        web_route route;
    } routes[] = {
        {"/ ", "GET ", WEB_PAGE}, {"/data ", "GET ", WEB_DATA}, {"/change ", "POST ", WEB_CHANGE}};
    const bool is_post = starts(request, "POST ");
    if (!is_meant_for_us(request, port, starts(request, "GET / "), is_post)) {
        return WEB_FORBIDDEN;
    }
    const char *path = request->head + strcspn(request->head, " \r");
    if (*path != ' ') {
        return WEB_NOT_FOUND;
    }
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        if (strncmp(path + 1, routes[i].path, strlen(routes[i].path)) == 0) {
            return starts(request, routes[i].method) ? routes[i].route : WEB_METHOD;
        }
    }
    return WEB_NOT_FOUND;
}

const char *web_request_body(const web_request *request)
{
    const char *end = head_end(request);
    return end != NULL ? end + 4 : "";
}
