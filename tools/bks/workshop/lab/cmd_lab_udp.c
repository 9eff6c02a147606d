// SPDX-License-Identifier: MIT

// `bks lab --udp`: runs each peer in a process of its own, over real sockets of 127.0.0.1 and in
// real time. Packets go through the same links as in the lab. The processes leave their hashes and
// figures in shared memory, where the parent process compares them.

#define _GNU_SOURCE

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "backstitch/toolkit/links.h"
#include "backstitch/toolkit/writer.h"
#include "base/crash.h"
#include "base/heap.h"
#include "base/stop.h"
#include "base/tool.h"
#include "game/report.h"
#include "game/report_finding.h"
#include "workshop/lab/lab_parts.h"

#define MILLISECOND_NS UINT64_C(1000000)

/// CLOSING_NS: longest time that a process stays after the match, because other peers may have
/// missed its last packets. QUIET_NS: time without packets after which the process ends earlier
/// than that. SLEEP_MAX_NS: longest sleep of the process.
#define CLOSING_NS   (2000 * MILLISECOND_NS)
#define QUIET_NS     (500 * MILLISECOND_NS)
#define SLEEP_MAX_NS (50 * MILLISECOND_NS)

/// Time that a match may take in addition to twice its length and the silence after which a peer is
/// dropped.
#define BEYOND_MS UINT64_C(25000)

/// Report of a process, in shared memory.
typedef struct process_report {
    report_peer peer;
    uint64_t first_tick_ns; ///< time of the peer's first tick on the machine's clock; 0: none
    /// Time at which the process had the hash of the last tick, or gave up.
    uint64_t end_ns;
    _Atomic bks_tick hash_count;
    bks_tick hashes_end;     ///< number of hashes at the end of the process
    bks_lab_finding finding; ///< first desync that the process found
    uint32_t repair_count;
    bks_repair repairs[BKS_REPAIRS_MAX];
    bks_lab_link_counters links;
    int recording; ///< TOOL_OK; TOOL_DAMAGED: the peer's recording could not be written completely
    char trouble[128]; ///< reason why the process failed; empty if it did not
    bks_roster roster; ///< roster at the end of the process
    bks_lab_flip_result flip;
    lab_series series;
} process_report;

/// Data that all processes share.
typedef struct udp_match {
    const lab_setup *setup;
    uint64_t begun_ns;
    bks_udp *sockets[BKS_PEERS_MAX];
    bks_address addresses[BKS_PEERS_MAX];
    /// Specs of links by sender and receiver.
    bks_lab_link_spec links[BKS_PEERS_MAX][BKS_PEERS_MAX];
    bks_lab_faults faults;
    size_t shared_bytes;
    void *shared;
    process_report *reports; ///< reports of the processes by peer, in the memory `shared`
    uint64_t *hashes;        ///< hashes of states, ticks + 1 for each peer, in the memory `shared`
    pid_t processes[BKS_PEERS_MAX];
} udp_match;

/// Data of the process of one peer.
typedef struct player_process {
    const udp_match *match;
    uint32_t index;
    process_report *report;
    uint64_t *hashes;
    bks_tick hash_count;
    bks_peer *peer;
    bks_session *session;
    bks_bad_transport *bad;
    bks_transport transport;
    bks_record_file file;
    uint64_t wake_ns;
    uint64_t heard_ns; ///< time at which the newest packet arrived
    bool is_starved;
    uint64_t allocations;
} player_process;

static uint64_t *hashes_of(const udp_match *match, uint32_t peer)
{
    return match->hashes + (size_t)peer * ((size_t)match->setup->config.ticks + 1);
}

// ---- in the process of one peer ----

static bks_status create_transport(player_process *process, bks_error *error)
{
    const udp_match *match = process->match;
    const bks_bad_transport_config config = {
        .inner = bks_udp_transport(match->sockets[process->index]),
        .seed = match->setup->config.seed * BKS_PEERS_MAX + process->index,
        .clock_ns = tool_clock_ns,
    };
    bks_status status = bks_bad_transport_create(&config, &process->bad, error);
    const bks_lab_link_spec perfect = {0};
    for (uint32_t i = 0; status == BKS_OK && i < match->setup->config.peers; i++) {
        if (i != process->index) {
            status = bks_bad_transport_route(process->bad, &match->addresses[i],
                                             &match->links[process->index][i], &perfect, error);
        }
    }
    return status;
}

