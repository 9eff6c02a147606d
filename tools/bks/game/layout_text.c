// SPDX-License-Identifier: MIT

#include "game/layout_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/tool.h"

// ---- inputs ----

static bool is_same_field(const bks_field *a, const bks_field *b)
{
    return strcmp(a->name, b->name) == 0 && a->bits == b->bits && a->is_signed == b->is_signed &&
           a->neutral == b->neutral && a->group == b->group;
}

static void say_field(const bks_field *fields, uint32_t count, uint32_t index,
                      char out[LAYOUT_TEXT_BYTES])
{
    const bks_field *field = index < count ? &fields[index] : NULL;
    if (field == NULL) {
        (void)snprintf(out, LAYOUT_TEXT_BYTES, "no more than %" PRIu32 " field%s", count,
                       TOOL_PLURAL(count));
        return;
    }
    (void)snprintf(out, LAYOUT_TEXT_BYTES,
                   "%.32s: %" PRIu32 " bit%s, %ssigned, neutral %" PRId32 ", group %" PRIu32,
                   field->name, field->bits, TOOL_PLURAL(field->bits), field->is_signed ? "" : "un",
                   field->neutral, field->group);
}

bool layout_text_inputs(const bks_field *a, uint32_t a_count, const bks_field *b, uint32_t b_count,
                        char out[2][LAYOUT_TEXT_BYTES])
{
    uint32_t i = 0;
    while (i < a_count && i < b_count && is_same_field(&a[i], &b[i])) {
        i++;
    }
    if (i == a_count && i == b_count) {
        return false;
    }
    say_field(a, a_count, i, out[0]);
    say_field(b, b_count, i, out[1]);
    return true;
}

// ---- named ranges of the state ----

static const bks_state_range *find(const bks_state_range *ranges, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(ranges[i].name, name) == 0) {
            return &ranges[i];
        }
    }
    return NULL;
}

static bool is_same_range(const bks_state_range *a, const bks_state_range *b)
{
    return b != NULL && a->offset_bytes == b->offset_bytes && a->count == b->count &&
           a->type == b->type;
}

static void say_range(const bks_state_range *range, const char *name, char out[LAYOUT_TEXT_BYTES])
{
    if (range == NULL) {
        (void)snprintf(out, LAYOUT_TEXT_BYTES, "no %.63s", name);
        return;
    }
    (void)snprintf(out, LAYOUT_TEXT_BYTES, "%.63s: %" PRIu64 " bytes at offset %" PRIu64, name,
                   (uint64_t)range->count * bks_state_type_bytes(range->type), range->offset_bytes);
}

bool layout_text_ranges(const bks_state_range *a, uint32_t a_count, const bks_state_range *b,
                        uint32_t b_count, char out[2][LAYOUT_TEXT_BYTES])
{
    for (uint32_t i = 0; i < a_count; i++) {
        const bks_state_range *other = find(b, b_count, a[i].name);
        if (!is_same_range(&a[i], other)) {
            say_range(&a[i], a[i].name, out[0]);
            say_range(other, a[i].name, out[1]);
            return true;
        }
    }
    for (uint32_t i = 0; i < b_count; i++) {
        if (find(a, a_count, b[i].name) == NULL) {
            say_range(NULL, b[i].name, out[0]);
            say_range(&b[i], b[i].name, out[1]);
            return true;
        }
    }
    return false;
}
