// SPDX-License-Identifier: MIT

#include "game/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/tool.h"
#include "game/report_finding.h"

#define BUCKETS_PER_OCTAVE 4.0

bool report_peer_collect(bks_peer *peer, report_peer *out)
{
    bks_session *session = bks_peer_session(peer);
    bks_roster roster;
    if (bks_session_roster(session, &roster) != BKS_OK ||
        bks_session_stats(session, &out->stats) != BKS_OK ||
        bks_peer_costs(peer, &out->costs) != BKS_OK) {
        return false;
    }
    out->id = roster.self;
    if (roster.peers > 0) {
        out->first_player = roster.first_player[roster.self];
        out->player_count = roster.player_count[roster.self];
    }
    out->ticks = bks_session_tick(session);
    out->confirmed = bks_session_confirmed(session);
    return true;
}

double report_update_us(const bks_costs *costs, double share)
{
    const uint32_t buckets = sizeof(costs->histogram_us) / sizeof(costs->histogram_us[0]);
    uint64_t all = 0;
    for (uint32_t i = 0; i < buckets; i++) {
        all += costs->histogram_us[i];
    }
    const double wanted = share * (double)all;
    const double max_us = (double)costs->update_ns_max / 1e3;
    uint64_t below = 0;
    for (uint32_t i = 0; i < buckets && all > 0; i++) {
        below += costs->histogram_us[i];
        if ((double)below >= wanted) {
            // Use the geometric middle of a bucket of the histogram, because buckets grow by a
            // constant factor.
            return fmin(exp2((i + 0.5) / BUCKETS_PER_OCTAVE), max_us);
        }
    }
    return 0.0;
}

double report_library_us_per_tick(const report_peer *peer)
{
    const bks_costs *costs = &peer->costs;
    if (peer->ticks <= 0 || costs->update_ns_sum < costs->game_ns_sum) {
        return 0.0;
    }
    return (double)(costs->update_ns_sum - costs->game_ns_sum) / 1e3 / peer->ticks;
}

static double depth_mean(const bks_stats *stats)
{
    return stats->rollbacks > 0 ? (double)stats->rollback_depth_sum / (double)stats->rollbacks
                                : 0.0;
}

static void write_rollbacks(json *j, const bks_stats *stats)
{
    json_uint(j, "rollbacks", stats->rollbacks);
    json_number(j, "rollback_depth_mean", depth_mean(stats), 3);
    json_uint(j, "rollback_depth_max", stats->rollback_depth_max);
    json_uint(j, "resimulated", stats->resimulated);
    json_uint(j, "early_ends", stats->early_ends);
    json_uint(j, "early_end_ticks", stats->early_end_ticks);
    json_uint(j, "save_spacing", stats->save_spacing);
    json_number(j, "worst_update_ms", stats->worst_update_ms, 3);
    json_uint(j, "budget_delay_ticks", stats->budget_delay_ticks);
    json_number(j, "tick_stretch", stats->tick_stretch, 3);
    json_uint(j, "slowed_ticks", stats->slowed_ticks);
    json_uint(j, "stalled_ticks", stats->stalled_ticks);
    json_uint(j, "starved_ticks", stats->starved_ticks);
    json_number(j, "input_delay_mean", stats->input_delay_mean, 3);
    json_uint(j, "input_delay_max", stats->input_delay_max);
    json_number(j, "lag_mean", stats->lag_mean, 3);
    json_number(j, "advantage_abs_mean", stats->advantage_abs_mean, 3);
    json_number(j, "advantage_abs_max", stats->advantage_abs_max, 3);
}

/// Write how evenly in time the ticks were stepped.
static void write_evenness(json *j, const bks_stats *stats)
{
    json_uint(j, "hitches", stats->hitches);
    json_number(j, "hitch_ms_max", stats->hitch_ms_max, 3);
    json_object(j, "tick_interval_ms");
    json_number(j, "p50", stats->tick_interval_ms_p50, 3);
    json_number(j, "p99", stats->tick_interval_ms_p99, 3);
    json_number(j, "max", stats->tick_interval_ms_max, 3);
    json_close(j);
    if (stats->stall_gaps > 0) {
        json_object(j, "stall_gaps");
        json_uint(j, "least", stats->stall_gap_least);
        json_number(j, "mean", stats->stall_gap_mean, 3);
        json_close(j);
    } else {
        json_null(j, "stall_gaps");
    }
}

