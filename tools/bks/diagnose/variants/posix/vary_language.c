// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/variants/posix/vary_language.h"

#include <locale.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/tool.h"

extern char **environ;

/// Languages to choose from. No two are the same language, and no two have the same distance from
/// UTC at any time of the year. So at least one of the three differs from the user's in both.
static const vary_language languages[] = {
    {"de_DE", "de", "CET-1CEST,M3.5.0,M10.5.0/3", "ISO-8859-1"},
    {"tr_TR", "tr", "<+03>-3", "ISO-8859-9"},
    {"pt_BR", "pt", "<-03>3", "ISO-8859-1"},
};
static const vary_language *const turkish = &languages[1];

enum { LANGUAGES = sizeof(languages) / sizeof(languages[0]) };

// ---- choosing ----

// Return the name of the user's language as a program reads it, "" if none is set.
static const char *language_of_user(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0') {
            return value;
        }
    }
    return "";
}

static long seconds_from_utc(void)
{
    const time_t now = time(NULL);
    struct tm parts = {0};
    tzset();
    return localtime_r(&now, &parts) != NULL ? parts.tm_gmtoff : 0;
}

static long seconds_in_zone(const char *zone)
{
    const char *own = getenv("TZ");
    char *kept = own != NULL ? strdup(own) : NULL;
    (void)setenv("TZ", zone, 1);
    const long seconds = seconds_from_utc();
    if (kept != NULL) {
        (void)setenv("TZ", kept, 1);
    } else {
        (void)unsetenv("TZ");
    }
    tzset();
    free(kept);
    return seconds;
}

const vary_language *vary_language_choose(void)
{
    const char *own = language_of_user();
    const long here = seconds_from_utc();
    for (size_t i = 0; i + 1 < LANGUAGES; i++) {
        const vary_language *language = &languages[i];
        if (strncmp(own, language->short_name, 2) != 0 && seconds_in_zone(language->zone) != here) {
            return language;
        }
    }
    return &languages[LANGUAGES - 1];
}

void vary_language_environment(const vary_language *language)
{
    char name[32];
    TEXT_SET(name, "%s.UTF-8", language->name);
    (void)setenv("LANG", name, 1); // load() changes it if only the older encoding exists
    (void)setenv("LANGUAGE", language->short_name, 1);
    (void)setenv("TZ", language->zone, 1);
}

// ---- loading the locale ----

enum { LOOK_NS = 2000000 };

static bool run(char *const words[])
{
    pid_t process = 0;
    int status = 1;
    posix_spawn_file_actions_t quiet;
    (void)posix_spawn_file_actions_init(&quiet);
    (void)posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", 1, 0);
    if (posix_spawnp(&process, words[0], &quiet, NULL, words, environ) == 0) {
        // Look again and again instead of sleeping in waitpid(): a process without any processor
        // time counts as hanging (check_timeout.h), and a busy machine takes long for localedef.
        while (waitpid(process, &status, WNOHANG) == 0) {
            tool_sleep_ns(LOOK_NS);
        }
    }
    (void)posix_spawn_file_actions_destroy(&quiet);
    return status == 0;
}

// Load parts of a language's locale that the system has.
static bool load(const vary_language *language, int parts)
{
    char name[64];
    TEXT_SET(name, "%s.UTF-8", language->name);
    if (setlocale(parts, name) != NULL) {
        return true;
    }
    TEXT_SET(name, "%s.%s", language->name, language->old_encoding);
    const bool is_loaded = setlocale(parts, name) != NULL;
    if (is_loaded && parts == LC_ALL) {
        (void)setenv("LANG", name, 1);
    }
    return is_loaded;
}

// Make a language's locale in a temporary folder, and load parts of it. Then remove the folder and
// restore LOCPATH.
static bool make(const vary_language *language, int parts)
{
    char folder[] = "/tmp/bks-check-XXXXXX";
    if (mkdtemp(folder) == NULL) {
        return false;
    }
    char name[32];
    char encoding[32];
    char path[96];
    char places[4096];
    const char *own = getenv("LOCPATH");
    char *kept = own != NULL ? strdup(own) : NULL;
    TEXT_SET(name, "%s", language->name);
    // The older encoding has few letters, so localedef takes half a second instead of two.
    TEXT_SET(encoding, "%s", language->old_encoding);
    TEXT_SET(path, "%s/%s.%s", folder, name, encoding);
    TEXT_SET(places, "%s%s%s", folder, kept != NULL ? ":" : "", kept != NULL ? kept : "");
    char *const words[] = {
        (char[]){"localedef"}, (char[]){"-i"}, name, (char[]){"-f"}, encoding, path, NULL};
    (void)run(words); // localedef also fails for mere warnings
    (void)setenv("LOCPATH", places, 1);
    const bool is_loaded = load(language, parts);
    if (kept != NULL) {
        (void)setenv("LOCPATH", kept, 1);
    } else {
        (void)unsetenv("LOCPATH");
    }
    free(kept);
    char *const remove[] = {(char[]){"rm"}, (char[]){"-rf"}, folder, NULL};
    (void)run(remove);
    return is_loaded;
}

void vary_language_load(const vary_language *language, char *out_missing, size_t capacity)
{
    const bool has_language = load(language, LC_ALL) || make(language, LC_ALL);
    const bool has_letters =
        language == turkish || load(turkish, LC_CTYPE) || make(turkish, LC_CTYPE);
    if (!has_language) {
        // Fall back to C.UTF-8, because the system has no other locale.
        (void)setlocale(LC_ALL, "C.UTF-8");
    }
    (void)snprintf(out_missing, capacity, "%s",
                   !has_language  ? "in no other locale: the system has none, nor localedef"
                   : !has_letters ? "without Turkish letters: the system has none, nor localedef"
                                  : "");
}
