// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/altered_system.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// GAPS_MAX: limit for the number of gaps between mappings. LIST_BYTES: limit for the size of the
/// system's list of mappings. ROOM_BYTES: address space that must be free below `end`, in bytes.
enum { GAPS_MAX = 512, LIST_BYTES = 1 << 18, ROOM_BYTES = 16 << 20 };

typedef struct gap {
    uintptr_t begin;
    uintptr_t end;
} gap;

static uint32_t taken_count;
static gap taken[GAPS_MAX];

// Read the system's whole list of mappings, without the heap: allocating would change the list.
static const char *read_list(void)
{
    static char text[LIST_BYTES];
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    for (ssize_t count = 1; file >= 0 && count > 0 && length + 1 < sizeof(text);) {
        count = read(file, text + length, sizeof(text) - 1 - length);
        length += count > 0 ? (size_t)count : 0;
    }
    if (file >= 0) {
        (void)close(file);
    }
    text[length] = '\0';
    return text;
}

// Reserve the part of a gap that lies above an address.
static void take_gap(uintptr_t begin, uintptr_t end, uintptr_t least)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    const uintptr_t from = begin > least ? begin : least;
    if (from >= end || taken_count == GAPS_MAX) {
        return;
    }
    void *wanted = (void *)from;
    void *at = mmap(wanted, end - from, PROT_NONE, flags, -1, 0);
    if (at != MAP_FAILED) {
        taken[taken_count++] = (gap){.begin = (uintptr_t)at, .end = (uintptr_t)at + (end - from)};
    }
}

// Return true if a line of the list describes the main stack. The stack grows into the gap below
// it, so the system puts no libraries there.
static bool is_stack(const char *line)
{
    const size_t length = strcspn(line, "\n");
    static const char name[] = "[stack]";
    return length >= sizeof(name) && strncmp(line + length - strlen(name), name, strlen(name)) == 0;
}

bool code_place_begin(uint64_t end)
{
    bool is_free = end > ROOM_BYTES && end <= UINTPTR_MAX;
    uintptr_t last = 0; // end of the previous mapping, where a gap begins
    unsigned long begin = 0;
    unsigned long until = 0;
    taken_count = 0;
    for (const char *line = read_list();
         is_free && line != NULL && sscanf(line, "%lx-%lx", &begin, &until) == 2;) {
        is_free = until <= end - ROOM_BYTES || begin >= end;
        if (begin > end && !is_stack(line)) {
            take_gap(last, (uintptr_t)begin, (uintptr_t)end);
        }
        last = (uintptr_t)until;
        line = strchr(line, '\n');
        line += line != NULL ? 1 : 0;
    }
    return is_free;
}

void code_place_end(void)
{
    for (uint32_t i = 0; i < taken_count; i++) {
        (void)munmap((void *)taken[i].begin, taken[i].end - taken[i].begin);
    }
    taken_count = 0;
}
