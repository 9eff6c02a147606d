// SPDX-License-Identifier: MIT

// Inputs on the wire: every packet carries all inputs from the first one the peer has not
// acknowledged to the newest, so nothing ever waits for a retransmission [Fiedler; INVERSUS, Input
// Communication].

#include "session/inputs/exchange.h"

#include "base/assert.h"
#include "base/mutant.h"
#include "session/common/heads.h"
#include "wire/carried.h"

/// Most bytes of plain inputs: a body less its head and how many bits there are, and what a bit at
/// an even chance takes more than one.
#define PLAIN_BYTES_MAX (BKSI_MESSAGE_BYTES_MAX - BKSI_INPUT_HEAD_BYTES_MAX - 24u)

/// Inputs beyond one packet continue in the next ones for a round trip and this long.
#define RUN_PATIENCE_NS (60 * NS_PER_MS)

void bksi_exchange_begin(session_exchange *exchange, bks_tick first)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        exchange->peers[i].need = first;
    }
}

/// The inputs of a message, coded or plain.
static bool take_inputs(session_inputs *inputs, session_common *common, uint32_t index,
                        bksi_range_decoder *decoder, const bksi_input_head *head)
{
    bks_tick limit = bksi_membership_is_frozen(&common->membership, index) ? 0 : INT32_MAX;
    if (head->count == 0) {
        return true;
    }
    if (bksi_range_decode(decoder, BKSI_INPUT_CODED) == 0) {
        return bksi_runs_decode(&inputs->runs, common, decoder, index, head->first, head->count,
                                limit);
    }
    uint8_t scratch[BKSI_BODY_BYTES_MAX];
    bksi_bit_reader reader = bksi_bit_reader_over(scratch, sizeof(scratch));
    reader.count_bits = bksi_input_bits_read(decoder, scratch, sizeof(scratch));
    return reader.count_bits != SIZE_MAX &&
           bksi_runs_read_inputs(&inputs->runs, common, &reader, index, head->first, head->count,
                                 limit);
}

/// A liar decided both views, or the host sent two rosters: we do not play with that peer.
static void quit(session_common *common, uint32_t index, uint32_t view)
{
    if (view == 0 && !bksi_goodbyes_has_quit(&common->goodbyes, index)) {
        bksi_events_raise_other_roster(&common->events, index, common->seats.first_tick);
    }
    bksi_goodbyes_quit(&common->goodbyes, PEER_BIT(index));
}

/// Whether a peer that stands there plays the same match. It says which until we have inputs of it.
static bool is_of_our_match(session_common *common, uint32_t index,
                            const bksi_input_standing *standing)
{
    if (standing->view == 0 && standing->view_hash == 0) {
        return bksi_heads_of(common, index) > common->seats.first_tick;
    }
    if (bksi_membership_knows(&common->membership, standing->view, standing->view_hash)) {
        return true;
    }
    quit(common, index, standing->view);
    return false;
}

/// Whether what an INPUT says of the match's end can be. It counts from the host alone.
static bool take_stop(session_common *common, uint32_t index, bks_tick stop)
{
    return bksi_membership_speaker(&common->membership) != index ||
           bksi_ending_take(&common->ending, &common->seats, &common->events, &common->engine,
                            index, stop);
}

bool bksi_exchange_receive(session_exchange *exchange, session_inputs *inputs,
                           session_common *common, uint32_t index, const uint8_t *body,
                           size_t count, session_input_news *news)
{
    news->is_sound = false;
    news->known = bksi_heads_of(common, index);
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, body, count);
    bksi_input_head *head = &news->head;
    if (!bksi_input_head_read(&decoder, common->seats.first_tick, news->known, head) ||
        head->need > bksi_heads_own(common)) {
        return false;
    }
    if (!is_of_our_match(common, index, &head->standing) ||
        !take_stop(common, index, head->standing.stop)) {
        return false;
    }
    news->is_sound = true;
    bksi_membership_seen(&common->membership, index, head->standing.view);
    bksi_liveness_echo(&inputs->liveness, common, index, head->has_echo ? &head->echo : NULL);
    bksi_exchange_acknowledge(exchange, index, head->need);
    if (!take_inputs(inputs, common, index, &decoder, head)) {
        return false;
    }
    bksi_links_count_received(&common->links, index);
    return true;
}

