// SPDX-License-Identifier: MIT

// As msan_zstd.c, for zlib.

#include <sanitizer/msan_interface.h>
#include <zlib.h>

int __real_gzread(gzFile file, voidp to, unsigned capacity);
int __wrap_gzread(gzFile file, voidp to, unsigned capacity);
char *__real_gzgets(gzFile file, char *to, int capacity);
char *__wrap_gzgets(gzFile file, char *to, int capacity);
int __real_deflate(z_streamp stream, int flush);
int __wrap_deflate(z_streamp stream, int flush);
int __real_compress2(Bytef *to, uLongf *count, const Bytef *from, uLong from_count, int level);
int __wrap_compress2(Bytef *to, uLongf *count, const Bytef *from, uLong from_count, int level);
int __real_uncompress(Bytef *to, uLongf *count, const Bytef *from, uLong from_count);
int __wrap_uncompress(Bytef *to, uLongf *count, const Bytef *from, uLong from_count);

int __wrap_gzread(gzFile file, voidp to, unsigned capacity)
{
    int count = __real_gzread(file, to, capacity);
    if (count > 0) {
        __msan_unpoison(to, (size_t)count);
    }
    return count;
}

char *__wrap_gzgets(gzFile file, char *to, int capacity)
{
    char *line = __real_gzgets(file, to, capacity);
    if (line != NULL) {
        __msan_unpoison_string(line);
    }
    return line;
}

int __wrap_deflate(z_streamp stream, int flush)
{
    Bytef *to = stream->next_out;
    int status = __real_deflate(stream, flush);
    __msan_unpoison(stream, sizeof(*stream));
    __msan_unpoison(to, (size_t)(stream->next_out - to));
    return status;
}

int __wrap_compress2(Bytef *to, uLongf *count, const Bytef *from, uLong from_count, int level)
{
    int status = __real_compress2(to, count, from, from_count, level);
    __msan_unpoison(count, sizeof(*count));
    if (status == Z_OK) {
        __msan_unpoison(to, *count);
    }
    return status;
}

int __wrap_uncompress(Bytef *to, uLongf *count, const Bytef *from, uLong from_count)
{
    int status = __real_uncompress(to, count, from, from_count);
    __msan_unpoison(count, sizeof(*count));
    if (status == Z_OK) {
        __msan_unpoison(to, *count);
    }
    return status;
}
