// SPDX-License-Identifier: MIT

// Two peers play a match. One of them, the victim, gets the other's packets spoiled, forged or not
// at all. Whatever it gets, its operations must be right: steps come in order, loaded snapshots
// were saved before, inputs lie within their ranges, and every update ends. Published hashes must
// be those of a straight run over the confirmed inputs.
//
// The input: two bytes of config, then records. A record is an operation with a few bits of its own
// (1 byte) and its arguments, see play().

#include <stdlib.h>
#include <string.h>

#include "command_claims.h"
#include "session/inside.h"
#include "session/queries.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define TICK_NS UINT64_C(17000000)

/// Bound of the operations in an update, above those of a window that is resimulated, saved and
/// hashed.
#define OPS_MAX 2000u

#define COMMAND_BYTES 500u ///< largest command
#define SHAPES        60u  ///< number of windows, save policies and paces together

static const bks_field fields[] = {
    {.name = "move", .bits = 9, .is_signed = true, .neutral = 3},
    {.name = "jump", .bits = 1, .predictor = BKS_PREDICT_RELEASE},
};

/// One peer and its game, whose state is one number.
typedef struct side {
    bks_session *session;
    bks_address address;
    uint64_t state;
    bks_tick tick;
    bks_tick sampled; ///< next tick to be sampled
    bool has_state;
    uint32_t players; ///< number of players that the state was made for
    uint64_t slots[BKS_SLOTS_MAX];
    bks_tick slot_ticks[BKS_SLOTS_MAX];
    bks_tick kept_ticks[BKS_KEPT_SLOTS_MAX];
    uint64_t straight; ///< state of tick `straight_tick` in a run over confirmed inputs alone
    bks_tick straight_tick;
} side;

typedef struct match {
    side sides[2]; ///< the victim, then the other peer
    uint64_t now_ns;
    const uint8_t *bytes; ///< remaining bytes of the fuzzer's input
    size_t count;
    bool has_commands;
    uint32_t ticks; ///< ticks passed
} match;

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static uint8_t take(match *m)
{
    if (m->count == 0) {
        return 0;
    }
    m->count--;
    return *m->bytes++;
}

// ---- checks of operations ----

/// @param commands  by player; NULL: none
static uint64_t next_state(uint64_t state, const int32_t *inputs, const bks_commands *commands,
                           uint32_t players)
{
    for (uint32_t p = 0; p < players; p++) {
        must(commands == NULL || bksi_commands_are_framed(&commands[p], COMMAND_BYTES));
        for (uint32_t i = 0; commands != NULL && i < commands[p].count; i++) {
            state = (state ^ commands[p].bytes[i]) * UINT64_C(0x100000001B3);
        }
        const int32_t *input = inputs + (size_t)p * 2;
        must(input[0] >= -256 && input[0] <= 255);
        must(input[1] == 0 || input[1] == 1);
        state = (state ^ (uint64_t)(input[0] * 2 + input[1])) * UINT64_C(0x9E3779B97F4A7C15) + 1;
    }
    return state;
}

static void step(side *s, const bks_op *op)
{
    bks_roster roster;
    must(bks_session_roster(s->session, &roster) == BKS_OK);
    must(op->tick == s->tick);
    must(op->inputs != NULL && roster.players == s->players);
    s->state = next_state(s->state, op->inputs, op->commands, s->players);
    s->tick++;
}

/// Check that published hashes are those of a straight run over the confirmed inputs.
static void check_published(side *s)
{
    bks_tick published = bks_session_published(s->session);
    must(published <= bks_session_confirmed(s->session));
    while (s->straight_tick < published) {
        int32_t inputs[BKS_PLAYERS_MAX * 2];
        must(bks_session_inputs(s->session, s->straight_tick, inputs) == BKS_OK);
        bks_commands commands[BKS_PLAYERS_MAX];
        const bool has_any = bksi_session_commands(s->session, s->straight_tick, commands);
        s->straight = next_state(s->straight, inputs, has_any ? commands : NULL, s->players);
        s->straight_tick++;
        uint64_t hash = 0;
        if (bks_session_hash(s->session, s->straight_tick, &hash) == BKS_OK) {
            must(hash == s->straight);
        }
    }
}

