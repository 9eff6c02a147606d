// SPDX-License-Identifier: MIT

#include "lab/lab_feed.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "feed/feed_text.h"
#include "peer/peer_inspect.h"
#include "session/queries.h"

#define CALL      "bks_lab_watch"
#define SECOND_NS UINT64_C(1000000000)

/// Time between two updates of a watcher.
#define FRAME_NS (SECOND_NS / 60)

/// Time for which a program that leaves a match still serves its watchers, as bks_match_close().
#define LINGER_NS SECOND_NS

/// Time after the match by which each watcher must have ended: it notices that its source is
/// silent, and asks every other member.
#define FINISH_NS (40 * SECOND_NS)

/// Rate in bit/s above that of a source.
#define LINE_BITS_PER_S UINT64_C(1000000)

/// Time after its newest settled tick from which on a source may have nothing to begin with.
#define STANDS_NS (SECOND_NS / 2)

/// First byte of a watcher's address. Those of peers begin with their numbers.
#define WATCHER_MARK 0xF0u

// ---- reading "1@3s+10s:delay=40ms" ----

static bks_status refuse_spec(const bks_lab_config *config, const char *spec, bks_error *error)
{
    return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, "bks_lab_watch_parse", "watch",
                     "watch is '%.60s', must be PEER@TIME, PEER@TIME+TIME, or one of them and "
                     ":LINK, with a peer of 0..%u and times of 0..1000s, such as "
                     "1@3s+10s:delay=40ms,loss=5%%",
                     spec, (unsigned)(config->peers - 1));
}

bks_status bks_lab_watch_parse(const bks_lab_config *config, const char *spec,
                               bks_lab_watch_spec *out, bks_error *error)
{
    static const char lobby[] = "lobby:";
    BKSI_REFUSE_NULL(error, config);
    BKSI_REFUSE_NULL(error, spec);
    BKSI_REFUSE_NULL(error, out);
    bks_lab_watch_spec read = {.in_lobby = strncmp(spec, lobby, strlen(lobby)) == 0};
    const char *at = spec + (read.in_lobby ? strlen(lobby) : 0);
    read.peer = (uint32_t)(at[0] - '0');
    if (at[0] < '0' || read.peer >= config->peers || at[1] != '@') {
        return refuse_spec(config, spec, error);
    }
    at += 2;
    const size_t time_length = strcspn(at, "+:");
    const char *more = at + time_length;
    const size_t span_length = more[0] == '+' ? strcspn(more + 1, ":") : 0;
    const char *line = more + (more[0] == '+' ? 1 + span_length : 0);
    if (!bksi_lab_time_parse(at, time_length, &read.at_ns) ||
        (more[0] == '+' &&
         (!bksi_lab_time_parse(more + 1, span_length, &read.span_ns) || read.span_ns == 0))) {
        return refuse_spec(config, spec, error);
    }
    if (line[0] == ':') {
        BKSI_TRY(bks_lab_link_spec_parse(line + 1, &read.line, error));
    }
    *out = read;
    return BKS_OK;
}

// ---- set-up ----

static bks_status send_to_watcher(void *context, const bks_address *to, const void *bytes,
                                  size_t count);

static bks_status open_source(bks_lab *lab, uint32_t peer, bks_random *ids)
{
    lab_feed_source *source = &lab->feed->sources[peer];
    bksi_feed_source_config config = {.watchers = lab->config.watchers,
                                      .bytes_per_s = bks_match_config_default().watch_bytes_per_s,
                                      .build = lab->config.build,
                                      .allocator = lab->config.allocator};
    const bks_peer_config match = bksi_lab_peer_config_of(&lab->config, peer);
    uint8_t identity[BKS_KEY_BYTES];
    bksi_feed_key(match.session.key, config.key);
    bksi_lab_draw_key(ids, config.entropy);
    bksi_lab_draw_key(ids, identity);
    *source =
        (lab_feed_source){.lab = lab, .peer = peer, .wake_ns = UINT64_MAX, .closes_ns = UINT64_MAX};
    bksi_feed_source *opened = bksi_alloc(&lab->config.allocator, sizeof(*opened), 64);
    if (opened == NULL || bksi_feed_source_create(opened, &config, identity) != BKS_OK) {
        bksi_free(&lab->config.allocator, opened, sizeof(*opened));
        return BKS_ERR_OUT_OF_MEMORY;
    }
    source->watching.source = opened;
    return BKS_OK;
}

