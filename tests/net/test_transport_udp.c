// SPDX-License-Identifier: MIT
//
// Over real sockets on the loopback.

#define _GNU_SOURCE // setitimer, sigaction

#include "backstitch/net.h"
#include "net/heard_log.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define MS 1000000ull

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec;
}

static bks_udp *open_at(const char *bind_address, bks_address *address)
{
    bks_udp *udp = NULL;
    bks_error error = {0};
    if (bks_udp_open(bind_address, &udp, &error) != BKS_OK) {
        fail_msg("%s: %s", bind_address, error.text);
    }
    assert_int_equal(bks_udp_local_address(udp, address), BKS_OK);
    return udp;
}

static void send_text(bks_udp *from, const bks_address *to, const char *text)
{
    bks_transport transport = bks_udp_transport(from);
    assert_int_equal(transport.send(transport.context, to, text, strlen(text)), BKS_OK);
}

static void assert_received(bks_udp *udp, const bks_address *wanted_from, const char *text)
{
    bks_transport transport = bks_udp_transport(udp);
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    bks_address from;
    assert_true(bks_udp_wait(udp, 1000 * MS));
    size_t count = transport.receive(transport.context, &from, bytes, sizeof(bytes));
    assert_int_equal(count, strlen(text));
    assert_memory_equal(bytes, text, count);
    assert_true(bks_address_equal(&from, wanted_from));
}

static void assert_nothing_received(bks_udp *udp)
{
    bks_transport transport = bks_udp_transport(udp);
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    bks_address from;
    assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 0);
}

static void carry_both_ways(const char *bind_address, uint8_t address_length)
{
    bks_address address_a;
    bks_address address_b;
    bks_udp *a = open_at(bind_address, &address_a);
    bks_udp *b = open_at(bind_address, &address_b);
    assert_int_equal(address_a.length, address_length);
    assert_false(bks_address_equal(&address_a, &address_b));

    assert_nothing_received(a);
    send_text(a, &address_b, "from a");
    assert_received(b, &address_a, "from a");
    send_text(b, &address_a, "one");
    send_text(b, &address_a, "two");
    assert_received(a, &address_b, "one");
    assert_received(a, &address_b, "two");
    assert_nothing_received(a);
    bks_udp_close(a);
    bks_udp_close(b);
}

static void packets_go_both_ways_over_ipv4(void **state)
{
    (void)state;
    carry_both_ways("127.0.0.1:0", 6);
}

static void packets_go_both_ways_over_ipv6(void **state)
{
    (void)state;
    carry_both_ways("[::1]:0", 18);
}

static void the_largest_packet_goes_and_a_longer_one_is_dropped(void **state)
{
    (void)state;
    bks_address address_a;
    bks_address address_b;
    bks_udp *a = open_at("127.0.0.1:0", &address_a);
    bks_udp *b = open_at("127.0.0.1:0", &address_b);
    uint8_t sent[BKS_PACKET_BYTES_MAX + 1];
    memset(sent, 0x5a, sizeof(sent));

    bks_transport transport = bks_udp_transport(a);
    assert_int_equal(transport.send(transport.context, &address_b, sent, BKS_PACKET_BYTES_MAX),
                     BKS_OK);
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    bks_address from;
    bks_transport receiver = bks_udp_transport(b);
    assert_true(bks_udp_wait(b, 1000 * MS));
    assert_int_equal(receiver.receive(receiver.context, &from, bytes, sizeof(bytes)),
                     BKS_PACKET_BYTES_MAX);
    assert_memory_equal(bytes, sent, BKS_PACKET_BYTES_MAX);

    // A foreign sender keeps to no limit: too long and empty ones are passed over.
    int stranger = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET};
    memcpy(&to.sin_addr, address_b.bytes, 4);
    memcpy(&to.sin_port, address_b.bytes + 4, 2);
    assert_int_equal(sendto(stranger, sent, sizeof(sent), 0, (struct sockaddr *)&to, sizeof(to)),
                     sizeof(sent));
    assert_int_equal(sendto(stranger, sent, 0, 0, (struct sockaddr *)&to, sizeof(to)), 0);
    send_text(a, &address_b, "after");
    assert_received(b, &address_a, "after");
    close(stranger);
    bks_udp_close(a);
    bks_udp_close(b);
}

