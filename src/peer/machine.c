// SPDX-License-Identifier: MIT

#if defined(__linux__)
#define _GNU_SOURCE // dl_iterate_phdr
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

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#endif
#if defined(__unix__)
#include <sys/utsname.h>
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "backstitch/floats.h"

typedef struct pairs {
    bks_replay_pair *items;
    uint32_t count;
} pairs;

/// Add a pair. What is no printable ASCII becomes a question mark; an empty value is left out.
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

/// How numbers and texts are written and compared. A locale may be named by its path.
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

// Elsewhere `timezone` may be another thing.
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
    // The lowest bits of MXCSR are flags of exceptions.
    (void)snprintf(text, sizeof(text), "control %" PRIx64 ", x87 %" PRIx32 "%s%.28s",
                   now.control & ~UINT64_C(0x3f), now.x87, faults != 0 ? ", " : "",
                   bks_float_faults_text(faults));
    add(to, "floats", text);
}

// ---- build ids ----

#if defined(__linux__)

#define ID_BYTES 20u

/// Looks for the note of an object.
typedef struct search {
    uintptr_t address; ///< that the object holds; 0: of the program
    char id[2 * ID_BYTES + 1];
} search;

static size_t align_up(size_t value, size_t to)
{
    return (value + to - 1) / to * to;
}

static void write_id(search *s, const uint8_t *id, size_t count)
{
    for (size_t i = 0; i < count && i < ID_BYTES; i++) {
        (void)snprintf(s->id + 2 * i, 3, "%02x", id[i]);
    }
}

/// Notes are those of a loaded object: the system mapped them, and so they are there.
static void read_notes(search *s, const uint8_t *at, size_t bytes, size_t alignment)
{
    for (size_t used = 0; bytes - used >= sizeof(ElfW(Nhdr));) {
        ElfW(Nhdr) note;
        memcpy(&note, at + used, sizeof(note));
        const size_t name = used + sizeof(note);
        const size_t text = name + align_up(note.n_namesz, alignment);
        const size_t end = text + align_up(note.n_descsz, alignment);
        if (text < name || end < text || end > bytes) {
            return;
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
            memcmp(at + name, "GNU", sizeof("GNU")) == 0) {
            write_id(s, at + text, note.n_descsz);
            return;
        }
        used = end;
    }
}

static bool holds(const struct dl_phdr_info *object, uintptr_t address)
{
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t begin = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && address >= begin && address - begin < part->p_memsz) {
            return true;
        }
    }
    return false;
}

/// The program comes first.
static int visit(struct dl_phdr_info *object, size_t bytes, void *context)
{
    (void)bytes;
    search *s = context;
    if (s->address != 0 && !holds(object, s->address)) {
        return 0;
    }
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_NOTE && s->id[0] == '\0') {
            const uintptr_t begin = object->dlpi_addr + part->p_vaddr;
            read_notes(s, (const uint8_t *)begin, part->p_memsz, part->p_align == 8 ? 8 : 4);
        }
    }
    return 1;
}

/// Of the program, and of the library where it is another object.
static void add_builds(pairs *to)
{
    search program = {0};
    static const char here = 0;
    search library = {.address = (uintptr_t)&here};
    (void)dl_iterate_phdr(visit, &program);
    (void)dl_iterate_phdr(visit, &library);
    add(to, "program_build", program.id);
    add(to, "library_build", library.id);
}

#else

static void add_builds(pairs *to)
{
    (void)to;
}

#endif

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
