// SPDX-License-Identifier: MIT

#include "watch/watch_source.h"

#include <string.h>

bool tick_spans_add(tick_spans *set, bks_tick tick)
{
    uint32_t at = 0; // the first that does not end before it
    while (at < set->count && set->spans[at].end < tick) {
        at++;
    }
    const bool touches_end = at < set->count && set->spans[at].end == tick;
    if (at < set->count && !touches_end && set->spans[at].begin <= tick) {
        return false;
    }
    const uint32_t next = touches_end ? at + 1 : at;
    const bool touches_next = next < set->count && set->spans[next].begin == tick + 1;
    const size_t rest = (set->count - next) * sizeof(set->spans[0]);
    if (touches_end && touches_next) {
        set->spans[at].end = set->spans[next].end;
        memmove(&set->spans[next], &set->spans[next + 1], rest - sizeof(set->spans[0]));
        set->count--;
    } else if (touches_end) {
        set->spans[at].end++;
    } else if (touches_next) {
        set->spans[next].begin--;
    } else if (set->count < TICK_SPANS_MAX) {
        memmove(&set->spans[next + 1], &set->spans[next], rest);
        set->spans[next].begin = tick;
        set->spans[next].end = tick + 1;
        set->count++;
    } else {
        return false;
    }
    return true;
}
