// SPDX-License-Identifier: MIT

// Matches with watchers drawn from a seed: they come late and leave, have lines of their own, and
// lose their sources. The number of seeds and the first of them can be given as arguments.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "backstitch/det.h"
#include "backstitch/replay.h"
#include "feed/feed_match.h"

#define TICKS   720
#define DRAWN   6u
#define LAST_MS 40000u

static uint32_t seed_count = 6;
static uint32_t first_seed = 1;

/// A watcher's fate.
typedef struct fate {
    uint32_t comes_ms;
    uint32_t leaves_ms; ///< 0: it stays
    bool goes_silent;   ///< it leaves without a goodbye
    bool left;
} fate;

typedef struct plan {
    uint32_t peers;
    uint32_t crash_ms; ///< time at which the first source crashes, or leaves; 0: it stays
    bool is_goodbye;
    fate fates[DRAWN];
} plan;

static uint32_t one_of(bks_random *random, uint32_t least, uint32_t most)
{
    return least + bks_random_below(random, most - least + 1);
}

static feed_network *draw(uint32_t seed, plan *p)
{
    bks_random random;
    bks_random_seed(&random, seed, 7);
    *p = (plan){.peers = one_of(&random, 2, 4)};
    p->crash_ms = bks_random_below(&random, 3) > 0 ? one_of(&random, 2500, 9000) : 0;
    p->is_goodbye = bks_random_below(&random, 2) == 0;
    const bksi_feed_source_config config = feed_config(one_of(&random, 2, 4));
    feed_network *network = feed_open(p->peers, TICKS, &config);
    for (uint32_t i = 0; i + 1 < p->peers; i++) {
        if (bks_random_below(&random, 4) > 0) {
            feed_create(network, i, &config);
        }
    }
    for (uint32_t i = 0; i < DRAWN; i++) {
        feed_watcher *watcher = &network->watchers[i];
        watcher->delay_ns = one_of(&random, 5, 150) * NET_MS;
        watcher->jitter_ns = watcher->delay_ns * bks_random_below(&random, 50) / 100;
        watcher->loss_percent =
            bks_random_below(&random, 3) == 0 ? bks_random_below(&random, 41) : 0;
        p->fates[i] = (fate){.comes_ms = one_of(&random, 0, 9000)};
        if (bks_random_below(&random, 3) == 0) {
            p->fates[i].leaves_ms = p->fates[i].comes_ms + one_of(&random, 500, 6000);
            p->fates[i].goes_silent = bks_random_below(&random, 2) == 0;
        }
    }
    return network;
}

/// Let the first source go.
static void lose_source(feed_network *network, const plan *p)
{
    const uint32_t at = network->at;
    if (!p->is_goodbye) {
        feed_crash(network, at);
        return;
    }
    bksi_feed_source_finish(feed_source(network), net_session(&network->net, at),
                            network->net.now_ns);
    (void)bks_peer_leave(network->net.peers[at].peer);
}

/// Say goodbye to whichever source the watcher has.
static void say_goodbye(feed_network *network, uint32_t index, bool is_silent)
{
    feed_watcher *watcher = &network->watchers[index];
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to = {0};
    const bks_address from = {.length = 2, .bytes = {9, (uint8_t)(index + 1)}};
    const size_t count =
        bksi_feed_receiver_leave(&watcher->receiver, &to, packet, network->net.now_ns);
    if (!is_silent && count > 0 && network->servers[to.bytes[1]].is_there) {
        bksi_feed_source_receive(&network->servers[to.bytes[1]].source, network->net.now_ns, &from,
                                 packet, count);
    }
    watcher->is_stopped = true;
}

/// Return a number for all packets between the peers so far, with their times.
static uint64_t mix_traffic(const feed_network *network, uint64_t traffic)
{
    for (size_t i = 0; i < network->net.packet_count; i++) {
        const net_packet *packet = &network->net.packets[i];
        traffic = traffic * 31 + packet->count * 7 + packet->from * 3 + packet->arrives_ns;
    }
    return traffic;
}

static uint64_t play(feed_network *network, plan *p, bool is_watched)
{
    uint64_t traffic = 1;
    for (uint32_t ms = 1; ms < LAST_MS; ms++) {
        for (uint32_t i = 0; i < DRAWN && is_watched; i++) {
            fate *f = &p->fates[i];
            if (f->comes_ms + 1 == ms) {
                feed_come(network, i);
            } else if (f->leaves_ms == ms && !f->left) {
                f->left = true;
                say_goodbye(network, i, f->goes_silent);
            }
        }
        if (p->crash_ms == ms) {
            lose_source(network, p);
        }
        if (ms < 14000) {
            network->net.random = ms; // lines of watchers draw random numbers, too
        }
        feed_run_until(network, ms * NET_MS);
        traffic = ms < 14000 ? mix_traffic(network, traffic) : traffic;
    }
    return traffic;
}

/// All that the watchers have is true, and no watcher without a reason ends early.
static void check(feed_network *network, const plan *p, uint32_t seed)
{
    const bool lost = p->crash_ms > 0;
    bool is_served = !lost;
    for (uint32_t i = 0; i + 1 < p->peers; i++) {
        is_served |= network->servers[i].is_there && p->peers > 2;
    }
    network->at = lost ? 0 : network->at;
    for (uint32_t i = 0; i < DRAWN; i++) {
        const feed_watcher *watcher = &network->watchers[i];
        if (watcher->receiver.count == 0) {
            continue;
        }
        const bool is_whole = watcher->status == BKS_OVER;
        feed_assert_is_true(network, watcher, is_whole);
        if (p->fates[i].leaves_ms == 0 && is_served && watcher->status == BKS_OK) {
            fail_msg("seed %u: watcher %u has %d ticks and still waits", seed, i, watcher->end);
        }
    }
}

static void watchers_drawn_from_seeds_see_what_was_played(void **state)
{
    (void)state;
    uint32_t watched = 0;
    uint32_t continued = 0;
    uint32_t whole = 0;
    for (uint32_t seed = first_seed; seed < first_seed + seed_count; seed++) {
        plan p;
        feed_network *network = draw(seed, &p);
        const uint64_t traffic = play(network, &p, true);
        check(network, &p, seed);
        for (uint32_t i = 0; i < DRAWN; i++) {
            const feed_watcher *watcher = &network->watchers[i];
            watched += watcher->receiver.count > 0;
            continued += watcher->receiver.continues;
            whole += watcher->end == TICKS;
        }
        feed_close(network);
        network = draw(seed, &p);
        const uint64_t alone = play(network, &p, false);
        feed_close(network);
        if (alone != traffic) {
            fail_msg("seed %u: the players' packets are others with watchers", seed);
        }
    }
    print_message("%u seeds: %u watched, %u continued with another source, %u saw the last tick\n",
                  seed_count, watched, continued, whole);
}

int main(int argc, char **argv)
{
    seed_count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : seed_count;
    first_seed = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : first_seed;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watchers_drawn_from_seeds_see_what_was_played),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
