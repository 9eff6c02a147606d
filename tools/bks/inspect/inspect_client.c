// SPDX-License-Identifier: MIT

#include "inspect/inspect_client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/net.h"
#include "base/args.h"
#include "base/stop.h"
#include "base/tool.h"

/// WANTED_MAX: most requests of one poll. ROUNDS: most times that a poll sends its unanswered
/// requests, the first time included.
enum { WANTED_MAX = BKS_INSPECT_MATCH_FIGURES + 7 * BKS_INSPECT_LINK_FIGURES + 6, ROUNDS = 4 };

/// Time to wait for answers in each round of requests, in ns.
static const uint64_t PATIENCE_NS = UINT64_C(300000000);
static const uint64_t NAP_NS = UINT64_C(20000000);

struct inspect_client {
    bks_udp *udp;
    bks_address to;
    char address[64];
    uint32_t serial;
    /// Requests of the current poll. Their serial numbers are consecutive.
    bks_inspect_request requests[WANTED_MAX];
    bool is_answered[WANTED_MAX];
    uint32_t request_count;
    uint32_t open_count;
    bks_inspect_answer_read answer;
};

int inspect_client_open(const char *address, inspect_client **out)
{
    char local[32];
    bks_error error = {0};
    *out = NULL;
    inspect_client *client = calloc(1, sizeof(*client));
    if (client == NULL) {
        tool_complain(address, "out of memory");
        return TOOL_NO;
    }
    const size_t digits = strspn(address, "0123456789");
    if (digits > 0 && digits < 8 && address[digits] == '\0') {
        snprintf(local, sizeof(local), "127.0.0.1:%s", address);
        address = local;
    }
    if (bks_udp_address_parse(address, &client->to, &error) != BKS_OK) {
        tool_complain_value(NULL, address, &error);
        inspect_client_close(client);
        return TOOL_MISUSE;
    }
    (void)bks_udp_address_format(&client->to, client->address, sizeof(client->address));
    if (bks_udp_open(client->to.length > 6 ? "[::]:0" : "0", &client->udp, &error) != BKS_OK) {
        tool_complain_error(address, &error);
        inspect_client_close(client);
        return TOOL_NO;
    }
    client->serial = (uint32_t)tool_clock_ns(NULL);
    *out = client;
    return TOOL_OK;
}

void inspect_client_close(inspect_client *client)
{
    if (client != NULL) {
        bks_udp_close(client->udp);
        free(client);
    }
}

const char *inspect_client_address(const inspect_client *client)
{
    return client->address;
}

// ---- changes as a user types them ----

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool inspect_read_token(const char *text, uint8_t out[BKS_INSPECT_TOKEN_BYTES])
{
    if (strlen(text) != (size_t)2 * BKS_INSPECT_TOKEN_BYTES) {
        return false;
    }
    for (size_t i = 0; i < BKS_INSPECT_TOKEN_BYTES; i++) {
        const int high = digit_of(text[2 * i]);
        const int low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (uint8_t)(16 * high + low);
    }
    return true;
}

static bool read_number(const char *text, int64_t most, uint32_t *out)
{
    int64_t value = 0;
    if (!args_number(text, &value) || value < 0 || value > most) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

static bool read_pace(const char *text, uint32_t *out)
{
    static const char *const names[] = {"slew", "stall", "none"};
    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool read_link(const char *text, bks_inspect_request *request)
{
    const size_t length = strlen(text);
    if (length >= sizeof(request->link)) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] < 0x20 || text[i] > 0x7E) {
            return false;
        }
    }
    memcpy(request->link, text, length + 1);
    return true;
}

