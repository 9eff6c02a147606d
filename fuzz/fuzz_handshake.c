// SPDX-License-Identifier: MIT

// Two guards want to speak to each other. An attacker between them has the match key and sees every
// packet. He may drop, change, repeat and forge packets: handshake messages with any content under
// right keys, sealed packets, questions about addresses. Whatever he does:
// - no guard takes a message under another peer's name;
// - no address gets more bytes than came from it, unless its owner proved to be there;
// - once the attacker stops, the two guards speak.
// If the guards know each other, the attacker may also carry packets for them, and one direction of
// their own line may be cut.
//
// The input: one byte of config, then records. Bits of config: 1: the guards know each other's
// identity; 2: both call; 4 and 8: number of messages; 16: long messages; 32: the attacker carries
// packets; 64 and 128: packets sent straight to the first or second guard are lost. A record is an
// operation with a few bits of its own (1 byte) and its arguments, see play(). All keys are fixed.

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "net/guard.h"
#include "wire/carried.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define MS          UINT64_C(1000000)
#define TICK_NS     (50 * MS)
#define RENEW_NS    (3000 * MS)
#define FLYING_MAX  64u
#define LOG_MAX     32u
#define ADDRESSES   8u
#define CARRIED     0u ///< stands for an address in packets that the attacker carries
#define CARRIER     2u ///< number of the carrier as a peer
#define HELLO       1
#define ANSWER      2
#define FINISH      3
#define HEAD_BYTES  2u
#define CHECK_BYTES 16u
#define HALF_BYTES  (CHECK_BYTES / 2)  ///< bytes of each of the two checks of an ANSWER
#define TAIL_BYTES  (2u + CHECK_BYTES) ///< age of a handshake message, and the check behind it
#define AGE_NS      (MS / 10)          ///< unit of the age in a handshake message

typedef struct packet {
    uint32_t from, to; ///< numbers of addresses
    size_t count;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
} packet;

/// One of the two guards. Its address is its number + 1, and its messages begin with A or B.
typedef struct side {
    bksi_guard guard;
    bksi_channel channel; ///< 0: no call yet
    bool is_called;       ///< waiting for any caller that has the match key
    uint32_t heard;
    uint64_t heard_ns;
} side;

static side sides[2];
static bksi_guard member; ///< the attacker's keys; it sends and receives nothing itself
static bksi_noise first;  ///< handshake of the attacker's own call
static bksi_noise second; ///< `first` after the answer to that call
static bool is_answered;
static uint32_t answered_channel;
static bksi_seal sealed; ///< seal with the keys of the attacker's channel
static bool is_open;
static uint64_t token; ///< token of the newest question about the attacker's address
static uint32_t victim;
static packet flying[FLYING_MAX];
static size_t flying_count;
static packet logged[LOG_MAX];
static uint32_t logged_count;
static size_t came[2][ADDRESSES]; ///< bytes received, by side and sender
static size_t went[2][ADDRESSES]; ///< bytes sent, by side and receiver
static bool is_asked[ADDRESSES];  ///< a guard sent a question to the address
static bool is_proven_at[ADDRESSES];
static uint8_t ages[2][UINT16_MAX / 8 + 1]; ///< ages that each side gave its packets, as bits
static bool may_carry_to[2]; ///< by side: it calls the other, or the other has proved itself
static uint8_t config;
static uint64_t now_ns;
static const uint8_t *bytes_left;
static size_t count_left;

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static uint8_t take(void)
{
    if (count_left == 0) {
        return 0;
    }
    count_left--;
    return *bytes_left++;
}

/// Take a count and as many of the fuzzer's bytes, at most `most`. None is A or B, with which the
/// messages of the two guards begin.
static size_t take_some(uint8_t *out, size_t most)
{
    size_t count = take() + (size_t)(take() & 3) * 256;
    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++) {
        out[i] = take();
        out[i] = out[i] == 'A' || out[i] == 'B' ? 'M' : out[i];
    }
    return count;
}

