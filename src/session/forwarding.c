// SPDX-License-Identifier: MIT

// The mesh heals: a peer that hears nothing from another for some ticks asks the others for help,
// and those that have newer inputs of that one pass them on. Heartbeats pass from peer to peer as
// far as they must, each from where it is newer to where it is older, so that they take any path
// there is and stop when their peer does. The way to a peer leads through the one that its newest
// heartbeat came through.

#include "session/forwarding.h"

#include "base/mutant.h"
#include "session/heads.h"
#include "wire/packet.h"

/// A heartbeat counts its peer's time awake in units of 2^26 ns, 67 ms.
#define HEARTBEAT_SHIFT 26u
#define HEARTBEAT_MASK  ((1u << BKSI_HEARTBEAT_BITS) - 1)

/// When a peer still lacks the same input after this long, all help it.
#define SHARED_AFTER_NS (200 * NS_PER_MS)

// ---- who hears whom ----

/// The peers that a message between two peers describes: all others, also those out of the view.
static uint32_t others_of(const session_common *common, uint32_t index)
{
    uint32_t all = bksi_seats_everyone(&common->seats);
    return all & ~(1u << common->seats.self) & ~(1u << index);
}

static uint32_t own_heartbeat(const session_liveness *liveness)
{
    return (uint32_t)(bksi_liveness_awake_ns(liveness) >> HEARTBEAT_SHIFT) & HEARTBEAT_MASK;
}

/// A peer that does not hear another, or perhaps does not, is sent its heartbeat.
static bool is_heartbeat_wanted(const session_forwarding *forwarding,
                                const session_liveness *liveness, const session_common *common,
                                uint32_t index, uint32_t about)
{
    return bksi_common_has(common, about) && (bksi_forwarding_is_asked(forwarding, index, about) ||
                                              !bksi_liveness_is_fine(liveness, common, index));
}

bool bksi_forwarding_fill_part(const session_forwarding *forwarding,
                               const session_liveness *liveness, const session_common *common,
                               uint32_t index, bksi_mesh_part *part)
{
    *part = (bksi_mesh_part){.view = common->membership.view,
                             .view_hash =
                                 (uint32_t)common->membership.views[common->membership.view].hash,
                             .heartbeat = own_heartbeat(liveness),
                             .complete = common->goodbyes.complete};
    const uint32_t others = others_of(common, index);
    for (uint32_t left = others; left != 0; left &= left - 1) {
        const uint32_t i = bksi_lowest_bit(left);
        part->others[i] = (bksi_mesh_other){
            .is_fine = !bksi_common_has(common, i) || bksi_liveness_is_fine(liveness, common, i),
            .need = bksi_heads_of(common, i),
            .has_heartbeat = is_heartbeat_wanted(forwarding, liveness, common, index, i),
            .heartbeat = forwarding->peers[i].heartbeat,
        };
    }
    return !bksi_mesh_part_is_plain(others, part);
}

void bksi_forwarding_write_part(const session_common *common, uint32_t index, bks_tick head,
                                const bksi_mesh_part *part, bksi_bit_writer *writer)
{
    bksi_mesh_part_write(writer, others_of(common, index), head, part);
}

/// @return whether it is news
static bool take_heartbeat(session_forwarding *forwarding, uint32_t from, uint32_t about,
                           uint32_t heartbeat)
{
    session_forwarding_peer *peer = &forwarding->peers[about];
    uint32_t newer_by = (heartbeat - peer->heartbeat) & HEARTBEAT_MASK;
    if (newer_by == 0 || newer_by > HEARTBEAT_MASK / 2) {
        return false;
    }
    peer->heartbeat = heartbeat;
    peer->heartbeat_from = from;
    return true;
}

/// @return whether the third one is known by it to live
static bool take_other(session_forwarding *forwarding, const session_common *common, uint32_t from,
                       uint32_t about, const bksi_mesh_other *other)
{
    help_request *request = &forwarding->peers[from].requests[about];
    bool is_news = !other->is_fine && (!request->is_active || other->need > request->need);
    request->is_active = !other->is_fine;
    if (is_news) {
        request->need = other->need > request->need ? other->need : request->need;
        request->need_ns = common->now_ns;
    }
    bool lives = other->has_heartbeat && take_heartbeat(forwarding, from, about, other->heartbeat);
    // A peer that is out of a newer view is reported as fine there.
    return lives && common->membership.peer_view[from] == common->membership.view &&
           bksi_common_has(common, about) && !bksi_membership_is_frozen(&common->membership, from);
}

bool bksi_forwarding_read_part(session_forwarding *forwarding, session_common *common,
                               uint32_t index, const bksi_input_head *head, bksi_bit_reader *reader,
                               session_mesh_news *news)
{
    uint32_t others = others_of(common, index);
    bksi_mesh_part part;
    bksi_mesh_part_plain(others, &part);
    if (head->has_mesh && !bksi_mesh_part_read(reader, others, head->head, &part)) {
        return false;
    }
    if (!bksi_membership_knows(&common->membership, part.view, part.view_hash)) {
        return false;
    }
    *news = (session_mesh_news){.view = part.view,
                                .complete = part.complete & ~PEER_BIT(common->seats.self)};
    bksi_membership_seen(&common->membership, index, part.view);
    if (head->has_mesh) {
        (void)take_heartbeat(forwarding, index, index, part.heartbeat);
    }
    for (uint32_t left = others; left != 0; left &= left - 1) {
        const uint32_t i = bksi_lowest_bit(left);
        if (take_other(forwarding, common, index, i, &part.others[i])) {
            news->alive |= PEER_BIT(i);
        }
    }
    return true;
}

// ---- forwarding ----

