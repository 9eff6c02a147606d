// SPDX-License-Identifier: MIT

#include "workshop/lab/lab_plant.h"

#include <stddef.h>

#include "base/args.h"
#include "base/tool.h"

int lab_plant(const char *name)
{
    if (name == NULL) {
        return ARGS_GO;
    }
    tool_complain("--plant",
                  "is '%s', but this bks has no mutants: "
                  "build it with its tests, cmake --preset ci",
                  name);
    return TOOL_MISUSE;
}
