// SPDX-License-Identifier: MIT

// Inputs on the wire. Every packet carries all inputs from the first one that the peer has not
// acknowledged to the newest, so nothing waits for a retransmission [Fiedler; INVERSUS, Input
// Communication].

#include "session/inputs/exchange.h"

#include "base/mutant.h"
#include "base/report.h"
#include "session/inputs/blobs.h"
#include "wire/carried.h"

/// Bytes of a body in addition to the inputs in the plain codec (input/codec.h): its head, the
/// count of bits, and what the range coder adds.
#define BESIDE_PLAIN_BYTES (BKSI_INPUT_HEAD_BYTES_MAX + 12u)

/// Maximum number of bytes of inputs in the plain codec (input/codec.h) in an INPUT, which every
/// path must be able to carry.
#define PLAIN_BYTES_MAX (BKSI_MESSAGE_BYTES_MAX - BESIDE_PLAIN_BYTES)
_Static_assert(BKSI_TICK_BITS_MAX <= PLAIN_BYTES_MAX * 8, "a message has room for a tick");

/// Time beyond a round trip after which inputs that did not fit one packet are sent again, from the
/// first missing one on.
#define RUN_PATIENCE_NS (60 * NS_PER_MS)

/// Multiple of patience_ns() after which a missing input is overdue: it was sent again at least
/// once, and lost again.
#define OVERDUE_TRIPS 2

/// Shortest gap between two packets to a peer. Together with SEND_GAP_MAX_NS it gives 20 to 120
/// packets per second, whatever the tick rate, on lines that carry as many.
#define SEND_GAP_MIN_NS (NS_PER_SECOND / 120)

/// After THROTTLE_AFTER_NS without a packet from a peer only four packets per second are sent to it
/// [INVERSUS]. In the last LAST_CALLS_NS before it is dropped the usual rate applies again, because
/// each packet may be the one that comes through.
#define THROTTLE_AFTER_NS NS_PER_SECOND
#define THROTTLE_GAP_NS   (250 * NS_PER_MS)
#define LAST_CALLS_NS     NS_PER_SECOND

/// Gap between two packets on a new detour until the first echo of such a packet comes. At 60 Hz
/// this is half the usual rate. The rate is low because all detours through a carrier begin at the
/// same time, and the carrier's line may be too narrow for all of them.
#define UNPROVEN_GAP_NS (30 * NS_PER_MS)

void bksi_exchange_begin(session_exchange *exchange, bks_tick first)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        exchange->peers[i].first_missing = first;
    }
}

// ---- times of packets ----

void bksi_exchange_start_rates(session_links *links, const session_common *common)
{
    const double ticks = common->config.tick_rate_hz;
    const double least = (double)NS_PER_SECOND / SEND_GAP_MAX_NS;
    const double most = (double)NS_PER_SECOND / SEND_GAP_MIN_NS;
    const double rate = ticks < least ? least : ticks > most ? most : ticks;
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        bksi_links_begin(links, i, rate, common->now_ns);
    }
}

bool bksi_exchange_is_due(session_exchange *exchange, const session_common *common,
                          bool tick_passed)
{
    const uint64_t now_ns = common->now_ns;
    if (!(tick_passed && now_ns >= exchange->from_ns) && now_ns < bksi_exchange_wake(exchange)) {
        return false;
    }
    // Begin the next gap at the time from which a packet could have been sent, otherwise ticks a
    // little shorter than the gap would skip every other packet. After a pause, do not send several
    // packets at once.
    uint64_t earliest_ns = now_ns > SEND_GAP_MIN_NS ? now_ns - SEND_GAP_MIN_NS : 0;
    exchange->from_ns =
        (exchange->from_ns > earliest_ns ? exchange->from_ns : earliest_ns) + SEND_GAP_MIN_NS;
    exchange->went_ns = now_ns;
    return true;
}

