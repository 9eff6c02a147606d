// SPDX-License-Identifier: MIT

#include "watch/watch_player.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"

static const uint64_t SECOND_NS = UINT64_C(1000000000);
// Longest time to step ticks between two pictures.
static const uint64_t WORK_NS_MAX = UINT64_C(12000000);
// Longest delay, in seconds, that the player makes up for by stepping faster; it drops the rest. A
// player that follows a running match drops nothing, but counts as late beyond this delay.
static const double LATE_S_MAX = 0.25;
// Number of ticks that a seek steps between two looks at the clock.
enum { SEEK_TICKS = 8 };
// Most bytes of states that are stored for seeking backwards.
static const size_t KEPT_BYTES = (size_t)32 << 20;

static int begin_playback(watch_player *p, bks_playback **out, bks_error *error)
{
    const bks_playback_config config = {.replay = p->feed->replay,
                                        .game = p->game,
                                        .memory_bytes = KEPT_BYTES,
                                        .cues_per_tick = ears_cues_per_tick(p->heard),
                                        .interpolates = p->interpolates};
    return bks_playback_create(&config, out, error) == BKS_OK ? TOOL_OK : tool_status_of(error);
}

// Compare the state at the present tick with the recorded hash.
static void compare(watch_player *p)
{
    const bks_tick tick = bks_playback_tick(p->playback);
    uint64_t recorded = 0;
    uint32_t bits = 0;
    p->has_hash = bks_replay_hash(p->feed->replay, tick, &recorded, &bits) == BKS_OK && bits > 0;
    if (p->has_hash &&
        !bks_replay_hash_agrees(p->feed->replay, tick, bks_playback_hash(p->playback)) &&
        (p->first_different == BKS_TICK_NONE || tick < p->first_different)) {
        p->first_different = tick;
        snprintf(p->message, sizeof(p->message),
                 "the state at tick %" PRId32 " is not the recorded one", tick);
    }
}

int watch_player_open(watch_player *player, watch_feed *feed, const bks_game *game,
                      const char *where, ears *heard, bool interpolates)
{
    *player = (watch_player){
        .feed = feed,
        .game = game,
        .where = where,
        .heard = heard,
        .interpolates = interpolates,
        .until = INT32_MAX,
        .limit = INT32_MAX,
        .wanted = BKS_TICK_NONE,
        .first_different = BKS_TICK_NONE,
    };
    const bks_recording *info = bks_replay_info(feed->replay);
    if (strcmp(info->game, game->name) != 0) {
        tool_complain(where, "is a recording of %s, expected one of %s", info->game, game->name);
        return TOOL_MISUSE;
    }
    bks_error error = {0};
    player->info = info;
    bks_playout_begin(&player->playout, info->tick_rate_hz);
    const int status = begin_playback(player, &player->playback, &error);
    if (status != TOOL_OK) {
        tool_complain_error(where, &error);
        return status;
    }
    compare(player);
    return TOOL_OK;
}

void watch_player_close(watch_player *player)
{
    bks_playback_destroy(player->playback);
    player->playback = NULL;
}

bks_tick watch_player_end(const watch_player *player)
{
    bks_tick end = player->info->end;
    end = player->limit < end ? player->limit : end;
    return player->until < end ? player->until : end;
}

bool watch_player_has_ended(const watch_player *player)
{
    const bks_tick tick = bks_playback_tick(player->playback);
    return tick >= player->until || (tick >= watch_player_end(player) && !player->feed->is_growing);
}

double watch_player_speed(const watch_player *player)
{
    return player->speed >= 0 ? (double)(1 << player->speed) : 1.0 / (double)(1 << -player->speed);
}