static void write_traffic(json *j, const report_peer *peer)
{
    json_uint(j, "packets_sent", peer->stats.packets_sent);
    json_uint(j, "payload_bytes_sent", peer->stats.payload_bytes_sent);
    json_uint(j, "input_bytes_sent", peer->stats.input_bytes_sent);
    json_bool(j, "sealed", true);
    json_uint(j, "seal_bytes_sent", peer->stats.seal_bytes_sent);
    json_uint(j, "packets_refused", peer->stats.packets_refused);
    json_uint(j, "relayed", peer->stats.relayed);
}

/// Write a number, or null if it is below 0.
static void write_known(json *j, const char *key, double value, int decimals)
{
    json_number(j, key, value >= 0.0 ? value : NAN, decimals);
}

/// Write a number, or null if it is 0, which means that nothing was measured.
static void write_seen(json *j, const char *key, double value, int decimals)
{
    write_known(j, key, value > 0.0 ? value : -1.0, decimals);
}

/// Return the mean round trip in ms that the lab's network measured, or else the one that the peer
/// measured; below 0: neither did.
static double link_trip_ms_mean(const report_peer *peer, uint32_t other)
{
    const double seen_ms = peer->stats.links[other].round_trip_ms_mean;
    const report_link *link = &peer->links[other];
    return link->is_known ? link->round_trip_ms_mean : seen_ms > 0.0 ? seen_ms : -1.0;
}

/// Return the mean over the round trips to the other peers, in ms; below 0: none is known.
static double round_trip_ms_mean(const report_peer *peer)
{
    double sum_ms = 0.0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const double trip_ms = link_trip_ms_mean(peer, i);
        if (trip_ms >= 0.0) {
            sum_ms += trip_ms;
            count++;
        }
    }
    return count > 0 ? sum_ms / count : -1.0;
}

static void write_link_traffic(json *j, const report_link *link)
{
    if (link->is_known) {
        json_uint(j, "packets", link->packets);
        json_uint(j, "bytes", link->bytes);
    } else {
        json_null(j, "packets");
        json_null(j, "bytes");
    }
}

/// Write the links to the other peers.
static void write_links(json *j, const report_peer *peer)
{
    json_array(j, "links");
    for (uint32_t i = 0; i < peer->stats.link_count && i < BKS_PEERS_MAX; i++) {
        const bks_link_stats *link = &peer->stats.links[i];
        if (!link->has_peer) {
            continue;
        }
        json_object(j, NULL);
        json_uint(j, "peer", i);
        json_number(j, "round_trip_ms", link->round_trip_ms, 3);
        write_known(j, "round_trip_ms_mean", link_trip_ms_mean(peer, i), 3);
        write_link_traffic(j, &peer->links[i]);
        write_seen(j, "packets_per_s", link->packets_per_s, 1);
        write_seen(j, "capacity_bits_per_s", link->capacity_bits_per_s, 0);
        json_number(j, "jitter_ms", link->jitter_ms, 3);
        json_number(j, "loss", link->loss, 5);
        json_number(j, "local_lag_mean", link->local_lag_mean, 3);
        json_number(j, "remote_lag_mean", link->remote_lag_mean, 3);
        json_uint(j, "waited_ticks", link->waited_ticks);
        json_number(j, "waited_ms", link->waited_ms, 3);
        json_close(j);
    }
    json_close(j);
}

void report_peer_json(json *j, const report_peer *peer)
{
    json_object(j, NULL);
    json_uint(j, "id", peer->id);
    json_row(j, "players");
    for (uint32_t i = 0; i < peer->player_count; i++) {
        json_uint(j, NULL, peer->first_player + i);
    }
    json_close(j);
    json_int(j, "ticks", peer->ticks);
    json_int(j, "confirmed", peer->confirmed);
    write_rollbacks(j, &peer->stats);
    write_evenness(j, &peer->stats);
    write_known(j, "round_trip_ms_mean", round_trip_ms_mean(peer), 3);
    json_number(j, "first_tick_ms", peer->first_tick_ms, 3);
    write_traffic(j, peer);
    json_object(j, "update_us");
    json_number(j, "p50", report_update_us(&peer->costs, 0.5), 1);
    json_number(j, "p99", report_update_us(&peer->costs, 0.99), 1);
    json_number(j, "max", (double)peer->costs.update_ns_max / 1e3, 1);
    json_close(j);
    json_number(j, "library_us_per_tick", report_library_us_per_tick(peer), 2);
    if (peer->work_ns_sum > 0 && peer->ticks > 0) {
        json_object(j, "work_us");
        json_number(j, "per_tick", (double)peer->work_ns_sum / 1e3 / peer->ticks, 3);
        json_number(j, "update_max", (double)peer->work_ns_max / 1e3, 3);
        json_close(j);
    } else {
        json_null(j, "work_us");
    }
    if (peer->allocations_after_start >= 0) {
        json_int(j, "allocations_after_start", peer->allocations_after_start);
    } else {
        json_null(j, "allocations_after_start");
    }
    report_finding_json(j, &peer->desync, peer->id);
    write_links(j, peer);
    json_close(j);
}

