// SPDX-License-Identifier: MIT

/// @file guard.h
/// Stands between a session and the outside: which addresses may speak, and under which keys. The
/// session sends and receives messages on channels; the guard makes packets of them, does the
/// handshakes, and follows a peer that shows up at a new address.
///
///     receive                         send
///     bksi_guard_receive(packet)      while (the session has a message)
///     while (bksi_guard_take)             bksi_guard_send: a packet, or kept for the handshake
///         the session reads           while (bksi_guard_flush) …: handshakes, with what was kept
///
/// A fixed number of channels, no allocation. A stranger without the match key gets no byte, costs
/// no multiplication on the curve and takes no channel. docs/spec/wire.md has the bytes and
/// docs/spec/security.md the promises.

#ifndef BKSI_GUARD_H
#define BKSI_GUARD_H

#include "net/guard_parts.h"

/// @param key       the match key
/// @param identity  our static secret
/// @param entropy   32 bytes never used before: everything a handshake draws comes of them
void bksi_guard_init(bksi_guard *guard, const uint8_t key[BKSI_NOISE_KEY_BYTES],
                     const uint8_t identity[BKSI_NOISE_KEY_BYTES],
                     const uint8_t entropy[BKSI_NOISE_KEY_BYTES]);

/// Forget all keys.
void bksi_guard_wipe(bksi_guard *guard);

/// Take in a packet.
/// @param count  0..anything
bksi_guard_verdict bksi_guard_receive(bksi_guard *guard, uint64_t now_ns, const bks_address *from,
                                      const uint8_t *packet, size_t count);

/// Take in a packet that others carried.
/// @param origin   the peer that it says to be from
/// @param carrier  the peer that handed it to us
bksi_guard_verdict bksi_guard_receive_carried(bksi_guard *guard, uint64_t now_ns, uint32_t origin,
                                              uint32_t carrier, const uint8_t *packet,
                                              size_t count);

/// Send a message: sealed at once where there are keys; else one of the lobby's goes under early
/// keys or with the handshake if it fits, any other is lost. The caller repeats what matters.
/// @param packet  room for BKS_PACKET_BYTES_MAX
/// @param number  receives the packet's number
/// @param to  receives where it goes: the peer's address, and the caller may know a better way;
///            of one that goes with a handshake, the place where that is under way
/// @param is_sealed  receives whether it went under the keys of an open channel
/// @return the packet's size, 0: none to send now
size_t bksi_guard_send(bksi_guard *guard, uint64_t now_ns, bksi_channel channel, uint32_t type,
                       const uint8_t *body, size_t body_bytes, bksi_guard_place *to,
                       uint8_t *packet, uint64_t *number, bool *is_sealed);

/// Packets of handshakes that are due again, before any other: a third message that may not have
/// come must not be overtaken.
/// @return the packet's size, 0: none
size_t bksi_guard_repeat(bksi_guard *guard, uint64_t now_ns, bksi_guard_place *to, uint8_t *packet);

/// When bksi_guard_repeat() has the next one, UINT64_MAX: nothing is repeated. Handshakes are while
/// the session has something to send.
uint64_t bksi_guard_wake(const bksi_guard *guard);

/// The guard's own packets, after the session's messages. Ask until it says 0.
size_t bksi_guard_flush(bksi_guard *guard, uint64_t now_ns, bksi_guard_place *to, uint8_t *packet);

#endif
