// SPDX-License-Identifier: MIT

/// @file queries.h
/// Queries by which other rooms, such as the recorder, ask a session: events, input delay, cost of
/// a step, final ticks, packed inputs. And calls by which a peer puts off or refuses the start.

#ifndef BKSI_QUERIES_H
#define BKSI_QUERIES_H

#include "backstitch/session.h"
#include "rollback/engine.h"

/// Get the events one after the other, also those that bks_session_event() has returned already.
/// @param number  number of events seen so far, 0 at first. The call advances it, and skips events
///                that are no longer held
/// @return false if there is no newer event
bool bksi_session_event_after(const bks_session *session, uint64_t *number, bks_event *event);

/// Get the current number of ticks between sampling an input and stepping with it.
uint32_t bksi_session_delay(const bks_session *session);

/// Get the longest window that bks_session_retune() accepts, which is that of the config.
uint32_t bksi_session_window_max(const bks_session *session);

/// Get the cost of a step in ns, smoothed over the latest steps for which bks_op_result.cost_ns was
/// given; 0: it was never given.
uint64_t bksi_session_step_ns(const bks_session *session);

/// Get the time of the next tick in a running match, for pictures between ticks.
/// @param out_interval_ns  receives the length of a tick now
/// @param out_is_last      receives true if the newest tick was the match's last
uint64_t bksi_session_next_tick(const bks_session *session, double *out_interval_ns,
                                bool *out_is_last);

/// Get the peers that the match began with, as bits by peer number.
uint32_t bksi_session_peers(const bks_session *session);
/// Get the address of another member to which our packets get through.
/// @return false if it is no member, or is reached by detours alone
bool bksi_session_address(const bks_session *session, uint32_t peer, bks_address *out);

/// Get the window: the largest number of ticks by which the game runs ahead of confirmed inputs.
uint32_t bksi_session_window(const bks_session *session);

/// Get the largest number of ticks that may be stepped but not final: the window, and with
/// BKS_ON_DESYNC_RESYNC also the ticks that pass while a meeting's tick may not be published.
uint32_t bksi_session_unsettled_max(const bks_session *session);

/// Get the number of final ticks: stepped for the last time, with confirmed inputs. Unlike
/// bks_session_confirmed() it changes only at the end of an update: an input that came since may
/// show that a tick was stepped with a wrong guess.
bks_tick bksi_session_settled(const bks_session *session);

/// Get the inputs of the tick that the current STEP steps: players * layout->bytes. Valid until the
/// step is done.
const uint8_t *bksi_session_step_packed(const bks_session *session);

/// Get the inputs of a tick as they are known or guessed now, packed.
/// @param tick    tick whose inputs the session still holds
/// @param packed  receives players * layout->bytes
void bksi_session_packed(const bks_session *session, bks_tick tick, uint8_t *packed);

/// Get the commands of a known tick, an entry for each player.
/// @param tick  confirmed tick that a rollback may still reach, or one of the newest
///              BKS_SYNC_TEST_TICKS_MAX + 1 ticks that were stepped
/// @return false if no player has commands
bool bksi_session_commands(const bks_session *session, bks_tick tick,
                           bks_commands commands[BKS_PLAYERS_MAX]);
/// Check a command as bks_session_command() does, and do not take it.
/// @return the same, but never BKS_ERR_FULL
bks_status bksi_session_command_check(const bks_session *session, uint32_t local_player,
                                      const void *bytes, size_t count);
/// Return true if the queue of a local player has room for a command of `count` bytes.
bool bksi_session_has_room_for(const bks_session *session, uint32_t local_player, uint32_t count);

/// Return true if the current update will step a tick that was not stepped before.
bool bksi_session_advances(const bks_session *session);

/// Find the snapshot slot with the state of the newest tick in from..until, all of them final. Skip
/// snapshots that were taken before a rollback and count as valid only because the hash of their
/// tick stayed the same.
/// @param tick  receives the tick of that state
/// @return the slot; -1: none
int32_t bksi_session_slot(const bks_session *session, bks_tick from, bks_tick until,
                          bks_tick *tick);

/// Get the full hash of another peer's state of a tick.
/// @param peer      peer; our own number: take the hash of any peer, unless two peers sent
///                  different hashes
/// @param out_hash  receives the hash; untouched on failure
/// @return false if the hash is not known
bool bksi_session_hash_of(const bks_session *session, uint32_t peer, bks_tick tick,
                          uint64_t *out_hash);

/// Return true if the line to another member has no room for other messages than those of the
/// match.
bool bksi_session_is_cramped(const bks_session *session);

/// Return true if the match was stopped for all peers because states differed.
bool bksi_session_has_stopped(const bks_session *session);

/// Find the slot with the kept final state of a tick.
/// @return the slot; BKS_KEEP_NONE: none
uint32_t bksi_session_kept_slot(const bks_session *session, bks_tick tick);

/// Get the rollback engine, for reading only.
const bksi_rollback *bksi_session_engine(const bks_session *session);
/// Get the sender of the newest packet that came; BKS_PEERS_MAX: the packet was refused, or its
/// sender is not in the roster.
uint32_t bksi_session_came_from(const bks_session *session);
/// Get the peer to which the last bks_session_send() wrote a packet; BKS_PEERS_MAX: it wrote a
/// packet of a handshake, a packet to an address of no peer, or none.
uint32_t bksi_session_went_to(const bks_session *session);

/// Get the reason why the game could not continue; "" if it could.
const char *bksi_session_problem(const bks_session *session);

/// Guest: get the host's setup, once the roster is known.
/// @return the bytes, NULL: not known yet
const void *bksi_session_setup(const bks_session *session, size_t *out_bytes);

/// Hand out no BKS_OP_START while it is held: its owner lacks something. Others see us loading.
void bksi_session_hold_start(bks_session *session, bool is_held);

/// Before the start: fail, and tell the host why, as if BKS_OP_START had this problem.
void bksi_session_refuse_match(bks_session *session, const char *problem);

#endif
