// SPDX-License-Identifier: MIT

#include "play/play_net.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/match.h"
#include "backstitch/toolkit/links.h"
#include "backstitch/toolkit/peer.h"
#include "base/system.h"
#include "base/tool.h"

struct play_net {
    bool is_alone;
    bool is_guest;
    bks_udp *udp; ///< socket; NULL: the match opens its own socket, or has no network
    bks_bad_transport *bad;
    bks_transport transport;
    char invitation[BKS_INVITATION_BYTES_MAX];
    char link[160];        ///< SPEC of the emulated link that play_net_change() may replace
    bks_lab_link_spec out; ///< link of outgoing packets, used if is_for_out is false
    bks_lab_link_spec in;  ///< link of incoming packets, used if is_for_in is false
    bool is_for_out;       ///< true: `link` is used for outgoing packets
    /// True: `link` is used for incoming packets. At least one of is_for_out and is_for_in is true.
    bool is_for_in;
};

static int fail(const char *what, const char *value, const bks_error *error, int status)
{
    tool_complain_value(what, value, error);
    return status;
}

static int parse_link(const char *option, const char *text, bks_lab_link_spec *spec)
{
    bks_error error = {0};
    if (text != NULL && bks_lab_link_spec_parse(text, spec, &error) != BKS_OK) {
        return fail(option, text, &error, TOOL_MISUSE);
    }
    return TOOL_OK;
}

// Find the host's address in the invitation.
static int find_host(const play_net_config *config, bks_match_config *match)
{
    bks_error error = {0};
    bks_invitation invitation;
    if (bks_invitation_parse(config->invitation, &invitation, &error) != BKS_OK ||
        bks_udp_address_parse(invitation.address, &match->host_address, &error) != BKS_OK) {
        return fail("--join", config->invitation, &error, TOOL_MISUSE);
    }
    if (invitation.is_for_watching) {
        tool_complain("--join",
                      "the invitation is for watching and opens no seat: ask the host for "
                      "one to play, or use --watch");
        return TOOL_MISUSE;
    }
    memcpy(match->key, invitation.key, sizeof(match->key));
    return TOOL_OK;
}

static int invite(play_net *net, bks_match_config *match)
{
    bks_address own;
    bks_invitation invitation = {0};
    if (!system_random(match->key, sizeof(match->key))) {
        tool_complain("--host", "the system gives no random numbers: %s", strerror(errno));
        return TOOL_NO;
    }
    memcpy(invitation.key, match->key, sizeof(invitation.key));
    (void)bks_udp_local_address(net->udp, &own);
    (void)bks_udp_address_format(&own, invitation.address, sizeof(invitation.address));
    (void)!bks_invitation_format(&invitation, net->invitation, sizeof(net->invitation));
    return TOOL_OK;
}

// Open a socket of the program's own, with the emulated link around it.
static int open_worse(play_net *net, const play_net_config *config, bks_match_config *match)
{
    bks_bad_transport_config worse = {.seed = config->seed, .clock_ns = tool_clock_ns};
    int status = parse_link("--link", config->link, &worse.send);
    if (status == TOOL_OK) {
        worse.receive = worse.send;
        status = parse_link("--link-out", config->link_out, &worse.send);
    }
    if (status == TOOL_OK && config->invitation != NULL) {
        status = find_host(config, match);
    }
    if (status != TOOL_OK) {
        return status;
    }
    bks_error error = {0};
    // 0 on the host, which needs no address of a host.
    const size_t host_bytes = match->host_address.length;
    const char *any = host_bytes == 0 ? "0" : host_bytes > 6 ? "[::]:0" : "0.0.0.0:0";
    const char *bind = config->bind != NULL ? config->bind : any;
    if (bks_udp_open(bind, &net->udp, &error) != BKS_OK) {
        return fail("--host", bind, &error, TOOL_NO);
    }
    net->out = worse.send;
    net->in = worse.receive;
    worse.inner = bks_udp_transport(net->udp);
    if (bks_bad_transport_create(&worse, &net->bad, &error) != BKS_OK) {
        return fail("--link", config->link, &error, TOOL_NO);
    }
    net->transport = bks_bad_transport_transport(net->bad);
    match->transport = &net->transport;
    return config->invitation == NULL ? invite(net, match) : TOOL_OK;
}

