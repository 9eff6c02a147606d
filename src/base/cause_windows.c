// SPDX-License-Identifier: MIT

#include "base/cause.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

/// Get the system's text for an error number, in one language.
static DWORD ask(int cause, DWORD language, wchar_t out[BKSI_CAUSE_BYTES])
{
    const DWORD flags =
        FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK;
    return FormatMessageW(flags, NULL, (DWORD)cause, language, out, BKSI_CAUSE_BYTES, NULL);
}

const char *bksi_cause_text(int cause, char out[BKSI_CAUSE_BYTES])
{
    wchar_t wide[BKSI_CAUSE_BYTES];
    DWORD length = ask(cause, MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US), wide);
    length = length > 0 ? length : ask(cause, 0, wide);
    while (length > 0 && (wide[length - 1] <= L' ' || wide[length - 1] == L'.')) {
        length--;
    }
    int bytes = length == 0 ? 0
                            : WideCharToMultiByte(CP_UTF8, 0, wide, (int)length, out,
                                                  BKSI_CAUSE_BYTES - 1, NULL, NULL);
    out[bytes] = '\0';
    if (bytes == 0) {
        (void)snprintf(out, BKSI_CAUSE_BYTES, "error %d", cause);
    }
    return out;
}
