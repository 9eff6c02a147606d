// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "check/check_imports.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

// By what they let in: time, chance, the surroundings, threads and addresses.
static const char *const suspects[] = {
    "time",         "clock",          "clock_gettime", "gettimeofday", "timespec_get", "ftime",
    "localtime",    "localtime_r",    "mktime",        "strftime",     "rand",         "rand_r",
    "random",       "drand48",        "lrand48",       "mrand48",      "arc4random",   "getrandom",
    "getentropy",   "getenv",         "secure_getenv", "getcwd",       "gethostname",  "uname",
    "getpid",       "getppid",        "gettid",        "getuid",       "setlocale",    "localeconv",
    "strcoll",      "strxfrm",        "strtod",        "strtof",       "toupper",      "tolower",
    "pthread_self", "pthread_create", "thrd_create",   "sched_getcpu", "nanosleep",    "usleep",
    "fesetround",   "fesetenv",
};

_Static_assert(sizeof(suspects) / sizeof(suspects[0]) <= CHECK_IMPORTS_MAX,
               "each is a bit of a number of 64");

// Names to look for, and which were found.
typedef struct wanted_names {
    const char *const *names;
    uint32_t count;
    uint64_t found; ///< bits
    bool was_read;
    bool has_library;
} wanted_names;

/// The library's log, which calls time.
static const char log_function[] = "bksi_log_stderr";

static void find_name(wanted_names *search, const char *name)
{
    for (uint32_t i = 0; i < search->count; i++) {
        search->found |= strcmp(name, search->names[i]) == 0 ? UINT64_C(1) << i : 0;
    }
}

// The names in a table of symbols that are not defined in the object, and the library's.
static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, wanted_names *search)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const uint64_t count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    for (uint64_t i = 0; data != NULL && i < count && i < INT32_MAX; i++) {
        GElf_Sym symbol;
        const char *name = gelf_getsym(data, (int)i, &symbol) != NULL
                               ? elf_strptr(elf, header->sh_link, symbol.st_name)
                               : NULL;
        if (name != NULL && symbol.st_shndx != SHN_UNDEF) {
            search->has_library |= strcmp(name, log_function) == 0;
        } else if (name != NULL && header->sh_type == SHT_DYNSYM) {
            find_name(search, name);
        }
    }
}

static void read_file(const char *path, wanted_names *search)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = file >= 0 && elf_version(EV_CURRENT) != EV_NONE
                   ? elf_begin(file, ELF_C_READ_MMAP, NULL)
                   : NULL;
    for (Elf_Scn *section = NULL; elf != NULL && (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        const bool is_known = gelf_getshdr(section, &header) != NULL;
        if (is_known && (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB)) {
            search->was_read |= header.sh_type == SHT_DYNSYM;
            read_symbols(elf, section, &header, search);
        }
    }
    (void)elf_end(elf);
    if (file >= 0) {
        (void)close(file);
    }
}

uint64_t check_imports_of(const char *path, const char *const *names, uint32_t count)
{
    wanted_names search = {.names = names, .count = count};
    read_file(path, &search);
    return search.found;
}

void check_imports_read(const char *path, check_imports *out)
{
    wanted_names search = {.names = suspects, .count = sizeof(suspects) / sizeof(suspects[0])};
    *out = (check_imports){0};
    read_file(path, &search);
    out->has_library = search.has_library;
    for (uint32_t i = 0; i < search.count; i++) {
        if ((search.found >> i & 1) != 0) {
            out->names[out->count++] = suspects[i];
        }
    }
    if (!search.was_read) {
        out->why = "the plug-in is no ELF file that libelf can read";
    }
}
