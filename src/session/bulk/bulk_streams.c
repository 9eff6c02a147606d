// SPDX-License-Identifier: MIT

// Streams of bytes beside the match. A BULK message is an echo and a body of wire/small_messages.h.
// Each packet has an echo, so the line gets as many samples as it carries packets. New keys restart
// the numbers of packets, but not the streams.

#include "session/bulk/bulk_streams.h"

#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/report.h"
#include "wire/small_messages.h"

/// Highest rate of a stream to one peer, in bytes per second.
#define MOST_BYTES_PER_S 12.5e6

/// Time between two messages on a detour.
#define DETOUR_GAP_NS (NS_PER_SECOND / 60)

#define STREAMS (BKS_PEERS_MAX - 1)

static bks_status create(session_bulk_streams *bulk, size_t bytes, bool is_lane,
                         const bks_allocator *allocator)
{
    const bksi_bulk_config stream = {
        .send_bytes = bytes, .receive_bytes = bytes, .most = MOST_BYTES_PER_S, .is_lane = is_lane};
    bulk->streams = bksi_alloc(allocator, STREAMS * sizeof(bksi_bulk), sizeof(uint64_t));
    if (bulk->streams == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < STREAMS; i++) {
        const bks_status status = bksi_bulk_create(&bulk->streams[i], &stream, allocator);
        if (status != BKS_OK) {
            memset(&bulk->streams[i], 0, sizeof(bulk->streams[i]));
            return status;
        }
    }
    return BKS_OK;
}

bks_status bksi_bulk_streams_create(session_bulk_streams *bulk, const bks_session_config *config)
{
    const size_t bytes = config->tuning.bulk_bytes;
    return bytes > 0 ? create(bulk, bytes, false, &config->allocator) : BKS_OK;
}

bks_status bksi_bulk_streams_create_lanes(session_bulk_streams *bulk, size_t bytes,
                                          const bks_allocator *allocator)
{
    return create(bulk, bytes, true, allocator);
}

void bksi_bulk_streams_destroy(session_bulk_streams *bulk, const bks_allocator *allocator)
{
    for (uint32_t i = 0; i < STREAMS && bulk->streams != NULL; i++) {
        bksi_bulk_destroy(&bulk->streams[i]);
    }
    bksi_free(allocator, bulk->streams, STREAMS * sizeof(bksi_bulk));
    bulk->streams = NULL;
}

static bksi_bulk *stream_of(const session_bulk_streams *bulk, const session_common *common,
                            uint32_t peer)
{
    return bksi_bulk_streams_of(bulk, common->seats.self, peer);
}

/// Return true if messages of the streams are exchanged with a peer.
static bool is_open(const session_common *common, uint32_t peer)
{
    return bksi_phase_is_running(&common->phase) && bksi_common_has(common, peer) &&
           !bksi_goodbyes_has_quit(&common->goodbyes, peer);
}

/// Get the longest time for which a carrier keeps a packet, to send it along with one of its own.
static uint64_t carried_ns(const session_common *common)
{
    const uint64_t tick_ns = NS_PER_SECOND / common->config.tick_rate_hz;
    return tick_ns < DETOUR_GAP_NS ? DETOUR_GAP_NS
                                   : (tick_ns < SEND_GAP_MAX_NS ? tick_ns : SEND_GAP_MAX_NS);
}

void bksi_bulk_streams_update(session_bulk_streams *bulk, const session_common *common,
                              uint32_t detours, uint32_t held)
{
    bulk->detours = detours;
    EACH_PEER (i, bulk->streams != NULL ? bksi_seats_others(&common->seats) : 0) {
        bksi_bulk *stream = stream_of(bulk, common, i);
        if (stream != NULL && is_open(common, i)) {
            const bool is_carried = (detours >> i & 1) != 0;
            bksi_bulk_hold(stream, (held >> i & 1) != 0);
            bksi_bulk_set_detour(stream, is_carried ? DETOUR_GAP_NS : 0,
                                 is_carried ? carried_ns(common) : 0);
            bksi_bulk_update(stream, &common->links.peers[i].line,
                             bksi_links_is_cramped(&common->links, i), common->now_ns);
        }
    }
}

static uint64_t due_ns(const session_bulk_streams *bulk, const session_common *common,
                       uint32_t peer)
{
    const bksi_bulk *stream = stream_of(bulk, common, peer);
    if (stream == NULL || !is_open(common, peer)) {
        return UINT64_MAX;
    }
    const uint64_t due = bksi_bulk_due_ns(stream, common->now_ns);
    const uint64_t next =
        (bulk->detours >> peer & 1) != 0 ? bulk->sent_ns[peer] + DETOUR_GAP_NS : 0;
    return due > next ? due : next;
}

uint64_t bksi_bulk_streams_wake(const session_bulk_streams *bulk, const session_common *common)
{
    uint64_t wake_ns = UINT64_MAX;
    EACH_PEER (i, bulk->streams != NULL ? bksi_seats_others(&common->seats) : 0) {
        const uint64_t peer_ns = due_ns(bulk, common, i);
        wake_ns = peer_ns < wake_ns ? peer_ns : wake_ns;
    }
    return wake_ns;
}

