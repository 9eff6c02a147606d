// SPDX-License-Identifier: MIT

// Measures how much forged packets cost the peers. No peer may accept one, and they must change
// nothing.

#define _GNU_SOURCE

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/heap.h"
#include "base/json.h"
#include "base/tool.h"
#include "workshop/bench/bench.h"

/// Kinds of forged packets.
typedef enum forged_kind {
    FORGED_MADE_UP,      ///< 40 bytes: the first byte of a sealed packet, then random ones
    FORGED_MADE_UP_LONG, ///< 1200 bytes: the first byte of a sealed packet, then random ones
    FORGED_CUT,          ///< genuine packet of the match, cut short
    FORGED_FLIPPED,      ///< genuine packet of the match with a flipped bit
    FORGED_REPLAYED,     ///< genuine packet of the match that was already delivered
    FORGED_REFLECTED,    ///< genuine packet of the match, sent back to its sender
    FORGED_CALL,         ///< first message of a handshake, from a sender without the match's key
    FORGED_CALL_LONG,    ///< first message without the key, longer than any genuine one
    /// Genuine first message of the handshake with which the match began, sent a second time.
    FORGED_CALL_REPLAYED,
    FORGED_KINDS
} forged_kind;

/// Result of an attack. All times are processor times of this thread.
typedef struct forged_result {
    uint64_t packets;             ///< number of forged packets
    uint64_t count[FORGED_KINDS]; ///< number of forged packets of each kind
    double ns[FORGED_KINDS]; ///< time in which the peers handled the packets of each kind, in ns
    uint64_t taken;          ///< number of forged packets that a peer accepted
    uint64_t answered;       ///< number of packets that peers sent to unknown addresses
    /// Number of allocations during the attack, after its first tick.
    uint64_t allocations;
    /// Growth of the memory that the process has written to, after the first tick of the attack;
    /// -1: unknown.
    int64_t memory_bytes;
    uint64_t log_lines; ///< number of log lines of the library during the attack
    uint32_t ticks;     ///< number of ticks of the attack
    /// Number of ticks whose work for one peer, forged packets included, took longer than a tick
    /// lasts.
    uint32_t ticks_late;
    double tick_ms_max; ///< longest time that one peer's work for a tick took
    uint64_t hashes[2]; ///< by peer: hash of the newest state that both peers published
    uint64_t steps;     ///< number of steps of both peers, with resimulated ticks
    uint64_t sent;      ///< number of packets that both peers sent
} forged_result;

#define TICK_NS       UINT64_C(16666667)
#define WAY_NS        UINT64_C(30000000)
#define BATCH         64u
#define FLYING_MAX    256u
#define DELIVERED_MAX 256u ///< size of `delivered`, must be a power of two
// Time at which the attack begins: by then every buffer of the peers has been written to once.
#define START_NS UINT64_C(20000000000)

typedef struct packet {
    uint64_t arrives_ns;
    uint32_t from, to;
    size_t count;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
} packet;

typedef struct match {
    bks_peer *peers[2];
    bks_monkey monkeys[2];
    uint64_t now_ns;
    packet flying[FLYING_MAX];
    uint32_t flying_count;
    packet delivered[DELIVERED_MAX]; ///< newest packets that were delivered
    uint32_t delivered_count;
    packet call; ///< first packet of the match, which begins the handshake
    packet forged[BATCH];
    uint64_t random;
    uint64_t answered;
    bool has_failed; ///< true: a call of bks_peer_update() failed
} match;

static uint32_t draw(match *m, uint32_t bound)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((m->random >> 33) % bound);
}

/// Return the memory that the process has written to; -1: unknown.
static int64_t memory_bytes(void)
{
    long long kib = -1;
    char line[256];
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        (void)sscanf(line, "Anonymous: %lld", &kib);
    }
    if (file != NULL) {
        fclose(file);
    }
    return kib < 0 ? -1 : kib * 1024;
}

static bks_address address(uint32_t number)
{
    return (bks_address){.length = 4, .bytes = {10, 0, 0, (uint8_t)(number + 1)}};
}

// ---- the attacked match ----

static int open_peer(match *m, const bks_game *game, uint32_t index)
{
    bks_error error = {0};
    bks_peer_config config = bks_peer_config_default();
    config.game = game;
    config.session.is_host = index == 0;
    config.session.host = address(0);
    config.session.players = 2;
    config.session.nonce = index + 1;
    memset(config.session.key, 7, BKS_KEY_BYTES);
    memset(config.session.identity, 11 + (int)index, BKS_KEY_BYTES);
    memset(config.session.entropy, 21 + (int)index, BKS_KEY_BYTES);
    bks_status status = bks_monkey_init(&m->monkeys[index], game->fields, game->field_count, 1,
                                        index, 3, 20, &error);
    config.sources[0] = bks_monkey_source(&m->monkeys[index]);
    if (status == BKS_OK) {
        status = bks_peer_create(&config, &m->peers[index], &error);
    }
    if (status != BKS_OK) {
        tool_complain_error("forged", &error);
    }
    return status == BKS_OK ? TOOL_OK : TOOL_DAMAGED;
}

