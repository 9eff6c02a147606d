// SPDX-License-Identifier: MIT

#include "match/invitation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_reads(const char *text, const char *address, uint64_t key)
{
    bksi_invitation invitation;
    bks_error error = {0};
    if (bksi_invitation_parse("test", text, &invitation, &error) != BKS_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    assert_string_equal(invitation.address, address);
    assert_true(invitation.session_id == key);
}

static void an_invitation_is_read(void **state)
{
    (void)state;
    assert_reads("bks://127.0.0.1:7777/#0123456789abcdef", "127.0.0.1:7777", 0x0123456789abcdef);
    assert_reads("bks://[2001:db8::1]:1/#FFFFFFFFFFFFFFFF", "[2001:db8::1]:1", UINT64_MAX);
    assert_reads("bks://my-host.example:65535/#0000000000000000", "my-host.example:65535", 0);
    assert_reads("bks://1.2.3.4:00080/#00000000000000aA", "1.2.3.4:80", 0xaa);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    char text[BKSI_INVITATION_BYTES_MAX];
    bks_address v4 = {.length = 6, .bytes = {192, 168, 1, 20, 0x1e, 0x61}};
    bksi_invitation_format(&v4, 0x00ff00ff12345678, text);
    assert_string_equal(text, "bks://192.168.1.20:7777/#00ff00ff12345678");
    assert_reads(text, "192.168.1.20:7777", 0x00ff00ff12345678);

    bks_address v6 = {.length = 18};
    memset(v6.bytes, 0xfe, 16);
    v6.bytes[17] = 9;
    bksi_invitation_format(&v6, 1, text);
    assert_string_equal(text,
                        "bks://[fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe]:9/#0000000000000001");
    assert_reads(text, "[fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe]:9", 1);
}

static void assert_refused(const char *text, uint64_t offset, const char *says)
{
    bksi_invitation invitation;
    bks_error error = {0};
    bks_status status = bksi_invitation_parse("test", text, &invitation, &error);
    if (status != BKS_ERR_BAD_CONFIG || error.code != status || error.offset_bytes != offset ||
        error.field == NULL || strcmp(error.field, "invitation") != 0 ||
        strstr(error.text, says) == NULL) {
        fail_msg("\"%s\": %s at %u, \"%s\"; wanted %u, \"%s\"", text, bks_status_name(status),
                 (unsigned)error.offset_bytes, error.text, (unsigned)offset, says);
    }
    assert_int_equal(bksi_invitation_parse("test", text, &invitation, NULL), BKS_ERR_BAD_CONFIG);
}

static void what_is_wrong_is_told_with_its_offset(void **state)
{
    (void)state;
    assert_refused("", 0, "begin");
    assert_refused("127.0.0.1:7777", 0, "begin");
    assert_refused("bks:/127.0.0.1:7777/#0123456789abcdef", 5, "begin");
    assert_refused("BKS://127.0.0.1:7777/#0123456789abcdef", 0, "begin");
    assert_refused(" bks://127.0.0.1:7777/#0123456789abcdef", 0, "begin");
    assert_refused("bks://", 6, "no host");
    assert_refused("bks:///#0123456789abcdef", 6, "no host");
    assert_refused("bks://127.0.0.1/#0123456789abcdef", 15, "no ':'");
    assert_refused("bks://127.0.0.1:/#0123456789abcdef", 16, "no port");
    assert_refused("bks://127.0.0.1:0/#0123456789abcdef", 16, "port 0");
    assert_refused("bks://127.0.0.1:65536/#0123456789abcdef", 16, "too large");
    assert_refused("bks://127.0.0.1:77a7/#0123456789abcdef", 18, "behind");
    assert_refused("bks://user@host:7777/#0123456789abcdef", 10, "character");
    assert_refused("bks://ho\nst:7777/#0123456789abcdef", 8, "character");
    assert_refused("bks://::1:7777/#0123456789abcdef", 6, "no host");
    assert_refused("bks://[::1:7777/#0123456789abcdef", 15, "no ']'");
    assert_refused("bks://127.0.0.1:7777", 20, "\"/#\"");
    assert_refused("bks://127.0.0.1:7777/", 21, "'#'");
    assert_refused("bks://127.0.0.1:7777/x#0123456789abcdef", 21, "'#'");
    assert_refused("bks://127.0.0.1:7777/#", 22, "hex digit");
    assert_refused("bks://127.0.0.1:7777/#0123456789abcde", 37, "hex digit");
    assert_refused("bks://127.0.0.1:7777/#0123456789abcdeg", 37, "hex digit");
    assert_refused("bks://127.0.0.1:7777/#0123456789abcdef0", 38, "behind");
    assert_refused("bks://127.0.0.1:7777/#0123456789abcdef\n", 38, "behind");
}

static void an_endless_text_is_read_up_to_a_bound(void **state)
{
    (void)state;
    char *text = malloc(BKSI_INVITATION_BYTES_MAX); // no terminating zero: any byte more is found
    memset(text, 'a', BKSI_INVITATION_BYTES_MAX);
    memcpy(text, "bks://", 6);
    assert_refused(text, BKSI_INVITATION_BYTES_MAX, "too long");
    free(text);
}

/// Damage a good invitation everywhere: it must be read or refused within its bytes, never crash.
static void a_damaged_invitation_does_no_harm(void **state)
{
    (void)state;
    static const char good[] = "bks://[2001:db8::1]:7777/#0123456789abcdef";
    for (size_t at = 0; at < sizeof(good); at++) {
        for (int value = 0; value < 256; value++) {
            char *text = malloc(sizeof(good));
            memcpy(text, good, sizeof(good));
            text[at] = (char)value;
            text[sizeof(good) - 1] = '\0';
            bksi_invitation invitation;
            bks_error error = {0};
            if (bksi_invitation_parse("test", text, &invitation, &error) != BKS_OK) {
                assert_true(error.offset_bytes <= strlen(text));
            }
            free(text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_invitation_is_read),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_is_wrong_is_told_with_its_offset),
        cmocka_unit_test(an_endless_text_is_read_up_to_a_bound),
        cmocka_unit_test(a_damaged_invitation_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
