// SPDX-License-Identifier: MIT

// Text of values, by map or range, and the first difference of two states.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/report.h"
#include "game/state_text.h"

/// Most bytes of no type that are printed.
enum { BYTES_SHOWN = 16 };

/// Place of a difference that only the hashes show.
static const bks_map_place only_hash = {.name = "(unnamed).hash",
                                        .object = "(unnamed)",
                                        .field = "hash",
                                        .use = BKS_MAP_UNNAMED,
                                        .type = UINT32_MAX};

// ---- values ----

static bool is_signed(bks_state_type type)
{
    return type == BKS_STATE_I8 || type == BKS_STATE_I16 || type == BKS_STATE_I32 ||
           type == BKS_STATE_I64;
}

/// Read a whole number of 1, 2, 4 or 8 bytes in this machine's byte order.
static uint64_t whole_of(const void *at, uint32_t bytes)
{
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    uint64_t u64 = 0;
    switch (bytes) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        memcpy(&u16, at, sizeof(u16));
        return u16;
    case 4:
        memcpy(&u32, at, sizeof(u32));
        return u32;
    default:
        memcpy(&u64, at, sizeof(u64));
        return u64;
    }
}

bks_status bks_state_type_text(bks_state_type type, const void *at, char *out, size_t capacity)
{
    static const char call[] = "bks_state_type_text";
    BKSI_REFUSE_NULL(NULL, at);
    BKSI_REFUSE_NULL(NULL, out);
    const uint32_t bytes = bks_state_type_bytes(type);
    if (bytes == 0 || capacity == 0) {
        return bytes == 0 ? bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "type",
                                      "type is %d, must be a bks_state_type", (int)type)
                          : bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "capacity",
                                      "capacity is 0, must be at least 1");
    }
    float f32 = 0;
    double f64 = 0;
    if (type == BKS_STATE_F32) {
        memcpy(&f32, at, sizeof(f32));
        (void)snprintf(out, capacity, "%.9g", (double)f32);
    } else if (type == BKS_STATE_F64) {
        memcpy(&f64, at, sizeof(f64));
        (void)snprintf(out, capacity, "%.17g", f64);
    } else if (type == BKS_STATE_BYTES) {
        (void)snprintf(out, capacity, "%02x", (unsigned)*(const uint8_t *)at);
    } else if (is_signed(type)) {
        const uint32_t shift = 64 - 8 * bytes;
        (void)snprintf(out, capacity, "%" PRId64, (int64_t)(whole_of(at, bytes) << shift) >> shift);
    } else {
        (void)snprintf(out, capacity, "%" PRIu64, whole_of(at, bytes));
    }
    return BKS_OK;
}

/// Print bytes whose meaning is unknown.
static void print_bytes(const bks_compared_state *state, const bks_map_place *place, uint64_t from,
                        char *out, size_t capacity)
{
    const uint8_t *bytes = state->bytes;
    size_t used = 0;
    out[0] = '\0';
    for (uint64_t at = from; at < place->end_bytes && at < state->count &&
                             at < from + BYTES_SHOWN && used + sizeof(" 00") <= capacity;
         at++) {
        used += (size_t)snprintf(out + used, capacity - used, "%s%02x", at > from ? " " : "",
                                 (unsigned)bytes[at]);
    }
    if (used == 0 && place->end_bytes > place->begin_bytes) {
        (void)snprintf(out, capacity, "beyond its %zu bytes", state->count);
    }
}

/// Print a value by the type of its range.
/// @return false if no range covers the place
static bool print_by_range(const bks_state_names *names, const bks_compared_state *state,
                           const bks_map_place *place, char *out, size_t capacity)
{
    bks_state_place plain;
    if (place->begin_bytes >= place->end_bytes || place->end_bytes > state->count ||
        bks_state_find(state->bytes, state->count, names->ranges, names->range_count,
                       place->begin_bytes, &plain) != BKS_OK ||
        plain.range == UINT32_MAX) {
        return false;
    }
    const bks_state_type type = names->ranges[plain.range].type;
    return type != BKS_STATE_BYTES &&
           place->end_bytes - place->begin_bytes >= bks_state_type_bytes(type) &&
           bks_state_type_text(type, (const uint8_t *)state->bytes + place->begin_bytes, out,
                               capacity) == BKS_OK;
}

/// Print a value by its type in the map or, without a map, by its range.
/// @return false if the type is unknown
static bool print_typed(const bks_state_names *names, const bks_compared_state *state,
                        const bks_map_place *place, char *out, size_t capacity)
{
    out[0] = '\0';
    if (names->map == NULL) {
        return print_by_range(names, state, place, out, capacity);
    }
    return bks_state_map_value(names->map, state->bytes, state->count, place, out, capacity) ==
               BKS_OK &&
           out[0] != '\0';
}

bks_status bks_state_value(const bks_state_names *names, const bks_compared_state *state,
                           const bks_map_place *place, char *out, size_t capacity)
{
    static const char call[] = "bks_state_value";
    BKSI_REFUSE_NULL(NULL, names);
    BKSI_REFUSE_NULL(NULL, state);
    BKSI_REFUSE_NULL(NULL, place);
    BKSI_REFUSE_NULL(NULL, out);
    if (capacity == 0) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "capacity",
                         "capacity is 0, must be at least 1");
    }
    if (!print_typed(names, state, place, out, capacity)) {
        print_bytes(state, place, place->begin_bytes, out, capacity);
    }
    return BKS_OK;
}

// ---- differences ----

