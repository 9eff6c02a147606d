// SPDX-License-Identifier: MIT

/// @file guard_parts.h
/// Memory of the guard, and the functions that its files offer to one another and to the session.

#ifndef BKSI_GUARD_PARTS_H
#define BKSI_GUARD_PARTS_H

#include "backstitch/net.h"

#include "net/noise.h"
#include "net/repeat.h"
#include "net/seal.h"

/// Channels of a guard. A packet names one by 4 bits.
#define BKSI_CHANNELS 16u

/// Most channels of a guard after bksi_guard_widen(). A packet names one by a group of
/// BKSI_CHANNELS beside its 4 bits.
#define BKSI_CHANNELS_WIDE 256u

/// Size in bytes of a peer's identity, which is its static public key shortened by BLAKE2b.
#define BKSI_IDENTITY_BYTES 16u

/// Size to which first messages are padded, so that an answer is never longer than the first
/// message that it answers. A JOIN fits into a first message of this size, and the ROSTER of a
/// match of few peers into the answer. Repeated first messages of this size do not fill a narrow
/// line.
#define BKSI_HELLO_BYTES 420u

/// Maximum number of first messages handled per second, from all senders: each costs four curve
/// multiplications.
#define BKSI_HELLOS_PER_SECOND 20u

/// Maximum number of channels that callers take who never complete a handshake, while they call
/// that often.
#define BKSI_YOUNG_MAX 6u

/// Maximum number of first messages handled per second that one carrier brings, enough for one from
/// each of the other six peers of a match of eight.
#define BKSI_HELLOS_PER_CARRIER 6u

/// Maximum number of handshakes that we begin per second, to all addresses.
#define BKSI_CALLS_PER_SECOND 20u

/// Maximum number of bytes of messages enclosed in a handshake.
#define BKSI_ENCLOSED_BYTES_MAX (BKS_PACKET_BYTES_MAX - 2 - BKSI_NOISE_THIRD_BYTES)

/// Size of the header of an enclosed message: its type and size.
#define BKSI_ENCLOSED_HEAD_BYTES 3u

/// Time between two repetitions of a challenge.
#define BKSI_CHALLENGE_REPEAT_NS 45000000u

/// Id of a channel to a peer: made of its index and of how often that index was given out. 0: no
/// channel.
typedef uint32_t bksi_channel;

/// Origin or destination of a packet.
typedef struct bksi_guard_place {
    bool is_carried;
    bks_address address; ///< address of the other end, if packets go directly
    uint32_t peer;       ///< peer at the other end, if packets are carried
    uint32_t carrier;    ///< peer that handed a received packet to us, if packets are carried
    uint32_t group;      ///< number of the receiver's channel / BKSI_CHANNELS, 0 in a match
} bksi_guard_place;

/// A received message, as the session reads it.
typedef struct bksi_guard_message {
    bksi_channel channel;
    uint32_t type; ///< type of the message, a bksi_packet_type
    const uint8_t *body;
    size_t body_bytes;
    bool is_proven; ///< false for a first message: its sender proved only that it has the match key
    bool is_sealed; ///< received under the keys of an open channel, so `number` is set
    bool is_first;  ///< the first packet under new keys: packet numbers start again
    bool is_carried; ///< the message arrived through other peers
    uint64_t number; ///< number of the packet that held the message
    uint64_t age_ns; ///< time from making the message to sending its packet; 0: unknown
} bksi_guard_message;

/// Kinds of handshake of a channel, and their number: one for direct packets, one for carried ones.
/// An answer takes the path of the first message, because the other path may be cut.
#define BKSI_GUARD_STRAIGHT 0u
#define BKSI_GUARD_CARRIED  1u
#define BKSI_GUARD_WAYS     2u

/// Stage of a handshake.
typedef enum bksi_guard_stage {
    BKSI_GUARD_IDLE,      ///< no handshake is under way
    BKSI_GUARD_CALLING,   ///< our first message is repeated until an answer arrives
    BKSI_GUARD_ANSWERING, ///< a first message arrived, we answer and wait for the third message
    BKSI_GUARD_FINISHING, ///< our third message is repeated until a sealed packet arrives
} bksi_guard_stage;

