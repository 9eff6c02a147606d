// SPDX-License-Identifier: MIT

/// @file match_model.h
/// Two peers that play over two queues, reduced to what fills a line: ticks, inputs that repeat
/// until they are acknowledged, echoes. A peer that lacks inputs beyond its window stands still.

#ifndef TEST_MATCH_MODEL_H
#define TEST_MATCH_MODEL_H

#include "net/line.h"
#include "net/link.h"

#include "queue_model.h"

typedef struct match_model_config {
    double hz;
    uint32_t window_ticks;
    double packet_bytes; ///< without inputs and echo, with its seal
    double input_bytes;  ///< of a tick
    double first;        ///< packets a second to begin with; 0: as a match does
    bool follows;        ///< the rate of packets follows the line; else all go
} match_model_config;

typedef struct model_peer {
    bksi_line line;
    bksi_line_rate rate;
    uint64_t number; ///< of the next packet
    double due_ns;   ///< when the next tick is
    int64_t tick;    ///< next to be stepped
    int64_t has;     ///< first tick of the other's that is not here
    int64_t other_has;
    int64_t sent_heads[2]; ///< heads of the newest two packets
    uint64_t began_ns;     ///< when a packet last began at what the other lacks
    uint64_t starved_ticks;
    bksi_link link; ///< what came
    uint64_t packets;
} model_peer;

typedef struct match_model {
    match_model_config config;
    queue_model ways[2]; ///< by sender
    model_peer peers[2];
    uint64_t now_ns;
    double trips_ns; ///< sum of the round trips that peer 0 saw
    uint64_t trips;
} match_model;

match_model_config match_model_default(void);
void match_model_init(match_model *match, const match_model_config *config);
/// Play for so long, a quarter of a millisecond at a time.
void match_model_play(match_model *match, double seconds);
/// How much longer the newest ticks took than they should.
double match_model_slower(const match_model *match, int64_t from_tick, double seconds);

#endif
