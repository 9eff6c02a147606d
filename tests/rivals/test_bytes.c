// SPDX-License-Identifier: MIT

// Bytes that break other libraries. Whose failure each test stands for, and which tests of the
// rooms go deeper, is in docs/rivals.md.

#define _DEFAULT_SOURCE // MAP_ANONYMOUS

#include "lab/some_lab.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backstitch/toolkit/recording.h"
#include "replay/format/replay_format.h"
#include "replay/recording.h"
#include "session/inside.h"
#include "session/one_network.h"
#include "support/counting_allocator.h"
#include "support/seed.h"

#define SECONDS (1000 * TOY_MS)

static void assert_ends_agreed(void)
{
    assert_true(toy_run_to_end(&network, 60 * SECONDS));
    uint64_t expected = toy_straight_run(network.peer_count, 600, network.hold_input_ticks);
    for (uint32_t i = 0; i < network.peer_count; i++) {
        uint64_t hash = 0;
        assert_int_equal(bks_session_hash(network.peers[i].session, 600, &hash), BKS_OK);
        assert_true(hash == expected);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        assert_int_equal(network.peers[i].events[BKS_EVENT_LEFT], 0);
    }
}

// ---- memory behind which nothing may be read ----

/// Two pages, of which the second cannot be touched.
static uint8_t *fence;

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static int make_fence(void **context)
{
    (void)context;
    fence =
        mmap(NULL, 2 * page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return fence == MAP_FAILED || mprotect(fence + page_bytes(), page_bytes(), PROT_NONE) != 0;
}

/// A copy that ends where the fence begins.
static const uint8_t *before_fence(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = fence + page_bytes() - count;
    memcpy(copy, bytes, count);
    return copy;
}

/// Hand a session a message of another peer, rightly sealed, whose body ends at the fence.
/// @return whether it made sense to it
static bool say(uint32_t victim, uint32_t from, uint32_t type, const uint8_t *body, size_t count)
{
    bks_session *session = network.peers[victim].session;
    const bksi_guard_message message = {.channel = session->common.seats.peers[from].channel,
                                        .type = type,
                                        .body = before_fence(body, count),
                                        .body_bytes = count,
                                        .is_proven = true};
    return bksi_packets_take(session, &message);
}

// ---- members that lie ----

/// Messages of honest peers, by type.
typedef struct said {
    size_t count;
    uint8_t body[BKSI_BODY_BYTES_MAX];
} said;
enum { SAID_MAX = 12 };
static said words[16][SAID_MAX];
static uint32_t word_count[16];
static uint32_t heard_views[BKSI_VIEW_GONE + 1];

static void hear(void)
{
    for (size_t i = 0; i < network.packet_count; i++) {
        const toy_packet *packet = &network.packets[i];
        said heard;
        if (packet->to >= network.peer_count) {
            continue;
        }
        uint32_t type = inside_read(network.peers[packet->to].session, packet->bytes, packet->count,
                                    heard.body, &heard.count);
        if (type == BKSI_PACKET_VIEW && heard.body[0] <= BKSI_VIEW_GONE) {
            heard_views[heard.body[0]]++;
        }
        uint32_t place = word_count[type] < SAID_MAX ? word_count[type] : seed_below(40 * SAID_MAX);
        if (type == 0 || place >= SAID_MAX) {
            continue;
        }
        words[type][place] = heard;
        word_count[type] += word_count[type] < SAID_MAX;
    }
}

static counting_allocator counters[TOY_PEERS_MAX];

static void tune_counted(bks_session_config *config, uint32_t peer)
{
    config->ticks = 0;
    config->tuning.notify_after_ms = 100;
    config->tuning.drop_after_ms = 500;
    config->allocator = counting_allocator_hooks(&counters[peer]);
}

/// Four peers, all of whose messages are heard: one falls silent, a pair is cut.
static void begin_listening(void)
{
    toy_create(&network, 4, seed_next(), tune_counted);
    network.jitter_ns = 20 * TOY_MS;
    for (uint32_t ms = 0; ms < 4000; ms += 4) {
        network.peers[3].is_frozen = ms > 2000;
        if (ms == 1000 || ms == 1800) {
            toy_cut(&network, 1, 2, ms == 1000);
        }
        run_for(4);
        hear();
    }
    static const bksi_packet_type wanted[] = {
        BKSI_PACKET_JOIN, BKSI_PACKET_ROSTER, BKSI_PACKET_LINK,   BKSI_PACKET_INPUT,
        BKSI_PACKET_VIEW, BKSI_PACKET_HEARS,  BKSI_PACKET_CARRIED};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if (word_count[wanted[i]] == 0) {
            print_message("no message of type %d was heard\n", (int)wanted[i]);
        }
    }
    assert_true(word_count[BKSI_PACKET_INPUT] > 0 && heard_views[BKSI_VIEW_COMMIT] > 0);
}

