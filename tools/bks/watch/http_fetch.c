// SPDX-License-Identifier: MIT

#include "watch/http_fetch.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backstitch/base.h"
#include "base/tool.h"

enum { CONNECT_MS_MAX = 5000, SILENT_S_MAX = 10, REDIRECTS_MAX = 4, WAIT_MS = 20 };

// Maximum number of bytes read of an answer's headers, or of a page about an error.
enum { WASTE_BYTES_MAX = 65536 };

static bool reserve(http_fetch *f, size_t count)
{
    if (count <= f->capacity) {
        return true;
    }
    size_t capacity = f->capacity > 0 ? f->capacity : 65536;
    while (capacity < count) {
        capacity *= 2;
    }
    uint8_t *larger = realloc(f->bytes, capacity);
    if (larger == NULL) {
        return false;
    }
    f->bytes = larger;
    f->capacity = capacity;
    return true;
}

// Callback of libcurl for received bytes. Returning fewer bytes than it got ends the request.
static size_t take_body(char *data, size_t one, size_t count, void *context)
{
    http_fetch *f = context;
    (void)one; // the size of an item of `data` in bytes, always 1
    long status = 0;
    (void)curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200 && status != 206) {
        f->waste_bytes += count;
        return f->waste_bytes <= WASTE_BYTES_MAX ? count : 0;
    }
    if (status == 206) {
        f->skip_bytes = 0;
    }
    const size_t skip = f->skip_bytes < count ? (size_t)f->skip_bytes : count;
    f->skip_bytes -= skip;
    size_t take = count - skip;
    const uint64_t room = f->limit_bytes - f->count;
    take = take < room ? take : (size_t)room;
    if (!reserve(f, f->count + take)) {
        f->refused = "out of memory";
        return 0;
    }
    const bool is_more = take < count - skip;
    if (is_more && !f->is_limited) {
        f->refused = "the server sends more than 256 MiB, and larger recordings are not watched";
        return 0;
    }
    if (take > 0) {
        memcpy(f->bytes + f->count, data + skip, take);
        f->count += take;
    }
    f->is_full = is_more;
    return is_more ? 0 : count;
}

static size_t take_head(char *line, size_t one, size_t count, void *context)
{
    http_fetch *f = context;
    (void)one;
    f->waste_bytes += count;
    if (f->waste_bytes > WASTE_BYTES_MAX) {
        f->refused = "the head of the server's answer is larger than 64 KiB";
        return 0;
    }
    static const char date[] = "Date:";
    char text[128];
    if (count > sizeof(date) && count < sizeof(text) &&
        strncasecmp(line, date, sizeof(date) - 1) == 0) {
        snprintf(text, sizeof(text), "%.*s", (int)(count - sizeof(date) + 1),
                 line + sizeof(date) - 1);
        f->date_s = (int64_t)curl_getdate(text, NULL);
    }
    return count;
}

bool http_fetch_open(http_fetch *fetch, const char *url)
{
    *fetch = (http_fetch){.url = url, .state = HTTP_DONE, .age_s = -1, .date_s = -1};
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
        return false;
    }
    fetch->easy = curl_easy_init();
    fetch->multi = curl_multi_init();
    if (fetch->easy == NULL || fetch->multi == NULL) {
        http_fetch_close(fetch);
        return false;
    }
    return true;
}

static void forget(http_fetch *f)
{
    if (f->state == HTTP_BUSY) {
        (void)curl_multi_remove_handle(f->multi, f->easy);
        f->state = HTTP_DONE;
    }
}

void http_fetch_close(http_fetch *fetch)
{
    if (fetch->multi != NULL) {
        forget(fetch);
        (void)curl_multi_cleanup(fetch->multi);
    }
    if (fetch->easy != NULL) {
        curl_easy_cleanup(fetch->easy);
    }
    free(fetch->bytes);
    *fetch = (http_fetch){0};
}

static void set_options(http_fetch *f, const char *range)
{
    CURL *easy = f->easy;
    curl_easy_reset(easy);
    (void)curl_easy_setopt(easy, CURLOPT_URL, f->url);
    (void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX);
    (void)curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS_MAX);
    (void)curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)SILENT_S_MAX);
    (void)curl_easy_setopt(easy, CURLOPT_TIMEOUT, (long)HTTP_REQUEST_S_MAX);
    (void)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_FILETIME, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_RANGE, range);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEDATA, f);
    (void)curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_head);
    (void)curl_easy_setopt(easy, CURLOPT_HEADERDATA, f);
}

