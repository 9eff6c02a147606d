// SPDX-License-Identifier: MIT

/// Agreement of the remaining peers on the members of the match. PROPOSE: the host asks the others
/// to drop some peers, or withdraws a proposal. ANSWER: a member stops accepting inputs of the
/// peers to drop, and reports up to which tick it has their inputs. COMMIT: the next view, and the
/// tick at which each leaver ends. GONE: the receiver is no longer in the sender's view.
///
/// All four are repeated and may arrive any number of times. They are packets of type VIEW, whose
/// first byte is the sub-type. See docs/spec/views.md.

#ifndef BKSI_VIEW_MESSAGES_H
#define BKSI_VIEW_MESSAGES_H

#include "base/bits.h"
#include "wire/speed.h"

// HEARS: the peers that each peer hears directly. The sender reports whom it hears itself, and
// passes on what it knows of others.

typedef struct bksi_hears_entry {
    bool is_there;
    uint16_t number; ///< number that the peer raises with every change
    uint32_t hears;  ///< bits: peers that the peer hears directly
} bksi_hears_entry;

typedef struct bksi_hears {
    bksi_hears_entry of[BKS_PEERS_MAX]; ///< by peer: entry about that peer
} bksi_hears;

void bksi_hears_write(bksi_bit_writer *writer, const bksi_hears *message);
/// Read a HEARS.
/// @return false when the bits are no HEARS: empty, too long, or not in the order of peers
bool bksi_hears_read(bksi_bit_reader *reader, bksi_hears *message);

/// Sub-type of a VIEW, its first byte; the values 4 to 15 are unused.
typedef enum bksi_view_type {
    BKSI_VIEW_PROPOSE = 0,
    BKSI_VIEW_ANSWER = 1,
    BKSI_VIEW_COMMIT = 2,
    BKSI_VIEW_GONE = 3,
} bksi_view_type;

/// Most bits of an ANSWER or a COMMIT before its runs of inputs: sub-type, name of the view,
/// number, two masks, ticks, the end, and a decision on the speed.
#define BKSI_VIEW_HEAD_BITS_MAX                                        \
    (8u + 48u + 32u + 2u * BKS_PEERS_MAX + 32u * BKS_PEERS_MAX + 33u + \
     8u * BKSI_SPEED_DECISION_BYTES)

/// Read the sub-type of a VIEW. Call this before the read function of the sub-type, which does not
/// read it. The write functions write it themselves.
/// @return false when the sub-type is unknown
bool bksi_view_type_read(bksi_bit_reader *reader, bksi_view_type *type);

/// Name of a view: its number and the lowest 32 bits of its hash.
typedef struct bksi_view_name {
    uint32_t view; ///< number of the view, 0..UINT16_MAX
    uint32_t hash;
} bksi_view_name;

typedef struct bksi_propose {
    bksi_view_name base;           ///< view that the proposed one would follow
    uint32_t number;               ///< number of the ballot, from 1, counted by its sender
    uint32_t leavers;              ///< bits: peers to drop; 0: earlier ballots are withdrawn
    uint32_t dropped;              ///< bits: leavers that the host drops although they are heard
    bks_tick heads[BKS_PEERS_MAX]; ///< for each leaver: head of its inputs at the sender
} bksi_propose;

/// ANSWER to a ballot. These fields are followed by a run of inputs of each leaver: those that the
/// proposer lacks. A peer also sends an ANSWER unasked, to report a goodbye to the host.
typedef struct bksi_answer {
    bksi_view_name base;
    uint32_t number;  ///< number of the receiver's newest ballot that the sender knows; 0: none
    uint32_t leavers; ///< bits: leavers of the ballot `number`; 0: the sender does not agree
    uint32_t frozen;  ///< bits: peers whose inputs the sender no longer accepts
    bks_tick heads[BKS_PEERS_MAX]; ///< for each frozen peer: head of its inputs at the sender
    bks_tick stop;             ///< the match is to end before this tick; 0: no such tick is known
    bksi_speed_decision speed; ///< newest decision of the host; number 0: none is known
} bksi_answer;

/// COMMIT of the next view. These fields are followed by a run of inputs of each leaver: those that
/// the receiver lacks.
typedef struct bksi_commit {
    bksi_view_name base;          ///< view of the receiver, which the next one follows
    uint32_t members;             ///< bits: members of the next view
    uint32_t leavers;             ///< bits: members of the previous view that are not in the next
    bks_tick ends[BKS_PEERS_MAX]; ///< for each leaver: first tick without the leaver
    bks_tick stop;                ///< the match is to end before this tick; 0: unknown
    bksi_speed_decision speed;    ///< newest decision of the host; number 0: none is known
} bksi_commit;

/// Maximum number of views that a GONE holds, and that a peer remembers.
#define BKSI_GONE_VIEWS_MAX 16u

/// GONE: the newest views of the sender. However late two peers meet, they find the first view in
/// which they differ and its members by comparing these lists.
typedef struct bksi_gone {
    uint32_t view;  ///< number of the newest view
    uint32_t count; ///< number of views, 1..BKSI_GONE_VIEWS_MAX
    /// Lowest 32 bits of each view's hash, by number of the view modulo length of the array.
    uint32_t hashes[BKSI_GONE_VIEWS_MAX];
    /// Members of each view as bits, by number of the view modulo length of the array.
    uint32_t members[BKSI_GONE_VIEWS_MAX];
} bksi_gone;

/// Return the members of a view.
static inline uint32_t bksi_gone_members(const bksi_gone *message, uint32_t view)
{
    return message->members[view % BKSI_GONE_VIEWS_MAX];
}

void bksi_propose_write(bksi_bit_writer *writer, const bksi_propose *message);
bool bksi_propose_read(bksi_bit_reader *reader, bksi_propose *message);
void bksi_answer_write(bksi_bit_writer *writer, const bksi_answer *message);
bool bksi_answer_read(bksi_bit_reader *reader, bksi_answer *message);
void bksi_commit_write(bksi_bit_writer *writer, const bksi_commit *message);
bool bksi_commit_read(bksi_bit_reader *reader, bksi_commit *message);
void bksi_gone_write(bksi_bit_writer *writer, const bksi_gone *message);
bool bksi_gone_read(bksi_bit_reader *reader, bksi_gone *message);

#endif
