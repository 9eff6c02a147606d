// SPDX-License-Identifier: MIT

/// @file state.h
/// Memory for a game's state: one region of bytes, with an arena and typed pools inside it.
///
/// The library owns the region and hands its start to `init` and `step`. The game's root struct
/// lies there; when the game sets `root_bytes`, an arena follows and serves the rest. Arena and
/// pools lie entirely inside the region, with their bookkeeping, so a restored snapshot restores
/// them as well. Fresh and freed memory is always zero, so no old byte can make two peers differ.
///
/// A state may come from a file or another machine. Then the library validates the arena and its
/// pools, and it refuses a reference that leaves the region, or a pool that is invalid, at each
/// use. The library cannot check that a reference points to the right kind of target; the game does
/// that in bks_game.check.
///
///     duel_state *duel = state;
///     bks_arena *arena = bks_arena_of(state, sizeof(*duel));
///     bks_pool *shots = bks_pool_create(arena, "shots", sizeof(duel_shot), 256);
///     bks_ref_set(&duel->shots, shots);
///
/// Thread rule: as the state itself, one thread at a time.

#ifndef BACKSTITCH_STATE_H
#define BACKSTITCH_STATE_H

#include "backstitch/base.h"

#ifdef __cplusplus
#include <type_traits>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Types of the elements of a named range of the state.
typedef enum bks_state_type {
    BKS_STATE_BYTES = 0, ///< bytes of no particular type
    BKS_STATE_U8 = 1,    ///< uint8_t
    BKS_STATE_I8 = 2,    ///< int8_t
    BKS_STATE_U16 = 3,   ///< uint16_t
    BKS_STATE_I16 = 4,   ///< int16_t
    BKS_STATE_U32 = 5,   ///< uint32_t
    BKS_STATE_I32 = 6,   ///< int32_t
    BKS_STATE_U64 = 7,   ///< uint64_t
    BKS_STATE_I64 = 8,   ///< int64_t
    BKS_STATE_F32 = 9,   ///< float
    BKS_STATE_F64 = 10,  ///< double
} bks_state_type;

/// Maximum number of named ranges of a state.
#define BKS_STATE_RANGES_MAX 256

/// Name of some bytes of the state: for example "score", at offset 40, two int32_t.
typedef struct bks_state_range {
    const char *name;      ///< name of the range, required, 1..63 bytes of printable ASCII
    uint64_t offset_bytes; ///< offset of the range from the state's start, in bytes
    uint32_t count;        ///< number of elements, at least 1
    bks_state_type type;   ///< type of each element
    /// True: record the range at every tick, if bks_replay_detail asks for values.
    bool is_recorded;
} bks_state_range;

/// Describe a member of the root struct as a range: its name, offset, size and type. It also works
/// in C++, if the root struct has standard layout.
///
///     static const bks_state_range ranges[] = {
///         BKS_RANGE(tag_state, score, true), // two int32_t, recorded at every tick when asked for
///         BKS_RANGE(tag_state, hunter, false),
///     };
///
/// @param root      type of the struct at the region's start
/// @param member    name of the member, such as score, or ship[2].x. An array of numbers becomes
///                  one range; structs become bytes
/// @param recorded  value for is_recorded
#ifndef __cplusplus
#define BKS_RANGE(root, member, recorded)                                                        \
    {                                                                                            \
        .name = #member, .offset_bytes = offsetof(root, member),                                 \
        .count = (uint32_t)(sizeof(((root *)0)->member) / BKS_RANGE_BYTES(((root *)0)->member)), \
        .type = BKS_RANGE_TYPE(((root *)0)->member), .is_recorded = (recorded)                   \
    }

