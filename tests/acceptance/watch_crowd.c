// SPDX-License-Identifier: MIT

// Plays a match of four of `duel` in four processes over the loopback address, and has watchers
// come to its host, each a process too. For watch_crowd.py:
//
//     watch_crowd WATCHERS
//
// The host's packets to watchers are counted on their way. Of the first watcher's packets 40 % are
// lost, both ways; the last watcher of the host is stopped. It prints lines `name value`:
//
//     alone_p99_us, watched_p99_us      processor time of an update and of waiting for the next one
//     alone_starved, watched_starved    ticks that the host starved, out of `ticks` each
//     served                            watchers that the host serves
//     watching                          watchers that see the newest ticks, at any member
//     behind_max_ms                     by how much one of them is behind at most
//     bytes_per_s_max                   bytes to one watcher of the host, headers included
//     stopped_bytes                     bytes to the stopped one from 8 s on
//     agreed                            watchers whom another member told the hash of their source
//     differed                          1: a member told another one

#define _DEFAULT_SOURCE // for nice(), usleep() and MAP_ANONYMOUS

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backstitch/match.h"
#include "backstitch/replay.h"
#include "backstitch/session.h"
#include "duel/duel.h"

enum { PEERS = 4, WATCHERS_MAX = 64, TICKS = 60 * 60, PHASE_TICKS = 12 * 60, NEWEST = 90 };

/// Memory that all processes of the test share.
typedef struct board {
    volatile int32_t end[WATCHERS_MAX]; ///< ticks that each watcher has
    volatile bool agreed[WATCHERS_MAX]; ///< another member had the hash of the watcher's source
    volatile bool differed;             ///< a member had another one
    volatile int32_t confirmed;         ///< ticks that the host has confirmed
    volatile bool is_over;
} board;

static board *shared;
static pid_t children[PEERS + WATCHERS_MAX];
static int child_count;

static void need(bool is_so, const char *what)
{
    if (!is_so) {
        (void)fprintf(stderr, "watch_crowd: %s\n", what);
        exit(1);
    }
}

static uint64_t processor_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// ---- the host's line to its watchers ----

typedef struct watcher_line {
    bks_address address;
    uint64_t bytes;
    bool is_lossy;
} watcher_line;

typedef struct counted {
    bks_transport under;
    watcher_line lines[WATCHERS_MAX];
    uint32_t count;
    uint32_t random;
} counted;

static bool is_feed(const uint8_t *packet, size_t count)
{
    return count >= 2 && packet[0] == 0x00 && packet[1] == 0x10;
}

static watcher_line *line_of(counted *line, const bks_address *address)
{
    for (uint32_t i = 0; i < line->count; i++) {
        if (bks_address_equal(&line->lines[i].address, address)) {
            return &line->lines[i];
        }
    }
    need(line->count < WATCHERS_MAX, "too many watchers");
    line->lines[line->count] = (watcher_line){.address = *address, .is_lossy = line->count == 0};
    return &line->lines[line->count++];
}

static bool is_lost(counted *line, const watcher_line *of)
{
    line->random = line->random * 1664525u + 1013904223u;
    return of->is_lossy && (line->random >> 16) % 100 < 40;
}

static bks_status count_and_send(void *context, const bks_address *to, const void *bytes,
                                 size_t count)
{
    counted *line = context;
    if (is_feed(bytes, count)) {
        watcher_line *of = line_of(line, to);
        of->bytes += count + 28;
        if (is_lost(line, of)) {
            return BKS_OK;
        }
    }
    return line->under.send(line->under.context, to, bytes, count);
}

static size_t receive(void *context, bks_address *from, void *bytes, size_t capacity)
{
    counted *line = context;
    size_t count;
    while ((count = line->under.receive(line->under.context, from, bytes, capacity)) > 0) {
        if (!is_feed(bytes, count) || !is_lost(line, line_of(line, from))) {
            break;
        }
    }
    return count;
}

// ---- players ----

static bks_match_config config_of_match(void)
{
    bks_match_config config = bks_match_config_default();
    config.game = &duel_game;
    config.players = PEERS;
    config.ticks = TICKS;
    config.record = false;
    config.watchers = BKS_WATCHERS_MAX;
    config.bind_address = "127.0.0.1:0";
    return config;
}

