// SPDX-License-Identifier: MIT

#include "game/module.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "base/path_windows.h"

/// Convert a path to UTF-16 with backslashes, because the Windows API takes paths in this form.
/// @return false: the path is not valid
static bool widen(const char *path, wchar_t out[BKSI_PATH_WIDE_MAX])
{
    if (!bksi_path_widen(path, out)) {
        return false;
    }
    for (wchar_t *at = out; *at != L'\0'; at++) {
        *at = *at == L'/' ? L'\\' : *at;
    }
    return true;
}

/// Return advice on an error that a developer may meet; "" for other errors.
static const char *advice(DWORD error)
{
    switch (error) {
    case ERROR_MOD_NOT_FOUND:
        return ": a DLL that it needs is not there; link it with -static";
    case ERROR_PROC_NOT_FOUND:
        return ": a DLL that it needs is another version; link it with -static";
    case ERROR_BAD_EXE_FORMAT:
        return ": it is no DLL of 64-bit Windows";
    default:
        return "";
    }
}

void *module_open(const char *path, char *why, size_t capacity)
{
    wchar_t wide[BKSI_PATH_WIDE_MAX];
    HMODULE module = widen(path, wide) ? LoadLibraryW(wide) : NULL;
    if (module == NULL) {
        const DWORD error = GetLastError();
        (void)snprintf(why, capacity, "cannot be loaded: error %lu of Windows%s", error,
                       advice(error));
    }
    return module;
}

void *module_symbol(void *module, const char *name)
{
    return (void *)(intptr_t)GetProcAddress(module, name);
}

void module_close(void *module)
{
    (void)FreeLibrary(module);
}

module_place module_of(const void *address)
{
    HMODULE module = NULL;
    const DWORD how =
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    if (!GetModuleHandleExW(how, address, &module)) {
        return (module_place){0};
    }
    const uint8_t *begin = (const uint8_t *)module;
    const IMAGE_DOS_HEADER *first = (const IMAGE_DOS_HEADER *)begin;
    const IMAGE_NT_HEADERS *head = (const IMAGE_NT_HEADERS *)(begin + first->e_lfanew);
    return (module_place){.begin = (uintptr_t)begin,
                          .end = (uintptr_t)begin + head->OptionalHeader.SizeOfImage};
}

bool module_is_path(const char *name)
{
    const size_t length = strlen(name);
    return strpbrk(name, "/\\") != NULL || (length > 4 && _stricmp(name + length - 4, ".dll") == 0);
}