void report_finding_fill(const bks_lab_finding *finding, uint32_t self, report_desync *out)
{
    const bks_difference *difference = &finding->difference;
    if (!finding->is_looked_up || !difference->is_named) {
        return;
    }
    if (difference->alone < BKS_PEERS_MAX) {
        out->peer_count = 1;
        out->peers[0] = difference->alone;
    }
    out->object = difference->object;
    out->field = difference->field;
    out->name = difference->text;
    out->note = "";
    out->values[self] = difference->own_value;
    out->values[difference->peer] = difference->peer_value;
}

static void write_desync(json *j, const report_match *match)
{
    if (!match->has_desync) {
        json_null(j, "desync");
        return;
    }
    const report_desync *desync = &match->desync;
    json_object(j, "desync");
    json_int(j, "tick", desync->tick);
    json_tick(j, "found_at_tick", desync->found_at_tick);
    json_row(j, "peers");
    for (uint32_t i = 0; i < desync->peer_count; i++) {
        json_uint(j, NULL, desync->peers[i]);
    }
    json_close(j);
    json_text(j, "mark", desync->mark);
    json_text(j, "object", desync->object);
    json_text(j, "note", desync->object != NULL && desync->note[0] != '\0' ? desync->note : NULL);
    json_text(j, "field", desync->field);
    json_array(j, "by_peer");
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if (desync->values[i] != NULL) {
            json_object(j, NULL);
            json_uint(j, "peer", i);
            json_text(j, "value", desync->values[i]);
            json_close(j);
        }
    }
    json_close(j);
    json_close(j);
}

static void write_flips(json *j, const report_match *match)
{
    json_array(j, "flips");
    for (uint32_t i = 0; i < match->flip_count; i++) {
        const bks_lab_flip_result *flip = &match->flips[i];
        json_object(j, NULL);
        json_uint(j, "peer", flip->peer);
        json_int(j, "tick", flip->tick);
        json_uint(j, "offset", flip->offset_bytes);
        json_uint(j, "bit", flip->bit);
        json_tick(j, "flipped_at", flip->flipped_tick);
        json_text(j, "name", flip->is_named ? flip->place.name : NULL);
        json_bool(j, "reached", flip->is_reached);
        json_close(j);
    }
    json_close(j);
}

static void write_counts(json *j, const char *key, const bks_lab_count *counts, uint32_t count)
{
    json_object(j, key);
    for (uint32_t i = 0; i < count; i++) {
        json_uint(j, counts[i].name, counts[i].count);
    }
    json_close(j);
}

/// Write how often each event of a match happened, by the peers' statistics.
static void write_moments(json *j, const report_match *match)
{
    uint64_t rebinds = 0;
    uint64_t relayed = 0;
    uint64_t handovers = 0;
    uint64_t views = 0;
    uint64_t early_ends = 0;
    uint64_t rollbacks = 0;
    uint64_t stalls = 0;
    for (uint32_t i = 0; i < match->peer_count; i++) {
        const bks_stats *stats = &match->peers[i].stats;
        rebinds += stats->address_changes;
        relayed += stats->relayed;
        handovers += stats->handovers;
        views += stats->views;
        early_ends += stats->early_ends;
        rollbacks += stats->rollbacks;
        stalls += stats->stalled_ticks;
    }
    const bks_lab_count moments[] = {{"handover", handovers}, {"relayed", relayed},
                                     {"rebind", rebinds},     {"early_end", early_ends},
                                     {"rollback", rollbacks}, {"starved", 0},
                                     {"resumed", 0},          {"stall", stalls},
                                     {"silent", 0},           {"back", 0},
                                     {"delay_raised", 0},     {"delay_lowered", 0},
                                     {"catch_up", 0},         {"desync", 0},
                                     {"view", views},         {"dropped", 0}};
    write_counts(j, "moments", moments, sizeof(moments) / sizeof(moments[0]));
}

