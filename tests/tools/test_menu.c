// SPDX-License-Identifier: MIT

#include "play/menu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/det.h"
#include "play/menu_list.h"
#include "screen/window/canvas_soft.h"
#include "screen/window/font.h"
#include "screen/window/keys.h"

#define KEY  "#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
#define HOST "bks://192.0.2.7:7777/" KEY

static const char *const files[] = {"new.bks", "old.bks"};
static const menu_facts duel = {.game = "duel",
                                .seats_least = 1,
                                .seats_most = 4,
                                .has_bots = true,
                                .files = files,
                                .file_count = 2};

static void begin(menu *m, const menu_facts *facts)
{
    user_settings usual;
    settings_usual(&usual);
    menu_open(m, facts, &usual);
}

static void press(menu *m, const char *keys)
{
    for (; *keys != '\0'; keys++) {
        const uint8_t key = *keys == '^'   ? KEY_UP
                            : *keys == 'v' ? KEY_DOWN
                            : *keys == '<' ? KEY_LEFT
                            : *keys == '>' ? KEY_RIGHT
                            : *keys == '!' ? KEY_ENTER
                            : *keys == 'x' ? KEY_ESCAPE
                                           : (uint8_t)*keys;
        menu_key(m, key);
    }
}

static void two_enters_play_alone_against_a_bot(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "!");
    assert_int_equal(m.page, MENU_LOCAL);
    assert_int_equal(m.chosen, MENU_NOTHING);
    press(&m, "!");
    assert_int_equal(m.chosen, MENU_PLAY_LOCAL);
    assert_int_equal(m.players, 1);
    assert_int_equal(m.bots, 1);
}

static void players_and_bots_never_exceed_the_seats(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "!vv>>>>>>");
    assert_int_equal(m.bots, 3);
    press(&m, "^>");
    assert_int_equal(m.players, 2);
    assert_int_equal(m.bots, 2);
    press(&m, "4");
    assert_int_equal(m.players, 4);
    assert_int_equal(m.bots, 0);
    press(&m, "!"); // behind the most comes the least
    assert_int_equal(m.players, 1);
}

static void a_game_without_bots_asks_for_as_many_players_as_it_needs(void **state)
{
    (void)state;
    const menu_facts facts = {.game = "chess", .seats_least = 2, .seats_most = 2};
    menu m;
    begin(&m, &facts);
    press(&m, "!v<<!");
    assert_int_equal(m.players, 2);
    assert_int_equal(m.bots, 0);
}

static void bots_fill_the_seats_that_a_game_needs(void **state)
{
    (void)state;
    const menu_facts facts = {.game = "tag", .seats_least = 3, .seats_most = 4, .has_bots = true};
    menu m;
    begin(&m, &facts);
    press(&m, "!vv<<<");
    assert_int_equal(m.players, 1);
    assert_int_equal(m.bots, 2);
}

static void a_game_of_one_seat_is_not_hosted(void **state)
{
    (void)state;
    const menu_facts facts = {.game = "patience", .seats_least = 1, .seats_most = 1};
    menu m;
    begin(&m, &facts);
    menu_rows list;
    menu_list(&m, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        assert_true(list.rows[i].kind != MENU_ROW_GO ||
                    (list.rows[i].page != MENU_HOST && list.rows[i].page != MENU_JOIN));
    }
}

static void a_host_gets_the_port_that_was_typed(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "v!vvv8080");
    assert_int_equal(m.port, 8080);
    press(&m, "^^>^!");
    assert_int_equal(m.chosen, MENU_PLAY_HOST);
    assert_int_equal(m.seats, 3);
    assert_int_equal(m.here, 1);
}

static void a_host_leaves_a_seat_for_another_machine(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "v!vv>>>>");
    assert_int_equal(m.seats, 2);
    assert_int_equal(m.here, 1);
    press(&m, "^>v>>>>"); // three of them
    assert_int_equal(m.here, 2);
}

static void a_number_is_typed_anew_each_time_and_taken_back_digit_by_digit(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "v!vvv5000^v6000");
    assert_int_equal(m.port, 6000);
    menu_key(&m, KEY_BACKSPACE);
    assert_int_equal(m.port, 600);
    press(&m, "1");
    assert_int_equal(m.port, 6001);
    assert_int_equal(m.page, MENU_HOST);
}

