// SPDX-License-Identifier: MIT

// Games whose states cannot be put right with another peer's bytes, and some whose can.

#include "peer/repairable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backstitch/match.h"
#include "backstitch/toolkit/peer.h"
#include "game/some_game.h"
#include "support/catch_log.h"
#include "support/says.h"

static bks_status create(const bks_game *game, bks_on_desync on_desync, bool is_host,
                         bks_error *error)
{
    bks_peer_config config = bks_peer_config_default();
    bks_peer *peer = NULL;
    config.game = game;
    config.session.is_host = is_host;
    config.session.host.length = is_host ? 0 : 6;
    config.session.key[0] = config.session.identity[0] = config.session.entropy[0] = 1;
    config.session.tuning.on_desync = on_desync;
    const bks_status status = bks_peer_create(&config, &peer, error);
    assert_int_equal(peer != NULL, status == BKS_OK);
    bks_peer_destroy(peer);
    return status;
}

/// Refused for resync alone, in one sentence that names the game.
static void assert_refuses_from(int first, const bks_game *game, const char *says)
{
    bks_error error = {0};
    assert_int_equal(create(game, BKS_ON_DESYNC_REPORT, true, NULL), BKS_OK);
    assert_int_equal(create(game, BKS_ON_DESYNC_STOP, true, NULL), BKS_OK);
    for (int is_host = first; is_host < 2; is_host++) {
        assert_int_equal(create(game, BKS_ON_DESYNC_RESYNC, is_host != 0, &error),
                         BKS_ERR_BAD_CONFIG);
        assert_string_equal(error.field, "tuning.on_desync");
        assert_says(error.text, game->name);
        assert_says(error.text, "on_desync is resync");
        assert_says(error.text, says);
        assert_null(strchr(error.text, '\n'));
        assert_in_range(strlen(error.text), 60, sizeof(error.text) - 2);
    }
}

static void assert_refused(const bks_game *game, const char *says)
{
    assert_refuses_from(0, game, says);
}