/// Write the peers of each side of a split match; null without a split.
static void write_sides(json *j, const report_match *match)
{
    if (!report_is_split(match)) {
        json_null(j, "split");
        return;
    }
    json_array(j, "split");
    for (uint32_t i = 0; i < match->side_count; i++) {
        json_row(j, NULL);
        for (uint32_t k = 0; k < BKS_PEERS_MAX; k++) {
            if ((match->sides[i] >> k & 1u) != 0) {
                json_uint(j, NULL, k);
            }
        }
        json_close(j);
    }
    json_close(j);
}

/// Write the repairs of a match as an array.
static void write_repairs(json *j, const report_match *match)
{
    json_array(j, "repairs");
    for (uint32_t i = 0; i < match->repair_count; i++) {
        const bks_repair *repair = &match->repairs[i];
        json_object(j, NULL);
        json_int(j, "tick", repair->tick);
        json_uint(j, "peer", repair->peer);
        json_uint(j, "from", repair->from);
        json_int(j, "since", repair->since);
        json_uint(j, "bytes", repair->bytes);
        json_close(j);
    }
    json_close(j);
}

/// Return the duration of a stream in seconds; below 0: it is not finished.
static double seconds_of(const bks_lab_bulk_result *bulk)
{
    return bulk->took_ns > 0 ? (double)bulk->took_ns / 1e9 : -1.0;
}

/// Return the share of the link's rate that a stream used; below 0: the link has no limit, or the
/// stream is not finished.
static double share_of_rate(const bks_lab_bulk_result *bulk)
{
    return bulk->took_ns > 0 && bulk->rate_bits_per_s > 0
               ? (double)bulk->bytes * 8.0 / seconds_of(bulk) / (double)bulk->rate_bits_per_s
               : -1.0;
}

static void write_bulk(json *j, const report_match *match)
{
    json_array(j, "bulk");
    for (uint32_t i = 0; i < match->bulk_count; i++) {
        const bks_lab_bulk_result *bulk = &match->bulk[i];
        json_object(j, NULL);
        json_uint(j, "from", bulk->from);
        json_uint(j, "to", bulk->to);
        json_uint(j, "bytes", bulk->bytes);
        write_known(j, "seconds", seconds_of(bulk), 6);
        write_known(j, "share_of_rate", share_of_rate(bulk), 4);
        json_close(j);
    }
    json_close(j);
}

static void write_watchers(json *j, const report_match *match)
{
    json_array(j, "watchers");
    for (uint32_t i = 0; i < match->watcher_count; i++) {
        const bks_lab_watcher_result *watcher = &match->watchers[i];
        json_object(j, NULL);
        json_uint(j, "peer", watcher->peer);
        json_uint(j, "source", watcher->source);
        json_tick(j, "first_tick", watcher->first_tick);
        json_int(j, "end_tick", watcher->end_tick);
        json_uint(j, "turns", watcher->turns);
        json_number(j, "behind_ms_mean", (double)watcher->behind_ns_mean / 1e6, 1);
        json_number(j, "behind_ms_max", (double)watcher->behind_ns_max / 1e6, 1);
        json_text(j, "end", watcher->text);
        json_close(j);
    }
    json_close(j);
}

void report_print_sides(const report_match *match, FILE *out)
{
    for (uint32_t i = 0; i < match->side_count; i++) {
        const char *before = i > 0 ? " | " : "";
        for (uint32_t k = 0; k < BKS_PEERS_MAX; k++) {
            if ((match->sides[i] >> k & 1u) != 0) {
                fprintf(out, "%s%" PRIu32, before, k);
                before = " ";
            }
        }
    }
}

/// Return the time for which the match was paused, in seconds: for the peer that was paused
/// longest.
static double paused_s(const report_match *match)
{
    double most_ms = 0.0;
    for (uint32_t i = 0; i < match->peer_count; i++) {
        most_ms = fmax(most_ms, match->peers[i].stats.paused_ms);
    }
    return most_ms / 1e3;
}

