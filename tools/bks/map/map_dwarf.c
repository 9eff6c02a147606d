// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "map/map_types.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "map/names_dwarf.h"

enum {
    DEPTH_MAX = 64,         // limit for types within types, and for typedefs of typedefs
    ENTRIES_MAX = 8000000,  // limit for the number of entries of debug information that are read
    ENUMERATORS_MAX = 4096, // limit for the number of enumerators of an enum
    NAMELESS = INT32_MAX,   // value of `count` in a member whose size is not known yet
};

struct map_dwarf {
    int file;
    Dwarf *dwarf;
    map_types *types;
    uint32_t seen; // number of entries of debug information read so far
    dwarf_names names;
    uint32_t depth;  // nesting depth of the type that is being read
    bool lacks_name; // true: the next member whose type is read has no name
};

/// A type without its typedefs and qualifiers.
typedef struct peeled {
    Dwarf_Die die;
    int tag;
    Dwarf_Die alias; // innermost typedef that was removed, if has_alias
    bool has_alias;
    const char *number; // removed typedef with a width, such as `uint16_t`; NULL: none
    bool is_id;         // true: bks_id was among the removed typedefs
} peeled;

static bool fail(map_dwarf *d, const char *what)
{
    (void)map_types_fail(d->types, "has damaged or unknown debug information: %s", what);
    return false;
}

static bool count_entry(map_dwarf *d)
{
    return d->seen++ < ENTRIES_MAX || fail(d, "it never ends");
}

static bool number_of(Dwarf_Die *die, unsigned name, uint64_t *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word = 0;
    if (dwarf_formudata(dwarf_attr(die, name, &attribute), &word) != 0) {
        return false;
    }
    *out = word;
    return true;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *out)
{
    Dwarf_Attribute attribute;
    return dwarf_formref_die(dwarf_attr(die, DW_AT_type, &attribute), out) != NULL;
}

static bool is_width(const char *name)
{
    static const char *const widths[] = {
        "uint8_t", "uint16_t", "uint32_t", "uint64_t",  "int8_t",    "int16_t",  "int32_t",
        "int64_t", "size_t",   "ssize_t",  "ptrdiff_t", "uintptr_t", "intptr_t", "bool",
    };
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        if (strcmp(name, widths[i]) == 0) {
            return true;
        }
    }
    return false;
}

/// Remove typedefs and qualifiers from a type.
/// @return false on damaged debug information
static bool peel(map_dwarf *d, Dwarf_Die *die, peeled *out)
{
    *out = (peeled){.die = *die};
    for (int i = 0; i < DEPTH_MAX; i++) {
        out->tag = dwarf_tag(&out->die);
        switch (out->tag) {
        case DW_TAG_typedef: {
            const char *name = dwarf_name(&out->die);
            if (name[0] != '\0') {
                out->alias = out->die;
                out->has_alias = true;
            }
            out->is_id = out->is_id || strcmp(name, "bks_id") == 0;
            out->number = is_width(name) ? name : out->number;
            break;
        }
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
            break;
        default:
            return true;
        }
        Dwarf_Die next;
        if (!count_entry(d) || !type_of(&out->die, &next)) {
            return fail(d, "a typedef of no type");
        }
        out->die = next;
    }
    return fail(d, "a typedef of itself");
}

/// Return the name of a type, in C++ with its namespaces and classes.
static const char *full_name(map_dwarf *d, Dwarf_Die *die)
{
    char scope[320];
    if (!dwarf_is_cpp(die) || dwarf_name(die)[0] == '\0') {
        return dwarf_name(die);
    }
    if (!dwarf_scope(&d->names, die, scope, sizeof(scope))) {
        (void)fail(d, "it never ends");
    }
    return map_keep_text("%s%s", scope, dwarf_name(die));
}

