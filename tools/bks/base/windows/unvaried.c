// SPDX-License-Identifier: MIT
//
// Windows cannot vary a game's heap, clocks, random numbers and threads as `bks check` does on
// other systems: a DLL calls its own run-time, not the program's functions.

#include "base/altered_system.h"
#include "base/heap.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

bool code_place_begin(uint64_t end)
{
    return false;
}

void code_place_end(void)
{
}

void heap_reverse_begin(void)
{
}

bool heap_reverse_begin_below(uint64_t at)
{
    return false;
}

void heap_settle(void)
{
}

void random_fix_begin(uint64_t seed)
{
}

void random_fix_answer(uint64_t number)
{
}

bool thread_pause_works(void)
{
    return false;
}

void thread_pause_begin(uint64_t seed)
{
}

void thread_serial_begin(void)
{
}

void thread_serial_rest(bool is_resting)
{
}

void thread_pause(void)
{
}

void thread_pause_next_stretch(void)
{
}

uint32_t thread_pause_alive(void)
{
    return 0;
}

uint32_t thread_created_count(void)
{
    return 0;
}

uint64_t thread_pause_count(void)
{
    return 0;
}

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
}

void clock_shift_stand(int64_t us)
{
}

void clock_shift_real(clockid_t clock, struct timespec *out)
{
    (void)clock_gettime(clock, out);
}