bool report_print_json(const report_match *match, FILE *out)
{
    json j;
    json_begin(&j, out);
    json_text(&j, "game", match->game);
    json_text(&j, "mode", match->mode);
    json_uint(&j, "seed", match->seed);
    json_int(&j, "ticks", match->ticks);
    json_uint(&j, "tick_rate_hz", match->tick_rate_hz);
    json_number(&j, "virtual_s", match->virtual_s, 6);
    json_number(&j, "paused_s", paused_s(match), 3);
    json_number(&j, "wall_s", match->wall_s, 3);
    json_bool(&j, "agreed", match->is_agreed);
    json_text(&j, "reason", match->reason);
    json_text(&j, "oracle", match->oracle);
    json_int(&j, "compared", match->compared);
    json_hash_if(&j, "final_hash", match->has_final_hash, match->final_hash);
    json_number(&j, "connect_ms", match->connect_ms, 3);
    write_desync(&j, match);
    write_sides(&j, match);
    write_repairs(&j, match);
    write_counts(&j, "faults", match->faults, match->fault_count);
    if (match->moments != NULL) {
        write_counts(&j, "moments", match->moments, match->moment_count);
    } else {
        write_moments(&j, match);
    }
    write_flips(&j, match);
    write_bulk(&j, match);
    write_watchers(&j, match);
    json_array(&j, "peers");
    for (uint32_t i = 0; i < match->peer_count; i++) {
        report_peer_json(&j, &match->peers[i]);
    }
    json_close(&j);
    return json_end(&j);
}

static const char *colour(bool has_colour, const char *code)
{
    return has_colour ? code : "";
}

/// Return true if the match has only one peer, so that there is no network to report on.
static bool is_alone(const report_match *match)
{
    return match->peer_count == 1 && match->peers[0].stats.link_count == 1;
}

/// Print a name, and in brackets the note on it.
static void print_place(const char *name, const char *note, FILE *out)
{
    const bool has_note = note[0] != '\0';
    fprintf(out, "%s%s%s%s", name, has_note ? " (" : "", note, has_note ? ")" : "");
}

static void print_difference(const report_desync *desync, FILE *out)
{
    const char *before = ":";
    if (desync->object == NULL) {
        return;
    }
    fprintf(out, "  in ");
    print_place(desync->name, desync->note, out);
    if (desync->mark != NULL) {
        fprintf(out, ", mark %s", desync->mark);
    }
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if (desync->values[i] != NULL) {
            fprintf(out, "%s peer %" PRIu32 " has %s", before, i, desync->values[i]);
            before = ",";
        }
    }
    fputc('\n', out);
}

static void print_flips(const report_match *match, FILE *out)
{
    for (uint32_t i = 0; i < match->flip_count; i++) {
        const bks_lab_flip_result *flip = &match->flips[i];
        if (flip->is_reached) {
            fprintf(out, "flip     peer %" PRIu32 ", tick %" PRId32, flip->peer,
                    flip->flipped_tick);
            if (flip->flipped_tick != flip->tick) {
                fprintf(out, " (once, when %" PRId32 " was final)", flip->tick);
            }
            fprintf(out, ": byte %" PRIu64 " bit %" PRIu32, flip->offset_bytes, flip->bit);
            if (flip->is_named) {
                fprintf(out, ", ");
                print_place(flip->place.name, flip->place.note, out);
            }
            fprintf(out, "\n");
        } else {
            fprintf(out, "flip     peer %" PRIu32 ", tick %" PRId32 ": not reached\n", flip->peer,
                    flip->tick);
        }
    }
}

