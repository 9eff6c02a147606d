// SPDX-License-Identifier: MIT

#include "back_ends.h"

#include <stdio.h>
#include <string.h>

#include "match/joining.h"
#include "match/system.h"
#include "net/sockets.h"
// after winsock2.h
#include <mswsock.h>

#define MS 1000000ull

/// So many receives give the error 10054 before they give what is there.
static int refusals;

static int WSAAPI receive_or_refuse(SOCKET handle, char *bytes, int capacity, int flags,
                                    struct sockaddr *from, int *from_length);

/// In the place of Winsock's, in every file of this program: its linker was asked for it.
int(WSAAPI *__wrap___imp_recvfrom)(SOCKET handle, char *bytes, int capacity, int flags,
                                   struct sockaddr *from, int *from_length) = receive_or_refuse;
extern int(WSAAPI *__real___imp_recvfrom)(SOCKET handle, char *bytes, int capacity, int flags,
                                          struct sockaddr *from, int *from_length);

static int WSAAPI receive_or_refuse(SOCKET handle, char *bytes, int capacity, int flags,
                                    struct sockaddr *from, int *from_length)
{
    if (refusals > 0) {
        refusals--;
        WSASetLastError(WSAECONNRESET);
        return SOCKET_ERROR;
    }
    return __real___imp_recvfrom(handle, bytes, capacity, flags, from, from_length);
}

/// What was asked of sockets.
static int exclusive;
static int unreported;

static int WSAAPI hear_option(SOCKET handle, int level, int option, const char *value, int bytes);
static int WSAAPI hear_control(SOCKET handle, DWORD code, void *in, DWORD in_bytes, void *out,
                               DWORD out_bytes, DWORD *count, WSAOVERLAPPED *overlapped,
                               LPWSAOVERLAPPED_COMPLETION_ROUTINE done);

int(WSAAPI *__wrap___imp_setsockopt)(SOCKET handle, int level, int option, const char *value,
                                     int bytes) = hear_option;
extern int(WSAAPI *__real___imp_setsockopt)(SOCKET handle, int level, int option, const char *value,
                                            int bytes);
int(WSAAPI *__wrap___imp_WSAIoctl)(SOCKET handle, DWORD code, void *in, DWORD in_bytes, void *out,
                                   DWORD out_bytes, DWORD *count, WSAOVERLAPPED *overlapped,
                                   LPWSAOVERLAPPED_COMPLETION_ROUTINE done) = hear_control;
extern int(WSAAPI *__real___imp_WSAIoctl)(SOCKET handle, DWORD code, void *in, DWORD in_bytes,
                                          void *out, DWORD out_bytes, DWORD *count,
                                          WSAOVERLAPPED *overlapped,
                                          LPWSAOVERLAPPED_COMPLETION_ROUTINE done);

static int WSAAPI hear_option(SOCKET handle, int level, int option, const char *value, int bytes)
{
    exclusive += level == SOL_SOCKET && option == SO_EXCLUSIVEADDRUSE && bytes == sizeof(BOOL) &&
                 *(const BOOL *)(const void *)value;
    return __real___imp_setsockopt(handle, level, option, value, bytes);
}

static int WSAAPI hear_control(SOCKET handle, DWORD code, void *in, DWORD in_bytes, void *out,
                               DWORD out_bytes, DWORD *count, WSAOVERLAPPED *overlapped,
                               LPWSAOVERLAPPED_COMPLETION_ROUTINE done)
{
    unreported += code == SIO_UDP_CONNRESET && in_bytes == sizeof(BOOL) && !*(const BOOL *)in;
    return __real___imp_WSAIoctl(handle, code, in, in_bytes, out, out_bytes, count, overlapped,
                                 done);
}

static void a_socket_asks_for_its_port_alone_and_for_no_refusals(void)
{
    CHECK(bksi_sockets_start());
    exclusive = 0;
    unreported = 0;
    const bksi_socket hears_none = bksi_socket_open(AF_INET, false);
    CHECK(hears_none != BKSI_NO_SOCKET && exclusive == 1 && unreported == 1);
    const bksi_socket hears_all = bksi_socket_open(AF_INET, true);
    CHECK(hears_all != BKSI_NO_SOCKET && exclusive == 2 && unreported == 1);
    bksi_socket_close(hears_none);
    bksi_socket_close(hears_all);
}

