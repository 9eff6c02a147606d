// SPDX-License-Identifier: MIT

#include "session/common/goodbyes.h"

#include "session/common/seats.h"
#include "wire/small_messages.h"

bool bksi_goodbyes_receive(session_goodbyes *goodbyes, uint32_t index, bks_phase phase,
                           bool has_all, bksi_byte_reader *reader, bool *out_has_ours)
{
    bksi_bye bye;
    *out_has_ours = false;
    if (!bksi_bye_read(reader, &bye)) {
        return false;
    }
    const bool is_playing = phase == BKS_PHASE_GATHERING || phase == BKS_PHASE_RUNNING;
    if (bye == BKSI_BYE_HEARD && is_playing) {
        return false; // HEARD is an answer to a peer that leaves, but we have not left
    }
    goodbyes->done |= PEER_BIT(index);
    // Accept "complete" only with all inputs of the peer, because without them we cannot continue
    // alone. A peer that has given up on us sends "complete" too.
    if (bye == BKSI_BYE_COMPLETE && has_all) {
        *out_has_ours = true;
        goodbyes->complete |= PEER_BIT(index);
        return true;
    }
    if (bye == BKSI_BYE_HEARD) {
        return true;
    }
    goodbyes->owes_heard &= ~PEER_BIT(index);
    goodbyes->owes_heard |= bye == BKSI_BYE_LEAVES ? PEER_BIT(index) : 0;
    const uint32_t left = is_playing ? PEER_BIT(index) : 0;
    goodbyes->quit |= left;
    goodbyes->left |= left;
    return true;
}

void bksi_goodbyes_write(session_goodbyes *goodbyes, uint32_t index, bool is_whole,
                         bksi_byte_writer *writer)
{
    if ((goodbyes->owes_heard & PEER_BIT(index)) != 0) {
        goodbyes->owes_heard &= ~PEER_BIT(index);
        bksi_bye_write(writer, BKSI_BYE_HEARD);
        return;
    }
    goodbyes->owes_bye &= ~PEER_BIT(index);
    bool is_complete = is_whole && !goodbyes->has_left;
    bksi_bye_write(writer, is_complete ? BKSI_BYE_COMPLETE : BKSI_BYE_LEAVES);
}

void bksi_goodbyes_leave(session_goodbyes *goodbyes, uint32_t peers, uint64_t now_ns)
{
    goodbyes->has_left = true;
    goodbyes->left_ns = now_ns;
    bksi_goodbyes_owe(goodbyes, peers);
}

void bksi_goodbyes_owe(session_goodbyes *goodbyes, uint32_t peers)
{
    goodbyes->owes_bye = peers;
}

void bksi_goodbyes_set(session_goodbyes *goodbyes, uint32_t index, bool is_owed)
{
    goodbyes->owes_bye &= ~PEER_BIT(index);
    goodbyes->owes_bye |= is_owed ? PEER_BIT(index) : 0;
}

void bksi_goodbyes_repeat(session_goodbyes *goodbyes, uint32_t peers)
{
    goodbyes->owes_bye |= peers;
}

void bksi_goodbyes_give_up(session_goodbyes *goodbyes, uint32_t peers)
{
    goodbyes->done |= peers;
}

void bksi_goodbyes_quit(session_goodbyes *goodbyes, uint32_t peers)
{
    goodbyes->quit |= peers;
}

void bksi_goodbyes_forgive(session_goodbyes *goodbyes, uint32_t index)
{
    goodbyes->done &= (goodbyes->quit & PEER_BIT(index)) != 0 ? ~PEER_BIT(index) : UINT32_MAX;
    goodbyes->quit &= ~PEER_BIT(index);
    goodbyes->left &= ~PEER_BIT(index);
}

void bksi_goodbyes_complete(session_goodbyes *goodbyes, uint32_t index)
{
    goodbyes->complete |= PEER_BIT(index);
}
