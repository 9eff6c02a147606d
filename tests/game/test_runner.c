// SPDX-License-Identifier: MIT

#include "game/runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "game/some_game.h"
#include "support/catch_log.h"
#include "support/counting_allocator.h"
#include "support/seed.h"

enum { TICKS = 60, PLAYERS = 2, FIELDS = 2 };

static int32_t inputs[TICKS][PLAYERS * FIELDS];

static void make_inputs(void)
{
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        for (uint32_t i = 0; i < PLAYERS * FIELDS; i += FIELDS) {
            inputs[tick][i] = (int32_t)seed_below(32) - 16;
            inputs[tick][i + 1] = (int32_t)seed_below(2);
        }
    }
}

static bksi_runner_config config_of(const bks_game *game)
{
    bksi_runner_config config = {
        .game = game, .seed = 77, .players = PLAYERS, .tick_rate_hz = 60, .slot_count = 4};
    (void)bks_option_values_default(game, &config.options);
    return config;
}

static bksi_runner *runner_of(const bks_game *game)
{
    bksi_runner_config config = config_of(game);
    bksi_runner *runner = NULL;
    assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_OK);
    return runner;
}

static void step_range(bksi_runner *runner, bks_tick from, bks_tick to)
{
    for (bks_tick tick = from; tick < to; tick++) {
        bksi_runner_step(runner, tick, inputs[tick]);
    }
}

static void there_are_fewer_snapshots_where_they_would_take_too_much_memory(void **state)
{
    (void)state;
    bksi_runner_config config = config_of(&some_game);
    const size_t bytes = 10000; // of its default options
    const struct {
        size_t room;
        uint32_t slots;
    } cases[] = {{0, 4}, {5 * bytes, 4}, {4 * bytes, 4}, {4 * bytes - 1, 3}, {bytes, 2}, {1, 2}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bksi_runner *runner = NULL;
        config.slots_bytes_max = cases[i].room;
        assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_OK);
        assert_int_equal(bksi_runner_slots(runner), cases[i].slots);
        assert_true(bksi_runner_save(runner, cases[i].slots - 1) > 0);
        bksi_runner_destroy(runner);
    }
}

static void a_rolled_back_game_ends_where_a_straight_one_does(void **state)
{
    (void)state;
    const bks_game *games[] = {&some_game, &own_game};
    for (size_t g = 0; g < 2; g++) {
        bksi_runner *straight = runner_of(games[g]);
        bksi_runner *rolled = runner_of(games[g]);
        assert_true(bksi_runner_hash(straight) == bksi_runner_hash(rolled));
        uint64_t start = bksi_runner_hash(straight);
        step_range(straight, 0, TICKS);
        step_range(rolled, 0, 20);
        uint64_t before = bksi_runner_hash(rolled);
        assert_true(bksi_runner_save(rolled, 3) > 0);
        bksi_runner_step(rolled, 20, inputs[40]); // a wrong guess, and on from there
        step_range(rolled, 21, 30);
        bksi_runner_load(rolled, 3);
        assert_true(bksi_runner_hash(rolled) == before);
        step_range(rolled, 20, TICKS);
        assert_true(bksi_runner_hash(rolled) == bksi_runner_hash(straight));
        assert_true(bksi_runner_hash(rolled) != start);
        bksi_runner_destroy(straight);
        bksi_runner_destroy(rolled);
    }
    assert_int_equal(own.alive, 0);
}

static void a_restart_is_a_new_start_with_its_own_values(void **state)
{
    (void)state;
    bksi_runner *runner = runner_of(&some_game);
    uint64_t start = bksi_runner_hash(runner);
    step_range(runner, 0, 30);
    bks_option_values options;
    bks_option_values_default(&some_game, &options);
    assert_int_equal(bks_option_values_set(&some_game, &options, "lives", "5", NULL), BKS_OK);
    const void *address = bksi_runner_state(runner);
    assert_int_equal(bksi_runner_restart(runner, 78, 3, &options, NULL), BKS_OK);
    const some_state *some = bksi_runner_state(runner);
    assert_ptr_equal(some, address);
    assert_int_equal(some->inits, 1);
    assert_int_equal(some->seed, 78);
    assert_int_equal(some->lives, 5);
    assert_int_equal(some->players, 3);
    assert_int_equal(bksi_runner_start(runner)->players, 3);

    bks_option_values_default(&some_game, &options);
    assert_int_equal(bksi_runner_restart(runner, 77, PLAYERS, &options, NULL), BKS_OK);
    assert_true(bksi_runner_hash(runner) == start);
    bksi_runner_destroy(runner);
}

