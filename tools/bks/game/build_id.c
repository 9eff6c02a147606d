// SPDX-License-Identifier: MIT

#include "game/build_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/base.h"
#include "base/file.h"
#include "base/tool.h"

void build_id_of(const void *symbol, const char *path, char out[BUILD_ID_BYTES])
{
    char linked[BKS_BUILD_ID_CHARS];
    if (bks_build_id(symbol, linked) && strlen(linked) >= BUILD_ID_BYTES - 1) {
        memcpy(out, linked, BUILD_ID_BYTES - 1);
        out[BUILD_ID_BYTES - 1] = '\0';
        return;
    }
    uint8_t *file = NULL;
    size_t count = 0;
    out[0] = '\0';
    if (file_read(path, &file, &count) == TOOL_OK) {
        snprintf(out, BUILD_ID_BYTES, "%016" PRIx64, bks_hash64(file, count, 0));
        free(file);
    }
}
