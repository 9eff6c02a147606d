// SPDX-License-Identifier: MIT

// A game that imports what no step should call. It calls nothing of it: the addresses count.

#define _GNU_SOURCE

#include <complex.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backstitch/plugin.h"

typedef void (*function)(void);

static const volatile function asked[] = {
    (function)atan2f,         (function)tanhf,       (function)hypotf, (function)log10f,
    (function)powl,           (function)cexpf,       (function)fopen,  (function)open,
    (function)read,           (function)stat,        (function)qsort,  (function)clock_gettime,
    (function)pthread_create, (function)getaddrinfo,
};

typedef struct asks_state {
    uint32_t sum;
} asks_state;

static void asks_init(void *state, const bks_start *start)
{
    (void)start;
    ((asks_state *)state)->sum = 0;
}

static void asks_step(void *state, const bks_step *step)
{
    (void)step;
    ((asks_state *)state)->sum += asked[0] != NULL;
}

static const bks_field fields[] = {{.name = "x", .bits = 8, .is_signed = true}};

static const bks_game asks_game = {
    .name = "asks",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = fields,
    .field_count = 1,
    .state_bytes = 4096,
    .init = asks_init,
    .step = asks_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &asks_game};
