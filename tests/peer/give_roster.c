// SPDX-License-Identifier: MIT

#include "peer/give_roster.h"

#include <string.h>

#include "session/packets.h"
#include "session/session_internal.h"

bool give_roster(bks_session *guest, bksi_roster_message *roster)
{
    memcpy(roster->peers[roster->self].identity, guest->common.guard.identity, BKSI_IDENTITY_BYTES);
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_roster_write(&writer, roster);
    bksi_guard_message message = {.channel = guest->common.seats.peers[0].channel,
                                  .type = BKSI_PACKET_ROSTER,
                                  .body = bytes,
                                  .body_bytes = writer.at,
                                  .is_proven = true};
    return !writer.failed && bksi_packets_take(guest, &message);
}