/// Return the name of a struct, a union or an enum as the source spells it; "" if it has none.
/// @param tag  keyword that C needs before a name without a typedef
static const char *spell(map_dwarf *d, peeled *p, const char *tag)
{
    const char *name = full_name(d, p->has_alias ? &p->alias : &p->die);
    return name[0] == '\0' || p->has_alias || dwarf_is_cpp(&p->die)
               ? name
               : map_keep_text("%s %s", tag, name);
}

static uint32_t read_base(map_dwarf *d, peeled *p, uint64_t bytes)
{
    uint64_t encoding = 0;
    const char *name = dwarf_name(&p->die);
    if (!number_of(&p->die, DW_AT_encoding, &encoding) || name[0] == '\0') {
        (void)fail(d, "a number of no kind");
        return MAP_TYPE_NONE;
    }
    bks_map_kind kind = BKS_MAP_BYTES;
    switch (encoding) {
    case DW_ATE_boolean:
        kind = BKS_MAP_BOOL;
        break;
    case DW_ATE_float:
        kind = BKS_MAP_FLOAT;
        break;
    case DW_ATE_signed:
        kind = BKS_MAP_INT;
        break;
    case DW_ATE_unsigned:
    case DW_ATE_UTF:
        kind = BKS_MAP_UINT;
        break;
    case DW_ATE_signed_char:
        kind = strcmp(name, "char") == 0 && p->number == NULL ? BKS_MAP_CHAR : BKS_MAP_INT;
        break;
    case DW_ATE_unsigned_char:
        kind = strcmp(name, "char") == 0 && p->number == NULL ? BKS_MAP_CHAR : BKS_MAP_UINT;
        break;
    default:
        break;
    }
    const bool is_number = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (kind != BKS_MAP_FLOAT && !is_number) {
        kind = BKS_MAP_BYTES;
    }
    const char *spelled = strcmp(name, "_Bool") == 0 ? "bool" : name;
    return map_types_scalar(d->types, p->number != NULL ? p->number : spelled, kind, bytes);
}

/// Return true if the values of an enum are of an unsigned type. The bytes of a value alone do not
/// show its sign.
static bool has_unsigned_values(Dwarf_Die *die)
{
    Dwarf_Die at = *die;
    Dwarf_Die to;
    uint64_t encoding = 0;
    for (int i = 0; i < DEPTH_MAX && type_of(&at, &to); i++) {
        at = to;
    }
    return number_of(&at, DW_AT_encoding, &encoding) &&
           (encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char ||
            encoding == DW_ATE_boolean || encoding == DW_ATE_UTF);
}

/// Read the value of an enumerator.
/// @return true if the enumerator has a value
static bool read_enumerator(Dwarf_Die *die, bool is_unsigned, uint64_t bytes, int64_t *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Sword value = 0;
    Dwarf_Word word = 0;
    if (dwarf_attr(die, DW_AT_const_value, &attribute) == NULL) {
        return false;
    }
    if (is_unsigned && dwarf_formudata(&attribute, &word) == 0) {
        const uint64_t mask = bytes < sizeof(mask) ? (UINT64_C(1) << 8 * bytes) - 1 : UINT64_MAX;
        *out = (int64_t)(word & mask);
        return true;
    }
    if (dwarf_formsdata(&attribute, &value) != 0 && dwarf_formudata(&attribute, &word) == 0) {
        value = (Dwarf_Sword)word;
    }
    *out = value;
    return true;
}

