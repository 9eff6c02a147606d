// SPDX-License-Identifier: MIT

/// @file meeting_rules.h
/// Rules of a meeting: what follows from the reports of its members. How far they are, whose state
/// wins, and which repairs are logged. These functions keep no state.

#ifndef BKSI_MEETING_RULES_H
#define BKSI_MEETING_RULES_H

#include "backstitch/session.h"
#include "wire/meet_message.h"

// ---- how far the members are, by their newest reports ----

/// Get the number of a report's stage: the stage plus 1; 0 for no report.
uint32_t bksi_report_number(const bksi_meet_message *report);

/// Return true if the sender of a report has the state of the majority.
bool bksi_report_has_majority_state(const bksi_meet_message *report);

/// Return true if all members are at this stage or further.
/// @param reports  by peer
/// @param members  bits of the members
bool bksi_reports_are_at(const bksi_meet_message *const *reports, uint32_t members,
                         bksi_meet_stage stage);

/// Return true if all members report the same state now.
bool bksi_reports_agree(const bksi_meet_message *const *reports, uint32_t members);

/// Return true if a member has given up.
bool bksi_reports_have_failure(const bksi_meet_message *const *reports, uint32_t members);

// ---- which members have the same state ----

/// Find the largest group of members with one state at the tick; of groups of the same size the one
/// with the lowest member. A member whose game refuses its state does not count, unless that is so
/// for all: no other could take that state.
/// @param reports  by peer; those of the members are statements
/// @param members  bits of the members
/// @return bits of the group
uint32_t bksi_majority_now(const bksi_meet_message *const *reports, uint32_t members);
/// Find the members that are repaired, or have healed by themselves: all but the largest group of
/// those that have the majority's state and had equal states before.
uint32_t bksi_majority_repaired(const bksi_meet_message *const *reports, uint32_t members);

/// Return true if some of the members are more than the rest, or as many and the lowest is one of
/// them.
bool bksi_majority_are_most(uint32_t some, uint32_t members);

/// Count the members that report a difference.
uint32_t bksi_majority_naming(const bksi_meet_message *const *reports, uint32_t members);

/// Return true if all members stepped the same inputs.
bool bksi_majority_shares_inputs(const bksi_meet_message *const *reports, uint32_t members);

/// Replace a report by a newer one of the same member. What the older one stated about its state
/// stays, because all members must decide by the same reports.
/// @param report  newest report so far, updated
/// @param first   first tick of the match
void bksi_report_update(bksi_meet_message *report, const bksi_meet_message *next, bks_tick first);

// ---- the repairs of a meeting that has ended: since when, and with whose bytes ----

typedef struct bksi_repair_log {
    const bksi_meet_message *const *reports; ///< reports by peer
    bks_tick tick;
    bks_tick first; ///< first tick of the match
    uint32_t all;   ///< bits: the peers of the match, also those that have left it
    uint32_t self;
    uint32_t decided; ///< bits: members whose reports decided the meeting
    uint32_t
        repaired;     ///< bits: those of them that were repaired or healed by themselves, never all
    uint32_t members; ///< bits: members that are still in
    bool have_left;   ///< members were lost since the meeting began
    uint32_t
        before; ///< member for which the meeting had ended when it reported; BKS_PEERS_MAX: none
} bksi_repair_log;

/// Find the first tick at which a peer differed from the others, as far as they and it report.
/// Ticks that two members, or one of two, found equal do not count. If they differed before the
/// meeting's tick and no member saw it, get the first tick after those found equal.
bks_tick bksi_repair_log_since(const bksi_repair_log *log, uint32_t peer);

/// Describe the repair of a member. It healed by itself if it reported the state of the others. If
/// it names no source of its bytes among them, the lowest of them is named. The span begins no
/// later than we have seen the difference ourselves.
bks_repair bksi_repair_log_repair(const bksi_repair_log *log, uint32_t peer);

/// Return true if our log equals that of the member for which the meeting ended before us, or if
/// that one knows better because members were lost since the meeting began.
bool bksi_repair_log_is_certain(const bksi_repair_log *log);

/// List all repairs. For members that are gone, and for all if members were lost, take the log of
/// the member for which the meeting ended before us.
/// @param out  receives the repairs by peer, room for BKS_PEERS_MAX
/// @return number of repairs
uint32_t bksi_repair_log_all(const bksi_repair_log *log, bks_repair *out);

/// Put the repairs into our own report.
void bksi_repair_log_note(bksi_meet_message *own, const bks_repair *repairs, uint32_t count);

#endif
