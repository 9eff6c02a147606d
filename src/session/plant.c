// SPDX-License-Identifier: MIT

#include "session/plant.h"

#include <stddef.h>

bksi_plant bksi_plant_now = BKSI_PLANT_NONE;

static const char *const names[BKSI_PLANT_COUNT] = {
#define NAME(kind, name, about) [BKSI_PLANT_##kind] = (name),
    BKSI_PLANTS(NAME)
#undef NAME
};

static const char *const abouts[BKSI_PLANT_COUNT] = {
#define ABOUT(kind, name, about) [BKSI_PLANT_##kind] = (about),
    BKSI_PLANTS(ABOUT)
#undef ABOUT
};

const char *bksi_plant_name(bksi_plant plant)
{
    return plant > BKSI_PLANT_NONE && plant < BKSI_PLANT_COUNT ? names[plant] : NULL;
}

const char *bksi_plant_about(bksi_plant plant)
{
    return plant > BKSI_PLANT_NONE && plant < BKSI_PLANT_COUNT ? abouts[plant] : NULL;
}

unsigned bksi_plant_noise(void)
{
    static unsigned noise;
    return noise++;
}