static uint32_t read_enum(map_dwarf *d, peeled *p, uint64_t bytes, const map_type *named)
{
    map_type type = *named;
    type.is.kind = BKS_MAP_ENUM;
    type.enumerators = map_keep(ENUMERATORS_MAX * sizeof(*type.enumerators));
    const bool is_unsigned = has_unsigned_values(&p->die);
    Dwarf_Die child;
    for (int found = dwarf_child(&p->die, &child); found == 0 && type.enumerators != NULL;
         found = dwarf_siblingof(&child, &child)) {
        int64_t value = 0;
        if (!count_entry(d) || type.is.enumerator_count == ENUMERATORS_MAX) {
            (void)fail(d, "an enum without end");
            return MAP_TYPE_NONE;
        }
        if (dwarf_tag(&child) == DW_TAG_enumerator &&
            read_enumerator(&child, is_unsigned, bytes, &value)) {
            type.enumerators[type.is.enumerator_count++] = (bks_map_enumerator){
                .name = map_keep_text("%s", dwarf_name(&child)), .value = value};
        }
    }
    type.is.enumerators = type.enumerators;
    type.is.bytes = bytes;
    return map_types_add(d->types, &type);
}

/// Read the dimensions of an array into a member, and append "[0]" to the path for each.
/// @param dimensions  number of dimensions read before, which grows
/// @return false: the array has no elements, or its debug information is damaged
static bool read_dimensions(map_dwarf *d, Dwarf_Die *array, bks_map_member *member,
                            uint32_t *dimensions, char *path, size_t capacity)
{
    Dwarf_Die child;
    bool has_any = false;
    for (int found = dwarf_child(array, &child); found == 0;
         found = dwarf_siblingof(&child, &child)) {
        uint64_t count = 0;
        if (!count_entry(d)) {
            return false;
        }
        if (dwarf_tag(&child) != DW_TAG_subrange_type) {
            continue;
        }
        if (!number_of(&child, DW_AT_count, &count) &&
            number_of(&child, DW_AT_upper_bound, &count)) {
            count++;
        }
        if (count == 0 || count > UINT32_MAX) {
            return false;
        }
        const uint32_t at =
            *dimensions < BKS_MAP_DIMENSIONS_MAX ? *dimensions : BKS_MAP_DIMENSIONS_MAX - 1;
        const uint64_t all = *dimensions > at ? member->count[at] * count : count;
        if (all > UINT32_MAX) {
            return fail(d, "an array that fits nowhere");
        }
        member->count[at] = (uint32_t)all;
        ++*dimensions;
        has_any = true;
        const size_t length = strlen(path);
        (void)snprintf(path + length, capacity - length, "[0]");
    }
    return has_any;
}

/// Return true if a class is std::array. Its only member is an array with the elements.
/// @param out  receives the type of the array
static bool is_std_array(map_dwarf *d, Dwarf_Die *die, Dwarf_Die *out)
{
    char scope[16];
    Dwarf_Die child;
    uint32_t members = 0;
    if (strncmp(dwarf_name(die), "array<", 6) != 0 ||
        !dwarf_scope(&d->names, die, scope, sizeof(scope)) || strcmp(scope, "std::") != 0) {
        return false;
    }
    for (int found = dwarf_child(die, &child); found == 0;
         found = dwarf_siblingof(&child, &child)) {
        if (!count_entry(d)) {
            return false;
        }
        if (dwarf_tag(&child) == DW_TAG_member && (members++ > 0 || !type_of(&child, out))) {
            return false;
        }
    }
    peeled p;
    return members == 1 && peel(d, out, &p) && p.tag == DW_TAG_array_type;
}

static uint32_t read_type(map_dwarf *d, Dwarf_Die *die, const char *owner, const char *path);

/// Read the position and the width of a bit-field into a member. Other members stay unchanged.
/// @param bytes  size of the member's type
static void read_bits(Dwarf_Die *die, bks_map_member *member, uint64_t bytes)
{
    uint64_t bits = 0;
    uint64_t at = 0;
    if (!number_of(die, DW_AT_bit_size, &bits) || bits == 0 || bits > 64) {
        return;
    }
    if (!number_of(die, DW_AT_data_bit_offset, &at)) {
        uint64_t from_top = 0; // DWARF 2 counts the bits from the top bit of the type
        at = member->offset_bytes * 8;
        at += number_of(die, DW_AT_bit_offset, &from_top) ? bytes * 8 - from_top - bits : 0;
    }
    // Express the position as the offset of a unit of the type's size, and a bit in this unit.
    const uint64_t unit = bytes * 8;
    member->offset_bytes = at / unit * bytes;
    member->bit_offset = (uint16_t)(at % unit);
    member->bits = (uint16_t)bits;
}