static void fail(http_fetch *f, const char *why)
{
    f->state = HTTP_FAILED;
    f->count = 0;
    snprintf(f->why, sizeof(f->why), "%s", why);
}

void http_fetch_begin(http_fetch *fetch, uint64_t offset, uint64_t count)
{
    forget(fetch);
    char range[64];
    if (count > 0) {
        snprintf(range, sizeof(range), "%" PRIu64 "-%" PRIu64, offset, offset + count - 1);
    } else {
        snprintf(range, sizeof(range), "%" PRIu64 "-", offset);
    }
    fetch->offset_bytes = offset;
    fetch->skip_bytes = offset;
    fetch->is_limited = count > 0 && count <= HTTP_FILE_BYTES_MAX;
    fetch->limit_bytes = fetch->is_limited ? count : (uint64_t)HTTP_FILE_BYTES_MAX;
    fetch->is_full = false;
    fetch->waste_bytes = 0;
    fetch->refused = NULL;
    fetch->count = 0;
    fetch->date_s = -1;
    fetch->why[0] = '\0';
    fetch->requests++;
    fetch->state = HTTP_BUSY;
    set_options(fetch, range);
    if (curl_multi_add_handle(fetch->multi, fetch->easy) != CURLM_OK) {
        fail(fetch, "out of memory");
    }
}

static void count_bytes(http_fetch *f)
{
    long head = 0;
    curl_off_t body = 0;
    (void)curl_easy_getinfo(f->easy, CURLINFO_HEADER_SIZE, &head);
    (void)curl_easy_getinfo(f->easy, CURLINFO_SIZE_DOWNLOAD_T, &body);
    f->received_bytes += (uint64_t)head + (uint64_t)body;
}

static void take_age(http_fetch *f)
{
    curl_off_t written = -1;
    (void)curl_easy_getinfo(f->easy, CURLINFO_FILETIME_T, &written);
    f->age_s = written >= 0 && f->date_s >= 0 ? f->date_s - (int64_t)written : -1;
}

static void finish(http_fetch *f, CURLcode code)
{
    long status = 0;
    (void)curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &status);
    (void)curl_multi_remove_handle(f->multi, f->easy);
    f->state = HTTP_DONE;
    count_bytes(f);
    take_age(f);
    char why[64];
    const bool is_page = status != 200 && status != 206 && status != 416;
    if (f->refused != NULL) {
        fail(f, f->refused);
    } else if (is_page && (code == CURLE_OK || code == CURLE_WRITE_ERROR)) {
        snprintf(why, sizeof(why), "the server answered %ld", status);
        fail(f, why);
    } else if (code ==
               CURLE_UNSUPPORTED_PROTOCOL) { // of the answer: the address was checked before
        fail(f, status / 100 == 3 ? "the server sends on to an address that is not http"
                                  : "the server's answer is not HTTP");
    } else if (code == CURLE_OUT_OF_MEMORY) { // libcurl says so of a line above 100 kB, too
        fail(f, "the head of the server's answer has too long a line, or memory is short");
    } else if (code != CURLE_OK && !f->is_full) {
        fail(f, curl_easy_strerror(code));
    } else if (status == 416) {
        f->count = 0; // receive nothing, because the file ends before the range
    }
}

http_state http_fetch_poll(http_fetch *fetch)
{
    if (fetch->state != HTTP_BUSY) {
        return fetch->state;
    }
    int running = 0;
    (void)curl_multi_perform(fetch->multi, &running);
    int left = 0;
    const CURLMsg *message = curl_multi_info_read(fetch->multi, &left);
    if (message != NULL && message->msg == CURLMSG_DONE) {
        finish(fetch, message->data.result);
    }
    return fetch->state;
}

http_state http_fetch_wait(http_fetch *fetch, uint64_t limit_ns)
{
    const uint64_t begun = tool_clock_ns(NULL);
    while (http_fetch_poll(fetch) == HTTP_BUSY && tool_clock_ns(NULL) - begun < limit_ns) {
        (void)curl_multi_poll(fetch->multi, NULL, 0, WAIT_MS, NULL);
    }
    return fetch->state;
}
