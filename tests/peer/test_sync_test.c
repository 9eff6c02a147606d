// SPDX-License-Identifier: MIT

// Matches of one machine that go back after every tick.

#include "backstitch/toolkit/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/replay.h"
#include "game/some_game.h"
#include "peer/peer_network.h"
#include "support/says.h"

#define TICKS 600

/// Outcome of a match.
typedef struct outcome {
    bks_status status;
    bks_tick tick;   ///< of the session at its end
    bks_event event; ///< BKS_EVENT_FAILED, if it came
    bool is_found;
    bks_sync_difference found;
    uint64_t hash;     ///< of its last tick
    uint8_t state[24]; ///< the first bytes of a state that has so many
} outcome;

static int32_t calls; ///< counted by some games: no snapshot knows of it
static memory_sink record;
static counting_allocator counter;

static int forget_record(void **context)
{
    (void)context;
    free(record.bytes);
    record = (memory_sink){.fail_from = UINT32_MAX};
    return 0;
}

static bks_peer_config alone(const bks_game *game, uint32_t sync_test_ticks)
{
    bks_peer_config config = bks_peer_config_default();
    config.game = game;
    config.session.is_host = true;
    config.session.players = config.session.local_players = 2;
    config.session.seed = 42;
    config.session.ticks = TICKS;
    config.session.key[0] = config.session.identity[0] = config.session.entropy[0] = 1;
    config.sync_test_ticks = sync_test_ticks;
    return config;
}

/// Inputs that change.
static void press(bks_peer *peer, bks_tick tick)
{
    for (uint32_t player = 0; player < 2; player++) {
        const some_input input = {.move = (tick + (int32_t)player) % 7 - 3, .fire = tick % 3 == 0};
        assert_int_equal(bks_peer_input(peer, player, &input, NULL), BKS_OK);
    }
}

static outcome play(const bks_peer_config *config)
{
    bks_peer *peer = NULL;
    bks_error error = {0};
    if (bks_peer_create(config, &peer, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    outcome out = {.status = BKS_OK};
    const uint32_t allocs = counter.allocs;
    bks_session *session = bks_peer_session(peer);
    for (uint64_t now = 0; out.status == BKS_OK; now += 5 * NET_MS) {
        assert_true(now < 60000 * NET_MS);
        press(peer, bks_session_tick(session));
        out.status = bks_peer_update(peer, now);
        bks_event event;
        while (bks_session_event(session, &event)) {
            out.event = event.kind == BKS_EVENT_FAILED ? event : out.event;
        }
    }
    if (config->record.write == NULL) {
        assert_int_equal(counter.allocs, allocs);
    }
    out.tick = bks_session_tick(session);
    out.hash = bks_session_hash(session, TICKS, &out.hash) == BKS_OK ? out.hash : 0;
    out.is_found = bks_peer_sync_difference(peer, &out.found);
    if (config->game->state_bytes >= sizeof(out.state)) {
        memcpy(out.state, bks_peer_state(peer), sizeof(out.state));
    }
    bks_peer_destroy(peer);
    return out;
}

static outcome play_game(const bks_game *game, uint32_t sync_test_ticks)
{
    counter = (counting_allocator){.fail_after = UINT32_MAX};
    calls = 0;
    bks_peer_config config = alone(game, sync_test_ticks);
    config.session.allocator = counting_allocator_hooks(&counter);
    const outcome out = play(&config);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
    return out;
}

static void assert_stopped(const outcome *out, bks_tick tick, const char *mark, const char *name,
                           const char *first, const char *again)
{
    assert_int_equal(out->status, BKS_ERR_GAME);
    assert_true(out->is_found);
    assert_int_equal(out->found.tick, tick);
    assert_string_equal(out->found.mark, mark);
    assert_string_equal(out->found.place.name, name);
    if (first != NULL) {
        assert_string_equal(out->found.values[0], first);
        assert_string_equal(out->found.values[1], again);
    }
    assert_int_equal(out->event.kind, BKS_EVENT_FAILED);
    char text[64];
    (void)snprintf(text, sizeof(text), "sync test: tick %d: %s ", (int)tick, name);
    assert_says(out->event.text, text);
    (void)snprintf(text, sizeof(text), ", mark %s", mark); // its end is there, too
    assert_says(out->event.text, text);
}

// ---- sound games ----

static void a_sound_game_plays_on_and_comes_to_the_same(void **context)
{
    (void)context;
    const outcome plain = play_game(&some_game, 0);
    assert_int_equal(plain.status, BKS_OVER);
    const uint32_t depths[] = {1, 8, BKS_SYNC_TEST_TICKS_MAX};
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        const outcome tested = play_game(&some_game, depths[i]);
        assert_int_equal(tested.status, BKS_OVER);
        assert_int_equal(tested.tick, TICKS);
        assert_false(tested.is_found);
        assert_true(plain.hash != 0 && tested.hash == plain.hash);
    }
}

static uint32_t steps_of[TICKS];

static void counted_step(void *state, const bks_step *step)
{
    steps_of[step->tick]++;
    own_step(state, step);
}

static void every_tick_of_a_game_with_save_and_load_is_stepped_so_often_again(void **context)
{
    (void)context;
    bks_game game = own_game;
    game.step = counted_step;
    memset(steps_of, 0, sizeof(steps_of));
    const outcome tested = play_game(&game, 8);
    assert_int_equal(tested.status, BKS_OVER);
    assert_false(tested.is_found);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        const int32_t left = TICKS - tick;
        assert_int_equal(steps_of[tick], 1 + (left < 8 ? left : 8));
    }
    memset(steps_of, 0, sizeof(steps_of));
    (void)play_game(&game, 0);
    assert_int_equal(steps_of[300], 1);
}

