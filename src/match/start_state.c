// SPDX-License-Identifier: MIT

#include "match/start_state.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/replay.h"
#include "backstitch/toolkit/recording.h"
#include "base/memory.h"
#include "base/report.h"
#include "match/source_owner.h"
#include "match/system.h"
#include "peer/awaited_state.h"
#include "peer/peer_inspect.h"
#include "replay/format/replay_state.h"

/// Second byte of each packet. That of the feed for watchers is another one.
#define MARK_1 0x11u

/// Places beside one for each guest, for guests that were started again.
#define PLACES_MORE 2u

/// Highest rate to all guests together: no match runs yet, so only the line limits it.
#define BYTES_PER_S 12500000u

/// Time to wait for the host's first answer: as long as a session waits for a host that makes its
/// own state, whose program sends nothing meanwhile.
#define TIMEOUT_NS UINT64_C(120000000000)

/// Times at which a guest tells its player how much is here.
#define REPORT_FIRST_NS UINT64_C(1000000000)
#define REPORT_EVERY_NS UINT64_C(5000000000)

static const char call[] = "bks_match_open";

/// Derive the key of this feed: not that of watchers.
static void derive_key(const uint8_t match_key[BKS_KEY_BYTES], uint8_t out[BKS_KEY_BYTES])
{
    static const char purpose[] = "backstitch start";
    uint8_t derived[BKS_KEY_BYTES];
    (void)crypto_generichash(derived, BKS_KEY_BYTES, (const uint8_t *)purpose, sizeof(purpose) - 1,
                             match_key, BKS_KEY_BYTES);
    bksi_feed_key(derived, out);
    sodium_memzero(derived, sizeof(derived));
}

// ---- for the host ----

static uint32_t places_for(uint32_t guests)
{
    const uint32_t wanted = guests + PLACES_MORE;
    return wanted < BKSI_FEED_WATCHERS_MAX ? wanted : BKSI_FEED_WATCHERS_MAX;
}

static bks_status make_source(bksi_start_state *start, const bks_match_config *config,
                              const uint8_t key[BKS_KEY_BYTES], bks_peer *peer, bks_error *error)
{
    const bks_start *from = bksi_runner_start(bksi_peer_runner(peer));
    bksi_feed_source_config source = {.watchers = places_for(from->players - config->local_players),
                                      .bytes_per_s = BYTES_PER_S,
                                      .build = config->build,
                                      .allocator = config->allocator};
    derive_key(key, source.key);
    bks_status status = bksi_source_make(&source, &start->source, error);
    if (status == BKS_OK) {
        status = bksi_feed_source_start_still(start->source, from, config->start_tick,
                                              config->start_state, config->start_state_bytes);
    }
    return status == BKS_OK || status == BKS_ERR_IO
               ? status
               : bksi_fail(error, status, call, "start_state",
                           "no memory to hand out start_state, which has %zu bytes",
                           config->start_state_bytes);
}

// ---- for a guest ----

static void drop_receiver(bksi_start_state *start)
{
    if (start->receiver != NULL) {
        bksi_feed_receiver_destroy(start->receiver);
        bksi_free(&start->allocator, start->receiver, sizeof(*start->receiver));
        start->receiver = NULL;
    }
}

/// Begin to ask for a state.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_IO
static bks_status make_receiver(bksi_start_state *start, size_t state_bytes_max, uint64_t now_ns)
{
    bksi_feed_receiver_config config = {
        .source = start->host,
        .timeout_ns = TIMEOUT_NS,
        .bytes_max =
            bksi_replay_state_bytes_max(state_bytes_max, 0) + BKSI_FEED_BEGINNING_BYTES_MORE,
        .allocator = start->allocator,
    };
    memcpy(config.key, start->key, BKS_KEY_BYTES);
    BKSI_TRY(bksi_system_random(config.identity, BKS_KEY_BYTES, NULL));
    BKSI_TRY(bksi_system_random(config.entropy, BKS_KEY_BYTES, NULL));
    start->receiver = bksi_alloc(&start->allocator, sizeof(*start->receiver), 64);
    bks_status status = BKS_ERR_OUT_OF_MEMORY;
    if (start->receiver != NULL) {
        status = bksi_feed_receiver_create(start->receiver, &config);
    }
    if (status != BKS_OK) {
        bksi_free(&start->allocator, start->receiver, sizeof(*start->receiver));
        start->receiver = NULL;
    }
    sodium_memzero(&config, sizeof(config));
    start->report_ns = start->report_ns > 0 ? start->report_ns : now_ns + REPORT_FIRST_NS;
    return status;
}