static void only_an_invitation_in_the_clipboard_can_be_joined(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "vv!");
    assert_int_equal(m.page, MENU_JOIN);
    static const char *const others[] = {
        "", "bks://", "hello", "http://192.0.2.7:7777/" KEY, "bks://192.0.2.7:7777/#short", NULL};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        menu_offer(&m, others[i]);
        assert_string_equal(m.invitation, "");
        menu_rows list;
        menu_list(&m, &list);
        for (uint32_t k = 0; k < list.count; k++) {
            assert_int_not_equal(list.rows[k].choice, MENU_PLAY_JOIN);
        }
    }
    menu_offer(&m, "  " HOST "\r\n");
    assert_string_equal(m.invitation, HOST);
    assert_string_equal(m.address, "192.0.2.7:7777");
    press(&m, "!");
    assert_int_equal(m.chosen, MENU_PLAY_JOIN);
}

static void the_match_of_an_invitation_can_be_watched(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "vv!");
    menu_offer(&m, HOST);
    press(&m, "vv!");
    assert_int_equal(m.chosen, MENU_PLAY_FOLLOW);
    assert_string_equal(m.invitation, HOST);
}

static void an_invitation_for_watching_opens_no_seat(void **state)
{
    (void)state;
    char text[BKS_INVITATION_BYTES_MAX];
    assert_int_equal(bks_invitation_to_watch(HOST, text, sizeof(text)), BKS_OK);
    menu m;
    begin(&m, &duel);
    press(&m, "vv!");
    menu_offer(&m, text);
    menu_rows list;
    menu_list(&m, &list);
    for (uint32_t k = 0; k < list.count; k++) {
        assert_int_not_equal(list.rows[k].choice, MENU_PLAY_JOIN);
    }
    press(&m, "!");
    assert_int_equal(m.chosen, MENU_PLAY_FOLLOW);
    assert_string_equal(m.invitation, text);
}

static bool says(menu *m, const char *text)
{
    menu_rows list;
    menu_list(m, &list);
    bool is_said = false;
    for (uint32_t i = 0; i < list.count; i++) {
        is_said |= strstr(list.rows[i].label, text) != NULL;
    }
    return is_said;
}

static void an_invitation_that_is_damaged_is_named_as_such(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "vv!");
    menu_offer(&m, "hello");
    assert_true(says(&m, "no invitation in the clipboard"));
    menu_offer(&m, "bks://192.0.2.7:7777/#short");
    assert_true(says(&m, "invitation is damaged"));
    assert_true(says(&m, "it has a key of 5 letters") && says(&m, "must have 43"));
    assert_false(says(&m, "no invitation"));
    static char text[1000];
    memset(text, 'A', sizeof(text) - 1);
    memcpy(text, "bks://", 6);
    menu_offer(&m, text);
    assert_true(says(&m, "it is too long"));
    menu_offer(&m, HOST);
    assert_false(says(&m, "damaged"));
}

static void a_clipboard_that_is_too_long_is_no_invitation(void **state)
{
    (void)state;
    static char text[4096];
    memset(text, 'A', sizeof(text) - 1);
    memcpy(text, "bks://", 6);
    menu m;
    begin(&m, &duel);
    menu_offer(&m, text);
    assert_string_equal(m.invitation, "");
}

static void the_recording_that_is_lit_is_watched(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "vvv!v!");
    assert_int_equal(m.chosen, MENU_PLAY_WATCH);
    assert_int_equal(m.file, 1);
}

static void recordings_that_are_gone_leave_another_row_lit(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "vvv!v");
    menu_refresh(&m, NULL, 0, 0);
    press(&m, "!"); // back, the only one left
    assert_int_equal(m.page, MENU_START);
    assert_int_equal(m.chosen, MENU_NOTHING);
}

static void the_lit_recording_stays_lit_when_others_come(void **state)
{
    (void)state;
    static const char *const more[] = {"newest.bks", "new.bks", "old.bks"};
    menu m;
    begin(&m, &duel);
    press(&m, "vvv!");
    menu_refresh(&m, more, 3, 0);
    press(&m, "!");
    assert_int_equal(m.chosen, MENU_PLAY_WATCH);
    assert_string_equal(more[m.file], "new.bks");
    begin(&m, &duel);
    press(&m, "vvv!vv"); // back
    menu_refresh(&m, more, 3, 0);
    press(&m, "!");
    assert_int_equal(m.page, MENU_START);
}