bool inspect_read_change(const char *text, bks_inspect_request *request, const char **why)
{
    static const struct {
        const char *name;
        const char *why;
    } kinds[] = {
        [BKS_INSPECT_WINDOW] = {"window=", "expected window=N"},
        [BKS_INSPECT_DELAY] = {"delay=", "expected delay=auto or delay=N, 0..255"},
        [BKS_INSPECT_PACE] = {"pace=", "expected pace=slew, pace=stall or pace=none"},
        [BKS_INSPECT_LINK] = {"link=", "expected link=SPEC, such as link=delay=50ms,loss=2%, or "
                                       "link=perfect"},
    };
    for (uint32_t i = 0; i <= BKS_INSPECT_LINK; i++) {
        const size_t length = strlen(kinds[i].name);
        if (strncmp(text, kinds[i].name, length) != 0) {
            continue;
        }
        const char *value = text + length;
        request->change = (bks_inspect_change)i;
        *why = kinds[i].why;
        switch (request->change) {
        case BKS_INSPECT_WINDOW:
            // Accept any number here, because the inspected match itself checks the range.
            return read_number(value, UINT32_MAX, &request->value);
        case BKS_INSPECT_DELAY:
            request->value = BKS_AUTO;
            return strcmp(value, "auto") == 0 || read_number(value, BKS_DELAY_MAX, &request->value);
        case BKS_INSPECT_PACE:
            return read_pace(value, &request->value);
        case BKS_INSPECT_LINK:
            return read_link(value, request);
        }
    }
    *why = "expected window=N, delay=N, pace=NAME or link=SPEC";
    return false;
}

void inspect_range_text(const bks_inspect_request *request, const bks_inspect_summary *summary,
                        char *out, size_t capacity)
{
    switch (request->change) {
    case BKS_INSPECT_WINDOW:
        snprintf(out, capacity, "refused: window is %" PRIu32 ", this match takes %d..%" PRIu32,
                 request->value, summary->window_max > 0 ? 1 : 0, summary->window_max);
        break;
    case BKS_INSPECT_DELAY:
        snprintf(out, capacity, "refused: this match takes a delay of 0..%d or auto",
                 BKS_DELAY_MAX);
        break;
    case BKS_INSPECT_PACE:
        snprintf(out, capacity, "refused: this match takes a pace of slew, stall or none");
        break;
    case BKS_INSPECT_LINK:
        snprintf(out, capacity,
                 "refused: the program cannot read the link, expected such as "
                 "delay=50ms,loss=2%%, or perfect");
        break;
    }
}

const char *inspect_status_text(bks_inspect_status status)
{
    switch (status) {
    case BKS_INSPECT_OK:
        return "changed";
    case BKS_INSPECT_NOT_ALLOWED:
        return "not allowed: the token is missing or wrong, or the program gave out none";
    case BKS_INSPECT_OUT_OF_RANGE:
        return "refused: the value is out of the range that the match can take";
    case BKS_INSPECT_NOT_THERE:
        break;
    }
    return "refused: the program has no emulated link";
}

// ---- reading the token from the command line or the environment ----

static const char variable[] = "BKS_INSPECT_TOKEN";

/// Size of a line that is longer than a token, so that a text that is too long is noticed.
enum { LINE_BYTES = 2 * BKS_INSPECT_TOKEN_BYTES + 4 };

