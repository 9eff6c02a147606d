// SPDX-License-Identifier: MIT

#include "net/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "net/heard_log.h"

static void addresses_are_the_same_by_length_and_bytes(void **state)
{
    (void)state;
    bks_address a = {.length = 6, .bytes = {127, 0, 0, 1, 0x1e, 0x61}};
    bks_address b = a;
    assert_true(bks_address_equal(&a, &b));
    b.bytes[5]++;
    assert_false(bks_address_equal(&a, &b));
    b = a;
    b.length = 7;
    assert_false(bks_address_equal(&a, &b));
    assert_false(bks_address_equal(&a, NULL));
    assert_false(bks_address_equal(NULL, &a));
    assert_false(bks_address_equal(NULL, NULL));
    a.length = b.length = 32; // more than there can be
    assert_false(bks_address_equal(&a, &b));
}

static void assert_format(const bks_address *address, const char *wanted)
{
    char text[64];
    assert_int_equal(bks_udp_address_format(address, text, sizeof(text)), BKS_OK);
    assert_string_equal(text, wanted);
}

static void an_address_is_written_by_its_kind(void **state)
{
    (void)state;
    assert_format(&(bks_address){.length = 6, .bytes = {192, 168, 0, 7, 0x1e, 0x61}},
                  "192.168.0.7:7777");
    bks_address v6 = {.length = 18, .bytes = {[15] = 1, [16] = 0xff, [17] = 0xff}};
    assert_format(&v6, "[::1]:65535");
    assert_format(&(bks_address){.length = 3, .bytes = {0x0a, 0xff, 1}}, "0aff01");
    assert_format(&(bks_address){.length = 0}, "nowhere");
    bks_address longest = {.length = 31};
    memset(longest.bytes, 0xab, 31);
    assert_format(&longest, "ababababababababababababababababababababababababababababababab");
}

static void a_text_that_does_not_fit_is_cut(void **state)
{
    (void)state;
    bks_address address = {.length = 6, .bytes = {10, 0, 0, 1, 0, 80}};
    char text[12] = "???????????";
    assert_int_equal(bks_udp_address_format(&address, text, 8), BKS_ERR_TOO_SMALL);
    assert_string_equal(text, "10.0.0.");
    assert_int_equal(bks_udp_address_format(&address, text, 1), BKS_ERR_TOO_SMALL);
    assert_string_equal(text, "");
    assert_int_equal(bks_udp_address_format(&address, text, 12), BKS_OK);
    assert_string_equal(text, "10.0.0.1:80");
}

static void bad_arguments_of_format_are_named(void **state)
{
    (void)state;
    bks_address address = {.length = 32};
    char text[64];
    assert_int_equal(bks_udp_address_format(NULL, text, sizeof(text)), BKS_ERR_BAD_ARGUMENT);
    assert_logged("bks_udp_address_format address is NULL");
    assert_int_equal(bks_udp_address_format(&address, NULL, 64), BKS_ERR_BAD_ARGUMENT);
    assert_logged("out is NULL");
    assert_int_equal(bks_udp_address_format(&address, text, 0), BKS_ERR_BAD_ARGUMENT);
    assert_logged("capacity is 0");
    assert_int_equal(bks_udp_address_format(&address, text, 64), BKS_ERR_BAD_ARGUMENT);
    assert_logged("address->length is 32, must be 0..31");
}

static void assert_parts(const char *text, bool optional, const char *host, bool bracketed,
                         uint16_t port)
{
    bksi_host_port parts;
    assert_int_equal(
        bksi_host_port_parse("test", "text", text, 0, strlen(text), optional, &parts, NULL),
        BKS_OK);
    assert_string_equal(parts.host, host);
    assert_int_equal(parts.is_bracketed, bracketed);
    assert_int_equal(parts.port, port);
}

static void host_and_port_are_cut_apart(void **state)
{
    (void)state;
    assert_parts("127.0.0.1:7777", false, "127.0.0.1", false, 7777);
    assert_parts("[fe80::A:1]:1", false, "fe80::A:1", true, 1);
    assert_parts("my-host_2.example.org:65535", false, "my-host_2.example.org", false, 65535);
    assert_parts("7777", true, "", false, 7777);
    assert_parts("0", true, "", false, 0);
    assert_parts("a:00080", true, "a", false, 80);

    char longest[BKSI_HOST_BYTES_MAX + 3];
    memset(longest, 'a', BKSI_HOST_BYTES_MAX);
    memcpy(longest + BKSI_HOST_BYTES_MAX, ":9", 3);
    bksi_host_port parts;
    assert_int_equal(
        bksi_host_port_parse("test", "text", longest, 0, sizeof(longest) - 1, false, &parts, NULL),
        BKS_OK);
    assert_int_equal(strlen(parts.host), BKSI_HOST_BYTES_MAX);
}