static void print_verdict(const report_match *match, FILE *out, bool has_colour)
{
    const char *plain = colour(has_colour, "\x1b[0m");
    if (match->is_agreed && is_alone(match)) {
        fprintf(out, "%sended in order%s, final %016" PRIx64 "\n", colour(has_colour, "\x1b[1;32m"),
                plain, match->final_hash);
        return;
    }
    if (match->is_agreed && report_is_split(match)) {
        fprintf(out, "%sagreed%s on each side: all %" PRId32 " hash%s the same\n",
                colour(has_colour, "\x1b[1;32m"), plain, match->compared,
                TOOL_PLURAL_ES(match->compared));
        return;
    }
    if (match->is_agreed) {
        fprintf(out, "%sagreed%s: all %" PRId32 " hash%s the same, final %016" PRIx64 "\n",
                colour(has_colour, "\x1b[1;32m"), plain, match->compared,
                TOOL_PLURAL_ES(match->compared), match->final_hash);
        return;
    }
    const bool is_good = report_is_good(match);
    fprintf(out, "%s%s%s: %s\n", colour(has_colour, is_good ? "\x1b[1;32m" : "\x1b[1;31m"),
            is_good ? "as the faults demand" : "not agreed", plain,
            match->reason != NULL ? match->reason : "the match did not reach its last tick");
    if (match->has_desync) {
        fprintf(out, "  states differ from tick %" PRId32 " on, between peer", match->desync.tick);
        for (uint32_t i = 0; i < match->desync.peer_count; i++) {
            fprintf(out, "%s %" PRIu32, i > 0 ? "," : "", match->desync.peers[i]);
        }
        fputs(" and the others", out);
        if (match->desync.found_at_tick != BKS_TICK_NONE) {
            fprintf(out, "; found at tick %" PRId32, match->desync.found_at_tick);
        }
        fputc('\n', out);
        print_difference(&match->desync, out);
    }
}

static void print_repairs(const report_match *match, FILE *out)
{
    for (uint32_t i = 0; i < match->repair_count; i++) {
        const bks_repair *repair = &match->repairs[i];
        fprintf(out,
                "repaired peer %" PRIu32 " at tick %" PRId32 ", differing since tick %" PRId32 ": ",
                repair->peer, repair->tick, repair->since);
        fprintf(out, "%" PRIu64 " bytes of peer %" PRIu32 "\n", repair->bytes, repair->from);
    }
}

static void print_split(const report_match *match, FILE *out, bool has_colour)
{
    if (report_is_split(match)) {
        fprintf(out, "%ssplit%s: peers ", colour(has_colour, "\x1b[1;31m"),
                colour(has_colour, "\x1b[0m"));
        report_print_sides(match, out);
        fprintf(out, ", each side plays on without the others\n");
    }
}

static void print_faults(const report_match *match, FILE *out)
{
    const char *before = "faults   ";
    for (uint32_t i = 0; i < match->fault_count; i++) {
        if (match->faults[i].count > 0) {
            fprintf(out, "%s%s %" PRIu64, before, match->faults[i].name, match->faults[i].count);
            before = ", ";
        }
    }
    if (strcmp(before, ", ") == 0) {
        fputc('\n', out);
    }
}

void report_print_stream(const bks_lab_bulk_result *stream, FILE *out)
{
    fprintf(out, "%" PRIu32 ">%" PRIu32 ": ", stream->from, stream->to);
    if (stream->took_ns == 0) {
        fprintf(out, "not finished, %" PRIu64 " of %" PRIu64 " byte%s", stream->arrived,
                stream->bytes, TOOL_PLURAL(stream->bytes));
        return;
    }
    fprintf(out, "%" PRIu64 " byte%s in %.2f s", stream->bytes, TOOL_PLURAL(stream->bytes),
            seconds_of(stream));
    if (share_of_rate(stream) >= 0.0) {
        fprintf(out, ", %.1f %% of the rate", 100.0 * share_of_rate(stream));
    }
}

static void print_bulk(const report_match *match, FILE *out)
{
    for (uint32_t i = 0; i < match->bulk_count; i++) {
        fputs("stream   ", out);
        report_print_stream(&match->bulk[i], out);
        fputc('\n', out);
    }
}

static void print_watchers(const report_match *match, FILE *out)
{
    for (uint32_t i = 0; i < match->watcher_count; i++) {
        const bks_lab_watcher_result *watcher = &match->watchers[i];
        fprintf(out, "watcher  %" PRIu32 ": ", watcher->peer);
        if (watcher->first_tick != BKS_TICK_NONE) {
            fprintf(out, "ticks %" PRId32 " to %" PRId32 ", %.0f ms behind, %" PRIu32 " turn%s; ",
                    watcher->first_tick, watcher->end_tick, (double)watcher->behind_ns_mean / 1e6,
                    watcher->turns, TOOL_PLURAL(watcher->turns));
        }
        fprintf(out, "%s\n", watcher->text);
    }
}

/// Row of the text table: its label and the value for one peer.
typedef struct row {
    const char *label;
    double value; ///< value for the peer; NaN or infinite: not known
    int decimals;
    bool is_alone_too; ///< true: show the row also for a match of one peer
} row;

enum { ROWS = 21 };

