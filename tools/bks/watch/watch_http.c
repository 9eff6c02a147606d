// SPDX-License-Identifier: MIT

// Reads a recording from a server. A viewer who joins late fetches the beginning of the file, its
// newest whole keyframe and the rest after it. Later requests ask for the bytes after the last one
// received. A file that was not written to for a while is fetched as a whole.

#include "watch/watch_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/stop.h"
#include "base/tool.h"
#include "watch/http_fetch.h"

static const uint64_t ASK_EVERY_NS = UINT64_C(500000000);
// Time between two requests while new data is expected.
static const uint64_t ASK_DUE_NS = UINT64_C(250000000);
static const uint64_t ANSWER_NS_MAX = UINT64_C(15000000000);

// FAILURES_MAX: most failed requests in a row. PLANS_MAX: most ranges fetched in one attempt to
// open the recording.
enum { FAILURES_MAX = 8, PLANS_MAX = 8 };

typedef struct http_feed {
    watch_feed feed;
    http_fetch fetch;
    /// Ranges of the file that were fetched. The feed owns their bytes.
    bks_replay_piece pieces[BKS_REPLAY_PIECES_MAX];
    uint32_t piece_count;
    size_t capacity; ///< allocated bytes of the last piece
    bool is_asking;
    uint32_t failures; ///< failed requests in a row
    uint64_t asked_ns;
    uint64_t changed_ns;
    bks_tick end;       ///< one past the newest tick received
    uint64_t grown_ns;  ///< time at which `end` last grew
    uint64_t rhythm_ns; ///< least play time that one answer has added, 0: not known
} http_feed;

bool watch_http_is_url(const char *where)
{
    return strncmp(where, "http://", 7) == 0 || strncmp(where, "https://", 8) == 0;
}

// ---- fetched pieces of the file ----

static void drop_pieces(http_feed *f)
{
    for (uint32_t i = 0; i < f->piece_count; i++) {
        free((void *)(uintptr_t)f->pieces[i].bytes);
    }
    f->piece_count = 0;
    f->capacity = 0;
}

// Add the fetched bytes as a piece. Replace a piece that begins at the same offset, else insert the
// new one in order.
static bool add_piece(http_feed *f)
{
    uint32_t at = 0;
    while (at < f->piece_count && f->pieces[at].offset_bytes < f->fetch.offset_bytes) {
        at++;
    }
    const bool is_there =
        at < f->piece_count && f->pieces[at].offset_bytes == f->fetch.offset_bytes;
    if (is_there) {
        free((void *)(uintptr_t)f->pieces[at].bytes);
    } else if (f->piece_count == BKS_REPLAY_PIECES_MAX) {
        return false;
    } else {
        memmove(&f->pieces[at + 1], &f->pieces[at], (f->piece_count - at) * sizeof(f->pieces[0]));
        f->piece_count++;
    }
    f->pieces[at] = (bks_replay_piece){
        .offset_bytes = f->fetch.offset_bytes, .bytes = f->fetch.bytes, .count = f->fetch.count};
    f->capacity = f->fetch.capacity;
    f->fetch.bytes = NULL;
    f->fetch.count = 0;
    f->fetch.capacity = 0;
    return true;
}

// Append the fetched bytes to the last piece.
static bool extend_piece(http_feed *f)
{
    bks_replay_piece *last = &f->pieces[f->piece_count - 1];
    const size_t count = last->count + f->fetch.count;
    uint8_t *bytes = (uint8_t *)(uintptr_t)last->bytes;
    if (count > f->capacity) {
        bytes = realloc(bytes, 2 * count);
        if (bytes == NULL) {
            return false;
        }
        f->capacity = 2 * count;
    }
    memcpy(bytes + last->count, f->fetch.bytes, f->fetch.count);
    last->bytes = bytes;
    last->count = count;
    return true;
}

// ---- opening the recording ----

static bool fetch_piece(http_feed *f, uint64_t offset, uint64_t count)
{
    http_fetch_begin(&f->fetch, offset, count);
    const http_state state = http_fetch_wait(&f->fetch, ANSWER_NS_MAX);
    if (state == HTTP_BUSY) {
        snprintf(f->fetch.why, sizeof(f->fetch.why),
                 "the server did not answer in full within %d s",
                 (int)(ANSWER_NS_MAX / UINT64_C(1000000000)));
    }
    return state == HTTP_DONE && add_piece(f);
}