/// Type of a number or of an array's elements; BKS_STATE_BYTES for any other type.
#define BKS_RANGE_TYPE(value) \
    _Generic((value),              \
        uint8_t: BKS_STATE_U8,     \
        uint8_t *: BKS_STATE_U8,   \
        int8_t: BKS_STATE_I8,      \
        int8_t *: BKS_STATE_I8,    \
        uint16_t: BKS_STATE_U16,   \
        uint16_t *: BKS_STATE_U16, \
        int16_t: BKS_STATE_I16,    \
        int16_t *: BKS_STATE_I16,  \
        uint32_t: BKS_STATE_U32,   \
        uint32_t *: BKS_STATE_U32, \
        int32_t: BKS_STATE_I32,    \
        int32_t *: BKS_STATE_I32,  \
        uint64_t: BKS_STATE_U64,   \
        uint64_t *: BKS_STATE_U64, \
        int64_t: BKS_STATE_I64,    \
        int64_t *: BKS_STATE_I64,  \
        float: BKS_STATE_F32,      \
        float *: BKS_STATE_F32,    \
        double: BKS_STATE_F64,     \
        double *: BKS_STATE_F64,   \
        default: BKS_STATE_BYTES)

/// Size of one element of a value, in bytes, a constant.
#define BKS_RANGE_BYTES(value)                                                              \
    (BKS_RANGE_TYPE(value) <= BKS_STATE_I8                                              ? 1 \
     : BKS_RANGE_TYPE(value) <= BKS_STATE_I16                                           ? 2 \
     : BKS_RANGE_TYPE(value) <= BKS_STATE_I32 || BKS_RANGE_TYPE(value) == BKS_STATE_F32 ? 4 \
                                                                                        : 8)

#else
#define BKS_RANGE(root, member, recorded)                                          \
    {                                                                              \
#member, offsetof(root, member),                                           \
            bks_range_of < decltype(((root *)nullptr)->member)> ::count,           \
            bks_range_of < decltype(((root *)nullptr)->member)> ::type, (recorded) \
    }

extern "C++" {

/// State type of a C++ number type; BKS_STATE_BYTES for any other type.
template <typename Number> struct bks_range_number {
    /// state type of the number
    static constexpr bks_state_type type = std::is_same<Number, uint8_t>::value    ? BKS_STATE_U8
                                           : std::is_same<Number, int8_t>::value   ? BKS_STATE_I8
                                           : std::is_same<Number, uint16_t>::value ? BKS_STATE_U16
                                           : std::is_same<Number, int16_t>::value  ? BKS_STATE_I16
                                           : std::is_same<Number, uint32_t>::value ? BKS_STATE_U32
                                           : std::is_same<Number, int32_t>::value  ? BKS_STATE_I32
                                           : std::is_same<Number, uint64_t>::value ? BKS_STATE_U64
                                           : std::is_same<Number, int64_t>::value  ? BKS_STATE_I64
                                           : std::is_same<Number, float>::value    ? BKS_STATE_F32
                                           : std::is_same<Number, double>::value   ? BKS_STATE_F64
                                                                                 : BKS_STATE_BYTES;
};

/// Integer type of an enum, as in C; any other type is left as it is.
template <typename Value, bool is_enum = std::is_enum<Value>::value> struct bks_range_plain {
    using type = Value; ///< the type itself, because it is no enum
};
template <typename Value> struct bks_range_plain<Value, true> {
    /// Underlying integer type of the enum.
    using type = typename std::underlying_type<Value>::type;
};

/// State type and element count of a member for BKS_RANGE, the same as in C.
template <typename Member> struct bks_range_of {
    /// Type of the member, without a reference.
    using value = typename std::remove_reference<Member>::type;
    using element = typename std::conditional<
        std::is_array<value>::value, typename std::remove_extent<value>::type,
        typename std::remove_cv<value>::type>::type; ///< type of one element
    /// State type of one element.
    static constexpr bks_state_type type =
        bks_range_number<typename bks_range_plain<element>::type>::type;
    /// Number of elements.
    static constexpr uint32_t count =
        (uint32_t)(sizeof(value) / (type == BKS_STATE_BYTES ? 1 : sizeof(element)));
};

} // end of the extern C++ block
#endif

/// A pointer that may lie in the region and works in every process: the distance from itself to its
/// target. All zero is null. Do not copy a reference by assignment, because the distance is only
/// right at its own address.
typedef struct bks_ref {
    int64_t distance_bytes; ///< address of the target minus the address of this field; 0 is null
} bks_ref;

/// Point `ref` at `target`, both in the same region. A NULL target makes it null.
/// @param ref  not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (ref is NULL, points at itself, or lies in a region and
///         target outside of it; then ref is unchanged)
BKS_API bks_status bks_ref_set(bks_ref *ref, const void *target);

