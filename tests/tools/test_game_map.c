// SPDX-License-Identifier: MIT

// The map that debug information gives, the one that its C table gives, and damaged files.

#define _GNU_SOURCE

#include "map/game_map.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/tool.h"
#include "cli.h"

/// Every kind of type and member.
static const char odd_types[] =
    "#include \"backstitch/plugin.h\"\n"
    "#include \"backstitch/state.h\"\n"
    "enum tone { TONE_LOW = -2, TONE_HIGH = 70000 };\n"
    "struct point { double x; float y; };\n"
    "typedef struct item { uint8_t kind; union { float radius; struct { uint16_t w, h; } box; };\n"
    "  union { int8_t a; long b; } of; struct item *next; } item;\n"
    "typedef struct link { int32_t value; bks_ref next; } link;\n"
    "typedef struct odd_state { struct point at[2][3]; enum tone tone; uint8_t mode, modes[4];\n"
    "  unsigned low : 3, high : 9; bool on; char word[5]; long count; const int16_t *where;\n"
    "  struct { int32_t hits; struct { uint8_t deep; } in[2]; } part[3];\n"
    "  struct { uint32_t loose; uint64_t looser; }; item held; union { struct { float nectar; };\n"
    "  struct { uint32_t post, rage; }; }; bks_ref items, list;\n"
    "  bks_id chosen[2]; long double odd; uint8_t tail[]; } odd_state;\n";
static const char odd_game[] =
    "#include \"odd.h\"\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 1}};\n"
    "static void init(void *s, const bks_start *t) { (void)s; (void)t; }\n"
    "static void step(void *s, const bks_step *t) { (void)s; (void)t; }\n"
    "static const bks_type_entry types[] = {BKS_TYPE_ROOT(odd_state), BKS_TYPE_POOL(\"items\", "
    "item),\n"
    "  BKS_TYPE_REF(odd_state, list, link, 1), BKS_TYPE_REF(link, next, link, 1),\n"
    "  BKS_TYPE_ID(odd_state, chosen, \"items\"), BKS_TYPE_ENUM(odd_state, mode, enum tone),\n"
    "  BKS_TYPE_ENUM(odd_state, modes, enum tone), BKS_TYPE_CASE(item, kind, 1, radius),\n"
    "  BKS_TYPE_CASE(item, kind, 2, box), BKS_TYPE_CASE(item, kind, 3, of.b),\n"
    "  BKS_TYPE_CASE(odd_state, mode, 5, rage), MORE};\n"
    "#ifdef WITH_MAP\n"
    "extern const bks_state_map odd_state_map;\n"
    "#define MAP .map = &odd_state_map,\n"
    "#else\n"
    "#define MAP\n"
    "#endif\n"
    "#ifndef NAME\n"
    "#define NAME \"odd\"\n"
    "#endif\n"
    "static const bks_game game = {.name = NAME, .tick_rate_hz = 60, .players_max = 1,\n"
    "  .fields = fields, .field_count = 1, .state_bytes = 8192, .root_bytes = sizeof(odd_state),\n"
    "  .types = types, .type_count = sizeof(types) / sizeof(types[0]), MAP .init = init,\n"
    "  .step = step};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};\n"
    "extern odd_state used; odd_state used; extern link used_too; link used_too;\n";

static bool compile(const char *arguments)
{
    char line[2048];
    (void)snprintf(line, sizeof(line),
                   "cc -std=c17 -Wall -Wextra -Werror -shared -fPIC -I'%s/include' -I'%s/games' "
                   "-I'%s/games/duel' -I'%s/games/pad' -I. '-DMORE={0}' %s",
                   BKS_TEST_SOURCE_DIR, BKS_TEST_SOURCE_DIR, BKS_TEST_SOURCE_DIR,
                   BKS_TEST_SOURCE_DIR, arguments);
    return system(line) == 0;
}

static bool is_ready;

static int set_up(void **state)
{
    if (cli_setup(state) != 0 || setenv("BKS_GAME_PATH", BKS_TEST_BINARY_DIR, 1) != 0) {
        return -1;
    }
    cli_write("odd.h", odd_types);
    cli_write("odd.c", odd_game);
    is_ready =
        compile("-g '-UMORE' '-DMORE=BKS_TYPE_REF(odd_state, items, item, 0)' odd.c -o odd.so");
    return 0;
}