static void recordings_that_come_light_the_newest(void **state)
{
    (void)state;
    static const char *const come[] = {"a.bks", "b.bks"};
    menu_facts none = duel;
    none.file_count = 0;
    menu m;
    begin(&m, &none);
    menu_refresh(&m, come, 2, 5);
    press(&m, "vvv!");
    menu_rows list;
    menu_list(&m, &list);
    assert_int_equal(m.lit[MENU_WATCH], 0);
    assert_int_equal(list.count, 4);
    assert_non_null(strstr(list.rows[2].label, "older"));
}

static void escape_goes_back_and_pressed_twice_on_the_first_page_quits(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "v!x");
    assert_int_equal(m.page, MENU_START);
    assert_int_equal(m.chosen, MENU_NOTHING);
    press(&m, "x"); // lights the way out
    assert_int_equal(m.chosen, MENU_NOTHING);
    press(&m, "x");
    assert_int_equal(m.chosen, MENU_QUIT);
}

static void escape_after_watching_goes_to_the_recordings_the_first_page_and_out(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "vvv!v!");
    menu_return(&m, "");
    assert_int_equal(m.page, MENU_WATCH);
    assert_int_equal(m.lit[MENU_WATCH], 1);
    press(&m, "x");
    assert_int_equal(m.page, MENU_START);
    press(&m, "x");
    assert_int_equal(m.chosen, MENU_NOTHING);
    press(&m, "xv");
    assert_int_equal(m.chosen, MENU_QUIT);
}

static void a_key_that_is_pressed_is_bound_to_the_row(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "^^!vvvv!");
    assert_int_equal(m.page, MENU_KEYS);
    assert_int_equal(m.hand, KEY_HAND_FIRST);
    press(&m, "v!");
    assert_true(m.waits_for_key);
    menu_bind(&m, key_place_named("X", 1));
    assert_false(m.waits_for_key);
    assert_int_equal(m.settings.keys.keys[KEY_HAND_FIRST][KEY_ACTION_LEFT][0],
                     key_place_named("X", 1));
    press(&m, "!x"); // Escape leaves it, and the page
    assert_false(m.waits_for_key);
    assert_int_equal(m.page, MENU_KEYS);
    press(&m, "!");
    menu_bind(&m, key_place_named("F1", 2));
    assert_string_equal(m.note, "F1 cannot be had, it stays as it was");
    assert_int_equal(m.settings.keys.keys[KEY_HAND_FIRST][KEY_ACTION_LEFT][0],
                     key_place_named("X", 1));
    press(&m, "^^^!"); // the usual keys
    assert_int_equal(m.settings.keys.keys[KEY_HAND_FIRST][KEY_ACTION_LEFT][0],
                     key_place_named("A", 1));
    press(&m, "xx");
    assert_int_equal(m.page, MENU_START);
    menu_bind(&m, key_place_named("X", 1)); // there is no row for it
}

static key_place *left_keys(menu *m)
{
    return m->settings.keys.keys[KEY_HAND_FIRST][KEY_ACTION_LEFT];
}

static void a_second_key_is_added_and_backspace_takes_both_away(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "^^!vvvv!v>");
    assert_true(m.waits_for_key);
    menu_bind(&m, key_place_named("X", 1));
    assert_int_equal(left_keys(&m)[0], key_place_named("A", 1));
    assert_int_equal(left_keys(&m)[1], key_place_named("X", 1));
    press(&m, ">");
    menu_bind(&m, key_place_named("Y", 1)); // instead of the second one
    assert_int_equal(left_keys(&m)[0], key_place_named("A", 1));
    assert_int_equal(left_keys(&m)[1], key_place_named("Y", 1));
    menu_key(&m, KEY_BACKSPACE);
    assert_int_equal(left_keys(&m)[0], 0);
    assert_int_equal(left_keys(&m)[1], 0);
    assert_int_equal(m.page, MENU_KEYS);
    press(&m, ">");
    menu_bind(&m, key_place_named("X", 1)); // there is no first one
    assert_int_equal(left_keys(&m)[0], key_place_named("X", 1));
}

static void a_key_that_meant_something_else_is_said_to(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "^^!vvvv!v!");
    menu_bind(&m, key_place_named("K", 1));
    assert_string_equal(m.note, "K was \"lower button\" of the right half, which has it no more");
    press(&m, "!");
    menu_bind(&m, key_place_named("W", 1));
    assert_string_equal(m.note, "W was \"up\" here, which has it no more");
    press(&m, "!");
    menu_bind(&m, key_place_named("W", 1)); // it is this row's
    assert_string_equal(m.note, "");
}

