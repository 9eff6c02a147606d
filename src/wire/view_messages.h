// SPDX-License-Identifier: MIT

/// @file view_messages.h
/// The members of the match, agreed among those that are left. PROPOSE: the host asks the others to
/// drop some peers, or takes that back. ANSWER: a member stops taking their inputs and says how far
/// it has them.
/// COMMIT: the next view, and where each leaver ends. GONE: you are no longer in our view. All are
/// repeated, and each may come any number of times. All are packets of type VIEW, whose first byte
/// is the sub-type. See docs/spec/views.md.

#ifndef BKSI_VIEW_MESSAGES_H
#define BKSI_VIEW_MESSAGES_H

#include "base/bits.h"

// HEARS: whom peers hear straight. Its sender says it of itself, and passes on what it knows of
// others.

typedef struct bksi_hears_entry {
    bool is_there;
    uint16_t number; ///< raised by that peer with every change
    uint32_t hears;  ///< bits of peers
} bksi_hears_entry;

typedef struct bksi_hears {
    bksi_hears_entry of[BKS_PEERS_MAX]; ///< by peer
} bksi_hears;

void bksi_hears_write(bksi_bit_writer *writer, const bksi_hears *message);
/// @return false when it is none: empty, too long, or not in the order of peers
bool bksi_hears_read(bksi_bit_reader *reader, bksi_hears *message);

/// The first byte of a VIEW; 4 to 15 are free.
typedef enum bksi_view_type {
    BKSI_VIEW_PROPOSE = 0,
    BKSI_VIEW_ANSWER = 1,
    BKSI_VIEW_COMMIT = 2,
    BKSI_VIEW_GONE = 3,
} bksi_view_type;

/// What a VIEW is, before it is read. Each of the functions below that write begins with it, none
/// of those that read does.
/// @return false when there is none such
bool bksi_view_type_read(bksi_bit_reader *reader, bksi_view_type *type);

/// A view by its number and the lowest 32 bits of its hash.
typedef struct bksi_view_name {
    uint32_t view; ///< 0..UINT16_MAX
    uint32_t hash;
} bksi_view_name;

typedef struct bksi_propose {
    bksi_view_name base;           ///< the view that this would follow
    uint32_t number;               ///< of the ballot, from 1; its sender counts
    uint32_t leavers;              ///< bits by peer; none: the ballots before are taken back
    uint32_t dropped;              ///< bits: leavers that the host drops though they are heard
    bks_tick heads[BKS_PEERS_MAX]; ///< by leaver: how far the sender has its inputs
} bksi_propose;

/// For each leaver a run of its inputs follows: those that the proposer lacks. A peer also sends it
/// unasked, to report a goodbye to the host.
typedef struct bksi_answer {
    bksi_view_name base;
    uint32_t number;  ///< of the receiver's newest ballot that the sender knows; 0: none
    uint32_t leavers; ///< bits, of that ballot; 0 when the sender does not agree to it
    uint32_t frozen;  ///< bits: whose inputs the sender takes no more of
    bks_tick heads[BKS_PEERS_MAX]; ///< by frozen peer: how far the sender has its inputs
    bks_tick stop;                 ///< the match is to end before this tick; 0: not known to
} bksi_answer;

/// For each leaver a run of its inputs follows: those that the receiver lacks.
typedef struct bksi_commit {
    bksi_view_name base;          ///< the receiver's view, which this one follows
    uint32_t members;             ///< bits: of the next view
    uint32_t leavers;             ///< bits: of the view before and not of the next
    bks_tick ends[BKS_PEERS_MAX]; ///< by leaver: the first tick without it
    bks_tick stop;                ///< as in an answer
} bksi_commit;

/// Most views that a GONE holds, and that are kept.
#define BKSI_GONE_VIEWS_MAX 16u

/// The sender's newest views: two logs part at the first that differs, and whom each had in there
/// stays the same, however late the two meet.
typedef struct bksi_gone {
    uint32_t view;                         ///< number of the newest
    uint32_t count;                        ///< views here, 1..BKSI_GONE_VIEWS_MAX
    uint32_t hashes[BKSI_GONE_VIEWS_MAX];  ///< by number modulo length: the lowest 32 bits
    uint32_t members[BKSI_GONE_VIEWS_MAX]; ///< likewise, bits
} bksi_gone;

/// The members of one of its views.
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
