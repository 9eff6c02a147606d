// SPDX-License-Identifier: MIT

#include "mesh_model.h"

#include <stdlib.h>
#include <string.h>

#define STEP_NS MESH_MS

#define HEARS_PER_CHANGE 3u
#define HEARS_GAP_NS     (50 * MESH_MS)
#define HEARS_AGAIN_NS   (1000 * MESH_MS)

uint32_t mesh_model_below(mesh_model *mesh, uint32_t bound)
{
    mesh->random = mesh->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((mesh->random >> 33) % bound);
}

void mesh_model_init(mesh_model *mesh, uint32_t count, uint64_t delay_ms, uint64_t seed)
{
    memset(mesh, 0, sizeof(*mesh));
    mesh->count = count;
    mesh->now_ns = 1000 * MESH_MS;
    mesh->delay_ns = delay_ms * MESH_MS;
    mesh->random = 2 * seed + 1;
    for (uint32_t i = 0; i < count; i++) {
        bksi_paths_init(&mesh->paths[i], i, (1u << count) - 1, mesh->now_ns);
    }
    mesh_model_reset(mesh);
}

void mesh_model_cut(mesh_model *mesh, uint32_t a, uint32_t b, bool is_cut)
{
    mesh->is_cut[a][b] = is_cut;
    mesh->is_cut[b][a] = is_cut;
}

static void put(mesh_model *mesh, const mesh_packet *packet)
{
    mesh->hops++;
    if (mesh->is_cut[packet->hop_from][packet->hop_to] ||
        mesh_model_below(mesh, 1000) < mesh->loss_of_1000) {
        return;
    }
    if (mesh->under_way == MESH_PACKETS) {
        abort();
    }
    mesh_packet *place = &mesh->packets[mesh->under_way++];
    *place = *packet;
    place->arrives_ns =
        mesh->now_ns + mesh->delay_ns + mesh->jitter_ns * mesh_model_below(mesh, 101) / 100 + 1;
}

static void fill_masks(mesh_model *mesh, uint32_t self, mesh_packet *packet)
{
    for (uint32_t about = 0; about < mesh->count; about++) {
        bksi_paths_mask *mask = &packet->masks[about];
        mask->is_known = bksi_paths_known(&mesh->paths[self], about, &mask->number, &mask->peers);
        if (mesh->lies[self]) {
            *mask =
                (bksi_paths_mask){.is_known = true,
                                  .number = (uint16_t)(mask->number + mesh_model_below(mesh, 99)),
                                  .peers = mesh_model_below(mesh, 256)};
        }
    }
}

/// Return true if some peer, as far as this one knows, does not hear all others.
static bool is_uneven(const mesh_model *mesh, uint32_t self)
{
    bool is_any = false;
    for (uint32_t about = 0; about < mesh->count; about++) {
        uint16_t number;
        uint32_t peers;
        is_any |= bksi_paths_known(&mesh->paths[self], about, &number, &peers) &&
                  (~peers & ((1u << mesh->count) - 1)) != 0;
    }
    return is_any;
}

static void owe_hears(mesh_model *mesh, uint32_t self)
{
    const bksi_paths *paths = &mesh->paths[self];
    const uint64_t now = paths->masks + paths->reports[self].number;
    const bool is_change = now != mesh->said[self];
    const bool is_again = is_uneven(mesh, self) || mesh->lies[self];
    mesh->said[self] = now;
    for (uint32_t to = 0; to < mesh->count; to++) {
        uint32_t *owed = &mesh->hears_owed[self][to];
        const uint32_t way = bksi_paths_id(paths, to);
        const bool is_new_route = is_uneven(mesh, self) && way != mesh->way[self][to];
        mesh->way[self][to] = way;
        const bool is_late = mesh->now_ns - mesh->hears_ns[self][to] >= HEARS_AGAIN_NS;
        if (is_change || is_new_route) {
            *owed = HEARS_PER_CHANGE;
        } else if (is_again && is_late && *owed == 0) {
            *owed = 1;
        }
    }
}

/// Take one of the reports on who hears whom that a packet owes its receiver.
/// @return false: none is owed, or the last one was sent too recently
static bool take_word(mesh_model *mesh, uint32_t self, uint32_t target)
{
    uint32_t *owed = &mesh->hears_owed[self][target];
    if (*owed == 0 || mesh->now_ns - mesh->hears_ns[self][target] < HEARS_GAP_NS) {
        return false;
    }
    --*owed;
    mesh->hears_ns[self][target] = mesh->now_ns;
    return true;
}

static void send(mesh_model *mesh, uint32_t self, uint32_t target, const bksi_route *route,
                 uint32_t id)
{
    mesh_packet packet = {.hop_from = self,
                          .hop_to = bksi_route_next(route, 0, target),
                          .routed = {.route = *route, .origin = self, .target = target},
                          .id = id,
                          .sent_ns = mesh->now_ns};
    if (take_word(mesh, self, target)) {
        fill_masks(mesh, self, &packet);
    }
    memcpy(packet.echoes, mesh->owed[self][target], sizeof(packet.echoes));
    memset(mesh->owed[self][target], 0, sizeof(packet.echoes));
    mesh->sent++;
    put(mesh, &packet);
}

