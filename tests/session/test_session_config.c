// SPDX-License-Identifier: MIT

// Refusals of a session to its owner: configs, arguments, calls out of order. All of it in every
// build, with a status and a line in the log.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "session/toy_network.h"
#include "support/catch_log.h"
#include "support/says.h"

static catch_log caught;

static int begin(void **context)
{
    (void)context;
    catch_log_begin(&caught);
    return 0;
}

static int end(void **context)
{
    (void)context;
    bks_log_clear_sink();
    return 0;
}

/// A way to spoil a right config, and the error that must follow.
typedef struct spoiled {
    bool is_guest;
    void (*spoil)(bks_session_config *config);
    const char *field; ///< named in error.field and in the text
    const char *value; ///< the text says this
    const char *range; ///< this value too
} spoiled;

#define SPOIL(name, change)                      \
    static void name(bks_session_config *config) \
    {                                            \
        change;                                  \
    }

static const bks_field same_names[] = {{.name = "a", .bits = 1}, {.name = "a", .bits = 1}};
static const uint8_t some_setup[BKS_SETUP_BYTES_MAX + 1];
static const bks_field no_bits[] = {{.name = "move", .bits = 0}};

static void *one_hook(void *context, size_t bytes, size_t alignment)
{
    (void)context;
    (void)bytes;
    (void)alignment;
    return NULL;
}

SPOIL(no_name, config->game_name = NULL)
SPOIL(empty_name, config->game_name = "")
SPOIL(long_name, config->game_name = "a game whose name has 32 letters")
SPOIL(name_of_two_lines, config->game_name = "a\ngame")
SPOIL(no_fields, config->fields = NULL)
SPOIL(zero_fields, config->field_count = 0)
SPOIL(many_fields, config->field_count = BKS_FIELDS_MAX + 1)
SPOIL(twice_a_name, config->fields = same_names)
SPOIL(a_field_of_no_bits, config->fields = no_bits; config->field_count = 1)
SPOIL(rate_0, config->tick_rate_hz = 0)
SPOIL(rate_1001, config->tick_rate_hz = 1001)
SPOIL(local_0, config->local_players = 0)
SPOIL(local_17, config->local_players = 17)
SPOIL(host_seat, config->first_player = 1)
SPOIL(guest_seat_high, config->first_player = 16)
SPOIL(guest_seats_beyond_the_last, config->first_player = 15; config->local_players = 2)
SPOIL(unknown_arithmetic, config->arithmetic = 8)
SPOIL(no_host, config->host.length = 0)
SPOIL(long_host, config->host.length = 32)
SPOIL(few_players, config->players = 0)
SPOIL(fewer_players_than_local, config->local_players = 3)
SPOIL(many_players, config->players = 17)
SPOIL(no_setup, config->setup_bytes = 5)
SPOIL(long_setup, config->setup = some_setup; config->setup_bytes = 769)
SPOIL(negative_ticks, config->ticks = -1)
SPOIL(window_65, config->tuning.window_ticks = 65)
SPOIL(window_huge, config->tuning.window_ticks = UINT32_MAX)
SPOIL(delay_256, config->tuning.delay_ticks = 256)
SPOIL(pace_3, config->tuning.pace = (bks_pace)3)
SPOIL(save_4, config->tuning.save = (bks_save_policy)4)
SPOIL(hash_0, config->tuning.hash_every_ticks = 0)
SPOIL(budget_long, config->tuning.budget_us = 1000001)
SPOIL(hash_1001, config->tuning.hash_every_ticks = 1001)
SPOIL(on_desync_3, config->tuning.on_desync = (bks_on_desync)3)
SPOIL(keep_none, config->tuning.on_desync = BKS_ON_DESYNC_RESYNC; config->tuning.keep_ticks = 0)
SPOIL(notify_99, config->tuning.notify_after_ms = 99)
SPOIL(notify_60001, config->tuning.notify_after_ms = 60001; config->tuning.drop_after_ms = 600000)
SPOIL(drop_before_notify, config->tuning.notify_after_ms = 2000;
      config->tuning.drop_after_ms = 1999)
