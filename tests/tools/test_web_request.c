// SPDX-License-Identifier: MIT

// What a browser, or anyone on this machine, may send to the page of the inspector, byte by byte:
// much of it no HTTP library would write.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/web_request.h"

enum { PORT = 8080 };

#define OWN   "Host: 127.0.0.1:8080\r\n"
#define EVIL  "Host: evil.example\r\n"
#define MINE  "Origin: http://127.0.0.1:8080\r\n"
#define OTHER "Origin: http://evil.example\r\n"

static web_request request;

/// Take a request as it comes.
/// @return whether all of it is there
static bool take(const char *bytes, size_t count, bool *is_wrong)
{
    assert_true(count <= WEB_HEAD_BYTES);
    request = (web_request){.count = count};
    memcpy(request.head, bytes, count);
    return web_request_is_whole(&request, is_wrong);
}

static web_route route_of(const char *text)
{
    bool is_wrong = true;
    assert_true(take(text, strlen(text), &is_wrong));
    assert_false(is_wrong);
    return web_request_route(&request, PORT);
}

static void a_request_that_names_two_hosts_is_meant_for_neither(void **state)
{
    (void)state;
    assert_int_equal(route_of("GET / HTTP/1.1\r\n" OWN "\r\n"), WEB_PAGE);
    assert_int_equal(route_of("GET /data HTTP/1.1\r\n" OWN "\r\n"), WEB_DATA);
    assert_int_equal(route_of("GET / HTTP/1.1\r\n\r\n"), WEB_FORBIDDEN);
    assert_int_equal(route_of("GET / HTTP/1.1\r\n" EVIL "\r\n"), WEB_FORBIDDEN);
    assert_int_equal(route_of("GET / HTTP/1.1\r\n" OWN EVIL "\r\n"), WEB_FORBIDDEN);
    assert_int_equal(route_of("GET / HTTP/1.1\r\n" EVIL OWN "\r\n"), WEB_FORBIDDEN);
    assert_int_equal(route_of("GET /data HTTP/1.1\r\n" OWN OWN "\r\n"), WEB_FORBIDDEN);
}

static void a_change_has_one_origin_and_it_is_ours(void **state)
{
    (void)state;
    assert_int_equal(route_of("POST /change HTTP/1.1\r\n" OWN MINE "\r\n"), WEB_CHANGE);
    assert_int_equal(route_of("POST /change HTTP/1.1\r\n" OWN "\r\n"), WEB_FORBIDDEN);
    assert_int_equal(route_of("POST /change HTTP/1.1\r\n" OWN OTHER "\r\n"), WEB_FORBIDDEN);
    assert_int_equal(route_of("POST /change HTTP/1.1\r\n" OWN MINE OTHER "\r\n"), WEB_FORBIDDEN);
    assert_int_equal(route_of("POST /change HTTP/1.1\r\n" OWN OTHER MINE "\r\n"), WEB_FORBIDDEN);
    assert_int_equal(route_of("GET /data HTTP/1.1\r\n" OWN MINE OTHER "\r\n"), WEB_FORBIDDEN);
}

static void a_line_ends_with_both_characters_and_the_path_is_in_the_first(void **state)
{
    (void)state;
    assert_int_equal(route_of("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\nX: 1\r\n\r\n"),
                     WEB_FORBIDDEN);
    assert_int_equal(route_of("GET\r\nHost:127.0.0.1:8080\r\n\r\n /data "), WEB_NOT_FOUND);
}

/// What stands behind the head is no header.
static void a_body_names_neither_host_nor_origin(void **state)
{
    (void)state;
    assert_int_equal(
        route_of("POST /change HTTP/1.1\r\n" OWN "Content-Length: 35\r\n\r\n\r\n" MINE "\r\n"),
        WEB_FORBIDDEN);
    assert_int_equal(route_of("GET / HTTP/1.1\r\nX: 1\r\n\r\n" OWN), WEB_FORBIDDEN);
}

static void expect_wrong(const char *headers)
{
    char text[512];
    bool is_wrong = false;
    const int count = snprintf(text, sizeof(text), "POST /change HTTP/1.1\r\n%s\r\n\r\n", headers);
    assert_false(take(text, (size_t)count, &is_wrong));
    if (!is_wrong) {
        fail_msg("'%s' is taken for a length", headers);
    }
}

static void a_length_is_one_number_up_to_the_most(void **state)
{
    (void)state;
    static char text[WEB_HEAD_BYTES];
    bool is_wrong = true;
    const int head = snprintf(
        text, sizeof(text), "POST /change HTTP/1.1\r\nContent-Length: %d\r\n\r\n", WEB_BODY_BYTES);
    memset(text + head, 'x', WEB_BODY_BYTES);
    assert_false(take(text, (size_t)head + WEB_BODY_BYTES - 1, &is_wrong)); // the last is missing
    assert_false(is_wrong);
    assert_true(take(text, (size_t)head + WEB_BODY_BYTES, &is_wrong));
    assert_false(is_wrong);
    assert_int_equal(strlen(web_request_body(&request)), WEB_BODY_BYTES);
    static const char *const none[] = {"Content-Length: 513",
                                       "Content-Length: 99999",
                                       "Content-Length: 4294967297",
                                       "Content-Length: -1",
                                       "Content-Length: +1",
                                       "Content-Length: 1x",
                                       "Content-Length:",
                                       "Content-Length: 0\r\nContent-Length: 0",
                                       "Transfer-Encoding: chunked",
                                       "Content-Length: 0\r\nTransfer-Encoding: chunked"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        expect_wrong(none[i]);
    }
}

static void a_zero_or_a_head_without_an_end_is_no_request(void **state)
{
    (void)state;
    static char text[WEB_HEAD_BYTES];
    static const char with_zero[] = "GET / HTTP/1.1\r\n\0" OWN "\r\n";
    bool is_wrong = false;
    assert_false(take(with_zero, sizeof(with_zero) - 1, &is_wrong));
    assert_true(is_wrong);
    memset(text, 'x', sizeof(text));
    assert_false(take(text, WEB_HEAD_BYTES - 1, &is_wrong)); // more may come
    assert_false(is_wrong);
    assert_false(take(text, WEB_HEAD_BYTES, &is_wrong));
    assert_true(is_wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_that_names_two_hosts_is_meant_for_neither),
        cmocka_unit_test(a_change_has_one_origin_and_it_is_ours),
        cmocka_unit_test(a_line_ends_with_both_characters_and_the_path_is_in_the_first),
        cmocka_unit_test(a_body_names_neither_host_nor_origin),
        cmocka_unit_test(a_length_is_one_number_up_to_the_most),
        cmocka_unit_test(a_zero_or_a_head_without_an_end_is_no_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