static void a_restart_with_another_size_makes_the_region_anew(void **state)
{
    (void)state;
    counting_allocator counter;
    bksi_runner_config config = config_of(&some_game);
    config.allocator = counting_allocator_hooks(&counter);
    bksi_runner *runner;
    assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_OK);
    assert_int_equal(bksi_runner_export_bytes_max(runner), 10000);
    bks_option_values options = config.options;
    assert_int_equal(bks_option_values_set(&some_game, &options, "map", "huge", NULL), BKS_OK);
    assert_int_equal(bksi_runner_restart(runner, 1, PLAYERS, &options, NULL), BKS_OK);
    assert_int_equal(bksi_runner_export_bytes_max(runner), 100000);
    step_range(runner, 0, TICKS);
    assert_true(bksi_runner_save(runner, 0) > 0);
    bksi_runner_destroy(runner);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
}

static void a_refused_restart_leaves_everything_as_it_was(void **state)
{
    (void)state;
    counting_allocator counter;
    bksi_runner_config config = config_of(&some_game);
    config.allocator = counting_allocator_hooks(&counter);
    bksi_runner *runner;
    assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_OK);
    step_range(runner, 0, 5);
    uint64_t hash = bksi_runner_hash(runner);

    bks_error error;
    bks_option_values options = config.options;
    assert_int_equal(bks_option_values_set(&some_game, &options, "map", "round", NULL), BKS_OK);
    assert_int_equal(bksi_runner_restart(runner, 1, PLAYERS, &options, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "map");
    assert_string_equal(error.text, "map is \"round\", must be plain or huge");
    assert_int_equal(bksi_runner_restart(runner, 1, 5, &config.options, &error),
                     BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.text, "players is 5, must be 1..4");
    assert_int_equal(bks_option_values_set(&some_game, &options, "map", "huge", NULL), BKS_OK);
    for (uint32_t i = 0; i < 5; i++) {
        counter.fail_after = i;
        assert_int_equal(bksi_runner_restart(runner, 1, PLAYERS, &options, &error),
                         BKS_ERR_OUT_OF_MEMORY);
    }
    assert_true(bksi_runner_hash(runner) == hash);
    assert_int_equal(bksi_runner_start(runner)->seed, 77);
    assert_int_equal(bksi_runner_start(runner)->players, PLAYERS);
    assert_string_equal(bks_start_option(bksi_runner_start(runner), "map"), "plain");
    step_range(runner, 5, TICKS);
    bksi_runner_destroy(runner);
    assert_int_equal(counter.live_bytes, 0);
}

static void a_bad_config_is_refused_by_name(void **state)
{
    (void)state;
    bksi_runner *runner = NULL;
    bks_error error;
    bksi_runner_config config = config_of(&own_game);
    config.players = 1;
    assert_int_equal(bksi_runner_create(&config, &runner, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.text, "players is 1, must be 2..2");
    config = config_of(&own_game);
    config.tick_rate_hz = 1001;
    assert_int_equal(bksi_runner_create(&config, &runner, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "tick_rate_hz");
    config = config_of(&own_game);
    config.slot_count = 257;
    assert_int_equal(bksi_runner_create(&config, &runner, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "slot_count");
    config = config_of(&own_game);
    config.allocator.alloc = counting_alloc;
    assert_int_equal(bksi_runner_create(&config, &runner, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "allocator");
    assert_null(runner);
}

static size_t wanted_bytes;

static bks_status want_bytes(const bks_start *start, size_t *out_state_bytes, bks_error *error)
{
    (void)start;
    (void)error;
    *out_state_bytes = wanted_bytes;
    return wanted_bytes == 7 ? BKS_ERR_IO : BKS_OK;
}

static void a_configure_that_asks_for_nonsense_is_refused(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.configure = want_bytes;
    const size_t sizes[] = {0, (size_t)1073741824 + 1, 100, 7};
    for (size_t i = 0; i < 4; i++) {
        wanted_bytes = sizes[i];
        bksi_runner_config config = config_of(&game);
        bksi_runner *runner = NULL;
        bks_error error = {0};
        assert_int_equal(bksi_runner_create(&config, &runner, &error), BKS_ERR_BAD_CONFIG);
        assert_true(error.text[0] != '\0'); // also when the game says nothing
        assert_null(runner);
    }
}

static void create_without_memory_loses_nothing(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        counting_allocator counter;
        bksi_runner_config config = config_of(&some_game);
        config.allocator = counting_allocator_hooks(&counter);
        counter.fail_after = i;
        bksi_runner *runner = NULL;
        assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_ERR_OUT_OF_MEMORY);
        assert_null(runner);
        assert_int_equal(counter.live_bytes, 0);
        assert_false(counter.is_wrong);
    }
    bksi_runner_destroy(NULL);
}

static void steps_saves_loads_and_hashes_allocate_nothing(void **state)
{
    (void)state;
    counting_allocator counter;
    bksi_runner_config config = config_of(&some_game);
    config.allocator = counting_allocator_hooks(&counter);
    bksi_runner *runner;
    assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_OK);
    uint32_t allocs = counter.allocs;
    assert_true(allocs > 0);
    uint8_t bytes[10000];
    uint64_t pages[3];
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        bksi_runner_save(runner, (uint32_t)tick % 4);
        bksi_runner_step(runner, tick, inputs[tick]);
        bksi_runner_hash(runner);
        bksi_runner_load(runner, (uint32_t)tick % 4);
        bksi_runner_step(runner, tick, inputs[tick]);
        size_t count = bksi_runner_export(runner, bytes, sizeof(bytes));
        assert_true(bksi_runner_page_hashes(runner, pages, 3) > 0);
        assert_int_equal(bksi_runner_import(runner, bytes, count, NULL), BKS_OK);
    }
    assert_int_equal(counter.allocs, allocs);
    assert_int_equal(counter.releases, 0);
    bksi_runner_destroy(runner);
    assert_int_equal(counter.live_bytes, 0);
}