static void taken(const bks_game *game)
{
    bks_error error = {0};
    if (create(game, BKS_ON_DESYNC_RESYNC, true, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
}

static void games_that_can_be_repaired_are_taken(void **state)
{
    (void)state;
    taken(&some_game);
    taken(&own_game);
}

static void add_all(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(some_state));
}

static void a_game_that_declares_raw_pointers_is_refused(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.pointers = true;
    game.hash = add_all;
    assert_refused(&game, "holds raw pointers");
}

typedef struct pointing_state {
    void *first;
    uint32_t number;
} pointing_state;

static void init_pointing(void *state, const bks_start *start)
{
    (void)start;
    pointing_state *pointing = state;
    pointing->first = &pointing->number;
}

static void step_pointing(void *state, const bks_step *step)
{
    (void)step;
    *(uint32_t *)((pointing_state *)state)->first += 1;
}

static void a_game_with_an_address_of_its_region_in_it_is_refused(void **state)
{
    (void)state;
    const bks_game game = {.name = "pointing",
                           .tick_rate_hz = 60,
                           .players_max = 2,
                           .fields = some_fields,
                           .field_count = 2,
                           .state_bytes = sizeof(pointing_state),
                           .init = init_pointing,
                           .step = step_pointing};
    if (sizeof(void *) < sizeof(uint64_t)) {
        skip(); // no address is known from a number there
    }
    assert_refuses_from(1, &game, "holds raw pointers"); // a guest makes its state later
}

// ---- games with a state of their own ----

static int64_t added; ///< to what is loaded
static size_t more;   ///< bytes of a second save
static uint32_t saves;

static bool load_other(void *state, const void *bytes, size_t count)
{
    const bool is_loaded = own_load(state, bytes, count);
    ((own_state *)state)->sum += added;
    return is_loaded;
}

static size_t save_longer(const void *state, void *bytes, size_t capacity)
{
    const size_t count = own_save(state, bytes, capacity);
    const size_t longer = saves++ % 2 * more;
    memset((uint8_t *)bytes + count, '0', longer);
    return count + longer;
}

static bool load_nothing(void *state, const void *bytes, size_t count)
{
    (void)state;
    (void)bytes;
    (void)count;
    return false;
}

static size_t save_nothing(const void *state, void *bytes, size_t capacity)
{
    (void)state;
    (void)bytes;
    (void)capacity;
    return 0;
}

static void a_game_that_saves_other_bytes_than_it_loaded_is_refused(void **state)
{
    (void)state;
    bks_game game = own_game;
    game.load = load_other;
    added = 1;
    assert_refused(&game, "from byte 0 of 1 on");
    added = 0;
    taken(&game);
    game = own_game;
    game.save = save_longer;
    more = 1;
    saves = 0;
    assert_refused(&game, "from byte 1 of 1 on");
}

static void a_game_that_cannot_load_or_save_is_refused(void **state)
{
    (void)state;
    bks_game game = own_game;
    game.load = load_nothing;
    assert_refused(&game, "cannot load what it saves");
    game = own_game;
    game.save = save_nothing;
    assert_refused(&game, "cannot save its first state");
}

static void init_nothing(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void a_game_whose_states_are_too_large_to_be_kept_is_refused(void **state)
{
    (void)state;
    bks_game game = own_game;
    game.save_bytes_max = (4 << 20) + 1;
    assert_refused(&game, "may take 4194305 bytes, must be at most");
    game.save_bytes_max = 4 << 20;
    taken(&game);
    game = some_game;
    game.state_bytes = 5 << 20; // with hashes of its pages
    game.init = init_nothing;
    game.configure = NULL;
    game.options = NULL;
    game.option_count = 0;
    taken(&game);
    game.hash = add_all;
    assert_refused(&game, "or 4 MiB with a hash of its own");
}

/// A guest finds out once it knows the host's policy.
static void a_guest_that_keeps_nothing_is_refused(void **state)
{
    (void)state;
    bks_error error = {0};
    bksi_runner *runner = NULL;
    const bksi_runner_config config = {.game = &own_game, .players = 2, .tick_rate_hz = 60};
    assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_OK);
    assert_int_equal(bksi_repairable_check(runner, 0, &(bks_allocator){0}, &error),
                     BKS_ERR_BAD_CONFIG);
    assert_string_equal(
        error.text, "tuning.keep_ticks is 0, must be 1..256, as the host's on_desync is resync");
    bksi_runner_destroy(runner);
}

static void a_match_says_it_at_open(void **state)
{
    (void)state;
    bks_error error = {0};
    bks_match_config config = bks_match_config_default();
    bks_match *match = NULL;
    bks_game game = own_game;
    game.load = load_other;
    added = 1;
    config.game = &game;
    config.local_players = 2;
    config.players = 2;
    config.tuning.on_desync = BKS_ON_DESYNC_RESYNC;
    assert_int_equal(bks_match_open(&config, &match, &error), BKS_ERR_BAD_CONFIG);
    assert_null(match);
    assert_says(error.text, "saves other bytes than it has loaded");
}

static void *no_memory(void *context, size_t bytes, size_t alignment)
{
    (void)context;
    (void)bytes;
    (void)alignment;
    return NULL;
}

static void give_nothing_back(void *context, void *memory, size_t bytes)
{
    (void)context;
    (void)memory;
    (void)bytes;
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    const bksi_runner_config config = {
        .game = &own_game, .players = 2, .tick_rate_hz = 60, .kept_slots = 64};
    const bks_allocator none = {.alloc = no_memory, .release = give_nothing_back};
    bksi_runner *runner = NULL;
    assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_OK);
    assert_int_equal(bksi_repairable_check(runner, 64, &none, NULL), BKS_ERR_OUT_OF_MEMORY);
    bksi_runner_destroy(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_that_can_be_repaired_are_taken),
        cmocka_unit_test(a_game_that_declares_raw_pointers_is_refused),
        cmocka_unit_test(a_game_with_an_address_of_its_region_in_it_is_refused),
        cmocka_unit_test(a_game_that_saves_other_bytes_than_it_loaded_is_refused),
        cmocka_unit_test(a_game_that_cannot_load_or_save_is_refused),
        cmocka_unit_test(a_game_whose_states_are_too_large_to_be_kept_is_refused),
        cmocka_unit_test(a_guest_that_keeps_nothing_is_refused),
        cmocka_unit_test(a_match_says_it_at_open),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