/// Open everything that the process of a peer needs.
/// @return TOOL_OK, or an exit status, with an error on stderr
static int open_process(player_process *process)
{
    const lab_setup *setup = process->match->setup;
    bks_error error = {0};
    bks_peer_config config;
    if (bks_lab_peer_config(&setup->config, process->index, &config, &error) != BKS_OK) {
        tool_complain_error("lab", &error);
        return TOOL_MISUSE;
    }
    config.session.host = process->match->addresses[0];
    if (setup->record_dir != NULL) {
        const int status = lab_setup_record(setup, process->index, &process->file);
        if (status != TOOL_OK) {
            return status;
        }
        config.record = bks_record_file_sink(&process->file);
        crash_recording(process->file.path);
    }
    bks_status status = create_transport(process, &error);
    if (status == BKS_OK) {
        status = bks_peer_create(&config, &process->peer, &error);
    }
    if (status == BKS_OK && process->index == 0) {
        status = bks_lab_number_peers(&setup->config, bks_peer_session(process->peer), &error);
    }
    if (status != BKS_OK) {
        tool_complain_error(setup->config.game->name, &error);
        return TOOL_MISUSE;
    }
    process->session = bks_peer_session(process->peer);
    process->transport = bks_bad_transport_transport(process->bad);
    (void)bks_lab_faults_plant(&process->match->faults, process->index, process->peer);
    return TOOL_OK;
}

static void note_events(player_process *process)
{
    bks_event event;
    while (bks_session_event(process->session, &event)) {
        report_finding_take(&process->report->finding, process->session, &event,
                            tool_clock_ns(NULL));
        if (event.kind == BKS_EVENT_STARVED || event.kind == BKS_EVENT_RESUMED) {
            process->is_starved = event.kind == BKS_EVENT_STARVED;
        } else if (event.kind == BKS_EVENT_REPAIRED) {
            process->report->repair_count =
                bks_session_repairs(process->session, process->report->repairs, BKS_REPAIRS_MAX);
        } else if (event.kind == BKS_EVENT_REFUSED || event.kind == BKS_EVENT_DROPPED ||
                   event.kind == BKS_EVENT_FAILED) {
            memcpy(process->report->trouble, event.text, sizeof(process->report->trouble));
        }
    }
}

static void send_packets(player_process *process)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    while ((count = bks_peer_send(process->peer, &to, packet, sizeof(packet))) > 0) {
        (void)process->transport.send(process->transport.context, &to, packet, count);
    }
}

static void update_process(player_process *process, uint64_t now_ns)
{
    process_report *out = process->report;
    const bks_lab_config *config = &process->match->setup->config;
    const uint64_t before = alloc_count_thread();
    const bks_status status = bks_peer_update(process->peer, now_ns);
    send_packets(process);
    if (out->first_tick_ns != 0) {
        process->allocations += alloc_count_thread() - before;
        if (out->end_ns == 0) {
            lab_series_sample(&out->series, now_ns - out->first_tick_ns, process->peer);
        }
    } else if (bks_session_tick(process->session) > config->first_tick) {
        out->first_tick_ns = now_ns;
    }
    note_events(process);
    if (status == BKS_ERR_BAD_ARGUMENT) {
        memcpy(out->trouble, "its clock went back", sizeof("its clock went back"));
    }
    const bks_tick published = bks_session_published(process->session);
    while (process->hash_count <= config->ticks && process->hash_count <= published &&
           bks_session_hash(process->session, process->hash_count,
                            &process->hashes[process->hash_count]) == BKS_OK) {
        process->hash_count++;
    }
    atomic_store(&out->hash_count, process->hash_count);
    process->wake_ns = bks_peer_wake(process->peer);
}

