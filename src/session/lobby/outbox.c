// SPDX-License-Identifier: MIT

#include "session/lobby/outbox.h"

#include "session/common/peers.h"
#include "wire/small_messages.h"

/// A ROSTER that went so lately is on its way while the next JOIN comes: answering each would fill
/// a line of 128 kbit.
#define ANSWER_GAP_NS UINT64_C(60000000)

void bksi_outbox_begin(session_outbox *outbox, uint64_t now_ns)
{
    bksi_repeat_begin(&outbox->repeat, now_ns);
}

bool bksi_outbox_repeat(session_outbox *outbox, uint64_t now_ns)
{
    bool is_due = bksi_repeat_is_due(&outbox->repeat, now_ns);
    if (is_due) {
        bksi_repeat_went(&outbox->repeat, now_ns);
    }
    return is_due;
}

void bksi_outbox_owe_join(session_outbox *outbox)
{
    outbox->join = true;
}

void bksi_outbox_owe_links(session_outbox *outbox, uint32_t peers)
{
    outbox->links |= peers;
}

void bksi_outbox_owe_rosters(session_outbox *outbox, uint32_t peers)
{
    outbox->rosters |= peers;
}

void bksi_outbox_owe_answer(session_outbox *outbox, uint32_t peer, uint64_t now_ns)
{
    if (now_ns - outbox->roster_ns[peer] >= ANSWER_GAP_NS) {
        bksi_outbox_owe_rosters(outbox, PEER_BIT(peer));
    }
}

bool bksi_outbox_take_join(session_outbox *outbox)
{
    bool is_owed = outbox->join;
    outbox->join = false;
    return is_owed;
}

static bool take(uint32_t *mask, uint32_t peer)
{
    bool is_owed = (*mask & PEER_BIT(peer)) != 0;
    *mask &= ~PEER_BIT(peer);
    return is_owed;
}

bool bksi_outbox_take_link(session_outbox *outbox, uint32_t peer)
{
    return take(&outbox->links, peer);
}

bool bksi_outbox_take_roster(session_outbox *outbox, uint32_t peer, uint64_t now_ns)
{
    bool is_owed = take(&outbox->rosters, peer);
    outbox->roster_ns[peer] = is_owed ? now_ns : outbox->roster_ns[peer];
    return is_owed;
}

void bksi_outbox_owe_heard(session_outbox *outbox, bksi_channel to)
{
    outbox->heard = to;
}

bool bksi_outbox_write_heard(session_outbox *outbox, bksi_channel *to, uint32_t *type,
                             bksi_byte_writer *writer)
{
    if (outbox->heard == 0) {
        return false;
    }
    *to = outbox->heard;
    *type = BKSI_PACKET_BYE;
    bksi_bye_write(writer, BKSI_BYE_HEARD);
    outbox->heard = 0;
    return true;
}
