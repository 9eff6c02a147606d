// SPDX-License-Identifier: MIT

/// @file state.h
/// Memory for a game's state: one region of bytes, with an arena and typed pools inside it.
///
/// The library owns the region and hands its start to `init` and `step`. The game's root struct
/// lies there; when the game sets `root_bytes`, an arena follows and serves the rest. Everything
/// here lives inside the region, bookkeeping too, so a restored snapshot brings it back whole.
/// Fresh and freed memory is always zero, so no old byte survives to make two peers differ.
///
/// A state may come from a file or another machine. The library proves the arena and its pools
/// then, and refuses a reference that leaves the region and a pool that is none whenever they are
/// used. Whether a reference leads to what the game takes it for, the game says in bks_game.check.
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

/// Types of a named range of the state.
typedef enum bks_state_type {
    BKS_STATE_BYTES = 0, ///< bytes without a meaning of their own
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

/// Most named ranges of a state.
#define BKS_STATE_RANGES_MAX 256

/// Name of some bytes of the state: "score", 40 bytes from its start, two int32_t.
typedef struct bks_state_range {
    const char *name;      ///< required, 1..63 bytes of printable ASCII
    uint64_t offset_bytes; ///< offset from the state's start
    uint32_t count;        ///< elements, at least 1
    bks_state_type type;   ///< type of each element
    bool is_recorded; ///< worth recording at every tick, when bks_replay_detail asks for values
} bks_state_range;

/// Describe a member of the root struct as a range: its name, place, size and type. In C++ too,
/// where the root must have a standard layout.
///
///     static const bks_state_range ranges[] = {
///         BKS_RANGE(tag_state, score, true), // two int32_t, recorded at every tick when asked for
///         BKS_RANGE(tag_state, hunter, false),
///     };
///
/// @param root      the type of the struct at the region's start
/// @param member    such as score, or ship[2].x; arrays of numbers are one range, of structs bytes
/// @param recorded  is_recorded
#ifndef __cplusplus
#define BKS_RANGE(root, member, recorded)                                                        \
    {                                                                                            \
        .name = #member, .offset_bytes = offsetof(root, member),                                 \
        .count = (uint32_t)(sizeof(((root *)0)->member) / BKS_RANGE_BYTES(((root *)0)->member)), \
        .type = BKS_RANGE_TYPE(((root *)0)->member), .is_recorded = (recorded)                   \
    }

/// The type of a number or of an array's elements; BKS_STATE_BYTES for all else.
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

/// Bytes of an element of that type, a constant.
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

/// The type of a number, exactly this one; BKS_STATE_BYTES for all else.
template <typename Number> struct bks_range_number {
    /// type of the number
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

/// The number that stands for an enum, as C has it; every other type itself.
template <typename Value, bool is_enum = std::is_enum<Value>::value> struct bks_range_plain {
    using type = Value; ///< type of the number
};
template <typename Value> struct bks_range_plain<Value, true> {
    using type = typename std::underlying_type<Value>::type; ///< type of the number
};

/// Type of a member for BKS_RANGE, the same as in C.
template <typename Member> struct bks_range_of {
    using value = typename std::remove_reference<Member>::type; ///< the member's type
    using element = typename std::conditional<
        std::is_array<value>::value, typename std::remove_extent<value>::type,
        typename std::remove_cv<value>::type>::type; ///< type of one element
    static constexpr bks_state_type type =
        bks_range_number<typename bks_range_plain<element>::type>::type; ///< type of each element
    static constexpr uint32_t count =
        (uint32_t)(sizeof(value) / (type == BKS_STATE_BYTES ? 1 : sizeof(element))); ///< elements
};

} // extern "C++"
#endif

/// A pointer that may live in the region and works in every process: the distance from itself to
/// its target. All zero is null. Do not copy one by assignment: the distance belongs to its place.
typedef struct bks_ref {
    int64_t distance_bytes; ///< target minus the address of this field; 0 is null
} bks_ref;

/// Point `ref` at `target`, both in the same region. A NULL target makes it null.
/// @param ref  not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (ref is NULL or points at itself, or lies in a region and
///         target outside that; it stays as it was)
BKS_API bks_status bks_ref_set(bks_ref *ref, const void *target);

/// Get the target of a reference.
/// @param ref  NULL is allowed
/// @return the target; NULL when the reference is null, or lies in a region of the library and its
///         target outside that (logged)
BKS_API void *bks_ref_get(const bks_ref *ref);

/// Get the size of the region that begins at `state`: how far a game's own offsets may reach.
/// @return the bytes, 0 where no region of the library begins
BKS_API size_t bks_state_bytes(const void *state);

/// The part of a region after the root struct. Memory is taken from it and never given back: use a
/// pool for objects that come and go.
typedef struct bks_arena bks_arena;

/// Get the arena of a region. The library has made it before `init` is called.
/// @param state       start of the region, as given to init and step
/// @param root_bytes  the game's `root_bytes`
/// @return the arena; NULL when state is NULL or the region has no arena there (logged)
BKS_API bks_arena *bks_arena_of(void *state, size_t root_bytes);

/// Take zeroed memory from the arena.
/// @param bytes      at least 1
/// @param alignment  a power of two, 1..4096
/// @return the memory, NULL when the arena is full or an argument is out of range (logged)
BKS_API void *bks_arena_alloc(bks_arena *arena, size_t bytes, size_t alignment);

/// Count bytes of the region in use, root and arena bookkeeping included: what a snapshot copies.
/// @return the bytes, 0 for a NULL arena
BKS_API size_t bks_arena_used_bytes(const bks_arena *arena);

/// Get the size of the whole region.
/// @return the bytes, 0 for a NULL arena
BKS_API size_t bks_arena_capacity_bytes(const bks_arena *arena);

/// Id of one item of a pool, valid as long as the item lives: slot and generation. 0 is null. A
/// stale id is recognised in every build.
typedef uint32_t bks_id;

/// Pool of many short-lived items of one size.
typedef struct bks_pool bks_pool;

/// Most items a pool can hold.
#define BKS_POOL_CAPACITY_MAX 65535u

/// Make a pool inside the arena; it lives as long as the region.
/// @param name        copied, at most 23 bytes are kept
/// @param item_bytes  1..1048576; items are aligned to 16 bytes
/// @param capacity    1..BKS_POOL_CAPACITY_MAX
/// @return the pool, NULL when the arena is full or an argument is out of range (logged)
BKS_API bks_pool *bks_pool_create(bks_arena *arena, const char *name, size_t item_bytes,
                                  uint32_t capacity);

/// Add a zeroed item. The lowest free slot is not promised, but the same calls give the same slot.
/// @param out_item  receives the item, may be NULL
/// @return its id, 0 when the pool is full or NULL
BKS_API bks_id bks_pool_add(bks_pool *pool, void **out_item);

/// Get the item of an id.
/// @return the item; NULL when the id is null or stale, or the pool is NULL
BKS_API void *bks_pool_get(const bks_pool *pool, bks_id id);

/// Remove an item; its bytes become zero and its id stale.
/// @return true when it was there
BKS_API bool bks_pool_remove(bks_pool *pool, bks_id id);

/// Get the next live item in slot order, which is the same on every peer. Removing the item just
/// returned is allowed while walking.
///
///     uint32_t cursor = 0;
///     bks_id id;
///     for (duel_shot *shot; (shot = bks_pool_next(shots, &cursor, &id)) != NULL;) …
///
/// @param cursor  0 to begin with
/// @param out_id  receives the item's id, may be NULL
/// @return the item, NULL at the end
BKS_API void *bks_pool_next(const bks_pool *pool, uint32_t *cursor, bks_id *out_id);

/// Count the live items.
/// @return the count, 0 for NULL
BKS_API uint32_t bks_pool_count(const bks_pool *pool);

/// Return true if a reference leads to a pool of its region, made like this. For bks_game.check.
/// @param name        as given to bks_pool_create; NULL: any
/// @param item_bytes  as given to bks_pool_create
/// @param capacity    as given to bks_pool_create
/// @return false also for a null reference
BKS_API bool bks_ref_is_pool(const bks_ref *ref, const char *name, size_t item_bytes,
                             uint32_t capacity);

/// Return true if a reference leads to the start of a live item of a pool. For bks_game.check.
/// @param pool  NULL is allowed: none lies there
/// @return false also for a null reference
BKS_API bool bks_ref_in_pool(const bks_ref *ref, const bks_pool *pool);

/// Return true if a reference leads to memory that bks_arena_alloc() gave: after the root, in use,
/// and of no pool. For bks_game.check.
/// @param bytes      size of the memory from the target on, at least 1
/// @param alignment  alignment of the target, at least 1
/// @return false also for a null reference
BKS_API bool bks_ref_in_arena(const bks_ref *ref, size_t bytes, size_t alignment);

/// Remember the live count of every pool: items above it later count as leaked. Call it where the
/// counts should be the same each time, such as the start of each round. NULL is allowed.
BKS_API void bks_arena_baseline(bks_arena *arena);

/// Memory that the copies of the library in one process share: which memory is a region. A plug-in
/// may carry a copy of its own (plugin.h), whose references are checked only once it has joined the
/// program's. Opaque.
typedef struct bks_library bks_library;

/// Get the table of regions that this copy of the library uses, for bks_plugin_join(). Never NULL,
/// never freed.
BKS_API bks_library *bks_library_here(void);

/// Use another copy's table of regions from now on, so that references work in both. Call it before
/// the calling copy is used by more than one thread.
/// @param library  bks_library_here() of the program
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (NULL), BKS_ERR_UNSUPPORTED (of another version)
BKS_API bks_status bks_library_join(bks_library *library);

/// Collector of the bytes that make a game's state hash.
typedef struct bks_hasher bks_hasher;

/// Add bytes to a hash, in a game's `hash` callback. Integers of more than one byte enter as they
/// lie in memory; add them in a fixed byte order when machines of both orders play together.
/// @param hasher  not NULL
/// @param bytes   not NULL when count is above 0
BKS_API void bks_hash_add(bks_hasher *hasher, const void *bytes, size_t count);

// State maps: the object and field of each byte of a state, as C tables. A game may carry them as
// bks_game.map, and adds by bks_game.types what debug information does not hold.
// toolkit/state_map.h reads them.

/// Kinds of type, by which values are read.
typedef enum bks_map_kind {
    BKS_MAP_BYTES = 0,    ///< bytes without a meaning of their own
    BKS_MAP_STRUCT = 1,   ///< a struct: it has members
    BKS_MAP_UNION = 2,    ///< its members share their bytes; bks_map_case says which one counts
    BKS_MAP_ENUM = 3,     ///< a number with names; 1, 2, 4 or 8 bytes, as the next four
    BKS_MAP_UINT = 4,     ///< an unsigned number
    BKS_MAP_INT = 5,      ///< a signed number
    BKS_MAP_BOOL = 6,     ///< true or false
    BKS_MAP_CHAR = 7,     ///< a character of 1 byte
    BKS_MAP_FLOAT = 8,    ///< float or double; read as bytes when of any other size
    BKS_MAP_REF = 9,      ///< a bks_ref
    BKS_MAP_ID = 10,      ///< a bks_id
    BKS_MAP_POINTER = 11, ///< an address of the process
} bks_map_kind;

/// Most dimensions of an array; further ones count into the last.
#define BKS_MAP_DIMENSIONS_MAX 3

/// Most types of a map.
#define BKS_MAP_TYPES_MAX 4096

/// Most members of one type.
#define BKS_MAP_MEMBERS_MAX 4096

/// A member of a struct or a union.
typedef struct bks_map_member {
    const char *name;      ///< required; "" for an unnamed struct or union
    uint32_t type;         ///< number of its type, of an element when it is an array
    uint64_t offset_bytes; ///< offset from the start of the struct
    uint32_t count[BKS_MAP_DIMENSIONS_MAX]; ///< elements by dimension; 0: no such dimension
    uint16_t bits;                          ///< width of a bit-field; 0: no bit-field
    uint16_t bit_offset;                    ///< place of a bit-field, from the lowest bit at
                                            ///< offset_bytes
} bks_map_member;

/// A name of a number.
typedef struct bks_map_enumerator {
    const char *name; ///< required
    int64_t value;    ///< as its bytes, or the bits of a field, hold it: signed or not
} bks_map_enumerator;

/// A type. Structs and unions stand before the types of their members, so none holds itself.
typedef struct bks_map_type {
    const char *name;                      ///< required; "" for a type without a name
    bks_map_kind kind;                     ///< kind of the type, by which its values are read
    uint64_t bytes;                        ///< size of one value, at least 1
    const bks_map_member *members;         ///< STRUCT, UNION
    uint32_t member_count;                 ///< length of `members`
    const bks_map_enumerator *enumerators; ///< ENUM
    uint32_t enumerator_count;             ///< length of `enumerators`
    uint32_t target;       ///< REF: type of what it leads to, 0: a pool, or not known
    uint32_t target_count; ///< REF: consecutive values that it leads to, 0: not known
    const char *pool;      ///< ID: pool of the item; NULL: not known
} bks_map_type;

/// Type of a pool's items.
typedef struct bks_map_pool {
    const char *name; ///< required, as given to bks_pool_create()
    uint32_t type;    ///< type of an item
} bks_map_pool;

/// Rule for the member of a union that counts, by a number beside the union.
typedef struct bks_map_case {
    uint32_t type;     ///< the struct with both
    uint32_t by;       ///< number of its member that decides
    int64_t value;     ///< value of that member
    uint32_t member;   ///< number of its member that is the union
    uint32_t selected; ///< number of the union's member that counts then
} bks_map_case;

/// The types of a game's state. Its first type is the root.
typedef struct bks_state_map {
    const bks_map_type *types; ///< required
    uint32_t type_count;       ///< 1..BKS_MAP_TYPES_MAX
    bool has_arena;            ///< an arena lies after the root: the game sets root_bytes
    const bks_map_pool *pools; ///< may be NULL
    uint32_t pool_count;       ///< length of `pools`
    const bks_map_case *cases; ///< may be NULL
    uint32_t case_count;       ///< length of `cases`
    const char *rest_name;     ///< name of the array after a root without an arena; NULL: there is
                               ///< none
    uint32_t rest_type;        ///< type of its elements
} bks_state_map;

/// Kinds of entry in bks_game.types.
typedef enum bks_type_entry_kind {
    BKS_TYPE_IS_ROOT = 1, ///< struct of the root
    BKS_TYPE_IS_POOL = 2, ///< type of a pool's items
    BKS_TYPE_IS_REF = 3,  ///< target of a bks_ref
    BKS_TYPE_IS_ID = 4,   ///< pool of a bks_id
    BKS_TYPE_IS_ENUM = 5, ///< enum that names the values of a number
    BKS_TYPE_IS_CASE = 6, ///< member of a union that counts
    BKS_TYPE_IS_REST = 7, ///< elements after a root without an arena
} bks_type_entry_kind;

/// Most entries of bks_game.types.
#define BKS_TYPE_ENTRIES_MAX 1024

/// Fact about a type that debug information does not hold. Use the macros below: the compiler
/// checks the names.
///
///     static const bks_type_entry types[] = {
///         BKS_TYPE_ROOT(duel_state),
///         BKS_TYPE_POOL("ships", duel_ship),
///         BKS_TYPE_REF(duel_state, field, uint16_t, DUEL_TILES_MAX),
///         BKS_TYPE_ID(duel_state, ship, "ships"),
///         BKS_TYPE_ENUM(duel_state, mode, duel_mode),
///     };
typedef struct bks_type_entry {
    const char *owner;        ///< the struct with the member; POOL, REST: its name
    size_t owner_bytes;       ///< size of that struct, 0 for POOL and REST
    bks_type_entry_kind kind; ///< kind of entry
    const char *member;       ///< member of the struct; CASE: the number that decides
    size_t member_bytes;      ///< size of the whole member
    const char *of;           ///< a type; ID: the pool; CASE: the member of the union
    size_t of_bytes;          ///< size of that type or member
    uint32_t count;           ///< REF: how many lie there
    int64_t value;            ///< CASE: of the number
} bks_type_entry;

/// Bytes of a member, for the macros below.
#define BKS_TYPE_BYTES(owner, member) sizeof(((owner *)0)->member)

/// The root of the state.
#define BKS_TYPE_ROOT(type)                                                     \
    {                                                                           \
#type, sizeof(type), BKS_TYPE_IS_ROOT, "", 0, #type, sizeof(type), 0, 0 \
    }

/// The items of a pool, by its name in quotes.
#define BKS_TYPE_POOL(name, type)                                   \
    {                                                               \
        name, 0, BKS_TYPE_IS_POOL, "", 0, #type, sizeof(type), 0, 0 \
    }

/// A bks_ref that leads to `count` values of a type that bks_arena_alloc() gave; 0: not known, and
/// the block ends where another reference leads to.
#define BKS_TYPE_REF(owner, member, type, count)                                               \
    {                                                                                          \
#owner, sizeof(owner), BKS_TYPE_IS_REF, #member, BKS_TYPE_BYTES(owner, member), #type, \
            sizeof(type), count, 0                                                             \
    }

/// A bks_id, or an array of them, of items of a pool, by its name in quotes.
#define BKS_TYPE_ID(owner, member, pool)                                                           \
    {                                                                                              \
#owner, sizeof(owner), BKS_TYPE_IS_ID, #member, BKS_TYPE_BYTES(owner, member), pool, 0, 0, \
            0                                                                                      \
    }

/// A number, or an array of them, whose values an enum names.
#define BKS_TYPE_ENUM(owner, member, type)                                                      \
    {                                                                                           \
#owner, sizeof(owner), BKS_TYPE_IS_ENUM, #member, BKS_TYPE_BYTES(owner, member), #type, \
            sizeof(type), 0, 0                                                                  \
    }

/// A member of a union that counts while the member `by` of the struct around it has a value:
/// BKS_TYPE_CASE(shape, kind, SHAPE_BOX, of.box), without "of." when the union has no name.
#define BKS_TYPE_CASE(owner, by, value, member)                                           \
    {                                                                                     \
#owner, sizeof(owner), BKS_TYPE_IS_CASE, #by, BKS_TYPE_BYTES(owner, by), #member, \
            BKS_TYPE_BYTES(owner, member), 0, value                                       \
    }

/// The array after a root without an arena, up to the end of the state.
#define BKS_TYPE_REST(name, type)                                   \
    {                                                               \
        name, 0, BKS_TYPE_IS_REST, "", 0, #type, sizeof(type), 0, 0 \
    }

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_STATE_H