static void the_volume_is_a_setting(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "^^!vv<<<");
    assert_int_equal(m.settings.volume, 7);
    menu_rows list;
    menu_list(&m, &list);
    char value[MENU_TEXT_BYTES];
    menu_value(&m, &list.rows[2], value);
    assert_string_equal(value, "< 70 % >");
}

static void the_keys_of_the_sound_set_the_volume_on_every_page(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "-");
    assert_int_equal(m.settings.volume, 9);
    assert_string_equal(m.note, "sound at 90 %");
    press(&m, "^^!-"); // the row of the screen is lit
    assert_int_equal(m.settings.volume, 8);
    press(&m, "+==");
    assert_int_equal(m.settings.volume, 10);
    press(&m, "---m");
    assert_int_equal(m.settings.volume, 0);
    assert_string_equal(m.note, "sound off");
    press(&m, "m");
    assert_int_equal(m.settings.volume, 7);
    menu_set_volume(&m, 0); // by a match
    press(&m, "m");
    assert_int_equal(m.settings.volume, 7);
    press(&m, "vvv!v!m"); // a key that is waited for is none of these
    assert_int_equal(m.settings.volume, 7);
}

static float right_most;

static void measure_text(void *context, float x, float y, float size, bks_colour colour,
                         const char *text)
{
    (void)context, (void)y, (void)colour;
    const float right = x + (float)font_width_px((uint32_t)(size + 0.5F), text);
    right_most = right > right_most ? right : right_most;
}

static void a_long_name_is_shown_within_the_row(void **state)
{
    (void)state;
    static char name[300];
    memset(name, 'n', 250);
    memcpy(name + 250, ".bks", 5);
    const char *const names[] = {name};
    canvas_soft picture = {0};
    menu m;
    begin(&m, &duel);
    menu_refresh(&m, names, 1, 0);
    press(&m, "vvv!");
    assert_true(canvas_soft_resize(&picture, 800, 500));
    bks_canvas canvas = canvas_soft_canvas(&picture, false);
    canvas.text = measure_text;
    right_most = 0.0F;
    menu_page_draw(&m, "a game", &canvas);
    float right = 799.0F;
    while (menu_page_row_at(&m, 800.0F, 500.0F, right, 250.0F) == UINT32_MAX && right > 400.0F &&
           menu_page_row_at(&m, 800.0F, 500.0F, right, 150.0F) == UINT32_MAX) {
        right -= 1.0F;
    }
    assert_true(right_most > 400.0F && right_most <= right);
    canvas_soft_close(&picture);
}

static void switches_are_the_settings(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "^^!>v!");
    assert_true(m.settings.is_full_screen);
    assert_true(m.settings.has_overlay);
    press(&m, "!^<");
    assert_false(m.settings.is_full_screen);
    assert_false(m.settings.has_overlay);
}

static void what_came_of_a_match_stays_until_another_page(void **state)
{
    (void)state;
    menu m;
    begin(&m, &duel);
    press(&m, "!!");
    menu_return(&m, "duel: no one came");
    assert_int_equal(m.chosen, MENU_NOTHING);
    assert_string_equal(m.note, "duel: no one came");
    press(&m, "v");
    assert_string_equal(m.note, "duel: no one came");
    press(&m, "!");
    assert_string_equal(m.note, "");
}

// Whatever is pressed: a row that can be taken is lit, and all numbers are in their range.
static void assert_is_sound(menu *m)
{
    menu_rows list;
    menu_list(m, &list);
    assert_in_range(list.count, 1, MENU_ROWS_MAX);
    assert_in_range(m->lit[m->page], 0, list.count - 1);
    assert_true(menu_row_is_live(&list.rows[m->lit[m->page]]));
    for (uint32_t i = 0; i < list.count; i++) {
        const menu_row *row = &list.rows[i];
        if (row->kind == MENU_ROW_NUMBER) {
            assert_true(row->least <= *row->number && *row->number <= row->greatest);
        }
    }
    assert_in_range(m->players + m->bots, m->facts.seats_least, m->facts.seats_most);
}

