// SPDX-License-Identifier: MIT

/// @file meeting_rules.h
/// The rules of a meeting: what follows from the words that its members have said. How far they
/// are, whose state wins, and which repairs are listed. Nothing is kept here.

#ifndef BKSI_MEETING_RULES_H
#define BKSI_MEETING_RULES_H

#include "backstitch/session.h"
#include "wire/meet_message.h"

// ---- how far the members are, by what they said last ----

/// How far a peer is has a number: its stage plus 1; 0 is nothing.
uint32_t bksi_report_number(const bksi_meet_message *report);

/// Whether its state is that of the most.
bool bksi_report_has_majority_state(const bksi_meet_message *report);

/// Whether all members are at this stage or further.
/// @param reports  by peer
/// @param members  bits
bool bksi_reports_are_at(const bksi_meet_message *const *reports, uint32_t members,
                         bksi_meet_stage stage);

/// Whether all say that they have the same state now.
bool bksi_reports_agree(const bksi_meet_message *const *reports, uint32_t members);

/// Whether one of them has given up.
bool bksi_reports_have_failure(const bksi_meet_message *const *reports, uint32_t members);

// ---- which members have the same state ----

/// The largest group of members with one state at the tick; of groups of the same size the one with
/// the lowest member. A member that says its game refuses its state counts for none, unless all say
/// so: no other could take that state.
/// @param reports  by peer; those of the members are statements
/// @param members  bits
/// @return bits
uint32_t bksi_majority_now(const bksi_meet_message *const *reports, uint32_t members);
/// The members that are repaired, or have healed by themselves: all but the largest group of those
/// that have the state of the most and had the same states before.
uint32_t bksi_majority_repaired(const bksi_meet_message *const *reports, uint32_t members);

/// Whether some of the members are more than the rest, or as many and the lowest is one of them.
bool bksi_majority_are_most(uint32_t some, uint32_t members);

/// How many say that somebody differs from them.
uint32_t bksi_majority_naming(const bksi_meet_message *const *reports, uint32_t members);

/// Whether all stepped the same inputs.
bool bksi_majority_shares_inputs(const bksi_meet_message *const *reports, uint32_t members);

/// A member says more than before. What it stated stays, however far it is: all decide by the same
/// words.
/// @param report  newest report so far, updated
/// @param first  of the match
void bksi_report_update(bksi_meet_message *report, const bksi_meet_message *next, bks_tick first);

// ---- the repairs of a meeting that has ended: since when, and with whose bytes ----

typedef struct bksi_repair_log {
    const bksi_meet_message *const *reports; ///< by peer
    bks_tick tick;
    bks_tick first; ///< of the match
    uint32_t all;   ///< bits: the peers of the match, also those that have left it
    uint32_t self;
    uint32_t decided;  ///< bits: members whose words decided it; those of all of them are here
    uint32_t repaired; ///< bits: those of them that were repaired, or healed by themselves, not all
    uint32_t members;  ///< bits: those still there
    bool have_left;    ///< members were lost since the meeting began
    uint32_t before;   ///< for which it had ended when it said so; BKS_PEERS_MAX: for none
} bksi_repair_log;

/// The first tick at which a peer was not as the others, as far as they and it say, but none that
/// two members, or one of two, found the same; where they differed before the tick and no member
/// has seen that, the first after those.
bks_tick bksi_repair_log_since(const bksi_repair_log *log, uint32_t peer);

/// A member was repaired, or healed by itself: that is so where it said that it had the state of
/// the others. Where it says that its bytes are from none of them, the lowest is named. The span
/// begins no later than we have seen it ourselves.
bks_repair bksi_repair_log_repair(const bksi_repair_log *log, uint32_t peer);

/// Whether we have worked out the same as the one for which it has ended before us, or members were
/// lost since the meeting began, so that it knows better.
bool bksi_repair_log_is_certain(const bksi_repair_log *log);

/// All repairs: what we have worked out. Of members that are gone, and where members were lost of
/// all, it is what the one lists for which it has ended before us.
/// @param out  receives them by peer, room for BKS_PEERS_MAX
/// @return how many
uint32_t bksi_repair_log_all(const bksi_repair_log *log, bks_repair *out);

/// So say it to others.
void bksi_repair_log_note(bksi_meet_message *own, const bks_repair *repairs, uint32_t count);

#endif
