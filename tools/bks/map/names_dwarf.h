// SPDX-License-Identifier: MIT

/// @file names_dwarf.h
/// Finds types in debug information (DWARF) by their names, also in namespaces and classes. The
/// caller limits how many entries a search may read, because the file may be damaged.

#ifndef BKS_TOOL_NAMES_DWARF_H
#define BKS_TOOL_NAMES_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/// Result of searching for a type by its name.
typedef enum dwarf_found {
    DWARF_FOUND_NONE = 0,    ///< no type has the searched name
    DWARF_FOUND_ONE = 1,     ///< one type has the searched name
    DWARF_FOUND_SEVERAL = 2, ///< types in several namespaces have the searched name
    DWARF_FOUND_TOO_MUCH = 3 ///< the search reached its limit of entries
} dwarf_found;

/// State of searching for types by their names.
typedef struct dwarf_names {
    Dwarf *dwarf;
    uint32_t *seen;       ///< number of debug information entries that all searches have read
    uint32_t seen_max;    ///< limit for the entries that all searches together read
    char candidates[200]; ///< names of the types that were found, for DWARF_FOUND_SEVERAL
} dwarf_names;

/// Return the name of an entry. Return "" if it has none, or if its name is longer than 127 bytes
/// or not printable ASCII.
const char *dwarf_name(Dwarf_Die *die);

/// Return true if an entry of debug information is of a source in C.
bool dwarf_is_c(Dwarf_Die *die);

/// Return true if an entry of debug information is of a source in C++.
bool dwarf_is_cpp(Dwarf_Die *die);

/// Find a type. First search for the name as it is: "ship", "struct ship", "world::ship". Unnamed
/// and inline namespaces may be left out. If no type is found, search all namespaces for the name.
dwarf_found dwarf_find_type(dwarf_names *names, const char *name, Dwarf_Die *out);

/// Write the namespaces and classes that a type is in, such as "world::"; "" for none.
/// @return false: the search reached its limit of entries
bool dwarf_scope(dwarf_names *names, Dwarf_Die *die, char *out, size_t capacity);

// ---- place_dwarf.c: places of members, and sizes that DWARF does not state ----

/// Get the offset of a member or a base class in its struct, in bytes. DWARF states a number, or in
/// DWARF 2 an expression that adds a number.
/// @return false: the offset has another form, such as that of a virtual base class
bool dwarf_place(Dwarf_Die *die, uint64_t *out);

/// Get the size of a type in bytes.
/// @return false: the size is not known
bool dwarf_size(Dwarf_Die *die, uint64_t *out);

/// Return true if the debug information lies in another file (-gsplit-dwarf).
bool dwarf_is_split(Dwarf *dwarf);

#endif
