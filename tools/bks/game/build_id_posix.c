// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "game/build_id.h"

#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/base.h"
#include "base/file.h"
#include "base/tool.h"

enum { ID_BYTES = (BUILD_ID_BYTES - 1) / 2 };

// Looks for the object that holds an address, then for its note.
typedef struct search {
    uintptr_t symbol;
    bool is_found;
    uint8_t id[ID_BYTES];
} search;

static size_t align_up(size_t value, size_t to)
{
    return (value + to - 1) / to * to;
}

// Notes are those of a loaded object: the system mapped them, and so they are there.
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
            memcmp(at + name, "GNU", sizeof("GNU")) == 0 && note.n_descsz >= ID_BYTES) {
            memcpy(s->id, at + text, ID_BYTES);
            s->is_found = true;
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

static int visit(struct dl_phdr_info *object, size_t bytes, void *context)
{
    (void)bytes;
    search *s = context;
    if (!holds(object, s->symbol)) {
        return 0;
    }
    for (size_t i = 0; i < object->dlpi_phnum && !s->is_found; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_NOTE) {
            const uintptr_t begin = object->dlpi_addr + part->p_vaddr;
            read_notes(s, (const uint8_t *)begin, part->p_memsz, part->p_align == 8 ? 8 : 4);
        }
    }
    return 1;
}

void build_id_of(const void *symbol, const char *path, char out[BUILD_ID_BYTES])
{
    search s = {.symbol = (uintptr_t)symbol};
    (void)dl_iterate_phdr(visit, &s);
    out[0] = '\0';
    if (s.is_found) {
        for (size_t i = 0; i < ID_BYTES; i++) {
            snprintf(out + 2 * i, 3, "%02x", s.id[i]);
        }
        return;
    }
    uint8_t *file = NULL;
    size_t count = 0;
    if (file_read(path, &file, &count) == TOOL_OK) {
        snprintf(out, BUILD_ID_BYTES, "%016" PRIx64, bks_hash64(file, count, 0));
        free(file);
    }
}
