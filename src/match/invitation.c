// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L // strnlen

#include "match/invitation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"

#define SCHEME     "bks://"
#define KEY_DIGITS 16

static bks_status refuse(const char *call, size_t offset, const char *what, bks_error *error)
{
    return bksi_fail_at(error, BKS_ERR_BAD_CONFIG, call, offset, "invitation %s", what);
}

/// @return 0..15, or -1
static int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bks_status read_key(const char *call, const char *text, size_t at, uint64_t *out,
                           bks_error *error)
{
    uint64_t key = 0;
    for (size_t i = 0; i < KEY_DIGITS; i++) {
        int value = hex_value(text[at + i]); // stops at the terminating zero
        if (value < 0) {
            return refuse(call, at + i, "has no hex digit there, the key has 16 of them", error);
        }
        key = key << 4 | (uint64_t)value;
    }
    if (text[at + KEY_DIGITS] != '\0') {
        return refuse(call, at + KEY_DIGITS, "goes on behind its key of 16 hex digits", error);
    }
    *out = key;
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
    return read_key(call, text, end + 2, &out->session_id, error);
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

void bksi_invitation_format(const bks_address *host, uint64_t session_id,
                            char out[BKSI_INVITATION_BYTES_MAX])
{
    char address[64];
    (void)bks_udp_address_format(host, address, sizeof(address));
    snprintf(out, BKSI_INVITATION_BYTES_MAX, SCHEME "%s/#%016" PRIx64, address, session_id);
}
