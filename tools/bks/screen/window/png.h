// SPDX-License-Identifier: MIT

/// @file png.h
/// Writes pictures as PNG files.

#ifndef BKS_TOOL_PNG_H
#define BKS_TOOL_PNG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/// Write a picture to an open file.
/// @return false on failure; errno says why
bool png_write_to(FILE *file, const uint8_t *rgb, uint32_t width, uint32_t height);

/// Write a picture to a file. Errors go to stderr.
/// @param rgb  width * height pixels of three bytes, row by row from the top
/// @return TOOL_OK, TOOL_DAMAGED when the file cannot be written
int png_write(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height);

#endif
