// SPDX-License-Identifier: MIT

// Equal bytes are skipped in blocks. Differing bytes are looked up value by value, with a limit: a
// state may come from a file, and a lookup may have to follow all its references.

#include "backstitch/toolkit/state_map.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "game/map_block.h"
#include "game/state_walk.h"

enum {
    BLOCK_BYTES = 256,
    PAGE_BYTES = 4096,   // granularity of names without a map, in bytes
    LOOKUPS_MAX = 16384, // most lookups of values with a map
    PLAIN_LOOKUPS_MAX = 256,
    WALKS_MAX = 64, // most walks over all references of each state
};

#define NONE BKSI_STATE_NONE

typedef struct comparison {
    const bks_state_names *names;
    const bks_compared_state *sides[2];
    bksi_map_known known[2];
    bksi_place_known plain[2]; ///< cache of each state, for lookups without a map
    uint64_t common;           ///< number of bytes that both states have
    uint64_t end;              ///< size of the longer state in bytes
    const uint8_t *longer;
    bool wants_live;
    uint32_t lookups;
    bks_map_place *out;
    uint32_t capacity;
    bks_state_comparison *found;
} comparison;

static const uint8_t zeros[BLOCK_BYTES];

static bool are_equal(const comparison *c, uint64_t at, uint64_t count)
{
    if (at >= c->common) {
        return memcmp(c->longer + at, zeros, (size_t)count) == 0;
    }
    return memcmp((const uint8_t *)c->sides[0]->bytes + at,
                  (const uint8_t *)c->sides[1]->bytes + at, (size_t)count) == 0;
}

/// Return the differing bits of a byte.
static uint32_t bits_at(const comparison *c, uint64_t at)
{
    uint32_t bits = 0;
    for (int i = 0; i < 2; i++) {
        bits ^= at < c->sides[i]->count ? ((const uint8_t *)c->sides[i]->bytes)[at] : 0;
    }
    return bits;
}

/// Return the first differing byte from `at` on, NONE if there is none.
static uint64_t next_byte(const comparison *c, uint64_t at)
{
    while (at < c->end) {
        const uint64_t bound = at < c->common ? c->common : c->end;
        uint64_t count = BLOCK_BYTES - at % BLOCK_BYTES;
        count = count < bound - at ? count : bound - at;
        if (!are_equal(c, at, count)) {
            while (bits_at(c, at) == 0) {
                at++;
            }
            return at;
        }
        at += count;
    }
    return NONE;
}

/// Return the first differing bit from `bit` on, counted from the state's start; NONE if there is
/// none.
static uint64_t next_bit(const comparison *c, uint64_t bit)
{
    uint64_t at = bit / 8;
    const uint32_t rest = at < c->end ? bits_at(c, at) >> (bit % 8) << (bit % 8) : 0;
    if (rest == 0) {
        at = next_byte(c, at + (bit % 8 > 0 ? 1 : 0));
    }
    if (at == NONE) {
        return NONE;
    }
    const uint32_t bits = rest != 0 ? rest : bits_at(c, at);
    uint64_t lowest = 0;
    while ((bits >> lowest & 1) == 0) {
        lowest++;
    }
    return at * 8 + lowest;
}

static uint64_t count_bytes(const comparison *c)
{
    uint64_t count = 0;
    for (uint64_t at = next_byte(c, 0); at != NONE; at = next_byte(c, at + 1)) {
        count++;
    }
    return count;
}

// ---- names ----

/// Return how much the name of a place tells. Of two names the one with the higher result is used.
static int weight(const bks_map_place *place)
{
    return place->use == BKS_MAP_LIVE ? 2 : place->use == BKS_MAP_UNNAMED ? 0 : 1;
}

/// Look up the place of a bit in one of the two states.
/// @return false if the state ends before the bit
static bool look_up_in(comparison *c, int side, uint64_t bit, bks_map_place *out)
{
    const bks_compared_state *state = c->sides[side];
    if (bit / 8 >= state->count) {
        return false;
    }
    if (c->names->map != NULL) {
        bksi_state_map_find(c->names->map, state->bytes, state->count, bit / 8, (uint32_t)(bit % 8),
                            &c->known[side], out);
    } else {
        bksi_state_name_plainly(c->names, state->bytes, state->count, bit / 8, PAGE_BYTES,
                                &c->plain[side], out);
    }
    return true;
}

static void look_up(comparison *c, uint64_t bit, bks_map_place *out)
{
    bks_map_place other;
    c->lookups++;
    const bool is_in_a = look_up_in(c, 0, bit, out);
    if (look_up_in(c, 1, bit, &other) && (!is_in_a || weight(&other) > weight(out))) {
        *out = other;
    }
}

