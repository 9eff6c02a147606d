// SPDX-License-Identifier: MIT

#if defined(__linux__)
#define _GNU_SOURCE // makes the headers of the system declare dl_iterate_phdr()
#endif

#include "backstitch/base.h"
#include "base/report.h"

#if defined(__linux__)

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define ID_BYTES ((BKS_BUILD_ID_CHARS - 1u) / 2u)

/// Search for the build id of a loaded object: the program or a shared library.
typedef struct search {
    uintptr_t address; ///< address within the object; 0: the object is the program
    char *id;
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

/// Read the notes of a loaded object. The notes are mapped, so reading them is safe.
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

/// Read the notes of a loaded object if it is the wanted one. The program is visited first.
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

static void find_id(const void *address, char *out)
{
    search s = {.address = (uintptr_t)address, .id = out};
    (void)dl_iterate_phdr(visit, &s);
}

#else

static void find_id(const void *address, char *out)
{
    (void)address, (void)out;
}

#endif

bool bks_build_id(const void *address, char out[BKS_BUILD_ID_CHARS])
{
    BKSI_REFUSE_NULL_OR(false, out);
    out[0] = '\0';
    find_id(address, out);
    return out[0] != '\0';
}