static const char *bks_map(const char *game, const char *options, int status)
{
    char line[256];
    (void)snprintf(line, sizeof(line), "games --map %s %s", game, options);
    const cli_run *run = cli(line);
    if (run->status != status) {
        fail_msg("bks %s: exit %d, must be %d:\n%s", line, run->status, status, run->err);
    }
    return status == TOOL_OK ? run->out : run->err;
}

static void need(bool is_there)
{
#ifndef BKS_HAVE_LIBDW
    skip();
#endif
    if (!is_there) {
        skip(); // no compiler by the name of cc
    }
}

static void a_map_names_fields_types_and_padding(void **state)
{
    (void)state;
    need(is_ready);
    const char *out = bks_map("duel", "", TOOL_OK);
    cli_expect(out, "root duel_state, 2040 bytes");
    cli_expect(out, "     108       1  mode                     duel_mode\n");
    cli_expect(out, "bks_ref to uint16_t[880]");
    cli_expect(out, "bks_id in pool ships");
    cli_expect(out, "pool shots: shots[N] is duel_shot, 16 bytes");
    cli_expect(out, "enum duel_mode\n  0 DUEL_VERSUS, 1 DUEL_ARCADE\n");
    out = bks_map("./odd.so", "", TOOL_OK);
    cli_expect(out, "at[2][3]                 point\n");
    cli_expect(out, "bits 11..19");
    cli_expect(out, "radius while kind is 1\n");
    cli_expect(out, "the part with post while mode is 5\n");
    cli_expect(out, "(padding)");
    cli_expect(out, "-2 TONE_LOW, 70000 TONE_HIGH");
    cli_expect(bks_map("pad", "", TOOL_OK), "behind the root: words[N] is uint64_t");
    out = bks_map("duel", "--json", TOOL_OK);
    cli_expect(out, "\"root\": \"duel_state\"");
    cli_expect(out, "\"name\": \"matches_won\"");
}

static void expect_same_members(const bks_map_type *a, const bks_map_type *b)
{
    assert_int_equal(a->member_count, b->member_count);
    for (uint32_t i = 0; i < a->member_count; i++) {
        const bks_map_member *x = &a->members[i];
        const bks_map_member *y = &b->members[i];
        if (strcmp(x->name, y->name) != 0 || x->type != y->type ||
            x->offset_bytes != y->offset_bytes || x->bits != y->bits ||
            x->bit_offset != y->bit_offset || memcmp(x->count, y->count, sizeof(x->count)) != 0) {
            fail_msg("%s.%s is not the same in C", a->name, x->name);
        }
    }
}

static bool is_same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void expect_same(const bks_state_map *a, const bks_state_map *b)
{
    assert_int_equal(a->type_count, b->type_count);
    for (uint32_t i = 0; i < a->type_count; i++) {
        const bks_map_type *x = &a->types[i];
        const bks_map_type *y = &b->types[i];
        assert_string_equal(x->name, y->name);
        if (x->kind != y->kind || x->bytes != y->bytes || x->target != y->target ||
            x->target_count != y->target_count || x->enumerator_count != y->enumerator_count ||
            !is_same_text(x->pool, y->pool)) {
            fail_msg("types[%u] (%s) is not the same in C: %u bytes, %u", i, x->name,
                     (unsigned)x->bytes, (unsigned)y->bytes);
        }
        expect_same_members(x, y);
        for (uint32_t k = 0; k < x->enumerator_count; k++) {
            assert_string_equal(x->enumerators[k].name, y->enumerators[k].name);
            assert_true(x->enumerators[k].value == y->enumerators[k].value);
        }
    }
    assert_int_equal(a->pool_count, b->pool_count);
    for (uint32_t i = 0; i < a->pool_count; i++) {
        assert_string_equal(a->pools[i].name, b->pools[i].name);
        assert_int_equal(a->pools[i].type, b->pools[i].type);
    }
    assert_int_equal(a->case_count, b->case_count);
    for (uint32_t i = 0; i < a->case_count; i++) {
        assert_int_equal(a->cases[i].type, b->cases[i].type);
        assert_int_equal(a->cases[i].by, b->cases[i].by);
        assert_true(a->cases[i].value == b->cases[i].value);
        assert_int_equal(a->cases[i].member, b->cases[i].member);
        assert_int_equal(a->cases[i].selected, b->cases[i].selected);
    }
    assert_true(is_same_text(a->rest_name, b->rest_name));
    assert_int_equal(a->rest_type, b->rest_type);
    assert_int_equal(a->has_arena, b->has_arena);
}