/// Say everything that was heard, cut everywhere, and with every run of bytes as large as can be.
static void say_all_wrong(void)
{
    static const size_t runs[] = {1, 2, 4, 8};
    for (uint32_t type = 1; type < 16; type++) {
        for (uint32_t i = 0; i < word_count[type]; i++) {
            const said *word = &words[type][i];
            for (size_t at = 0; at < word->count; at++) {
                uint32_t victim = seed_below(3);
                (void)say(victim, (victim + 1 + seed_below(2)) % 3, type, word->body, at);
                for (size_t r = 0; r < 4 && at + runs[r] <= word->count; r++) {
                    uint8_t body[BKSI_BODY_BYTES_MAX];
                    memcpy(body, word->body, word->count);
                    memset(body + at, 0xff, runs[r]);
                    (void)say(victim, (victim + 1 + seed_below(2)) % 3, type, body, word->count);
                }
            }
        }
        run_for(10);
    }
}

/// GekkoNet: an unchecked count reads past the heap. A write or read behind a message ends this
/// program.
static void an_unchecked_count_reads_nothing_behind_the_message(void **context)
{
    (void)context;
    begin_listening();
    say_all_wrong();
    toy_destroy(&network);
}

/// ggrs: a length of 8 bytes asks for 9 PB. Here no length of a message asks for anything, and none
/// in a file for more than the file's own size explains.
static void a_hostile_length_asks_for_no_memory(void **context)
{
    (void)context;
    begin_listening();
    uint32_t before[4];
    for (uint32_t i = 0; i < 4; i++) {
        before[i] = counters[i].allocs;
    }
    say_all_wrong();
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(counters[i].allocs, before[i]);
    }
    toy_destroy(&network);

    memory_file file;
    memory_file_init(&file);
    walk_record(&file, 300, true);
    uint8_t *bytes = malloc(file.count);
    assert_non_null(bytes);
    uint32_t tried = 0;
    size_t most = 0;
    const bks_replay_piece piece = {.bytes = file.bytes, .count = file.count};
    for (uint64_t offset = BKSI_PREAMBLE_BYTES; offset < file.count;) {
        bksi_record record;
        if (bksi_record_read(&piece, offset, &record) != BKSI_RECORD_OK) {
            offset = bksi_record_find(&piece, offset); // over the slots
            continue;
        }
        for (size_t at = 0; at + 8 <= record.payload_bytes && at < 300; at++) {
            memcpy(bytes, file.bytes, file.count);
            memset(bytes + offset + BKSI_RECORD_HEAD_BYTES + at, 0xff, 7);
            bytes[offset + BKSI_RECORD_HEAD_BYTES + at + 7] = 0x7f;
            (void)bksi_record_finish(bytes + offset, record.type, record.payload_bytes, offset);
            counting_allocator counter;
            const bks_allocator hooks = counting_allocator_hooks(&counter);
            bks_replay *replay = NULL;
            const bks_status status = bks_replay_open(bytes, file.count, &hooks, &replay, NULL);
            assert_true(status == BKS_OK || status == BKS_ERR_DAMAGED ||
                        status == BKS_ERR_UNSUPPORTED || status == BKS_ERR_INCOMPLETE);
            most = counter.live_bytes > most ? counter.live_bytes : most;
            if (replay != NULL) {
                (void)bks_replay_check(replay, NULL);
            }
            most = counter.live_bytes > most ? counter.live_bytes : most;
            bks_replay_close(replay);
            assert_int_equal(counter.live_bytes, 0);
            tried++;
        }
        offset = record.end;
    }
    assert_true(tried > 200);
    assert_true(most < 16 * file.count + 65536);
    free(bytes);
    memory_file_free(&file);
}

