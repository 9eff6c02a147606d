// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/runner.h"
#include "duel/blasts.h"
#include "duel/board.h"
#include "duel/duel.h"
#include "duel/motion.h"
#include "duel/pickups.h"
#include "duel/rounds.h"
#include "duel/ships.h"
#include "duel/shots.h"
#include "duel/weapon.h"
#include "duel_help.h"

// A versus round that has begun, and its players.
typedef struct arena {
    bksi_runner *runner;
    duel_state *duel;
    bks_tick tick;
    duel_input inputs[DUEL_SEATS];
} arena;

static arena begin(const char *mode, const char *map, uint32_t players)
{
    arena at = {.runner = duel_help_open(mode, map, "1", players, 5)};
    at.duel = bksi_runner_state(at.runner);
    at.tick = duel_help_start_round(at.runner);
    return at;
}

static void play(arena *at, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        bksi_runner_step(at->runner, at->tick++, &at->inputs[0].move_x);
        const char *wrong = NULL;
        if (!duel_help_is_sound(at->duel, &wrong)) {
            fail_msg("not (%s)", wrong);
        }
    }
}

static void end(arena *at)
{
    bksi_runner_destroy(at->runner);
}

static void score_counts_as_people_do(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    char text[64];
    duel_ship *ship = duel_ship_of(at.duel, 0);
    ship->side = DUEL_TILE_EMBER;
    duel_score(at.duel, 0, text);
    assert_string_equal(text, "Ember: 0 rounds, 0 kills, 0 lost");
    at.duel->score[DUEL_TILE_EMBER] = 1;
    ship->kills = 1;
    duel_score(at.duel, 0, text);
    assert_string_equal(text, "Ember: 1 round, 1 kill, 0 lost");
    at.duel->score[DUEL_TILE_EMBER] = 2;
    at.duel->matches_won[DUEL_TILE_EMBER] = 1;
    ship->kills = 12;
    ship->deaths = 1;
    duel_score(at.duel, 0, text);
    assert_string_equal(text, "Ember: 2 rounds (1 match), 12 kills, 1 lost");
    at.duel->matches_won[DUEL_TILE_EMBER] = 3;
    duel_score(at.duel, 0, text);
    assert_string_equal(text, "Ember: 2 rounds (3 matches), 12 kills, 1 lost");
    end(&at);
}