static void deliver(match *m)
{
    for (uint32_t i = 0; i < m->flying_count;) {
        const packet *p = &m->flying[i];
        if (p->arrives_ns > m->now_ns) {
            i++;
            continue;
        }
        const bks_address from = address(p->from);
        (void)bks_peer_receive(m->peers[p->to], m->now_ns, &from, p->bytes, p->count);
        if (m->call.count == 0) {
            m->call = *p;
        }
        m->delivered[m->delivered_count++ % DELIVERED_MAX] = *p;
        m->flying[i] = m->flying[--m->flying_count];
    }
}

static void send_all(match *m, uint32_t from)
{
    bks_address to;
    packet p = {.from = from, .to = 1 - from, .arrives_ns = m->now_ns + WAY_NS};
    const bks_address other = address(1 - from);
    while ((p.count = bks_peer_send(m->peers[from], &to, p.bytes, sizeof(p.bytes))) > 0) {
        if (!bks_address_equal(&to, &other)) {
            m->answered++;
        } else if (m->flying_count < FLYING_MAX) {
            m->flying[m->flying_count++] = p;
        }
    }
}

static void pass_tick(match *m)
{
    m->now_ns += TICK_NS;
    deliver(m);
    for (uint32_t i = 0; i < 2; i++) {
        m->has_failed |= bks_peer_update(m->peers[i], m->now_ns) == BKS_ERR_BAD_ARGUMENT;
        send_all(m, i);
    }
}

// ---- forged packets ----

static void fill(match *m, packet *p, size_t from, size_t count)
{
    for (size_t i = from; i < count; i++) {
        p->bytes[i] = (uint8_t)draw(m, 256);
    }
    p->count = count;
}

static void forge_packet(match *m, forged_kind kind, packet *p)
{
    *p = m->delivered[draw(m, m->delivered_count < DELIVERED_MAX ? m->delivered_count
                                                                 : DELIVERED_MAX)];
    switch (kind) {
    case FORGED_MADE_UP:
    case FORGED_MADE_UP_LONG: // keep the first byte, so that the packet looks like a sealed one
        fill(m, p, 1, kind == FORGED_MADE_UP ? 40 : BKS_PACKET_BYTES_MAX);
        break;
    case FORGED_CUT: // a cut packet has at least two bytes
        p->count = 2 + draw(m, (uint32_t)p->count - 2);
        break;
    case FORGED_FLIPPED:
        p->bytes[draw(m, (uint32_t)p->count)] ^= (uint8_t)(1U << draw(m, 8));
        break;
    case FORGED_REPLAYED:
        break;
    case FORGED_REFLECTED:
        p->to = p->from;
        break;
    case FORGED_CALL:
    case FORGED_CALL_LONG:
        fill(m, p, 2, kind == FORGED_CALL ? (uint32_t)m->call.count : BKS_PACKET_BYTES_MAX);
        p->bytes[0] = 0;
        p->bytes[1] = 1;
        break;
    case FORGED_CALL_REPLAYED:
        *p = m->call;
        break;
    case FORGED_KINDS:
        break;
    }
    // Send the forged packet from the address of the genuine packet, or in one of four cases from a
    // random address.
    p->from = draw(m, 4) > 0 ? p->from : 2 + draw(m, 200);
}

static void send_batch(match *m, forged_kind kind, forged_result *out)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        forge_packet(m, kind, &m->forged[i]);
    }
    const double begun_ns = bench_cpu_ns();
    for (uint32_t i = 0; i < BATCH; i++) {
        const packet *p = &m->forged[i];
        const bks_address from = address(p->from);
        (void)bks_peer_receive(m->peers[p->to], m->now_ns, &from, p->bytes, p->count);
    }
    out->ns[kind] += bench_cpu_ns() - begun_ns;
    out->count[kind] += BATCH;
    out->packets += BATCH;
}

static uint64_t taken_by_both(match *m)
{
    uint64_t taken = 0;
    for (uint32_t i = 0; i < 2; i++) {
        bks_stats stats;
        (void)bks_session_stats(bks_peer_session(m->peers[i]), &stats);
        taken += stats.packets_received;
    }
    return taken;
}

