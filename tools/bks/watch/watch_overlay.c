// SPDX-License-Identifier: MIT

#include "watch/watch_overlay.h"

#include <inttypes.h>
#include <stdio.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"
#include "screen/overlay/overlay_panels.h"

enum { LINES_MAX = 7, LINE_BYTES = 128 };

/// The ten seconds before a tick, as the range of a graph.
typedef struct span {
    bks_tick tick;
    uint32_t rate_hz;
} span;

/// Return the index of a graph's point that covers a tick.
/// @return BKS_FIGURE_POINTS if the tick is too old
static uint32_t point_of(const span *s, bks_tick tick)
{
    const uint64_t age_ms = (uint64_t)(s->tick - tick) * 1000 / s->rate_hz;
    const uint64_t age = age_ms / BKS_FIGURE_POINT_MS;
    return age < BKS_FIGURE_POINTS ? BKS_FIGURE_POINTS - 1 - (uint32_t)age : BKS_FIGURE_POINTS;
}

static void add(bks_figure_point *point, float value)
{
    const bool is_first = point->weight <= 0.0F;
    point->least = is_first || value < point->least ? value : point->least;
    point->most = is_first || value > point->most ? value : point->most;
    point->mean = (point->mean * point->weight + value) / (point->weight + 1.0F);
    point->weight += 1.0F;
}

static void sum_up(bks_figure *figure)
{
    float weight = 0.0F;
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        const bks_figure_point *point = &figure->history[i];
        if (point->weight <= 0.0F) {
            continue;
        }
        figure->least =
            weight <= 0.0F || point->least < figure->least ? point->least : figure->least;
        figure->most = weight <= 0.0F || point->most > figure->most ? point->most : figure->most;
        weight += point->weight;
        figure->mean += (point->mean - figure->mean) * point->weight / weight;
    }
}

/// Count the rollbacks up to a tick.
static uint32_t rollbacks_until(const watch_player *player, bks_tick tick)
{
    uint32_t from = 0;
    uint32_t to = player->info->rollback_count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        bks_replay_rollback rollback;
        (void)bks_replay_rollback_at(player->feed->replay, middle, &rollback);
        if (rollback.present <= tick) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static void count_rollbacks(const watch_player *player, const span *s, bks_figure *rollbacks,
                            bks_figure *depth)
{
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        add(&rollbacks->history[i], 0.0F);
    }
    for (uint32_t i = rollbacks_until(player, s->tick); i > 0; i--) {
        bks_replay_rollback rollback;
        (void)bks_replay_rollback_at(player->feed->replay, i - 1, &rollback);
        const uint32_t at = point_of(s, rollback.present);
        if (at == BKS_FIGURE_POINTS) {
            break;
        }
        bks_figure_point *point = &rollbacks->history[at];
        point->least = point->mean = point->most = point->mean + 1000.0F / BKS_FIGURE_POINT_MS;
        add(&depth->history[at], (float)(rollback.present - rollback.from));
    }
    sum_up(rollbacks);
    sum_up(depth);
}

/// Fill in the input delay at each point, from the events that change it.
static void follow_delay(const watch_player *player, const span *s, bks_figure *delay)
{
    const uint32_t count = player->info->event_count;
    for (uint32_t i = 0; i < count; i++) {
        bks_replay_event event;
        if (bks_replay_event_at(player->feed->replay, i, &event) != BKS_OK ||
            event.kind != BKS_REPLAY_DELAY || event.tick > s->tick) {
            continue;
        }
        const uint32_t at = point_of(s, event.tick);
        for (uint32_t k = at == BKS_FIGURE_POINTS ? 0 : at; k < BKS_FIGURE_POINTS; k++) {
            delay->history[k] = (bks_figure_point){0};
            add(&delay->history[k], (float)event.b);
        }
    }
    sum_up(delay);
}

static uint32_t repairs_until(const watch_player *player, bks_tick tick)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < player->info->repair_count; i++) {
        bks_replay_repair repair;
        count +=
            bks_replay_repair_at(player->feed->replay, i, &repair) == BKS_OK && repair.tick <= tick
                ? 1
                : 0;
    }
    return count;
}