static bool is_carrying(void)
{
    return (config & 33) == 33;
}

/// Return true if packets reach a side only through the carrier.
static bool is_cut(uint32_t index)
{
    return is_carrying() && (config & (64u << index)) != 0;
}

static bks_address address(uint32_t number)
{
    return (bks_address){.length = 4, .bytes = {10, 0, 0, (uint8_t)number}};
}

// ---- messages that the guards receive ----

/// Check the age of a message: only a proven message has one, and its sender must have given it.
static void check_age(uint32_t index, const bksi_guard_message *message)
{
    const uint64_t age = message->age_ns / AGE_NS;
    must(age <= UINT16_MAX && age * AGE_NS == message->age_ns);
    must(age == 0 || message->is_proven);
    must(age == 0 || (ages[1 - index][age / 8] >> age % 8 & 1) != 0);
}

static void check_message(uint32_t index, const bksi_guard_message *message)
{
    side *s = &sides[index];
    uint32_t sum = 0; // reads every byte
    for (size_t i = 0; i < message->body_bytes; i++) {
        sum += message->body[i];
    }
    must(message->type > BKSI_PACKET_HANDSHAKE && message->type < BKSI_PACKET_ADDRESS);
    must(sum <= 255 * message->body_bytes);
    must(!message->is_carried || message->type != BKSI_PACKET_CARRIED);
    const uint8_t *identity = bksi_guard_identity(&s->guard, message->channel);
    must(identity != NULL && memcmp(identity, s->guard.identity, BKSI_IDENTITY_BYTES) != 0);
    if (memcmp(identity, sides[1 - index].guard.identity, BKSI_IDENTITY_BYTES) != 0) {
        return;
    }
    check_age(index, message);
    if (s->channel == 0) {
        s->channel = message->channel;
        bksi_guard_hold(&s->guard, s->channel);
    }
    if (!message->is_proven) {
        return;
    }
    must(message->body_bytes > 0 && message->body[0] == (index == 0 ? 'B' : 'A'));
    s->heard++;
    s->heard_ns = now_ns;
}

/// Hand a side one packet, in a copy of exactly its size so that reads behind its end are found.
static void hand_over(uint32_t index, uint32_t from, const uint8_t *bytes, size_t count)
{
    if (from != CARRIED && is_cut(index)) {
        return;
    }
    side *s = &sides[index];
    bksi_guard_counts before = s->guard.counts;
    bks_address at = address(from);
    uint8_t *exact = malloc(count > 0 ? count : 1);
    must(exact != NULL);
    memcpy(exact, bytes, count);
    came[index][from] += count;
    if (from == CARRIED) {
        (void)bksi_guard_receive_carried(&s->guard, now_ns, 1 - index, CARRIER, exact, count);
    } else {
        (void)bksi_guard_receive(&s->guard, now_ns, &at, exact, count);
    }
    free(exact);
    bksi_guard_message message;
    while (bksi_guard_take(&s->guard, &message)) {
        check_message(index, &message);
    }
    bool is_proved = s->guard.counts.handshakes > before.handshakes ||
                     s->guard.counts.address_changes > before.address_changes;
    if (!is_proved) {
        return;
    }
    if (from == CARRIED) {
        must(s->guard.counts.handshakes > before.handshakes);
        may_carry_to[index] = true;
        return;
    }
    // A caller proves the address at which it got the answer, wherever its proof comes from.
    uint32_t there = s->guard.channels[bytes[0] & 15].address.bytes[3] % ADDRESSES;
    must(s->guard.counts.handshakes > before.handshakes || is_asked[there]);
    is_proven_at[there] = true;
}