void bksi_exchange_hurry(session_exchange *exchange)
{
    const uint64_t from_ns = exchange->from_ns;
    exchange->went_ns = from_ns > SEND_GAP_MAX_NS ? from_ns - SEND_GAP_MAX_NS : 0;
}

/// Get the shortest gap between two packets to a peer that was not heard for `unheard_ns`.
static uint64_t gap_ns(const session_common *common, const session_liveness *liveness,
                       uint32_t index, uint64_t unheard_ns)
{
    if (unheard_ns < THROTTLE_AFTER_NS) {
        return 0;
    }
    const uint64_t drop_ns = bksi_liveness_patience_ns(liveness, common, index);
    bool is_last = unheard_ns < drop_ns && unheard_ns + LAST_CALLS_NS >= drop_ns;
    return is_last ? SEND_GAP_MAX_NS : THROTTLE_GAP_NS;
}

/// Return true if a packet may be sent to a peer now.
static bool is_peer_due(const session_exchange *exchange, session_links *links,
                        const session_common *common, const session_liveness *liveness,
                        const session_routes *routes, uint32_t index)
{
    if (bksi_goodbyes_has_quit(&common->goodbyes, index)) {
        return false;
    }
    bool is_new_route = links->peers[index].path != bksi_paths_id(&routes->paths, index);
    uint64_t unheard_ns = bksi_liveness_silence_ns(liveness, common, index);
    return is_new_route || (common->now_ns - exchange->peers[index].went_ns >=
                                gap_ns(common, liveness, index, unheard_ns) &&
                            bksi_links_is_due(links, index, common->now_ns));
}

/// Find the peers that must not get an INPUT by their detour yet: the line to the first carrier has
/// no room for a packet, or no packet on this detour has been echoed and the last INPUT is younger
/// than UNPROVEN_GAP_NS.
static uint32_t find_held(const session_exchange *exchange, session_links *links, uint64_t now_ns,
                          const session_routes *routes)
{
    uint32_t held = 0;
    EACH_PEER (i, routes->detours) {
        const session_link *link = &links->peers[i];
        const bksi_route *route = bksi_paths_route(&routes->paths, i);
        if (link->path != bksi_paths_id(&routes->paths, i) || bksi_route_is_direct(route)) {
            continue; // the route is new, so its first packet is sent at once
        }
        const uint32_t hop = route->peers[0];
        const bool is_early =
            !link->line.any_echo && now_ns - exchange->peers[i].went_ns < UNPROVEN_GAP_NS;
        const bool is_full = !links->peers[hop].is_detour && !bksi_links_is_due(links, hop, now_ns);
        held |= is_early || is_full ? PEER_BIT(i) : 0;
    }
    return held;
}

/// Raise the event that a line is too narrow, with the rate that it carries and the rate that the
/// match needs.
static void report_narrow(session_events *events, const session_link *link, uint32_t index,
                          bks_tick tick)
{
    const double carries = (double)bksi_line_capacity_bits_per_s(&link->line) / 1000.0;
    const double needs = bksi_line_rate_least_bits_per_s(&link->rate) / 1000.0;
    bks_event *event = bksi_events_report(
        events, BKS_EVENT_NARROW, index, tick,
        "the line to peer %u is too narrow: it carries %.1f kbit a second, the match "
        "needs %.1f at least",
        index, carries, needs);
    bksi_log(BKS_LOG_WARNING, "session.narrow", "%s", event->text);
}

uint32_t bksi_exchange_find_due(session_exchange *exchange, session_links *links,
                                session_events *events, const session_common *common,
                                const session_liveness *liveness, const session_routes *routes,
                                uint32_t slow)
{
    uint32_t peers = 0;
    const uint32_t held =
        routes->detours != 0 ? find_held(exchange, links, common->now_ns, routes) : 0;
    EACH_PEER (i, bksi_common_others(common) & ~held) {
        if (is_peer_due(exchange, links, common, liveness, routes, i)) {
            exchange->peers[i].went_ns = common->now_ns;
            peers |= PEER_BIT(i);
        }
        if ((slow & PEER_BIT(i)) == 0 && bksi_links_is_narrow(links, i, common->now_ns)) {
            report_narrow(events, &links->peers[i], i, bksi_rollback_front(&common->engine));
        }
    }
    return peers;
}

