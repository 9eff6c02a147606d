// SPDX-License-Identifier: MIT

/// @file toolkit/state_map.h State maps: the object, field and type of each byte of a state; or
/// that the byte is padding, free, or the library's own bookkeeping.
///
/// A map holds the game's types as C tables. The program `bks` makes one from the debug information
/// of a plug-in and from bks_game.types, and writes it as C (`bks games --map GAME --as-c`), so
/// that a shipped game can carry it as bks_game.map. A step does not see the map.
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

/// Uses of a byte of a state.
typedef enum bks_map_use {
    BKS_MAP_LIVE = 0,    ///< the byte belongs to a value of the game
    BKS_MAP_PADDING = 1, ///< the byte is padding between two values
    /// The byte is free: in an item that is not live, or after the bytes in use.
    BKS_MAP_FREE = 2,
    BKS_MAP_BOOKKEEPING = 3, ///< the byte is bookkeeping of the arena or a pool
    BKS_MAP_UNNAMED = 4,     ///< the byte is in use, but the map does not cover it
} bks_map_use;

/// Place of a byte in a state, according to its map.
typedef struct bks_map_place {
    /// Object and field together: "shots[3].x", "(padding).byte 40".
    char name[288];
    /// Name of the object: "shots[3]", "score", "root" for plain members of the root; else
    /// "(padding)", "(free)", "(arena)" or "(unnamed)".
    char object[112];
    /// Name of the field: "x", "[1]", "memory[2]". For a byte without a field "byte N", counted
    /// from the start of the object, or of the state if `object` is in parentheses.
    char field[160];
    /// Remark beside the name, such as "behind ships[2].kills" for the padding after that member;
    /// may be empty.
    char note[160];
    bks_map_use use; ///< use of the byte: value, padding, free or bookkeeping
    /// Index in bks_state_map.types of the value's type; UINT32_MAX: bytes without a type.
    uint32_t type;
    uint64_t begin_bytes; ///< offset in the state where the value, or the run of bytes, begins
    uint64_t end_bytes;   ///< offset in the state where the value, or the run of bytes, ends
    uint16_t bits;        ///< width of a bit-field in bits; 0: no bit-field
    uint16_t bit_offset;  ///< position of a bit-field, counted from the lowest bit at begin_bytes
} bks_map_place;

/// Check a map. Once it has passed, the other functions can use it.
/// @param map    not NULL
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (error names the type and what is
///         wrong)
BKS_NODISCARD bks_status bks_state_map_check(const bks_state_map *map, bks_error *error);

/// Check entries of bks_game.types as far as that is possible without debug information.
/// @param entries  may be NULL when count is 0
/// @param count    length of `entries`
/// @param error    may be NULL
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names the entry and what is wrong)
BKS_NODISCARD bks_status bks_type_entries_check(const bks_type_entry *entries, uint32_t count,
                                                bks_error *error);

/// Find the place of a byte of a state. The bytes of the state may be any.
/// @param map           a valid map
/// @param state         bytes as in a region or a recording
/// @param count         number of bytes in use
/// @param offset_bytes  offset of the byte from the state's start; may lie after the end
/// @param bit           0..7: the bit, because bit-fields share bytes
/// @param out           receives the place
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_map_find(const bks_state_map *map, const void *state, size_t count,
                              uint64_t offset_bytes, uint32_t bit, bks_map_place *out);

/// Write a value as text for people: a float with its bits, an enumerator by name, a reference by
/// its target, bytes as hexadecimal digits.
/// @param map       a valid map
/// @param state     the state that the value is read from
/// @param count     number of bytes in use
/// @param place     place of the value, from bks_state_map_find() for this state or one of the same
///                  layout
/// @param out       receives the text, "" when the state has no such bytes
/// @param capacity  size of `out`, at least 1
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_map_value(const bks_state_map *map, const void *state, size_t count,
                               const bks_map_place *place, char *out, size_t capacity);