/// Let the attacker learn from a packet for him: an answer to his call, or a token.
static void overhear(const packet *p)
{
    uint8_t plain[BKS_PACKET_BYTES_MAX];
    size_t count = 0;
    uint64_t number = 0;
    bool is_answer = p->count > HEAD_BYTES + TAIL_BYTES && p->bytes[0] >> 4 == 0 &&
                     p->bytes[1] == ANSWER && p->from == victim + 1;
    if (is_answer && first.done == 1) {
        second = first;
        is_answered = bksi_noise_read(&second, p->bytes + HEAD_BYTES,
                                      p->count - HEAD_BYTES - TAIL_BYTES, plain, &count);
        answered_channel = is_answered ? plain[0] & 15 : 0;
    }
    if (is_open && p->bytes[0] >> 4 == BKSI_PACKET_ADDRESS &&
        bksi_seal_open(&sealed, p->bytes, p->count, plain, &number) == BKSI_SEAL_TAKEN) {
        token = bksi_get_u64(plain + 1);
    }
}

// ---- messages that the guards send ----

static void note_age(uint32_t index, const packet *p)
{
    const bool has_age = p->count > HEAD_BYTES + TAIL_BYTES && p->bytes[0] >> 4 == 0 &&
                         (p->bytes[1] == ANSWER || p->bytes[1] == FINISH);
    const uint32_t age = has_age ? bksi_get_u16(p->bytes + p->count - TAIL_BYTES) : 0;
    ages[index][age / 8] |= (uint8_t)(1u << age % 8);
}

/// Send one packet of a guard, and check that it may go to this place. A session picks the route of
/// sealed packets itself: where a line is cut they go through the carrier.
static void send(uint32_t index, const bksi_guard_place *to, size_t count, bool is_sealed)
{
    packet *p = &flying[flying_count];
    bool is_carried = to->is_carried || (is_sealed && is_cut(1 - index));
    uint32_t at = is_carried ? CARRIED : to->address.bytes[3] % ADDRESSES;
    must(count <= BKS_PACKET_BYTES_MAX);
    must(!to->is_carried || (is_carrying() && count <= BKSI_CARRIED_PACKET_BYTES_MAX));
    bool is_question = count > 1 && p->bytes[0] >> 4 == BKSI_PACKET_ADDRESS;
    must(!to->is_carried || (to->peer == 1 - index && !is_question));
    went[index][at] += is_carried && is_sealed ? 0 : count;
    bool is_proven = is_carried ? may_carry_to[index] : is_proven_at[at];
    must(is_proven || went[index][at] <= came[index][at]);
    is_asked[at] |= is_question;
    p->count = count;
    note_age(index, p);
    p->from = is_carried ? CARRIED : index + 1;
    p->to = is_carried ? 2 - index : at;
    logged[logged_count++ % LOG_MAX] = *p;
    flying_count += flying_count + 1 < FLYING_MAX ? 1 : 0;
}

static void speak(uint32_t index)
{
    side *s = &sides[index];
    bksi_guard_place to;
    size_t count;
    while ((count = bksi_guard_repeat(&s->guard, now_ns, &to, flying[flying_count].bytes)) > 0) {
        send(index, &to, count, false);
    }
    uint8_t body[300] = {(uint8_t)(index == 0 ? 'A' : 'B'), 1, 2, 3};
    for (uint32_t i = 0; i <= (config >> 2 & 3); i++) {
        uint64_t number = 0;
        bool is_sealed = false;
        count = bksi_guard_send(&s->guard, now_ns, s->channel, BKSI_PACKET_LINK, body,
                                (config & 16) != 0 ? sizeof(body) : 16, &to,
                                flying[flying_count].bytes, &number, &is_sealed);
        if (count > 0) {
            send(index, &to, count, is_sealed);
        }
    }
    while ((count = bksi_guard_flush(&s->guard, now_ns, &to, flying[flying_count].bytes)) > 0) {
        send(index, &to, count, false);
    }
}

