// SPDX-License-Identifier: MIT

#include "map/range_value.h"

#include <string.h>

#include "backstitch/state_compare.h"

/// A whole number of 1, 2, 4 or 8 bytes. Recorded in the byte order of a machine, and read on one
/// of the same.
static uint64_t whole_of(const uint8_t *at, uint32_t bytes)
{
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    uint64_t u64 = 0;
    switch (bytes) {
    case 1:
        return *at;
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

static bool is_whole(bks_state_type type)
{
    return type >= BKS_STATE_U8 && type <= BKS_STATE_I64;
}

static bool is_signed(bks_state_type type)
{
    return type == BKS_STATE_I8 || type == BKS_STATE_I16 || type == BKS_STATE_I32 ||
           type == BKS_STATE_I64;
}

static int64_t signed_of(const uint8_t *at, uint32_t bytes)
{
    const uint32_t shift = 64 - 8 * bytes;
    return (int64_t)(whole_of(at, bytes) << shift) >> shift;
}

void range_value_text(bks_state_type type, const uint8_t *at, char out[RANGE_VALUE_BYTES])
{
    (void)bks_state_type_text(type, at, out, RANGE_VALUE_BYTES);
}

void range_value_json(json *j, bks_state_type type, const uint8_t *at)
{
    const uint32_t bytes = bks_state_type_bytes(type);
    if (is_whole(type) && is_signed(type)) {
        json_int(j, NULL, signed_of(at, bytes));
    } else if (is_whole(type)) {
        json_uint(j, NULL, whole_of(at, bytes));
    } else {
        char text[RANGE_VALUE_BYTES];
        range_value_text(type, at, text);
        json_text(j, NULL, text);
    }
}
