// SPDX-License-Identifier: MIT

/// @file check_writes.h Writes to some watched values in one process, in the order in which they
/// were made. Compared with those of another process they show which value was written differently
/// first.

#ifndef BKS_TOOL_CHECK_WRITES_H
#define BKS_TOOL_CHECK_WRITES_H

#include <stdbool.h>
#include <stdint.h>

/// CHECK_WATCHED_MAX: most values that are watched at once, as an x86 processor has four debug
/// registers. CHECK_WRITES_MAX: number of writes to each value that are kept, the first ones.
enum { CHECK_WATCHED_MAX = 4, CHECK_WRITES_MAX = 64 };

/// Writes to one value.
typedef struct check_value_writes {
    uint32_t count;                  ///< number of writes, of which CHECK_WRITES_MAX are kept
    uint32_t at[CHECK_WRITES_MAX];   ///< number of each write among the stores to all values
    uint64_t bits[CHECK_WRITES_MAX]; ///< bits of the value after each write
} check_value_writes;

/// Writes to all watched values. Start from {0}.
typedef struct check_writes {
    bool is_unknown; ///< true: the order of the writes is not known
    uint32_t stores; ///< number of stores, each of which may write several values
    check_value_writes of[CHECK_WATCHED_MAX];
} check_writes;

/// Add a write of the newest store.
/// @param index  index of the value in `of`
void check_writes_add(check_writes *writes, uint32_t index, uint64_t bits);

/// Return the index of the value that two processes wrote differently first. A value is written
/// differently from the first write on whose bits differ, or that only one process makes.
/// @return 0, the value that is named already, where that is not known
uint32_t check_writes_first(const check_writes *a, const check_writes *b);

#endif