/// One handshake. The keys in use stay untouched until the handshake is complete.
typedef struct bksi_guard_handshake {
    bksi_guard_stage stage;
    bool owes; ///< a packet must be sent; it must be made first if `packet_bytes` is 0
    bksi_noise noise;
    bks_address address; ///< address of the other end, if direct
    uint32_t remote_channel;
    uint32_t attempts; ///< number of first messages made
    /// Order of the first message that we answered last: in the upper half the random number of the
    /// caller's program run, in the lower half the number of the message in this run.
    uint64_t order;
    uint64_t begun_ns;  ///< time of our newest first message, or when we last heard the caller
    bksi_repeat repeat; ///< schedule for repeating `packet`
    /// Last bytes of the first message that we answer, to recognise its repetitions.
    uint8_t hello_tag[BKSI_NOISE_TAG_BYTES];
    /// Last bytes of the second message, to recognise its repetitions after our third message.
    uint8_t answer_tag[BKSI_NOISE_TAG_BYTES];
    uint8_t check_chain[BKSI_NOISE_HASH_BYTES]; ///< key for the check at the end of `packet`
    uint64_t made_ns; ///< time when `packet` was made, if it is a second or third message
    /// Packet to send. It is repeated unchanged, because a key must seal only one text.
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    size_t packet_bytes;
    /// Keys from the second to the third message, used only by the answering side.
    bksi_seal early;
    size_t credit_bytes; ///< bytes received from the caller beyond the bytes sent to it
} bksi_guard_handshake;

/// Check that a new address belongs to the peer: a token is sent to it and must come back.
typedef struct bksi_guard_challenge {
    bool is_open; ///< the challenge was sent and is not answered yet
    bool owes;
    bks_address address;
    uint64_t token;
    uint64_t sent_ns;
    size_t credit_bytes; ///< bytes received from `address` since the challenge was last sent
} bksi_guard_challenge;

typedef struct bksi_guard_channel {
    bksi_channel id; ///< id of the channel; 0: this entry is unused
    bool is_held;    ///< held by the session; a channel not held may be given to another peer
    bool calls;      ///< we send the first message
    bool has_identity;
    uint8_t identity[BKSI_IDENTITY_BYTES];
    bks_address address;
    /// Address that was named for the peer, or at which a call last reached it. The peer may have
    /// moved to `address` since.
    bks_address called;
    bool has_proven_address; ///< a packet that we sent to `address` reached the peer
    uint64_t heard_ns;       ///< time of the last packet that passed its checks
    uint64_t called_ns;      ///< time of the newest first message that the peer made
    uint64_t answered_ns;    ///< time when the peer last answered a first message of ours
    uint64_t answer_took_ns; ///< time from the first sending of our first message to its answer
    uint64_t wanted_ns;      ///< time when the session last had something to send

    bool is_open;  ///< the channel has keys
    bool is_fresh; ///< the channel has keys, and nothing was received under them yet
    bksi_seal seal;
    uint32_t remote_channel;
    uint64_t order; ///< order of the first message from which the keys came, if the peer sent it
    /// First 8 bytes of the ephemeral key of the first message from which the keys came, if the
    /// peer sent that message.
    uint64_t opener;

    bool is_named; ///< carried packets of `peer` are accepted
    uint32_t peer;
    bool has_detour; ///< we also call the peer through carriers

    bksi_guard_handshake handshakes[BKSI_GUARD_WAYS];
    /// The session's messages that will be enclosed in the handshake.
    uint8_t enclosed[BKSI_ENCLOSED_BYTES_MAX];
    size_t enclosed_bytes;

    bksi_guard_challenge challenge;
    bool owes_reply; ///< a challenge must be answered
    uint64_t reply_token;
    bks_address reply_to;
} bksi_guard_channel;

/// Counts of the guard's events.
typedef struct bksi_guard_counts {
    uint64_t forged;          ///< packets not from a peer, damaged or cut
    uint64_t repeated;        ///< authentic packets received before, or too old
    uint64_t limited;         ///< handshakes refused because too many were begun
    uint64_t handshakes;      ///< completed handshakes
    uint64_t address_changes; ///< peers followed to a new address
} bksi_guard_counts;

