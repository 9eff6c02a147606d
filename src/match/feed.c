// SPDX-License-Identifier: MIT
//
// A watcher's feed with its socket and clock.

#include "backstitch/match.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "feed/feed_text.h"
#include "match/match_config.h"
#include "match/relay.h"
#include "match/system.h"
#include "net/address.h"

/// Most packets received in one update.
#define PACKETS_TAKEN_MAX 1024

/// Greatest bytes_max: a record may be as long.
#define BYTES_MAX ((size_t)1 << 30)

/// Seconds of the match that are still to come, from which on a feed says so.
#define BEHIND_S 5

static const char call[] = "bks_feed_open";

struct bks_feed {
    bks_allocator allocator;
    bks_udp *udp;
    bks_transport transport;
    bool has_receiver;
    bksi_feed_receiver receiver;
    bksi_relay relay;
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    char nobody[192]; ///< text if nobody answers at the invitation's address
    char behind[96];  ///< text while much of what was played is not here yet, "": it is
};

/// Read the invitation: address of the source and key of the feed.
static bks_status read_invitation(const char *text, bksi_feed_receiver_config *out,
                                  bks_error *error)
{
    bks_invitation invitation;
    if (text == NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "invitation",
                         "invitation is NULL, must not be");
    }
    const bks_status status = bks_invitation_parse(text, &invitation, error);
    if (status != BKS_OK) {
        return bksi_match_config_field(status, "invitation", error);
    }
    if (invitation.is_for_watching) {
        memcpy(out->key, invitation.key, BKS_KEY_BYTES);
    } else {
        bksi_feed_key(invitation.key, out->key);
    }
    if (bks_udp_address_parse(invitation.address, &out->source, error) != BKS_OK) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "invitation",
                         "invitation leads to '%s', which cannot be found: check its spelling and "
                         "your network",
                         invitation.address);
    }
    return BKS_OK;
}

static void write_nobody(bks_feed *feed, const bks_address *source)
{
    char address[64];
    (void)bks_udp_address_format(source, address, sizeof(address));
    // A source does not answer those who lack its key, so a wrong key looks like no match.
    (void)snprintf(feed->nobody, sizeof(feed->nobody),
                   "nobody answers at %s: no match is played there, or not the one of this "
                   "invitation",
                   address);
}

static bks_status open_all(bks_feed *feed, const bks_feed_config *config,
                           bksi_feed_receiver_config *receiver, bks_error *error)
{
    BKSI_TRY(read_invitation(config->invitation, receiver, error));
    write_nobody(feed, &receiver->source);
    const bool is_v6 = receiver->source.length == BKSI_UDP6_BYTES;
    const char *any = is_v6 ? "[::]:0" : "0.0.0.0:0";
    const bks_status status =
        bks_udp_open(config->bind_address != NULL ? config->bind_address : any, &feed->udp, error);
    if (status != BKS_OK) {
        return bksi_match_config_field(status, "bind_address", error);
    }
    feed->transport = bks_udp_transport(feed->udp);
    BKSI_TRY(bksi_system_random(receiver->identity, BKS_KEY_BYTES, error));
    BKSI_TRY(bksi_system_random(receiver->entropy, BKS_KEY_BYTES, error));
    receiver->timeout_ns = config->timeout_ms > 0 ? (uint64_t)config->timeout_ms * BKSI_NS_PER_MS
                                                  : BKSI_FEED_TIMEOUT_NS;
    receiver->bytes_max = config->bytes_max > 0 ? config->bytes_max : BKSI_FEED_BYTES_MAX;
    receiver->allocator = config->allocator;
    BKSI_TRY(bksi_relay_open(&feed->relay, config, receiver->key, error));
    feed->has_receiver = bksi_feed_receiver_create(&feed->receiver, receiver) == BKS_OK;
    return feed->has_receiver
               ? BKS_OK
               : bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL, "no memory for a feed");
}

bks_status bks_feed_open(const bks_feed_config *config, bks_feed **out, bks_error *error)
{
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_REFUSE_NULL(error, config);
    if (!bksi_allocator_ok(&config->allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    if (config->bytes_max > BYTES_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "bytes_max",
                         "bytes_max is %zu, must be 0..%zu", config->bytes_max, BYTES_MAX);
    }
    bks_feed *feed = bksi_alloc(&config->allocator, sizeof(*feed), 64);
    if (feed == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL, "no memory for a feed");
    }
    feed->allocator = config->allocator;
    bksi_feed_receiver_config receiver = {0};
    const bks_status status = open_all(feed, config, &receiver, error);
    sodium_memzero(&receiver, sizeof(receiver));
    if (status != BKS_OK) {
        bks_feed_close(feed);
        return status;
    }
    *out = feed;
    return BKS_OK;
}