static bool may_look_up(const comparison *c)
{
    return c->lookups < (c->names->map != NULL ? LOOKUPS_MAX : PLAIN_LOOKUPS_MAX) &&
           c->known[0].walks < WALKS_MAX && c->known[1].walks < WALKS_MAX;
}

// ---- differences ----

/// Return the offset in the state to which a raw pointer leads; NONE if it leads out of the state,
/// or its target is unknown.
static uint64_t target_of(const bks_compared_state *side, const bks_map_place *place)
{
    const uint64_t bytes = place->end_bytes - place->begin_bytes;
    if (side->address == 0 || place->end_bytes > side->count) {
        return NONE;
    }
    const uint64_t pointer =
        bksi_map_number((const uint8_t *)side->bytes + place->begin_bytes, bytes);
    return pointer - side->address <= side->count ? pointer - side->address : NONE;
}

static bool leads_to_the_same(const comparison *c, const bks_map_place *place)
{
    const bks_state_map *map = c->names->map;
    if (map == NULL || place->type >= map->type_count ||
        map->types[place->type].kind != BKS_MAP_POINTER) {
        return false;
    }
    const uint64_t target = target_of(c->sides[0], place);
    return target != NONE && target == target_of(c->sides[1], place);
}

/// Return true if `place` is of the wanted kind, differs, and is not the difference found last.
static bool is_wanted(const comparison *c, const bks_map_place *place)
{
    const bool is_live = place->use == BKS_MAP_LIVE || place->use == BKS_MAP_UNNAMED;
    const uint32_t count = c->found->count;
    return is_live == c->wants_live && !leads_to_the_same(c, place) &&
           (count == 0 || !bksi_map_is_same_place(&c->out[count - 1], place));
}

/// Name the values of the game that differ, or with `wants_live` false all other places that
/// differ.
static void find_differences(comparison *c, bool wants_live)
{
    uint64_t bit = 0;
    c->wants_live = wants_live;
    c->lookups = 0;
    while (bit != NONE && (bit = next_bit(c, bit)) != NONE) {
        bks_map_place place = {.type = UINT32_MAX};
        if (!may_look_up(c)) {
            c->found->is_complete = false;
            return;
        }
        look_up(c, bit, &place);
        if (is_wanted(c, &place)) {
            if (c->found->count == c->capacity) {
                c->found->is_complete = false;
                return;
            }
            c->out[c->found->count++] = place;
        }
        bit = bksi_map_behind(&place, bit);
    }
}

bks_status bks_state_compare(const bks_state_names *names, const bks_compared_state *a,
                             const bks_compared_state *b, bks_map_place *out, uint32_t capacity,
                             bks_state_comparison *found)
{
    static const char call[] = "bks_state_compare";
    if (a == NULL || b == NULL || found == NULL || (out == NULL && capacity > 0)) {
        return bksi_fail_null(NULL, call,
                              a == NULL       ? "a"
                              : b == NULL     ? "b"
                              : found == NULL ? "found"
                                              : "out");
    }
    if ((a->bytes == NULL && a->count > 0) || (b->bytes == NULL && b->count > 0)) {
        return bksi_fail_null(NULL, call, "bytes");
    }
    BKSI_TRY(bksi_state_names_check(names, call));
    const bks_compared_state *longer = a->count > b->count ? a : b;
    comparison c = {.names = names,
                    .sides = {a, b},
                    .common = a->count < b->count ? a->count : b->count,
                    .end = longer->count,
                    .longer = longer->bytes,
                    .out = out,
                    .capacity = capacity,
                    .found = found};
    *found = (bks_state_comparison){.bytes = count_bytes(&c), .is_complete = true};
    find_differences(&c, true);
    found->live_count = found->count;
    find_differences(&c, false);
    return BKS_OK;
}

bks_status bks_state_name(const bks_state_names *names, const void *state, size_t count,
                          uint64_t offset_bytes, uint32_t bit, bks_map_place *out)
{
    static const char call[] = "bks_state_name";
    BKSI_TRY(bksi_state_names_check(names, call));
    if (out == NULL || (state == NULL && count > 0)) {
        return bksi_fail_null(NULL, call, out == NULL ? "out" : "state");
    }
    if (bit > 7) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "bit", "bit is %u, must be 0..7", bit);
    }
    if (names->map != NULL) {
        bksi_state_map_find(names->map, state, count, offset_bytes, bit, NULL, out);
    } else {
        bksi_place_known known = {0};
        bksi_state_name_plainly(names, state, count, offset_bytes, PAGE_BYTES, &known, out);
    }
    return BKS_OK;
}
