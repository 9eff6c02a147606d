// SPDX-License-Identifier: MIT

/// @file file.h
/// Whole files in memory.

#ifndef BKS_TOOL_FILE_H
#define BKS_TOOL_FILE_H

#include <stddef.h>
#include <stdint.h>

/// Read a file; errors go to stderr.
/// @param out    receives the bytes, NULL on failure; released with free()
/// @param count  receives their number
/// @return TOOL_OK, TOOL_DAMAGED
int file_read(const char *path, uint8_t **out, size_t *count);

#endif