/// ggrs: a first packet whose inputs start far away crashes the receiver.
static void a_first_packet_with_a_far_start_tick_is_harmless(void **context)
{
    (void)context;
    static const bks_tick far[] = {700, 2047, 2048, 4095, 65536, INT32_MAX / 2, INT32_MAX};
    toy_create(&network, 2, 1, NULL);
    while (bks_session_phase(network.peers[0].session) == BKS_PHASE_GATHERING) {
        run_for(1);
    }
    assert_int_equal(bksi_common_head(&network.peers[0].session->common, 1), 0);
    for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
        for (size_t k = 0; k <= i; k++) {
            uint8_t body[BKSI_BODY_BYTES_MAX];
            bksi_range_encoder encoder;
            bksi_range_encoder_init(&encoder, body, sizeof(body));
            const bksi_input_head head = {.head = far[i],
                                          .first = far[k],
                                          .count = (uint32_t)(far[i] - far[k]),
                                          .hash.tick = BKS_TICK_NONE};
            bksi_input_head_write(&encoder, &head);
            (void)say(0, 1, BKSI_PACKET_INPUT, body, bksi_range_encoder_finish(&encoder));
        }
    }
    assert_int_equal(bksi_common_head(&network.peers[0].session->common, 1), 0);
    assert_ends_agreed();
    toy_destroy(&network);
}

// ---- strangers ----

/// GekkoNet: one forged packet of 6 bytes ends a match.
static void one_forged_packet_never_ends_a_match(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    run_for(2000);
    uint64_t before = stats_of(0).packets_refused;
    uint64_t forged = 0;
    const bks_address from = toy_address(1); // as if it came from the other player
    for (uint32_t first = 0; first < 256; first++) {
        for (uint32_t round = 0; round < 200; round++) {
            uint8_t bytes[40] = {(uint8_t)first};
            size_t count = round < 100 ? 6 : 2 + seed_below(39);
            for (size_t i = 1; i < count; i++) {
                bytes[i] = (uint8_t)seed_below(seed_below(2) == 0 ? 3 : 256);
            }
            assert_int_equal(bks_session_receive(network.peers[0].session, network.now_ns, &from,
                                                 before_fence(bytes, count), count),
                             BKS_OK);
            forged++;
        }
        run_for(10);
    }
    assert_int_equal(stats_of(0).packets_refused - before, forged);
    assert_ends_agreed();
    toy_destroy(&network);
}

/// GGPO: the length of a packet is never checked.
static void a_packet_of_any_length_is_borne(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    static uint8_t bytes[4096];
    const bks_address from = toy_address(1);
    uint32_t cut = 0;
    for (uint32_t ms = 0; ms < 4000; ms += 20) {
        run_for(20);
        // A real packet on its way, cut and lengthened.
        for (size_t i = 0; i < network.packet_count; i++) {
            const toy_packet *packet = &network.packets[i];
            if (packet->to != 0) {
                continue;
            }
            memcpy(bytes, packet->bytes, packet->count);
            size_t count = seed_below(2) == 0 ? seed_below((uint32_t)packet->count)
                                              : packet->count + 1 + seed_below(2000);
            assert_int_equal(bks_session_receive(network.peers[0].session, network.now_ns, &from,
                                                 before_fence(bytes, count), count),
                             BKS_OK);
            cut++;
        }
    }
    for (size_t count = 0; count < sizeof(bytes); count++) {
        bytes[0] = (uint8_t)seed_below(256);
        assert_int_equal(bks_session_receive(network.peers[0].session, network.now_ns, &from,
                                             before_fence(bytes, count), count),
                         BKS_OK);
    }
    assert_true(cut > 500);
    assert_ends_agreed();
    toy_destroy(&network);
}

// ---- numbers out of their range ----

