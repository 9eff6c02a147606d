// SPDX-License-Identifier: MIT

/// @file toolkit/state_map.h
/// A state map: the object, field and type of each byte of a state; or that the byte is padding,
/// free, or the library's own bookkeeping.
///
/// A map holds the game's types as C tables. The program `bks` makes one from the debug information
/// of a plug-in and from bks_game.types, and writes it as C (`bks games --map GAME --as-c`), so
/// that a shipped game can carry it as bks_game.map. A step never learns of it.
///
///     bks_map_place place;
///     if (bks_state_map_find(map, state, count, 4711, 0, &place) == BKS_OK) {
///         puts(place.name); // "shots[3].x"
///     }
///
/// Thread rule: a map is constant; any thread may use it.

#ifndef BACKSTITCH_TOOLKIT_STATE_MAP_H
#define BACKSTITCH_TOOLKIT_STATE_MAP_H

#include "backstitch/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Uses of a byte of the state.
typedef enum bks_map_use {
    BKS_MAP_LIVE = 0,        ///< a value of the game
    BKS_MAP_PADDING = 1,     ///< between two values
    BKS_MAP_FREE = 2,        ///< an item that is not live, or after the bytes in use
    BKS_MAP_BOOKKEEPING = 3, ///< bookkeeping of the arena or a pool
    BKS_MAP_UNNAMED = 4,     ///< in use, but not covered by the map
} bks_map_use;

/// Place of a byte by the map.
typedef struct bks_map_place {
    char name[288];       ///< object and field: "shots[3].x", "(padding).byte 40"
    char object[112];     ///< "shots[3]", "score", "root" for plain members of the root; else
                          ///< "(padding)", "(free)", "(arena)" or "(unnamed)"
    char field[160];      ///< "x", "[1]", "memory[2]"; "byte N" from the state's start where the
                          ///< object is in brackets, else from the object's
    char note[160];       ///< remark beside the name: "behind ships[2].kills"; may be empty
    bks_map_use use;      ///< use of the byte
    uint32_t type;        ///< type of the value, UINT32_MAX: bytes without one
    uint64_t begin_bytes; ///< offset in the state where the value, or the run of bytes, begins
    uint64_t end_bytes;   ///< offset where it ends
    uint16_t bits;        ///< width of a bit-field; 0: no bit-field
    uint16_t bit_offset;  ///< place of a bit-field, from the lowest bit at begin_bytes
} bks_map_place;

/// Check a map. What is checked once may be used by the other calls.
/// @param map    not NULL
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (error names the type and what is
/// wrong)
BKS_NODISCARD bks_status bks_state_map_check(const bks_state_map *map, bks_error *error);

/// Check entries of bks_game.types as far as that is possible without debug information.
/// @param entries  may be NULL when count is 0
/// @param count    length of it
/// @param error    may be NULL
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names the entry and what is wrong)
BKS_NODISCARD bks_status bks_type_entries_check(const bks_type_entry *entries, uint32_t count,
                                                bks_error *error);

/// Find what a byte of a state is. The state's bytes may come from anywhere.
/// @param map           a sound one
/// @param state         as in a region or a recording
/// @param count         its bytes in use
/// @param offset_bytes  offset of the byte from the state's start; may lie after the end
/// @param bit           0..7, for bit-fields, whose bytes are shared
/// @param out           receives what it is
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_map_find(const bks_state_map *map, const void *state, size_t count,
                              uint64_t offset_bytes, uint32_t bit, bks_map_place *out);

/// Write a value for people: a float with its bits, an enumerator by name, a reference by what it
/// leads to, bytes as hexadecimal digits.
/// @param map       a sound one
/// @param state     the state that the value is read from
/// @param count     its bytes in use
/// @param place     place of the value, as bks_state_map_find() gave it for this state or one alike
/// @param out       receives the text, "" where the state has no such bytes
/// @param capacity  size of `out`, at least 1
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_map_value(const bks_state_map *map, const void *state, size_t count,
                               const bks_map_place *place, char *out, size_t capacity);

/// Hash the values of a state rather than its bytes: numbers count in one byte order and padding
/// not at all, so machines of different byte order agree (docs/spec/state-hash.md). It visits all
/// values by name, some 20 ms for 100 kB of small ones: not for every tick.
/// @param map    a sound one that covers all bytes in use; bit-fields lie where it says, which is
///               not the same place on every machine
/// @param state  its bytes, as in a region
/// @param count  its bytes in use
/// @param out    receives the hash
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_UNSUPPORTED: the state holds what has no meaning elsewhere, such as raw
///         pointers or bytes of no known type (error names it); BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_state_map_hash(const bks_state_map *map, const void *state,
                                            size_t count, uint64_t *out, bks_error *error);

// Differences between two states, by name: one for each value, not for each byte, and values of the
// game apart from padding, free space and bookkeeping.
//
//     const bks_state_names names = {.map = map};
//     bks_map_place places[16];
//     bks_state_comparison found;
//     if (bks_state_compare(&names, &ours, &theirs, places, 16, &found) == BKS_OK &&
//         found.count > 0) {
//         puts(places[0].name); // "shots[3].x"
//     }
//
// Thread rule: a map is constant, and the call keeps nothing; any thread may make it.

