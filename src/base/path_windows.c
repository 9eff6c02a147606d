// SPDX-License-Identifier: MIT

#include "base/path_windows.h"

#include <windows.h>

bool bksi_path_widen(const char *path, wchar_t out[BKSI_PATH_WIDE_MAX])
{
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, out, BKSI_PATH_WIDE_MAX) >
           0;
}

bool bksi_path_narrow(const wchar_t *path, char *out, size_t capacity)
{
    const bool fits = WideCharToMultiByte(CP_UTF8, 0, path, -1, out, (int)capacity, NULL, NULL) > 0;
    out[0] = fits ? out[0] : '\0';
    return fits;
}
