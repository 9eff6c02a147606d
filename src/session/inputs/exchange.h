// SPDX-License-Identifier: MIT

/// @file exchange.h
/// Our inputs on their way to a peer, and its own to us. exchange.c alone writes this; others ask.

#ifndef BKSI_EXCHANGE_H
#define BKSI_EXCHANGE_H

#include "session/inputs/inputs.h"
#include "wire/input_message.h"

typedef struct session_exchange_peer {
    bks_tick need;     ///< first tick of ours that it does not have
    bks_tick ends[2];  ///< where the last INPUT to it ended, and the one before
    bool is_cut;       ///< the last one ended before our newest: it had no more room
    uint64_t began_ns; ///< when one last began with what it needs
} session_exchange_peer;

typedef struct session_exchange {
    session_exchange_peer peers[BKS_PEERS_MAX];
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
/// @param news  holds nothing else when the message is not sound
bool bksi_exchange_receive(session_exchange *exchange, session_inputs *inputs,
                           session_common *common, uint32_t peer, const uint8_t *body, size_t count,
                           session_input_news *news);
/// @param hash      ours, to go along
/// @param is_probe  it tries another way than the one in use
size_t bksi_exchange_write(session_exchange *exchange, session_inputs *inputs,
                           session_common *common, uint32_t peer, const bksi_input_hash *hash,
                           bool is_probe, uint8_t *body);
/// A peer has all of our inputs before a tick.
void bksi_exchange_acknowledge(session_exchange *exchange, uint32_t peer, bks_tick tick);

/// The first tick of ours that a peer does not have.
static inline bks_tick bksi_exchange_need(const session_exchange *exchange, uint32_t peer)
{
    return exchange->peers[peer].need;
}

#endif
