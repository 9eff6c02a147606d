// SPDX-License-Identifier: MIT

// Maps of games in C++: namespaces, classes.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/tool.h"
#include "cli.h"
#include "map/game_map.h"

static const char types[] =
    "#pragma once\n"
    "#include \"backstitch/plugin.h\"\n"
    "#include \"backstitch/state.h\"\n"
    "namespace land { struct Item { int32_t x; uint8_t kind; }; enum class Tone : uint8_t { low, "
    "high = 7 }; }\n"
    "namespace sea { inline namespace v1 { struct Item { uint8_t kinds[8]; }; }\n"
    "  namespace deep { struct Fish { land::Tone tone; }; } }\n"
    "namespace { struct Hidden { land::Item one; sea::Item two; bks_ref to; }; }\n"
    "namespace world { struct Outer { struct State { uint32_t tick; land::Item first;\n"
    "  sea::Item second; Hidden hidden; uint8_t tone; }; }; }\n";

static const char game[] =
    "#include \"types.h\"\n"
    "#include \"parts.h\"\n"
    "using namespace sea; using namespace deep; using world::Outer;\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 1}};\n"
    "static void init(void *, const bks_start *) {}\n"
    "static void step(void *, const bks_step *) {}\n"
    "static const bks_type_entry types[] = {ENTRIES};\n"
    "static const bks_game game = {.name = \"cpp\", .tick_rate_hz = 60, .players_max = 1,\n"
    "  .fields = fields, .field_count = 1, .state_bytes = 8192, .root_bytes = sizeof(ROOT),\n"
    "  .types = types, .type_count = sizeof(types) / sizeof(types[0]), .init = init,\n"
    "  .step = step};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {\n"
    "  .abi = BKS_PLUGIN_ABI, .game = &game};\n"
    "__attribute__((used)) static ROOT root; __attribute__((used)) static Fish fish;\n";

static bool compile(const char *arguments)
{
    char line[2048];
    (void)snprintf(line, sizeof(line),
                   "c++ -std=c++20 -I'%s/include' "
                   "-I. %s",
                   BKS_TEST_SOURCE_DIR, arguments);
    return system(line) == 0;
}

static bool is_ready;

static int set_up(void **state)
{
    if (cli_setup(state) != 0) {
        return -1;
    }
    cli_write("types.h", types);
    cli_write("parts.h", "");
    cli_write("game.cpp", game);
#ifdef BKS_HAVE_LIBDW
    cli_write("empty.cpp", "int empty = 0;\n");
    is_ready = system("c++ -std=c++20 -fsyntax-only empty.cpp 2>/dev/null") == 0;
#endif
    return 0;
}

/// The documented line that exports a plug-in.
static void a_plugin_in_cpp_compiles_without_a_warning(void **state)
{
    (void)state;
    if (!is_ready) {
        skip(); // no compiler by the name of c++, or no libdw
    }
    cli_write("quiet.cpp", "#define ROOT Hidden\n#define ENTRIES BKS_TYPE_ROOT(Hidden)\n"
                           "#include \"game.cpp\"\n");
    assert_true(compile("-Wall -Werror -Wno-missing-field-initializers -Wno-subobject-linkage "
                        "-fvisibility=hidden -shared "
                        "-fPIC quiet.cpp -o quiet.so"));
    cli_expect_status(cli("games --map ./quiet.so --json"), TOOL_NO); // it is loaded
}

/// The map of a game with these entries.
static const char *map_of(const char *root, const char *entries, const char *options, int status)
{
    char line[1024];
    if (!is_ready) {
        skip(); // no compiler by the name of c++, or no libdw
    }
    (void)snprintf(line, sizeof(line),
                   "#define ROOT %s\n#define ENTRIES %s\n#include \"game.cpp\"\n", root, entries);
    cli_write("one.cpp", line);
    assert_true(compile("-w -g -shared -fPIC one.cpp -o one.so"));
    (void)snprintf(line, sizeof(line), "games --map ./one.so %s", options);
    const cli_run *run = cli(line);
    cli_expect_status(run, status);
    return status == TOOL_OK ? run->out : run->err;
}

static void types_in_namespaces_and_classes_are_found(void **state)
{
    (void)state;
    const char *out = map_of("world::Outer::State", "BKS_TYPE_ROOT(world::Outer::State)", "", 0);
    cli_expect(out, "root world::Outer::State, ");
    cli_expect(out, "first                    land::Item\n");
    cli_expect(out, "second                   sea::Item\n"); // of the same size as the first
    cli_expect(out, "hidden                   Hidden\n");
    cli_expect(out, "kinds[8]                 uint8_t\n");
}

