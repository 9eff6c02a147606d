// SPDX-License-Identifier: MIT

#include "workshop/lab/lab_plant.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/mutant.h"
#include "base/tool.h"

static int read_mutant(const char *name, bksi_mutant *out)
{
    for (uint32_t i = 1; i < BKSI_MUTANT_COUNT; i++) {
        if (strcmp(name, bksi_mutant_name((bksi_mutant)i)) == 0) {
            *out = (bksi_mutant)i;
            return ARGS_GO;
        }
    }
    char known[1024] = "";
    size_t at = 0;
    for (uint32_t i = 1; i < BKSI_MUTANT_COUNT && at < sizeof(known); i++) {
        at += (size_t)snprintf(known + at, sizeof(known) - at, "%s%s", i > 1 ? ", " : "",
                               bksi_mutant_name((bksi_mutant)i));
    }
    tool_complain("--plant", "is '%s', expected one of %s", name, known);
    return TOOL_MISUSE;
}

int lab_plant(const char *name)
{
    bksi_mutant mutant = BKSI_MUTANT_NONE;
    const int status = name != NULL ? read_mutant(name, &mutant) : ARGS_GO;
    (void)bksi_mutant_set(mutant);
    return status;
}