// ---- INPUT messages that arrive ----

/// Read the inputs of an INPUT, coded by the models or by the plain codec (input/codec.h).
static bool take_inputs(session_runs *runs, bksi_rollback *engine, const session_peer *peer,
                        bks_tick limit, bksi_range_decoder *decoder, const bksi_input_head *head)
{
    if (head->count == 0) {
        return true;
    }
    if (bksi_range_decode(decoder, BKSI_INPUT_CODED) == 0) {
        return bksi_runs_decode(runs, engine, decoder, peer, head->first, head->count, limit);
    }
    uint8_t scratch[BKSI_BODY_BYTES_MAX];
    bksi_bit_reader reader = bksi_bit_reader_over(scratch, sizeof(scratch));
    reader.count_bits = bksi_input_bits_read(decoder, scratch, sizeof(scratch));
    return reader.count_bits != SIZE_MAX &&
           bksi_runs_read_inputs(runs, engine, &reader, peer, head->first, head->count, limit);
}

/// Return true if a peer that names this view plays our match. A peer names its view until we have
/// inputs of that peer. A view that is not ours shows that a liar decided two different views, or
/// that the host sent two rosters: then we do not play with the peer.
static bool is_of_our_match(session_goodbyes *goodbyes, session_events *events,
                            const session_common *common, uint32_t index,
                            const bksi_input_standing *standing)
{
    if (standing->view == 0 && standing->view_hash == 0) {
        return bksi_common_head(common, index) > common->seats.first_tick;
    }
    if (bksi_membership_knows(&common->membership, standing->view, standing->view_hash)) {
        return true;
    }
    if (standing->view == 0 && !bksi_goodbyes_has_quit(goodbyes, index)) {
        bksi_events_raise_other_roster(events, index, common->seats.first_tick);
    }
    bksi_goodbyes_quit(goodbyes, PEER_BIT(index));
    return false;
}

/// Return the first tick whose inputs we do not take from a peer. An honest peer cannot be further
/// ahead of any member. If we took inputs of a liar that is, other members would refuse to hear of
/// them in a ballot.
static bks_tick limit_of(const session_common *common, uint32_t index)
{
    return bksi_membership_is_frozen(&common->membership, index)
               ? 0
               : bksi_rollback_confirmed(&common->engine) + BKSI_AHEAD_TICKS_MAX;
}

bool bksi_exchange_receive(session_exchange *exchange, session_inputs *inputs,
                           session_common *common, uint32_t index, const uint8_t *body,
                           size_t count, session_input_news *news)
{
    news->is_sound = false;
    news->known = bksi_common_head(common, index);
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, body, count);
    bksi_input_head *head = &news->head;
    if (!bksi_input_head_read(&decoder, common->seats.first_tick, news->known, head) ||
        head->need > bksi_common_own_head(common)) {
        return false;
    }
    if (!is_of_our_match(&common->goodbyes, &common->events, common, index, &head->standing)) {
        return false;
    }
    if (head->head - head->need > BKSI_AHEAD_TICKS_MAX) {
        // No honest peer samples so far without inputs of ours that it says it lacks. As long as it
        // does not acknowledge them, we can give no more commands.
        bksi_liveness_accuse(&inputs->liveness, &common->events, common, index,
                             "goes on, but does not acknowledge our inputs");
        return false;
    }
    // Accept the end of the match, pauses and speeds from the host alone.
    if (bksi_membership_speaker(&common->membership) == index &&
        !bksi_decisions_take(common, index, head->standing.stop, &head->standing.speed)) {
        return false;
    }
    news->is_sound = true;
    bksi_membership_seen(&common->membership, index, head->standing.view);
    bksi_liveness_echo(&inputs->liveness, common, index, head->has_echo ? &head->echo : NULL);
    bksi_exchange_acknowledge(exchange, common, index, head->need);
    const session_peer *peer = &common->seats.peers[index];
    if (!take_inputs(&inputs->runs, &common->engine, peer, limit_of(common, index), &decoder,
                     head)) {
        if (bksi_packed_is_broken(&inputs->runs.packed, peer)) {
            bksi_liveness_accuse(&inputs->liveness, &common->events, common, index,
                                 "sends commands that break the rules");
        }
        return false;
    }
    bksi_links_count_received(&common->links, index);
    return true;
}

