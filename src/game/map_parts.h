// SPDX-License-Identifier: MIT

/// @file map_parts.h
/// What the files of the state map share: types, and names made of members.

#ifndef BKSI_MAP_PARTS_H
#define BKSI_MAP_PARTS_H

#include "backstitch/toolkit/state_map.h"
#include "state/arena_scan.h"

/// Structs and unions hold others, in further members.
bool bksi_map_is_aggregate(const bks_map_type *type);

/// Elements of a member, 1 when it is no array.
uint64_t bksi_map_elements(const bks_map_member *member);

/// Add text to a name of `capacity` bytes; what does not fit is cut.
void bksi_map_add(char *name, size_t capacity, const char *format, ...) BKS_PRINTF(3, 4);

/// Add a member's name, behind a dot where something stands before it, and the indices of an
/// element.
void bksi_map_add_member(char *name, size_t capacity, const bks_map_member *member,
                         uint64_t element);

/// Type of the items of a pool, UINT32_MAX: the map has none of their size.
uint32_t bksi_map_pool_type(const bks_state_map *map, const bks_pool *pool);

/// Read a number of 1..8 bytes that need not be aligned.
uint64_t bksi_map_number(const uint8_t *bytes, uint64_t count);

/// A number of 1..64 bits as a signed one.
int64_t bksi_map_signed(uint64_t number, uint64_t bits);

/// Read the bits of a bit-field, lowest first; `bytes` are those where it begins.
uint64_t bksi_map_bits(const uint8_t *bytes, const bks_map_place *place);

#endif