static void make_check(const uint8_t *key, const uint8_t *bytes, size_t count, uint8_t *check)
{
    (void)crypto_generichash(check, CHECK_BYTES, bytes, count, key, BKSI_NOISE_HASH_BYTES);
}

static void make_half(const uint8_t *key, const uint8_t *bytes, size_t count, uint8_t *half)
{
    uint8_t check[CHECK_BYTES];
    make_check(key, bytes, count, check);
    memcpy(half, check, HALF_BYTES);
}

/// Open the newest first message of a side with the keys of a member.
/// @return the message; NULL: there is none, or it cannot be opened
static const packet *open_hello(uint32_t index, bksi_noise *noise, uint8_t *payload)
{
    const packet *hello = NULL;
    for (uint32_t i = 0; i < LOG_MAX && i < logged_count; i++) {
        const packet *p = &logged[(logged_count - 1 - i) % LOG_MAX];
        bool is_its = p->from == CARRIED ? p->to == 2 - index : p->from == index + 1;
        if (hello == NULL && is_its && p->count == BKSI_HELLO_BYTES && p->bytes[0] == 0 &&
            p->bytes[1] == HELLO) {
            hello = p;
        }
    }
    size_t count = 0;
    *noise = member.start;
    return hello != NULL &&
                   bksi_noise_read(noise, hello->bytes + HEAD_BYTES,
                                   hello->count - HEAD_BYTES - CHECK_BYTES, payload, &count)
               ? hello
               : NULL;
}

/// Replace the check of a changed second message to a side by one that a member can make.
static void mend_answer(uint32_t index, packet *p)
{
    uint8_t payload[BKS_PACKET_BYTES_MAX];
    bksi_noise noise;
    if (p->count > HEAD_BYTES + TAIL_BYTES && p->bytes[1] == ANSWER &&
        open_hello(index, &noise, payload) != NULL) {
        make_half(noise.chain, p->bytes, p->count - HALF_BYTES, p->bytes + p->count - HALF_BYTES);
    }
}

/// Carry out what the attacker does to a packet on its way, and hand it over.
static void meddle(packet *p, uint8_t how)
{
    uint32_t to = p->to - 1;
    switch (how & 7) {
    case 1: // lost
        return;
    case 2: // changed, perhaps only in its age
        if ((how & 8) != 0 && p->count > HEAD_BYTES + TAIL_BYTES) {
            p->bytes[p->count - TAIL_BYTES] ^= take();
            mend_answer(to, p);
            break;
        }
        for (uint32_t i = 0; i <= how >> 5 && p->count > 0; i++) {
            size_t at = (take() | (size_t)take() << 8) % p->count;
            p->bytes[at] ^= take();
        }
        break;
    case 3: // cut
        p->count = (take() | (size_t)take() << 8) % (p->count + 1);
        break;
    case 4: // twice
        hand_over(to, p->from, p->bytes, p->count);
        break;
    case 5: // from another address
        p->from = 1 + (how >> 3) % (ADDRESSES - 1);
        break;
    case 6: // back to its sender
        to = 1 - to;
        break;
    case 7: // carried by the attacker
        p->from = CARRIED;
        break;
    default:
        break;
    }
    hand_over(to, p->from, p->bytes, p->count);
}

static void pass(bool is_meddled)
{
    now_ns += TICK_NS;
    speak(0);
    speak(1);
    size_t count = flying_count;
    flying_count = 0;
    for (size_t i = 0; i < count; i++) {
        static packet p;
        p = flying[i];
        if (p.to == 1 || p.to == 2) {
            meddle(&p, is_meddled ? take() : 0);
        } else {
            overhear(&p);
        }
    }
}

// ---- packets that the attacker makes up ----

