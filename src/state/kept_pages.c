// SPDX-License-Identifier: MIT

#include "state/kept_pages.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "state/region.h"

/// Alignment of the pool's pages: a cache line.
#define POOL_ALIGNMENT 64u

/// Size of the smallest parts of a state that are hashed (blocks), number of parts in each larger
/// part, and shift of a page, see bksi_kept_pages_part().
#define BLOCK_BYTES 64u
#define PARTS_A_RUN 64u
#define PAGE_SHIFT  6u
_Static_assert(BLOCK_BYTES << PAGE_SHIFT == BKSI_PAGE_BYTES, "a page has 64 blocks");

/// Most pages without known hashes that may be hashed at once: 4 MiB.
#define UNHASHED_PAGES_MAX 1024u

struct bksi_kept_pages {
    bks_allocator allocator;
    uint32_t slot_count;
    uint32_t pages;      ///< number of pages of one state; 0: not even one state fits
    uint32_t pool_pages; ///< number of pages in the pool
    uint32_t free_count;
    bool has_hashes; ///< true if states come with their page hashes
    /// Slot of the last stored state, with which the next one shares pages; may be empty by now.
    uint32_t newest;
    size_t *counts;      ///< by slot: bytes of its state, 0: the slot is empty
    uint32_t *at;        ///< by slot and page: index of the page in the pool
    uint64_t *hashes;    ///< by slot and page: hash of the page
    uint32_t *users;     ///< by page of the pool: number of pages of slots that share it
    uint32_t *free_ones; ///< indices of the unused pages of the pool; the last one is used next
    uint8_t *pool;
};

/// Return the number of pages of one state, 0 if not even one state fits.
static uint32_t pages_for(size_t state_bytes_max, size_t pages_bytes_max)
{
    const size_t pages = bksi_pages(state_bytes_max);
    return pages <= pages_bytes_max / BKSI_PAGE_BYTES ? (uint32_t)pages : 0;
}

static size_t places(const bksi_kept_pages *kept)
{
    return (size_t)kept->slot_count * kept->pages;
}

static void take_memory(bksi_kept_pages *kept)
{
    const bks_allocator *from = &kept->allocator;
    const size_t pool = kept->pool_pages;
    kept->counts = bksi_alloc(from, kept->slot_count * sizeof(size_t), sizeof(size_t));
    kept->at = bksi_alloc(from, places(kept) * sizeof(uint32_t), sizeof(uint32_t));
    kept->hashes = bksi_alloc(from, places(kept) * sizeof(uint64_t), sizeof(uint64_t));
    kept->users = bksi_alloc(from, pool * sizeof(uint32_t), sizeof(uint32_t));
    kept->free_ones = bksi_alloc(from, pool * sizeof(uint32_t), sizeof(uint32_t));
    kept->pool = bksi_alloc(from, pool * BKSI_PAGE_BYTES, POOL_ALIGNMENT);
}

