// SPDX-License-Identifier: MIT

/// @file toy_network.h
/// Sessions on virtual time with a toy game, driven through the public face alone: the state is one
/// number that every bit of every input changes, snapshots are an array, the network is a list of
/// packets with arrival times.

#ifndef TESTS_TOY_NETWORK_H
#define TESTS_TOY_NETWORK_H

#include "backstitch/session.h"

#define TOY_PEERS_MAX   BKS_PEERS_MAX
#define TOY_TICKS_MAX   8192
#define TOY_PACKETS_MAX 16384
#define TOY_MS          1000000ull

typedef struct toy_peer {
    bks_session *session;
    uint64_t skew;          ///< by how much its state of tick 0 differs
    const uint64_t *ranges; ///< hashes of its state's ranges
    uint32_t range_count;
    uint64_t state; ///< the whole game
    uint64_t slots[BKS_SLOTS_MAX];
    bks_tick slot_ticks[BKS_SLOTS_MAX];
    uint32_t wrong_loads;               ///< LOADs of a tick that the slot does not hold
    uint64_t stepped[TOY_TICKS_MAX];    ///< state after the last stepping of each tick
    uint32_t step_count[TOY_TICKS_MAX]; ///< how often each tick was stepped
    uint32_t sample_count[TOY_TICKS_MAX];
    uint64_t published[TOY_TICKS_MAX];    ///< hash of each tick once final
    bks_tick seen;                        ///< ticks whose final hash was taken
    bks_tick flip_tick;                   ///< the state is spoiled whenever this tick is entered
    uint32_t events[BKS_EVENT_SPEED + 1]; ///< how often each kind came
    bks_event last[BKS_EVENT_SPEED + 1];  ///< the last of each kind
    uint32_t desynced_from;               ///< bits: peers that its desyncs name
    int32_t drift_ppm;                    ///< its clock runs this much fast
    bool is_frozen;                       ///< neither receives nor updates
    bool is_stopped;                      ///< the same, but packets wait for it, as in a socket
    const char *problem;                  ///< why it cannot make the match, NULL: it can
    /// Why it cannot carry out an operation, which it then does not; NULL: it can. NULL: it always
    /// can.
    const char *(*fails)(const struct toy_peer *peer, const bks_op *op);
    bool (*refuses)(bks_tick tick, uint64_t state); ///< another's, or its own; NULL: none
    uint32_t moved; ///< its address is that of the peer of this number more
    uint64_t step_ops;
    uint64_t load_ops;
    uint64_t save_ops;
    uint64_t predict_ops;
    uint64_t look_ops; ///< PARTS, READ and NAME
    uint32_t write_ops;
    uint32_t restore_ops;
    bool lies; ///< about the bytes of its states
    uint32_t packets_sent;
    uint32_t updates[TOY_PEERS_MAX];   ///< in which something went there
    uint32_t sent_to;                  ///< bits of the peers to which something went in this one
    uint64_t kept[BKS_KEPT_SLOTS_MAX]; ///< states, by slot
    bks_tick kept_ticks[BKS_KEPT_SLOTS_MAX]; ///< whose they are
    bks_tick oldest_load;                    ///< largest distance present - loaded tick
    uint32_t slot_most;                      ///< highest slot saved to
    uint64_t work_ns;                        ///< cost of this update's operations so far
    uint64_t work_ns_max;                    ///< highest cost of one update
    uint64_t busy_until_ns;                  ///< nothing reaches it before, nothing leaves it
} toy_peer;

typedef struct toy_packet {
    uint64_t arrives_ns;
    uint64_t serial;
    uint32_t from, to;
    size_t count;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
} toy_packet;

typedef struct toy_network {
    toy_peer peers[TOY_PEERS_MAX];
    uint32_t peer_count;
    bks_tick first_tick; ///< first tick of the match, from the host's config
    uint32_t numbered;   ///< bits: seats whose peer has the number of the first that asks for it
    uint64_t now_ns;
    uint64_t delay_ns;
    uint64_t jitter_ns;
    uint64_t far_ns[TOY_PEERS_MAX]; ///< by peer: packets to and from it take so much longer
    uint32_t loss_percent;
    uint32_t duplicate_percent;
    uint32_t corrupt_percent;
    uint64_t random;
    uint64_t serial;
    toy_packet *packets; ///< TOY_PACKETS_MAX, unsorted
    size_t packet_count;
    uint32_t lost_types[TOY_PEERS_MAX]; ///< by sender: bits of the packet types that get lost
    /// Decides which packets get lost by more than their type; NULL: none.
    bool (*loses)(const struct toy_network *network, uint32_t from, uint32_t to,
                  const uint8_t *bytes, size_t count);
    bool is_cut;                    ///< nothing arrives
    uint32_t cut[TOY_PEERS_MAX];    ///< by sender: bits of the peers its packets do not reach
    uint32_t narrow[TOY_PEERS_MAX]; ///< by sender: bits of the peers to which little gets through:
    uint32_t narrow_every;          ///< the first packet of every n-th update
    uint32_t hold_input_ticks;      ///< ticks between changes of the inputs, default 4
    /// Another game: its step, and what is sampled, of all fields of the config; NULL: the toy's.
    uint64_t (*step)(uint64_t state, bks_tick tick, const int32_t *inputs, uint32_t players);
    void (*sample)(uint32_t player, bks_tick tick, int32_t *input);
    /// Between a peer's update and what it sends; NULL: nothing.
    void (*before_sending)(struct toy_network *network, const toy_peer *peer);
    /// Cost of an operation; NULL: no cost is reported.
    uint64_t (*cost_ns)(struct toy_network *network, const toy_peer *peer, bks_op_kind kind);
    uint32_t slots; ///< slots that START reports
    bool costs_take_time;
    /// Custom prediction; NULL takes the library's guess.
    void (*predict)(struct toy_network *network, const toy_peer *peer, const bks_op *op,
                    int32_t *guess);
} toy_network;

/// A random number below a bound, from the network's seed.
uint32_t toy_random(toy_network *network, uint32_t bound);

/// Peers 0..peer_count-1; `tune` may change each config before its session is created, may be NULL.
void toy_create(toy_network *network, uint32_t peer_count, uint64_t seed,
                void (*tune)(bks_session_config *config, uint32_t peer));
void toy_destroy(toy_network *network);

/// Run until a time on the virtual clock.
void toy_run_until(toy_network *network, uint64_t now_ns);

/// Cut a pair, in both directions, or mend it.
void toy_cut(toy_network *network, uint32_t a, uint32_t b, bool is_cut);

/// Run until every peer's session has ended or the time is up. Returns whether all ended.
bool toy_run_to_end(toy_network *network, uint64_t limit_ns);

/// The input of a player at a tick, the same wherever it is asked for.
int32_t toy_input(uint32_t player, bks_tick tick, uint32_t hold_ticks);

/// State of tick `ticks` by a straight run from tick 0 on.
uint64_t toy_straight_run(uint32_t players, bks_tick ticks, uint32_t hold_ticks);

/// The same where players end: by player the first tick with neutral input, BKS_TICK_NONE for none.
uint64_t toy_straight_run_ending(uint32_t players, bks_tick ticks, uint32_t hold_ticks,
                                 const bks_tick *ends);

/// The same of a match that begins at another tick.
uint64_t toy_straight_run_from(uint32_t players, bks_tick first, bks_tick until,
                               uint32_t hold_ticks, const bks_tick *ends);

/// The toy game's config for one peer before any tuning.
bks_session_config toy_config(uint32_t peer, uint32_t peer_count);

bks_address toy_address(uint32_t peer);

#endif
