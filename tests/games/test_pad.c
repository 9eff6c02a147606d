// SPDX-License-Identifier: MIT

#include "pad/pad.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/runner.h"
#include "game/runner.h"
#include "pad/pad_plugin.c" // what it shows is static there

static uint64_t seed = 20266;

static bks_status open_runner(const char *size, const char *share, uint32_t players,
                              bksi_runner **runner, bks_error *error)
{
    bksi_runner_config config = {
        .game = &pad_game, .seed = 7, .players = players, .tick_rate_hz = 60, .slot_count = 1};
    assert_int_equal(bks_option_values_default(&pad_game, &config.options), BKS_OK);
    assert_int_equal(bks_option_values_set(&pad_game, &config.options, "state", size, NULL),
                     BKS_OK);
    assert_int_equal(bks_option_values_set(&pad_game, &config.options, "touch", share, NULL),
                     BKS_OK);
    return bksi_runner_create(&config, runner, error);
}

static bksi_runner *runner_of(const char *size, const char *share, uint32_t players)
{
    bksi_runner *runner = NULL;
    bks_error error = {0};
    if (open_runner(size, share, players, &runner, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return runner;
}

static uint64_t some_number(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed >> 16;
}

static void some_inputs(pad_input *inputs, uint32_t players)
{
    for (uint32_t p = 0; p < players; p++) {
        for (int i = 0; i < PAD_BUTTONS; i++) {
            inputs[p].button[i] = (int32_t)(some_number() & 1);
        }
        for (int i = 0; i < PAD_AXES; i++) {
            inputs[p].axis[i] = (int32_t)(some_number() % 256) - 128;
        }
        for (int i = 0; i < PAD_TRIGGERS; i++) {
            inputs[p].trigger[i] = (int32_t)(some_number() % 256);
        }
    }
}

static void step(bksi_runner *runner, bks_tick tick, const pad_input *inputs)
{
    bksi_runner_step(runner, tick, inputs[0].button);
}

static void description_is_a_whole_controller(void **state)
{
    (void)state;
    assert_int_equal(bks_game_check(&pad_game, NULL), BKS_OK);
    static const char *const names[] = {"b0",  "b1",  "b2",  "b3",  "b4",    "b5",   "b6",  "b7",
                                        "b8",  "b9",  "b10", "b11", "b12",   "b13",  "b14", "b15",
                                        "ax1", "ax2", "ax3", "ax4", "trig1", "trig2"};
    assert_int_equal(pad_game.field_count, 22);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 22; i++) {
        assert_string_equal(pad_game.fields[i].name, names[i]);
        bits += pad_game.fields[i].bits;
    }
    assert_int_equal(bits, 64);
    assert_int_equal(pad_game.tick_rate_hz, 60);
    assert_int_equal(pad_game.players_max, 16);
}

static void flip_input_bit(pad_input *input, uint32_t bit)
{
    if (bit < 16) {
        input->button[bit] ^= 1;
    } else if (bit < 48) {
        int32_t *axis = &input->axis[(bit - 16) / 8];
        *axis = (int8_t)((uint8_t)*axis ^ (1u << (bit % 8)));
    } else {
        input->trigger[(bit - 48) / 8] ^= 1 << (bit % 8);
    }
}

static void any_bit_of_any_input_changes_the_hash_for_good(void **state)
{
    (void)state;
    enum { PLAYERS = 3, TICKS = 24 };
    bksi_runner *a = runner_of("1KiB", "20%", PLAYERS);
    bksi_runner *b = runner_of("1KiB", "20%", PLAYERS);
    for (uint32_t bit = 0; bit < 64; bit++) {
        for (uint32_t player = 0; player < PLAYERS; player++) {
            const bks_tick wrong_tick = (bks_tick)(some_number() % 4);
            const bks_start *start = bksi_runner_start(a);
            assert_int_equal(bksi_runner_restart(a, 7, PLAYERS, start->options, NULL), BKS_OK);
            assert_int_equal(bksi_runner_restart(b, 7, PLAYERS, start->options, NULL), BKS_OK);
            for (bks_tick tick = 0; tick < TICKS; tick++) {
                pad_input inputs[PLAYERS];
                some_inputs(inputs, PLAYERS);
                step(a, tick, inputs);
                if (tick == wrong_tick) {
                    flip_input_bit(&inputs[player], bit);
                }
                step(b, tick, inputs);
                const bool is_same = bksi_runner_hash(a) == bksi_runner_hash(b);
                if (is_same != (tick < wrong_tick)) {
                    fail_msg("bit %u of player %u at tick %d, seen at %d", bit, player, wrong_tick,
                             tick);
                }
            }
        }
    }
    bksi_runner_destroy(a);
    bksi_runner_destroy(b);
}

static void state_keeps_the_newest_input_whole(void **state)
{
    (void)state;
    bksi_runner *runner = runner_of("1KiB", "0", 16);
    for (bks_tick tick = 0; tick < 200; tick++) {
        pad_input inputs[16];
        some_inputs(inputs, 16);
        step(runner, tick, inputs);
        const pad_state *pad = bksi_runner_state(runner);
        for (uint32_t player = 0; player < 16; player++) {
            const pad_input kept = pad_newest_input(&pad->player[player]);
            assert_memory_equal(&kept, &inputs[player], sizeof(kept));
        }
    }
    bksi_runner_destroy(runner);
}

static void state_option_is_the_size_of_the_region(void **state)
{
    (void)state;
    const struct {
        const char *text;
        size_t bytes;
    } cases[] = {
        {"1KiB", 1024}, {"1024", 1024}, {"5001B", 5001}, {"1MiB", 1048576}, {"0064KiB", 65536}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bksi_runner *runner = runner_of(cases[i].text, "100%", 2);
        assert_int_equal(bksi_runner_export_bytes_max(runner), cases[i].bytes);
        const pad_state *pad = bksi_runner_state(runner);
        assert_int_equal(pad->state_bytes, cases[i].bytes);
        const pad_input inputs[2] = {0};
        step(runner, 0, inputs);
        bksi_runner_destroy(runner);
    }
}

static void bad_options_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const sizes[] = {"",          "1023",   "257MiB", "1GiB",
                                        "4 KiB",     "-4KiB",  "4kib",   "4KiBs",
                                        "KiB",       "0x1000", "1.5MiB", "18446744073709551615",
                                        "268435457B"};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        bksi_runner *runner = NULL;
        bks_error error = {0};
        assert_int_equal(open_runner(sizes[i], "1%", 1, &runner, &error), BKS_ERR_BAD_CONFIG);
        assert_null(runner);
        assert_string_equal(error.field, "state");
        assert_non_null(strstr(error.text, "1KiB..256MiB"));
    }
    static const char *const shares[] = {"",    "%",   "101%",     "100.0001%", "1.%", ".5%",
                                         "-1%", "1%%", "0.00001%", "1e1%",      "nan"};
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        bksi_runner *runner = NULL;
        bks_error error = {0};
        assert_int_equal(open_runner("4KiB", shares[i], 1, &runner, &error), BKS_ERR_BAD_CONFIG);
        assert_string_equal(error.field, "touch");
        assert_non_null(strstr(error.text, "0%..100%"));
    }
}

