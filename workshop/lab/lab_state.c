// SPDX-License-Identifier: MIT

// Answers questions about the lab's state: which peers are in the match, what a peer confirmed,
// what went wrong.

#include <stdarg.h>
#include <stdio.h>

#include "lab/lab_internal.h"
#include "session/inspect.h"

bool bksi_lab_is_gone(const lab_peer *peer)
{
    return peer->is_crashed || peer->has_left || peer->liar.is_forging;
}

bool bksi_lab_is_in(const bks_lab *lab, uint32_t index)
{
    const lab_peer *peer = &lab->peers[index];
    if (lab->is_over) {
        return peer->is_in_at_end;
    }
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *other = &lab->peers[i];
        if (!bksi_lab_is_gone(other) && !other->is_out && bksi_inspect_has(peer->session, i) &&
            !bksi_inspect_has(other->session, index)) {
            return false; // the others dropped this peer, and it does not know that yet
        }
    }
    return !bksi_lab_is_gone(peer) && !peer->is_out;
}

bks_tick bksi_lab_end_of(const bks_lab *lab, uint32_t index)
{
    const bks_tick stop = lab->peers[index].stop_tick;
    return stop != 0 ? stop : lab->config.ticks;
}

bks_tick bksi_lab_end(const bks_lab *lab)
{
    bks_tick end = lab->config.ticks;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const bks_tick own = bksi_lab_end_of(lab, i);
        end = bksi_lab_is_in(lab, i) && own < end ? own : end;
    }
    return end;
}

/// Return the number of a peer's confirmed ticks that count. Of a forger, only the ticks before the
/// first tick that it may forge count.
static bks_tick confirmed_count(const lab_peer *peer)
{
    const bks_tick from = peer->liar.forged_from;
    return peer->liar.is_forging && from < peer->hash_count ? from : peer->hash_count;
}

bks_lab_story bksi_lab_story_of(const bks_lab *lab, uint32_t index)
{
    const lab_peer *peer = &lab->peers[index];
    bks_lab_story story = {.hashes = peer->hashes,
                           .chains = peer->chains,
                           .count = confirmed_count(peer),
                           .has_ended = !bksi_lab_is_in(lab, index),
                           .repairs = lab->repairs,
                           .repair_count = lab->repair_count};
    (void)bks_session_roster(peer->session, &story.roster);
    return story;
}

bool bksi_lab_has_bulk(const bks_lab *lab, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < lab->bulk_count; i++) {
        if (lab->bulk[i].spec.from == from && lab->bulk[i].spec.to == to) {
            return true;
        }
    }
    return false;
}

void bksi_lab_fail(bks_lab *lab, const char *format, ...)
{
    if (lab->invariant_error[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(lab->invariant_error, sizeof(lab->invariant_error), format, arguments);
        va_end(arguments);
    }
}
