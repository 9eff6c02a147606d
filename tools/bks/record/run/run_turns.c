// SPDX-License-Identifier: MIT

#include "record/run/run_turns.h"

#include <stdlib.h>
#include <string.h>

bool run_turns_add(run_turns *t, uint32_t half, uint64_t before_ns, uint64_t now_ns)
{
    if (before_ns == 0 || now_ns == 0) {
        return true;
    }
    if (t->counts[half] == t->capacities[half]) {
        const size_t capacity = t->capacities[half] > 0 ? 2 * t->capacities[half] : 256;
        double *grown = realloc(t->ratios[half], capacity * sizeof(*grown));
        if (grown == NULL) {
            return false;
        }
        t->ratios[half] = grown;
        t->capacities[half] = capacity;
    }
    t->ratios[half][t->counts[half]++] = (double)now_ns / (double)before_ns;
    return true;
}

static int by_size(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

// The median of two sorted arrays together: as many lie below as above.
static double median_of_both(const run_turns *t)
{
    const size_t half = (t->counts[0] + t->counts[1]) / 2;
    size_t next[2] = {0, 0};
    double median = 0;
    for (size_t i = 0; i <= half && next[0] + next[1] < t->counts[0] + t->counts[1]; i++) {
        const bool is_first =
            next[1] == t->counts[1] ||
            (next[0] < t->counts[0] && t->ratios[0][next[0]] <= t->ratios[1][next[1]]);
        const uint32_t from = is_first ? 0 : 1;
        median = t->ratios[from][next[from]++];
    }
    return median;
}

run_turns_medians run_turns_median(run_turns *t)
{
    run_turns_medians medians = {0};
    for (uint32_t i = 0; i < 2; i++) {
        if (t->counts[i] > 0) {
            qsort(t->ratios[i], t->counts[i], sizeof(double), by_size);
            medians.half[i] = t->ratios[i][t->counts[i] / 2];
        }
    }
    medians.all = median_of_both(t);
    return medians;
}

void run_turns_free(run_turns *t)
{
    free(t->ratios[0]);
    free(t->ratios[1]);
    *t = (run_turns){0};
}