/// Get the target of a reference.
/// @param ref  NULL is allowed
/// @return the target; NULL when the reference is null, or lies in a region of the library and its
///         target outside of it (logged)
BKS_API void *bks_ref_get(const bks_ref *ref);

/// Get the size of the region that begins at `state`, which is the limit for a game's own offsets.
/// @return the size in bytes, 0 if no region of the library begins there
BKS_API size_t bks_state_bytes(const void *state);

/// The part of a region after the root struct. Memory is allocated from it and never freed: use a
/// pool for objects that come and go.
typedef struct bks_arena bks_arena;

/// Get the arena of a region. The library creates it before it calls `init`.
/// @param state       start of the region, as given to init and step
/// @param root_bytes  the game's `root_bytes`
/// @return the arena; NULL when state is NULL or the region has no arena there (logged)
BKS_API bks_arena *bks_arena_of(void *state, size_t root_bytes);

/// Allocate zeroed memory from the arena.
/// @param bytes      at least 1
/// @param alignment  a power of two, 1..4096
/// @return the memory, NULL when the arena is full or an argument is out of range (logged)
BKS_API void *bks_arena_alloc(bks_arena *arena, size_t bytes, size_t alignment);

/// Get the number of bytes of the region in use, including the root struct and the arena's
/// bookkeeping. A snapshot copies these bytes.
/// @return the number of bytes, 0 for a NULL arena
BKS_API size_t bks_arena_used_bytes(const bks_arena *arena);

/// Get the size of the whole region.
/// @return the size in bytes, 0 for a NULL arena
BKS_API size_t bks_arena_capacity_bytes(const bks_arena *arena);

/// Id of one item of a pool, valid as long as the item lives: slot and generation. 0 is null. Every
/// build detects a stale id.
typedef uint32_t bks_id;

/// Pool of many short-lived items of one size.
typedef struct bks_pool bks_pool;

/// Maximum number of items in a pool.
#define BKS_POOL_CAPACITY_MAX 65535u

/// Create a pool inside the arena; it lives as long as the region.
/// @param name        copied; at most 23 bytes are kept
/// @param item_bytes  1..1048576; items are aligned to 16 bytes
/// @param capacity    1..BKS_POOL_CAPACITY_MAX
/// @return the pool, NULL when the arena is full or an argument is out of range (logged)
BKS_API bks_pool *bks_pool_create(bks_arena *arena, const char *name, size_t item_bytes,
                                  uint32_t capacity);

/// Add a zeroed item. It need not get the lowest free slot, but the same calls always give the same
/// slot.
/// @param out_item  receives the item, may be NULL
/// @return the id of the item, 0 when the pool is full or NULL
BKS_API bks_id bks_pool_add(bks_pool *pool, void **out_item);

/// Get the item of an id.
/// @return the item; NULL when the id is null or stale, or the pool is NULL
BKS_API void *bks_pool_get(const bks_pool *pool, bks_id id);

/// Remove an item; its bytes become zero and its id stale.
/// @return true when the item existed
BKS_API bool bks_pool_remove(bks_pool *pool, bks_id id);

/// Get the next live item in slot order, which is the same on every peer. Removing the item just
/// returned is allowed while walking.
///
///     uint32_t cursor = 0;
///     bks_id id;
///     for (duel_shot *shot; (shot = bks_pool_next(shots, &cursor, &id)) != NULL;) …
///
/// @param cursor  set it to 0 before the first call
/// @param out_id  receives the item's id, may be NULL
/// @return the item, NULL when there are no more
BKS_API void *bks_pool_next(const bks_pool *pool, uint32_t *cursor, bks_id *out_id);

/// Count the live items.
/// @return the number of live items, 0 for NULL
BKS_API uint32_t bks_pool_count(const bks_pool *pool);

/// Return true if a reference leads to a pool in its region that was created with these arguments.
/// For bks_game.check.
/// @param name        as passed to bks_pool_create(); NULL: any
/// @param item_bytes  as passed to bks_pool_create()
/// @param capacity    as passed to bks_pool_create()
/// @return true if the reference leads to such a pool; false also for a null reference
BKS_API bool bks_ref_is_pool(const bks_ref *ref, const char *name, size_t item_bytes,
                             uint32_t capacity);

