// SPDX-License-Identifier: MIT

// Answers what is asked about a match. A request may come from anyone: it is bounded, costs one
// packet, and changes nothing without the token.

#include "backstitch/toolkit/inspector.h"
#include "backstitch/toolkit/state_map.h"

#include <string.h>

#include "base/report.h"
#include "present/inspect_packet.h"

/// Parts of a state that are listed.
#define PARTS_MAX 64u

// ---- how the match stands ----

static void fill_roster(bks_inspect_summary *s, const bks_session *session)
{
    bks_roster roster;
    (void)bks_session_roster(session, &roster);
    s->ticks = roster.ticks;
    s->players = roster.players;
    s->self = roster.self;
    s->host = roster.host;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        s->peers_in |= roster.is_in[i] ? 1u << i : 0;
    }
}

static void fill_stats(bks_inspect_summary *s, const bks_session *session)
{
    bks_stats stats;
    bks_repair repairs[BKS_REPAIRS_MAX];
    (void)bks_session_stats(session, &stats);
    s->rollbacks = stats.rollbacks;
    s->resimulated = stats.resimulated;
    s->stalled_ticks = stats.stalled_ticks;
    s->starved_ticks = stats.starved_ticks;
    s->repairs = bks_session_repairs(session, repairs, BKS_REPAIRS_MAX);
    s->repair = s->repairs > 0 ? repairs[s->repairs - 1] : (bks_repair){0};
}

static void fill_tuning(bks_inspect_summary *s, const bks_inspected *inspected)
{
    bks_tuning tuning;
    (void)bks_session_tuning(inspected->session, &tuning);
    s->window_ticks = tuning.window_ticks;
    s->window_max = bks_session_window_max(inspected->session);
    s->delay_ticks = tuning.delay_ticks;
    s->pace = tuning.pace;
    s->is_changeable = inspected->token != NULL;
    s->has_link = inspected->change_link != NULL && inspected->link != NULL;
    const char *link = s->has_link ? inspected->link(inspected->context) : "";
    strncpy(s->link, link, sizeof(s->link) - 1);
}

static uint32_t memory_of(const bks_inspected *inspected, bks_memory_part *out, uint32_t capacity)
{
    const size_t count = inspected->state != NULL ? inspected->state_bytes : 0;
    return bks_state_memory(inspected->state, count, inspected->root_bytes, out, capacity);
}

static bks_inspect_summary summary_of(const bks_inspected *inspected)
{
    const bks_session *session = inspected->session;
    const bks_figures *figures = inspected->figures;
    bks_inspect_summary s = {
        .tick_rate_hz = inspected->tick_rate_hz,
        .phase = bks_session_phase(session),
        .tick = bks_session_tick(session),
        .confirmed = bks_session_confirmed(session),
        .published = bks_session_published(session),
        .window_ms = figures != NULL ? figures->window_ms : 0,
        .state_bytes = inspected->state != NULL ? inspected->state_bytes : 0,
        .parts = memory_of(inspected, NULL, 0),
    };
    strncpy(s.game, inspected->game != NULL ? inspected->game : "", sizeof(s.game) - 1);
    if (s.published != BKS_TICK_NONE && bks_session_hash(session, s.published, &s.hash) != BKS_OK) {
        s.published = BKS_TICK_NONE;
    }
    for (uint32_t i = 0; figures != NULL && i < BKS_PEERS_MAX; i++) {
        s.links |= figures->links[i].has_peer ? 1u << i : 0;
    }
    fill_roster(&s, session);
    fill_stats(&s, session);
    fill_tuning(&s, inspected);
    return s;
}

// ---- figures and memory ----

static const bks_figure *figure_of(const bks_figures *f, const bks_inspect_request *request)
{
    if (f == NULL || request->peer > BKS_PEERS_MAX) {
        return NULL;
    }
    if (request->peer == BKS_PEERS_MAX) {
        const bks_figure *const match[BKS_INSPECT_MATCH_FIGURES] = {
            &f->predicted,       &f->input_delay, &f->rollbacks, &f->depth,      &f->resimulated,
            &f->resimulation_ms, &f->stalled,     &f->starved,   &f->bytes_sent,
        };
        return request->index < BKS_INSPECT_MATCH_FIGURES ? match[request->index] : NULL;
    }
    const bks_link_figures *l = &f->links[request->peer];
    const bks_figure *const link[BKS_INSPECT_LINK_FIGURES] = {
        &l->round_trip_ms, &l->loss,   &l->local_lag,  &l->remote_lag,
        &l->advantage,     &l->waited, &l->bytes_sent, &l->bytes_received,
    };
    return l->has_peer && request->index < BKS_INSPECT_LINK_FIGURES ? link[request->index] : NULL;
}