static bks_tick first_tick(bks_peer *peer)
{
    bks_roster roster = {0};
    (void)bks_session_roster(bks_peer_session(peer), &roster);
    return roster.first_tick;
}

static void refuse(bksi_start_state *start, bks_peer *peer, bks_status status)
{
    const bool is_full = start->receiver != NULL && start->receiver->reason == BKSI_FEED_FULL;
    char why[96];
    (void)snprintf(why, sizeof(why), "the state of tick %d %s", (int)first_tick(peer),
                   is_full                     ? "goes to other guests now: join again"
                   : status == BKS_ERR_DAMAGED ? "that the host sent is none of this game"
                   : status == BKS_ERR_TIMEOUT ? "is not handed out by the host's program"
                   : status == BKS_ERR_REFUSED ? "is refused by the host"
                                               : bks_status_text(status));
    const bool is_ours = status == BKS_ERR_DAMAGED || status == BKS_ERR_OUT_OF_MEMORY;
    bksi_awaited_state_refuse(peer, is_ours ? status : BKS_ERR_REFUSED, why);
    start->has_ended = true;
}

/// Unpack the state that a recording begins with.
/// @param most  most bytes of the state
static bks_status unpack(bksi_start_state *start, const bks_replay *replay, size_t most)
{
    const bks_recording *info = bks_replay_info(replay);
    if (info->has_pointers || info->state_bytes < 1 || info->state_bytes > most) {
        return BKS_ERR_DAMAGED;
    }
    start->state_bytes = (size_t)info->state_bytes;
    start->state = bksi_alloc(&start->allocator, start->state_bytes, 16);
    return start->state != NULL ? bks_replay_state(replay, start->state, start->state_bytes, NULL)
                                : BKS_ERR_OUT_OF_MEMORY;
}

/// Give the peer the state that has come.
static void take_state(bksi_start_state *start, bks_peer *peer)
{
    const bksi_feed_receiver *receiver = start->receiver;
    bks_replay *replay = NULL;
    bks_tick tick = 0;
    bks_status status =
        bks_replay_open(receiver->bytes, receiver->count, &start->allocator, &replay, NULL);
    if (status == BKS_OK) {
        tick = bks_replay_info(replay)->first;
        status = unpack(start, replay, bksi_awaited_state_bytes_max(peer));
    }
    bks_replay_close(replay);
    if (status != BKS_OK) {
        refuse(start, peer, status == BKS_ERR_OUT_OF_MEMORY ? status : BKS_ERR_DAMAGED);
        return;
    }
    bksi_awaited_state_give(peer, start->state, start->state_bytes, tick);
    start->has_ended = true;
}

static bool report(bksi_start_state *start, bks_peer *peer, uint64_t now_ns, bks_event *out)
{
    const bksi_feed_receiver *receiver = start->receiver;
    if (start->has_ended || now_ns < start->report_ns) {
        return false;
    }
    start->report_ns = now_ns + REPORT_EVERY_NS;
    bks_roster roster = {0};
    (void)bks_session_roster(bks_peer_session(peer), &roster);
    *out = (bks_event){.kind = BKS_EVENT_LOADING, .peer = roster.self, .tick = roster.first_tick};
    const bool has_begun = receiver->part == BKSI_FEED_PART_BEGINNING;
    (void)snprintf(out->text, sizeof(out->text),
                   "the state of tick %d comes from the host, %zu of %zu kB are here",
                   (int)roster.first_tick, has_begun ? receiver->got / 1000 : 0,
                   has_begun ? receiver->want / 1000 : 0);
    return true;
}

