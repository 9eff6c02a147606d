// SPDX-License-Identifier: MIT

// The host sends guest 2 another roster than guest 1, and says go to both. They find it before
// the start, by what they say to each other, or else by the first inputs; and neither takes the
// other for a liar.

#include <string.h>

#include "session/inside.h"
#include "session/inspect.h"
#include "session/some_views.h"
#include "support/says.h"
#include "wire/roster.h"
#include "wire/small_messages.h"

#define VICTIM 2u

typedef void lie(bksi_roster_message *roster);

static lie *alter;

static void another_seed(bksi_roster_message *roster)
{
    roster->seed++;
}

static void another_length(bksi_roster_message *roster)
{
    roster->ticks = 600;
}

static void another_first_tick(bksi_roster_message *roster)
{
    roster->first_tick = 200;
}

static void another_distance_of_hashes(bksi_roster_message *roster)
{
    roster->hash_every_ticks++;
}

static void another_policy(bksi_roster_message *roster)
{
    roster->on_desync = BKS_ON_DESYNC_STOP;
}

static void another_setup(bksi_roster_message *roster)
{
    roster->setup[roster->setup_bytes++] = 1;
}

/// Identity of a guest that neither has met.
static void another_identity(bksi_roster_message *roster)
{
    roster->peers[3].identity[0] ^= 1;
}

static void other_seats(bksi_roster_message *roster)
{
    const uint32_t first = roster->peers[0].first_player;
    roster->peers[0].first_player = roster->peers[3].first_player;
    roster->peers[3].first_player = first;
}

/// Rosters that the host sends to its guests.
static size_t lie_as_host(void *context, uint32_t to, uint32_t *type, uint8_t *body, size_t count)
{
    (void)context;
    static bksi_roster_message roster;
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    if (to != VICTIM || *type != BKSI_PACKET_ROSTER || !bksi_roster_read(&reader, &roster)) {
        return count;
    }
    alter(&roster);
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_roster_write(&writer, &roster);
    return writer.at;
}

/// Inputs are the true ones.
static const uint8_t *true_input(void *context, uint32_t to, uint32_t player, bks_tick tick,
                                 const uint8_t *truth, uint8_t *scratch)
{
    (void)context;
    (void)to;
    (void)player;
    (void)tick;
    (void)scratch;
    return truth;
}

static const bksi_equivocation host_lies = {.input = true_input, .forge = lie_as_host};

/// Where the states differ, too, the host does not care.
static void forgive_states(void)
{
    session_start *start = &session_of(0)->lobby.start;
    for (uint32_t i = 1; i < network.peer_count; i++) {
        start->peers[i].hash = start->hash;
    }
}

static void begin_lie(lie *what, uint32_t peers)
{
    alter = what;
    begin(peers, 1);
    network.delay_ns = 10 * TOY_MS;
    bksi_inspect_equivocate(session_of(0), &host_lies);
}

static void run_while_the_host_forgives(uint64_t ms)
{
    for (uint64_t i = 0; i < ms; i++) {
        run_for(1);
        forgive_states();
    }
}

static void assert_refuses(uint32_t peer, const char *words)
{
    assert_says(network.peers[peer].last[BKS_EVENT_REFUSED].text, words);
}

static void guests_find_it_before_the_start(void **context)
{
    (void)context;
    static const struct {
        const char *name;
        lie *what;
        uint32_t peers;
    } rows[] = {
        {"seed", another_seed, 3},
        {"length", another_length, 3},
        {"first tick", another_first_tick, 3},
        {"distance of hashes", another_distance_of_hashes, 3},
        {"policy", another_policy, 3},
        {"setup", another_setup, 3},
        {"identity", another_identity, 4},
        {"seats", other_seats, 4},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        print_message("another %s\n", rows[i].name);
        begin_lie(rows[i].what, rows[i].peers);
        run_while_the_host_forgives(4000);
        for (uint32_t k = 1; k <= 2; k++) {
            assert_int_equal(network.peers[k].events[BKS_EVENT_STARTED], 0);
            assert_int_equal(network.peers[k].events[BKS_EVENT_DESYNC], 0);
        }
        assert_refuses(1, "the host has sent peer 2 another roster");
        assert_refuses(2, "another roster than us"); // than peer 1, or than peer 3
        toy_destroy(&network);
    }
}

/// LINK of a guest to another as if it had its roster, so that neither can know.
static size_t agree_as_guest(void *context, uint32_t to, uint32_t *type, uint8_t *body,
                             size_t count)
{
    (void)context;
    bksi_link_message link;
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    if (to == 0 || *type != BKSI_PACKET_LINK || !bksi_link_message_read(&reader, &link)) {
        return count;
    }
    link.roster = bksi_membership_roster(&session_of(to)->common.membership);
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_link_message_write(&writer, &link);
    return writer.at;
}