bks_status bksi_kept_pages_create(uint32_t slot_count, size_t state_bytes_max,
                                  size_t pages_bytes_max, const bks_allocator *allocator,
                                  bksi_kept_pages **out)
{
    BKS_ASSERT(slot_count <= UINT16_MAX);
    *out = NULL;
    bksi_kept_pages *kept = bksi_alloc(allocator, sizeof(*kept), sizeof(uint64_t));
    if (kept == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    const uint32_t pages = pages_for(state_bytes_max, pages_bytes_max);
    const size_t most = pages_bytes_max / BKSI_PAGE_BYTES;
    const size_t wanted = (size_t)slot_count * pages;
    *kept = (bksi_kept_pages){.allocator = *allocator, .slot_count = slot_count, .pages = pages};
    kept->pool_pages = (uint32_t)(wanted < most ? wanted : most);
    take_memory(kept);
    if (kept->counts == NULL || kept->at == NULL || kept->hashes == NULL || kept->users == NULL ||
        kept->free_ones == NULL || kept->pool == NULL) {
        bksi_kept_pages_destroy(kept);
        return BKS_ERR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < kept->pool_pages; i++) {
        kept->free_ones[i] = kept->pool_pages - 1 - i; // the first pages are used first
    }
    kept->free_count = kept->pool_pages;
    *out = kept;
    return BKS_OK;
}

void bksi_kept_pages_destroy(bksi_kept_pages *kept)
{
    if (kept == NULL) {
        return;
    }
    const bks_allocator allocator = kept->allocator;
    const size_t pool = kept->pool_pages;
    bksi_free(&allocator, kept->counts, kept->slot_count * sizeof(size_t));
    bksi_free(&allocator, kept->at, places(kept) * sizeof(uint32_t));
    bksi_free(&allocator, kept->hashes, places(kept) * sizeof(uint64_t));
    bksi_free(&allocator, kept->users, pool * sizeof(uint32_t));
    bksi_free(&allocator, kept->free_ones, pool * sizeof(uint32_t));
    bksi_free(&allocator, kept->pool, pool * BKSI_PAGE_BYTES);
    bksi_free(&allocator, kept, sizeof(*kept));
}

static size_t place_of(const bksi_kept_pages *kept, uint32_t slot, uint32_t page)
{
    return (size_t)slot * kept->pages + page;
}

static uint8_t *bytes_at(const bksi_kept_pages *kept, uint32_t at)
{
    return kept->pool + (size_t)at * BKSI_PAGE_BYTES;
}

static void let_go(bksi_kept_pages *kept, uint32_t at)
{
    if (--kept->users[at] == 0) {
        kept->free_ones[kept->free_count++] = at;
    }
}

/// Return how many bytes of a state are in one of its pages.
static size_t bytes_in(size_t count, uint32_t page)
{
    const size_t from = (size_t)page * BKSI_PAGE_BYTES;
    return count <= from ? 0 : count - from < BKSI_PAGE_BYTES ? count - from : BKSI_PAGE_BYTES;
}

/// State that is being stored in a slot.
typedef struct incoming {
    const uint8_t *bytes;
    size_t count;
    const uint8_t *hash_bytes; ///< hash of each page; NULL: the hashes are unknown
} incoming;

static uint64_t hash_of(const incoming *state, uint32_t page)
{
    return bksi_get_u64(state->hash_bytes + page * sizeof(uint64_t));
}

/// Return true if a slot already holds a page of the state with the same content.
static bool has_page(const bksi_kept_pages *kept, uint32_t slot, uint32_t page,
                     const incoming *state)
{
    const size_t here = bytes_in(kept->counts[slot], page);
    if (here == 0) {
        return false;
    }
    const size_t place = place_of(kept, slot, page);
    if (state->hash_bytes != NULL) {
        return kept->hashes[place] == hash_of(state, page);
    }
    return here == bytes_in(state->count, page) &&
           memcmp(bytes_at(kept, kept->at[place]), state->bytes + (size_t)page * BKSI_PAGE_BYTES,
                  here) == 0;
}

/// Return true if the pool has room for the pages to be copied, once the slot's own pages are
/// released.
static bool has_room(const bksi_kept_pages *kept, uint32_t slot, const incoming *state)
{
    const uint32_t pages = (uint32_t)bksi_pages(state->count);
    uint32_t room = kept->free_count;
    for (uint32_t i = 0; i < pages && room < pages - i; i++) {
        const bool has_own = bytes_in(kept->counts[slot], i) > 0;
        const bool is_alone = has_own && kept->users[kept->at[place_of(kept, slot, i)]] == 1;
        const bool is_copied =
            !has_page(kept, slot, i, state) && !has_page(kept, kept->newest, i, state);
        if (is_copied && !is_alone && room-- == 0) {
            return false;
        }
    }
    return true;
}

static void copy_page(bksi_kept_pages *kept, uint32_t at, uint32_t page, const incoming *state)
{
    const size_t count = bytes_in(state->count, page);
    uint8_t *to = bytes_at(kept, at);
    memcpy(to, state->bytes + (size_t)page * BKSI_PAGE_BYTES, count);
    memset(to + count, 0, BKSI_PAGE_BYTES - count);
}

/// Store a page that the slot does not hold.
static void put_page(bksi_kept_pages *kept, uint32_t slot, uint32_t page, const incoming *state)
{
    const size_t place = place_of(kept, slot, page);
    const bool has_own = bytes_in(kept->counts[slot], page) > 0;
    const bool is_shared = has_page(kept, kept->newest, page, state);
    uint32_t at = has_own ? kept->at[place] : UINT32_MAX;
    if (has_own && (is_shared || kept->users[at] > 1)) {
        let_go(kept, at);
        at = UINT32_MAX;
    }
    if (is_shared) {
        at = kept->at[place_of(kept, kept->newest, page)];
        kept->users[at]++;
    } else {
        if (at == UINT32_MAX) {
            BKS_ASSERT(kept->free_count > 0);
            at = kept->free_ones[--kept->free_count];
            kept->users[at] = 1;
        }
        copy_page(kept, at, page, state);
    }
    kept->at[place] = at;
    if (state->hash_bytes != NULL) {
        kept->hashes[place] = hash_of(state, page);
    }
}

static void shrink(bksi_kept_pages *kept, uint32_t slot, uint32_t pages)
{
    for (uint32_t i = pages; bytes_in(kept->counts[slot], i) > 0; i++) {
        let_go(kept, kept->at[place_of(kept, slot, i)]);
    }
}

static void empty(bksi_kept_pages *kept, uint32_t slot)
{
    shrink(kept, slot, 0);
    kept->counts[slot] = 0;
    for (uint32_t i = 0; i < kept->slot_count && kept->counts[kept->newest] == 0; i++) {
        kept->newest = i; // share pages with a slot that is not empty
    }
}

bool bksi_kept_pages_put(bksi_kept_pages *kept, uint32_t slot, const uint8_t *bytes, size_t count,
                         const uint8_t *hash_bytes)
{
    BKS_ASSERT(slot < kept->slot_count);
    const incoming state = {bytes, count, hash_bytes};
    const uint32_t pages = (uint32_t)bksi_pages(count);
    if (pages > kept->pages || (kept->free_count < pages && !has_room(kept, slot, &state))) {
        empty(kept, slot);
        return false;
    }
    for (uint32_t i = 0; i < pages; i++) {
        if (!has_page(kept, slot, i, &state)) {
            put_page(kept, slot, i, &state);
        }
    }
    shrink(kept, slot, pages);
    kept->counts[slot] = count;
    kept->has_hashes = hash_bytes != NULL;
    kept->newest = slot;
    return true;
}

size_t bksi_kept_pages_bytes_max(const bksi_kept_pages *kept)
{
    return (size_t)kept->pages * BKSI_PAGE_BYTES;
}

bool bksi_kept_pages_are_hashed(const bksi_kept_pages *kept)
{
    return kept->has_hashes || kept->pages <= UNHASHED_PAGES_MAX;
}

static uint64_t hash_block(const bksi_kept_pages *kept, uint32_t slot, uint64_t block)
{
    const uint64_t blocks_a_page = BKSI_PAGE_BYTES / BLOCK_BYTES;
    if (block * BLOCK_BYTES >= kept->counts[slot]) {
        return 0;
    }
    const uint32_t at = kept->at[place_of(kept, slot, (uint32_t)(block / blocks_a_page))];
    return bksi_hash64(bytes_at(kept, at) + (size_t)(block % blocks_a_page) * BLOCK_BYTES,
                       BLOCK_BYTES, 0);
}

static uint64_t hash_page(const bksi_kept_pages *kept, uint32_t slot, uint64_t page)
{
    const size_t place = place_of(kept, slot, (uint32_t)page);
    return kept->has_hashes ? kept->hashes[place]
                            : bksi_hash64(bytes_at(kept, kept->at[place]), BKSI_PAGE_BYTES, 0);
}

/// Return the hash of a page or, at a higher level, of 64 parts of the level below.
static uint64_t hash_tree(const bksi_kept_pages *kept, uint32_t slot, uint32_t shift, uint64_t part)
{
    const uint64_t pages = bksi_pages(kept->counts[slot]);
    if (part << (shift - PAGE_SHIFT) >= pages) {
        return 0;
    }
    if (shift == PAGE_SHIFT) {
        return hash_page(kept, slot, part);
    }
    uint8_t below[PARTS_A_RUN * sizeof(uint64_t)];
    size_t count = 0;
    for (uint64_t i = 0; i < PARTS_A_RUN; i++) {
        const uint64_t child = part * PARTS_A_RUN + i;
        if (child << (shift - 2 * PAGE_SHIFT) >= pages) {
            break;
        }
        bksi_put_u64(below + count, hash_tree(kept, slot, shift - PAGE_SHIFT, child));
        count += sizeof(uint64_t);
    }
    return bksi_hash64(below, count, 0);
}

uint64_t bksi_kept_pages_part(const bksi_kept_pages *kept, uint32_t slot, uint32_t shift,
                              uint64_t part)
{
    BKS_ASSERT(slot < kept->slot_count);
    BKS_ASSERT(shift % PAGE_SHIFT == 0);
    BKS_ASSERT(part <= UINT32_MAX + (uint64_t)PARTS_A_RUN);
    return shift == 0 ? hash_block(kept, slot, part) : hash_tree(kept, slot, shift, part);
}

size_t bksi_kept_pages_count(const bksi_kept_pages *kept, uint32_t slot)
{
    BKS_ASSERT(slot < kept->slot_count);
    return kept->counts[slot];
}

void bksi_kept_pages_read(const bksi_kept_pages *kept, uint32_t slot, size_t offset, uint8_t *out,
                          size_t count)
{
    BKS_ASSERT(offset <= bksi_kept_pages_count(kept, slot));
    BKS_ASSERT(count <= kept->counts[slot] - offset);
    while (count > 0) {
        const uint32_t page = (uint32_t)(offset / BKSI_PAGE_BYTES);
        const size_t within = offset % BKSI_PAGE_BYTES;
        const size_t left = BKSI_PAGE_BYTES - within;
        const size_t part = count < left ? count : left;
        memcpy(out, bytes_at(kept, kept->at[place_of(kept, slot, page)]) + within, part);
        out += part;
        offset += part;
        count -= part;
    }
}

/// Return true if the pool has an unused page. If necessary, drop states of other slots.
/// @param shared  page that is to be copied: no unused page is needed once it is no longer shared;
///                UINT32_MAX: none
static bool make_room(bksi_kept_pages *kept, uint32_t slot, uint32_t shared)
{
    for (uint32_t i = 0; i < kept->slot_count && kept->free_count == 0; i++) {
        if (i != slot && kept->counts[i] > 0) {
            empty(kept, i);
        }
    }
    return kept->free_count > 0 || (shared != UINT32_MAX && kept->users[shared] == 1);
}

static uint32_t take_page(bksi_kept_pages *kept)
{
    const uint32_t at = kept->free_ones[--kept->free_count];
    kept->users[at] = 1;
    return at;
}

/// Give a slot its own copy of a shared page, before the page changes.
static bool make_own(bksi_kept_pages *kept, uint32_t slot, uint32_t page)
{
    const uint32_t shared = kept->at[place_of(kept, slot, page)];
    if (kept->users[shared] == 1) {
        return true;
    }
    if (!make_room(kept, slot, shared)) {
        return false;
    }
    if (kept->users[shared] > 1) { // the page is still shared
        const uint32_t at = take_page(kept);
        memcpy(bytes_at(kept, at), bytes_at(kept, shared), BKSI_PAGE_BYTES);
        let_go(kept, shared);
        kept->at[place_of(kept, slot, page)] = at;
    }
    return true;
}

static void changed(bksi_kept_pages *kept, uint32_t slot, uint32_t page)
{
    if (kept->has_hashes) {
        const size_t place = place_of(kept, slot, page);
        kept->hashes[place] = bksi_hash64(bytes_at(kept, kept->at[place]), BKSI_PAGE_BYTES, 0);
    }
}

/// Add pages of zeros. All share one page of the pool until they are written, because a peer may
/// claim any size for its state without sending a byte of it.
static bool grow(bksi_kept_pages *kept, uint32_t slot, uint32_t pages)
{
    const uint32_t first = (uint32_t)bksi_pages(kept->counts[slot]);
    if (!make_room(kept, slot, UINT32_MAX)) {
        return false;
    }
    const uint32_t at = take_page(kept);
    memset(bytes_at(kept, at), 0, BKSI_PAGE_BYTES);
    kept->users[at] = pages - first;
    const uint64_t hash = bksi_hash64(bytes_at(kept, at), BKSI_PAGE_BYTES, 0);
    for (uint32_t i = first; i < pages; i++) {
        kept->at[place_of(kept, slot, i)] = at;
        kept->hashes[place_of(kept, slot, i)] = hash;
    }
    kept->counts[slot] = (size_t)pages * BKSI_PAGE_BYTES;
    return true;
}

/// Clear the bytes of the last page that are beyond the state's end.
static bool clear_end(bksi_kept_pages *kept, uint32_t slot, size_t count)
{
    const size_t within = count % BKSI_PAGE_BYTES;
    const uint32_t page = (uint32_t)(count / BKSI_PAGE_BYTES);
    if (within == 0) {
        return true;
    }
    if (!make_own(kept, slot, page)) {
        return false;
    }
    memset(bytes_at(kept, kept->at[place_of(kept, slot, page)]) + within, 0,
           BKSI_PAGE_BYTES - within);
    changed(kept, slot, page);
    return true;
}

bool bksi_kept_pages_resize(bksi_kept_pages *kept, uint32_t slot, size_t count)
{
    BKS_ASSERT(slot < kept->slot_count && count > 0);
    const size_t pages = bksi_pages(count);
    if (pages > kept->pages || kept->counts[slot] == 0) {
        return false;
    }
    const bool is_fit = bksi_pages(kept->counts[slot]) < pages ? grow(kept, slot, (uint32_t)pages)
                        : count < kept->counts[slot]           ? clear_end(kept, slot, count)
                                                               : true;
    if (!is_fit) {
        return false;
    }
    shrink(kept, slot, (uint32_t)pages);
    kept->counts[slot] = count;
    return true;
}

bool bksi_kept_pages_write(bksi_kept_pages *kept, uint32_t slot, size_t offset,
                           const uint8_t *bytes, size_t count)
{
    BKS_ASSERT(offset <= bksi_kept_pages_count(kept, slot));
    BKS_ASSERT(count <= kept->counts[slot] - offset);
    while (count > 0) {
        const uint32_t page = (uint32_t)(offset / BKSI_PAGE_BYTES);
        const size_t within = offset % BKSI_PAGE_BYTES;
        const size_t left = BKSI_PAGE_BYTES - within;
        const size_t part = count < left ? count : left;
        if (!make_own(kept, slot, page)) {
            return false;
        }
        memcpy(bytes_at(kept, kept->at[place_of(kept, slot, page)]) + within, bytes, part);
        changed(kept, slot, page);
        bytes += part;
        offset += part;
        count -= part;
    }
    return true;
}
