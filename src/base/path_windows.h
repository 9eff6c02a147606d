// SPDX-License-Identifier: MIT

/// @file path_windows.h
/// Paths are UTF-8 in this library, and UTF-16 in what Windows is asked.

#ifndef BKSI_PATH_WINDOWS_H
#define BKSI_PATH_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/// Longest path, its terminating zero included.
enum { BKSI_PATH_WIDE_MAX = 4096 };

/// @return false: it is no UTF-8, or too long
bool bksi_path_widen(const char *path, wchar_t out[BKSI_PATH_WIDE_MAX]);

/// The reverse.
/// @param out  receives "" when it is not that
/// @return false: it does not fit
bool bksi_path_narrow(const wchar_t *path, char *out, size_t capacity);

#endif