// Return true if nothing was written to the file for more than WATCH_FEED_PATIENCE_NS, by the
// server's clock.
static bool is_old(const http_feed *f)
{
    return f->fetch.age_s > (int64_t)(WATCH_FEED_PATIENCE_NS / UINT64_C(1000000000));
}

// Fetch the ranges that a late viewer needs.
// @return BKS_OK; BKS_ERR_INCOMPLETE: not enough is written yet; BKS_ERR_IO: `fetch.why` says why
static bks_status fetch_plan(http_feed *f, bks_error *error)
{
    bks_replay_range want = {0};
    for (int i = 0; i < PLANS_MAX; i++) {
        const bks_replay_range before = want;
        const bks_status status = bks_replay_plan(f->pieces, f->piece_count, &want, error);
        if (status == BKS_OK) {
            break;
        }
        // If the same range is wanted again, its bytes were missing or just being written. Return,
        // so that the caller can try again later.
        const bool is_again =
            i > 0 && want.offset_bytes == before.offset_bytes && want.count == before.count;
        if (status != BKS_ERR_INCOMPLETE || is_again) {
            return status;
        }
        tool_log_drop();
        if (!fetch_piece(f, want.offset_bytes, want.count)) {
            return BKS_ERR_IO;
        }
        if (i == 0 && is_old(f)) {
            want.offset_bytes = 0; // the file does not grow any more, so fetch all of it
            break;
        }
    }
    if (want.offset_bytes == 0) {
        drop_pieces(f);
    }
    return fetch_piece(f, want.offset_bytes, 0) ? BKS_OK : BKS_ERR_IO;
}

static bks_status open_fetched(http_feed *f, bks_error *error)
{
    const bks_replay_piece *only = &f->pieces[0];
    if (f->piece_count == 1 && only->offset_bytes == 0 && is_old(f)) {
        const bks_status status =
            bks_replay_open(only->bytes, only->count, NULL, &f->feed.replay, error);
        if (status != BKS_OK && f->feed.replay != NULL) {
            f->feed.status = TOOL_DAMAGED;
            snprintf(f->feed.why, sizeof(f->feed.why), "%s", error->text);
        }
        return f->feed.replay != NULL ? BKS_OK : status;
    }
    f->feed.is_growing = true;
    const bks_status status =
        bks_replay_open_growing(f->pieces, f->piece_count, NULL, &f->feed.replay, error);
    if (status == BKS_OK) {
        f->feed.is_growing = !bks_replay_info(f->feed.replay)->is_complete;
    }
    return status;
}

static int complain(const http_feed *f, bks_status status, const bks_error *error)
{
    if (status == BKS_ERR_IO) {
        tool_log_drop();
        tool_complain(f->fetch.url, "%s",
                      f->fetch.why[0] != '\0' ? f->fetch.why : "the server does not answer");
    } else {
        tool_complain_error(f->fetch.url, error);
    }
    return TOOL_DAMAGED;
}

// Open the recording. If the server does not have its beginning yet, wait for it.
static int open_first(http_feed *f)
{
    const uint64_t begun = tool_clock_ns(NULL);
    for (;;) {
        bks_error error = {0};
        bks_status status = fetch_plan(f, &error);
        if (status == BKS_OK) {
            status = open_fetched(f, &error);
        }
        if (status == BKS_OK) {
            return TOOL_OK;
        }
        bks_replay_close(f->feed.replay);
        f->feed.replay = NULL;
        if (status != BKS_ERR_INCOMPLETE || stop_is_wanted() ||
            tool_clock_ns(NULL) - begun > WATCH_FEED_PATIENCE_NS) {
            return complain(f, status, &error);
        }
        tool_log_drop();
        drop_pieces(f);
        tool_sleep_ns(ASK_EVERY_NS);
    }
}

// ---- polling the server ----

static watch_news end(http_feed *f, int status, const char *why)
{
    f->feed.is_growing = false;
    f->feed.status = status;
    snprintf(f->feed.why, sizeof(f->feed.why), "%s", why);
    return WATCH_NEWS_MORE;
}

