// SPDX-License-Identifier: MIT

/// @file table.h
/// A sort and a hash map whose results are the same on every machine. The C library's qsort()
/// leaves open how equal items come to lie, and most maps the order in which they are walked.
///
/// A table lies in the state, in memory that the game gives: no pointers, one block, never larger
/// than planned. Its items stay in the order in which they were put.
///
///     static const bks_table_shape by_unit = {
///         .capacity = 256, .key_bytes = sizeof(uint32_t), .item_bytes = sizeof(order)};
///     // in the state: an array of BKS_TABLE_WORDS(256, sizeof(uint32_t), sizeof(order)) uint64_t
///
///     order *o = bks_table_put(state->orders, &by_unit, &unit); // NULL: full
///     uint32_t at = 0;
///     const void *key = NULL;
///     while ((o = bks_table_next(state->orders, &by_unit, &at, &key)) != NULL) { … }
///
/// Memory that is all zero is an empty table. Whatever bytes it holds, as after a memory fault, no
/// call leaves it or runs on forever. Keys are compared by their bytes: no padding in them.
///
/// Thread rule: plain data, one thread at a time for each table.

#ifndef BACKSTITCH_TABLE_H
#define BACKSTITCH_TABLE_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sort items in place. Equal ones keep their order, so there is one result only. Takes no memory,
/// and n log² n comparisons and moves.
/// @param items       `count` of `item_bytes` bytes each; may be NULL when count is 0
/// @param item_bytes  1 or more
/// @param compare     below 0 where a belongs before b, above 0 where b belongs before a, 0 where
///                    they are equal; gets `context`
BKS_API void bks_sort(void *items, size_t count, size_t item_bytes,
                      int (*compare)(void *context, const void *a, const void *b), void *context);

/// Most items of a table.
#define BKS_TABLE_CAPACITY_MAX (1u << 24)

/// Most bytes of a key, and of an item.
#define BKS_TABLE_ITEM_BYTES_MAX (1u << 16)

/// What a table is made for. A constant of the game: not in the state.
typedef struct bks_table_shape {
    uint32_t capacity;   ///< items, 1..BKS_TABLE_CAPACITY_MAX
    uint32_t key_bytes;  ///< of a key, 1..BKS_TABLE_ITEM_BYTES_MAX
    uint32_t item_bytes; ///< of what is kept with it, 1..BKS_TABLE_ITEM_BYTES_MAX
} bks_table_shape;

/// Words of 8 bytes for a table of such a shape, as a constant expression.
#define BKS_TABLE_WORDS(capacity, key_bytes, item_bytes) \
    (2u + (size_t)(capacity) *                           \
              (2u + ((size_t)(key_bytes) + 7u) / 8u + ((size_t)(item_bytes) + 7u) / 8u))

/// Find what is kept with a key.
/// @param table  BKS_TABLE_WORDS words of 8 bytes, aligned to 8
/// @param shape  the same in all calls for this table
/// @param key    key_bytes bytes
/// @return the item, aligned to 8, valid until the next put, remove or sort; NULL: there is none
BKS_API void *bks_table_find(const void *table, const bks_table_shape *shape, const void *key);

/// Find what is kept with a key, or else add it behind all others, filled with zeros. Now and then,
/// and in a full table after each removal, this moves all items.
/// @return the item as for bks_table_find(); NULL: the table is full
BKS_API void *bks_table_put(void *table, const bks_table_shape *shape, const void *key);

/// Remove a key and what is kept with it. A key that is put again comes behind all others.
/// @return whether it was there
BKS_API bool bks_table_remove(void *table, const bks_table_shape *shape, const void *key);

/// How many keys there are. Walks over all.
BKS_API uint32_t bks_table_count(const void *table, const bks_table_shape *shape);

/// Walk over the items in the order in which they were put, or sorted. The one that was returned
/// last may be removed meanwhile; nothing may be put.
/// @param at       0 for the first, then left alone
/// @param out_key  receives the key, may be NULL
/// @return the next item, NULL: there are no more
BKS_API void *bks_table_next(const void *table, const bks_table_shape *shape, uint32_t *at,
                             const void **out_key);

/// Put the items into the order of their keys.
/// @param compare  of two keys, as for bks_sort(); NULL: by their bytes, the first counts most
BKS_API void bks_table_sort(void *table, const bks_table_shape *shape,
                            int (*compare)(void *context, const void *a, const void *b),
                            void *context);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TABLE_H
