// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/game.h"
#include "input/some_input.h"

static const bks_field fields[] = {
    {.name = "fire", .bits = 1},
    {.name = "x", .bits = 8, .is_signed = true, .neutral = 5},
    {.name = "wide", .bits = 32, .is_signed = true},
    {.name = "mode", .bits = 2, .neutral = 1},
};
enum { FIELD_COUNT = 4 };

static void sample(const bks_source *source, bks_tick tick, int32_t values[FIELD_COUNT])
{
    const bks_sample ask = {.tick = tick, .field_count = FIELD_COUNT};
    for (int i = 0; i < FIELD_COUNT; i++) {
        values[i] = fields[i].neutral;
    }
    source->sample(source->context, &ask, values);
}

static bks_monkey monkey_of(uint64_t seed, uint32_t player, uint32_t least, uint32_t most)
{
    bks_monkey monkey;
    bks_error error = {0};
    const bks_status status =
        bks_monkey_init(&monkey, fields, FIELD_COUNT, seed, player, least, most, &error);
    if (status != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return monkey;
}

static uint64_t digest(uint64_t seed, uint32_t player)
{
    bks_monkey monkey = monkey_of(seed, player, 5, 30);
    const bks_source source = bks_monkey_source(&monkey);
    uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
    for (bks_tick tick = 0; tick < 1000; tick++) {
        int32_t values[FIELD_COUNT];
        sample(&source, tick, values);
        for (int i = 0; i < FIELD_COUNT; i++) {
            hash = (hash ^ (uint32_t)values[i]) * UINT64_C(0x100000001b3);
        }
    }
    return hash;
}

static void seed_and_player_give_the_same_inputs_everywhere(void **state)
{
    (void)state;
    // Every recorded seed of a soak test depends on these.
    assert_int_equal(digest(1, 0), UINT64_C(0xef7166efd86926fc));
    assert_int_equal(digest(1, 1), UINT64_C(0xd4fd7ce2de77a9d9));
    assert_int_equal(digest(0, 0), UINT64_C(0xa721c523e4b0e109));
    assert_int_equal(digest(UINT64_MAX, 15), UINT64_C(0xdbc45dd29922fc4c));
}

static void neighbouring_seeds_and_players_differ(void **state)
{
    (void)state;
    uint64_t seen[64];
    uint32_t count = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        for (uint32_t player = 0; player < 8; player++) {
            seen[count] = digest(seed, player);
            for (uint32_t i = 0; i < count; i++) {
                assert_int_not_equal(seen[i], seen[count]);
            }
            count++;
        }
    }
}

static void fields_hold_within_the_bounds(void **state)
{
    (void)state;
    const uint64_t seed = some_number();
    bks_monkey monkey = monkey_of(seed, 3, 7, 11);
    const bks_source source = bks_monkey_source(&monkey);
    int32_t values[FIELD_COUNT];
    int32_t before[FIELD_COUNT];
    uint32_t held[FIELD_COUNT] = {0};
    uint32_t shortest = UINT32_MAX;
    uint32_t longest = 0;
    for (bks_tick tick = 0; tick < 20000; tick++) {
        sample(&source, tick, values);
        for (int i = 0; i < FIELD_COUNT; i++) {
            if (held[i] > 0 && values[i] == before[i]) {
                held[i]++;
                continue;
            }
            // A field may draw the value it had; the wide one never does.
            if (held[i] > 0 && held[i] < 7) {
                fail_msg("seed %llu: field %d held %u ticks", (unsigned long long)seed, i, held[i]);
            }
            held[i] = 1;
        }
        if (tick > 0 && values[2] != before[2]) {
            shortest = monkey.left_ticks[2] + 1 < shortest ? monkey.left_ticks[2] + 1 : shortest;
            longest = monkey.left_ticks[2] + 1 > longest ? monkey.left_ticks[2] + 1 : longest;
        }
        memcpy(before, values, sizeof(values));
    }
    assert_int_equal(shortest, 7);
    assert_int_equal(longest, 11);
}

