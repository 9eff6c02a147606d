// SPDX-License-Identifier: MIT

#include "peer/awaited_state.h"

#include "peer/peer_config.h"
#include "peer/peer_parts.h"
#include "session/queries.h"

void bksi_awaited_state_begin(bks_peer *peer)
{
    peer->awaits_state = peer->config.start_state == NULL;
}

/// Ask the game for the most bytes of a state of the host's match.
/// @return 0 if the game cannot play the match: making its state then says why
static size_t ask_bytes_max(const bks_peer *peer, const uint8_t *setup, size_t setup_bytes)
{
    bks_roster roster = {0};
    bks_option_values options;
    size_t bytes = 0;
    (void)bks_session_roster(peer->session, &roster);
    const bool is_known = bksi_setup_read(peer->config.game, setup, setup_bytes, &options) &&
                          bksi_runner_ask_bytes_max(peer->runner, roster.seed, roster.players,
                                                    &options, &bytes, NULL) == BKS_OK;
    return is_known ? bytes : 0;
}

void bksi_awaited_state_update(bks_peer *peer)
{
    size_t count = 0;
    const uint8_t *setup = peer->awaits_state ? bksi_session_setup(peer->session, &count) : NULL;
    if (setup == NULL) {
        return;
    }
    if (!bksi_setup_has_state(setup, count)) {
        peer->awaited_bytes = 0;
    } else if (peer->awaited_bytes == 0) {
        peer->awaited_bytes = ask_bytes_max(peer, setup, count);
        peer->awaits_state = peer->awaited_bytes > 0;
    }
    bksi_session_hold_start(peer->session, peer->awaited_bytes > 0);
}

size_t bksi_awaited_state_bytes_max(const bks_peer *peer)
{
    const bool is_early = bks_session_phase(peer->session) == BKS_PHASE_GATHERING;
    return peer->awaits_state && is_early ? peer->awaited_bytes : 0;
}

static void end_wait(bks_peer *peer)
{
    peer->awaits_state = false;
    bksi_session_hold_start(peer->session, false);
}

void bksi_awaited_state_give(bks_peer *peer, const void *state, size_t count, bks_tick tick)
{
    peer->config.start_state = state;
    peer->config.start_state_bytes = count;
    peer->config.start_tick = tick;
    end_wait(peer);
}

void bksi_awaited_state_refuse(bks_peer *peer, bks_status status, const char *why)
{
    peer->failure = status;
    bksi_session_refuse_match(peer->session, why);
    end_wait(peer);
}
