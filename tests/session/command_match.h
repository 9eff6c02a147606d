// SPDX-License-Identifier: MIT

/// @file command_match.h
/// A match in which peers give commands and each notes those that it steps; and a peer that lies
/// about its commands. Before it includes this, a test says how large the match is:
///
///     enum { SEATS = 3, LONGEST = 900, TICKS = 600 };
///
/// SEATS is the most peers of a match, one seat each. LONGEST is the size of the largest command.

#ifndef TESTS_COMMAND_MATCH_H
#define TESTS_COMMAND_MATCH_H

#include <string.h>

#include "base/hash.h"
#include "session/inputs/blobs.h"
#include "session/inside.h"
#include "session/one_network.h"
#include "support/seed.h"
#include "wire/input_message.h"

/// Commands of a seat at a tick, as one peer stepped it last.
typedef struct stepped {
    uint32_t count;
    uint64_t hash;
} stepped;

static stepped seen[SEATS][TICKS][SEATS]; // by peer, tick and seat
static uint8_t given[SEATS][1 << 20];     // by seat: commands as a sequence
static uint32_t given_count[SEATS];

static const char *note(const toy_peer *peer, const bks_op *op)
{
    const size_t index = (size_t)(peer - network.peers);
    for (uint32_t seat = 0; op->kind == BKS_OP_STEP && seat < network.peer_count; seat++) {
        const bks_commands commands = op->commands != NULL ? op->commands[seat] : (bks_commands){0};
        seen[index][op->tick][seat] =
            (stepped){commands.count,
                      commands.count > 0 ? bksi_hash64(commands.bytes, commands.count, 0) : 0};
    }
    return NULL;
}

static inline void begin_match(uint32_t peers, uint64_t seed,
                               void (*tune)(bks_session_config *config, uint32_t peer))
{
    toy_create(&network, peers, seed, tune);
    memset(seen, 0, sizeof(seen));
    memset(given_count, 0, sizeof(given_count));
    for (uint32_t i = 0; i < peers; i++) {
        network.peers[i].fails = note;
    }
}

/// Let a seat give a command of random bytes.
static inline void give(uint32_t seat, uint32_t count)
{
    uint8_t *at = given[seat] + given_count[seat];
    at[0] = (uint8_t)count;
    at[1] = (uint8_t)(count >> 8);
    for (uint32_t i = 0; i < count; i++) {
        at[2 + i] = (uint8_t)seed_next();
    }
    if (bks_session_command(session_of(seat), 0, at + 2, count) == BKS_OK) {
        given_count[seat] += 2 + count;
    }
}

/// Return true if peers stepped the same commands of a seat, and these are the first that it gave.
/// @param peers      bits of the peers to compare
/// @param out_bytes  receives the number of bytes that were stepped
static inline bool is_same(uint32_t peers, bks_tick until, uint32_t seat, uint32_t *out_bytes)
{
    *out_bytes = 0;
    for (bks_tick tick = 0; tick < until; tick++) {
        const stepped *it = NULL;
        for (uint32_t i = 0; i < network.peer_count; i++) {
            if ((peers >> i & 1) == 0) {
                continue;
            }
            const stepped *other = &seen[i][tick][seat];
            it = it != NULL ? it : other;
            if (other->count != it->count || other->hash != it->hash) {
                return false;
            }
        }
        if (it->count > 0 && bksi_hash64(given[seat] + *out_bytes, it->count, 0) != it->hash) {
            return false;
        }
        *out_bytes += it->count;
    }
    return true;
}

/// Check the commands of all seats, and that those of some seats are complete.
/// @param complete  bits of seats
static inline void expect_same(uint32_t peers, bks_tick until, uint32_t complete)
{
    for (uint32_t seat = 0; seat < network.peer_count; seat++) {
        uint32_t bytes = 0;
        assert_true(is_same(peers, until, seat, &bytes));
        if ((complete >> seat & 1) != 0) {
            assert_int_equal(bytes, given_count[seat]);
        }
    }
}

/// Tell a peer something by an INPUT of a liar: its head, the first tick that it lacks, and, if the
/// head is beyond what the peer knows, one more tick with the same fields and this blob.
static inline void say_tick(uint32_t to, uint32_t liar, bks_tick head, bks_tick need,
                            const bksi_blob *blob)
{
    const bks_tick known = bksi_common_head(&session_of(to)->common, liar);
    const bksi_input_head said = {.head = head,
                                  .need = need,
                                  .first = known,
                                  .count = head > known ? 1 : 0,
                                  .hash.tick = BKS_TICK_NONE};
    uint8_t plain[BKSI_BODY_BYTES_MAX];
    bksi_bit_writer writer = bksi_bit_writer_over(plain, sizeof(plain));
    bksi_write_bits(&writer, 0, 1); // the fields are those of the tick before
    bksi_blobs_write(&writer, blob);
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, body, sizeof(body));
    bksi_input_head_write(&encoder, &said);
    if (said.count > 0) {
        bksi_range_encode(&encoder, BKSI_INPUT_CODED, 1);
        bksi_input_bits_write(&encoder, plain, writer.at_bits);
    }
    inside_say(session_of(to), network.now_ns, session_of(liar), BKSI_PACKET_INPUT, body,
               bksi_range_encoder_finish(&encoder));
}

/// Tell a peer that a liar sampled one more tick, with the same fields and this blob.
/// @return true if the peer took the tick
static inline bool is_taken_by(uint32_t to, uint32_t liar, const bksi_blob *blob)
{
    const session_common *victim = &session_of(to)->common;
    const bks_tick known = bksi_common_head(victim, liar);
    say_tick(to, liar, known + 1, bksi_common_head(victim, to), blob);
    return bksi_common_head(victim, liar) > known;
}

#endif
