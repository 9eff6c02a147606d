// SPDX-License-Identifier: MIT

// The map of duel against its structs, its pools and its arena: every byte of a state in play.

#define _GNU_SOURCE

#include "map/game_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/tool.h"
#include "duel/duel_state.h"
#include "game/runner.h"
#include "state/arena.h"

enum { TICKS = 900 };

typedef struct played {
    loaded_game game;
    game_map map;
    bksi_runner *runner;
    duel_state *duel;
    size_t used;
} played;

static bks_map_place place;

/// A match of four bots, somewhere in the middle.
static played play(const char *mode)
{
    played p = {0};
    char why[320];
#ifndef BKS_HAVE_LIBDW
    skip();
#endif
    assert_int_equal(setenv("BKS_GAME_PATH", BKS_TEST_BINARY_DIR, 1), 0);
    assert_int_equal(loader_open("duel", &p.game), TOOL_OK);
    assert_true(game_map_find(&p.game, &p.map, why));
    bksi_runner_config config = {
        .game = p.game.game, .seed = 3, .players = 4, .tick_rate_hz = 60, .slot_count = 1};
    assert_int_equal(bks_option_values_default(p.game.game, &config.options), BKS_OK);
    assert_int_equal(bks_option_values_set(p.game.game, &config.options, "mode", mode, NULL),
                     BKS_OK);
    assert_int_equal(bksi_runner_create(&config, &p.runner, NULL), BKS_OK);
    p.duel = bksi_runner_state(p.runner);
    uint64_t memory[4][8] = {{0}};
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        int32_t inputs[4][3] = {{0}};
        for (uint32_t seat = 0; seat < 4; seat++) {
            p.game.game->bot(p.duel, seat, tick, memory[seat], inputs[seat]);
        }
        assert_int_equal(bksi_runner_step(p.runner, tick, inputs[0]), BKS_OK);
    }
    p.used = bksi_runner_used_bytes(p.runner);
    return p;
}

static const char *name_at(const played *p, uint64_t offset)
{
    assert_int_equal(bks_state_map_find(p->map.map, p->duel, p->used, offset, 0, &place), BKS_OK);
    return place.name;
}

static void expect_name(const played *p, const void *address, const char *format, unsigned index)
{
    char want[64];
    (void)snprintf(want, sizeof(want), format, index);
    assert_string_equal(name_at(p, (uint64_t)((const uint8_t *)address - (const uint8_t *)p->duel)),
                        want);
}

static unsigned slot_of(bks_id id)
{
    return (id & 0xFFFF) - 1;
}

/// @return how many live particles and enemies were looked at
static uint32_t expect_items(const played *p)
{
    bks_id id = 0;
    uint32_t cursor = 0;
    uint32_t seen = 0;
    for (duel_ship *ship;
         (ship = duel_pool_next(bks_ref_get(&p->duel->ships), &cursor, &id)) != NULL;) {
        expect_name(p, &ship->vy, "ships[%u].vy", slot_of(id));
        expect_name(p, &ship->memory[7], "ships[%u].memory[7]", slot_of(id));
        expect_name(p, (uint8_t *)&ship->deaths + 1, "ships[%u].deaths", slot_of(id));
    }
    cursor = 0;
    for (duel_particle *bit;
         (bit = duel_pool_next(bks_ref_get(&p->duel->particles), &cursor, &id)) != NULL; seen++) {
        expect_name(p, &bit->spin, "particles[%u].spin", slot_of(id));
    }
    cursor = 0;
    for (duel_enemy *enemy;
         (enemy = duel_pool_next(bks_ref_get(&p->duel->enemies), &cursor, &id)) != NULL; seen++) {
        expect_name(p, &enemy->offset_y, "enemies[%u].offset_y", slot_of(id));
    }
    return seen;
}

/// Bookkeeping is what the arena says it is; all else has a name, or is a gap or free.
static void expect_every_byte(const played *p)
{
    uint32_t by_use[5] = {0};
    for (uint64_t at = 0; at < p->used; at++) {
        const char *name = name_at(p, at);
        const bool is_kept = bksi_arena_is_bookkeeping(p->duel, sizeof(duel_state), p->used, at);
        if (place.use == BKS_MAP_UNNAMED || is_kept != (place.use == BKS_MAP_BOOKKEEPING) ||
            (place.use == BKS_MAP_LIVE && place.type == UINT32_MAX)) {
            fail_msg("byte %u is %s", (unsigned)at, name);
        }
        // No struct of duel has a hole; a pickup of 8 bytes takes 16, and the arena follows the
        // root.
        if (place.use == BKS_MAP_PADDING && at >= sizeof(duel_state) + 8) {
            if (strncmp(place.note, "behind pickups[", 15) != 0) {
                fail_msg("byte %u is %s, %s", (unsigned)at, name, place.note);
            }
        }
        by_use[place.use]++;
    }
    assert_true(by_use[BKS_MAP_LIVE] > sizeof(duel_state) && by_use[BKS_MAP_FREE] > 0);
}

static void every_byte_of_versus_has_its_name(void **state)
{
    (void)state;
    played p = play("versus");
    (void)expect_items(&p);
    expect_name(&p, &p.duel->tile[77], "tile[%u]", 77);
    expect_name(&p, &p.duel->phase_ticks, "root.phase_ticks", 0);
    expect_every_byte(&p);
    bksi_runner_destroy(p.runner);
}

static void every_byte_of_arcade_has_its_name(void **state)
{
    (void)state;
    played p = play("arcade");
    assert_true(expect_items(&p) > 0);
    const uint16_t *field = bks_ref_get(&p.duel->field);
    for (unsigned i = 0; i < DUEL_TILES_MAX; i += 11) {
        expect_name(&p, &field[i], "field[%u]", i);
    }
    expect_every_byte(&p);
    bksi_runner_destroy(p.runner);
}

/// Every value can be written for people.
static void values_of_a_match_read_as_their_types(void **state)
{
    (void)state;
    played p = play("arcade");
    char text[160];
    for (uint64_t at = 0; at < p.used; at = place.end_bytes) {
        (void)name_at(&p, at);
        assert_int_equal(bks_state_map_value(p.map.map, p.duel, p.used, &place, text, sizeof(text)),
                         BKS_OK);
        assert_true(text[0] != '\0');
        if (strcmp(place.name, "root.mode") == 0) {
            assert_string_equal(text, "DUEL_ARCADE (1)");
        } else if (strcmp(place.name, "ship[2]") == 0) {
            assert_non_null(strstr(text, "ships[2], generation"));
        } else if (strcmp(place.name, "root.field") == 0) {
            assert_string_equal(text, "field[0]");
        } else if (strcmp(place.name, "root.enemies") == 0) {
            assert_string_equal(text, "pool enemies");
        }
    }
    bksi_runner_destroy(p.runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_of_versus_has_its_name),
        cmocka_unit_test(every_byte_of_arcade_has_its_name),
        cmocka_unit_test(values_of_a_match_read_as_their_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
