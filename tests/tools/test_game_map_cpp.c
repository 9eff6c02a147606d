// SPDX-License-Identifier: MIT

// Maps of games in C++: namespaces, classes.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

static const char types[] =
    "#include \"backstitch/plugin.h\"\n"
    "#include \"backstitch/state_map.h\"\n"
    "namespace land { struct Item { int32_t x; uint8_t kind; }; enum class Tone : uint8_t { low, "
    "high = 7 }; }\n"
    "namespace sea { inline namespace v1 { struct Item { uint8_t kinds[8]; }; }\n"
    "  namespace deep { struct Fish { land::Tone tone; }; } }\n"
    "namespace { struct Hidden { land::Item one; sea::Item two; bks_ref to; }; }\n"
    "namespace world { struct Outer { struct State { uint32_t tick; land::Item first;\n"
    "  sea::Item second; Hidden hidden; uint8_t tone; }; }; }\n";

static const char game[] =
    "#include \"types.h\"\n"
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
                   "c++ -std=c++20 -w -I'%s/include' "
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
    cli_write("game.cpp", game);
#ifdef BKS_HAVE_LIBDW
    cli_write("empty.cpp", "int empty = 0;\n");
    is_ready = system("c++ -std=c++20 -fsyntax-only empty.cpp 2>/dev/null") == 0;
#endif
    return 0;
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
    assert_true(compile("-g -shared -fPIC one.cpp -o one.so"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_in_namespaces_and_classes_are_found),
        cmocka_unit_test(names_without_their_namespace_lead_to_the_only_type),
        cmocka_unit_test(a_name_of_several_types_is_refused_with_them),
        cmocka_unit_test(a_check_says_why_no_types_are_known),
    };
    return cmocka_run_group_tests(tests, set_up, cli_teardown);
}