/// Forge a first message, with any slot, named peer and payload.
static void say_hello(uint32_t more)
{
    static const size_t sizes[] = {BKSI_HELLO_BYTES, BKS_PACKET_BYTES_MAX, BKSI_HELLO_BYTES + 1,
                                   BKSI_HELLO_BYTES - 1};
    uint8_t payload[BKS_PACKET_BYTES_MAX] = {0};
    uint8_t ephemeral[BKSI_NOISE_KEY_BYTES];
    uint8_t packet_bytes[BKS_PACKET_BYTES_MAX];
    victim = more & 1;
    size_t size = sizes[more >> 1 & 3];
    payload[0] = take();
    uint8_t whom = take();
    const uint8_t *named = whom % 4 == 0   ? member.identity
                           : whom % 4 == 1 ? sides[1 - victim].guard.identity
                           : whom % 4 == 2 ? sides[victim].guard.identity
                                           : payload + 32;
    memcpy(payload + 1, named, BKSI_IDENTITY_BYTES);
    payload[1] ^= whom % 4 == 3 ? whom : 0;
    size_t payload_bytes = size - HEAD_BYTES - BKSI_NOISE_FIRST_BYTES - CHECK_BYTES;
    (void)take_some(payload + 1 + BKSI_IDENTITY_BYTES, payload_bytes - 1 - BKSI_IDENTITY_BYTES);
    bksi_guard_draw(&member, ephemeral);
    first = member.start;
    is_answered = false;
    packet_bytes[0] = 0;
    packet_bytes[1] = HELLO;
    size_t at = HEAD_BYTES + bksi_noise_write(&first, &member.own, ephemeral, payload,
                                              payload_bytes, packet_bytes + HEAD_BYTES);
    make_check(member.start.chain, packet_bytes, HEAD_BYTES + BKSI_NOISE_KEY_BYTES,
               packet_bytes + at);
    packet_bytes[at] ^= whom >> 7;
    hand_over(victim, (more & 16) != 0 ? CARRIED : 3 + (more >> 3 & 1), packet_bytes,
              at + CHECK_BYTES);
}

/// Forge a second message, as an answer to the newest first message of a side.
static void say_answer(uint32_t more)
{
    uint32_t index = more & 1;
    uint8_t payload[BKS_PACKET_BYTES_MAX];
    bksi_noise noise;
    const packet *hello = open_hello(index, &noise, payload);
    if (hello == NULL) {
        return;
    }
    bksi_noise opened = noise;
    size_t count = 0;
    uint8_t ephemeral[BKSI_NOISE_KEY_BYTES];
    uint8_t packet_bytes[BKS_PACKET_BYTES_MAX];
    bksi_guard_draw(&member, ephemeral);
    packet_bytes[0] = payload[0] & 15;
    packet_bytes[1] = ANSWER;
    payload[0] = take();
    count = 1 + take_some(payload + 1, BKS_PACKET_BYTES_MAX - HEAD_BYTES - BKSI_NOISE_SECOND_BYTES -
                                           TAIL_BYTES - 1);
    size_t at = HEAD_BYTES + bksi_noise_write(&noise, &member.own, ephemeral, payload, count,
                                              packet_bytes + HEAD_BYTES);
    packet_bytes[at++] = take(); // age of the message
    packet_bytes[at++] = take();
    make_half(noise.chain, packet_bytes, at, packet_bytes + at);
    at += HALF_BYTES;
    make_half(opened.chain, packet_bytes, at, packet_bytes + at);
    hand_over(index, hello->from == CARRIED ? CARRIED : hello->to, packet_bytes, at + HALF_BYTES);
}