/// Give an input that changes several times a second, as a player's does.
static void play(bks_match *match, uint32_t *random)
{
    int32_t input[64] = {0};
    *random = *random * 1664525u + 1013904223u;
    for (uint32_t i = 0; i < duel_game.field_count; i++) {
        const bks_field *field = &duel_game.fields[i];
        input[i] = field->bits == 1 ? (int32_t)(*random >> (16 + i) & 1) : field->neutral;
    }
    need(bks_match_input(match, 0, input) == BKS_OK, "an input is refused");
}

static void be_guest(const char *invitation, uint32_t random)
{
    bks_match_config config = config_of_match();
    bks_match *match = NULL;
    bks_error error = {0};
    config.invitation = invitation;
    need(bks_match_open(&config, &match, &error) == BKS_OK, error.text);
    for (uint32_t i = 0; !shared->is_over && bks_match_update(match) == BKS_OK; i++) {
        if (i % 8 == 0) {
            play(match, &random);
        }
        (void)bks_match_wait(match);
    }
    bks_match_close(match);
}

// ---- watchers ----

static void be_watcher(const char *invitation, uint32_t index)
{
    const bks_feed_config config = {.invitation = invitation, .bind_address = "127.0.0.1:0"};
    bks_feed *feed = NULL;
    bks_replay *replay = NULL;
    bks_error error = {0};
    size_t read = 0;
    (void)!nice(19); // elsewhere they would not take the players' processor
    need(bks_feed_open(&config, &feed, &error) == BKS_OK, error.text);
    while (!shared->is_over && bks_feed_update(feed) == BKS_OK) {
        size_t count = 0;
        const void *bytes = bks_feed_bytes(feed, &count);
        if (count != read) {
            const bks_replay_piece piece = {.bytes = bytes, .count = count};
            const bks_status status =
                replay == NULL ? bks_replay_open_growing(&piece, 1, NULL, &replay, &error)
                               : bks_replay_refresh(replay, &piece, 1, &error);
            need(status == BKS_OK, error.text);
            read = count;
            shared->end[index] = bks_replay_info(replay)->end;
        }
        bks_opinion opinion;
        if (bks_feed_opinion(feed, &opinion)) {
            shared->agreed[index] |= opinion.agrees;
            shared->differed |= !opinion.agrees;
        }
        (void)usleep(8000);
    }
    if (!shared->is_over) {
        (void)fprintf(stderr, "watch_crowd: watcher %u: %s\n", index, bks_feed_text(feed));
    }
    bks_replay_close(replay);
    bks_feed_close(feed);
}

static pid_t start(void (*be)(const char *, uint32_t), const char *invitation, uint32_t index)
{
    const pid_t child = fork();
    need(child >= 0, "no process");
    if (child == 0) {
        be(invitation, index);
        _exit(0);
    }
    children[child_count++] = child;
    return child;
}

// ---- the host ----

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t starved(bks_match *match)
{
    bks_stats stats;
    need(bks_session_stats(bks_match_session(match), &stats) == BKS_OK, "no stats");
    return stats.starved_ticks;
}

/// Play some ticks, and print what the updates took.
static void run(bks_match *match, const char *name, bks_tick ticks, uint32_t *random)
{
    static uint64_t took[TICKS];
    uint32_t count = 0;
    const uint64_t starved_before = starved(match);
    const bks_tick end = bks_session_tick(bks_match_session(match)) + ticks;
    uint64_t before = processor_ns();
    for (bks_tick tick = end - ticks; tick < end;) {
        need(bks_match_update(match) == BKS_OK, "the match has ended");
        (void)bks_match_wait(match);
        const bks_tick now = bks_session_tick(bks_match_session(match));
        if (now != tick) {
            const uint64_t after = processor_ns();
            took[count++] = after - before;
            before = after;
            tick = now;
            if (count % 8 == 0) {
                play(match, random);
            }
        }
        shared->confirmed = bks_session_confirmed(bks_match_session(match));
    }
    if (name != NULL) {
        qsort(took, count, sizeof(took[0]), compare);
        printf("%s_p99_us %.0f\n", name, (double)took[count * 99 / 100] / 1000);
        printf("%s_median_us %.0f\n", name, (double)took[count / 2] / 1000);
        printf("%s_starved %llu\n", name, (unsigned long long)(starved(match) - starved_before));
    }
}

