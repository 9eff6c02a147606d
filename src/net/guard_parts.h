// SPDX-License-Identifier: MIT

/// @file guard_parts.h
/// The guard's memory, and what its files offer one another and the session:
///   guard_channels.c  channels to peers
///   guard_inbox.c     messages that came
///   handshake.c       the three messages of a handshake
/// guard.h, which stands on it, takes and makes packets.

#ifndef BKSI_GUARD_PARTS_H
#define BKSI_GUARD_PARTS_H

#include "backstitch/net.h"

#include "net/noise.h"
#include "net/repeat.h"
#include "net/seal.h"

#define BKSI_CHANNELS 16u

/// A peer's static public key, shortened by BLAKE2b: enough to know it by.
#define BKSI_IDENTITY_BYTES 16u

/// First messages are padded to this, so that an answer is never longer: it has room for a JOIN and
/// for the answer of a small match, and as it is repeated it must not fill a narrow line.
#define BKSI_HELLO_BYTES 420u

/// First messages taken in a second, from all senders: each costs four products on the curve.
#define BKSI_HELLOS_PER_SECOND 20u

/// Of them, those that one carrier brings: one from each of the six others of eight peers.
#define BKSI_HELLOS_PER_CARRIER 6u

/// Calls of our own that begin in a second, to all addresses.
#define BKSI_CALLS_PER_SECOND 20u

/// Most bytes of messages that a handshake encloses.
#define BKSI_ENCLOSED_BYTES_MAX (BKS_PACKET_BYTES_MAX - 2 - BKSI_NOISE_THIRD_BYTES)

/// Of each: its type, its size.
#define BKSI_ENCLOSED_HEAD_BYTES 3u

/// How often a challenge is repeated.
#define BKSI_CHALLENGE_REPEAT_NS 45000000u

/// A channel to a peer: a channel and how often it was given out. 0 is none.
typedef uint32_t bksi_channel;

/// Where a packet comes from, or where it goes.
typedef struct bksi_guard_place {
    bool is_carried;
    bks_address address; ///< straight: of the other end
    uint32_t peer;       ///< carried: the other end
    uint32_t carrier;    ///< carried: the peer that handed it to us, if it came
} bksi_guard_place;

/// A message as the session reads it.
typedef struct bksi_guard_message {
    bksi_channel channel;
    uint32_t type; ///< bksi_packet_type
    const uint8_t *body;
    size_t body_bytes;
    bool is_proven;  ///< false: of a first message; its sender has the match key, no more is known
    bool is_sealed;  ///< under the keys of an open channel, so there is a number
    bool is_first;   ///< and it is the first under these keys: numbers began anew
    bool is_carried; ///< it came through other peers
    uint64_t number; ///< of the packet
    uint64_t age_ns; ///< how long before its packet it was made; 0 where that is not known
} bksi_guard_message;

/// A channel has a handshake for packets that go straight, and one for carried ones. An answer goes
/// as the first message came: of one message sent both ways, it could take the one that is cut.
#define BKSI_GUARD_STRAIGHT 0u
#define BKSI_GUARD_CARRIED  1u
#define BKSI_GUARD_WAYS     2u

/// Where a handshake stands.
typedef enum bksi_guard_stage {
    BKSI_GUARD_IDLE,      ///< none under way
    BKSI_GUARD_CALLING,   ///< our first message goes out until it is answered
    BKSI_GUARD_ANSWERING, ///< a first message came, ours follows, then we wait for the third
    BKSI_GUARD_FINISHING, ///< our third message goes out until a sealed packet shows that it came
} bksi_guard_stage;

/// One handshake; the keys in use stay untouched until it is complete.
typedef struct bksi_guard_handshake {
    bksi_guard_stage stage;
    bool owes; ///< `packet` must be sent, and made first if there is none
    bksi_noise noise;
    bks_address address; ///< straight: where it takes place
    uint32_t remote_channel;
    uint32_t attempts;  ///< first messages made
    uint64_t begun_ns;  ///< when the newest of them was; answering: when the caller was last heard
    bksi_repeat repeat; ///< of `packet`
    uint8_t hello_tag[BKSI_NOISE_TAG_BYTES];    ///< answering: end of the first message, to know it
    uint8_t answer_tag[BKSI_NOISE_TAG_BYTES];   ///< finishing: of the second message, to know it
    uint8_t check_chain[BKSI_NOISE_HASH_BYTES]; ///< answering, finishing: the key of the check
    uint64_t made_ns;                           ///< answering, finishing: when `packet` was made
    uint8_t packet[BKS_PACKET_BYTES_MAX];       ///< repeated as it is: a key seals one text only
    size_t packet_bytes;
    bksi_seal early;     ///< between second and third message, from the answering side only
    size_t credit_bytes; ///< answering: what came and was not answered yet
} bksi_guard_handshake;