/// Return true if a reference leads to the start of a live item of a pool. For bks_game.check.
/// @param pool  may be NULL: then the result is false
/// @return true if the reference leads to such an item; false also for a null reference
BKS_API bool bks_ref_in_pool(const bks_ref *ref, const bks_pool *pool);

/// Return true if a reference leads to memory from bks_arena_alloc(): after the root, in use, and
/// not part of a pool. For bks_game.check.
/// @param bytes      size of the memory from the target on, at least 1
/// @param alignment  alignment of the target, at least 1
/// @return true if the reference leads to such memory; false also for a null reference
BKS_API bool bks_ref_in_arena(const bks_ref *ref, size_t bytes, size_t alignment);

/// Remember the live count of every pool: later, items above that count are reported as leaked.
/// Call it when the counts should be the same each time, such as at the start of each round. NULL
/// is allowed.
BKS_API void bks_arena_baseline(bks_arena *arena);

/// Table of regions that the copies of the library in one process share. A plug-in may contain its
/// own copy of the library (plugin.h); its references are checked only after it has joined the
/// program's table. Opaque.
typedef struct bks_library bks_library;

/// Get the table of regions of this copy of the library, for bks_plugin_join(). Never NULL, never
/// freed.
BKS_API bks_library *bks_library_here(void);

