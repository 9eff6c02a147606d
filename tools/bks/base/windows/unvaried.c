// SPDX-License-Identifier: MIT
//
// What `bks check` does elsewhere to the heap, the system's random numbers and threads: a DLL does
// not call them by way of the program.

#include "base/code_place.h"
#include "base/heap_reverse.h"
#include "base/heap_settle.h"
#include "base/random_fix.h"
#include "base/thread_pause.h"

bool code_place_begin(uint64_t end)
{
    (void)end;
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
    (void)at;
    return false;
}

void heap_settle(void)
{
}

void random_fix_begin(uint64_t seed)
{
    (void)seed;
}

void random_fix_answer(uint64_t number)
{
    (void)number;
}

bool thread_pause_works(void)
{
    return false;
}

void thread_pause_begin(uint64_t seed)
{
    (void)seed;
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

uint64_t thread_pause_count(void)
{
    return 0;
}
