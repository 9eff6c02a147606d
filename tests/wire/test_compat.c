// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/join.h"

static bksi_compat compat_of(const char *game)
{
    bksi_compat compat = {.protocol = 3,
                          .game_version = 1,
                          .layout = UINT64_C(0x1122334455667788),
                          .setup_form = 7,
                          .tick_rate_hz = 60,
                          .arithmetic = bksi_arithmetic_right};
    memcpy(compat.game, game, strlen(game) + 1);
    return compat;
}

static void assert_described(const bksi_compat *ours, const bksi_compat *theirs,
                             bksi_mismatch mismatch, const char *wanted)
{
    char text[104];
    assert_int_equal(bksi_compat_compare(ours, theirs), mismatch);
    bksi_compat_describe(mismatch, ours, theirs, text, sizeof(text));
    assert_string_equal(text, wanted);
}

/// Add differences from the last one to the first: each is reported before those after it.
static void the_first_difference_is_named_with_both_values(void **context)
{
    (void)context;
    const bksi_compat ours = compat_of("pad");
    bksi_compat theirs = ours;
    assert_described(&ours, &theirs, BKSI_MISMATCH_NONE, "nothing differs");
    theirs.arithmetic.sums[8] ^= 1;
    assert_described(&ours, &theirs, BKSI_MISMATCH_ARITHMETIC,
                     "another arithmetic: double * is not as IEEE 754 has it on their machine");
    theirs.tick_rate_hz = 50;
    assert_described(&ours, &theirs, BKSI_MISMATCH_TICK_RATE,
                     "another tick rate: theirs 50 a second, ours 60");
    theirs.setup_form++;
    assert_described(&ours, &theirs, BKSI_MISMATCH_SETUP,
                     "another `pad`: its options, command_bytes_max or command_room_bytes "
                     "differ");
    theirs.layout = UINT64_C(0xa1b2c3d4e5f60718);
    assert_described(&ours, &theirs, BKSI_MISMATCH_LAYOUT,
                     "another build of `pad`: its input layout is a1b2c3d4, ours 11223344");
    theirs.game_version = 2;
    assert_described(&ours, &theirs, BKSI_MISMATCH_VERSION,
                     "another version of `pad`: theirs 2, ours 1");
    memcpy(theirs.game, "duel", 5);
    assert_described(&ours, &theirs, BKSI_MISMATCH_GAME,
                     "another game: theirs is `duel`, ours `pad`");
    theirs.protocol = 4;
    assert_described(&ours, &theirs, BKSI_MISMATCH_PROTOCOL,
                     "another Backstitch: theirs speaks protocol 4, ours 3");
}

static void a_machine_with_other_arithmetic_is_distinguished(void **context)
{
    (void)context;
    bksi_compat ours = compat_of("pad");
    bksi_compat theirs = ours;
    ours.arithmetic.sums[0] ^= 1;
    assert_described(&ours, &theirs, BKSI_MISMATCH_ARITHMETIC,
                     "another arithmetic: float + is not as IEEE 754 has it on our machine");
    theirs.arithmetic.sums[0] ^= 2;
    assert_described(&ours, &theirs, BKSI_MISMATCH_ARITHMETIC,
                     "another arithmetic: float + is not as IEEE 754 has it on both machines");
}

static void no_text_is_cut(void **context)
{
    (void)context;
    bksi_compat ours = compat_of("a game whose name has 31 bytes.");
    bksi_compat theirs = compat_of("another one of just the length.");
    ours.protocol = theirs.protocol = UINT16_MAX;
    ours.game_version = theirs.game_version = UINT32_MAX;
    ours.tick_rate_hz = theirs.tick_rate_hz = UINT16_MAX;
    theirs.arithmetic.sums[14] = 0; // the longest name of an operation
    for (int mismatch = BKSI_MISMATCH_PROTOCOL; mismatch <= BKSI_MISMATCH_ARITHMETIC; mismatch++) {
        char text[512];
        bksi_compat_describe((bksi_mismatch)mismatch, &ours, &theirs, text, sizeof(text));
        if (strlen(text) >= 104) {
            fail_msg("%zu bytes: %s", strlen(text), text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_difference_is_named_with_both_values),
        cmocka_unit_test(a_machine_with_other_arithmetic_is_distinguished),
        cmocka_unit_test(no_text_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
