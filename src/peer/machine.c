// SPDX-License-Identifier: MIT

#if defined(__linux__)
#define _GNU_SOURCE // needed for timezone
#elif defined(__unix__)
#define _XOPEN_SOURCE 700
#endif

#include "peer/machine.h"

#include <inttypes.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#if defined(__unix__)
#include <sys/utsname.h>
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "backstitch/det.h"

typedef struct pairs {
    bks_replay_pair *items;
    uint32_t count;
} pairs;

/// Add a property's name and value, with question marks for unprintable characters. Leave out an
/// empty value.
static void add(pairs *to, const char *name, const char *value)
{
    if (value[0] == '\0') {
        return;
    }
    bks_replay_pair *pair = &to->items[to->count++];
    (void)snprintf(pair->name, sizeof(pair->name), "%s", name);
    (void)snprintf(pair->value, sizeof(pair->value), "%s", value);
    for (char *at = pair->value; *at != '\0'; at++) {
        *at = *at >= 0x20 && *at <= 0x7e ? *at : '?';
    }
}

/// Add the rules by which numbers and texts are formatted and compared. A locale that is named by a
/// path is left out.
static void add_locale(pairs *to)
{
    const char *numbers = setlocale(LC_NUMERIC, NULL);
    const char *order = setlocale(LC_COLLATE, NULL);
    char text[sizeof(to->items[0].value)];
    if (numbers == NULL || order == NULL) {
        return;
    }
    (void)snprintf(text, sizeof(text), "numbers %.20s, order %.20s",
                   strchr(numbers, '/') == NULL ? numbers : "of a file",
                   strchr(order, '/') == NULL ? order : "of a file");
    add(to, "locale", text);
}

// This form of `timezone` is used on Linux only.
#if defined(__linux__)
static void add_zone(pairs *to)
{
    char text[sizeof(to->items[0].value)];
    tzset();
    (void)snprintf(text, sizeof(text), "%.10s/%.10s, %+ld s", tzname[0], tzname[1], -timezone);
    add(to, "time_zone", text);
}
#else
static void add_zone(pairs *to)
{
    (void)to;
}
#endif

#if defined(__unix__)
static void add_system(pairs *to)
{
    struct utsname name;
    char text[sizeof(to->items[0].value)];
    if (uname(&name) < 0) {
        return;
    }
    (void)snprintf(text, sizeof(text), "%.16s %.32s %.12s", name.sysname, name.release,
                   name.machine);
    add(to, "os", text);
}
#else
static void add_system(pairs *to)
{
    (void)to;
}
#endif

#if defined(__x86_64__) || defined(__i386__)
#define BRAND_FIRST 0x80000002u
#define BRAND_LAST  0x80000004u

static void add_processor(pairs *to)
{
    uint32_t words[13] = {0};
    uint32_t *at = words;
    for (uint32_t leaf = BRAND_FIRST; leaf <= BRAND_LAST; leaf++, at += 4) {
        if (__get_cpuid(leaf, &at[0], &at[1], &at[2], &at[3]) == 0) {
            return;
        }
    }
    char text[sizeof(words)];
    memcpy(text, words, sizeof(text));
    add(to, "processor", text + strspn(text, " "));
}
#else
static void add_processor(pairs *to)
{
    (void)to;
}
#endif

static void add_floats(pairs *to)
{
    const uint32_t faults = bks_float_faults();
    const bks_float_environment now = bks_float_enter();
    (void)bks_float_leave(&now);
    char text[sizeof(to->items[0].value)];
    // Leave out the lowest bits of MXCSR, which are exception flags.
    (void)snprintf(text, sizeof(text), "control %" PRIx64 ", x87 %" PRIx32 "%s%.28s",
                   now.control & ~UINT64_C(0x3f), now.x87, faults != 0 ? ", " : "",
                   bks_float_faults_text(faults));
    add(to, "floats", text);
}

/// Add the builds of the program, and of the library if it is another object.
static void add_builds(pairs *to)
{
    static const char here = 0;
    char id[BKS_BUILD_ID_CHARS];
    (void)bks_build_id(NULL, id);
    add(to, "program_build", id);
    (void)bks_build_id(&here, id);
    add(to, "library_build", id);
}

uint32_t bksi_machine_describe(bks_replay_pair *out)
{
    pairs found = {.items = out};
    add_zone(&found);
    add_processor(&found);
    add_system(&found);
    add_builds(&found);
    return found.count;
}

uint32_t bksi_machine_describe_now(bks_replay_pair *out)
{
    pairs found = {.items = out};
    add_locale(&found);
    add_floats(&found);
    return found.count;
}