uint32_t bksi_exchange_inline_bytes(const session_common *common)
{
    const session_peer *own = &common->seats.peers[common->seats.self];
    return bksi_seats_blob_bytes(&common->layout, own->player_count) * 3 / 4;
}

uint32_t bksi_exchange_command_bytes(const session_exchange *exchange, const session_runs *runs,
                                     const session_common *common)
{
    const session_peer *own = &common->seats.peers[common->seats.self];
    if (bksi_seats_others(&common->seats) == 0) {
        return UINT32_MAX;
    }
    const bks_tick head = bksi_common_own_head(common);
    bks_tick first = head;
    EACH_PEER (i, bksi_common_others(common)) {
        const bks_tick missing = exchange->peers[i].first_missing;
        first = missing < first && !bksi_goodbyes_has_quit(&common->goodbyes, i) ? missing : first;
    }
    if (head - first >= bksi_rollback_capacity(&common->engine)) {
        return 0;
    }
    first = bksi_mutated(BKSI_MUTANT_UNBOUNDED) ? head : first;
    uint32_t used_bytes = own->player_count * BKSI_PACKED_EXTRA_BYTES;
    for (uint32_t i = 0; i < own->player_count; i++) {
        for (bks_tick tick = first; tick < head; tick++) {
            const bksi_blob blob = bksi_packed_blob(&runs->packed, i, tick);
            used_bytes += blob.is_ahead ? BKSI_BLOB_AHEAD_BYTES : blob.count;
        }
    }
    const uint32_t most = bksi_exchange_inline_bytes(common);
    return used_bytes < most ? most - used_bytes : 0;
}

void bksi_exchange_acknowledge(session_exchange *exchange, const session_common *common,
                               uint32_t index, bks_tick tick)
{
    session_exchange_peer *peer = &exchange->peers[index];
    if (tick > peer->first_missing) {
        peer->first_missing = tick;
        peer->since_ns = common->now_ns;
    }
}

/// Get the time after which an input that was not acknowledged is sent again.
static uint64_t patience_ns(const session_common *common, uint32_t index)
{
    return (uint64_t)bksi_links_round_trip_ns(&common->links, index) + RUN_PATIENCE_NS;
}

uint32_t bksi_exchange_overdue(const session_exchange *exchange, const session_common *common)
{
    uint32_t peers = 0;
    EACH_PEER (i, bksi_common_others(common)) {
        const session_exchange_peer *peer = &exchange->peers[i];
        const bool is_overdue =
            peer->first_missing < bksi_common_own_head(common) &&
            common->now_ns > peer->since_ns + OVERDUE_TRIPS * patience_ns(common, i);
        peers |= is_overdue ? PEER_BIT(i) : 0;
    }
    return peers;
}

// ---- INPUT messages to send ----

/// Choose the first tick to send: the oldest one that the peer lacks and we still hold. Inputs that
/// do not fit one packet are sent in several packets, one after the other. If packets must be
/// small, each input is sent only twice, in two packets in a row. Once the first missing input
/// should have been acknowledged but was not, all inputs are sent again.
static bks_tick first_to_send(session_exchange *exchange, const session_common *common,
                              uint32_t index, bks_tick head)
{
    session_exchange_peer *peer = &exchange->peers[index];
    bks_tick oldest = head - bksi_rollback_capacity(&common->engine) + 1;
    bks_tick first = peer->first_missing;
    if (peer->is_cut) {
        first = peer->ends[0];
    } else if (bksi_links_is_sparing(&common->links, index)) {
        first = peer->ends[1];
    }
    if (first <= peer->first_missing ||
        common->now_ns > peer->began_ns + patience_ns(common, index)) {
        first = peer->first_missing;
        peer->began_ns = common->now_ns;
    }
    return first > oldest ? first : oldest;
}