/// The C table of a game, compiled, is the map of its debug information.
static void expect_c_table(const char *name, const char *symbol)
{
    char line[256];
    (void)snprintf(line, sizeof(line), "table_%s.c", symbol);
    cli_write(line, bks_map(name, "--as-c", TOOL_OK));
    (void)snprintf(line, sizeof(line), "table_%s.c -o table_%s.so", symbol, symbol);
    assert_true(compile(line));
    (void)snprintf(line, sizeof(line), "%s/table_%s.so", cli_folder(), symbol);
    void *table = dlopen(line, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(table);
    const bks_state_map *compiled = dlsym(table, symbol);
    assert_non_null(compiled);
    assert_int_equal(bks_state_map_check(compiled, NULL), BKS_OK);
    loaded_game game;
    game_map map;
    char why[320];
    assert_int_equal(loader_open(name, &game), TOOL_OK);
    assert_true(game_map_find(&game, &map, why));
    expect_same(map.map, compiled);
    dlclose(table);
}

static void a_c_table_is_the_map_of_the_debug_information(void **state)
{
    (void)state;
    need(is_ready);
    expect_c_table("duel", "duel_state_map");
    expect_c_table("pad", "pad_state_map");
    expect_c_table("./odd.so", "odd_state_map");
}

/// DWARF 2 has offsets as expressions and counts bits from the top.
static void every_version_of_debug_information_gives_the_same_map(void **state)
{
    (void)state;
    need(is_ready);
    static char wanted[1 << 16];
    (void)snprintf(wanted, sizeof(wanted), "%s", strchr(bks_map("./odd.so", "", TOOL_OK), '\n'));
    static const char *const ways[] = {"-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5"};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        char line[256];
        (void)snprintf(line, sizeof(line),
                       "%s -gstrict-dwarf '-UMORE' '-DMORE=BKS_TYPE_REF(odd_state, items, item, "
                       "0)' odd.c -o odd.%d.so",
                       ways[i], (int)i);
        assert_true(compile(line));
        (void)snprintf(line, sizeof(line), "./odd.%d.so", (int)i);
        assert_string_equal(strchr(bks_map(line, "", TOOL_OK), '\n'), wanted);
    }
}

static void debug_information_in_another_file_is_refused_with_the_reason(void **state)
{
    (void)state;
    need(is_ready);
    assert_true(compile("-g -gsplit-dwarf '-UMORE' '-DMORE=BKS_TYPE_REF(odd_state, items, item, "
                        "0)' -c odd.c -o split.o") &&
                compile("split.o -o split.so"));
    cli_expect(bks_map("./split.so", "", TOOL_NO), "expected a build without -gsplit-dwarf");
    (void)remove("split.dwo");
    cli_expect(bks_map("./split.so", "", TOOL_NO), "expected a build without -gsplit-dwarf");
}

/// A game whose types stand in its source: the table says that including it is no way, and which
/// are.
static void a_c_table_of_a_game_in_one_file_warns_of_its_include(void **state)
{
    (void)state;
    need(is_ready);
    char text[sizeof(odd_types) + sizeof(odd_game) + 64];
    const char *game = strchr(odd_game, '\n') + 1; // behind #include "odd.h"
    (void)snprintf(text, sizeof(text), "%s%s", odd_types, game);
    cli_write("one.c", text);
    assert_true(
        compile("-g '-UMORE' '-DMORE=BKS_TYPE_REF(odd_state, items, item, 0)' one.c -o one.so"));
    const char *table = bks_map("./one.so", "--as-c", TOOL_OK);
    cli_expect(table, "#include \"one.c\"\n// one.c is no header");
    cli_expect(table, "at the end of one.c");
    assert_null(strstr(bks_map("./odd.so", "--as-c", TOOL_OK), "is no header"));
}

