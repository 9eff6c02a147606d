// SPDX-License-Identifier: MIT

// Layout of a table's block, in words of 8 bytes: the number of used entries and a spare word; the
// index; the entries in the order in which they were put. The index has two slots for each entry. A
// slot holds 0, or the position of an entry counted from 1. An entry has a flag that it is live and
// the hash of its key, then the key, then the item, each padded with zeros. A removed entry is all
// zeros. Its memory is reused once compact() has moved the live entries together.
//
// A table's block may be damaged, so every number in it is checked against its limit.

#include "backstitch/det.h"

#include <string.h>

#include "base/hash.h"
#include "base/report.h"

enum { WORD = 8, HEAD_BYTES = 2 * WORD, SLOT_BYTES = 4, SLOTS_PER_ENTRY = 2 };

/// Pointers to the parts of a table's block.
typedef struct parts {
    uint8_t *head;
    uint8_t *index;
    uint8_t *entries;
    uint32_t slots;
    uint32_t capacity;
    size_t key_bytes;
    size_t item_begin; ///< offset of the item in an entry
    size_t entry_bytes;
} parts;

static size_t whole_words(size_t bytes)
{
    return (bytes + WORD - 1) / WORD * WORD;
}

static uint32_t read_32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static void write_32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof(value));
}

static bool is_within(uint32_t value, uint32_t most, const char *call, const char *name)
{
    if (value < 1 || value > most) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, name, "%s is %u, must be 1..%u", name,
                        value, most);
        return false;
    }
    return true;
}

static bool open_table(const void *table, const bks_table_shape *shape, const char *call,
                       parts *out)
{
    if (table == NULL || shape == NULL) {
        (void)bksi_fail_null(NULL, call, table == NULL ? "table" : "shape");
        return false;
    }
    if (!is_within(shape->capacity, BKS_TABLE_CAPACITY_MAX, call, "shape.capacity") ||
        !is_within(shape->key_bytes, BKS_TABLE_ITEM_BYTES_MAX, call, "shape.key_bytes") ||
        !is_within(shape->item_bytes, BKS_TABLE_ITEM_BYTES_MAX, call, "shape.item_bytes")) {
        return false;
    }
    // Drop const: only functions whose caller passed a pointer without const write the block.
    out->head = (uint8_t *)(uintptr_t)table;
    out->index = out->head + HEAD_BYTES;
    out->slots = shape->capacity * SLOTS_PER_ENTRY;
    out->entries = out->index + (size_t)out->slots * SLOT_BYTES;
    out->capacity = shape->capacity;
    out->key_bytes = shape->key_bytes;
    out->item_begin = WORD + whole_words(shape->key_bytes);
    out->entry_bytes = out->item_begin + whole_words(shape->item_bytes);
    return true;
}

static uint32_t used_entries(const parts *p)
{
    const uint32_t used = read_32(p->head);
    return used < p->capacity ? used : p->capacity;
}

static uint8_t *entry_at(const parts *p, uint32_t number)
{
    return p->entries + (size_t)number * p->entry_bytes;
}

static bool is_live(const uint8_t *entry)
{
    return read_32(entry) != 0;
}

static uint32_t hash_of(const parts *p, const void *key)
{
    return (uint32_t)bksi_hash64(key, p->key_bytes, 0);
}

/// Return the live entry of a key, or NULL if there is none.
static uint8_t *find_entry(const parts *p, const void *key, uint32_t hash)
{
    const uint32_t used = used_entries(p);
    uint32_t slot = hash % p->slots;
    for (uint32_t tried = 0; tried < p->slots; tried++) {
        const uint32_t number = read_32(p->index + (size_t)slot * SLOT_BYTES);
        if (number == 0 || number > used) {
            return NULL;
        }
        uint8_t *entry = entry_at(p, number - 1);
        if (is_live(entry) && read_32(entry + 4) == hash &&
            memcmp(entry + WORD, key, p->key_bytes) == 0) {
            return entry;
        }
        slot = slot + 1 < p->slots ? slot + 1 : 0;
    }
    return NULL;
}

/// Add an entry to the index.
/// @return false when no slot is free, as in a damaged index
static bool index_entry(const parts *p, uint32_t number, uint32_t hash)
{
    const uint32_t used = used_entries(p);
    uint32_t slot = hash % p->slots;
    for (uint32_t tried = 0; tried < p->slots; tried++) {
        uint8_t *at = p->index + (size_t)slot * SLOT_BYTES;
        const uint32_t there = read_32(at);
        if (there == 0 || there > used) {
            write_32(at, number + 1);
            return true;
        }
        slot = slot + 1 < p->slots ? slot + 1 : 0;
    }
    return false;
}

