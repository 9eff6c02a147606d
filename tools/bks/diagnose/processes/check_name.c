// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/check_name.h"

#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sys/uio.h>
#include <unistd.h>
#endif

#include "map/state_names.h"

// The bytes to watch: the first that differs, with its neighbours of the same value if they lie so
// that the processor can watch them together.
static void choose_bytes(const bks_compared_state *a, const bks_compared_state *b,
                         const bks_map_place *place, check_finding *found)
{
    const uint8_t *ours = a->bytes;
    const uint8_t *theirs = b->bytes;
    uint64_t at = place->begin_bytes;
    while (at < place->end_bytes && at < a->count && at < b->count && ours[at] == theirs[at]) {
        at++;
    }
    if (at >= place->end_bytes || at >= a->count || at >= b->count) {
        return;
    }
    found->bytes = 1;
    found->offset = at;
    for (uint32_t bytes = 2; bytes <= sizeof(uint64_t); bytes *= 2) {
        const uint64_t begin = at / bytes * bytes;
        if (begin >= place->begin_bytes && begin + bytes <= place->end_bytes) {
            found->bytes = bytes;
            found->offset = begin;
        }
    }
}

// Whether the bytes of a game that keeps its state itself lie at that state's address, too, because
// its save copies them from there. The state may be smaller than them, so the system reads it.
static bool is_saved_as_it_is(const bks_compared_state *state)
{
#ifdef __linux__
    const uint8_t *saved = state->bytes;
    uint8_t part[4096];
    for (size_t at = 0; at < state->count; at += sizeof(part)) {
        const size_t left = state->count - at;
        const size_t count = left < sizeof(part) ? left : sizeof(part);
        const struct iovec to = {.iov_base = part, .iov_len = count};
        const struct iovec from = {.iov_base = (void *)(uintptr_t)(state->address + at),
                                   .iov_len = count};
        if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)count ||
            memcmp(part, saved + at, count) != 0) {
            return false;
        }
    }
    return state->count > 0;
#else
    (void)state;
    return false;
#endif
}

void check_name(const loaded_game *game, const bks_compared_state *a, const bks_compared_state *b,
                check_finding *found)
{
    state_names names;
    state_difference first;
    state_names_find(game, &names);
    if (!state_difference_find(&names, a, b, &first)) {
        return;
    }
    (void)snprintf(found->object, sizeof(found->object), "%s", first.place.object);
    (void)snprintf(found->field, sizeof(found->field), "%s", first.place.field);
    (void)snprintf(found->note, sizeof(found->note), "%s", first.note);
    (void)snprintf(found->a, sizeof(found->a), "%s", first.a);
    (void)snprintf(found->b, sizeof(found->b), "%s", first.b);
    const bks_state_map *map = names.names.map;
    found->is_pointer = map != NULL && first.place.type < map->type_count &&
                        map->types[first.place.type].kind == BKS_MAP_POINTER &&
                        game->game->hash == NULL; // which may leave it out
    if (game->game->save == NULL || is_saved_as_it_is(b)) {
        choose_bytes(a, b, &first.place, found);
    }
}
