// SPDX-License-Identifier: MIT

// Steps ticks with cues again, as a rollback does, for cues_cost.py to count the instructions:
//
//     cues_cost WAY CUES     8 ticks with CUES each, 10 times over, each with a key of its own
//
// The ways: same, where each tick asks for what it asked for before; changed, where a tenth of the
// cues has another key each time, and what was withdrawn waits; planted, which also compares each
// cue of an update with as many as a tick has. What is counted is cues_cost_counted().

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/present.h"

enum { ROUNDS = 10, FROM = 8, UNTIL = 16, TICKS = 64 };

static const bks_cue_type types[] = {{.name = "hit"}};
static const bks_game game = {.name = "hits", .cues = types, .cue_count = 1};

void cues_cost_counted(bks_cues *cues, uint32_t count, const char *way);

static void need(bool is_so, const char *what)
{
    if (!is_so) {
        (void)fprintf(stderr, "cues_cost: %s\n", what);
        exit(1);
    }
}

static uint64_t key_of(uint32_t i, uint32_t round, bool changes)
{
    return changes && i % 10 == 0 ? (uint64_t)(round + 1) << 32 | i : i;
}

/// Steps and one update.
/// @return events
static uint32_t run_round(bks_cues *cues, uint32_t count, uint32_t round, bool changes)
{
    for (bks_tick tick = FROM; tick < UNTIL; tick++) {
        bks_cues_begin(cues, tick);
        for (uint32_t i = 0; i < count; i++) {
            need(bks_cues_ask(cues, 0, key_of(i, round, changes), NULL, 0), "no room");
        }
    }
    bks_cues_update(cues, UNTIL, 0);
    uint32_t events = 0;
    for (bks_cue_event event; bks_cues_next(cues, &event);) {
        events++;
    }
    return events;
}

__attribute__((noinline)) void cues_cost_counted(bks_cues *cues, uint32_t count, const char *way)
{
    const bool changes = strcmp(way, "changed") == 0;
    volatile uint64_t compared = 0;
    uint32_t events = 0;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        events += run_round(cues, count, round, changes);
        for (uint32_t i = 0; strcmp(way, "planted") == 0 && i < (UNTIL - FROM) * count * count;
             i++) {
            compared = compared + 1;
        }
    }
    need((events > 0) == changes, "another number of events");
}

int main(int argc, char **argv)
{
    need(argc == 3, "usage: cues_cost same|changed|planted CUES");
    const uint32_t count = (uint32_t)strtoul(argv[2], NULL, 10);
    const bks_cues_config config = {.game = &game, .per_tick = count, .ticks = TICKS};
    bks_cues *cues = NULL;
    need(bks_cues_create(&config, &cues, NULL) == BKS_OK, "CUES is out of range");
    need(run_round(cues, count, 0, false) == (UNTIL - FROM) * count, "not all are started");
    cues_cost_counted(cues, count, argv[1]);
    need(bks_cues_lost(cues) == 0, "some are lost");
    bks_cues_destroy(cues);
    return 0;
}
