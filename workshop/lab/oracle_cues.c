// SPDX-License-Identifier: MIT

#include "base/report.h"
#include "lab/oracle_internal.h"
#include "session/queries.h"

static void hear(void *context, uint32_t peer, const bks_cue_event *event)
{
    oracle_cues *cues = context;
    bksi_cue_log_add(&cues->logs[peer], event);
}

void bksi_oracle_hear_cues(oracle_cues *cues, bks_lab_config *config)
{
    *cues = (oracle_cues){0};
    config->cues_per_tick = 0;
    if (config->game->cue_count == 0) {
        return;
    }
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        bksi_cue_log_begin(&cues->logs[i], config->game, &config->allocator);
    }
    config->cues_per_tick = BKSI_ORACLE_CUES_PER_TICK;
    config->cue = hear;
    config->cue_context = cues;
}

void bksi_oracle_forget_cues(oracle_cues *cues)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        bksi_cue_log_end(&cues->logs[i]);
    }
}

void bksi_oracle_compare_cues(oracle_cues *cues, const oracle_cues *reference, const bks_lab *lab,
                              uint32_t index, bks_tick until, bks_oracle_verdict *verdict)
{
    const lab_peer *peer = &lab->peers[index];
    if (cues->logs[index].game == NULL) {
        return;
    }
    const uint64_t lost = bks_peer_cues_lost(peer->peer);
    const bks_tick known = bksi_session_settled(peer->session);
    const char *why = bksi_cue_log_compare(&cues->logs[index], &reference->logs[0],
                                           until < known ? until : known);
    if (why != NULL) {
        bksi_oracle_find(verdict, BKS_ORACLE_UNSAFE, BKS_TICK_NONE, "peer %u: cue %s", index, why);
    } else if (lost > 0) {
        bksi_oracle_find(verdict, BKS_ORACLE_UNSAFE, BKS_TICK_NONE, "peer %u lost %llu cue%s",
                         index, (unsigned long long)lost, BKSI_PLURAL(lost));
    }
}
