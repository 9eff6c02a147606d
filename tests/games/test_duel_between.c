// SPDX-License-Identifier: MIT

// Duel between two ticks: where its pictures show what moves.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/peer.h"
#include "duel/draw_between.h"
#include "duel/duel.h"
#include "duel/ships.h"
#include "duel_help.h"
#include "support/says.h"

#define SECOND_NS UINT64_C(1000000000)

static float ratio(float a, float b)
{
    return a < b ? a : b;
}

// ---- a whole tick ahead ----

static void move_ahead(bksi_runner *runner, bks_tick tick, const duel_input *inputs, float share)
{
    bksi_runner_extrapolate(runner, bksi_runner_state(runner), tick, &inputs[0].move_x, share);
}

// Both worlds are the same; one is drawn a whole tick ahead, the other is stepped.
static void what_flies_is_drawn_a_tick_ahead_where_the_tick_brings_it(void **state)
{
    (void)state;
    bksi_runner *stepped = duel_help_open("versus", "plain", "1", 2, 5);
    bksi_runner *drawn = duel_help_open("versus", "plain", "1", 2, 5);
    uint64_t memory[DUEL_SEATS][8] = {{0}};
    duel_input inputs[DUEL_SEATS] = {0};
    uint32_t moved = 0;
    for (bks_tick tick = 0; tick < 600; tick++) {
        duel_help_bots(stepped, tick, memory, inputs);
        move_ahead(drawn, tick, inputs, 1.0f);
        bksi_runner_step(stepped, tick, &inputs[0].move_x);
        const duel_state *now = bksi_runner_state(stepped);
        const duel_state *ahead = bksi_runner_state(drawn);
        for (uint32_t seat = 0; seat < 2; seat++) {
            const duel_ship *is = duel_ship_of(now, seat);
            const duel_ship *shown = duel_ship_of(ahead, seat);
            if (is->is_alive && shown->is_alive && now->phase == DUEL_PHASE_PLAY &&
                now->phase_ticks > 0) {
                assert_int_equal(shown->x, is->x);
                assert_int_equal(shown->y, is->y);
                moved += is->vx != 0 || is->vy != 0;
            }
        }
        // The other world takes the same step, from where it was.
        static uint8_t bytes[2 << 20];
        const size_t count = bksi_runner_export(stepped, bytes, sizeof(bytes));
        assert_true(count > 0);
        assert_int_equal(bksi_runner_import(drawn, bytes, count, NULL), BKS_OK);
    }
    assert_true(moved > 200);
    bksi_runner_destroy(stepped);
    bksi_runner_destroy(drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_flies_is_drawn_a_tick_ahead_where_the_tick_brings_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