static void a_wrong_text_is_refused_with_its_offset(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool optional;
        uint64_t offset;
        const char *says;
    } cases[] = {
        {"", false, 0, "no host"},
        {"", true, 0, "no port"},
        {":80", false, 0, "no host"},
        {"abc", false, 3, "no ':'"},
        {"abc", true, 0, "no port"},
        {"80 ", true, 2, "after its port"},
        {"a b:80", false, 1, "character"},
        {"a/b:80", false, 1, "character"},
        {"a\x01:80", false, 1, "character"},
        {"\xc3\xa4:80", false, 0, "character"},
        {"a:", false, 2, "no port"},
        {"a:x", false, 2, "no port"},
        {"a:-1", false, 2, "no port"},
        {"a:65536", false, 2, "too large"},
        {"a:99999", false, 2, "too large"},
        {"a:123456", false, 2, "too large"},
        {"a:80x", false, 4, "after its port"},
        {"::1:80", false, 0, "no host"},
        {"1::1:80", false, 2, "second ':'"},
        {"a:b:80", false, 2, "second ':'"},
        {"[", false, 1, "no host"},
        {"[]:80", false, 1, "no host"},
        {"[::1", false, 4, "no ']'"},
        {"[::1]", false, 5, "no ':'"},
        {"[::1]80", false, 5, "no ':'"},
        {"[::g]:80", false, 3, "character"},
        {"[fe80::1%eth0]:80", false, 8, "character"},
        {"[::1]:", false, 6, "no port"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bksi_host_port parts;
        bks_error error = {0};
        bks_status status =
            bksi_host_port_parse("test", "text", cases[i].text, 0, strlen(cases[i].text),
                                 cases[i].optional, &parts, &error);
        if (status != BKS_ERR_BAD_ARGUMENT || error.offset_bytes != cases[i].offset ||
            strstr(error.text, cases[i].says) == NULL) {
            fail_msg("\"%s\": %s at %u, \"%s\"; wanted %u, \"%s\"", cases[i].text,
                     bks_status_name(status), (unsigned)error.offset_bytes, error.text,
                     (unsigned)cases[i].offset, cases[i].says);
        }
    }
}

static void a_host_that_is_too_long_is_refused_there(void **state)
{
    (void)state;
    char text[BKSI_HOST_BYTES_MAX + 2];
    memset(text, 'a', sizeof(text));
    bksi_host_port parts;
    bks_error error = {0};
    assert_int_equal(
        bksi_host_port_parse("test", "text", text, 0, sizeof(text), false, &parts, &error),
        BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(error.offset_bytes, BKSI_HOST_BYTES_MAX);
}

static void nothing_behind_the_end_is_read(void **state)
{
    (void)state;
    const char text[] = "xx127.0.0.1:7777777";
    bksi_host_port parts;
    assert_int_equal(bksi_host_port_parse("test", "text", text, 2, 16, false, &parts, NULL),
                     BKS_OK);
    assert_string_equal(parts.host, "127.0.0.1");
    assert_int_equal(parts.port, 7777);
}

static void a_host_of_digits_is_a_number(void **state)
{
    (void)state;
    assert_true(bksi_host_is_number("1.2.3"));
    assert_true(bksi_host_is_number("42"));
    assert_true(bksi_host_is_number("a.1"));
    assert_false(bksi_host_is_number("1.example"));
    assert_false(bksi_host_is_number("example"));
    assert_false(bksi_host_is_number("1a"));
    assert_false(bksi_host_is_number(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_the_same_by_length_and_bytes),
        cmocka_unit_test(an_address_is_written_by_its_kind),
        cmocka_unit_test(a_text_that_does_not_fit_is_cut),
        cmocka_unit_test_setup_teardown(bad_arguments_of_format_are_named, listen_to_log,
                                        stop_listening),
        cmocka_unit_test(host_and_port_are_cut_apart),
        cmocka_unit_test(a_wrong_text_is_refused_with_its_offset),
        cmocka_unit_test(a_host_that_is_too_long_is_refused_there),
        cmocka_unit_test(nothing_behind_the_end_is_read),
        cmocka_unit_test(a_host_of_digits_is_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
