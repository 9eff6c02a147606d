// SPDX-License-Identifier: MIT

/// @file oracle_internal.h
/// Functions that the files of the oracle share:
///   oracle.c              runs a match and checks it
///   oracle_expectation.c  results that the faults of a match allow; verdicts
///   oracle_reference.c    reference: one peer that steps the same inputs alone; its cues
///   oracle_policy.c       actions of a match after a desync
///   oracle_recording.c    recordings of all peers
///   oracle_commands.c     commands of games that have them
///   oracle_delay.c        input delay after faults, hitches
///   oracle_lobby.c        time before the first tick
///   oracle_rate.c         rate at which a match can be played
///   oracle_feed.c         watchers

#ifndef BKSI_ORACLE_INTERNAL_H
#define BKSI_ORACLE_INTERNAL_H

#include "backstitch/toolkit/oracle.h"
#include "backstitch/toolkit/recording.h"
#include "lab/cue_log.h"
#include "lab/lab_internal.h"

/// Record a fault in the verdict. The verdict holds the worst fault, or the first of equally bad
/// ones.
void bksi_oracle_fail(bks_oracle_verdict *verdict, bks_oracle_kind kind, bks_tick tick,
                      const char *format, ...) BKS_PRINTF(4, 5);

/// Cues that the peers of a match reported, by peer.
typedef struct oracle_cues {
    bksi_cue_log logs[BKS_PEERS_MAX];
} oracle_cues;

/// Set up the config of a lab so that it reports cues. If the game names no cues, none are
/// reported.
void bksi_oracle_cues_open(oracle_cues *cues, bks_lab_config *config);
void bksi_oracle_cues_close(oracle_cues *cues);

/// Recordings of all peers of a match, and the inputs that each seat really gave. Opaque.
typedef struct oracle_recordings oracle_recordings;

/// Compare every peer with the reference: one peer with all seats that steps the same inputs. If a
/// peer left the view, its inputs are neutral from its end on. If a liar sent two inputs of a tick,
/// the reference steps the one that the compared peer holds.
/// @param recordings  recordings of the match, finished
/// @param cues        cues that the peers reported
/// @param until       last tick to compare; a peer whose state flipped or was repaired is compared
///                    up to the last tick before the flip or repair
void bksi_oracle_compare_reference(const bks_oracle_match *match, const bks_lab *lab,
                                   const oracle_recordings *recordings, oracle_cues *cues,
                                   bks_tick until, bks_oracle_verdict *verdict);

// ---- recordings of the peers ----

/// Set up a match so that all its peers record and its inputs are stored. The seed decides which
/// details are recorded.
/// @param config  config of the match; its sources, recordings and their detail are set
/// @return NULL: out of memory
oracle_recordings *bksi_oracle_recordings_open(const bks_oracle_match *match,
                                               bks_lab_config *config);
void bksi_oracle_recordings_close(oracle_recordings *recordings);

/// Close the recordings of all peers that did not crash. Call this before recordings are read or
/// compared.
void bksi_oracle_recordings_finish(const bks_lab *lab);

/// Open the recording of a peer. Owned by the caller; release with bks_replay_close().
/// @return NULL when it cannot be read
bks_replay *bksi_oracle_recordings_read(const oracle_recordings *recordings, uint32_t peer);

/// Read the final input of a player from the recording of a peer.
/// @return true if the recording has this input
bool bksi_oracle_recordings_input(const oracle_recordings *recordings, uint32_t peer,
                                  uint32_t player, bks_tick tick, int32_t *values);

/// Compare every recording with the match.
/// @param lie      first tick of which a peer sent two different inputs; BKS_TICK_NONE: none
/// @param planted  first tick at which states were made to differ; BKS_TICK_NONE: none
void bksi_oracle_recordings_compare(oracle_recordings *recordings, const bks_lab *lab, bks_tick lie,
                                    bks_tick planted, bks_oracle_verdict *verdict);

/// Return a digest of all bytes that were recorded.
uint64_t bksi_oracle_recordings_digest(const oracle_recordings *recordings);

// ---- time before the first tick ----

/// Return the longest time that a packet takes over any link at its worst.
uint64_t bksi_oracle_longest_way_ns(const bks_lab *lab);

/// Return true if the match never started because a peer left or crashed, or a guest gave up on the
/// host.
bool bksi_oracle_has_no_match(const bks_lab *lab);

/// Check that goodbyes were heard, that no peer that ran was given up, and that a match for which
/// all peers were there started in time. Call this at the end of the match.
void bksi_oracle_judge_lobby(const bks_lab *lab, bks_oracle_verdict *verdict);

// ---- rate at which a match can be played ----

/// Return true if a peer cannot hold the tick rate even over perfect links, because its fixed delay
/// and window are shorter than the time that inputs take. All peers wait for such a peer.
/// @param playing  peers that play, one bit for each
bool bksi_oracle_is_tight(const bks_lab *lab, const bks_lab_expectation *expected, uint32_t index,
                          uint32_t playing);

/// Return true if a match has only harmless faults, and links that can carry it at its rate.
bool bksi_oracle_is_calm(const bks_lab *lab);

/// Check that a calm match kept its tick rate, see bksi_oracle_is_calm().
void bksi_oracle_judge_rate(const bks_lab *lab, const bks_lab_result *result,
                            bks_oracle_verdict *verdict);

// ---- input delay and hitches ----

/// Input delays of the peers before the first fault.
typedef struct oracle_delays {
    uint32_t before[BKS_PEERS_MAX];
    bool is_done; ///< true: the delays after the last fault were checked
} oracle_delays;

/// Remember the input delays before the first fault of a lockstep match. Some time after the last
/// fault, check that they are as short again. Call this regularly while the match runs.
/// @param match    match that the lab plays
/// @param playing  peers that play, one bit for each
void bksi_oracle_watch_delay(oracle_delays *delays, const bks_lab *lab,
                             const bks_oracle_match *match, const bks_lab_expectation *expected,
                             uint32_t playing, bks_oracle_verdict *verdict);

/// Hitches of a lockstep match since its delays have adapted to the lines.
typedef struct oracle_hitches {
    uint64_t begun_ns; ///< time from which on hitches are counted; 0: they are not counted yet
    double before;     ///< mean number of hitches of a peer before that time
    uint32_t playing;  ///< bits: peers that played at that time
} oracle_hitches;

/// Check that a lockstep match hardly hitches if its delays are automatic and its lines do not
/// change. Call this after each update.
/// @param playing  bits: peers that play
void bksi_oracle_watch_hitches(oracle_hitches *hitches, const bks_lab *lab,
                               const bks_lab_expectation *expected, uint32_t playing,
                               bks_oracle_verdict *verdict);

// ---- watchers ----

/// Check the watchers of a match: each state that one computes is that of its source, each second
/// opinion is true and raises no alarm where no state was made wrong, none waits without a reason,
/// and each says truly why its feed ended. Call this at the end of the match.
void bksi_oracle_judge_watchers(const bks_lab *lab, bks_oracle_verdict *verdict);

// ---- policy on desyncs ----

/// Check that a match acted on a desync as its policy says, and did nothing without a desync. A
/// match with a forger is not checked, because the forger may end it or have states repaired.
void bksi_oracle_judge_policy(const bks_lab *lab, const bks_lab_result *result,
                              bks_oracle_verdict *verdict);

/// Return the last tick at which a peer must have the state of the reference: `until`, or the last
/// tick before its state flipped or was replaced in a repair.
/// @param until  last tick that counts for all peers
bks_tick bksi_oracle_sound_until(const bks_lab *lab, uint32_t index, bks_tick until);

#endif