/// As the table says: without its include, at the end of a game that uses plain names itself.
static void a_c_table_stands_at_the_end_of_its_game(void **state)
{
    (void)state;
    need(is_ready);
    static char table[1 << 16];
    (void)snprintf(table, sizeof(table), "%s", bks_map("./one.so", "--as-c", TOOL_OK));
    char *include = strstr(table, "#include \"one.c\"");
    assert_non_null(include);
    memcpy(include, "//", 2);
    cli_write("one_map.h", table);
    cli_write("one_whole.c", "#include \"one.c\"\n"
                             "enum { members, enumerators, pools, cases, COUNT, GREATER };\n"
                             "#include \"one_map.h\"\n");
    assert_true(compile("-g '-UMORE' '-DMORE=BKS_TYPE_REF(odd_state, items, item, 0)' one_whole.c "
                        "-o one_whole.so"));
}

/// Names of pools and games may hold what C gives a meaning to.
static void a_c_table_of_odd_names_compiles(void **state)
{
    (void)state;
    need(is_ready);
    cli_write("quoted.c", "#undef MORE\n#define NAME \"2 odd\"\n"
                          "#define MORE BKS_TYPE_POOL(\"a\\\"b\\\\?\" \"?=\", item)\n"
                          "#include \"odd.c\"\n");
    assert_true(compile("-g quoted.c -o quoted.so"));
    expect_c_table("./quoted.so", "game_2_odd_state_map");
}

static void a_game_without_debug_information_hands_its_map_over(void **state)
{
    (void)state;
    need(is_ready);
    cli_expect(bks_map("./odd.so", "--as-c", TOOL_OK), "const bks_state_map odd_state_map");
    cli_write("odd_state_map.c", cli("games --map ./odd.so --as-c")->out);
    const char *entry = "'-UMORE' '-DMORE=BKS_TYPE_REF(odd_state, items, item, 0)'";
    char line[256];
    (void)snprintf(line, sizeof(line), "-s %s odd.c -o bare.so", entry);
    assert_true(compile(line));
    (void)snprintf(line, sizeof(line), "-s %s -DWITH_MAP odd.c odd_state_map.c -o shipped.so",
                   entry);
    assert_true(compile(line));
    cli_expect(bks_map("./bare.so", "", TOOL_NO), "build with -g, or a game with bks_game.map");
    cli_expect(bks_map("./shipped.so", "", TOOL_OK), "from the table (bks_game.map) in");
    cli_expect(bks_map("./shipped.so", "", TOOL_OK), "at[2][3]                 point\n");
    cli_expect(bks_map("./shipped.so", "--as-c", TOOL_NO), "is C already");
}

