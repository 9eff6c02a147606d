// SPDX-License-Identifier: MIT

// Calls of a match that its session answers.

#include "backstitch/match.h"
#include "backstitch/session.h"
#include "base/report.h"
#include "match/entry.h"

bks_status bks_match_send(bks_match *match, uint32_t peer, const void *bytes, size_t count,
                          size_t *out_count)
{
    BKSI_REFUSE_NULL(NULL, match);
    BKSI_REFUSE_NULL(NULL, out_count);
    *out_count = 0;
    bksi_entry *entry = bksi_match_entry(match);
    BKSI_TRY(bksi_entry_begin(entry, "bks_match_send"));
    const bks_status status =
        bks_session_bulk_write(bks_match_session(match), peer, bytes, count, out_count);
    bksi_entry_end(entry);
    return status;
}

bks_status bks_match_receive(bks_match *match, uint32_t peer, void *bytes, size_t capacity,
                             size_t *out_count)
{
    BKSI_REFUSE_NULL(NULL, match);
    BKSI_REFUSE_NULL(NULL, out_count);
    *out_count = 0;
    bksi_entry *entry = bksi_match_entry(match);
    BKSI_TRY(bksi_entry_begin(entry, "bks_match_receive"));
    const bks_status status =
        bks_session_bulk_read(bks_match_session(match), peer, bytes, capacity, out_count);
    bksi_entry_end(entry);
    return status;
}

bks_status bks_match_pause(bks_match *match, bool is_paused)
{
    BKSI_REFUSE_NULL(NULL, match);
    bksi_entry *entry = bksi_match_entry(match);
    BKSI_TRY(bksi_entry_begin(entry, "bks_match_pause"));
    const bks_status status = bks_session_pause(bks_match_session(match), is_paused);
    bksi_entry_end(entry);
    return status;
}

bks_status bks_match_speed(bks_match *match, uint32_t percent)
{
    BKSI_REFUSE_NULL(NULL, match);
    bksi_entry *entry = bksi_match_entry(match);
    BKSI_TRY(bksi_entry_begin(entry, "bks_match_speed"));
    const bks_status status = bks_session_speed(bks_match_session(match), percent);
    bksi_entry_end(entry);
    return status;
}

bks_status bks_match_drop(bks_match *match, uint32_t peer)
{
    BKSI_REFUSE_NULL(NULL, match);
    bksi_entry *entry = bksi_match_entry(match);
    BKSI_TRY(bksi_entry_begin(entry, "bks_match_drop"));
    const bks_status status = bks_session_drop(bks_match_session(match), peer);
    bksi_entry_end(entry);
    return status;
}
