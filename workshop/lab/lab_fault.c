// SPDX-License-Identifier: MIT

// Reads and prints planted faults. Each kind is one line of the table `kinds`.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "lab/lab_internal.h"
#include "peer/peer_inspect.h"

#define CALL "bks_lab_fault"

#define MILLISECOND_NS INT64_C(1000000)
#define DRIFT_MAX_PPM  100000u
#define FACTOR_MAX     100u
#define THOUSAND       1000

/// Return the number of characters of a wrong text that an error message shows.
static int shown(size_t length)
{
    return length < 60 ? (int)length : 60;
}

/// Text of a spec that is being read, with the position in it.
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

static bool take_peer(cursor *text, const bks_lab_config *config, uint32_t *out)
{
    uint64_t peer = 0;
    const bool is_read = take_number(text, config->peers - 1, &peer);
    *out = (uint32_t)peer;
    return is_read;
}

/// Read a time at the cursor. The time ends at the first character that cannot be part of a time.
static bool take_time(cursor *text, uint64_t *out_ns)
{
    const char *begin = text->at;
    while (text->at < text->end && ((*text->at >= '0' && *text->at <= '9') || *text->at == '.' ||
                                    (*text->at >= 'a' && *text->at <= 'z'))) {
        text->at++;
    }
    return bksi_lab_time_parse(begin, (size_t)(text->at - begin), out_ns);
}

/// Read a sign, "+" or "-".
static bool take_sign(cursor *text, int64_t *out)
{
    *out = 1;
    if (take(text, "+")) {
        return true;
    }
    *out = -1;
    return take(text, "-");
}

// ---- the part of a spec after the name of its kind and "=" ----

static bool read_instant(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    return take_peer(text, config, &fault->peer) && take(text, "@") &&
           take_time(text, &fault->at_ns);
}

static bool read_span(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    return read_instant(text, config, fault) && take(text, "+") && take_time(text, &fault->span_ns);
}

/// Read "0-1@TIME" or "0>1@TIME".
static bool read_pair(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    if (!take_peer(text, config, &fault->other)) {
        return false;
    }
    fault->is_one_way = take(text, ">");
    return (fault->is_one_way || take(text, "-")) && read_instant(text, config, fault) &&
           fault->peer != fault->other;
}

static bool read_cut(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    return read_pair(text, config, fault) && take(text, "+") && take_time(text, &fault->span_ns);
}

static bool read_rate(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    uint64_t rate = 0;
    if (!read_pair(text, config, fault) || !take(text, ":") ||
        !bksi_lab_rate_parse(text->at, (size_t)(text->end - text->at), &rate)) {
        return false;
    }
    text->at = text->end;
    fault->value = (int64_t)rate;
    return true;
}

static bool read_fill(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    uint64_t queue_ns = 0;
    const bool is_read =
        read_pair(text, config, fault) && take(text, ":") && take_time(text, &queue_ns);
    fault->value = (int64_t)queue_ns;
    return is_read && queue_ns <= BKSI_LAB_LINK_QUEUE_NS;
}

static bool read_split(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    uint8_t group = 1;
    for (;;) {
        uint32_t peer = 0;
        if (!take_peer(text, config, &peer) || fault->group[peer] != 0) {
            return false;
        }
        fault->group[peer] = group;
        if (take(text, ".")) {
            continue;
        }
        if (!take(text, "/")) {
            break;
        }
        group++;
    }
    return group >= 2 && group <= BKS_LAB_GROUPS_MAX && take(text, "@") &&
           take_time(text, &fault->at_ns) && take(text, "+") && take_time(text, &fault->span_ns);
}

static bool read_drift(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    int64_t sign = 1;
    uint64_t ppm = 0;
    const bool is_read = take_peer(text, config, &fault->peer) && take(text, ":") &&
                         take_sign(text, &sign) && take_number(text, DRIFT_MAX_PPM, &ppm) &&
                         take(text, "ppm");
    fault->value = sign * (int64_t)ppm;
    return is_read;
}

