// SPDX-License-Identifier: MIT

/// @file lobby.h
/// Lobby: join, roster, links and the time of the first tick. lobby_update.c reads messages and
/// updates the lobby; only it changes the lobby's own fields. lobby_send.c writes messages.

#ifndef BKSI_LOBBY_H
#define BKSI_LOBBY_H

#include "session/inputs/liveness.h"
#include "session/lobby/connectivity.h"
#include "session/lobby/lobby_clock.h"
#include "session/lobby/lobby_messages.h"
#include "session/lobby/refusal.h"
#include "session/lobby/start.h"

/// Time from the moment at which all peers can have heard of the start until the first tick. It
/// leaves time to repeat lost messages and to read clocks better [INVERSUS, Startup Advantage].
#define WARM_UP_NS (3 * BKSI_REPEAT_GAP_NS)

typedef struct session_lobby {
    session_start start;
    session_connectivity connectivity;
    session_refusal refusal;
    session_host_clock host_clock;
    session_outbox outbox;
    session_freeze freeze;

    bool was_ready;        ///< we are a guest, and were ready at the last update
    uint64_t gave_back_ns; ///< time at which a guest's seats were last freed
} session_lobby;

/// Initialise the lobby, after the seats were set up.
void bksi_lobby_init(session_lobby *lobby, session_phase *phase, session_membership *membership,
                     const session_common *common, const bks_session_config *config);
/// Update the lobby: silent peers, repeats of messages, and the start of the match.
/// @return true if the first tick's time has come
bool bksi_lobby_update(session_lobby *lobby, session_common *common, session_liveness *liveness);
/// Schedule all unanswered messages of the lobby again.
void bksi_lobby_say_again(session_lobby *lobby, const session_common *common);
/// Get the time at which the lobby must be updated even if no message comes.
uint64_t bksi_lobby_next_update_ns(const session_lobby *lobby, const session_common *common);
uint64_t bksi_lobby_wake(const session_lobby *lobby, const session_common *common);
/// Process a message of the lobby that may come now.
/// @param received  contents of the LINK
/// @return false if the message is malformed
bool bksi_lobby_receive_join(session_lobby *lobby, session_common *common,
                             session_liveness *liveness, const bksi_guard_message *message,
                             bksi_byte_reader *reader);
bool bksi_lobby_receive_roster(session_lobby *lobby, session_common *common,
                               session_liveness *liveness, bksi_byte_reader *reader);
bool bksi_lobby_receive_refusal(session_lobby *lobby, session_common *common, bksi_channel from,
                                bksi_byte_reader *reader);
bool bksi_lobby_receive_link(session_lobby *lobby, session_common *common,
                             session_liveness *liveness, uint32_t sender,
                             const bksi_guard_message *message, const bksi_link_message *received);
/// Process a goodbye that came before the start.
void bksi_lobby_goodbye(session_lobby *lobby, session_common *common, bksi_channel from);
/// Return true if a message of the lobby may have to be sent.
static inline bool bksi_lobby_owes_any(const session_lobby *lobby)
{
    return lobby->refusal.is_owed || bksi_outbox_owes_any(&lobby->outbox);
}
/// Write the next message of the lobby.
/// @return bytes of the body; 0: no message is due
size_t bksi_lobby_send(session_lobby *lobby, const session_common *common, bksi_channel *to,
                       uint8_t *body, uint32_t *type);
/// Before the match, schedule a LINK to each of `peers`, because their routes are new.
void bksi_lobby_greet_again(session_lobby *lobby, const session_common *common, uint32_t peers);
/// Begin the match because the host's inputs have arrived.
void bksi_lobby_go_now(session_lobby *lobby, session_phase *phase, const session_common *common);
/// Return true if the state of the first tick may be made now. We may be silent for long while we
/// make it, so each other peer must have been sent a LINK of ours before, which tells that. The
/// host also waits for a LINK of every guest, which shows that the guest knows that all seats are
/// taken, but at most for LINK_PATIENCE_NS.
bool bksi_lobby_may_load(const session_lobby *lobby, const session_common *common);
/// Note that the state of the first tick is made.
void bksi_lobby_made_state(session_lobby *lobby, const session_common *common);
/// Store the hashes of the parts of the first tick's state.
void bksi_lobby_take_parts(session_lobby *lobby, const session_common *common,
                           const uint64_t *hashes, uint32_t count);

/// Guest: return true if another guest is known to have another roster and we are not ready yet.
/// Once we are ready, such a roster counts only in the match: the guest may lie, and must not
/// separate us from the others.
static inline bool bksi_lobby_is_contradicted(const session_lobby *lobby,
                                              const session_common *common)
{
    return !lobby->was_ready && bksi_connectivity_contradicted(&lobby->connectivity, common) != 0;
}

/// Guest: return true if we have the state of the first tick, reach all others, and no guest has
/// another roster.
static inline bool bksi_lobby_is_ready(const session_lobby *lobby, const session_common *common)
{
    return lobby->start.is_hashed && bksi_phase_is_linking(&common->phase) &&
           bksi_connectivity_is_done(&lobby->connectivity, common) &&
           !bksi_lobby_is_contradicted(lobby, common);
}

#endif
