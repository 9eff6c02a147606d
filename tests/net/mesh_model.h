// SPDX-License-Identifier: MIT

/// @file mesh_model.h
/// Peers that send each other a packet a tick by the paths they choose, over links that are cut in
/// one direction or both. What they know of whom others hear goes along as session/ways says it: a
/// change three times, 50 ms apart; while a mask lacks a peer all of it once a second, and three
/// times by each new way.

#ifndef TEST_MESH_MODEL_H
#define TEST_MESH_MODEL_H

#include "net/paths.h"

#define MESH_MS      UINT64_C(1000000)
#define MESH_TICK_NS (UINT64_C(1000000000) / 60)
#define MESH_PACKETS 8192u

typedef struct mesh_packet {
    uint64_t arrives_ns;
    uint32_t hop_from;
    uint32_t hop_to;
    bksi_routed routed; ///< target and origin also of a straight one
    uint32_t id;
    uint64_t sent_ns;
    bksi_paths_mask masks[BKS_PEERS_MAX]; ///< what the origin knows
    uint8_t echoes[BKSI_PATH_IDS];        ///< packets of the target's that came since, by path
} mesh_packet;

typedef struct mesh_model {
    uint32_t count;
    uint64_t now_ns;
    uint64_t delay_ns;
    uint64_t jitter_ns;
    uint32_t loss_of_1000;
    bool is_cut[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< from, to
    bool drops_carried[BKS_PEERS_MAX];
    bool lies[BKS_PEERS_MAX]; ///< says of everybody what it draws
    bool is_dead[BKS_PEERS_MAX];
    uint64_t random;
    bksi_paths paths[BKS_PEERS_MAX];
    uint8_t owed[BKS_PEERS_MAX][BKS_PEERS_MAX][BKSI_PATH_IDS]; ///< echoes, by receiver and origin
    uint64_t came_ns[BKS_PEERS_MAX][BKS_PEERS_MAX];            ///< from, to: the last
    uint64_t gap_ns[BKS_PEERS_MAX][BKS_PEERS_MAX];             ///< the longest since reset
    uint64_t hops;                                             ///< datagrams since reset
    uint64_t sent;
    uint32_t under_way;
    uint64_t said[BKS_PEERS_MAX]; ///< a number of what each knew when it last owed its word
    uint32_t hears_owed[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< from, to
    uint64_t hears_ns[BKS_PEERS_MAX][BKS_PEERS_MAX];   ///< when one last went
    uint32_t way[BKS_PEERS_MAX][BKS_PEERS_MAX];        ///< in use when they were last owed
    mesh_packet packets[MESH_PACKETS];
} mesh_model;

void mesh_model_init(mesh_model *mesh, uint32_t count, uint64_t delay_ms, uint64_t seed);
void mesh_model_cut(mesh_model *mesh, uint32_t a, uint32_t b, bool is_cut);
void mesh_model_run(mesh_model *mesh, double seconds);
/// Begin to count anew.
void mesh_model_reset(mesh_model *mesh);
/// The longest time in which nothing of one honest living peer came to another, since reset.
uint64_t mesh_model_gap_ns(const mesh_model *mesh);
/// Routes that changed, of all pairs, so far.
uint64_t mesh_model_changes(const mesh_model *mesh);
uint32_t mesh_model_below(mesh_model *mesh, uint32_t bound);

#endif