static void a_flood_of_empty_packets_does_not_hold_the_caller(void **state)
{
    (void)state;
    bks_address address;
    bks_udp *udp = open_at("127.0.0.1:0", &address);
    int stranger = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET};
    memcpy(&to.sin_addr, address.bytes, 4);
    memcpy(&to.sin_port, address.bytes + 4, 2);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(sendto(stranger, "", 0, 0, (struct sockaddr *)&to, sizeof(to)), 0);
    }
    assert_true(bks_udp_wait(udp, 1000 * MS));
    assert_nothing_received(udp); // looked at a bounded number of them
    assert_true(bks_udp_wait(udp, 0));
    assert_nothing_received(udp); // and now at the rest
    assert_false(bks_udp_wait(udp, 0));
    close(stranger);
    bks_udp_close(udp);
}

/// From port 0, as anyone beside us can send it.
static bool send_from_no_port(const bks_address *to)
{
    const int raw = socket(AF_INET, SOCK_RAW, IPPROTO_UDP);
    struct sockaddr_in system = {.sin_family = AF_INET};
    memcpy(&system.sin_addr, to->bytes, 4);
    uint8_t packet[] = {0, 0, to->bytes[4], to->bytes[5], 0, 9, 0, 0, 'x'};
    const bool is_sent =
        raw >= 0 && sendto(raw, packet, sizeof(packet), 0, (struct sockaddr *)&system,
                           sizeof(system)) == sizeof(packet);
    close(raw);
    return is_sent;
}

static void a_packet_that_no_answer_can_reach_is_dropped(void **state)
{
    (void)state;
    bks_address address;
    bks_udp *udp = open_at("127.0.0.1:0", &address);
    if (!send_from_no_port(&address)) {
        bks_udp_close(udp);
        skip(); // it takes a privilege
    }
    assert_true(bks_udp_wait(udp, 1000 * MS));
    assert_nothing_received(udp);
    send_text(udp, &address, "hello");
    assert_received(udp, &address, "hello");
    bks_udp_close(udp);
}

static void packets_to_an_unused_address_are_loss_and_do_no_harm(void **state)
{
    (void)state;
    bks_address address_a;
    bks_address address_b;
    bks_udp *a = open_at("127.0.0.1:0", &address_a);
    bks_udp *b = open_at("127.0.0.1:0", &address_b);
    bks_address gone;
    bks_udp_close(open_at("127.0.0.1:0", &gone));

    // Each is answered by an ICMP "port unreachable".
    for (int i = 0; i < 10; i++) {
        send_text(a, &gone, "is anybody there");
    }
    assert_false(bks_udp_wait(a, 5 * MS));
    assert_nothing_received(a);
    send_text(b, &address_a, "here");
    assert_received(a, &address_b, "here");
    send_text(a, &address_b, "well");
    assert_received(b, &address_a, "well");
    bks_udp_close(a);
    bks_udp_close(b);
}

static void a_wait_ends_in_time_and_when_a_packet_comes(void **state)
{
    (void)state;
    bks_address address;
    bks_udp *udp = open_at("127.0.0.1:0", &address);
    uint64_t start_ns = now_ns();
    assert_false(bks_udp_wait(udp, 20 * MS));
    assert_true(now_ns() - start_ns >= 20 * MS);

    assert_false(bks_udp_wait(udp, 0));
    send_text(udp, &address, "to myself");
    start_ns = now_ns();
    assert_true(bks_udp_wait(udp, UINT64_MAX));
    assert_true(now_ns() - start_ns < 1000 * MS);
    bks_udp_close(udp);
}

static void ignore_signal(int number)
{
    (void)number;
}

static void a_signal_does_not_shorten_a_wait(void **state)
{
    (void)state;
    bks_address address;
    bks_udp *udp = open_at("127.0.0.1:0", &address);
    struct sigaction action = {.sa_handler = ignore_signal};
    struct itimerval every_3_ms = {.it_interval = {0, 3000}, .it_value = {0, 3000}};
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &every_3_ms, NULL), 0);
    uint64_t start_ns = now_ns();
    assert_false(bks_udp_wait(udp, 30 * MS));
    uint64_t took_ns = now_ns() - start_ns;
    struct itimerval never = {0};
    setitimer(ITIMER_REAL, &never, NULL);
    assert_true(took_ns >= 30 * MS);
    bks_udp_close(udp);
}