static void tick(mesh_model *mesh, uint32_t self)
{
    uint64_t round_trips_ns[BKS_PEERS_MAX];
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        uint64_t hops = 2 + bksi_paths_route(&mesh->paths[self], i)->carriers +
                        bksi_paths_route(&mesh->paths[i], self)->carriers;
        round_trips_ns[i] = hops * (mesh->delay_ns + mesh->jitter_ns);
    }
    bksi_paths *paths = &mesh->paths[self];
    bksi_paths_update(paths, round_trips_ns, mesh->now_ns);
    owe_hears(mesh, self);
    for (uint32_t i = 0; i < mesh->count; i++) {
        if (i == self) {
            continue;
        }
        send(mesh, self, i, bksi_paths_route(paths, i), bksi_paths_id(paths, i));
        bksi_route route;
        uint32_t id;
        if (bksi_paths_probe(paths, i, mesh->now_ns, &route, &id)) {
            send(mesh, self, i, &route, id);
        }
    }
}

static void take(mesh_model *mesh, const mesh_packet *packet)
{
    uint32_t self = packet->hop_to;
    uint32_t origin = packet->routed.origin;
    bksi_paths *paths = &mesh->paths[self];
    bool is_straight = packet->hop_from == origin && packet->routed.route.carriers == 0;
    bksi_paths_heard(paths, packet->hop_from, true, mesh->now_ns);
    bksi_paths_heard(paths, origin, is_straight, mesh->now_ns);
    if (!is_straight) {
        bksi_paths_came_by(paths, origin, &packet->routed.route, mesh->now_ns);
    }
    for (uint32_t about = 0; about < mesh->count; about++) {
        const bksi_paths_mask *mask = &packet->masks[about];
        if (mask->is_known) {
            bksi_paths_report(paths, origin, about, mask->number, mask->peers, mesh->now_ns);
        }
    }
    for (uint32_t id = 0; id < BKSI_PATH_IDS; id++) {
        for (uint32_t k = 0; k < packet->echoes[id]; k++) {
            bksi_paths_echoed(paths, origin, id, mesh->now_ns);
        }
    }
    mesh->owed[self][origin][packet->id]++;
    uint64_t gap_ns = mesh->now_ns - mesh->came_ns[origin][self];
    uint64_t *longest_ns = &mesh->gap_ns[origin][self];
    *longest_ns = gap_ns > *longest_ns ? gap_ns : *longest_ns;
    mesh->came_ns[origin][self] = mesh->now_ns;
}

static void arrive(mesh_model *mesh, uint32_t index)
{
    mesh_packet here = mesh->packets[index];
    mesh->packets[index] = mesh->packets[--mesh->under_way];
    if (mesh->is_dead[here.hop_to]) {
        return;
    }
    if (here.hop_to == here.routed.target) {
        take(mesh, &here);
        return;
    }
    bksi_paths_heard(&mesh->paths[here.hop_to], here.hop_from, true, mesh->now_ns);
    if (mesh->drops_carried[here.hop_to]) {
        return;
    }
    here.hop_from = here.hop_to;
    here.hop_to = bksi_route_next(&here.routed.route, ++here.routed.passed, here.routed.target);
    put(mesh, &here);
}

void mesh_model_run(mesh_model *mesh, double seconds)
{
    uint64_t end_ns = mesh->now_ns + (uint64_t)(seconds * 1e9);
    for (; mesh->now_ns < end_ns; mesh->now_ns += STEP_NS) {
        for (uint32_t i = mesh->under_way; i > 0; i--) {
            if (i <= mesh->under_way && mesh->packets[i - 1].arrives_ns <= mesh->now_ns) {
                arrive(mesh, i - 1);
            }
        }
        for (uint32_t i = 0; i < mesh->count; i++) {
            // Each at its own time within a tick.
            uint64_t phase_ns = i * MESH_TICK_NS / mesh->count / STEP_NS * STEP_NS;
            bool is_time = (mesh->now_ns - phase_ns) % MESH_TICK_NS < STEP_NS;
            if (is_time && !mesh->is_dead[i]) {
                tick(mesh, i);
            }
        }
    }
}

void mesh_model_reset(mesh_model *mesh)
{
    mesh->hops = 0;
    mesh->sent = 0;
    memset(mesh->gap_ns, 0, sizeof(mesh->gap_ns));
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        for (uint32_t k = 0; k < BKS_PEERS_MAX; k++) {
            mesh->came_ns[i][k] = mesh->now_ns;
        }
    }
}

uint64_t mesh_model_gap_ns(const mesh_model *mesh)
{
    uint64_t longest_ns = 0;
    for (uint32_t from = 0; from < mesh->count; from++) {
        for (uint32_t to = 0; to < mesh->count; to++) {
            bool is_out =
                mesh->is_dead[from] || mesh->is_dead[to] || mesh->lies[from] || mesh->lies[to];
            if (from == to || is_out) {
                continue;
            }
            uint64_t since_ns = mesh->now_ns - mesh->came_ns[from][to];
            uint64_t gap_ns = mesh->gap_ns[from][to];
            gap_ns = since_ns > gap_ns ? since_ns : gap_ns;
            longest_ns = gap_ns > longest_ns ? gap_ns : longest_ns;
        }
    }
    return longest_ns;
}

uint64_t mesh_model_changes(const mesh_model *mesh)
{
    uint64_t changes = 0;
    for (uint32_t i = 0; i < mesh->count; i++) {
        for (uint32_t k = 0; k < mesh->count; k++) {
            changes += mesh->paths[i].peers[k].changes;
        }
    }
    return changes;
}
