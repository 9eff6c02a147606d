// SPDX-License-Identifier: MIT

#include "screen/overlay/figure_words.h"

#include <stddef.h>

const figure_word figure_words[] = {
    {"predicted", "ticks stepped with guessed inputs"},
    {"depth", "ticks stepped again by a rollback"},
    {"stalled", "ticks skipped, as we were ahead"},
    {"starved", "ticks held up by missing inputs"},
    {"advantage", "ticks that we are ahead of the peer"},
    {"waited", "ticks held up by its inputs"},
    {"local lag", "ticks of its inputs that we lack"},
    {"remote lag", "ticks of our inputs that it lacks"},
    {"grown", "more items than at the start"},
    {NULL, NULL},
};