/// Hand all packets that have arrived to the peer.
/// @return true if a packet came
static bool receive_packets(player_process *process, uint64_t now_ns)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address from;
    size_t count;
    bool has_any = false;
    const uint64_t before = alloc_count_thread();
    while ((count = process->transport.receive(process->transport.context, &from, packet,
                                               sizeof(packet))) > 0) {
        (void)bks_peer_receive(process->peer, now_ns, &from, packet, count);
        has_any = true;
        process->heard_ns = now_ns;
    }
    if (process->report->first_tick_ns != 0) {
        process->allocations += alloc_count_thread() - before;
    }
    return has_any;
}

/// Write the report with the present figures.
static void write_report(player_process *process, uint64_t now_ns)
{
    process_report *out = process->report;
    (void)report_peer_collect(process->peer, &out->peer);
    out->peer.id = process->index;
    out->peer.desync = out->finding;
    out->peer.allocations_after_start = alloc_count_works() ? (int64_t)process->allocations : -1;
    out->end_ns = now_ns;
}

/// Return the real time after which the match is given up.
static uint64_t limit_ns(const bks_lab_config *config)
{
    const uint64_t match_ms = UINT64_C(1000) * (uint64_t)config->ticks / config->game->tick_rate_hz;
    return (2 * match_ms + config->tuning.drop_after_ms + BEYOND_MS) * MILLISECOND_NS;
}

/// Return true if the process of a peer has nothing left to do. When the match has ended for the
/// peer, also write the process's report.
static bool is_done(player_process *process, uint64_t now_ns)
{
    const udp_match *match = process->match;
    const bks_lab_config *config = &match->setup->config;
    const bks_phase phase = bks_session_phase(process->session);
    const bool has_ended = phase == BKS_PHASE_ENDED || phase == BKS_PHASE_FAILED;
    const bool is_late = now_ns - match->begun_ns >= limit_ns(config) || stop_is_wanted();
    const bool has_all = process->hash_count > config->ticks;
    if (process->report->end_ns == 0 && (has_all || has_ended || is_late)) {
        write_report(process, now_ns);
    }
    if (process->report->end_ns == 0) {
        return false;
    }
    const bool is_quiet =
        has_ended && (process->wake_ns == UINT64_MAX || now_ns - process->heard_ns >= QUIET_NS);
    return is_late || is_quiet || now_ns - process->report->end_ns >= CLOSING_NS;
}

static void run_process(player_process *process)
{
    bks_udp *udp = process->match->sockets[process->index];
    process->wake_ns = tool_clock_ns(NULL);
    for (;;) {
        const uint64_t now_ns = tool_clock_ns(NULL);
        const bool is_urgent =
            receive_packets(process, now_ns) &&
            (process->is_starved || bks_session_phase(process->session) == BKS_PHASE_GATHERING);
        if (is_urgent || now_ns >= process->wake_ns) {
            update_process(process, now_ns);
        }
        if (is_done(process, now_ns)) {
            return;
        }
        const uint64_t due_ns = bks_bad_transport_wake(process->bad);
        const uint64_t next_ns = due_ns < process->wake_ns ? due_ns : process->wake_ns;
        const uint64_t after_ns = tool_clock_ns(NULL);
        const uint64_t sleep_ns = next_ns > after_ns ? next_ns - after_ns : 0;
        (void)bks_udp_wait(udp, sleep_ns < SLEEP_MAX_NS ? sleep_ns : SLEEP_MAX_NS);
    }
}

static uint32_t index_of(const void *process)
{
    return ((const player_process *)process)->index;
}

/// Run the process of a peer.
/// @return exit status of the process
static int run_peer(const udp_match *match, uint32_t index)
{
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM); // let the system end this process when its parent ends
#endif
    player_process process = {
        .match = match,
        .index = index,
        .report = &match->reports[index],
        .hashes = hashes_of(match, index),
        .hash_count = match->setup->config.first_tick,
        .file = {.descriptor = -1},
    };
    int status = open_process(&process);
    tool_log_of_peers(index_of, &process);
    if (status == TOOL_OK) {
        run_process(&process);
        process.report->hashes_end = process.hash_count;
        (void)bks_session_roster(process.session, &process.report->roster);
        (void)bks_lab_faults_flip(&process.match->faults, process.index, process.peer,
                                  &process.report->flip);
        process.report->links = bks_bad_transport_counters(process.bad);
        status = source_set_failed(match->setup->sources);
    }
    bks_peer_destroy(process.peer);
    bks_record_file_close(&process.file);
    if (process.file.is_failed) {
        process.report->recording = tool_complain_recording(process.file.path);
    }
    bks_bad_transport_destroy(process.bad);
    tool_log_flush();
    return status;
}