static uint32_t write_lines(const watch_picture *picture, bks_tick tick,
                            char out[LINES_MAX][LINE_BYTES])
{
    const watch_player *player = picture->player;
    const bks_recording *info = player->info;
    bks_playback_counts counts = {0};
    (void)bks_playback_costs(player->playback, &counts);
    snprintf(out[0], LINE_BYTES, "tick %" PRId32 "/%" PRId32 "  at %" PRIu32 " Hz", tick, info->end,
             info->tick_rate_hz);
    snprintf(out[1], LINE_BYTES, "%" PRIu32 " player%s  format %" PRIu32 "  %s", info->players,
             TOOL_PLURAL(info->players), info->format,
             player->feed->is_growing ? "being recorded" : "");
    snprintf(out[2], LINE_BYTES, "%" PRId32 " hash%s the same", player->compared,
             TOOL_PLURAL_ES(player->compared));
    if (player->first_different != BKS_TICK_NONE) {
        snprintf(out[2], LINE_BYTES, "NOT AS RECORDED from tick %" PRId32 " on",
                 player->first_different);
    }
    snprintf(out[3], LINE_BYTES, "so far stepped %" PRIu64 " tick%s, %" PRIu64 " keyframe%s read",
             counts.steps, TOOL_PLURAL(counts.steps), counts.keyframes,
             TOOL_PLURAL(counts.keyframes));
    uint32_t count = 4;
    if (player->feed->is_growing && player->is_following) {
        const bks_tick depth = bks_playout_depth(&player->playout);
        snprintf(out[count++], LINE_BYTES,
                 "playout %" PRId32 " tick%s deep  %" PRIu32 " miss%s  rate %.3f", depth,
                 TOOL_PLURAL(depth), player->playout.misses, TOOL_PLURAL_ES(player->playout.misses),
                 player->playout.rate);
    }
    picture_line(&picture->pictures, picture->pictures_hz, out[count]);
    count += out[count][0] != '\0' ? 1 : 0;
    const uint32_t repairs = repairs_until(player, tick);
    if (repairs > 0) {
        snprintf(out[count++], LINE_BYTES, "repaired %" PRIu32 " time%s up to here", repairs,
                 TOOL_PLURAL(repairs));
    }
    return count;
}

void watch_overlay_draw(const watch_picture *picture, overlay_form form, const bks_canvas *canvas)
{
    if (canvas->is_coarse || form == OVERLAY_NONE) {
        return; // draw no panels on so few dots, because their text is not readable
    }
    const watch_player *player = picture->player;
    const bool is_live = picture->live_from != BKS_TICK_NONE;
    const span s = {
        .tick = is_live ? picture->live_from : bks_playback_tick(player->playback),
        .rate_hz = player->info->tick_rate_hz,
    };
    char texts[LINES_MAX][LINE_BYTES];
    const char *lines[LINES_MAX];
    const uint32_t count = write_lines(picture, s.tick, texts);
    for (uint32_t i = 0; i < count; i++) {
        lines[i] = texts[i];
    }
    if (form == OVERLAY_SHORT) {
        const overlay_panels panels = {.lines = lines, .line_count = count};
        overlay_panels_draw(&panels, canvas, canvas->height);
        return;
    }
    bks_figure delay = {0};
    bks_figure rollbacks = {0};
    bks_figure depth = {0};
    follow_delay(player, &s, &delay);
    count_rollbacks(player, &s, &rollbacks, &depth);
    const overlay_row rows[] = {
        {figure_row_named("input_delay"), &delay},
        {figure_row_named("rollbacks"), &rollbacks},
        {figure_row_named("depth"), &depth},
    };
    const overlay_panels panels = {
        .lines = lines,
        .line_count = count,
        .rows_title = player->info->rollback_count > 0
                          ? "recorded: mean, range and graph over 10 s"
                          : "recorded over 10 s (rollbacks: --keep rollbacks)",
        .rows = rows,
        .row_count = is_live                            ? 0
                     : player->info->rollback_count > 0 ? 3
                                                        : 1,
        .state = picture->frame.state,
        .state_bytes = bks_state_bytes(picture->frame.state),
        .root_bytes = picture->plugin->game->root_bytes,
    };
    overlay_panels_draw(&panels, canvas, canvas->height);
}
