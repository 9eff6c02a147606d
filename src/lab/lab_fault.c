// SPDX-License-Identifier: MIT

// Reading planted faults. Each kind is one line of the table `kinds`.

#include <string.h>

#include "backstitch/lab.h"
#include "base/report.h"
#include "lab/lab_internal.h"
#include "peer/peer_internal.h"

#define CALL "bks_lab_fault"

/// How much of a wrong text is shown.
static int shown(size_t length)
{
    return length < 60 ? (int)length : 60;
}

/// A piece of text being read.
typedef struct cursor {
    const char *at;
    const char *end;
} cursor;

static bool take(cursor *text, const char *expected)
{
    const size_t length = strlen(expected);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, expected, length) != 0) {
        return false;
    }
    text->at += length;
    return true;
}

static bool take_number(cursor *text, uint64_t greatest, uint64_t *out)
{
    const char *begin = text->at;
    uint64_t value = 0;
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9') {
        const uint64_t digit = (uint64_t)(*text->at - '0');
        if (digit > greatest || value > (greatest - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
        text->at++;
    }
    *out = value;
    return text->at > begin;
}

/// "PEER@TICK:byte", "PEER@TICK:byte:OFFSET" or "PEER@TICK:OFFSET".
static bks_status read_flip(const bks_lab_config *config, const char *whole, cursor text,
                            bksi_lab_faults *faults, bks_error *error)
{
    uint64_t peer = 0;
    uint64_t tick = 0;
    bks_random random = bksi_lab_random(config->seed, LAB_STREAM_FLIP);
    uint64_t offset = bks_random_next(&random);
    bool is_read = take_number(&text, config->peers - 1, &peer) && take(&text, "@") &&
                   take_number(&text, (uint64_t)config->ticks, &tick) && take(&text, ":");
    const bool has_word = is_read && take(&text, "byte");
    if (is_read && (!has_word || text.at < text.end)) {
        is_read = (!has_word || take(&text, ":")) && take_number(&text, INT64_MAX, &offset);
    }
    if (!is_read || text.at != text.end) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "flip",
                         "flip is '%.*s', must be PEER@TICK:byte[:OFFSET] with a peer of 0..%u and "
                         "a tick of 0..%d",
                         shown((size_t)(text.end - whole)), whole, config->peers - 1,
                         config->ticks);
    }
    if (faults->flips[peer].is_planted) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "flip",
                         "flip names peer %u twice, must be once for each peer", (uint32_t)peer);
    }
    faults->flips[peer] = (bksi_lab_flip){true, (bks_tick)tick, offset};
    return BKS_OK;
}

/// A kind of fault, by the text it begins with.
typedef struct fault_kind {
    const char *begin;
    bks_status (*read)(const bks_lab_config *config, const char *whole, cursor text,
                       bksi_lab_faults *faults, bks_error *error);
} fault_kind;

static const fault_kind kinds[] = {
    {"flip=", read_flip},
};

static bks_status read_fault(const bks_lab_config *config, const char *text, size_t length,
                             bksi_lab_faults *faults, bks_error *error)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        cursor at = {text, text + length};
        if (take(&at, kinds[i].begin)) {
            return kinds[i].read(config, at.at, at, faults, error);
        }
    }
    return bksi_fail(error, BKS_ERR_UNSUPPORTED, CALL, "spec",
                     "'%.*s' is no fault of this version, must be flip=PEER@TICK:byte[:OFFSET]",
                     shown(length), text);
}

bks_status bksi_lab_faults_parse(const bks_lab_config *config, const char *spec,
                                 bksi_lab_faults *faults, bks_error *error)
{
    for (const char *at = spec;; at++) {
        const size_t length = strcspn(at, ",");
        const bks_status status = read_fault(config, at, length, faults, error);
        if (status != BKS_OK) {
            return status;
        }
        at += length;
        if (*at == '\0') {
            return BKS_OK;
        }
    }
}

void bksi_lab_faults_plant(const bksi_lab_faults *faults, uint32_t index, bks_peer *peer)
{
    const bksi_lab_flip *flip = &faults->flips[index];
    if (flip->is_planted) {
        bksi_peer_flip(peer, flip->tick, flip->offset_bytes);
    }
}

bks_status bks_lab_fault(bks_lab *lab, const char *spec, bks_error *error)
{
    if (lab == NULL || spec == NULL) {
        return bksi_fail_null(error, CALL, lab == NULL ? "lab" : "spec");
    }
    if (lab->has_begun) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "lab",
                         "the match runs already, faults are planted before bks_lab_advance()");
    }
    bksi_lab_faults faults = lab->faults; // all of the spec or nothing
    const bks_status status = bksi_lab_faults_parse(&lab->config, spec, &faults, error);
    if (status != BKS_OK) {
        return status;
    }
    lab->faults = faults;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        bksi_lab_faults_plant(&faults, i, lab->peers[i].peer);
    }
    return BKS_OK;
}