/// Limit of a rate of handshakes: each handshake adds its cost to `used_ns`, and passing time
/// reduces it.
typedef struct bksi_guard_rate {
    /// Sum at `at_ns`: cost of the handshakes so far, less the time that passed; 0 to 1 s.
    uint64_t used_ns;
    uint64_t at_ns;
} bksi_guard_rate;

/// Number of first messages remembered, so that a recorded first message cannot be replayed. A
/// channel remembers its own first message for as long as the channel exists.
#define BKSI_HELLOS_KEPT 256u

typedef struct bksi_guard {
    uint8_t entropy[BKSI_NOISE_KEY_BYTES];
    uint64_t drawn; ///< count of numbers drawn from `entropy`
    uint32_t run;   ///< random number of this run of the program, sent with our first messages
    bksi_noise_pair own;
    uint8_t identity[BKSI_IDENTITY_BYTES];
    bksi_noise start; ///< every handshake begins as a copy of this
    uint32_t generation;
    bksi_guard_channel channels[BKSI_CHANNELS];
    bksi_guard_channel *more; ///< further channels, owned by the caller
    uint32_t channel_count;   ///< number of all channels
    uint32_t channels_named;  ///< channels of which a packet can name one
    uint32_t used;            ///< one past the index of the last channel that was ever given out
    /// First 8 bytes of the ephemeral keys of the remembered first messages.
    uint64_t hellos[BKSI_HELLOS_KEPT];
    uint32_t hello_next;
    bksi_guard_rate rate;  ///< rate of all handshakes
    bksi_guard_rate calls; ///< rate of handshakes that we begin
    /// Rates of the handshakes that each peer carries to us.
    bksi_guard_rate carriers[BKS_PEERS_MAX];
    bksi_guard_counts counts;

    // Received messages that the session has not taken yet.
    uint8_t plain[BKS_PACKET_BYTES_MAX];
    bksi_guard_message single; ///< message of a sealed packet; channel 0: none
    bksi_channel many_channel; ///< channel of messages enclosed in a handshake
    bool many_is_proven;
    bool many_is_carried;
    size_t many_at, many_end;
    uint64_t many_age_ns;
} bksi_guard;

/// Result of receiving a packet by the guard.
typedef enum bksi_guard_verdict {
    BKSI_GUARD_REFUSED = 0, ///< the packet was refused, and counted in `counts`
    BKSI_GUARD_QUIET = 1,   ///< valid packet that holds nothing for the session
    BKSI_GUARD_TAKEN = 2,   ///< packet with messages for bksi_guard_take()
} bksi_guard_verdict;

/// Reserve a channel to a peer for the session, or take over a channel that the peer has made.
/// @param identity  peer expected at the other end; NULL: any that has the match key
/// @param calls     true if we send the first message
/// @return the channel, 0 if all are held
bksi_channel bksi_guard_bind(bksi_guard *guard, const bks_address *address, const uint8_t *identity,
                             bool calls);

/// Reserve a channel that a peer made for the session, so that the channel is not given to another
/// peer.
void bksi_guard_hold(bksi_guard *guard, bksi_channel channel);

/// Allow a channel to be given to another peer when room is needed. The channel's keys stay valid
/// until another peer gets it.
void bksi_guard_unhold(bksi_guard *guard, bksi_channel channel);

/// Close a channel and forget its keys. 0 is allowed.
void bksi_guard_release(bksi_guard *guard, bksi_channel channel);

/// Begin a new handshake because the peer does not answer under our keys. Do nothing if the first
/// message is the peer's to send.
void bksi_guard_renew(bksi_guard *guard, bksi_channel channel);

/// Set the peer number under which carried packets are accepted, and whether to call the peer
/// through carriers too. Without a number no carried packet is accepted.
void bksi_guard_set_detour(bksi_guard *guard, bksi_channel channel, uint32_t peer, bool is_on);

/// Return the identity at the other end, BKSI_IDENTITY_BYTES; NULL if it is not known yet or there
/// is no channel.
const uint8_t *bksi_guard_identity(const bksi_guard *guard, bksi_channel channel);

/// Return the address of the other end; its length is 0 without a channel.
bks_address bksi_guard_address(const bksi_guard *guard, bksi_channel channel);
/// Return the address of a peer if a packet that we sent there reached it, otherwise one of length
/// 0.
bks_address bksi_guard_proven_address(const bksi_guard *guard, bksi_channel channel);