static void index_all(const parts *p)
{
    const uint32_t used = used_entries(p);
    memset(p->index, 0, (size_t)p->slots * SLOT_BYTES);
    for (uint32_t i = 0; i < used; i++) {
        uint8_t *entry = entry_at(p, i);
        const uint32_t hash = hash_of(p, entry + WORD);
        write_32(entry + 4, hash);
        // Indexing succeeds, because there are more slots than entries.
        (void)index_entry(p, i, hash);
    }
}

/// Move the live entries together, over the memory of removed ones.
static void compact(const parts *p)
{
    const uint32_t used = used_entries(p);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < used; i++) {
        if (is_live(entry_at(p, i))) {
            if (kept != i) {
                memcpy(entry_at(p, kept), entry_at(p, i), p->entry_bytes);
            }
            kept++;
        }
    }
    memset(entry_at(p, kept), 0, (size_t)(used - kept) * p->entry_bytes);
    write_32(p->head, kept);
    index_all(p);
}

void *bks_table_find(const void *table, const bks_table_shape *shape, const void *key)
{
    parts p;
    if (!open_table(table, shape, "bks_table_find", &p)) {
        return NULL;
    }
    BKSI_REFUSE_NULL_OR(NULL, key);
    uint8_t *entry = find_entry(&p, key, hash_of(&p, key));
    return entry != NULL ? entry + p.item_begin : NULL;
}

void *bks_table_put(void *table, const bks_table_shape *shape, const void *key)
{
    parts p;
    if (!open_table(table, shape, "bks_table_put", &p)) {
        return NULL;
    }
    BKSI_REFUSE_NULL_OR(NULL, key);
    const uint32_t hash = hash_of(&p, key);
    uint8_t *entry = find_entry(&p, key, hash);
    if (entry != NULL) {
        return entry + p.item_begin;
    }
    if (used_entries(&p) == p.capacity) {
        compact(&p);
    }
    const uint32_t number = used_entries(&p);
    if (number == p.capacity) {
        return NULL;
    }
    entry = entry_at(&p, number);
    memset(entry, 0, p.entry_bytes);
    write_32(entry, 1);
    write_32(entry + 4, hash);
    memcpy(entry + WORD, key, p.key_bytes);
    write_32(p.head, number + 1);
    if (!index_entry(&p, number, hash)) {
        index_all(&p);
    }
    return entry + p.item_begin;
}

bool bks_table_remove(void *table, const bks_table_shape *shape, const void *key)
{
    parts p;
    if (!open_table(table, shape, "bks_table_remove", &p)) {
        return false;
    }
    BKSI_REFUSE_NULL_OR(false, key);
    uint8_t *entry = find_entry(&p, key, hash_of(&p, key));
    if (entry != NULL) {
        memset(entry, 0, p.entry_bytes);
    }
    return entry != NULL;
}

uint32_t bks_table_count(const void *table, const bks_table_shape *shape)
{
    parts p;
    uint32_t count = 0;
    if (!open_table(table, shape, "bks_table_count", &p)) {
        return 0;
    }
    for (uint32_t i = 0; i < used_entries(&p); i++) {
        count += is_live(entry_at(&p, i)) ? 1 : 0;
    }
    return count;
}

void *bks_table_next(const void *table, const bks_table_shape *shape, uint32_t *at,
                     const void **out_key)
{
    parts p;
    if (!open_table(table, shape, "bks_table_next", &p)) {
        return NULL;
    }
    BKSI_REFUSE_NULL_OR(NULL, at);
    while (*at < used_entries(&p)) {
        uint8_t *entry = entry_at(&p, (*at)++);
        if (is_live(entry)) {
            if (out_key != NULL) {
                *out_key = entry + WORD;
            }
            return entry + p.item_begin;
        }
    }
    return NULL;
}

/// Comparison function by which a table's entries are sorted.
typedef struct entry_order {
    size_t key_bytes;
    /// Compare two keys; NULL: compare their bytes.
    int (*compare)(void *context, const void *a, const void *b);
    void *context;
} entry_order;

static int compare_entries(void *context, const void *a, const void *b)
{
    const entry_order *order = context;
    const uint8_t *left = (const uint8_t *)a + WORD;
    const uint8_t *right = (const uint8_t *)b + WORD;
    return order->compare != NULL ? order->compare(order->context, left, right)
                                  : memcmp(left, right, order->key_bytes);
}

void bks_table_sort(void *table, const bks_table_shape *shape,
                    int (*compare)(void *context, const void *a, const void *b), void *context)
{
    parts p;
    if (!open_table(table, shape, "bks_table_sort", &p)) {
        return;
    }
    compact(&p);
    entry_order order = {.key_bytes = p.key_bytes, .compare = compare, .context = context};
    bks_sort(p.entries, used_entries(&p), p.entry_bytes, compare_entries, &order);
    index_all(&p);
}
