// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"

// Rust lays members out in an order of its own, and the variants of an enum beside each other.
static const char types[] =
    "#![no_std]\n"
    "#![allow(dead_code)]\n"
    "#[panic_handler] fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }\n"
    "#[derive(Clone, Copy)] pub enum Task { Idle, Walk { x: f32, speed: u8 }, Guard(u16) }\n"
    "#[derive(Clone, Copy)] pub struct Unit { pub alive: u8, pub leader: Option<u32>, pub task: "
    "Task }\n"
    "pub struct State { pub tick: u8, pub units: [Unit; 4], pub seed: u64 }\n"
    "#[no_mangle] pub static mut WORLD: State = State { tick: 0, seed: 0,\n"
    "  units: [Unit { alive: 1, leader: None, task: Task::Idle }; 4] };\n"
    "#[no_mangle] pub extern \"C\" fn state_bytes() -> usize { core::mem::size_of::<State>() }\n";

// Without debug information: that of Rust is the only one.
static const char game[] =
    "#include \"backstitch/plugin.h\"\n"
    "#include \"backstitch/state.h\"\n"
    "typedef struct State { uint64_t words[BYTES / 8]; } State;\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 1}};\n"
    "static void init(void *s, const bks_start *t) { (void)s; (void)t; }\n"
    "static void step(void *s, const bks_step *t) { (void)s; (void)t; }\n"
    "static const bks_type_entry types[] = {BKS_TYPE_ROOT(State)};\n"
    "static const bks_game game = {.name = \"rusty\", .tick_rate_hz = 60, .players_max = 1,\n"
    "  .fields = fields, .field_count = 1, .state_bytes = sizeof(State), .types = types,\n"
    "  .type_count = 1, .init = init, .step = step};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};\n"
    "extern char WORLD[]; extern char *keep; char *keep = WORLD;\n";

static const char print_bytes[] = "#include <stdio.h>\n"
                                  "size_t state_bytes(void);\n"
                                  "int main(void) { printf(\"%zu\", state_bytes()); }\n";

static bool is_ready;

static int set_up(void **state)
{
    char line[1024];
    if (cli_setup(state) != 0) {
        return -1;
    }
    cli_write("types.rs", types);
    cli_write("game.c", game);
    cli_write("print.c", print_bytes);
    (void)snprintf(line, sizeof(line),
                   "{ rustc --edition 2021 --crate-type lib --emit obj -g -C panic=abort -C "
                   "relocation-model=pic -C opt-level=1 -o types.o types.rs && cc print.c types.o "
                   "-o print && cc -std=c17 -shared -fPIC -g0 -DBYTES=$(./print) -I'%s/include' "
                   "game.c types.o -o rusty.so; } 2>build.txt",
                   BKS_TEST_SOURCE_DIR);
#ifdef BKS_HAVE_LIBDW
    is_ready = system("rustc --version >build.txt 2>&1") == 0;
    return is_ready && system(line) != 0 ? -1 : 0;
#else
    return 0;
#endif
}

static const char *bks_map(const char *options, int status)
{
    char line[128];
    if (!is_ready) {
        skip(); // no rustc, or no libdw
    }
    (void)snprintf(line, sizeof(line), "games --map ./rusty.so %s", options);
    const cli_run *run = cli(line);
    cli_expect_status(run, status);
    return status == 0 ? run->out : run->err;
}

static void data_of_an_enum_of_rust_is_no_padding(void **state)
{
    (void)state;
    const char *out = bks_map("", 0);
    cli_expect(out, "leader                   Option<u32>\n");
    cli_expect(out, "task                     Task\n");
    assert_null(strstr(out, "struct Option<u32>"));
    assert_null(strstr(out, "struct Task"));
}

/// Behind the last member there may be some, at its beginning there is none.
static void members_in_another_order_are_no_padding(void **state)
{
    (void)state;
    const char *root = strstr(bks_map("", 0), "root State");
    assert_non_null(root);
    const char *first = strchr(strchr(root, '\n') + 1, '\n') + 1;
    assert_int_equal(strncmp(first, "       0", 8), 0);
    assert_true(strstr(first, "(padding)") > strstr(first, "tick"));
}

static void a_c_table_of_another_language_is_refused(void **state)
{
    (void)state;
    cli_expect(bks_map("--as-c", 1), "which is in another language: a C table cannot name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_of_an_enum_of_rust_is_no_padding),
        cmocka_unit_test(members_in_another_order_are_no_padding),
        cmocka_unit_test(a_c_table_of_another_language_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, cli_teardown);
}
