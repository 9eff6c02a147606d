// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/variants/variants.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/altered_system.h"
#include "base/text.h"
#include "diagnose/processes/variant_process.h"
#include "diagnose/variants/posix/vary_language.h"

/// Changes of the game's clocks. AHEAD_S: seconds that they are ahead, so that day and time of day
/// differ. FASTER: factor of their speed. CREEP_US: advance at each read, in µs, odd: the lowest
/// bit differs, too.
enum { AHEAD_S = 100 * 86400 + 20000, FASTER = 97, CREEP_US = 20001 };

extern char **environ;

// Address ranges that are reserved while a locale is loaded, so that its files are not mapped where
// the baseline maps libraries later. All gaps between mappings are reserved, and a range below
// them.
typedef struct kept_addresses {
    uint32_t count;
    struct {
        void *at;
        size_t bytes;
    } parts[4096];
} kept_addresses;

static bool keep(kept_addresses *kept, size_t bytes, int file)
{
    const int flags = MAP_PRIVATE | MAP_NORESERVE | (file < 0 ? MAP_ANONYMOUS : 0);
    void *at = kept->count < sizeof(kept->parts) / sizeof(kept->parts[0])
                   ? mmap(NULL, bytes, PROT_NONE, flags, file, 0)
                   : MAP_FAILED;
    if (at == MAP_FAILED) {
        return false;
    }
    kept->parts[kept->count].at = at;
    kept->parts[kept->count++].bytes = bytes;
    return true;
}

static void keep_all(kept_addresses *kept)
{
    // Map a file, because anonymous mappings of this size are aligned to huge pages.
    const int nothing = memfd_create("bks-kept", MFD_CLOEXEC);
    kept->count = 0;
    const bool is_kept = nothing >= 0 && keep(kept, (size_t)1 << 32, nothing);
    static const size_t sizes[] = {1 << 20, 1 << 16, 1 << 12};
    for (size_t i = 0; is_kept && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        while (keep(kept, sizes[i], -1) && kept->parts[kept->count - 1].at > kept->parts[0].at) {
        }
    }
    if (nothing >= 0) {
        (void)close(nothing);
    }
}

static void let_go(const kept_addresses *kept)
{
    for (uint32_t i = 0; i < kept->count; i++) {
        (void)munmap(kept->parts[i].at, kept->parts[i].bytes);
    }
}

// Return true if an environment variable must stay, because the C library, a sanitizer or SDL's
// devices need it.
static bool is_of_the_system(const char *variable)
{
    static const char *const begins[] = {"LOCPATH=",        "LD_",
                                         "GLIBC_TUNABLES=", "ASAN_",
                                         "UBSAN_",          "LSAN_",
                                         "LLVM_",           "GCOV_",
                                         "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER",
                                         "SDL_AUDIODRIVER", "SDL_AUDIO_DRIVER"};
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        if (strncmp(variable, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return false;
}

// Remove all environment variables for which is_of_the_system() returns false.
static void clear_environment(void)
{
    char name[256];
    for (size_t i = 0; environ != NULL && environ[i] != NULL;) {
        const int length = (int)strcspn(environ[i], "=");
        const bool is_named = length > 0 && (size_t)length < sizeof(name);
        TEXT_SET(name, "%.*s", is_named ? length : 0, environ[i]);
        if (is_of_the_system(environ[i]) || !is_named || unsetenv(name) != 0) {
            i++; // after a removal, the next variable has this index
        }
    }
}

static void change_environment(void)
{
    static const char *const others[][2] = {
        {"HOME", "/bks/check"},          {"USER", "/bks/check"},
        {"LOGNAME", "/bks/check"},       {"DISPLAY", "/bks/check"},
        {"XDG_DATA_HOME", "/bks/check"}, {"XDG_CONFIG_HOME", "/bks/check"},
        {"PATH", "/bin:/usr/bin"},       {"TERM", "dumb"},
        {"TMPDIR", "/var/tmp"}};
    clear_environment();
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        (void)setenv(others[i][0], others[i][1], 1);
    }
}

void vary_world_prepare(variant_process *variant)
{
    static kept_addresses kept;
    const vary_language *language = vary_language_choose();
    char missing[sizeof(variant->tape->result.info)];
    keep_all(&kept);
    unset_names_answer(); // before variables are removed, whose absence is their change
    change_environment();
    vary_language_environment(language);
    tzset();
    vary_language_load(language, missing, sizeof(missing));
    TEXT_SET(variant->tape->result.info, "%s", missing);
    let_go(&kept);
    variant->stepper.clock_ahead_s = AHEAD_S;
    variant->stepper.clock_rate = FASTER;
    // Advance the clocks at each read, as during a tick that takes long.
    clock_shift_creep(CREEP_US);
    variant->stepper.random_seed = 1;
}

void vary_zone_set(const char *zone)
{
    (void)setenv("TZ", zone, 1);
    tzset();
}

bool vary_locale_set(const char *numbers, const char *order)
{
    (void)unsetenv("LC_ALL");
    (void)setenv("LC_NUMERIC", numbers, 1);
    (void)setenv("LC_COLLATE", order, 1);
    return setlocale(LC_NUMERIC, numbers) != NULL && setlocale(LC_COLLATE, order) != NULL;
}

void vary_world_loaded(variant_process *variant)
{
    (void)variant;
    // Change the folder only after loading, because the plug-in's path may be relative.
    (void)!chdir("/");
}