/// Return the offset of the first byte in begin..end-1 that differs. If none differs, return the
/// end of the bytes that both states have in that range.
static uint64_t first_byte(const bks_compared_state *a, const bks_compared_state *b, uint64_t begin,
                           uint64_t end)
{
    const uint64_t count = a->count < b->count ? a->count : b->count;
    const uint8_t *const bytes[2] = {a->bytes, b->bytes};
    const uint64_t last = end < count ? end : count;
    uint64_t at = begin;
    while (at < last && bytes[0][at] == bytes[1][at]) {
        at++;
    }
    return at;
}

/// Find the first value that differs. If no value differs, find the first differing byte, such as
/// one of a raw pointer that leads to the same target in both states.
static bks_status find_place(const bks_state_names *names, const bks_compared_state *a,
                             const bks_compared_state *b, bks_map_place *out)
{
    bks_state_comparison found;
    const bks_status status = bks_state_compare(names, a, b, out, 1, &found);
    if (status != BKS_OK || found.count > 0) {
        return status;
    }
    const uint64_t count = a->count < b->count ? a->count : b->count;
    const uint64_t at = first_byte(a, b, 0, count);
    if (at < count && bks_state_name(names, a->bytes, a->count, at, 0, out) == BKS_OK) {
        return BKS_OK;
    }
    *out = only_hash;
    return BKS_OVER;
}

// ---- bytes of no type ----

/// Return true if the bytes at a place have no name: they are those of an opaque save, padding or
/// such.
static bool is_unnamed(const bks_map_place *place)
{
    return place->object[0] == '(' || place->object[0] == '\0';
}

/// Print the text around the first byte that differs, such as what `save` wrote by printf, and note
/// which bytes it is. A state that has no text there is printed as bytes.
/// @return false if neither state has text there
static bool print_texts(const bks_compared_state *const states[2], uint64_t from,
                        bks_state_difference *out)
{
    bks_map_place *place = &out->place;
    bksi_text_span found[2];
    bool is_text[2];
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t count = states[i]->count;
        bksi_text_span within = {0, count};
        if (!is_unnamed(place)) {
            within.begin = place->begin_bytes;
            within.end = place->end_bytes < count ? place->end_bytes : count;
        }
        is_text[i] = bksi_text_find(states[i]->bytes, within, from, &found[i]);
    }
    if (!is_text[0] && !is_text[1]) {
        return false;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (is_text[i]) {
            bksi_text_print(states[i]->bytes, found[i], out->values[i], sizeof(out->values[i]));
        } else {
            print_bytes(states[i], place, from, out->values[i], sizeof(out->values[i]));
            found[i] = found[1 - i];
        }
    }
    const uint64_t begin = found[0].begin < found[1].begin ? found[0].begin : found[1].begin;
    const uint64_t end = found[0].end > found[1].end ? found[0].end : found[1].end;
    (void)snprintf(place->note, sizeof(place->note),
                   "text in bytes %" PRIu64 " to %" PRIu64 ", different from byte %" PRIu64 " on",
                   begin, end - 1, from);
    return true;
}

/// Note how many bytes in a row differ, if they are several and have no name.
static void note_range(const bks_compared_state *a, const bks_compared_state *b, uint64_t from,
                       bks_map_place *place)
{
    const uint64_t count = a->count < b->count ? a->count : b->count;
    const uint8_t *const bytes[2] = {a->bytes, b->bytes};
    uint64_t last = from;
    while (last + 1 < count && bytes[0][last + 1] != bytes[1][last + 1]) {
        last++;
    }
    if (last > from && place->note[0] == '\0' && is_unnamed(place)) {
        (void)snprintf(place->note, sizeof(place->note), "bytes %" PRIu64 " to %" PRIu64, from,
                       last);
    }
}

/// Print the values of both states. If a value has no type, or both texts are the same, print
/// bytes, for a long value from the first differing byte on.
static void print_values(const bks_state_names *names, const bks_compared_state *a,
                         const bks_compared_state *b, bks_state_difference *out)
{
    const bks_compared_state *const states[2] = {a, b};
    const bks_map_place *place = &out->place;
    bool is_typed = place->use != BKS_MAP_UNNAMED;
    for (uint32_t i = 0; i < 2; i++) {
        is_typed = is_typed &&
                   print_typed(names, states[i], place, out->values[i], sizeof(out->values[i]));
    }
    if (is_typed && strcmp(out->values[0], out->values[1]) != 0) {
        return;
    }
    const uint64_t first = first_byte(a, b, place->begin_bytes, place->end_bytes);
    if (!is_typed && first < place->end_bytes && print_texts(states, first, out)) {
        return;
    }
    note_range(a, b, first, &out->place);
    const bool is_short = place->end_bytes - place->begin_bytes <= BYTES_SHOWN;
    uint64_t from = place->begin_bytes;
    if (!is_short) {
        from = first < place->end_bytes ? first : place->begin_bytes;
    }
    for (uint32_t i = 0; i < 2; i++) {
        print_bytes(states[i], place, from, out->values[i], sizeof(out->values[i]));
    }
}

bks_status bks_state_difference_find(const bks_state_names *names, const bks_compared_state *a,
                                     const bks_compared_state *b, bks_state_difference *out)
{
    BKSI_REFUSE_NULL(NULL, names);
    BKSI_REFUSE_NULL(NULL, a);
    BKSI_REFUSE_NULL(NULL, b);
    BKSI_REFUSE_NULL(NULL, out);
    *out = (bks_state_difference){.place = only_hash};
    BKSI_TRY(find_place(names, a, b, &out->place));
    print_values(names, a, b, out);
    return BKS_OK;
}
