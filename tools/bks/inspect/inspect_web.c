// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/args.h"
#include "base/stop.h"
#include "base/tool.h"
#include "inspect/inspect_print.h"

/// Limits of the server and its connections. Requests may come from any page in the browser and
/// from anyone on this machine.
enum {
    WAIT_MS = 100,
    HEAD_BYTES_MAX = 8192,
    BODY_BYTES_MAX = 512,
    CONNECTIONS_MAX = 64,
    CONNECTIONS_KEPT = 24, ///< for each further connection the oldest one is closed
    PATIENCE_S = 3,
};

/// Connection of a browser, or of a stranger on this machine that never ends its request.
typedef struct connection {
    struct MHD_Connection *handle;
    bool is_shut; ///< it was told to close
} connection;

typedef struct server {
    inspect_client *client;
    inspect_view *view;
    uint16_t port;
    connection connections[CONNECTIONS_MAX]; ///< all open connections, from the oldest on
    uint32_t connection_count;
} server;

/// Received body of a request. One byte more than the limit is stored, to detect a body that is too
/// long.
typedef struct received {
    size_t count;
    char text[BODY_BYTES_MAX + 2];
} received;

// ---- HTTP answers ----

static enum MHD_Result answer(struct MHD_Connection *to, unsigned status, const char *kind,
                              struct MHD_Response *response)
{
    static const char *const headers[][2] = {
        {"Connection", "close"},
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src "
         "'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"},
    };
    enum MHD_Result result = response != NULL ? MHD_YES : MHD_NO;
    for (size_t i = 0; result == MHD_YES && i < ARGS_COUNT(headers); i++) {
        result = MHD_add_response_header(response, headers[i][0], headers[i][1]);
    }
    if (result == MHD_YES) {
        result = MHD_add_response_header(response, "Content-Type", kind);
    }
    if (result == MHD_YES) {
        result = MHD_queue_response(to, status, response);
    }
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *to, unsigned status, const char *text)
{
    char copy[160];
    snprintf(copy, sizeof(copy), "%s", text);
    return answer(to, status, "text/plain; charset=utf-8",
                  MHD_create_response_from_buffer(strlen(copy), copy, MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result answer_silent(struct MHD_Connection *to)
{
    return answer_text(to, MHD_HTTP_GATEWAY_TIMEOUT, "the match does not answer");
}

/// Answer with the HTML page, or with the data for the page.
static enum MHD_Result answer_printed(const server *s, struct MHD_Connection *to, bool is_page)
{
    char *text = NULL;
    size_t count = 0;
    FILE *out = open_memstream(&text, &count);
    if (out != NULL && is_page) {
        inspect_print_page(out);
    } else if (out != NULL) {
        (void)inspect_print_json(s->view, inspect_client_address(s->client), out);
    }
    if (out == NULL || fclose(out) != 0) {
        free(text);
        return answer_text(to, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
    }
    return answer(to, MHD_HTTP_OK,
                  is_page ? "text/html; charset=utf-8" : "application/json; charset=utf-8",
                  MHD_create_response_from_buffer(count, text, MHD_RESPMEM_MUST_FREE));
}

/// Make a change that a request asks for. The request's body is "TOKEN\nNAME=VALUE".
static enum MHD_Result answer_change(const server *s, struct MHD_Connection *to, received *body)
{
    char result[128];
    bks_inspect_request request = {0};
    bks_inspect_status status = BKS_INSPECT_OK;
    const char *why = "expected a token, a line end and NAME=VALUE";
    char *change = strchr(body->text, '\n');
    if (change == NULL || body->count > BODY_BYTES_MAX) {
        return answer_text(to, MHD_HTTP_BAD_REQUEST, why);
    }
    *change++ = '\0';
    if (!inspect_read_change(change, &request, &why)) {
        return answer_text(to, MHD_HTTP_BAD_REQUEST, why);
    }
    if (!inspect_read_token(body->text, request.token)) {
        return answer_text(to, MHD_HTTP_FORBIDDEN, inspect_status_text(BKS_INSPECT_NOT_ALLOWED));
    }
    if (!inspect_client_change(s->client, &request, &status, result, sizeof(result))) {
        return answer_silent(to);
    }
    return answer_text(to, status == BKS_INSPECT_OK ? MHD_HTTP_OK : MHD_HTTP_FORBIDDEN, result);
}

// ---- HTTP requests ----

/// Search for a header of an HTTP request.
typedef struct searched_header {
    const char *name;
    const char *value; ///< value of the last header that has this name; "": none found
    uint32_t count;
} searched_header;

static enum MHD_Result take_header(void *context, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    (void)kind;
    searched_header *it = context;
    if (strcasecmp(name, it->name) == 0) {
        it->count++;
        it->value = value != NULL ? value : "";
    }
    return MHD_YES;
}

static searched_header header(struct MHD_Connection *from, const char *name)
{
    searched_header it = {.name = name, .value = ""};
    (void)MHD_get_connection_values(from, MHD_HEADER_KIND, take_header, &it);
    return it;
}

/// Return true if a text is PREFIX followed by an address of this server.
static bool is_own(const char *text, const char *prefix, uint16_t port)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; i < ARGS_COUNT(names); i++) {
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

/// Return false for requests that other web pages caused. If another name was made to resolve to
/// this machine, Host differs. If another page makes the request, Origin differs, which a browser
/// sends with each change, and Sec-Fetch-Site says so. Links to the page itself are allowed.
static bool is_meant_for_us(struct MHD_Connection *from, uint16_t port, bool is_page,
                            bool is_change)
{
    const searched_header host = header(from, "Host");
    const searched_header site = header(from, "Sec-Fetch-Site");
    const searched_header origin = header(from, "Origin");
    if (host.count != 1 || !is_own(host.value, "", port)) {
        return false;
    }
    if (!is_page && site.count > 0 && strcmp(site.value, "same-origin") != 0 &&
        strcmp(site.value, "none") != 0) {
        return false;
    }
    return origin.count == 0 ? !is_change
                             : origin.count == 1 && is_own(origin.value, "http://", port);
}

static enum MHD_Result route(const server *s, struct MHD_Connection *to, const char *path,
                             const char *method, received *body)
{
    const bool is_page = strcmp(path, "/") == 0;
    const bool is_data = strcmp(path, "/data") == 0;
    const bool is_change = strcmp(path, "/change") == 0;
    const bool is_get = strcmp(method, MHD_HTTP_METHOD_GET) == 0;
    const bool is_post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    if (!is_meant_for_us(to, s->port, is_page && is_get, is_post)) {
        return answer_text(to, MHD_HTTP_FORBIDDEN,
                           "not meant for this address, or sent by another page");
    }
    if (!is_page && !is_data && !is_change) {
        return answer_text(to, MHD_HTTP_NOT_FOUND, "no such page");
    }
    if (is_change ? !is_post : !is_get) {
        return answer_text(to, MHD_HTTP_METHOD_NOT_ALLOWED, "another method");
    }
    if (is_change) {
        return answer_change(s, to, body);
    }
    if (is_data && !inspect_client_poll(s->client, s->view)) {
        return answer_silent(to);
    }
    return answer_printed(s, to, is_page);
}

/// Handle a request. The HTTP server calls this after the request's headers, for each part of the
/// body, and at the end.
static enum MHD_Result take(void *context, struct MHD_Connection *from, const char *path,
                            const char *method, const char *version, const char *part,
                            size_t *part_bytes, void **state)
{
    (void)version;
    received *body = *state;
    if (body == NULL) {
        *state = calloc(1, sizeof(*body));
        return *state != NULL ? MHD_YES : MHD_NO;
    }
    if (*part_bytes == 0) {
        return route(context, from, path, method, body);
    }
    const size_t room = BODY_BYTES_MAX + 1 - body->count;
    const size_t taken = *part_bytes < room ? *part_bytes : room;
    memcpy(body->text + body->count, part, taken);
    body->count += taken;
    *part_bytes = 0;
    return MHD_YES;
}

static void release(void *context, struct MHD_Connection *of, void **state,
                    enum MHD_RequestTerminationCode why)
{
    (void)context;
    (void)of;
    (void)why;
    free(*state);
}

// ---- connections ----

/// Close the oldest connection, so that half-sent requests leave room for whole ones.
static void shut_oldest(server *s)
{
    for (uint32_t i = 0; i < s->connection_count; i++) {
        connection *c = &s->connections[i];
        const union MHD_ConnectionInfo *info =
            c->is_shut ? NULL
                       : MHD_get_connection_info(c->handle, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (info != NULL) {
            (void)shutdown(info->connect_fd, SHUT_RDWR);
            c->is_shut = true;
            return;
        }
    }
}

/// Note that a connection was opened or closed. The HTTP server calls this.
static void note_connection(void *context, struct MHD_Connection *handle, void **state,
                            enum MHD_ConnectionNotificationCode code)
{
    server *s = context;
    (void)state;
    if (code == MHD_CONNECTION_NOTIFY_STARTED && s->connection_count < CONNECTIONS_MAX) {
        s->connections[s->connection_count++] = (connection){.handle = handle};
        if (s->connection_count > CONNECTIONS_KEPT) {
            shut_oldest(s);
        }
        return;
    }
    for (uint32_t i = 0; code == MHD_CONNECTION_NOTIFY_CLOSED && i < s->connection_count; i++) {
        if (s->connections[i].handle == handle) {
            s->connection_count--;
            memmove(&s->connections[i], &s->connections[i + 1],
                    (s->connection_count - i) * sizeof(s->connections[0]));
            return;
        }
    }
}

int inspect_web_run(inspect_client *client, inspect_view *view, uint16_t port)
{
    server s = {.client = client, .view = view};
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(port)};
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    errno = 0;
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_NO_FLAG, port, NULL, NULL, take, &s, MHD_OPTION_SOCK_ADDR, &own,
        MHD_OPTION_NOTIFY_COMPLETED, release, NULL, MHD_OPTION_NOTIFY_CONNECTION, note_connection,
        &s, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_BYTES_MAX, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)PATIENCE_S,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (daemon == NULL) {
        tool_complain("--web", "port %u cannot be served: %s", (unsigned)port, strerror(errno));
        return TOOL_NO;
    }
    s.port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    printf("http://127.0.0.1:%u/\n", (unsigned)s.port);
    fflush(stdout);
    while (!stop_is_wanted()) {
        (void)MHD_run_wait(daemon, WAIT_MS);
    }
    MHD_stop_daemon(daemon);
    return TOOL_OK;
}
