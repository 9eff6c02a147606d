// SPDX-License-Identifier: MIT

#include "session/common/peers.h"

uint32_t bksi_peers_count(uint32_t peers)
{
    uint32_t count = 0;
    for (; peers != 0; peers &= peers - 1) {
        count++;
    }
    return count;
}