/// Use another copy's table of regions from now on, so that references work in both copies. Call it
/// before more than one thread uses the calling copy.
/// @param library  bks_library_here() of the program
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (library is NULL), BKS_ERR_UNSUPPORTED (the copy has
///         another version)
BKS_API bks_status bks_library_join(bks_library *library);

/// Hash of a game's state while bytes are being added.
typedef struct bks_hasher bks_hasher;

/// Add bytes to a hash, in a game's `hash` callback. Integers of more than one byte are hashed in
/// memory order; if machines of both byte orders play together, add them in a fixed byte order.
/// @param hasher  not NULL
/// @param bytes   not NULL when count is above 0
BKS_API void bks_hash_add(bks_hasher *hasher, const void *bytes, size_t count);

// State maps: the object and field of each byte of a state, as C tables. A game may contain them as
// bks_game.map. With bks_game.types a game states details that debug information lacks.
// toolkit/state_map.h reads both.

/// Kinds of type, which decide how values are read.
typedef enum bks_map_kind {
    BKS_MAP_BYTES = 0,  ///< bytes of no particular type
    BKS_MAP_STRUCT = 1, ///< a struct, which has members
    /// A union, whose members share their bytes; bks_map_case says which member is valid.
    BKS_MAP_UNION = 2,
    BKS_MAP_ENUM = 3,     ///< an enum: a number with names, of 1, 2, 4 or 8 bytes
    BKS_MAP_UINT = 4,     ///< an unsigned number of 1, 2, 4 or 8 bytes
    BKS_MAP_INT = 5,      ///< a signed number of 1, 2, 4 or 8 bytes
    BKS_MAP_BOOL = 6,     ///< true or false, of 1, 2, 4 or 8 bytes
    BKS_MAP_CHAR = 7,     ///< a character of 1 byte
    BKS_MAP_FLOAT = 8,    ///< float or double; another size is read as bytes
    BKS_MAP_REF = 9,      ///< a bks_ref
    BKS_MAP_ID = 10,      ///< a bks_id
    BKS_MAP_POINTER = 11, ///< a pointer: an address of the process
} bks_map_kind;

/// Maximum number of dimensions of an array; further ones are merged into the last.
#define BKS_MAP_DIMENSIONS_MAX 3

/// Maximum number of types in a map.
#define BKS_MAP_TYPES_MAX 4096

/// Maximum number of members of one type.
#define BKS_MAP_MEMBERS_MAX 4096

/// A member of a struct or a union.
typedef struct bks_map_member {
    /// Name of the member, required; "" for an unnamed struct or union.
    const char *name;
    /// Index in bks_state_map.types of the member's type; for an array, of its elements' type.
    uint32_t type;
    uint64_t offset_bytes; ///< offset of the member from the start of the struct, in bytes
    /// Array length by dimension; 0: the member has no such dimension.
    uint32_t count[BKS_MAP_DIMENSIONS_MAX];
    uint16_t bits; ///< width of a bit-field in bits; 0: no bit-field
    /// Position of a bit-field, counted from the lowest bit at offset_bytes.
    uint16_t bit_offset;
} bks_map_member;

/// Name for one value of an enum.
typedef struct bks_map_enumerator {
    const char *name; ///< name of the value, required
    /// The value, as the bytes or the bit-field have it when read as signed or as unsigned.
    int64_t value;
} bks_map_enumerator;

/// A type. The types of a struct's or union's members come after it in the table, so no type
/// contains itself.
typedef struct bks_map_type {
    /// Name of the type, required; "" for a type without a name.
    const char *name;
    bks_map_kind kind;                     ///< kind of the type, by which its values are read
    uint64_t bytes;                        ///< size of one value in bytes, at least 1
    const bks_map_member *members;         ///< BKS_MAP_STRUCT, BKS_MAP_UNION: the members
    uint32_t member_count;                 ///< length of `members`
    const bks_map_enumerator *enumerators; ///< BKS_MAP_ENUM: the names of its values
    uint32_t enumerator_count;             ///< length of `enumerators`
    /// BKS_MAP_REF: index in bks_state_map.types of the target's type; 0: a pool, or not known.
    uint32_t target;
    /// BKS_MAP_REF: number of consecutive values at the target, 0: not known.
    uint32_t target_count;
    const char *pool; ///< BKS_MAP_ID: name of the pool that holds the item; NULL: not known
} bks_map_type;

/// Type of a pool's items.
typedef struct bks_map_pool {
    const char *name; ///< name of the pool, required, as passed to bks_pool_create()
    uint32_t type;    ///< index in bks_state_map.types of the items' type
} bks_map_pool;

/// Rule that says which member of a union is valid, by a number beside the union.
typedef struct bks_map_case {
    /// Index in bks_state_map.types of the struct that has the union and the number as members.
    uint32_t type;
    uint32_t by;       ///< index of the struct's member that is the number
    int64_t value;     ///< value of the number for which this rule applies
    uint32_t member;   ///< index of the struct's member that is the union
    uint32_t selected; ///< index of the union's member that is valid for this value
} bks_map_case;

/// The types of a game's state. Its first type is the root.
typedef struct bks_state_map {
    const bks_map_type *types; ///< types of the state, with the root first; required
    uint32_t type_count;       ///< length of `types`, 1..BKS_MAP_TYPES_MAX
    bool has_arena;            ///< true if an arena lies after the root: the game sets root_bytes
    const bks_map_pool *pools; ///< types of the pools' items, may be NULL
    uint32_t pool_count;       ///< length of `pools`
    const bks_map_case *cases; ///< rules for unions, may be NULL
    uint32_t case_count;       ///< length of `cases`
    /// Name of the array that follows a root without an arena; NULL: no array follows.
    const char *rest_name;
    uint32_t rest_type; ///< index in `types` of the element type of the array `rest_name`
} bks_state_map;

/// Kinds of entry in bks_game.types.
typedef enum bks_type_entry_kind {
    BKS_TYPE_IS_ROOT = 1, ///< entry for the root struct
    BKS_TYPE_IS_POOL = 2, ///< entry for the type of a pool's items
    BKS_TYPE_IS_REF = 3,  ///< entry for the target of a bks_ref
    BKS_TYPE_IS_ID = 4,   ///< entry for the pool of a bks_id
    BKS_TYPE_IS_ENUM = 5, ///< entry for the enum that names the values of a number
    BKS_TYPE_IS_CASE = 6, ///< entry for a rule that says which member of a union is valid
    /// Entry for the type of the elements that follow a root without an arena.
    BKS_TYPE_IS_REST = 7,
} bks_type_entry_kind;

/// Maximum number of entries in bks_game.types.
#define BKS_TYPE_ENTRIES_MAX 1024

/// Detail of a type that debug information lacks. Write entries by the macros below: then the
/// compiler checks the names.
///
///     static const bks_type_entry types[] = {
///         BKS_TYPE_ROOT(duel_state),
///         BKS_TYPE_POOL("ships", duel_ship),
///         BKS_TYPE_REF(duel_state, field, uint16_t, DUEL_TILES_MAX),
///         BKS_TYPE_ID(duel_state, ship, "ships"),
///         BKS_TYPE_ENUM(duel_state, mode, duel_mode),
///     };
typedef struct bks_type_entry {
    /// Struct that has the member; BKS_TYPE_IS_POOL: name of the pool; BKS_TYPE_IS_REST: name of
    /// the array.
    const char *owner;
    /// Size of the struct in bytes, 0 for BKS_TYPE_IS_POOL and BKS_TYPE_IS_REST.
    size_t owner_bytes;
    bks_type_entry_kind kind; ///< kind of entry
    /// Name of the struct's member; BKS_TYPE_IS_CASE: name of the number that says which member of
    /// the union is valid.
    const char *member;
    size_t member_bytes; ///< size of the whole member in bytes
    /// Name of a type; BKS_TYPE_IS_ID: name of the pool; BKS_TYPE_IS_CASE: name of the union's
    /// member.
    const char *of;
    size_t of_bytes; ///< size in bytes of the type or member that `of` names
    uint32_t count;  ///< BKS_TYPE_IS_REF: number of values at the target
    /// BKS_TYPE_IS_CASE: value of the number for which the member is valid.
    int64_t value;
} bks_type_entry;

/// Size of a member in bytes, for the macros below.
#define BKS_TYPE_BYTES(owner, member) sizeof(((owner *)0)->member)

/// Entry for the root struct of the state.
#define BKS_TYPE_ROOT(type)                                                     \
    {                                                                           \
#type, sizeof(type), BKS_TYPE_IS_ROOT, "", 0, #type, sizeof(type), 0, 0 \
    }

/// Entry for the items of a pool, whose name is given in quotes.
#define BKS_TYPE_POOL(name, type)                                   \
    {                                                               \
        name, 0, BKS_TYPE_IS_POOL, "", 0, #type, sizeof(type), 0, 0 \
    }

/// Entry for a bks_ref that leads to `count` values of a type in memory from bks_arena_alloc().
/// Count 0: not known; the values then end where the target of another reference begins.
#define BKS_TYPE_REF(owner, member, type, count)                                               \
    {                                                                                          \
#owner, sizeof(owner), BKS_TYPE_IS_REF, #member, BKS_TYPE_BYTES(owner, member), #type, \
            sizeof(type), count, 0                                                             \
    }

/// Entry for a bks_id, or an array of them, of items of a pool, whose name is given in quotes.
#define BKS_TYPE_ID(owner, member, pool)                                                           \
    {                                                                                              \
#owner, sizeof(owner), BKS_TYPE_IS_ID, #member, BKS_TYPE_BYTES(owner, member), pool, 0, 0, \
            0                                                                                      \
    }

/// Entry for a number, or an array of numbers, whose values an enum names.
#define BKS_TYPE_ENUM(owner, member, type)                                                      \
    {                                                                                           \
#owner, sizeof(owner), BKS_TYPE_IS_ENUM, #member, BKS_TYPE_BYTES(owner, member), #type, \
            sizeof(type), 0, 0                                                                  \
    }

/// Entry for a member of a union that is valid while the member `by` of the struct around the union
/// has a value: BKS_TYPE_CASE(shape, kind, SHAPE_BOX, of.box), without "of." when the union has no
/// name.
#define BKS_TYPE_CASE(owner, by, value, member)                                           \
    {                                                                                     \
#owner, sizeof(owner), BKS_TYPE_IS_CASE, #by, BKS_TYPE_BYTES(owner, by), #member, \
            BKS_TYPE_BYTES(owner, member), 0, value                                       \
    }

/// Entry for the array that follows a root without an arena, up to the end of the state.
#define BKS_TYPE_REST(name, type)                                   \
    {                                                               \
        name, 0, BKS_TYPE_IS_REST, "", 0, #type, sizeof(type), 0, 0 \
    }

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_STATE_H
