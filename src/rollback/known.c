// SPDX-License-Identifier: MIT

#include "rollback/known.h"

#include "base/mutant.h"
#include "base/report.h"

static bks_status create_prediction(bksi_known *known, const bksi_rollback_config *config,
                                    bks_error *error)
{
    if (!config->layout->has_history) {
        return BKS_OK;
    }
    return bksi_prediction_create(&known->prediction, config->layout, config->votes,
                                  config->votes_bytes, &config->allocator, error);
}

bks_status bksi_known_create(bksi_known *known, const bksi_rollback_config *config,
                             bks_error *error)
{
    known->wrong = BKS_TICK_NONE;
    known->room = config->players_max;
    bks_status status = create_prediction(known, config, error);
    for (uint32_t p = 0; status == BKS_OK && p < known->room; p++) {
        bksi_timeline *timeline = &known->timelines[p];
        status = bksi_timeline_create(timeline, config->layout, config->capacity_ticks,
                                      &config->allocator);
        if (status == BKS_OK && known->prediction.layout != NULL) {
            status = bksi_timeline_predict_by(timeline, &known->prediction, &config->allocator);
        }
    }
    return status != BKS_OK
               ? status
               : bksi_command_log_create(&known->commands, &config->commands, config->players_max,
                                         config->capacity_ticks, &config->allocator);
}

void bksi_known_destroy(bksi_known *known, const bks_allocator *allocator)
{
    for (uint32_t p = 0; p < known->room; p++) {
        bksi_timeline_destroy(&known->timelines[p], allocator);
    }
    bksi_prediction_destroy(&known->prediction, allocator);
    bksi_command_log_destroy(&known->commands, allocator);
}

static void find_confirmed(bksi_known *known)
{
    bks_tick least = known->timelines[0].head;
    for (uint32_t p = 1; p < known->players; p++) {
        bks_tick head = known->timelines[p].head;
        least = head < least ? head : least;
    }
    known->confirmed = least;
}

void bksi_known_begin(bksi_known *known, bks_tick first)
{
    for (uint32_t p = 0; p < known->room; p++) {
        bksi_timeline_begin(&known->timelines[p], first);
    }
    known->confirmed = first;
}

void bksi_known_start(bksi_known *known, uint32_t players)
{
    known->players = players;
    find_confirmed(known);
}

void bksi_known_doubt(bksi_known *known, bks_tick tick)
{
    if (known->wrong == BKS_TICK_NONE || tick < known->wrong) {
        known->wrong = tick;
    }
}

/// Note that a tick of a player was appended.
/// @param wrong  the tick if it was stepped with another input, else BKS_TICK_NONE
static void appended(bksi_known *known, bks_tick tick, bks_tick wrong)
{
    if (tick == known->confirmed && known->players > 0) {
        find_confirmed(known);
    }
    if (wrong != BKS_TICK_NONE && !bksi_mutated(BKSI_MUTANT_FORGOT)) {
        bksi_known_doubt(known, bksi_mutated(BKSI_MUTANT_AFTER) ? wrong + 1 : wrong);
    }
}

static void append_with_blob(bksi_known *known, uint32_t player, const uint8_t *packed,
                             const bksi_blob *blob)
{
    const bks_tick tick = known->timelines[player].head;
    bks_tick wrong = bksi_timeline_append(&known->timelines[player], packed);
    if (bksi_command_log_append(&known->commands, player, tick, blob) &&
        tick < known->timelines[player].used_head) { // the tick was stepped without commands
        wrong = tick;
    }
    appended(known, tick, wrong);
}

void bksi_known_append(bksi_known *known, uint32_t player, const uint8_t *packed,
                       const bksi_blob *blob)
{
    // Games without commands take the short way, because this is called for every input.
    if (bksi_command_log_is_on(&known->commands)) {
        append_with_blob(known, player, packed, blob);
    } else {
        bksi_timeline *timeline = &known->timelines[player];
        const bks_tick wrong = bksi_timeline_append(timeline, packed);
        appended(known, timeline->head - 1, wrong);
    }
}

/// Say once, until none waits any more, that commands wait because the newest ones have used up the
/// room of their ticks.
static void note_wait(const bksi_known *known, uint32_t player, bksi_command_queue *queue,
                      uint32_t room)
{
    const bksi_command_config *config = &known->commands.config;
    if (room == 0 && queue->count > 0 && !queue->is_waiting) {
        queue->is_waiting = true;
        bksi_log(BKS_LOG_WARNING, "input.commands",
                 "%u bytes of commands of player %u wait, because those of any %u ticks may be %u "
                 "bytes together (command_room_bytes)",
                 queue->count, player, config->room_ticks, config->room_bytes);
    }
    queue->is_waiting = queue->is_waiting && queue->count > 0;
}

/// Append the input of a local player with commands from its queue.
/// @param most  most bytes of commands that do not travel ahead of the tick
/// @return number of these bytes that the tick takes
static uint32_t append_queued(bksi_known *known, uint32_t player, const uint8_t *packed,
                              bksi_command_queue *queue, uint32_t most)
{
    const bks_tick tick = known->timelines[player].head;
    const uint32_t room = bksi_command_log_room(&known->commands, player, tick);
    note_wait(known, player, queue, room);
    const bksi_blob blob =
        bksi_command_queue_take(queue, queue->ahead > 0 || room < most ? room : most);
    append_with_blob(known, player, packed, &blob);
    return blob.is_ahead ? 0 : blob.count;
}

uint32_t bksi_known_append_local(bksi_known *known, uint32_t first, uint32_t count,
                                 const uint8_t *packed, bksi_command_queue *queues, uint32_t most)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t player = first + i;
        most -= append_queued(known, player, packed, &queues[i], most / (count - i));
        packed += known->timelines[player].layout->bytes;
    }
    return most;
}

bks_tick bksi_known_take_wrong(bksi_known *known)
{
    bks_tick wrong = known->wrong;
    known->wrong = BKS_TICK_NONE;
    return wrong;
}

/// Return true if the known ticks from..until were stepped with their commands. Ticks that are not
/// known need no check: they have no commands and were stepped with none.
static bool are_commands_as_used(const bksi_known *known, uint32_t player, bks_tick from,
                                 bks_tick until)
{
    const bks_tick head = known->timelines[player].head;
    return !bksi_command_log_is_on(&known->commands) ||
           bksi_command_log_is_as_used(&known->commands, player, from, head < until ? head : until);
}

bool bksi_known_is_as_used(const bksi_known *known, bks_tick from, bks_tick until, bool has_guesses)
{
    if (bksi_mutated(BKSI_MUTANT_EARLY)) {
        return true;
    }
    for (uint32_t p = 0; p < known->players; p++) {
        const bksi_timeline *timeline = &known->timelines[p];
        if ((!has_guesses && timeline->head < until) ||
            !bksi_timeline_is_as_used(timeline, from, until) ||
            !are_commands_as_used(known, p, from, until)) {
            return false;
        }
    }
    return true;
}

bool bksi_known_use_commands(bksi_known *known, bks_tick tick, bks_commands *commands)
{
    bool has_any = false;
    for (uint32_t p = 0; p < known->players; p++) {
        commands[p] = (bks_commands){0};
        if (tick < known->timelines[p].head) {
            bksi_command_log_use(&known->commands, p, tick);
            commands[p] = bksi_command_log_commands(&known->commands, p, tick);
        }
        has_any |= commands[p].count > 0;
    }
    return has_any;
}

#ifdef BKSI_WITH_MUTANTS

void bksi_known_lose(bksi_known *known, uint32_t player)
{
    known->timelines[player].head--;
}

#endif
