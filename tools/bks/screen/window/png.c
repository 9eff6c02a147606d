// SPDX-License-Identifier: MIT
//
// Source: PNG (Portable Network Graphics) Specification, W3C/ISO/IEC 15948:2003. One IDAT chunk,
// 8-bit RGB, each row filtered with "up".

#include "screen/window/png.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/tool.h"

enum { FILTER_UP = 2 };

static void put_u32(uint8_t *out, uint32_t value)
{
    out[0] = (uint8_t)(value >> 24);
    out[1] = (uint8_t)(value >> 16);
    out[2] = (uint8_t)(value >> 8);
    out[3] = (uint8_t)value;
}

static void write_chunk(FILE *file, const char type[4], const uint8_t *bytes, uint32_t count)
{
    uint8_t word[4];
    put_u32(word, count);
    fwrite(word, 1, 4, file);
    fwrite(type, 1, 4, file);
    fwrite(bytes, 1, count, file);
    uLong check = crc32(0, (const Bytef *)type, 4);
    if (count > 0) {
        check = crc32(check, bytes, count);
    }
    put_u32(word, (uint32_t)check);
    fwrite(word, 1, 4, file);
}

// Filter the rows and compress them. NULL if memory ran out.
static uint8_t *pack(const uint8_t *rgb, uint32_t width, uint32_t height, uLongf *count)
{
    const size_t row_bytes = 3 * (size_t)width;
    const size_t raw_bytes = (row_bytes + 1) * height;
    uint8_t *raw = malloc(raw_bytes);
    *count = compressBound((uLong)raw_bytes);
    uint8_t *packed = malloc(*count);
    bool is_good = raw != NULL && packed != NULL;
    for (uint32_t y = 0; is_good && y < height; y++) {
        uint8_t *row = raw + y * (row_bytes + 1);
        row[0] = FILTER_UP;
        for (size_t i = 0; i < row_bytes; i++) {
            const uint8_t above = y > 0 ? rgb[(y - 1) * row_bytes + i] : 0;
            row[1 + i] = (uint8_t)(rgb[y * row_bytes + i] - above);
        }
    }
    is_good = is_good && compress2(packed, count, raw, (uLong)raw_bytes, 6) == Z_OK;
    free(raw);
    if (!is_good) {
        free(packed);
        return NULL;
    }
    return packed;
}

bool png_write_to(FILE *file, const uint8_t *rgb, uint32_t width, uint32_t height)
{
    static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    uint8_t header[13] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0}; // 8 bits for each of R, G, B
    uLongf count = 0;
    uint8_t *packed = pack(rgb, width, height, &count);
    if (packed == NULL) {
        errno = ENOMEM;
        return false;
    }
    put_u32(header, width);
    put_u32(header + 4, height);
    fwrite(magic, 1, sizeof(magic), file);
    write_chunk(file, "IHDR", header, sizeof(header));
    write_chunk(file, "IDAT", packed, (uint32_t)count);
    write_chunk(file, "IEND", packed, 0);
    free(packed);
    return !ferror(file);
}

int png_write(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height)
{
    FILE *file = fopen(path, "wb");
    bool is_written = file != NULL && png_write_to(file, rgb, width, height);
    is_written = file != NULL && fclose(file) == 0 && is_written;
    if (!is_written) {
        tool_complain(path, "cannot be written: %s", strerror(errno));
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}
