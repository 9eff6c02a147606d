// SPDX-License-Identifier: MIT

#include "screen/window/seat_devices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "backstitch/det.h"

static void expect(const seat_devices *d, uint32_t seat, key_hand hand, int32_t pad)
{
    assert_int_equal(seat_devices_hand(d, seat), hand);
    assert_int_equal(seat_devices_pad(d, seat), pad);
}

static void a_player_alone_has_keyboard_and_gamepad(void **state)
{
    (void)state;
    seat_devices d = {0};
    seat_devices_share(&d, 1);
    expect(&d, 0, KEY_HAND_ALONE, SEAT_NO_PAD);
    seat_devices_plug(&d, 7);
    expect(&d, 0, KEY_HAND_ALONE, 7);
    seat_devices_plug(&d, 8); // a spare one
    seat_devices_unplug(&d, 7);
    expect(&d, 0, KEY_HAND_ALONE, 8);
}

static void two_share_the_keyboard_until_one_has_a_gamepad(void **state)
{
    (void)state;
    seat_devices d = {0};
    seat_devices_share(&d, 2);
    expect(&d, 0, KEY_HAND_FIRST, SEAT_NO_PAD);
    expect(&d, 1, KEY_HAND_SECOND, SEAT_NO_PAD);
    seat_devices_plug(&d, 3);
    expect(&d, 0, KEY_HAND_ALONE, SEAT_NO_PAD);
    expect(&d, 1, KEY_HANDS, 3);
    seat_devices_unplug(&d, 3);
    expect(&d, 0, KEY_HAND_FIRST, SEAT_NO_PAD);
    expect(&d, 1, KEY_HAND_SECOND, SEAT_NO_PAD);
}

static void gamepads_that_are_there_go_to_the_last_players(void **state)
{
    (void)state;
    seat_devices d = {0};
    seat_devices_plug(&d, 0);
    seat_devices_plug(&d, 1);
    seat_devices_share(&d, 3);
    expect(&d, 0, KEY_HAND_ALONE, SEAT_NO_PAD);
    expect(&d, 1, KEY_HANDS, 0);
    expect(&d, 2, KEY_HANDS, 1);
}

static void four_with_one_gamepad_leave_one_with_nothing_until_another_comes(void **state)
{
    (void)state;
    seat_devices d = {0};
    seat_devices_plug(&d, 0);
    seat_devices_share(&d, 4);
    expect(&d, 0, KEY_HAND_FIRST, SEAT_NO_PAD);
    expect(&d, 1, KEY_HAND_SECOND, SEAT_NO_PAD);
    expect(&d, 2, KEY_HANDS, 0);
    expect(&d, 3, KEY_HANDS, SEAT_NO_PAD);
    seat_devices_plug(&d, 5);
    expect(&d, 1, KEY_HAND_SECOND, SEAT_NO_PAD);
    expect(&d, 3, KEY_HANDS, 5);
}

static void no_player_loses_a_gamepad_to_another(void **state)
{
    (void)state;
    seat_devices d = {0};
    for (int32_t pad = 10; pad < 13; pad++) {
        seat_devices_plug(&d, pad);
    }
    seat_devices_share(&d, 3);
    seat_devices_unplug(&d, 11);
    expect(&d, 0, KEY_HANDS, 10);
    expect(&d, 1, KEY_HAND_ALONE, SEAT_NO_PAD);
    expect(&d, 2, KEY_HANDS, 12);
    seat_devices_plug(&d, 14); // the same one again, by another number
    expect(&d, 0, KEY_HANDS, 10);
    expect(&d, 1, KEY_HANDS, 14);
    expect(&d, 2, KEY_HANDS, 12);
}

static void another_match_shares_them_anew(void **state)
{
    (void)state;
    seat_devices d = {0};
    seat_devices_plug(&d, 1);
    seat_devices_share(&d, 2);
    expect(&d, 1, KEY_HANDS, 1);
    seat_devices_share(&d, 1);
    expect(&d, 0, KEY_HAND_ALONE, 1);
    seat_devices_share(&d, 2);
    expect(&d, 0, KEY_HAND_ALONE, SEAT_NO_PAD);
    expect(&d, 1, KEY_HANDS, 1);
}

// However they come and go: each gamepad has one player at most, and the keyboard two.
static void no_device_has_two_players(void **state)
{
    (void)state;
    bks_random random;
    bks_random_seed(&random, 1, 1);
    for (int run = 0; run < 200; run++) {
        seat_devices d = {0};
        bool is_there[24] = {false};
        for (int i = 0; i < 200; i++) {
            const int32_t pad = (int32_t)bks_random_below(&random, 24);
            if (bks_random_below(&random, 40) == 0) {
                seat_devices_share(&d, 1 + bks_random_below(&random, BKS_PLAYERS_MAX));
            } else if (is_there[pad]) {
                seat_devices_unplug(&d, pad);
                is_there[pad] = false;
            } else {
                seat_devices_plug(&d, pad);
                is_there[pad] = true;
            }
            uint32_t with[24] = {0};
            uint32_t hands[KEY_HANDS + 1] = {0};
            for (uint32_t seat = 0; seat < d.seats; seat++) {
                const int32_t has = seat_devices_pad(&d, seat);
                assert_true(has == SEAT_NO_PAD || (is_there[has] && ++with[has] == 1));
                hands[seat_devices_hand(&d, seat)]++;
            }
            assert_true(hands[KEY_HAND_ALONE] <= 1);
            assert_int_equal(hands[KEY_HAND_FIRST], hands[KEY_HAND_SECOND]);
            assert_true(hands[KEY_HAND_FIRST] + hands[KEY_HAND_ALONE] <= 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_player_alone_has_keyboard_and_gamepad),
        cmocka_unit_test(two_share_the_keyboard_until_one_has_a_gamepad),
        cmocka_unit_test(gamepads_that_are_there_go_to_the_last_players),
        cmocka_unit_test(four_with_one_gamepad_leave_one_with_nothing_until_another_comes),
        cmocka_unit_test(no_player_loses_a_gamepad_to_another),
        cmocka_unit_test(another_match_shares_them_anew),
        cmocka_unit_test(no_device_has_two_players),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
