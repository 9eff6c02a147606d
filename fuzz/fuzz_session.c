// SPDX-License-Identifier: MIT

// Sends messages with a right seal and any body, as from a hostile peer, to a match of two peers.
// The match may end or fail, but must not break memory, trip an assert or hang.
//
// The input is a list of packets: receiver and type (1 byte), length (1), body. Time advances by a
// tick after each packet. Type 0 is sent as a BULK, and the receiver then reads its stream. If the
// highest bit of the first byte is set, the match has not begun yet. If the next one is set, the
// game has commands, and both peers give one with each packet, and a burst with each BULK.

#include <string.h>

#include "session/inside.h"
#include "session/toy_network.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/// Time after which the lobby is over and some ticks are stepped, if no hostile packets come.
#define UNDER_WAY_NS (300 * TOY_MS)
#define TICK_NS      (17 * TOY_MS)

static bool has_commands;

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->command_bytes_max = has_commands ? 100 : 0;
    config->tuning.bulk_bytes = 1024;
}

static void give_burst(bks_session *session)
{
    static const uint8_t bytes[100] = {1};
    for (uint32_t i = 0; i < 8; i++) {
        (void)(bks_session_command(session, 0, bytes, sizeof(bytes)) == BKS_OK);
    }
}

static void read_stream(bks_session *session, uint32_t peer)
{
    uint8_t bytes[64];
    size_t count = 0;
    (void)(bks_session_bulk_read(session, peer, bytes, sizeof(bytes), &count) == BKS_OK);
    (void)(bks_session_bulk_write(session, peer, bytes, count, &count) == BKS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static toy_network network;
    has_commands = count > 0 && (bytes[0] & 0x40) != 0;
    toy_create(&network, 2, 1, tune);
    if (count > 0 && (bytes[0] & 0x80) == 0) {
        toy_run_until(&network, UNDER_WAY_NS);
    }

    while (count >= 2) {
        uint32_t victim = bytes[0] & 1;
        uint32_t type = bytes[0] >> 1 & 7;
        size_t body_bytes = bytes[1] < count - 2 ? bytes[1] : count - 2;
        inside_say(network.peers[victim].session, network.now_ns, network.peers[1 - victim].session,
                   type != 0 ? type : BKSI_PACKET_BULK, bytes + 2, body_bytes);
        if (type == 0) {
            read_stream(network.peers[victim].session, 1 - victim);
            if (has_commands) {
                give_burst(network.peers[victim].session);
                give_burst(network.peers[1 - victim].session);
            }
        }
        for (uint32_t i = 0; has_commands && i < 2; i++) {
            (void)(bks_session_command(network.peers[i].session, 0, bytes, 2) == BKS_OK);
        }
        bytes += 2 + body_bytes;
        count -= 2 + body_bytes;
        toy_run_until(&network, network.now_ns + TICK_NS);
    }
    toy_destroy(&network);
    return 0;
}
