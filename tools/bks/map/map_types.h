// SPDX-License-Identifier: MIT

/// @file map_types.h
/// Types of a state map while they are collected, with the names that a C table needs.

#ifndef BKS_TOOL_MAP_TYPES_H
#define BKS_TOOL_MAP_TYPES_H

#include "backstitch/toolkit/state_map.h"

/// Stands for "no type" where the index of a type is expected.
#define MAP_TYPE_NONE UINT32_MAX

/// Base class of a class. The class has copies of its members.
typedef struct map_base {
    const struct map_base *next;
    uint32_t type;  ///< index of the base class's type
    uint32_t first; ///< index of the base's first member among the members of the class
} map_base;

/// A type. Its members refer to other types by their indices in map_types.
typedef struct map_type {
    bks_map_type is;   ///< entry of the map; its pointers are `members` and `enumerators` below
    const char *owner; ///< named type that contains an unnamed struct or union
    const char *path;  ///< place of an unnamed type in `owner`; "" for a named type
    const char *size;  ///< size as a C expression; NULL: the type ends with its last member
    /// Reason why the table written as C source cannot name the type; NULL: it can.
    const char *unspoken;
    bool is_cpp;             ///< true: the type comes from a C++ source
    const map_base *bases;   ///< base classes of a class
    const char *file;        ///< path of the file that declares the type; NULL: not known
    uint64_t id;             ///< offset of the type in the debug information plus 1; 0: none
    bks_map_member *members; ///< members of a struct or a union
    bks_map_enumerator *enumerators; ///< values of an enum
} map_type;

/// List of types while they are collected. Start from {0}.
typedef struct map_types {
    map_type *items; ///< types; the type of a member comes before its struct
    uint32_t count;
    uint32_t root; ///< index of the struct that is the root of the state
    bks_map_pool pools[BKS_TYPE_ENTRIES_MAX];
    uint32_t pool_count;
    bks_map_case cases[BKS_TYPE_ENTRIES_MAX];
    uint32_t case_count;
    const char *rest_name;
    uint32_t rest_type;
    bool has_arena;
    char error[320]; ///< reason why there is no map, "" if there is one
} map_types;

/// Get zeroed memory that is kept until the program ends, because loaded games are kept as well.
/// @return NULL: out of memory
void *map_keep(size_t bytes);

/// Format a text that is kept until the program ends.
/// @return the text, "" if there is no memory
const char *map_keep_text(const char *format, ...) BKS_PRINTF(1, 2);

/// Set the error, unless an earlier one is set.
/// @return MAP_TYPE_NONE
uint32_t map_types_fail(map_types *types, const char *format, ...) BKS_PRINTF(2, 3);

/// Add a type.
/// @return index of the type, MAP_TYPE_NONE: there are too many
uint32_t map_types_add(map_types *types, const map_type *type);

/// Find or add a type without members.
/// @param name  name of the type in C
/// @return index of the type, MAP_TYPE_NONE: there are too many
uint32_t map_types_scalar(map_types *types, const char *name, bks_map_kind kind, uint64_t bytes);

/// Add a member to a struct or union, before map_types_add() copies the type.
/// @return false on failure, with types->error set
bool map_types_add_member(map_types *types, map_type *type, const bks_map_member *member);

/// Give a member another type, also in all classes that have its struct as a base.
/// @param number  index of the struct
/// @param member  index of the member
/// @param type    index of the new type
void map_types_retype(map_types *types, uint32_t number, uint32_t member, uint32_t type);

/// Add a case of a union, also for all classes that have its struct as a base.
/// @return false: there are too many cases
bool map_types_add_case(map_types *types, const bks_map_case *one);

/// Return a name without its keyword: "ship" for "struct ship".
const char *map_types_without_tag(const char *name);

/// Return true if two names of types are the same without their keywords: "struct ship" and "ship".
bool map_types_same_name(const char *a, const char *b);

/// Make a map. It has the root first, then each struct and union before its members, then other
/// types. The types in `types` get the same order.
/// @param out  receives a map that passes bks_state_map_check()
/// @return false on failure, with types->error set
bool map_types_finish(map_types *types, bks_state_map *out);

// ---- map_dwarf.c ----
//
// Functions that read types from the debug information (DWARF) of a plug-in's file. The file may be
// damaged: they limit how much they read, and refuse wrong data.

/// Open debug information of a file. Opaque.
typedef struct map_dwarf map_dwarf;

/// Open the debug information of a file.
/// @param types  receives the types that are read, or an error
/// @return NULL: the file has no readable debug information; types->error is set
map_dwarf *map_dwarf_open(const char *path, map_types *types);

/// Add a type and the types of its members.
/// @param name  name such as "ship" or "struct ship"
/// @return index of the type; MAP_TYPE_NONE on failure, with the error set
uint32_t map_dwarf_type(map_dwarf *dwarf, const char *name);

/// Return true if the debug information has a type of this name. Sets no error.
bool map_dwarf_has(map_dwarf *dwarf, const char *name);

/// Close the file. The types that were read are kept. NULL is allowed.
void map_dwarf_close(map_dwarf *dwarf);

#endif