SPOIL(drop_600001, config->tuning.drop_after_ms = 600001)
SPOIL(half_allocator, config->allocator.alloc = one_hook)
SPOIL(no_key, memset(config->key, 0, BKS_KEY_BYTES))
SPOIL(no_identity, memset(config->identity, 0, BKS_KEY_BYTES))
SPOIL(no_entropy, memset(config->entropy, 0, BKS_KEY_BYTES))
SPOIL(no_cookie, config->cookie = 0)

static const spoiled all_spoiled[] = {
    {false, no_name, "game_name", "0", "1..31"},
    {false, empty_name, "game_name", "0", "1..31"},
    {false, long_name, "game_name", "32", "1..31"},
    {false, name_of_two_lines, "game_name", "0x0a", "printable"},
    {false, no_fields, "fields", "NULL", ""},
    {false, zero_fields, "field", "0", "1..64"},
    {false, many_fields, "field", "65", "1..64"},
    {false, twice_a_name, "name", "a", ""},
    {false, a_field_of_no_bits, "bits", "0", "1..3"},
    {false, rate_0, "tick_rate_hz", "is 0", "1..1000"},
    {false, rate_1001, "tick_rate_hz", "1001", "1..1000"},
    {false, local_0, "local_players", "is 0", "1..16"},
    {false, local_17, "local_players", "17", "1..16"},
    {false, host_seat, "first_player", "is 1", "0 or BKS_AUTO"},
    {true, guest_seat_high, "first_player", "16", "0..15 or BKS_AUTO"},
    {true, guest_seats_beyond_the_last, "first_player", "15", "0..14 or BKS_AUTO"},
    {false, unknown_arithmetic, "arithmetic", "is 8", "0..7"},
    {true, no_host, "host.length", "0", "1..31"},
    {true, long_host, "host.length", "32", "1..31"},
    {false, few_players, "players", "is 0", "1..16"},
    {false, fewer_players_than_local, "players", "is 2", "3..16"},
    {false, many_players, "players", "17", "1..16"},
    {false, no_setup, "setup", "NULL", "setup_bytes 5"},
    {false, long_setup, "setup_bytes", "769", "0..768"},
    {false, negative_ticks, "ticks", "-1", "0..2147483647"},
    {false, window_65, "tuning.window_ticks", "65", "0..64"},
    {true, window_huge, "tuning.window_ticks", "4294967295", "0..64"},
    {false, delay_256, "tuning.delay_ticks", "256", "0..255 or BKS_AUTO"},
    {false, pace_3, "tuning.pace", "3", "0..2"},
    {false, save_4, "tuning.save", "4", "0..3"},
    {false, hash_0, "tuning.hash_every_ticks", "is 0", "1..1000 or BKS_AUTO"},
    {false, budget_long, "tuning.budget_us", "1000001", "0..1000000 or BKS_AUTO"},
    {false, hash_1001, "tuning.hash_every_ticks", "1001", "1..1000 or BKS_AUTO"},
    {true, on_desync_3, "tuning.on_desync", "is 3", "0..2"},
    {true, keep_none, "tuning.keep_ticks", "is 0", "1..256 where on_desync is resync"},
    {false, notify_99, "tuning.notify_after_ms", "99", "100..60000"},
    {false, notify_60001, "tuning.notify_after_ms", "60001", "100..60000"},
    {false, drop_before_notify, "tuning.drop_after_ms", "1999", "2000..600000"},
    {true, no_key, "key", "all zero", "32 random bytes"},
    {true, no_identity, "identity", "all zero", "32 random bytes"},
    {false, no_entropy, "entropy", "all zero", "32 random bytes"},
    {false, drop_600001, "tuning.drop_after_ms", "600001", "1000..600000"},
    {false, half_allocator, "allocator", "one of alloc and release", "both or neither"},
    {true, no_cookie, "cookie", "bks_session_config_default", ""},
};

