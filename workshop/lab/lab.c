// SPDX-License-Identifier: MIT

// One loop over three kinds of events: a fault begins, a packet arrives, a peer wants its update.
// Watchers and their sources have events of a fourth kind, which change nothing in the match.
// The earliest event comes first. Of events at one time faults come before packets, packets before
// updates, and lower peers before higher ones.
// Nothing depends on the machine, so a seed always gives the same match.
//
// A peer is updated at the time that it asks for, as by a game that draws at the tick rate. A
// packet wakes the peer at once only while it gathers or starves, or after its match has ended.
// This is how bks_match_wait() works, too.

#include "backstitch/toolkit/links.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "lab/lab_feed.h"
#include "lab/lab_internal.h"
#include "peer/peer_inspect.h"

#define SECOND_NS  UINT64_C(1000000000)
#define CLOSING_NS (5 * SECOND_NS)

/// Time after which a session drops a silent peer that seems to load, with some spare.
#define SEEMS_TO_LOAD_NS (125 * SECOND_NS)
#define WAKE_STEP_NS     UINT64_C(1000)

static bks_status create_peer(bks_lab *lab, uint32_t index, bks_error *error)
{
    bks_peer_config config = bksi_lab_peer_config_of(&lab->config, index);
    lab_peer *peer = &lab->peers[index];
    config.clock_ns = bksi_lab_peer_clock;
    config.clock_context = peer;
    const bks_status status = bks_peer_create(&config, &peer->peer, error);
    if (status == BKS_OK) {
        bksi_peer_model_costs(peer->peer, bksi_lab_op_cost, peer);
        peer->session = bks_peer_session(peer->peer);
        peer->end.first_player = config.session.first_player;
        peer->end.player_count = config.session.local_players;
    }
    return status;
}

static bks_status create_peers(bks_lab *lab, bks_error *error)
{
    const size_t hash_count = (size_t)lab->config.ticks + 1;
    lab->hashes_bytes = 2 * lab->config.peers * hash_count * sizeof(uint64_t);
    lab->hashes = bksi_alloc(&lab->config.allocator, lab->hashes_bytes, sizeof(uint64_t));
    if (lab->hashes == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bks_lab_create", NULL,
                         "no memory for the hashes of %d ticks", lab->config.ticks);
    }
    bks_random phases = bksi_lab_random(lab->config.seed, LAB_STREAM_PHASE);
    const uint32_t tick_ns = (uint32_t)(SECOND_NS / lab->config.game->tick_rate_hz);
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        lab_peer *peer = &lab->peers[i];
        peer->lab = lab;
        peer->hashes = lab->hashes + 2 * i * hash_count;
        peer->chains = peer->hashes + hash_count;
        lab->arrivals[i].time_ns = UINT64_MAX;
        peer->hash_count = lab->config.first_tick; // earlier ticks have hash 0 on all peers
        peer->wake_ns = bks_random_below(&phases, tick_ns); // peers do not tick in unison
        const uint32_t frames_hz = lab->config.frames_hz[i];
        peer->frame_ns = frames_hz > 0 ? SECOND_NS / frames_hz : 0;
        peer->first_frame_ns = peer->wake_ns;
        const bks_status status = create_peer(lab, i, error);
        if (status != BKS_OK) {
            return status;
        }
    }
    return bks_lab_number_peers(&lab->config, lab->peers[0].session, error);
}

bks_status bks_lab_create(const bks_lab_config *config, bks_lab **out, bks_error *error)
{
    static const char call[] = "bks_lab_create";
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_REFUSE_NULL(error, config);
    bks_status status = bks_lab_config_check(config, error);
    if (status != BKS_OK) {
        return status;
    }
    bks_lab *lab = bksi_alloc(&config->allocator, sizeof(*lab), sizeof(uint64_t));
    if (lab == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL, "no memory for the lab");
    }
    lab->config = *config;
    lab->acting = BKS_PEERS_MAX;
    lab->limit_ns = bksi_lab_limit_ns(config);
    lab->first_tick_ns = UINT64_MAX;
    status = create_peers(lab, error);
    if (status == BKS_OK) {
        status = bksi_lab_links_set(lab, &(bks_lab_link_spec){0}, error);
    }
    if (status == BKS_OK) {
        status = bksi_lab_naming_create(lab, error);
    }
    if (status != BKS_OK) {
        bks_lab_destroy(lab);
        return status;
    }
    *out = lab;
    return BKS_OK;
}

