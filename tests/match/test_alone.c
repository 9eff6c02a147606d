// SPDX-License-Identifier: MIT
//
// Matches whose players are all on this machine, and recordings played in place of devices.

#define _POSIX_C_SOURCE 200809L // mkdtemp, fork, truncate

#include "backstitch/match.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "backstitch/det.h"
#include "match/some_match.h"
#include "support/counting_allocator.h"

#define TICKS 300

static char folder[] = "/tmp/bks-alone-XXXXXX";
static char first_path[64];
static char second_path[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(first_path, sizeof(first_path), "%s/first.bks", folder);
    snprintf(second_path, sizeof(second_path), "%s/second.bks", folder);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink(first_path);
    unlink(second_path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

// The game of all tests, which also asks at every seventh tick, and does wrong what `wrong_tick`
// and its kin say.
static bks_tick crash_tick = BKS_TICK_NONE;
static bks_tick wrong_tick = BKS_TICK_NONE;

static void asking_step(void *state, const bks_step *step)
{
    some_state *some = state;
    int32_t answer = -1;
    if (step->tick == crash_tick) {
        abort();
    }
    some_game.step(state, step);
    if (step->tick % 7 == 0) {
        (void)bks_ask(step, 5, &answer, sizeof(answer));
    }
    some->mixed += (uint64_t)answer + (step->tick == wrong_tick ? 1 : 0);
}

/// Wrong once it was stepped before.
static void shaking_step(void *state, const bks_step *step)
{
    static uint32_t steps;
    asking_step(state, step);
    ((some_state *)state)->mixed += step->tick == 123 ? steps++ : 0;
}

static uint32_t answers;

static size_t count_up(void *context, bks_tick tick, uint32_t question, void *out)
{
    (void)context;
    (void)tick;
    assert_int_equal(question, 5);
    const int32_t now = 1000 + (int32_t)answers++;
    memcpy(out, &now, sizeof(now));
    return sizeof(now);
}

static bks_game asking_game(void)
{
    bks_game game = some_game;
    game.step = asking_step;
    return game;
}

// One player, on this machine, as fast as it goes.
static bks_match_config alone(const bks_game *game)
{
    bks_match_config config = some_config();
    config.game = game;
    config.players = 1;
    config.tick_per_update = true;
    config.ticks = TICKS;
    config.answer = count_up;
    answers = 0;
    return config;
}

static const some_state *state_of(bks_match *match)
{
    return bks_match_state(match);
}

static bks_tick tick_of(bks_match *match)
{
    return bks_session_tick(bks_peer_session(bks_match_peer(match)));
}

// Play to the end, with an input that differs from tick to tick where inputs are by hand.
static bks_status play_through(bks_match *match)
{
    bks_status status = BKS_OK;
    for (int32_t i = 0; status == BKS_OK; i++) {
        assert_true(i < 10 * TICKS);
        const some_input input = {.x = i % 13 - 6, .y = i / 3 % 2};
        assert_int_equal(bks_match_input(match, 0, &input), BKS_OK);
        assert_int_equal(bks_match_wait(match), BKS_OK);
        status = bks_match_update(match);
    }
    return status;
}

// Play and record at first_path; what it comes to.
static some_state record_first(const bks_game *game)
{
    bks_match_config config = alone(game);
    config.record = true;
    config.record_path = first_path;
    bks_match *match = some_open(&config);
    assert_int_equal(play_through(match), BKS_OVER);
    const some_state end = *state_of(match);
    bks_match_close(match);
    return end;
}

static bks_match_config playing(const bks_game *game)
{
    bks_match_config config = alone(game);
    config.ticks = 0;
    config.play_path = first_path;
    config.record = true; // the default
    return config;
}

static void alone_there_is_no_invitation(void **state)
{
    (void)state;
    bks_match_config config = alone(&some_game);
    config.answer = NULL;
    config.bind_address = "nowhere"; // not looked at: no socket is opened
    bks_match *match = some_open(&config);
    assert_string_equal(bks_match_invitation(match), "");
    bks_match_close(match);
    config.players = 2;
    config.tick_per_update = false;
    bks_error error = {0};
    assert_int_equal(bks_match_open(&config, &match, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "bind_address");
    config.local_players = 2;
    match = some_open(&config);
    assert_string_equal(bks_match_invitation(match), "");
    bks_match_close(match);
}

static void an_update_is_a_tick_with_the_input_just_set(void **state)
{
    (void)state;
    bks_match_config config = alone(&some_game);
    config.answer = NULL;
    bks_match *match = some_open(&config);
    for (int32_t i = 0; i < TICKS; i++) {
        const some_input input = {.x = i % 13 - 6, .y = 0};
        assert_int_equal(bks_match_input(match, 0, &input), BKS_OK);
        assert_int_equal(bks_match_update(match), BKS_OK);
        assert_int_equal(tick_of(match), i + 1);
        assert_int_equal(state_of(match)->pushed[0], input.x);
    }
    assert_int_equal(bks_match_update(match), BKS_OVER);
    assert_int_equal(tick_of(match), TICKS);
    // Nothing is kept to go back to.
    assert_int_equal(bks_session_slots(bks_peer_session(bks_match_peer(match))), 0);
    bks_match_close(match);
}

static void alone_by_the_clock_waits_for_each_tick(void **state)
{
    (void)state;
    bks_match_config config = alone(&some_game);
    config.answer = NULL;
    config.tick_per_update = false;
    config.ticks = 50;
    bks_match *match = some_open(&config);
    const uint64_t begun_ns = some_clock_ns();
    assert_int_equal(play_through(match), BKS_OVER);
    // The first tick is due at once, the others 2 ms apart: it can only take longer.
    assert_true(some_clock_ns() - begun_ns >= 49 * 2 * SOME_MS);
    assert_int_equal(tick_of(match), 50);
    bks_match_close(match);
}

/// Step as asking_step() does, then mix the commands into the state.
static void commanded_step(void *state, const bks_step *step)
{
    some_state *some = state;
    asking_step(state, step);
    bks_command command = {0};
    while (bks_step_command(step, &command)) {
        some->mixed = some->mixed * 31 + bks_hash64(command.bytes, command.count, command.index);
    }
}

/// Every 20 updates, give a local player more commands than there is room for.
/// @return the number of commands that were refused
static uint32_t give_commands(bks_match *match, int32_t update)
{
    static const uint8_t bytes[64] = {1, 2, 3};
    uint32_t refused = 0;
    for (int32_t i = 0; update % 20 == 0 && i < 40; i++) {
        const bks_status status = bks_match_command(match, 0, bytes, (size_t)(update + i) % 64 + 1);
        assert_true(status == BKS_OK || status == BKS_ERR_FULL);
        refused += status == BKS_ERR_FULL;
    }
    return refused;
}

static void a_recording_is_played_with_its_commands(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.step = commanded_step;
    game.command_bytes_max = 64;
    game.command_room_bytes = 500; // small, so that commands span ticks
    bks_match_config config = alone(&game);
    config.record = true;
    config.record_path = first_path;
    bks_match *match = some_open(&config);
    uint32_t refused = 0;
    bks_status status = BKS_OK;
    for (int32_t i = 0; status == BKS_OK; i++) {
        refused += give_commands(match, i);
        status = bks_match_update(match);
    }
    assert_int_equal(status, BKS_OVER);
    assert_true(refused > 20);
    const some_state end = *state_of(match);
    bks_match_close(match);
    config = playing(&game);
    config.record = false;
    match = some_open(&config);
    assert_int_equal(play_through(match), BKS_OVER); // every hash is as recorded
    assert_true(state_of(match)->mixed == end.mixed);
    bks_match_close(match);
}

static void do_nothing(void *work, uint32_t job)
{
    (void)work;
    (void)job;
}

static void working_step(void *state, const bks_step *step)
{
    some_game.step(state, step);
    assert_int_equal(bks_jobs_run(bks_step_workers(step), 3, do_nothing, NULL), BKS_OK);
}

static void count_jobs(void *context, uint32_t jobs, void (*job)(void *work, uint32_t number),
                       void *work)
{
    for (uint32_t number = 0; number < jobs; number++) {
        job(work, number);
        ++*(uint32_t *)context;
    }
}

static void workers_of_the_match_do_the_jobs_of_its_steps(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.step = working_step;
    uint32_t done = 0;
    bks_workers workers = {.run = count_jobs, .context = &done};
    bks_match_config config = alone(&game);
    config.answer = NULL;
    config.workers = &workers;
    bks_match *match = some_open(&config);
    workers.run = NULL; // it was copied
    assert_int_equal(play_through(match), BKS_OVER);
    bks_match_close(match);
    assert_int_equal(done, 3 * TICKS);
}

static void a_recording_plays_the_same(void **state)
{
    (void)state;
    const bks_game game = asking_game();
    const some_state end = record_first(&game);
    assert_int_equal(answers, (TICKS + 6) / 7);

    bks_match_config config = playing(&game);
    bks_match *match = some_open(&config);
    assert_string_equal(bks_match_record_path(match), "");
    assert_int_equal(play_through(match), BKS_OVER);
    assert_int_equal(answers, 0); // the recording answered
    assert_int_equal(tick_of(match), TICKS);
    assert_memory_equal(state_of(match), &end, sizeof(end));
    bks_match_close(match);

    config.ticks = 100;
    match = some_open(&config);
    assert_int_equal(play_through(match), BKS_OVER);
    assert_int_equal(tick_of(match), 100);
    bks_match_close(match);
}

static void a_state_that_differs_from_the_recording_is_reported_at_its_tick(void **state)
{
    (void)state;
    const bks_game game = asking_game();
    (void)record_first(&game);
    bks_match_config config = playing(&game);
    bks_match *match = some_open(&config);
    wrong_tick = 123;
    const bks_status status = play_through(match);
    wrong_tick = BKS_TICK_NONE;
    assert_int_equal(status, BKS_ERR_DESYNC);
    assert_int_equal(tick_of(match), TICKS); // played to its end all the same
    bks_event event;
    assert_true(some_event(match, BKS_EVENT_DESYNC, &event));
    assert_int_equal(event.tick, 124);
    assert_int_equal(event.found_tick, 124);
    assert_true(event.own_hash != event.peer_hash);
    assert_false(some_event(match, BKS_EVENT_DESYNC, &event));
    bks_match_close(match);
}

static void a_played_recording_can_be_recorded_again(void **state)
{
    (void)state;
    const bks_game game = asking_game();
    const some_state end = record_first(&game);
    bks_match_config config = playing(&game);
    config.record_path = second_path;
    bks_match *match = some_open(&config);
    assert_int_equal(play_through(match), BKS_OVER);
    bks_match_close(match);
    config.play_path = second_path;
    config.record_path = NULL;
    match = some_open(&config);
    assert_int_equal(play_through(match), BKS_OVER);
    assert_memory_equal(state_of(match), &end, sizeof(end));
    bks_match_close(match);
}

static void a_crash_is_reached_again_at_its_tick(void **state)
{
    (void)state;
    const bks_game game = asking_game();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &no_core);
        (void)signal(SIGABRT, SIG_DFL);
        crash_tick = 77;
        (void)record_first(&game);
        _exit(0);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT);

    bks_match_config config = playing(&game);
    bks_match *match = some_open(&config);
    assert_int_equal(play_through(match), BKS_OVER);
    assert_int_equal(tick_of(match), 78); // the tick that crashed is the last
    bks_match_close(match);
}

static void a_recording_of_a_match_gone_on_with_plays_from_its_first_tick(void **state)
{
    (void)state;
    const bks_game game = asking_game();
    some_state begun = {.mixed = 99, .sum = {7, 0}};
    bks_match_config config = alone(&game);
    config.start_state = &begun;
    config.start_state_bytes = sizeof(begun);
    config.start_tick = 1000;
    config.record = true;
    config.record_path = first_path;
    bks_match *match = some_open(&config);
    assert_int_equal(play_through(match), BKS_OVER);
    const some_state end = *state_of(match);
    bks_match_close(match);

    config = playing(&game);
    match = some_open(&config);
    wrong_tick = 1000 + TICKS - 10;
    const bks_status status = play_through(match);
    wrong_tick = BKS_TICK_NONE;
    assert_int_equal(status, BKS_ERR_DESYNC);
    bks_event event;
    assert_true(some_event(match, BKS_EVENT_DESYNC, &event));
    assert_int_equal(event.tick, 1000 + TICKS - 9);
    bks_match_close(match);

    match = some_open(&config);
    assert_int_equal(play_through(match), BKS_OVER);
    assert_memory_equal(state_of(match), &end, sizeof(end));
    bks_match_close(match);
}

static void a_match_of_two_machines_plays_on_one(void **state)
{
    (void)state;
    bks_match_config host_config = some_config();
    bks_match_config guest_config = some_config();
    host_config.ticks = TICKS;
    host_config.record = true;
    host_config.record_path = first_path;
    bks_match *host = some_open(&host_config);
    guest_config.invitation = bks_match_invitation(host);
    bks_match *guest = some_open(&guest_config);
    const some_input push[2] = {{.x = 3, .y = 1}, {.x = -2, .y = 0}};
    assert_int_equal(bks_match_input(host, 0, &push[0]), BKS_OK);
    assert_int_equal(bks_match_input(guest, 0, &push[1]), BKS_OK);
    bks_status status_host;
    bks_status status_guest;
    some_play(host, guest, 20000, &status_host, &status_guest);
    assert_int_equal(status_host, BKS_OVER);
    const some_state end = *state_of(host);
    bks_match_close(guest);
    bks_match_close(host);

    bks_match_config config = playing(&some_game);
    bks_match *match = some_open(&config);
    assert_int_equal(play_through(match), BKS_OVER);
    assert_int_equal(tick_of(match), TICKS);
    assert_memory_equal(state_of(match), &end, sizeof(end));
    assert_true(end.sum[0] != 0 && end.sum[1] != 0);
    bks_match_close(match);
}

static void assert_refused(const bks_match_config *config, bks_status wanted, const char *field,
                           const char *text)
{
    bks_match *match = NULL;
    bks_error error = {0};
    assert_int_equal(bks_match_open(config, &match, &error), wanted);
    assert_null(match);
    if (strcmp(error.field, field) != 0 || strstr(error.text, text) == NULL) {
        fail_msg("'%s': '%s' is not '%s': '… %s …'", error.field, error.text, field, text);
    }
}

static void an_unplayable_recording_is_refused(void **state)
{
    (void)state;
    const bks_game game = asking_game();
    (void)record_first(&game);
    bks_match_config config = playing(&game);
    config.play_path = "/nowhere/at.all";
    assert_refused(&config, BKS_ERR_IO, "play_path", "cannot read '/nowhere/at.all'");
    config.play_path = "/tmp";
    assert_refused(&config, BKS_ERR_IO, "play_path", "cannot read '/tmp'");
    config = playing(&game);
    config.invitation = "bks://127.0.0.1:7777/#xyz";
    assert_refused(&config, BKS_ERR_BAD_CONFIG, "play_path", "must be one of them");
    config = playing(&game);
    config.record_path = first_path;
    assert_refused(&config, BKS_ERR_BAD_CONFIG, "record_path", first_path);
    config = playing(&some_later_game);
    assert_refused(&config, BKS_ERR_UNSUPPORTED, "version", "3 in the replay, 4 in the game");

    config = playing(&game);
    assert_int_equal(truncate(first_path, 4), 0);
    assert_refused(&config, BKS_ERR_INCOMPLETE, "play_path", first_path);
    assert_int_equal(truncate(first_path, 0), 0);
    assert_refused(&config, BKS_ERR_INCOMPLETE, "play_path", first_path);

    config = alone(&game);
    config.players = 2;
    assert_refused(&config, BKS_ERR_BAD_CONFIG, "tick_per_update", "must be local");
}

static void a_sync_test_stops_the_match_and_its_playback(void **state)
{
    (void)state;
    bks_game game = asking_game();
    const some_state end = record_first(&game);
    bks_match_config config = playing(&game);
    config.sync_test_ticks = 8;
    bks_match *match = some_open(&config);
    assert_int_equal(play_through(match), BKS_OVER);
    assert_memory_equal(state_of(match), &end, sizeof(end));
    bks_match_close(match);

    game.step = shaking_step;
    config = alone(&game);
    config.sync_test_ticks = 8;
    for (int i = 0; i < 2; i++) {
        match = some_open(&config);
        assert_int_equal(play_through(match), BKS_ERR_GAME);
        bks_event event;
        assert_true(some_event(match, BKS_EVENT_FAILED, &event));
        assert_int_equal(event.tick, 123);
        bks_sync_difference found;
        assert_true(bks_peer_sync_difference(bks_match_peer(match), &found));
        assert_int_equal(found.tick, 123);
        assert_int_equal(found.place.begin_bytes / sizeof(uint64_t), 0); // some_state.mixed
        bks_match_close(match);
        config = playing(&game);
        config.sync_test_ticks = 8;
    }
}

static void a_sync_test_is_refused_where_others_may_join(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    config.sync_test_ticks = 61;
    config.local_players = 2;
    assert_refused(&config, BKS_ERR_BAD_CONFIG, "sync_test_ticks", "is 61, must be 0..60");
    config.sync_test_ticks = 8;
    config.local_players = 1;
    assert_refused(&config, BKS_ERR_BAD_CONFIG, "sync_test_ticks", "is 8 and other peers may join");
    config.local_players = 2;
    config.invitation = "bks://127.0.0.1:7777/#xyz";
    assert_refused(&config, BKS_ERR_BAD_CONFIG, "sync_test_ticks", "must be 0 then");
}

static void without_memory_it_is_refused_and_nothing_is_kept(void **state)
{
    (void)state;
    const bks_game game = asking_game();
    (void)record_first(&game);
    for (uint32_t allocs = 0;; allocs++) {
        counting_allocator counter;
        bks_match_config config = playing(&game);
        config.allocator = counting_allocator_hooks(&counter);
        counter.fail_after = allocs;
        bks_match *match = NULL;
        const bks_status status = bks_match_open(&config, &match, NULL);
        if (status == BKS_OK) {
            counter.fail_after = UINT32_MAX;
            assert_int_equal(play_through(match), BKS_OVER);
        }
        bks_match_close(match);
        assert_int_equal(counter.live_bytes, 0);
        assert_false(counter.is_wrong);
        if (status == BKS_OK) {
            assert_true(allocs > 5);
            return;
        }
        assert_int_equal(status, BKS_ERR_OUT_OF_MEMORY);
    }
}

/// By the clock, so what a picture shows depends on it, but not that it fits what there is.
static void pictures_lie_between_the_two_newest_ticks(void **state)
{
    (void)state;
    const bks_game game = asking_game();
    bks_match_config config = alone(&game);
    config.tick_per_update = false;
    config.record = false;
    config.pictures = BKS_PICTURES_INTERPOLATE;
    bks_match *match = some_open(&config);
    uint64_t newest_ns = bks_match_now();
    for (uint32_t i = 0; tick_of(match) < 30; i++) {
        const some_input input = {.x = 1};
        bks_frame frame;
        assert_true(i < 100000);
        assert_int_equal(bks_match_input(match, 0, &input), BKS_OK);
        assert_int_equal(bks_match_update(match), BKS_OK);
        assert_true(bks_match_now() >= newest_ns);
        newest_ns = bks_match_now();
        assert_int_equal(bks_match_frame(match, newest_ns, &frame), BKS_OK);
        assert_ptr_equal(frame.state, bks_match_state(match));
        assert_true(frame.share >= 0.0f && frame.share <= 1.0f);
        const some_state *before = frame.before;
        assert_int_equal(state_of(match)->sum[0] - before->sum[0], frame.before != frame.state);
        assert_int_equal(bks_match_wait(match), BKS_OK);
    }
    bks_match_close(match);
}

static void pictures_between_ticks_are_refused_where_every_picture_is_a_tick(void **state)
{
    (void)state;
    const bks_game game = asking_game();
    bks_match_config config = alone(&game);
    config.pictures = BKS_PICTURES_INTERPOLATE;
    bks_match *match = NULL;
    bks_error error = {0};
    assert_int_equal(bks_match_open(&config, &match, &error), BKS_ERR_BAD_CONFIG);
    assert_null(match);
    assert_string_equal(error.field, "pictures");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(alone_there_is_no_invitation, remove_files),
        cmocka_unit_test_teardown(an_update_is_a_tick_with_the_input_just_set, remove_files),
        cmocka_unit_test_teardown(alone_by_the_clock_waits_for_each_tick, remove_files),
        cmocka_unit_test_teardown(a_recording_is_played_with_its_commands, remove_files),
        cmocka_unit_test_teardown(workers_of_the_match_do_the_jobs_of_its_steps, remove_files),
        cmocka_unit_test_teardown(a_recording_plays_the_same, remove_files),
        cmocka_unit_test_teardown(a_state_that_differs_from_the_recording_is_reported_at_its_tick,
                                  remove_files),
        cmocka_unit_test_teardown(a_played_recording_can_be_recorded_again, remove_files),
        cmocka_unit_test_teardown(a_crash_is_reached_again_at_its_tick, remove_files),
        cmocka_unit_test_teardown(a_recording_of_a_match_gone_on_with_plays_from_its_first_tick,
                                  remove_files),
        cmocka_unit_test_teardown(a_match_of_two_machines_plays_on_one, remove_files),
        cmocka_unit_test_teardown(an_unplayable_recording_is_refused, remove_files),
        cmocka_unit_test_teardown(a_sync_test_stops_the_match_and_its_playback, remove_files),
        cmocka_unit_test(a_sync_test_is_refused_where_others_may_join),
        cmocka_unit_test(pictures_lie_between_the_two_newest_ticks),
        cmocka_unit_test(pictures_between_ticks_are_refused_where_every_picture_is_a_tick),
        cmocka_unit_test_teardown(without_memory_it_is_refused_and_nothing_is_kept, remove_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