static void an_exported_state_continues_in_another_runner(void **state)
{
    (void)state;
    const bks_game *games[] = {&some_game, &own_game};
    for (size_t g = 0; g < 2; g++) {
        bksi_runner *from = runner_of(games[g]);
        bksi_runner *to = runner_of(games[g]);
        uint8_t bytes[10000];
        step_range(from, 0, 25);
        step_range(to, 0, 50);
        assert_true(bksi_runner_export_bytes_max(from) <= sizeof(bytes));
        size_t count = bksi_runner_export(from, bytes, sizeof(bytes));
        assert_true(count > 0);
        assert_int_equal(bksi_runner_export(from, bytes + 5000, count - 1), 0);
        assert_int_equal(bksi_runner_import(to, bytes, count, NULL), BKS_OK);
        step_range(from, 25, TICKS);
        step_range(to, 25, TICKS);
        assert_true(bksi_runner_hash(from) == bksi_runner_hash(to));
        bksi_runner_destroy(from);
        bksi_runner_destroy(to);
    }
}

static void damaged_imports_are_refused(void **state)
{
    (void)state;
    bksi_runner *runner = runner_of(&some_game);
    uint8_t bytes[10000];
    size_t count = bksi_runner_export(runner, bytes, sizeof(bytes));
    assert_int_equal(bksi_runner_import(runner, bytes, count - 1, NULL), BKS_ERR_DAMAGED);
    assert_int_equal(bksi_runner_import(runner, bytes, count, NULL), BKS_OK);
    bksi_runner_destroy(runner);

    runner = runner_of(&own_game);
    step_range(runner, 0, 5);
    uint64_t hash = bksi_runner_hash(runner);
    assert_int_equal(bksi_runner_import(runner, "12x", 3, NULL), BKS_ERR_DAMAGED);
    assert_int_equal(bksi_runner_import(runner, "", 0, NULL), BKS_ERR_DAMAGED);
    assert_int_equal(bksi_runner_import(runner, "0000000000000000000001", 22, NULL),
                     BKS_ERR_DAMAGED);
    assert_true(bksi_runner_hash(runner) == hash);
    bksi_runner_destroy(runner);
}

static const char *check_some(const void *state)
{
    return ((const some_state *)state)->lives < 0 ? "too few lives" : NULL;
}

static void
a_state_that_the_game_refuses_is_none_and_its_own_first_one_takes_its_place(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.check = check_some;
    bksi_runner *runner = runner_of(&game);
    const uint64_t at_first = bksi_runner_hash(runner);
    step_range(runner, 0, 25);
    uint8_t bytes[10000];
    const size_t count = bksi_runner_export(runner, bytes, sizeof(bytes));
    assert_int_equal(bksi_runner_import(runner, bytes, count, NULL), BKS_OK);
    ((some_state *)(void *)bytes)->lives = -1;
    bks_error error = {0};
    assert_int_equal(bksi_runner_import(runner, bytes, count, &error), BKS_ERR_DAMAGED);
    assert_non_null(strstr(error.text, "are not a state of some: too few lives"));
    assert_true(bksi_runner_hash(runner) == at_first);
    bksi_runner_destroy(runner);
}

static void a_step_that_leaves_an_unsound_state_is_logged_once(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.check = check_some;
    bksi_runner *runner = runner_of(&game);
    ((some_state *)bksi_runner_state(runner))->lives = -5;
    catch_log log;
    catch_log_begin(&log);
    step_range(runner, 0, 3);
    bks_log_clear_sink();
    assert_int_equal(log.count, 1);
    assert_string_equal(log.id, "game.check");
    assert_non_null(strstr(log.text, "at tick 1 is not valid: too few lives"));
    bksi_runner_destroy(runner);
}