/// Add a member whose type has no known size. Later end_nameless() gives it all bytes up to the
/// next member.
static bool add_nameless(map_dwarf *d, bks_map_member *member, map_type *type)
{
    member->type = map_types_scalar(d->types, "bytes", BKS_MAP_BYTES, 1);
    *member = (bks_map_member){.name = member->name,
                               .type = member->type,
                               .offset_bytes = member->offset_bytes,
                               .count = {NAMELESS}};
    type->unspoken = "has a member of a type of unknown size";
    return member->type != MAP_TYPE_NONE && map_types_add_member(d->types, type, member);
}

/// Give each member of unknown size all bytes up to the next member or to the end of the struct.
/// @param bytes  size of the struct
/// @return false: a member would have no bytes
static bool end_nameless(map_dwarf *d, map_type *type, uint64_t bytes)
{
    for (uint32_t i = 0; i < type->is.member_count; i++) {
        bks_map_member *member = &type->members[i];
        uint64_t end = bytes;
        if (member->count[0] != NAMELESS) {
            continue;
        }
        for (uint32_t k = 0; k < type->is.member_count; k++) {
            const uint64_t next = type->members[k].offset_bytes;
            end = next > member->offset_bytes && next < end ? next : end;
        }
        if (member->offset_bytes >= end) {
            return fail(d, "a type without a size");
        }
        member->count[0] = (uint32_t)(end - member->offset_bytes);
    }
    return true;
}

/// Read a member and add it to a type. A member without bytes is left out.
/// @return false: the member cannot be read
static bool read_member(map_dwarf *d, Dwarf_Die *die, map_type *type)
{
    bks_map_member member = {.name = map_keep_text("%s", dwarf_name(die))};
    Dwarf_Die of;
    char path[480];
    (void)snprintf(path, sizeof(path), "%s%s%s", type->path,
                   type->path[0] != '\0' && member.name[0] != '\0' ? "." : "", member.name);
    if (!type_of(die, &of)) {
        return fail(d, "a member of no type");
    }
    if (!dwarf_place(die, &member.offset_bytes)) {
        return fail(d, "a member whose place is computed");
    }
    peeled p;
    uint32_t dimensions = 0;
    for (int i = 0; peel(d, &of, &p); i++) {
        Dwarf_Die elements;
        if (i < DEPTH_MAX && is_std_array(d, &p.die, &elements)) {
            of = elements;
            continue;
        }
        if (p.tag != DW_TAG_array_type) {
            break;
        }
        if (!read_dimensions(d, &p.die, &member, &dimensions, path, sizeof(path)) ||
            !type_of(&p.die, &of) || i == DEPTH_MAX) {
            return d->types->error[0] == '\0'; // leave out a flexible array: it has no bytes
        }
    }
    if (d->types->error[0] != '\0') {
        return false;
    }
    Dwarf_Word bytes = 0;
    if (dwarf_aggregate_size(&p.die, &bytes) == 0 && bytes == 0) {
        return true;
    }
    d->lacks_name = member.name[0] == '\0';
    member.type = read_type(d, &of, type->owner, path);
    if (member.type == MAP_TYPE_NONE) {
        return d->types->error[0] == '\0' && add_nameless(d, &member, type);
    }
    read_bits(die, &member, d->types->items[member.type].is.bytes);
    return map_types_add_member(d->types, type, &member);
}

