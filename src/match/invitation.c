// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L // makes the headers of the system declare strnlen()

#include "backstitch/match.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "feed/feed_link.h"
#include "net/address.h"

#define SCHEME     "bks://"
#define WATCH      "watch" // before the '#' of an invitation for watching
#define KEY_DIGITS 43      // digits of 6 bits each; the lowest 2 bits of the last digit are zero

_Static_assert(BKS_INVITATION_ADDRESS_BYTES_MAX >= BKSI_HOST_BYTES_MAX + 2 + 1 + 5 + 1,
               "a host, brackets, a colon, a port and a zero");

static const char parse_call[] = "bks_invitation_parse";

static bks_status refuse(size_t offset, const char *what, bks_error *error)
{
    return bksi_fail_at(error, BKS_ERR_BAD_ARGUMENT, parse_call, offset, "invitation %s", what);
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Get the value of a digit of Base64url.
/// @return 0..63; -1: not a digit
static int digit_value(char c)
{
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/// Read a key in Base64url without padding (RFC 4648, section 5).
static bks_status read_key(const char *text, size_t at, uint8_t key[BKS_KEY_BYTES],
                           bks_error *error)
{
    uint32_t bits = 0;
    char what[80];
    for (size_t i = 0; i < KEY_DIGITS; i++) {
        // The value is -1 at the terminating zero of the text.
        int value = digit_value(text[at + i]);
        if (text[at + i] == '\0') {
            (void)snprintf(what, sizeof(what),
                           "has a key of %zu letter%s, must have 43: copy all of it,", i,
                           BKSI_PLURAL(i));
            return refuse(at + i, what, error);
        }
        if (value < 0) {
            return refuse(at + i, "has a character that no key has, copy it again,", error);
        }
        bits = bits << 6 | (uint32_t)value;
        // Four digits make three bytes: each digit but the first completes one.
        if (i % 4 != 0) {
            key[i / 4 * 3 + i % 4 - 1] = (uint8_t)(bits >> (6 - i % 4 * 2));
        }
    }
    if ((bits & 3) != 0) {
        (void)snprintf(what, sizeof(what), "has a key with '%c' as its last letter, copy it again,",
                       text[at + KEY_DIGITS - 1]);
        return refuse(at + KEY_DIGITS - 1, what, error);
    }
    if (text[at + KEY_DIGITS] != '\0') {
        return refuse(at + KEY_DIGITS, "has characters behind its key of 43, copy it again,",
                      error);
    }
    return BKS_OK;
}

static void put_address(const bksi_host_port *parts, char out[BKS_INVITATION_ADDRESS_BYTES_MAX])
{
    snprintf(out, BKS_INVITATION_ADDRESS_BYTES_MAX, parts->is_bracketed ? "[%s]:%u" : "%s:%u",
             parts->host, (unsigned)parts->port);
}

/// Read the host: the part between the scheme and "/#".
static bks_status read_host(const char *text, size_t first, size_t end, bks_invitation *out,
                            bks_error *error)
{
    bksi_host_port parts;
    BKSI_TRY(
        bksi_host_port_parse(parse_call, "invitation", text, first, end, false, &parts, error));
    if (parts.port == 0) {
        return refuse(end - 1, "has port 0, must be 1..65535,", error);
    }
    put_address(&parts, out->address);
    return BKS_OK;
}

static bks_status parse(const char *text, bks_invitation *out, bks_error *error)
{
    size_t length = strnlen(text, BKS_INVITATION_BYTES_MAX);
    size_t at = 0;
    while (at < sizeof(SCHEME) - 1 && text[at] == SCHEME[at]) {
        at++;
    }
    if (at < sizeof(SCHEME) - 1) {
        return refuse(
            at,
            "does not begin with \"bks://\", must be bks://HOST:PORT/#KEY as the host prints it,",
            error);
    }
    if (length == BKS_INVITATION_BYTES_MAX) {
        return refuse(length, "is too long, at most 319 bytes,", error);
    }
    size_t end = at + strcspn(text + at, "/");
    BKSI_TRY(read_host(text, at, end, out, error));
    if (text[end] != '/') {
        return refuse(end, "has no \"/#\" and key, copy all of it,", error);
    }
    end++;
    out->is_for_watching = strncmp(text + end, WATCH, sizeof(WATCH) - 1) == 0;
    end += out->is_for_watching ? sizeof(WATCH) - 1 : 0;
    if (text[end] != '#') {
        return refuse(end, "has no '#' and key, copy all of it,", error);
    }
    return read_key(text, end + 1, out->key, error);
}

bks_status bks_invitation_parse(const char *text, bks_invitation *out, bks_error *error)
{
    BKSI_REFUSE_NULL(error, text);
    BKSI_REFUSE_NULL(error, out);
    *out = (bks_invitation){0};
    bks_invitation read = {0};
    const bks_status status = parse(text, &read, error);
    if (status == BKS_OK) {
        *out = read;
    } else if (error != NULL) {
        error->field = "invitation";
    }
    return status;
}

/// Write a key in Base64url without padding.
static void put_key(const uint8_t key[BKS_KEY_BYTES], char out[KEY_DIGITS + 1])
{
    for (size_t i = 0; i < KEY_DIGITS; i++) {
        size_t byte = i * 6 / 8;
        uint32_t pair = (uint32_t)key[byte] << 8 | (byte + 1 < BKS_KEY_BYTES ? key[byte + 1] : 0u);
        out[i] = digits[pair >> (10 - i * 6 % 8) & 63];
    }
    out[KEY_DIGITS] = '\0';
}

bks_status bks_invitation_format(const bks_invitation *invitation, char *out, size_t capacity)
{
    static const char call[] = "bks_invitation_format";
    BKSI_REFUSE_NULL(NULL, invitation);
    BKSI_REFUSE_NULL(NULL, out);
    if (capacity < 1) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "capacity",
                         "capacity is 0, must be at least 1");
    }
    out[0] = '\0';
    const char *address = invitation->address;
    const size_t address_bytes = strnlen(address, sizeof(invitation->address));
    bksi_host_port parts;
    BKSI_TRY(bksi_host_port_parse(call, "address", address, 0, address_bytes, false, &parts, NULL));
    if (parts.port == 0) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "address",
                         "address has port 0, must be 1..65535");
    }
    char whole[BKS_INVITATION_ADDRESS_BYTES_MAX];
    char key[KEY_DIGITS + 1];
    put_address(&parts, whole);
    put_key(invitation->key, key);
    const int bytes = snprintf(out, capacity, SCHEME "%s/%s#%s", whole,
                               invitation->is_for_watching ? WATCH : "", key);
    if ((size_t)bytes >= capacity) {
        out[0] = '\0';
        return bksi_fail(NULL, BKS_ERR_TOO_SMALL, call, "capacity",
                         "capacity is %zu, must be at least %d", capacity, bytes + 1);
    }
    return BKS_OK;
}

bks_status bks_invitation_to_watch(const char *text, char *out, size_t capacity)
{
    BKSI_REFUSE_NULL(NULL, out);
    if (capacity > 0) {
        out[0] = '\0';
    }
    bks_invitation invitation;
    BKSI_TRY(bks_invitation_parse(text, &invitation, NULL));
    if (!invitation.is_for_watching) {
        uint8_t key[BKS_KEY_BYTES];
        bksi_feed_key(invitation.key, key);
        memcpy(invitation.key, key, sizeof(key));
        invitation.is_for_watching = true;
    }
    return bks_invitation_format(&invitation, out, capacity);
}