static void guests_find_it_by_their_first_inputs(void **context)
{
    (void)context;
    static const bksi_equivocation agrees = {.input = true_input, .forge = agree_as_guest};
    lie *const lies[] = {another_seed, another_length, another_distance_of_hashes};
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        begin_lie(lies[i], 3);
        bksi_inspect_equivocate(session_of(1), &agrees);
        bksi_inspect_equivocate(session_of(2), &agrees);
        run_while_the_host_forgives(1000);
        for (uint32_t k = 1; k <= 2; k++) {
            assert_int_equal(network.peers[k].events[BKS_EVENT_STARTED], 1);
            assert_int_equal(network.peers[k].desynced_from & 6u, 0);
        }
        assert_refuses(1, "the host has sent peer 2 another roster");
        // Peer 2 refuses peer 1, and the host, whose own roster is another.
        assert_refuses(2, "another roster than us");
        // Once the host is gone each is let go by the other.
        freeze(0);
        run_for(5 * DROP_MS);
        for (uint32_t k = 1; k <= 2; k++) {
            assert_int_equal(network.peers[k].desynced_from & 6u, 0);
            assert_false(roster_of(k).is_in[3 - k]);
        }
        toy_destroy(&network);
    }
}

/// One guest lies alone: what it says after the host's word to start throws no other out.
static size_t lie_as_guest(void *context, uint32_t to, uint32_t *type, uint8_t *body, size_t count)
{
    bksi_link_message link;
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    const bool is_early = !bksi_phase_has_start(&session_of(1)->common.phase);
    if (to != 1 || *type != BKSI_PACKET_LINK || !bksi_link_message_read(&reader, &link) ||
        is_early == (context != NULL)) {
        return count;
    }
    link.roster++;
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_link_message_write(&writer, &link);
    return writer.at;
}

static void a_guest_that_lies_before_the_start_prevents_it_while_it_is_there(void **context)
{
    (void)context;
    static const bksi_equivocation lies = {.input = true_input, .forge = lie_as_guest};
    begin(3, 1);
    network.delay_ns = 10 * TOY_MS;
    bksi_inspect_equivocate(session_of(2), &lies);
    run_for(3000);
    assert_int_equal(network.peers[1].events[BKS_EVENT_STARTED], 0);
    assert_refuses(1, "the host has sent peer 2 another roster than us, or peer 2 lies");
    assert_int_equal(network.peers[1].events[BKS_EVENT_REFUSED], 1);
    bksi_inspect_equivocate(session_of(2), NULL);
    run_until_started();
    assert_play_on(7);
    toy_destroy(&network);
}

static void a_guest_that_lies_after_it_changes_nothing(void **context)
{
    (void)context;
    static const bksi_equivocation lies = {
        .input = true_input, .forge = lie_as_guest, .context = &network};
    begin(3, 1);
    network.delay_ns = 10 * TOY_MS;
    bksi_inspect_equivocate(session_of(2), &lies);
    run_until_started();
    run_for(500);
    assert_play_on(7);
    assert_int_equal(network.peers[1].events[BKS_EVENT_REFUSED], 0);
    toy_destroy(&network);
}

/// The roster of the guest is only old: the host's newest one is on its way.
static void an_input_for_another_roster_starts_nobody(void **context)
{
    (void)context;
    begin(3, 1);
    network.delay_ns = 10 * TOY_MS;
    while (!session_of(1)->lobby.start.is_made) {
        run_for(1);
    }
    assert_false(bksi_phase_has_start(&session_of(1)->common.phase));
    const uint32_t ours = bksi_membership_name(&session_of(1)->common.membership, 0).hash;
    for (uint32_t is_ours = 0; is_ours < 2; is_ours++) {
        const bksi_input_head head = {.head = 1,
                                      .count = 1,
                                      .hash.tick = BKS_TICK_NONE,
                                      .standing.view_hash = is_ours != 0 ? ours : ours + 1};
        uint8_t body[BKSI_BODY_BYTES_MAX];
        inside_say(session_of(1), network.now_ns, session_of(0), BKSI_PACKET_INPUT, body,
                   inside_input(&head, body));
        assert_int_equal(bksi_phase_has_start(&session_of(1)->common.phase), is_ours);
        assert_int_equal(network.peers[1].events[BKS_EVENT_REFUSED], 0);
    }
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guests_find_it_before_the_start),
        cmocka_unit_test(guests_find_it_by_their_first_inputs),
        cmocka_unit_test(a_guest_that_lies_before_the_start_prevents_it_while_it_is_there),
        cmocka_unit_test(a_guest_that_lies_after_it_changes_nothing),
        cmocka_unit_test(an_input_for_another_roster_starts_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