/// Answer a look-up in a kept state, and check that the state is kept and the result has room.
static void look_up(const side *s, const bks_op *op, bks_op_result *result)
{
    static const uint32_t parts[4 * 64] = {1};
    static const uint8_t blocks[12 * 64] = {1};
    must(op->keep < bks_session_kept_slots(s->session) && s->kept_ticks[op->keep] == op->tick);
    must(op->look->count <= (op->kind == BKS_OP_PARTS ? 4 : 12));
    must(op->kind == BKS_OP_PARTS ? op->look->shift <= 24 && op->look->shift % 6 == 0
                                  : op->look->count > 0);
    must(op->kind != BKS_OP_NAME || (op->look->bytes != NULL && op->look->state_bytes > 0));
    result->state_bytes = 100;
    result->parts = parts;
    result->bytes = blocks;
}

static void carry_out(side *s, const bks_op *op)
{
    bks_op_result result = {0};
    int32_t input[2] = {op->tick / 3 % 200, op->tick & 1};
    must(s->has_state == (op->kind != BKS_OP_START));
    switch (op->kind) {
    case BKS_OP_START:
        must(op->players >= 1 && op->players <= BKS_PLAYERS_MAX);
        s->has_state = true;
        s->players = op->players;
        break;
    case BKS_OP_SAMPLE:
        must(op->tick == s->sampled++);
        result.input = input;
        break;
    case BKS_OP_SAVE:
        must(op->slot < bks_session_slots(s->session) && op->tick == s->tick);
        s->slots[op->slot] = s->state;
        s->slot_ticks[op->slot] = s->tick;
        break;
    case BKS_OP_LOAD:
        must(op->slot < bks_session_slots(s->session));
        must(s->slot_ticks[op->slot] == op->tick && op->tick <= s->tick);
        s->state = s->slots[op->slot];
        s->tick = op->tick;
        break;
    case BKS_OP_STEP:
        step(s, op);
        break;
    case BKS_OP_HASH:
        must(op->tick == s->tick);
        result.hash = s->state;
        if (op->keep != BKS_KEEP_NONE) {
            must(op->keep < bks_session_kept_slots(s->session));
            s->kept_ticks[op->keep] = op->tick;
            result.is_kept = true;
        }
        break;
    case BKS_OP_RANGES:
        must(op->tick == 0 && s->tick == 0);
        result.hashes = &s->state;
        result.hash_count = 1;
        break;
    case BKS_OP_PARTS:
    case BKS_OP_READ:
    case BKS_OP_NAME:
        look_up(s, op, &result);
        break;
    case BKS_OP_WRITE: // this game cannot write its states: state_bytes stays 0
    case BKS_OP_RESTORE:
    case BKS_OP_CHECK:
        must(op->keep < bks_session_kept_slots(s->session));
        break;
    case BKS_OP_PREDICT: // only sessions with custom_prediction ask for it
        must(false);
        break;
    }
    must(bks_session_done(s->session, op, &result) == BKS_OK);
}

static void update(side *s, uint64_t now_ns)
{
    must(bks_session_update(s->session, now_ns) == BKS_OK);
    bks_op op;
    uint32_t ops = 0;
    while (bks_session_next(s->session, &op)) {
        carry_out(s, &op);
        must(++ops < OPS_MAX);
    }
    must(!s->has_state || s->tick == bks_session_tick(s->session));
    check_published(s);
    bks_event event;
    while (bks_session_event(s->session, &event)) {
        must(memchr(event.text, 0, sizeof(event.text)) != NULL);
    }
}

// ---- packets ----

/// Hand over a packet in a copy of exactly its size, so that reads behind its end are found.
static void hand_over(match *m, uint32_t to, const bks_address *from, const uint8_t *packet,
                      size_t count)
{
    uint8_t *exact = malloc(count > 0 ? count : 1);
    must(exact != NULL);
    memcpy(exact, packet, count);
    must(bks_session_receive(m->sides[to].session, m->now_ns, from, exact, count) == BKS_OK);
    free(exact);
}