// ---- in the parent process ----

/// Set the links of all pairs in the same way as bks_lab_link().
static void place_links(udp_match *match)
{
    const args_list *given = &match->setup->links;
    for (int is_own = 0; is_own < 2; is_own++) {
        for (uint32_t i = 0; i < given->count; i++) {
            bks_lab_link_spec spec;
            uint32_t from = 0;
            uint32_t to = 0;
            if (bks_lab_link_route_parse(given->items[i], &from, &to, &spec, NULL) != BKS_OK) {
                continue; // not reached, because the command line was checked
            }
            if (is_own != 0 && from != BKS_LAB_LINK_ALL) {
                match->links[from][to] = spec;
            }
            for (uint32_t pair = 0;
                 is_own == 0 && from == BKS_LAB_LINK_ALL && pair < BKS_PEERS_MAX * BKS_PEERS_MAX;
                 pair++) {
                match->links[pair / BKS_PEERS_MAX][pair % BKS_PEERS_MAX] = spec;
            }
        }
    }
}

static int open_match(udp_match *match)
{
    const lab_setup *setup = match->setup;
    const uint32_t peers = setup->config.peers;
    bks_error error = {0};
    if (bks_lab_config_check(&setup->config, &error) != BKS_OK) {
        tool_complain_error("lab", &error);
        return TOOL_MISUSE;
    }
    place_links(match);
    for (uint32_t i = 0; i < setup->faults.count; i++) {
        (void)bks_lab_faults_parse(&setup->config, setup->faults.items[i], &match->faults, NULL);
    }
    for (uint32_t i = 0; i < peers; i++) {
        if (bks_udp_open("127.0.0.1:0", &match->sockets[i], &error) != BKS_OK ||
            bks_udp_local_address(match->sockets[i], &match->addresses[i]) != BKS_OK) {
            tool_complain_error("--udp", &error);
            return TOOL_DAMAGED;
        }
    }
    const size_t hashes = peers * ((size_t)setup->config.ticks + 1);
    match->shared_bytes = peers * sizeof(process_report) + hashes * sizeof(uint64_t);
    match->shared =
        mmap(NULL, match->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (match->shared == MAP_FAILED) {
        match->shared = NULL;
        tool_complain("--udp", "no memory to share: %s", strerror(errno));
        return TOOL_DAMAGED;
    }
    match->reports = match->shared;
    match->hashes = (uint64_t *)(match->reports + peers);
    for (uint32_t i = 0; i < peers; i++) {
        match->reports[i].series.width_ns = UINT64_C(1000000000) / setup->config.game->tick_rate_hz;
    }
    return TOOL_OK;
}

static void close_match(udp_match *match)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        bks_udp_close(match->sockets[i]);
    }
    if (match->shared != NULL) {
        munmap(match->shared, match->shared_bytes);
    }
}

/// Ask all processes to end.
static void end_processes(const udp_match *match)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if (match->processes[i] > 0) {
            (void)kill(match->processes[i], SIGTERM);
        }
    }
}

static int start_processes(udp_match *match)
{
    match->begun_ns = tool_clock_ns(NULL);
    // Flush before fork(), otherwise each child would write the buffered output again.
    (void)fflush(NULL);
    for (uint32_t i = 0; i < match->setup->config.peers; i++) {
        match->processes[i] = fork();
        if (match->processes[i] == 0) {
            _exit(run_peer(match, i));
        }
        if (match->processes[i] < 0) {
            tool_complain("--udp", "no process for peer %u: %s", i, strerror(errno));
            end_processes(match);
            return TOOL_DAMAGED;
        }
    }
    return TOOL_OK;
}