// ---- planted faults ----

typedef struct counted_state {
    int32_t x[2];
    int32_t wind[4];
} counted_state;

static const bks_map_member counted_members[] = {
    {.name = "x", .type = 1, .offset_bytes = offsetof(counted_state, x), .count = {2}},
    {.name = "wind", .type = 1, .offset_bytes = offsetof(counted_state, wind), .count = {4}},
};
static const bks_map_type counted_types[] = {
    {.name = "counted_state",
     .kind = BKS_MAP_STRUCT,
     .bytes = sizeof(counted_state),
     .members = counted_members,
     .member_count = 2},
    {.name = "int32_t", .kind = BKS_MAP_INT, .bytes = sizeof(int32_t)},
};
static const bks_state_map counted_map = {.types = counted_types, .type_count = 2};

static bks_tick counts_from;

static void count_init(void *state, const bks_start *start)
{
    (void)start;
    ((counted_state *)state)->wind[0] = 1;
}

static void count_step(void *state, const bks_step *step)
{
    counted_state *counted = state;
    counted->x[0] += *(const int32_t *)bks_step_input(step, 0);
    bks_mark(step, "move");
    if (step->tick >= counts_from) {
        counted->wind[2] = ++calls;
    }
    bks_mark(step, "wind");
    bks_mark(step, "rest");
}

static const bks_game counting_game = {
    .name = "counting",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = some_fields,
    .field_count = 2,
    .state_bytes = sizeof(counted_state),
    .init = count_init,
    .step = count_step,
    .map = &counted_map,
};

static void a_static_variable_is_named_at_its_first_tick(void **context)
{
    (void)context;
    counts_from = 0;
    outcome out = play_game(&counting_game, 8);
    assert_stopped(&out, 0, "wind", "wind[2]", "1", "2");
    assert_string_equal(out.found.place.object, "wind");
    assert_string_equal(out.event.text,
                        "the game failed at tick 0: sync test: tick 0: wind[2] 1, again 2, mark "
                        "wind");
    counts_from = 250;
    out = play_game(&counting_game, 8);
    assert_stopped(&out, 250, "wind", "wind[2]", "1", "2");
    counted_state state; // is shown as it was at first
    memcpy(&state, out.state, sizeof(state));
    assert_int_equal(state.wind[2], 1);
    assert_int_equal(out.event.tick, 250);
    out = play_game(&counting_game, 0);
    assert_int_equal(out.status, BKS_OVER);
}