static bool read_load(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    uint64_t load_ns = 0;
    const bool is_read =
        take_peer(text, config, &fault->peer) && take(text, ":") && take_time(text, &load_ns);
    fault->value = (int64_t)load_ns;
    return is_read;
}

static bool read_clock(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    int64_t sign = 1;
    uint64_t jump_ns = 0;
    const bool is_read =
        read_instant(text, config, fault) && take_sign(text, &sign) && take_time(text, &jump_ns);
    fault->value = sign * (int64_t)jump_ns;
    return is_read;
}

static bool read_slow(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    uint64_t whole = 0;
    uint64_t tenths = 0;
    bool is_read =
        read_span(text, config, fault) && take(text, ":") && take_number(text, FACTOR_MAX, &whole);
    if (is_read && take(text, ".")) {
        is_read = take_number(text, 9, &tenths);
    }
    fault->value = (int64_t)(whole * THOUSAND + tenths * (THOUSAND / 10));
    return is_read && fault->value > 0 && take(text, "x");
}

static bool read_speed(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    uint64_t percent = 0;
    const bool is_read = read_instant(text, config, fault) && take(text, ":") &&
                         take_number(text, BKS_SPEED_MAX, &percent) && take(text, "%");
    fault->value = (int64_t)percent;
    return is_read && percent >= BKS_SPEED_MIN;
}

static bool read_heal(cursor *text, const bks_lab_config *config, bks_lab_timed *fault)
{
    (void)config;
    return take_time(text, &fault->at_ns);
}

// ---- table of kinds, and printing faults ----

/// Kind of faults: its names, and the function that reads its specs.
typedef struct fault_kind {
    const char *name;   ///< name of the kind in JSON
    const char *begin;  ///< name of the kind in specs, and the character after it
    const char *wanted; ///< form of the spec after `begin`, for error messages
    bool (*read)(cursor *text, const bks_lab_config *config, bks_lab_timed *fault);
    bool is_once; ///< true: each peer may have only one fault of this kind
} fault_kind;

static const fault_kind kinds[BKS_LAB_FAULT_KINDS] = {
    [BKS_LAB_PAUSE] = {"pause", "pause=", "PEER@TIME+TIME", read_span, false},
    [BKS_LAB_CRASH] = {"crash", "crash=", "PEER@TIME", read_instant, true},
    [BKS_LAB_LEAVE] = {"leave", "leave=", "PEER@TIME", read_instant, true},
    [BKS_LAB_CUT] = {"cut", "cut=", "PEER-PEER@TIME+TIME or PEER>PEER@TIME+TIME", read_cut, false},
    [BKS_LAB_SPLIT] = {"split", "split=", "PEER.PEER/PEER@TIME+TIME with 2 to 4 groups", read_split,
                       false},
    [BKS_LAB_DRIFT] = {"drift", "drift=", "PEER:+PPMppm or PEER:-PPMppm of at most 100000",
                       read_drift, true},
    [BKS_LAB_CLOCK] = {"clock", "clock=", "PEER@TIME+TIME or PEER@TIME-TIME", read_clock, false},
    [BKS_LAB_SLOW] = {"slow", "slow=", "PEER@TIME+TIME:FACTORx with a factor of 0.1..100",
                      read_slow, false},
    [BKS_LAB_REBIND] = {"rebind", "rebind=", "PEER@TIME", read_instant, false},
    [BKS_LAB_FULL] = {"full", "full=", "PEER@TIME+TIME", read_span, false},
    [BKS_LAB_LIE] = {"lie", "lie=", "PEER@TIME", read_instant, true},
    [BKS_LAB_FORGE] = {"forge", "forge=", "PEER@TIME+TIME", read_span, true},
    [BKS_LAB_RATE] = {"rate_change", "rate=",
                      "PEER-PEER@TIME:RATE or PEER>PEER@TIME:RATE of "
                      "1kbit..1000gbit",
                      read_rate, false},
    [BKS_LAB_FILL] = {"fill",
                      "fill=", "PEER-PEER@TIME:TIME or PEER>PEER@TIME:TIME of at most 500ms",
                      read_fill, false},
    [BKS_LAB_LOAD] = {"load", "load=", "PEER:TIME", read_load, true},
    [BKS_LAB_PAUSE_GAME] = {"pause_game", "pause-game=", "PEER@TIME+TIME", read_span, false},
    [BKS_LAB_SPEED] = {"speed", "speed=", "PEER@TIME:PERCENT% of 25..400", read_speed, false},
    [BKS_LAB_HEAL] = {"heal", "heal@", "TIME", read_heal, false},
};