/// Words and pages behind the struct that one step changes.
static void count_changes(const char *size, const char *share, size_t *words, size_t *pages)
{
    bksi_runner *runner = runner_of(size, share, 2);
    const size_t bytes = bksi_runner_export_bytes_max(runner);
    uint8_t *before = malloc(bytes);
    assert_non_null(before);
    const uint8_t *now = bksi_runner_state(runner);
    const pad_input inputs[2] = {0};
    step(runner, 0, inputs);
    memcpy(before, now, bytes);
    step(runner, 1, inputs);
    *words = 0;
    *pages = 0;
    size_t last_page = SIZE_MAX;
    for (size_t at = sizeof(pad_state); at + 8 <= bytes; at += 8) {
        if (memcmp(before + at, now + at, 8) == 0) {
            continue;
        }
        (*words)++;
        *pages += at / 4096 != last_page;
        last_page = at / 4096;
    }
    free(before);
    bksi_runner_destroy(runner);
}

static void touch_option_is_the_share_that_a_step_writes(void **state)
{
    (void)state;
    const struct {
        const char *size;
        const char *share;
        size_t words;
        size_t pages_least;
        size_t pages_most;
    } cases[] = {
        {"4KiB", "0", 0, 0, 0},
        {"4KiB", "0.0000%", 0, 0, 0},
        {"4KiB", "100%", (4096 - sizeof(pad_state)) / 8, 1, 1},
        {"4KiB", "1%", 5, 1, 1}, // 1 % of 3768 bytes, to whole words
        {"1MiB", "1%", (1048576 - sizeof(pad_state)) / 100 / 8 + 1, 3, 4},
        {"1MiB", "0.5%", (1048576 - sizeof(pad_state)) / 200 / 8 + 1, 2, 3},
        {"1MiB", "100", (1048576 - sizeof(pad_state)) / 8, 256, 256},
        {"1000000B", "100.0%", (1000000 - sizeof(pad_state)) / 8, 245, 245},
        {"4099B", "100%", (4099 - sizeof(pad_state)) / 8, 1, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t words = 0;
        size_t pages = 0;
        count_changes(cases[i].size, cases[i].share, &words, &pages);
        if (words != cases[i].words || pages < cases[i].pages_least ||
            pages > cases[i].pages_most) {
            fail_msg("%s %s: %zu words, wanted %zu, in %zu pages, wanted %zu..%zu", cases[i].size,
                     cases[i].share, words, cases[i].words, pages, cases[i].pages_least,
                     cases[i].pages_most);
        }
    }
}

static void every_page_is_touched_in_time(void **state)
{
    (void)state;
    bksi_runner *runner = runner_of("256KiB", "2%", 1);
    const size_t bytes = bksi_runner_export_bytes_max(runner);
    uint8_t *first = malloc(bytes);
    assert_non_null(first);
    const uint8_t *now = bksi_runner_state(runner);
    memcpy(first, now, bytes);
    const pad_input input = {0};
    for (bks_tick tick = 0; tick < 600; tick++) {
        step(runner, tick, &input);
    }
    for (size_t page = 0; page < bytes; page += 4096) {
        assert_memory_not_equal(first + page, now + page, 4096);
    }
    free(first);
    bksi_runner_destroy(runner);
}

static void a_flipped_bit_of_a_size_does_no_harm_and_never_heals(void **state)
{
    (void)state;
    bksi_runner *a = runner_of("8KiB", "10%", 1);
    bksi_runner *b = runner_of("8KiB", "10%", 1);
    const bks_option_values *options = bksi_runner_start(a)->options;
    for (size_t at = offsetof(pad_state, state_bytes); at < offsetof(pad_state, players); at++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            assert_int_equal(bksi_runner_restart(a, 3, 1, options, NULL), BKS_OK);
            assert_int_equal(bksi_runner_restart(b, 3, 1, options, NULL), BKS_OK);
            ((uint8_t *)bksi_runner_state(b))[at] ^= (uint8_t)(1u << bit);
            for (bks_tick tick = 0; tick < 5; tick++) {
                pad_input input;
                some_inputs(&input, 1);
                step(a, tick, &input);
                step(b, tick, &input);
                assert_true(bksi_runner_hash(a) != bksi_runner_hash(b));
            }
        }
    }
    bksi_runner_destroy(a);
    bksi_runner_destroy(b);
}

