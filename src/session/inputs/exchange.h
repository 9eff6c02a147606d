// SPDX-License-Identifier: MIT

/// @file exchange.h
/// Exchange of inputs with each peer: times and contents of INPUT messages. Only exchange.c changes
/// session_exchange; other files read it.

#ifndef BKSI_EXCHANGE_H
#define BKSI_EXCHANGE_H

#include "session/inputs/liveness.h"
#include "session/inputs/routes.h"
#include "session/inputs/runs.h"
#include "wire/input_message.h"

/// Parts that receive the inputs of other peers.
typedef struct session_inputs {
    session_liveness liveness;
    session_runs runs;
} session_inputs;

typedef struct session_exchange_peer {
    bks_tick first_missing; ///< first tick of our inputs that the peer does not have

    /// One past the newest tick in each of the last two INPUTs to the peer, the newest INPUT first.
    bks_tick ends[2];
    bool is_cut;       ///< the last INPUT had no room for our newest input
    bool is_continued; ///< the last INPUT continued one of the same update
    uint64_t began_ns; ///< time at which an INPUT last began with the first missing input
    uint64_t went_ns;  ///< time of the last INPUT to the peer
    uint64_t since_ns; ///< time since which the peer has lacked the first missing input
} session_exchange_peer;

typedef struct session_exchange {
    session_exchange_peer peers[BKS_PEERS_MAX];
    uint64_t went_ns;     ///< time of the last update in which packets to peers were due
    uint64_t from_ns;     ///< time from which the next packets may be sent
    uint64_t input_bytes; ///< number of bytes of inputs that were sent
} session_exchange;

/// Content of an INPUT other than its inputs.
typedef struct session_input_news {
    bool is_sound;  ///< the fields before the inputs are valid
    bks_tick known; ///< head of the sender's inputs as known before this message
    bksi_input_head head;
} session_input_news;

/// Begin the match at the tick `first`: every peer lacks all inputs from this tick on.
void bksi_exchange_begin(session_exchange *exchange, bks_tick first);
/// Set the first rate of each line.
void bksi_exchange_start_rates(session_links *links, const session_common *common);
/// Return true if packets are sent in this update.
/// @param tick_passed  true if a tick's time came in this update
bool bksi_exchange_is_due(session_exchange *exchange, const session_common *common,
                          bool tick_passed);
/// Let the next packets go as soon as the rate of packets allows, even if no tick is due.
void bksi_exchange_hurry(session_exchange *exchange);
/// Find the peers to which an INPUT is sent in this update, each as often as its line allows. Raise
/// an event for each line that is too narrow.
/// @param slow  bits: peers whose packets may be late because of a slow machine, so no event is
///   raised for their lines
/// @return the peers, as bits
uint32_t bksi_exchange_find_due(session_exchange *exchange, session_links *links,
                                session_events *events, const session_common *common,
                                const session_liveness *liveness, const session_routes *routes,
                                uint32_t slow);
/// Process an INPUT of a peer.
/// @param news  receives the contents of the head; only `is_sound` if the message is malformed
bool bksi_exchange_receive(session_exchange *exchange, session_inputs *inputs,
                           session_common *common, uint32_t peer, const uint8_t *body, size_t count,
                           session_input_news *news);
/// Write an INPUT to a peer.
/// @param head  fields before the inputs, with hash and echo set; receives the others
size_t bksi_exchange_write(session_exchange *exchange, session_runs *runs,
                           const session_common *common, uint32_t peer, bksi_input_head *head,
                           uint8_t *body);
/// Return true if a second INPUT is sent to a peer in this update: the first had no room for all
/// inputs, and the line carries as many packets as we send.
bool bksi_exchange_continues(session_exchange *exchange, const session_links *links, uint32_t peer);
/// Get the most bytes of commands that INPUTs repeat, packed: three quarters of what plain blobs of
/// one tick may take. So an INPUT has room to repeat them all with the fields of some ticks.
uint32_t bksi_exchange_inline_bytes(const session_common *common);
/// Get the most bytes of commands that the local players may give in this update, other than those
/// that travel ahead of their ticks. All packed blobs that some peer lacks together take at most
/// bksi_exchange_inline_bytes(). The game must have commands.
uint32_t bksi_exchange_command_bytes(const session_exchange *exchange, const session_runs *runs,
                                     const session_common *common);
/// Record that a peer has all our inputs before a tick.
void bksi_exchange_acknowledge(session_exchange *exchange, const session_common *common,
                               uint32_t peer, bks_tick tick);
/// Find the peers that lack an input although it was sent again at least once. If a full line loses
/// large packets, streams beside the match must leave room for the inputs.
/// @return the peers, as bits
uint32_t bksi_exchange_overdue(const session_exchange *exchange, const session_common *common);

/// Get the latest time at which packets must be sent, even if no tick is due.
static inline uint64_t bksi_exchange_wake(const session_exchange *exchange)
{
    return exchange->went_ns + SEND_GAP_MAX_NS;
}

#endif