static void a_socket_on_every_address_names_one_that_works(void **state)
{
    (void)state;
    const char *both[] = {"0", "[::]:0"};
    for (int i = 0; i < 2; i++) {
        bks_address address;
        bks_udp *udp = open_at(both[i], &address);
        size_t ip_bytes = (size_t)address.length - 2;
        uint8_t zero[16] = {0};
        assert_memory_not_equal(address.bytes, zero, ip_bytes);
        assert_memory_not_equal(address.bytes + ip_bytes, zero, 2);
        send_text(udp, &address, "over my own address");
        assert_true(bks_udp_wait(udp, 1000 * MS));
        bks_udp_close(udp);
    }
}

static void a_port_can_be_chosen_and_is_held_by_one(void **state)
{
    (void)state;
    bks_address address;
    bks_udp *udp = open_at("127.0.0.1:0", &address);
    char text[64];
    assert_int_equal(bks_udp_address_format(&address, text, sizeof(text)), BKS_OK);

    bks_udp *other = (bks_udp *)&address;
    bks_error error = {0};
    assert_int_equal(bks_udp_open(text, &other, &error), BKS_ERR_IO);
    assert_null(other);
    assert_string_equal(error.field, "bind_address");
    assert_non_null(strstr(error.text, text));
    bks_udp_close(udp);

    assert_int_equal(bks_udp_open(text, &other, &error), BKS_OK);
    bks_address same;
    assert_int_equal(bks_udp_local_address(other, &same), BKS_OK);
    assert_true(bks_address_equal(&same, &address));
    bks_udp_close(other);
}

