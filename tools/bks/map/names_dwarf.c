// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "map/names_dwarf.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "map/map_types.h"

enum {
    NAME_BYTES_MAX = 127,
    SCOPES_MAX = 16, // limit for namespaces and classes within each other
    SCOPE_BYTES = 320,
    CPP_17 = 0x2a, // DWARF's code for C++17; an older <dwarf.h> lacks it and the later codes
    CPP_20 = 0x2b,
    CPP_23 = 0x3a,
    C_17 = 0x2c,
    C_23 = 0x3e,
};

const char *dwarf_name(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr(die, DW_AT_name, &attribute));
    if (name == NULL) {
        return "";
    }
    size_t length = 0;
    for (; name[length] != '\0'; length++) {
        if (length == NAME_BYTES_MAX || name[length] < 0x20 || name[length] > 0x7E) {
            return "";
        }
    }
    return name;
}

static int language_of(Dwarf_Die *die)
{
    Dwarf_Die unit;
    return dwarf_diecu(die, &unit, NULL, NULL) != NULL ? dwarf_srclang(&unit) : 0;
}

bool dwarf_is_c(Dwarf_Die *die)
{
    const int language = language_of(die);
    return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
           language == DW_LANG_C11 || language == C_17 || language == C_23;
}

bool dwarf_is_cpp(Dwarf_Die *die)
{
    const int language = language_of(die);
    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14 ||
           language == CPP_17 || language == CPP_20 || language == CPP_23;
}

static bool count_entry(dwarf_names *names)
{
    return (*names->seen)++ < names->seen_max;
}

