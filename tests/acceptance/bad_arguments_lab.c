// SPDX-License-Identifier: MIT

#include <string.h>

#include "backstitch/toolkit/links.h"
#include "backstitch/toolkit/oracle.h"
#include "bad_arguments.h"

static void of_links(void)
{
    bks_lab_link_spec spec = {0};
    bks_lab_link_counters sum = {0};
    uint32_t from = 0;
    uint32_t to = 0;
    REFUSES(bks_lab_link_spec_parse(NULL, &spec, &wrong) == BKS_ERR_BAD_ARGUMENT, "text", NULL);
    REFUSES(bks_lab_link_spec_parse("", NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_lab_link_spec_parse("delay=61s", &spec, &wrong) == BKS_ERR_BAD_ARGUMENT, "delay",
            "60s");
    REFUSES(bks_lab_link_route_parse(NULL, &from, &to, &spec, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "text", NULL);
    REFUSES(bks_lab_link_route_parse("", NULL, &to, &spec, &wrong) == BKS_ERR_BAD_ARGUMENT, "from",
            NULL);
    REFUSES(bks_lab_link_route_parse("", &from, NULL, &spec, &wrong) == BKS_ERR_BAD_ARGUMENT, "to",
            NULL);
    REFUSES(bks_lab_link_route_parse("", &from, &to, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out",
            NULL);
    REFUSES(bks_lab_link_route_parse("0>8:loss=1%", &from, &to, &spec, &wrong) ==
                BKS_ERR_BAD_ARGUMENT,
            "route", "0..7");
    REFUSES(bks_lab_link_longest_ns(NULL) == 0, "spec", NULL);
    REFUSES((bks_lab_link_counters_add(NULL, &sum), true), "sum", NULL);
    REFUSES((bks_lab_link_counters_add(&sum, NULL), true), "added", NULL);
}

static void of_faults(const bks_lab_config *config)
{
    static bks_lab_faults faults;
    static bks_lab_faults full = {.timed_count = BKS_LAB_TIMED_MAX + 1};
    bks_lab_config none = *config;
    bks_lab_timed fault = {.kind = BKS_LAB_FAULT_KINDS};
    char text[128] = "?";
    none.peers = 0;
    REFUSES(bks_lab_faults_parse(NULL, "heal@1s", &faults, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "config", NULL);
    REFUSES(bks_lab_faults_parse(config, NULL, &faults, &wrong) == BKS_ERR_BAD_ARGUMENT, "spec",
            NULL);
    REFUSES(bks_lab_faults_parse(config, "heal@1s", NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "faults",
            NULL);
    REFUSES(bks_lab_faults_parse(&none, "heal@1s", &faults, &wrong) == BKS_ERR_BAD_CONFIG, "peers",
            "1..8");
    REFUSES(bks_lab_faults_parse(config, "heal@1s", &full, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "faults", "at most 64");
    REFUSES(bks_lab_faults_parse(config, "burn=1@1s", &faults, &wrong) == BKS_ERR_UNSUPPORTED,
            "burn", "is no fault");
    ALLOWS(strcmp(bks_lab_fault_name(BKS_LAB_FAULT_KINDS), "unknown") == 0);
    REFUSES((bks_lab_timed_print(&fault, NULL, 10), true), "out", NULL);
    REFUSES((bks_lab_timed_print(NULL, text, sizeof(text)), text[0] == '\0'), "fault", NULL);
    ALLOWS((bks_lab_timed_print(&fault, text, sizeof(text)), text[0] == '\0'));
}

static void of_peers(const bks_lab_config *config)
{
    static bks_lab_faults faults;
    bks_lab_config none = *config;
    bks_peer_config out;
    bks_lab *lab = NULL;
    none.ticks = 0;
    REFUSES(bks_lab_config_check(NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "config", NULL);
    REFUSES(bks_lab_config_check(&none, &wrong) == BKS_ERR_BAD_CONFIG, "ticks", "1..10000000");
    REFUSES(bks_lab_peer_config(config, 0, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_lab_peer_config(NULL, 0, &out, &wrong) == BKS_ERR_BAD_ARGUMENT, "config", NULL);
    REFUSES(bks_lab_peer_config(&none, 0, &out, &wrong) == BKS_ERR_BAD_CONFIG, "ticks", NULL);
    REFUSES(bks_lab_peer_config(config, 2, &out, &wrong) == BKS_ERR_BAD_ARGUMENT, "index", "0..1");
    bad_arguments_need(bks_lab_create(config, &lab, &wrong) == BKS_OK, "a lab");
    bks_peer *peer = bks_lab_peer(lab, 0);
    REFUSES(bks_lab_number_peers(config, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "host", NULL);
    REFUSES(bks_lab_faults_plant(NULL, 0, peer) == BKS_ERR_BAD_ARGUMENT, "faults", NULL);
    REFUSES(bks_lab_faults_plant(&faults, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "peer", NULL);
    REFUSES(bks_lab_faults_plant(&faults, 8, peer) == BKS_ERR_BAD_ARGUMENT, "index", "0..7");
    bks_lab_flip_result flip;
    REFUSES(bks_lab_faults_flip(NULL, 0, peer, &flip) == BKS_ERR_BAD_ARGUMENT, "faults", NULL);
    REFUSES(bks_lab_faults_flip(&faults, 0, NULL, &flip) == BKS_ERR_BAD_ARGUMENT, "peer", NULL);
    REFUSES(bks_lab_faults_flip(&faults, 0, peer, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_lab_faults_flip(&faults, 8, peer, &flip) == BKS_ERR_BAD_ARGUMENT, "index", "0..7");
    bks_lab_destroy(lab);
}

static void of_comparing(void)
{
    const bks_lab_story stories[2] = {{.count = 1}, {.count = -1}};
    bks_lab_comparison found;
    REFUSES(bks_lab_compare(NULL, 1, 1, &found) == BKS_ERR_BAD_ARGUMENT, "peers", NULL);
    REFUSES(bks_lab_compare(stories, 1, 1, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_lab_compare(stories, 0, 1, &found) == BKS_ERR_BAD_ARGUMENT, "peers", "1..8");
    REFUSES(bks_lab_compare(stories, 9, 1, &found) == BKS_ERR_BAD_ARGUMENT, "peers", "1..8");
    REFUSES(bks_lab_compare(stories, 1, -1, &found) == BKS_ERR_BAD_ARGUMENT, "ticks", NULL);
    REFUSES(bks_lab_compare(stories, 1, 1, &found) == BKS_ERR_BAD_ARGUMENT, "peers[0]", NULL);
    REFUSES(bks_lab_compare(stories + 1, 1, 1, &found) == BKS_ERR_BAD_ARGUMENT, "peers[0]", NULL);
}

static uint64_t no_time(void *context)
{
    (void)context;
    return 0;
}

static void of_bad_transports(void)
{
    bks_bad_transport *bad = NULL;
    const bks_lab_link_spec perfect = {0};
    const bks_address address = {.length = 1, .bytes = {1}};
    bks_bad_transport_config config = {.inner = bks_udp_transport(NULL), .clock_ns = no_time};
    uint8_t packet[BKS_PACKET_BYTES_MAX] = {0};
    bad = (void *)&wrong;
    REFUSES(bks_bad_transport_create(NULL, &bad, &wrong) == BKS_ERR_BAD_ARGUMENT && bad == NULL,
            "config", NULL);
    REFUSES(bks_bad_transport_create(&config, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    config.clock_ns = NULL;
    REFUSES(bks_bad_transport_create(&config, &bad, &wrong) == BKS_ERR_BAD_ARGUMENT, "clock_ns",
            NULL);
    config.clock_ns = no_time;
    config.inner.send = NULL;
    REFUSES(bks_bad_transport_create(&config, &bad, &wrong) == BKS_ERR_BAD_ARGUMENT, "inner", NULL);
    config.inner = bks_udp_transport(NULL);
    bad_arguments_need(bks_bad_transport_create(&config, &bad, &wrong) == BKS_OK, "a transport");
    ALLOWS((bks_bad_transport_destroy(NULL), true));
    REFUSES(bks_bad_transport_change(NULL, &perfect, &perfect, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "bad", NULL);
    REFUSES(bks_bad_transport_change(bad, NULL, &perfect, &wrong) == BKS_ERR_BAD_ARGUMENT, "send",
            NULL);
    REFUSES(bks_bad_transport_change(bad, &perfect, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "receive", NULL);
    REFUSES(bks_bad_transport_route(NULL, &address, &perfect, &perfect, &wrong) ==
                BKS_ERR_BAD_ARGUMENT,
            "bad", NULL);
    REFUSES(bks_bad_transport_route(bad, NULL, &perfect, &perfect, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "address", NULL);
    REFUSES(bks_bad_transport_route(bad, &address, NULL, &perfect, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "send", NULL);
    REFUSES(bks_bad_transport_route(bad, &address, &perfect, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "receive", NULL);
    REFUSES(bks_bad_transport_wake(NULL) == UINT64_MAX, "bad", NULL);
    REFUSES(bks_bad_transport_counters(NULL).sent == 0, "bad", NULL);
    REFUSES(bks_bad_transport_transport(NULL).send != NULL, "bad", NULL);
    bks_transport loses = bks_bad_transport_transport(NULL);
    bad_arguments_need(loses.send(loses.context, &address, packet, 1) == BKS_OK, "a lost packet");
    bks_bad_transport_destroy(bad);
}

static void of_the_oracle(const bks_lab_config *config)
{
    static bks_oracle_verdict verdict;
    const char *const specs[] = {"delay=61s", NULL};
    const bks_lab_timed fault = {.kind = BKS_LAB_CRASH, .peer = 8};
    bks_lab_expectation expected;
    bks_oracle_match match = {.config = *config};
    REFUSES(bks_oracle_run(NULL, &verdict, &wrong) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(bks_oracle_run(&match, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    match.link_count = 1;
    REFUSES(bks_oracle_run(&match, &verdict, &wrong) == BKS_ERR_BAD_ARGUMENT, "links", NULL);
    match.links = specs;
    REFUSES(bks_oracle_run(&match, &verdict, &wrong) == BKS_ERR_BAD_ARGUMENT, "delay", "60s");
    match.link_count = 0;
    match.faults = specs + 1;
    match.fault_count = 1;
    REFUSES(bks_oracle_run(&match, &verdict, &wrong) == BKS_ERR_BAD_ARGUMENT, "faults", NULL);
    match.fault_count = 0;
    match.streams = specs + 1;
    match.stream_count = 1;
    REFUSES(bks_oracle_run(&match, &verdict, &wrong) == BKS_ERR_BAD_ARGUMENT, "streams", NULL);
    match.stream_count = 0;
    match.config.peers = 0;
    REFUSES(bks_oracle_run(&match, &verdict, &wrong) == BKS_ERR_BAD_CONFIG, "peers", "1..8");
    const bks_lab_terms terms = {2, 1, 1, 1};
    const bks_lab_terms crowd = {9, 1, 1, 1};
    const bks_lab_terms hasty = {2, 1, 1, 0};
    REFUSES(bks_lab_expect(NULL, 1, &terms, &expected) == BKS_ERR_BAD_ARGUMENT, "faults", NULL);
    REFUSES(bks_lab_expect(&fault, 1, NULL, &expected) == BKS_ERR_BAD_ARGUMENT, "terms", NULL);
    REFUSES(bks_lab_expect(&fault, 1, &terms, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_lab_expect(NULL, 0, &crowd, &expected) == BKS_ERR_BAD_ARGUMENT, "peers", "1..8");
    REFUSES(bks_lab_expect(NULL, 0, &hasty, &expected) == BKS_ERR_BAD_ARGUMENT, "terms", NULL);
    REFUSES(bks_lab_expect(&fault, 1, &terms, &expected) == BKS_ERR_BAD_ARGUMENT, "faults[0]",
            "0..7");
}

void bad_arguments_of_lab(void)
{
    bks_lab_config config = bks_lab_config_default();
    config.game = &good_game;
    config.ticks = 60;
    of_links();
    of_faults(&config);
    of_peers(&config);
    of_comparing();
    of_the_oracle(&config);
    of_bad_transports();
}
