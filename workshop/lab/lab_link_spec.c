// SPDX-License-Identifier: MIT

// Reads "delay=50ms,loss=2%" and "0>1:delay=50ms". Numbers are parsed by hand, as whole billionths,
// because strtod() uses the decimal point of the locale.

#include <stddef.h>
#include <string.h>

#include "backstitch/net.h"
#include "base/report.h"
#include "lab/lab_link.h"

#define CALL    "bks_lab_link_spec_parse"
#define BILLION UINT64_C(1000000000)
#define INTEGER_MAX \
    (1000 * BILLION) ///< above the greatest value of every key, in the key's smallest unit
#define BURST_DIVISOR 1000.0

typedef struct unit {
    const char *suffix;
    uint64_t factor; ///< size of this unit, in the unit of the field (ns, ppm or bit/s)
} unit;

/// A key of a spec. Its limits are whole numbers in the unit of its field: ns, ppm, bit/s, bytes;
/// thousandths of a packet for `burst`.
typedef struct key {
    const char *name;
    const unit *units;
    uint64_t least;
    uint64_t greatest;
    const char *range; ///< range of the values as text, for error messages
    const char *field; ///< name of the key's field in bks_lab_link_spec
    size_t at;         ///< offset of the key's field
    size_t bytes;      ///< size of the key's field in bytes: 4 or 8
} key;

