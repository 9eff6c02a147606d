// SPDX-License-Identifier: MIT

#include "base/fail.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(bks_error *error, bks_status code, uint64_t offset_bytes, const char *format,
                 va_list values)
{
    *error = (bks_error){.code = code, .offset_bytes = offset_bytes};
    (void)vsnprintf(error->text, sizeof(error->text), format, values);
}

bks_status fail_with(bks_error *error, bks_status code, const char *format, ...)
{
    if (error != NULL) {
        va_list values;
        va_start(values, format);
        fill(error, code, 0, format, values);
        va_end(values);
    }
    return code;
}

bks_status fail_at(bks_error *error, bks_status code, uint64_t offset_bytes, const char *format,
                   ...)
{
    if (error == NULL) {
        return code;
    }
    va_list values;
    va_start(values, format);
    fill(error, code, offset_bytes, format, values);
    va_end(values);
    // The offset is what a reader needs most, so a long sentence gives way to it.
    char place[40];
    (void)snprintf(place, sizeof(place), " at byte %" PRIu64, offset_bytes);
    const size_t room = sizeof(error->text) - 1 - strlen(place);
    const size_t length = strlen(error->text) < room ? strlen(error->text) : room;
    memcpy(error->text + length, place, strlen(place) + 1);
    return code;
}
