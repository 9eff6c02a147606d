// SPDX-License-Identifier: MIT

#include "record/recording/verify_name.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/tool.h"
#include "record/recording/mark_list.h"

// What was recorded, and what is stepped here.
typedef struct naming {
    const replay_file *file;
    const loaded_game *game;
    bks_playback *playback;
    uint8_t *bytes; ///< room for one state
    size_t room;
    mark_list recorded;
    mark_list stepped;
} naming;

static void take(naming *n, const char *mark)
{
    const size_t count = bks_playback_export(n->playback, n->bytes, n->room);
    (void)mark_list_add(&n->stepped, mark, n->bytes, count);
}

static void reach(void *context, bks_tick tick, const char *name)
{
    (void)tick;
    take(context, name);
}

// The state at the start of a tick as the file holds it.
static bool read_start(naming *n, bks_tick tick)
{
    size_t room = 0;
    size_t count = 0;
    bks_replay *replay = n->file->replay;
    // Of a game without a region `--keep marks` holds this one alone.
    if (n->game->game->create != NULL && n->file->info->mark_ticks > 0 &&
        bks_replay_marks(replay, tick, mark_list_add, &n->recorded) == BKS_OK) {
        return true;
    }
    if (bks_replay_state_at(replay, tick, NULL, 0, &room, NULL) != BKS_OK) {
        return false;
    }
    uint8_t *bytes = malloc(room);
    const bool is_read = bytes != NULL &&
                         bks_replay_state_at(replay, tick, bytes, room, &count, NULL) == BKS_OK &&
                         mark_list_add(&n->recorded, "", bytes, count);
    free(bytes);
    return is_read;
}

// The states of one step: at its start, at each mark, and at the start of the next tick.
// @return false: they are not recorded
static bool list_step(naming *n, bks_tick tick, uint32_t wanted)
{
    mark_list_begin(&n->recorded, wanted);
    mark_list_begin(&n->stepped, wanted);
    if (n->file->info->mark_ticks == 0 ||
        bks_replay_marks(n->file->replay, tick, mark_list_add, &n->recorded) != BKS_OK) {
        return false;
    }
    mark_list next = {.wanted = 0};
    if (bks_replay_marks(n->file->replay, tick + 1, mark_list_add, &next) == BKS_OK) {
        (void)mark_list_add(&n->recorded, "", next.bytes, next.bytes_count);
    } else {
        (void)read_start(n, tick + 1);
    }
    mark_list_end(&next);
    const bks_playback_listener listener = {.reached = reach, .context = n};
    if (bks_playback_seek(n->playback, tick, NULL) != BKS_OK) {
        return false;
    }
    take(n, "");
    (void)bks_playback_listen(n->playback, &listener);
    const bks_status status = bks_playback_step(n->playback);
    (void)bks_playback_listen(n->playback, NULL);
    take(n, "");
    return status == BKS_OK;
}

// The states at the start of a tick alone, stepped to from the one before.
static bool list_start(naming *n, bks_tick tick, uint32_t wanted)
{
    const bks_tick first = n->file->info->first;
    mark_list_begin(&n->recorded, wanted);
    mark_list_begin(&n->stepped, wanted);
    if (!read_start(n, tick) ||
        bks_playback_seek(n->playback, tick > first ? tick - 1 : first, NULL) != BKS_OK ||
        (tick > first && bks_playback_step(n->playback) != BKS_OK)) {
        return false;
    }
    take(n, "");
    return true;
}

static void name(naming *n, verify_difference *out)
{
    state_names names;
    const bks_compared_state recorded = {.bytes = n->recorded.bytes,
                                         .count = n->recorded.bytes_count};
    const bks_compared_state stepped = {.bytes = n->stepped.bytes, .count = n->stepped.bytes_count};
    state_names_find(n->game, &names);
    out->is_known = recorded.count > 0 && stepped.count > 0 &&
                    state_difference_find(&names, &recorded, &stepped, &out->value);
}

static bool find_in_step(naming *n, bks_tick tick, verify_difference *out)
{
    if (n->game->game->create != NULL || !list_step(n, tick, MARK_LIST_NONE)) {
        return false;
    }
    const uint32_t number = mark_list_compare(&n->recorded, &n->stepped);
    if (number == MARK_LIST_NONE || number >= n->recorded.count || !list_step(n, tick, number)) {
        return false;
    }
    const bool is_next = number > 0 && number + 1 == n->recorded.count;
    out->tick = tick + (is_next ? 1 : 0);
    (void)snprintf(out->mark, sizeof(out->mark), "%s", n->recorded.names[number]);
    name(n, out);
    return out->is_known;
}

static void find(naming *n, bks_tick first_different, verify_difference *out)
{
    const bks_tick first = n->file->info->first;
    if (first_different > first && find_in_step(n, first_different - 1, out)) {
        return;
    }
    if (list_start(n, first_different, 0)) {
        out->tick = first_different;
        // Of a later tick the file holds no more than this state: a mark before may differ, too.
        (void)snprintf(out->mark, sizeof(out->mark), "%s",
                       first_different == first ? "(start)" : "");
        name(n, out);
    }
}

void verify_name(const replay_file *file, const loaded_game *game, bks_tick first_different,
                 verify_difference *out)
{
    naming *n = calloc(1, sizeof(*n));
    const bks_playback_config config = {.replay = file->replay, .game = game->game};
    if (n != NULL && bks_playback_create(&config, &n->playback, NULL) == BKS_OK) {
        n->file = file;
        n->game = game;
        n->room = bks_playback_export(n->playback, NULL, 0);
        n->bytes = n->room > 0 ? malloc(n->room) : NULL;
        if (n->bytes != NULL) {
            find(n, first_different, out);
        }
        free(n->bytes);
        mark_list_end(&n->recorded);
        mark_list_end(&n->stepped);
        bks_playback_destroy(n->playback);
    }
    tool_log_drop();
    free(n);
}