static const unit times[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", BILLION}, {NULL, 0}};
static const unit shares[] = {{"%", 10000}, {NULL, 0}};
static const unit rates[] = {{"bit", 1},        {"kbit", 1000},    {"mbit", 1000000},
                             {"Mbit", 1000000}, {"gbit", BILLION}, {"Gbit", BILLION},
                             {NULL, 0}};
static const unit thousandths[] = {{"", 1000}, {NULL, 0}};
static const unit ones[] = {{"", 1}, {NULL, 0}};

#define FIELD(f) #f, offsetof(bks_lab_link_spec, f), sizeof(((bks_lab_link_spec *)0)->f)

enum { DELAY, JITTER, LOSS, BURST, DUP, REORDER, HOLD, CORRUPT, RATE, MTU, KEY_COUNT };

static const key keys[KEY_COUNT] = {
    [DELAY] = {"delay", times, 0, 60 * BILLION, "0..60s, such as 50ms", FIELD(delay_ns)},
    [JITTER] = {"jitter", times, 0, 10 * BILLION, "0..10s, such as 10ms", FIELD(jitter_ns)},
    [LOSS] = {"loss", shares, 0, 1000000, "0..100%, such as 2%", FIELD(loss_ppm)},
    [BURST] = {"burst", thousandths, 1000, 1000000, "1..1000 packets, such as 3",
               FIELD(burst_packets)},
    [DUP] = {"dup", shares, 0, 1000000, "0..100%, such as 1%", FIELD(duplicate_ppm)},
    [REORDER] = {"reorder", shares, 0, 1000000, "0..100%, such as 1%", FIELD(reorder_ppm)},
    [HOLD] = {"hold", times, 20000000, 60 * BILLION, "20ms..60s, such as 2s", FIELD(hold_ns)},
    [CORRUPT] = {"corrupt", shares, 0, 1000000, "0..100%, such as 0.1%", FIELD(corrupt_ppm)},
    [RATE] = {"rate", rates, 1000, 1000 * BILLION, "1kbit..1000gbit, such as 256kbit",
              FIELD(rate_bits_per_s)},
    [MTU] = {"mtu", ones, 68, 65535, "68..65535 bytes, such as 600", FIELD(mtu_bytes)},
};

/// Read "DIGITS[.DIGITS]".
/// @return the number of characters read; 0: no number, or too great a number
static size_t read_number(const char *text, size_t length, uint64_t *whole, uint64_t *billionths)
{
    size_t at = 0;
    *whole = 0;
    *billionths = 0;
    while (at < length && text[at] >= '0' && text[at] <= '9') {
        *whole = *whole * 10 + (uint64_t)(text[at++] - '0');
        if (*whole > INTEGER_MAX) {
            return 0;
        }
    }
    if (at == 0 || at == length || text[at] != '.') {
        return at;
    }
    const size_t point = at++;
    uint64_t place = BILLION / 10;
    while (at < length && text[at] >= '0' && text[at] <= '9') {
        *billionths += (uint64_t)(text[at++] - '0') * place;
        place /= 10;
    }
    return at > point + 1 ? at : 0;
}

/// Read one value with its unit. A value of 0 needs no unit.
static bool read_value(const key *wanted, const char *text, size_t length, uint64_t *out)
{
    uint64_t whole = 0;
    uint64_t billionths = 0;
    const size_t number = read_number(text, length, &whole, &billionths);
    if (number == 0) {
        return false;
    }
    *out = 0;
    for (const unit *u = wanted->units; u->suffix != NULL; u++) {
        if (strlen(u->suffix) == length - number &&
            memcmp(u->suffix, text + number, length - number) == 0) {
            if (whole > wanted->greatest / u->factor) {
                return false;
            }
            *out = whole * u->factor + billionths * u->factor / BILLION;
            return *out >= wanted->least && *out <= wanted->greatest;
        }
    }
    return number == length && whole == 0 && billionths == 0 && wanted->least == 0;
}

bool bksi_lab_time_parse(const char *text, size_t length, uint64_t *out)
{
    static const key span = {"time", times, 0, 1000 * BILLION, "0..1000s, such as 50ms",
                             NULL,   0,     0};
    return read_value(&span, text, length, out);
}

bool bksi_lab_rate_parse(const char *text, size_t length, uint64_t *out_bits_per_s)
{
    return read_value(&keys[RATE], text, length, out_bits_per_s);
}

static void set_value(bks_lab_link_spec *spec, const key *of, uint64_t value)
{
    const uint32_t narrow = (uint32_t)value;
    const double burst = (double)value / BURST_DIVISOR;
    const void *from = of == &keys[BURST]            ? (const void *)&burst
                       : of->bytes == sizeof(narrow) ? (const void *)&narrow
                                                     : (const void *)&value;
    memcpy((char *)spec + of->at, from, of->bytes);
}

/// Return the whole number in the field of a key.
static uint64_t value_of(const bks_lab_link_spec *spec, const key *of)
{
    uint32_t narrow = 0;
    uint64_t wide = 0;
    const bool is_narrow = of->bytes == sizeof(narrow);
    memcpy(is_narrow ? (void *)&narrow : (void *)&wide, (const char *)spec + of->at, of->bytes);
    return is_narrow ? narrow : wide;
}

static int find_key(const char *text, size_t length)
{
    for (int i = 0; i < KEY_COUNT; i++) {
        if (strlen(keys[i].name) == length && memcmp(keys[i].name, text, length) == 0) {
            return i;
        }
    }
    return -1;
}

/// Return the number of characters of a wrong text that an error shows.
static int shown(size_t length)
{
    return length < 60 ? (int)length : 60;
}

/// Read one "key=value". `seen` has a bit for each key that was read before.
static bks_status read_item(const char *text, size_t length, uint32_t *seen,
                            bks_lab_link_spec *spec, bks_error *error)
{
    const char *equals = memchr(text, '=', length);
    const size_t name_length = equals != NULL ? (size_t)(equals - text) : length;
    const int which = find_key(text, name_length);
    if (which < 0 || equals == NULL) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "link",
                         "'%.*s' is no part of a link, must be NAME=VALUE with a NAME of delay, "
                         "jitter, loss, burst, dup, reorder, hold, corrupt, rate, mtu",
                         shown(length), text);
    }
    const key *wanted = &keys[which];
    if ((*seen & (1u << which)) != 0) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, wanted->name,
                         "%s is there twice, must be there once", wanted->name);
    }
    *seen |= 1u << which;
    const char *value_text = equals + 1;
    const size_t value_length = length - name_length - 1;
    uint64_t value = 0;
    if (!read_value(wanted, value_text, value_length, &value)) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, wanted->name,
                         "%s is '%.*s', must be %s", wanted->name, shown(value_length), value_text,
                         wanted->range);
    }
    set_value(spec, wanted, value);
    return BKS_OK;
}