void bks_lab_destroy(bks_lab *lab)
{
    if (lab == NULL) {
        return;
    }
    const bks_allocator allocator = lab->config.allocator;
    bksi_lab_feed_destroy(lab);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        bks_peer_destroy(lab->peers[i].peer);
    }
    bksi_lab_links_destroy(lab);
    bksi_lab_naming_destroy(lab);
    bksi_free(&allocator, lab->hashes, lab->hashes_bytes);
    bksi_free(&allocator, lab, sizeof(*lab));
}

static uint64_t allocations(const bks_lab *lab)
{
    return lab->config.allocations != NULL
               ? lab->config.allocations(lab->config.allocations_context)
               : 0;
}

/// Return true if packets that are sent or delivered at this time count as traffic of the match.
static bool is_match_on(const bks_lab *lab)
{
    return lab->first_tick_ns != UINT64_MAX && !lab->is_over;
}

static void count_sent(bks_lab *lab, uint32_t from, uint32_t to, size_t count)
{
    if (is_match_on(lab)) {
        lab->traffic[from][to].packets++;
        lab->traffic[from][to].bytes += count + BKSI_LAB_LINK_HEADER_BYTES;
    }
}

static void count_delivered(bks_lab *lab, uint32_t from, uint32_t to,
                            const bksi_lab_link_delivery *packet)
{
    if (is_match_on(lab)) {
        lab->traffic[from][to].delivered++;
        lab->traffic[from][to].transit_ns_sum += packet->time_ns - packet->sent_ns;
    }
}

/// Put a packet on its link. It leaves when the sender's present update ends in virtual time.
static void send_packet(bks_lab *lab, uint32_t from, const bks_address *to, const uint8_t *packet,
                        size_t count)
{
    const uint32_t target = to->bytes[0];
    if (to->length == 0 || target >= lab->config.peers || target == from ||
        lab->peers[target].is_crashed) {
        return;
    }
    const bks_address actual = bksi_lab_address(target, lab->peers[target].rebinds);
    if (!bks_address_equal(to, &actual) || bksi_lab_faults_block(lab, from, target)) {
        return;
    }
    count_sent(lab, from, target, count);
    const uint64_t busy_ns = lab->peers[from].busy_until_ns;
    bksi_lab_link *link = lab->links[from][target];
    bksi_lab_link_push(link, busy_ns > lab->now_ns ? busy_ns : lab->now_ns, packet, count);
    const uint64_t time_ns = bksi_lab_link_next_time(link);
    lab_arrival *arrival = &lab->arrivals[target];
    if (time_ns < arrival->time_ns || (time_ns == arrival->time_ns && from < arrival->from)) {
        *arrival = (lab_arrival){time_ns, from};
    }
}

/// Add a packet to the digest of all packets: a chain of hashes, each computed from the previous
/// one and the packet.
static void count_packet(bks_lab *lab, uint32_t from, const bks_address *to, const uint8_t *packet,
                         size_t count)
{
    lab->packets++;
    lab->packet_bytes += count;
    uint64_t digest = bksi_hash64_pair(lab->packet_digest, lab->now_ns);
    digest = bksi_hash64_pair(digest, bksi_hash64(to->bytes, to->length, from));
    lab->packet_digest = bksi_hash64_pair(digest, bksi_hash64(packet, count, 0));
}

/// Put all packets that a peer wants to send on their links.
static void send_packets(bks_lab *lab, uint32_t index)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    while ((count = bks_peer_send(lab->peers[index].peer, &to, packet, sizeof(packet))) > 0) {
        count_packet(lab, index, &to, packet, count);
        send_packet(lab, index, &to, packet, count);
    }
}

/// Record that a guest has got its seat, or that a peer learnt before the start that another peer
/// left.
static void note_seat(bks_lab *lab, uint32_t index, const bks_event *event)
{
    lab_peer *of = &lab->peers[event->peer];
    if (event->kind == BKS_EVENT_JOINED) {
        // Count only the event of the host, because the guest hears of its seat later.
        of->seated_ns = index == 0 ? lab->now_ns : of->seated_ns;
    } else if (event->tick == BKS_TICK_NONE) {
        of->missed_ns[index] = lab->now_ns;
    }
}

static void note_desync(const bks_lab *lab, lab_peer *peer, const bks_event *event)
{
    if (!peer->finding.is_found) {
        peer->found_ns = lab->now_ns;
        peer->finding = (bks_lab_finding){.is_found = true,
                                          .peer = event->peer,
                                          .tick = event->tick,
                                          .found_tick = event->found_tick};
    }
}

