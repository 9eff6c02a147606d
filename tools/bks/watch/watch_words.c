// SPDX-License-Identifier: MIT

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"
#include "watch/watch_player.h"

#include <inttypes.h>
#include <stdio.h>

static const double EVENT_SHOWN_S = 3.0;

static void describe_event(const bks_replay_event *event, char *out, size_t capacity)
{
    char what[64] = "";
    switch (event->kind) {
    case BKS_REPLAY_JOINED:
    case BKS_REPLAY_LEFT:
        snprintf(what, sizeof(what), "peer %" PRIu32 " %s", event->peer,
                 bks_replay_event_kind_name(event->kind));
        break;
    case BKS_REPLAY_DELAY:
        if (event->a == event->b) {
            snprintf(what, sizeof(what), "input delay %" PRIu64, event->b);
        } else {
            snprintf(what, sizeof(what), "input delay %" PRIu64 " to %" PRIu64, event->a, event->b);
        }
        break;
    case BKS_REPLAY_DESYNC:
        snprintf(what, sizeof(what), "peer %" PRIu32 " had another state", event->peer);
        break;
    case BKS_REPLAY_CLOSED:
        snprintf(what, sizeof(what), "closed");
        break;
    case BKS_REPLAY_NOTE:
        break;
    }
    snprintf(out, capacity, "tick %" PRId32 ": %s%s%s", event->tick, what,
             what[0] != '\0' && event->text[0] != '\0' ? ", " : "", event->text);
}

// What happened just before the place; the newest of several.
static bool last_event(const watch_player *player, char *out, size_t capacity)
{
    const bks_tick tick = bks_playback_tick(player->playback);
    const bks_tick shown = (bks_tick)(EVENT_SHOWN_S * (double)player->info->tick_rate_hz);
    for (uint32_t i = player->info->event_count; i > 0; i--) {
        bks_replay_event event;
        if (bks_replay_event_at(player->feed->replay, i - 1, &event) == BKS_OK &&
            event.tick <= tick && tick - event.tick < shown) {
            describe_event(&event, out, capacity);
            return true;
        }
    }
    return false;
}

// What damage took away.
static bool describe_lost(const watch_player *player, char *out, size_t capacity)
{
    int64_t ticks = 0;
    bks_replay_lost part = {0};
    for (uint32_t i = 0; i < player->info->lost_count; i++) {
        bks_replay_lost lost;
        if (bks_replay_lost_at(player->feed->replay, i, &lost) == BKS_OK && lost.ticks > 0) {
            ticks += lost.ticks;
            part = lost;
        }
    }
    if (ticks == 0) {
        return false;
    }
    if (ticks == part.ticks) {
        snprintf(out, capacity, "damaged: ticks %" PRId32 " to %" PRId32 " are lost", part.first,
                 part.first + part.ticks - 1);
    } else {
        snprintf(out, capacity, "damaged: %" PRId64 " tick%s %s lost", ticks, TOOL_PLURAL(ticks),
                 TOOL_ARE(ticks));
    }
    return true;
}

const char *watch_words_remark(const watch_player *player, char *room, size_t capacity)
{
    if (last_event(player, room, capacity)) {
        return room;
    }
    if (player->said[0] != '\0') {
        return player->said;
    }
    return describe_lost(player, room, capacity) ? room : NULL;
}