static bks_status open_feed(bks_lab *lab)
{
    if (lab->feed != NULL) {
        return BKS_OK;
    }
    lab->feed = bksi_alloc(&lab->config.allocator, sizeof(*lab->feed), 64);
    bks_random ids = bksi_lab_random(lab->config.seed, LAB_STREAM_FEED);
    bks_status status = lab->feed != NULL ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < lab->config.peers && status == BKS_OK; i++) {
        status = open_source(lab, i, &ids);
    }
    return status;
}

bks_status bks_lab_watch(bks_lab *lab, const char *spec, bks_error *error)
{
    if (lab == NULL || spec == NULL) {
        return bksi_fail_null(error, CALL, lab == NULL ? "lab" : "spec");
    }
    if (lab->has_begun) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "lab",
                         "the match runs already, set watchers before bks_lab_advance()");
    }
    bks_lab_watch_spec read;
    BKSI_TRY(bks_lab_watch_parse(&lab->config, spec, &read, error));
    if (open_feed(lab) != BKS_OK) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, CALL, NULL, "no memory for watchers");
    }
    lab_feed *feed = lab->feed;
    if (feed->watcher_count == BKS_LAB_WATCHERS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "watch",
                         "watch is given more than %d times, must be at most",
                         BKS_LAB_WATCHERS_MAX);
    }
    feed->watchers[feed->watcher_count] = (lab_watcher){.spec = read, .index = feed->watcher_count};
    feed->watcher_count++;
    return BKS_OK;
}

void bksi_lab_feed_destroy(bks_lab *lab)
{
    lab_feed *feed = lab->feed;
    if (feed == NULL) {
        return;
    }
    for (uint32_t i = 0; i < feed->watcher_count; i++) {
        lab_watcher *watcher = &feed->watchers[i];
        for (uint32_t k = 0; k < BKS_PEERS_MAX; k++) {
            bksi_lab_link_destroy(watcher->lines[k][0]);
            bksi_lab_link_destroy(watcher->lines[k][1]);
        }
        if (watcher->has_come) {
            bksi_feed_receiver_destroy(&watcher->receiver);
        }
    }
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        bksi_watching_close(&feed->sources[i].watching);
    }
    bksi_free(&lab->config.allocator, feed, sizeof(*feed));
    lab->feed = NULL;
}

// ---- lines ----

enum { UP, DOWN };

/// Send a packet over a watcher's line to or from a peer.
static void push(bks_lab *lab, lab_watcher *watcher, uint32_t peer, uint32_t direction,
                 const void *bytes, size_t count)
{
    bksi_lab_link **line = &watcher->lines[peer][direction];
    if (*line == NULL) {
        const uint64_t stream =
            LAB_STREAM_LINES + (watcher->index * BKS_PEERS_MAX + peer) * 2 + direction;
        const uint64_t seed = bksi_hash64_pair(lab->config.seed, stream);
        if (bksi_lab_link_create(&watcher->spec.line, LINE_BITS_PER_S, seed, stream,
                                 &lab->config.allocator, line, NULL) != BKS_OK) {
            bksi_lab_fail(lab, "no memory for a line of watcher %u", watcher->index);
            return;
        }
    }
    bksi_lab_link_push(*line, lab->now_ns, bytes, count);
}

/// Take the next packet of a watcher's line that has arrived.
static bool pop(const bks_lab *lab, const lab_watcher *watcher, uint32_t peer, uint32_t direction,
                bksi_lab_link_delivery *out)
{
    bksi_lab_link *line = watcher->lines[peer][direction];
    return line != NULL && bksi_lab_link_pop(line, lab->now_ns, out);
}

static bks_address address_of(const bks_lab *lab, uint32_t peer)
{
    return bksi_lab_address(peer, lab->peers[peer].rebinds);
}

static bks_status send_to_watcher(void *context, const bks_address *to, const void *bytes,
                                  size_t count)
{
    lab_feed_source *source = context;
    lab_feed *feed = source->lab->feed;
    if (to->bytes[0] == WATCHER_MARK && to->bytes[1] < feed->watcher_count &&
        !bksi_lab_faults_silence(source->lab, source->peer)) {
        push(source->lab, &feed->watchers[to->bytes[1]], source->peer, DOWN, bytes, count);
    }
    return BKS_OK;
}

