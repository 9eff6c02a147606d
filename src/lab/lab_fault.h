// SPDX-License-Identifier: MIT

/// @file lab_fault.h
/// Planted faults: what they are, and reading and writing them as text. Times are of virtual time,
/// from the match's first tick on.

#ifndef BKSI_LAB_FAULT_H
#define BKSI_LAB_FAULT_H

#include "backstitch/lab.h"

/// Most timed faults of one match.
#define BKSI_LAB_TIMED_MAX 64u

/// Most groups of a split.
#define BKSI_LAB_GROUPS_MAX 4u

/// Faults that come at a time.
typedef enum bksi_lab_fault_kind {
    BKSI_LAB_PAUSE,  ///< `pause=1@5s+800ms`: stops running; what arrives meanwhile waits
    BKSI_LAB_CRASH,  ///< `crash=2@10s`: stops for good
    BKSI_LAB_LEAVE,  ///< `leave=1@5s`: says goodbye
    BKSI_LAB_CUT,    ///< `cut=0-1@3s+2s`: a pair cannot talk
    BKSI_LAB_SPLIT,  ///< `split=0.1/2.3@5s+1s`: groups cannot talk to each other
    BKSI_LAB_DRIFT,  ///< `drift=1:+200ppm`: its clock is fast or slow, from the beginning
    BKSI_LAB_CLOCK,  ///< `clock=1@4s-3s`: its wall clock jumps
    BKSI_LAB_SLOW,   ///< `slow=2@6s+2s:3x`: its steps take time, see BKSI_LAB_STEP_SHARE
    BKSI_LAB_REBIND, ///< `rebind=1@7s`: it sends from a new address and is reached there alone
    BKSI_LAB_FULL,   ///< `full=1@9s+1s`: its sends fail
    BKSI_LAB_LIE,    ///< `lie=1@8s`: tells one other peer another input than the rest
    BKSI_LAB_HEAL,   ///< `heal@12s`: every link is perfect from here on
    BKSI_LAB_FAULT_KINDS,
} bksi_lab_fault_kind;

/// The modelled cost of a step is this share of a tick's length while a peer is slow, times the
/// factor; at all other times it is nothing.
#define BKSI_LAB_STEP_SHARE 8u

/// One timed fault.
typedef struct bksi_lab_timed {
    bksi_lab_fault_kind kind;
    uint32_t peer;                ///< whom it befalls; CUT: one of the two
    uint32_t other;               ///< CUT: the other
    uint8_t group[BKS_PEERS_MAX]; ///< SPLIT: by peer, from 1 on; 0: in none, reaches everyone
    uint64_t at_ns;               ///< after the first tick
    uint64_t span_ns;             ///< how long, where it has an end
    int64_t value;                ///< DRIFT: ppm; CLOCK: ns; SLOW: thousandths
    uint64_t fired;               ///< times it really had an effect: packets, updates, inputs
} bksi_lab_timed;

/// One bit changed whenever a tick is entered.
typedef struct bksi_lab_flip {
    bool is_planted;
    bks_tick tick;
    bool is_drawn;         ///< the seed chose the byte: one of the game's own
    uint64_t offset_bytes; ///< modulo the bytes in use; what was drawn
} bksi_lab_flip;

/// Planted faults.
typedef struct bksi_lab_faults {
    bksi_lab_flip flips[BKS_PEERS_MAX]; ///< by peer
    uint32_t timed_count;
    bksi_lab_timed timed[BKSI_LAB_TIMED_MAX];
} bksi_lab_faults;

/// Name of a kind, as in a spec and in JSON.
const char *bksi_lab_fault_name(bksi_lab_fault_kind kind);

/// Add the faults of a spec to those there are.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_UNSUPPORTED
bks_status bksi_lab_faults_parse(const bks_lab_config *config, const char *spec,
                                 bksi_lab_faults *faults, bks_error *error);

/// Write a timed fault as bksi_lab_faults_parse() reads it; times in whole milliseconds, a factor
/// in tenths. At most 128 bytes.
void bksi_lab_timed_print(const bksi_lab_timed *fault, char *out, size_t capacity);

/// Plant in one peer what is meant for it whatever the time.
void bksi_lab_faults_plant(const bksi_lab_faults *faults, uint32_t index, bks_peer *peer);

#endif
