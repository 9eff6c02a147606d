// SPDX-License-Identifier: MIT

/// @file meeting_rules.h
/// Rules of a meeting: conclusions from the reports of its members about their progress, the
/// winning state, and the repairs to log. These functions keep no state.

#ifndef BKSI_MEETING_RULES_H
#define BKSI_MEETING_RULES_H

#include "backstitch/session.h"
#include "wire/meet_message.h"

// ---- progress of the members, by their newest reports ----

/// Get the number of a report's stage: the stage plus 1; 0 if there is no report.
uint32_t bksi_report_number(const bksi_meet_message *report);

/// Return true if the sender of a report has the state of the majority.
bool bksi_report_has_majority_state(const bksi_meet_message *report);

/// Return true if all members are at this stage or further.
/// @param reports  newest report of each member, by peer
/// @param members  members, as bits
bool bksi_reports_are_at(const bksi_meet_message *const *reports, uint32_t members,
                         bksi_meet_stage stage);

/// Return true if all members currently report the same state.
bool bksi_reports_agree(const bksi_meet_message *const *reports, uint32_t members);

/// Return true if a member has given up the meeting.
bool bksi_reports_have_failure(const bksi_meet_message *const *reports, uint32_t members);

// ---- members with the same state ----

/// Find the largest group of members with one state at the meeting's tick; of groups of the same
/// size the one with the lowest member. A member whose game refuses its own state does not count,
/// because no other member could take that state. If all games refuse, all members count.
/// @param reports  by peer; the report of each member names the hash of its state
/// @param members  members, as bits
/// @return the group, as bits
uint32_t bksi_majority_now(const bksi_meet_message *const *reports, uint32_t members);
/// Find the members that are repaired or have healed by themselves, as bits. These are all members
/// except the largest group that has the majority's state and had equal states before the meeting's
/// tick.
uint32_t bksi_majority_repaired(const bksi_meet_message *const *reports, uint32_t members);

/// Return true if `some` are more than half of the members, or exactly half with the lowest member
/// among them.
bool bksi_majority_are_most(uint32_t some, uint32_t members);

/// Count the members that report that any peer differs from them.
uint32_t bksi_majority_naming(const bksi_meet_message *const *reports, uint32_t members);

/// Return true if all members stepped the same inputs.
bool bksi_majority_shares_inputs(const bksi_meet_message *const *reports, uint32_t members);

/// Replace a member's report by a newer one. Keep what the older report stated about the member's
/// state, because all members must decide by the same reports.
/// @param report  newest report so far, updated
/// @param first   first tick of the match
void bksi_report_update(bksi_meet_message *report, const bksi_meet_message *next, bks_tick first);

// ---- repairs of a meeting that has ended: first tick, and source of the bytes ----

typedef struct bksi_repair_log {
    const bksi_meet_message *const *reports; ///< reports by peer
    bks_tick tick;
    bks_tick first; ///< first tick of the match
    uint32_t all;   ///< bits: the peers of the match, also those that have left it
    uint32_t self;
    uint32_t decided; ///< bits: members whose reports decided the meeting
    /// Bits: members of `decided` that were repaired or healed by themselves; never all of
    /// `decided`.
    uint32_t repaired;
    uint32_t members; ///< bits: members that are still in the match
    bool have_left;   ///< members were lost since the meeting began
    /// Member for which the meeting ended earlier than for us; BKS_PEERS_MAX: none.
    uint32_t before;
} bksi_repair_log;

/// Find the first tick at which a peer differed from the members whose state is right, by their
/// reports. Ignore the ticks up to which two members found the peer equal; if only two members
/// decided, one is enough. If no member saw a difference before the meeting's tick, return that
/// tick if the hashes of all earlier states are equal, otherwise the first tick that is not
/// ignored.
bks_tick bksi_repair_log_since(const bksi_repair_log *log, uint32_t peer);

/// Describe the repair of a member. The member healed by itself if it reported the right state. If
/// the member that it names as the source of its bytes does not have the right state, the lowest
/// member that has it is named instead. The wrong ticks begin no later than the tick at which we
/// saw the difference ourselves.
bks_repair bksi_repair_log_repair(const bksi_repair_log *log, uint32_t peer);

/// Return true if our repair log needs no more reports: it names the same repaired members as the
/// log of `before`, or it is a copy of that log because members were lost, or `before` is none.
bool bksi_repair_log_is_certain(const bksi_repair_log *log);

/// List all repairs. Repairs of members that have left are copied from the log of `before`, for
/// which the meeting ended earlier than for us. If members were lost, all repairs are copied from
/// that log.
/// @param out  receives the repairs by peer, room for BKS_PEERS_MAX
/// @return number of repairs
uint32_t bksi_repair_log_all(const bksi_repair_log *log, bks_repair *out);

/// Set the repairs in our own MEET message to these, in place of those that it had.
void bksi_repair_log_note(bksi_meet_message *own, const bks_repair *repairs, uint32_t count);

#endif
