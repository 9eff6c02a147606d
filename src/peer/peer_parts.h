// SPDX-License-Identifier: MIT

/// @file peer_parts.h
/// A peer as the files of this room share it: peer_create.c makes it, peer.c carries out what its
/// session asks for and answers its owner.

#ifndef BKSI_PEER_PARTS_H
#define BKSI_PEER_PARTS_H

#include "backstitch/toolkit/peer.h"

#include "peer/answer_cache.h"
#include "peer/looking.h"
#include "peer/peer_inspect.h"
#include "peer/pictures.h"
#include "peer/recorder.h"
#include "peer/sync_test.h"
#include "peer/tick_samples.h"

struct bks_peer {
    bks_peer_config config;
    bks_session *session;
    bksi_runner *runner;
    bksi_layout layout;
    bksi_recorder recorder;
    bool is_recording;
    bksi_answer_cache answers;
    bksi_looking looking;
    bksi_pictures pictures;
    bks_cues *cues;                                ///< NULL: no one listens
    bksi_sync_test *sync_test;                     ///< NULL: there is none
    bks_status failure;                            ///< of START, returned by every later update
    bks_error error;                               ///< likewise
    int32_t held[BKS_PLAYERS_MAX][BKS_FIELDS_MAX]; ///< by bks_peer_input()
    int32_t sampled[BKS_FIELDS_MAX];
    bksi_flip flip;
    bksi_flipped flipped;
    bool has_begun;            ///< the running match hashed its first tick
    bksi_peer_entered entered; ///< is called when a tick is entered; NULL: none
    void *entered_context;
    bksi_peer_lend lend; ///< has the states to be saved; NULL: none
    void *lend_context;
    bks_tick first_tick;    ///< of the match, from START on
    bool has_stepped;       ///< in this update
    uint64_t begun_ns;      ///< when what is being carried out began
    bksi_peer_cost cost_ns; ///< says what operations cost, NULL: the clock does
    void *cost_context;
    bks_costs costs;
    bksi_again again;
};

/// Take the memory by which states are compared, anew where the game was made anew.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_peer_fit_looking(bks_peer *peer, bks_error *error);

/// The host's policy is known: collect cues anew, from more ticks where a meeting may hold some
/// back.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_peer_fit_cues(bks_peer *peer, bks_error *error);

#endif
