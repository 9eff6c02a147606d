// SPDX-License-Identifier: MIT

// Source: Trevor Perrin, "The Noise Protocol Framework", revision 34. Quoted names are those of
// that specification.

#include "net/noise.h"

#include <sodium.h>
#include <string.h>

#include "base/bytes.h"
#include "base/report.h"

#define HASH_BYTES  BKSI_NOISE_HASH_BYTES
#define KEY_BYTES   BKSI_NOISE_KEY_BYTES
#define TAG_BYTES   BKSI_NOISE_TAG_BYTES
#define BLOCK_BYTES 128u ///< block size of BLAKE2b, for HMAC

static const char protocol_name[] = "Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b";

// ---- hashes ----

/// Hash two runs of bytes; the second may be empty.
static void hash_two(const void *a, size_t a_bytes, const void *b, size_t b_bytes, uint8_t *out)
{
    crypto_generichash_state state;
    (void)crypto_generichash_init(&state, NULL, 0, HASH_BYTES);
    (void)crypto_generichash_update(&state, a, a_bytes);
    (void)crypto_generichash_update(&state, b, b_bytes);
    (void)crypto_generichash_final(&state, out, HASH_BYTES);
}

/// Compute the HMAC (RFC 2104) of two runs of bytes. The key has the size of a hash.
static void hmac(const uint8_t key[HASH_BYTES], const void *a, size_t a_bytes, const void *b,
                 size_t b_bytes, uint8_t *out)
{
    uint8_t inner_pad[BLOCK_BYTES];
    uint8_t outer_pad[BLOCK_BYTES];
    for (size_t i = 0; i < BLOCK_BYTES; i++) {
        uint8_t byte = i < HASH_BYTES ? key[i] : 0;
        inner_pad[i] = byte ^ 0x36;
        outer_pad[i] = byte ^ 0x5c;
    }
    uint8_t inner[HASH_BYTES];
    crypto_generichash_state state;
    (void)crypto_generichash_init(&state, NULL, 0, HASH_BYTES);
    (void)crypto_generichash_update(&state, inner_pad, sizeof(inner_pad));
    (void)crypto_generichash_update(&state, a, a_bytes);
    (void)crypto_generichash_update(&state, b, b_bytes);
    (void)crypto_generichash_final(&state, inner, HASH_BYTES);
    hash_two(outer_pad, sizeof(outer_pad), inner, sizeof(inner), out);
    sodium_memzero(inner_pad, sizeof(inner_pad));
    sodium_memzero(outer_pad, sizeof(outer_pad));
    sodium_memzero(inner, sizeof(inner));
}

/// Compute "HKDF": two or three outputs from the chaining key. `third` may be NULL.
static void hkdf(const uint8_t chain[HASH_BYTES], const void *material, size_t material_bytes,
                 uint8_t *first, uint8_t *second, uint8_t *third)
{
    static const uint8_t places[3] = {1, 2, 3};
    uint8_t temporary[HASH_BYTES];
    hmac(chain, material, material_bytes, NULL, 0, temporary);
    hmac(temporary, &places[0], 1, NULL, 0, first);
    hmac(temporary, first, HASH_BYTES, &places[1], 1, second);
    if (third != NULL) {
        hmac(temporary, second, HASH_BYTES, &places[2], 1, third);
    }
    sodium_memzero(temporary, sizeof(temporary));
}

// ---- the symmetric state (chaining key, hash and cipher key) ----

static void set_key(bksi_noise *noise, const uint8_t *key)
{
    memcpy(noise->key, key, KEY_BYTES);
    noise->number = 0;
}

static void mix_hash(bksi_noise *noise, const void *bytes, size_t count)
{
    hash_two(noise->hash, HASH_BYTES, bytes, count, noise->hash);
}

static void mix_key(bksi_noise *noise, const void *material, size_t count)
{
    uint8_t chain[HASH_BYTES];
    uint8_t key[HASH_BYTES];
    hkdf(noise->chain, material, count, chain, key, NULL);
    memcpy(noise->chain, chain, HASH_BYTES);
    set_key(noise, key);
    sodium_memzero(key, sizeof(key));
}

static void mix_key_and_hash(bksi_noise *noise, const void *material, size_t count)
{
    uint8_t chain[HASH_BYTES];
    uint8_t hash[HASH_BYTES];
    uint8_t key[HASH_BYTES];
    hkdf(noise->chain, material, count, chain, hash, key);
    memcpy(noise->chain, chain, HASH_BYTES);
    mix_hash(noise, hash, HASH_BYTES);
    set_key(noise, key);
    sodium_memzero(key, sizeof(key));
}

static void nonce_of(uint64_t number, uint8_t nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES])
{
    memset(nonce, 0, 4);
    bksi_put_u64(nonce + 4, number);
}

static uint8_t *encrypt_and_hash(bksi_noise *noise, const void *plain, size_t count, uint8_t *out)
{
    uint8_t nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES];
    nonce_of(noise->number++, nonce);
    (void)crypto_aead_chacha20poly1305_ietf_encrypt(out, NULL, plain, count, noise->hash,
                                                    HASH_BYTES, NULL, nonce, noise->key);
    mix_hash(noise, out, count + TAG_BYTES);
    return out + count + TAG_BYTES;
}

static bool decrypt_and_hash(bksi_noise *noise, const uint8_t *sealed, size_t count, uint8_t *out)
{
    uint8_t nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES];
    nonce_of(noise->number++, nonce);
    if (crypto_aead_chacha20poly1305_ietf_decrypt(out, NULL, NULL, sealed, count, noise->hash,
                                                  HASH_BYTES, nonce, noise->key) != 0) {
        return false;
    }
    mix_hash(noise, sealed, count);
    return true;
}

