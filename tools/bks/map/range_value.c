// SPDX-License-Identifier: MIT

#include "map/range_value.h"

#include <stdlib.h>

#include "backstitch/toolkit/state_map.h"

static bool is_whole(bks_state_type type)
{
    return type >= BKS_STATE_U8 && type <= BKS_STATE_I64;
}

void range_value_text(bks_state_type type, const uint8_t *at, char out[RANGE_VALUE_BYTES])
{
    (void)bks_state_type_text(type, at, out, RANGE_VALUE_BYTES);
}

void range_value_json(json *j, bks_state_type type, const uint8_t *at)
{
    char text[RANGE_VALUE_BYTES];
    range_value_text(type, at, text);
    if (is_whole(type) && text[0] == '-') {
        json_int(j, NULL, strtoll(text, NULL, 10));
    } else if (is_whole(type)) {
        json_uint(j, NULL, strtoull(text, NULL, 10));
    } else {
        json_text(j, NULL, text);
    }
}
