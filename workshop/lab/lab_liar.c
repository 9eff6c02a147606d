// SPDX-License-Identifier: MIT

#include "lab/lab_liar.h"

#include <string.h>

#include "base/range_coder.h"
#include "input/command_packer.h"

/// Types of messages that contain inputs of their sender, one bit for each; in a game with commands
/// also those of its lane.
#define WITH_INPUTS   (1u << BKSI_PACKET_INPUT | 1u << BKSI_PACKET_CARRIED)
#define WITH_COMMANDS (1u << BKSI_PACKET_BULK)

static const uint8_t *lie_to(void *context, uint32_t to_peer, uint32_t player, bks_tick tick,
                             const uint8_t *truth, uint8_t *scratch)
{
    bksi_lab_liar *liar = context;
    if (liar->session == NULL || liar->is_about_commands || to_peer != liar->to_peer ||
        tick != liar->tick || player != bksi_inspect_own_player(liar->session)) {
        return truth;
    }
    const bksi_layout *layout = bksi_inspect_layout(liar->session);
    int32_t values[BKS_FIELDS_MAX];
    bksi_layout_unpack(layout, truth, values);
    values[0] = values[0] == layout->fields[0].neutral ? values[0] + 1 : layout->fields[0].neutral;
    bksi_layout_pack_clamped(layout, values, scratch);
    if (memcmp(scratch, truth, layout->bytes) == 0) {
        values[0] -= 2;
        bksi_layout_pack_clamped(layout, values, scratch);
    }
    liar->packets++;
    return scratch;
}

/// Change a message into one that no session would send: flip some bits, cut it, or make it up.
static size_t spoil(bksi_lab_liar *liar, uint32_t type, uint8_t *body, size_t count)
{
    bks_random *random = &liar->random;
    const uint32_t how = bks_random_below(random, 8);
    if (how == 0) {
        return 1 + bks_random_below(random, (uint32_t)count);
    }
    if (how == 1) {
        for (size_t i = 0; i < count; i++) {
            body[i] = (uint8_t)bks_random_below(random, 256);
        }
        return count;
    }
    if (how == 2 && liar->own[type].count > 0) {
        memcpy(body, liar->own[type].body, liar->own[type].count);
        return liar->own[type].count;
    }
    // Change bytes at the beginning, where a message has its fields.
    const uint32_t most = (uint32_t)(count < 24 || bks_random_below(random, 4) == 0 ? count : 24);
    for (uint32_t i = 1 + bks_random_below(random, 3); i > 0; i--) {
        body[bks_random_below(random, most)] ^= (uint8_t)(1u << bks_random_below(random, 8));
    }
    return count;
}

static uint32_t find_members(const bks_session *session)
{
    uint32_t members = 0;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        members |= bksi_inspect_has(session, i) ? 1u << i : 0;
    }
    return members;
}

/// Write empty runs of inputs, one for each leaver.
static void write_no_runs(bksi_bit_writer *writer, uint32_t leavers)
{
    for (; leavers != 0; leavers &= leavers - 1) {
        bksi_write_bits(writer, 0, 32);
        bksi_write_bits(writer, 0, 12);
        bksi_write_bits(writer, 0, 14);
    }
}

/// Make up a message about a view that lacks some peer, although the forger has no reason to drop
/// it.
static size_t make_up_view(bksi_lab_liar *liar, uint32_t to_peer, uint8_t *body)
{
    bks_random *random = &liar->random;
    const uint32_t members = find_members(liar->forger);
    uint32_t leavers = members & ~(1u << to_peer);
    for (uint32_t i = bks_random_below(random, 8); i > 0 && (leavers & (leavers - 1)) != 0; i--) {
        leavers &= leavers - 1;
    }
    leavers &= ~(leavers - 1);
    const bksi_view_name base = bksi_inspect_view_name(liar->forger);
    bks_tick heads[BKS_PEERS_MAX];
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const bool is_member = (members >> i & 1u) != 0;
        heads[i] = is_member ? bksi_inspect_head(liar->forger, i) : 0;
        heads[i] += (bks_tick)bks_random_below(random, 24);
    }
    bksi_bit_writer writer = bksi_bit_writer_over(body, BKSI_BODY_BYTES_MAX);
    const uint32_t kind = bks_random_below(random, 4);
    if (kind == BKSI_VIEW_PROPOSE) {
        bksi_propose message = {.base = base, .number = ++liar->ballots, .leavers = leavers};
        memcpy(message.heads, heads, sizeof(heads));
        bksi_propose_write(&writer, &message);
    } else if (kind == BKSI_VIEW_ANSWER) {
        bksi_answer message = {.base = base,
                               .number = bks_random_below(random, 3),
                               .leavers = leavers,
                               .frozen = leavers};
        memcpy(message.heads, heads, sizeof(heads));
        bksi_answer_write(&writer, &message);
        write_no_runs(&writer, leavers);
    } else if (kind == BKSI_VIEW_COMMIT) {
        bksi_commit message = {.base = base, .members = members & ~leavers, .leavers = leavers};
        memcpy(message.ends, heads, sizeof(heads));
        bksi_commit_write(&writer, &message);
        write_no_runs(&writer, leavers);
    } else {
        const uint32_t view = base.view + 1;
        bksi_gone message = {.view = view, .count = 1};
        message.hashes[view % BKSI_GONE_VIEWS_MAX] = base.hash + 1;
        message.members[view % BKSI_GONE_VIEWS_MAX] = members & ~(1u << to_peer) & ~leavers;
        bksi_gone_write(&writer, &message);
    }
    return bksi_bit_writer_bytes(&writer);
}

