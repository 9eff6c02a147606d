// SPDX-License-Identifier: MIT

// Texts that describe links, faults and streams of a lab's match. What is accepted lies within its
// ranges. A fault is printed in milliseconds; where that is accepted, it is printed the same again.

#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/links.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { TEXT_BYTES_MAX = 512, FAULT_BYTES = 128 };

static void must(bool is_so)
{
    if (!is_so) {
        abort();
    }
}

static void parse_link(const char *text)
{
    bks_lab_link_spec spec;
    uint32_t from = 0;
    uint32_t to = 0;
    if (bks_lab_link_spec_parse(text, &spec, NULL) == BKS_OK) {
        must(spec.mtu_bytes == 0 || (spec.mtu_bytes >= 68 && spec.mtu_bytes <= 65535));
        must(spec.rate_bits_per_s == 0 ||
             (spec.rate_bits_per_s >= 1000 && spec.rate_bits_per_s <= UINT64_C(1000000000000)));
        (void)bks_lab_link_longest_ns(&spec);
    }
    if (bks_lab_link_route_parse(text, &from, &to, &spec, NULL) == BKS_OK) {
        must((from == BKS_LAB_LINK_ALL) == (to == BKS_LAB_LINK_ALL));
    }
}

static void parse_bulk(const bks_lab_config *config, const char *text)
{
    bks_lab_bulk_spec bulk;
    if (bks_lab_bulk_parse(config, text, &bulk, NULL) == BKS_OK) {
        must(bulk.from < config->peers && bulk.to < config->peers);
        must(bulk.bytes >= 1 && bulk.bytes <= BKS_LAB_BULK_BYTES_MAX);
    }
}

static void parse_faults(const bks_lab_config *config, const char *text)
{
    static bks_lab_faults faults;
    static bks_lab_faults again;
    faults = again = (bks_lab_faults){0};
    if (bks_lab_faults_parse(config, text, &faults, NULL) != BKS_OK) {
        return;
    }
    for (uint32_t i = 0; i < faults.timed_count; i++) {
        char first[FAULT_BYTES];
        char second[FAULT_BYTES];
        bks_lab_timed_print(&faults.timed[i], first, sizeof(first));
        must(strlen(first) < sizeof(first) - 1);
        again = (bks_lab_faults){0};
        if (bks_lab_faults_parse(config, first, &again, NULL) == BKS_OK && again.timed_count == 1) {
            bks_lab_timed_print(&again.timed[0], second, sizeof(second));
            must(strcmp(first, second) == 0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char text[TEXT_BYTES_MAX + 1];
    count = count < TEXT_BYTES_MAX ? count : TEXT_BYTES_MAX;
    if (count > 0) {
        memcpy(text, bytes, count);
    }
    text[count] = '\0';
    bks_lab_config config = bks_lab_config_default();
    config.peers = 4;
    config.ticks = 600;
    parse_link(text);
    parse_bulk(&config, text);
    parse_faults(&config, text);
    return 0;
}
