// SPDX-License-Identifier: MIT

// Messages of the lobby that must be sent, and their contents.

#include "session/lobby/lobby_messages.h"

#include <string.h>

#include "session/common/session_config.h"
#include "wire/small_messages.h"

/// Shortest time between two ROSTERs to a guest. An answer to each JOIN would fill a line of 128
/// kbit/s.
#define ANSWER_GAP_NS UINT64_C(60000000)

/// Time between two repeats while a peer is about to count as lost. The host answers each of them.
#define HURRY_GAP_NS (ANSWER_GAP_NS + 10 * NS_PER_MS)

// ---- messages to send ----

void bksi_outbox_begin(session_outbox *outbox, uint64_t now_ns)
{
    bksi_repeat_begin(&outbox->repeat, now_ns);
}

bool bksi_outbox_repeat(session_outbox *outbox, uint64_t now_ns)
{
    bool is_due = bksi_repeat_is_due(&outbox->repeat, now_ns);
    if (is_due) {
        bksi_repeat_went(&outbox->repeat, now_ns);
    }
    return is_due;
}

void bksi_outbox_say_news(session_outbox *outbox, const session_common *common)
{
    bksi_outbox_begin(outbox, common->now_ns);
    if (common->config.is_host) {
        bksi_outbox_change_roster(outbox, bksi_seats_others(&common->seats));
    } else {
        bksi_outbox_owe_join(outbox);
    }
}

void bksi_outbox_change_roster(session_outbox *outbox, uint32_t peers)
{
    outbox->change++;
    bksi_outbox_owe_rosters(outbox, peers);
}

void bksi_outbox_follow_roster(session_outbox *outbox, uint32_t change)
{
    outbox->change = change;
}

void bksi_outbox_owe_join(session_outbox *outbox)
{
    outbox->join = true;
}

void bksi_outbox_owe_links(session_outbox *outbox, uint32_t peers)
{
    outbox->links |= peers;
}

void bksi_outbox_owe_first_links(session_outbox *outbox, uint32_t peers)
{
    outbox->greeted = 0;
    bksi_outbox_owe_links(outbox, peers);
}

void bksi_outbox_hold(session_outbox *outbox, bool is_held)
{
    outbox->is_held = is_held;
}

void bksi_outbox_hurry(session_outbox *outbox, uint64_t now_ns)
{
    const uint64_t latest_ns = now_ns + HURRY_GAP_NS;
    outbox->repeat.next_ns =
        outbox->repeat.next_ns < latest_ns ? outbox->repeat.next_ns : latest_ns;
}

void bksi_outbox_owe_rosters(session_outbox *outbox, uint32_t peers)
{
    outbox->rosters |= peers;
}

void bksi_outbox_owe_answer(session_outbox *outbox, uint32_t peer, uint64_t now_ns)
{
    if (now_ns - outbox->roster_ns[peer] >= ANSWER_GAP_NS) {
        bksi_outbox_owe_rosters(outbox, PEER_BIT(peer));
    }
}

bool bksi_outbox_take_join(session_outbox *outbox)
{
    bool is_owed = outbox->join;
    outbox->join = false;
    return is_owed;
}

static bool take(uint32_t *mask, uint32_t peer)
{
    bool is_owed = (*mask & PEER_BIT(peer)) != 0;
    *mask &= ~PEER_BIT(peer);
    return is_owed;
}

bool bksi_outbox_take_link(session_outbox *outbox, uint32_t peer)
{
    const bool is_owed = take(&outbox->links, peer);
    outbox->greeted |= is_owed ? PEER_BIT(peer) : 0;
    return is_owed;
}

bool bksi_outbox_take_roster(session_outbox *outbox, uint32_t peer, uint64_t now_ns)
{
    bool is_owed = take(&outbox->rosters, peer);
    outbox->roster_ns[peer] = is_owed ? now_ns : outbox->roster_ns[peer];
    return is_owed;
}

void bksi_outbox_owe_heard(session_outbox *outbox, bksi_channel to)
{
    outbox->heard = to;
}

bool bksi_outbox_write_heard(session_outbox *outbox, bksi_channel *to, uint32_t *type,
                             bksi_byte_writer *writer)
{
    if (outbox->heard == 0) {
        return false;
    }
    *to = outbox->heard;
    *type = BKSI_PACKET_BYE;
    bksi_bye_write(writer, BKSI_BYE_HEARD);
    outbox->heard = 0;
    return true;
}

// ---- contents of messages ----

