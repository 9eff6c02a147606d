// SPDX-License-Identifier: MIT

// Reads a recording from a file. An incomplete file that was written to recently counts as still
// being written: its records are read as it grows. When no more data comes, the file is read once
// more as a whole, tail slots included.

#define _POSIX_C_SOURCE 200809L // for clock_gettime()

#include "watch/watch_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/stop.h"
#include "base/system.h"
#include "base/tool.h"

static const uint64_t LOOK_EVERY_NS = UINT64_C(100000000);

typedef struct file_feed {
    watch_feed feed;
    const char *path;
    uint8_t *bytes;
    size_t count;
    bks_replay *before;    ///< recording that `replay` has replaced; the next poll closes it
    uint8_t *bytes_before; ///< bytes of the replaced recording in `before`
    system_face face;
    uint64_t checked_ns;
    uint64_t changed_ns;
} file_feed;

static bool is_same_face(const system_face *a, const system_face *b)
{
    return a->bytes == b->bytes && a->written.tv_sec == b->written.tv_sec &&
           a->written.tv_nsec == b->written.tv_nsec;
}

// Return true if the file was written to within WATCH_FEED_PATIENCE_NS.
static bool is_fresh(const system_face *face)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const int64_t age_s = (int64_t)now.tv_sec - (int64_t)face->written.tv_sec;
    return age_s <= (int64_t)(WATCH_FEED_PATIENCE_NS / UINT64_C(1000000000)) && age_s >= -1;
}

static void take_error(watch_feed *feed, const bks_error *error)
{
    feed->status = TOOL_DAMAGED;
    snprintf(feed->why, sizeof(feed->why), "%s", error->text);
}

// Read the whole file, which is complete or no longer written to.
static bks_status open_whole(file_feed *f, bks_error *error)
{
    f->feed.is_growing = false;
    const bks_status status = bks_replay_open(f->bytes, f->count, NULL, &f->feed.replay, error);
    if (status != BKS_OK && f->feed.replay != NULL) {
        take_error(&f->feed, error);
    }
    return f->feed.replay != NULL ? BKS_OK : status;
}

// Open the bytes read so far. If the file seems to be still growing, open only the whole records;
// otherwise open all bytes.
static bks_status open_bytes(file_feed *f, bks_error *error)
{
    const bks_status status = open_whole(f, error);
    if (status != BKS_OK) {
        return status;
    }
    const bks_recording *info = bks_replay_info(f->feed.replay);
    if (info->is_complete || !is_fresh(&f->face)) {
        return BKS_OK;
    }
    // Open only the appended records, because the tail slots at the end of the file may be half
    // written.
    const bks_replay_piece piece = {.bytes = f->bytes, .count = f->count};
    bks_replay *growing = NULL;
    if (bks_replay_open_growing(&piece, 1, NULL, &growing, error) != BKS_OK) {
        bks_replay_close(growing);
        return BKS_OK;
    }
    bks_replay_close(f->feed.replay);
    f->feed.replay = growing;
    f->feed.is_growing = true;
    f->feed.status = TOOL_OK;
    f->feed.why[0] = '\0';
    return BKS_OK;
}

// Open the recording. Its beginning may not be written yet, so wait for it.
static int open_first(file_feed *f)
{
    const uint64_t begun = tool_clock_ns(NULL);
    for (;;) {
        if (file_read(f->path, &f->bytes, &f->count) != TOOL_OK) {
            return TOOL_DAMAGED;
        }
        (void)system_file_face(f->path, &f->face);
        bks_error error = {0};
        const bks_status status = open_bytes(f, &error);
        if (status == BKS_OK) {
            tool_log_drop(); // the viewer reports the damage
            return TOOL_OK;
        }
        if (status != BKS_ERR_INCOMPLETE || !is_fresh(&f->face) || stop_is_wanted() ||
            tool_clock_ns(NULL) - begun > WATCH_FEED_PATIENCE_NS) {
            tool_complain_error(f->path, &error);
            return TOOL_DAMAGED;
        }
        tool_log_drop();
        free(f->bytes);
        f->bytes = NULL;
        tool_sleep_ns(LOOK_EVERY_NS);
    }
}