/// Is a new address the peer's?
typedef struct bksi_guard_challenge {
    bool is_open; ///< asked, no answer yet
    bool owes;
    bks_address address;
    uint64_t token;
    uint64_t sent_ns;
    size_t credit_bytes; ///< what came from there and was not answered yet
} bksi_guard_challenge;

typedef struct bksi_guard_channel {
    bksi_channel id; ///< 0: free
    bool is_held;    ///< by the session; others may be given to somebody else
    bool calls;      ///< the first message is ours to send
    bool has_identity;
    uint8_t identity[BKSI_IDENTITY_BYTES];
    bks_address address;
    uint64_t heard_ns;       ///< when anything that passed its checks came
    uint64_t answered_ns;    ///< when the peer last answered a first message of ours
    uint64_t answer_took_ns; ///< and how long after that had first gone
    uint64_t wanted_ns;      ///< when the session last had something to send

    bool is_open;  ///< has keys
    bool is_fresh; ///< and nothing came under them yet
    bksi_seal seal;
    uint32_t remote_channel;
    uint64_t opener; ///< mark of the first message from which its keys came, if that was the peer's

    bool is_named; ///< carried packets may come from the peer, by its number
    uint32_t peer;
    bool has_detour; ///< and we call it by carriers, too

    bksi_guard_handshake handshakes[BKSI_GUARD_WAYS];
    uint8_t enclosed[BKSI_ENCLOSED_BYTES_MAX]; ///< messages for the handshake
    size_t enclosed_bytes;

    bksi_guard_challenge challenge;
    bool owes_reply; ///< to a challenge
    uint64_t reply_token;
    bks_address reply_to;
} bksi_guard_channel;

/// What happened so far.
typedef struct bksi_guard_counts {
    uint64_t forged;          ///< not from a peer, damaged or cut
    uint64_t repeated;        ///< authentic, but here before or too old
    uint64_t limited;         ///< handshakes beyond the rate
    uint64_t handshakes;      ///< gone through
    uint64_t address_changes; ///< peers followed to a new address
} bksi_guard_counts;

/// How many handshakes have begun, as the time that they stand for, less the time that went by.
typedef struct bksi_guard_rate {
    uint64_t used_ns; ///< up to a second
    uint64_t at_ns;
} bksi_guard_rate;

/// First messages remembered, so that one recorded on the way is good for nothing later. A channel
/// remembers its own for as long as it lasts.
#define BKSI_HELLOS_KEPT 256u

typedef struct bksi_guard {
    uint8_t entropy[BKSI_NOISE_KEY_BYTES];
    uint64_t drawn; ///< numbers drawn from it
    bksi_noise_pair own;
    uint8_t identity[BKSI_IDENTITY_BYTES];
    bksi_noise start; ///< every handshake begins as a copy
    uint32_t generation;
    bksi_guard_channel channels[BKSI_CHANNELS];
    uint32_t used;                     ///< one past the last channel that was ever given out
    uint64_t hellos[BKSI_HELLOS_KEPT]; ///< their marks: of their ephemeral keys, the first 8 bytes
    uint32_t hello_next;
    bksi_guard_rate rate;                    ///< of all handshakes
    bksi_guard_rate calls;                   ///< of those that we begin
    bksi_guard_rate carriers[BKS_PEERS_MAX]; ///< of those that a peer carries to us
    bksi_guard_counts counts;

    // messages that came and were not taken yet
    uint8_t plain[BKS_PACKET_BYTES_MAX];
    bksi_guard_message single; ///< channel 0: none
    bksi_channel many_channel; ///< of those of a handshake
    bool many_is_proven;
    bool many_is_carried;
    size_t many_at, many_end;
    uint64_t many_age_ns;
} bksi_guard;

/// What came of a packet.
typedef enum bksi_guard_verdict {
    BKSI_GUARD_REFUSED = 0, ///< counted
    BKSI_GUARD_QUIET = 1,   ///< fine, nothing in it for the session
    BKSI_GUARD_TAKEN = 2,   ///< ask bksi_guard_take()
} bksi_guard_verdict;