static bks_udp *open_at(const char *bind_address, bks_address *address)
{
    bks_udp *udp = NULL;
    bks_error error = {0};
    if (!CHECK(bks_udp_open(bind_address, &udp, &error) == BKS_OK)) {
        printf("%s\n", error.text);
    }
    (void)!bks_udp_local_address(udp, address);
    return udp;
}

static bool send_text(bks_udp *from, const bks_address *to, const char *text)
{
    const bks_transport transport = bks_udp_transport(from);
    return transport.send(transport.context, to, text, strlen(text)) == BKS_OK;
}

static size_t receive(bks_udp *udp, bks_address *from, char text[BKS_PACKET_BYTES_MAX])
{
    const bks_transport transport = bks_udp_transport(udp);
    return transport.receive(transport.context, from, text, BKS_PACKET_BYTES_MAX);
}

static bool receives(bks_udp *udp, const bks_address *wanted_from, const char *text)
{
    char bytes[BKS_PACKET_BYTES_MAX];
    bks_address from;
    return bks_udp_wait(udp, 1000 * MS) && receive(udp, &from, bytes) == strlen(text) &&
           memcmp(bytes, text, strlen(text)) == 0 && bks_address_equal(&from, wanted_from);
}

static bool receives_nothing(bks_udp *udp)
{
    char bytes[BKS_PACKET_BYTES_MAX];
    bks_address from;
    return receive(udp, &from, bytes) == 0;
}

static void packets_go_both_ways(const char *bind_address)
{
    bks_address address_a, address_b;
    bks_udp *a = open_at(bind_address, &address_a);
    bks_udp *b = open_at(bind_address, &address_b);
    CHECK(receives_nothing(a));
    CHECK(send_text(a, &address_b, "from a") && receives(b, &address_a, "from a"));
    CHECK(send_text(b, &address_a, "one") && send_text(b, &address_a, "two"));
    CHECK(receives(a, &address_b, "one") && receives(a, &address_b, "two"));
    CHECK(receives_nothing(a));
    bks_udp_close(a);
    bks_udp_close(b);
}

static void too_long_and_empty_packets_are_passed_over(void)
{
    bks_address address_a, address_b;
    bks_udp *a = open_at("127.0.0.1:0", &address_a);
    bks_udp *b = open_at("127.0.0.1:0", &address_b);
    static const char sent[BKS_PACKET_BYTES_MAX + 1] = {1};
    struct sockaddr_storage to;
    const socklen_t length = bksi_socket_address(&address_b, &to);
    const bksi_socket stranger = bksi_socket_open(AF_INET, false);
    CHECK(bksi_socket_send(stranger, sent, sizeof(sent), &to, length));
    CHECK(bksi_socket_send(stranger, sent, 0, &to, length));
    CHECK(send_text(a, &address_b, "after") && receives(b, &address_a, "after"));
    bksi_socket_close(stranger);
    bks_udp_close(a);
    bks_udp_close(b);
}

static void a_refusal_of_an_earlier_packet_is_taken_as_nothing(void)
{
    bks_address address_a, address_b;
    bks_udp *a = open_at("127.0.0.1:0", &address_a);
    bks_udp *b = open_at("127.0.0.1:0", &address_b);
    CHECK(send_text(b, &address_a, "behind it"));
    CHECK(bks_udp_wait(a, 1000 * MS));
    refusals = 10;
    CHECK(receives(a, &address_b, "behind it") && refusals == 0);
    refusals = 1000000; // an endless storm does not hold the caller
    CHECK(receives_nothing(a) && refusals > 0 && refusals < 1000000);
    refusals = 0;
    CHECK(send_text(b, &address_a, "still open") && receives(a, &address_b, "still open"));
    bks_udp_close(a);
    bks_udp_close(b);
}