// Move to another replay that the feed has opened, and continue at the same tick.
static void replace(watch_player *p)
{
    const bks_tick tick = bks_playback_tick(p->playback);
    bks_playback *next = NULL;
    bks_error error = {0};
    if (begin_playback(p, &next, &error) != TOOL_OK ||
        bks_playback_seek(next, tick, &error) != BKS_OK) {
        // Keep playing the old replay: the feed does not close it before the next poll.
        bks_playback_destroy(next);
        snprintf(p->message, sizeof(p->message), "%s", error.text);
        p->has_failed = true;
        p->limit = tick;
        return;
    }
    bks_playback_destroy(p->playback);
    p->playback = next;
    p->info = bks_replay_info(p->feed->replay);
}

static bool is_live(const watch_player *p)
{
    return p->is_following && p->feed->is_growing;
}

static bks_tick behind(const watch_player *p)
{
    return p->info->end - bks_playback_tick(p->playback);
}

// Tell the playout buffer which ticks have arrived, and how late ticks are if nothing goes wrong:
// as long as a chunk lasts, because its ticks arrive together, plus the time of the feed.
static void note_arrival(watch_player *p, uint64_t now_ns)
{
    const bks_recording *info = p->info;
    const uint64_t chunk_ns = (uint64_t)info->chunk_ticks * SECOND_NS / info->tick_rate_hz;
    if (p->feed->is_growing) {
        bks_playout_expect(&p->playout, chunk_ns + p->feed->fetch_ns);
        bks_playout_arrive(&p->playout, info->end, now_ns);
    }
}

static void look_for_news(watch_player *p, uint64_t now_ns)
{
    const watch_news news = p->has_failed ? WATCH_NEWS_NONE : p->feed->poll(p->feed, now_ns);
    if (news == WATCH_NEWS_NONE) {
        return;
    }
    if (p->feed->why[0] != '\0') {
        snprintf(p->message, sizeof(p->message), "%s", p->feed->why);
    }
    if (news == WATCH_NEWS_REPLACED) {
        replace(p);
    }
    compare(p); // the hash of the present state may have arrived
}

// Skip lost ticks: seek to the next keyframe that is usable. Return false if there is none.
static bool pass_over_lost(watch_player *p)
{
    const bks_tick tick = bks_playback_tick(p->playback);
    for (uint32_t i = 0; i < p->info->keyframes; i++) {
        bks_replay_keyframe key;
        if (bks_replay_keyframe_at(p->feed->replay, i, &key) == BKS_OK && key.tick > tick &&
            key.is_usable && !key.is_wrong &&
            bks_playback_seek(p->playback, key.tick, NULL) == BKS_OK) {
            p->lost += key.tick - tick;
            snprintf(p->message, sizeof(p->message), "ticks %" PRId32 " to %" PRId32 " are lost",
                     tick, key.tick - 1);
            compare(p);
            return true;
        }
    }
    (void)bks_playback_seek(p->playback, tick, NULL);
    p->limit = tick;
    snprintf(p->message, sizeof(p->message),
             "from tick %" PRId32 " on it is lost: there is no keyframe behind the damage", tick);
    return false;
}

static void listen(watch_player *p)
{
    const void *state = bks_playback_state(p->playback);
    for (bks_cue_event event; p->heard != NULL && bks_playback_cue(p->playback, &event);) {
        ears_cue(p->heard, state, &event);
    }
    ears_show(p->heard, state, bks_playback_tick(p->playback), p->speed == 0);
}

// Step one tick.
// @return false if there is none to step
static bool step(watch_player *p)
{
    const bks_tick tick = bks_playback_tick(p->playback);
    if (tick >= watch_player_end(p)) {
        if (p->feed->is_growing && tick < p->until && !p->is_following) {
            p->is_following = true; // the newest tick was reached, so follow from now on
            p->is_waiting = true;
            bks_playout_seek(&p->playout, tick);
        }
        return false;
    }
    const bool was_comparable = p->has_hash;
    const bks_status status = bks_playback_step(p->playback);
    if (status == BKS_ERR_DAMAGED) {
        return pass_over_lost(p);
    }
    if (status != BKS_OK) {
        p->limit = tick;
        return false;
    }
    if (was_comparable && tick_spans_add(&p->counted, tick)) {
        p->compared++;
    }
    compare(p);
    listen(p);
    return true;
}