/// Hold a channel to a peer. One that the peer has made already is taken over.
/// @param identity  the peer that we want to find there, NULL: any that has the match key
/// @param calls     the first message is ours to send
/// @return the channel, 0 when all are held
bksi_channel bksi_guard_bind(bksi_guard *guard, const bks_address *address, const uint8_t *identity,
                             bool calls);

/// Hold a channel that a peer made.
void bksi_guard_hold(bksi_guard *guard, bksi_channel channel);

/// The channel may be given to somebody else when room is needed; until then its keys are good.
void bksi_guard_unhold(bksi_guard *guard, bksi_channel channel);

/// Give a channel up with its keys. 0 is allowed.
void bksi_guard_release(bksi_guard *guard, bksi_channel channel);

/// The peer does not answer under our keys: call anew, if the first message is ours.
void bksi_guard_renew(bksi_guard *guard, bksi_channel channel);

/// A peer's number, under which packets of it may come carried; and whether it is to be called by
/// carriers, too. Nothing carried is taken of a peer without one.
void bksi_guard_set_detour(bksi_guard *guard, bksi_channel channel, uint32_t peer, bool is_on);

/// The identity at the other end, BKSI_IDENTITY_BYTES; NULL when not known yet or no channel.
const uint8_t *bksi_guard_identity(const bksi_guard *guard, bksi_channel channel);

/// Where the other end is; length 0 for no channel.
bks_address bksi_guard_address(const bksi_guard *guard, bksi_channel channel);

/// When anything that passed its checks last came on a channel, a repeated packet of a handshake
/// too; 0 for no channel.
uint64_t bksi_guard_heard_ns(const bksi_guard *guard, bksi_channel channel);

/// When the peer last answered a first message of ours; 0: never, or no channel. What we said
/// before may have gone in a first message: which of its copies came is not known, nor whether the
/// peer took one of somebody else's in our name.
uint64_t bksi_guard_answered_ns(const bksi_guard *guard, bksi_channel channel);

/// How long after that message had first gone: a round trip takes no longer. 0 as above.
uint64_t bksi_guard_answer_took_ns(const bksi_guard *guard, bksi_channel channel);

/// The next message of the packet that was taken; valid until the next packet.
bool bksi_guard_take(bksi_guard *guard, bksi_guard_message *message);

// ---- for guard.c and handshake.c ----

/// A peer's static public key, shortened.
void bksi_guard_identity_of(const uint8_t *open, uint8_t identity[BKSI_IDENTITY_BYTES]);
bksi_guard_channel *bksi_guard_channel_of(const bksi_guard *guard, bksi_channel channel);
bksi_guard_channel *bksi_guard_channel_by_identity(bksi_guard *guard, const uint8_t *identity);
/// A free one, or one that is not held; NULL when all are held.
bksi_guard_channel *bksi_guard_channel_new(bksi_guard *guard);
/// Whether one of a channel's handshakes stands so.
static inline bool bksi_guard_is_at(const bksi_guard_channel *channel, bksi_guard_stage stage)
{
    return channel->handshakes[BKSI_GUARD_STRAIGHT].stage == stage ||
           channel->handshakes[BKSI_GUARD_CARRIED].stage == stage;
}
/// 32 bytes that no one can foresee, never the same again.
void bksi_guard_draw(bksi_guard *guard, uint8_t out[BKSI_NOISE_KEY_BYTES]);
/// Take the messages that a handshake carried, at these places of `plain`.
void bksi_guard_offer(bksi_guard *guard, bksi_channel channel, bool is_proven, size_t at,
                      size_t end);

// ---- handshake.c, for guard.c ----

/// One of the three messages of a handshake came.
bksi_guard_verdict bksi_handshake_receive(bksi_guard *guard, uint64_t now_ns,
                                          const bksi_guard_place *from, const uint8_t *packet,
                                          size_t count);
/// The session has something to send where there are no keys to use.
void bksi_handshake_wanted(bksi_guard_channel *channel, uint64_t now_ns);
/// When the packet of a handshake, or a knock, must go again; UINT64_MAX: when asked for.
uint64_t bksi_handshake_repeats_at(const bksi_guard_channel *channel, uint32_t way);
/// The packet a handshake owes, made if there is none yet.
size_t bksi_handshake_write(bksi_guard *guard, bksi_guard_channel *channel, uint32_t way,
                            uint64_t now_ns, uint8_t *packet);

#endif
