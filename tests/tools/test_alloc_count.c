// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/heap.h"
#include "base/process.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

// A volatile pointer, so that no compiler takes the pair of calls away.
static void *volatile kept;

static void every_way_to_allocate_is_counted(void **state)
{
    (void)state;
    if (!alloc_count_works()) {
        skip();
    }
    uint64_t before = alloc_count_thread();
    kept = malloc(10);
    free(kept);
    assert_int_equal(alloc_count_thread() - before, 1);
    kept = calloc(3, 10);
    kept = realloc(kept, 100);
    free(kept);
    assert_int_equal(alloc_count_thread() - before, 3);
    kept = aligned_alloc(64, 128);
    assert_int_equal((uintptr_t)kept % 64, 0);
    free(kept);
    void *aligned = NULL;
    assert_int_equal(posix_memalign(&aligned, 4096, 5000), 0);
    assert_int_equal((uintptr_t)aligned % 4096, 0);
    free(aligned);
    assert_int_equal(alloc_count_thread() - before, 5);
    void *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(munmap(pages, 8192), 0);
    assert_int_equal(alloc_count_thread() - before, 6);
}

static void allocations_by_the_c_library_for_us_are_counted(void **state)
{
    (void)state;
    if (!alloc_count_works()) {
        skip();
    }
    const uint64_t before = alloc_count_thread();
    char *copy = strdup("counted although it is not our call");
    assert_non_null(copy);
    free(copy);
    assert_int_equal(alloc_count_thread() - before, 1);
}

static void *allocate_elsewhere(void *context)
{
    for (int i = 0; i < 100; i++) {
        kept = malloc(10);
        free(kept);
    }
    *(uint64_t *)context = alloc_count_thread();
    return NULL;
}

// The baseline of `bks check` looks only where the machine is busy: a block that this leaves behind
// would move those of the game.
static void looking_at_another_process_allocates_nothing(void **state)
{
    (void)state;
    if (!alloc_count_works()) {
        skip();
    }
    const uint64_t before = alloc_count_thread();
    (void)process_time_rests(getppid());
    assert_int_equal(alloc_count_thread() - before, 0);
    assert_false(process_time_rests(getpid()));
}

static void each_thread_counts_its_own(void **state)
{
    (void)state;
    if (!alloc_count_works()) {
        skip();
    }
    pthread_t thread;
    uint64_t elsewhere = 0;
    assert_int_equal(pthread_create(&thread, NULL, allocate_elsewhere, &elsewhere), 0);
    const uint64_t before = alloc_count_thread();
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(alloc_count_thread() - before, 0);
    assert_true(elsewhere >= 100);
}

static void a_bad_alignment_is_refused_as_by_the_c_library(void **state)
{
    (void)state;
    if (!alloc_count_works()) {
        skip(); // a sanitizer's own ends the program
    }
    void *memory = NULL;
    volatile size_t odd = 24;
    assert_int_equal(posix_memalign(&memory, odd, 100), EINVAL);
    assert_null(memory);
}

static bool holds(const uint8_t *bytes, size_t begin, size_t end, uint8_t wanted)
{
    for (size_t i = begin; i < end; i++) {
        if (bytes[i] != wanted) {
            return false;
        }
    }
    return true;
}

/// Grow a block of 10 written bytes; what is new must hold the pattern.
static void assert_grown_is_filled(size_t bytes, uint8_t pattern)
{
    kept = realloc(kept, bytes);
    assert_non_null(kept);
    assert_true(holds(kept, 10, bytes, pattern));
    free(kept);
}

/// The C library sets aside more than was asked for, and a later realloc() stays within that.
static void what_realloc_adds_is_filled_however_small(void **state)
{
    (void)state;
    if (!alloc_count_works()) {
        skip();
    }
    const uint8_t pattern = 0xA5;
    alloc_count_fill(pattern);
    const size_t sizes[] = {11, 20, 24, 25, 100, 5000, 200000};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        kept = malloc(10);
        assert_true(holds(kept, 0, 10, pattern));
        memset(kept, 1, 10);
        assert_grown_is_filled(sizes[i], pattern);
        kept = calloc(5, 2);
        assert_true(holds(kept, 0, 10, 0));
        assert_grown_is_filled(sizes[i], pattern);
        kept = aligned_alloc(16, 10);
        memset(kept, 1, 10);
        assert_grown_is_filled(sizes[i], pattern);
        void *aligned = NULL;
        assert_int_equal(posix_memalign(&aligned, 64, 10), 0);
        kept = aligned;
        memset(kept, 1, 10);
        assert_grown_is_filled(sizes[i], pattern);
        kept = reallocarray(NULL, 5, 2);
        memset(kept, 1, 10);
        kept = reallocarray(kept, 1, sizes[i]);
        assert_grown_is_filled(sizes[i], pattern);
        kept = malloc(sizes[i]); // made smaller and larger again
        memset(kept, 1, sizes[i]);
        kept = realloc(kept, 10);
        assert_grown_is_filled(sizes[i], pattern);
    }
    alloc_count_fill(0);
}

static void of_a_large_block_the_beginning_is_filled(void **state)
{
    (void)state;
    if (!alloc_count_works()) {
        skip();
    }
    alloc_count_fill(0xA5);
    const size_t bytes = (size_t)256 << 20;
    kept = malloc(bytes);
    assert_non_null(kept);
    assert_int_equal(((uint8_t *)kept)[(32 << 20)], 0xA5);
    assert_int_equal(((uint8_t *)kept)[bytes - 1], 0);
    free(kept);
    alloc_count_fill(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_allocate_is_counted),
        cmocka_unit_test(allocations_by_the_c_library_for_us_are_counted),
        cmocka_unit_test(looking_at_another_process_allocates_nothing),
        cmocka_unit_test(each_thread_counts_its_own),
        cmocka_unit_test(what_realloc_adds_is_filled_however_small),
        cmocka_unit_test(of_a_large_block_the_beginning_is_filled),
        cmocka_unit_test(a_bad_alignment_is_refused_as_by_the_c_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
