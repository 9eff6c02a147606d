// SPDX-License-Identifier: MIT

#include "record/run/durations.h"

#include <stdlib.h>

void durations_add(durations *d, uint64_t ns)
{
    d->sum_ns += ns;
    d->calls++;
    d->is_sorted = false;
    if (d->count == d->capacity && d->capacity < DURATIONS_MAX) {
        const size_t capacity = d->capacity > 0 ? 2 * d->capacity : 4096;
        uint64_t *larger = realloc(d->ns, capacity * sizeof(*larger));
        if (larger != NULL) {
            d->ns = larger;
            d->capacity = capacity;
        }
    }
    if (d->count < d->capacity) {
        d->ns[d->count++] = ns;
    }
}

double durations_mean_us(const durations *d)
{
    return d->calls > 0 ? (double)d->sum_ns * 1e-3 / (double)d->calls : 0;
}

static int compare_ns(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

double durations_share_us(durations *d, double share)
{
    if (d->count == 0) {
        return 0;
    }
    if (!d->is_sorted) {
        qsort(d->ns, d->count, sizeof(*d->ns), compare_ns);
        d->is_sorted = true;
    }
    return (double)d->ns[(size_t)(share * (double)(d->count - 1))] * 1e-3;
}

void durations_json(json *j, const char *key, durations *d)
{
    json_object(j, key);
    json_number(j, "mean", durations_mean_us(d), 3);
    json_number(j, "p50", durations_share_us(d, 0.5), 3);
    json_number(j, "p99", durations_share_us(d, 0.99), 3);
    json_number(j, "max", durations_share_us(d, 1), 3);
    json_close(j);
}

void durations_free(durations *d)
{
    free(d->ns);
    *d = (durations){0};
}