static int read_line(const char *path, char out[LINE_BYTES])
{
    FILE *file = fopen(path, "r");
    const bool is_read = file != NULL && fgets(out, LINE_BYTES, file) != NULL;
    const bool is_empty = file != NULL && !is_read && ferror(file) == 0;
    if (!is_read) {
        tool_complain(path, "%s", is_empty ? "is empty, expected a token" : strerror(errno));
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return is_read ? TOOL_OK : TOOL_DAMAGED;
}

static int take_token(const char *from, const char *text, uint8_t out[BKS_INSPECT_TOKEN_BYTES])
{
    if (inspect_read_token(text, out)) {
        return TOOL_OK;
    }
    tool_complain(from, "is no token, expected %d digits of 0-9 and a-f",
                  2 * BKS_INSPECT_TOKEN_BYTES);
    return TOOL_MISUSE;
}

int inspect_token_find(const char *given, bool *is_there, uint8_t out[BKS_INSPECT_TOKEN_BYTES])
{
    const char *from_environment = getenv(variable);
    *is_there = given != NULL || from_environment != NULL;
    if (given == NULL) {
        return from_environment != NULL ? take_token(variable, from_environment, out) : TOOL_OK;
    }
    if (given[0] != '@') {
        const int status = take_token("--token", given, out);
        if (status == TOOL_OK) {
            tool_complain("--token", "other users of this machine can read it in the list of "
                                     "processes: give @FILE, or set BKS_INSPECT_TOKEN");
        }
        return status;
    }
    char line[LINE_BYTES] = "";
    const int status = read_line(given + 1, line);
    line[strcspn(line, "\r\n")] = '\0';
    return status == TOOL_OK ? take_token(given + 1, line, out) : status;
}

// ---- sending requests and receiving answers ----

static void begin(inspect_client *client)
{
    // Number the new requests with other serial numbers than the earlier ones, so that late answers
    // to the earlier requests are ignored.
    client->serial += client->request_count;
    client->request_count = client->open_count = 0;
}

static void add_request(inspect_client *client, const bks_inspect_request *request)
{
    if (client->request_count < WANTED_MAX) {
        bks_inspect_request *wanted = &client->requests[client->request_count];
        *wanted = *request;
        wanted->serial = client->serial + client->request_count;
        client->is_answered[client->request_count++] = false;
        client->open_count++;
    }
}

static void send_requests(const inspect_client *client)
{
    const bks_transport transport = bks_udp_transport(client->udp);
    for (uint32_t i = 0; i < client->request_count; i++) {
        uint8_t packet[BKS_INSPECT_BYTES];
        if (!client->is_answered[i] &&
            bks_inspect_request_write(&client->requests[i], packet) == BKS_OK) {
            (void)transport.send(transport.context, &client->to, packet, sizeof(packet));
        }
    }
}

/// Receive the next answer to a request that is not answered yet.
/// @return index of the request; WANTED_MAX if no answer has arrived
static uint32_t take_answer(inspect_client *client)
{
    const bks_transport transport = bks_udp_transport(client->udp);
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address from;
    for (;;) {
        const size_t count = transport.receive(transport.context, &from, packet, sizeof(packet));
        if (count == 0) {
            return WANTED_MAX;
        }
        if (!bks_address_equal(&from, &client->to) ||
            bks_inspect_read(packet, count, &client->answer) != BKS_OK) {
            continue;
        }
        const uint32_t index = client->answer.serial - client->serial;
        if (index < client->request_count && !client->is_answered[index] &&
            client->answer.kind == client->requests[index].kind) {
            client->is_answered[index] = true;
            client->open_count--;
            return index;
        }
    }
}

/// Copy an answer into the view.
static void store_answer(const inspect_client *client, const bks_inspect_request *wanted,
                         inspect_view *view)
{
    const bks_inspect_answer_read *answer = &client->answer;
    if (answer->status != BKS_INSPECT_OK || view == NULL) {
        return;
    }
    if (wanted->kind == BKS_INSPECT_SUMMARY) {
        view->summary = answer->summary;
    } else if (wanted->kind == BKS_INSPECT_FIGURE) {
        *figure_row_place(&view->figures, wanted->peer, wanted->index) = answer->figure;
        view->figure_ages[wanted->peer][wanted->index] = INSPECT_FRESH;
    } else if (wanted->kind == BKS_INSPECT_MEMORY) {
        for (uint32_t i = 0; i < answer->part_count; i++) {
            if (wanted->index + i < INSPECT_PARTS_MAX) {
                view->parts[wanted->index + i] = answer->parts[i];
                view->part_ages[wanted->index + i] = INSPECT_FRESH;
            }
        }
    }
}

/// Send the requests that are not answered yet, in a few rounds, until all are answered.
/// @return true if any answer arrived
static bool request_all(inspect_client *client, inspect_view *view)
{
    bool is_answered = false;
    for (uint32_t round = 0; round < ROUNDS && client->open_count > 0; round++) {
        const uint64_t until = tool_clock_ns(NULL) + PATIENCE_NS;
        send_requests(client);
        while (client->open_count > 0 && tool_clock_ns(NULL) < until && !stop_is_wanted()) {
            (void)bks_udp_wait(client->udp, NAP_NS);
            for (uint32_t at; client->open_count > 0 && (at = take_answer(client)) != WANTED_MAX;) {
                store_answer(client, &client->requests[at], view);
                is_answered = true;
            }
        }
    }
    return is_answered;
}

static void mark_old(inspect_age *ages, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ages[i] = ages[i] == INSPECT_MISSING ? INSPECT_MISSING : INSPECT_OLD;
    }
}