/// Send peer 1 the true roster with other seats and other peers.
static bool say_roster(uint32_t seats, uint32_t members)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    const bks_tuning *tuning = &network.peers[0].session->common.config.tuning;
    const uint32_t half_window = bksi_roster_half_window(tuning->window_ticks);
    bksi_write_u8(&writer, (uint8_t)(BKSI_ROSTER_COMPLETE | half_window << 2));
    bksi_write_u32(&writer, 100);                                     // the number of the change
    bksi_write_u8(&writer, (uint8_t)(1 | tuning->guest_pauses << 3)); // the receiver's own number
    bksi_write_u8(&writer, (uint8_t)members);
    bksi_write_u8(&writer, 2);    // seats
    bksi_write_u64(&writer, 0);   // seed
    bksi_write_u64(&writer, 0);   // build
    bksi_write_u32(&writer, 0);   // first tick
    bksi_write_u32(&writer, 600); // ticks
    bksi_write_u16(&writer, 1);
    bksi_write_u64(&writer, 0); // the start is not known yet
    for (uint32_t i = 0; i < bksi_peers_count(members); i++) {
        bksi_write_u8(&writer, (uint8_t)i); // how many joined before
        bksi_write_u8(&writer, (uint8_t)(i == 1 ? seats : i));
        bksi_write_bytes(&writer, network.peers[i % 2].session->common.guard.identity,
                         BKSI_IDENTITY_BYTES);
        bksi_write_u8(&writer, 0); // no address
    }
    bksi_write_u16(&writer, 0); // no setup
    assert_false(writer.failed);
    return say(1, 0, BKSI_PACKET_ROSTER, body, writer.at);
}

static void rosters_out_of_range_are_refused(void)
{
    for (uint32_t n = 0; n < 256; n++) {
        assert_int_equal(say_roster(n, 3), n == 1);
        assert_int_equal(say_roster(1, n), n == 3);
    }
}

/// Messages about a peer that there is not, and with one hash more than there is room for.
static void peers_and_counts_out_of_range_are_refused(void)
{
    for (uint32_t peer = 0; peer < 8; peer++) {
        uint8_t body[64] = {0};
        bksi_bit_writer writer = bksi_bit_writer_over(body, sizeof(body));
        const bksi_routed routed = {
            .route = {.carriers = 1, .peers = {1}}, .passed = 1, .origin = peer};
        bksi_byte_writer carried = bksi_byte_writer_over(body, sizeof(body));
        bksi_carried_write_packet(&carried, bksi_routed_bits(&routed), true, body + 32, 20);
        assert_false(say(0, 1, BKSI_PACKET_CARRIED, body, carried.at));
        const bksi_propose propose = {.number = 1, .leavers = 1u << peer};
        bksi_propose_write(&writer, &propose);
        assert_true(peer < 2 || !say(0, 1, BKSI_PACKET_VIEW, body, bksi_bit_writer_bytes(&writer)));
    }
    uint8_t body[BKSI_BODY_BYTES_MAX] = {0};
    body[4] = 1; // from tick 0 on, every tick
    body[6] = BKSI_HASHES_MAX + 1;
    assert_false(say(0, 1, BKSI_PACKET_HASHES, body, 7 + 16 * (BKSI_HASHES_MAX + 1)));
}

/// GGPO: the number of a button, or of a player, is an unchecked index.
static void an_index_out_of_range_writes_nowhere(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    run_for(110); // the guest knows the host, and made its state
    rosters_out_of_range_are_refused();
    run_for(1000);
    peers_and_counts_out_of_range_are_refused();
    assert_ends_agreed();
    toy_destroy(&network);

    // And what a program hands in itself: a seat that is not its own, a value beyond its bits.
    bks_lab_config config = some_lab_config(1, 2, 60);
    bks_lab *lab = some_lab(&config, NULL, NULL);
    pad_input input = {0};
    for (uint32_t seat = 1; seat < 300; seat++) {
        assert_int_equal(bks_peer_input(bks_lab_peer(lab, 0), seat, &input, NULL),
                         BKS_ERR_BAD_ARGUMENT);
    }
    memset(&input, 0x7f, sizeof(input));
    assert_int_equal(bks_peer_input(bks_lab_peer(lab, 0), 0, &input, NULL), BKS_ERR_BAD_ARGUMENT);
    while (bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    assert_agreed(&result, 60);
    bks_lab_destroy(lab);
}

enum { WIDE_FIELDS = 32 };
static bks_field wide_fields[WIDE_FIELDS];
static char wide_names[WIDE_FIELDS][8];

static void wide_step(void *state, const bks_step *step)
{
    uint64_t *sum = state;
    for (uint32_t i = 0; i < step->players * WIDE_FIELDS; i++) {
        *sum = *sum * 31 + (uint64_t)step->inputs[i];
    }
}

static void wide_init(void *state, const bks_start *start)
{
    *(uint64_t *)state = start->seed;
}

/// GekkoNet: inputs of 2 kB are promised, do not fit its own buffer, and the peers differ. Here
/// those of one machine are 320 bytes a tick, the most that are allowed, so a packet has room for
/// one tick, and a third of the packets is lost. More are refused.
static void inputs_too_large_for_one_packet_still_arrive(void **context)
{
    (void)context;
    for (uint32_t i = 0; i < WIDE_FIELDS; i++) {
        (void)snprintf(wide_names[i], sizeof(wide_names[i]), "f%u", i);
        wide_fields[i] = (bks_field){.name = wide_names[i], .bits = 16};
    }
    const bks_game wide = {.name = "wide",
                           .tick_rate_hz = 60,
                           .players_max = 16,
                           .fields = wide_fields,
                           .field_count = WIDE_FIELDS,
                           .state_bytes = sizeof(uint64_t),
                           .init = wide_init,
                           .step = wide_step};
    bks_lab_config config = bks_lab_config_default();
    config.game = &wide;
    config.ticks = 400;
    config.players_on[0] = config.players_on[1] = 5;
    bks_monkey monkeys[10];
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(bks_monkey_init(&monkeys[i], wide_fields, WIDE_FIELDS, 1, i, 1, 1, NULL),
                         BKS_OK);
        config.sources[i] = bks_monkey_source(&monkeys[i]);
    }
    const bks_lab_result result = some_match(&config, "delay=20ms,jitter=10ms,loss=33%", NULL);
    assert_agreed(&result, 400);
    assert_true(result.peers[0].stats.input_bytes_sent > 400 * 320);
    assert_true(result.peers[0].stats.starved_ticks > 0); // more than goes through
}