static void note_named(const bks_lab *lab, lab_peer *peer)
{
    bks_lab_finding *finding = &peer->finding;
    if (!finding->is_looked_up) {
        finding->is_looked_up =
            bks_session_difference(peer->session, &finding->difference) == BKS_OK;
        finding->took_ns = lab->now_ns - peer->found_ns;
    }
}

/// Add a repair to the list, unless another peer reported the same one.
static void note_repair(bks_lab *lab, const bks_repair *repair)
{
    uint32_t at = lab->repair_count;
    for (uint32_t i = 0; i < lab->repair_count; i++) {
        if (lab->repairs[i].tick == repair->tick && lab->repairs[i].peer == repair->peer) {
            return;
        }
    }
    if (at == BKS_LAB_REPAIRS_MAX) {
        return;
    }
    for (; at > 0 && lab->repairs[at - 1].tick == repair->tick &&
           lab->repairs[at - 1].peer > repair->peer;
         at--) {
        lab->repairs[at] = lab->repairs[at - 1];
    }
    lab->repairs[at] = *repair;
    lab->repair_count++;
}

static void note_repaired(bks_lab *lab, lab_peer *peer)
{
    bks_repair repairs[BKS_REPAIRS_MAX];
    const uint32_t count = bks_session_repairs(peer->session, repairs, BKS_REPAIRS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        note_repair(lab, &repairs[i]);
    }
}

static void note_events(bks_lab *lab, lab_peer *peer)
{
    bks_event event;
    while (bks_session_event(peer->session, &event)) {
        bksi_lab_watch_event(lab, (uint32_t)(peer - lab->peers), &event);
        switch (event.kind) {
        case BKS_EVENT_STARVED:
            peer->is_starved = true;
            break;
        case BKS_EVENT_RESUMED:
            peer->is_starved = false;
            break;
        case BKS_EVENT_DESYNC:
            note_desync(lab, peer, &event);
            peer->has_open_desync = true;
            break;
        case BKS_EVENT_STOPPING:
            peer->stop_tick = event.tick;
            break;
        case BKS_EVENT_NAMED:
            note_named(lab, peer);
            break;
        case BKS_EVENT_REPAIRED:
            note_repaired(lab, peer);
            peer->has_open_desync = false;
            break;
        case BKS_EVENT_DROPPED:
            peer->is_out = true;
            break;
        case BKS_EVENT_JOINED:
            note_seat(lab, (uint32_t)(peer - lab->peers), &event);
            break;
        // If the host leaves or is lost before the start, the match has ended or failed.
        case BKS_EVENT_LEFT:
            peer->is_out |= !peer->has_begun && bks_session_phase(peer->session) == BKS_PHASE_ENDED;
            if (bksi_lab_took_barred(&lab->peers[event.peer].liar, event.tick)) {
                bksi_lab_fail(lab,
                              "peer %u took tick %d of peer %u, whose commands break the rules",
                              (unsigned)(peer - lab->peers),
                              (int)lab->peers[event.peer].liar.barred, event.peer);
            }
            note_seat(lab, (uint32_t)(peer - lab->peers), &event);
            break;
        case BKS_EVENT_LOST:
            peer->is_out |= bks_session_phase(peer->session) == BKS_PHASE_FAILED;
            if (event.tick == BKS_TICK_NONE) {
                note_seat(lab, (uint32_t)(peer - lab->peers), &event);
            }
            break;
        case BKS_EVENT_FAILED: // the game failed, so its peer leaves unplanned
            bksi_lab_fail(lab, "peer %u: %s", (unsigned)(peer - lab->peers), event.text);
            break;
        case BKS_EVENT_REFUSED:
            if (peer->failure[0] == '\0') {
                (void)snprintf(peer->failure, sizeof(peer->failure), "%s", event.text);
            }
            break;
        default:
            break;
        }
    }
}

/// Report a peer's cues to the owner of the lab.
static void report_cues(const bks_lab *lab, uint32_t index)
{
    const bks_lab_config *config = &lab->config;
    if (config->cue == NULL) {
        return;
    }
    bks_cue_event event;
    while (bks_peer_cue(lab->peers[index].peer, &event)) {
        config->cue(config->cue_context, index, &event);
    }
    config->cue(config->cue_context, index, NULL);
}