void bks_feed_close(bks_feed *feed)
{
    if (feed == NULL) {
        return;
    }
    const bks_allocator allocator = feed->allocator;
    bksi_relay_close(&feed->relay);
    if (feed->has_receiver) {
        bks_address to;
        const size_t count =
            bksi_feed_receiver_leave(&feed->receiver, &to, feed->packet, bksi_clock_ns());
        if (count > 0) {
            (void)feed->transport.send(feed->transport.context, &to, feed->packet, count);
        }
        bksi_feed_receiver_destroy(&feed->receiver);
    }
    bks_udp_close(feed->udp);
    bksi_free(&allocator, feed, sizeof(*feed));
}

static void take_packets(bks_feed *feed, uint64_t now_ns)
{
    bks_address from;
    for (int taken = 0; taken < PACKETS_TAKEN_MAX; taken++) {
        const size_t count = feed->transport.receive(feed->transport.context, &from, feed->packet,
                                                     sizeof(feed->packet));
        if (count == 0) {
            return;
        }
        if (bksi_feed_is_packet(feed->packet, count)) {
            bksi_feed_receiver_receive(&feed->receiver, now_ns, &from, feed->packet, count);
        }
    }
}

static void send_packets(bks_feed *feed, uint64_t now_ns)
{
    bks_address to;
    size_t count;
    while ((count = bksi_feed_receiver_send(&feed->receiver, &to, feed->packet, now_ns)) > 0) {
        // Ignore the result: a refused packet counts as lost, and its content is sent again.
        (void)feed->transport.send(feed->transport.context, &to, feed->packet, count);
    }
}

/// Say how much of what the source has recorded is still to come.
static void note_behind(bks_feed *feed)
{
    const bksi_feed_progress *progress = &feed->receiver.progress;
    const bks_tick ticks = feed->receiver.members.newest - progress->next;
    const bks_tick seconds = progress->can_continue ? ticks / progress->ahead_ticks : 0;
    feed->behind[0] = '\0';
    if (seconds >= BEHIND_S) {
        (void)snprintf(feed->behind, sizeof(feed->behind),
                       "catching up: %d s of the match, which was played before, are still to come",
                       (int)seconds);
    }
}

bks_status bks_feed_update(bks_feed *feed)
{
    BKSI_REFUSE_NULL(NULL, feed);
    const uint64_t now_ns = bksi_clock_ns();
    take_packets(feed, now_ns);
    const bks_status status = bksi_feed_receiver_update(&feed->receiver, now_ns);
    send_packets(feed, now_ns);
    note_behind(feed);
    bksi_relay_update(&feed->relay, &feed->receiver, feed->packet, now_ns);
    return status;
}

const char *bks_feed_invitation(const bks_feed *feed)
{
    BKSI_REFUSE_NULL_OR("", feed);
    return feed->relay.invitation;
}

const void *bks_feed_bytes(const bks_feed *feed, size_t *out_count)
{
    BKSI_REFUSE_NULL_OR(NULL, out_count);
    *out_count = 0;
    BKSI_REFUSE_NULL_OR(NULL, feed);
    *out_count = bksi_feed_receiver_bytes(&feed->receiver);
    return *out_count > 0 ? feed->receiver.bytes : NULL;
}

const char *bks_feed_text(const bks_feed *feed)
{
    BKSI_REFUSE_NULL_OR("", feed);
    const bool is_behind = feed->receiver.status == BKS_OK && feed->behind[0] != '\0';
    return feed->receiver.status == BKS_ERR_TIMEOUT ? feed->nobody
           : is_behind                              ? feed->behind
                                                    : bksi_feed_text(&feed->receiver);
}

bool bks_feed_opinion(bks_feed *feed, bks_opinion *out)
{
    BKSI_REFUSE_NULL_OR(false, feed);
    BKSI_REFUSE_NULL_OR(false, out);
    bksi_feed_opinions *opinions = &feed->receiver.opinions;
    if (!opinions->has_news) {
        return false;
    }
    const bksi_feed_opinion *news = &opinions->news;
    opinions->has_news = false;
    *out = (bks_opinion){
        .tick = news->tick, .agrees = news->agrees, .source = news->source, .other = news->other};
    return true;
}
