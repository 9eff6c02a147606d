// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/state_map.h"
#include "backstitch/toolkit/writer.h"
#include "recording.h"
#include "replay/format/replay_head.h"

static bks_status never_called(void *context, uint64_t offset, const void *bytes, size_t count)
{
    (void)context, (void)offset, (void)bytes, (void)count;
    fail();
    return BKS_ERR_IO;
}

static bks_replay_config some_config(void)
{
    static const bks_state_range ranges[] = {
        {.name = "x", .offset_bytes = 0, .count = 2, .type = BKS_STATE_I32},
        {.name = "noise",
         .offset_bytes = 24,
         .count = 1,
         .type = BKS_STATE_U64,
         .is_recorded = true},
    };
    static bks_game named;
    named = walk_game_with(ranges, 2);
    bks_replay_config config = walk_replay_config((bks_sink){.write = never_called});
    config.game = &named;
    config.first_tick = 77;
    config.detail = (bks_replay_detail){.hash_bits = 24, .full_hash_ticks = 7, .values = true};
    return config;
}

/// Make the head of a file whose slots are at 1024.
static void fill(bksi_replay_head *head, const bks_replay_config *config)
{
    assert_int_equal(bksi_replay_head_fill(head, config, 9, NULL), BKS_OK);
    head->tail_offset = 1024;
}

static void head_reads_as_written(void **state)
{
    (void)state;
    const bks_replay_config config = some_config();
    static bksi_replay_head head;
    static bksi_replay_head read;
    uint8_t bytes[BKSI_HEAD_BYTES_MAX];
    fill(&head, &config);
    const size_t count = bksi_replay_head_write(&head, bytes, sizeof(bytes));
    assert_true(count > 0);
    assert_int_equal(bksi_replay_head_read(&read, 2, bytes, count, 0, NULL), BKS_OK);
    assert_string_equal(read.game, "walk");
    assert_int_equal(read.version, 3);
    assert_string_equal(read.build, "walk 3 test");
    assert_int_equal(read.tick_rate_hz, WALK_TICK_RATE_HZ);
    assert_int_equal(read.players, WALK_PLAYERS);
    assert_int_equal(read.seed, WALK_SEED);
    assert_int_equal(read.slot_blocks, 9);
    assert_int_equal(read.tail_offset, 1024);
    assert_int_equal(read.hash_bits, 24);
    assert_int_equal(read.full_hash_ticks, 7);
    assert_int_equal(read.range_count, 2);
    assert_string_equal(read.ranges[1].name, "noise");
    assert_int_equal(read.ranges[1].offset_bytes, 24);
    assert_int_equal(read.ranges[1].count, 1);
    assert_int_equal(read.ranges[1].type, BKS_STATE_U64);
    assert_true(read.ranges[1].is_recorded);
    assert_false(read.ranges[0].is_recorded);
    assert_int_equal(read.first_tick, 77);
    assert_int_equal(read.field_count, WALK_FIELDS);
    for (uint32_t i = 0; i < WALK_FIELDS; i++) {
        assert_string_equal(read.fields[i].name, walk_game.fields[i].name);
        assert_int_equal(read.fields[i].bits, walk_game.fields[i].bits);
        assert_int_equal(read.fields[i].is_signed, walk_game.fields[i].is_signed);
        assert_int_equal(read.fields[i].group, walk_game.fields[i].group);
        assert_int_equal(read.fields[i].neutral, walk_game.fields[i].neutral);
    }
    assert_int_equal(read.option_count, 2);
    assert_string_equal(read.options[0].name, "speed");
    assert_string_equal(read.options[0].value, "3");
    assert_string_equal(read.environment[0].name, "library");
}

static void cut_or_stretched_head_is_damage(void **state)
{
    (void)state;
    const bks_replay_config config = some_config();
    static bksi_replay_head head;
    uint8_t bytes[BKSI_HEAD_BYTES_MAX] = {0};
    fill(&head, &config);
    const size_t count = bksi_replay_head_write(&head, bytes, sizeof(bytes) - 1);
    bks_error error;
    for (size_t cut = 0; cut < count; cut++) {
        assert_int_equal(bksi_replay_head_read(&head, 2, bytes, cut, 100, &error), BKS_ERR_DAMAGED);
        assert_in_range(error.offset_bytes, 100, 100 + cut);
    }
    assert_int_equal(bksi_replay_head_read(&head, 2, bytes, count + 1, 0, NULL), BKS_ERR_DAMAGED);
}

