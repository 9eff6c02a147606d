// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/heap.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backstitch/base.h"

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer) ||                      \
    HAS_FEATURE(memory_sanitizer)

bool alloc_count_works(void)
{
    return false;
}

uint64_t alloc_count_thread(void)
{
    return 0;
}

void alloc_count_fill(uint8_t pattern)
{
    (void)pattern;
}

#else

// The thread-local counter lies in the program itself, at a fixed offset from the thread pointer.
// So access to the counter does not allocate memory, which would call malloc() again.
static _Thread_local uint64_t count;
static uint8_t fill_pattern;

enum { FILL_BYTES_MAX = 64 << 20 };

// The functions that this file replaces, by the names under which the C library still offers its
// own versions.
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t items, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

BKS_API void *memalign(size_t alignment, size_t bytes);

bool alloc_count_works(void)
{
    return true;
}

uint64_t alloc_count_thread(void)
{
    return count;
}

void alloc_count_fill(uint8_t pattern)
{
    fill_pattern = pattern;
}

// Fill a block from `begin` to its usable end, because realloc() may later hand out the bytes after
// the requested size without a copy. So those bytes hold the pattern, too. Only the beginning of a
// large block is filled, because untouched pages cost nothing.
static void *filled(void *memory, size_t begin)
{
    const size_t end = fill_pattern != 0 && memory != NULL ? malloc_usable_size(memory) : 0;
    if (begin < end) {
        memset((uint8_t *)memory + begin, fill_pattern,
               end - begin < FILL_BYTES_MAX ? end - begin : FILL_BYTES_MAX);
    }
    return memory;
}

BKS_API void *malloc(size_t bytes)
{
    count++;
    void *memory = heap_reverse_take(bytes);
    return filled(memory != NULL ? memory : __libc_malloc(bytes), 0);
}

BKS_API void *calloc(size_t items, size_t bytes)
{
    count++;
    const size_t all = bytes > 0 && items > SIZE_MAX / bytes ? SIZE_MAX : items * bytes;
    void *memory = heap_reverse_take(all);
    memory = memory != NULL ? memset(memory, 0, all) : __libc_calloc(items, bytes);
    return filled(memory, all);
}

BKS_API void free(void *memory)
{
    if (!heap_reverse_give(memory)) {
        __libc_free(memory);
    }
}

// Resize a block of the reversed heap. A block that gets smaller stays where it is.
static void *resized(void *memory, size_t room, size_t bytes)
{
    if (bytes > 0 && bytes <= room) {
        return memory;
    }
    void *larger = bytes > 0 ? malloc(bytes) : NULL;
    if (larger != NULL) {
        memcpy(larger, memory, room);
    }
    if (larger != NULL || bytes == 0) {
        free(memory);
    }
    return larger;
}

BKS_API void *realloc(void *memory, size_t bytes)
{
    if (memory == NULL) {
        return malloc(bytes);
    }
    const size_t room = heap_reverse_room(memory);
    if (room > 0) {
        return resized(memory, room, bytes);
    }
    count++;
    const size_t before = fill_pattern != 0 ? malloc_usable_size(memory) : 0;
    return filled(__libc_realloc(memory, bytes), bytes < before ? bytes : before);
}

BKS_API void *memalign(size_t alignment, size_t bytes)
{
    count++;
    return filled(__libc_memalign(alignment, bytes), 0);
}

BKS_API void *aligned_alloc(size_t alignment, size_t bytes)
{
    count++;
    return filled(__libc_memalign(alignment, bytes), 0);
}

BKS_API int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
        return EINVAL;
    }
    count++;
    void *memory = __libc_memalign(alignment, bytes);
    if (memory == NULL) {
        return ENOMEM;
    }
    *out = filled(memory, 0);
    return 0;
}

// The C library calls mmap() for its own memory under an internal name, so malloc() is not counted
// twice.
BKS_API void *mmap(void *address, size_t length, int protection, int flags, int descriptor,
                   off_t offset)
{
    count++;
    return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);
}

#endif
