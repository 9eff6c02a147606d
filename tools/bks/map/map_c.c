// SPDX-License-Identifier: MIT

// The printed table uses offsetof and sizeof instead of numbers, because offsets and sizes depend
// on the machine: i386 aligns a double to 4 bytes.

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "map/game_map.h"

static const char *const kinds[] = {
    "BKS_MAP_BYTES", "BKS_MAP_STRUCT", "BKS_MAP_UNION", "BKS_MAP_ENUM",
    "BKS_MAP_UINT",  "BKS_MAP_INT",    "BKS_MAP_BOOL",  "BKS_MAP_CHAR",
    "BKS_MAP_FLOAT", "BKS_MAP_REF",    "BKS_MAP_ID",    "BKS_MAP_POINTER",
};

/// Print a name as a C string. Names of pools and of the array after the root may hold any
/// printable character.
static void print_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        // Escape '?' too, because two of them begin a trigraph.
        if (strchr("\"\\?", *text) != NULL) {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

/// Write the path of a member from the struct that owns its type. A member without a name is
/// replaced by the first member in it that has one.
static void write_path(const map_types *types, const map_type *type, const bks_map_member *member,
                       char *out, size_t capacity)
{
    (void)snprintf(out, capacity, "%s", type->path);
    while (member->name[0] == '\0' && types->items[member->type].is.member_count > 0) {
        member = &types->items[member->type].members[0];
    }
    const size_t length = strlen(out);
    (void)snprintf(out + length, capacity - length, "%s%s", length > 0 ? "." : "", member->name);
}

/// Print the offset of a member in its type, as an expression.
static void print_offset(FILE *out, const map_types *types, const map_type *type,
                         const bks_map_member *member)
{
    char path[512];
    write_path(types, type, member, path, sizeof(path));
    if (member->bits > 0) {
        fprintf(out, "%" PRIu64, member->offset_bytes);
        return;
    }
    fprintf(out, "offsetof(%s, %s)", type->owner, path);
    if (type->is.name[0] != '\0') {
        return;
    }
    char start[512];
    (void)snprintf(start, sizeof(start), "%s", type->path);
    // A nameless member has no offset in C: use its first member, which begins there.
    if (type->size == NULL) {
        write_path(types, type, &type->members[0], start, sizeof(start));
    }
    fprintf(out, " - offsetof(%s, %s)", type->owner, start);
}

static void print_size(FILE *out, const map_types *types, const map_type *type);

static void print_end(FILE *out, const map_types *types, const map_type *type, uint32_t member)
{
    print_offset(out, types, type, &type->members[member]);
    const bks_map_member *of = &type->members[member];
    if (of->name[0] == '\0') {
        fprintf(out, " + ");
        print_size(out, types, &types->items[of->type]);
        return;
    }
    char path[512];
    write_path(types, type, of, path, sizeof(path));
    fprintf(out, " + sizeof(((%s *)0)->%s)", type->owner, path);
}

/// Print an expression for the greatest end of members first..last. Split the members in halves,
/// because STATE_MAP_GREATER() repeats its arguments: a chain of n would repeat them 2^n times.
static void print_greatest_end(FILE *out, const map_types *types, const map_type *type,
                               uint32_t first, uint32_t last)
{
    if (first == last) {
        print_end(out, types, type, first);
        return;
    }
    const uint32_t middle = first + (last - first) / 2;
    fprintf(out, "STATE_MAP_GREATER(");
    print_greatest_end(out, types, type, first, middle);
    fprintf(out, ", ");
    print_greatest_end(out, types, type, middle + 1, last);
    fprintf(out, ")");
}

static void print_size(FILE *out, const map_types *types, const map_type *type)
{
    if (type->size != NULL) {
        fprintf(out, "%s", type->size);
    } else {
        print_greatest_end(out, types, type, 0, type->is.member_count - 1);
    }
}

static void print_counts(FILE *out, const map_type *type, const bks_map_member *member)
{
    const char *dot = type->path[0] != '\0' ? "." : "";
    for (uint32_t i = 0; i < BKS_MAP_DIMENSIONS_MAX && member->count[i] > 0; i++) {
        const char *below = "[0][0][0]";
        fprintf(out,
                "%s\n               sizeof(((%s *)0)->%s%s%s%.*s) / sizeof(((%s *)0)->%s%s%s%.*s)",
                i > 0 ? "," : "", type->owner, type->path, dot, member->name, (int)i * 3, below,
                type->owner, type->path, dot, member->name, (int)(i + 1) * 3, below);
    }
}

/// Print the declaration and the opening brace of the array of a type's members or enumerators.
/// @param of  "member" or "enumerator"
static void print_array(FILE *out, const char *of, const map_type *type, uint32_t number)
{
    fprintf(out, "\nstatic const bks_map_%s state_map_%ss_%" PRIu32 "[] = { // %s\n", of, of,
            number, map_type_name(&type->is));
}

static void print_members(FILE *out, const map_types *types, uint32_t number)
{
    const map_type *type = &types->items[number];
    print_array(out, "member", type, number);
    for (uint32_t i = 0; i < type->is.member_count; i++) {
        const bks_map_member *member = &type->members[i];
        fprintf(out, "    {.name = \"%s\", .type = %" PRIu32 ", .offset_bytes = ", member->name,
                member->type);
        print_offset(out, types, type, member);
        if (member->count[0] > 0) {
            fprintf(out, ",\n     .count = {");
            print_counts(out, type, member);
            fprintf(out, "}");
        }
        if (member->bits > 0) {
            fprintf(out, ", .bits = %u, .bit_offset = %u /* C cannot say where */", member->bits,
                    member->bit_offset);
        }
        fprintf(out, "},\n");
    }
    fprintf(out, "};\n");
}

static void print_enumerators(FILE *out, const map_types *types, uint32_t number)
{
    const map_type *type = &types->items[number];
    print_array(out, "enumerator", type, number);
    for (uint32_t i = 0; i < type->is.enumerator_count; i++) {
        const bks_map_enumerator *one = &type->enumerators[i];
        fprintf(out, "    {.name = \"%s\", .value = ", one->name);
        if (type->is_cpp) { // print the value, because in C++ the name may need a scope before it
            fprintf(out, "%" PRId64 "},\n", one->value);
        } else {
            fprintf(out, "%s},\n", one->name);
        }
    }
    fprintf(out, "};\n");
}

static void print_type(FILE *out, const map_types *types, uint32_t number)
{
    const map_type *type = &types->items[number];
    fprintf(out, "    {.name = \"%s\", .kind = %s, .bytes = ", type->is.name, kinds[type->is.kind]);
    print_size(out, types, type);
    if (type->is.member_count > 0) {
        fprintf(out,
                ",\n     .members = state_map_members_%" PRIu32
                ", .member_count = STATE_MAP_COUNT(state_map_members_%" PRIu32 ")",
                number, number);
    }
    if (type->is.enumerator_count > 0) {
        fprintf(out,
                ",\n     .enumerators = state_map_enumerators_%" PRIu32
                ", .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_%" PRIu32 ")",
                number, number);
    }
    if (type->is.target != 0) {
        fprintf(out, ", .target = %" PRIu32 ", .target_count = %" PRIu32, type->is.target,
                type->is.target_count);
    }
    if (type->is.pool != NULL) {
        fprintf(out, ", .pool = ");
        print_quoted(out, type->is.pool);
    }
    fprintf(out, "}, // %" PRIu32 "\n", number);
}

/// Print a warning into the table if it includes a source instead of a header, because the
/// definitions in a source would exist twice.
static void warn_of_source(FILE *out, const char *name)
{
    const char *dot = strrchr(name, '.');
    if (dot != NULL && dot[1] == 'c') {
        fprintf(
            out,
            "// %s is no header, so this line defines the game a second time. Move the types of\n"
            "// the state to a header and include that instead; or take the line out, and include\n"
            "// this file at the end of %s.\n",
            name, name);
    }
}

static void print_includes(FILE *out, const map_types *types)
{
    for (uint32_t i = 0; i < types->count; i++) {
        const char *file = types->items[i].file;
        bool is_new = file != NULL && strncmp(file, "/usr/", 5) != 0;
        for (uint32_t k = 0; k < i && is_new; k++) {
            is_new = types->items[k].file == NULL || strcmp(types->items[k].file, file) != 0;
        }
        if (!is_new) {
            continue;
        }
        const char *own = strstr(file, "backstitch/");
        const char *slash = strrchr(file, '/');
        const char *name = slash != NULL ? slash + 1 : file;
        if (own != NULL && strchr(own + 11, '/') == NULL) {
            fprintf(out, "#include <%s>\n", own);
        } else {
            fprintf(out, "#include \"%s\"\n", name);
            warn_of_source(out, name);
        }
    }
}

static void print_tables(FILE *out, const bks_state_map *map)
{
    if (map->pool_count > 0) {
        fprintf(out, "\nstatic const bks_map_pool state_map_pools[] = {\n");
        for (uint32_t i = 0; i < map->pool_count; i++) {
            fprintf(out, "    {.name = ");
            print_quoted(out, map->pools[i].name);
            fprintf(out, ", .type = %" PRIu32 "},\n", map->pools[i].type);
        }
        fprintf(out, "};\n");
    }
    if (map->case_count > 0) {
        fprintf(out, "\nstatic const bks_map_case state_map_cases[] = {\n");
        for (uint32_t i = 0; i < map->case_count; i++) {
            const bks_map_case *one = &map->cases[i];
            fprintf(out,
                    "    {.type = %" PRIu32 ", .by = %" PRIu32 ", .value = %" PRId64
                    ", .member = %" PRIu32 ", .selected = %" PRIu32 "},\n",
                    one->type, one->by, one->value, one->member, one->selected);
        }
        fprintf(out, "};\n");
    }
}

static void print_map(FILE *out, const loaded_game *game, const bks_state_map *map)
{
    char name[40];
    const char *of = game->game->name;
    (void)snprintf(name, sizeof(name), "%s%s", isdigit((unsigned char)of[0]) ? "game_" : "", of);
    for (char *c = name; *c != '\0'; c++) {
        *c = isalnum((unsigned char)*c) ? *c : '_';
    }
    fprintf(out,
            "\nextern const bks_state_map %s_state_map;\n\nconst bks_state_map %s_state_map = {\n",
            name, name);
    fprintf(out,
            "    .types = state_map_types,\n    .type_count = STATE_MAP_COUNT(state_map_types),\n  "
            "  .has_arena = %s,\n",
            map->has_arena ? "true" : "false");
    if (map->pool_count > 0) {
        fprintf(
            out,
            "    .pools = state_map_pools,\n    .pool_count = STATE_MAP_COUNT(state_map_pools),\n");
    }
    if (map->case_count > 0) {
        fprintf(
            out,
            "    .cases = state_map_cases,\n    .case_count = STATE_MAP_COUNT(state_map_cases),\n");
    }
    if (map->rest_name != NULL) {
        fprintf(out, "    .rest_name = ");
        print_quoted(out, map->rest_name);
        fprintf(out, ",\n    .rest_type = %" PRIu32 ",\n", map->rest_type);
    }
    fprintf(out, "};\n");
}

/// Return true if C, or C++ for a game in C++, can name all types and members.
/// @param why  receives the reason if the language cannot
static bool is_spoken(const map_types *types, char *why, size_t capacity)
{
    for (uint32_t i = 0; i < types->count; i++) {
        const map_type *type = &types->items[i];
        if (type->unspoken != NULL && type->is.member_count > 0) {
            (void)snprintf(why, capacity,
                           "has %.100s, which %s: a C table cannot name its members; ship the game "
                           "with its debug information",
                           map_type_name(&type->is), type->unspoken);
            return false;
        }
    }
    return true;
}

bool map_print_c(FILE *out, const loaded_game *game, const game_map *of, char *why, size_t capacity)
{
    const map_types *types = of->types;
    if (types == NULL) {
        const size_t length = strlen(why);
        (void)snprintf(why + length, capacity - length, "%sits own map (bks_game.map) is C already",
                       length > 0 ? "; " : "");
        return false;
    }
    if (!is_spoken(types, why, capacity)) {
        return false;
    }
    fprintf(out,
            "// Written by bks games --map %s --as-c. Set bks_game.map to it.\n\n"
            "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n"
            "#include <backstitch/state.h>\n",
            game->game->name);
    print_includes(out, types);
    // C++ warns about designated initialisers that leave out members that are zero.
    fprintf(out, "\n#if defined(__cplusplus) && defined(__GNUC__)\n"
                 "#pragma GCC diagnostic push\n"
                 "#pragma GCC diagnostic ignored \"-Wmissing-field-initializers\"\n"
                 "#endif\n");
    fprintf(out, "\n#define STATE_MAP_COUNT(array) (sizeof(array) / sizeof((array)[0]))\n"
                 "#define STATE_MAP_GREATER(a, b) ((a) > (b) ? (a) : (b))\n");
    for (uint32_t i = 0; i < types->count; i++) {
        if (types->items[i].is.member_count > 0) {
            print_members(out, types, i);
        }
        if (types->items[i].is.enumerator_count > 0) {
            print_enumerators(out, types, i);
        }
    }
    fprintf(out, "\nstatic const bks_map_type state_map_types[] = {\n");
    for (uint32_t i = 0; i < types->count; i++) {
        print_type(out, types, i);
    }
    fprintf(out, "};\n");
    print_tables(out, of->map);
    print_map(out, game, of->map);
    fprintf(out, "\n#if defined(__cplusplus) && defined(__GNUC__)\n"
                 "#pragma GCC diagnostic pop\n"
                 "#endif\n");
    return true;
}
