// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "game/some_game.h"
#include "peer/peer_config.h"
#include "support/says.h"

static bks_peer_config some_host(void)
{
    bks_peer_config config = bks_peer_config_default();
    config.game = &some_game;
    config.session.is_host = true;
    config.session.key[0] = config.session.identity[0] = config.session.entropy[0] = 1;
    return config;
}

static void assert_taken(const bks_peer_config *config)
{
    bks_error error = {0};
    if (bksi_peer_config_check(config, "test", &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
}

/// Refused by the check, and by a create that asks it.
static void assert_refused(const bks_peer_config *config, const char *field, const char *says)
{
    bks_error error = {0};
    bks_peer *peer = NULL;
    assert_int_equal(bksi_peer_config_check(config, "test", &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, field);
    assert_says(error.text, says);
    assert_int_equal(bks_peer_create(config, &peer, &error), BKS_ERR_BAD_CONFIG);
    assert_null(peer);
    assert_string_equal(error.field, field);
}

static void defaults_and_the_ends_of_every_range_are_taken(void **state)
{
    (void)state;
    static const char longest[] =
        "a build's name that has 63 bytes, which is the most there can be.";
    assert_int_equal(sizeof(longest) - 3, 63);
    bks_peer_config config = some_host();
    assert_taken(&config);
    config.build = longest + 2;
    config.start_state = "state", config.start_state_bytes = 5;
    config.start_tick = BKS_FIRST_TICK_MAX;
    config.session.ticks = INT32_MAX - BKS_FIRST_TICK_MAX;
    config.has_options = true;
    memset(config.options.text[0], 'x', BKS_OPTION_VALUE_BYTES - 1);
    config.record_detail = (bks_replay_detail){.hash_bits = 64, .chunk_ticks = 1024};
    assert_taken(&config);
    config.session.is_host = false, config.session.ticks = INT32_MAX; // the host says how many
    assert_taken(&config);
}

static void a_start_tick_needs_a_state_and_room_for_all_ticks(void **state)
{
    (void)state;
    bks_peer_config config = some_host();
    config.start_tick = 1;
    assert_refused(&config, "start_tick", "is 1, must be 0..0 without start_state");
    config.start_state = "state", config.start_state_bytes = 5, config.start_tick = 0;
    // A recording from tick 0 on is played and verified from init on, which makes another state.
    assert_refused(&config, "start_tick", "is 0, must be 1..1073741823 with start_state");
    config.start_tick = BKS_FIRST_TICK_MAX;
    config.session.ticks = INT32_MAX - BKS_FIRST_TICK_MAX + 1;
    assert_refused(&config, "ticks", "must be 0..1073741824 with start_tick 1073741823");
}

static void a_start_state_has_bytes_and_no_raw_pointers(void **state)
{
    (void)state;
    bks_peer_config config = some_host();
    config.start_state_bytes = 5;
    assert_refused(&config, "start_state_bytes", "is 5, must be 0 without start_state");
    config.start_state = "state", config.start_state_bytes = 0;
    assert_refused(&config, "start_state_bytes", "is 0, must be the size of start_state");
    bks_game pointing = some_game;
    pointing.pointers = true;
    pointing.hash = own_game.hash;
    config.game = &pointing, config.start_state_bytes = 5;
    assert_refused(&config, "start_state", "must be NULL");
}

static void a_build_that_a_recording_cannot_hold_is_refused(void **state)
{
    (void)state;
    char longer[65] = "";
    memset(longer, 'b', sizeof(longer) - 1);
    bks_peer_config config = some_host();
    config.build = longer;
    assert_refused(&config, "build", "must be 0..63 bytes of printable ASCII");
    config.build = "two\nlines";
    assert_refused(&config, "build", "build is \"two\"..., must be");
}

static void option_values_that_do_not_end_are_refused(void **state)
{
    (void)state;
    bks_peer_config config = some_host();
    memset(config.options.text[1], 'x', BKS_OPTION_VALUE_BYTES);
    assert_taken(&config); // not used
    config.has_options = true;
    assert_refused(&config, "options", "for lives, must be 0..63 bytes");
}

static void a_detail_that_no_recording_can_hold_is_refused(void **state)
{
    (void)state;
    bks_peer_config config = some_host();
    config.record_detail.chunk_ticks = 1025;
    assert_refused(&config, "record_detail.chunk_ticks", "is 1025, must be 0..1024");
}

static void give_back(void *context, void *memory, size_t bytes)
{
    (void)context, (void)memory, (void)bytes;
}

static void half_an_allocator_is_refused(void **state)
{
    (void)state;
    bks_peer_config config = some_host();
    config.session.allocator.context = &config;
    assert_taken(&config);
    config.session.allocator.release = give_back;
    assert_refused(&config, "allocator", "both or neither");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_and_the_ends_of_every_range_are_taken),
        cmocka_unit_test(a_start_tick_needs_a_state_and_room_for_all_ticks),
        cmocka_unit_test(a_start_state_has_bytes_and_no_raw_pointers),
        cmocka_unit_test(a_build_that_a_recording_cannot_hold_is_refused),
        cmocka_unit_test(option_values_that_do_not_end_are_refused),
        cmocka_unit_test(a_detail_that_no_recording_can_hold_is_refused),
        cmocka_unit_test(half_an_allocator_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
