// SPDX-License-Identifier: MIT

/// @file guard.h
/// Gate between a session and the network: which addresses may speak, and under which keys. The
/// session sends and receives messages on channels. The guard makes packets of them, does the
/// handshakes, and follows a peer that moves to a new address.
///
///     receive                         send
///     bksi_guard_receive(packet)      while (the session has a message)
///     while (bksi_guard_take)             bksi_guard_send: a packet, or kept for the handshake
///         the session reads           while (bksi_guard_flush) …: handshakes, with what was kept
///
/// Fixed number of channels, no allocation. A stranger without the match key gets no answer, costs
/// no curve multiplication and takes no channel. docs/spec/wire.md has the bytes and
/// docs/spec/security.md the promises.

#ifndef BKSI_GUARD_H
#define BKSI_GUARD_H

#include "net/guard_parts.h"

/// Set up a guard without channels.
/// @param key       the match key
/// @param identity  our static secret
/// @param entropy   32 bytes never used before, the source of every random number of the handshakes
void bksi_guard_init(bksi_guard *guard, const uint8_t key[BKSI_NOISE_KEY_BYTES],
                     const uint8_t identity[BKSI_NOISE_KEY_BYTES],
                     const uint8_t entropy[BKSI_NOISE_KEY_BYTES]);

/// Let packets name one of BKSI_CHANNELS_WIDE channels, at both ends: beside its own bytes a packet
/// then has a group. Call this after bksi_guard_init().
/// @param more   memory of zeros for further channels, used until bksi_guard_wipe(); may be NULL
/// @param count  number of channels in `more`, at most BKSI_CHANNELS_WIDE - BKSI_CHANNELS
void bksi_guard_widen(bksi_guard *guard, bksi_guard_channel *more, uint32_t count);

/// Forget all keys of the guard.
void bksi_guard_wipe(bksi_guard *guard);

/// Process a received packet.
/// @param count  bytes of the packet; any size is allowed
bksi_guard_verdict bksi_guard_receive(bksi_guard *guard, uint64_t now_ns, const bks_address *from,
                                      const uint8_t *packet, size_t count);

/// Process a received packet with a group, after bksi_guard_widen().
bksi_guard_verdict bksi_guard_receive_wide(bksi_guard *guard, uint64_t now_ns,
                                           const bks_address *from, uint32_t group,
                                           const uint8_t *packet, size_t count);

/// Process a received packet that other peers carried.
/// @param origin   peer that the packet claims to come from
/// @param carrier  the peer that handed it to us
bksi_guard_verdict bksi_guard_receive_carried(bksi_guard *guard, uint64_t now_ns, uint32_t origin,
                                              uint32_t carrier, const uint8_t *packet,
                                              size_t count);

/// Send a message: sealed at once if the channel has keys. Otherwise a lobby message is sent under
/// early keys or with the handshake, if it fits. Any other message is lost: the caller repeats what
/// matters.
/// @param to         receives the destination. With keys: the peer's address, to which the caller
///   may know a better route. Without keys: the other end of the handshake that carries the message
/// @param packet     room for BKS_PACKET_BYTES_MAX
/// @param number     receives the packet's number
/// @param is_sealed  receives true if the message was sealed with the keys of an open channel
/// @return the packet's size, 0 if no packet can be sent now
size_t bksi_guard_send(bksi_guard *guard, uint64_t now_ns, bksi_channel channel, uint32_t type,
                       const uint8_t *body, size_t body_bytes, bksi_guard_place *to,
                       uint8_t *packet, uint64_t *number, bool *is_sealed);

/// Write a handshake packet whose repetition is due. Send these before all other packets: a
/// repeated third message must arrive before packets that are sealed with its keys.
/// @return the packet's size, 0 if no repetition is due
size_t bksi_guard_repeat(bksi_guard *guard, uint64_t now_ns, bksi_guard_place *to, uint8_t *packet);

/// Return when bksi_guard_repeat() has the next packet; UINT64_MAX if nothing is repeated.
/// Handshakes are repeated while the session has something to send.
uint64_t bksi_guard_wake(const bksi_guard *guard);

/// Write one of the guard's own packets. Call this after the session's messages, until it returns
/// 0.
size_t bksi_guard_flush(bksi_guard *guard, uint64_t now_ns, bksi_guard_place *to, uint8_t *packet);

#endif