/// One who hears both is enough, the lowest, as long as it helps.
static bool is_left_to_another(const session_forwarding *forwarding,
                               const session_liveness *liveness, const session_common *common,
                               uint32_t index, uint32_t about)
{
    if (common->now_ns - forwarding->peers[index].requests[about].need_ns > SHARED_AFTER_NS) {
        return false;
    }
    for (uint32_t i = 0; i < common->seats.self; i++) {
        const help_request *requests = forwarding->peers[i].requests;
        if (i != index && i != about && bksi_common_has(common, i) &&
            bksi_liveness_is_fine(liveness, common, i) && !requests[index].is_active &&
            !requests[about].is_active) {
            return true;
        }
    }
    return false;
}

static bool lacks_what_we_have(const session_forwarding *forwarding,
                               const session_liveness *liveness, const session_common *common,
                               uint32_t index, uint32_t about)
{
    const help_request *request = &forwarding->peers[index].requests[about];
    if (about == common->seats.self || about == index || !request->is_active ||
        !bksi_common_has(common, about) || bksi_mutated(BKSI_MUTANT_FORWARD)) {
        return false;
    }
    // With nothing new, what went the other way is still acknowledged.
    bool has_news = bksi_heads_of(common, about) > request->need ||
                    bksi_liveness_is_fine(liveness, common, about);
    return has_news && !is_left_to_another(forwarding, liveness, common, index, about);
}

/// A narrow link takes the first packets of a round and loses the rest, so each in turn goes first.
/// The turns are spread by the golden ratio: whichever rounds a link has room in, at whatever
/// period, everyone is first in its share of them.
static uint32_t whose_turn(const session_forwarding *forwarding, uint32_t owed)
{
    uint32_t share = forwarding->rounds * 2654435769u;
    uint32_t nth = (uint32_t)((uint64_t)share * bksi_peers_count(owed) >> 32);
    while (nth-- > 0) {
        owed &= owed - 1;
    }
    return bksi_peers_lowest(owed);
}

void bksi_forwarding_begin_round(session_forwarding *forwarding)
{
    forwarding->rounds++;
}

void bksi_forwarding_owe(session_forwarding *forwarding, const session_liveness *liveness,
                         const session_common *common, uint32_t index)
{
    session_forwarding_peer *peer = &forwarding->peers[index];
    peer->owed_inputs = PEER_BIT(common->seats.self);
    EACH_PEER (i, common->seats.all) {
        if (lacks_what_we_have(forwarding, liveness, common, index, i)) {
            peer->owed_inputs |= PEER_BIT(i);
        }
    }
    peer->first_inputs = whose_turn(forwarding, peer->owed_inputs);
}

void bksi_forwarding_owe_none(session_forwarding *forwarding, uint32_t index)
{
    forwarding->peers[index].owed_inputs = 0;
}

uint32_t bksi_forwarding_next(session_forwarding *forwarding, uint32_t index)
{
    session_forwarding_peer *peer = &forwarding->peers[index];
    uint32_t later = peer->owed_inputs & ~(PEER_BIT(peer->first_inputs) - 1);
    uint32_t about = bksi_peers_lowest(later != 0 ? later : peer->owed_inputs);
    peer->owed_inputs &= ~PEER_BIT(about);
    return about;
}

size_t bksi_forwarding_write(session_forwarding *forwarding, const session_common *common,
                             uint32_t index, uint32_t about, uint8_t *body)
{
    bksi_bit_writer writer = bksi_bit_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_forward_head head = {.peer = about,
                              .ack = forwarding->peers[about].requests[index].need,
                              .view = common->membership.peer_view[about]};
    bksi_forward_head_write(&writer, &head);
    bksi_runs_write(common, &writer, about, forwarding->peers[index].requests[about].need,
                    bksi_heads_of(common, about));
    forwarding->forwarded++;
    return bksi_bit_writer_bytes(&writer);
}

void bksi_forwarding_write_runs(const session_forwarding *forwarding, const session_common *common,
                                bksi_bit_writer *writer, uint32_t to, uint32_t peers,
                                const bks_tick *ends)
{
    EACH_PEER (i, common->seats.all) {
        if ((peers & PEER_BIT(i)) != 0) {
            bks_tick first = bksi_forwarding_need(forwarding, to, i);
            bksi_runs_write(common, writer, i, first, ends[i]);
        }
    }
}

bool bksi_forwarding_receive(session_runs *runs, session_liveness *liveness, session_common *common,
                             const uint8_t *body, size_t count, session_forward_news *news)
{
    *news = (session_forward_news){0};
    bksi_bit_reader reader = bksi_bit_reader_over(body, count);
    bksi_forward_head head;
    if (!bksi_forward_head_read(&reader, &head) || (common->seats.all >> head.peer & 1) == 0 ||
        head.peer == common->seats.self || head.ack > bksi_heads_own(common)) {
        return false;
    }
    if (!bksi_common_has(common, head.peer)) {
        return true;
    }
    bks_tick known = bksi_heads_of(common, head.peer);
    bks_tick limit = bksi_membership_is_frozen(&common->membership, head.peer) ? 0 : INT32_MAX;
    *news = (session_forward_news){
        .peer = head.peer, .ack = head.ack, .view = head.view, .known = known};
    news->has_any = bksi_runs_read(runs, common, &reader, head.peer, limit);
    if (bksi_heads_of(common, head.peer) > known) {
        bksi_liveness_alive(liveness, common, head.peer);
    }
    return news->has_any;
}

void bksi_forwarding_note_need(session_forwarding *forwarding, uint32_t peer, uint32_t about,
                               bks_tick head)
{
    help_request *request = &forwarding->peers[peer].requests[about];
    request->need = head > request->need ? head : request->need;
}
