// SPDX-License-Identifier: MIT

/// @file peer_parts.h
/// Struct of a peer, shared by the files of this folder: peer_create.c makes it, peer.c carries out
/// the operations of its session and answers its owner.

#ifndef BKSI_PEER_PARTS_H
#define BKSI_PEER_PARTS_H

#include "backstitch/toolkit/peer.h"

#include "peer/answer_cache.h"
#include "peer/comparison.h"
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
    bksi_comparison comparison;
    bksi_pictures pictures;
    bks_cues *cues;            ///< cues of the match; NULL: cues are not collected
    bksi_sync_test *sync_test; ///< sync test; NULL: there is none
    bks_status failure;        ///< result of a failed START, returned by every update
    bks_error error;           ///< sentence that explains `failure`
    int32_t held[BKS_PLAYERS_MAX][BKS_FIELDS_MAX]; ///< inputs set by bks_peer_input()
    int32_t sampled[BKS_FIELDS_MAX];
    uint8_t *command; ///< room for one command of a source; NULL: no source gives commands
    bksi_flip flip;
    bksi_flipped flipped;
    bool awaits_state;    ///< guest: a state that the host hands out will be given
    size_t awaited_bytes; ///< most bytes of that state; 0: none is awaited now
    bool has_first_state; ///< the state of the first tick was made when the peer was created
    bool has_begun;       ///< the running match has hashed its first tick
    /// Callback that hears of each tick whose state was made; NULL: none.
    bksi_peer_entered entered;
    void *entered_context;
    bksi_peer_lend lend; ///< callback that lends states to be saved; NULL: none
    void *lend_context;
    bks_tick first_tick;    ///< first tick of the match, known once START was carried out
    bool has_stepped;       ///< a tick was stepped in this update
    uint64_t begun_ns;      ///< start time of the present operation
    bksi_peer_cost cost_ns; ///< callback for the costs of operations; NULL: the clock measures them
    void *cost_context;
    bks_costs costs;
    bksi_again again;
};

/// Allocate the memory in which states are compared, again after the game was restarted.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_peer_fit_comparison(bks_peer *peer, bks_error *error);

/// Create the cues again once the host's policy is known: a meeting may hold back more ticks.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_peer_fit_cues(bks_peer *peer, bks_error *error);

#endif
