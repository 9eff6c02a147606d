// SPDX-License-Identifier: MIT

#include "net/address.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "net/sockets.h"

/// Size of an address as text: a UDP address, or 31 bytes as hex.
#define TEXT_BYTES 64

/// Maximum number of digits of a port.
#define PORT_DIGITS_MAX 5

static void format_hex(const bks_address *address, char text[TEXT_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < address->length; i++) {
        text[2 * i] = digits[address->bytes[i] >> 4];
        text[2 * i + 1] = digits[address->bytes[i] & 15];
    }
    text[2 * (size_t)address->length] = '\0';
}

static void format_address(const bks_address *address, char text[TEXT_BYTES])
{
    bool is_v6 = address->length == BKSI_UDP6_BYTES;
    if (address->length == 0) {
        snprintf(text, TEXT_BYTES, "nowhere");
    } else if (!is_v6 && address->length != BKSI_UDP4_BYTES) {
        format_hex(address, text);
    } else {
        char ip[INET6_ADDRSTRLEN];
        size_t ip_bytes = (size_t)address->length - 2;
        const uint8_t *port = address->bytes + ip_bytes;
        (void)inet_ntop(is_v6 ? AF_INET6 : AF_INET, address->bytes, ip, sizeof(ip));
        snprintf(text, TEXT_BYTES, is_v6 ? "[%s]:%u" : "%s:%u", ip,
                 (unsigned)port[0] << 8 | port[1]);
    }
}

bks_status bks_udp_address_format(const bks_address *address, char *out, size_t capacity)
{
    static const char call[] = "bks_udp_address_format";
    BKSI_REFUSE_NULL(NULL, address);
    BKSI_REFUSE_NULL(NULL, out);
    if (capacity < 1) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "capacity",
                         "capacity is 0, must be at least 1");
    }
    if (address->length > BKS_ADDRESS_BYTES_MAX) {
        out[0] = '\0';
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "address",
                         "address->length is %u, must be 0..%d", address->length,
                         BKS_ADDRESS_BYTES_MAX);
    }
    char text[TEXT_BYTES];
    format_address(address, text);
    size_t length = strlen(text);
    size_t kept = length < capacity ? length : capacity - 1;
    memcpy(out, text, kept);
    out[kept] = '\0';
    if (kept < length) {
        return bksi_fail(NULL, BKS_ERR_TOO_SMALL, call, "capacity",
                         "capacity is %zu, must be at least %zu", capacity, length + 1);
    }
    return BKS_OK;
}