size_t bksi_bulk_streams_write(session_bulk_streams *bulk, session_links *links,
                               const session_common *common, uint32_t peer, uint8_t *body,
                               size_t room)
{
    if (due_ns(bulk, common, peer) > common->now_ns) {
        return 0;
    }
    const size_t count = bksi_bulk_send(stream_of(bulk, common, peer), body + BKSI_ECHO_BYTES,
                                        room - BKSI_ECHO_BYTES, common->now_ns);
    if (count == 0) {
        return 0;
    }
    const bksi_echo echo = bksi_links_echo(links, peer, common->now_ns);
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_ECHO_BYTES);
    bksi_echo_write(&writer, &echo);
    return BKSI_ECHO_BYTES + count;
}

void bksi_bulk_streams_sent(session_bulk_streams *bulk, const session_common *common, uint32_t peer,
                            size_t bytes)
{
    bulk->sent_ns[peer] = common->now_ns;
    bksi_bulk_sent(stream_of(bulk, common, peer), bytes + BKSI_DATAGRAM_HEAD_BYTES,
                   common->links.peers[peer].line.newest_sent, common->now_ns);
}

bool bksi_bulk_streams_receive(session_bulk_streams *bulk, session_links *links,
                               const session_common *common, uint32_t peer, const uint8_t *body,
                               size_t count, bksi_echo *out_echo)
{
    bksi_bulk *stream = stream_of(bulk, common, peer);
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    *out_echo = bksi_echo_read(&reader);
    if (bksi_mutated(BKSI_MUTANT_STREAM) && stream != NULL && bksi_bulk_unfinished(stream) > 0) {
        return !reader.failed;
    }
    const bool was_asked = stream != NULL && bksi_bulk_is_asked(stream);
    if (stream == NULL || reader.failed ||
        !bksi_bulk_receive(stream, body + BKSI_ECHO_BYTES, count - BKSI_ECHO_BYTES,
                           common->now_ns)) {
        return false;
    }
    if (!was_asked && bksi_bulk_is_asked(stream)) {
        // The sender needs an echo that tells when this message came.
        bksi_links_owe_echo(links, peer);
    }
    return true;
}

// ---- functions for the owner ----

/// Find the stream with a peer, even if the stream ended a while ago.
static bks_status find(const session_bulk_streams *bulk, const session_common *common,
                       const char *call, uint32_t peer, bksi_bulk **out)
{
    if (bulk->streams == NULL) {
        return bksi_fail(NULL, BKS_ERR_UNSUPPORTED, call, "tuning.bulk_bytes",
                         "tuning.bulk_bytes is 0, must be at least 1024 on both peers for streams");
    }
    const bool is_there = bksi_phase_has_roster(&common->phase);
    const bool is_other = peer < BKS_PEERS_MAX &&
                          (!is_there || (bksi_seats_others(&common->seats) & PEER_BIT(peer)) != 0);
    if (!is_other) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "peer",
                         "peer is %u, must be another peer of 0..%u", (unsigned)peer,
                         is_there ? bksi_seats_end(&common->seats) - 1 : BKS_PEERS_MAX - 1);
    }
    *out = is_there ? stream_of(bulk, common, peer) : NULL;
    return BKS_OK;
}

/// Get the status of a stream that carries nothing any more.
static bks_status end_of(const session_common *common, uint32_t peer)
{
    if (bksi_phase_is_in_lobby(&common->phase) || is_open(common, peer)) {
        return BKS_OK;
    }
    return bksi_phase_is_running(&common->phase) ? BKS_ERR_PEER_LOST : BKS_OVER;
}

bks_status bksi_bulk_streams_append(session_bulk_streams *bulk, const session_common *common,
                                    uint32_t peer, const void *bytes, size_t count,
                                    size_t *out_count)
{
    bksi_bulk *stream = NULL;
    bks_status status = find(bulk, common, "bks_session_bulk_write", peer, &stream);
    if (status == BKS_OK) {
        status = end_of(common, peer);
    }
    *out_count = status == BKS_OK && stream != NULL && is_open(common, peer)
                     ? bksi_bulk_write(stream, bytes, count)
                     : 0;
    return status;
}

bks_status bksi_bulk_streams_take(session_bulk_streams *bulk, const session_common *common,
                                  uint32_t peer, void *bytes, size_t capacity, size_t *out_count)
{
    bksi_bulk *stream = NULL;
    *out_count = 0;
    const bks_status status = find(bulk, common, "bks_session_bulk_read", peer, &stream);
    if (status != BKS_OK) {
        return status;
    }
    if (stream != NULL) {
        *out_count = bksi_bulk_read(stream, bytes, capacity, common->now_ns);
    }
    return *out_count > 0 ? BKS_OK : end_of(common, peer);
}

uint64_t bksi_bulk_streams_pending(const session_bulk_streams *bulk, const session_common *common,
                                   uint32_t peer)
{
    const bool is_there = peer < BKS_PEERS_MAX && (common->seats.all & PEER_BIT(peer)) != 0;
    const bksi_bulk *stream = is_there ? stream_of(bulk, common, peer) : NULL;
    return stream != NULL ? bksi_bulk_unfinished(stream) : 0;
}
