// SPDX-License-Identifier: MIT

#include "backstitch/game.h"
#include "backstitch/toolkit/runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// Counts its calls in its memory and returns what it was asked.
static void counting_bot(const void *state, uint32_t player, bks_tick tick, uint64_t memory[8],
                         int32_t *values)
{
    values[0] = *(const int32_t *)state;
    values[1] = (int32_t)player * 1000 + tick;
    values[2] = (int32_t)++memory[7];
}

static void a_bot_is_asked_with_the_state_and_a_memory_of_its_own(void **unused)
{
    (void)unused;
    const bks_game game = {.name = "some", .bot = counting_bot};
    bks_bot bots[2];
    memset(bots, 0xee, sizeof(bots));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(bks_bot_init(&bots[i], &game, NULL), BKS_OK);
    }
    const int32_t state = 42;
    const uint32_t turns[] = {0, 1, 0, 0, 1};
    const int32_t calls[] = {1, 1, 2, 3, 2};
    for (uint32_t i = 0; i < 5; i++) {
        const bks_source source = bks_bot_source(&bots[turns[i]]);
        const bks_sample sample = {
            .tick = (bks_tick)i, .player = turns[i], .state = &state, .field_count = 3};
        int32_t values[3] = {0};
        source.sample(source.context, &sample, values);
        assert_int_equal(values[0], 42);
        assert_int_equal(values[1], turns[i] * 1000 + i);
        assert_int_equal(values[2], calls[i]);
    }
}

static void a_game_without_bots_has_none(void **unused)
{
    (void)unused;
    const bks_game game = {.name = "some"};
    bks_bot bot;
    bks_error error = {0};
    assert_int_equal(bks_bot_init(&bot, &game, &error), BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(error.text, "the game some has no bots");
    assert_int_equal(bks_bot_init(NULL, &game, &error), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_bot_init(&bot, NULL, &error), BKS_ERR_BAD_ARGUMENT);
    const bks_source source = bks_bot_source(NULL);
    const bks_sample sample = {0};
    int32_t value = 7;
    source.sample(source.context, &sample, &value);
    assert_int_equal(value, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bot_is_asked_with_the_state_and_a_memory_of_its_own),
        cmocka_unit_test(a_game_without_bots_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
