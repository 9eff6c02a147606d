// SPDX-License-Identifier: MIT

/// @file noise.h
/// The handshake Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b (Noise Protocol Framework, revision 34) on
/// libsodium's primitives:
///
///     -> psk, e, payload              the psk alone opens this, before any other work
///     <- e, ee, s, es, payload
///     -> s, se, payload               after this, each side knows the other's static key
///
/// A handshake message that cannot be read changes nothing.

#ifndef BKSI_NOISE_H
#define BKSI_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BKSI_NOISE_KEY_BYTES  32u
#define BKSI_NOISE_HASH_BYTES 64u
#define BKSI_NOISE_TAG_BYTES  16u

/// Bytes that each of the three handshake messages adds to its payload.
#define BKSI_NOISE_FIRST_BYTES  (BKSI_NOISE_KEY_BYTES + BKSI_NOISE_TAG_BYTES)
#define BKSI_NOISE_SECOND_BYTES (2 * BKSI_NOISE_KEY_BYTES + 2 * BKSI_NOISE_TAG_BYTES)
#define BKSI_NOISE_THIRD_BYTES  (BKSI_NOISE_KEY_BYTES + 2 * BKSI_NOISE_TAG_BYTES)

typedef struct bksi_noise_pair {
    uint8_t secret[BKSI_NOISE_KEY_BYTES];
    uint8_t open[BKSI_NOISE_KEY_BYTES]; ///< public key
} bksi_noise_pair;

typedef struct bksi_noise {
    uint8_t chain[BKSI_NOISE_HASH_BYTES]; ///< chaining key: `ck` of the specification
    uint8_t hash[BKSI_NOISE_HASH_BYTES]; ///< hash of the handshake so far: `h` of the specification
    uint8_t key[BKSI_NOISE_KEY_BYTES];   ///< current key: `k` of the specification
    uint64_t number;                     ///< number of the next message under `key`: `n`
    bksi_noise_pair ephemeral;
    uint8_t remote_ephemeral[BKSI_NOISE_KEY_BYTES];
    uint8_t remote_static[BKSI_NOISE_KEY_BYTES];
    bool is_initiator;
    uint32_t done; ///< messages written and read, 3 when complete
} bksi_noise;

/// Compute the key pair of a secret.
void bksi_noise_make_pair(bksi_noise_pair *pair, const uint8_t secret[BKSI_NOISE_KEY_BYTES]);

/// Begin a handshake. Copies of the result serve any number of handshakes with the same psk, and
/// save the cost of this call.
void bksi_noise_begin(bksi_noise *noise, const void *prologue, size_t prologue_bytes,
                      const uint8_t psk[BKSI_NOISE_KEY_BYTES]);

/// Write the next message of a handshake.
/// @param own        our static key pair
/// @param ephemeral  a secret never used before, for our first message; else NULL
/// @param out        room for the payload and the message's BKSI_NOISE_…_BYTES
/// @return the message's size, 0 if the peer's key is invalid
size_t bksi_noise_write(bksi_noise *noise, const bksi_noise_pair *own, const uint8_t *ephemeral,
                        const void *payload, size_t payload_bytes, uint8_t *out);

/// Read the next message of a handshake.
/// @param out  room for `count` bytes, receives the payload
/// @return false if the message is forged, damaged or cut; the handshake is unchanged then
bool bksi_noise_read(bksi_noise *noise, const uint8_t *message, size_t count, uint8_t *out,
                     size_t *out_bytes);

/// Derive, after the second message, the key of messages that its writer sends before the third
/// arrives. The key protects no better than the second message's payload: an attacker with the psk
/// who sent the first message can read both.
void bksi_noise_early(const bksi_noise *noise, uint8_t key[BKSI_NOISE_KEY_BYTES]);

/// Derive the two keys of a complete handshake.
void bksi_noise_split(const bksi_noise *noise, uint8_t send_key[BKSI_NOISE_KEY_BYTES],
                      uint8_t receive_key[BKSI_NOISE_KEY_BYTES]);

#endif