static void description_is_accepted(void **state)
{
    (void)state;
    bks_error error = {0};
    if (bks_game_check(&duel_game, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(duel_game.state_bytes, 1 << 20);
}

static void refuse_option(const char *name, const char *value)
{
    bksi_runner_config config = {
        .game = &duel_game, .seed = 1, .players = 2, .tick_rate_hz = 60, .slot_count = 1};
    bks_error error = {0};
    bksi_runner *runner = NULL;
    assert_int_equal(bks_option_values_default(&duel_game, &config.options), BKS_OK);
    assert_int_equal(bks_option_values_set(&duel_game, &config.options, name, value, NULL), BKS_OK);
    assert_int_equal(bksi_runner_create(&config, &runner, &error), BKS_ERR_BAD_CONFIG);
    assert_null(runner);
    assert_string_equal(error.field, name);
    assert_non_null(strstr(error.text, value));
}

static void options_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    refuse_option("mode", "chess");
    refuse_option("map", "moon");
    refuse_option("wave", "0");
    refuse_option("wave", "100");
    refuse_option("wave", "4x");
    refuse_option("wave", "-1");
}

static void roots_are_whole(void **state)
{
    (void)state;
    const uint32_t squares[] = {0, 1, 2, 3, 4, 99, 100, 65535, 65536, 4294836225u, 4294967295u};
    for (size_t i = 0; i < sizeof(squares) / sizeof(squares[0]); i++) {
        const uint64_t root = (uint64_t)duel_root(squares[i]);
        assert_true(root * root <= squares[i] && (root + 1) * (root + 1) > squares[i]);
    }
}

static void maps_are_fair(void **state)
{
    (void)state;
    for (uint32_t map = 0; map < DUEL_MAPS; map++) {
        arena at = begin("versus", duel_map_names[map], 2);
        const duel_state *duel = at.duel;
        for (int32_t y = 0; y < duel->height; y++) {
            for (int32_t x = 0; x < duel->width; x++) {
                const duel_tile here = duel_tile_at(duel, x, y);
                const duel_tile there =
                    duel_tile_at(duel, duel->width - 1 - x, duel->height - 1 - y);
                const duel_tile wanted =
                    here < DUEL_TILE_WALL ? (duel_tile)duel_rival((uint32_t)here) : here;
                if (there != wanted) {
                    fail_msg("%s: tile %d,%d is %d, its opposite %d", duel_map_names[map], (int)x,
                             (int)y, (int)here, (int)there);
                }
            }
        }
        end(&at);
    }
}

static void ships_keep_to_their_colour_and_slide_along_its_edge(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    const duel_ship *ship = duel_ship_of(at.duel, 0);
    duel_help_put(at.duel, 0, 10, 7);
    at.inputs[0].move_x = 22; // aslant, into the border between tile 11 and 12
    at.inputs[0].move_y = 22;
    play(&at, 60);
    assert_int_equal(ship->x, 12 * DUEL_TILE - DUEL_SHIP_RADIUS);
    assert_true(ship->y > 10 * DUEL_TILE);
    play(&at, 120);
    assert_int_equal(ship->y, at.duel->height * DUEL_TILE - DUEL_SHIP_RADIUS);
    end(&at);
}

static void speed_follows_the_stick(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    const duel_ship *ship = duel_ship_of(at.duel, 0);
    const int32_t sticks[] = {31, 16, 4};
    for (int i = 0; i < 3; i++) {
        duel_help_put(at.duel, 0, 2, 7);
        at.inputs[0].move_x = sticks[i];
        play(&at, 20);
        assert_int_equal(ship->vx, sticks[i] * DUEL_SHIP_SPEED / DUEL_STICK_FULL);
    }
    duel_help_put(at.duel, 0, 2, 7);
    at.inputs[0].move_x = -32; // only a monkey can: longer than full
    at.inputs[0].move_y = -32;
    play(&at, 6);
    assert_in_range(duel_length(ship->vx, ship->vy), 1, DUEL_SHIP_SPEED);
    end(&at);
}

static void shots_colour_their_lane_and_stop_at_walls(void **state)
{
    (void)state;
    arena at = begin("versus", "cross", 2);
    duel_help_put(at.duel, 0, 2, 4);
    duel_help_put(at.duel, 1, 20, 12);
    assert_int_equal(duel_tile_at(at.duel, 13, 4), DUEL_TILE_TIDE);
    at.inputs[0].fire = DUEL_EAST;
    play(&at, 1);
    at.inputs[0].fire = DUEL_NONE;
    assert_int_equal(duel_help_count(&at.duel->shots), 1);
    play(&at, 90);
    assert_int_equal(duel_help_count(&at.duel->shots), 0);
    for (int32_t x = 0; x < at.duel->width; x++) {
        assert_int_equal(duel_tile_at(at.duel, x, 4), DUEL_TILE_EMBER);
    }
    // Row 3 has the wall of the cross in it.
    duel_help_put(at.duel, 0, 2, 3);
    at.inputs[0].fire = DUEL_EAST;
    play(&at, 1);
    at.inputs[0].fire = DUEL_NONE;
    play(&at, 90);
    assert_int_equal(duel_tile_at(at.duel, 11, 3), DUEL_TILE_WALL);
    assert_int_equal(duel_tile_at(at.duel, 13, 3), DUEL_TILE_TIDE);
    end(&at);
}

static void held_trigger_charges_and_letting_go_fires_three_lanes(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    const duel_ship *ship = duel_ship_of(at.duel, 0);
    duel_help_put(at.duel, 0, 1, 3);
    duel_help_put(at.duel, 1, 20, 12);
    at.inputs[0].fire = DUEL_EAST;
    play(&at, DUEL_CHARGE_TICKS - 1);
    assert_int_equal(ship->charge_ticks, DUEL_CHARGE_TICKS - 1);
    assert_int_equal(ship->ammo, DUEL_AMMO_FULL - 1);
    at.inputs[0].fire = DUEL_NONE; // too early: nothing more comes
    play(&at, 1);
    assert_int_equal(duel_help_count(&at.duel->shots), 1);
    play(&at, 100);
    assert_int_equal(duel_help_count(&at.duel->shots), 0);
    at.inputs[0].fire = DUEL_EAST;
    play(&at, DUEL_CHARGE_TICKS);
    at.inputs[0].fire = DUEL_NONE;
    play(&at, 1);
    assert_int_equal(duel_help_count(&at.duel->shots), 4);
    play(&at, 90);
    for (int32_t y = 2; y <= 4; y++) {
        assert_int_equal(duel_tile_at(at.duel, 23, y), DUEL_TILE_EMBER);
    }
    assert_int_equal(duel_tile_at(at.duel, 23, 5), DUEL_TILE_TIDE);
    end(&at);
}

static void ammunition_runs_out_and_comes_back(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    duel_ship *ship = duel_ship_of(at.duel, 0);
    duel_help_put(at.duel, 0, 1, 3);
    duel_help_put(at.duel, 1, 20, 12);
    ship->ammo = 1;
    at.inputs[0].fire = DUEL_EAST;
    play(&at, 1);
    at.inputs[0].fire = DUEL_SOUTH;
    play(&at, DUEL_COOLDOWN_TICKS + 2);
    assert_int_equal(ship->ammo, 0);
    assert_int_equal(duel_help_count(&at.duel->shots), 1);
    at.inputs[0].fire = DUEL_NONE;
    play(&at, DUEL_RELOAD_TICKS * DUEL_AMMO_FULL);
    assert_int_equal(ship->ammo, DUEL_AMMO_FULL);
    end(&at);
}

static void fire_values_without_a_meaning_are_none(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    for (int32_t value = 5; value <= 7; value++) {
        at.inputs[0].fire = value;
        play(&at, 12);
        assert_int_equal(duel_help_count(&at.duel->shots), 0);
    }
    end(&at);
}

static void shots_that_meet_cancel_out(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    for (int32_t apart = 8; apart <= 12; apart++) {
        duel_help_put(at.duel, 0, 3, 7);
        duel_help_put(at.duel, 1, 3 + apart, 7);
        duel_ship_of(at.duel, 1)->x += (apart - 10) * 150; // they meet at any part of a tick's way
        at.inputs[0].fire = DUEL_EAST;
        at.inputs[1].fire = DUEL_WEST;
        play(&at, 1);
        memset(at.inputs, 0, sizeof(at.inputs));
        play(&at, 60);
        assert_int_equal(duel_help_count(&at.duel->shots), 0);
        assert_true(duel_ship_of(at.duel, 0)->is_alive && duel_ship_of(at.duel, 1)->is_alive);
    }
    end(&at);
}

static void hit_ship_is_lost_explodes_and_comes_back(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    const duel_ship *hunter = duel_ship_of(at.duel, 0);
    const duel_ship *prey = duel_ship_of(at.duel, 1);
    duel_help_put(at.duel, 0, 3, 7);
    duel_help_put(at.duel, 1, 18, 7);
    at.inputs[0].fire = DUEL_EAST;
    play(&at, 1);
    at.inputs[0].fire = DUEL_NONE;
    play(&at, 62);
    assert_false(prey->is_alive);
    assert_int_equal(hunter->kills, 1);
    assert_int_equal(prey->deaths, 1);
    assert_int_equal(at.duel->spare[1], 0);
    assert_true(duel_help_count(&at.duel->particles) > 60);
    play(&at, 30);
    assert_int_equal(duel_tile_at(at.duel, 18, 6), DUEL_TILE_EMBER);
    assert_int_equal(duel_tile_at(at.duel, 18, 2), DUEL_TILE_TIDE);
    play(&at, DUEL_RESPAWN_TICKS);
    assert_true(prey->is_alive && prey->protect_ticks > 0);
    end(&at);
}

static void protection_and_shields_take_a_hit(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    duel_ship *prey = duel_ship_of(at.duel, 1);
    for (int is_shielded = 0; is_shielded < 2; is_shielded++) {
        duel_help_put(at.duel, 0, 12, 7);
        duel_help_put(at.duel, 1, 15, 7);
        prey->has_shield = (uint8_t)is_shielded;
        prey->protect_ticks = is_shielded ? 0 : DUEL_PROTECT_TICKS;
        at.inputs[0].fire = DUEL_EAST;
        play(&at, 1);
        at.inputs[0].fire = DUEL_NONE;
        play(&at, 20);
        assert_true(prey->is_alive);
        assert_int_equal(prey->has_shield, 0);
    }
    end(&at);
}

static void trapped_ship_can_still_crawl_out(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    const duel_ship *ship = duel_ship_of(at.duel, 0);
    duel_help_put(at.duel, 0, 5, 7);
    assert_true(duel_board_colour(at.duel, 5, 7, DUEL_TILE_TIDE));
    at.inputs[0].move_x = 31;
    play(&at, 3);
    assert_true(ship->is_trapped);
    play(&at, 30);
    assert_false(ship->is_trapped);
    assert_true(ship->x > 6 * DUEL_TILE);
    end(&at);
}

static duel_pickup *lay(duel_state *duel, duel_pickup_kind kind, uint8_t tile_x, uint8_t tile_y)
{
    void *item = NULL;
    assert_int_not_equal(bks_pool_add(bks_ref_get(&duel->pickups), &item), 0);
    duel_pickup *pickup = item;
    pickup->kind = (uint8_t)kind;
    pickup->tile_x = tile_x;
    pickup->tile_y = tile_y;
    pickup->left_ticks = DUEL_PICKUP_LIFE_TICKS;
    return pickup;
}

static void pickups_do_what_they_promise(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    duel_ship *ship = duel_ship_of(at.duel, 0);
    duel_help_put(at.duel, 1, 7, 7);
    for (uint32_t kind = 0; kind < DUEL_PICKUP_KINDS; kind++) {
        duel_help_put(at.duel, 0, 5, 7);
        lay(at.duel, (duel_pickup_kind)kind, 5, 7);
        play(&at, 1);
        assert_int_equal(duel_help_count(&at.duel->pickups), 0);
        assert_true(kind != DUEL_PICKUP_AMMO || ship->ammo == DUEL_AMMO_EXTRA);
        assert_true(kind != DUEL_PICKUP_SHIELD || ship->has_shield);
        if (kind == DUEL_PICKUP_SPREAD) {
            at.inputs[0].fire = DUEL_NORTH;
            play(&at, 1);
            at.inputs[0].fire = DUEL_NONE;
            assert_int_equal(duel_help_count(&at.duel->shots), 3);
        }
    }
    play(&at, 30); // the nova reaches the ship two tiles away
    assert_false(duel_ship_of(at.duel, 1)->is_alive);
    assert_true(ship->is_alive);
    end(&at);
}

static void last_side_with_ships_wins_the_round(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 4);
    const bks_step step = {.players = 4, .field_count = 3};
    assert_int_equal(at.duel->spare[1], 1);
    at.duel->spare[1] = 0;
    duel_ship_lose(at.duel, &step, duel_ship_of(at.duel, 1), 0, 0);
    play(&at, 2);
    assert_int_equal(at.duel->phase, DUEL_PHASE_PLAY);
    duel_ship_lose(at.duel, &step, duel_ship_of(at.duel, 3), 0, 2);
    play(&at, 1);
    assert_int_equal(at.duel->phase, DUEL_PHASE_ROUND_OVER);
    assert_int_equal(at.duel->round_winner, 0);
    assert_int_equal(at.duel->score[0], 1);
    play(&at, DUEL_ROUND_OVER_TICKS);
    assert_int_equal(at.duel->phase, DUEL_PHASE_READY);
    assert_int_equal(at.duel->round, 2);
    assert_int_equal(duel_help_count(&at.duel->particles), 0);
    end(&at);
}