/// Add the members of a base class to a class. The base does not become one member, because members
/// of the class may lie in the padding of the base.
static bool read_base_class(map_dwarf *d, Dwarf_Die *die, map_type *type)
{
    Dwarf_Die of;
    uint64_t at = 0;
    uint64_t is_virtual = 0;
    (void)number_of(die, DW_AT_virtuality, &is_virtual);
    if (is_virtual != 0) {
        (void)map_types_fail(d->types,
                             "has %.100s with a virtual base class, whose place is not fixed",
                             type->is.name);
        return false;
    }
    if (!type_of(die, &of)) {
        return fail(d, "a base class of no type");
    }
    if (!dwarf_place(die, &at)) {
        return fail(d, "a base class whose place is computed");
    }
    d->lacks_name = false;
    const uint32_t number = read_type(d, &of, NULL, "");
    map_base *base = map_keep(sizeof(*base));
    if (number == MAP_TYPE_NONE || base == NULL) {
        return number != MAP_TYPE_NONE && fail(d, "it does not fit into memory");
    }
    *base = (map_base){.next = type->bases, .type = number, .first = type->is.member_count};
    type->bases = base;
    const map_type *from = &d->types->items[number];
    for (uint32_t i = 0; i < from->is.member_count; i++) {
        bks_map_member member = from->members[i];
        member.offset_bytes += at;
        if (!map_types_add_member(d->types, type, &member)) {
            return false;
        }
    }
    return true;
}

/// Return the reason why a C table cannot name a member or a base of a class; NULL: it can.
static const char *unspoken_of(Dwarf_Die *class, Dwarf_Die *member)
{
    uint64_t access = dwarf_tag(class) == DW_TAG_class_type ? DW_ACCESS_private : DW_ACCESS_public;
    if (dwarf_tag(member) == DW_TAG_inheritance) {
        return "has a base class";
    }
    (void)number_of(member, DW_AT_accessibility, &access);
    return access != DW_ACCESS_public ? "has members that are not public" : NULL;
}

/// Return the size of a type up to the end of its last member.
static uint64_t bytes_of_members(const map_types *types, const map_type *type)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < type->is.member_count; i++) {
        const bks_map_member *member = &type->members[i];
        uint64_t bytes = types->items[member->type].is.bytes;
        for (uint32_t k = 0; k < BKS_MAP_DIMENSIONS_MAX && member->count[k] > 0; k++) {
            bytes *= member->count[k];
        }
        most = member->offset_bytes + bytes > most ? member->offset_bytes + bytes : most;
    }
    return most;
}

static uint32_t read_struct(map_dwarf *d, peeled *p, uint64_t bytes, const map_type *named)
{
    map_type type = *named;
    type.is.kind = p->tag == DW_TAG_union_type ? BKS_MAP_UNION : BKS_MAP_STRUCT;
    Dwarf_Die child;
    for (int found = dwarf_child(&p->die, &child); found == 0;
         found = dwarf_siblingof(&child, &child)) {
        const int tag = dwarf_tag(&child);
        if (!count_entry(d)) {
            return MAP_TYPE_NONE;
        }
        // Skip static members. DWARF 4 describes one as a declaration; it is external unless the
        // class has no linkage.
        const bool is_static =
            dwarf_hasattr(&child, DW_AT_external) || dwarf_hasattr(&child, DW_AT_declaration);
        const bool is_member = tag == DW_TAG_member && !is_static;
        if ((is_member || tag == DW_TAG_inheritance) && type.unspoken == NULL) {
            type.unspoken = unspoken_of(&p->die, &child);
        }
        if ((is_member && !read_member(d, &child, &type)) ||
            (tag == DW_TAG_inheritance && !read_base_class(d, &child, &type))) {
            return MAP_TYPE_NONE;
        }
    }
    if (!end_nameless(d, &type, bytes)) {
        return MAP_TYPE_NONE;
    }
    // Let a nameless type end with its last member, without the padding after it, because C has no
    // expression for the size of a nameless type.
    type.is.bytes = type.size != NULL ? bytes : bytes_of_members(d->types, &type);
    if (type.is.bytes == 0 || type.is.bytes > bytes) {
        (void)fail(d, "a struct that its members do not fit into");
        return MAP_TYPE_NONE;
    }
    return map_types_add(d->types, &type);
}