/// Hash the values of a state rather than its bytes: numbers count in one byte order and padding
/// not at all, so machines of different byte order agree (docs/spec/state-hash.md). It visits all
/// values by name, which takes about 20 ms for 100 kB of small values, so do not call it at every
/// tick.
/// @param map    a valid map that covers all bytes in use; bit-fields are read at the positions in
///               the map, which differ between machines
/// @param state  bytes as in a region
/// @param count  number of bytes in use
/// @param out    receives the hash
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_UNSUPPORTED: a value has no meaning on other machines, such as a raw
///         pointer or bytes of no known type (error names it); BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_state_map_hash(const bks_state_map *map, const void *state,
                                            size_t count, uint64_t *out, bks_error *error);

// Comparison of two states by name: one difference for each value rather than each byte, and values
// of the game separate from padding, free space and bookkeeping.
//
//     const bks_state_names names = {.map = map};
//     bks_map_place places[16];
//     bks_state_comparison found;
//     if (bks_state_compare(&names, &ours, &theirs, places, 16, &found) == BKS_OK &&
//         found.count > 0) {
//         puts(places[0].name); // "shots[3].x"
//     }
//
// Thread rule: a map is constant and the functions keep no state; any thread may call them.

/// Source of names for the bytes of a game's states: its map, else its ranges, else pools and
/// pages.
typedef struct bks_state_names {
    const bks_state_map *map; ///< valid map of the state; NULL: none
    /// Named ranges of the state, used if there is no map; may be NULL.
    const bks_state_range *ranges;
    uint32_t range_count; ///< length of `ranges`, 0..BKS_STATE_RANGES_MAX
} bks_state_names;

/// One of two states to compare. Its bytes may be any.
typedef struct bks_compared_state {
    /// Bytes of the state, as in a region or a recording; may be NULL when count is 0.
    const void *bytes;
    /// Number of bytes in use; bytes that only the other state has are compared with zeros.
    size_t count;
    /// Address of the state in its process, so that raw pointers into it are compared by their
    /// targets; 0: not known, they are compared by their bytes.
    uint64_t address;
} bks_compared_state;

/// Result of a comparison of two states.
typedef struct bks_state_comparison {
    uint64_t bytes; ///< number of bytes that differ
    uint32_t count; ///< number of differences named
    /// Number of named differences in values of the game or in unnamed bytes: these come first.
    uint32_t live_count;
    /// True when all differences were named, so with count 0 the states are the same.
    bool is_complete;
} bks_state_comparison;

/// Compare two states. The time is linear in their size. At most 16384 differences are named, and
/// at most 64 of those are found by following references.
///
/// Names come from state `a`, or from `b` where only `b` has one, as for an item that `a` lacks.
/// Floats are compared by their bits. Two references or ids in the same place are equal if their
/// bytes are.
/// @param names     names of the bytes
/// @param a         first state, which gives the names
/// @param b         second state
/// @param out       receives the differences: values of the game in order of offset, then padding,
///                  free space and bookkeeping in order of offset; NULL when capacity is 0
/// @param capacity  length of `out`
/// @param found     receives the counts
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_compare(const bks_state_names *names, const bks_compared_state *a,
                             const bks_compared_state *b, bks_map_place *out, uint32_t capacity,
                             bks_state_comparison *found);

/// Find the place of a byte of a state by the map, or without a map as bks_state_find() does, with
/// separate names for object and field.
/// @param names         names of the bytes
/// @param state         bytes of the state
/// @param count         number of bytes in use
/// @param offset_bytes  offset of the byte from the state's start; may lie after the end
/// @param bit           0..7: the bit of the byte
/// @param out           receives the place
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_name(const bks_state_names *names, const void *state, size_t count,
                          uint64_t offset_bytes, uint32_t bit, bks_map_place *out);

/// Write one element as text for people: a byte without a type as two hexadecimal digits.
/// @param at             bytes of the element in this machine's byte order, at any alignment
/// @param out, capacity  buffer for the text and its size, at least 1; 32 are always enough
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_type_text(bks_state_type type, const void *at, char *out, size_t capacity);