static void won_match_is_followed_by_the_next(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    const bks_step step = {.players = 2, .field_count = 3};
    at.duel->score[1] = DUEL_ROUNDS_TO_WIN - 1;
    at.duel->spare[0] = 0;
    duel_ship_lose(at.duel, &step, duel_ship_of(at.duel, 0), 1, 1);
    play(&at, 1);
    assert_int_equal(at.duel->phase, DUEL_PHASE_MATCH_OVER);
    assert_int_equal(at.duel->matches_won[1], 1);
    play(&at, DUEL_MATCH_OVER_TICKS);
    assert_int_equal(at.duel->phase, DUEL_PHASE_READY);
    assert_int_equal(at.duel->match, 2);
    assert_int_equal(at.duel->score[1], 0);
    end(&at);
}

static void board_falls_away_until_the_round_is_decided(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 2);
    duel_help_put(at.duel, 0, 11, 6);
    duel_help_put(at.duel, 1, 14, 6);
    play(&at, DUEL_COLLAPSE_START_TICKS + 1);
    assert_int_equal(duel_tile_at(at.duel, 0, 0), DUEL_TILE_VOID);
    assert_int_equal(duel_tile_at(at.duel, 1, 1), DUEL_TILE_EMBER);
    play(&at, 8 * DUEL_COLLAPSE_EVERY_TICKS);
    assert_int_not_equal(at.duel->round * 10 + at.duel->phase, 10 + DUEL_PHASE_PLAY);
    end(&at);
}