static void many_step(void *state, const bks_step *step)
{
    (void)step;
    counted_state *counted = state;
    counted->x[0]++;
    counted->wind[2] = counted->wind[3] = ++calls;
}

static void without_a_map_the_event_still_says_all_of_it(void **context)
{
    (void)context;
    bks_game game = counting_game;
    game.map = NULL;
    game.step = many_step;
    const outcome out = play_game(&game, 8);
    assert_stopped(&out, 0, "(end)", out.found.place.name, NULL, NULL);
}

static void late_step(void *state, const bks_step *step)
{
    const bool is_fifth = ++steps_of[step->tick] >= 5;
    ((counted_state *)state)->x[1] = step->tick == 300 && is_fifth ? 9 : 3;
}

static void what_only_a_longer_way_back_shows_is_found_by_it(void **context)
{
    (void)context;
    bks_game game = counting_game;
    game.step = late_step;
    memset(steps_of, 0, sizeof(steps_of));
    outcome out = play_game(&game, 3);
    assert_int_equal(out.status, BKS_OVER);
    memset(steps_of, 0, sizeof(steps_of));
    out = play_game(&game, 8);
    assert_stopped(&out, 300, "(end)", "x[1]", "3", "9");
    assert_int_equal(out.event.tick, 303);
}

/// One shot of the pool changes by what no rollback takes back.
static void pool_step(void *state, const bks_step *step)
{
    some_state *some = state;
    some_step(state, step);
    if (step->tick == 90) {
        bks_pool *shots = bks_ref_get(&some->shots);
        uint32_t cursor = 0;
        bks_id id;
        int32_t *shot = bks_pool_next(shots, &cursor, &id);
        assert_non_null(shot);
        *shot = 1000 + calls++;
    }
    bks_mark(step, "after");
}

static void an_item_of_a_pool_is_named_without_a_map(void **context)
{
    (void)context;
    bks_game game = some_game;
    game.step = pool_step;
    const outcome out = play_game(&game, 8);
    assert_int_equal(out.status, BKS_ERR_GAME);
    assert_int_equal(out.found.tick, 90);
    assert_string_equal(out.found.mark, "after");
    assert_says(out.found.place.object, "shots");
    assert_says(out.found.values[0], "e8 03"); // 1000
    assert_says(out.found.values[1], "e9 03");
}

/// Its save leaves out how fast it moves.
typedef struct speedy_state {
    int32_t way;
    int32_t speed;
} speedy_state;

static const bks_state_range speedy_ranges[] = {BKS_RANGE(speedy_state, way, BKS_STATE_I32)};

static void *speedy_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(speedy_state));
}

static void speedy_init(void *state, const bks_start *start)
{
    (void)start;
    ((speedy_state *)state)->speed = 1;
}

static void speedy_step(void *state, const bks_step *step)
{
    speedy_state *speedy = state;
    speedy->speed += step->tick >= 40 ? 1 : 0;
    bks_mark(step, "speed");
    speedy->way += speedy->speed;
    bks_mark(step, "way");
}

static size_t speedy_save(const void *state, void *bytes, size_t capacity)
{
    assert_true(capacity >= sizeof(int32_t));
    memcpy(bytes, &((const speedy_state *)state)->way, sizeof(int32_t));
    return sizeof(int32_t);
}

static bool speedy_load(void *state, const void *bytes, size_t count)
{
    assert_int_equal(count, sizeof(int32_t));
    memcpy(&((speedy_state *)state)->way, bytes, sizeof(int32_t));
    return true;
}

static void speedy_hash_saved(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, &((const speedy_state *)state)->way, sizeof(int32_t));
}

static void speedy_hash_all(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(speedy_state));
}

static const bks_game speedy_game = {
    .name = "speedy",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = some_fields,
    .field_count = 2,
    .ranges = speedy_ranges,
    .range_count = 1,
    .create = speedy_create,
    .destroy = free,
    .init = speedy_init,
    .step = speedy_step,
    .save = speedy_save,
    .load = speedy_load,
    .hash = speedy_hash_saved,
    .save_bytes_max = sizeof(int32_t),
};