// Learn the shortest time between two chunks of the recording, which grows by some seconds of ticks
// at a time. Compute it from the number of ticks, because answers may come late.
static void learn_rhythm(http_feed *f, const bks_recording *info, uint64_t now_ns)
{
    const uint64_t ticks = (uint64_t)(info->end - f->end);
    const uint64_t chunk_ns = ticks * UINT64_C(1000000000) / info->tick_rate_hz;
    f->rhythm_ns = f->rhythm_ns == 0 || chunk_ns < f->rhythm_ns ? chunk_ns : f->rhythm_ns;
    f->grown_ns = now_ns;
    f->end = info->end;
}

static watch_news take_answer(http_feed *f, uint64_t now_ns)
{
    const http_state state = http_fetch_poll(&f->fetch);
    if (state == HTTP_BUSY) {
        return WATCH_NEWS_NONE;
    }
    f->is_asking = false;
    f->feed.received_bytes = f->fetch.received_bytes;
    if (state == HTTP_FAILED) {
        return ++f->failures > FAILURES_MAX ? end(f, TOOL_DAMAGED, f->fetch.why) : WATCH_NEWS_NONE;
    }
    f->failures = 0;
    if (f->fetch.count == 0) {
        return now_ns - f->changed_ns > WATCH_FEED_PATIENCE_NS
                   ? end(f, TOOL_OK, "nothing was written to it for 10 s, and it is not complete")
                   : WATCH_NEWS_NONE;
    }
    f->changed_ns = now_ns;
    if (f->pieces[f->piece_count - 1].count + f->fetch.count > HTTP_FILE_BYTES_MAX) {
        return end(f, TOOL_DAMAGED, "it grew beyond 256 MiB, and larger ones are not watched");
    }
    if (!extend_piece(f)) {
        return end(f, TOOL_DAMAGED, "out of memory");
    }
    bks_error error = {0};
    const bks_status status = bks_replay_refresh(f->feed.replay, f->pieces, f->piece_count, &error);
    if (status != BKS_OK) {
        return end(f, TOOL_DAMAGED, error.text);
    }
    const bks_recording *info = bks_replay_info(f->feed.replay);
    f->feed.is_growing = !info->is_complete;
    if (info->end > f->end) {
        learn_rhythm(f, info, now_ns);
    }
    return WATCH_NEWS_MORE;
}

// Return true if it is time to ask the server for new data. Each request is work for the server, so
// wait 7/8 of the shortest time between two chunks after the last one has come.
static bool is_worth_asking(const http_feed *f, uint64_t now_ns)
{
    return now_ns - f->asked_ns >= (f->rhythm_ns > 0 ? ASK_DUE_NS : ASK_EVERY_NS) &&
           now_ns - f->grown_ns >= f->rhythm_ns / 8 * 7;
}

static watch_news poll_http(watch_feed *feed, uint64_t now_ns)
{
    http_feed *f = (http_feed *)feed; // `feed` is the first member of http_feed
    if (!feed->is_growing) {
        return WATCH_NEWS_NONE;
    }
    f->changed_ns = f->changed_ns > 0 ? f->changed_ns : now_ns;
    if (f->is_asking) {
        return take_answer(f, now_ns);
    }
    if (is_worth_asking(f, now_ns)) {
        const bks_replay_piece *last = &f->pieces[f->piece_count - 1];
        f->asked_ns = now_ns;
        f->is_asking = true;
        http_fetch_begin(&f->fetch, last->offset_bytes + last->count, 0);
    }
    return WATCH_NEWS_NONE;
}

static void close_http(watch_feed *feed)
{
    http_feed *f = (http_feed *)feed;
    bks_replay_close(feed->replay);
    drop_pieces(f);
    http_fetch_close(&f->fetch);
    free(f);
}

int watch_http_open(const char *where, watch_feed **out)
{
    *out = NULL;
    http_feed *f = calloc(1, sizeof(*f));
    if (f == NULL || !http_fetch_open(&f->fetch, where)) {
        free(f);
        tool_complain(where, "out of memory");
        return TOOL_DAMAGED;
    }
    f->feed.poll = poll_http;
    f->feed.close = close_http;
    f->feed.fetch_ns = WATCH_FEED_FETCH_NS;
    const int status = open_first(f);
    if (status != TOOL_OK) {
        close_http(&f->feed);
        return status;
    }
    f->feed.received_bytes = f->fetch.received_bytes;
    f->end = bks_replay_info(f->feed.replay)->end;
    *out = &f->feed;
    return TOOL_OK;
}
