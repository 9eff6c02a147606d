// SPDX-License-Identifier: MIT

#include "match/watching.h"

#include "base/report.h"
#include "match/source_owner.h"
#include "match/system.h"
#include "peer/peer_inspect.h"

/// Least time between two rounds of sending while nothing else happens.
#define SEND_GAP_NS UINT64_C(2000000)

#define DELAY_MS_MAX 600000u

_Static_assert(BKSI_FEED_WATCHERS_MAX == BKS_WATCHERS_MAX, "the header names the source's limit");

static bks_status check_number(const char *field, uint32_t value, uint32_t least, uint32_t most,
                               bks_error *error)
{
    return value >= least && value <= most
               ? BKS_OK
               : bksi_fail(error, BKS_ERR_BAD_CONFIG, "bks_match_open", field,
                           "%s is %u, must be %u..%u", field, value, least, most);
}

bks_status bksi_watching_check(const bks_match_config *config, bks_error *error)
{
    BKSI_TRY(check_number("watchers", config->watchers, 0, BKS_WATCHERS_MAX, error));
    BKSI_TRY(check_number("watch_delay_ms", config->watch_delay_ms, 0, DELAY_MS_MAX, error));
    return check_number("watch_bytes_per_s", config->watch_bytes_per_s, BKSI_FEED_RATE_MIN,
                        BKSI_FEED_RATE_MAX, error);
}

bks_status bksi_watching_open(bksi_watching *watching, const bks_match_config *config,
                              const uint8_t key[BKS_KEY_BYTES], bks_error *error)
{
    bksi_feed_source_config source = {
        .watchers = config->watchers,
        .delay_ns = (uint64_t)config->watch_delay_ms * BKSI_NS_PER_MS,
        .bytes_per_s = config->watch_bytes_per_s,
        .build = config->build,
        .allocator = config->allocator,
    };
    bksi_feed_key(key, source.key);
    const bks_status status = bksi_source_make(&source, &watching->source, error);
    return status != BKS_ERR_OUT_OF_MEMORY
               ? status
               : bksi_fail(error, status, "bks_match_open", "watchers", "no memory for %u watchers",
                           config->watchers);
}

void bksi_watching_close(bksi_watching *watching)
{
    bksi_source_drop(&watching->source);
}

bool bksi_watching_receive(bksi_watching *watching, uint64_t now_ns, const bks_address *from,
                           const uint8_t *packet, size_t count)
{
    if (watching->source == NULL || !bksi_feed_is_packet(packet, count)) {
        return false;
    }
    bksi_feed_source_receive(watching->source, now_ns, from, packet, count);
    return true;
}

void bksi_watching_update(bksi_watching *watching, bks_peer *peer, uint64_t now_ns)
{
    if (watching->source == NULL) {
        return;
    }
    if (!watching->is_started && bks_peer_started(peer)) {
        watching->is_started = true;
        bksi_feed_source_start(watching->source, bksi_peer_runner(peer));
    }
    bksi_feed_source_update(watching->source, bks_peer_session(peer), bksi_peer_runner(peer),
                            now_ns);
}

void bksi_watching_send(bksi_watching *watching, const bks_transport *transport, uint8_t *packet,
                        uint64_t now_ns)
{
    bksi_source_send(watching->source, bksi_feed_source_send, BKSI_FEED_MARK_1, transport, packet,
                     now_ns);
}

void bksi_watching_note(bksi_watching *watching, const char *text)
{
    if (watching->source != NULL) {
        bksi_feed_source_note(watching->source, text);
    }
}

void bksi_watching_finish(bksi_watching *watching, bks_peer *peer, uint64_t now_ns)
{
    if (watching->source != NULL) {
        bksi_feed_source_finish(watching->source, bks_peer_session(peer), now_ns);
    }
}

void bksi_watching_leave(bksi_watching *watching, const bks_transport *transport, uint8_t *packet,
                         uint64_t now_ns)
{
    bksi_source_send(watching->source, bksi_feed_source_leave, BKSI_FEED_MARK_1, transport, packet,
                     now_ns);
}

uint64_t bksi_watching_wake(const bksi_watching *watching)
{
    if (watching->source == NULL) {
        return UINT64_MAX;
    }
    const uint64_t wake_ns = bksi_feed_source_wake(watching->source);
    const uint64_t least_ns = watching->source->now_ns + SEND_GAP_NS;
    return wake_ns > least_ns ? wake_ns : least_ns;
}

bool bksi_watching_owes(const bksi_watching *watching)
{
    return watching->source != NULL && bksi_feed_source_owes(watching->source);
}
