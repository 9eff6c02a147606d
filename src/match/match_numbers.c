// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "backstitch/match.h"
#include "backstitch/toolkit/peer.h"
#include "base/report.h"

/// Line of numbers that is being written. Once it is full, nothing more is formatted.
typedef struct number_line {
    char *out;
    size_t capacity;
    size_t length; ///< length of the line; at least the capacity if the line is full
} number_line;

static void append(number_line *line, const char *format, ...) BKS_PRINTF(2, 3);

static void append(number_line *line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const size_t at = line->length < line->capacity ? line->length : line->capacity - 1;
    const int count = vsnprintf(line->out + at, line->capacity - at, format, values);
    va_end(values);
    line->length += count > 0 ? (size_t)count : 0;
}

static void append_numbers(number_line *line, const bks_stats *stats, const bks_roster *roster)
{
    bool has_peers = false;
    double round_trip_ms = -1.0;
    for (uint32_t i = 0; i < stats->link_count; i++) {
        const bks_link_stats *link = &stats->links[i];
        has_peers |= link->has_peer;
        if (link->has_peer && roster->is_in[i] && link->round_trip_ms > round_trip_ms) {
            round_trip_ms = link->round_trip_ms;
        }
    }
    if (!has_peers) {
        append(line, "all players on this machine");
        return;
    }
    if (round_trip_ms >= 0.0) {
        append(line, "round trip %.0f ms, ", round_trip_ms);
    }
    append(line, "delay %" PRIu32 " tick%s, %" PRIu64 " rollback%s", stats->input_delay,
           BKSI_PLURAL(stats->input_delay), stats->rollbacks, BKSI_PLURAL(stats->rollbacks));
    if (stats->rollbacks > 0) {
        append(line, " of %.1f ticks",
               (double)stats->rollback_depth_sum / (double)stats->rollbacks);
    }
    if (stats->starved_ticks > 0) {
        append(line, ", waited %" PRIu64 " tick%s", stats->starved_ticks,
               BKSI_PLURAL(stats->starved_ticks));
    }
}

bks_status bks_match_numbers(bks_match *match, char *out, size_t capacity)
{
    static const char call[] = "bks_match_numbers";
    BKSI_REFUSE_NULL(NULL, match);
    BKSI_REFUSE_NULL(NULL, out);
    if (capacity == 0) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "capacity",
                         "capacity is 0, must be above 0");
    }
    number_line line = {.out = out, .capacity = capacity};
    if (bks_match_started(match)) {
        const bks_session *session = bks_match_session(match);
        bks_stats stats = {0};
        bks_roster roster = {0};
        (void)bks_session_stats(session, &stats);
        (void)bks_session_roster(session, &roster);
        append_numbers(&line, &stats, &roster);
    } else {
        append(&line, "waiting for players");
    }
    return line.length < capacity ? BKS_OK : BKS_ERR_TOO_SMALL;
}
