// SPDX-License-Identifier: MIT

// When peers make different states of the first tick, each names what lies in the parts that
// differ: by the game's map, by its ranges, or by pools and bytes.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "game/map_block.h"
#include "game/some_game.h"
#include "game/start_parts.h"
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

// ---- large states ----

static uint32_t lookups;
static uint32_t walks; ///< of all references

void __real_bksi_state_map_find(const bks_state_map *map, const void *state, size_t count,
                                uint64_t offset_bytes, uint32_t bit, bksi_map_known *known,
                                bks_map_place *out);
void __wrap_bksi_state_map_find(const bks_state_map *map, const void *state, size_t count,
                                uint64_t offset_bytes, uint32_t bit, bksi_map_known *known,
                                bks_map_place *out);

void __wrap_bksi_state_map_find(const bks_state_map *map, const void *state, size_t count,
                                uint64_t offset_bytes, uint32_t bit, bksi_map_known *known,
                                bks_map_place *out)
{
    const uint32_t before = known->walks;
    __real_bksi_state_map_find(map, state, count, offset_bytes, bit, known, out);
    lookups++;
    walks += known->walks - before;
}

static bksi_runner *create_runner(const bks_game *game)
{
    const bksi_runner_config config = {.game = game, .players = 1, .tick_rate_hz = 60};
    bksi_runner *runner = NULL;
    bks_error error = {0};
    if (bksi_runner_create(&config, &runner, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return runner;
}

/// What is said of the parts from `first` up to `last`.
static const char *name_parts(bksi_runner *runner, uint32_t first, uint32_t last, size_t capacity)
{
    static char text[512];
    uint8_t differ[BKSI_START_PARTS_MAX / 8] = {0};
    for (uint32_t i = first; i <= last; i++) {
        differ[i / 8] |= (uint8_t)(1u << i % 8);
    }
    memset(text, 'x', sizeof(text));
    lookups = walks = 0;
    const size_t length = bksi_start_parts_name(runner, differ, last + 1, text, capacity);
    assert_int_equal(length, strlen(text));
    return text;
}

static void field_init(void *state, const bks_start *start)
{
    (void)start;
    *(uint8_t *)state = 1;
}

static void no_step(void *state, const bks_step *step)
{
    (void)state;
    (void)step;
}

enum { FIELD_BYTES = 4 << 20, BLOCKS = 3000 };

static const bks_map_member field_members[] = {
    {.name = "field", .type = 1, .count = {FIELD_BYTES / 4}}};
static const bks_map_type field_types[] = {
    {.name = "root",
     .kind = BKS_MAP_STRUCT,
     .bytes = FIELD_BYTES,
     .members = field_members,
     .member_count = 1},
    {.name = "float", .kind = BKS_MAP_FLOAT, .bytes = 4},
};
static const bks_state_map field_map = {.types = field_types, .type_count = 2};

static const bks_game field_game = {
    .name = "field",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = some_fields,
    .field_count = 2,
    .state_bytes = FIELD_BYTES,
    .init = field_init,
    .step = no_step,
    .map = &field_map,
};

/// A piece of it has 64 KiB.
static void
of_a_large_state_no_more_is_looked_at_than_parts_that_differ_and_a_budget(void **context)
{
    (void)context;
    bksi_runner *runner = create_runner(&field_game);
    uint64_t hashes[BKSI_START_PARTS_MAX];
    assert_int_equal(bksi_start_parts_hash(runner, hashes, BKSI_START_PARTS_MAX), 64);
    assert_string_equal(name_parts(runner, 63, 63, 512), "somewhere in field");
    assert_in_range(lookups, 16384, 16384);
    assert_string_equal(name_parts(runner, 0, 63, 512), "somewhere in field and more");
    assert_in_range(lookups, 16384, 16384);
    bksi_runner_destroy(runner);
}

static void field_other_init(void *state, const bks_start *start)
{
    field_init(state, start);
    ((uint8_t *)state)[FIELD_BYTES - 1] = 1;
}

static void a_large_state_is_compared_to_its_end(void **context)
{
    (void)context;
    games[0] = games[1] = field_game;
    games[0].map = games[1].map = NULL;
    games[1].init = field_other_init;
    assert_refused("in (state) bytes 4128768 to 4194303", "in (state) bytes 4128768 to 4194303");
}

typedef struct list_root {
    bks_ref list;
} list_root;

/// A list of references, each to a block of 32 bytes.
static void list_init(void *state, const bks_start *start)
{
    (void)start;
    list_root *root = state;
    bks_arena *arena = bks_arena_of(state, sizeof(*root));
    bks_ref *list = bks_arena_alloc(arena, BLOCKS * sizeof(bks_ref), 8);
    assert_int_equal(bks_ref_set(&root->list, list), BKS_OK);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        assert_int_equal(bks_ref_set(&list[i], bks_arena_alloc(arena, 32, 8)), BKS_OK);
    }
}

static const bks_map_member list_members[] = {{.name = "list", .type = 2}};
static const bks_map_member thing_members[] = {{.name = "hp", .type = 4, .count = {8}}};
static const bks_map_type list_types[] = {
    {.name = "root",
     .kind = BKS_MAP_STRUCT,
     .bytes = sizeof(list_root),
     .members = list_members,
     .member_count = 1},
    {.name = "thing",
     .kind = BKS_MAP_STRUCT,
     .bytes = 32,
     .members = thing_members,
     .member_count = 1},
    {.name = "list",
     .kind = BKS_MAP_REF,
     .bytes = sizeof(bks_ref),
     .target = 3,
     .target_count = BLOCKS},
    {.name = "ref", .kind = BKS_MAP_REF, .bytes = sizeof(bks_ref), .target = 1, .target_count = 1},
    {.name = "float", .kind = BKS_MAP_FLOAT, .bytes = 4},
};
static const bks_state_map list_map = {.types = list_types, .type_count = 5, .has_arena = true};

static bks_game list_game(void)
{
    bks_game game = field_game;
    game.state_bytes = BLOCKS * 40 + 4096;
    game.root_bytes = sizeof(list_root);
    game.init = list_init;
    game.map = &list_map;
    return game;
}

static void of_many_blocks_some_are_named_and_none_is_said_to_lie_behind_the_state(void **context)
{
    (void)context;
    const bks_game game = list_game();
    assert_int_equal(bks_state_map_check(&list_map, NULL), BKS_OK);
    bksi_runner *runner = create_runner(&game);
    uint64_t hashes[BKSI_START_PARTS_MAX];
    const uint32_t parts = bksi_start_parts_hash(runner, hashes, BKSI_START_PARTS_MAX);
    const char *text = name_parts(runner, parts - 2, parts - 2, 512);
    if (strncmp(text, "somewhere in list[", 18) != 0 || strstr(text, " and more") == NULL) {
        fail_msg("%s", text);
    }
    assert_in_range(walks, 1, 16);
    text = name_parts(runner, parts - 1, parts - 1, 512);
    if (strstr(text, "behind") != NULL) {
        fail_msg("%s", text);
    }
    (void)name_parts(runner, 0, parts - 1, 512);
    assert_in_range(walks, 1, 16);
    assert_in_range(lookups, 1, 16384);
    bksi_runner_destroy(runner);
}

static void what_lies_behind_the_bytes_in_use_is_said_whole_or_not_at_all(void **context)
{
    (void)context;
    const bks_game game = list_game();
    bksi_runner *runner = create_runner(&game);
    uint64_t hashes[BKSI_START_PARTS_MAX];
    const uint32_t parts = bksi_start_parts_hash(runner, hashes, BKSI_START_PARTS_MAX);
    char whole[64];
    (void)snprintf(whole, sizeof(whole), "behind its %zu bytes in use",
                   bksi_runner_used_bytes(runner));
    assert_string_equal(name_parts(runner, parts, parts, 64), whole);
    assert_string_equal(name_parts(runner, parts, parts, 12), "");
    // The last part continues there.
    assert_non_null(strstr(name_parts(runner, parts - 1, parts, 512), " and more"));
    bksi_runner_destroy(runner);
}

static const bks_map_member union_members[] = {
    {.name = "score", .type = 2},
    {.name = "", .type = 1, .offset_bytes = 8},
    {.name = "flag", .type = 2, .offset_bytes = 24},
};
static const bks_map_member case_members[] = {
    {.name = "one", .type = 2},
    {.name = "two", .type = 2, .count = {2}},
};
static const bks_map_type union_types[] = {
    {.name = "root",
     .kind = BKS_MAP_STRUCT,
     .bytes = 32,
     .members = union_members,
     .member_count = 3},
    {.name = "", .kind = BKS_MAP_UNION, .bytes = 16, .members = case_members, .member_count = 2},
    {.name = "uint64_t", .kind = BKS_MAP_UINT, .bytes = 8},
};
static const bks_state_map union_map = {.types = union_types, .type_count = 3};

static void bytes_of_the_root_without_a_name_are_those_of_the_root(void **context)
{
    (void)context;
    static const bks_state_range ranges[] = {
        {.name = "any", .offset_bytes = 8, .count = 16, .type = BKS_STATE_BYTES}};
    bks_game game = field_game;
    game.state_bytes = 32;
    game.map = &union_map;
    game.ranges = ranges;
    game.range_count = 1;
    bksi_runner *runner = create_runner(&game);
    assert_string_equal(name_parts(runner, 0, 0, 512), "in root bytes 8 to 23");
    bksi_runner_destroy(runner);
}

/// Ranges may lie in any order, and overlap.
static void values_in_several_parts_are_named_once(void **context)
{
    (void)context;
    static const bks_state_range ranges[] = {
        BKS_RANGE(court, flag, true),
        {.name = "three", .offset_bytes = 4, .count = 12, .type = BKS_STATE_BYTES},
        {.name = "all", .offset_bytes = 0, .count = 8, .type = BKS_STATE_BYTES},
        BKS_RANGE(court, score, true),
    };
    bks_game game = court_game;
    game.ranges = ranges;
    game.range_count = 4;
    bksi_runner *runner = create_runner(&game);
    assert_string_equal(name_parts(runner, 0, 3, 512), "somewhere in score, balls[0], root.flag");
    assert_int_equal(lookups, 5);
    bksi_runner_destroy(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_part_holds_is_named_together_and_none_of_it_accused),
        cmocka_unit_test(a_value_that_is_a_part_of_its_own_is_named_alone),
        cmocka_unit_test(a_peer_without_a_map_names_its_ranges_or_bytes),
        cmocka_unit_test(without_a_map_pools_are_named),
        cmocka_unit_test(of_a_game_without_a_region_what_it_saves_is_named),
        cmocka_unit_test(of_a_large_state_no_more_is_looked_at_than_parts_that_differ_and_a_budget),
        cmocka_unit_test(a_large_state_is_compared_to_its_end),
        cmocka_unit_test(of_many_blocks_some_are_named_and_none_is_said_to_lie_behind_the_state),
        cmocka_unit_test(what_lies_behind_the_bytes_in_use_is_said_whole_or_not_at_all),
        cmocka_unit_test(bytes_of_the_root_without_a_name_are_those_of_the_root),
        cmocka_unit_test(values_in_several_parts_are_named_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
