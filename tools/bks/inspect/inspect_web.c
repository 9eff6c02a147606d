// SPDX-License-Identifier: MIT

// One connection at a time, each for a second at most: it serves one developer's browser.

#define _POSIX_C_SOURCE 200809L

#include "inspect/inspect_web.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/stop.h"
#include "base/tool.h"
#include "inspect/inspect_change.h"
#include "inspect/inspect_page.h"
#include "inspect/inspect_print.h"
#include "inspect/web_request.h"

enum { WAIT_MS = 100 };

static const uint64_t PATIENCE_NS = UINT64_C(1000000000);

typedef struct server {
    inspect_client *client;
    inspect_view *view;
    int socket;
    uint16_t port;
} server;

static int open_server(server *s, uint16_t port)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t length = sizeof(own);
    const int yes = 1;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (s->socket < 0 || setsockopt(s->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        bind(s->socket, (const struct sockaddr *)&own, sizeof(own)) != 0 ||
        listen(s->socket, 8) != 0 ||
        getsockname(s->socket, (struct sockaddr *)&own, &length) != 0) {
        tool_complain("--web", "port %u cannot be served: %s", (unsigned)port, strerror(errno));
        return TOOL_NO;
    }
    s->port = ntohs(own.sin_port);
    printf("http://127.0.0.1:%u/\n", (unsigned)s->port);
    fflush(stdout);
    return TOOL_OK;
}

/// Wait for a descriptor until a time.
static bool wait_for(int descriptor, short what, uint64_t until_ns)
{
    while (!stop_is_wanted()) {
        const uint64_t now_ns = tool_clock_ns(NULL);
        if (now_ns >= until_ns) {
            return false;
        }
        const uint64_t left_ms = (until_ns - now_ns) / 1000000 + 1;
        struct pollfd waited = {.fd = descriptor, .events = what};
        if (poll(&waited, 1, left_ms < WAIT_MS ? (int)left_ms : WAIT_MS) > 0) {
            return true;
        }
    }
    return false;
}

static bool send_all(int to, const char *bytes, size_t count, uint64_t until_ns)
{
    while (count > 0 && wait_for(to, POLLOUT, until_ns)) {
        const ssize_t sent = send(to, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            return false;
        }
        bytes += sent > 0 ? sent : 0;
        count -= sent > 0 ? (size_t)sent : 0;
    }
    return count == 0;
}

static void answer(int to, const char *status, const char *kind, const char *body, size_t count)
{
    char head[640];
    const uint64_t until_ns = tool_clock_ns(NULL) + PATIENCE_NS;
    const int length = snprintf(
        head, sizeof(head),
        "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n"
        "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
        "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
        "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src "
        "'unsafe-inline'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors "
        "'none'\r\n\r\n",
        status, kind, count);
    if (send_all(to, head, (size_t)length, until_ns)) {
        (void)send_all(to, body, count, until_ns);
    }
}

static void answer_text(int to, const char *status, const char *text)
{
    answer(to, status, "text/plain", text, strlen(text));
}

static void print_page(server *s, FILE *out)
{
    (void)s;
    inspect_page_print(out);
}

static void print_data(server *s, FILE *out)
{
    (void)inspect_print_json(s->view, inspect_client_address(s->client), out);
}

static void answer_printed(server *s, int to, const char *kind, void (*print)(server *, FILE *))
{
    char *text = NULL;
    size_t count = 0;
    FILE *out = open_memstream(&text, &count);
    if (out != NULL) {
        print(s, out);
    }
    if (out != NULL && fclose(out) == 0) {
        answer(to, "200 OK", kind, text, count);
    } else {
        answer_text(to, "500 Internal Server Error", "out of memory");
    }
    free(text);
}

/// "TOKEN\nNAME=VALUE".
static void answer_change(server *s, int to, const char *body)
{
    char text[WEB_BODY_BYTES + 1];
    char said[128];
    bks_inspect_request request = {0};
    bks_inspect_status status = BKS_INSPECT_OK;
    const char *why = "expected a token, a line end and NAME=VALUE";
    snprintf(text, sizeof(text), "%s", body);
    char *change = strchr(text, '\n');
    if (change == NULL) {
        answer_text(to, "400 Bad Request", why);
        return;
    }
    *change++ = '\0';
    if (!inspect_read_change(change, &request, &why)) {
        answer_text(to, "400 Bad Request", why);
    } else if (!inspect_read_token(text, request.token)) {
        answer_text(to, "403 Forbidden", inspect_status_text(BKS_INSPECT_NOT_ALLOWED));
    } else if (!inspect_client_change(s->client, &request, &status, said, sizeof(said))) {
        answer_text(to, "504 Gateway Timeout", "the match does not answer");
    } else {
        answer_text(to, status == BKS_INSPECT_OK ? "200 OK" : "403 Forbidden", said);
    }
}

static void route(server *s, int to, const web_request *request)
{
    switch (web_request_route(request, s->port)) {
    case WEB_PAGE:
        answer_printed(s, to, "text/html", print_page);
        break;
    case WEB_DATA:
        if (inspect_client_look(s->client, s->view)) {
            answer_printed(s, to, "application/json", print_data);
        } else {
            answer_text(to, "504 Gateway Timeout", "the match does not answer");
        }
        break;
    case WEB_CHANGE:
        answer_change(s, to, web_request_body(request));
        break;
    case WEB_FORBIDDEN:
        answer_text(to, "403 Forbidden", "not meant for this address, or sent by another page");
        break;
    case WEB_NOT_FOUND:
        answer_text(to, "404 Not Found", "no such page");
        break;
    case WEB_METHOD:
        answer_text(to, "405 Method Not Allowed", "another method");
        break;
    }
}

static void serve(server *s, int connection)
{
    static web_request request;
    const uint64_t until_ns = tool_clock_ns(NULL) + PATIENCE_NS;
    bool is_wrong = false;
    request = (web_request){0};
    while (!web_request_is_whole(&request, &is_wrong)) {
        if (is_wrong) {
            answer_text(connection, "400 Bad Request", "too long, or no request");
            return;
        }
        if (!wait_for(connection, POLLIN, until_ns)) {
            return;
        }
        const ssize_t came = recv(connection, request.head + request.count,
                                  WEB_HEAD_BYTES - request.count, MSG_DONTWAIT);
        if (came == 0 || (came < 0 && errno != EAGAIN && errno != EINTR)) {
            return;
        }
        request.count += came > 0 ? (size_t)came : 0;
    }
    route(s, connection, &request);
}

int inspect_web_run(inspect_client *client, inspect_view *view, uint16_t port)
{
    server s = {.client = client, .view = view, .socket = -1};
    const int status = open_server(&s, port);
    while (status == TOOL_OK && !stop_is_wanted()) {
        struct pollfd waited = {.fd = s.socket, .events = POLLIN};
        const int connection = poll(&waited, 1, WAIT_MS) > 0 ? accept(s.socket, NULL, NULL) : -1;
        if (connection >= 0) {
            serve(&s, connection);
            (void)close(connection);
        }
    }
    if (s.socket >= 0) {
        (void)close(s.socket);
    }
    return status;
}