/// Play a tick of the match. Before it, send `batches` batches of every kind of forged packet.
static void attacked_tick(match *m, uint32_t batches, forged_result *out)
{
    double forged_ns = 0;
    const uint64_t taken = taken_by_both(m);
    for (forged_kind kind = 0; kind < FORGED_KINDS; kind++) {
        const double before_ns = out->ns[kind];
        for (uint32_t i = 0; i < batches; i++) {
            send_batch(m, kind, out);
        }
        forged_ns += out->ns[kind] - before_ns;
    }
    out->taken += taken_by_both(m) - taken;
    const double begun_ns = bench_cpu_ns();
    pass_tick(m);
    // Count half of the time, because in a real match each machine does the work of one peer.
    const double tick_ns = (forged_ns + bench_cpu_ns() - begun_ns) / 2;
    out->ticks_late += tick_ns > (double)TICK_NS ? 1 : 0;
    out->tick_ms_max = tick_ns * 1e-6 > out->tick_ms_max ? tick_ns * 1e-6 : out->tick_ms_max;
    out->ticks++;
}

// ---- the whole attack ----

static uint64_t lines_logged;

static void count_line(void *context, bks_log_level level, const char *id, const char *text)
{
    (void)context;
    (void)level;
    (void)id;
    (void)text;
    lines_logged++;
}

static void attack(match *m, uint64_t packets, uint32_t ticks, forged_result *out)
{
    const bks_log_sink sink = {.write = count_line};
    lines_logged = 0;
    (void)bks_log_set_sink(&sink);
    // Play a tick first, so that all memory of the benchmark has been written to once.
    attacked_tick(m, packets > 0 ? 1 : 0, out);
    const int64_t resident = memory_bytes();
    const uint64_t allocations = alloc_count_thread();
    while (ticks > 0 ? out->ticks < ticks : out->packets < packets) {
        attacked_tick(m, packets > 0 ? 1 : 0, out);
    }
    out->allocations = alloc_count_thread() - allocations;
    const int64_t resident_after = memory_bytes();
    out->memory_bytes = resident < 0 ? -1 : resident_after - resident;
    out->log_lines = lines_logged;
    tool_log_open(false);
}

static void finish(match *m, forged_result *out)
{
    for (uint32_t i = 0; i < 60; i++) { // play on until all packets under way have arrived
        pass_tick(m);
    }
    const bks_session *sessions[2] = {bks_peer_session(m->peers[0]), bks_peer_session(m->peers[1])};
    bks_tick last = bks_session_published(sessions[0]);
    const bks_tick other = bks_session_published(sessions[1]);
    last = other < last ? other : last;
    for (uint32_t i = 0; i < 2; i++) {
        bks_stats stats;
        (void)bks_session_stats(sessions[i], &stats);
        if (bks_session_hash(sessions[i], last, &out->hashes[i]) != BKS_OK) {
            out->hashes[i] = i;
        }
        out->steps += (uint64_t)bks_session_tick(sessions[i]) + stats.resimulated;
        out->sent += stats.packets_sent;
    }
    out->answered = m->answered;
}

/// Play a match and attack it.
/// @param packets  number of forged packets; 0: a match of `ticks` ticks without an attack
/// @param ticks    length of the match; 0: as long as the attack takes
/// @return TOOL_OK, TOOL_DAMAGED (with an error on stderr)
static int forged_run(const bks_game *game, uint64_t packets, uint32_t ticks, forged_result *out)
{
    *out = (forged_result){0};
    match *m = calloc(1, sizeof(*m));
    if (m == NULL) {
        tool_complain("forged", "out of memory");
        return TOOL_DAMAGED;
    }
    m->random = 1;
    int status = open_peer(m, game, 0);
    if (status == TOOL_OK) {
        status = open_peer(m, game, 1);
    }
    while (status == TOOL_OK && m->now_ns < START_NS) {
        pass_tick(m);
    }
    if (status == TOOL_OK && !bks_peer_started(m->peers[1])) {
        tool_complain("forged", "the match did not start");
        status = TOOL_DAMAGED;
    }
    if (status == TOOL_OK) {
        attack(m, packets, ticks, out);
        finish(m, out);
    }
    bks_peer_destroy(m->peers[0]);
    bks_peer_destroy(m->peers[1]);
    free(m);
    return status;
}

/// Goal: greatest cost of a packet in nanoseconds.
#define GOAL_NS 1500.0

#define PACKETS_MAX 1000000000

static const struct {
    const char *key;
    const char *name;
} kinds[FORGED_KINDS] = {
    {"made_up", "made up, 40 bytes"},
    {"made_up_long", "made up, 1200 bytes"},
    {"cut", "cut"},
    {"flipped", "a bit flipped"},
    {"replayed", "replayed"},
    {"reflected", "reflected"},
    {"call", "a stranger's call, 420 bytes"},
    {"call_long", "a stranger's call, 1200 bytes"},
    {"call_replayed", "a call replayed"},
};

static double cost_ns(const forged_result *result, forged_kind kind)
{
    return result->count[kind] > 0 ? result->ns[kind] / (double)result->count[kind] : 0;
}

