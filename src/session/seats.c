// SPDX-License-Identifier: MIT

#include "session/seats.h"

#include <string.h>

#include "session/session_internal.h"

uint32_t bksi_seats_peer(const bks_session *session, bksi_channel channel)
{
    for (uint32_t i = 0; i < session->seats.peer_count; i++) {
        if (i != session->seats.self && session->seats.peers[i].channel == channel) {
            return i;
        }
    }
    return BKS_PEERS_MAX;
}

uint32_t bksi_seats_taken(const bks_session *session)
{
    uint32_t seats = 0;
    for (uint32_t i = 0; i < session->seats.peer_count; i++) {
        seats += session->seats.peers[i].player_count;
    }
    return seats;
}

int32_t bksi_seats_free(const bks_session *session, uint32_t count, int32_t wanted)
{
    for (uint32_t first = 0; first + count <= session->seats.players; first++) {
        if (wanted >= 0 && first != (uint32_t)wanted) {
            continue;
        }
        bool is_free = true;
        for (uint32_t i = 0; i < session->seats.peer_count; i++) {
            const session_peer *peer = &session->seats.peers[i];
            if (first < peer->first_player + peer->player_count &&
                peer->first_player < first + count) {
                is_free = false;
            }
        }
        if (is_free) {
            return (int32_t)first;
        }
    }
    return -1;
}

void bksi_seats_init(bks_session *session, const bks_session_config *config)
{
    session->seats.peer_count = 1;
    session->seats.hash_every = 1;
    if (!config->is_host) {
        session->seats.self = 1;
        session->seats.peers[0].channel =
            bksi_guard_bind(&session->guard, &config->host, NULL, true);
        return;
    }
    session->seats.self = 0;
    session->seats.peers[0].player_count = config->local_players;
    memcpy(session->seats.peers[0].identity, session->guard.identity, BKSI_IDENTITY_BYTES);
    session->seats.players = config->players;
    session->seats.seed = config->seed;
    session->seats.ticks = config->ticks;
    uint32_t every = config->tuning.window_ticks > 0 ? 1 : config->tick_rate_hz;
    session->seats.hash_every =
        config->tuning.hash_every_ticks != BKS_AUTO ? config->tuning.hash_every_ticks : every;
}

uint32_t bksi_seats_insert(bks_session *session, uint32_t first_player, bksi_channel from,
                           const bksi_join *join)
{
    uint32_t place = session->seats.peer_count;
    while (place > 1 && session->seats.peers[place - 1].first_player > first_player) {
        session->seats.peers[place] = session->seats.peers[place - 1];
        place--;
    }
    session->seats.peer_count++;
    session_peer *peer = &session->seats.peers[place];
    *peer = (session_peer){.channel = from,
                           .nonce = join->nonce,
                           .first_player = first_player,
                           .player_count = join->local_players,
                           .build = join->build};
    memcpy(peer->identity, bksi_guard_identity(&session->guard, from), BKSI_IDENTITY_BYTES);
    return place;
}

void bksi_seats_remove(bks_session *session, uint32_t index)
{
    for (uint32_t k = index; k + 1 < session->seats.peer_count; k++) {
        session->seats.peers[k] = session->seats.peers[k + 1];
    }
    session->seats.peer_count--;
}

/// The lower of two guests calls the other.
static void take_seat(bks_session *session, const bksi_roster_peer *seat, uint32_t index)
{
    session_peer *peer = &session->seats.peers[index];
    if (index > 0 && memcmp(peer->identity, seat->identity, BKSI_IDENTITY_BYTES) != 0) {
        memset(peer, 0, sizeof(*peer));
    }
    memcpy(peer->identity, seat->identity, BKSI_IDENTITY_BYTES);
    if (index > 0 && index != session->seats.self) {
        peer->channel = bksi_guard_bind(&session->guard, &seat->address, seat->identity,
                                        session->seats.self < index);
    }
    peer->first_player = seat->first_player;
    peer->player_count = seat->player_count;
}

/// Give up the channels to those who are in the roster no more.
static void release_gone(bks_session *session, const bksi_roster_message *roster)
{
    for (uint32_t i = 1; i < session->seats.peer_count; i++) {
        bool is_gone = i != session->seats.self;
        for (uint32_t k = 1; k < roster->peer_count && is_gone; k++) {
            is_gone = memcmp(roster->peers[k].identity, session->seats.peers[i].identity,
                             BKSI_IDENTITY_BYTES) != 0;
        }
        if (is_gone) {
            bksi_guard_release(&session->guard, session->seats.peers[i].channel);
        }
    }
}

void bksi_seats_take(bks_session *session, const bksi_roster_message *roster)
{
    release_gone(session, roster);
    session->seats.self = roster->self;
    session->seats.peers[0].build = roster->build;
    session->seats.peer_count = roster->peer_count;
    session->seats.players = roster->players;
    session->seats.seed = roster->seed;
    session->seats.ticks = roster->ticks;
    session->seats.hash_every = roster->hash_every_ticks;
    for (uint32_t i = 0; i < roster->peer_count; i++) {
        take_seat(session, &roster->peers[i], i);
    }
}
