// SPDX-License-Identifier: MIT
//
// The variant `world` changes environment, time zone, locale and folder. It does not change clocks
// and random numbers, because a DLL does not call the program's functions for them.

#include "diagnose/variants/variants.h"

#include <direct.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/system.h"
#include "base/text.h"
#include "diagnose/processes/variant_process.h"

/// Return true if Windows or Wine needs an environment variable to run the program.
static bool is_of_the_system(const char *name)
{
    static const char *const begins[] = {"SystemRoot", "SystemDrive", "windir",
                                         "ComSpec",    "WINE",        "SDL_"};
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        if (_strnicmp(name, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    // Variables such as "=C:" hold the current folder of each drive.
    return name[0] == '=' || name[0] == '\0';
}

static void clear_environment(void)
{
    char name[256];
    for (size_t i = 0; _environ != NULL && _environ[i] != NULL;) {
        const char *text = _environ[i];
        TEXT_SET(name, "%.*s", (int)strcspn(text + 1, "=") + 1, text);
        if (is_of_the_system(name) || !system_set_environment(name, NULL) || _environ[i] == text) {
            i++; // after a removal, the next variable has this index
        }
    }
}

void vary_world_prepare(variant_process *variant)
{
    static const char *const others[][2] = {{"USERPROFILE", "C:\\bks\\check"},
                                            {"APPDATA", "C:\\bks\\check"},
                                            {"HOME", "/bks/check"},
                                            {"USERNAME", "bks"},
                                            {"LANG", "de_DE.UTF-8"},
                                            {"TEMP", "C:\\"},
                                            {"TMP", "C:\\"},
                                            {"PATH", "C:\\"},
                                            {"TZ", "XYZ-12:45"}};
    static const char *const locales[] = {"German_Germany.1252", "de-DE", "French_France.1252"};
    clear_environment();
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        (void)system_set_environment(others[i][0], others[i][1]);
    }
    _tzset();
    for (size_t i = 0; i < sizeof(locales) / sizeof(locales[0]); i++) {
        if (setlocale(LC_ALL, locales[i]) != NULL) {
            break;
        }
    }
    TEXT_SET(variant->tape->result.info,
             "clock and the system's random numbers are not varied on Windows");
}

void vary_world_loaded(variant_process *variant)
{
    (void)variant;
    // Change the folder only after loading, because the plug-in's path may be relative.
    (void)!_chdir("/");
}

void vary_zone_set(const char *zone)
{
    (void)_putenv_s("TZ", zone);
    _tzset();
}

bool vary_locale_set(const char *numbers, const char *order)
{
    return setlocale(LC_NUMERIC, numbers) != NULL && setlocale(LC_COLLATE, order) != NULL;
}