void bksi_exchange_acknowledge(session_exchange *exchange, uint32_t index, bks_tick tick)
{
    bks_tick *need = &exchange->peers[index].need;
    *need = tick > *need ? tick : *need;
}

/// First tick to send: the oldest one that the peer lacks and we still have. What does not fit one
/// packet goes in several, one after the other; and where packets are to be small, the newest go
/// twice in a row. When the first of these should be acknowledged, losses show, and all goes again.
static bks_tick first_to_send(session_exchange *exchange, const session_common *common,
                              uint32_t index, bks_tick head)
{
    session_exchange_peer *peer = &exchange->peers[index];
    uint64_t trip_ns = (uint64_t)bksi_links_round_trip_ns(&common->links, index) + RUN_PATIENCE_NS;
    bks_tick oldest = head - bksi_rollback_capacity(&common->engine) + 1;
    bks_tick first = peer->need;
    if (peer->is_cut) {
        first = peer->ends[0];
    } else if (bksi_links_is_sparing(&common->links, index)) {
        first = peer->ends[1];
    }
    if (first <= peer->need || common->now_ns > peer->began_ns + trip_ns) {
        first = peer->need;
        peer->began_ns = common->now_ns;
    }
    return first > oldest ? first : oldest;
}

/// The hash of view 0 is the roster's. It is said until the peer has inputs of ours.
static bksi_input_standing own_standing(const session_exchange *exchange,
                                        const session_common *common, uint32_t index)
{
    const session_membership *membership = &common->membership;
    const bool is_complete = (common->goodbyes.complete & PEER_BIT(common->seats.self)) != 0;
    const bool is_said = membership->view > 0 || is_complete || common->ending.tick > 0 ||
                         exchange->peers[index].need <= common->seats.first_tick;
    return (bksi_input_standing){
        .view = membership->view,
        .view_hash = is_said ? bksi_membership_name(membership, membership->view).hash : 0,
        .is_complete = is_complete,
        .stop = bksi_mutated(BKSI_MUTANT_STOP_UNTOLD) ? 0 : common->ending.tick};
}

static void note_end(session_exchange_peer *peer, bks_tick end, bks_tick newest)
{
    peer->ends[1] = peer->ends[0];
    peer->ends[0] = end;
    peer->is_cut = end < newest;
}

size_t bksi_exchange_write(session_exchange *exchange, session_inputs *inputs,
                           session_common *common, uint32_t index, const bksi_input_hash *hash,
                           bool is_probe, uint8_t *body)
{
    bksi_input_head head = {.head = bksi_heads_own(common),
                            .need = bksi_heads_of(common, index),
                            .hash = *hash,
                            .standing = own_standing(exchange, common, index)};
    if (bksi_mutated(BKSI_MUTANT_ACK)) {
        head.need++;
    }
    head.first = first_to_send(exchange, common, index, head.head);
    head.count = (uint32_t)(head.head - head.first);
    uint8_t scratch[PLAIN_BYTES_MAX];
    bksi_bit_writer plain = bksi_bit_writer_over(scratch, sizeof(scratch));
    bool is_coded = bksi_runs_pays_to_encode(&inputs->runs, common, index, head.first);
    if (!is_coded) {
        head.count = bksi_runs_write_inputs(common, &plain, common->seats.self, index, head.first,
                                            head.head);
    }
    note_end(&exchange->peers[index], head.first + (bks_tick)head.count, head.head);
    bksi_links_fill_echo(&common->links, index, common->now_ns, is_probe, &head);
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, body, BKSI_MESSAGE_BYTES_MAX);
    bksi_input_head_write(&encoder, &head);
    size_t before_bytes = encoder.count;
    if (is_coded && head.count > 0) {
        bksi_runs_encode(&inputs->runs, common, &encoder, head.first, head.head);
    } else if (head.count > 0) {
        bksi_range_encode(&encoder, BKSI_INPUT_CODED, 1);
        bksi_input_bits_write(&encoder, scratch, plain.at_bits);
    }
    size_t bytes = bksi_range_encoder_finish(&encoder);
    BKS_ASSERT(!encoder.failed);
    exchange->input_bytes += bytes > before_bytes ? bytes - before_bytes : 0;
    return bytes;
}
