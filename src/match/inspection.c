// SPDX-License-Identifier: MIT

#include "match/inspection.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/peer.h"
#include "base/report.h"
#include "match/system.h"

/// Maximum number of requests answered in one update, so that a flood cannot stall the game.
#define ANSWERS_MAX 128

static bks_status open_socket(bksi_inspection *inspection, const char *text, bks_error *error)
{
    char loopback[32] = "127.0.0.1:";
    const size_t digits = strspn(text, "0123456789");
    if (text[digits] == '\0' && digits > 0 && digits < 8) {
        memcpy(loopback + strlen(loopback), text, digits + 1);
        text = loopback;
    }
    bks_error why = {0};
    const bks_status status = bks_udp_open(text, &inspection->udp, &why);
    if (status != BKS_OK) {
        return bksi_fail(error, status == BKS_ERR_BAD_ARGUMENT ? BKS_ERR_BAD_CONFIG : status,
                         "bks_match_open", "insight.inspect", "insight.inspect is '%.60s': %.100s",
                         text, why.text);
    }
    bks_address own;
    (void)bks_udp_local_address(inspection->udp, &own);
    (void)bks_udp_address_format(&own, inspection->address, sizeof(inspection->address));
    return BKS_OK;
}

static bks_status make_token(bksi_inspection *inspection, bks_error *error)
{
    BKSI_TRY(bksi_system_random(inspection->token, sizeof(inspection->token), error));
    (void)sodium_bin2hex(inspection->token_text, sizeof(inspection->token_text), inspection->token,
                         sizeof(inspection->token));
    inspection->inspected.token = inspection->token;
    return BKS_OK;
}

bks_status bksi_inspection_open(bksi_inspection *inspection, const bks_match_config *config,
                                uint32_t tick_rate_hz, bks_error *error)
{
    const bks_insight *insight = config->insight;
    if (insight == NULL || insight->inspect == NULL) {
        return BKS_OK;
    }
    inspection->inspected = (bks_inspected){
        .game = config->game->name,
        .tick_rate_hz = tick_rate_hz > 0 ? tick_rate_hz : config->game->tick_rate_hz,
        .root_bytes = config->game->root_bytes,
        .change_link = insight->change_link,
        .link = insight->link,
        .context = insight->context};
    const bks_status status = open_socket(inspection, insight->inspect, error);
    return status == BKS_OK && insight->inspect_changes ? make_token(inspection, error) : status;
}

void bksi_inspection_close(bksi_inspection *inspection)
{
    bks_udp_close(inspection->udp);
    sodium_memzero(inspection, sizeof(*inspection));
}

void bksi_inspection_update(bksi_inspection *inspection, bks_peer *peer, const bks_figures *figures)
{
    if (inspection->udp == NULL) {
        return;
    }
    const bks_transport transport = bks_udp_transport(inspection->udp);
    bks_inspected *inspected = &inspection->inspected;
    inspected->session = bks_peer_session(peer);
    inspected->figures = figures;
    inspected->state = bks_peer_state(peer);
    inspected->state_bytes = bks_state_bytes(inspected->state);
    for (int taken = 0; taken < ANSWERS_MAX; taken++) {
        bks_address from;
        size_t count = transport.receive(transport.context, &from, inspection->request,
                                         sizeof(inspection->request));
        if (count == 0) {
            return;
        }
        count = bks_inspect_answer(inspected, inspection->request, count, inspection->answer);
        if (count > 0) {
            (void)transport.send(transport.context, &from, inspection->answer, count);
        }
    }
}
