// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_memory.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 1 << 16 };

static bks_status write_memory(void *context, uint64_t offset_bytes, const void *bytes,
                               size_t count)
{
    doctor_memory *memory = context;
    const size_t offset = (size_t)offset_bytes;
    if (offset + count > memory->capacity) {
        size_t capacity = memory->capacity > 0 ? memory->capacity : CAPACITY_FIRST;
        while (capacity < offset + count) {
            capacity *= 2;
        }
        uint8_t *grown = realloc(memory->bytes, capacity);
        if (grown == NULL) {
            return BKS_ERR_IO;
        }
        memory->bytes = grown;
        memory->capacity = capacity;
    }
    memcpy(memory->bytes + offset, bytes, count);
    memory->count = offset + count > memory->count ? offset + count : memory->count;
    return BKS_OK;
}

bks_sink doctor_memory_sink(doctor_memory *memory)
{
    return (bks_sink){.write = write_memory, .context = memory};
}

void doctor_memory_free(doctor_memory *memory)
{
    free(memory->bytes);
    *memory = (doctor_memory){0};
}