/// Change bytes: the input of the fuzzer gives the places and values.
static void spoil(match *m, uint8_t *bytes, size_t count, uint32_t changes)
{
    for (uint32_t i = 0; i < changes && count > 0; i++) {
        size_t at = take(m) % count;
        bytes[at] ^= take(m);
    }
}

/// Change the contents of a packet, and deliver it to the victim under a right seal.
static void spoil_inside(match *m, const uint8_t *packet, size_t count, uint32_t changes)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    size_t body_bytes = 0;
    bks_session *victim = m->sides[0].session;
    uint32_t type = inside_read(victim, packet, count, body, &body_bytes);
    if (type == 0) {
        hand_over(m, 0, &m->sides[1].address, packet, count);
        return;
    }
    spoil(m, body, body_bytes, changes);
    inside_say(victim, m->now_ns, m->sides[1].session, type, body, body_bytes);
}

typedef enum way {
    WAY_CLEAN,
    WAY_LOST,
    WAY_SPOILED, ///< contents changed, under a right seal
    WAY_DAMAGED, ///< bytes of the sealed packet changed
} way;

/// Give commands now and then: a few bytes, or a burst, which takes the lane.
static void give_commands(const match *m, uint32_t index)
{
    static const uint8_t bytes[COMMAND_BYTES] = {7, 1, 2};
    const uint32_t turn = m->ticks + 5 * index;
    const size_t count = turn % 40 == 0 ? COMMAND_BYTES : 1 + turn % 30;
    for (uint32_t i = 0; m->has_commands && turn % 4 == 0 && i < (turn % 40 == 0 ? 3u : 1u); i++) {
        const bks_status status = bks_session_command(m->sides[index].session, 0, bytes, count);
        must(status == BKS_OK || status == BKS_ERR_FULL || status == BKS_OVER);
    }
}

/// Let a tick pass on both sides. `to_victim` is how the other's packets reach the victim.
static void pass_tick(match *m, way to_victim, uint32_t changes)
{
    m->now_ns += TICK_NS;
    m->ticks++;
    for (uint32_t i = 0; i < 2; i++) {
        give_commands(m, i);
        update(&m->sides[i], m->now_ns);
        uint8_t packet[BKS_PACKET_BYTES_MAX];
        bks_address to;
        size_t count;
        while ((count = bks_session_send(m->sides[i].session, &to, packet, sizeof(packet))) > 0) {
            must(count <= BKS_PACKET_BYTES_MAX);
            if (!bks_address_equal(&to, &m->sides[1 - i].address) ||
                (i == 1 && to_victim == WAY_LOST)) {
                continue;
            }
            if (i == 1 && to_victim == WAY_SPOILED) {
                spoil_inside(m, packet, count, changes);
                continue;
            }
            if (i == 1 && to_victim == WAY_DAMAGED) {
                spoil(m, packet, count, changes);
            }
            hand_over(m, 1 - i, &m->sides[i].address, packet, count);
        }
    }
}

/// Deliver any message (type, length, body), or any packet (length, bytes), to the victim.
static void make_up(match *m, bool is_known, bool is_inside)
{
    static const bks_address stranger = {.length = 1, .bytes = {9}};
    uint32_t type = is_inside ? take(m) & 15 : 0;
    size_t most = is_inside ? BKSI_BODY_BYTES_MAX : BKS_PACKET_BYTES_MAX;
    size_t count = take(m) + (size_t)take(m) % 4 * 256;
    count = count < m->count ? count : m->count;
    count = count < most ? count : most;
    if (is_inside) {
        inside_say(m->sides[0].session, m->now_ns, is_known ? m->sides[1].session : NULL, type,
                   m->bytes, count);
    } else {
        hand_over(m, 0, is_known ? &m->sides[1].address : &stranger, m->bytes, count);
    }
    m->bytes += count;
    m->count -= count;
}

static match *playing; ///< match whose bytes take_next() takes

static uint32_t take_next(void)
{
    return take(playing);
}