/// Names for the bytes of a game's states: by its map, else by its ranges, else by pool and page.
typedef struct bks_state_names {
    const bks_state_map *map;      ///< a sound one; NULL: there is none
    const bks_state_range *ranges; ///< looked at without a map; may be NULL
    uint32_t range_count;          ///< length of `ranges`, 0..BKS_STATE_RANGES_MAX
} bks_state_names;

/// One of two states that are compared. Its bytes may come from anywhere.
typedef struct bks_compared_state {
    const void *bytes; ///< as in a region or a recording; may be NULL when count is 0
    size_t count;      ///< size in use; bytes that only the other state has are compared with zeros
    uint64_t address;  ///< address of the state in its process, so that raw pointers into it are
                       ///< compared by what they lead to; 0: not known, by their bytes
} bks_compared_state;

/// Result of a comparison.
typedef struct bks_state_comparison {
    uint64_t bytes;      ///< bytes that differ
    uint32_t count;      ///< differences named
    uint32_t live_count; ///< number of these that are values of the game or of no known use: these
                         ///< come first
    bool is_complete;    ///< true when all differences were named: with count 0 the states are the
                         ///< same
} bks_state_comparison;

/// Compare two states. The time taken is linear in their bytes. At most 16384 differences are
/// looked up, and of those at most 64 that are found by following references.
///
/// The names are those in `a`; those in `b` where only that says more, as for an item that `a` has
/// not. Floats are compared by their bits. References and ids lead to the same from the same place
/// when their bytes are the same.
/// @param names     names of the bytes
/// @param a         the state to go by
/// @param b         the other
/// @param out       receives the differences: values of the game in order of offset, then padding,
///                  free space and bookkeeping in order of offset; NULL when capacity is 0
/// @param capacity  length of out
/// @param found     receives what it showed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_compare(const bks_state_names *names, const bks_compared_state *a,
                             const bks_compared_state *b, bks_map_place *out, uint32_t capacity,
                             bks_state_comparison *found);

/// Name a byte of a state by the map, else as bks_state_find() does, with the object and the field
/// apart.
/// @param names         names of the bytes
/// @param state         its bytes
/// @param count         its bytes in use
/// @param offset_bytes  offset of the byte from the state's start; may lie after the end
/// @param bit           0..7
/// @param out           receives what it is
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_name(const bks_state_names *names, const void *state, size_t count,
                          uint64_t offset_bytes, uint32_t bit, bks_map_place *out);

/// Write one element for people: a byte without a type as two hexadecimal digits.
/// @param at             its bytes, in this machine's byte order, need not be aligned
/// @param out, capacity  room for the text, at least 1 byte; 32 are always enough
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_type_text(bks_state_type type, const void *at, char *out, size_t capacity);

/// Write a value for people: by the map as bks_state_map_value() does, else as the type of its
/// range reads, else as up to 16 bytes.
/// @param names     names of the bytes
/// @param state     the one that the value is read from
/// @param place     place of the value, as the calls here gave it for this state or one alike
/// @param out       receives the text; "beyond its N bytes" where the state has no such bytes
/// @param capacity  size of `out`, at least 1
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_value(const bks_state_names *names, const bks_compared_state *state,
                           const bks_map_place *place, char *out, size_t capacity);

/// Room for a value as text, its zero included.
#define BKS_STATE_VALUE_BYTES 192

/// The first difference of two states.
typedef struct bks_state_difference {
    bks_map_place place;                   ///< name of the value, and the remark beside it (note)
    char values[2][BKS_STATE_VALUE_BYTES]; ///< values of both, as bks_state_value() reads them;
                                           ///< where these are the same, or too long to be shown
                                           ///< whole, up to 16 bytes from the first that differs
} bks_state_difference;

/// Name the first difference of two states that a game takes for different.
/// @param names  names of the bytes
/// @param a, b   the two
/// @param out    receives it: the first value that differs; padding, free space and bookkeeping
///               only where no value does; else the first byte, as of a raw pointer that leads to
///               the same
/// @return BKS_OK; BKS_OVER: the bytes are the same, and only a hash of the game's own can differ:
///         the name is then "(unnamed).hash" and the values are empty; BKS_ERR_BAD_ARGUMENT
bks_status bks_state_difference_find(const bks_state_names *names, const bks_compared_state *a,
                                     const bks_compared_state *b, bks_state_difference *out);

/// Visit every value of a state, and every run of padding, free space and bookkeeping, in the order
/// of their bytes. The time taken is linear in them.
/// @param names    names of the bytes
/// @param state    its bytes, which may come from anywhere
/// @param count    its bytes in use
/// @param visit    gets each place, valid during the call; false ends the walk. Not NULL
/// @param context  handed to visit, may be NULL
/// @return BKS_OK; BKS_OVER: 2048 blocks were found by following references, and what lies beyond
///         them was not visited; BKS_ERR_BAD_ARGUMENT
bks_status bks_state_walk(const bks_state_names *names, const void *state, size_t count,
                          bool (*visit)(void *context, const bks_map_place *place), void *context);

