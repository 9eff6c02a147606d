// SPDX-License-Identifier: MIT

// The replay window is that of IPsec (RFC 6479): a ring of bits by number. Words are cleared when
// the highest number moves into them; nothing is ever shifted.

#include "net/seal.h"

#include <sodium.h>
#include <string.h>

#include "base/bytes.h"
#include "base/report.h"

#define WORDS (BKSI_SEAL_WINDOW / 64 + 1)

void bksi_seal_begin(bksi_seal *seal, const uint8_t send_key[BKSI_SEAL_KEY_BYTES],
                     const uint8_t receive_key[BKSI_SEAL_KEY_BYTES])
{
    memset(seal, 0, sizeof(*seal));
    memcpy(seal->send_key, send_key, BKSI_SEAL_KEY_BYTES);
    memcpy(seal->receive_key, receive_key, BKSI_SEAL_KEY_BYTES);
}

static void nonce_of(uint64_t number, uint8_t nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES])
{
    memset(nonce, 0, 4);
    bksi_put_u64(nonce + 4, number);
}

size_t bksi_seal_close(bksi_seal *seal, bksi_packet_type type, uint32_t channel, const void *body,
                       size_t body_bytes, uint8_t *out)
{
    BKS_ASSERT(channel < 16);
    BKS_ASSERT(body_bytes <= BKSI_BODY_BYTES_MAX);
    uint8_t nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES];
    nonce_of(seal->next, nonce);
    out[0] = (uint8_t)((uint32_t)type << 4 | channel);
    bksi_put_u16(out + 1, (uint16_t)seal->next);
    (void)crypto_aead_chacha20poly1305_ietf_encrypt(out + BKSI_PACKET_HEAD_BYTES, NULL, body,
                                                    body_bytes, out, BKSI_PACKET_HEAD_BYTES, NULL,
                                                    nonce, seal->send_key);
    seal->next++;
    return body_bytes + BKSI_PACKET_SEAL_BYTES;
}

/// Return the number nearest to the highest one whose lowest 16 bits are `low`.
static uint64_t expand(uint64_t highest, uint16_t low)
{
    uint16_t ahead = (uint16_t)(low - (uint16_t)highest);
    if (ahead < 0x8000 || highest < 0x10000u - ahead) {
        return highest + ahead;
    }
    return highest + ahead - 0x10000u;
}

static bool is_repeated(const bksi_seal *seal, uint64_t number)
{
    if (number >= seal->highest) {
        return false;
    }
    if (seal->highest - number > BKSI_SEAL_WINDOW) {
        return true;
    }
    return (seal->seen[number / 64 % WORDS] >> number % 64 & 1) != 0;
}

static void remember(bksi_seal *seal, uint64_t number)
{
    if (number >= seal->highest) {
        uint64_t first = seal->highest == 0 ? 0 : (seal->highest - 1) / 64 + 1;
        uint64_t last = number / 64;
        if (last - first >= WORDS && last >= first) {
            first = last - WORDS + 1;
        }
        for (uint64_t word = first; word <= last; word++) {
            seal->seen[word % WORDS] = 0;
        }
        seal->highest = number + 1;
    }
    seal->seen[number / 64 % WORDS] |= UINT64_C(1) << number % 64;
}

bksi_seal_result bksi_seal_open(bksi_seal *seal, const uint8_t *packet, size_t count, uint8_t *out,
                                uint64_t *number)
{
    BKS_ASSERT(count >= BKSI_PACKET_SEAL_BYTES);
    uint64_t expanded = expand(seal->highest, bksi_get_u16(packet + 1));
    uint8_t nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES];
    nonce_of(expanded, nonce);
    if (crypto_aead_chacha20poly1305_ietf_decrypt(
            out, NULL, NULL, packet + BKSI_PACKET_HEAD_BYTES, count - BKSI_PACKET_HEAD_BYTES,
            packet, BKSI_PACKET_HEAD_BYTES, nonce, seal->receive_key) != 0) {
        return BKSI_SEAL_FORGED;
    }
    if (is_repeated(seal, expanded)) {
        return BKSI_SEAL_REPEATED;
    }
    remember(seal, expanded);
    *number = expanded;
    return BKSI_SEAL_TAKEN;
}