static void send_to_source(bks_lab *lab, lab_watcher *watcher, const bks_address *to,
                           const uint8_t *bytes, size_t count)
{
    const uint32_t peer = to->bytes[0];
    const bks_address actual = peer < lab->config.peers ? address_of(lab, peer) : (bks_address){0};
    if (bks_address_equal(to, &actual)) {
        push(lab, watcher, peer, UP, bytes, count);
    }
}

// ---- sources ----

static bool is_gone(const bks_lab *lab, uint32_t peer)
{
    return lab->peers[peer].is_crashed || lab->feed->sources[peer].is_closed;
}

void bksi_lab_feed_close(bks_lab *lab, uint32_t index)
{
    lab_feed_source *source = lab->feed != NULL ? &lab->feed->sources[index] : NULL;
    if (source == NULL || is_gone(lab, index) || source->closes_ns != UINT64_MAX) {
        return;
    }
    lab_peer *peer = &lab->peers[index];
    bksi_watching_finish(&source->watching, peer->peer, bksi_lab_to_peer_time(peer, lab->now_ns));
    source->closes_ns = lab->now_ns + LINGER_NS;
    source->end = source->watching.source->tape.next;
}

/// Take the packets that arrived, and send what is due.
static void run_source(bks_lab *lab, uint32_t index)
{
    lab_feed_source *source = &lab->feed->sources[index];
    const lab_peer *peer = &lab->peers[index];
    const uint64_t now_ns = bksi_lab_to_peer_time(peer, lab->now_ns);
    const bks_transport transport = {.send = send_to_watcher, .context = source};
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bksi_watching_send(&source->watching, &transport, packet, now_ns);
    if (lab->now_ns >= source->closes_ns ||
        (source->closes_ns != UINT64_MAX && !bksi_watching_owes(&source->watching))) {
        bksi_watching_leave(&source->watching, &transport, packet, now_ns);
        source->is_closed = true;
        return;
    }
    source->wake_ns = bksi_lab_from_peer_time(peer, bksi_watching_wake(&source->watching));
    if (source->wake_ns > source->closes_ns) {
        source->wake_ns = source->closes_ns;
    }
}

static void take_packets(bks_lab *lab, uint32_t index)
{
    lab_feed_source *source = &lab->feed->sources[index];
    const uint64_t now_ns = bksi_lab_to_peer_time(&lab->peers[index], lab->now_ns);
    for (uint32_t i = 0; i < lab->feed->watcher_count; i++) {
        const bks_address from = {.length = 2, .bytes = {WATCHER_MARK, (uint8_t)i}};
        bksi_lab_link_delivery packet;
        while (pop(lab, &lab->feed->watchers[i], index, UP, &packet)) {
            (void)bksi_watching_receive(&source->watching, now_ns, &from, packet.bytes,
                                        packet.count);
        }
    }
}

void bksi_lab_feed_update(bks_lab *lab, uint32_t index)
{
    if (lab->feed == NULL || is_gone(lab, index)) {
        return;
    }
    lab_peer *peer = &lab->peers[index];
    const bks_phase phase = bks_session_phase(peer->session);
    take_packets(lab, index);
    bksi_watching_update(&lab->feed->sources[index].watching, peer->peer,
                         bksi_lab_to_peer_time(peer, lab->now_ns));
    if (phase == BKS_PHASE_ENDED || phase == BKS_PHASE_FAILED) {
        bksi_lab_feed_close(lab, index);
    }
    run_source(lab, index);
}

// ---- watchers ----