void bksi_lobby_write_roster(const session_common *common, const session_start *start,
                             uint64_t start_ns, uint32_t change, uint32_t index,
                             bksi_byte_writer *writer)
{
    bksi_roster_message roster = {
        .stage = !bksi_phase_has_roster(&common->phase) ? BKSI_ROSTER_GATHERING
                 : bksi_phase_has_start(&common->phase) ? BKSI_ROSTER_GO
                 : start->is_unequal                    ? BKSI_ROSTER_UNEQUAL
                                                        : BKSI_ROSTER_COMPLETE,
        .change = change,
        .self = index,
        .members = common->seats.all,
        .players = common->seats.players,
        .seed = common->seats.seed,
        .build = common->config.build,
        .first_tick = common->seats.first_tick,
        .ticks = bksi_seats_ticks(&common->seats),
        .hash_every_ticks = common->seats.hash_every,
        .on_desync = common->seats.on_desync,
        .window = common->seats.window,
        .guest_pauses = common->seats.guest_pauses,
        .setup_bytes = start->setup_bytes,
    };
    memcpy(roster.setup, start->setup, start->setup_bytes);
    EACH_PEER (i, common->seats.all) {
        const session_peer *peer = &common->seats.peers[i];
        roster.peers[i] = (bksi_roster_peer){.joined = peer->joined,
                                             .first_player = peer->first_player,
                                             .player_count = peer->player_count};
        memcpy(roster.peers[i].identity, peer->identity, BKSI_IDENTITY_BYTES);
        if (i != common->seats.self) {
            roster.peers[i].address = bksi_guard_address(&common->guard, peer->channel);
        }
    }
    uint64_t arrives_ns =
        common->now_ns + (uint64_t)(bksi_links_round_trip_ns(&common->links, index) / 2.0);
    if (roster.stage == BKSI_ROSTER_GO) {
        roster.start_us = (uint32_t)(start_ns / 1000);
    }
    if (roster.stage == BKSI_ROSTER_GO && start_ns > arrives_ns) {
        roster.go_delay_us = (uint32_t)((start_ns - arrives_ns) / 1000);
    }
    bksi_roster_write(writer, &roster);
}

void bksi_lobby_write_join(const session_common *common, const session_start *start, bool is_ready,
                           bksi_byte_writer *writer)
{
    bksi_join join = {.compat = common->compat,
                      .nonce = common->config.nonce,
                      .local_players = common->config.local_players,
                      .first_player = bksi_session_wanted_seat(&common->config),
                      .window = common->config.tuning.window_ticks,
                      .build = common->config.build,
                      .start_hash = start->hash};
    if (is_ready) {
        join.ready = start->is_unequal && start->has_parts ? BKSI_EXPLAINS : BKSI_READY;
    }
    if (join.ready == BKSI_EXPLAINS) {
        join.parts = start->parts;
    }
    bksi_join_write(writer, &join);
}

static bool roster_is_ours(const session_common *common, const bksi_roster_message *roster)
{
    const bksi_roster_peer *own = &roster->peers[roster->self];
    return roster->self > 0 &&
           memcmp(own->identity, common->guard.identity, BKSI_IDENTITY_BYTES) == 0 &&
           own->player_count == common->config.local_players;
}

/// Return true if no machine of a roster has more players than a packet has room for.
static bool are_few_enough(const session_common *common, const bksi_roster_message *roster)
{
    const uint32_t most = bksi_common_seats_most(common);
    bool are_few = true;
    EACH_PEER (i, roster->members) {
        are_few &= roster->peers[i].player_count <= most;
    }
    return are_few;
}

/// Return true if a roster fits the state that we have made: only its peers may change.
static bool roster_fits_state(const session_common *common, const session_start *start,
                              const bksi_roster_message *roster)
{
    return !start->is_made ||
           (roster->players == common->seats.players && roster->seed == common->seats.seed &&
            roster->first_tick == common->seats.first_tick &&
            roster->ticks == bksi_seats_ticks(&common->seats) &&
            roster->hash_every_ticks == common->seats.hash_every &&
            roster->on_desync == common->seats.on_desync &&
            roster->setup_bytes == start->setup_bytes &&
            memcmp(roster->setup, start->setup, start->setup_bytes) == 0);
}

bool bksi_lobby_roster_fits(const session_common *common, const session_start *start,
                            const bksi_roster_message *roster)
{
    return roster_is_ours(common, roster) && are_few_enough(common, roster) &&
           roster_fits_state(common, start, roster);
}
