// SPDX-License-Identifier: MIT

// Summary of a recording for callers: its content and its damage. Other files collect parts and
// damage; only this file fills in bks_recording.

#include "base/report.h"
#include "replay/read/reader.h"

bks_status bksi_replay_check_index(uint32_t index, size_t count, const char *call, bks_error *error)
{
    return index < count ? BKS_OK
                         : bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "index",
                                     "index is %u, must be below %zu", index, count);
}

void bksi_replay_note_damage(bks_replay *replay, bks_status status, uint64_t offset,
                             const char *what)
{
    if (replay->damage.code == BKS_OK || replay->damage.offset_bytes > offset) {
        (void)bksi_fail_at(&replay->damage, status, "replay.open", offset, "%s", what);
    }
}

bks_status bksi_replay_damage(const bks_replay *replay, bks_error *error)
{
    if (replay->damage.code != BKS_OK && error != NULL) {
        *error = replay->damage;
    }
    return replay->damage.code;
}

static const bksi_replay_part *part_of(const bks_replay *replay, size_t index)
{
    return bksi_list_at(&replay->parts, index);
}

/// Return the part of the summary that follows from the HEAD record and the lists.
static bks_recording info_of_head(const bks_replay *replay)
{
    const bksi_replay_head *head = &replay->head;
    return (bks_recording){
        .format = replay->format,
        .game = head->game,
        .version = head->version,
        .build = head->build,
        .players = head->players,
        .tick_rate_hz = head->tick_rate_hz,
        .seed = head->seed,
        .hash_bits = head->hash_bits,
        .fields = head->fields,
        .field_count = head->field_count,
        .options = head->options,
        .option_count = head->option_count,
        .environment = head->environment,
        .environment_count = head->environment_count,
        .ranges = head->ranges,
        .range_count = head->range_count,
        .bytes = bksi_replay_bytes(replay),
        .state_bytes = replay->state_bytes,
        .has_pointers = replay->is_state_left_out,
        .keyframes = (uint32_t)replay->keys.count,
        .event_count = (uint32_t)replay->events.count,
        .packed_state_bytes =
            replay->has_state ? replay->state_payload_bytes + BKSI_RECORD_EXTRA_BYTES : 0,
        .repair_count = (uint32_t)replay->repairs.count,
        .rollback_count = (uint32_t)replay->rollbacks.count,
        .rollback_bytes = replay->rollback_bytes,
        .fact_count = (uint32_t)replay->facts.count,
        .fact_bytes = replay->fact_bytes,
        .command_ticks = (uint32_t)replay->commands.count,
        .command_bytes = replay->command_bytes,
        .evidence_count = (uint32_t)replay->evidence.count,
        .evidence_bytes = replay->evidence_bytes,
        .log_count = replay->log_count,
        .value_ticks = replay->values.ticks,
        .value_bytes = replay->values.record_bytes,
        .mark_ticks = replay->marks.ticks,
        .mark_bytes = replay->marks.record_bytes,
        .page_hash_ticks = replay->pages.ticks,
        .page_hash_bytes = replay->pages.record_bytes,
        .pages_max = (uint32_t)(replay->pages.sample_bytes_max / sizeof(uint32_t)),
    };
}

/// Fill in the damage and how the recording ends.
static void fill_ending(bks_replay *replay)
{
    bks_recording *info = &replay->info;
    info->lost_count = (uint32_t)(replay->lost.count + replay->late.count);
    info->is_damaged = replay->damage.code != BKS_OK;
    info->damage_offset_bytes = info->is_damaged ? replay->damage.offset_bytes : 0;
    info->is_complete = replay->has_done && !info->is_damaged;
    if (replay->has_done && replay->has_closed) {
        info->ending = BKS_REPLAY_LEFT_EARLY;
    } else if (info->is_damaged) {
        // The ending is unknown, because the event that tells it, or the DONE record, may be lost.
        info->ending = BKS_REPLAY_UNKNOWN;
    } else {
        info->ending = replay->has_done ? BKS_REPLAY_COMPLETE : BKS_REPLAY_CUT_OFF;
    }
}

/// Fill in the range of ticks, and the end of the ticks that follow the first one without a gap.
static void fill_ticks(bks_replay *replay)
{
    bks_recording *info = &replay->info;
    const bool is_first_known = replay->expected != BKS_TICK_NONE || replay->keys.count == 0;
    info->first = is_first_known
                      ? replay->first
                      : ((const bksi_replay_key *)bksi_list_at(&replay->keys, 0))->keyframe.tick;
    info->ticks = info->first;
    info->confirmed = info->first;
    info->end = info->first;
    replay->parts_end = 0;
    for (size_t i = 0; i < replay->parts.count; i++) {
        const bksi_replay_part *part = part_of(replay, i);
        info->input_bytes += part->input_bytes;
        info->hash_bytes += part->hash_bytes;
        // Count 0 ticks for the tail, which is no chunk.
        const bks_tick ticks = part->payload > 0 ? part->end - part->first : 0;
        info->chunk_ticks = ticks > info->chunk_ticks ? ticks : info->chunk_ticks;
        if (part->is_lost) {
            continue;
        }
        if (part->begin == info->ticks && info->ticks == info->end) {
            info->ticks = part->end;
            info->confirmed = part->confirmed;
        }
        info->end = part->end;
        replay->parts_end = i + 1;
    }
}

void bksi_replay_fill_info(bks_replay *replay)
{
    replay->info = info_of_head(replay);
    for (size_t i = 0; i < replay->keys.count; i++) {
        const bksi_replay_key *key = bksi_list_at(&replay->keys, i);
        replay->info.keyframe_bytes += key->keyframe.bytes;
    }
    fill_ticks(replay);
    fill_ending(replay);
}

void bksi_replay_set_lost(bks_replay *replay, bks_tick begin)
{
    bks_recording *info = &replay->info;
    if (begin < info->ticks) {
        info->ticks = begin;
        info->confirmed = info->confirmed < begin ? info->confirmed : begin;
    }
    // Move the end back over lost parts of the recording.
    while (replay->parts_end > 0 && part_of(replay, replay->parts_end - 1)->is_lost) {
        replay->parts_end--;
    }
    info->end = replay->parts_end > 0 ? part_of(replay, replay->parts_end - 1)->end : info->first;
    fill_ending(replay);
}

const bks_recording *bks_replay_info(const bks_replay *replay)
{
    BKSI_REFUSE_NULL_OR(NULL, replay);
    return &replay->info;
}