static void planted_fault_never_heals(void **state)
{
    (void)state;
    bksi_runner *a = runner_of("8KiB", "10%", 2);
    bksi_runner *b = runner_of("8KiB", "10%", 2);
    for (int round = 0; round < 20; round++) {
        const bks_option_values *options = bksi_runner_start(a)->options;
        assert_int_equal(bksi_runner_restart(a, 3, 2, options, NULL), BKS_OK);
        assert_int_equal(bksi_runner_restart(b, 3, 2, options, NULL), BKS_OK);
        const uint64_t offset = sizeof(pad_state) + some_number() % (8192 - sizeof(pad_state));
        bksi_runner_flip(b, offset, 0);
        for (bks_tick tick = 0; tick < 100; tick++) {
            pad_input inputs[2];
            some_inputs(inputs, 2);
            step(a, tick, inputs);
            step(b, tick, inputs);
            if (bksi_runner_hash(a) == bksi_runner_hash(b)) {
                fail_msg("byte %llu healed at tick %d", (unsigned long long)offset, tick);
            }
        }
    }
    bksi_runner_destroy(a);
    bksi_runner_destroy(b);
}

static void resimulation_comes_to_the_same_state(void **state)
{
    (void)state;
    bksi_runner *runner = runner_of("64KiB", "5%", 4);
    pad_input inputs[30][4];
    for (int tick = 0; tick < 30; tick++) {
        some_inputs(inputs[tick], 4);
        step(runner, tick, inputs[tick]);
        if (tick == 9) {
            assert_int_equal(bksi_runner_save(runner, 0), 65536);
        }
    }
    const uint64_t hash = bksi_runner_hash(runner);
    bksi_runner_load(runner, 0);
    for (int tick = 10; tick < 30; tick++) {
        step(runner, tick, inputs[tick]);
    }
    assert_int_equal(bksi_runner_hash(runner), hash);
    bksi_runner_destroy(runner);
}

