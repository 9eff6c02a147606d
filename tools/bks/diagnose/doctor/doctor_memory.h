// SPDX-License-Identifier: MIT

/// @file doctor_memory.h
/// A recording that is written into memory.

#ifndef BKS_TOOL_DOCTOR_MEMORY_H
#define BKS_TOOL_DOCTOR_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "backstitch/record.h"

/// Its bytes. Start from {0}, release with doctor_memory_free().
typedef struct doctor_memory {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
} doctor_memory;

/// The memory as a sink; it must stay where it is.
bks_sink doctor_memory_sink(doctor_memory *memory);

void doctor_memory_free(doctor_memory *memory);

#endif
