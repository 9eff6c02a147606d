// SPDX-License-Identifier: MIT

#include "base/hash.h"

#include "base/bytes.h"

// BKS_XXHASH_INLINE compiles the hash from its header, for targets without an installed libxxhash.
#ifdef BKS_XXHASH_INLINE
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

// On x86 the installed libxxhash is built for the oldest processor. The header xxh_x86dispatch.h,
// which exists on x86 only, picks the fastest code at run time.
#if !defined(BKS_XXHASH_INLINE) && (defined(__x86_64__) || defined(__i386__)) && \
    defined(__has_include)
#if __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif
#endif

uint64_t bksi_hash64(const void *bytes, size_t count, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, count, seed);
}

uint64_t bksi_hash64_pair(uint64_t a, uint64_t b)
{
    uint8_t bytes[16];
    bksi_put_u64(bytes, a);
    bksi_put_u64(bytes + 8, b);
    return bksi_hash64(bytes, sizeof(bytes), 0);
}

uint32_t bksi_check32(const void *bytes, size_t count, uint32_t seed)
{
    return XXH32(bytes, count, seed);
}
