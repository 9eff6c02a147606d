// SPDX-License-Identifier: MIT

/// @file path_windows.h
/// Conversion of paths between UTF-8, used in this library, and UTF-16, used by Windows.

#ifndef BKSI_PATH_WINDOWS_H
#define BKSI_PATH_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/// Longest path, its terminating zero included.
enum { BKSI_PATH_WIDE_MAX = 4096 };

/// Convert a path to UTF-16.
/// @return false if `path` is not UTF-8, or too long
bool bksi_path_widen(const char *path, wchar_t out[BKSI_PATH_WIDE_MAX]);

/// Convert a path to UTF-8.
/// @param out  receives "" on failure
/// @return false if the path does not fit
bool bksi_path_narrow(const wchar_t *path, char *out, size_t capacity);

#endif