static void a_wait_ends_in_time_and_when_a_packet_comes(void)
{
    bks_address address;
    bks_udp *udp = open_at("127.0.0.1:0", &address);
    uint64_t begin = bksi_clock_ns();
    CHECK(!bks_udp_wait(udp, 20 * MS));
    CHECK(bksi_clock_ns() - begin >= 20 * MS);
    CHECK(!bks_udp_wait(udp, 0));
    CHECK(send_text(udp, &address, "to myself"));
    CHECK(bks_udp_wait(udp, UINT64_MAX));
    CHECK(bks_udp_wait(udp, UINT64_MAX)); // it is still there
    CHECK(receives(udp, &address, "to myself"));
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < 50; i++) {
        begin = bksi_clock_ns();
        CHECK(!bks_udp_wait(udp, 2 * MS));
        const uint64_t took = bksi_clock_ns() - begin;
        shortest = took < shortest ? took : shortest;
    }
    CHECK(shortest >= 2 * MS && shortest < 8 * MS); // a tick of the system has 15.6
    printf("2 ms asked, at least %.3f waited\n", (double)shortest / MS);
    bks_udp_close(udp);
}

static void an_address_is_one_socket_s(void)
{
    bks_address address;
    char text[64];
    bks_udp *udp = open_at("127.0.0.1:0", &address);
    bks_udp *other = NULL;
    bks_error error = {0};
    CHECK(bks_udp_address_format(&address, text, sizeof(text)) == BKS_OK);
    CHECK(bks_udp_open(text, &other, &error) == BKS_ERR_IO && other == NULL);
    CHECK(strstr(error.text, "cannot listen on '127.0.0.1:") != NULL);
    printf("%s\n", error.text);
    bks_udp_close(udp);
}

static void a_socket_on_every_address_names_one_that_works(void)
{
    bks_address address;
    bks_udp *udp = open_at("0", &address);
    static const uint8_t none[4];
    CHECK(memcmp(address.bytes, none, sizeof(none)) != 0);
    CHECK(send_text(udp, &address, "over my own address") && bks_udp_wait(udp, 1000 * MS));
    bks_udp_close(udp);
}

static void names_and_numbers_are_addresses(void)
{
    bks_address address;
    char text[64];
    CHECK(bks_udp_address_parse("localhost:80", &address, NULL) == BKS_OK);
    CHECK(bks_udp_address_format(&address, text, sizeof(text)) == BKS_OK);
    CHECK(strcmp(text, "127.0.0.1:80") == 0);
    CHECK(bks_udp_address_parse("[2001:DB8:0:0::7]:1", &address, NULL) == BKS_OK);
    CHECK(bks_udp_address_format(&address, text, sizeof(text)) == BKS_OK);
    CHECK(strcmp(text, "[2001:db8::7]:1") == 0);
    CHECK(bks_udp_address_parse("1.2.3:1", &address, NULL) == BKS_ERR_BAD_ARGUMENT);
}

static void packets_to_a_closed_port_do_no_harm_and_a_probe_says_so(void)
{
    bks_address own, gone;
    bks_udp *udp = open_at("127.0.0.1:0", &own);
    bks_udp_close(open_at("127.0.0.1:0", &gone));
    for (int i = 0; i < 10; i++) {
        CHECK(send_text(udp, &gone, "is anybody there"));
    }
    CHECK(!bks_udp_wait(udp, 5 * MS) && receives_nothing(udp));
    CHECK(send_text(udp, &own, "here") && receives(udp, &own, "here"));

    bksi_host_probe probe;
    bksi_host_probe_open(&probe, &gone);
    refusals = 1; // wine hides what Windows reports
    CHECK(bksi_host_probe_look(&probe) == BKSI_HOST_CLOSED);
    bksi_host_probe_close(&probe);
    refusals = 0;
    bks_udp_close(udp);
}

void back_ends_sockets(void)
{
    a_socket_asks_for_its_port_alone_and_for_no_refusals();
    packets_go_both_ways("127.0.0.1:0");
    packets_go_both_ways("[::1]:0");
    too_long_and_empty_packets_are_passed_over();
    a_refusal_of_an_earlier_packet_is_taken_as_nothing();
    a_wait_ends_in_time_and_when_a_packet_comes();
    an_address_is_one_socket_s();
    a_socket_on_every_address_names_one_that_works();
    names_and_numbers_are_addresses();
    packets_to_a_closed_port_do_no_harm_and_a_probe_says_so();
}
