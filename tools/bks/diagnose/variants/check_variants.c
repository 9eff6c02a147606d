// SPDX-License-Identifier: MIT

#include "diagnose/variants/variants.h"

#include <string.h>

const check_variant *const check_variants[] = {
    &vary_baseline,
    &vary_again,
    &vary_resim,
    &vary_import,
    &vary_rejoin,
    &vary_fill,
    &vary_defined,
    &vary_address,
    &vary_freed,
    &vary_derived,
    &vary_threads,
    &vary_world,
    &vary_observed,
    &vary_drawn,
    &vary_cpu,
    &vary_float,
    &vary_undefined,
    &vary_build,
    // The variants from here on are for `bks run`, the report of imports and `bks doctor`. Users
    // cannot choose them.
    &vary_run,
    &vary_calls,
    &vary_sets[0],
    &vary_sets[1],
    &vary_sets[2],
    &vary_sets[3],
    &vary_sets[4],
    &vary_sets[5],
    &vary_zone,
    &vary_locale,
};

enum { ALL = sizeof(check_variants) / sizeof(check_variants[0]) };
_Static_assert(VARY_SETS == 6, "all of vary_sets are in check_variants");

const uint32_t check_variant_count = ALL - VARY_SETS - 4;
const uint32_t check_variant_all = ALL;

const check_variant *check_variant_find(const char *name)
{
    for (uint32_t i = 0; i < ALL; i++) {
        if (strcmp(check_variants[i]->name, name) == 0) {
            return check_variants[i];
        }
    }
    return NULL;
}

uint32_t check_variant_number(const check_variant *variant)
{
    uint32_t i = 0;
    while (i < ALL && check_variants[i] != variant) {
        i++;
    }
    return i;
}
