// SPDX-License-Identifier: MIT

#include "backstitch/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/// The bytes of a key that begins with these; the rest is zero.
#define KEY(...) ((const uint8_t[BKS_KEY_BYTES]){__VA_ARGS__})

#define ZEROS "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static void assert_reads(const char *text, const char *address, const uint8_t *key)
{
    bks_invitation invitation;
    bks_error error = {0};
    if (bks_invitation_parse(text, &invitation, &error) != BKS_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    assert_string_equal(invitation.address, address);
    assert_memory_equal(invitation.key, key, BKS_KEY_BYTES);
}

static void an_invitation_is_read(void **state)
{
    (void)state;
    uint8_t ones[BKS_KEY_BYTES];
    memset(ones, 0xff, sizeof(ones));
    uint8_t rising[BKS_KEY_BYTES];
    for (uint8_t i = 0; i < BKS_KEY_BYTES; i++) {
        rising[i] = i;
    }
    // By Python's base64.urlsafe_b64encode.
    assert_reads("bks://127.0.0.1:7777/#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
                 "127.0.0.1:7777", rising);
    assert_reads("bks://[2001:db8::1]:1/#__________________________________________8",
                 "[2001:db8::1]:1", ones);
    assert_reads("bks://my-host.example:65535/#" ZEROS, "my-host.example:65535", KEY(0));
    assert_reads("bks://1.2.3.4:00080/#-_-_"
                 "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                 "1.2.3.4:80", KEY(0xfb, 0xff, 0xbf));
}

/// Return the invitation that is written for an address and a key.
static const char *written(const char *address, const uint8_t *key)
{
    static char text[BKS_INVITATION_BYTES_MAX];
    bks_invitation invitation = {0};
    memcpy(invitation.key, key, BKS_KEY_BYTES);
    snprintf(invitation.address, sizeof(invitation.address), "%s", address);
    assert_int_equal(bks_invitation_format(&invitation, text, sizeof(text)), BKS_OK);
    return text;
}

static void a_written_invitation_reads_back(void **state)
{
    (void)state;
    assert_string_equal(written("192.168.1.20:07777", KEY(0xfb, 0xff, 0xbf)),
                        "bks://192.168.1.20:7777/#-_-_"
                        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    uint8_t key[BKS_KEY_BYTES];
    for (int round = 0; round < 1000; round++) {
        for (size_t i = 0; i < sizeof(key); i++) {
            key[i] = (uint8_t)(rand() >> 7);
        }
        assert_reads(written("play.example.org:7777", key), "play.example.org:7777", key);
    }
    assert_string_equal(written("[fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe]:9", KEY(0)),
                        "bks://[fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe]:9/#" ZEROS);
}

static void the_longest_host_fits(void **state)
{
    (void)state;
    char address[BKS_INVITATION_ADDRESS_BYTES_MAX];
    memset(address, 'h', 253);
    memcpy(address + 253, ":65535", 7);
    const char *text = written(address, KEY(7));
    assert_reads(text, address, KEY(7));
    bks_invitation invitation;
    assert_int_equal(bks_invitation_parse(text, &invitation, NULL), BKS_OK);
    char small[BKS_INVITATION_BYTES_MAX] = "?";
    const size_t bytes = strlen(text) + 1;
    assert_int_equal(bks_invitation_format(&invitation, small, bytes - 1), BKS_ERR_TOO_SMALL);
    assert_string_equal(small, "");
    assert_int_equal(bks_invitation_format(&invitation, small, bytes), BKS_OK);
}

static void an_address_that_is_none_is_not_written(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",          "7777",      "1.2.3.4",       "1.2.3.4:0",
                                        "host:",     "a/b:1",     "host:65536",    "::1:7777",
                                        "a\nb:7777", "[::1:7777", "bks://host:1/#"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[BKS_INVITATION_BYTES_MAX] = "?";
        bks_invitation invitation = {0};
        snprintf(invitation.address, sizeof(invitation.address), "%s", wrong[i]);
        assert_int_equal(bks_invitation_format(&invitation, text, sizeof(text)),
                         BKS_ERR_BAD_ARGUMENT);
        assert_string_equal(text, "");
    }
    bks_invitation endless;
    char text[BKS_INVITATION_BYTES_MAX];
    memset(&endless, 'a', sizeof(endless));
    assert_int_equal(bks_invitation_format(&endless, text, sizeof(text)), BKS_ERR_BAD_ARGUMENT);
}

static void assert_refused(const char *text, uint64_t offset, const char *says)
{
    bks_invitation invitation;
    bks_error error = {0};
    bks_status status = bks_invitation_parse(text, &invitation, &error);
    if (status != BKS_ERR_BAD_ARGUMENT || error.code != status || error.offset_bytes != offset ||
        error.field == NULL || strcmp(error.field, "invitation") != 0 ||
        strstr(error.text, says) == NULL) {
        fail_msg("\"%s\": %s at %u, \"%s\"; wanted %u, \"%s\"", text, bks_status_name(status),
                 (unsigned)error.offset_bytes, error.text, (unsigned)offset, says);
    }
    assert_int_equal(bks_invitation_parse(text, &invitation, NULL), BKS_ERR_BAD_ARGUMENT);
}

static void a_wrong_text_is_refused_with_its_offset(void **state)
{
    (void)state;
    assert_refused("", 0, "begin");
    assert_refused("127.0.0.1:7777", 0, "begin");
    assert_refused("bks:/127.0.0.1:7777/#" ZEROS, 5, "begin");
    assert_refused("BKS://127.0.0.1:7777/#" ZEROS, 0, "begin");
    assert_refused(" bks://127.0.0.1:7777/#" ZEROS, 0, "begin");
    assert_refused("bks://", 6, "no host");
    assert_refused("bks:///#" ZEROS, 6, "no host");
    assert_refused("bks://127.0.0.1/#" ZEROS, 15, "no ':'");
    assert_refused("bks://127.0.0.1:/#" ZEROS, 16, "no port");
    assert_refused("bks://127.0.0.1:0/#" ZEROS, 16, "port 0");
    assert_refused("bks://127.0.0.1:65536/#" ZEROS, 16, "too large");
    assert_refused("bks://127.0.0.1:77a7/#" ZEROS, 18, "after its port");
    assert_refused("bks://user@host:7777/#" ZEROS, 10, "character");
    assert_refused("bks://ho\nst:7777/#" ZEROS, 8, "character");
    assert_refused("bks://::1:7777/#" ZEROS, 6, "no host");
    assert_refused("bks://[::1:7777/#" ZEROS, 15, "no ']'");
    assert_refused("bks://127.0.0.1:7777", 20, "\"/#\"");
    assert_refused("bks://127.0.0.1:7777/", 21, "'#'");
    assert_refused("bks://127.0.0.1:7777/x#" ZEROS, 21, "'#'");
    assert_refused("bks://127.0.0.1:7777/#", 22, "43");
    assert_refused("bks://127.0.0.1:7777/#0123456789abcdef", 38, "43"); // as it was before keys
    assert_refused("bks://127.0.0.1:7777/#AAAA+" ZEROS, 26, "no key has");
    assert_refused("bks://127.0.0.1:7777/#AAAA=" ZEROS, 26, "no key has");
    assert_refused("bks://127.0.0.1:7777/#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9", 64, "last");
    assert_refused("bks://127.0.0.1:7777/#" ZEROS "A", 65, "key of 43");
    assert_refused("bks://127.0.0.1:7777/#" ZEROS "\n", 65, "key of 43");
}

static void an_endless_text_is_read_up_to_a_bound(void **state)
{
    (void)state;
    char *text = malloc(BKS_INVITATION_BYTES_MAX); // no terminating zero: any byte more is found
    memset(text, 'a', BKS_INVITATION_BYTES_MAX);
    memcpy(text, "bks://", 6);
    assert_refused(text, BKS_INVITATION_BYTES_MAX, "too long");
    free(text);
}

/// Damage a good invitation everywhere: it must be read or refused within its bytes, never crash.
static void a_damaged_invitation_does_no_harm(void **state)
{
    (void)state;
    static const char good[] = "bks://[2001:db8::1]:7777/#" ZEROS;
    for (size_t at = 0; at < sizeof(good); at++) {
        for (int value = 0; value < 256; value++) {
            char *text = malloc(sizeof(good));
            memcpy(text, good, sizeof(good));
            text[at] = (char)value;
            text[sizeof(good) - 1] = '\0';
            bks_invitation invitation;
            bks_error error = {0};
            if (bks_invitation_parse(text, &invitation, &error) != BKS_OK) {
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
        cmocka_unit_test(a_written_invitation_reads_back),
        cmocka_unit_test(the_longest_host_fits),
        cmocka_unit_test(an_address_that_is_none_is_not_written),
        cmocka_unit_test(a_wrong_text_is_refused_with_its_offset),
        cmocka_unit_test(an_endless_text_is_read_up_to_a_bound),
        cmocka_unit_test(a_damaged_invitation_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
