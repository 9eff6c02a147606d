// SPDX-License-Identifier: MIT

// Messages that came and were not taken yet: one of a sealed packet, or those that a handshake
// carried.

#include "net/guard_parts.h"

#include "base/bytes.h"

void bksi_guard_offer(bksi_guard *guard, bksi_channel channel, bool is_proven, size_t at,
                      size_t end)
{
    guard->single.channel = 0;
    guard->many_channel = channel;
    guard->many_is_proven = is_proven;
    guard->many_at = at;
    guard->many_end = end;
    guard->many_age_ns = 0;
}

bool bksi_guard_take(bksi_guard *guard, bksi_guard_message *message)
{
    if (guard->single.channel != 0) {
        *message = guard->single;
        guard->single.channel = 0;
        return true;
    }
    size_t left = guard->many_end - guard->many_at;
    const uint8_t *at = guard->plain + guard->many_at;
    uint32_t type = left > BKSI_ENCLOSED_HEAD_BYTES ? at[0] : 0;
    size_t bytes = type != 0 ? bksi_get_u16(at + 1) : 0;
    if (type == 0 || type > BKSI_PACKET_LOBBY_LAST || bytes > left - BKSI_ENCLOSED_HEAD_BYTES) {
        guard->many_at = guard->many_end; // what is left is padding, or no message of a handshake
        return false;
    }
    guard->many_at += BKSI_ENCLOSED_HEAD_BYTES + bytes;
    *message = (bksi_guard_message){.channel = guard->many_channel,
                                    .type = type,
                                    .body = at + BKSI_ENCLOSED_HEAD_BYTES,
                                    .body_bytes = bytes,
                                    .is_proven = guard->many_is_proven,
                                    .is_carried = guard->many_is_carried,
                                    .age_ns = guard->many_age_ns};
    return true;
}