static uint32_t find_known(const map_types *types, uint64_t id, const char *name, uint64_t bytes)
{
    for (uint32_t i = 0; i < types->count; i++) {
        const map_type *type = &types->items[i];
        if (type->id != 0 && (type->id == id || (name[0] != '\0' && type->is.bytes == bytes &&
                                                 map_types_same_name(type->is.name, name)))) {
            return i;
        }
    }
    return MAP_TYPE_NONE;
}

/// Read a struct, a union or an enum, or find it if it was read before. Types of the same name and
/// size in different sources are the same type.
/// @param owner, path  named type that contains an unnamed one, and its place there
static uint32_t read_named(map_dwarf *d, peeled *p, uint64_t bytes, const char *owner,
                           const char *path)
{
    const bool is_enum = p->tag == DW_TAG_enumeration_type;
    const char *name = spell(d, p,
                             is_enum                       ? "enum"
                             : p->tag == DW_TAG_union_type ? "union"
                                                           : "struct");
    if (!is_enum && map_types_same_name(name, "bks_ref")) {
        return map_types_scalar(d->types, "bks_ref", BKS_MAP_REF, sizeof(bks_ref));
    }
    const uint64_t id = dwarf_dieoffset(&p->die) + 1;
    const uint32_t known = find_known(d->types, id, name, bytes);
    if (known != MAP_TYPE_NONE) {
        return known;
    }
    const bool has_name = name[0] != '\0';
    const char *file = dwarf_decl_file(&p->die);
    const bool lacks_name = d->lacks_name;
    d->lacks_name = false;
    map_type type = {
        .is = {.name = map_keep_text("%s", map_types_without_tag(name))},
        .owner = has_name ? map_keep_text("%s", name) : owner,
        .path = has_name ? "" : map_keep_text("%s", path),
        .unspoken = !dwarf_is_c(&p->die) && !dwarf_is_cpp(&p->die) ? "is in another language"
                    : strchr(name, '<') != NULL                    ? "is a template"
                                                                   : NULL,
        .is_cpp = dwarf_is_cpp(&p->die),
        .file = file != NULL ? map_keep_text("%s", file) : NULL,
        .id = id,
    };
    if (has_name) {
        type.size = map_keep_text("sizeof(%s)", name);
    } else if (owner != NULL && !lacks_name) {
        type.size = map_keep_text("sizeof(((%s *)0)->%s)", owner, path);
    }
    return is_enum ? read_enum(d, p, bytes, &type) : read_struct(d, p, bytes, &type);
}

/// Return true if a type has variants, like an enum in Rust. A map cannot describe such a type.
static bool has_variants(map_dwarf *d, Dwarf_Die *die)
{
    Dwarf_Die child;
    for (int found = dwarf_child(die, &child); found == 0;
         found = dwarf_siblingof(&child, &child)) {
        if (!count_entry(d) || dwarf_tag(&child) == DW_TAG_variant_part) {
            return true;
        }
    }
    return false;
}

