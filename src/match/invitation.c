// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L // strnlen

#include "match/invitation.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"

#define SCHEME     "bks://"
#define KEY_DIGITS 43 // of 6 bits, the last one's lowest 2 are zero

static bks_status refuse(const char *call, size_t offset, const char *what, bks_error *error)
{
    return bksi_fail_at(error, BKS_ERR_BAD_CONFIG, call, offset, "invitation %s", what);
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// @return 0..63, or -1
static int digit_value(char c)
{
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/// Base64url without padding (RFC 4648, section 5).
static bks_status read_key(const char *call, const char *text, size_t at,
                           uint8_t key[BKS_KEY_BYTES], bks_error *error)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < KEY_DIGITS; i++) {
        int value = digit_value(text[at + i]); // stops at the terminating zero
        if (value < 0) {
            return refuse(call, at + i, "has no key digit there, a key has 43 digits", error);
        }
        bits = bits << 6 | (uint32_t)value;
        // 4 digits are 3 bytes: the first leaves its byte unfinished, each other one finishes one.
        if (i % 4 != 0) {
            key[i / 4 * 3 + i % 4 - 1] = (uint8_t)(bits >> (6 - i % 4 * 2));
        }
    }
    if ((bits & 3) != 0) {
        return refuse(call, at + KEY_DIGITS - 1, "has a last digit that no key of 32 bytes has",
                      error);
    }
    if (text[at + KEY_DIGITS] != '\0') {
        return refuse(call, at + KEY_DIGITS, "has bytes behind its key of 43 digits", error);
    }
    return BKS_OK;
}

/// The part between the scheme and "/#".
static bks_status read_host(const char *call, const char *text, size_t first, size_t end,
                            bksi_invitation *out, bks_error *error)
{
    bksi_host_port parts;
    bks_status status =
        bksi_host_port_parse(call, "invitation", text, first, end, false, &parts, error);
    if (status != BKS_OK) {
        return BKS_ERR_BAD_CONFIG;
    }
    if (parts.port == 0) {
        return refuse(call, end - 1, "has port 0, must be 1..65535", error);
    }
    snprintf(out->address, sizeof(out->address), parts.is_bracketed ? "[%s]:%u" : "%s:%u",
             parts.host, (unsigned)parts.port);
    return BKS_OK;
}

static bks_status parse(const char *call, const char *text, bksi_invitation *out, bks_error *error)
{
    size_t length = strnlen(text, BKSI_INVITATION_BYTES_MAX);
    size_t at = 0;
    while (at < sizeof(SCHEME) - 1 && text[at] == SCHEME[at]) {
        at++;
    }
    if (at < sizeof(SCHEME) - 1) {
        return refuse(call, at, "does not begin with \"bks://\"", error);
    }
    if (length == BKSI_INVITATION_BYTES_MAX) {
        return refuse(call, length, "is too long", error);
    }
    size_t end = at + strcspn(text + at, "/");
    bks_status status = read_host(call, text, at, end, out, error);
    if (status != BKS_OK) {
        return status;
    }
    if (text[end] != '/') {
        return refuse(call, end, "has no \"/#\" and key there", error);
    }
    if (text[end + 1] != '#') {
        return refuse(call, end + 1, "has no '#' and key there", error);
    }
    return read_key(call, text, end + 2, out->key, error);
}

bks_status bksi_invitation_parse(const char *call, const char *text, bksi_invitation *out,
                                 bks_error *error)
{
    *out = (bksi_invitation){0};
    bks_status status = parse(call, text, out, error);
    if (status != BKS_OK && error != NULL) {
        error->code = status; // the parts say BKS_ERR_BAD_ARGUMENT, here it is a config's field
        error->field = "invitation";
    }
    return status;
}

void bksi_invitation_format(const bks_address *host, const uint8_t key[BKS_KEY_BYTES],
                            char out[BKSI_INVITATION_BYTES_MAX])
{
    char address[64];
    char text[KEY_DIGITS + 1] = {0};
    for (size_t i = 0; i < KEY_DIGITS; i++) {
        size_t byte = i * 6 / 8;
        uint32_t pair = (uint32_t)key[byte] << 8 | (byte + 1 < BKS_KEY_BYTES ? key[byte + 1] : 0u);
        text[i] = digits[pair >> (10 - i * 6 % 8) & 63];
    }
    (void)bks_udp_address_format(host, address, sizeof(address));
    snprintf(out, BKSI_INVITATION_BYTES_MAX, SCHEME "%s/#%s", address, text);
}