static void update_peer(bks_lab *lab, uint32_t index)
{
    lab_peer *peer = &lab->peers[index];
    const uint64_t allocated = allocations(lab);
    const lab_before before = bksi_lab_watch_before(peer);
    if (peer->is_leaving) {
        bksi_lab_feed_close(lab, index);
        bksi_lab_say_goodbye(peer);
    }
    bksi_lab_call_speed(peer);
    const bks_status status = bks_peer_update(peer->peer, bksi_lab_to_peer_time(peer, lab->now_ns));
    bksi_lab_watch_after(lab, index, &before);
    report_cues(lab, index);
    bksi_lab_naming_watch(lab, index);
    bksi_lab_end_work(peer);
    bksi_lab_bulk_run(lab, index);
    send_packets(lab, index);
    if (peer->has_begun) {
        peer->allocations += allocations(lab) - allocated;
    } else if (bks_session_tick(peer->session) > lab->config.first_tick) {
        peer->has_begun = true;
        peer->first_tick_ns = lab->now_ns;
        lab->first_tick_ns = lab->now_ns < lab->first_tick_ns ? lab->now_ns : lab->first_tick_ns;
    }
    note_events(lab, peer);
    if (status == BKS_ERR_IO && peer->failure[0] == '\0') {
        (void)snprintf(peer->failure, sizeof(peer->failure), "its recording cannot be written");
    }
    peer->wake_ns = bksi_lab_from_peer_time(peer, bks_peer_wake(peer->peer));
    bksi_lab_watch_wake(lab, index);
    if (peer->frame_ns > 0 && peer->wake_ns != UINT64_MAX) {
        // Run the peer in the next round of its game loop, whatever time the peer asked for.
        peer->wake_ns = lab->now_ns + 1;
    } else if (peer->wake_ns <= lab->now_ns) {
        peer->wake_ns =
            lab->now_ns + WAKE_STEP_NS * peer->immediate_updates; // virtual time must advance
    }
    bksi_lab_feed_update(lab, index);
}

/// Find the next packet to reach a peer.
static void find_arrival(bks_lab *lab, uint32_t to)
{
    lab_arrival next = {.time_ns = UINT64_MAX};
    for (uint32_t from = 0; from < lab->config.peers; from++) {
        const uint64_t time_ns =
            from != to ? bksi_lab_link_next_time(lab->links[from][to]) : UINT64_MAX;
        if (time_ns < next.time_ns) {
            next = (lab_arrival){time_ns, from};
        }
    }
    lab->arrivals[to] = next;
}

static void deliver(bks_lab *lab, uint32_t from, uint32_t to)
{
    bksi_lab_link_delivery packet;
    if (!bksi_lab_link_pop(lab->links[from][to], lab->now_ns, &packet)) {
        return;
    }
    count_delivered(lab, from, to, &packet);
    lab_peer *peer = &lab->peers[to];
    const bks_address sender = bksi_lab_address(from, lab->peers[from].rebinds);
    const uint64_t before = allocations(lab);
    (void)bks_peer_receive(peer->peer, bksi_lab_to_peer_time(peer, lab->now_ns), &sender,
                           packet.bytes, packet.count);
    if (peer->has_begun) {
        peer->allocations += allocations(lab) - before;
    }
    note_events(lab, peer);
    find_arrival(lab, to);
    if (peer->frame_ns > 0) {
        peer->wake_ns = lab->now_ns; // the update follows once all arrived packets are read
    } else if (peer->is_starved || bks_session_phase(peer->session) != BKS_PHASE_RUNNING) {
        update_peer(lab, to);
    }
}

/// Next event that the lab's loop handles.
typedef struct lab_event {
    uint64_t time_ns;
    enum { FAULT, PACKET, UPDATE, FEED } kind;
    uint32_t peer; ///< peer that the event concerns
} lab_event;

/// Return the first time, not before `time_ns`, at which a peer runs. Packets that arrive while the
/// peer does not run wait in its socket.
static uint64_t next_run(const lab_peer *peer, uint64_t time_ns)
{
    if (time_ns == UINT64_MAX) {
        return time_ns;
    }
    time_ns = time_ns > peer->busy_until_ns ? time_ns : peer->busy_until_ns;
    if (peer->frame_ns > 0) {
        const uint64_t first_ns = peer->first_frame_ns;
        const uint64_t since_ns = time_ns > first_ns ? time_ns - first_ns : 0;
        const uint64_t frames = (since_ns + peer->frame_ns - 1) / peer->frame_ns;
        time_ns = peer->first_frame_ns + frames * peer->frame_ns;
    }
    return time_ns;
}