static bool is_kind(bks_lab_fault_kind kind)
{
    return (uint32_t)kind < BKS_LAB_FAULT_KINDS;
}

const char *bks_lab_fault_name(bks_lab_fault_kind kind)
{
    return is_kind(kind) ? kinds[kind].name : "unknown";
}

static void print_groups(const bks_lab_timed *fault, char *out, size_t capacity)
{
    size_t at = 0;
    for (uint32_t group = 1; group <= BKS_LAB_GROUPS_MAX; group++) {
        const char *before = group > 1 ? "/" : "";
        for (uint32_t peer = 0; peer < BKS_PEERS_MAX; peer++) {
            if (fault->group[peer] == group && at < capacity) {
                at += (size_t)snprintf(out + at, capacity - at, "%s%" PRIu32, before, peer);
                before = ".";
            }
        }
    }
}

/// Print a rate in the greatest unit that gives a whole number.
static void print_rate(int64_t bits_per_s, char *out, size_t capacity)
{
    static const char *const units[] = {"bit", "kbit", "mbit", "gbit"};
    uint32_t unit = 0;
    while (unit < 3 && bits_per_s > 0 && bits_per_s % THOUSAND == 0) {
        bits_per_s /= THOUSAND;
        unit++;
    }
    (void)snprintf(out, capacity, "%" PRId64 "%s", bits_per_s, units[unit]);
}

/// Print a fault of a pair's link.
static void print_pair(const bks_lab_timed *fault, char *out, size_t capacity)
{
    char rest[32] = "";
    if (fault->kind == BKS_LAB_RATE) {
        print_rate(fault->value, rest, sizeof(rest));
    } else {
        (void)snprintf(rest, sizeof(rest), "%" PRIu64 "ms",
                       (fault->kind == BKS_LAB_CUT ? fault->span_ns : (uint64_t)fault->value) /
                           MILLISECOND_NS);
    }
    (void)snprintf(out, capacity, "%s%" PRIu32 "%c%" PRIu32 "@%" PRIu64 "ms%c%s",
                   kinds[fault->kind].begin, fault->other, fault->is_one_way ? '>' : '-',
                   fault->peer, fault->at_ns / MILLISECOND_NS,
                   fault->kind == BKS_LAB_CUT ? '+' : ':', rest);
}

