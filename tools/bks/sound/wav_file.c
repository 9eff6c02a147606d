// SPDX-License-Identifier: MIT

#include "sound/wav_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/sound.h"
#include "base/tool.h"

enum { FRAME_BYTES = 4, CHUNK_FRAMES = 1024 };

/// Both lengths in the head have 32 bits.
#define DATA_BYTES_MAX (UINT32_MAX - WAV_HEAD_BYTES)

struct wav_file {
    FILE *file;
    const char *path;
    uint32_t data_bytes;
    bool is_full;
    bool has_failed;
};

static void put(uint8_t *to, uint32_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = (uint8_t)(value >> 8 * i);
    }
}

static void write_head(wav_file *file)
{
    uint8_t head[WAV_HEAD_BYTES] = "RIFF    WAVEfmt                     data";
    put(head + 4, WAV_HEAD_BYTES - 8 + file->data_bytes, 4);
    put(head + 16, 16, 4); // bytes of what follows
    put(head + 20, 1, 2);  // PCM
    put(head + 22, 2, 2);  // stereo
    put(head + 24, BKS_SOUND_RATE_HZ, 4);
    put(head + 28, BKS_SOUND_RATE_HZ * FRAME_BYTES, 4);
    put(head + 32, FRAME_BYTES, 2);
    put(head + 34, 16, 2); // bits of a sample
    put(head + 40, file->data_bytes, 4);
    file->has_failed |= fwrite(head, 1, sizeof(head), file->file) != sizeof(head);
}

wav_file *wav_file_open(const char *path)
{
    wav_file *file = calloc(1, sizeof(*file));
    if (file != NULL) {
        file->path = path;
        file->file = fopen(path, "wb");
    }
    if (file == NULL || file->file == NULL) {
        tool_complain(path, "cannot be written: %s", strerror(errno));
        free(file);
        return NULL;
    }
    write_head(file);
    return file;
}

/// The nearest 16-bit value.
static uint32_t pcm(float sample)
{
    const float scaled = sample * 32767.0f;
    return (uint32_t)(int32_t)(scaled < 0.0f ? scaled - 0.5f : scaled + 0.5f);
}

static void write_chunk(wav_file *file, const float *samples, uint32_t frames)
{
    uint8_t bytes[CHUNK_FRAMES * FRAME_BYTES];
    for (uint32_t i = 0; i < 2 * frames; i++) {
        put(bytes + 2 * (size_t)i, pcm(samples[i]), 2);
    }
    const size_t count = (size_t)frames * FRAME_BYTES;
    file->has_failed |= fwrite(bytes, 1, count, file->file) != count;
    file->data_bytes += (uint32_t)count;
}

void wav_file_write(wav_file *file, const float *samples, uint32_t frames)
{
    while (frames > 0 && !file->is_full) {
        const uint32_t count = frames < CHUNK_FRAMES ? frames : CHUNK_FRAMES;
        file->is_full = DATA_BYTES_MAX - file->data_bytes < count * FRAME_BYTES;
        if (!file->is_full) {
            write_chunk(file, samples, count);
        }
        samples += 2 * (size_t)count;
        frames -= count;
    }
}

bool wav_file_close(wav_file *file)
{
    if (file == NULL) {
        return true;
    }
    file->has_failed |= fseek(file->file, 0, SEEK_SET) != 0;
    write_head(file);
    file->has_failed |= fclose(file->file) != 0;
    const bool is_complete = !file->has_failed && !file->is_full;
    if (!is_complete) {
        tool_complain(file->path, "%s",
                      file->has_failed ? "cannot be written to its end"
                                       : "ends after six hours, as the format does");
    }
    free(file);
    return is_complete;
}