/// Read a type whose typedefs and qualifiers were removed.
/// @return index of the type in `types`; MAP_TYPE_NONE: reading failed, or if no error is set, the
///         size of the type is not known
static uint32_t read_peeled(map_dwarf *d, peeled *p, const char *owner, const char *path)
{
    uint64_t bytes = 0;
    switch (p->tag) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        return map_types_scalar(d->types, "pointer", BKS_MAP_POINTER, sizeof(void *));
    default:
        break;
    }
    if (dwarf_hasattr(&p->die, DW_AT_declaration) && dwarf_name(&p->die)[0] != '\0') {
        return map_dwarf_type(d, full_name(d, &p->die));
    }
    if (!dwarf_size(&p->die, &bytes)) {
        return MAP_TYPE_NONE;
    }
    if (bytes == 0 || bytes > (1u << 30)) {
        (void)fail(d, "a type of no bytes, or of over 1 GiB");
        return MAP_TYPE_NONE;
    }
    if (p->is_id && p->tag == DW_TAG_base_type && bytes == sizeof(bks_id)) {
        return map_types_scalar(d->types, "bks_id", BKS_MAP_ID, bytes);
    }
    switch (p->tag) {
    case DW_TAG_base_type:
        return read_base(d, p, bytes);
    case DW_TAG_structure_type:
        if (has_variants(d, &p->die)) {
            return map_types_scalar(d->types, full_name(d, &p->die), BKS_MAP_BYTES, bytes);
        }
        return read_named(d, p, bytes, owner, path);
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
        return read_named(d, p, bytes, owner, path);
    default:
        return map_types_scalar(d->types, "bytes", BKS_MAP_BYTES, bytes);
    }
}

static uint32_t read_type(map_dwarf *d, Dwarf_Die *die, const char *owner, const char *path)
{
    peeled p;
    if (d->depth == DEPTH_MAX) {
        (void)fail(d, "a type that holds itself");
        return MAP_TYPE_NONE;
    }
    d->depth++;
    const uint32_t type = peel(d, die, &p) ? read_peeled(d, &p, owner, path) : MAP_TYPE_NONE;
    d->depth--;
    return type;
}

map_dwarf *map_dwarf_open(const char *path, map_types *types)
{
    map_dwarf *d = map_keep(sizeof(*d));
    if (d == NULL) {
        (void)map_types_fail(types, "does not fit into memory");
        return NULL;
    }
    d->types = types;
    d->file = open(path, O_RDONLY | O_CLOEXEC);
    d->dwarf = d->file >= 0 ? dwarf_begin(d->file, DWARF_C_READ) : NULL;
    if (d->dwarf == NULL) {
        map_dwarf_close(d);
        (void)map_types_fail(types, "has no debug information that can be read, expected a build "
                                    "with -g, or a game with bks_game.map");
        return NULL;
    }
    d->names = (dwarf_names){.dwarf = d->dwarf, .seen = &d->seen, .seen_max = ENTRIES_MAX};
    return d;
}

bool map_dwarf_has(map_dwarf *d, const char *name)
{
    Dwarf_Die die;
    const dwarf_found found = dwarf_find_type(&d->names, name, &die);
    return found == DWARF_FOUND_ONE || found == DWARF_FOUND_SEVERAL;
}

uint32_t map_dwarf_type(map_dwarf *d, const char *name)
{
    Dwarf_Die die;
    switch (dwarf_find_type(&d->names, name, &die)) {
    case DWARF_FOUND_ONE: {
        const uint32_t type = read_type(d, &die, NULL, "");
        if (type == MAP_TYPE_NONE) {
            (void)fail(d, "a type without a size");
        }
        return type;
    }
    case DWARF_FOUND_SEVERAL:
        return map_types_fail(d->types, "has several types %.60s, expected one of: %.200s", name,
                              d->names.candidates);
    case DWARF_FOUND_TOO_MUCH:
        (void)fail(d, "it never ends");
        return MAP_TYPE_NONE;
    case DWARF_FOUND_NONE:
        break;
    }
    if (dwarf_is_split(d->dwarf)) {
        return map_types_fail(d->types,
                              "has its debug information in .dwo files, which are not read, "
                              "expected a build without -gsplit-dwarf");
    }
    return map_types_fail(d->types,
                          "has no type %.100s in its debug information, expected a build "
                          "with -g that uses it",
                          name);
}

void map_dwarf_close(map_dwarf *d)
{
    if (d == NULL) {
        return;
    }
    if (d->dwarf != NULL) {
        dwarf_end(d->dwarf);
    }
    if (d->file >= 0) {
        close(d->file);
    }
}
