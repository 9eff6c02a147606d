// SPDX-License-Identifier: MIT

/// @file exchange.h
/// Our inputs on their way to a peer, and its own to us: when packets go, and what is in them.
/// exchange.c alone writes session_exchange; others read.

#ifndef BKSI_EXCHANGE_H
#define BKSI_EXCHANGE_H

#include "session/inputs/liveness.h"
#include "session/inputs/routes.h"
#include "session/inputs/runs.h"
#include "wire/input_message.h"

/// How inputs of other peers come to us.
typedef struct session_inputs {
    session_liveness liveness;
    session_runs runs;
} session_inputs;

typedef struct session_exchange_peer {
    bks_tick first_missing; ///< first tick of ours that it does not have
    bks_tick ends[2];       ///< where the last INPUT to it ended, and the one before
    bool is_cut;            ///< the last one ended before our newest: it had no more room
    uint64_t began_ns;      ///< when one last began with what it needs
    uint64_t went_ns;       ///< when one last went to it
} session_exchange_peer;

typedef struct session_exchange {
    session_exchange_peer peers[BKS_PEERS_MAX];
    uint64_t went_ns;     ///< when packets could last go
    uint64_t from_ns;     ///< the next ones may go from here on
    uint64_t input_bytes; ///< sent
} session_exchange;

/// What an INPUT says beside its inputs.
typedef struct session_input_news {
    bool is_sound;  ///< its head
    bks_tick known; ///< the sender's head before the message
    bksi_input_head head;
} session_input_news;

/// The match begins with this tick: all lack all from there on.
void bksi_exchange_begin(session_exchange *exchange, bks_tick first);
/// Start the rate of each line.
void bksi_exchange_start_rates(session_links *links, const session_common *common);
/// Return true if packets go in this update.
/// @param tick_passed  a tick's time came
bool bksi_exchange_is_due(session_exchange *exchange, const session_common *common,
                          bool tick_passed);
/// Find the peers that an INPUT goes to then, as often as the line to each carries. Reports lines
/// that are too narrow.
/// @return bits
uint32_t bksi_exchange_find_due(session_exchange *exchange, session_links *links,
                                session_events *events, const session_common *common,
                                const session_liveness *liveness, const session_routes *routes);
/// @param news  holds nothing else when the message is not sound
bool bksi_exchange_receive(session_exchange *exchange, session_inputs *inputs,
                           session_common *common, uint32_t peer, const uint8_t *body, size_t count,
                           session_input_news *news);
/// Write an INPUT.
/// @param head  with its hash and its echo; receives the rest
size_t bksi_exchange_write(session_exchange *exchange, session_runs *runs,
                           const session_common *common, uint32_t peer, bksi_input_head *head,
                           uint8_t *body);
/// A peer has all of our inputs before a tick.
void bksi_exchange_acknowledge(session_exchange *exchange, uint32_t peer, bks_tick tick);

/// When packets go at the latest, whatever the ticks.
static inline uint64_t bksi_exchange_wake(const session_exchange *exchange)
{
    return exchange->went_ns + SEND_GAP_MAX_NS;
}

#endif
