// SPDX-License-Identifier: MIT

// A static variable counts steps. The state is mapped twice, and a step writes to the second place:
// nothing sees that write at the first. It stands for writes of another process.

#define _GNU_SOURCE

#include <sys/mman.h>

#include "planted.h"

enum { MAPPED_BYTES = 4096 };

typedef struct mapped_state {
    planted_base base;
    int32_t wave; ///< stored to before the other write
    int32_t wind; ///< never stored to
} mapped_state;

static void *mapped_create(const bks_start *start)
{
    (void)start;
    void *at = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return at != MAP_FAILED ? at : NULL;
}

static void mapped_destroy(void *state)
{
    (void)munmap(state, MAPPED_BYTES);
}

static void mapped_init(void *state, const bks_start *start)
{
    (void)start;
    ((mapped_state *)state)->base.ticks = 1;
}

static void mapped_step(void *state, const bks_step *step)
{
    static int32_t calls;
    mapped_state *mapped = state;
    planted_move(&mapped->base, step);
    mapped_state *again = mremap(state, 0, MAPPED_BYTES, MREMAP_MAYMOVE); // 0 bytes: map it again
    if (again == MAP_FAILED) {
        return;
    }
    calls++;
#ifdef STORES_BEFORE
    mapped->wave = 0;
    again->wave = calls;
#else
    again->wind = calls;
#endif
    bks_mark(step, "second");
    (void)munmap(again, MAPPED_BYTES);
}

static size_t mapped_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(mapped_state)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(mapped_state));
    return sizeof(mapped_state);
}

static bool mapped_load(void *state, const void *bytes, size_t count_bytes)
{
    if (count_bytes != sizeof(mapped_state)) {
        return false;
    }
    memcpy(state, bytes, sizeof(mapped_state));
    return true;
}

static void mapped_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(mapped_state));
}

PLANTED("mapped_twice", mapped_state, .create = mapped_create, .destroy = mapped_destroy,
        .init = mapped_init, .step = mapped_step, .save = mapped_save, .load = mapped_load,
        .hash = mapped_hash, .save_bytes_max = sizeof(mapped_state));