static void a_field_out_of_range_is_named_with_value_and_range(void **context)
{
    (void)context;
    for (size_t i = 0; i < sizeof(all_spoiled) / sizeof(all_spoiled[0]); i++) {
        const spoiled *wrong = &all_spoiled[i];
        bks_session_config config = toy_config(wrong->is_guest ? 1 : 0, 2);
        wrong->spoil(&config);
        bks_session *session = (bks_session *)&session;
        bks_error error = {0};
        caught.count = 0;
        assert_int_equal(bks_session_create(&config, &session, &error), BKS_ERR_BAD_CONFIG);
        assert_null(session);
        assert_int_equal(error.code, BKS_ERR_BAD_CONFIG);
        assert_non_null(error.field);
        assert_says(error.field, wrong->field);
        assert_says(error.text, wrong->field);
        assert_says(error.text, wrong->value);
        assert_says(error.text, wrong->range);
        assert_int_equal(caught.count, 1);
        assert_int_equal(caught.level, BKS_LOG_ERROR);
        assert_string_equal(caught.text, error.text);
        assert_int_equal(bks_session_create(&config, &session, NULL), BKS_ERR_BAD_CONFIG);
    }
}

SPOIL(most_of_all, config->game_name = "a game whose name has 31 bytes.";
      config->tick_rate_hz = 1000; config->local_players = 16; config->players = 16;
      config->setup = some_setup; config->setup_bytes = 768; config->ticks = INT32_MAX;
      config->tuning.window_ticks = 64; config->tuning.delay_ticks = 255;
      config->tuning.save = BKS_SAVE_AUTO; config->tuning.hash_every_ticks = 1000;
      config->tuning.notify_after_ms = 60000; config->tuning.drop_after_ms = 600000;
      config->tuning.on_desync = BKS_ON_DESYNC_RESYNC; config->first_player = 0)
SPOIL(least_of_all, config->game_name = "a"; config->field_count = 1; config->tick_rate_hz = 1;
      config->players = 1; config->ticks = 0; config->tuning.window_ticks = 0;
      config->tuning.delay_ticks = 0; config->tuning.save = BKS_SAVE_EVERY;
      config->tuning.hash_every_ticks = 1; config->tuning.notify_after_ms = 100;
      config->tuning.drop_after_ms = 100; config->first_player = BKS_AUTO)
SPOIL(last_seat, config->first_player = 15; config->host.length = 31)

static void the_ends_of_every_range_are_taken(void **context)
{
    (void)context;
    static const spoiled right[] = {{false, most_of_all, "", "", ""},
                                    {false, least_of_all, "", "", ""},
                                    {true, last_seat, "", "", ""}};
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        bks_session_config config = toy_config(right[i].is_guest ? 1 : 0, 2);
        right[i].spoil(&config);
        bks_session *session = NULL;
        bks_error error = {0};
        if (bks_session_create(&config, &session, &error) != BKS_OK) {
            fail_msg("%s", error.text);
        }
        bks_session_destroy(session);
    }
}

static void defaults_lack_only_what_is_required(void **context)
{
    (void)context;
    bks_session_config right = toy_config(0, 2);
    bks_session_config config = bks_session_config_default();
    bks_session *session = NULL;
    assert_int_equal(bks_session_create(&config, &session, NULL), BKS_ERR_BAD_CONFIG);
    config.game_name = "toy";
    config.fields = right.fields;
    config.field_count = right.field_count;
    config.is_host = true;
    config.key[0] = config.identity[0] = config.entropy[0] = 1;
    assert_int_equal(bks_session_create(&config, &session, NULL), BKS_OK);
    bks_session_destroy(session);
}

static void the_config_need_not_outlive_create(void **context)
{
    (void)context;
    bks_session_config *config = malloc(sizeof(*config));
    char *name = malloc(4);
    uint8_t *setup = malloc(3);
    assert_true(config != NULL && name != NULL && setup != NULL);
    memcpy(name, "toy", 4);
    memcpy(setup, "\1\2\3", 3);
    *config = toy_config(0, 1);
    config->game_name = name;
    config->setup = setup;
    config->setup_bytes = 3;
    bks_session *session = NULL;
    assert_int_equal(bks_session_create(config, &session, NULL), BKS_OK);
    free(config);
    free(name);
    free(setup);
    bks_op op;
    assert_int_equal(bks_session_update(session, 0), BKS_OK);
    assert_true(bks_session_next(session, &op));
    assert_int_equal(op.kind, BKS_OP_START);
    assert_int_equal(op.setup_bytes, 3);
    assert_memory_equal(op.setup, "\1\2\3", 3);
    bks_session_destroy(session);
}

// ---- arguments ----

