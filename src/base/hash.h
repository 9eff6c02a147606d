// SPDX-License-Identifier: MIT

/// @file hash.h
/// XXH3-64 and XXH32 from libxxhash; on x86 with its run-time choice of the processor's
/// instructions, elsewhere with those the library was built for. All give the same numbers.

#ifndef BKSI_HASH_H
#define BKSI_HASH_H

#include "backstitch/base.h"

/// XXH3-64 of some bytes. The same on every machine.
uint64_t bksi_hash64(const void *bytes, size_t count, uint64_t seed);

/// XXH3-64 of two numbers as 16 little-endian bytes: the link of a hash chain.
uint64_t bksi_hash64_pair(uint64_t a, uint64_t b);

/// XXH32 of some bytes: the checksum of records and packets.
uint32_t bksi_check32(const void *bytes, size_t count, uint32_t seed);

#endif