static double per_second(double count, double seconds)
{
    return seconds > 0.0 ? count / seconds : 0.0;
}

static void fill_rows(const report_peer *peer, double seconds, row out[ROWS])
{
    const bks_stats *s = &peer->stats;
    const double played = seconds - s->paused_ms / 1e3;
    const double bytes = (double)s->payload_bytes_sent;
    const double inputs = (double)s->input_bytes_sent;
    const double seals = (double)s->seal_bytes_sent;
    const double allocations =
        peer->allocations_after_start >= 0 ? (double)peer->allocations_after_start : NAN;
    const row rows[ROWS] = {
        {"ticks", peer->ticks, 0, true},
        {"rollbacks a second", per_second((double)s->rollbacks, played), 1, false},
        {"  depth in ticks, mean", depth_mean(s), 1, false},
        {"  depth in ticks, max", s->rollback_depth_max, 0, false},
        {"resimulated ticks", (double)s->resimulated, 0, false},
        {"stalled ticks", (double)s->stalled_ticks, 0, false},
        {"starved ticks", (double)s->starved_ticks, 0, false},
        {"hitches", (double)s->hitches, 0, false},
        {"  the longest, ms", s->hitch_ms_max, 0, false},
        {"input delay, ticks", s->input_delay_mean, 1, true},
        {"lag, ticks", s->lag_mean, 1, false},
        {"advantage, ticks", s->advantage_abs_mean, 2, false},
        {"packets a second", per_second((double)s->packets_sent, seconds), 1, false},
        {"payload bytes a second", per_second(bytes, seconds), 0, false},
        {"  of them inputs", per_second(inputs, seconds), 0, false},
        // Here "headers" are all bytes but inputs and seals: acknowledgements, hashes and echoes.
        {"  of them headers", per_second(bytes - seals - inputs, seconds), 0, false},
        {"  of them seals", per_second(seals, seconds), 0, false},
        {"update time us, p50", report_update_us(&peer->costs, 0.5), 0, true},
        {"update time us, p99", report_update_us(&peer->costs, 0.99), 0, true},
        {"library time us a tick", report_library_us_per_tick(peer), 1, true},
        {"allocations after start", allocations, 0, true},
    };
    memcpy(out, rows, sizeof(rows));
}

static void print_rows(const report_match *match, FILE *out)
{
    fprintf(out, "\n%-26s", "");
    for (uint32_t i = 0; i < match->peer_count; i++) {
        fprintf(out, "   peer %-3" PRIu32, match->peers[i].id);
    }
    fputc('\n', out);
    row rows[BKS_PEERS_MAX][ROWS];
    for (uint32_t i = 0; i < match->peer_count; i++) {
        fill_rows(&match->peers[i], match->virtual_s, rows[i]);
    }
    for (uint32_t r = 0; match->peer_count > 0 && r < ROWS; r++) {
        if (is_alone(match) && !rows[0][r].is_alone_too) {
            continue;
        }
        fprintf(out, "%-26s", rows[0][r].label);
        for (uint32_t i = 0; i < match->peer_count; i++) {
            const row *cell = &rows[i][r];
            if (isfinite(cell->value)) {
                fprintf(out, " %10.*f", cell->decimals, cell->value);
            } else {
                fprintf(out, " %10s", "-");
            }
        }
        fputc('\n', out);
    }
}

void report_print_text(const report_match *match, FILE *out, bool has_colour)
{
    fprintf(out,
            "%s%s%s, %s, seed %" PRIu64 ": %" PRId32 " tick%s at %" PRIu32
            " Hz, %.1f s of play in %.2f s",
            colour(has_colour, "\x1b[1m"), match->game, colour(has_colour, "\x1b[0m"), match->mode,
            match->seed, match->ticks, TOOL_PLURAL(match->ticks), match->tick_rate_hz,
            match->virtual_s - paused_s(match), match->wall_s);
    if (paused_s(match) > 0.0) {
        fprintf(out, ", %.1f s paused", paused_s(match));
    }
    if (!is_alone(match)) {
        fprintf(out, ", connected in %.0f ms", match->connect_ms);
    }
    fputc('\n', out);
    print_verdict(match, out, has_colour);
    print_split(match, out, has_colour);
    print_repairs(match, out);
    print_faults(match, out);
    print_flips(match, out);
    print_bulk(match, out);
    print_watchers(match, out);
    print_rows(match, out);
}