static void print(const bks_lab_timed *fault, char *out, size_t capacity)
{
    const char *begin = kinds[fault->kind].begin;
    const int64_t at_ms = (int64_t)fault->at_ns / MILLISECOND_NS;
    const int64_t span_ms = (int64_t)fault->span_ns / MILLISECOND_NS;
    char groups[64] = "";
    switch (fault->kind) {
    case BKS_LAB_CUT:
    case BKS_LAB_RATE:
    case BKS_LAB_FILL:
        print_pair(fault, out, capacity);
        break;
    case BKS_LAB_SPLIT:
        print_groups(fault, groups, sizeof(groups));
        (void)snprintf(out, capacity, "%s%s@%" PRId64 "ms+%" PRId64 "ms", begin, groups, at_ms,
                       span_ms);
        break;
    case BKS_LAB_DRIFT:
        (void)snprintf(out, capacity, "%s%" PRIu32 ":%+" PRId64 "ppm", begin, fault->peer,
                       fault->value);
        break;
    case BKS_LAB_LOAD:
        (void)snprintf(out, capacity, "%s%" PRIu32 ":%" PRId64 "ms", begin, fault->peer,
                       fault->value / MILLISECOND_NS);
        break;
    case BKS_LAB_CLOCK:
        (void)snprintf(out, capacity, "%s%" PRIu32 "@%" PRId64 "ms%+" PRId64 "ms", begin,
                       fault->peer, at_ms, fault->value / MILLISECOND_NS);
        break;
    case BKS_LAB_SLOW:
        (void)snprintf(out, capacity,
                       "%s%" PRIu32 "@%" PRId64 "ms+%" PRId64 "ms:%" PRId64 ".%" PRId64 "x", begin,
                       fault->peer, at_ms, span_ms, fault->value / THOUSAND,
                       fault->value % THOUSAND / (THOUSAND / 10));
        break;
    case BKS_LAB_PAUSE:
    case BKS_LAB_FULL:
    case BKS_LAB_FORGE:
    case BKS_LAB_PAUSE_GAME:
        (void)snprintf(out, capacity, "%s%" PRIu32 "@%" PRId64 "ms+%" PRId64 "ms", begin,
                       fault->peer, at_ms, span_ms);
        break;
    case BKS_LAB_SPEED:
        (void)snprintf(out, capacity, "%s%" PRIu32 "@%" PRId64 "ms:%" PRId64 "%%", begin,
                       fault->peer, at_ms, fault->value);
        break;
    case BKS_LAB_HEAL:
        (void)snprintf(out, capacity, "%s%" PRId64 "ms", begin, at_ms);
        break;
    default:
        (void)snprintf(out, capacity, "%s%" PRIu32 "@%" PRId64 "ms", begin, fault->peer, at_ms);
        break;
    }
}

/// Return true if a kind of faults can act while the peers connect.
static bool may_be_in_lobby(bks_lab_fault_kind kind)
{
    return kind != BKS_LAB_DRIFT && kind != BKS_LAB_LIE && kind != BKS_LAB_FORGE &&
           kind != BKS_LAB_LOAD && kind != BKS_LAB_PAUSE_GAME && kind != BKS_LAB_SPEED &&
           kind != BKS_LAB_HEAL;
}

void bks_lab_timed_print(const bks_lab_timed *fault, char *out, size_t capacity)
{
    if (out == NULL || capacity == 0) {
        (void)bksi_fail_null(NULL, "bks_lab_timed_print", "out");
        return;
    }
    out[0] = '\0';
    if (fault == NULL) {
        (void)bksi_fail_null(NULL, "bks_lab_timed_print", "fault");
    } else if (is_kind(fault->kind)) {
        const int before =
            fault->in_lobby && may_be_in_lobby(fault->kind) ? snprintf(out, capacity, "lobby:") : 0;
        if ((size_t)before < capacity) {
            print(fault, out + before, capacity - (size_t)before);
        }
    }
}

// ---- reading specs ----

/// Read "PEER@TICK:byte[:OFFSET[:BIT]]". The part "byte:" may be missing, or be "once" instead.
static bool take_flip(cursor *text, const bks_lab_config *config, uint32_t *peer,
                      bks_lab_flip *flip)
{
    uint64_t tick = 0;
    uint64_t bit = flip->bit;
    if (!take_peer(text, config, peer) || !take(text, "@") ||
        !take_number(text, (uint64_t)config->ticks, &tick) || !take(text, ":")) {
        return false;
    }
    flip->tick = (bks_tick)tick;
    flip->is_once = take(text, "once");
    const bool has_word = flip->is_once || take(text, "byte");
    flip->is_drawn = has_word && text->at == text->end;
    if (!flip->is_drawn &&
        ((has_word && !take(text, ":")) || !take_number(text, INT64_MAX, &flip->offset_bytes) ||
         (take(text, ":") && !take_number(text, 7, &bit)))) {
        return false;
    }
    flip->bit = (uint32_t)bit;
    return text->at == text->end;
}

