// SPDX-License-Identifier: MIT

/// @file long_recording.h
/// A recording in memory of any length. Include it behind some_lab.h.

#ifndef TEST_LONG_RECORDING_H
#define TEST_LONG_RECORDING_H

#include <stdlib.h>

#include "some_lab.h"

/// A recording that grows as it is written.
typedef struct long_recording {
    uint8_t *bytes;
    size_t count;
} long_recording;

static inline bks_status long_record(void *context, uint64_t offset_bytes, const void *bytes,
                                     size_t count)
{
    long_recording *to = context;
    const size_t end = (size_t)offset_bytes + count;
    if (end > to->count) {
        to->bytes = realloc(to->bytes, end);
        assert_non_null(to->bytes);
        memset(to->bytes + to->count, 0, end - to->count);
        to->count = end;
    }
    memcpy(to->bytes + offset_bytes, bytes, count);
    return BKS_OK;
}

#endif