// ---- the socket ----

static int stranger_socket(const bks_address *to, struct sockaddr_in *system)
{
    *system = (struct sockaddr_in){.sin_family = AF_INET};
    memcpy(&system->sin_addr, to->bytes, 4);
    memcpy(&system->sin_port, to->bytes + 4, 2);
    int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
    assert_true(descriptor >= 0);
    return descriptor;
}

/// Backdash: one truncated datagram from any sender ends the network task.
static void a_truncated_datagram_never_ends_the_network(void **context)
{
    (void)context;
    bks_udp *udp[2] = {NULL};
    bks_address address[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(bks_udp_open("127.0.0.1:0", &udp[i], NULL), BKS_OK);
        assert_int_equal(bks_udp_local_address(udp[i], &address[i]), BKS_OK);
    }
    struct sockaddr_in to;
    const int stranger = stranger_socket(&address[0], &to);
    const bks_transport here = bks_udp_transport(udp[0]);
    const bks_transport there = bks_udp_transport(udp[1]);
    static uint8_t bytes[9000];
    static const size_t sizes[] = {0, 1, 2, 3, 18, 19, 1199, 1200, 1201, 9000};
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address from;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_true(sendto(stranger, bytes, sizes[i], 0, (struct sockaddr *)&to, sizeof(to)) ==
                    (ssize_t)sizes[i]);
        assert_int_equal(there.send(there.context, &address[0], "sound", 5), BKS_OK);
        bool has_come = false;
        for (uint32_t tries = 0; tries < 1000 && !has_come; tries++) {
            (void)bks_udp_wait(udp[0], 10 * TOY_MS);
            size_t count;
            while ((count = here.receive(here.context, &from, packet, sizeof(packet))) > 0) {
                assert_true(count <= BKS_PACKET_BYTES_MAX);
                has_come |= count == 5 && bks_address_equal(&from, &address[1]);
            }
        }
        assert_true(has_come);
    }
    close(stranger);
    bks_udp_close(udp[0]);
    bks_udp_close(udp[1]);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unchecked_count_reads_nothing_behind_the_message),
        cmocka_unit_test(a_hostile_length_asks_for_no_memory),
        cmocka_unit_test(a_first_packet_with_a_far_start_tick_is_harmless),
        cmocka_unit_test(one_forged_packet_never_ends_a_match),
        cmocka_unit_test(a_packet_of_any_length_is_borne),
        cmocka_unit_test(an_index_out_of_range_writes_nowhere),
        cmocka_unit_test(inputs_too_large_for_one_packet_still_arrive),
        cmocka_unit_test(a_truncated_datagram_never_ends_the_network),
    };
    return cmocka_run_group_tests(tests, make_fence, NULL);
}
