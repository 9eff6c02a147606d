// SPDX-License-Identifier: MIT

// What the messages of the lobby say.

#include <string.h>

#include "session/lobby_messages.h"
#include "session/session_internal.h"

bool bksi_lobby_guest_is_ready(const bks_session *session)
{
    if (!session->start.is_hashed || session->lobby.stage != LOBBY_LINKING) {
        return false;
    }
    if (session->common.now_ns - session->lobby.linking_ns >= LINK_PATIENCE_NS) {
        return true;
    }
    for (uint32_t i = 1; i < session->common.seats.peer_count; i++) {
        const session_lobby_peer *peer = &session->lobby.peers[i];
        // Whoever called knows first that the way is there and back, and is not ready before.
        bool is_called = session->common.seats.self > i;
        if (i != session->common.seats.self && !(peer->heard && (peer->heard_us || is_called))) {
            return false;
        }
    }
    return true;
}

void bksi_lobby_write_roster(const bks_session *session, uint32_t index, bksi_byte_writer *writer)
{
    bksi_roster_message roster = {
        .stage = session->lobby.stage == LOBBY_GATHERING ? BKSI_ROSTER_GATHERING
                 : session->lobby.stage == LOBBY_GO      ? BKSI_ROSTER_GO
                 : session->start.is_unequal             ? BKSI_ROSTER_UNEQUAL
                                                         : BKSI_ROSTER_COMPLETE,
        .self = index,
        .peer_count = session->common.seats.peer_count,
        .players = session->common.seats.players,
        .seed = session->common.seats.seed,
        .build = session->common.config.build,
        .ticks = session->common.seats.ticks,
        .hash_every_ticks = session->common.seats.hash_every,
        .setup_bytes = session->lobby.setup_bytes,
    };
    memcpy(roster.setup, session->lobby.setup, session->lobby.setup_bytes);
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        const session_peer *peer = &session->common.seats.peers[i];
        roster.peers[i] = (bksi_roster_peer){.first_player = peer->first_player,
                                             .player_count = peer->player_count};
        memcpy(roster.peers[i].identity, peer->identity, BKSI_IDENTITY_BYTES);
        if (i != session->common.seats.self) {
            roster.peers[i].address = bksi_guard_address(&session->common.guard, peer->channel);
        }
    }
    uint64_t arrives_ns = session->common.now_ns +
                          (uint64_t)(bksi_links_round_trip_ns(&session->common.links, index) / 2.0);
    if (roster.stage == BKSI_ROSTER_GO) {
        roster.start_us = (uint32_t)(session->lobby.start_ns / 1000);
    }
    if (roster.stage == BKSI_ROSTER_GO && session->lobby.start_ns > arrives_ns) {
        roster.go_delay_us = (uint32_t)((session->lobby.start_ns - arrives_ns) / 1000);
    }
    bksi_roster_write(writer, &roster);
}

void bksi_lobby_write_join(const bks_session *session, bksi_byte_writer *writer)
{
    bksi_join join = {.facts = session->common.facts,
                      .nonce = session->common.config.nonce,
                      .local_players = session->common.config.local_players,
                      .first_player = bksi_session_wanted_seat(&session->common.config),
                      .build = session->common.config.build,
                      .start_hash = session->start.hash};
    if (bksi_lobby_guest_is_ready(session)) {
        join.ready =
            session->start.is_unequal && session->start.has_parts ? BKSI_EXPLAINS : BKSI_READY;
    }
    if (join.ready == BKSI_EXPLAINS) {
        join.parts = session->start.parts;
    }
    bksi_join_write(writer, &join);
}

void bksi_lobby_write_link(const bks_session *session, uint32_t index, bksi_byte_writer *writer)
{
    const session_lobby_peer *peer = &session->lobby.peers[index];
    bksi_link_message message = {
        .stamp_us = bksi_common_now_us(&session->common),
        .has_echo = peer->heard,
        .echo_us = peer->link_stamp_us,
        .hold_us =
            peer->heard ? (uint32_t)((session->common.now_ns - peer->link_stamp_ns) / 1000) : 0,
    };
    bksi_link_message_write(writer, &message);
}

static bool roster_is_ours(const bks_session *session, const bksi_roster_message *roster)
{
    const bksi_roster_peer *own = &roster->peers[roster->self];
    return roster->self > 0 &&
           memcmp(own->identity, session->common.guard.identity, BKSI_IDENTITY_BYTES) == 0 &&
           own->player_count == session->common.config.local_players;
}

/// What the state was made from cannot change under it; only peers may.
static bool roster_fits_state(const bks_session *session, const bksi_roster_message *roster)
{
    return !session->lobby.state_is_made ||
           (roster->players == session->common.seats.players &&
            roster->seed == session->common.seats.seed &&
            roster->ticks == session->common.seats.ticks &&
            roster->hash_every_ticks == session->common.seats.hash_every &&
            roster->setup_bytes == session->lobby.setup_bytes &&
            memcmp(roster->setup, session->lobby.setup, session->lobby.setup_bytes) == 0);
}

bool bksi_lobby_roster_fits(const bks_session *session, const bksi_roster_message *roster)
{
    return roster_is_ours(session, roster) && roster_fits_state(session, roster);
}
