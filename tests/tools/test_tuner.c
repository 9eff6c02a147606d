// SPDX-License-Identifier: MIT

#include "screen/overlay/tuner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/match.h"
#include "backstitch/toolkit/links.h"
#include "backstitch/toolkit/peer.h"
#include "pad/pad.h"
#include "screen/window/keys.h"

static bks_match *match;
static tuner tuned;
static char link_text[200];
static bool is_refused;

static bool change_link(void *context, const char *text)
{
    (void)context;
    bks_lab_link_spec spec;
    if (is_refused || bks_lab_link_spec_parse(text, &spec, NULL) != BKS_OK) {
        return false;
    }
    snprintf(link_text, sizeof(link_text), "%s", text);
    return true;
}

static const char *link_now(void *context)
{
    (void)context;
    return link_text;
}

static int open_match(void **state)
{
    (void)state;
    bks_match_config config = bks_match_config_default();
    config.game = &pad_game;
    config.record = false;
    config.tuning.window_ticks = 3;
    if (bks_match_open(&config, &match, NULL) != BKS_OK) {
        return -1;
    }
    snprintf(link_text, sizeof(link_text), "perfect");
    is_refused = false;
    tuner_open(&tuned, bks_peer_session(bks_match_peer(match)), change_link, link_now, NULL);
    return 0;
}

static int close_match(void **state)
{
    (void)state;
    bks_match_close(match);
    return 0;
}

static bks_tuning tuning(void)
{
    bks_tuning now;
    assert_int_equal(bks_session_tuning(tuned.inspected.session, &now), BKS_OK);
    return now;
}

static void press(uint8_t key, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        assert_true(tuner_key(&tuned, key));
    }
}

static void expect_row(const char *name, const char *value)
{
    tuner_row rows[TUNER_ROWS_MAX];
    const uint32_t count = tuner_rows(&tuned, rows);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].is_chosen) {
            assert_string_equal(rows[i].name, name);
            assert_string_equal(rows[i].value, value);
            return;
        }
    }
    fail_msg("no row is chosen");
}

static void keys_change_the_window_within_its_range(void **state)
{
    (void)state;
    expect_row("window", "3 of 3 ticks");
    press(KEY_F4, 1);
    assert_int_equal(tuning().window_ticks, 3);
    press(KEY_F3, 1);
    expect_row("window", "2 of 3 ticks");
    press(KEY_F3, 5);
    assert_int_equal(tuning().window_ticks, 1);
}

static void below_no_delay_it_is_automatic(void **state)
{
    (void)state;
    press(KEY_F2, 1);
    expect_row("input delay", "automatic");
    press(KEY_F3, 1);
    assert_int_equal(tuning().delay_ticks, BKS_AUTO);
    press(KEY_F4, 3);
    expect_row("input delay", "2 ticks");
    assert_int_equal(tuning().delay_ticks, 2);
    press(KEY_F3, 3);
    assert_int_equal(tuning().delay_ticks, BKS_AUTO);
}

static void keys_go_through_the_paces(void **state)
{
    (void)state;
    press(KEY_F2, 2);
    expect_row("pace", "slew: longer ticks");
    press(KEY_F4, 1);
    assert_int_equal(tuning().pace, BKS_PACE_STALL);
    press(KEY_F4, 2);
    assert_int_equal(tuning().pace, BKS_PACE_NONE);
    expect_row("pace", "none");
}

static void keys_change_one_thing_of_the_link_and_leave_the_rest(void **state)
{
    (void)state;
    press(KEY_F2, 3);
    press(KEY_F4, 3);
    assert_string_equal(link_text, "delay=30ms");
    press(KEY_F2, 1);
    press(KEY_F4, 1);
    press(KEY_F2, 1);
    press(KEY_F4, 2);
    expect_row("link loss", "2 %");
    assert_string_equal(link_text, "loss=2%,jitter=5ms,delay=30ms");
    snprintf(link_text, sizeof(link_text), "delay=80ms,dup=1%%,mtu=600");
    press(KEY_F4, 1);
    assert_string_equal(link_text, "loss=1%,delay=80ms,dup=1%,mtu=600");
    press(KEY_F2, 1);
    expect_row("window", "3 of 3 ticks"); // the first again
}

static void parts_of_a_unit_are_shown_and_changed(void **state)
{
    (void)state;
    snprintf(link_text, sizeof(link_text), "delay=12.5ms,jitter=250us,loss=0.5%%");
    press(KEY_F2, 3);
    expect_row("link delay", "12.5 ms");
    press(KEY_F4, 1);
    expect_row("link delay", "22.5 ms");
    press(KEY_F3, 3);
    expect_row("link delay", "0 ms");
    press(KEY_F2, 1);
    expect_row("link jitter", "0.25 ms");
    press(KEY_F2, 1);
    expect_row("link loss", "0.5 %");
    press(KEY_F4, 1);
    expect_row("link loss", "1.5 %");
    press(KEY_F3, 2);
    expect_row("link loss", "0 %");
    assert_string_equal(link_text, "loss=0%,delay=0ms,jitter=250us");
    snprintf(link_text, sizeof(link_text), "delay=1ns,loss=0.0001%%");
    expect_row("link loss", "0.0001 %");
    press(KEY_F2, 4);
    expect_row("link delay", "0.000001 ms");
    press(KEY_F4, 1);
    assert_string_equal(link_text, "delay=10.000001ms,loss=0.0001%");
}

static void more_never_makes_it_less(void **state)
{
    (void)state;
    snprintf(link_text, sizeof(link_text), "delay=2s");
    press(KEY_F2, 3);
    press(KEY_F4, 1);
    expect_row("link delay", "2000 ms");
    press(KEY_F3, 1);
    expect_row("link delay", "1990 ms");
}

static void what_is_refused_changes_nothing(void **state)
{
    (void)state;
    press(KEY_F2, 3);
    is_refused = true;
    press(KEY_F4, 1);
    expect_row("link delay", "0 ms");
    assert_string_equal(link_text, "perfect");
}

static void without_an_emulated_link_it_has_no_rows(void **state)
{
    (void)state;
    tuner_row rows[TUNER_ROWS_MAX];
    tuner_open(&tuned, tuned.inspected.session, NULL, NULL, NULL);
    assert_int_equal(tuner_rows(&tuned, rows), 3);
    press(KEY_F2, 3);
    expect_row("window", "3 of 3 ticks");
}

static void other_keys_are_not_its_own(void **state)
{
    (void)state;
    for (int key = 0; key < 256; key++) {
        assert_int_equal(tuner_key(&tuned, (uint8_t)key), key >= KEY_F2 && key <= KEY_F4);
    }
}

int main(void)
{
#define TUNER_TEST(name) cmocka_unit_test_setup_teardown(name, open_match, close_match)
    const struct CMUnitTest tests[] = {
        TUNER_TEST(keys_change_the_window_within_its_range),
        TUNER_TEST(below_no_delay_it_is_automatic),
        TUNER_TEST(keys_go_through_the_paces),
        TUNER_TEST(keys_change_one_thing_of_the_link_and_leave_the_rest),
        TUNER_TEST(parts_of_a_unit_are_shown_and_changed),
        TUNER_TEST(more_never_makes_it_less),
        TUNER_TEST(what_is_refused_changes_nothing),
        TUNER_TEST(without_an_emulated_link_it_has_no_rows),
        TUNER_TEST(other_keys_are_not_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
