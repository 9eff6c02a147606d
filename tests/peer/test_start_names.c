// SPDX-License-Identifier: MIT

// When peers make different states of the first tick, each names what lies in the parts that
// differ: by the game's map, by its ranges, or by pools and bytes.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "game/some_game.h"
#include "peer/peer_network.h"

typedef struct ball {
    float x, y;
} ball;

typedef struct court {
    uint32_t score[2];
    ball balls[300]; ///< so that a part holds several
    uint8_t is_ready;
    uint32_t flag;
} court;

enum { T_COURT, T_BALL, T_U32, T_U8, T_F32 };

static const bks_map_member ball_members[] = {
    {.name = "x", .type = T_F32},
    {.name = "y", .type = T_F32, .offset_bytes = offsetof(ball, y)},
};

static const bks_map_member court_members[] = {
    {.name = "score", .type = T_U32, .offset_bytes = offsetof(court, score), .count = {2}},
    {.name = "balls", .type = T_BALL, .offset_bytes = offsetof(court, balls), .count = {300}},
    {.name = "is_ready", .type = T_U8, .offset_bytes = offsetof(court, is_ready)},
    {.name = "flag", .type = T_U32, .offset_bytes = offsetof(court, flag)},
};

static const bks_map_type court_types[] = {
    {"court", BKS_MAP_STRUCT, sizeof(court), court_members, 4, NULL, 0, 0, 0, NULL},
    {"ball", BKS_MAP_STRUCT, sizeof(ball), ball_members, 2, NULL, 0, 0, 0, NULL},
    {"uint32_t", BKS_MAP_UINT, 4, NULL, 0, NULL, 0, 0, 0, NULL},
    {"uint8_t", BKS_MAP_UINT, 1, NULL, 0, NULL, 0, 0, 0, NULL},
    {"float", BKS_MAP_FLOAT, 4, NULL, 0, NULL, 0, 0, 0, NULL},
};

static const bks_state_map court_map = {.types = court_types, .type_count = 5};

static const bks_state_range court_ranges[] = {
    BKS_RANGE(court, score, true),
    BKS_RANGE(court, flag, true),
};

static peer_network network;
static bks_game games[2]; ///< by peer: what `init` makes differs
static size_t changed[2]; ///< bytes that the guest's init changes; SIZE_MAX: none

static void court_init(void *state, const bks_start *start)
{
    (void)start;
    ((court *)state)->flag = 1;
}

static void other_init(void *state, const bks_start *start)
{
    court_init(state, start);
    for (uint32_t i = 0; i < 2; i++) {
        if (changed[i] != SIZE_MAX) {
            ((uint8_t *)state)[changed[i]] ^= 2;
        }
    }
}

static void court_step(void *state, const bks_step *step)
{
    (void)step;
    ((court *)state)->score[0]++;
}

static const bks_game court_game = {
    .name = "court",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = some_fields,
    .field_count = 2,
    .state_bytes = sizeof(court),
    .init = court_init,
    .step = court_step,
    .map = &court_map,
};

static void tune(bks_peer_config *config, uint32_t peer)
{
    config->game = &games[peer];
}

/// The match of the two games is refused; host and guest say where their states differ.
static void assert_refused(const char *host, const char *guest)
{
    const char *const where[] = {host, guest};
    net_create(&network, 2, tune);
    net_run_until(&network, 1000 * NET_MS);
    for (uint32_t i = 0; i < 2; i++) {
        char text[256];
        (void)snprintf(text, sizeof(text),
                       "the states of tick 0 differ: peer 1%s from the host%s %s",
                       i == 1 ? " (us)" : "", i == 0 ? " (us)" : "", where[i]);
        assert_int_equal(network.peers[i].events[BKS_EVENT_REFUSED], 1);
        assert_string_equal(network.peers[i].last[BKS_EVENT_REFUSED].text, text);
    }
    net_destroy(&network);
}

static void play_courts(size_t byte, size_t other_byte)
{
    games[0] = games[1] = court_game;
    games[1].init = other_init;
    changed[0] = byte;
    changed[1] = other_byte;
}

static void give_ranges(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        games[i].ranges = court_ranges;
        games[i].range_count = 2;
    }
}

static void what_a_part_holds_is_named_together_and_none_of_it_accused(void **context)
{
    (void)context;
    play_courts(offsetof(court, balls[4].y), SIZE_MAX);
    assert_refused("somewhere in balls[3..6]", "somewhere in balls[3..6]");
    play_courts(offsetof(court, flag), SIZE_MAX);
    static const char end[] = "somewhere in balls[299], root.is_ready, root.flag and more";
    assert_refused(end, end);
    play_courts(0, offsetof(court, balls[150]));
    static const char apart[] = "somewhere in score, balls[0..2], balls[147..150]";
    assert_refused(apart, apart);
}

static void a_value_that_is_a_part_of_its_own_is_named_alone(void **context)
{
    (void)context;
    play_courts(offsetof(court, flag), SIZE_MAX);
    give_ranges();
    assert_refused("in root.flag", "in root.flag");
    play_courts(offsetof(court, score[1]), SIZE_MAX);
    give_ranges();
    assert_refused("somewhere in score[0], score[1]", "somewhere in score[0], score[1]");
}

static void a_peer_without_a_map_names_its_ranges_or_bytes(void **context)
{
    (void)context;
    play_courts(offsetof(court, balls[4].y), SIZE_MAX);
    games[1].map = NULL;
    assert_refused("somewhere in balls[3..6]", "in (state) bytes 32 to 63");
    play_courts(offsetof(court, flag), SIZE_MAX);
    give_ranges();
    games[0].map = NULL;
    assert_refused("in `flag`", "in root.flag");
}

static void pool_init(void *state, const bks_start *start)
{
    some_init(state, start);
    (void)bks_pool_add(bks_ref_get(&((some_state *)state)->shots), NULL);
}

static void without_a_map_pools_are_named(void **context)
{
    (void)context;
    games[0] = games[1] = some_game;
    games[1].init = pool_init;
    static const char where[] =
        "somewhere in shots bytes 560 to 639, (pool shots) bytes 256 to 559";
    assert_refused(where, where);
}

static void own_other_init(void *state, const bks_start *start)
{
    own_init(state, start);
    ((own_state *)state)->sum = 13;
}

static void of_a_game_without_a_region_what_it_saves_is_named(void **context)
{
    (void)context;
    games[0] = games[1] = own_game;
    games[1].init = own_other_init;
    assert_refused("in (state) bytes 0 to 1", "in (state) bytes 0 to 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_part_holds_is_named_together_and_none_of_it_accused),
        cmocka_unit_test(a_value_that_is_a_part_of_its_own_is_named_alone),
        cmocka_unit_test(a_peer_without_a_map_names_its_ranges_or_bytes),
        cmocka_unit_test(without_a_map_pools_are_named),
        cmocka_unit_test(of_a_game_without_a_region_what_it_saves_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
