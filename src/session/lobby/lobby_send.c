// SPDX-License-Identifier: MIT

// Sending of the lobby's messages: new messages, repeats, and the next one to send.

#include "session/lobby/lobby.h"
#include "session/lobby/lobby_messages.h"

bool bksi_lobby_may_load(const session_lobby *lobby, const session_common *common)
{
    const uint32_t others = bksi_seats_others(&common->seats);
    return (others & ~lobby->outbox.greeted) == 0 &&
           (!common->config.is_host || bksi_connectivity_has_heard(&lobby->connectivity, others) ||
            bksi_connectivity_is_done(&lobby->connectivity, common));
}

void bksi_lobby_made_state(session_lobby *lobby, const session_common *common)
{
    bksi_start_made(&lobby->start);
    bksi_outbox_hold(&lobby->outbox, true);
    bksi_outbox_say_news(&lobby->outbox, common);
    // tell that we no longer load
    bksi_outbox_owe_links(&lobby->outbox, bksi_seats_others(&common->seats));
}

void bksi_lobby_take_parts(session_lobby *lobby, const session_common *common,
                           const uint64_t *hashes, uint32_t count)
{
    bksi_start_take_parts(&lobby->start, hashes, count);
    bksi_outbox_say_news(&lobby->outbox, common);
}

void bksi_lobby_say_again(session_lobby *lobby, const session_common *common)
{
    session_outbox *outbox = &lobby->outbox;
    if (bksi_phase_has_roster(&common->phase)) {
        bksi_outbox_owe_links(outbox, bksi_seats_others(&common->seats));
    }
    if (!common->config.is_host) {
        bksi_outbox_owe_join(outbox);
        return;
    }
    // A guest that was answered before the last seat was taken may not know the newest roster.
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        bool is_missing = bksi_phase_is_linking(&common->phase) && !lobby->start.peers[i].is_ready;
        if (is_missing || bksi_phase_has_start(&common->phase)) {
            bksi_outbox_owe_rosters(outbox, PEER_BIT(i));
        }
    }
}

void bksi_lobby_greet_again(session_lobby *lobby, const session_common *common, uint32_t peers)
{
    if (peers != 0 && bksi_phase_is_in_lobby(&common->phase)) {
        bksi_outbox_begin(&lobby->outbox, common->now_ns);
        bksi_outbox_owe_links(&lobby->outbox, peers);
    }
}

size_t bksi_lobby_send(session_lobby *lobby, const session_common *common, bksi_channel *to,
                       uint8_t *body, uint32_t *type)
{
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    if (lobby->refusal.is_owed) {
        *type = BKSI_PACKET_REFUSE;
        return bksi_refusal_send(&lobby->refusal, to, body);
    }
    if (bksi_outbox_write_heard(&lobby->outbox, to, type, &writer)) {
        return writer.at;
    }
    bool is_in_lobby = bksi_phase_is_in_lobby(&common->phase);
    if (is_in_lobby && lobby->outbox.is_held) {
        return 0;
    }
    if (bksi_outbox_take_join(&lobby->outbox) && is_in_lobby) {
        *to = common->seats.peers[0].channel;
        *type = BKSI_PACKET_JOIN;
        bksi_lobby_write_join(common, &lobby->start, bksi_lobby_is_ready(lobby, common), &writer);
        return writer.at;
    }
    EACH_PEER (i, bksi_outbox_peers(&lobby->outbox)) {
        bool is_there = (bksi_seats_others(&common->seats) & PEER_BIT(i)) != 0;
        *to = common->seats.peers[i].channel;
        // Send the ROSTER first, because the peer needs it most. Before the third message of a
        // handshake only few bytes may be sent, and LINKs would use them up.
        if (bksi_outbox_take_roster(&lobby->outbox, i, common->now_ns) && is_there) {
            *type = BKSI_PACKET_ROSTER;
            bksi_lobby_write_roster(common, &lobby->start, lobby->host_clock.begin_ns,
                                    lobby->outbox.change, i, &writer);
            return writer.at;
        }
        if (bksi_outbox_take_link(&lobby->outbox, i) && is_there && is_in_lobby) {
            *type = BKSI_PACKET_LINK;
            bksi_connectivity_write(&lobby->connectivity, common, lobby->outbox.change,
                                    !lobby->start.is_made, i, &writer);
            return writer.at;
        }
    }
    return 0;
}

uint64_t bksi_lobby_wake(const session_lobby *lobby, const session_common *common)
{
    uint64_t wake_ns = bksi_outbox_wake(&lobby->outbox);
    if (!bksi_phase_is_in_lobby(&common->phase)) {
        return lobby->refusal.is_repeated ? wake_ns : UINT64_MAX;
    }
    if (bksi_phase_has_roster(&common->phase) && !lobby->start.is_made &&
        bksi_lobby_may_load(lobby, common)) {
        return common->now_ns;
    }
    uint64_t guard_ns = bksi_guard_wake(&common->guard);
    wake_ns = guard_ns < wake_ns ? guard_ns : wake_ns;
    return bksi_phase_has_start(&common->phase) && lobby->host_clock.begin_ns < wake_ns
               ? lobby->host_clock.begin_ns
               : wake_ns;
}

uint64_t bksi_lobby_next_update_ns(const session_lobby *lobby, const session_common *common)
{
    const uint64_t repeat_ns = lobby->outbox.repeat.next_ns;
    const uint64_t begin_ns = lobby->host_clock.begin_ns;
    return bksi_phase_has_start(&common->phase) && begin_ns < repeat_ns ? begin_ns : repeat_ns;
}
