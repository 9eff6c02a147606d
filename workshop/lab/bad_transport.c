// SPDX-License-Identifier: MIT

#include "backstitch/toolkit/links.h"

#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "lab/lab_link.h"

/// Outgoing link and incoming link of one address.
typedef struct address_links {
    bks_address address;
    bksi_lab_link *out;
    bksi_lab_link *in;
} address_links;

struct bks_bad_transport {
    bks_bad_transport_config config;
    uint32_t address_count;
    uint64_t links_made; ///< number of links created so far; it selects each link's random stream
    bks_lab_link_counters counted; ///< sums of the counters of all links that were replaced
    address_links addresses[BKS_BAD_TRANSPORT_WAYS_MAX];
};

bks_status bks_bad_transport_create(const bks_bad_transport_config *config, bks_bad_transport **out,
                                    bks_error *error)
{
    static const char call[] = "bks_bad_transport_create";
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_REFUSE_NULL(error, config);
    if (!bksi_allocator_ok(&config->allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    if (config->clock_ns == NULL || config->inner.send == NULL || config->inner.receive == NULL) {
        return bksi_fail_null(error, call, config->clock_ns == NULL ? "clock_ns" : "inner");
    }
    bks_status status =
        bksi_lab_link_spec_check(&config->send, "send", call, BKS_ERR_BAD_CONFIG, error);
    if (status == BKS_OK) {
        status =
            bksi_lab_link_spec_check(&config->receive, "receive", call, BKS_ERR_BAD_CONFIG, error);
    }
    if (status != BKS_OK) {
        return status;
    }
    bks_bad_transport *bad = bksi_alloc(&config->allocator, sizeof(*bad), sizeof(uint64_t));
    if (bad == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL, "no memory for the transport");
    }
    bad->config = *config;
    *out = bad;
    return BKS_OK;
}

void bks_bad_transport_destroy(bks_bad_transport *bad)
{
    if (bad == NULL) {
        return;
    }
    for (uint32_t i = 0; i < bad->address_count; i++) {
        bksi_lab_link_destroy(bad->addresses[i].out);
        bksi_lab_link_destroy(bad->addresses[i].in);
    }
    const bks_allocator allocator = bad->config.allocator;
    bksi_free(&allocator, bad, sizeof(*bad));
}

/// Create both links of one address.
static bks_status make_links(bks_bad_transport *bad, const bks_lab_link_spec *send,
                             const bks_lab_link_spec *receive, address_links *out, bks_error *error)
{
    const bks_bad_transport_config *config = &bad->config;
    const uint64_t stream = bad->links_made;
    bks_status status =
        bksi_lab_link_create(send, 0, config->seed, stream, &config->allocator, &out->out, error);
    if (status == BKS_OK) {
        status = bksi_lab_link_create(receive, 0, config->seed, stream + 1, &config->allocator,
                                      &out->in, error);
    }
    if (status != BKS_OK) {
        bksi_lab_link_destroy(out->out);
        return status;
    }
    bad->links_made += 2;
    return BKS_OK;
}

static bks_status add_way(bks_bad_transport *bad, const bks_address *address,
                          const bks_lab_link_spec *send, const bks_lab_link_spec *receive,
                          bks_error *error)
{
    if (bad->address_count == BKS_BAD_TRANSPORT_WAYS_MAX) {
        return bksi_fail(error, BKS_ERR_FULL, "bks_bad_transport_route", NULL,
                         "%u addresses have links already", bad->address_count);
    }
    address_links *added = &bad->addresses[bad->address_count];
    *added = (address_links){.address = *address};
    const bks_status status = make_links(bad, send, receive, added, error);
    if (status != BKS_OK) {
        return status;
    }
    bad->address_count++;
    return BKS_OK;
}

bks_status bks_bad_transport_route(bks_bad_transport *bad, const bks_address *address,
                                   const bks_lab_link_spec *send, const bks_lab_link_spec *receive,
                                   bks_error *error)
{
    static const char call[] = "bks_bad_transport_route";
    const char *missing = bad == NULL       ? "bad"
                          : address == NULL ? "address"
                          : send == NULL    ? "send"
                          : receive == NULL ? "receive"
                                            : NULL;
    if (missing != NULL) {
        return bksi_fail_null(error, call, missing);
    }
    bks_status status = bksi_lab_link_spec_check(send, "send", call, BKS_ERR_BAD_ARGUMENT, error);
    if (status == BKS_OK) {
        status = bksi_lab_link_spec_check(receive, "receive", call, BKS_ERR_BAD_ARGUMENT, error);
    }
    return status == BKS_OK ? add_way(bad, address, send, receive, error) : status;
}

static void release_links(bks_bad_transport *bad, const address_links *old)
{
    bks_lab_link_counters_add(&bad->counted, bksi_lab_link_get_counters(old->out));
    bks_lab_link_counters_add(&bad->counted, bksi_lab_link_get_counters(old->in));
    bksi_lab_link_destroy(old->out);
    bksi_lab_link_destroy(old->in);
}

/// Replace the links of all addresses. If memory is short, replace none.
static bks_status replace_links(bks_bad_transport *bad, const bks_lab_link_spec *send,
                                const bks_lab_link_spec *receive, bks_error *error)
{
    address_links created[BKS_BAD_TRANSPORT_WAYS_MAX] = {0};
    for (uint32_t i = 0; i < bad->address_count; i++) {
        created[i].address = bad->addresses[i].address;
        const bks_status status = make_links(bad, send, receive, &created[i], error);
        for (uint32_t k = 0; status != BKS_OK && k < i; k++) {
            bksi_lab_link_destroy(created[k].out);
            bksi_lab_link_destroy(created[k].in);
        }
        if (status != BKS_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < bad->address_count; i++) {
        bksi_lab_link_take_over(created[i].out, bad->addresses[i].out);
        bksi_lab_link_take_over(created[i].in, bad->addresses[i].in);
        release_links(bad, &bad->addresses[i]);
        bad->addresses[i] = created[i];
    }
    bad->config.send = *send;
    bad->config.receive = *receive;
    return BKS_OK;
}

bks_status bks_bad_transport_change(bks_bad_transport *bad, const bks_lab_link_spec *send,
                                    const bks_lab_link_spec *receive, bks_error *error)
{
    static const char call[] = "bks_bad_transport_change";
    BKSI_REFUSE_NULL(error, bad);
    BKSI_REFUSE_NULL(error, send);
    BKSI_REFUSE_NULL(error, receive);
    bks_status status = bksi_lab_link_spec_check(send, "send", call, BKS_ERR_BAD_ARGUMENT, error);
    if (status == BKS_OK) {
        status = bksi_lab_link_spec_check(receive, "receive", call, BKS_ERR_BAD_ARGUMENT, error);
    }
    return status == BKS_OK ? replace_links(bad, send, receive, error) : status;
}

static address_links *find_address(bks_bad_transport *bad, const bks_address *address)
{
    for (uint32_t i = 0; i < bad->address_count; i++) {
        if (bks_address_equal(&bad->addresses[i].address, address)) {
            return &bad->addresses[i];
        }
    }
    const bks_status status = add_way(bad, address, &bad->config.send, &bad->config.receive, NULL);
    return status == BKS_OK ? &bad->addresses[bad->address_count - 1] : NULL;
}

static uint64_t clock_now(const bks_bad_transport *bad)
{
    return bad->config.clock_ns(bad->config.clock_context);
}

/// Send the packets that have reached the end of the outgoing links.
static bks_status pass_on(bks_bad_transport *bad, uint64_t now_ns)
{
    bks_status status = BKS_OK;
    for (uint32_t i = 0; i < bad->address_count; i++) {
        bksi_lab_link_delivery packet;
        while (bksi_lab_link_pop(bad->addresses[i].out, now_ns, &packet)) {
            const bks_status sent = bad->config.inner.send(
                bad->config.inner.context, &bad->addresses[i].address, packet.bytes, packet.count);
            status = sent != BKS_OK ? sent : status;
        }
    }
    return status;
}

static bks_status bad_send(void *context, const bks_address *to, const void *bytes, size_t count)
{
    bks_bad_transport *bad = context;
    address_links *found = find_address(bad, to);
    if (found == NULL) {
        return bad->config.inner.send(bad->config.inner.context, to, bytes, count);
    }
    const uint64_t now_ns = clock_now(bad);
    bksi_lab_link_push(found->out, now_ns, bytes, count);
    return pass_on(bad, now_ns);
}

/// Take all packets from the socket, and put them on the incoming links.
/// @return size of a packet that is to be delivered at once, because its address has no links; 0:
///         none
static size_t take_in(bks_bad_transport *bad, uint64_t now_ns, bks_address *from, void *bytes,
                      size_t capacity)
{
    for (;;) {
        const size_t count =
            bad->config.inner.receive(bad->config.inner.context, from, bytes, capacity);
        if (count == 0) {
            return 0;
        }
        address_links *found = find_address(bad, from);
        if (found == NULL) {
            return count;
        }
        bksi_lab_link_push(found->in, now_ns, bytes, count);
    }
}

static size_t bad_receive(void *context, bks_address *from, void *bytes, size_t capacity)
{
    bks_bad_transport *bad = context;
    const uint64_t now_ns = clock_now(bad);
    (void)pass_on(bad, now_ns); // a packet that cannot be sent is lost
    const size_t untouched = take_in(bad, now_ns, from, bytes, capacity);
    if (untouched > 0) {
        return untouched;
    }
    for (uint32_t i = 0; i < bad->address_count; i++) {
        bksi_lab_link_delivery packet;
        if (bksi_lab_link_pop(bad->addresses[i].in, now_ns, &packet) && packet.count <= capacity) {
            *from = bad->addresses[i].address;
            memcpy(bytes, packet.bytes, packet.count);
            return packet.count;
        }
    }
    return 0;
}

bks_transport bks_bad_transport_transport(bks_bad_transport *bad)
{
    BKSI_REFUSE_NULL_OR(bks_udp_transport(NULL), bad);
    return (bks_transport){.send = bad_send, .receive = bad_receive, .context = bad};
}

uint64_t bks_bad_transport_wake(const bks_bad_transport *bad)
{
    uint64_t earliest = UINT64_MAX;
    BKSI_REFUSE_NULL_OR(earliest, bad);
    for (uint32_t i = 0; i < bad->address_count; i++) {
        const uint64_t out = bksi_lab_link_next_time(bad->addresses[i].out);
        const uint64_t in = bksi_lab_link_next_time(bad->addresses[i].in);
        earliest = out < earliest ? out : earliest;
        earliest = in < earliest ? in : earliest;
    }
    return earliest;
}

bks_lab_link_counters bks_bad_transport_counters(const bks_bad_transport *bad)
{
    bks_lab_link_counters sum = {0};
    BKSI_REFUSE_NULL_OR(sum, bad);
    bks_lab_link_counters_add(&sum, &bad->counted);
    for (uint32_t i = 0; i < bad->address_count; i++) {
        bks_lab_link_counters_add(&sum, bksi_lab_link_get_counters(bad->addresses[i].out));
        bks_lab_link_counters_add(&sum, bksi_lab_link_get_counters(bad->addresses[i].in));
    }
    return sum;
}