static void come(bks_lab *lab, lab_watcher *watcher)
{
    bksi_feed_receiver_config config = {.source = address_of(lab, watcher->spec.peer),
                                        .timeout_ns = BKSI_FEED_TIMEOUT_NS,
                                        .bytes_max = BKSI_FEED_BYTES_MAX,
                                        .allocator = lab->config.allocator};
    bks_random ids = bksi_lab_random(lab->config.seed, LAB_STREAM_FEED + 1 + watcher->index);
    bksi_feed_key(bksi_lab_peer_config_of(&lab->config, 0).session.key, config.key);
    bksi_lab_draw_key(&ids, config.identity);
    bksi_lab_draw_key(&ids, config.entropy);
    watcher->has_come = bksi_feed_receiver_create(&watcher->receiver, &config) == BKS_OK;
    if (!watcher->has_come) {
        watcher->has_ended = true;
        bksi_lab_fail(lab, "no memory for watcher %u", watcher->index);
    }
    const uint64_t span_ns = watcher->spec.span_ns;
    watcher->end_ns = span_ns > 0 ? lab->now_ns + span_ns : UINT64_MAX;
    watcher->moved_ns = lab->now_ns;
}

/// Return true if a peer's program runs, and serves or will serve watchers.
static bool serves(const bks_lab *lab, uint32_t peer)
{
    return !is_gone(lab, peer) && lab->feed->sources[peer].closes_ns == UINT64_MAX &&
           lab->peers[peer].busy_until_ns <= lab->now_ns && !bksi_lab_faults_silence(lab, peer);
}

/// Return true if what a watcher sends to its source arrives: one that has never answered has moved
/// away unseen if its address is another one now.
static bool reaches(const bks_lab *lab, const lab_watcher *watcher, uint32_t peer)
{
    const bks_address now = bksi_lab_address(peer, lab->peers[peer].rebinds);
    return watcher->receiver.is_answered || bks_address_equal(&watcher->receiver.source, &now);
}

/// Return the ticks that a source has settled and a watcher lacks.
static bks_tick lacked_ticks(const bks_lab *lab, const lab_watcher *watcher, uint32_t peer)
{
    const bks_tick settled = bksi_session_settled(lab->peers[peer].session);
    return watcher->receiver.count > 0 && settled > watcher->next ? settled - watcher->next : 0;
}

/// Note when the source of a watcher settled a tick last.
static void note_settled(const bks_lab *lab, lab_watcher *watcher, uint32_t peer)
{
    const bks_tick settled = bksi_session_settled(lab->peers[peer].session);
    if (settled != watcher->settled) {
        watcher->settled = settled;
        watcher->settled_ns = lab->now_ns;
    }
}

/// Return true if a watcher is a newcomer whose source has settled no tick for a while: it may have
/// no state at which the newcomer could begin.
static bool waits_for_state(const bks_lab *lab, const lab_watcher *watcher)
{
    return watcher->receiver.count == 0 && lab->now_ns - watcher->settled_ns > STANDS_NS;
}

/// Return true if a watcher has a reason to have no more than it has: its source has nothing more,
/// or may not send.
static bool may_wait(const bks_lab *lab, const lab_watcher *watcher, uint32_t peer)
{
    const bksi_feed_source *source = lab->feed->sources[peer].watching.source;
    // Records have a tenth of a second. A source that waits for a state to begin with holds its
    // records back for up to 32 ticks and a window.
    const bks_tick usual = 32 + (bks_tick)bksi_session_window(lab->peers[peer].session) +
                           (bks_tick)lab->config.game->tick_rate_hz / 5;
    return !source->has_tape || lab->now_ns < source->held_ns ||
           (watcher->receiver.count > 0 && lacked_ticks(lab, watcher, peer) <= usual);
}

/// Measure how far behind a watcher is, and for how long it has waited.
static void measure(const bks_lab *lab, lab_watcher *watcher)
{
    const uint32_t peer = watcher->receiver.source.bytes[0];
    const bool is_served = serves(lab, peer) && reaches(lab, watcher, peer);
    if (is_served && watcher->receiver.count > 0) {
        const bks_tick behind = lacked_ticks(lab, watcher, peer);
        watcher->looks++;
        watcher->behind_ticks_sum += (uint64_t)behind;
        watcher->behind_ticks_max =
            behind > watcher->behind_ticks_max ? behind : watcher->behind_ticks_max;
    }
    if (is_served) {
        note_settled(lab, watcher, peer);
    }
    if (is_served && !watcher->receiver.search.is_on &&
        (waits_for_state(lab, watcher) || may_wait(lab, watcher, peer))) {
        watcher->moved_ns = lab->now_ns;
    }
    if (watcher->moved_ns == lab->now_ns) {
        watcher->is_astray = false;
        return;
    }
    watcher->is_astray |= !is_served || watcher->receiver.search.is_on;
    watcher->was_lost |= !is_served;
    uint64_t *longest_ns = &watcher->waited_ns[watcher->is_astray ? 1 : 0];
    const uint64_t waited_ns = lab->now_ns - watcher->moved_ns;
    *longest_ns = waited_ns > *longest_ns ? waited_ns : *longest_ns;
}

