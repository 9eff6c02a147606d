// SPDX-License-Identifier: MIT

// The memory sanitizer sees no writes of a library that was not built with it. These stand before
// the calls that fill our buffers and say what was written.

#include <stddef.h>

#include <sanitizer/msan_interface.h>
#include <zstd.h>

size_t __real_ZSTD_compress(void *to, size_t capacity, const void *from, size_t count, int level);
size_t __wrap_ZSTD_compress(void *to, size_t capacity, const void *from, size_t count, int level);
size_t __real_ZSTD_decompress(void *to, size_t capacity, const void *from, size_t count);
size_t __wrap_ZSTD_decompress(void *to, size_t capacity, const void *from, size_t count);

size_t __real_ZSTD_compressCCtx(ZSTD_CCtx *zstd, void *to, size_t capacity, const void *from,
                                size_t count, int level);
size_t __wrap_ZSTD_compressCCtx(ZSTD_CCtx *zstd, void *to, size_t capacity, const void *from,
                                size_t count, int level);
size_t __real_ZSTD_decompressDCtx(ZSTD_DCtx *zstd, void *to, size_t capacity, const void *from,
                                  size_t count);
size_t __wrap_ZSTD_decompressDCtx(ZSTD_DCtx *zstd, void *to, size_t capacity, const void *from,
                                  size_t count);

static size_t written(void *to, size_t count)
{
    if (!ZSTD_isError(count)) {
        __msan_unpoison(to, count);
    }
    return count;
}

size_t __wrap_ZSTD_compress(void *to, size_t capacity, const void *from, size_t count, int level)
{
    __msan_check_mem_is_initialized(from, count);
    return written(to, __real_ZSTD_compress(to, capacity, from, count, level));
}

size_t __wrap_ZSTD_decompress(void *to, size_t capacity, const void *from, size_t count)
{
    __msan_check_mem_is_initialized(from, count);
    return written(to, __real_ZSTD_decompress(to, capacity, from, count));
}

size_t __wrap_ZSTD_compressCCtx(ZSTD_CCtx *zstd, void *to, size_t capacity, const void *from,
                                size_t count, int level)
{
    __msan_check_mem_is_initialized(from, count);
    return written(to, __real_ZSTD_compressCCtx(zstd, to, capacity, from, count, level));
}

size_t __wrap_ZSTD_decompressDCtx(ZSTD_DCtx *zstd, void *to, size_t capacity, const void *from,
                                  size_t count)
{
    __msan_check_mem_is_initialized(from, count);
    return written(to, __real_ZSTD_decompressDCtx(zstd, to, capacity, from, count));
}