static void look(const counted *line, const uint64_t *before, double seconds, uint32_t watchers)
{
    double most = 0;
    uint32_t served = 0;
    for (uint32_t i = 0; i < line->count; i++) {
        const double rate = (double)(line->lines[i].bytes - before[i]) / seconds;
        served += rate > 200;
        most = rate > most && !line->lines[i].is_lossy ? rate : most;
    }
    uint32_t watching = 0;
    int32_t behind = 0;
    for (uint32_t i = 0; i < watchers; i++) {
        const int32_t by = shared->confirmed - shared->end[i];
        watching += shared->end[i] > 0 && by < NEWEST;
        behind = by > behind ? by : behind;
    }
    printf("served %u\nwatching %u\nbytes_per_s_max %.0f\nbehind_max_ms %.0f\n", served, watching,
           most, behind * 1000.0 / 60);
}

static void open_line(counted *line, bks_match_config *config, bks_udp **udp, char *invitation)
{
    bks_invitation text = {0};
    bks_address own;
    bks_error error = {0};
    need(bks_udp_open("127.0.0.1:0", udp, &error) == BKS_OK, error.text);
    need(bks_udp_local_address(*udp, &own) == BKS_OK, "no address");
    (void)bks_udp_address_format(&own, text.address, sizeof(text.address));
    memset(text.key, 77, sizeof(text.key));
    memcpy(config->key, text.key, sizeof(text.key));
    need(bks_invitation_format(&text, invitation, BKS_INVITATION_BYTES_MAX) == BKS_OK, "no text");
    line->under = bks_udp_transport(*udp);
}

int main(int argc, char **argv)
{
    static counted line;
    const uint32_t watchers = argc == 2 ? (uint32_t)atoi(argv[1]) : 0;
    need(watchers > 1 && watchers <= WATCHERS_MAX, "usage: watch_crowd WATCHERS");
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    need(shared != MAP_FAILED, "no memory");
    char invitation[BKS_INVITATION_BYTES_MAX];
    bks_match_config config = config_of_match();
    bks_udp *udp = NULL;
    open_line(&line, &config, &udp, invitation);
    const bks_transport transport = {count_and_send, receive, &line};
    config.transport = &transport;
    for (uint32_t i = 1; i < PEERS; i++) {
        (void)start(be_guest, invitation, i * 77);
    }
    bks_match *match = NULL;
    bks_error error = {0};
    need(bks_match_open(&config, &match, &error) == BKS_OK, error.text);
    while (!bks_match_started(match)) {
        need(bks_match_update(match) == BKS_OK, "no match");
        (void)bks_match_wait(match);
    }
    uint32_t random = 5;
    run(match, NULL, 60, &random);
    run(match, "alone", PHASE_TICKS, &random);
    for (uint32_t i = 0; i < watchers; i++) {
        (void)start(be_watcher, invitation, i);
        run(match, NULL, 6, &random);
    }
    run(match, NULL, 4 * 60, &random);
    uint64_t before[WATCHERS_MAX];
    for (uint32_t i = 0; i < WATCHERS_MAX; i++) {
        before[i] = line.lines[i].bytes;
    }
    run(match, "watched", PHASE_TICKS, &random);
    look(&line, before, PHASE_TICKS / 60.0, watchers);
    (void)kill(children[PEERS - 1 + 1], SIGSTOP); // the second watcher, which the host serves
    run(match, NULL, 8 * 60, &random);
    const uint64_t stopped = line.lines[1].bytes;
    run(match, NULL, 5 * 60, &random);
    uint32_t agreed = 0;
    for (uint32_t i = 0; i < watchers; i++) {
        agreed += shared->agreed[i];
    }
    printf("agreed %u\ndiffered %d\n", agreed, shared->differed);
    printf("stopped_bytes %llu\nticks %d\n", (unsigned long long)(line.lines[1].bytes - stopped),
           PHASE_TICKS);
    shared->is_over = true;
    (void)kill(children[PEERS - 1 + 1], SIGCONT);
    bks_match_close(match);
    bks_udp_close(udp);
    for (int i = 0; i < child_count; i++) {
        (void)waitpid(children[i], NULL, 0);
    }
    return 0;
}
