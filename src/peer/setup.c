// SPDX-License-Identifier: MIT

#include "peer/setup.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"

size_t bksi_setup_write(const bks_game *game, const bks_option_values *values, uint8_t *bytes,
                        size_t capacity)
{
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, capacity);
    bksi_write_u8(&writer, (uint8_t)game->option_count);
    for (uint32_t i = 0; i < game->option_count; i++) {
        bksi_write_text(&writer, values->text[i]);
    }
    return writer.failed ? 0 : writer.at;
}

uint64_t bksi_setup_form(const bks_game *game)
{
    uint64_t form = game->option_count;
    for (uint32_t i = 0; i < game->option_count; i++) {
        const char *name = game->options[i].name;
        form = bksi_hash64(name, strlen(name), form);
    }
    return form;
}

bool bksi_setup_read(const bks_game *game, const uint8_t *bytes, size_t count,
                     bks_option_values *values)
{
    memset(values, 0, sizeof(*values));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    if (bksi_read_u8(&reader) != game->option_count) {
        return false;
    }
    for (uint32_t i = 0; i < game->option_count; i++) {
        bksi_read_text(&reader, values->text[i], BKS_OPTION_VALUE_BYTES);
    }
    return !reader.failed && bksi_byte_reader_left(&reader) == 0;
}
