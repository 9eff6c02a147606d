// SPDX-License-Identifier: MIT

// A member says anything in a meeting, and another thing to each: its peers end the match, differ
// only where they say so, and list what can be.

#include <string.h>

#include "session/common/seats.h"
#include "session/one_network.h"
#include "session/session_internal.h"

enum { FLIP = 100, SEEDS = 45, TICKS = 300 };

/// Subjects of its lies, as bits.
enum { ABOUT_OTHERS = 1, ABOUT_ITSELF = 2, ABOUT_STAGES = 4, TO_SOME = 8 };

static uint32_t peers, liar, odd, about;
static bksi_meet_message truth;
static bool is_lying;

static void let_repair(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = TICKS;
    config->tuning.on_desync = BKS_ON_DESYNC_RESYNC;
    config->tuning.drop_after_ms = 2000;
}

static uint32_t draw(uint32_t bound)
{
    return toy_random(&network, bound);
}

static void change(uint64_t *value)
{
    const uint64_t drawn = (uint64_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX);
    *value = draw(2) == 0 ? *value : draw(2) == 0 ? *value + 1 : drawn;
}

static void lie_about_others(bksi_meet_message *own)
{
    const uint32_t ticks = (uint32_t)own->tick + 1;
    own->known = draw(256), own->differing = draw(256), own->repaired = draw(256);
    own->from = draw(BKS_PEERS_MAX);
    change(&own->bytes);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        own->since[i] = (bks_tick)draw(ticks);
        own->same[i] = (bks_tick)draw(ticks);
        own->repairs[i] =
            (bksi_meet_repair){.since = (bks_tick)draw(ticks), .from = draw(BKS_PEERS_MAX)};
        change(&own->repairs[i].bytes);
    }
}

static void lie_about_itself(bksi_meet_message *own)
{
    change(&own->state), change(&own->before), change(&own->now);
    if (draw(8) == 0) {
        change(&own->inputs);
    }
}

/// Its own session sees the truth again before its next update.
static void lie(toy_network *net, const toy_peer *peer)
{
    bksi_meet_message *own = &net->peers[liar].session->meeting.own;
    if (is_lying) {
        *own = truth;
    }
    is_lying = peer == &net->peers[liar] && own->tick != BKS_TICK_NONE && draw(3) > 0;
    net->cut[liar] = is_lying && (about & TO_SOME) != 0 ? draw(256) : 0;
    if (!is_lying) {
        return;
    }
    truth = *own;
    if ((about & ABOUT_OTHERS) != 0) {
        lie_about_others(own);
    }
    if ((about & ABOUT_ITSELF) != 0) {
        lie_about_itself(own);
    }
    if ((about & ABOUT_STAGES) != 0 && draw(3) == 0) {
        own->stage = (bksi_meet_stage)draw(BKSI_MEET_ENDED + 1);
    }
}

static bool can_be(const bks_repair *repair)
{
    return repair->peer < peers && repair->from < peers && repair->since >= 0 &&
           repair->since <= repair->tick && repair->tick <= TICKS &&
           (repair->bytes == 0) == (repair->from == repair->peer);
}

static void assert_listed_can_be(uint32_t seed)
{
    EACH_PEER (i, ((1u << peers) - 1) & ~PEER_BIT(liar)) {
        bks_repair own[BKS_REPAIRS_MAX];
        const uint32_t count = bks_session_repairs(session_of(i), own, BKS_REPAIRS_MAX);
        for (uint32_t k = 0; k < count; k++) {
            if (!can_be(&own[k])) {
                fail_msg("seed %u: peer %u lists tick %d, peer %u since %d, from %u", seed, i,
                         (int)own[k].tick, own[k].peer, (int)own[k].since, own[k].from);
            }
        }
    }
}

static void assert_alike(uint32_t seed, uint32_t a, uint32_t b)
{
    const toy_peer *one = &network.peers[a];
    const toy_peer *other = &network.peers[b];
    const bks_tick last = (one->seen < other->seen ? one->seen : other->seen) - 1;
    const bool is_said = ((one->desynced_from >> b & 1) | (other->desynced_from >> a & 1)) != 0;
    if (one->published[last] != other->published[last] && !is_said) {
        fail_msg("seed %u: peers %u and %u differ at tick %d", seed, a, b, (int)last);
    }
}

static void play(uint32_t seed)
{
    toy_create(&network, peers, seed, let_repair);
    network.delay_ns = (5 + seed * 13 % 100) * TOY_MS;
    network.jitter_ns = seed * 7 % 30 * TOY_MS;
    network.loss_percent = seed * 5 % 16;
    network.peers[odd].flip_tick = FLIP + (bks_tick)(seed % 4);
    network.before_sending = lie;
    is_lying = false;
    (void)toy_run_to_end(&network, 120000 * TOY_MS); // the liar may not end
    const uint32_t honest = ((1u << peers) - 1) & ~PEER_BIT(liar);
    EACH_PEER (i, honest) {
        if (phase_of(i) == BKS_PHASE_RUNNING) {
            fail_msg("seed %u: peer %u of %u waits, %u lies", seed, i, peers, liar);
        }
        EACH_PEER (k, honest & ~PEER_BIT(i)) {
            assert_alike(seed, i, k);
        }
    }
    assert_listed_can_be(seed);
    toy_destroy(&network);
}

static void a_liar_in_a_meeting_leaves_its_peers_alike_and_the_match_ends(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        peers = 2 + seed % 4;
        liar = seed / 4 % peers;
        odd = seed / 2 % peers;
        about = 1 + seed % 15;
        play(seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_liar_in_a_meeting_leaves_its_peers_alike_and_the_match_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