/// Return true if the runs of lost packets are too short for the share of lost packets. At least
/// one packet arrives between two runs, so short runs cannot lose most packets.
static bool has_short_bursts(const bks_lab_link_spec *spec)
{
    const double loss = (double)spec->loss_ppm;
    return spec->burst_packets > 0.0 && loss < 1e6 && loss > spec->burst_packets * (1e6 - loss);
}

bks_status bks_lab_link_spec_parse(const char *text, bks_lab_link_spec *out, bks_error *error)
{
    if (text == NULL || out == NULL) {
        return bksi_fail_null(error, CALL, text == NULL ? "text" : "out");
    }
    bks_lab_link_spec spec = {0};
    uint32_t seen = 0;
    if (text[0] != '\0' && strcmp(text, "perfect") != 0) {
        for (const char *at = text;; at++) {
            const size_t length = strcspn(at, ",");
            const bks_status status = read_item(at, length, &seen, &spec, error);
            if (status != BKS_OK) {
                return status;
            }
            at += length;
            if (*at == '\0') {
                break;
            }
        }
    }
    const double loss = (double)spec.loss_ppm;
    if (has_short_bursts(&spec)) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "burst",
                         "burst is %g, must be at least %g for a loss of %g%%", spec.burst_packets,
                         loss / (1e6 - loss), loss / 1e4);
    }
    *out = spec;
    return BKS_OK;
}

bks_status bksi_lab_link_spec_check(const bks_lab_link_spec *spec, const char *name,
                                    const char *call, bks_status code, bks_error *error)
{
    for (uint32_t i = 0; i < KEY_COUNT; i++) {
        const key *range = &keys[i];
        const uint64_t value = i != BURST ? value_of(spec, range) : 0;
        if (value != 0 && (value < range->least || value > range->greatest)) {
            return bksi_fail(error, code, call, name, "%s.%s is %llu, must be %s%llu..%llu", name,
                             range->field, (unsigned long long)value,
                             range->least > 0 ? "0 or " : "", (unsigned long long)range->least,
                             (unsigned long long)range->greatest);
        }
    }
    const double burst = spec->burst_packets;
    const bool is_burst = burst >= 1.0 && burst <= 1000.0; // the comparison is false for a NaN
    if ((!is_burst && !(burst >= 0.0 && burst <= 0.0)) || has_short_bursts(spec)) {
        return bksi_fail(error, code, call, name,
                         "%s.burst_packets is %g, must be 0 or 1..1000, and at least "
                         "loss / (1 - loss)",
                         name, burst);
    }
    return BKS_OK;
}

/// Read the number of a peer, and the text `end` after it.
static const char *read_peer(const char *text, char end, uint32_t *out)
{
    uint32_t peer = 0;
    const char *at = text;
    while (*at >= '0' && *at <= '9' && peer < 100) {
        peer = peer * 10 + (uint32_t)(*at++ - '0');
    }
    if (at == text || *at != end || peer >= BKS_PEERS_MAX) {
        return NULL;
    }
    *out = peer;
    return at + 1;
}

bks_status bks_lab_link_route_parse(const char *text, uint32_t *from, uint32_t *to,
                                    bks_lab_link_spec *out, bks_error *error)
{
    BKSI_REFUSE_NULL(error, text);
    BKSI_REFUSE_NULL(error, from);
    BKSI_REFUSE_NULL(error, to);
    *from = BKS_LAB_LINK_ALL;
    *to = BKS_LAB_LINK_ALL;
    const char *colon = strchr(text, ':');
    if (colon == NULL) {
        return bks_lab_link_spec_parse(text, out, error);
    }
    const char *at = read_peer(text, '>', from);
    at = at != NULL ? read_peer(at, ':', to) : NULL;
    if (at == NULL || *from == *to) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, "bks_lab_link_route_parse", "link",
                         "route '%.*s' must be A>B with two different peers of 0..%d",
                         shown((size_t)(colon - text)), text, BKS_PEERS_MAX - 1);
    }
    return bks_lab_link_spec_parse(at, out, error);
}