static double mean_ns(const forged_result *result)
{
    double sum = 0;
    for (forged_kind kind = 0; kind < FORGED_KINDS; kind++) {
        sum += result->ns[kind];
    }
    return result->packets > 0 ? sum / (double)result->packets : 0;
}

/// Return a description of what went wrong in an attack; NULL: nothing.
static const char *fault_of(const forged_result *attacked, const forged_result *quiet)
{
    if (attacked->taken > 0) {
        return "some were taken";
    }
    if (attacked->answered > 0) {
        return "some were answered";
    }
    if (attacked->allocations > 0) {
        return "memory was allocated";
    }
    if (attacked->log_lines > 0) {
        return "lines were logged";
    }
    if (memcmp(attacked->hashes, quiet->hashes, sizeof(quiet->hashes)) != 0 ||
        attacked->hashes[0] != attacked->hashes[1] || attacked->steps != quiet->steps ||
        attacked->sent != quiet->sent) {
        return "the match ran differently from one without them";
    }
    return NULL;
}

static void print_text(const forged_result *result)
{
    printf("%" PRIu64 " packets into a match of two, %" PRIu32 " ticks long\n", result->packets,
           result->ticks);
    for (forged_kind kind = 0; kind < FORGED_KINDS; kind++) {
        printf("  %-30s %7.0f ns each\n", kinds[kind].name, cost_ns(result, kind));
    }
    printf("  %-30s %7.0f ns (goal: under %.0f)\n\n", "all of them", mean_ns(result), GOAL_NS);
    printf("taken                 %" PRIu64 "\n", result->taken);
    printf("answered              %" PRIu64 "\n", result->answered);
    printf("ticks late            %" PRIu32 ", the longest took %.2f of %.2f ms\n",
           result->ticks_late, result->tick_ms_max, 1000.0 / 60.0);
    if (alloc_count_works()) {
        printf("allocations           %" PRIu64 "\n", result->allocations);
    }
    if (result->memory_bytes != -1) {
        printf("memory                %+" PRId64 " KiB\n", result->memory_bytes / 1024);
    }
}

static bool print_json(const forged_result *result, const char *fault)
{
    json out;
    json_begin(&out, stdout);
    json_text(&out, "bench", "forged");
    json_uint(&out, "packets", result->packets);
    json_uint(&out, "ticks", result->ticks);
    json_object(&out, "ns");
    for (forged_kind kind = 0; kind < FORGED_KINDS; kind++) {
        json_number(&out, kinds[kind].key, cost_ns(result, kind), 1);
    }
    json_close(&out);
    json_number(&out, "ns_mean", mean_ns(result), 1);
    json_number(&out, "goal_ns", GOAL_NS, 0);
    json_uint(&out, "taken", result->taken);
    json_uint(&out, "answered", result->answered);
    json_uint(&out, "ticks_late", result->ticks_late);
    json_number(&out, "tick_ms_max", result->tick_ms_max, 3);
    json_uint(&out, "allocations", result->allocations);
    json_int(&out, "memory_bytes", result->memory_bytes);
    json_uint(&out, "log_lines", result->log_lines);
    json_text(&out, "fault", fault);
    return json_end(&out);
}

int bench_forged(int argc, char **argv)
{
    int64_t packets = 1000000;
    const char *game_name = "pad";
    bool is_json = false;
    const args_option options[] = {
        ARGS_INT("--packets", "N", &packets, 1, PACKETS_MAX, "number of packets (default 1000000)"),
        ARGS_TEXT("--game", "GAME", &game_name, "the game of the running match (default pad)"),
        ARGS_JSON(&is_json),
    };
    const args_spec spec = {
        .command = "bench forged",
        .usage = "[options]",
        .about =
            "Send packets into a running match that it must reject: made up, cut, flipped,\n"
            "replayed, reflected, and calls without the key. Print what each costs, and whether\n"
            "the match runs as it does without them: if not, the exit status is 1.",
        ARGS_OPTIONS(options),
    };
    int status = args_parse(&spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    loaded_game game;
    forged_result attacked;
    forged_result quiet;
    status = loader_open(game_name, &game);
    if (status == TOOL_OK) {
        status = forged_run(game.game, (uint64_t)packets, 0, &attacked);
    }
    if (status == TOOL_OK) {
        status = forged_run(game.game, 0, attacked.ticks, &quiet);
    }
    if (status != TOOL_OK) {
        return status;
    }
    const char *fault = fault_of(&attacked, &quiet);
    if (!is_json) {
        print_text(&attacked);
    } else if (!print_json(&attacked, fault)) {
        return TOOL_DAMAGED;
    }
    if (fault != NULL) {
        tool_complain("forged", "%s", fault);
    }
    return fault == NULL ? TOOL_OK : TOOL_NO;
}