/// What bks_game.types says wrong is refused with its entry.
static void wrong_entries_are_refused(void **state)
{
    (void)state;
    need(is_ready);
    static const struct {
        const char *entry;
        const char *words;
    } wrong[] = {
        {"BKS_TYPE_REF(odd_state, count, item, 1)", "(odd_state.count) whose member is no bks_ref"},
        {"BKS_TYPE_ENUM(odd_state, tone, struct point)", "(odd_state.tone) whose type is no enum"},
        {"BKS_TYPE_ENUM(odd_state, on, enum tone)", "(odd_state.on) whose member is no number"},
        {"BKS_TYPE_ID(odd_state, word[4], \"items\")", "no member of a struct in the state"},
        {"{\"odd_state\", sizeof(odd_state), BKS_TYPE_IS_ID, \"word\", 8, \"items\", 0, 0, 0}",
         "(odd_state.word) that has another size"},
        {"{\"p\", 0, BKS_TYPE_IS_POOL, \"\", 0, \"item\", 4, 0, 0}", "has another size"},
        {"{\"p\", 0, BKS_TYPE_IS_POOL, \"\", 0, \"lost\", 4, 0, 0}", "has no type lost"},
        {"BKS_TYPE_CASE(odd_state, mode, 1, held.kind)", "no member of a union beside it"},
        {"BKS_TYPE_REF(odd_state, list, item, 1)",
         "(odd_state.list) that says otherwise than types[2], expected one entry: where a member "
         "is of several types, give it several structs"},
        {"BKS_TYPE_ENUM(odd_state, chosen, enum tone)", "says otherwise than types[4]"},
        {"BKS_TYPE_POOL(\"items\", link)", "(items) that says otherwise than types[1]"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[256];
        char line[256];
        (void)snprintf(text, sizeof(text), "#undef MORE\n#define MORE %s\n#include \"odd.c\"\n",
                       wrong[i].entry);
        cli_write("wrong.c", text);
        (void)snprintf(line, sizeof(line), "-g wrong.c -o wrong%d.so", (int)i);
        if (!compile(line)) {
            assert_int_equal(i, 3); // member_bytes 1 is refused later, by the loader
            continue;
        }
        (void)snprintf(line, sizeof(line), "games --map ./wrong%d.so", (int)i);
        const cli_run *run = cli(line);
        assert_true(run->status == TOOL_NO || run->status == TOOL_DAMAGED);
        if (i != 3 && i != 4) { // the loader refuses these
            cli_expect(run->err, wrong[i].words);
        }
    }
}

/// Whatever stands in a file: it gives a sound map or a reason, and ends.
static void damaged_debug_information_is_refused(void **state)
{
    (void)state;
    need(is_ready);
    loaded_game game;
    uint8_t *bytes = NULL;
    size_t count = 0;
    assert_int_equal(loader_open("./odd.so", &game), TOOL_OK);
    assert_int_equal(file_read("odd.so", &bytes, &count), TOOL_OK);
    const char *rounds = getenv("BKS_MAP_ROUNDS");
    uint32_t refused = 0;
    srand(5);
    for (int round = 0; round < (rounds != NULL ? atoi(rounds) : 300); round++) {
        uint8_t *copy = malloc(count);
        assert_non_null(copy);
        memcpy(copy, bytes, count);
        // Behind the code, where the debug information stands.
        for (int i = 0; i < 1 + round % 40; i++) {
            copy[count / 3 + (size_t)rand() % (count - count / 3)] = (uint8_t)rand();
        }
        const size_t kept = round % 10 == 0 ? (size_t)rand() % count : count;
        FILE *file = fopen("damaged.so", "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(copy, 1, kept, file), kept);
        (void)fclose(file);
        free(copy);
        map_types *types = calloc(1, sizeof(*types));
        bks_state_map map;
        assert_non_null(types);
        map_dwarf *dwarf = map_dwarf_open("damaged.so", types);
        const bool is_read = dwarf != NULL && map_entries_read(dwarf, game.game, types) &&
                             map_types_finish(types, &map);
        map_dwarf_close(dwarf);
        assert_true(is_read == (types->error[0] == '\0'));
        refused += !is_read;
        free(types);
    }
    assert_true(refused > 30);
    free(bytes);
}

static void wrong_usage_is_refused(void **state)
{
    (void)state;
    assert_int_equal(cli("games --map")->status, TOOL_MISUSE);
    assert_int_equal(cli("games --as-c duel")->status, TOOL_MISUSE);
    assert_int_equal(cli("games --map duel --as-c --json")->status, TOOL_MISUSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_names_fields_types_and_padding),
        cmocka_unit_test(a_c_table_is_the_map_of_the_debug_information),
        cmocka_unit_test(every_version_of_debug_information_gives_the_same_map),
        cmocka_unit_test(debug_information_in_another_file_is_refused_with_the_reason),
        cmocka_unit_test(a_c_table_of_a_game_in_one_file_warns_of_its_include),
        cmocka_unit_test(a_c_table_stands_at_the_end_of_its_game),
        cmocka_unit_test(a_c_table_of_odd_names_compiles),
        cmocka_unit_test(a_game_without_debug_information_hands_its_map_over),
        cmocka_unit_test(wrong_entries_are_refused),
        cmocka_unit_test(damaged_debug_information_is_refused),
        cmocka_unit_test(wrong_usage_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, cli_teardown);
}