static void buttons_are_fair_and_numbers_reach_ends_neutral_and_between(void **state)
{
    (void)state;
    bks_monkey monkey = monkey_of(some_number(), 0, 1, 1);
    const bks_source source = bks_monkey_source(&monkey);
    int down = 0;
    int least = 0;
    int greatest = 0;
    int neutral = 0;
    bool mode_seen[4] = {false};
    bool x_seen[256] = {false};
    for (bks_tick tick = 0; tick < 20000; tick++) {
        int32_t values[FIELD_COUNT];
        sample(&source, tick, values);
        assert_in_range(values[0], 0, 1);
        assert_true(values[1] >= -128 && values[1] <= 127);
        assert_in_range(values[3], 0, 3);
        down += values[0];
        least += values[2] == INT32_MIN;
        greatest += values[2] == INT32_MAX;
        neutral += values[2] == 0;
        mode_seen[values[3]] = true;
        x_seen[values[1] + 128] = true;
    }
    assert_in_range(down, 9600, 10400);
    assert_in_range(least, 2200, 2800);
    assert_in_range(greatest, 2200, 2800);
    assert_in_range(neutral, 4600, 5400);
    for (int i = 0; i < 4; i++) {
        assert_true(mode_seen[i]);
    }
    for (int i = 0; i < 256; i++) {
        assert_true(x_seen[i]);
    }
}

static void copy_keeps_its_place_in_the_stream(void **state)
{
    (void)state;
    bks_monkey monkey = monkey_of(some_number(), 2, 1, 9);
    const bks_source source = bks_monkey_source(&monkey);
    int32_t a[FIELD_COUNT];
    int32_t b[FIELD_COUNT];
    for (bks_tick tick = 0; tick < 50; tick++) {
        sample(&source, tick, a);
    }
    bks_monkey copy = monkey;
    const bks_source copy_source = bks_monkey_source(&copy);
    for (bks_tick tick = 50; tick < 100; tick++) {
        sample(&source, tick, a);
        sample(&copy_source, tick, b);
        assert_memory_equal(a, b, sizeof(a));
    }
}

enum { COMMAND_MOST = 3000 };

/// Ask a monkey for its commands of a tick, at most `wanted` of them.
/// @param hash  hash of the commands, to which these are added
/// @return number of commands
static uint32_t ask_commands(bks_monkey *monkey, bks_tick tick, uint32_t wanted, uint64_t *hash,
                             uint32_t sizes[COMMAND_MOST + 1])
{
    const bks_source source = bks_monkey_source(monkey);
    const bks_sample asked = {.tick = tick, .field_count = FIELD_COUNT};
    uint8_t bytes[COMMAND_MOST];
    uint32_t count = 0;
    for (; count < wanted; count++) {
        const size_t size = source.command(source.context, &asked, bytes, COMMAND_MOST);
        assert_in_range(size, 0, COMMAND_MOST);
        if (size == 0) {
            break;
        }
        sizes[size]++;
        for (size_t i = 0; i < size; i++) {
            *hash = *hash * 31 + bytes[i];
        }
    }
    return count;
}

static void commands_are_of_all_sizes_and_sometimes_many_at_once(void **state)
{
    (void)state;
    bks_monkey monkey = monkey_of(some_number(), 0, 1, 1);
    static uint32_t sizes[COMMAND_MOST + 1];
    memset(sizes, 0, sizeof(sizes));
    uint32_t ticks[4] = {0}; // without commands, with one, with a few, with dozens
    uint32_t total = 0;
    uint64_t hash = 0;
    for (bks_tick tick = 0; tick < 12800; tick++) {
        const uint32_t count = ask_commands(&monkey, tick, UINT32_MAX, &hash, sizes);
        assert_in_range(count, 0, 63);
        ticks[count > 5 ? 3 : count > 1 ? 2 : count]++;
        total += count;
    }
    assert_in_range(ticks[0], 7600, 8400);
    assert_in_range(ticks[1], 2900, 3500);
    assert_in_range(ticks[2], 1300, 1700);
    assert_in_range(ticks[3], 50, 160);
    assert_in_range(sizes[1], total / 5, total / 3);
    assert_in_range(sizes[COMMAND_MOST], total / 100, total / 40);
    uint32_t between = 0;
    for (uint32_t i = 33; i < COMMAND_MOST; i++) {
        between += sizes[i];
    }
    assert_in_range(between, total / 100, total / 40);
}