/// Mark all values as old, and forget the values of peers that have left.
static void mark_all_old(inspect_view *view)
{
    for (uint32_t peer = 0; peer <= BKS_PEERS_MAX; peer++) {
        if (peer < BKS_PEERS_MAX && !view->figures.links[peer].has_peer) {
            memset(view->figure_ages[peer], 0, sizeof(view->figure_ages[peer]));
        }
        mark_old(view->figure_ages[peer], BKS_INSPECT_MATCH_FIGURES);
    }
    mark_old(view->part_ages, INSPECT_PARTS_MAX);
}

static void add_figure_requests(inspect_client *client, uint32_t peer)
{
    for (uint32_t i = 0; bks_figure_row_of(peer, i) != NULL; i++) {
        add_request(client,
                    &(bks_inspect_request){.kind = BKS_INSPECT_FIGURE, .peer = peer, .index = i});
    }
}

bool inspect_client_poll(inspect_client *client, inspect_view *view)
{
    begin(client);
    add_request(client, &(bks_inspect_request){.kind = BKS_INSPECT_SUMMARY});
    if (!request_all(client, view) || client->answer.status != BKS_INSPECT_OK) {
        return false;
    }
    begin(client);
    const bks_inspect_summary *summary = &view->summary;
    view->part_count = summary->parts < INSPECT_PARTS_MAX ? summary->parts : INSPECT_PARTS_MAX;
    view->figures.window_ms = summary->window_ms;
    if (summary->window_ms > 0) {
        add_figure_requests(client, BKS_PEERS_MAX);
    }
    for (uint32_t peer = 0; peer < BKS_PEERS_MAX; peer++) {
        const bool has_peer = (summary->links >> peer & 1) != 0;
        view->figures.links[peer].has_peer = has_peer;
        if (has_peer && !inspect_has_left(summary, peer)) {
            add_figure_requests(client, peer);
        }
    }
    for (uint32_t i = 0; i < view->part_count; i += BKS_INSPECT_PARTS_MAX) {
        add_request(client, &(bks_inspect_request){.kind = BKS_INSPECT_MEMORY, .index = i});
    }
    mark_all_old(view);
    (void)request_all(client, view);
    view->unanswered = client->open_count;
    return true;
}

bool inspect_client_change(inspect_client *client, const bks_inspect_request *request,
                           bks_inspect_status *status, char *text, size_t capacity)
{
    begin(client);
    bks_inspect_request change = *request;
    change.kind = BKS_INSPECT_CHANGE;
    add_request(client, &change);
    if (!request_all(client, NULL)) {
        return false;
    }
    *status = client->answer.status;
    snprintf(text, capacity, "%s", inspect_status_text(*status));
    if (*status == BKS_INSPECT_OUT_OF_RANGE) {
        begin(client);
        add_request(client, &(bks_inspect_request){.kind = BKS_INSPECT_SUMMARY});
        if (!request_all(client, NULL)) {
            return false;
        }
        inspect_range_text(request, &client->answer.summary, text, capacity);
    }
    return true;
}