static void a_save_that_misses_a_field_is_stopped_where_the_field_matters(void **context)
{
    (void)context;
    const outcome out = play_game(&speedy_game, 8);
    // From tick 40 on it is faster, and so is then the oldest tick of those that are taken back.
    assert_stopped(&out, 33, "way", "root.way", "34", "35");
    assert_int_equal(out.event.tick, 40);
    assert_int_equal(out.found.found_tick, 41);
}

static void forgets_step(void *state, const bks_step *step)
{
    (void)step;
    ((speedy_state *)state)->speed++; // and nothing comes of it
}

static void where_all_that_is_saved_is_the_same_the_hash_is_named(void **context)
{
    (void)context;
    bks_game game = speedy_game;
    game.step = forgets_step;
    game.hash = speedy_hash_all;
    const outcome out = play_game(&game, 8);
    assert_int_equal(out.status, BKS_ERR_GAME);
    assert_int_equal(out.found.tick, 0);
    assert_string_equal(out.found.place.name, "(unnamed).hash");
    assert_int_equal(strlen(out.found.values[0]), 16);
    assert_string_not_equal(out.found.values[0], out.found.values[1]);
}

static void fails_again_step(void *state, const bks_step *step)
{
    own_step(state, step);
    if (step->tick == 70 && calls++ > 0) {
        bks_fail(step, "no memory the second time");
    }
}

static void a_step_that_fails_the_second_time_is_reported(void **context)
{
    (void)context;
    bks_game game = own_game;
    game.step = fails_again_step;
    const outcome out = play_game(&game, 8);
    assert_stopped(&out, 70, "(end)", "(step)", "good", "failed: no memory the second time");
}

static uint32_t loads_left;

static bool load_some(void *state, const void *bytes, size_t count_bytes)
{
    return loads_left-- > 0 && own_load(state, bytes, count_bytes);
}

static void a_game_that_cannot_load_is_stopped_with_its_reason(void **context)
{
    (void)context;
    bks_game game = own_game;
    game.load = load_some;
    loads_left = 10;
    const outcome out = play_game(&game, 8);
    assert_int_equal(out.status, BKS_ERR_GAME);
    assert_false(out.is_found);
    assert_int_equal(out.event.tick, 10);
    assert_says(out.event.text, "sync test: own could not load");
}

// ---- what is around it ----

enum { ANSWER_BYTES = 256 }; // there is room for those of 200 ticks

static uint32_t answers;

static size_t answer_once(void *context, bks_tick tick, uint32_t question, void *out)
{
    (void)context, (void)tick, (void)question;
    memset(out, (int)answers, ANSWER_BYTES);
    answers++;
    return ANSWER_BYTES;
}

static void asking_step(void *state, const bks_step *step)
{
    uint8_t answer = 0;
    own_step(state, step);
    assert_int_equal(bks_ask(step, 1, &answer, sizeof(answer)), ANSWER_BYTES);
    ((own_state *)state)->sum += answer;
    bks_note(step, "asked");
}

static void a_question_is_answered_once_however_often_its_tick_is_stepped(void **context)
{
    (void)context;
    bks_game game = own_game;
    game.step = asking_step;
    answers = 0;
    bks_peer_config config = alone(&game, BKS_SYNC_TEST_TICKS_MAX);
    config.answer = answer_once;
    const outcome out = play(&config);
    assert_int_equal(out.status, BKS_OVER);
    assert_int_equal(answers, TICKS);
}

/// @return the recording, which must be freed by forget_record()
static outcome play_recorded(const bks_game *game, uint32_t sync_test_ticks, bool has_marks)
{
    (void)forget_record(NULL);
    bks_peer_config config = alone(game, sync_test_ticks);
    config.record = (bks_sink){memory_sink_write, &record};
    config.record_detail.marks = has_marks;
    return play(&config);
}

static void the_recording_is_that_of_a_match_without_the_test(void **context)
{
    (void)context;
    for (uint32_t marks = 0; marks < 2; marks++) {
        assert_int_equal(play_recorded(&some_game, 0, marks == 1).status, BKS_OVER);
        memory_sink plain = record;
        record.bytes = NULL;
        assert_int_equal(play_recorded(&some_game, 8, marks == 1).status, BKS_OVER);
        assert_int_equal(record.count, plain.count);
        assert_memory_equal(record.bytes, plain.bytes, plain.count);
        free(plain.bytes);
    }
}