static char marks_seen[64];

static void hear_mark(void *context, bks_tick tick, const char *name, uint64_t hash)
{
    (void)context;
    (void)tick;
    (void)hash;
    (void)strncat(marks_seen, name, sizeof(marks_seen) - strlen(marks_seen) - 1);
    (void)strncat(marks_seen, " ", sizeof(marks_seen) - strlen(marks_seen) - 1);
}

static void step_marks_inputs_then_touch(void **state)
{
    (void)state;
    bksi_runner *runner = runner_of("1KiB", "1%", 1);
    const bksi_trace_sink sink = {.mark = hear_mark};
    bksi_runner_listen(runner, &sink);
    const pad_input input = {0};
    step(runner, 0, &input);
    assert_string_equal(marks_seen, "inputs touch ");
    bksi_runner_destroy(runner);
}

/// By value, so that it holds on machines of either byte order.
static void golden_run_stays_as_it_is(void **state)
{
    (void)state;
    bksi_runner *runner = runner_of("4KiB", "3%", 2);
    bks_monkey monkeys[2];
    bks_source sources[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(bks_monkey_init(&monkeys[i], pad_game.fields, 22, 1, i, 2, 20, NULL),
                         BKS_OK);
        sources[i] = bks_monkey_source(&monkeys[i]);
    }
    for (bks_tick tick = 0; tick < 1000; tick++) {
        pad_input inputs[2] = {0};
        for (uint32_t i = 0; i < 2; i++) {
            const bks_sample ask = {.tick = tick, .player = i, .field_count = 22};
            sources[i].sample(sources[i].context, &ask, inputs[i].button);
        }
        step(runner, tick, inputs);
    }
    const pad_state *pad = bksi_runner_state(runner);
    const uint64_t *words = (const uint64_t *)(const void *)(pad + 1);
    uint64_t sum = 0;
    for (size_t i = 0; i < (4096 - sizeof(*pad)) / 8; i++) {
        sum = sum * 31 + words[i];
    }
    // Raise pad_game.version when one of these must change.
    assert_int_equal(pad->mixed, UINT64_C(0x15c6f203f7a83fb9));
    assert_int_equal(sum, UINT64_C(0x98e6f02d22000d98));
    bksi_runner_destroy(runner);
}

/// A canvas that only checks that everything lies on it.
static uint32_t shapes_drawn;

static void see_clear(void *context, bks_colour colour)
{
    (void)context;
    (void)colour;
    shapes_drawn = 0;
}

static void see_box(void *context, float x, float y, float width, float height)
{
    const bks_canvas *canvas = context;
    shapes_drawn++;
    if (!(x >= 0 && y >= 0 && width >= 0 && height >= 0 && x + width <= canvas->width + 0.01f &&
          y + height <= canvas->height + 0.01f)) {
        fail_msg("%g %g %g %g leaves the canvas", (double)x, (double)y, (double)width,
                 (double)height);
    }
}