static lab_event next_event(const bks_lab *lab)
{
    lab_event next = {.time_ns = bksi_lab_faults_next(lab), .kind = FAULT};
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *peer = &lab->peers[i];
        const uint64_t time_ns = next_run(peer, lab->arrivals[i].time_ns);
        if (time_ns < next.time_ns && !peer->is_crashed) {
            next = (lab_event){time_ns, PACKET, i};
        }
    }
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *peer = &lab->peers[i];
        const uint64_t time_ns = next_run(peer, peer->wake_ns);
        if (time_ns < next.time_ns) {
            next = (lab_event){time_ns, UPDATE, i};
        }
    }
    const uint64_t feed_ns = bksi_lab_feed_next(lab);
    if (feed_ns < next.time_ns) {
        next = (lab_event){feed_ns, FEED, BKS_PEERS_MAX};
    }
    return next;
}

static bool all_ended(const bks_lab *lab)
{
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (lab->peers[i].is_crashed) {
            continue;
        }
        const bks_phase phase = bks_session_phase(lab->peers[i].session);
        if (phase != BKS_PHASE_ENDED && phase != BKS_PHASE_FAILED) {
            return false;
        }
    }
    return true;
}

/// Return how much longer a match may take because of faults before the start: a peer that loads
/// takes its time, and one that vanished may seem to load for two minutes.
static uint64_t longer_lobby_ns(const bks_lab *lab)
{
    uint64_t longest_ns = 0;
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        const bks_lab_timed *fault = &lab->faults.timed[i];
        const uint64_t loads_ns = fault->kind == BKS_LAB_LOAD ? (uint64_t)fault->value : 0;
        const uint64_t longer_ns =
            fault->in_lobby || loads_ns > 0 ? loads_ns + SEEMS_TO_LOAD_NS : 0;
        longest_ns = longer_ns > longest_ns ? longer_ns : longest_ns;
    }
    return longest_ns;
}

/// End the match once all peers have published the hash of every tick. Afterwards the peers still
/// exchange their last messages, such as acknowledgements, so that recordings are finished.
static void end_if_done(bks_lab *lab)
{
    const bool has_all = bks_lab_progress(lab) == lab->config.ticks;
    if (!lab->is_over &&
        (has_all || all_ended(lab) ||
         (lab->now_ns >= lab->limit_ns &&
          lab->now_ns >= lab->limit_ns + longer_lobby_ns(lab) + bksi_lab_longer_ns(lab)))) {
        for (uint32_t i = 0; i < lab->config.peers; i++) {
            bksi_lab_collect_result(&lab->peers[i], &lab->peers[i].end);
            lab->peers[i].is_in_at_end = bksi_lab_is_in(lab, i);
        }
        lab->is_over = true;
        lab->end_ns = lab->now_ns;
    }
    if (lab->is_over) {
        lab->is_closed = !has_all || all_ended(lab) || lab->now_ns - lab->end_ns >= CLOSING_NS;
    }
}

bool bks_lab_advance(bks_lab *lab, uint64_t until_ns)
{
    BKSI_REFUSE_NULL_OR(false, lab);
    if (!lab->has_begun) {
        lab->has_begun = true;
        bksi_lab_faults_begin(lab);
    }
    while (!lab->is_closed) {
        const lab_event event = next_event(lab);
        if (event.time_ns > until_ns) {
            lab->now_ns = until_ns > lab->now_ns ? until_ns : lab->now_ns;
            return true;
        }
        lab->now_ns = event.time_ns;
        if (event.kind == FEED) {
            bksi_lab_feed_act(lab);
            continue; // the match ends at the same time as without watchers
        }
        lab->acting = event.kind == FAULT ? BKS_PEERS_MAX : event.peer;
        if (event.kind == FAULT) {
            bksi_lab_faults_act(lab);
        } else if (event.kind == PACKET) {
            deliver(lab, lab->arrivals[event.peer].from, event.peer);
        } else {
            update_peer(lab, event.peer);
        }
        lab->acting = BKS_PEERS_MAX;
        end_if_done(lab);
        if (lab->is_closed) {
            bksi_lab_feed_finish(lab);
        }
    }
    return false;
}

uint64_t bks_lab_now(const bks_lab *lab)
{
    BKSI_REFUSE_NULL_OR(0, lab);
    return lab->now_ns;
}

uint32_t bks_lab_acting(const bks_lab *lab)
{
    BKSI_REFUSE_NULL_OR(BKS_PEERS_MAX, lab);
    return lab->acting;
}

bks_peer *bks_lab_peer(bks_lab *lab, uint32_t peer)
{
    BKSI_REFUSE_NULL_OR(NULL, lab);
    if (peer >= lab->config.peers) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_lab_peer", "peer",
                        "peer is %u, must be 0..%u", peer, lab->config.peers - 1);
        return NULL;
    }
    return lab->peers[peer].peer;
}