static void assert_parsed(const char *text, const char *again)
{
    bks_address address;
    bks_error error = {0};
    if (bks_udp_address_parse(text, &address, &error) != BKS_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    char formatted[64];
    assert_int_equal(bks_udp_address_format(&address, formatted, sizeof(formatted)), BKS_OK);
    assert_string_equal(formatted, again);
    for (size_t i = address.length; i < BKS_ADDRESS_BYTES_MAX; i++) {
        assert_int_equal(address.bytes[i], 0);
    }
}

static void addresses_are_read_as_numbers_and_names(void **state)
{
    (void)state;
    assert_parsed("127.0.0.1:7777", "127.0.0.1:7777");
    assert_parsed("[::1]:7777", "[::1]:7777");
    assert_parsed("[2001:DB8:0:0::7]:1", "[2001:db8::7]:1");
    assert_parsed("localhost:80", "127.0.0.1:80"); // IPv4 where a name has both
}

static void assert_not_parsed(const char *text, const char *says)
{
    bks_address address;
    bks_error error = {0};
    assert_int_equal(bks_udp_address_parse(text, &address, &error), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(error.code, BKS_ERR_BAD_ARGUMENT);
    if (strstr(error.text, says) == NULL) {
        fail_msg("%s: \"%s\" does not say \"%s\"", text, error.text, says);
    }
}

static void text_that_is_no_address_is_refused(void **state)
{
    (void)state;
    assert_not_parsed("", "no host");
    assert_not_parsed("7777", "no ':'");
    assert_not_parsed("127.0.0.1:0", "port 0");
    assert_not_parsed("127.0.0.1", "no ':'");
    assert_not_parsed("127.0.0.256:1", "no IPv4 address");
    assert_not_parsed("1.2.3:1", "no IPv4 address");
    assert_not_parsed("[1::2::3]:1", "no IPv6 address");
    assert_not_parsed("no such host:1", "character");
}

static void bad_arguments_of_open_are_named(void **state)
{
    (void)state;
    bks_udp *udp = (bks_udp *)&heard_log;
    bks_error error = {0};
    assert_int_equal(bks_udp_open(NULL, &udp, &error), BKS_ERR_BAD_ARGUMENT);
    assert_null(udp);
    assert_logged("bks_udp_open bind_address is NULL");
    assert_int_equal(bks_udp_open("0", NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_logged("out is NULL");
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {"", "no port"},     {"65536", "too large"},     {"localhost:0", "no IPv4"},
        {"[::1]", "no ':'"}, {"[12345::]:0", "no IPv6"}, {"127.0.0.1:7777 ", "after its port"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(bks_udp_open(cases[i].text, &udp, &error), BKS_ERR_BAD_ARGUMENT);
        assert_null(udp);
        assert_logged("bks_udp_open bind_address");
        assert_logged(cases[i].says);
    }
    bks_address elsewhere;
    assert_int_equal(bks_udp_open("192.0.2.1:0", &udp, NULL), BKS_ERR_IO); // not ours
    assert_logged("cannot listen on '192.0.2.1:0'");

    assert_int_equal(bks_udp_address_parse(NULL, &elsewhere, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_logged("bks_udp_address_parse text is NULL");
    assert_int_equal(bks_udp_address_parse("127.0.0.1:1", NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_logged("out is NULL");
    assert_int_equal(bks_udp_local_address(NULL, &elsewhere), BKS_ERR_BAD_ARGUMENT);
    assert_logged("bks_udp_local_address udp is NULL");
    udp = open_at("127.0.0.1:0", &elsewhere);
    assert_int_equal(bks_udp_local_address(udp, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_logged("out is NULL");
    bks_udp_close(udp);
    assert_false(bks_udp_wait(NULL, 1000 * MS));
    assert_logged("bks_udp_wait udp is NULL");
    bks_udp_close(NULL);
}

static void bad_arguments_of_send_and_receive_are_named(void **state)
{
    (void)state;
    bks_address address;
    bks_udp *udp = open_at("127.0.0.1:0", &address);
    bks_transport t = bks_udp_transport(udp);
    uint8_t bytes[BKS_PACKET_BYTES_MAX + 1] = {0};
    assert_int_equal(t.send(t.context, NULL, bytes, 1), BKS_ERR_BAD_ARGUMENT);
    assert_logged("bks_transport.send to is NULL");
    assert_int_equal(t.send(t.context, &address, NULL, 1), BKS_ERR_BAD_ARGUMENT);
    assert_logged("bytes is NULL");
    assert_int_equal(t.send(t.context, &address, bytes, 0), BKS_ERR_BAD_ARGUMENT);
    assert_logged("count is 0, must be 1..1200");
    assert_int_equal(t.send(t.context, &address, bytes, 1201), BKS_ERR_BAD_ARGUMENT);
    assert_logged("count is 1201, must be 1..1200");
    assert_int_equal(t.receive(t.context, NULL, bytes, 1200), 0);
    assert_logged("bks_transport.receive from is NULL");
    assert_int_equal(t.receive(t.context, &address, NULL, 1200), 0);
    assert_logged("bytes is NULL");

    bks_address v6 = {.length = 18, .bytes = {[15] = 1, [17] = 9}};
    assert_int_equal(t.send(t.context, &v6, bytes, 1), BKS_ERR_IO);
    assert_logged("to has 18 bytes, this socket sends to 6");
    bks_address nowhere = {0};
    assert_int_equal(t.send(t.context, &nowhere, bytes, 1), BKS_ERR_IO);
    assert_logged("to has 0 bytes");
    bks_udp_close(udp);
}

static void a_null_socket_is_a_transport_that_loses_all(void **state)
{
    (void)state;
    bks_transport t = bks_udp_transport(NULL);
    bks_address address = {.length = 6, .bytes = {127, 0, 0, 1, 0, 9}};
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    assert_int_equal(t.send(t.context, &address, "x", 1), BKS_OK);
    assert_int_equal(t.receive(t.context, &address, bytes, sizeof(bytes)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_go_both_ways_over_ipv4),
        cmocka_unit_test(packets_go_both_ways_over_ipv6),
        cmocka_unit_test(the_largest_packet_goes_and_a_longer_one_is_dropped),
        cmocka_unit_test(a_flood_of_empty_packets_does_not_hold_the_caller),
        cmocka_unit_test(a_packet_that_no_answer_can_reach_is_dropped),
        cmocka_unit_test(packets_to_an_unused_address_are_loss_and_do_no_harm),
        cmocka_unit_test(a_wait_ends_in_time_and_when_a_packet_comes),
        cmocka_unit_test(a_signal_does_not_shorten_a_wait),
        cmocka_unit_test(a_socket_on_every_address_names_one_that_works),
        cmocka_unit_test(a_port_can_be_chosen_and_is_held_by_one),
        cmocka_unit_test(addresses_are_read_as_numbers_and_names),
        cmocka_unit_test(text_that_is_no_address_is_refused),
        cmocka_unit_test_setup_teardown(bad_arguments_of_open_are_named, listen_to_log,
                                        stop_listening),
        cmocka_unit_test_setup_teardown(bad_arguments_of_send_and_receive_are_named, listen_to_log,
                                        stop_listening),
        cmocka_unit_test(a_null_socket_is_a_transport_that_loses_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