static bool update_guest(bksi_start_state *start, bks_peer *peer, uint64_t now_ns, bks_event *out)
{
    const size_t most = bksi_awaited_state_bytes_max(peer);
    if (most == 0) {
        start->has_ended = start->receiver != NULL; // the match was left, or has failed
        return false;
    }
    bks_status status = BKS_OK;
    if (start->receiver == NULL) {
        status = make_receiver(start, most, now_ns);
    }
    if (status == BKS_OK) {
        status = bksi_feed_receiver_update(start->receiver, now_ns);
    }
    if (start->receiver != NULL && start->receiver->count > 0) {
        take_state(start, peer);
    } else if (status != BKS_OK && status != BKS_ERR_PEER_LOST) {
        refuse(start, peer, status);
    }
    return start->receiver != NULL && report(start, peer, now_ns, out);
}

// ---- for both ----

bks_status bksi_start_state_open(bksi_start_state *start, const bks_match_config *config,
                                 const bks_address *host, const uint8_t key[BKS_KEY_BYTES],
                                 bks_peer *peer, bks_error *error)
{
    start->allocator = config->allocator;
    start->is_guest = host->length > 0;
    if (!start->is_guest) {
        return config->start_state != NULL ? make_source(start, config, key, peer, error) : BKS_OK;
    }
    start->host = *host;
    derive_key(key, start->key);
    bksi_awaited_state_begin(peer);
    return BKS_OK;
}

void bksi_start_state_close(bksi_start_state *start)
{
    bksi_source_drop(&start->source);
    drop_receiver(start);
    bksi_free(&start->allocator, start->state, start->state_bytes);
    start->state = NULL;
    sodium_memzero(start->key, sizeof(start->key));
}

bool bksi_start_state_receive(bksi_start_state *start, uint64_t now_ns, const bks_address *from,
                              const uint8_t *packet, size_t count)
{
    if (count < BKSI_FEED_MARK_BYTES || packet[0] != BKSI_FEED_MARK_0 || packet[1] != MARK_1) {
        return false;
    }
    if (start->source != NULL) {
        bksi_feed_source_receive(start->source, now_ns, from, packet, count);
    } else if (start->receiver != NULL) {
        bksi_feed_receiver_receive(start->receiver, now_ns, from, packet, count);
    }
    return true;
}

static void send(const bks_transport *transport, const bks_address *to, uint8_t *packet,
                 size_t count)
{
    packet[1] = MARK_1;
    // Ignore the result: a refused packet counts as lost, and its content is sent again.
    (void)transport->send(transport->context, to, packet, count);
}

/// Return true if the receiver is done. If the host fell silent another one begins anew, until the
/// session gives up the host.
static bool is_done(const bksi_start_state *start)
{
    return start->receiver != NULL &&
           (start->has_ended || start->receiver->status == BKS_ERR_PEER_LOST);
}

static void send_all(bksi_start_state *start, const bks_transport *transport, uint8_t *packet,
                     uint64_t now_ns)
{
    bks_address to;
    size_t count;
    bksi_source_send(start->source, bksi_feed_source_send, MARK_1, transport, packet, now_ns);
    while (start->receiver != NULL &&
           (count = bksi_feed_receiver_send(start->receiver, &to, packet, now_ns)) > 0) {
        send(transport, &to, packet, count);
    }
    if (is_done(start)) {
        count = bksi_feed_receiver_leave(start->receiver, &to, packet, now_ns);
        if (count > 0) {
            send(transport, &to, packet, count);
        }
        drop_receiver(start);
    }
}

bool bksi_start_state_update(bksi_start_state *start, bks_peer *peer,
                             const bks_transport *transport, uint8_t *packet, uint64_t now_ns,
                             bks_event *out)
{
    if (start->source != NULL && bks_peer_started(peer)) {
        bksi_source_drop(&start->source); // every guest has the state
    } else if (start->source != NULL) {
        bksi_feed_source_serve(start->source, now_ns);
    }
    const bool is_reported = start->is_guest && update_guest(start, peer, now_ns, out);
    send_all(start, transport, packet, now_ns);
    return is_reported;
}

uint64_t bksi_start_state_wake(const bksi_start_state *start)
{
    return start->source != NULL ? bksi_feed_source_wake(start->source) : UINT64_MAX;
}
