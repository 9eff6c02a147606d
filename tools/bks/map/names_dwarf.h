// SPDX-License-Identifier: MIT

/// @file names_dwarf.h
/// Finds types in debug information (DWARF) by their names, also in namespaces and classes. The
/// file may be damaged: the caller says how much may be looked at.

#ifndef BKS_TOOL_NAMES_DWARF_H
#define BKS_TOOL_NAMES_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/// Result of a search.
typedef enum dwarf_found {
    DWARF_FOUND_NONE = 0,    ///< no type has the name
    DWARF_FOUND_ONE = 1,     ///< one has
    DWARF_FOUND_SEVERAL = 2, ///< namespaces have different ones
    DWARF_FOUND_TOO_MUCH = 3 ///< there was too much to look at
} dwarf_found;

/// A search for a type.
typedef struct dwarf_names {
    Dwarf *dwarf;
    uint32_t *seen;       ///< entries looked at, of all searches
    uint32_t seen_max;    ///< most entries that may be looked at
    char candidates[200]; ///< SEVERAL: their names
} dwarf_names;

/// The name of an entry, "" for none or one that is not printable ASCII of up to 127 bytes.
const char *dwarf_name(Dwarf_Die *die);

/// Return true if an entry is of a unit in C.
bool dwarf_is_c(Dwarf_Die *die);

/// Return true if an entry is of a unit in C++.
bool dwarf_is_cpp(Dwarf_Die *die);

/// Find a type. A name is first taken as it stands: "ship", "struct ship", "world::ship". What lies
/// in an unnamed or inline namespace needs no name of it. A name that leads nowhere may be the end
/// of that of one type in some namespace.
dwarf_found dwarf_find_type(dwarf_names *names, const char *name, Dwarf_Die *out);

/// Write the namespaces and classes that a type is in, such as "world::"; "" for none.
/// @return false: there was too much to look at
bool dwarf_scope(dwarf_names *names, Dwarf_Die *die, char *out, size_t capacity);

// ---- where a member lies, and how large types are whose size DWARF does not state ----

/// Where a member or a base class begins, in bytes from the start of its struct: a number, or as
/// DWARF 2 has it an expression that adds one.
/// @return false: it is to be computed in another way
bool dwarf_place(Dwarf_Die *die, uint64_t *out);

/// Size of a type.
/// @return false: it is not known
bool dwarf_size(Dwarf_Die *die, uint64_t *out);

/// Return true if the debug information lies in another file (-gsplit-dwarf).
bool dwarf_is_split(Dwarf *dwarf);

#endif