/// Take the exit status of a process, or note the signal that ended it.
/// @return exit status of the process
static int take_exit_status(udp_match *match, uint32_t index, int wait_status)
{
    if (WIFEXITED(wait_status)) {
        return WEXITSTATUS(wait_status);
    }
    snprintf(match->reports[index].trouble, sizeof(match->reports[index].trouble),
             "its process was ended by signal %d", WTERMSIG(wait_status));
    return TOOL_OK;
}

/// Wait for all processes.
/// @return first exit status that is not TOOL_OK
static int wait_for_processes(udp_match *match)
{
    const uint32_t peers = match->setup->config.peers;
    uint32_t left = 0;
    for (uint32_t i = 0; i < peers; i++) {
        left += match->processes[i] > 0 ? 1 : 0;
    }
    int status = TOOL_OK;
    progress bar;
    progress_begin(&bar, "lab", (uint64_t)match->setup->config.ticks);
    bool is_stopped = false;
    while (left > 0) {
        if (stop_is_wanted() && !is_stopped) {
            is_stopped = true; // end the children, because they did not get the signal
            end_processes(match);
        }
        bks_tick slowest = match->setup->config.ticks;
        for (uint32_t i = 0; i < peers; i++) {
            int wait_status = 0;
            const bks_tick count = atomic_load(&match->reports[i].hash_count);
            slowest = count < slowest ? count : slowest;
            if (match->processes[i] > 0 &&
                waitpid(match->processes[i], &wait_status, WNOHANG) == match->processes[i]) {
                const int ended = take_exit_status(match, i, wait_status);
                status = status == TOOL_OK ? ended : status;
                match->processes[i] = 0;
                left--;
                if (ended != TOOL_OK) {
                    // End all processes, otherwise the others would wait for the failed one.
                    end_processes(match);
                }
            }
        }
        progress_show(&bar, (uint64_t)slowest);
        tool_sleep_ns(10 * MILLISECOND_NS);
    }
    progress_end(&bar);
    return status;
}

/// Compute when the match began and ended, from the times that the peers' processes reported.
static void take_times(const udp_match *match, lab_outcome *out)
{
    uint64_t first_ns = UINT64_MAX;
    uint64_t end_ns = 0;
    for (uint32_t i = 0; i < match->setup->config.peers; i++) {
        const process_report *peer = &match->reports[i];
        first_ns = peer->first_tick_ns != 0 && peer->first_tick_ns < first_ns ? peer->first_tick_ns
                                                                              : first_ns;
        end_ns = peer->end_ns > end_ns ? peer->end_ns : end_ns;
    }
    first_ns = first_ns < end_ns ? first_ns : end_ns;
    out->match.connect_ms = (double)(first_ns - match->begun_ns) / 1e6;
    out->match.virtual_s = (double)(end_ns - first_ns) / 1e9;
    for (uint32_t i = 0; i < match->setup->config.peers; i++) {
        const uint64_t own_ns = match->reports[i].first_tick_ns;
        out->peers[i].first_tick_ms = own_ns > first_ns ? (double)(own_ns - first_ns) / 1e6 : 0.0;
    }
}

static void take_faults(const udp_match *match, bks_lab_result *out)
{
    bks_lab_link_counters sum = {0};
    uint64_t flips = 0;
    for (uint32_t i = 0; i < match->setup->config.peers; i++) {
        const bks_lab_flip *flip = &match->faults.flips[i];
        bks_lab_link_counters_add(&sum, &match->reports[i].links);
        flips += flip->is_planted && match->reports[i].peer.ticks >= flip->tick ? 1 : 0;
        if (flip->is_planted) {
            out->flips[out->flip_count++] = match->reports[i].flip;
        }
    }
    const bks_lab_count counts[] = {
        {"loss", sum.lost},         {"dup", sum.duplicated}, {"reorder", sum.reordered},
        {"corrupt", sum.corrupted}, {"rate", sum.over_rate}, {"mtu", sum.over_mtu},
        {"queue", sum.over_queue},  {"flip", flips},
    };
    memcpy(out->faults, counts, sizeof(counts));
    out->fault_count = ARGS_COUNT(counts);
}