static bool has_time(const watch_player *p, uint64_t begun_ns)
{
    const uint64_t most_ns = watch_player_is_late(p) ? WATCH_PICTURE_NS_MAX : WORK_NS_MAX;
    return tool_clock_ns(NULL) - begun_ns < most_ns;
}

static void step_owed(watch_player *p, uint64_t begun_ns)
{
    while (p->owed_ticks >= 1.0 && has_time(p, begun_ns)) {
        if (!step(p)) {
            p->owed_ticks = 0.0;
            return;
        }
        p->owed_ticks -= 1.0;
    }
}

// Step the ticks of a running match that are due.
static void step_due(watch_player *p, uint64_t now_ns)
{
    const uint64_t begun_ns = tool_clock_ns(NULL);
    bks_tick before;
    do {
        before = p->playout.due;
        const bks_tick left =
            bks_playout_update(&p->playout, now_ns) - bks_playback_tick(p->playback);
        const double part = p->playout.part < 1.0f ? (double)p->playout.part : 0.0;
        p->owed_ticks = left >= 0 ? left + part : 0.0;
        step_owed(p, begun_ns);
    } while (p->playout.due > before && p->owed_ticks < 1.0 && has_time(p, begun_ns));
    p->is_waiting = p->playout.is_holding;
    p->depth_max = behind(p) > p->depth_max ? behind(p) : p->depth_max;
}

// Step towards a tick, or to the nearest one that can be played. If `most_ns` is not enough, the
// tick stays wanted.
static void approach(watch_player *p, int64_t tick, uint64_t most_ns)
{
    const bks_tick end = watch_player_end(p);
    const bks_tick first = p->info->first;
    const bks_tick target = tick < first ? first : tick > end ? end : (bks_tick)tick;
    const uint64_t begun_ns = tool_clock_ns(NULL);
    const bks_tick before = bks_playback_tick(p->playback);
    bks_error error = {0};
    bks_status status = BKS_OK;
    p->owed_ticks = 0.0;
    p->is_waiting = false;
    p->is_following = false;
    p->wanted = BKS_TICK_NONE;
    if (target == before) {
        return;
    }
    p->message[0] = '\0';
    do {
        status = bks_playback_approach(p->playback, target, SEEK_TICKS, &error);
    } while (status == BKS_OK && bks_playback_tick(p->playback) != target &&
             tool_clock_ns(NULL) - begun_ns < most_ns);
    if (status != BKS_OK) {
        snprintf(p->refused, sizeof(p->refused), "%s", error.text);
        snprintf(p->message, sizeof(p->message), "%s", error.text);
        (void)bks_playback_seek(p->playback, before, NULL);
        tool_log_drop();
    } else if (bks_playback_tick(p->playback) != target) {
        p->wanted = target;
    }
    compare(p);
}

// Go to the wanted tick once it is recorded.
// @return true while the wanted tick is not reached yet
static bool waits_for_tick(watch_player *p)
{
    const bks_tick wanted = p->wanted;
    if (wanted != BKS_TICK_NONE && (p->info->end >= wanted || !p->feed->is_growing)) {
        approach(p, wanted, WATCH_PICTURE_NS_MAX);
    }
    return p->wanted != BKS_TICK_NONE;
}

void watch_player_wait_for(watch_player *player, bks_tick tick)
{
    player->wanted = tick;
    if (waits_for_tick(player) && player->info->end < tick) {
        snprintf(player->message, sizeof(player->message),
                 "tick %" PRId32 " is not recorded yet, waiting", tick);
    }
}

bool watch_player_is_late(const watch_player *player)
{
    return player->is_following &&
           player->owed_ticks > LATE_S_MAX * (double)player->info->tick_rate_hz;
}