int play_net_open(const play_net_config *config, bks_match_config *match, play_net **out)
{
    *out = NULL;
    play_net *net = calloc(1, sizeof(*net));
    if (net == NULL) {
        tool_complain("play", "out of memory");
        return TOOL_NO;
    }
    net->is_alone = config->is_alone;
    net->is_guest = !config->is_alone && config->invitation != NULL;
    const char *link = config->link != NULL ? config->link : config->link_out;
    snprintf(net->link, sizeof(net->link), "%s", link != NULL ? link : "perfect");
    net->is_for_out = config->link_out == NULL || config->link == NULL;
    net->is_for_in = config->link_out == NULL || config->link != NULL;
    int status = TOOL_OK;
    if (config->is_alone) {
        net->transport = bks_udp_transport(NULL);
        match->transport = &net->transport;
        match->key[0] = 1; // any secret key will do, because no other peer joins
    } else if (config->link != NULL || config->link_out != NULL || config->may_change) {
        status = open_worse(net, config, match);
    } else {
        match->invitation = config->invitation;
        match->bind_address = config->bind != NULL ? config->bind : match->bind_address;
    }
    if (status != TOOL_OK) {
        play_net_close(net);
        return status;
    }
    *out = net;
    return TOOL_OK;
}

void play_net_close(play_net *net)
{
    if (net != NULL) {
        bks_bad_transport_destroy(net->bad);
        bks_udp_close(net->udp);
        free(net);
    }
}

const char *play_net_invitation(const play_net *net, const bks_match *match)
{
    return net->is_alone || net->is_guest || net->udp != NULL ? net->invitation
                                                              : bks_match_invitation(match);
}

void play_net_wait(play_net *net, bks_match *match, uint64_t until_ns)
{
    if (!net->is_alone && net->udp == NULL) {
        (void)bks_match_wait_until(match, until_ns);
        return;
    }
    const uint64_t now = tool_clock_ns(NULL);
    uint64_t wake = bks_peer_wake(bks_match_peer(match));
    if (net->bad != NULL) {
        const uint64_t due = bks_bad_transport_wake(net->bad);
        wake = due < wake ? due : wake;
    }
    wake = wake < until_ns ? wake : until_ns;
    if (wake <= now) {
        return;
    }
    const uint64_t left = wake - now;
    if (net->udp != NULL) {
        (void)bks_udp_wait(net->udp, left);
    } else {
        tool_sleep_ns(left);
    }
}

bool play_net_can_change(const play_net *net)
{
    return net->bad != NULL;
}

bool play_net_change(void *context, const char *link)
{
    play_net *net = context;
    bks_lab_link_spec spec;
    if (net->bad == NULL || strlen(link) >= sizeof(net->link) ||
        bks_lab_link_spec_parse(link, &spec, NULL) != BKS_OK ||
        bks_bad_transport_change(net->bad, net->is_for_out ? &spec : &net->out,
                                 net->is_for_in ? &spec : &net->in, NULL) != BKS_OK) {
        tool_log_drop(); // no log line: the caller reports the error
        return false;
    }
    snprintf(net->link, sizeof(net->link), "%s", link[0] != '\0' ? link : "perfect");
    return true;
}

const char *play_net_link(void *context)
{
    return ((const play_net *)context)->link;
}

uint32_t play_net_faults(const play_net *net, const char **names, uint64_t *counts,
                         uint32_t capacity)
{
    if (net->bad == NULL) {
        return 0;
    }
    const bks_lab_link_counters all = bks_bad_transport_counters(net->bad);
    const struct {
        const char *name;
        uint64_t count;
    } faults[] = {
        {"loss", all.lost},         {"dup", all.duplicated}, {"reorder", all.reordered},
        {"corrupt", all.corrupted}, {"rate", all.over_rate}, {"mtu", all.over_mtu},
        {"queue", all.over_queue},
    };
    const uint32_t count = sizeof(faults) / sizeof(faults[0]);
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        names[i] = faults[i].name;
        counts[i] = faults[i].count;
    }
    return count < capacity ? count : capacity;
}