static void a_game_that_cannot_save_is_logged_and_loads_nothing(void **state)
{
    (void)state;
    bksi_runner *runner = runner_of(&own_game);
    step_range(runner, 0, 5);
    uint64_t hash = bksi_runner_hash(runner);
    catch_log log;
    catch_log_begin(&log);
    own.is_save_failing = true;
    assert_int_equal(bksi_runner_save(runner, 0), 0);
    assert_string_equal(log.id, "game.save");
    uint8_t bytes[30];
    assert_int_equal(bksi_runner_export(runner, bytes, sizeof(bytes)), 0);
    bksi_runner_load(runner, 0);
    assert_string_equal(log.id, "game.load");
    own.is_save_failing = false;
    bks_log_clear_sink();
    assert_true(bksi_runner_hash(runner) == hash);
    assert_int_equal(bksi_runner_page_hashes(runner, NULL, 0), 0);
    bksi_runner_flip(runner, 3, 0);
    assert_true(bksi_runner_hash(runner) == hash);
    bksi_runner_destroy(runner);
}

static void a_game_that_cannot_be_made_is_reported_and_can_be_destroyed(void **state)
{
    (void)state;
    own.is_create_failing = true;
    bksi_runner_config config = config_of(&own_game);
    bksi_runner *runner = NULL;
    bks_error error;
    assert_int_equal(bksi_runner_create(&config, &runner, &error), BKS_ERR_OUT_OF_MEMORY);
    assert_string_equal(error.field, "create");
    assert_null(runner);
    own.is_create_failing = false;
    runner = runner_of(&own_game);
    own.is_create_failing = true;
    assert_int_equal(bksi_runner_restart(runner, 1, PLAYERS, &config.options, &error),
                     BKS_ERR_OUT_OF_MEMORY);
    own.is_create_failing = false;
    bksi_runner_destroy(runner);
    assert_int_equal(own.alive, 0);
}

static void a_flip_changes_one_bit_in_use(void **state)
{
    (void)state;
    bksi_runner *runner = runner_of(&some_game);
    uint64_t hash = bksi_runner_hash(runner);
    some_state *some = bksi_runner_state(runner);
    const uint64_t at = offsetof(some_state, lives);
    bksi_runner_flip(runner, at, 0);
    assert_int_equal(some->lives, 2);
    assert_true(bksi_runner_hash(runner) != hash);
    uint8_t bytes[10000];
    size_t used = bksi_runner_export(runner, bytes, sizeof(bytes));
    bksi_runner_flip(runner, at + used * 1000, 0);
    assert_true(bksi_runner_hash(runner) == hash);
    bksi_runner_destroy(runner);
}

/// From a network: no end within their bytes, and old bytes behind their ends.
static void options_are_taken_with_an_end_and_zeros_behind_it(void **state)
{
    (void)state;
    bksi_runner_config config = config_of(&own_game);
    memset(config.options.text[0], 'a', BKS_OPTION_VALUE_BYTES);
    config.options.text[1][1] = 'b';
    bksi_runner *runner;
    assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_OK);
    const bks_option_values *options = bksi_runner_start(runner)->options;
    assert_int_equal(strlen(options->text[0]), BKS_OPTION_VALUE_BYTES - 1);
    assert_int_equal(options->text[1][1], 0);
    assert_int_equal(bksi_runner_layout(runner)->field_count, 2);
    bksi_runner_destroy(runner);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 4);
    make_inputs();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_fewer_snapshots_where_they_would_take_too_much_memory),
        cmocka_unit_test(a_rolled_back_game_ends_where_a_straight_one_does),
        cmocka_unit_test(a_restart_is_a_new_start_with_its_own_values),
        cmocka_unit_test(a_restart_with_another_size_makes_the_region_anew),
        cmocka_unit_test(a_refused_restart_leaves_everything_as_it_was),
        cmocka_unit_test(a_bad_config_is_refused_by_name),
        cmocka_unit_test(a_configure_that_asks_for_nonsense_is_refused),
        cmocka_unit_test(create_without_memory_loses_nothing),
        cmocka_unit_test(steps_saves_loads_and_hashes_allocate_nothing),
        cmocka_unit_test(an_exported_state_continues_in_another_runner),
        cmocka_unit_test(damaged_imports_are_refused),
        cmocka_unit_test(
            a_state_that_the_game_refuses_is_none_and_its_own_first_one_takes_its_place),
        cmocka_unit_test(a_step_that_leaves_an_unsound_state_is_logged_once),
        cmocka_unit_test(a_game_that_cannot_save_is_logged_and_loads_nothing),
        cmocka_unit_test(a_game_that_cannot_be_made_is_reported_and_can_be_destroyed),
        cmocka_unit_test(a_flip_changes_one_bit_in_use),
        cmocka_unit_test(options_are_taken_with_an_end_and_zeros_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