void watch_player_advance(watch_player *player, uint64_t now_ns)
{
    if (player->played_ns == 0) {
        player->played_ns = now_ns;
    }
    look_for_news(player, now_ns);
    const double passed_s = (double)(now_ns - player->played_ns) * 1e-9;
    player->played_ns = now_ns;
    note_arrival(player, now_ns);
    player->is_waiting = false;
    // At less than the match's speed, the player cannot follow.
    player->is_following &= player->speed >= 0;
    if (waits_for_tick(player) || player->is_paused) {
        ears_hush(player->heard);
        player->owed_ticks = 0.0;
        player->is_following = false;
        return;
    }
    if (is_live(player)) {
        step_due(player, now_ns);
        return;
    }
    const double rate = (double)player->info->tick_rate_hz * watch_player_speed(player);
    const double most = LATE_S_MAX * rate > 2.0 ? LATE_S_MAX * rate : 2.0;
    player->owed_ticks += passed_s * rate;
    player->owed_ticks = player->owed_ticks < most ? player->owed_ticks : most;
    step_owed(player, tool_clock_ns(NULL));
}

bks_frame watch_player_frame(const watch_player *player)
{
    // Draw the newest state without interpolation while playing is paused, waiting or at the end.
    const bool rests = player->is_paused || player->is_waiting || player->wanted != BKS_TICK_NONE ||
                       watch_player_has_ended(player);
    const double owed = player->owed_ticks < 1.0 ? player->owed_ticks : 1.0;
    bks_frame frame = {0};
    (void)bks_playback_frame(player->playback, rests ? 1.0F : (float)owed, &frame);
    return frame;
}

uint64_t watch_player_idle_ns(const watch_player *player)
{
    if (player->wanted != BKS_TICK_NONE && player->wanted <= player->info->end) {
        return 0;
    }
    if (player->is_paused || player->is_waiting || player->wanted != BKS_TICK_NONE) {
        return SECOND_NS;
    }
    const double rate = (double)player->info->tick_rate_hz * watch_player_speed(player);
    const double left_s = (1.0 - player->owed_ticks) / rate;
    return left_s > 0.0 ? (uint64_t)(left_s * 1e9) + 1 : 0;
}

void watch_player_seek(watch_player *player, int64_t tick)
{
    approach(player, tick, UINT64_MAX);
}

void watch_player_go(watch_player *player, int64_t tick)
{
    approach(player, tick, WATCH_PICTURE_NS_MAX);
}

bks_tick watch_player_live_tick(watch_player *player, uint64_t now_ns)
{
    note_arrival(player, now_ns);
    return bks_playout_start(&player->playout);
}

void watch_player_follow(watch_player *player, uint64_t now_ns)
{
    watch_player_seek(player, watch_player_live_tick(player, now_ns));
    player->is_following = true;
    bks_playout_seek(&player->playout, bks_playback_tick(player->playback));
}

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

// Describe the newest event shortly before the current tick.
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

// Describe the ticks that are lost by damage.
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
    if (player->message[0] != '\0') {
        return player->message;
    }
    return describe_lost(player, room, capacity) ? room : NULL;
}

bool tick_spans_add(tick_spans *set, bks_tick tick)
{
    uint32_t at = 0; // index of the first span that does not end before `tick`
    while (at < set->count && set->spans[at].end < tick) {
        at++;
    }
    const bool touches_end = at < set->count && set->spans[at].end == tick;
    if (at < set->count && !touches_end && set->spans[at].begin <= tick) {
        return false;
    }
    const uint32_t next = touches_end ? at + 1 : at;
    const bool touches_next = next < set->count && set->spans[next].begin == tick + 1;
    const size_t rest = (set->count - next) * sizeof(set->spans[0]);
    if (touches_end && touches_next) {
        set->spans[at].end = set->spans[next].end;
        memmove(&set->spans[next], &set->spans[next + 1], rest - sizeof(set->spans[0]));
        set->count--;
    } else if (touches_end) {
        set->spans[at].end++;
    } else if (touches_next) {
        set->spans[next].begin--;
    } else if (set->count < TICK_SPANS_MAX) {
        memmove(&set->spans[next + 1], &set->spans[next], rest);
        set->spans[next].begin = tick;
        set->spans[next].end = tick + 1;
        set->count++;
    } else {
        return false;
    }
    return true;
}
