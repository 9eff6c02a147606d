// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_fields.h"

#include <stdio.h>
#include <string.h>

// One walk through a state.
typedef struct reading {
    const doctor_case *c;
    doctor_fields *out;
    bks_compared_state state;
    uint32_t side;
    uint32_t tick;
} reading;

// The column of a field, a new one if there is room.
static uint32_t column_of(doctor_fields *out, const char *field)
{
    for (uint32_t i = 0; i < out->count; i++) {
        if (strcmp(out->names[i], field) == 0) {
            return i;
        }
    }
    if (out->count == DOCTOR_FIELDS_MAX) {
        out->others++;
        return DOCTOR_FIELDS_MAX;
    }
    (void)snprintf(out->names[out->count], DOCTOR_FIELD_NAME_BYTES, "%s", field);
    return out->count++;
}

static bool read_place(void *context, const bks_map_place *place)
{
    const reading *r = context;
    if (strcmp(place->object, r->c->verdict.object) != 0) {
        return true;
    }
    const uint32_t column = column_of(r->out, place->field);
    if (column < DOCTOR_FIELDS_MAX) {
        (void)bks_state_value(&r->c->names.names, &r->state, place,
                              r->out->values[r->side][r->tick][column], DOCTOR_FIELD_BYTES);
    }
    return true;
}

// Bytes without a field of their own are looked at where they differ.
static void read_bytes(const reading *r)
{
    const char *field = r->c->verdict.field;
    unsigned long long offset = 0;
    bks_map_place place;
    if (sscanf(field, "byte %llu", &offset) == 1 && offset < r->state.count &&
        bks_state_name(&r->c->names.names, r->state.bytes, r->state.count, offset, 0, &place) ==
            BKS_OK) {
        place.begin_bytes = offset;
        const uint32_t column = column_of(r->out, field);
        (void)bks_state_value(&r->c->names.names, &r->state, &place,
                              r->out->values[r->side][r->tick][column], DOCTOR_FIELD_BYTES);
    }
}

void doctor_fields_read(const doctor_case *c, const doctor_states states[2], doctor_fields *out)
{
    *out = (doctor_fields){0};
    if (c->verdict.field[0] != '\0') {
        (void)column_of(out, c->verdict.field); // what differs comes first
    }
    for (uint32_t side = 0; side < 2 && c->verdict.object[0] != '\0'; side++) {
        for (uint32_t i = 0; i < CHECK_KEPT_MAX; i++) {
            reading r = {.c = c,
                         .out = out,
                         .state = {.bytes = states[side].bytes[i], .count = states[side].counts[i]},
                         .side = side,
                         .tick = i};
            if (r.state.count == 0) {
                continue;
            }
            if (c->verdict.object[0] == '(') {
                read_bytes(&r);
            } else {
                (void)bks_state_walk(&c->names.names, r.state.bytes, r.state.count, read_place, &r);
            }
        }
    }
}
