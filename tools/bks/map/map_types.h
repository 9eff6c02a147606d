// SPDX-License-Identifier: MIT

/// @file map_types.h
/// The types of a state map while they are gathered, with what a C table needs to spell them.

#ifndef BKS_TOOL_MAP_TYPES_H
#define BKS_TOOL_MAP_TYPES_H

#include "backstitch/toolkit/state_map.h"

/// No type.
#define MAP_TYPE_NONE UINT32_MAX

/// A base class, whose members stand among those of the class.
typedef struct map_base {
    const struct map_base *next;
    uint32_t type;  ///< its number
    uint32_t first; ///< first of the class's members that belong to the base
} map_base;

/// A type. Members refer to types by their numbers here.
typedef struct map_type {
    bks_map_type is;                 ///< its members and enumerators are those below
    const char *owner;               ///< named type that an unnamed struct or union is part of
    const char *path;                ///< place in `owner`; "" for a named type
    const char *size;                ///< its size as a C expression; NULL: that of its members
    const char *unspoken;            ///< reason why a C table cannot name it; NULL: it can
    bool is_cpp;                     ///< it is a type of C++
    const map_base *bases;           ///< base classes of a class
    const char *file;                ///< which declares it; NULL: not known
    uint64_t id;                     ///< where it stands in the debug information, 0: nowhere
    bks_map_member *members;         ///< members of a struct or a union
    bks_map_enumerator *enumerators; ///< values of an enum
} map_type;

/// Types being gathered. Start from {0}.
typedef struct map_types {
    map_type *items; ///< a member's type stands before its struct
    uint32_t count;
    uint32_t root; ///< number of the root
    bks_map_pool pools[BKS_TYPE_ENTRIES_MAX];
    uint32_t pool_count;
    bks_map_case cases[BKS_TYPE_ENTRIES_MAX];
    uint32_t case_count;
    const char *rest_name;
    uint32_t rest_type;
    bool has_arena;
    char error[320]; ///< "" or why there is no map
} map_types;

/// Zeroed memory that stays until the program ends, as games do; NULL when there is none left.
void *map_keep(size_t bytes);

/// A text that stays likewise. Never NULL.
const char *map_keep_text(const char *format, ...) BKS_PRINTF(1, 2);

/// Fail: the first reason counts.
/// @return MAP_TYPE_NONE
uint32_t map_types_fail(map_types *types, const char *format, ...) BKS_PRINTF(2, 3);

/// Add a type.
/// @return its number, MAP_TYPE_NONE when there are too many
uint32_t map_types_add(map_types *types, const map_type *type);

/// Find or add a type without members.
/// @param name  as C spells it
uint32_t map_types_scalar(map_types *types, const char *name, bks_map_kind kind, uint64_t bytes);

/// Add a member to a struct or union that was added last or is about to be.
/// @return false when there are too many
bool map_types_add_member(map_types *types, map_type *type, const bks_map_member *member);

/// Give a member another type, in classes of which its struct is a base, too.
void map_types_retype(map_types *types, uint32_t number, uint32_t member, uint32_t type);

/// Add a case, for classes of which its struct is a base, too.
/// @return false when there are too many
bool map_types_add_case(map_types *types, const bks_map_case *one);

/// "ship" of "struct ship".
const char *map_types_without_tag(const char *name);

/// Compare names of types: "struct ship" and "ship" are the same.
bool map_types_same_name(const char *a, const char *b);

/// Put the types in the order of a map: the root, other structs and unions before their members,
/// the rest. `types` has the same order then.
/// @param out  receives a sound map
/// @return false with types->error set
bool map_types_finish(map_types *types, bks_state_map *out);

// ---- map_dwarf.c ----
//
// Reads types from the debug information (DWARF) of a plug-in's file. The file may be damaged:
// what is read is bounded, and what makes no sense is refused.

/// An open file.
typedef struct map_dwarf map_dwarf;

/// Open the debug information of a file.
/// @param types  receives the types, or an error
/// @return NULL with types->error set when there is none
map_dwarf *map_dwarf_open(const char *path, map_types *types);

/// Add a type and those of its members.
/// @param name   such as "ship" or "struct ship"
/// @return its number, MAP_TYPE_NONE with the error set
uint32_t map_dwarf_type(map_dwarf *dwarf, const char *name);

/// Return true if there is a type of this name; no error is set.
bool map_dwarf_has(map_dwarf *dwarf, const char *name);

/// Close the file; the types stay. NULL is allowed.
void map_dwarf_close(map_dwarf *dwarf);

#endif