/// Deliver made-up commands, or bytes of the lane, of the other peer to the victim.
static void make_up_commands(match *m, bool is_lane)
{
    told_commands told = {0};
    playing = m;
    tell_made_up_commands(m->sides[0].session, m->sides[1].session, take_next, is_lane, &told);
    playing = NULL;
}

/// Carry out one record. The lowest 3 bits of its first byte are the operation, the others a
/// number.
static void play(match *m)
{
    uint8_t what = take(m);
    uint32_t more = what >> 3;
    switch (what & 7) {
    case 0: // ticks without interference
        for (uint32_t i = 0; i <= more; i++) {
            pass_tick(m, WAY_CLEAN, 0);
        }
        break;
    case 1: // ticks without a packet
        for (uint32_t i = 0; i <= more; i++) {
            pass_tick(m, WAY_LOST, 0);
        }
        break;
    case 2: // a tick whose messages are changed inside (where, by what)
        pass_tick(m, WAY_SPOILED, more);
        break;
    case 3: // a tick whose packets are changed (where, by what)
        pass_tick(m, WAY_DAMAGED, more);
        break;
    case 4: // any message of the other peer (type, length, body), or its commands
        if (m->has_commands && (more & 3) != 0) {
            make_up_commands(m, (more & 3) == 1);
        } else {
            make_up(m, true, true);
        }
        break;
    case 5: // any message of an unknown peer (type, length, body)
        make_up(m, false, true);
        break;
    case 6: // a packet of any bytes (length, bytes)
        make_up(m, (more & 1) != 0, false);
        break;
    default: // one long freeze
        m->now_ns += more * more * TICK_NS;
        break;
    }
}

static void create_side(side *s, uint32_t number, bool is_host, uint8_t shape, uint8_t more)
{
    static const uint32_t windows[] = {20, 0, 1, 8, 64};
    bks_session_config config = bks_session_config_default();
    config.game_name = "fuzz";
    config.fields = fields;
    config.field_count = 2;
    memset(config.key, 77, sizeof(config.key));
    memset(config.identity, 1 + (int)number, sizeof(config.identity));
    memset(config.entropy, 101 + (int)number, sizeof(config.entropy));
    config.nonce = 100 + number;
    config.is_host = is_host;
    config.host = (bks_address){.length = 1, .bytes = {(uint8_t)(number == 0 ? 2 : 1)}};
    config.command_bytes_max = shape >= 2 * SHAPES ? COMMAND_BYTES : 0;
    config.tuning.window_ticks = windows[shape % 5];
    config.tuning.save = (bks_save_policy)(shape / 5 % 4);
    config.tuning.pace = (bks_pace)(shape / 15 % 3);
    config.tuning.hash_every_ticks = (more & 2) != 0 ? 10 : BKS_AUTO;
    config.tuning.delay_ticks = (more & 4) != 0 ? more >> 5 : BKS_AUTO;
    config.ticks = (more & 8) != 0 ? 100 : 0;
    config.tuning.on_desync = (bks_on_desync)((more >> 4 & 3) % 3);
    s->address = (bks_address){.length = 1, .bytes = {(uint8_t)(number == 0 ? 1 : 2)}};
    const bool is_odd = number == 1 && (more & 0xe4) == 0xe0; // this peer begins with another state
    s->state = s->straight = is_odd ? 2 : 1;
    must(bks_session_create(&config, &s->session, NULL) == BKS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    match m = {.bytes = bytes, .count = count};
    uint8_t shape = take(&m);
    uint8_t more = take(&m);
    m.has_commands = shape >= 2 * SHAPES;
    bool victim_is_host = (more & 1) != 0;
    create_side(&m.sides[0], 0, victim_is_host, shape, more);
    create_side(&m.sides[1], 1, !victim_is_host, shape, more);
    for (uint32_t i = 0; i < 20 && (more & 16) != 0; i++) {
        pass_tick(&m, WAY_CLEAN, 0); // connect, and begin the match
    }
    while (m.count > 0) {
        play(&m);
    }
    for (uint32_t i = 0; i < 2; i++) {
        bks_session_destroy(m.sides[i].session);
    }
    return 0;
}