static void the_recording_of_a_match_that_was_stopped_says_why(void **context)
{
    (void)context;
    counts_from = 100;
    assert_int_equal(play_recorded(&counting_game, 8, false).status, BKS_ERR_GAME);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(record.bytes, record.count, NULL, &replay, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    assert_true(info->is_complete);
    assert_int_equal(info->ticks, 101);
    bks_replay_event event = {0};
    assert_int_equal(bks_replay_event_at(replay, info->event_count - 1, &event), BKS_OK);
    assert_int_equal(event.a, BKS_CLOSED_FAILED);
    assert_says(event.text, "sync test: tick 100: wind[2]");
    bks_replay_close(replay);
}

static void assert_refused(const bks_peer_config *config, const char *says)
{
    bks_peer *peer = NULL;
    bks_error error = {0};
    assert_int_equal(bks_peer_create(config, &peer, &error), BKS_ERR_BAD_CONFIG);
    assert_null(peer);
    assert_string_equal(error.field, "sync_test_ticks");
    assert_says(error.text, says);
}

static void too_many_ticks_and_other_peers_are_refused(void **context)
{
    (void)context;
    bks_peer_config config = alone(&some_game, BKS_SYNC_TEST_TICKS_MAX + 1);
    assert_refused(&config, "sync_test_ticks is 61, must be 0..60");
    config.sync_test_ticks = UINT32_MAX;
    assert_refused(&config, "sync_test_ticks is 4294967295, must be 0..60");
    config.sync_test_ticks = 8;
    config.session.local_players = 1;
    assert_refused(&config, "sync_test_ticks is 8 and 1 of 2 players are on this machine");
    config.session.is_host = false;
    config.session.host = net_address(0);
    assert_refused(&config, "0 of 2 players");
    bks_sync_difference found;
    assert_false(bks_peer_sync_difference(NULL, &found));
}

static void without_memory_it_is_refused_and_nothing_is_kept(void **context)
{
    (void)context;
    bks_status status = BKS_ERR_OUT_OF_MEMORY;
    for (uint32_t allocs = 0; status == BKS_ERR_OUT_OF_MEMORY; allocs++) {
        counter = (counting_allocator){.fail_after = allocs};
        bks_peer_config config = alone(&some_game, 8);
        config.session.allocator = counting_allocator_hooks(&counter);
        bks_peer *peer = NULL;
        status = bks_peer_create(&config, &peer, NULL);
        bks_peer_destroy(peer);
        assert_int_equal(counter.live_bytes, 0);
        assert_false(counter.is_wrong);
    }
    assert_int_equal(status, BKS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_game_plays_on_and_comes_to_the_same),
        cmocka_unit_test(every_tick_of_a_game_with_save_and_load_is_stepped_so_often_again),
        cmocka_unit_test(without_a_map_the_event_still_says_all_of_it),
        cmocka_unit_test(a_static_variable_is_named_at_its_first_tick),
        cmocka_unit_test(what_only_a_longer_way_back_shows_is_found_by_it),
        cmocka_unit_test(an_item_of_a_pool_is_named_without_a_map),
        cmocka_unit_test(a_save_that_misses_a_field_is_stopped_where_the_field_matters),
        cmocka_unit_test(where_all_that_is_saved_is_the_same_the_hash_is_named),
        cmocka_unit_test(a_step_that_fails_the_second_time_is_reported),
        cmocka_unit_test(a_game_that_cannot_load_is_stopped_with_its_reason),
        cmocka_unit_test(a_question_is_answered_once_however_often_its_tick_is_stepped),
        cmocka_unit_test_teardown(the_recording_is_that_of_a_match_without_the_test, forget_record),
        cmocka_unit_test_teardown(the_recording_of_a_match_that_was_stopped_says_why,
                                  forget_record),
        cmocka_unit_test(too_many_ticks_and_other_peers_are_refused),
        cmocka_unit_test(without_memory_it_is_refused_and_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