/// Write a value as text for people: by the map as bks_state_map_value() does, else by the type of
/// its range, else as up to 16 bytes.
/// @param names     names of the bytes
/// @param state     the state that contains the value
/// @param place     place of the value, from a function of this header for this state or one of the
///                  same layout
/// @param out       receives the text; "beyond its N bytes" when the state has no such bytes
/// @param capacity  size of `out`, at least 1
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_value(const bks_state_names *names, const bks_compared_state *state,
                           const bks_map_place *place, char *out, size_t capacity);

/// Size of a buffer for a value as text, its zero included.
#define BKS_STATE_VALUE_BYTES 192

/// The first difference of two states.
typedef struct bks_state_difference {
    /// Place of the value that differs: its name, and a remark (note).
    bks_map_place place;
    /// Value in each of the two states, as bks_state_value() writes it. If the two texts are the
    /// same, or too long to be shown in full, up to 16 bytes from the first differing byte on.
    /// Bytes of no type that are printable UTF-8 are shown as text in quotes, such as what `save`
    /// wrote by printf; the place's note says which bytes of the state it is.
    char values[2][BKS_STATE_VALUE_BYTES];
} bks_state_difference;

/// Name the first difference of two states that the game considers different.
/// @param names  names of the bytes
/// @param a, b   the two states
/// @param out    receives the difference: the first value that differs; padding, free space or
///               bookkeeping only if no value differs; else the first byte, for instance of a raw
///               pointer with the same target
/// @return BKS_OK; BKS_OVER: the bytes are the same, so only the game's own hash can differ: the
///         name is then "(unnamed).hash" and the values are empty; BKS_ERR_BAD_ARGUMENT
bks_status bks_state_difference_find(const bks_state_names *names, const bks_compared_state *a,
                                     const bks_compared_state *b, bks_state_difference *out);

/// Visit every value of a state, and every run of padding, free space and bookkeeping, in the order
/// of offsets. The time is linear in the size.
/// @param names    names of the bytes
/// @param state    bytes of the state, which may be any
/// @param count    number of bytes in use
/// @param visit    called for each place, which is valid during the call; return false to stop. Not
///                 NULL
/// @param context  passed to `visit`, may be NULL
/// @return BKS_OK; BKS_OVER: the walk stopped following references after 2048 blocks, and visited
///         no blocks beyond these; BKS_ERR_BAD_ARGUMENT
bks_status bks_state_walk(const bks_state_names *names, const void *state, size_t count,
                          bool (*visit)(void *context, const bks_map_place *place), void *context);

/// Get the size of one element of a type.
/// @return 1..8, 0 for a number that is no type
uint32_t bks_state_type_bytes(bks_state_type type);

/// Place of a byte in a state, and the object that it belongs to.
typedef struct bks_state_place {
    /// Name of the byte: "score[1]", "ships[2].byte 40"; for unnamed bytes "(root).byte 7", and
    /// likewise "(pool NAME)" for a pool's bookkeeping, "(arena)", "(free)", and "(state)" if the
    /// state has no arena.
    char name[104];
    /// Name of the object alone: "score", "ships", "(root)".
    char object[64];
    uint64_t begin_bytes; ///< offset in the state where the object begins
    /// Offset in the state where the object ends, or earlier if a named range begins before that.
    uint64_t end_bytes;
    uint32_t range;   ///< index of the range, UINT32_MAX: none
    uint32_t element; ///< index of the element in the range, else 0
} bks_state_place;

/// Find the place of a byte of a state without a map: by the narrowest range around it, otherwise
/// by the pool that it lies in. The bytes may be any; the game is not needed.
/// @param state         bytes as in a region or a recording; NULL when only the ranges are known
/// @param count         number of bytes in use, 0 for NULL
/// @param ranges        names of the state's bytes, may be NULL
/// @param range_count   length of `ranges`, 0..BKS_STATE_RANGES_MAX
/// @param offset_bytes  offset of the byte from the state's start; may lie after the end
/// @param out           receives the place
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_state_find(const void *state, size_t count, const bks_state_range *ranges,
                          uint32_t range_count, uint64_t offset_bytes, bks_state_place *out);

