// SPDX-License-Identifier: MIT

#include "diagnose/check/check_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void add(check_words *out, const char *name, const char *value)
{
    if (value != NULL) {
        out->items[out->count++] = name;
        out->items[out->count++] = value;
    }
}

void check_words_write(const check_options *options, int64_t seed, int64_t ticks,
                       const char *variants, check_words *out)
{
    const args_list *given = &options->given_options;
    (void)snprintf(out->seed, sizeof(out->seed), "%" PRId64, seed);
    (void)snprintf(out->ticks, sizeof(out->ticks), "%" PRId64, ticks);
    (void)snprintf(out->players, sizeof(out->players), "%" PRId64, options->players);
    out->count = 0;
    add(out, "bks", "check");
    out->items[out->count++] = options->game;
    add(out, "--seed", out->seed);
    add(out, "--ticks", out->ticks);
    add(out, "--variants", variants);
    add(out, "--input", strcmp(options->input, "monkey") == 0 ? NULL : options->input);
    add(out, "--players", options->players > 0 ? out->players : NULL);
    for (uint32_t i = 0; i < given->count; i++) {
        add(out, "--option", given->items[i]);
    }
    out->items[out->count] = NULL;
}

void check_words_record(const check_options *options, uint32_t players, int64_t ticks,
                        check_words *out)
{
    const args_list *given = &options->given_options;
    (void)snprintf(out->seed, sizeof(out->seed), "%" PRId64, options->seed);
    (void)snprintf(out->ticks, sizeof(out->ticks), "%" PRId64, ticks);
    (void)snprintf(out->players, sizeof(out->players), "%" PRIu32, players);
    (void)snprintf(out->input, sizeof(out->input), "*=%s", options->input);
    out->count = 0;
    add(out, "bks", "lab");
    out->items[out->count++] = options->game;
    add(out, "--peers", "1");
    add(out, "--players-per-peer", out->players);
    add(out, "--seed", out->seed);
    add(out, "--ticks", out->ticks);
    add(out, "--input", strcmp(options->input, "monkey") == 0 ? NULL : out->input);
    for (uint32_t i = 0; i < given->count; i++) {
        add(out, "--option", given->items[i]);
    }
    add(out, "--record", "bks-crash");
    out->items[out->count] = NULL;
}

void check_words_join(const check_words *words, char *out, size_t capacity)
{
    size_t used = 0;
    for (uint32_t i = 0; i < words->count && used + 2 < capacity; i++) {
        if (i > 0) {
            out[used++] = ' ';
        }
        used += shell_word_quote(words->items[i], out + used, capacity - used - 1);
    }
    out[used] = '\0';
}
