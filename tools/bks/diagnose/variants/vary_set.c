// SPDX-License-Identifier: MIT

#include "diagnose/variants/vary_set.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/heap.h"

void vary_set_prepare(check_guest *guest)
{
    uint64_t value = 0;
    const char *text = guest->side.options->value;
    if (text != NULL && sscanf(text, "%" SCNx64, &value) == 1) {
        guest->side.set = (check_set){.kind = guest->variant->sets, .value = value};
    }
}

const char *vary_set_why_not(const check_guest *guest)
{
    const check_set *set = &guest->side.set;
    return set->kind == CHECK_SET_NOTHING ? "no value is given"
           : set->kind == CHECK_SET_HEAP_AT && !alloc_count_works()
               ? "the C heap is not to be placed in this build of bks"
           : set->is_refused ? "something lies at that address already"
                             : NULL;
}