/// Send the third message of the attacker's own call, and derive the keys of his channel.
static void say_finish(uint32_t more)
{
    if (!is_answered) {
        return;
    }
    uint8_t payload[BKS_PACKET_BYTES_MAX];
    uint8_t packet_bytes[BKS_PACKET_BYTES_MAX];
    uint8_t keys[2][BKSI_SEAL_KEY_BYTES];
    size_t count =
        take_some(payload, BKS_PACKET_BYTES_MAX - HEAD_BYTES - BKSI_NOISE_THIRD_BYTES - TAIL_BYTES);
    bksi_noise noise = second;
    packet_bytes[0] = (uint8_t)answered_channel;
    packet_bytes[1] = FINISH;
    size_t at = HEAD_BYTES + bksi_noise_write(&noise, &member.own, NULL, payload, count,
                                              packet_bytes + HEAD_BYTES);
    bksi_noise_split(&noise, keys[0], keys[1]);
    bksi_seal_begin(&sealed, keys[0], keys[1]);
    is_open = true;
    packet_bytes[at++] = take(); // age of the message
    packet_bytes[at++] = take();
    make_check(second.chain, packet_bytes, at, packet_bytes + at);
    hand_over(victim, 3 + (more & 1), packet_bytes, at + CHECK_BYTES);
}

/// Send a sealed packet with any type and body from any address: on the attacker's own channel, or
/// on the channel of one of the guards, as if that peer were hostile.
static void say_sealed(uint32_t more)
{
    uint32_t type = 1 + take() % 15;
    uint8_t where = take();
    uint32_t from = where >= 224 ? CARRIED : 1 + where % (ADDRESSES - 1);
    uint8_t body[BKSI_BODY_BYTES_MAX];
    uint8_t packet_bytes[BKS_PACKET_BYTES_MAX];
    size_t count = take_some(body, sizeof(body));
    if ((more & 1) != 0) {
        if (type == BKSI_PACKET_ADDRESS && (more & 2) != 0 && sizeof(body) >= 9) {
            body[0] = 1;
            bksi_put_u64(body + 1, token);
            count = 9;
        }
        size_t bytes = is_open ? bksi_seal_close(&sealed, (bksi_packet_type)type, answered_channel,
                                                 body, count, packet_bytes)
                               : 0;
        hand_over(victim, from, packet_bytes, bytes);
        return;
    }
    uint32_t index = more >> 1 & 1;
    bksi_guard_channel *slot = bksi_guard_channel_of(&sides[index].guard, sides[index].channel);
    bool is_theirs =
        slot != NULL && slot->is_open &&
        memcmp(slot->identity, sides[1 - index].guard.identity, BKSI_IDENTITY_BYTES) == 0;
    if (!is_theirs) {
        return;
    }
    body[0] = type == BKSI_PACKET_ADDRESS ? body[0] & 1 : index == 0 ? 'A' : 'B';
    count = count > 0 ? count : 1;
    size_t bytes = bksi_seal_close(&slot->seal, (bksi_packet_type)type, slot->remote_channel, body,
                                   count, packet_bytes);
    hand_over(1 - index, from, packet_bytes, bytes);
}

// ---- actions of the sessions that own the guards ----

static void bind(uint32_t index)
{
    side *s = &sides[index];
    bks_address there = address(2 - index);
    bool knows = (config & 1) != 0;
    bool calls = index == 0 || (knows && (config & 2) != 0);
    if (index == 1 && !knows && !calls) {
        return; // this side waits for a caller
    }
    s->channel =
        bksi_guard_bind(&s->guard, &there, knows ? sides[1 - index].guard.identity : NULL, calls);
    must(s->channel != 0);
    if (is_carrying()) {
        bksi_guard_set_detour(&s->guard, s->channel, 1 - index, true);
    }
    may_carry_to[index] |= calls;
}

static void act(uint32_t more)
{
    side *s = &sides[more & 1];
    if ((more & 2) != 0) {
        bksi_guard_renew(&s->guard, s->channel);
        return;
    }
    bksi_guard_release(&s->guard, s->channel);
    s->channel = 0;
    bind(more & 1);
}

/// Return the address that a made-up packet comes from, or CARRIED.
static uint32_t place_of(uint32_t more)
{
    return more >= 16 ? CARRIED : 1 + (more >> 1) % (ADDRESSES - 1);
}