/// As the compiler takes them: by the end of the name, in an unnamed or inline namespace.
static void names_without_their_namespace_lead_to_the_only_type(void **state)
{
    (void)state;
    const char *out = map_of("Outer::State",
                             "BKS_TYPE_ROOT(Outer::State), BKS_TYPE_REF(Hidden, to, Fish, 3), "
                             "BKS_TYPE_ENUM(Outer::State, tone, land::Tone)",
                             "", 0);
    cli_expect(out, "root world::Outer::State, ");
    cli_expect(out, "bks_ref to sea::deep::Fish[3]\n");
    cli_expect(out, "land::Tone\n");
    out = map_of("Hidden",
                 "BKS_TYPE_ROOT(Hidden), BKS_TYPE_REF(Hidden, to, sea::v1::Item, 3), "
                 "BKS_TYPE_POOL(\"items\", sea::Item)",
                 "", 0);
    cli_expect(out, "root Hidden, ");
    cli_expect(out, "bks_ref to sea::Item[3]\n");
}

static void a_name_of_several_types_is_refused_with_them(void **state)
{
    (void)state;
    const char *err =
        map_of("Hidden", "BKS_TYPE_ROOT(Hidden), BKS_TYPE_REF(Hidden, to, Item, 3)", "", TOOL_NO);
    cli_expect(err, "has several types Item, expected one of: land::Item, sea::Item");
}

/// A check names by pool and page then.
static void a_check_says_why_no_types_are_known(void **state)
{
    (void)state;
    (void)map_of("Hidden", "BKS_TYPE_ROOT(Hidden), BKS_TYPE_POOL(\"items\", Item)", "", TOOL_NO);
    const cli_run *run = cli("check ./one.so --ticks 2 --variants again");
    cli_expect(run->out, "types     none are known: the game has several types Item");
    run = cli("check ./one.so --ticks 2 --variants again --json");
    cli_expect(run->out, "\"no_types\": \"has several types Item");
}

// An empty base, one whose padding the class uses, and what they hold.
static const char parts[] =
    "#include <array>\n"
    "#include \"types.h\"\n"
    "struct Empty {};\n"
    "struct Thing { uint32_t id{}; bool alive{}; bks_id of{}; uint8_t tone{};\n"
    "  union { float f; uint32_t u; } is{}; uint8_t last{}; };\n"
    "struct Goal { int32_t x, y; };\n"
    "struct Beast : Empty, Thing { uint8_t close; std::array<std::array<Goal, 2>, 3> goals;\n"
    "  bks_ref to; std::array<Beast *, 2> others; };\n"
    "struct Root { uint32_t tick; std::array<Beast, 4> beasts; std::array<int32_t, 2> score; };\n";

#define PART_ENTRIES                                                                              \
    "BKS_TYPE_ROOT(Root), BKS_TYPE_ID(Thing, of, \"things\"), BKS_TYPE_REF(Beast, to, Goal, 2), " \
    "BKS_TYPE_ENUM(Beast, tone, land::Tone), BKS_TYPE_CASE(Thing, alive, 1, is.u)"

/// As the source of the game writes them, not as the C++ library holds them.
static void arrays_and_base_classes_read_as_in_the_source(void **state)
{
    (void)state;
    cli_write("parts.h", parts);
    const char *out = map_of("Root", PART_ENTRIES, "", 0);
    cli_expect(out, "  beasts[4]                Beast\n");
    cli_expect(out, "  score[2]                 int\n");
    cli_expect(out, "  goals[3][2]              Goal\n");
    cli_expect(out, "  others[2]                pointer\n");
    cli_expect(out, "  id                       uint32_t\n");
    const char *beast = strstr(out, "struct Beast");
    assert_non_null(beast);
    cli_expect(beast, "  id                       uint32_t\n");
    cli_expect(beast, "  of                       bks_id in pool things\n");
    cli_expect(beast, "  tone                     land::Tone\n");
    cli_expect(beast, "u while alive is 1\n");
    cli_expect(beast, "      21       1  close");
    assert_null(strstr(out, "no name"));
    assert_null(strstr(out, "_M_elems"));
}

