// SPDX-License-Identifier: MIT

#include "check/check_name.h"

#include <stdio.h>

#include "map/state_names.h"

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
}
