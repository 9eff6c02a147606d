// SPDX-License-Identifier: MIT

/// @file temp_file_windows.h
/// Files in the user's folder for temporary ones, that vanish with their last handle. The C
/// run-time's tmpfile() makes its own in the root of the drive, where users may not write.

#ifndef BKS_TOOL_TEMP_FILE_WINDOWS_H
#define BKS_TOOL_TEMP_FILE_WINDOWS_H

#include <windows.h>

/// Make one, to be read and written.
/// @param out_appender  may be NULL; receives a second handle, which other processes inherit and
///                      which has a place of its own, at the end; INVALID_HANDLE_VALUE on failure
/// @return a descriptor; negative: GetLastError() knows why
int temp_file_open(HANDLE *out_appender);

#endif