// ---- the tokens of the handshake pattern ----

/// Mix in the token "e", as in a handshake with a psk.
static void mix_ephemeral(bksi_noise *noise, const uint8_t *open)
{
    mix_hash(noise, open, KEY_BYTES);
    mix_key(noise, open, KEY_BYTES);
}

/// Mix in a token "ee", "es" or "se". Refuse keys of a small order, because their product is
/// public.
static bool mix_product(bksi_noise *noise, const uint8_t *secret, const uint8_t *open)
{
    uint8_t product[KEY_BYTES];
    if (crypto_scalarmult(product, secret, open) != 0) {
        return false;
    }
    mix_key(noise, product, sizeof(product));
    sodium_memzero(product, sizeof(product));
    return true;
}

void bksi_noise_make_pair(bksi_noise_pair *pair, const uint8_t secret[KEY_BYTES])
{
    memcpy(pair->secret, secret, KEY_BYTES);
    (void)crypto_scalarmult_base(pair->open, pair->secret);
}

void bksi_noise_begin(bksi_noise *noise, const void *prologue, size_t prologue_bytes,
                      const uint8_t psk[KEY_BYTES])
{
    memset(noise, 0, sizeof(*noise));
    _Static_assert(sizeof(protocol_name) - 1 <= HASH_BYTES, "the name is its own hash");
    memcpy(noise->hash, protocol_name, sizeof(protocol_name) - 1);
    memcpy(noise->chain, noise->hash, HASH_BYTES);
    mix_hash(noise, prologue, prologue_bytes);
    mix_key_and_hash(noise, psk, KEY_BYTES);
}

size_t bksi_noise_write(bksi_noise *noise, const bksi_noise_pair *own, const uint8_t *ephemeral,
                        const void *payload, size_t payload_bytes, uint8_t *out)
{
    BKS_ASSERT(noise->done < 3);
    BKS_ASSERT((ephemeral != NULL) == (noise->done < 2));
    uint8_t *at = out;
    if (ephemeral != NULL) {
        bksi_noise_make_pair(&noise->ephemeral, ephemeral);
        memcpy(at, noise->ephemeral.open, KEY_BYTES);
        at += KEY_BYTES;
        mix_ephemeral(noise, noise->ephemeral.open);
    }
    noise->is_initiator |= noise->done == 0;
    if (noise->done == 1) {
        if (!mix_product(noise, noise->ephemeral.secret, noise->remote_ephemeral)) {
            return 0;
        }
        at = encrypt_and_hash(noise, own->open, KEY_BYTES, at);
    } else if (noise->done == 2) {
        at = encrypt_and_hash(noise, own->open, KEY_BYTES, at);
    }
    if (noise->done > 0 && !mix_product(noise, own->secret, noise->remote_ephemeral)) {
        return 0;
    }
    at = encrypt_and_hash(noise, payload, payload_bytes, at);
    noise->done++;
    return (size_t)(at - out);
}

/// Return the least size of a handshake message.
static size_t least_bytes(uint32_t message)
{
    static const size_t least[] = {BKSI_NOISE_FIRST_BYTES, BKSI_NOISE_SECOND_BYTES,
                                   BKSI_NOISE_THIRD_BYTES};
    return least[message];
}

static bool read_static(bksi_noise *noise, const uint8_t *at)
{
    return decrypt_and_hash(noise, at, KEY_BYTES + TAG_BYTES, noise->remote_static) &&
           mix_product(noise, noise->ephemeral.secret, noise->remote_static);
}

bool bksi_noise_read(bksi_noise *noise, const uint8_t *message, size_t count, uint8_t *out,
                     size_t *out_bytes)
{
    if (noise->done >= 3 || count < least_bytes(noise->done)) {
        return false;
    }
    bksi_noise next = *noise;
    const uint8_t *at = message;
    if (next.done < 2) {
        memcpy(next.remote_ephemeral, at, KEY_BYTES);
        at += KEY_BYTES;
        mix_ephemeral(&next, next.remote_ephemeral);
    }
    bool is_sound = true;
    if (next.done == 1) {
        is_sound = mix_product(&next, next.ephemeral.secret, next.remote_ephemeral);
    }
    if (is_sound && next.done > 0) {
        is_sound = read_static(&next, at);
        at += KEY_BYTES + TAG_BYTES;
    }
    size_t left = count - (size_t)(at - message);
    is_sound = is_sound && decrypt_and_hash(&next, at, left, out);
    if (is_sound) {
        next.done++;
        *noise = next;
        *out_bytes = left - TAG_BYTES;
    }
    sodium_memzero(&next, sizeof(next));
    return is_sound;
}

void bksi_noise_early(const bksi_noise *noise, uint8_t key[KEY_BYTES])
{
    BKS_ASSERT(noise->done == 2);
    static const char label[] = "backstitch early";
    uint8_t first[HASH_BYTES];
    uint8_t second[HASH_BYTES];
    hkdf(noise->chain, label, sizeof(label) - 1, first, second, NULL);
    memcpy(key, second, KEY_BYTES);
    sodium_memzero(first, sizeof(first));
    sodium_memzero(second, sizeof(second));
}

void bksi_noise_split(const bksi_noise *noise, uint8_t send_key[KEY_BYTES],
                      uint8_t receive_key[KEY_BYTES])
{
    BKS_ASSERT(noise->done == 3);
    uint8_t first[HASH_BYTES];
    uint8_t second[HASH_BYTES];
    hkdf(noise->chain, NULL, 0, first, second, NULL);
    memcpy(send_key, noise->is_initiator ? first : second, KEY_BYTES);
    memcpy(receive_key, noise->is_initiator ? second : first, KEY_BYTES);
    sodium_memzero(first, sizeof(first));
    sodium_memzero(second, sizeof(second));
}