/// Get the size of one element of a type.
/// @return 1..8, 0 for what is no type
uint32_t bks_state_type_bytes(bks_state_type type);

/// Place of a byte in a state, and the object that it belongs to.
typedef struct bks_state_place {
    char name[104];       ///< name of the byte: "score[1]", "ships[2].byte 40"; "(root).byte 7" and
                          ///< the like for unnamed bytes: "(pool NAME)" for a pool's bookkeeping,
                          ///< "(arena)", "(free)", "(state)" when it has no arena
    char object[64];      ///< the part before the element: "score", "ships", "(root)"
    uint64_t begin_bytes; ///< offset in the state where the object begins
    uint64_t end_bytes;   ///< offset where it ends, or where a range within it begins
    uint32_t range;       ///< number of the range, UINT32_MAX: none
    uint32_t element;     ///< element of that range, else 0
} bks_state_place;

/// Name a byte of a state: by the narrowest range around it, otherwise by the pool that it lies in.
/// The bytes may come from anywhere; the game is not needed.
/// @param state         as in a region or a recording; NULL when only the ranges are known
/// @param count         its bytes, 0 for NULL
/// @param ranges        names of its bytes, may be NULL
/// @param range_count   length of it, 0..BKS_STATE_RANGES_MAX
/// @param offset_bytes  offset of the byte from the state's start; may lie after the end
/// @param out           receives what it is
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_find(const void *state, size_t count, const bks_state_range *ranges,
                          uint32_t range_count, uint64_t offset_bytes, bks_state_place *out);

/// Use of one pool; the numbers live in the region and so are right after every restore.
typedef struct bks_pool_usage {
    const char *name;    ///< as given to bks_pool_create; valid while the region is
    size_t item_bytes;   ///< size of one item
    uint32_t capacity;   ///< most items
    uint32_t live;       ///< items now
    uint32_t high_water; ///< most items at once so far
    uint32_t leaked;     ///< live items above the count at the last bks_arena_baseline()
    uint64_t added;      ///< items ever added
    uint64_t removed;    ///< items ever removed
} bks_pool_usage;

/// Report the use of each pool of the arena, in order of creation.
/// @param out       NULL asks for the count only
/// @param capacity  length of out
/// @return the number of pools, which may be more than capacity; 0 for a NULL arena
uint32_t bks_arena_inspect(const bks_arena *arena, bks_pool_usage *out, uint32_t capacity);

/// Write a byte over all items of the arena's pools that are not live: for tools that look for what
/// still refers to removed items. The library leaves zeros there, so 0 brings back what was; an
/// item that is added is zero in any case.
/// @return items whose first byte was another; 0 for a NULL arena
uint32_t bks_arena_fill_free(bks_arena *arena, uint8_t byte);

// Memory of a state, part by part: for overlays and other tools of a developer.
//
// Thread rule: as the state itself, one thread at a time.

/// Kinds of part of a state's memory.
typedef enum bks_memory_kind {
    BKS_MEMORY_ROOT = 0,   ///< the root struct, with what is left after it up to the arena; all of
                           ///< a state without an arena
    BKS_MEMORY_HEAD = 1,   ///< the arena's bookkeeping
    BKS_MEMORY_BLOCKS = 2, ///< blocks that bks_arena_alloc() gave, side by side
    BKS_MEMORY_POOL = 3,   ///< a pool with its bookkeeping
    BKS_MEMORY_FREE = 4,   ///< after what is in use
} bks_memory_kind;

/// One part of a state's memory.
typedef struct bks_memory_part {
    bks_memory_kind kind;  ///< kind of part
    char name[24];         ///< POOL: its name, printable ASCII; others: ""
    uint64_t offset_bytes; ///< offset from the state's start
    uint64_t bytes;        ///< size of the part
    uint64_t item_bytes;   ///< POOL: size of one item; this and all that follow are 0 for others
    uint32_t capacity;     ///< POOL: most items
    uint32_t live;         ///< POOL: items now
    uint32_t high_water;   ///< POOL: most items at once so far
    uint32_t leaked;       ///< POOL: as in bks_pool_usage
    uint64_t added;        ///< POOL: items ever added
} bks_memory_part;

/// Report what a state's memory holds, from its start to its end: root, arena, blocks and pools.
/// The bytes may come from anywhere, such as a recording: nothing is believed of them, and pools
/// after a damaged one count as blocks.
/// @param state       not NULL unless count is 0
/// @param count       its bytes: bks_state_bytes() of a region
/// @param root_bytes  size of the game's root; 0: the state has no arena
/// @param out         may be NULL when capacity is 0, which asks for the number only
/// @param capacity    length of out
/// @return the number of parts, which may be more than capacity; 0 for NULL or no bytes
uint32_t bks_state_memory(const void *state, size_t count, size_t root_bytes, bks_memory_part *out,
                          uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_STATE_MAP_H