socklen_t bksi_socket_address(const bks_address *address, struct sockaddr_storage *system)
{
    memset(system, 0, sizeof(*system));
    if (address->length == BKSI_UDP4_BYTES) {
        struct sockaddr_in in = {.sin_family = AF_INET};
        memcpy(&in.sin_addr, address->bytes, sizeof(in.sin_addr));
        memcpy(&in.sin_port, address->bytes + sizeof(in.sin_addr), sizeof(in.sin_port));
        memcpy(system, &in, sizeof(in));
        return sizeof(in);
    }
    if (address->length == BKSI_UDP6_BYTES) {
        struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
        memcpy(&in6.sin6_addr, address->bytes, sizeof(in6.sin6_addr));
        memcpy(&in6.sin6_port, address->bytes + sizeof(in6.sin6_addr), sizeof(in6.sin6_port));
        memcpy(system, &in6, sizeof(in6));
        return sizeof(in6);
    }
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Return true if a host may contain this character: a name, an IPv4 address or, in brackets, an
/// IPv6 address. '%' is refused because a zone has a meaning on one machine only.
static bool is_host_character(char c, bool is_bracketed)
{
    if (is_bracketed) {
        return is_digit(c) || c == ':' || c == '.' || (c >= 'a' && c <= 'f') ||
               (c >= 'A' && c <= 'F');
    }
    return is_digit(c) || is_letter(c) || c == '.' || c == '-' || c == '_';
}

bool bksi_host_is_number(const char *host)
{
    const char *last_dot = strrchr(host, '.');
    const char *label = last_dot != NULL ? last_dot + 1 : host;
    return label[0] != '\0' && strspn(label, "0123456789") == strlen(label);
}

/// State of a reader of an address text: its position, and where it reports errors.
typedef struct text_reader {
    const char *call;
    const char *name;
    const char *text;
    size_t at;
    size_t end;
    bool is_host_optional;
    bks_error *error;
} text_reader;

static bks_status refuse(const text_reader *reader, const char *what)
{
    return bksi_fail_at(reader->error, BKS_ERR_BAD_ARGUMENT, reader->call, reader->at, "%s %s",
                        reader->name, what);
}

static bks_status read_port(text_reader *reader, uint16_t *out)
{
    size_t start = reader->at;
    uint32_t port = 0;
    while (reader->at < reader->end && is_digit(reader->text[reader->at]) &&
           reader->at - start < PORT_DIGITS_MAX) {
        port = port * 10 + (uint32_t)(reader->text[reader->at] - '0');
        reader->at++;
    }
    if (reader->at == start) {
        return refuse(reader, reader->is_host_optional
                                  ? "has no port, must be PORT, ADDR:PORT or [ADDR6]:PORT,"
                                  : "has no port, must be HOST:PORT or [ADDR6]:PORT,");
    }
    if (reader->at < reader->end && is_digit(reader->text[reader->at])) {
        reader->at = start;
        return refuse(reader, "has a port that is too large, must be 0..65535,");
    }
    if (reader->at < reader->end) {
        return refuse(reader, "has characters after its port,");
    }
    if (port > UINT16_MAX) {
        reader->at = start;
        return refuse(reader, "has a port that is too large, must be 0..65535,");
    }
    *out = (uint16_t)port;
    return BKS_OK;
}

static bks_status read_host(text_reader *reader, bksi_host_port *out)
{
    size_t length = 0;
    char closing = out->is_bracketed ? ']' : ':';
    while (reader->at < reader->end && reader->text[reader->at] != closing) {
        char c = reader->text[reader->at];
        if (!is_host_character(c, out->is_bracketed)) {
            return refuse(reader, "has a character that no host has,");
        }
        if (length == BKSI_HOST_BYTES_MAX) {
            return refuse(reader, "has a host that is too long, at most 253 bytes,");
        }
        out->host[length++] = c;
        reader->at++;
    }
    out->host[length] = '\0';
    if (length == 0) {
        return refuse(reader, "has no host,");
    }
    if (reader->at == reader->end) {
        return refuse(reader, out->is_bracketed ? "has no ']', must be [ADDR6]:PORT,"
                                                : "has no ':' and port, must be HOST:PORT,");
    }
    reader->at++;
    return BKS_OK;
}

bks_status bksi_host_port_parse(const char *call, const char *name, const char *text, size_t first,
                                size_t end, bool is_host_optional, bksi_host_port *out,
                                bks_error *error)
{
    text_reader reader = {call, name, text, first, end, is_host_optional, error};
    *out = (bksi_host_port){0};
    if (is_host_optional && memchr(text + first, ':', end - first) == NULL) {
        return read_port(&reader, &out->port);
    }
    out->is_bracketed = first < end && text[first] == '[';
    reader.at += out->is_bracketed ? 1 : 0;
    BKSI_TRY(read_host(&reader, out));
    if (out->is_bracketed) {
        if (reader.at == end || text[reader.at] != ':') {
            return refuse(&reader, "has no ':' and port, must be [ADDR6]:PORT,");
        }
        reader.at++;
    } else if (memchr(text + reader.at, ':', end - reader.at) != NULL) {
        return refuse(&reader, "has a second ':', an IPv6 address must be in brackets,");
    }
    return read_port(&reader, &out->port);
}