/// Copy object and field of the first difference from the first peer that could name them.
static void name_desync(const udp_match *match, lab_outcome *out)
{
    for (uint32_t i = 0; i < match->setup->config.peers && out->match.desync.object == NULL; i++) {
        if (out->match.has_desync) {
            report_finding_fill(&out->peers[i].desync, i, &out->match.desync);
        }
    }
}

static void take_reason(const udp_match *match, lab_outcome *out)
{
    bks_lab_result *result = &out->result;
    uint32_t slowest = 0;
    if (result->desync_tick != BKS_TICK_NONE) {
        snprintf(result->reason, sizeof(result->reason), "the states differ from tick %d on",
                 result->desync_tick);
        return;
    }
    for (uint32_t i = 0; i < match->setup->config.peers; i++) {
        if (match->reports[i].trouble[0] != '\0') {
            snprintf(result->reason, sizeof(result->reason), "peer %u: %s", i,
                     match->reports[i].trouble);
            return;
        }
        slowest = match->reports[i].hashes_end < match->reports[slowest].hashes_end ? i : slowest;
    }
    snprintf(result->reason, sizeof(result->reason),
             "peer %u had confirmed %d of %d tick%s after %.0f s", slowest,
             out->peers[slowest].confirmed, match->setup->config.ticks,
             TOOL_PLURAL(match->setup->config.ticks), out->match.wall_s);
}

static void take_results(const udp_match *match, lab_outcome *out)
{
    const bks_lab_config *config = &match->setup->config;
    bks_lab_story hashes[BKS_PEERS_MAX] = {{0}};
    bks_lab_result *result = &out->result;
    result->desync_found_tick = BKS_TICK_NONE;
    for (uint32_t i = 0; i < config->peers; i++) {
        const process_report *peer = &match->reports[i];
        hashes[i].hashes = hashes_of(match, i);
        hashes[i].count = peer->hashes_end;
        hashes[i].roster = peer->roster;
        hashes[i].repairs = peer->repairs;
        hashes[i].repair_count = peer->repair_count;
        out->peers[i] = peer->peer;
        out->peers[i].id = i;
        out->series[i] = peer->series;
        const bks_lab_finding *finding = &peer->finding;
        if (finding->is_found && (result->desync_found_tick == BKS_TICK_NONE ||
                                  finding->found_tick < result->desync_found_tick)) {
            result->desync_found_tick = finding->found_tick;
        }
    }
    bks_lab_comparison compared = {.desync_tick = BKS_TICK_NONE, .open_tick = BKS_TICK_NONE};
    (void)bks_lab_compare(hashes, config->peers, config->ticks, &compared);
    result->repair_count = match->reports[0].repair_count;
    memcpy(result->repairs, match->reports[0].repairs, sizeof(match->reports[0].repairs));
    result->compared = compared.compared;
    result->side_count = compared.side_count;
    memcpy(result->sides, compared.sides, sizeof(result->sides));
    result->desync_tick = compared.desync_tick;
    result->desync_peers = compared.desync_peers;
    result->has_final_hash = hashes[0].count > config->ticks;
    result->final_hash = result->has_final_hash ? hashes[0].hashes[config->ticks] : 0;
    result->agreed = compared.compared + compared.in_spans == config->ticks &&
                     compared.open_tick == BKS_TICK_NONE;
    if (!result->agreed) {
        take_reason(match, out);
    }
    take_faults(match, result);
    lab_outcome_take(out);
    name_desync(match, out);
    take_times(match, out);
}

int lab_udp_run(const lab_setup *setup, lab_outcome *outcome)
{
    udp_match match = {.setup = setup};
    int status = open_match(&match);
    if (status == TOOL_OK) {
        status = start_processes(&match);
        const int ended = wait_for_processes(&match);
        status = status == TOOL_OK ? ended : status;
    }
    if (status == TOOL_OK) {
        outcome->match.wall_s = (double)(tool_clock_ns(NULL) - match.begun_ns) / 1e9;
        take_results(&match, outcome);
    }
    for (uint32_t i = 0; status == TOOL_OK && i < setup->config.peers; i++) {
        outcome->recording |= match.reports[i].recording;
    }
    if (status == TOOL_OK) {
        status = lab_outcome_check_flips(&outcome->result);
    }
    close_match(&match);
    return status;
}
