// SPDX-License-Identifier: MIT

#include "game/build_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "backstitch/base.h"
#include "base/file.h"
#include "base/tool.h"

void build_id_of(const void *symbol, const char *path, char out[BUILD_ID_BYTES])
{
    (void)symbol; // a DLL has no note that names its build: its bytes do
    uint8_t *file = NULL;
    size_t count = 0;
    out[0] = '\0';
    if (file_read(path, &file, &count) == TOOL_OK) {
        snprintf(out, BUILD_ID_BYTES, "%016" PRIx64, bks_hash64(file, count, 0));
        free(file);
    }
}
