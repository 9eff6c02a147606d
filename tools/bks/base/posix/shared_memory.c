// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int shared_memory_make(size_t bytes)
{
    const int descriptor = memfd_create("bks-check", 0);
    if (descriptor >= 0 && ftruncate(descriptor, (off_t)bytes) != 0) {
        (void)close(descriptor);
        return -1;
    }
    return descriptor;
}

void *shared_memory_map(int number, size_t bytes)
{
    const int flags = MAP_SHARED | MAP_NORESERVE;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, number, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

bool shared_memory_ready(void *place, size_t bytes)
{
    (void)place, (void)bytes; // each page is, when it is first written to
    return true;
}

void shared_memory_unmap(void *memory, size_t bytes)
{
    (void)munmap(memory, bytes);
}

bool shared_memory_is_open(int number)
{
    return fcntl(number, F_GETFD) >= 0;
}

void shared_memory_close(int number)
{
    (void)close(number);
}