static void see_rectangle(void *context, float x, float y, float width, float height,
                          bks_colour colour)
{
    (void)colour;
    see_box(context, x, y, width, height);
}

static void see_line(void *context, float x0, float y0, float x1, float y1, float width,
                     bks_colour colour)
{
    (void)colour;
    (void)width;
    see_box(context, x0, y0, 0, 0);
    see_box(context, x1, y1, 0, 0);
}

static void see_circle(void *context, float x, float y, float radius, bks_colour colour)
{
    (void)colour;
    see_box(context, x - radius, y - radius, 2 * radius, 2 * radius);
}

static float width_of(void *context, float size, const char *text)
{
    (void)context;
    return size * 0.6f * (float)strlen(text);
}

static void see_text(void *context, float x, float y, float size, bks_colour colour,
                     const char *text)
{
    (void)colour;
    (void)text;
    see_box(context, x, y, 0, size);
}

static void picture_stays_on_any_canvas(void **state)
{
    (void)state;
    bks_canvas canvas = {.clear = see_clear,
                         .rectangle = see_rectangle,
                         .line = see_line,
                         .circle = see_circle,
                         .text = see_text,
                         .text_width = width_of};
    canvas.context = &canvas;
    static const float sizes[][2] = {{1280, 720}, {320, 900}, {160, 48}, {1, 1}};
    for (uint32_t players = 1; players <= 16; players++) {
        bksi_runner *runner = runner_of("1KiB", "1%", players);
        pad_input inputs[16];
        some_inputs(inputs, players);
        step(runner, 0, inputs);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            canvas.width = sizes[i][0];
            canvas.height = sizes[i][1];
            canvas.is_coarse = i == 2;
            const bks_picture picture = bks_picture_of(bksi_runner_state(runner));
            bks_plugin_main.draw(&picture, &canvas);
            assert_true(shapes_drawn > 20 * players);
        }
        bksi_runner_destroy(runner);
    }
}

static void plugin_maps_a_device_to_every_kind_of_field(void **state)
{
    (void)state;
    assert_int_equal(bks_plugin_main.abi, BKS_PLUGIN_ABI);
    assert_ptr_equal(bks_plugin_main.game, &pad_game);
    float control_values[12] = {0};
    float raw[22] = {0};
    control_values[BKS_CONTROL_TRIGGER_LEFT] = 1.0f;
    control_values[BKS_CONTROL_TRIGGER_RIGHT] = 0.5f;
    bks_plugin_main.device(control_values, raw);
    int32_t values[22];
    assert_int_equal(bks_input_quantise(pad_game.fields, 22, raw, values), BKS_OK);
    assert_int_equal(values[20], 255);
    assert_int_equal(values[21], 128);
    bksi_runner *runner = runner_of("1KiB", "1%", 2);
    char line[64];
    bks_plugin_main.score(bksi_runner_state(runner), 1, line);
    assert_int_equal(strlen(line), strlen("inputs 0123456789abcdef"));
    bksi_runner_destroy(runner);
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : seed;
    printf("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(description_is_a_whole_controller),
        cmocka_unit_test(any_bit_of_any_input_changes_the_hash_for_good),
        cmocka_unit_test(state_keeps_the_newest_input_whole),
        cmocka_unit_test(state_option_is_the_size_of_the_region),
        cmocka_unit_test(bad_options_are_refused_by_name),
        cmocka_unit_test(touch_option_is_the_share_that_a_step_writes),
        cmocka_unit_test(every_page_is_touched_in_time),
        cmocka_unit_test(a_flipped_bit_of_a_size_does_no_harm_and_never_heals),
        cmocka_unit_test(planted_fault_never_heals),
        cmocka_unit_test(resimulation_comes_to_the_same_state),
        cmocka_unit_test(step_marks_inputs_then_touch),
        cmocka_unit_test(golden_run_stays_as_it_is),
        cmocka_unit_test(picture_stays_on_any_canvas),
        cmocka_unit_test(plugin_maps_a_device_to_every_kind_of_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