/// Note from which source new ticks came.
static void note_ticks(const bks_lab *lab, lab_watcher *watcher, uint32_t peer)
{
    const bksi_feed_receiver *receiver = &watcher->receiver;
    const bool is_first = watcher->part_count == 0 && receiver->count > 0;
    const bks_tick next = receiver->count > 0 ? receiver->progress.next : 0;
    if (!is_first && next == watcher->next) {
        return;
    }
    watcher->moved_ns = lab->now_ns;
    watcher->was_lost = false;
    const bool is_other = is_first || watcher->parts[watcher->part_count - 1].peer != peer;
    if (is_other && watcher->part_count < LAB_FEED_PARTS_MAX) {
        watcher->parts[watcher->part_count++] = (lab_feed_part){
            .peer = peer, .first = is_first ? receiver->progress.first : watcher->next};
    }
    watcher->next = next;
}

static void note_opinion(lab_watcher *watcher)
{
    bksi_feed_opinions *opinions = &watcher->receiver.opinions;
    if (opinions->has_news && watcher->opinion_count < LAB_FEED_OPINIONS_MAX) {
        watcher->opinions[watcher->opinion_count++] = opinions->news;
    }
    opinions->has_news = false;
}

/// Process one packet, or an update if `packet` is NULL.
static void run_receiver(bks_lab *lab, lab_watcher *watcher, uint32_t from,
                         const bksi_lab_link_delivery *packet)
{
    bksi_feed_receiver *receiver = &watcher->receiver;
    const uint32_t peer = receiver->source.bytes[0]; // new ticks come from it, then it may change
    if (packet == NULL) {
        (void)bksi_feed_receiver_update(receiver, lab->now_ns);
    } else if (bksi_feed_is_packet(packet->bytes, packet->count)) {
        const bks_address address = address_of(lab, from);
        bksi_feed_receiver_receive(receiver, lab->now_ns, &address, packet->bytes, packet->count);
    }
    note_ticks(lab, watcher, peer);
    note_opinion(watcher);
}

static void run_watcher(bks_lab *lab, lab_watcher *watcher)
{
    bksi_feed_receiver *receiver = &watcher->receiver;
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        bksi_lab_link_delivery delivery;
        while (pop(lab, watcher, i, DOWN, &delivery)) {
            run_receiver(lab, watcher, i, &delivery);
        }
    }
    run_receiver(lab, watcher, 0, NULL);
    watcher->has_left = lab->now_ns >= watcher->end_ns && receiver->status == BKS_OK;
    watcher->has_ended = watcher->has_left || receiver->status != BKS_OK;
    while ((count = bksi_feed_receiver_send(receiver, &to, packet, lab->now_ns)) > 0) {
        send_to_source(lab, watcher, &to, packet, count);
    }
    if (watcher->has_ended) {
        count = bksi_feed_receiver_leave(receiver, &to, packet, lab->now_ns);
        if (count > 0) {
            send_to_source(lab, watcher, &to, packet, count);
        }
    }
    measure(lab, watcher);
    watcher->wake_ns = watcher->has_ended ? UINT64_MAX : lab->now_ns + FRAME_NS;
}

// ---- events ----

/// Return the time at which a watcher comes or is updated; UINT64_MAX: not known, or never.
static uint64_t wake_of(const bks_lab *lab, const lab_watcher *watcher)
{
    if (watcher->has_come || watcher->has_ended) {
        return watcher->wake_ns;
    }
    const uint64_t base_ns = watcher->spec.in_lobby ? 0 : lab->first_tick_ns;
    return base_ns == UINT64_MAX || lab->is_closed ? UINT64_MAX : base_ns + watcher->spec.at_ns;
}

