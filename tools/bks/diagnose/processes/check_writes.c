// SPDX-License-Identifier: MIT

#include "diagnose/processes/check_writes.h"

/// Number of a write that was not made.
#define NEVER UINT32_MAX

/// The first different write to a value in each of two processes.
typedef struct different_write {
    uint32_t at[2]; ///< number of the store, NEVER: that process makes no such write
} different_write;

void check_writes_add(check_writes *writes, uint32_t index, uint64_t bits)
{
    check_value_writes *value = &writes->of[index];
    if (value->count < CHECK_WRITES_MAX) {
        value->at[value->count] = writes->stores;
        value->bits[value->count] = bits;
    }
    value->count++;
}

// Find the first different write to a value.
// @return false: it may be one that was not kept
static bool find_different(const check_value_writes *a, const check_value_writes *b,
                           different_write *out)
{
    uint32_t i = 0;
    *out = (different_write){{NEVER, NEVER}};
    while (i < a->count && i < b->count && i < CHECK_WRITES_MAX && a->bits[i] == b->bits[i]) {
        i++;
    }
    if (i == CHECK_WRITES_MAX) {
        return a->count == i && b->count == i;
    }
    out->at[0] = i < a->count ? a->at[i] : NEVER;
    out->at[1] = i < b->count ? b->at[i] : NEVER;
    return true;
}

// Return true if a write came before another in a process that made both, and after it in none: one
// store may write both.
static bool is_before(const different_write *a, const different_write *b)
{
    bool has_one_before = false;
    for (uint32_t i = 0; i < 2; i++) {
        if (a->at[i] != NEVER && b->at[i] != NEVER) {
            if (a->at[i] > b->at[i]) {
                return false;
            }
            has_one_before |= a->at[i] < b->at[i];
        }
    }
    return has_one_before;
}

uint32_t check_writes_first(const check_writes *a, const check_writes *b)
{
    different_write found[CHECK_WATCHED_MAX];
    uint32_t first = 0;
    if (a->is_unknown || b->is_unknown) {
        return 0;
    }
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        if (!find_different(&a->of[i], &b->of[i], &found[i])) {
            return 0;
        }
        first = is_before(&found[i], &found[first]) ? i : first;
    }
    return first;
}