/// Whatever stands in a file: it gives a sound map or a reason, and ends.
static void damaged_debug_information_is_refused(void **state)
{
    (void)state;
    loaded_game loaded;
    uint8_t *bytes = NULL;
    size_t count = 0;
    cli_write("parts.h", parts);
    (void)map_of("Root", PART_ENTRIES, "", 0);
    assert_int_equal(loader_open("./one.so", &loaded), TOOL_OK);
    assert_int_equal(file_read("one.so", &bytes, &count), TOOL_OK);
    const char *rounds = getenv("BKS_MAP_ROUNDS");
    uint32_t refused = 0;
    srand(9);
    for (int round = 0; round < (rounds != NULL ? atoi(rounds) : 150); round++) {
        const size_t at = count / 3 + (size_t)rand() % (count - count / 3);
        uint8_t before[16];
        const size_t size = at + sizeof(before) < count ? sizeof(before) : 1;
        memcpy(before, bytes + at, size);
        for (size_t i = 0; i < size; i++) {
            bytes[at + i] = (uint8_t)(rand() % 3 == 0 ? rand() : bytes[at + i]);
        }
        FILE *file = fopen("damaged.so", "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, count, file), count);
        (void)fclose(file);
        memcpy(bytes + at, before, size);
        map_types *gathered = calloc(1, sizeof(*gathered));
        bks_state_map map;
        assert_non_null(gathered);
        map_dwarf *dwarf = map_dwarf_open("damaged.so", gathered);
        const bool is_read = dwarf != NULL && map_entries_read(dwarf, loaded.game, gathered) &&
                             map_types_finish(gathered, &map);
        map_dwarf_close(dwarf);
        assert_true(is_read == (gathered->error[0] == '\0'));
        refused += !is_read;
        free(gathered);
    }
    assert_true(refused > 0);
    free(bytes);
}

static void a_c_table_of_what_it_cannot_name_is_refused(void **state)
{
    (void)state;
    cli_write("parts.h", parts);
    const char *err = map_of("Root", PART_ENTRIES, "--as-c", TOOL_NO);
    cli_expect(err, "has Beast, which has a base class: a C table cannot name its members");
    cli_write("parts.h", "template <typename A, int N> struct Two { A a[N]; };\n"
                         "struct Root { Two<int, 3> two; };\n");
    err = map_of("Root", "BKS_TYPE_ROOT(Root)", "--as-c", TOOL_NO);
    cli_expect(err, "has Two<int, 3>, which is a template");
    cli_write("parts.h", "class Own { int own; public: int open; };\n"
                         "struct Root { Own own; };\n");
    err = map_of("Root", "BKS_TYPE_ROOT(Root)", "--as-c", TOOL_NO);
    cli_expect(err, "has Own, which has members that are not public");
}

static void large_enumerators_and_static_members_are_read(void **state)
{
    (void)state;
    cli_write("parts.h", "#include <stdint.h>\n"
                         "enum class Hue : uint8_t { red = 1, blue = 250 };\n"
                         "enum class Mood : int8_t { low = -6 };\n"
                         "namespace { struct Root { Hue hue; static int32_t all; Mood mood;\n"
                         "  int32_t x; }; }\n"
                         "int32_t Root::all = 3;\n");
    const char *out = map_of("Root", "BKS_TYPE_ROOT(Root)", "", 0);
    cli_expect(out, "250 blue");
    cli_expect(out, "-6 low");
    assert_null(strstr(out, " all "));
    assert_true(compile("-w -g -gdwarf-4 -shared -fPIC one.cpp -o one.so"));
    out = cli("games --map ./one.so")->out;
    cli_expect(out, "250 blue");
    assert_null(strstr(out, " all "));
}

/// What C++ can name, it compiles.
static void a_c_table_of_plain_structs_is_cpp(void **state)
{
    (void)state;
    cli_write("parts.h", "#include <array>\n#include \"types.h\"\n"
                         "namespace plain { struct Root { std::array<land::Item, 3> items[2];\n"
                         "  land::Tone tone; int32_t at[4]; }; }\n");
    cli_write("table.cpp", map_of("plain::Root", "BKS_TYPE_ROOT(plain::Root)", "--as-c", 0));
    assert_true(compile("-Wall -Wextra -Werror -Wno-subobject-linkage "
                        "-c table.cpp -o table.o"));
}

/// Pointers to members, and types of which debug information has no size.
static void a_member_of_unknown_size_costs_no_more_than_its_type(void **state)
{
    (void)state;
    cli_write("parts.h", "#include \"types.h\"\n"
                         "struct Odd { int32_t a; int32_t Odd::*at; void (Odd::*call)(int);\n"
                         "  decltype(nullptr) none; int32_t b; decltype(nullptr) last; };\n");
    const char *out = map_of("Odd", "BKS_TYPE_ROOT(Odd)", "", 0);
    cli_expect(out, "at ");
    cli_expect(out, "call ");
    cli_expect(out, "none[8] ");
    cli_expect(out, "last[8] ");
    cli_expect(map_of("Odd", "BKS_TYPE_ROOT(Odd)", "--as-c", TOOL_NO), "Odd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plugin_in_cpp_compiles_without_a_warning),
        cmocka_unit_test(types_in_namespaces_and_classes_are_found),
        cmocka_unit_test(names_without_their_namespace_lead_to_the_only_type),
        cmocka_unit_test(a_name_of_several_types_is_refused_with_them),
        cmocka_unit_test(arrays_and_base_classes_read_as_in_the_source),
        cmocka_unit_test(a_c_table_of_what_it_cannot_name_is_refused),
        cmocka_unit_test(large_enumerators_and_static_members_are_read),
        cmocka_unit_test(a_c_table_of_plain_structs_is_cpp),
        cmocka_unit_test(damaged_debug_information_is_refused),
        cmocka_unit_test(a_member_of_unknown_size_costs_no_more_than_its_type),
        cmocka_unit_test(a_check_says_why_no_types_are_known),
    };
    return cmocka_run_group_tests(tests, set_up, cli_teardown);
}