static bks_status read_flip(const bks_lab_config *config, cursor text, bks_lab_faults *faults,
                            bks_error *error)
{
    const cursor whole = text;
    uint32_t peer = 0;
    bks_random random = bksi_lab_random(config->seed, LAB_STREAM_FLIP);
    bks_lab_flip flip = {.is_planted = true};
    flip.offset_bytes = bks_random_next(&random);
    flip.bit = bks_random_next(&random) % 8;
    if (!take_flip(&text, config, &peer, &flip)) {
        return bksi_fail(
            error, BKS_ERR_BAD_ARGUMENT, CALL, "flip",
            "flip is '%.*s', must be PEER@TICK:byte|once[:OFFSET[:BIT]] with a peer of "
            "0..%u, a tick of 0..%d and a bit of 0..7",
            shown((size_t)(whole.end - whole.at)), whole.at, config->peers - 1, config->ticks);
    }
    if (config->game != NULL && config->game->create != NULL) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "flip",
                         "%s keeps its own state (create): a flip must be of a game whose state "
                         "is one region",
                         config->game->name);
    }
    if (faults->flips[peer].is_planted) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "flip",
                         "flip names peer %u twice, must be once for each peer", peer);
    }
    faults->flips[peer] = flip;
    return BKS_OK;
}

/// Return true if a peer has a fault of this kind already.
static bool has_one(const bks_lab_faults *faults, const bks_lab_timed *wanted)
{
    for (uint32_t i = 0; i < faults->timed_count; i++) {
        const bks_lab_timed *fault = &faults->timed[i];
        if (fault->kind == wanted->kind && fault->peer == wanted->peer) {
            return true;
        }
    }
    return false;
}

static bks_status read_timed(const bks_lab_config *config, bks_lab_fault_kind which, bool in_lobby,
                             cursor text, bks_lab_faults *faults, bks_error *error)
{
    const fault_kind *kind = &kinds[which];
    const cursor whole = text;
    bks_lab_timed fault = {.kind = which, .in_lobby = in_lobby};
    if (in_lobby && !may_be_in_lobby(which)) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, kind->name,
                         "%s stands behind lobby:, must be a fault of the match", kind->name);
    }
    if (!kind->read(&text, config, &fault) || text.at != text.end) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, kind->name,
                         "%.*s is '%.*s', must be %s with peers of 0..%u and times of 0..1000s, "
                         "such as 800ms",
                         (int)strlen(kind->begin) - 1, kind->begin,
                         shown((size_t)(whole.end - whole.at)), whole.at, kind->wanted,
                         config->peers - 1);
    }
    if (kind->is_once && has_one(faults, &fault)) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, kind->name,
                         "%s names peer %u twice, must be once for each peer", kind->name,
                         fault.peer);
    }
    if (faults->timed_count == BKS_LAB_TIMED_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "spec",
                         "one fault too many after %u, must be at most %u", faults->timed_count,
                         BKS_LAB_TIMED_MAX);
    }
    faults->timed[faults->timed_count++] = fault;
    return BKS_OK;
}

static bks_status read_fault(const bks_lab_config *config, const char *text, size_t length,
                             bks_lab_faults *faults, bks_error *error)
{
    cursor whole = {text, text + length};
    const bool in_lobby = take(&whole, "lobby:");
    cursor at = whole;
    if (!in_lobby && take(&at, "flip=")) {
        return read_flip(config, at, faults, error);
    }
    for (uint32_t i = 0; i < BKS_LAB_FAULT_KINDS; i++) {
        at = whole;
        if (take(&at, kinds[i].begin)) {
            return read_timed(config, (bks_lab_fault_kind)i, in_lobby, at, faults, error);
        }
    }
    if (take(&at, "rejoin=")) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, CALL, "rejoin",
                         "'%.*s' is no fault of this version: no peer can join a running match yet",
                         shown(length), text);
    }
    return bksi_fail(error, BKS_ERR_UNSUPPORTED, CALL, "spec",
                     "'%.*s' is no fault, see --fault in 'bks lab --help'", shown(length), text);
}