/// Describe our view for an INPUT. In view 0 its hash, which is that of the roster, is sent until
/// the peer has inputs of ours, and again once we have every tick or the match is to end early. In
/// a later view the hash is always sent.
static bksi_input_standing own_standing(const session_exchange *exchange,
                                        const session_common *common, uint32_t index)
{
    const session_membership *membership = &common->membership;
    const bool is_complete = (common->goodbyes.complete & PEER_BIT(common->seats.self)) != 0;
    const bool is_sent = membership->view > 0 || is_complete || common->ending.tick > 0 ||
                         exchange->peers[index].first_missing <= common->seats.first_tick;
    bksi_input_standing standing = {
        .view = membership->view,
        .view_hash = is_sent ? bksi_membership_name(membership, membership->view).hash : 0,
        .is_complete = is_complete,
        .stop = bksi_mutated(BKSI_MUTANT_STOP_UNTOLD) ? 0 : common->ending.tick};
    bksi_game_speed_fill(common, index, exchange->peers[index].first_missing, &standing);
    return standing;
}

static void note_end(session_exchange_peer *peer, bks_tick end, bks_tick newest)
{
    peer->ends[1] = peer->ends[0];
    peer->ends[0] = end;
    peer->is_cut = end < newest;
}

bool bksi_exchange_continues(session_exchange *exchange, const session_links *links, uint32_t index)
{
    session_exchange_peer *peer = &exchange->peers[index];
    peer->is_continued = peer->is_cut && !peer->is_continued &&
                         !bksi_links_is_sparing(links, index) &&
                         bksi_links_gap_ns(links, index) == 0;
    return peer->is_continued;
}

size_t bksi_exchange_write(session_exchange *exchange, session_runs *runs,
                           const session_common *common, uint32_t index, bksi_input_head *head,
                           uint8_t *body)
{
    head->head = bksi_common_own_head(common);
    head->need = bksi_common_head(common, index);
    head->standing = own_standing(exchange, common, index);
    if (bksi_mutated(BKSI_MUTANT_ACK)) {
        head->need++;
    }
    session_exchange_peer *peer = &exchange->peers[index];
    if (peer->first_missing == head->head || peer->since_ns == 0) {
        peer->since_ns = common->now_ns;
    }
    head->first = first_to_send(exchange, common, index, head->head);
    head->count = (uint32_t)(head->head - head->first);
    uint8_t scratch[PLAIN_BYTES_MAX];
    bksi_bit_writer plain = bksi_bit_writer_over(scratch, sizeof(scratch));
    bool is_coded = bksi_runs_pays_to_encode(runs, common, index, head->first);
    if (!is_coded) {
        head->count = bksi_runs_write_inputs(runs, common, &plain, index, head->first, head->head);
    }
    note_end(peer, head->first + (bks_tick)head->count, head->head);
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, body, BKSI_MESSAGE_BYTES_MAX);
    bksi_input_head_write(&encoder, head);
    size_t before_bytes = encoder.count;
    if (is_coded && head->count > 0) {
        bksi_runs_encode(runs, common, &encoder, head->first, head->head);
    } else if (head->count > 0) {
        bksi_range_encode(&encoder, BKSI_INPUT_CODED, 1);
        bksi_input_bits_write(&encoder, scratch, plain.at_bits);
    }
    size_t bytes = bksi_range_encoder_finish(&encoder);
    BKS_ASSERT(!encoder.failed);
    exchange->input_bytes += bytes > before_bytes ? bytes - before_bytes : 0;
    return bytes;
}
