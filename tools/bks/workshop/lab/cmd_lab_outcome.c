// SPDX-License-Identifier: MIT

#include "workshop/lab/lab_parts.h"

#include <inttypes.h>

#include "base/tool.h"

/// Whether no peer predicts.
static bool is_lockstep(const bks_lab_config *config)
{
    for (uint32_t i = 0; i < config->peers; i++) {
        if (config->tunings[i].window_ticks > 0) {
            return false;
        }
    }
    return true;
}

void lab_outcome_begin(lab_outcome *outcome, const lab_setup *setup)
{
    const bks_lab_config *config = &setup->config;
    outcome->match.game = config->game->name;
    outcome->match.mode = is_lockstep(config) ? "lockstep" : "rollback";
    outcome->match.seed = config->seed;
    outcome->match.ticks = config->ticks;
    outcome->match.tick_rate_hz = config->game->tick_rate_hz;
    outcome->match.peers = outcome->peers;
    outcome->match.peer_count = config->peers;
    outcome->match.faults = outcome->faults;
    for (uint32_t i = 0; i < config->peers; i++) {
        outcome->peers[i].id = i;
        outcome->series[i].width_ns = UINT64_C(1000000000) / config->game->tick_rate_hz;
    }
}

void lab_outcome_desync(lab_outcome *outcome, bks_tick tick, bks_tick found_tick,
                        uint32_t odd_peers)
{
    outcome->match.has_desync = tick != BKS_TICK_NONE;
    outcome->match.desync.tick = tick;
    outcome->match.desync.found_at_tick = found_tick;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if ((odd_peers >> i & 1u) != 0) {
            outcome->match.desync.peers[outcome->match.desync.peer_count++] = i;
        }
    }
}

int lab_outcome_flip(lab_outcome *outcome, const bks_lab_flip_result *flip)
{
    if (flip->is_beyond) {
        tool_complain("--fault",
                      "flip=%" PRIu32 "@%" PRId32 " has offset %" PRIu64 ", must be 0..%" PRIu64
                      ": the state takes %" PRIu64 " bytes at that tick",
                      flip->peer, flip->tick, flip->offset_bytes, flip->used_bytes - 1,
                      flip->used_bytes);
        return TOOL_MISUSE;
    }
    outcome->match.flips = outcome->flips;
    outcome->flips[outcome->match.flip_count++] =
        (report_flip){.peer = flip->peer,
                      .tick = flip->tick,
                      .offset_bytes = flip->offset_bytes,
                      .bit = flip->bit,
                      .flipped_tick = flip->flipped_tick,
                      .name = flip->is_named ? flip->place.name : NULL,
                      .note = flip->place.note,
                      .is_reached = flip->is_reached};
    return TOOL_OK;
}
