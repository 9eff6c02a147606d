// SPDX-License-Identifier: MIT

#include <inttypes.h>

#include "backstitch/toolkit/state_map.h"
#include "base/json.h"
#include "inspect/inspect_print.h"

static void print_figures(json *j, const inspect_view *view, uint32_t peer)
{
    for (uint32_t i = 0; i < figure_row_count(peer); i++) {
        const figure_row *row = figure_row_of(peer, i);
        const inspect_age age = view->figure_ages[peer][i];
        if (age == INSPECT_MISSING) {
            json_null(j, row->key);
        } else {
            figure_json(j, row, figure_row_figure(&view->figures, peer, i), view->figures.window_ms,
                        age == INSPECT_OLD);
        }
    }
}

static void print_tuning(json *j, const bks_inspect_summary *s)
{
    json_object(j, "tuning");
    json_uint(j, "window", s->window_ticks);
    json_uint(j, "window_max", s->window_max);
    if (s->delay_ticks == BKS_AUTO) {
        json_text(j, "delay", "auto");
    } else {
        json_uint(j, "delay", s->delay_ticks);
    }
    json_text(j, "pace", inspect_pace_name(s->pace));
    json_text(j, "link", s->has_link ? s->link : NULL);
    json_bool(j, "changeable", s->is_changeable);
    json_close(j);
}

static void print_summary(json *j, const bks_inspect_summary *s)
{
    json_text(j, "game", s->game);
    json_text(j, "phase", inspect_phase_name(s->phase));
    json_int(j, "tick", s->tick);
    json_int(j, "confirmed", s->confirmed);
    json_int(j, "ticks", s->ticks);
    json_uint(j, "hz", s->tick_rate_hz);
    json_uint(j, "players", s->players);
    json_uint(j, "peer", s->self);
    json_uint(j, "host", s->host);
    json_tick(j, "published", s->published);
    json_hash(j, "hash", s->hash);
    json_uint(j, "rollbacks", s->rollbacks);
    json_uint(j, "resimulated", s->resimulated);
    json_uint(j, "stalled_ticks", s->stalled_ticks);
    json_uint(j, "starved_ticks", s->starved_ticks);
    json_uint(j, "repairs", s->repairs);
    print_tuning(j, s);
}

static void print_memory(json *j, const inspect_view *view)
{
    static const char *const kinds[] = {"root", "arena", "blocks", "pool", "free"};
    json_array(j, "memory");
    for (uint32_t i = 0; i < view->part_count; i++) {
        const bks_memory_part *part = &view->parts[i];
        if (view->part_ages[i] == INSPECT_MISSING) {
            json_null(j, NULL);
            continue;
        }
        json_object(j, NULL);
        if (view->part_ages[i] == INSPECT_OLD) {
            json_bool(j, "old", true);
        }
        json_text(j, "kind", kinds[part->kind]);
        json_uint(j, "bytes", part->bytes);
        if (part->kind == BKS_MEMORY_POOL) {
            json_text(j, "name", part->name);
            json_uint(j, "live", part->live);
            json_uint(j, "capacity", part->capacity);
            json_uint(j, "high_water", part->high_water);
            json_uint(j, "leaked", part->leaked);
        }
        json_close(j);
    }
    json_close(j);
}

bool inspect_print_json(const inspect_view *view, const char *address, FILE *out)
{
    json j;
    json_begin(&j, out);
    json_text(&j, "address", address);
    print_summary(&j, &view->summary);
    json_uint(&j, "window_ms", view->summary.window_ms);
    if (view->summary.window_ms > 0) {
        json_object(&j, "figures");
        print_figures(&j, view, BKS_PEERS_MAX);
        json_close(&j);
    }
    json_array(&j, "peers");
    for (uint32_t peer = 0; peer < BKS_PEERS_MAX; peer++) {
        if (view->figures.links[peer].has_peer) {
            json_object(&j, NULL);
            json_uint(&j, "id", peer);
            json_bool(&j, "left", inspect_has_left(&view->summary, peer));
            if (!inspect_has_left(&view->summary, peer)) {
                print_figures(&j, view, peer);
            }
            json_close(&j);
        }
    }
    json_close(&j);
    print_memory(&j, view);
    return json_end(&j);
}
