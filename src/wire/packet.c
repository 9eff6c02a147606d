// SPDX-License-Identifier: MIT

#include "wire/packet.h"

#include "base/assert.h"
#include "base/bytes.h"
#include "base/hash.h"

static uint32_t packet_check(const uint8_t *bytes, size_t count, uint64_t session_id)
{
    return (uint32_t)bksi_hash64(bytes + 4, count - 4, session_id);
}

size_t bksi_packet_close(uint8_t *bytes, size_t body_bytes, bksi_packet_type type,
                         uint64_t session_id)
{
    BKS_ASSERT(body_bytes <= BKSI_BODY_BYTES_MAX);
    size_t count = BKSI_PACKET_HEAD_BYTES + body_bytes;
    bytes[4] = (uint8_t)type;
    bksi_put_u32(bytes, packet_check(bytes, count, session_id));
    return count;
}

uint32_t bksi_packet_open(const uint8_t *bytes, size_t count, uint64_t session_id)
{
    if (count < BKSI_PACKET_HEAD_BYTES || count > BKS_PACKET_BYTES_MAX)
        return 0;
    if (bksi_get_u32(bytes) != packet_check(bytes, count, session_id))
        return 0;
    return bytes[4];
}