static void an_odd_seat_gets_a_house_pilot_that_fights(void **state)
{
    (void)state;
    arena at = begin("versus", "plain", 1);
    assert_int_equal(at.duel->ship_count, 2);
    for (int i = 0; i < 3600 && duel_ship_of(at.duel, 0)->deaths == 0; i++) {
        play(&at, 1);
    }
    assert_int_equal(duel_ship_of(at.duel, 0)->deaths, 1);
    end(&at);
}

static void creatures_walk_to_the_ships_and_take_their_tiles(void **state)
{
    (void)state;
    arena at = begin("arcade", "plain", 1);
    const uint32_t before = duel_board_count(at.duel, DUEL_TILE_EMBER);
    for (int i = 0; i < 3000 && duel_ship_of(at.duel, 0)->deaths == 0; i++) {
        play(&at, 1);
    }
    assert_int_equal(duel_ship_of(at.duel, 0)->deaths, 1);
    assert_true(duel_board_count(at.duel, DUEL_TILE_EMBER) < before);
    end(&at);
}

static void fuses_set_each_other_off(void **state)
{
    (void)state;
    arena at = begin("arcade", "plain", 1);
    bks_pool *pool = bks_ref_get(&at.duel->enemies);
    for (uint32_t i = 0; i < 5; i++) {
        void *item = NULL;
        assert_int_not_equal(bks_pool_add(pool, &item), 0);
        duel_enemy *enemy = item;
        enemy->kind = DUEL_ENEMY_FUSE;
        enemy->hits = 1;
        enemy->tile_x = (uint8_t)(2 + 2 * i);
        enemy->tile_y = 2;
        enemy->x = (uint16_t)duel_tile_middle(enemy->tile_x);
        enemy->y = (uint16_t)duel_tile_middle(2);
    }
    at.duel->wave_wait_ticks = 1000; // nothing else hatches
    duel_blast_add(at.duel, duel_tile_middle(2), duel_tile_middle(2), DUEL_TILE, 0, 0, true);
    play(&at, 80);
    assert_int_equal(bks_pool_count(pool), 0);
    assert_int_equal(duel_ship_of(at.duel, 0)->kills, 5);
    assert_true(at.duel->points > 5 * 15);
    end(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(description_is_accepted),
        cmocka_unit_test(score_counts_as_people_do),
        cmocka_unit_test(options_out_of_range_are_refused_by_name),
        cmocka_unit_test(roots_are_whole),
        cmocka_unit_test(maps_are_fair),
        cmocka_unit_test(ships_keep_to_their_colour_and_slide_along_its_edge),
        cmocka_unit_test(speed_follows_the_stick),
        cmocka_unit_test(shots_colour_their_lane_and_stop_at_walls),
        cmocka_unit_test(held_trigger_charges_and_letting_go_fires_three_lanes),
        cmocka_unit_test(ammunition_runs_out_and_comes_back),
        cmocka_unit_test(fire_values_without_a_meaning_are_none),
        cmocka_unit_test(shots_that_meet_cancel_out),
        cmocka_unit_test(hit_ship_is_lost_explodes_and_comes_back),
        cmocka_unit_test(protection_and_shields_take_a_hit),
        cmocka_unit_test(trapped_ship_can_still_crawl_out),
        cmocka_unit_test(pickups_do_what_they_promise),
        cmocka_unit_test(last_side_with_ships_wins_the_round),
        cmocka_unit_test(won_match_is_followed_by_the_next),
        cmocka_unit_test(board_falls_away_until_the_round_is_decided),
        cmocka_unit_test(an_odd_seat_gets_a_house_pilot_that_fights),
        cmocka_unit_test(creatures_walk_to_the_ships_and_take_their_tiles),
        cmocka_unit_test(fuses_set_each_other_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