// Finish a growing recording, because no more data comes. Its newest ticks may lie only in the tail
// slots, which are read now.
static watch_news give_up(file_feed *f)
{
    // Read the whole file again, because the writer rewrites the end of the file in place.
    uint8_t *bytes = NULL;
    size_t count = 0;
    f->feed.is_growing = false;
    if (file_read(f->path, &bytes, &count) != TOOL_OK) {
        f->feed.status = TOOL_DAMAGED;
        snprintf(f->feed.why, sizeof(f->feed.why), "cannot be read any more");
        return WATCH_NEWS_MORE;
    }
    f->before = f->feed.replay;
    f->bytes_before = f->bytes;
    f->feed.replay = NULL;
    f->bytes = bytes;
    f->count = count;
    bks_error error = {0};
    if (open_whole(f, &error) != BKS_OK) {
        free(f->bytes); // keep the bytes that were read before, because those could be opened
        f->bytes = f->bytes_before;
        f->bytes_before = NULL;
        f->feed.replay = f->before;
        f->before = NULL;
        take_error(&f->feed, &error);
        return WATCH_NEWS_MORE;
    }
    tool_log_drop(); // the viewer reports the error
    if (f->feed.why[0] == '\0') {
        snprintf(f->feed.why, sizeof(f->feed.why),
                 "nothing was written to it for %d s, and it is not complete",
                 (int)(WATCH_FEED_PATIENCE_NS / UINT64_C(1000000000)));
    }
    return WATCH_NEWS_REPLACED;
}

// Read the file again after it has grown.
static watch_news take_more(file_feed *f)
{
    uint8_t *bytes = NULL;
    size_t count = 0;
    if (file_read(f->path, &bytes, &count) != TOOL_OK || count < f->count) {
        free(bytes);
        f->feed.is_growing = false;
        f->feed.status = TOOL_DAMAGED;
        snprintf(f->feed.why, sizeof(f->feed.why), "it was taken away or cut while it was read");
        return WATCH_NEWS_MORE;
    }
    const bks_replay_piece piece = {.bytes = bytes, .count = count};
    bks_error error = {0};
    const bks_status status = bks_replay_refresh(f->feed.replay, &piece, 1, &error);
    free(f->bytes);
    f->bytes = bytes;
    f->count = count;
    if (status != BKS_OK) {
        take_error(&f->feed, &error);
    }
    if (bks_replay_info(f->feed.replay)->is_complete || status == BKS_ERR_OUT_OF_MEMORY) {
        f->feed.is_growing = false;
    }
    return WATCH_NEWS_MORE;
}

static void release_before(file_feed *f)
{
    bks_replay_close(f->before);
    free(f->bytes_before);
    f->before = NULL;
    f->bytes_before = NULL;
}

static watch_news poll_file(watch_feed *feed, uint64_t now_ns)
{
    file_feed *f = (file_feed *)feed; // `feed` is the first member of file_feed
    release_before(f);
    if (!feed->is_growing || now_ns - f->checked_ns < LOOK_EVERY_NS) {
        return WATCH_NEWS_NONE;
    }
    f->checked_ns = now_ns;
    f->changed_ns = f->changed_ns > 0 ? f->changed_ns : now_ns;
    system_face face = {0};
    const bool is_there = system_file_face(f->path, &face);
    if (is_there && is_same_face(&face, &f->face)) {
        return now_ns - f->changed_ns > WATCH_FEED_PATIENCE_NS ? give_up(f) : WATCH_NEWS_NONE;
    }
    f->changed_ns = now_ns;
    f->face = face;
    // Read again only if the length has changed: the file grows by appended records, while the tail
    // slots are rewritten in place and do not matter here.
    return !is_there || face.bytes != (int64_t)f->count ? take_more(f) : WATCH_NEWS_NONE;
}

static void close_file(watch_feed *feed)
{
    file_feed *f = (file_feed *)feed;
    release_before(f);
    bks_replay_close(feed->replay);
    free(f->bytes);
    free(f);
}

int watch_feed_open(const char *where, watch_feed **out)
{
    if (watch_http_is_url(where)) {
        return watch_http_open(where, out);
    }
    *out = NULL;
    file_feed *f = calloc(1, sizeof(*f));
    if (f == NULL) {
        tool_complain(where, "out of memory");
        return TOOL_DAMAGED;
    }
    *f = (file_feed){
        .feed = {.poll = poll_file, .close = close_file, .fetch_ns = WATCH_FEED_FETCH_NS},
        .path = where};
    const int status = open_first(f);
    if (status != TOOL_OK) {
        close_file(&f->feed);
        return status;
    }
    *out = &f->feed;
    return TOOL_OK;
}

void watch_feed_close(watch_feed *feed)
{
    if (feed != NULL) {
        feed->close(feed);
    }
}
