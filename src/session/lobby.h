// SPDX-License-Identifier: MIT

/// @file lobby.h
/// Before the match: join, roster, links, the time of the first tick. lobby.c alone writes this;
/// others ask.

#ifndef BKSI_LOBBY_H
#define BKSI_LOBBY_H

#include "backstitch/session.h"

#include "base/bytes.h"
#include "net/guard.h"

/// How often an unanswered lobby message is repeated.
#define LOBBY_REPEAT_NS (50 * NS_PER_MS)

/// From the time when all can know of the start to the first tick: word of it that gets lost is
/// said again, and clocks are read better [INVERSUS, Startup Advantage].
#define WARM_UP_NS (3 * LOBBY_REPEAT_NS)

/// Where the lobby stands.
typedef enum lobby_stage {
    LOBBY_GATHERING, ///< host: seats free; guest: no complete roster yet
    LOBBY_LINKING,   ///< all are known: make the state, reach everyone
    LOBBY_GO,        ///< the time of the first tick is known
} lobby_stage;

typedef struct session_lobby_peer {
    uint64_t renewed_ns;    ///< when it was last greeted anew
    bool heard;             ///< a LINK of it came
    bool heard_us;          ///< and it had heard one of ours
    uint32_t link_stamp_us; ///< the newest stamp of its LINKs
    uint64_t link_stamp_ns; ///< when it came
    bool owes_link;         ///< send a LINK
    bool owes_roster;       ///< host: send a ROSTER
} session_lobby_peer;

typedef struct session_lobby {
    lobby_stage stage;
    uint64_t next_ns;      ///< next repeat
    uint64_t linking_ns;   ///< since when all are known
    uint64_t gave_back_ns; ///< when a guest's seats were last free again
    bool owes_join;        ///< guest
    bool state_is_made;    ///< START has been carried out
    uint64_t start_ns;     ///< LOBBY_GO: time of the first tick
    uint8_t setup[BKS_SETUP_BYTES_MAX];
    size_t setup_bytes;
    session_lobby_peer peers[BKS_PEERS_MAX];
} session_lobby;

void bksi_lobby_init(bks_session *session, const bks_session_config *config);
/// @return whether the first tick's time has come
bool bksi_lobby_update(bks_session *session);
uint64_t bksi_lobby_wake(const bks_session *session);
bool bksi_lobby_receive(bks_session *session, const bksi_guard_message *message,
                        bksi_byte_reader *reader);
/// @return bytes of body, 0 when the lobby owes nothing; `type` and `to` say what and whom
size_t bksi_lobby_send(bks_session *session, bksi_channel *to, uint8_t *body, uint32_t *type);
/// A peer's inputs are here: the match has begun.
void bksi_lobby_go_now(bks_session *session);
/// The state of tick 0 is made; what we know of it changed.
void bksi_lobby_made_state(bks_session *session);
void bksi_lobby_ask_again(bks_session *session);

#endif
