// SPDX-License-Identifier: MIT

// A match that can be looked at, over the loopback.

#include "backstitch/toolkit/inspector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/match.h"
#include "match/some_match.h"

static bks_match *match;
static bks_udp *asker;

/// A match of one machine, and a socket beside it.
static void open_both(const char *inspect, bool may_change)
{
    bks_match_config config = some_config();
    config.players = config.local_players = 2;
    const bks_insight insight = {.inspect = inspect, .inspect_changes = may_change};
    config.insight = &insight;
    match = some_open(&config);
    assert_int_equal(bks_udp_open("127.0.0.1:0", &asker, NULL), BKS_OK);
}

static void close_both(void)
{
    bks_match_close(match);
    bks_udp_close(asker);
}

/// Ask, update the match, and take what came.
/// @return false: nothing did
static bool ask(const bks_inspect_request *request, bks_inspect_answer_read *answer)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    const bks_transport transport = bks_udp_transport(asker);
    assert_int_equal(bks_udp_address_parse(bks_match_inspect_address(match), &to, NULL), BKS_OK);
    assert_int_equal(bks_inspect_request_write(request, packet), BKS_OK);
    assert_int_equal(transport.send(transport.context, &to, packet, BKS_INSPECT_BYTES), BKS_OK);
    for (uint32_t i = 0; i < 200; i++) {
        assert_int_equal(bks_match_update(match), BKS_OK);
        if (bks_udp_wait(asker, 5 * SOME_MS)) {
            const size_t count = transport.receive(transport.context, &to, packet, sizeof(packet));
            assert_int_equal(count, BKS_INSPECT_BYTES);
            return bks_inspect_read(packet, count, answer) == BKS_OK;
        }
    }
    return false;
}

static void a_match_answers_on_the_loopback_alone(void **state)
{
    (void)state;
    open_both("0", false);
    assert_memory_equal(bks_match_inspect_address(match), "127.0.0.1:", 10);
    assert_string_equal(bks_match_inspect_token(match), "");
    static bks_inspect_answer_read answer;
    const bks_inspect_request request = {.serial = 77, .kind = BKS_INSPECT_SUMMARY};
    assert_true(ask(&request, &answer));
    assert_int_equal(answer.serial, 77);
    assert_string_equal(answer.summary.game, some_game.name);
    assert_int_equal(answer.summary.tick_rate_hz, some_game.tick_rate_hz);
    assert_false(answer.summary.is_changeable);
    assert_non_null(bks_match_figures(match));
    close_both();
}

static void no_match_answers_unless_it_is_allowed(void **state)
{
    (void)state;
    open_both(NULL, true);
    assert_string_equal(bks_match_inspect_address(match), "");
    assert_string_equal(bks_match_inspect_token(match), "");
    assert_non_null(bks_match_figures(match));
    close_both();
    bks_match_config config = some_config();
    config.players = config.local_players = 2;
    match = some_open(&config);
    assert_null(bks_match_figures(match));
    bks_match_close(match);
}

static void the_token_that_the_match_gives_allows_changes(void **state)
{
    (void)state;
    open_both("127.0.0.1:0", true);
    bks_inspect_request request = {
        .kind = BKS_INSPECT_CHANGE, .change = BKS_INSPECT_DELAY, .value = 5};
    static bks_inspect_answer_read answer;
    assert_true(ask(&request, &answer));
    assert_int_equal(answer.status, BKS_INSPECT_NOT_ALLOWED);
    const char *text = bks_match_inspect_token(match);
    assert_int_equal(strlen(text), 2 * BKS_INSPECT_TOKEN_BYTES);
    for (size_t i = 0; i < BKS_INSPECT_TOKEN_BYTES; i++) {
        unsigned value = 0;
        assert_int_equal(sscanf(text + 2 * i, "%2x", &value), 1);
        request.token[i] = (uint8_t)value;
    }
    assert_true(ask(&request, &answer));
    assert_int_equal(answer.status, BKS_INSPECT_OK);
    assert_int_equal(answer.summary.delay_ticks, 5);
    close_both();
}

/// Each answer sends another request, so that one waits whenever the match looks.
static struct {
    uint32_t answers;
    bks_address to;
    uint8_t request[BKS_INSPECT_BYTES];
} flood;

enum { FLOOD_MOST = 2000 };

static void send_request(void)
{
    const bks_transport transport = bks_udp_transport(asker);
    assert_int_equal(
        transport.send(transport.context, &flood.to, flood.request, sizeof(flood.request)), BKS_OK);
}

static const char *ask_again(void *context)
{
    (void)context;
    if (++flood.answers < FLOOD_MOST) {
        send_request();
    }
    return "perfect";
}

static bool refuse_link(void *context, const char *link)
{
    (void)context;
    (void)link;
    return false;
}

static void a_flood_of_requests_does_not_hold_the_match(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    config.players = config.local_players = 2;
    const bks_insight insight = {.inspect = "0", .change_link = refuse_link, .link = ask_again};
    config.insight = &insight;
    match = some_open(&config);
    assert_int_equal(bks_udp_open("127.0.0.1:0", &asker, NULL), BKS_OK);
    memset(&flood, 0, sizeof(flood));
    assert_int_equal(bks_udp_address_parse(bks_match_inspect_address(match), &flood.to, NULL),
                     BKS_OK);
    assert_int_equal(bks_inspect_request_write(&(bks_inspect_request){.kind = BKS_INSPECT_SUMMARY},
                                               flood.request),
                     BKS_OK);
    send_request();
    for (uint32_t i = 0; i < 200 && flood.answers == 0; i++) {
        assert_int_equal(bks_match_update(match), BKS_OK);
    }
    assert_in_range(flood.answers, 1, 200);
    const uint32_t before = flood.answers;
    assert_int_equal(bks_match_update(match), BKS_OK);
    assert_in_range(flood.answers - before, 1, 200); // the rest waits
    close_both();
}

static void two_matches_have_two_tokens(void **state)
{
    (void)state;
    open_both("0", true);
    char first[64];
    snprintf(first, sizeof(first), "%s", bks_match_inspect_token(match));
    close_both();
    open_both("0", true);
    assert_string_not_equal(first, bks_match_inspect_token(match));
    close_both();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_answers_on_the_loopback_alone),
        cmocka_unit_test(no_match_answers_unless_it_is_allowed),
        cmocka_unit_test(the_token_that_the_match_gives_allows_changes),
        cmocka_unit_test(two_matches_have_two_tokens),
        cmocka_unit_test(a_flood_of_requests_does_not_hold_the_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