static bks_session *make(uint32_t peer)
{
    bks_session_config config = toy_config(peer, 2);
    bks_session *session = NULL;
    assert_int_equal(bks_session_create(&config, &session, NULL), BKS_OK);
    return session;
}

/// The call before must have failed with `status` and an error under its own name.
static void assert_refused(bks_status status, const char *call, const char *argument)
{
    assert_int_equal(status, BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(caught.count, 1);
    assert_int_equal(caught.level, BKS_LOG_ERROR);
    assert_string_equal(caught.id, call);
    assert_says(caught.text, argument);
    caught.count = 0;
}

static void null_is_refused_by_every_call_that_fails(void **context)
{
    (void)context;
    bks_session *session = make(0);
    bks_session_config config = toy_config(0, 2);
    bks_session *out = NULL;
    bks_address address = toy_address(1);
    bks_op op = {0};
    bks_roster roster;
    bks_stats stats;
    uint64_t hash = 0;
    int32_t values[4];
    uint8_t byte = 0;
    assert_refused(bks_session_create(NULL, &out, NULL), "bks_session_create", "config");
    assert_refused(bks_session_create(&config, NULL, NULL), "bks_session_create", "out");
    assert_refused(bks_session_receive(NULL, 0, &address, &byte, 1), "bks_session_receive",
                   "session");
    assert_refused(bks_session_receive(session, 0, NULL, &byte, 1), "bks_session_receive", "from");
    assert_refused(bks_session_receive(session, 0, &address, NULL, 1), "bks_session_receive",
                   "bytes");
    assert_refused(bks_session_update(NULL, 0), "bks_session_update", "session");
    assert_refused(bks_session_done(NULL, &op, NULL), "bks_session_done", "session");
    assert_refused(bks_session_done(session, NULL, NULL), "bks_session_done", "op");
    assert_refused(bks_session_leave(NULL), "bks_session_leave", "session");
    assert_refused(bks_session_hash(NULL, 0, &hash), "bks_session_hash", "session");
    assert_refused(bks_session_hash(session, 0, NULL), "bks_session_hash", "out_hash");
    assert_refused(bks_session_inputs(NULL, 0, values), "bks_session_inputs", "session");
    assert_refused(bks_session_inputs(session, 0, NULL), "bks_session_inputs", "values");
    assert_refused(bks_session_roster(NULL, &roster), "bks_session_roster", "session");
    assert_refused(bks_session_roster(session, NULL), "bks_session_roster", "out");
    assert_refused(bks_session_stats(NULL, &stats), "bks_session_stats", "session");
    assert_refused(bks_session_stats(session, NULL), "bks_session_stats", "out");
    bks_session_destroy(session);
}

static void null_is_logged_by_the_calls_that_answer_without_a_status(void **context)
{
    (void)context;
    bks_session *session = make(0);
    bks_op op;
    bks_event event;
    bks_address to;
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    assert_false(bks_session_next(NULL, &op));
    assert_refused(BKS_ERR_BAD_ARGUMENT, "bks_session_next", "session");
    assert_false(bks_session_next(session, NULL));
    assert_refused(BKS_ERR_BAD_ARGUMENT, "bks_session_next", "op");
    assert_false(bks_session_event(NULL, &event));
    assert_refused(BKS_ERR_BAD_ARGUMENT, "bks_session_event", "session");
    assert_false(bks_session_event(session, NULL));
    assert_refused(BKS_ERR_BAD_ARGUMENT, "bks_session_event", "event");
    assert_int_equal(bks_session_send(NULL, &to, packet, sizeof(packet)), 0);
    assert_refused(BKS_ERR_BAD_ARGUMENT, "bks_session_send", "session");
    assert_int_equal(bks_session_send(session, NULL, packet, sizeof(packet)), 0);
    assert_refused(BKS_ERR_BAD_ARGUMENT, "bks_session_send", "to");
    assert_int_equal(bks_session_send(session, &to, NULL, sizeof(packet)), 0);
    assert_refused(BKS_ERR_BAD_ARGUMENT, "bks_session_send", "bytes");
    assert_int_equal(bks_session_send(session, &to, packet, BKS_PACKET_BYTES_MAX - 1), 0);
    assert_refused(BKS_ERR_BAD_ARGUMENT, "bks_session_send", "1199");
    bks_session_destroy(session);
}

static void questions_to_null_have_the_documented_answers(void **context)
{
    (void)context;
    bks_session_destroy(NULL);
    assert_int_equal(bks_session_phase(NULL), BKS_PHASE_FAILED);
    assert_true(bks_session_wake(NULL) == UINT64_MAX);
    assert_int_equal(bks_session_slots(NULL), 0);
    assert_int_equal(bks_session_kept_slots(NULL), 0);
    assert_int_equal(bks_session_tick(NULL), 0);
    assert_int_equal(bks_session_confirmed(NULL), 0);
    assert_int_equal(bks_session_published(NULL), BKS_TICK_NONE);
}

static void ticks_out_of_range_are_refused_with_the_range(void **context)
{
    (void)context;
    bks_session *session = make(0);
    uint64_t hash = 99;
    int32_t values[4];
    assert_refused(bks_session_hash(session, -1, &hash), "bks_session_hash", "-1");
    assert_int_equal(bks_session_hash(session, 0, &hash), BKS_ERR_NOT_CONFIRMED);
    assert_true(hash == 99);
    assert_refused(bks_session_inputs(session, -1, values), "bks_session_inputs", "0..64");
    assert_refused(bks_session_inputs(session, 65, values), "bks_session_inputs", "65");
    assert_int_equal(bks_session_inputs(session, 64, values), BKS_OK);
    bks_session_destroy(session);
}

static void an_address_that_is_too_long_is_refused(void **context)
{
    (void)context;
    bks_session *session = make(0);
    bks_address from = {.length = BKS_ADDRESS_BYTES_MAX + 1};
    uint8_t byte = 0;
    assert_refused(bks_session_receive(session, 0, &from, &byte, 1), "bks_session_receive", "32");
    bks_session_destroy(session);
}

static void an_empty_packet_is_counted_and_dropped(void **context)
{
    (void)context;
    bks_session *session = make(0);
    bks_address from = toy_address(1);
    bks_stats stats;
    assert_int_equal(bks_session_receive(session, 0, &from, NULL, 0), BKS_OK);
    assert_int_equal(bks_session_stats(session, &stats), BKS_OK);
    assert_int_equal(stats.packets_refused, 1);
    bks_session_destroy(session);
}

// ---- order ----

static void time_that_goes_back_is_refused_with_both_times(void **context)
{
    (void)context;
    bks_session *session = make(1);
    bks_address from = toy_address(0);
    uint8_t byte = 0;
    bks_op op;
    assert_int_equal(bks_session_update(session, 5000), BKS_OK);
    assert_false(bks_session_next(session, &op));
    assert_refused(bks_session_update(session, 4999), "bks_session_update", "4999");
    assert_refused(bks_session_receive(session, 4998, &from, &byte, 1), "bks_session_receive",
                   "5000");
    assert_int_equal(bks_session_receive(session, 6000, &from, &byte, 1), BKS_OK);
    assert_refused(bks_session_update(session, 5999), "bks_session_update", "6000");
    assert_int_equal(bks_session_update(session, 6000), BKS_OK);
    bks_session_destroy(session);
}

static void an_update_before_the_last_is_carried_out_is_refused(void **context)
{
    (void)context;
    bks_session *session = make(1);
    bks_op op;
    assert_int_equal(bks_session_update(session, 0), BKS_OK);
    assert_refused(bks_session_update(session, 0), "bks_session_update", "bks_session_next");
    assert_false(bks_session_next(session, &op));
    assert_int_equal(bks_session_update(session, 0), BKS_OK);
    bks_session_destroy(session);
}

static void a_packet_in_the_midst_of_an_update_is_refused(void **context)
{
    (void)context;
    bks_session *session = make(1);
    bks_address from = toy_address(0);
    uint8_t byte = 0;
    bks_op op;
    assert_int_equal(bks_session_update(session, 0), BKS_OK);
    assert_refused(bks_session_receive(session, 0, &from, &byte, 1), "bks_session_receive",
                   "bks_session_next");
    assert_false(bks_session_next(session, &op));
    assert_int_equal(bks_session_receive(session, 0, &from, &byte, 1), BKS_OK);
    bks_session_destroy(session);
}

static void only_the_operation_handed_out_can_be_done(void **context)
{
    (void)context;
    bks_session_config config = toy_config(0, 1);
    bks_session *session = NULL;
    assert_int_equal(bks_session_create(&config, &session, NULL), BKS_OK);
    bks_op op = {0};
    bks_op again;
    assert_refused(bks_session_done(session, &op, NULL), "bks_session_done", "handed out last");
    assert_int_equal(bks_session_update(session, 0), BKS_OK);
    assert_true(bks_session_next(session, &op));
    assert_int_equal(op.kind, BKS_OP_START);

    // Asked again before it is done, it is handed out again.
    assert_true(bks_session_next(session, &again));
    assert_int_equal(again.kind, BKS_OP_START);
    assert_int_equal(caught.count, 1);
    assert_string_equal(caught.id, "bks_session_next");
    caught.count = 0;

    bks_op other = op;
    other.kind = BKS_OP_STEP;
    assert_refused(bks_session_done(session, &other, NULL), "bks_session_done", "handed out last");
    other = op;
    other.tick = 7;
    assert_refused(bks_session_done(session, &other, NULL), "bks_session_done", "handed out last");
    assert_int_equal(bks_session_done(session, &op, NULL), BKS_OK);
    assert_refused(bks_session_done(session, &op, NULL), "bks_session_done", "handed out last");
    bks_session_destroy(session);
}

static void a_hash_without_a_result_is_refused_and_can_be_given_later(void **context)
{
    (void)context;
    bks_session_config config = toy_config(0, 1);
    bks_session *session = NULL;
    assert_int_equal(bks_session_create(&config, &session, NULL), BKS_OK);
    bks_op op = {0};
    for (uint64_t now = 0; op.kind != BKS_OP_HASH; now += 50 * TOY_MS) {
        assert_int_equal(bks_session_update(session, now), BKS_OK);
        while (bks_session_next(session, &op) && op.kind != BKS_OP_HASH) {
            assert_int_equal(bks_session_done(session, &op, NULL), BKS_OK);
        }
    }
    assert_refused(bks_session_done(session, &op, NULL), "bks_session_done", "result");
    bks_op_result result = {.hash = 5};
    assert_int_equal(bks_session_done(session, &op, &result), BKS_OK);
    bks_session_destroy(session);
}

static void leaving_twice_and_before_the_start_is_no_fault(void **context)
{
    (void)context;
    bks_session *session = make(1);
    assert_int_equal(bks_session_leave(session), BKS_OK);
    assert_int_equal(bks_session_phase(session), BKS_PHASE_ENDED);
    assert_int_equal(bks_session_leave(session), BKS_OK);
    bks_op op;
    assert_int_equal(bks_session_update(session, 0), BKS_OK);
    assert_false(bks_session_next(session, &op));
    assert_int_equal(caught.count, 0);
    bks_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_field_out_of_range_is_named_with_value_and_range, begin,
                                        end),
        cmocka_unit_test(the_ends_of_every_range_are_taken),
        cmocka_unit_test(defaults_lack_only_what_is_required),
        cmocka_unit_test(the_config_need_not_outlive_create),
        cmocka_unit_test_setup_teardown(null_is_refused_by_every_call_that_fails, begin, end),
        cmocka_unit_test_setup_teardown(null_is_logged_by_the_calls_that_answer_without_a_status,
                                        begin, end),
        cmocka_unit_test(questions_to_null_have_the_documented_answers),
        cmocka_unit_test_setup_teardown(ticks_out_of_range_are_refused_with_the_range, begin, end),
        cmocka_unit_test_setup_teardown(an_address_that_is_too_long_is_refused, begin, end),
        cmocka_unit_test(an_empty_packet_is_counted_and_dropped),
        cmocka_unit_test_setup_teardown(time_that_goes_back_is_refused_with_both_times, begin, end),
        cmocka_unit_test_setup_teardown(an_update_before_the_last_is_carried_out_is_refused, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_packet_in_the_midst_of_an_update_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(only_the_operation_handed_out_can_be_done, begin, end),
        cmocka_unit_test_setup_teardown(a_hash_without_a_result_is_refused_and_can_be_given_later,
                                        begin, end),
        cmocka_unit_test_setup_teardown(leaving_twice_and_before_the_start_is_no_fault, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
