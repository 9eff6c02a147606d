// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *written;
static size_t written_bytes;

static json begin(void)
{
    json out;
    json_begin(&out, open_memstream(&written, &written_bytes));
    return out;
}

static void assert_written(json *out, const char *expected)
{
    assert_true(json_end(out));
    fclose(out->out);
    assert_string_equal(written, expected);
    free(written);
}

static void values_of_every_kind_are_written(void **state)
{
    (void)state;
    json out = begin();
    json_int(&out, "int", INT64_MIN);
    json_uint(&out, "uint", UINT64_MAX);
    json_number(&out, "number", 1.25, 3);
    json_bool(&out, "bool", true);
    json_null(&out, "null");
    json_hash(&out, "hash", 0xAB);
    json_text(&out, "none", NULL);
    json_tick(&out, "tick", 7);
    json_tick(&out, "no tick", BKS_TICK_NONE);
    assert_written(&out, "{\n"
                         "  \"int\": -9223372036854775808,\n"
                         "  \"uint\": 18446744073709551615,\n"
                         "  \"number\": 1.25,\n"
                         "  \"bool\": true,\n"
                         "  \"null\": null,\n"
                         "  \"hash\": \"00000000000000ab\",\n"
                         "  \"none\": null,\n"
                         "  \"tick\": 7,\n"
                         "  \"no tick\": null\n"
                         "}\n");
}

static void objects_and_arrays_nest(void **state)
{
    (void)state;
    json out = begin();
    json_array(&out, "peers");
    json_object(&out, NULL);
    json_row(&out, "players");
    json_int(&out, NULL, 0);
    json_int(&out, NULL, 1);
    json_close(&out);
    json_close(&out);
    json_close(&out);
    json_object(&out, "empty");
    json_close(&out);
    assert_written(&out, "{\n"
                         "  \"peers\": [\n"
                         "    {\n"
                         "      \"players\": [0, 1]\n"
                         "    }\n"
                         "  ],\n"
                         "  \"empty\": {}\n"
                         "}\n");
}

static void open_objects_are_closed_at_the_end(void **state)
{
    (void)state;
    json out = begin();
    json_array(&out, "a");
    json_object(&out, NULL);
    assert_written(&out, "{\n  \"a\": [\n    {}\n  ]\n}\n");
}

static void text_is_escaped(void **state)
{
    (void)state;
    json out = begin();
    json_text(&out, "a\"b", "quote \" slash \\ line \n tab \t bell \a");
    assert_written(&out, "{\n  \"a\\\"b\": \"quote \\\" slash \\\\ line \\n tab \\u0009 bell "
                         "\\u0007\"\n}\n");
}

static void good_utf8_stays_and_bad_bytes_are_replaced(void **state)
{
    (void)state;
    json out = begin();
    json_text(&out, "good", "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x8E\xAE");
    json_text(&out, "cut", "x\xE2\x82");
    json_text(&out, "overlong", "\xC0\xAF");
    json_text(&out, "surrogate", "\xED\xA0\x80");
    json_text(&out, "stray", "\x80z");
    assert_written(&out, "{\n"
                         "  \"good\": \"\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x8E\xAE\",\n"
                         "  \"cut\": \"x\\ufffd\\ufffd\",\n"
                         "  \"overlong\": \"\\ufffd\\ufffd\",\n"
                         "  \"surrogate\": \"\\ufffd\\ufffd\\ufffd\",\n"
                         "  \"stray\": \"\\ufffdz\"\n"
                         "}\n");
}

static void numbers_are_json_whatever_they_hold(void **state)
{
    (void)state;
    json out = begin();
    json_number(&out, "nan", (double)NAN, 2);
    json_number(&out, "inf", (double)INFINITY, 2);
    json_number(&out, "whole", 3.0, 3);
    json_number(&out, "none", 2.6, 0);
    json_number(&out, "large", 1e300, 1);
    json_number(&out, "minus", -0.0625, 4);
    assert_true(json_end(&out));
    fclose(out.out);
    assert_non_null(strstr(written, "\"nan\": null,\n  \"inf\": null,\n  \"whole\": 3.0,\n"
                                    "  \"none\": 3,\n  \"large\": 1000000000000000052504760"));
    assert_non_null(strstr(written, "\"minus\": -0.0625\n"));
    free(written);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL) {
        skip();
    }
    json out;
    json_begin(&out, full);
    assert_false(json_end(&out));
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind_are_written),
        cmocka_unit_test(objects_and_arrays_nest),
        cmocka_unit_test(open_objects_are_closed_at_the_end),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(good_utf8_stays_and_bad_bytes_are_replaced),
        cmocka_unit_test(numbers_are_json_whatever_they_hold),
        cmocka_unit_test(a_full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
