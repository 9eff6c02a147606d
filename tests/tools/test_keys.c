// SPDX-License-Identifier: MIT

#include "screen/window/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_read(const char *bytes, size_t count, const uint8_t *codes, uint32_t code_count)
{
    key_list found = {0};
    keys_read(&found, bytes, count);
    assert_int_equal(found.count, code_count);
    assert_memory_equal(found.codes, codes, code_count);
}

#define READS(bytes, ...)                                                      \
    do {                                                                       \
        const uint8_t codes[] = {__VA_ARGS__};                                 \
        assert_read(bytes, sizeof(bytes) - 1, codes, (uint32_t)sizeof(codes)); \
    } while (0)

static void characters_stand_for_themselves(void **state)
{
    (void)state;
    READS(" .,[]tq", ' ', '.', ',', '[', ']', 't', 'q');
    READS("TQ", 't', 'q');
}

static void codes_of_every_kind_of_terminal_are_keys(void **state)
{
    (void)state;
    READS("\033[A\033[B\033[C\033[D", KEY_UP, KEY_DOWN, KEY_RIGHT, KEY_LEFT);
    READS("\033OC\033OD", KEY_RIGHT, KEY_LEFT);
    READS("\033[H\033[F\033OH\033OF", KEY_HOME, KEY_END, KEY_HOME, KEY_END);
    READS("\033[1~\033[4~\033[7~\033[8~", KEY_HOME, KEY_END, KEY_HOME, KEY_END);
}

static void an_escape_alone_is_the_key(void **state)
{
    (void)state;
    READS("\033", KEY_ESCAPE);
    READS(".\033", '.', KEY_ESCAPE);
}

static void unknown_codes_are_passed_over_whole(void **state)
{
    (void)state;
    READS("\033[5~.\033[1;5Pq", '.', 'q');
    READS("\033x.", '.');
    READS("\xC3\xA4.", '.');
    key_list found = {0};
    keys_read(&found, "\033x", 2);
    assert_int_equal(found.count, 0);
    keys_read(&found, "\033[99999999999999999999", 22); // cut in the middle
    assert_int_equal(found.count, 0);
}

static void keys_that_do_not_fit_are_dropped(void **state)
{
    (void)state;
    char many[2 * KEYS_MAX];
    memset(many, 'a', sizeof(many));
    key_list found = {0};
    keys_read(&found, many, sizeof(many));
    assert_int_equal(found.count, KEYS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_stand_for_themselves),
        cmocka_unit_test(codes_of_every_kind_of_terminal_are_keys),
        cmocka_unit_test(an_escape_alone_is_the_key),
        cmocka_unit_test(unknown_codes_are_passed_over_whole),
        cmocka_unit_test(keys_that_do_not_fit_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