/// Return the time at which a source sends or gets a packet; UINT64_MAX: never, unless something
/// happens.
static uint64_t due_of(const bks_lab *lab, uint32_t peer)
{
    uint64_t wake_ns = lab->feed->sources[peer].wake_ns;
    for (uint32_t i = 0; i < lab->feed->watcher_count; i++) {
        const bksi_lab_link *line = lab->feed->watchers[i].lines[peer][UP];
        const uint64_t next_ns = line != NULL ? bksi_lab_link_next_time(line) : UINT64_MAX;
        wake_ns = next_ns < wake_ns ? next_ns : wake_ns;
    }
    const uint64_t busy_ns = lab->peers[peer].busy_until_ns;
    return is_gone(lab, peer) ? UINT64_MAX : wake_ns > busy_ns ? wake_ns : busy_ns;
}

uint64_t bksi_lab_feed_next(const bks_lab *lab)
{
    const lab_feed *feed = lab->feed;
    uint64_t next_ns = UINT64_MAX;
    for (uint32_t i = 0; feed != NULL && i < lab->config.peers; i++) {
        const uint64_t due_ns = due_of(lab, i);
        next_ns = due_ns < next_ns ? due_ns : next_ns;
    }
    for (uint32_t i = 0; feed != NULL && i < feed->watcher_count; i++) {
        const uint64_t wake_ns = wake_of(lab, &feed->watchers[i]);
        next_ns = wake_ns < next_ns ? wake_ns : next_ns;
    }
    return next_ns;
}

void bksi_lab_feed_act(bks_lab *lab)
{
    lab_feed *feed = lab->feed;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (due_of(lab, i) <= lab->now_ns) {
            take_packets(lab, i);
            run_source(lab, i);
        }
    }
    for (uint32_t i = 0; i < feed->watcher_count; i++) {
        lab_watcher *watcher = &feed->watchers[i];
        if (wake_of(lab, watcher) > lab->now_ns) {
            continue;
        }
        if (!watcher->has_come) {
            come(lab, watcher);
        }
        run_watcher(lab, watcher);
    }
}

static bool is_watched(const lab_feed *feed)
{
    for (uint32_t i = 0; i < feed->watcher_count; i++) {
        if (feed->watchers[i].has_come && !feed->watchers[i].has_ended) {
            return true;
        }
    }
    return false;
}

void bksi_lab_feed_finish(bks_lab *lab)
{
    const uint64_t until_ns = lab->now_ns + FINISH_NS;
    for (uint32_t i = 0; lab->feed != NULL && i < lab->config.peers; i++) {
        bksi_lab_feed_close(lab, i);
        lab->feed->sources[i].wake_ns = lab->now_ns;
    }
    while (lab->feed != NULL && is_watched(lab->feed) && bksi_lab_feed_next(lab) <= until_ns) {
        const uint64_t next_ns = bksi_lab_feed_next(lab);
        lab->now_ns = next_ns > lab->now_ns ? next_ns : lab->now_ns;
        bksi_lab_feed_act(lab);
    }
}

// ---- results ----

void bksi_lab_feed_fill(const bks_lab *lab, bks_lab_result *out)
{
    const uint64_t tick_ns = SECOND_NS / lab->config.game->tick_rate_hz;
    out->watcher_count = lab->feed != NULL ? lab->feed->watcher_count : 0;
    for (uint32_t i = 0; i < out->watcher_count; i++) {
        const lab_watcher *watcher = &lab->feed->watchers[i];
        const uint32_t parts = watcher->part_count;
        const uint64_t looks = watcher->looks > 0 ? watcher->looks : 1;
        out->watchers[i] = (bks_lab_watcher_result){
            .peer = watcher->spec.peer,
            .source = parts > 0           ? watcher->parts[parts - 1].peer
                      : watcher->has_come ? watcher->receiver.source.bytes[0]
                                          : watcher->spec.peer,
            .first_tick = parts > 0 ? watcher->parts[0].first : BKS_TICK_NONE,
            .end_tick = watcher->next,
            .turns = parts > 0 ? parts - 1 : 0,
            .behind_ns_mean = watcher->behind_ticks_sum * tick_ns / looks,
            .behind_ns_max = (uint64_t)watcher->behind_ticks_max * tick_ns,
            .has_come = watcher->has_come,
            .has_ended = watcher->has_ended,
            .text = !watcher->has_come  ? "the match was over before it came"
                    : watcher->has_left ? "it left"
                                        : bksi_feed_text(&watcher->receiver),
        };
    }
}