/// Return true if the head is refused after `change`.
static bool is_refused(void (*change)(bksi_replay_head *head))
{
    const bks_replay_config config = some_config();
    static bksi_replay_head head;
    uint8_t bytes[BKSI_HEAD_BYTES_MAX];
    fill(&head, &config);
    change(&head);
    const size_t count = bksi_replay_head_write(&head, bytes, sizeof(bytes));
    return bksi_replay_head_read(&head, 2, bytes, count, 0, NULL) == BKS_ERR_DAMAGED;
}

static void nothing(bksi_replay_head *head)
{
    (void)head;
}
static void no_name(bksi_replay_head *head)
{
    head->game[0] = '\0';
}
static void no_players(bksi_replay_head *head)
{
    head->players = 0;
}
static void many_players(bksi_replay_head *head)
{
    head->players = BKS_PLAYERS_MAX + 1;
}
static void no_ticks(bksi_replay_head *head)
{
    head->tick_rate_hz = 0;
}
static void many_ticks(bksi_replay_head *head)
{
    head->tick_rate_hz = 1001;
}
static void small_slots(bksi_replay_head *head)
{
    head->slot_blocks = 1;
}
static void big_slots(bksi_replay_head *head)
{
    head->slot_blocks = 65536;
}
static void slots_elsewhere(bksi_replay_head *head)
{
    head->tail_offset = 1025;
}
static void begins_before_0(bksi_replay_head *head)
{
    head->first_tick = -1;
}
static void no_hash_bits(bksi_replay_head *head)
{
    head->hash_bits = 0;
}
static void many_hash_bits(bksi_replay_head *head)
{
    head->hash_bits = 65;
}
static void never_full(bksi_replay_head *head)
{
    head->full_hash_ticks = 0;
}
static void no_range_type(bksi_replay_head *head)
{
    head->ranges[0].type = (bks_state_type)11;
}
static void range_beyond(bksi_replay_head *head)
{
    head->ranges[0].offset_bytes = (UINT64_C(1) << 30) - 4;
}
static void no_range_name(bksi_replay_head *head)
{
    head->range_names[0][0] = '\0';
}
static void no_fields(bksi_replay_head *head)
{
    head->field_count = 0;
}
static void many_bits(bksi_replay_head *head)
{
    head->fields[0].bits = 33;
}
static void twice_the_name(bksi_replay_head *head)
{
    head->fields[1].name = head->fields[0].name;
}
static void odd_name(bksi_replay_head *head)
{
    head->field_names[0][0] = ' ';
}
static void not_printable(bksi_replay_head *head)
{
    head->build[0] = '\n';
}
static void head_that_makes_no_sense_is_damage(void **state)
{
    (void)state;
    assert_false(is_refused(nothing));
    assert_true(is_refused(no_name));
    assert_true(is_refused(no_players));
    assert_true(is_refused(many_players));
    assert_true(is_refused(no_ticks));
    assert_true(is_refused(many_ticks));
    assert_true(is_refused(small_slots));
    assert_true(is_refused(big_slots));
    assert_true(is_refused(slots_elsewhere));
    assert_true(is_refused(begins_before_0));
    assert_true(is_refused(no_hash_bits));
    assert_true(is_refused(many_hash_bits));
    assert_true(is_refused(never_full));
    assert_true(is_refused(no_range_type));
    assert_true(is_refused(range_beyond));
    assert_true(is_refused(no_range_name));
    assert_true(is_refused(no_fields));
    assert_true(is_refused(many_bits));
    assert_true(is_refused(twice_the_name));
    assert_true(is_refused(odd_name));
    assert_true(is_refused(not_printable));
}

static void too_many_entries_are_damage(void **state)
{
    (void)state;
    // "g", version, "", rate, players, seed, slots and where they are, hashes, then 65 fields or 17
    // options are promised.
    uint8_t bytes[512] = {1, 'g'};
    const size_t at = 2 + 4 + 1 + 4 + 4 + 8 + 4 + 8 + 4 + 1 + 4;
    bytes[at] = 65;
    static bksi_replay_head head;
    assert_int_equal(bksi_replay_head_read(&head, 2, bytes, sizeof(bytes), 0, NULL),
                     BKS_ERR_DAMAGED);
    assert_int_equal(head.field_count, 0);
    bytes[at] = 0;
    bytes[at + 1] = 17;
    assert_int_equal(bksi_replay_head_read(&head, 2, bytes, sizeof(bytes), 0, NULL),
                     BKS_ERR_DAMAGED);
    assert_int_equal(head.option_count, 0);
}

