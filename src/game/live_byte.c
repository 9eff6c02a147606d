// SPDX-License-Identifier: MIT

#include "game/live_byte.h"

#include "backstitch/toolkit/state_map.h"

typedef struct drawing {
    const bks_state_map *map;
    uint32_t bit;
    uint64_t count;  ///< number of bytes visited so far that may be drawn
    uint64_t wanted; ///< index of the drawn byte among those that may be drawn
    uint64_t found;
} drawing;

static bool may_change(const drawing *d, const bks_map_place *place)
{
    if (place->use != BKS_MAP_LIVE) {
        return false;
    }
    if (place->type >= d->map->type_count) { // the bytes have an unknown type
        return true;
    }
    const bks_map_kind kind = d->map->types[place->type].kind;
    return kind != BKS_MAP_REF && kind != BKS_MAP_POINTER &&
           (kind != BKS_MAP_BOOL || d->bit == 0 || place->bits > 0);
}

/// Return true if a value holds the bit d->bit of a byte. A value may hold only some bits of a
/// byte, because bit-fields share bytes.
static bool has_bit(const drawing *d, const bks_map_place *place, uint64_t byte)
{
    const uint64_t bit = (byte - place->begin_bytes) * 8 + d->bit;
    return place->bits == 0 || (bit >= place->bit_offset && bit - place->bit_offset < place->bits);
}

static bool pass(void *context, const bks_map_place *place)
{
    drawing *d = context;
    for (uint64_t at = place->begin_bytes; may_change(d, place) && at < place->end_bytes; at++) {
        if (has_bit(d, place, at) && d->count++ == d->wanted) {
            d->found = at;
            return false;
        }
    }
    return true;
}

bool bksi_live_byte_draw(const bks_state_map *map, const void *state, size_t count, uint64_t draw,
                         uint32_t bit, uint64_t *out)
{
    const bks_state_names names = {.map = map};
    drawing d = {.map = map, .bit = bit, .wanted = UINT64_MAX};
    (void)bks_state_walk(&names, state, count, pass, &d); // only count the bytes that may be drawn
    if (d.count == 0) {
        return false;
    }
    d.wanted = draw % d.count;
    d.count = 0;
    (void)bks_state_walk(&names, state, count, pass, &d);
    *out = d.found;
    return true;
}
