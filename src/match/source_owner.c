// SPDX-License-Identifier: MIT

#include "match/source_owner.h"

#include <sodium.h>

#include "base/memory.h"
#include "base/report.h"
#include "match/system.h"

static bks_status create(bksi_feed_source_config *config, bksi_feed_source **out,
                         uint8_t identity[BKS_KEY_BYTES], bks_error *error)
{
    BKSI_TRY(bksi_system_random(config->entropy, BKS_KEY_BYTES, error));
    BKSI_TRY(bksi_system_random(identity, BKS_KEY_BYTES, error));
    *out = bksi_alloc(&config->allocator, sizeof(**out), 64);
    return *out != NULL ? bksi_feed_source_create(*out, config, identity) : BKS_ERR_OUT_OF_MEMORY;
}

bks_status bksi_source_make(bksi_feed_source_config *config, bksi_feed_source **out,
                            bks_error *error)
{
    uint8_t identity[BKS_KEY_BYTES];
    *out = NULL;
    const bks_status status = create(config, out, identity, error);
    if (status != BKS_OK) {
        bksi_free(&config->allocator, *out, sizeof(**out));
        *out = NULL;
    }
    sodium_memzero(config, sizeof(*config));
    sodium_memzero(identity, sizeof(identity));
    return status;
}

void bksi_source_drop(bksi_feed_source **source)
{
    if (*source != NULL) {
        const bks_allocator allocator = (*source)->config.allocator;
        bksi_feed_source_destroy(*source);
        bksi_free(&allocator, *source, sizeof(**source));
        *source = NULL;
    }
}

void bksi_source_send(bksi_feed_source *source, bksi_source_writer write, uint8_t mark_1,
                      const bks_transport *transport, uint8_t *packet, uint64_t now_ns)
{
    bks_address to;
    size_t count;
    while (source != NULL && (count = write(source, &to, packet, now_ns)) > 0) {
        packet[1] = mark_1;
        // Ignore the result: a refused packet counts as lost, and its content is sent again.
        (void)transport->send(transport->context, &to, packet, count);
    }
}
