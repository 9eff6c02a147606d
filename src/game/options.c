// SPDX-License-Identifier: MIT

#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "game/options.h"

/// Return the index of an option in the game's table; option_count if no option has the name.
static uint32_t find_option(const bks_game *game, const char *name)
{
    uint32_t index = 0;
    while (index < game->option_count && strcmp(game->options[index].name, name) != 0) {
        index++;
    }
    return index;
}

/// Return true if the table of options is valid. This is checked here because the game may not have
/// been checked before.
static bool has_sound_table(const bks_game *game)
{
    return game->option_count <= BKS_OPTIONS_MAX &&
           (game->option_count == 0 || game->options != NULL);
}

/// List the names of the game's options, separated by commas, as far as they fit.
static void list_names(const bks_game *game, char *text, size_t capacity)
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < game->option_count && length < capacity; i++) {
        int wrote = snprintf(text + length, capacity - length, "%s%s", i > 0 ? ", " : "",
                             game->options[i].name);
        length += wrote > 0 ? (size_t)wrote : 0;
    }
}

const char *bks_start_option(const bks_start *start, const char *name)
{
    BKSI_REFUSE_NULL_OR("", start);
    BKSI_REFUSE_NULL_OR("", name);
    uint32_t index = find_option(start->game, name);
    if (index == start->game->option_count) {
        bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_start_option", "name",
                  "name is \"%s\", which is no option of %s", name, start->game->name);
        return "";
    }
    return start->options->text[index];
}

bks_status bks_option_values_default(const bks_game *game, bks_option_values *values)
{
    BKSI_REFUSE_NULL(NULL, game);
    BKSI_REFUSE_NULL(NULL, values);
    if (!has_sound_table(game)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_option_values_default",
                         "game->option_count",
                         "option_count is %u, must be 0..%d and 0 without options",
                         game->option_count, BKS_OPTIONS_MAX);
    }
    memset(values, 0, sizeof(*values));
    for (uint32_t i = 0; i < game->option_count; i++) {
        // Bytes after a value stay zero, so that equal values have equal bytes.
        (void)snprintf(values->text[i], BKS_OPTION_VALUE_BYTES, "%s",
                       game->options[i].default_value);
    }
    return BKS_OK;
}

bks_status bks_option_values_set(const bks_game *game, bks_option_values *values, const char *name,
                                 const char *value, bks_error *error)
{
    static const char call[] = "bks_option_values_set";
    BKSI_REFUSE_NULL(error, game);
    BKSI_REFUSE_NULL(error, values);
    BKSI_REFUSE_NULL(error, name);
    BKSI_REFUSE_NULL(error, value);
    uint32_t index = has_sound_table(game) ? find_option(game, name) : game->option_count;
    if (!has_sound_table(game) || index == game->option_count) {
        char names[120];
        names[0] = '\0';
        if (has_sound_table(game)) {
            list_names(game, names, sizeof(names));
        }
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "name",
                         "name is \"%.32s\", must be one of: %s", name,
                         names[0] != '\0' ? names : "(the game has no options)");
    }
    size_t length = strlen(value);
    bool is_printable = true;
    for (size_t i = 0; i < length; i++) {
        is_printable = is_printable && value[i] >= 0x20 && value[i] <= 0x7e;
    }
    if (length >= BKS_OPTION_VALUE_BYTES || !is_printable) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "value",
                         "value of %.32s has %zu bytes, must be 0..%d, all printable ASCII", name,
                         length, BKS_OPTION_VALUE_BYTES - 1);
    }
    memset(values->text[index], 0, BKS_OPTION_VALUE_BYTES);
    memcpy(values->text[index], value, length);
    return BKS_OK;
}

bks_status bksi_option_values_check(const bks_game *game, const bks_option_values *values,
                                    const char *call, bks_error *error)
{
    for (uint32_t i = 0; i < game->option_count; i++) {
        const char *text = values->text[i];
        int length = 0;
        while (length < BKS_OPTION_VALUE_BYTES && text[length] >= 0x20 && text[length] <= 0x7e) {
            length++;
        }
        if (length == BKS_OPTION_VALUE_BYTES || text[length] != '\0') {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "options",
                             "options has \"%.*s\"... for %.32s, must be 0..%d bytes of printable "
                             "ASCII",
                             length, text, game->options[i].name, BKS_OPTION_VALUE_BYTES - 1);
        }
    }
    return BKS_OK;
}