/// Make up a message of a type that the session does not send now.
static size_t make_up(bksi_lab_liar *liar, uint32_t to_peer, uint32_t type, uint8_t *body)
{
    bks_random *random = &liar->random;
    if (type == BKSI_PACKET_VIEW && bks_random_below(random, 4) != 0) {
        return make_up_view(liar, to_peer, body);
    }
    const size_t count = 1 + bks_random_below(random, 48);
    memset(body, 0, count);
    body[0] = (uint8_t)bks_random_below(random, 256);
    for (size_t i = 1; i < count; i++) {
        const bool is_zero = bks_random_below(random, 2) == 0;
        body[i] = (uint8_t)(is_zero ? 0 : bks_random_below(random, 256));
    }
    return count;
}

static bool forges(const bksi_lab_liar *liar, uint32_t type)
{
    return (liar->forged_types >> type & 1u) != 0;
}

static size_t forge(void *context, uint32_t to_peer, uint32_t *type, uint8_t *body, size_t count)
{
    bksi_lab_liar *liar = context;
    bks_random *random = &liar->random;
    liar->own[*type].count = count;
    memcpy(liar->own[*type].body, body, count);
    if (bks_random_below(random, liar->forged_every) != 0) {
        return count;
    }
    const bool is_view = forges(liar, BKSI_PACKET_VIEW) && bks_random_below(random, 2) == 0;
    const uint32_t other =
        is_view ? BKSI_PACKET_VIEW : 1 + bks_random_below(random, BKSI_PACKET_ADDRESS - 1);
    if (forges(liar, other) && *type == BKSI_PACKET_INPUT && bks_random_below(random, 4) == 0) {
        liar->forged++;
        *type = other;
        return make_up(liar, to_peer, other, body);
    }
    if (!forges(liar, *type) || count == 0) {
        return count;
    }
    liar->forged++;
    return spoil(liar, *type, body, count);
}

/// Now and then send commands that break the rules: without bytes, longer than any may be, or too
/// many. The first two break them only where a command begins. No peer may take their tick, so all
/// still agree.
static bksi_blob forge_commands(void *context, bks_tick tick, bool is_whole, const bksi_blob *truth)
{
    enum { MANY = 405 };
    static const uint8_t empty[] = {0, 0, 0};
    static const uint8_t longest[] = {255, 255, 0};
    static uint8_t many[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        many[i] = i % 3 == 0; // commands of one byte
    }
    const bksi_blob forged[] = {{.bytes = empty, .count = sizeof(empty)},
                                {.bytes = longest, .count = sizeof(longest)},
                                {.bytes = many, .count = MANY}};
    bksi_lab_liar *liar = context;
    const uint32_t drawn = bks_random_below(&liar->random, is_whole ? 32 : 512);
    if (truth->is_ahead || drawn >= 3 || (drawn < 2 && !is_whole)) {
        return *truth;
    }
    liar->forged++;
    liar->barred = liar->barred == 0 ? tick : liar->barred;
    return forged[drawn];
}