static void write_memory(bksi_byte_writer *writer, const bks_inspected *inspected, uint32_t first)
{
    bks_memory_part parts[PARTS_MAX];
    const uint32_t there = memory_of(inspected, parts, PARTS_MAX);
    const uint32_t listed = there < PARTS_MAX ? there : PARTS_MAX;
    const uint32_t left = first < listed ? listed - first : 0;
    const uint32_t count = left < BKS_INSPECT_PARTS_MAX ? left : BKS_INSPECT_PARTS_MAX;
    bksi_write_u32(writer, count);
    for (uint32_t i = 0; i < count; i++) {
        bksi_inspect_write_part(writer, &parts[first + i]);
    }
}

// ---- changes ----

/// In a time that does not depend on where they differ.
static bool is_allowed(const bks_inspected *inspected, const bks_inspect_request *request)
{
    uint8_t differ = 0;
    for (size_t i = 0; inspected->token != NULL && i < BKS_INSPECT_TOKEN_BYTES; i++) {
        differ = (uint8_t)(differ | (inspected->token[i] ^ request->token[i]));
    }
    return inspected->token != NULL && differ == 0;
}

static bks_inspect_status retune(const bks_inspected *inspected, const bks_inspect_request *request)
{
    bks_tuning tuning;
    (void)bks_session_tuning(inspected->session, &tuning);
    const uint32_t value = request->value;
    const bks_inspect_change what = request->change;
    const uint32_t pace = what == BKS_INSPECT_PACE ? value : (uint32_t)tuning.pace;
    if (pace > BKS_PACE_NONE) {
        return BKS_INSPECT_OUT_OF_RANGE;
    }
    const bks_status status = bks_session_retune(
        inspected->session, what == BKS_INSPECT_WINDOW ? value : tuning.window_ticks,
        what == BKS_INSPECT_DELAY ? value : tuning.delay_ticks, (bks_pace)pace, NULL);
    return status == BKS_OK ? BKS_INSPECT_OK : BKS_INSPECT_OUT_OF_RANGE;
}

static bks_inspect_status change(const bks_inspected *inspected, const bks_inspect_request *request)
{
    if (!is_allowed(inspected, request)) {
        return BKS_INSPECT_NOT_ALLOWED;
    }
    if (request->change != BKS_INSPECT_LINK) {
        return retune(inspected, request);
    }
    if (inspected->change_link == NULL || inspected->link == NULL) {
        return BKS_INSPECT_NOT_THERE;
    }
    return inspected->change_link(inspected->context, request->link) ? BKS_INSPECT_OK
                                                                     : BKS_INSPECT_OUT_OF_RANGE;
}

// ---- answers ----

static void write_answer(bksi_byte_writer *writer, const bks_inspected *inspected,
                         const bks_inspect_request *request)
{
    bks_inspect_status status = BKS_INSPECT_OK;
    const bks_figure *figure = NULL;
    if (request->kind == BKS_INSPECT_CHANGE) {
        status = change(inspected, request);
    } else if (request->kind == BKS_INSPECT_FIGURE) {
        figure = figure_of(inspected->figures, request);
        status = figure != NULL ? BKS_INSPECT_OK : BKS_INSPECT_NOT_THERE;
    }
    bksi_inspect_write_head(writer, request, status);
    if (status != BKS_INSPECT_OK) {
        return;
    }
    if (figure != NULL) {
        bksi_inspect_write_figure(writer, figure);
    } else if (request->kind == BKS_INSPECT_MEMORY) {
        write_memory(writer, inspected, request->index);
    } else {
        const bks_inspect_summary summary = summary_of(inspected);
        bksi_inspect_write_summary(writer, &summary);
    }
}

size_t bks_inspect_answer(const bks_inspected *inspected, const void *bytes, size_t count,
                          void *out)
{
    if (inspected == NULL || inspected->session == NULL || out == NULL ||
        (bytes == NULL && count > 0)) {
        (void)bksi_fail_null(NULL, "bks_inspect_answer",
                             inspected == NULL            ? "inspected"
                             : inspected->session == NULL ? "inspected->session"
                             : out == NULL                ? "out"
                                                          : "bytes");
        return 0;
    }
    bks_inspect_request request;
    if (!bksi_inspect_read_request(bytes, count, &request)) {
        return 0;
    }
    memset(out, 0, BKS_INSPECT_BYTES);
    bksi_byte_writer writer = bksi_byte_writer_over(out, BKS_INSPECT_BYTES);
    write_answer(&writer, inspected, &request);
    return BKS_INSPECT_BYTES;
}