/// Usage of one pool. The numbers lie in the region, so they are right after every restore.
typedef struct bks_pool_usage {
    const char *name;    ///< name passed to bks_pool_create(); valid as long as the region
    size_t item_bytes;   ///< size of one item in bytes
    uint32_t capacity;   ///< maximum number of items
    uint32_t live;       ///< present number of items
    uint32_t high_water; ///< greatest number of items at any time so far
    uint32_t leaked;     ///< items above the count at the last bks_arena_baseline()
    uint64_t added;      ///< number of items ever added
    uint64_t removed;    ///< number of items ever removed
} bks_pool_usage;

/// Report the usage of each pool of the arena, in order of creation.
/// @param out       NULL asks for the count only
/// @param capacity  length of `out`
/// @return the number of pools, which may be more than capacity; 0 for a NULL arena
uint32_t bks_arena_inspect(const bks_arena *arena, bks_pool_usage *out, uint32_t capacity);

/// Write a byte over all items of the arena's pools that are not live, for tools that search for
/// uses of removed items. The library leaves zeros there, so 0 restores the normal state; a newly
/// added item is zero in any case.
/// @return number of items whose first byte changed; 0 for a NULL arena
uint32_t bks_arena_fill_free(bks_arena *arena, uint8_t byte);

// Memory of a state, part by part, for overlays and other developer tools.
//
// Thread rule: as the state itself, one thread at a time.

/// Kinds of part of a state's memory.
typedef enum bks_memory_kind {
    /// The root struct, with the space after it up to the arena; the whole state if it has no
    /// arena.
    BKS_MEMORY_ROOT = 0,
    BKS_MEMORY_HEAD = 1,   ///< the arena's bookkeeping
    BKS_MEMORY_BLOCKS = 2, ///< consecutive blocks from bks_arena_alloc()
    BKS_MEMORY_POOL = 3,   ///< a pool with its bookkeeping
    BKS_MEMORY_FREE = 4,   ///< free space after the bytes in use
} bks_memory_kind;

/// One part of a state's memory.
typedef struct bks_memory_part {
    bks_memory_kind kind; ///< kind of part
    /// BKS_MEMORY_POOL: name of the pool, printable ASCII; others: "".
    char name[24];
    uint64_t offset_bytes; ///< offset of the part from the state's start, in bytes
    uint64_t bytes;        ///< size of the part in bytes
    uint64_t item_bytes;   ///< BKS_MEMORY_POOL: size of one item in bytes; 0 for other kinds
    uint32_t capacity;     ///< BKS_MEMORY_POOL: maximum number of items; 0 for other kinds
    uint32_t live;         ///< BKS_MEMORY_POOL: present number of items; 0 for other kinds
    /// BKS_MEMORY_POOL: greatest number of items at any time so far; 0 for other kinds.
    uint32_t high_water;
    /// BKS_MEMORY_POOL: items above the count at the last bks_arena_baseline(); 0 for other kinds.
    uint32_t leaked;
    uint64_t added; ///< BKS_MEMORY_POOL: number of items ever added; 0 for other kinds
} bks_memory_part;

/// Report what a state's memory holds, from its start to its end: root, arena, blocks and pools.
/// The bytes may be any, for instance from a recording: they are validated, and pools after a
/// damaged one are reported as blocks.
/// @param state       not NULL unless count is 0
/// @param count       number of bytes: bks_state_bytes() of a region
/// @param root_bytes  size of the game's root; 0: the state has no arena
/// @param out         receives the parts; may be NULL when capacity is 0, to get their number only
/// @param capacity    length of `out`
/// @return the number of parts, which may be more than capacity; 0 for NULL or count 0
uint32_t bks_state_memory(const void *state, size_t count, size_t root_bytes, bks_memory_part *out,
                          uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_STATE_MAP_H