/// Read the faults of a spec; the arguments are valid.
static bks_status read_faults(const bks_lab_config *config, const char *spec,
                              bks_lab_faults *faults, bks_error *error)
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

bks_status bks_lab_faults_parse(const bks_lab_config *config, const char *spec,
                                bks_lab_faults *faults, bks_error *error)
{
    static const char call[] = "bks_lab_faults_parse";
    BKSI_REFUSE_NULL(error, config);
    BKSI_REFUSE_NULL(error, spec);
    BKSI_REFUSE_NULL(error, faults);
    if (config->peers < 1 || config->peers > BKS_PEERS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "peers", "peers is %u, must be 1..%d",
                         config->peers, BKS_PEERS_MAX);
    }
    if (faults->timed_count > BKS_LAB_TIMED_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "faults",
                         "faults has %u timed ones, must have at most %d", faults->timed_count,
                         BKS_LAB_TIMED_MAX);
    }
    return read_faults(config, spec, faults, error);
}

bks_status bks_lab_faults_plant(const bks_lab_faults *faults, uint32_t index, bks_peer *peer)
{
    static const char call[] = "bks_lab_faults_plant";
    BKSI_REFUSE_NULL(NULL, faults);
    BKSI_REFUSE_NULL(NULL, peer);
    if (index >= BKS_PEERS_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "index", "index is %u, must be 0..%d",
                         index, BKS_PEERS_MAX - 1);
    }
    const bks_lab_flip *flip = &faults->flips[index];
    if (flip->is_planted) {
        const bksi_flip planted = {.tick = flip->tick,
                                   .is_once = flip->is_once,
                                   .is_drawn = flip->is_drawn,
                                   .offset = flip->offset_bytes,
                                   .bit = flip->bit};
        bksi_peer_flip(peer, &planted);
    }
    return BKS_OK;
}

bks_status bks_lab_faults_flip(const bks_lab_faults *faults, uint32_t index, const bks_peer *peer,
                               bks_lab_flip_result *out)
{
    static const char call[] = "bks_lab_faults_flip";
    BKSI_REFUSE_NULL(NULL, faults);
    BKSI_REFUSE_NULL(NULL, peer);
    BKSI_REFUSE_NULL(NULL, out);
    if (index >= BKS_PEERS_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "index", "index is %u, must be 0..%d",
                         index, BKS_PEERS_MAX - 1);
    }
    const bks_lab_flip *flip = &faults->flips[index];
    *out = (bks_lab_flip_result){0};
    if (flip->is_planted) {
        const bksi_flipped flipped = bksi_peer_flipped(peer);
        const uint64_t planted = flip->is_drawn ? 0 : flip->offset_bytes;
        *out =
            (bks_lab_flip_result){.peer = index,
                                  .tick = flip->tick,
                                  .offset_bytes = flipped.is_there ? flipped.offset : planted,
                                  .bit = flip->bit,
                                  .flipped_tick = flipped.is_there ? flipped.tick : BKS_TICK_NONE,
                                  .is_reached = flipped.is_there,
                                  .is_beyond = flipped.is_beyond,
                                  .used_bytes = flipped.used_bytes};
    }
    return BKS_OK;
}

bks_status bks_lab_fault(bks_lab *lab, const char *spec, bks_error *error)
{
    BKSI_REFUSE_NULL(error, lab);
    BKSI_REFUSE_NULL(error, spec);
    if (lab->has_begun) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, CALL, "lab",
                         "the match runs already, set faults before bks_lab_advance()");
    }
    bks_lab_faults faults = lab->faults; // a copy, because a spec with an error must change nothing
    const bks_status status = read_faults(&lab->config, spec, &faults, error);
    if (status != BKS_OK) {
        return status;
    }
    lab->faults = faults;
    const bks_status fitted = bksi_lab_links_fit(lab, error);
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        (void)bks_lab_faults_plant(&faults, i, lab->peers[i].peer);
    }
    return fitted;
}