/// Return when the last packet that passed its checks arrived on a channel, repeated handshake
/// packets included; 0 without a channel.
uint64_t bksi_guard_heard_ns(const bksi_guard *guard, bksi_channel channel);

/// Return when the peer last answered a first message of ours; 0 if never or without a channel. A
/// message that we sent before that time may have been enclosed in a first message. The answer does
/// not tell which copy of the first message arrived, nor whether the peer accepted a copy that
/// somebody else sent in our name.
uint64_t bksi_guard_answered_ns(const bksi_guard *guard, bksi_channel channel);

/// Return the time from the first sending of our first message to the peer's last answer to it, an
/// upper bound of a round trip; 0 if the peer never answered or without a channel.
uint64_t bksi_guard_answer_took_ns(const bksi_guard *guard, bksi_channel channel);

/// Take the next message of the packet received last; return false if there is none. The message is
/// valid until the next packet.
bool bksi_guard_take(bksi_guard *guard, bksi_guard_message *message);

// ---- for guard.c and handshake.c ----

/// Compute an identity from a static public key.
void bksi_guard_identity_of(const uint8_t *open, uint8_t identity[BKSI_IDENTITY_BYTES]);
bksi_guard_channel *bksi_guard_channel_of(const bksi_guard *guard, bksi_channel channel);
/// Return channel number `number`, less than `channel_count`.
static inline bksi_guard_channel *bksi_guard_channel_at(const bksi_guard *guard, uint32_t number)
{
    return number < BKSI_CHANNELS ? (bksi_guard_channel *)&guard->channels[number]
                                  : &guard->more[number - BKSI_CHANNELS];
}
/// Return the number of a channel that is in use.
static inline uint32_t bksi_guard_number(const bksi_guard_channel *channel)
{
    return channel->id % BKSI_CHANNELS_WIDE;
}
/// Find the channel in use that a packet names. Return NULL if there is none.
bksi_guard_channel *bksi_guard_channel_named(const bksi_guard *guard, const bksi_guard_place *from,
                                             const uint8_t *packet);
bksi_guard_channel *bksi_guard_channel_by_identity(bksi_guard *guard, const uint8_t *identity);
/// Find a channel that is unused, or not held and not of a caller that began its handshake just
/// before `now_ns`. Return NULL if there is none.
bksi_guard_channel *bksi_guard_channel_new(bksi_guard *guard, uint64_t now_ns);
/// Return true if one of a channel's handshakes is at a stage.
static inline bool bksi_guard_is_at(const bksi_guard_channel *channel, bksi_guard_stage stage)
{
    return channel->handshakes[BKSI_GUARD_STRAIGHT].stage == stage ||
           channel->handshakes[BKSI_GUARD_CARRIED].stage == stage;
}
/// Draw 32 unpredictable bytes from the guard's entropy.
void bksi_guard_draw(bksi_guard *guard, uint8_t out[BKSI_NOISE_KEY_BYTES]);
/// Make the messages enclosed in a handshake available to bksi_guard_take(): bytes `at` to before
/// `end` of `plain`.
void bksi_guard_offer(bksi_guard *guard, bksi_channel channel, bool is_proven, size_t at,
                      size_t end);

// ---- handshake.c, for guard.c ----

/// Handle one of the three handshake messages.
bksi_guard_verdict bksi_handshake_receive(bksi_guard *guard, uint64_t now_ns,
                                          const bksi_guard_place *from, const uint8_t *packet,
                                          size_t count);
/// Begin a new call to a peer that answered but does not use the keys of our third message.
void bksi_handshake_renew(bksi_guard_channel *channel, uint64_t now_ns);
/// Record that the session has something to send and there are no keys to use.
void bksi_handshake_wanted(bksi_guard_channel *channel, uint64_t now_ns);
/// Return when the handshake packet must be repeated, or the byte that opens a NAT; UINT64_MAX if
/// neither is repeated.
uint64_t bksi_handshake_repeats_at(const bksi_guard_channel *channel, uint32_t way);
/// Write the packet that a handshake must send; make it if there is none yet.
size_t bksi_handshake_write(bksi_guard *guard, bksi_guard_channel *channel, uint32_t way,
                            uint64_t now_ns, uint8_t *packet);

#endif
