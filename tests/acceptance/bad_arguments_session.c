// SPDX-License-Identifier: MIT

#include <string.h>

#include "backstitch/present.h"
#include "backstitch/session.h"
#include "backstitch/toolkit/inspector.h"
#include "bad_arguments.h"

static void of_addresses(void)
{
    bks_address address = {0};
    char text[64];
    ALLOWS(bks_address_equal(&address, &address));
    REFUSES(!bks_address_equal(NULL, &address), "a", NULL);
    REFUSES(!bks_address_equal(&address, NULL), "b", NULL);
    REFUSES(bks_udp_address_parse(NULL, &address, &wrong) == BKS_ERR_BAD_ARGUMENT, "text", NULL);
    REFUSES(bks_udp_address_parse("127.0.0.1:1", NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out",
            NULL);
    REFUSES(bks_udp_address_parse("127.0.0.1", &address, &wrong) == BKS_ERR_BAD_ARGUMENT, "text",
            NULL);
    REFUSES(bks_udp_address_parse("127.0.0.1:0", &address, &wrong) == BKS_ERR_BAD_ARGUMENT, "text",
            "1..65535");
    REFUSES(bks_udp_address_parse("127.0.0.1:65536", &address, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "text", "65535");
    REFUSES(bks_udp_address_parse("[::g]:7", &address, NULL) == BKS_ERR_BAD_ARGUMENT, "text", NULL);
    REFUSES(bks_udp_address_format(NULL, text, sizeof(text)) == BKS_ERR_BAD_ARGUMENT, "address",
            NULL);
    REFUSES(bks_udp_address_format(&address, NULL, 64) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_udp_address_format(&address, text, 0) == BKS_ERR_BAD_ARGUMENT, "capacity",
            "at least 1");
    address.length = 99;
    REFUSES(bks_udp_address_format(&address, text, sizeof(text)) == BKS_ERR_BAD_ARGUMENT, "address",
            "0..31");
    bad_arguments_need(bks_udp_address_parse("127.0.0.1:7777", &address, &wrong) == BKS_OK,
                       "an address");
    REFUSES(bks_udp_address_format(&address, text, 5) == BKS_ERR_TOO_SMALL, "capacity", NULL);
}

static void of_transport(void)
{
    bks_udp *udp = NULL;
    bks_address address;
    uint8_t bytes[BKS_PACKET_BYTES_MAX + 1] = {0};
    REFUSES(bks_udp_open(NULL, &udp, &wrong) == BKS_ERR_BAD_ARGUMENT && udp == NULL, "bind_address",
            NULL);
    REFUSES(bks_udp_open("0", NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_udp_open("70000", &udp, &wrong) == BKS_ERR_BAD_ARGUMENT && udp == NULL,
            "bind_address", "65535");
    REFUSES(bks_udp_open("nowhere:1", &udp, &wrong) == BKS_ERR_BAD_ARGUMENT && udp == NULL,
            "bind_address", "nowhere");
    REFUSES(bks_udp_open("192.0.2.1:1", &udp, &wrong) == BKS_ERR_IO && udp == NULL, "192.0.2.1",
            NULL);
    ALLOWS((bks_udp_close(NULL), true));
    bks_transport none;
    ALLOWS((none = bks_udp_transport(NULL)).send != NULL);
    ALLOWS(none.receive(none.context, &address, bytes, sizeof(bytes)) == 0); // it loses all
    REFUSES(bks_udp_local_address(NULL, &address) == BKS_ERR_BAD_ARGUMENT, "udp", NULL);
    REFUSES(!bks_udp_wait(NULL, 0), "udp", NULL);

    bad_arguments_need(bks_udp_open("127.0.0.1:0", &udp, &wrong) == BKS_OK, "a socket");
    const bks_transport way = bks_udp_transport(udp);
    REFUSES(bks_udp_local_address(udp, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    bad_arguments_need(bks_udp_local_address(udp, &address) == BKS_OK, "an address");
    REFUSES(way.send(way.context, NULL, bytes, 1) == BKS_ERR_BAD_ARGUMENT, "to", NULL);
    REFUSES(way.send(way.context, &address, NULL, 1) == BKS_ERR_BAD_ARGUMENT, "bytes", NULL);
    REFUSES(way.send(way.context, &address, bytes, 0) == BKS_ERR_BAD_ARGUMENT, "count", "1..1200");
    REFUSES(way.send(way.context, &address, bytes, 1201) == BKS_ERR_BAD_ARGUMENT, "count",
            "1..1200");
    REFUSES(way.send(way.context, &(bks_address){.length = 3}, bytes, 1) == BKS_ERR_IO, "to", NULL);
    REFUSES(way.receive(way.context, NULL, bytes, 1200) == 0, "from", NULL);
    REFUSES(way.receive(way.context, &address, NULL, 1200) == 0, "bytes", NULL);
    bks_udp_close(udp);
}

static bks_session_config good_config(void)
{
    bks_session_config config = bks_session_config_default();
    config.game_name = "good";
    config.fields = good_game.fields;
    config.field_count = 1;
    config.is_host = true;
    config.players = 1;
    config.tuning.window_ticks = 4;
    config.tuning.delay_ticks = 0;
    config.key[0] = config.identity[0] = config.entropy[0] = 1;
    return config;
}

/// A config with one member changed must be refused by its name.
#define CONFIG_REFUSED(member, value, range)                                                     \
    do {                                                                                         \
        bks_session_config bad = good_config();                                                  \
        bks_session *none = NULL;                                                                \
        bad.member = (value);                                                                    \
        REFUSES(bks_session_create(&bad, &none, &wrong) == BKS_ERR_BAD_CONFIG && none == NULL && \
                    wrong.field != NULL,                                                         \
                #member, range);                                                                 \
    } while (false)

static void of_config(void)
{
    bks_session *session = NULL;
    bks_session_config config = good_config();
    session = (void *)&wrong;
    REFUSES(bks_session_create(NULL, &session, &wrong) == BKS_ERR_BAD_ARGUMENT && session == NULL,
            "config", NULL);
    REFUSES(bks_session_create(&config, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    CONFIG_REFUSED(cookie, 0, "bks_session_config_default");
    CONFIG_REFUSED(game_name, NULL, "1..31");
    CONFIG_REFUSED(fields, NULL, NULL);
    CONFIG_REFUSED(field_count, 0, "1..64");
    CONFIG_REFUSED(tick_rate_hz, 0, "1..1000");
    CONFIG_REFUSED(tick_rate_hz, 1001, "1..1000");
    CONFIG_REFUSED(local_players, 0, "1..16");
    CONFIG_REFUSED(local_players, 17, "1..16");
    CONFIG_REFUSED(first_player, 1, "0 or BKS_AUTO");
    CONFIG_REFUSED(players, 0, "1..16");
    CONFIG_REFUSED(players, 17, "1..16");
    CONFIG_REFUSED(setup_bytes, 1, "setup is NULL");
    CONFIG_REFUSED(votes_bytes, 1, "votes is NULL");
    CONFIG_REFUSED(ticks, -1, "0..2147483647");
    CONFIG_REFUSED(tuning.window_ticks, 65, "0..64");
    CONFIG_REFUSED(tuning.delay_ticks, 256, "0..255 or BKS_AUTO");
    CONFIG_REFUSED(tuning.pace, (bks_pace)3, "0..2");
    CONFIG_REFUSED(tuning.save, (bks_save_policy)4, "0..3");
    CONFIG_REFUSED(tuning.hash_every_ticks, 1001, "1..1000 or BKS_AUTO");
    CONFIG_REFUSED(tuning.hash_every_ticks, 0, "1..1000 or BKS_AUTO");
    CONFIG_REFUSED(tuning.budget_us, 1000001, "0..1000000 or BKS_AUTO");
    CONFIG_REFUSED(tuning.notify_after_ms, 99, "100..60000");
    CONFIG_REFUSED(tuning.drop_after_ms, 999, "1000..600000");
    CONFIG_REFUSED(tuning.bulk_bytes, 1023, "1024..268435456");
    config.setup = "setup";
    config.setup_bytes = 769;
    REFUSES(bks_session_create(&config, &session, &wrong) == BKS_ERR_BAD_CONFIG, "setup_bytes",
            "0..768");
    config.is_host = false;
    config.first_player = 16;
    REFUSES(bks_session_create(&config, &session, &wrong) == BKS_ERR_BAD_CONFIG, "first_player",
            "0..15 or BKS_AUTO");
    config.first_player = BKS_AUTO;
    config.host.length = 200;
    REFUSES(bks_session_create(&config, &session, &wrong) == BKS_ERR_BAD_CONFIG, "host", "31");
}

static void of_no_session(void)
{
    bks_address address = {0};
    uint8_t bytes[BKS_PACKET_BYTES_MAX] = {0};
    bks_op op = {0};
    bks_event event;
    uint64_t hash = 0;
    int32_t values[1] = {0};
    size_t bytes_count = 0;
    bks_roster roster;
    bks_stats stats;
    ALLOWS((bks_session_destroy(NULL), true));
    REFUSES(bks_session_phase(NULL) == BKS_PHASE_FAILED, "session", NULL);
    REFUSES(bks_session_receive(NULL, 0, &address, bytes, 1) == BKS_ERR_BAD_ARGUMENT, "session",
            NULL);
    REFUSES(bks_session_update(NULL, 0) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    REFUSES(bks_session_status(NULL) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    ALLOWS(bks_event_kind_name((bks_event_kind)99)[0] == 'u');
    REFUSES(bks_session_wake(NULL) == UINT64_MAX, "session", NULL);
    REFUSES(!bks_session_next(NULL, &op), "session", NULL);
    REFUSES(bks_session_done(NULL, &op, NULL) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    REFUSES(bks_session_send(NULL, &address, bytes, sizeof(bytes)) == 0, "session", NULL);
    REFUSES(bks_session_drop(NULL, 1) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    REFUSES(bks_session_pause(NULL, true) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    REFUSES(bks_session_speed(NULL, 100) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    REFUSES(bks_session_leave(NULL) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    REFUSES(bks_session_command(NULL, 0, bytes, 1) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    REFUSES(bks_session_bulk_write(NULL, 1, bytes, 1, &bytes_count) == BKS_ERR_BAD_ARGUMENT,
            "session", NULL);
    REFUSES(bks_session_bulk_read(NULL, 1, bytes, 1, &bytes_count) == BKS_ERR_BAD_ARGUMENT,
            "session", NULL);
    REFUSES(bks_session_bulk_pending(NULL, 1) == 0, "session", NULL);
    REFUSES(!bks_session_event(NULL, &event), "session", NULL);
    REFUSES(bks_session_slots(NULL) == 0, "session", NULL);
    REFUSES(bks_session_kept_slots(NULL) == 0, "session", NULL);
    REFUSES(bks_session_tick(NULL) == 0, "session", NULL);
    REFUSES(bks_session_confirmed(NULL) == 0, "session", NULL);
    REFUSES(bks_session_published(NULL) == BKS_TICK_NONE, "session", NULL);
    REFUSES(bks_session_hash(NULL, 0, &hash) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    REFUSES(bks_session_inputs(NULL, 0, values) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    REFUSES(bks_session_roster(NULL, &roster) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    bks_difference difference;
    REFUSES(bks_session_repairs(NULL, NULL, 0) == 0, "session", NULL);
    REFUSES(bks_session_difference(NULL, &difference) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    REFUSES(bks_session_stats(NULL, &stats) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
}

/// Carry out what an update asks for, as if every state hashed to 1.
static void carry_out(bks_session *session)
{
    bks_op op;
    while (bks_session_next(session, &op)) {
        const bks_op_result result = {.hash = 1};
        bad_arguments_need(bks_session_done(session, &op, &result) == BKS_OK, "an operation");
    }
}

static void of_tuning(bks_session *session)
{
    bks_tuning tuning;
    REFUSES(bks_session_tuning(NULL, &tuning) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    REFUSES(bks_session_tuning(session, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_session_retune(NULL, 1, 0, BKS_PACE_NONE, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "session", NULL);
    REFUSES(bks_session_retune(session, 0, 0, BKS_PACE_NONE, &wrong) == BKS_ERR_BAD_CONFIG,
            "window_ticks", "1..4");
    REFUSES(bks_session_retune(session, 21, 0, BKS_PACE_NONE, &wrong) == BKS_ERR_BAD_CONFIG,
            "window_ticks", "1..4");
    REFUSES(bks_session_retune(session, 1, 256, BKS_PACE_NONE, &wrong) == BKS_ERR_BAD_CONFIG,
            "delay_ticks", "0..255");
    REFUSES(bks_session_retune(session, 1, 0, (bks_pace)3, &wrong) == BKS_ERR_BAD_CONFIG, "pace",
            "0..2");
}

static void of_figures(bks_session *session)
{
    bks_meter_config config = {0};
    bks_meter *meter = NULL;
    char line[8];
    static bks_figures figures;
    meter = (void *)&wrong;
    REFUSES(bks_meter_create(NULL, &meter, &wrong) == BKS_ERR_BAD_ARGUMENT && meter == NULL,
            "config", NULL);
    REFUSES(bks_meter_create(&config, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    config.window_ms = 10001;
    REFUSES(bks_meter_create(&config, &meter, &wrong) == BKS_ERR_BAD_CONFIG, "window_ms",
            "100..10000");
    config = (bks_meter_config){.log_every_ms = 99};
    REFUSES(bks_meter_create(&config, &meter, &wrong) == BKS_ERR_BAD_CONFIG, "log_every_ms",
            "100..3600000");
    ALLOWS((bks_meter_destroy(NULL), true));
    config = (bks_meter_config){0};
    bad_arguments_need(bks_meter_create(&config, &meter, &wrong) == BKS_OK, "a meter");
    REFUSES(bks_meter_take(NULL, session, 0, 0) == BKS_ERR_BAD_ARGUMENT, "meter", NULL);
    REFUSES(bks_meter_take(meter, NULL, 0, 0) == BKS_ERR_BAD_ARGUMENT, "session", NULL);
    REFUSES(bks_meter_figures(NULL) == NULL, "meter", NULL);
    REFUSES(bks_figures_line(NULL, 0, line, sizeof(line)) == 0, "figures", NULL);
    REFUSES(bks_figures_line(&figures, 0, NULL, 1) == 0, "out", NULL);
    REFUSES(bks_figure_of(NULL, 0, 0) == NULL, "figures", NULL);
    ALLOWS(bks_figure_of(&figures, 0, 100) == NULL);
    ALLOWS(bks_figure_row_of(BKS_PEERS_MAX + 1, 0) == NULL);
    ALLOWS(!bks_figure_is_measured(NULL, 1000));
    ALLOWS(!bks_figure_is_measured(&figures.depth, UINT32_MAX));
    ALLOWS(bks_figures_line(&figures, BKS_PEERS_MAX + 1, line, sizeof(line)) == 0);
    bks_meter_destroy(meter);
}

static void of_inspecting(bks_session *session)
{
    static uint8_t packet[BKS_INSPECT_BYTES];
    static bks_inspect_answer_read answer;
    bks_inspected inspected = {.session = session};
    const bks_inspect_request request = {.kind = BKS_INSPECT_SUMMARY};
    REFUSES(bks_inspect_request_write(NULL, packet) == BKS_ERR_BAD_ARGUMENT, "request", NULL);
    REFUSES(bks_inspect_request_write(&request, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_inspect_answer(NULL, packet, sizeof(packet), packet) == 0, "inspected", NULL);
    REFUSES(bks_inspect_answer(&inspected, NULL, 1, packet) == 0, "bytes", NULL);
    REFUSES(bks_inspect_answer(&inspected, packet, sizeof(packet), NULL) == 0, "out", NULL);
    inspected.session = NULL;
    REFUSES(bks_inspect_answer(&inspected, packet, sizeof(packet), packet) == 0,
            "inspected->session", NULL);
    REFUSES(bks_inspect_read(NULL, 1, &answer) == BKS_ERR_BAD_ARGUMENT, "bytes", NULL);
    REFUSES(bks_inspect_read(packet, sizeof(packet), NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    ALLOWS(bks_inspect_read(packet, sizeof(packet), &answer) == BKS_ERR_DAMAGED);
}

static void of_operations(bks_session *session)
{
    const bks_address address = {0};
    bks_op op;
    bad_arguments_need(bks_session_update(session, 2000000000) == BKS_OK, "an update");
    REFUSES(!bks_session_next(session, NULL), "op", NULL);
    bad_arguments_need(bks_session_next(session, &op), "an operation");
    bks_op other = op;
    other.tick += 1;
    REFUSES(bks_session_done(session, NULL, NULL) == BKS_ERR_BAD_ARGUMENT, "op", NULL);
    REFUSES(bks_session_done(session, &other, NULL) == BKS_ERR_BAD_ARGUMENT, "op", NULL);
    REFUSES(bks_session_next(session, &other) && other.kind == op.kind, "op", NULL);
    REFUSES(bks_session_update(session, 2000000001) == BKS_ERR_BAD_ARGUMENT, "session",
            "bks_session_next()");
    REFUSES(bks_session_receive(session, 2000000001, &address, "x", 1) == BKS_ERR_BAD_ARGUMENT,
            "session", "bks_session_next()");
    while (op.kind != BKS_OP_HASH) {
        bad_arguments_need(bks_session_done(session, &op, NULL) == BKS_OK &&
                               bks_session_next(session, &op),
                           "an operation that hashes");
    }
    REFUSES(bks_session_done(session, &op, NULL) == BKS_ERR_BAD_ARGUMENT, "result", NULL);
    bad_arguments_need(bks_session_done(session, &op, &(bks_op_result){.hash = 1}) == BKS_OK,
                       "an operation");
    carry_out(session);
}

static void of_streams(bks_session *session)
{
    uint8_t bytes[4] = {0};
    size_t count = 0;
    REFUSES(bks_session_command(session, 0, NULL, 1) == BKS_ERR_BAD_ARGUMENT, "bytes", NULL);
    REFUSES(bks_session_command(session, 0, bytes, 1) == BKS_ERR_UNSUPPORTED, "command_bytes_max",
            NULL);
    REFUSES(bks_session_bulk_write(session, 1, NULL, 1, &count) == BKS_ERR_BAD_ARGUMENT, "bytes",
            NULL);
    REFUSES(bks_session_bulk_write(session, 1, bytes, 1, NULL) == BKS_ERR_BAD_ARGUMENT, "out_count",
            NULL);
    REFUSES(bks_session_bulk_read(session, 1, NULL, 1, &count) == BKS_ERR_BAD_ARGUMENT, "bytes",
            NULL);
    REFUSES(bks_session_bulk_read(session, 1, bytes, 1, NULL) == BKS_ERR_BAD_ARGUMENT, "out_count",
            NULL);
    REFUSES(bks_session_bulk_write(session, 1, bytes, 1, &count) == BKS_ERR_UNSUPPORTED,
            "bulk_bytes", NULL);
    REFUSES(bks_session_bulk_read(session, 1, bytes, 1, &count) == BKS_ERR_UNSUPPORTED,
            "bulk_bytes", NULL);
    ALLOWS(bks_session_bulk_pending(session, 9) == 0);

    bks_session_config config = good_config();
    config.players = 2;
    config.tuning.bulk_bytes = 1024;
    bks_session *with = NULL;
    bad_arguments_need(bks_session_create(&config, &with, &wrong) == BKS_OK, "a session");
    REFUSES(bks_session_bulk_write(with, 8, bytes, 1, &count) == BKS_ERR_BAD_ARGUMENT, "peer",
            "0..7");
    REFUSES(bks_session_bulk_read(with, 8, bytes, 1, &count) == BKS_ERR_BAD_ARGUMENT, "peer",
            "0..7");
    ALLOWS(bks_session_bulk_write(with, 1, bytes, 1, &count) == BKS_OK && count == 0);
    bks_session_destroy(with);
}

static void of_a_session(bks_session *session)
{
    bks_address address = {.length = 200};
    uint8_t bytes[BKS_PACKET_BYTES_MAX] = {0};
    uint64_t hash = 77;
    int32_t values[1];
    const uint64_t now = 2000000000;
    REFUSES(bks_session_update(session, now - 1) == BKS_ERR_BAD_ARGUMENT, "now_ns", "2000000000");
    REFUSES(bks_session_receive(session, now - 1, &(bks_address){0}, bytes, 1) ==
                BKS_ERR_BAD_ARGUMENT,
            "now_ns", "2000000000");
    REFUSES(bks_session_receive(session, now, NULL, bytes, 1) == BKS_ERR_BAD_ARGUMENT, "from",
            NULL);
    REFUSES(bks_session_receive(session, now, &address, bytes, 1) == BKS_ERR_BAD_ARGUMENT, "from",
            "0..31");
    address.length = 6;
    REFUSES(bks_session_receive(session, now, &address, NULL, 1) == BKS_ERR_BAD_ARGUMENT, "bytes",
            NULL);
    ALLOWS(bks_session_receive(session, now, &address, bytes, sizeof(bytes)) == BKS_OK); // dropped
    REFUSES(bks_session_send(session, NULL, bytes, sizeof(bytes)) == 0, "to", NULL);
    REFUSES(bks_session_send(session, &address, NULL, sizeof(bytes)) == 0, "bytes", NULL);
    REFUSES(bks_session_send(session, &address, bytes, 1199) == 0, "capacity", "at least 1200");
    REFUSES(!bks_session_event(session, NULL), "event", NULL);
    REFUSES(bks_session_hash(session, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "out_hash", NULL);
    REFUSES(bks_session_hash(session, -1, &hash) == BKS_ERR_BAD_ARGUMENT, "tick", "0..");
    ALLOWS(bks_session_hash(session, 1000000, &hash) == BKS_ERR_NOT_CONFIRMED); // an answer
    bad_arguments_need(hash == 77, "out_hash untouched");
    REFUSES(bks_session_inputs(session, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "values", NULL);
    REFUSES(bks_session_inputs(session, -1, values) == BKS_ERR_BAD_ARGUMENT, "tick", "0..");
    REFUSES(bks_session_inputs(session, 1000000, values) == BKS_ERR_BAD_ARGUMENT, "tick", "0..");
    REFUSES(bks_session_roster(session, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_session_difference(session, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_session_stats(session, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    for (uint64_t i = 0; i < 2000; i++) { // so long that the first ticks are forgotten
        bad_arguments_need(bks_session_update(session, now + i * 16666667) == BKS_OK, "an update");
        carry_out(session);
    }
    ALLOWS(bks_session_hash(session, 0, &hash) == BKS_ERR_TICK_TOO_OLD);
    ALLOWS(bks_session_inputs(session, 0, values) == BKS_ERR_TICK_TOO_OLD);
}

void bad_arguments_of_session(void)
{
    of_addresses();
    of_transport();
    of_config();
    of_no_session();
    const bks_session_config config = good_config();
    bks_session *session = NULL;
    bad_arguments_need(bks_session_create(&config, &session, &wrong) == BKS_OK, "a session");
    for (uint64_t now = 0; now < 1900000000; now += 16666667) {
        bad_arguments_need(bks_session_update(session, now) == BKS_OK, "an update");
        carry_out(session);
    }
    bad_arguments_need(bks_session_phase(session) == BKS_PHASE_RUNNING, "a match that runs");
    of_tuning(session);
    of_figures(session);
    of_inspecting(session);
    of_operations(session);
    of_a_session(session);
    of_streams(session);
    ALLOWS(bks_session_leave(session) == BKS_OK);
    bks_session_destroy(session);
}
