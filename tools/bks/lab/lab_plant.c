// SPDX-License-Identifier: MIT

#include "lab/lab_plant.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/tool.h"
#include "session/plant.h"

static int read_plant(const char *name, uint32_t *out)
{
    for (uint32_t i = 1; i < BKSI_PLANT_COUNT; i++) {
        if (strcmp(name, bksi_plant_name((bksi_plant)i)) == 0) {
            *out = i;
            return ARGS_GO;
        }
    }
    char known[1024] = "";
    size_t at = 0;
    for (uint32_t i = 1; i < BKSI_PLANT_COUNT && at < sizeof(known); i++) {
        at += (size_t)snprintf(known + at, sizeof(known) - at, "%s%s", i > 1 ? ", " : "",
                               bksi_plant_name((bksi_plant)i));
    }
    tool_complain("--plant", "is '%s', expected one of %s", name, known);
    return TOOL_MISUSE;
}

int lab_plant(const char *name)
{
    uint32_t plant = BKSI_PLANT_NONE;
    const int status = name != NULL ? read_plant(name, &plant) : ARGS_GO;
    bksi_plant_now = (bksi_plant)plant;
    return status;
}