static void any_keys_leave_it_sound(void **state)
{
    (void)state;
    bks_random random;
    bks_random_seed(&random, 1, 1);
    for (int run = 0; run < 200; run++) {
        menu_facts facts = duel;
        facts.seats_most = (uint32_t)bks_random_between(&random, 1, 16);
        facts.seats_least = (uint32_t)bks_random_between(&random, 1, (int32_t)facts.seats_most);
        facts.has_bots = run % 2 == 0;
        menu m;
        begin(&m, &facts);
        for (int i = 0; i < 300; i++) {
            static const char keys[] = "^v<>!x0123456789";
            const char key[2] = {keys[bks_random_below(&random, sizeof(keys) - 1)], '\0'};
            press(&m, key);
            if (m.chosen != MENU_NOTHING) {
                menu_return(&m, "");
            }
            menu_offer(&m, i % 7 < 3 ? HOST : NULL);
            menu_bind(&m, (key_place)bks_random_below(&random, 300));
            assert_is_sound(&m);
        }
    }
}

static void each_row_is_where_it_is_drawn(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1120, 720}, {320, 200}, {160, 160}, {3840, 2160}};
    menu m;
    begin(&m, &duel);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const float width = (float)sizes[i][0];
        const float height = (float)sizes[i][1];
        uint32_t seen = UINT32_MAX;
        uint32_t rows = 0;
        for (float y = 0.0F; y < height; y += 1.0F) {
            const uint32_t row = menu_page_row_at(&m, width, height, width / 2.0F, y);
            rows += row != seen && row != UINT32_MAX;
            seen = row;
            assert_int_equal(menu_page_row_at(&m, width, height, -1.0F, y), UINT32_MAX);
        }
        menu_rows list;
        menu_list(&m, &list);
        assert_in_range(rows, 1, list.count);
        assert_true(sizes[i][1] < 700 || rows == list.count);
        canvas_soft picture = {0};
        assert_true(canvas_soft_resize(&picture, sizes[i][0], sizes[i][1]));
        const bks_canvas canvas = canvas_soft_canvas(&picture, false);
        menu_page_draw(&m, "a game", &canvas);
        canvas_soft_close(&picture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_enters_play_alone_against_a_bot),
        cmocka_unit_test(players_and_bots_never_exceed_the_seats),
        cmocka_unit_test(a_game_without_bots_asks_for_as_many_players_as_it_needs),
        cmocka_unit_test(bots_fill_the_seats_that_a_game_needs),
        cmocka_unit_test(a_game_of_one_seat_is_not_hosted),
        cmocka_unit_test(a_host_gets_the_port_that_was_typed),
        cmocka_unit_test(a_host_leaves_a_seat_for_another_machine),
        cmocka_unit_test(a_number_is_typed_anew_each_time_and_taken_back_digit_by_digit),
        cmocka_unit_test(the_lit_recording_stays_lit_when_others_come),
        cmocka_unit_test(recordings_that_come_light_the_newest),
        cmocka_unit_test(only_an_invitation_in_the_clipboard_can_be_joined),
        cmocka_unit_test(a_clipboard_that_is_too_long_is_no_invitation),
        cmocka_unit_test(the_recording_that_is_lit_is_watched),
        cmocka_unit_test(recordings_that_are_gone_leave_another_row_lit),
        cmocka_unit_test(escape_goes_back_and_pressed_twice_on_the_first_page_quits),
        cmocka_unit_test(escape_after_watching_goes_to_the_recordings_the_first_page_and_out),
        cmocka_unit_test(the_match_of_an_invitation_can_be_watched),
        cmocka_unit_test(an_invitation_for_watching_opens_no_seat),
        cmocka_unit_test(an_invitation_that_is_damaged_is_named_as_such),
        cmocka_unit_test(a_second_key_is_added_and_backspace_takes_both_away),
        cmocka_unit_test(a_key_that_meant_something_else_is_said_to),
        cmocka_unit_test(the_volume_is_a_setting),
        cmocka_unit_test(the_keys_of_the_sound_set_the_volume_on_every_page),
        cmocka_unit_test(a_long_name_is_shown_within_the_row),
        cmocka_unit_test(a_key_that_is_pressed_is_bound_to_the_row),
        cmocka_unit_test(switches_are_the_settings),
        cmocka_unit_test(what_came_of_a_match_stays_until_another_page),
        cmocka_unit_test(any_keys_leave_it_sound),
        cmocka_unit_test(each_row_is_where_it_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
