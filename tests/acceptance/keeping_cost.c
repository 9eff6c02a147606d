// SPDX-License-Identifier: MIT

// Plays a match of `pad` in the lab, for keeping_cost.py to count the instructions of
// all calls of its peers:
//
//     keeping_cost STATE_BYTES TICKS KEEP_TICKS
//
// Two peers, whose monkeys hold each of 22 fields for 15 to 90 ticks, over 50 ms each way and 2 %
// loss. It prints the ticks, and how often a peer went back.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/lab.h"
#include "pad/pad.h"

static void need(bool is_so, const char *what)
{
    if (!is_so) {
        (void)fprintf(stderr, "keeping_cost: %s\n", what);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    need(argc == 4, "usage: keeping_cost STATE_BYTES TICKS KEEP_TICKS");
    static bks_monkey monkeys[2];
    bks_lab_config config = bks_lab_config_default();
    config.game = &pad_game;
    config.peers = 2;
    config.ticks = (bks_tick)strtol(argv[2], NULL, 10);
    config.tuning.keep_ticks = (uint32_t)strtoul(argv[3], NULL, 10);
    config.has_options = true;
    need(bks_option_values_default(&pad_game, &config.options) == BKS_OK &&
             bks_option_values_set(&pad_game, &config.options, "state", argv[1], NULL) == BKS_OK,
         "no such state");
    for (uint32_t i = 0; i < config.peers; i++) {
        need(bks_monkey_init(&monkeys[i], pad_game.fields, pad_game.field_count, 1, i, 15, 90,
                             NULL) == BKS_OK,
             "no monkey");
        config.sources[i] = bks_monkey_source(&monkeys[i]);
    }
    bks_lab *lab = NULL;
    need(bks_lab_create(&config, &lab, NULL) == BKS_OK, "no lab");
    need(bks_lab_link(lab, "delay=50ms,loss=2%", NULL) == BKS_OK, "no such link");
    while (bks_lab_advance(lab, bks_lab_now(lab) + UINT64_C(1000000000))) {
    }
    static bks_lab_result result;
    need(bks_lab_outcome(lab, &result) == BKS_OK && result.agreed, "the peers do not agree");
    (void)printf("%d %llu %llu\n", (int)config.ticks,
                 (unsigned long long)result.peers[0].stats.resimulated,
                 (unsigned long long)result.peers[0].stats.kept_lost);
    bks_lab_destroy(lab);
    return 0;
}
