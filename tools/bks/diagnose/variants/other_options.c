// SPDX-License-Identifier: MIT

#include "diagnose/variants/other_options.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whether the game would take the options. One that does not check them is asked for nothing.
static bool takes(const bks_runner_config *config)
{
    const bks_game *game = config->game;
    const bks_start start = {.game = game,
                             .seed = config->seed,
                             .players = config->players,
                             .tick_rate_hz = game->tick_rate_hz,
                             .options = &config->options};
    size_t bytes = game->state_bytes;
    bks_error error = {0};
    return game->configure == NULL || game->configure(&start, &bytes, &error) == BKS_OK;
}

static bool put(bks_runner_config *config, uint32_t option, const char *value)
{
    char *text = config->options.text[option];
    char own[BKS_OPTION_VALUE_BYTES];
    memcpy(own, text, sizeof(own));
    memset(text, 0, BKS_OPTION_VALUE_BYTES);
    (void)snprintf(text, BKS_OPTION_VALUE_BYTES, "%s", value);
    if (takes(config)) {
        return true;
    }
    memcpy(text, own, sizeof(own));
    return false;
}

// The numbers that a help such as "1 to 9" or "1..9" names.
static void read_range(const char *help, long *least, long *most)
{
    *least = LONG_MIN;
    *most = LONG_MAX;
    for (const char *at = help; *at != '\0'; at++) {
        const bool begins =
            isdigit((unsigned char)*at) && (at == help || !isalnum((unsigned char)at[-1]));
        if (begins && (sscanf(at, "%ld to %ld", least, most) == 2 ||
                       sscanf(at, "%ld..%ld", least, most) == 2)) {
            return;
        }
    }
    *least = LONG_MIN;
    *most = LONG_MAX;
}

// A number may have a unit behind it, which stays.
static bool put_number(bks_runner_config *config, uint32_t option)
{
    char own[BKS_OPTION_VALUE_BYTES];
    char value[BKS_OPTION_VALUE_BYTES + 32];
    char *unit = own;
    long least = 0;
    long most = 0;
    memcpy(own, config->options.text[option], sizeof(own));
    const long number = strtol(own, &unit, 10);
    const char *help = config->game->options[option].help;
    if (unit == own || number == LONG_MAX || number == LONG_MIN) {
        return false;
    }
    read_range(help != NULL ? help : "", &least, &most);
    for (long step = 1; step >= -1; step -= 2) {
        (void)snprintf(value, sizeof(value), "%ld%s", number + step, unit);
        if (number + step >= least && number + step <= most &&
            strlen(value) < BKS_OPTION_VALUE_BYTES && put(config, option, value)) {
            return true;
        }
    }
    return false;
}

// Whether a word of a help is one of several values: "plain, cross or lanes", "on: with wind".
static bool is_value(const char *help, const char *word, size_t length)
{
    const bool is_last_of_some = word - help >= 3 && strncmp(word - 3, "or ", 3) == 0;
    const char next = word[length];
    return is_last_of_some || next == ',' || next == ':' || strncmp(word + length, " or ", 4) == 0;
}

// A word of the help, if the value in use is one of its words.
static void put_word(bks_runner_config *config, uint32_t option)
{
    char own[BKS_OPTION_VALUE_BYTES];
    memcpy(own, config->options.text[option], sizeof(own));
    const char *help = config->game->options[option].help;
    bool is_listed = false;
    for (int pass = 0; pass < 2 && help != NULL; pass++) {
        for (const char *at = help; *at != '\0';) {
            const size_t length = strcspn(at, " ,:;");
            char value[BKS_OPTION_VALUE_BYTES] = "";
            if (length > 0 && length < sizeof(value) && is_value(help, at, length)) {
                memcpy(value, at, length);
            }
            is_listed |= value[0] != '\0' && strcmp(value, own) == 0;
            if (pass == 1 && is_listed && value[0] != '\0' && strcmp(value, own) != 0 &&
                put(config, option, value)) {
                return;
            }
            at += length + (at[length] != '\0' ? 1 : 0);
        }
    }
}

static void put_players(bks_runner_config *config)
{
    const uint32_t own = config->players;
    const uint32_t least = config->game->players_min > 0 ? config->game->players_min : 1;
    config->players = own > least ? own - 1 : own < config->game->players_max ? own + 1 : own;
    if (!takes(config)) {
        config->players = own;
    }
}

void other_options(bks_runner_config *config)
{
    for (uint32_t i = 0; i < config->game->option_count; i++) {
        if (!put_number(config, i)) {
            put_word(config, i);
        }
    }
    put_players(config);
}
