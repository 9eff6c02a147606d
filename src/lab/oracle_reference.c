// SPDX-License-Identifier: MIT

#include <string.h>

#include "base/mutant.h"
#include "lab/lab_compare.h"
#include "lab/oracle_internal.h"

/// The sources of a match, each neutral from where its seat was left.
typedef struct left_seats {
    const bks_oracle_match *match;
    bks_tick ends[BKS_PLAYERS_MAX]; ///< by seat, BKS_TICK_NONE: never left
} left_seats;

static void sample(void *context, const bks_sample *asked, int32_t *values)
{
    const left_seats *seats = context;
    const bks_tick end = seats->ends[asked->player];
    const bks_source *source = &seats->match->config.sources[asked->player];
    if (source->sample != NULL && (end == BKS_TICK_NONE || asked->tick < end)) {
        source->sample(source->context, asked, values);
    }
}

static bks_lab *play(const bks_oracle_match *match, const bks_roster *roster)
{
    left_seats seats = {.match = match};
    bks_lab_config config = match->config;
    config.peers = 1;
    config.players_on[0] = 0;
    for (uint32_t i = 0; i < match->config.peers; i++) {
        for (uint32_t k = 0; k < match->config.players_on[i]; k++) {
            const uint32_t seat = config.players_on[0]++;
            seats.ends[seat] = roster->is_in[i] ? BKS_TICK_NONE : roster->end[i];
            config.sources[seat] = (bks_source){.sample = sample, .context = &seats};
        }
    }
    config.clock_ns = NULL;
    config.allocations = NULL;
    config.tuning.delay_ticks = 0;
    memset(config.records, 0, sizeof(config.records));
    if (match->rewind != NULL) {
        match->rewind(match->rewind_context);
    }
    const bksi_mutant before = bksi_mutant_set(BKSI_MUTANT_NONE);
    bks_lab *lab = NULL;
    if (bks_lab_create(&config, &lab, NULL) == BKS_OK) {
        while (bks_lab_advance(lab, UINT64_MAX)) {
        }
    }
    (void)bksi_mutant_set(before);
    return lab;
}

static void compare(const bks_lab *reference, const bks_lab *lab, uint32_t index, bks_tick until,
                    bks_oracle_verdict *verdict)
{
    uint64_t wanted = 0;
    uint64_t hash = 0;
    for (bks_tick tick = 0; tick <= until; tick++) {
        if (bks_lab_hash(reference, 0, tick, &wanted) != BKS_OK ||
            bks_lab_hash(lab, index, tick, &hash) != BKS_OK) {
            return;
        }
        if (hash != wanted) {
            bksi_oracle_find(verdict, BKS_ORACLE_UNSAFE, tick,
                             "peer %u confirmed another tick %d than the inputs played straight",
                             index, tick);
            return;
        }
    }
}

void bksi_oracle_compare_reference(const bks_oracle_match *match, const bks_lab *lab,
                                   bks_tick until, bks_oracle_verdict *verdict)
{
    bks_roster rosters[BKS_PEERS_MAX] = {{0}};
    uint32_t done = 0; // bits: peers that were played, or are in the view of one
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        (void)bks_session_roster(lab->peers[i].session, &rosters[i]);
    }
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (!bksi_lab_is_in(lab, i) || (done >> i & 1u) != 0 || rosters[i].peers == 0) {
            continue;
        }
        bks_lab *reference = play(match, &rosters[i]);
        for (uint32_t k = 0; reference != NULL && k < lab->config.peers; k++) {
            // Of those who are in other views, only what they share.
            const bks_tick same = bksi_lab_same_until(&rosters[k], &rosters[i]);
            compare(reference, lab, k, same < until ? same : until, verdict);
            done |= same >= until ? 1u << k : 0;
        }
        bks_lab_destroy(reference);
    }
}
