// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "map/names_dwarf.h"

#include <dwarf.h>
#include <stddef.h>

enum { UNITS_MAX = 100000 };

bool dwarf_place(Dwarf_Die *die, uint64_t *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word = 0;
    Dwarf_Op *operations = NULL;
    size_t count = 0;
    *out = 0;
    if (dwarf_attr(die, DW_AT_data_member_location, &attribute) == NULL) {
        // The offset is 0 for a member of a union; a bit-field may have another attribute for its
        // place.
        return true;
    }
    if (dwarf_formudata(&attribute, &word) == 0) {
        *out = word;
        return true;
    }
    if (dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1 ||
        operations[0].atom != DW_OP_plus_uconst) {
        return false;
    }
    *out = operations[0].number;
    return true;
}

/// Return the size of a pointer to a member in the C++ ABI of gcc and clang. A pointer to data is
/// an offset. A pointer to a function also has a number to add to `this`.
static uint64_t member_pointer_bytes(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die to;
    const bool is_function = dwarf_formref_die(dwarf_attr(die, DW_AT_type, &attribute), &to) &&
                             dwarf_tag(&to) == DW_TAG_subroutine_type;
    return (is_function ? 2 : 1) * sizeof(ptrdiff_t);
}

bool dwarf_size(Dwarf_Die *die, uint64_t *out)
{
    Dwarf_Word bytes = 0;
    if (dwarf_tag(die) == DW_TAG_ptr_to_member_type) {
        *out = member_pointer_bytes(die);
        return true;
    }
    if (dwarf_aggregate_size(die, &bytes) != 0) {
        return false;
    }
    *out = bytes;
    return true;
}

bool dwarf_is_split(Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die top;
    uint8_t kind = 0;
    for (int i = 0;
         i < UNITS_MAX && dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &top, NULL) == 0; i++) {
        if (kind == DW_UT_skeleton || dwarf_hasattr(&top, DW_AT_GNU_dwo_name) ||
            dwarf_hasattr(&top, DW_AT_dwo_name)) {
            return true;
        }
    }
    return false;
}
