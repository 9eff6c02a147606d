// SPDX-License-Identifier: MIT

#include "base/samples.h"

#include <stdlib.h>

void samples_add(samples *s, double value)
{
    s->sum += value;
    s->added++;
    s->is_sorted = false;
    if (s->count == s->capacity && s->capacity < SAMPLES_MAX) {
        const size_t capacity = s->capacity > 0 ? 2 * s->capacity : 256;
        double *larger = realloc(s->values, capacity * sizeof(*larger));
        if (larger != NULL) {
            s->values = larger;
            s->capacity = capacity;
        }
    }
    if (s->count < s->capacity) {
        s->values[s->count++] = value;
    }
}

double samples_mean(const samples *s)
{
    return s->added > 0 ? s->sum / (double)s->added : 0;
}

static int compare(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

double samples_share(samples *s, double share)
{
    if (s->count == 0) {
        return 0;
    }
    if (!s->is_sorted) {
        qsort(s->values, s->count, sizeof(*s->values), compare);
        s->is_sorted = true;
    }
    return s->values[(size_t)(share * (double)(s->count - 1) + 0.5)];
}

void samples_free(samples *s)
{
    free(s->values);
    *s = (samples){0};
}
