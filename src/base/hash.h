// SPDX-License-Identifier: MIT

/// @file hash.h
/// XXH3-64 and XXH32 from libxxhash. On x86 the processor's instructions are chosen at run time.
/// The results are the same everywhere.

#ifndef BKSI_HASH_H
#define BKSI_HASH_H

#include "backstitch/base.h"

/// Compute XXH3-64. The result is the same on every machine.
uint64_t bksi_hash64(const void *bytes, size_t count, uint64_t seed);

/// Compute XXH3-64 of two numbers as 16 little-endian bytes, for instance to continue a chain of
/// hashes.
uint64_t bksi_hash64_pair(uint64_t a, uint64_t b);

/// Compute XXH32, the checksum of records and packets.
uint32_t bksi_check32(const void *bytes, size_t count, uint32_t seed);

#endif