/// Carry out one record. Its first byte modulo 10 is the operation; the rest of the byte is `more`.
static void play(void)
{
    uint8_t what = take();
    uint32_t more = what / 10;
    switch (what % 10) {
    case 0: // ticks without interference
        for (uint32_t i = 0; i <= more; i++) {
            pass(false);
        }
        break;
    case 1: // a tick in which the attacker meddles with every packet (how, arguments)
        pass(true);
        break;
    case 2: { // an earlier packet (which); `more` has receiver and source
        const packet *p = &logged[take() % LOG_MAX];
        hand_over(more & 1, place_of(more), p->bytes, p->count);
        break;
    }
    case 3: { // a packet of any bytes (length, bytes)
        uint8_t any[BKS_PACKET_BYTES_MAX];
        size_t count = take_some(any, sizeof(any));
        hand_over(more & 1, place_of(more), any, count);
        break;
    }
    case 4:
        say_hello(more);
        break;
    case 5:
        say_answer(more);
        break;
    case 6:
        say_finish(more);
        break;
    case 7:
        say_sealed(more);
        break;
    case 8:
        act(more);
        break;
    default: // time passes
        now_ns += more * more * 10 * MS;
        break;
    }
}

/// Check that both guards speak once the attacker has stopped. A guest that took the attacker for
/// its host is not checked.
static void assert_they_speak(void)
{
    const uint8_t *found = bksi_guard_identity(&sides[0].guard, sides[0].channel);
    if (found != NULL && memcmp(found, sides[1].guard.identity, BKSI_IDENTITY_BYTES) != 0) {
        must((config & 1) == 0);
        return;
    }
    uint32_t before[2] = {sides[0].heard, sides[1].heard};
    uint64_t until_ns = now_ns + 30000 * MS;
    sides[0].heard_ns = sides[1].heard_ns = now_ns;
    while (sides[0].heard == before[0] || sides[1].heard == before[1]) {
        pass(false);
        for (uint32_t i = 0; i < 2; i++) {
            if (now_ns - sides[i].heard_ns < RENEW_NS) {
                continue;
            }
            sides[i].heard_ns = now_ns;
            bksi_guard_renew(&sides[i].guard, sides[i].channel);
        }
        must(now_ns < until_ns);
    }
}

static void make_guard(bksi_guard *guard, uint8_t number)
{
    uint8_t key[32];
    uint8_t identity[32];
    uint8_t entropy[32];
    memset(key, 77, sizeof(key));
    memset(identity, number + 10, sizeof(identity));
    memset(entropy, number + 100, sizeof(entropy));
    bksi_guard_init(guard, key, identity, entropy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static bksi_guard fresh[3]; // made once, because computing keys is slow
    bytes_left = bytes;
    count_left = count;
    static bool is_made;
    if (!is_made) {
        is_made = true;
        for (uint8_t i = 0; i < 3; i++) {
            make_guard(&fresh[i], i);
        }
    }
    memset(sides, 0, sizeof(sides));
    sides[0].guard = fresh[0];
    sides[1].guard = fresh[1];
    member = fresh[2];
    memset(&first, 0, sizeof(first));
    memset(logged, 0, sizeof(logged));
    memset(came, 0, sizeof(came));
    memset(went, 0, sizeof(went));
    memset(is_asked, 0, sizeof(is_asked));
    memset(is_proven_at, 0, sizeof(is_proven_at));
    memset(may_carry_to, 0, sizeof(may_carry_to));
    memset(ages, 0, sizeof(ages));
    is_answered = is_open = false;
    flying_count = logged_count = victim = answered_channel = 0;
    token = 0;
    now_ns = 1000 * MS;
    config = take();
    is_proven_at[2] = true; // the session of side 0 names the address of side 1
    is_proven_at[1] = (config & 1) != 0;
    bind(0);
    bind(1);
    while (count_left > 0) {
        play();
    }
    assert_they_speak();
    return 0;
}