static void texts_that_cannot_be_written_are_refused(void **state)
{
    (void)state;
    static bksi_replay_head head;
    bks_error error;
    bks_replay_config config = some_config();
    char build[65];
    memset(build, 'b', 64);
    build[63] = '\0';
    config.build = build;
    assert_int_equal(bksi_replay_head_fill(&head, &config, 9, &error), BKS_OK);
    build[63] = 'b';
    build[64] = '\0';
    assert_int_equal(bksi_replay_head_fill(&head, &config, 9, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "build");
    config.build = "a\tb";
    assert_int_equal(bksi_replay_head_fill(&head, &config, 9, &error), BKS_ERR_BAD_CONFIG);
    config = some_config();
    memset(config.options.text[1], 'v', BKS_OPTION_VALUE_BYTES);
    assert_int_equal(bksi_replay_head_fill(&head, &config, 9, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "options");
}

static void ranges_that_cannot_be_written_are_refused(void **state)
{
    (void)state;
    static bksi_replay_head head;
    static bks_state_range ranges[BKS_STATE_RANGES_MAX + 1];
    bks_error error;
    for (uint32_t i = 0; i <= BKS_STATE_RANGES_MAX; i++) {
        ranges[i] = (bks_state_range){.name = "r", .count = 1, .type = BKS_STATE_U8};
    }
    bks_replay_config config = some_config();
    bks_game game = walk_game_with(ranges, BKS_STATE_RANGES_MAX);
    config.game = &game;
    assert_int_equal(bksi_replay_head_fill(&head, &config, 9, &error), BKS_OK);
    static uint8_t bytes[BKSI_HEAD_BYTES_MAX];
    assert_true(bksi_replay_head_write(&head, bytes, sizeof(bytes)) > 0);
    game.range_count++;
    assert_int_equal(bksi_replay_head_fill(&head, &config, 9, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "range_count");
    game.range_count = 1;
    static const bks_state_range wrong[] = {
        {.name = NULL, .count = 1, .type = BKS_STATE_U8},
        {.name = "", .count = 1, .type = BKS_STATE_U8},
        {.name = "a\nb", .count = 1, .type = BKS_STATE_U8},
        {.name = "r", .count = 0, .type = BKS_STATE_U8},
        {.name = "r", .count = 1, .type = (bks_state_type)11},
        {.name = "r", .offset_bytes = UINT64_C(1) << 30, .count = 1, .type = BKS_STATE_U8},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        game.ranges = &wrong[i];
        assert_int_equal(bksi_replay_head_fill(&head, &config, 9, &error), BKS_ERR_BAD_CONFIG);
        assert_string_equal(error.field, "ranges");
    }
    game.ranges = NULL;
    assert_int_equal(bksi_replay_head_fill(&head, &config, 9, &error), BKS_ERR_BAD_CONFIG);
}

static void types_have_their_sizes(void **state)
{
    (void)state;
    static const uint32_t bytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0, 0};
    for (uint32_t i = 0; i < 13; i++) {
        assert_int_equal(bks_state_type_bytes((bks_state_type)i), bytes[i]);
    }
}

static void environment_names_neither_people_nor_places(void **state)
{
    (void)state;
    static const char *const known[] = {"library",      "compiler",   "architecture",
                                        "pointer_bits", "byte_order", "system"};
    const bks_replay_config config = some_config();
    static bksi_replay_head head;
    assert_int_equal(bksi_replay_head_fill(&head, &config, 9, NULL), BKS_OK);
    assert_int_equal(head.environment_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_string_equal(head.environment[i].name, known[i]);
        assert_null(strchr(head.environment[i].value, '/'));
        assert_true(strlen(head.environment[i].value) > 0);
    }
}

static void environment_of_another_machine_is_carried_over(void **state)
{
    (void)state;
    static const bks_replay_pair theirs[BKS_REPLAY_ENVIRONMENT_MAX + 1] = {
        {"compiler", "another 9.1"}, {"system", "elsewhere"}};
    bks_replay_config config = some_config();
    config.environment = theirs;
    config.environment_count = 2;
    static bksi_replay_head head;
    assert_int_equal(bksi_replay_head_fill(&head, &config, 9, NULL), BKS_OK);
    assert_int_equal(head.environment_count, 2);
    assert_string_equal(head.environment[0].value, "another 9.1");
    assert_string_equal(head.environment[1].name, "system");
    bks_error error = {0};
    config.environment_count = BKS_REPLAY_ENVIRONMENT_MAX + 1;
    assert_int_equal(bksi_replay_head_fill(&head, &config, 9, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "environment_count");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_reads_as_written),
        cmocka_unit_test(cut_or_stretched_head_is_damage),
        cmocka_unit_test(head_that_makes_no_sense_is_damage),
        cmocka_unit_test(too_many_entries_are_damage),
        cmocka_unit_test(texts_that_cannot_be_written_are_refused),
        cmocka_unit_test(ranges_that_cannot_be_written_are_refused),
        cmocka_unit_test(types_have_their_sizes),
        cmocka_unit_test(environment_names_neither_people_nor_places),
        cmocka_unit_test(environment_of_another_machine_is_carried_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