static void commands_depend_on_seed_player_and_tick_alone(void **state)
{
    (void)state;
    const uint64_t seed = some_number();
    static uint32_t sizes[COMMAND_MOST + 1];
    uint64_t hashes[4] = {0};
    const uint32_t players[] = {0, 0, 1, 0};
    for (uint32_t k = 0; k < 4; k++) {
        bks_monkey monkey = monkey_of(k < 3 ? seed : seed + 1, players[k], 1, 9);
        const bks_source source = bks_monkey_source(&monkey);
        for (bks_tick tick = 0; tick < 500; tick++) {
            int32_t values[FIELD_COUNT];
            if (k == 0) {
                sample(&source, tick, values);
            } else if (k == 1 && tick % 2 == 0) {
                // A tick whose commands were not all taken leaves the next ones as they are.
                uint64_t ignored = 0;
                (void)ask_commands(&monkey, tick + 10000, 1, &ignored, sizes);
            }
            (void)ask_commands(&monkey, tick, UINT32_MAX, &hashes[k], sizes);
        }
    }
    assert_true(hashes[0] == hashes[1]);
    assert_true(hashes[0] != hashes[2] && hashes[0] != hashes[3]);
}

static void assert_refused(const bks_field *table, uint32_t count, uint32_t player, uint32_t least,
                           uint32_t most, const char *field)
{
    bks_monkey monkey;
    bks_error error = {0};
    assert_int_equal(bks_monkey_init(&monkey, table, count, 1, player, least, most, &error),
                     BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(error.code, BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(error.field, field);
    assert_int_equal(bks_monkey_init(&monkey, table, count, 1, player, least, most, NULL),
                     BKS_ERR_BAD_ARGUMENT);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    assert_refused(NULL, FIELD_COUNT, 0, 1, 2, "fields");
    assert_refused(fields, 0, 0, 1, 2, "fields");
    assert_refused(fields, FIELD_COUNT, 16, 1, 2, "player");
    assert_refused(fields, FIELD_COUNT, 0, 0, 2, "hold_min_ticks");
    assert_refused(fields, FIELD_COUNT, 0, 3, 2, "hold_min_ticks");
    assert_refused(fields, FIELD_COUNT, 0, 1, 0, "hold_max_ticks");
    assert_refused(fields, FIELD_COUNT, 0, 1, 100001, "hold_max_ticks");
    assert_int_equal(bks_monkey_init(NULL, fields, FIELD_COUNT, 1, 0, 1, 2, NULL),
                     BKS_ERR_BAD_ARGUMENT);
}

// How often a monkey shows any and all of these values at once.
static uint32_t times_shown(bks_monkey *monkey, const bks_field_value *together, uint32_t count)
{
    const bks_source source = bks_monkey_source(monkey);
    uint32_t shown = 0;
    for (bks_tick tick = 0; tick < 5000; tick++) {
        int32_t values[FIELD_COUNT];
        sample(&source, tick, values);
        uint32_t same = 0;
        for (uint32_t i = 0; i < count; i++) {
            same += values[together[i].field] == together[i].value;
        }
        shown += same == count;
    }
    return shown;
}

static void forbidden_value_never_shows(void **state)
{
    (void)state;
    static const bks_field_value fire[] = {{.field = 0, .value = 1}};
    const uint64_t seed = some_number();
    bks_monkey monkey = monkey_of(seed, 0, 1, 3);
    assert_true(times_shown(&monkey, fire, 1) > 1000);
    monkey = monkey_of(seed, 0, 1, 3);
    assert_int_equal(bks_monkey_forbid(&monkey, fire, 1, NULL), BKS_OK);
    assert_int_equal(times_shown(&monkey, fire, 1), 0);
}

static void forbidden_combination_never_shows_though_each_part_does(void **state)
{
    (void)state;
    static const bks_field_value restart[] = {{.field = 0, .value = 1}, {.field = 3, .value = 1}};
    const uint64_t seed = some_number();
    bks_monkey monkey = monkey_of(seed, 0, 1, 3);
    assert_true(times_shown(&monkey, restart, 2) > 500);
    monkey = monkey_of(seed, 0, 1, 3);
    assert_int_equal(bks_monkey_forbid(&monkey, restart, 2, NULL), BKS_OK);
    assert_int_equal(times_shown(&monkey, restart, 2), 0);
    monkey = monkey_of(seed, 0, 1, 3);
    assert_int_equal(bks_monkey_forbid(&monkey, restart, 2, NULL), BKS_OK);
    assert_true(times_shown(&monkey, &restart[0], 1) > 500);
    monkey = monkey_of(seed, 0, 1, 3);
    assert_int_equal(bks_monkey_forbid(&monkey, restart, 2, NULL), BKS_OK);
    assert_true(times_shown(&monkey, &restart[1], 1) > 500);
}

static void monkey_that_may_do_nothing_holds_still(void **state)
{
    (void)state;
    static const bks_field one[] = {{.name = "only", .bits = 2, .neutral = 2}};
    bks_monkey monkey;
    assert_int_equal(bks_monkey_init(&monkey, one, 1, some_number(), 0, 1, 1, NULL), BKS_OK);
    for (int32_t value = 0; value < 4; value++) {
        const bks_field_value this_one = {.field = 0, .value = value};
        assert_int_equal(bks_monkey_forbid(&monkey, &this_one, 1, NULL),
                         value == 2 ? BKS_ERR_BAD_ARGUMENT : BKS_OK);
    }
    const bks_source source = bks_monkey_source(&monkey);
    for (bks_tick tick = 0; tick < 100; tick++) {
        const bks_sample ask = {.tick = tick, .field_count = 1};
        int32_t value = 0;
        source.sample(source.context, &ask, &value);
        assert_int_equal(value, 2);
    }
}

static void fields_that_cannot_be_forbidden_are_refused(void **state)
{
    (void)state;
    bks_monkey monkey = monkey_of(1, 0, 1, 3);
    const bks_field_value good[] = {{.field = 0, .value = 1}};
    const bks_field_value no_field[] = {{.field = FIELD_COUNT, .value = 0}};
    const bks_field_value too_large[] = {{.field = 3, .value = 4}};
    const bks_field_value twice[] = {{.field = 3, .value = 2}, {.field = 3, .value = 3}};
    const bks_field_value many[BKS_MONKEY_FORBIDDEN_FIELDS_MAX + 1] = {{.field = 0, .value = 1}};
    const int bad = BKS_ERR_BAD_ARGUMENT;
    bks_error error = {0};
    assert_int_equal(bks_monkey_forbid(NULL, good, 1, &error), bad);
    assert_int_equal(bks_monkey_forbid(&monkey, NULL, 1, &error), bad);
    assert_int_equal(bks_monkey_forbid(&monkey, good, 0, &error), bad);
    assert_int_equal(bks_monkey_forbid(&monkey, many, BKS_MONKEY_FORBIDDEN_FIELDS_MAX + 1, &error),
                     bad);
    assert_int_equal(bks_monkey_forbid(&monkey, no_field, 1, &error), bad);
    assert_int_equal(bks_monkey_forbid(&monkey, too_large, 1, &error), bad);
    assert_string_equal(error.text, "mode is 4, must be 0..3");
    assert_int_equal(bks_monkey_forbid(&monkey, twice, 2, &error), bad);
    assert_int_equal(monkey.forbidden_count, 0);
    for (int i = 0; i < BKS_MONKEY_FORBIDDEN_MAX; i++) {
        assert_int_equal(bks_monkey_forbid(&monkey, good, 1, &error), BKS_OK);
    }
    assert_int_equal(bks_monkey_forbid(&monkey, good, 1, &error), bad);
}

static void source_of_no_monkey_leaves_inputs_neutral(void **state)
{
    (void)state;
    const bks_source source = bks_monkey_source(NULL);
    int32_t values[FIELD_COUNT];
    sample(&source, 0, values);
    assert_int_equal(values[1], 5);
}

int main(int argc, char **argv)
{
    some_begin(argc, argv, 20265);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seed_and_player_give_the_same_inputs_everywhere),
        cmocka_unit_test(neighbouring_seeds_and_players_differ),
        cmocka_unit_test(fields_hold_within_the_bounds),
        cmocka_unit_test(buttons_are_fair_and_numbers_reach_ends_neutral_and_between),
        cmocka_unit_test(copy_keeps_its_place_in_the_stream),
        cmocka_unit_test(commands_are_of_all_sizes_and_sometimes_many_at_once),
        cmocka_unit_test(commands_depend_on_seed_player_and_tick_alone),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(forbidden_value_never_shows),
        cmocka_unit_test(forbidden_combination_never_shows_though_each_part_does),
        cmocka_unit_test(monkey_that_may_do_nothing_holds_still),
        cmocka_unit_test(fields_that_cannot_be_forbidden_are_refused),
        cmocka_unit_test(source_of_no_monkey_leaves_inputs_neutral),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
