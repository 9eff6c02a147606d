// SPDX-License-Identifier: MIT

#include "game/report_finding.h"

void report_finding_take(bks_lab_finding *finding, const bks_session *session,
                         const bks_event *event, uint64_t now_ns)
{
    if (event->kind == BKS_EVENT_DESYNC && !finding->is_found) {
        *finding = (bks_lab_finding){.is_found = true,
                                     .peer = event->peer,
                                     .tick = event->tick,
                                     .found_tick = event->found_tick,
                                     .took_ns = now_ns};
    } else if (event->kind == BKS_EVENT_NAMED && finding->is_found && !finding->is_looked_up) {
        finding->is_looked_up = bks_session_difference(session, &finding->difference) == BKS_OK;
        finding->took_ns = now_ns - finding->took_ns;
    }
}

static void write_value_of(json *j, uint32_t peer, const char *value)
{
    json_object(j, NULL);
    json_uint(j, "peer", peer);
    json_text(j, "value", value);
    json_close(j);
}

/// Write the desync that a peer found by itself.
void report_finding_json(json *j, const bks_lab_finding *finding, uint32_t self)
{
    const bks_difference *difference = &finding->difference;
    if (!finding->is_found) {
        json_null(j, "desync");
        return;
    }
    const bool is_named = finding->is_looked_up && difference->is_named;
    const bool is_sure = finding->is_looked_up && difference->alone != BKS_PEERS_MAX;
    json_object(j, "desync");
    json_int(j, "tick", finding->tick);
    json_int(j, "found_at_tick", finding->found_tick);
    json_row(j, "peers");
    json_uint(j, NULL, is_sure ? difference->alone : finding->peer);
    json_close(j);
    json_null(j, "mark");
    json_text(j, "object", is_named ? difference->object : NULL);
    json_text(j, "field", is_named ? difference->field : NULL);
    json_array(j, "by_peer");
    if (is_named) {
        write_value_of(j, self, difference->own_value);
        write_value_of(j, difference->peer, difference->peer_value);
    }
    json_close(j);
    if (finding->is_looked_up) {
        json_int(j, "named_of_tick", difference->tick);
        json_number(j, "named_ms", (double)finding->took_ns / 1e6, 3);
    } else {
        json_null(j, "named_of_tick");
        json_null(j, "named_ms");
    }
    json_text(j, "why_not", finding->is_looked_up && !is_named ? difference->text : NULL);
    json_close(j);
}
