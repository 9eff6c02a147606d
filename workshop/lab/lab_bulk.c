// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/report.h"
#include "lab/lab_internal.h"

#define CALL        "bks_lab_bulk"
#define CHUNK_BYTES 4096u

// ---- reading "0>1:16MiB@5s" ----

/// Read the digits at `*at`, and move `*at` to the character after them.
static bool take_number(const char **at, uint64_t most, uint64_t *out)
{
    const char *begin = *at;
    *out = 0;
    while (**at >= '0' && **at <= '9' && *out <= most) {
        *out = *out * 10 + (uint64_t)(*(*at)++ - '0');
    }
    return *at > begin && *out <= most;
}

static bool take(const char **at, const char *expected)
{
    const size_t length = strlen(expected);
    const bool is_there = strncmp(*at, expected, length) == 0;
    *at += is_there ? length : 0;
    return is_there;
}

static bool take_bytes(const char **at, uint64_t *out)
{
    if (!take_number(at, BKS_LAB_BULK_BYTES_MAX, out)) {
        return false;
    }
    if (take(at, "KiB")) {
        *out <<= 10;
    } else if (take(at, "MiB")) {
        *out <<= 20;
    } else if (take(at, "GiB")) {
        *out <<= 30;
    }
    return *out > 0 && *out <= BKS_LAB_BULK_BYTES_MAX;
}

bks_status bks_lab_bulk_parse(const bks_lab_config *config, const char *spec,
                              bks_lab_bulk_spec *out, bks_error *error)
{
    static const char call[] = "bks_lab_bulk_parse";
    BKSI_REFUSE_NULL(error, config);
    BKSI_REFUSE_NULL(error, spec);
    BKSI_REFUSE_NULL(error, out);
    const char *at = spec;
    uint64_t from = 0;
    uint64_t to = 0;
    bks_lab_bulk_spec read = {0};
    const uint64_t last = config->peers - 1;
    const bool is_read = take_number(&at, last, &from) && take(&at, ">") &&
                         take_number(&at, last, &to) && from != to && take(&at, ":") &&
                         take_bytes(&at, &read.bytes) && take(&at, "@") &&
                         bksi_lab_time_parse(at, strlen(at), &read.at_ns);
    if (!is_read) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "bulk",
                         "bulk is '%.60s', must be PEER>PEER:BYTES@TIME with two peers of 0..%u, "
                         "1..1TiB in bytes, KiB, MiB or GiB, and a time of 0..1000s, such as "
                         "0>1:16MiB@5s",
                         spec, (unsigned)last);
    }
    read.from = (uint32_t)from;
    read.to = (uint32_t)to;
    *out = read;
    return BKS_OK;
}

bks_status bks_lab_bulk(bks_lab *lab, const char *spec, bks_error *error)
{
    if (lab == NULL || spec == NULL) {
        return bksi_fail_null(error, CALL, lab == NULL ? "lab" : "spec");
    }
    if (lab->has_begun) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "lab",
                         "the match runs already, set streams before bks_lab_advance()");
    }
    if (lab->config.tuning.bulk_bytes == 0) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "tuning.bulk_bytes",
                         "tuning.bulk_bytes is 0, must be at least 1024 for streams");
    }
    bks_lab_bulk_spec read;
    const bks_status status = bks_lab_bulk_parse(&lab->config, spec, &read, error);
    if (status != BKS_OK) {
        return status;
    }
    if (bksi_lab_has_bulk(lab, read.from, read.to)) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "bulk",
                         "bulk names %u>%u twice, must be once for each direction", read.from,
                         read.to);
    }
    lab->bulk[lab->bulk_count++] = (lab_bulk){.spec = read};
    return bksi_lab_links_fit(lab, error);
}

// ---- writing and reading the bytes ----

/// Fill a buffer with the stream's content from a position on, in whole words.
static void fill(const lab_bulk *bulk, uint64_t place, uint8_t *bytes, size_t count)
{
    const uint64_t name = bulk->spec.from * BKS_PEERS_MAX + bulk->spec.to;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = place + i;
        bytes[i] = (uint8_t)(bksi_hash64_pair(name, at / 8) >> 8 * (at % 8));
    }
}

static void write_due(lab_peer *peer, lab_bulk *bulk)
{
    uint8_t chunk[CHUNK_BYTES];
    size_t taken = 1;
    while (bulk->written < bulk->spec.bytes && taken > 0) {
        const uint64_t left = bulk->spec.bytes - bulk->written;
        const size_t count = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);
        fill(bulk, bulk->written, chunk, count);
        (void)(bks_session_bulk_write(peer->session, bulk->spec.to, chunk, count, &taken) ==
               BKS_OK); // the write can fail only if the stream has ended
        bulk->written += taken;
    }
}

static void read_come(bks_lab *lab, lab_peer *peer, lab_bulk *bulk)
{
    uint8_t chunk[CHUNK_BYTES];
    uint8_t wanted[CHUNK_BYTES];
    size_t count = 1;
    while (count > 0) {
        (void)(bks_session_bulk_read(peer->session, bulk->spec.from, chunk, sizeof(chunk),
                                     &count) == BKS_OK);
        fill(bulk, bulk->read, wanted, count);
        const bool is_wrong =
            bulk->read + count > bulk->written || memcmp(chunk, wanted, count) != 0;
        if (is_wrong && !lab->peers[bulk->spec.from].liar.is_forging) {
            bksi_lab_fail(lab, "the stream %u>%u differs after %" PRIu64 " bytes", bulk->spec.from,
                          bulk->spec.to, bulk->read);
        }
        bulk->read += count;
        bulk->moved_ns = count > 0 ? lab->now_ns : bulk->moved_ns;
    }
    if (bulk->done_ns == 0 && bulk->read == bulk->spec.bytes) {
        bulk->done_ns = lab->now_ns;
    }
}

/// Return true if a stream may be written now. At the first time, also store the rate of the
/// stream's link.
static bool begin(bks_lab *lab, lab_bulk *bulk)
{
    if (bulk->begun_ns == 0 && lab->first_tick_ns != UINT64_MAX &&
        lab->now_ns >= lab->first_tick_ns + bulk->spec.at_ns) {
        bulk->begun_ns = lab->now_ns;
        bulk->moved_ns = lab->now_ns;
        bulk->rate_bits_per_s =
            bksi_lab_link_get_spec(lab->links[bulk->spec.from][bulk->spec.to])->rate_bits_per_s;
    }
    return bulk->begun_ns != 0;
}

void bksi_lab_bulk_run(bks_lab *lab, uint32_t index)
{
    lab_peer *peer = &lab->peers[index];
    for (uint32_t i = 0; i < lab->bulk_count && !lab->is_over; i++) {
        lab_bulk *bulk = &lab->bulk[i];
        if (bulk->spec.from == index && begin(lab, bulk)) {
            write_due(peer, bulk);
        }
        if (bulk->spec.to == index && bulk->begun_ns != 0) {
            read_come(lab, peer, bulk);
        }
    }
}