static bool is_class(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_declared_type(Dwarf_Die *die, const char *name)
{
    const int tag = dwarf_tag(die);
    return (tag == DW_TAG_typedef || is_class(tag) || tag == DW_TAG_enumeration_type ||
            tag == DW_TAG_base_type) &&
           !dwarf_hasattr(die, DW_AT_declaration) && map_types_same_name(dwarf_name(die), name);
}

/// Return true for an unnamed or inline namespace, whose name is not part of its types' names.
static bool is_transparent(Dwarf_Die *die)
{
    return dwarf_tag(die) == DW_TAG_namespace &&
           (dwarf_name(die)[0] == '\0' || dwarf_hasattr(die, DW_AT_export_symbols));
}

/// Return the rest of a name after "SCOPE::"; NULL: the name does not begin with this scope.
static const char *behind_scope(Dwarf_Die *die, const char *name)
{
    const char *scope = dwarf_name(die);
    const char *bare = map_types_without_tag(name);
    const size_t length = strlen(scope);
    return length > 0 && strncmp(bare, scope, length) == 0 && strncmp(bare + length, "::", 2) == 0
               ? bare + length + 2
               : NULL;
}

static dwarf_found find_in(dwarf_names *names, Dwarf_Die *scope, const char *name, int depth,
                           Dwarf_Die *out);

/// Search a namespace or class for a type, if the searched name begins with the name of this scope
/// or may omit it.
static dwarf_found find_within(dwarf_names *names, Dwarf_Die *scope, const char *name, int depth,
                               Dwarf_Die *out)
{
    const int tag = dwarf_tag(scope);
    if (depth == SCOPES_MAX || (tag != DW_TAG_namespace && !is_class(tag))) {
        return DWARF_FOUND_NONE;
    }
    const char *rest = behind_scope(scope, name);
    dwarf_found found =
        rest != NULL ? find_in(names, scope, rest, depth + 1, out) : DWARF_FOUND_NONE;
    if (found == DWARF_FOUND_NONE && is_transparent(scope)) {
        found = find_in(names, scope, name, depth + 1, out);
    }
    return found;
}

/// Search a scope for a type. A typedef is preferred to a struct of the same name.
static dwarf_found find_in(dwarf_names *names, Dwarf_Die *scope, const char *name, int depth,
                           Dwarf_Die *out)
{
    Dwarf_Die child;
    bool is_found = false;
    for (int at = dwarf_child(scope, &child); at == 0; at = dwarf_siblingof(&child, &child)) {
        if (!count_entry(names)) {
            return DWARF_FOUND_TOO_MUCH;
        }
        if (is_declared_type(&child, name)) {
            const bool is_typedef = dwarf_tag(&child) == DW_TAG_typedef;
            if (is_typedef || !is_found) {
                *out = child;
                is_found = true;
            }
            if (is_typedef) {
                return DWARF_FOUND_ONE;
            }
            continue;
        }
        Dwarf_Die within;
        const dwarf_found found =
            is_found ? DWARF_FOUND_NONE : find_within(names, &child, name, depth, &within);
        if (found != DWARF_FOUND_NONE) {
            *out = within;
            return found;
        }
    }
    return is_found ? DWARF_FOUND_ONE : DWARF_FOUND_NONE;
}

/// Search of all namespaces for a type whose name was given without its namespace.
typedef struct ends {
    dwarf_names *names;
    const char *name;
    Dwarf_Die first;
    uint32_t count;
} ends;

static void add_candidate(ends *e, const char *scope)
{
    char *text = e->names->candidates;
    const size_t length = strlen(text);
    (void)snprintf(text + length, sizeof(e->names->candidates) - length, "%s%s%s",
                   e->count > 0 ? ", " : "", scope, map_types_without_tag(e->name));
    e->count++;
}

static bool is_candidate(const ends *e, const char *scope)
{
    char own[SCOPE_BYTES];
    const int length = snprintf(own, sizeof(own), "%s%s", scope, map_types_without_tag(e->name));
    const char *text = e->names->candidates;
    for (const char *at = strstr(text, own); at != NULL; at = strstr(at + 1, own)) {
        if ((at == text || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/// Add the type of the searched name in a namespace to the candidates. Types of the same full name
/// in several units count once.
/// @return false: the search reached its limit of entries
static bool take(ends *e, Dwarf_Die *space, const char *scope)
{
    Dwarf_Die found;
    switch (find_in(e->names, space, e->name, 0, &found)) {
    case DWARF_FOUND_NONE:
        return true;
    case DWARF_FOUND_ONE:
        break;
    default:
        return false;
    }
    e->first = e->count == 0 ? found : e->first;
    if (e->count == 0 || !is_candidate(e, scope)) {
        add_candidate(e, scope);
    }
    return true;
}

/// Return true for a namespace that may hold types of a game: not one of the language's libraries.
static bool is_of_game(Dwarf_Die *die)
{
    const char *name = dwarf_name(die);
    return dwarf_tag(die) == DW_TAG_namespace && strcmp(name, "std") != 0 &&
           strncmp(name, "__", 2) != 0;
}

static bool search_spaces(ends *e, Dwarf_Die *scope, const char *path, int depth)
{
    Dwarf_Die child;
    for (int at = dwarf_child(scope, &child); at == 0; at = dwarf_siblingof(&child, &child)) {
        if (!count_entry(e->names)) {
            return false;
        }
        if (depth < SCOPES_MAX && is_of_game(&child)) {
            char own[SCOPE_BYTES];
            const bool has_name = !is_transparent(&child);
            (void)snprintf(own, sizeof(own), "%s%s%s", path, has_name ? dwarf_name(&child) : "",
                           has_name ? "::" : "");
            if ((has_name && !take(e, &child, own)) || !search_spaces(e, &child, own, depth + 1)) {
                return false;
            }
        }
    }
    return true;
}

dwarf_found dwarf_find_type(dwarf_names *names, const char *name, Dwarf_Die *out)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die top;
    uint8_t kind = 0;
    Dwarf_Die tagged;
    bool has_tagged = false;
    while (dwarf_get_units(names->dwarf, unit, &unit, NULL, &kind, &top, NULL) == 0) {
        const dwarf_found found = find_in(names, &top, name, 0, out);
        if (found == DWARF_FOUND_TOO_MUCH ||
            (found == DWARF_FOUND_ONE && dwarf_tag(out) == DW_TAG_typedef)) {
            return found;
        }
        if (found == DWARF_FOUND_ONE && !has_tagged) {
            // Search on: another unit may have a typedef of this name, which is preferred.
            tagged = *out;
            has_tagged = true;
        }
    }
    if (has_tagged) {
        *out = tagged;
        return DWARF_FOUND_ONE;
    }
    ends e = {.names = names, .name = name};
    names->candidates[0] = '\0';
    for (unit = NULL; dwarf_get_units(names->dwarf, unit, &unit, NULL, &kind, &top, NULL) == 0;) {
        if (!search_spaces(&e, &top, "", 0)) {
            return DWARF_FOUND_TOO_MUCH;
        }
    }
    *out = e.first;
    return e.count == 0 ? DWARF_FOUND_NONE : e.count == 1 ? DWARF_FOUND_ONE : DWARF_FOUND_SEVERAL;
}

/// Find the child of a scope that contains an entry or is the entry: the last child that begins at
/// or before its offset.
static bool find_child(dwarf_names *names, Dwarf_Die *scope, Dwarf_Off offset, Dwarf_Die *out)
{
    Dwarf_Die child;
    bool is_found = false;
    for (int at = dwarf_child(scope, &child); at == 0 && dwarf_dieoffset(&child) <= offset;
         at = dwarf_siblingof(&child, &child)) {
        if (!count_entry(names)) {
            return false;
        }
        *out = child;
        is_found = true;
    }
    return is_found;
}

bool dwarf_scope(dwarf_names *names, Dwarf_Die *die, char *out, size_t capacity)
{
    Dwarf_Die scope;
    const Dwarf_Off offset = dwarf_dieoffset(die);
    out[0] = '\0';
    if (dwarf_diecu(die, &scope, NULL, NULL) == NULL) {
        return false;
    }
    for (int depth = 0; depth < SCOPES_MAX; depth++) {
        Dwarf_Die child;
        if (!find_child(names, &scope, offset, &child)) {
            return *names->seen < names->seen_max;
        }
        const int tag = dwarf_tag(&child);
        if (dwarf_dieoffset(&child) == offset || (tag != DW_TAG_namespace && !is_class(tag))) {
            return true;
        }
        if (!is_transparent(&child)) {
            const size_t length = strlen(out);
            (void)snprintf(out + length, capacity - length, "%s::", dwarf_name(&child));
        }
        scope = child;
    }
    return true;
}