void bksi_lab_forge(bksi_lab_liar *liar, bks_session *session, bool has_commands, bks_tick from,
                    bks_random random)
{
    liar->is_forging = true;
    liar->types_with_inputs = WITH_INPUTS | (has_commands ? WITH_COMMANDS : 0);
    liar->forger = session;
    liar->random = random;
    liar->forged_types = bks_random_below(&liar->random, 1u << BKSI_PACKET_ADDRESS);
    if (bks_random_below(&liar->random, 3) != 0) {
        // Two of three forgers forge no messages with inputs, so that the other peers must still
        // agree.
        liar->forged_types &= ~liar->types_with_inputs;
    }
    liar->forged_every = 1 + bks_random_below(&liar->random, 4);
    liar->forged_from = from;
    liar->hook.input = lie_to;
    liar->hook.forge = forge;
    liar->hook.commands = forge_commands;
    liar->hook.context = liar;
    bksi_inspect_equivocate(session, &liar->hook);
}

bool bksi_lab_forges_inputs(const bksi_lab_liar *liar, bool is_another_gone)
{
    const uint32_t types = liar->types_with_inputs | (is_another_gone ? 1u << BKSI_PACKET_VIEW : 0);
    return liar->is_forging && (liar->forged_types & types) != 0;
}

bool bksi_lab_took_barred(const bksi_lab_liar *liar, bks_tick end)
{
    return liar->barred > 0 && end > liar->barred && !bksi_lab_forges_inputs(liar, false);
}

void bksi_lab_lie(bksi_lab_liar *liar, bks_session *session, bks_tick tick, uint32_t to_peer)
{
    liar->session = session;
    liar->tick = tick;
    liar->to_peer = to_peer;
    liar->hook.input = lie_to;
    liar->hook.context = liar;
    liar->hook.to_peers |= 1u << to_peer;
    bksi_inspect_equivocate(session, &liar->hook);
}

// ---- lies about commands ----

/// Return true if a blob has whole commands alone. The tick before it must end with a whole one.
static bool has_whole_commands(const bksi_blob *blob)
{
    uint32_t at = 0;
    while (!blob->is_ahead && at + BKSI_COMMAND_HEAD_BYTES <= blob->count) {
        at += BKSI_COMMAND_HEAD_BYTES + blob->bytes[at] + 256u * blob->bytes[at + 1];
    }
    return blob->count > 0 && at == blob->count;
}

/// Choose the tick of a lie about commands when it is sampled. All get the true ones packed.
static bksi_blob choose_tick(void *context, bks_tick tick, bool is_whole, const bksi_blob *truth)
{
    bksi_lab_liar *liar = context;
    if (liar->tick == BKS_TICK_NONE && is_whole && has_whole_commands(truth)) {
        liar->tick = tick;
    }
    return *truth;
}

/// Pack a blob without a model, because the receiver's model has learnt another blob than ours. See
/// docs/spec/input-codec.md.
static bksi_blob pack_without_model(const bksi_blob *blob, uint8_t *bytes)
{
    enum { BY_MODEL = 64512, COUNT_ORDER = 5 };
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, bytes, blob->count + BKSI_PACKED_EXTRA_BYTES);
    bksi_range_encode(&encoder, BY_MODEL, 1);
    bksi_range_encode_number(&encoder, blob->count - 1, COUNT_ORDER);
    for (uint32_t i = 0; i < blob->count; i++) {
        bksi_range_encode_bits(&encoder, blob->bytes[i], 8);
    }
    return (bksi_blob){.bytes = bytes, .count = (uint32_t)bksi_range_encoder_finish(&encoder)};
}

static bksi_blob lie_in_blob(void *context, uint32_t player, bks_tick tick, const bksi_blob *truth,
                             const bksi_blob *packed, uint8_t *bytes)
{
    bksi_lab_liar *liar = context;
    if (liar->tick == BKS_TICK_NONE || tick < liar->tick || truth->count == 0 || truth->is_ahead ||
        player != bksi_inspect_own_player(liar->session)) {
        return *packed;
    }
    uint8_t other[BKSI_BODY_BYTES_MAX];
    memcpy(other, truth->bytes, truth->count);
    if (tick == liar->tick) {
        other[truth->count - 1] ^= 1; // in the last command, as no command is empty
        liar->packets++;
    }
    return pack_without_model(&(bksi_blob){.bytes = other, .count = truth->count}, bytes);
}

void bksi_lab_lie_in_commands(bksi_lab_liar *liar, bks_session *session, uint32_t to_peer)
{
    bksi_lab_lie(liar, session, BKS_TICK_NONE, to_peer);
    liar->is_about_commands = true;
    liar->hook.commands = choose_tick;
    liar->hook.blob = lie_in_blob;
}

bks_tick bksi_lab_lie_tick(const bksi_lab_liar *liar)
{
    return liar->session != NULL ? liar->tick : BKS_TICK_NONE;
}
