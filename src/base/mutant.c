// SPDX-License-Identifier: MIT

#include "base/mutant.h"

#include <stddef.h>

bksi_mutant bksi_mutant_now = BKSI_MUTANT_NONE;

bksi_mutant bksi_mutant_set(bksi_mutant mutant)
{
    const bksi_mutant before = bksi_mutant_now;
    bksi_mutant_now = mutant;
    return before;
}

static const char *const names[BKSI_MUTANT_COUNT] = {
#define NAME(kind, name, about) [BKSI_MUTANT_##kind] = (name),
    BKSI_MUTANT_TABLE(NAME)
#undef NAME
};

static const char *const abouts[BKSI_MUTANT_COUNT] = {
#define ABOUT(kind, name, about) [BKSI_MUTANT_##kind] = (about),
    BKSI_MUTANT_TABLE(ABOUT)
#undef ABOUT
};

const char *bksi_mutant_name(bksi_mutant mutant)
{
    return mutant > BKSI_MUTANT_NONE && mutant < BKSI_MUTANT_COUNT ? names[mutant] : NULL;
}

const char *bksi_mutant_about(bksi_mutant mutant)
{
    return mutant > BKSI_MUTANT_NONE && mutant < BKSI_MUTANT_COUNT ? abouts[mutant] : NULL;
}

unsigned bksi_mutant_noise(void)
{
    static unsigned noise;
    return noise++;
}
