// SPDX-License-Identifier: MIT

// Watches a running match over its own UDP port: the recording comes as the match is played. It may
// also be written to a file, which other watchers can then follow by a server of files.

#include "watch/watch_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/match.h"
#include "backstitch/toolkit/recording.h"
#include "base/stop.h"
#include "base/tool.h"

static const uint64_t LOOK_EVERY_NS = UINT64_C(5000000);
// Time by which ticks come late even if nothing goes wrong, besides the length of a chunk.
static const uint64_t FETCH_NS = UINT64_C(100000000);

// Beginning of a feed's text while it lies far behind.
#define CATCHES_UP "catching up"

typedef struct match_feed {
    watch_feed feed;
    bks_feed *source;
    const char *record_path; ///< file of the recording, NULL: none
    FILE *record;
    size_t recorded;   ///< bytes written to `record`
    const void *bytes; ///< bytes that `replay` has read
    size_t count;      ///< number of these bytes
    bool serves;       ///< others watch here
    const char *where;
    bool has_doubt; ///< a second opinion that differs was reported
} match_feed;

bool watch_bks_is_invitation(const char *where)
{
    return strncmp(where, "bks://", 6) == 0;
}

// ---- the file ----

static int open_record(match_feed *s)
{
    if (s->record_path == NULL) {
        return TOOL_OK;
    }
    s->record = fopen(s->record_path, "wb");
    if (s->record == NULL) {
        tool_complain(s->record_path, "cannot be written: %s", strerror(errno));
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}

// Append to the recording file the bytes that the feed has received since the last call. If that
// fails, the file ends there, and watching goes on.
static void write_record(match_feed *s, const uint8_t *bytes, size_t count)
{
    if (s->record == NULL || count == s->recorded) {
        return;
    }
    const size_t more = count - s->recorded;
    if (fwrite(bytes + s->recorded, 1, more, s->record) != more || fflush(s->record) != 0) {
        tool_complain(s->record_path, "cannot be written: %s", strerror(errno));
        s->feed.status = TOOL_DAMAGED;
        snprintf(s->feed.why, sizeof(s->feed.why), "its recording could not be written");
        (void)fclose(s->record);
        s->record = NULL;
    }
    s->recorded = count;
}

// ---- what comes ----

// Read what has come since the last call.
static bks_status read_more(match_feed *s, bks_error *error)
{
    size_t count = 0;
    const void *bytes = bks_feed_bytes(s->source, &count);
    if (count == s->count && bytes == s->bytes) {
        return BKS_OK;
    }
    const bks_replay_piece piece = {.bytes = bytes, .count = count};
    const bks_status status = s->feed.replay == NULL
                                  ? bks_replay_open_growing(&piece, 1, NULL, &s->feed.replay, error)
                                  : bks_replay_refresh(s->feed.replay, &piece, 1, error);
    s->bytes = bytes;
    s->count = count;
    s->feed.received_bytes = count;
    write_record(s, bytes, count);
    return status;
}

static int complain(const char *where, const match_feed *s, bks_status status,
                    const bks_error *error)
{
    if (error->text[0] != '\0') {
        tool_complain_error(where, error);
        return TOOL_DAMAGED;
    }
    tool_complain(where, "%s", bks_feed_text(s->source));
    return status == BKS_ERR_DAMAGED ? TOOL_DAMAGED : TOOL_NO;
}

// Wait until the match has started and its first state is here.
static int open_first(match_feed *s, const char *where)
{
    bks_error error = {0};
    bks_status status = BKS_OK;
    bool has_said = false;
    const char *asking = bks_feed_text(s->source);
    while (status == BKS_OK && s->feed.replay == NULL && !stop_is_wanted()) {
        status = bks_feed_update(s->source);
        if (status >= BKS_OK) {
            const bks_status read = read_more(s, &error);
            status = read != BKS_OK ? read : status;
        }
        if (!has_said && s->feed.replay == NULL && bks_feed_text(s->source) != asking) {
            has_said = true;
            fprintf(stderr, "bks: %s: %s\n", where, bks_feed_text(s->source));
        }
        tool_sleep_ns(s->feed.replay == NULL ? LOOK_EVERY_NS : 0);
    }
    if (status < BKS_OK || s->feed.replay == NULL) {
        return stop_is_wanted() ? TOOL_NO : complain(where, s, status, &error);
    }
    s->feed.is_growing = status == BKS_OK;
    if (strncmp(bks_feed_text(s->source), CATCHES_UP, sizeof(CATCHES_UP) - 1) == 0) {
        fprintf(stderr, "bks: %s: %s\n", where, bks_feed_text(s->source));
    }
    return TOOL_OK;
}

// Report the first second opinion that differs.
static void report_doubt(match_feed *s)
{
    bks_opinion opinion;
    if (!bks_feed_opinion(s->source, &opinion) || opinion.agrees || s->has_doubt) {
        return;
    }
    char source[64];
    char other[64];
    (void)bks_udp_address_format(&opinion.source, source, sizeof(source));
    (void)bks_udp_address_format(&opinion.other, other, sizeof(other));
    s->has_doubt = true;
    tool_complain(s->where,
                  "%s, which is watched, and %s have different states at tick %" PRId32
                  ": one of them is wrong, or the match has split and both are right",
                  source, other, opinion.tick);
}

static watch_news poll_bks(watch_feed *feed, uint64_t now_ns)
{
    (void)now_ns;
    match_feed *s = (match_feed *)feed; // `feed` is the first member of match_feed
    if (!feed->is_growing) {
        if (s->serves) {
            bks_error ignored = {0};
            (void)!bks_feed_update(s->source);
            (void)!read_more(s, &ignored); // more may come behind the damage, and the bytes move
        }
        return WATCH_NEWS_NONE;
    }
    const size_t before = s->count;
    bks_error error = {0};
    const bks_status status = bks_feed_update(s->source);
    const bks_status read = read_more(s, &error);
    report_doubt(s);
    if (read != BKS_OK) {
        feed->is_growing = false;
        feed->status = TOOL_DAMAGED;
        snprintf(feed->why, sizeof(feed->why), "%s", error.text);
    } else if (status != BKS_OK) {
        feed->is_growing = false;
        if (status < BKS_OK) {
            feed->status = TOOL_NO;
            snprintf(feed->why, sizeof(feed->why), "%s", bks_feed_text(s->source));
        }
    }
    return s->count != before || !feed->is_growing ? WATCH_NEWS_MORE : WATCH_NEWS_NONE;
}

static void close_bks(watch_feed *feed)
{
    match_feed *s = (match_feed *)feed;
    bks_replay_close(feed->replay);
    bks_feed_close(s->source);
    if (s->record != NULL && fclose(s->record) != 0) {
        tool_complain(s->record_path, "cannot be written: %s", strerror(errno));
    }
    free(s);
}

static int open_feed(match_feed *s, const watch_match *match)
{
    const bks_feed_config config = {.invitation = match->invitation,
                                    .serve_address = match->serve_address,
                                    .game = match->game};
    bks_error error = {0};
    if (bks_feed_open(&config, &s->source, &error) == BKS_OK) {
        return TOOL_OK;
    }
    const bool is_address = error.field != NULL && strcmp(error.field, "serve_address") == 0;
    tool_complain_value(is_address ? "--host" : "--watch",
                        is_address ? match->serve_address : match->where, &error);
    return error.code == BKS_ERR_IO ? TOOL_NO : TOOL_MISUSE;
}

int watch_bks_open(const watch_match *match, watch_feed **out)
{
    *out = NULL;
    match_feed *s = calloc(1, sizeof(*s));
    if (s == NULL) {
        tool_complain(match->where, "out of memory");
        return TOOL_DAMAGED;
    }
    *s = (match_feed){.feed = {.poll = poll_bks, .close = close_bks, .fetch_ns = FETCH_NS},
                      .where = match->where,
                      .record_path = match->record_path,
                      .serves = match->serve_address != NULL};
    int status = open_feed(s, match);
    if (status == TOOL_OK && s->serves) {
        printf("%s\n", bks_feed_invitation(s->source));
        fflush(stdout);
    }
    if (status == TOOL_OK) {
        status = open_record(s);
    }
    if (status == TOOL_OK) {
        status = open_first(s, match->where);
    }
    if (status != TOOL_OK) {
        close_bks(&s->feed);
        return status;
    }
    *out = &s->feed;
    return TOOL_OK;
}
