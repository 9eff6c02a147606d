// SPDX-License-Identifier: MIT

#include "diagnose/variants/vary_set.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/heap.h"

void vary_set_prepare(variant_process *variant)
{
    uint64_t value = 0;
    const char *text = variant->stepper.options->value;
    if (text != NULL && sscanf(text, "%" SCNx64, &value) == 1) {
        variant->stepper.set = (check_set){.kind = variant->kind->sets, .value = value};
    }
}

const char *vary_set_why_not(const variant_process *variant)
{
    const check_set *set = &variant->stepper.set;
    return set->kind == CHECK_SET_NOTHING ? "no value is given"
           : set->kind == CHECK_SET_HEAP_AT && !alloc_count_works()
               ? "the C heap is not to be placed in this build of bks"
           : set->is_refused ? "something lies at that address already"
                             : NULL;
}
