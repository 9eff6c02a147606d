// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "match/joining.h"

/// Wait for half a second at most until the probe has found something.
static bksi_host_found find(bksi_host_probe *probe, bks_udp *sleeper)
{
    bksi_host_found found = bksi_host_probe_look(probe);
    for (int i = 0; i < 50 && found == BKSI_HOST_SILENT; i++) {
        (void)bks_udp_wait(sleeper, 10000000); // nothing comes: it sleeps
        found = bksi_host_probe_look(probe);
    }
    return found;
}

static void a_port_without_a_program_is_closed_until_one_listens(void **state)
{
    (void)state;
    bks_udp *udp = NULL, *sleeper = NULL;
    bks_address address, from;
    uint8_t byte[BKS_PACKET_BYTES_MAX];
    bksi_host_probe probe;
    assert_int_equal(bks_udp_open("127.0.0.1:0", &udp, NULL), BKS_OK);
    assert_int_equal(bks_udp_open("127.0.0.1:0", &sleeper, NULL), BKS_OK);
    assert_int_equal(bks_udp_local_address(udp, &address), BKS_OK);

    bksi_host_probe_open(&probe, &address);
    assert_true(bks_udp_wait(udp, 1000000000));
    const bks_transport transport = bks_udp_transport(udp);
    assert_int_equal(transport.receive(transport.context, &from, byte, sizeof(byte)), 1);
    assert_int_equal(byte[0], 0);
    assert_int_equal(bksi_host_probe_look(&probe), BKSI_HOST_SILENT);
    bksi_host_probe_close(&probe);
    bksi_host_probe_close(&probe);

    bks_udp_close(udp);
    bksi_host_probe_open(&probe, &address);
    assert_int_equal(find(&probe, sleeper), BKSI_HOST_CLOSED);
    assert_int_equal(bksi_host_probe_look(&probe), BKSI_HOST_CLOSED); // and remains so
    bksi_host_probe_close(&probe);
    bks_udp_close(sleeper);
}

/// Most machines have no route to addresses for documentation over IPv6; some have one to all.
static bool has_route(const bks_address *address)
{
    struct sockaddr_storage system;
    const socklen_t length = bksi_socket_address(address, &system);
    const int descriptor = socket(system.ss_family, SOCK_DGRAM, 0);
    const bool is_connected =
        descriptor < 0 || connect(descriptor, (struct sockaddr *)&system, length) == 0;
    (void)close(descriptor);
    return is_connected;
}

static void an_address_without_a_route_is_found_at_once(void **state)
{
    (void)state;
    const bks_address address = {.length = 18, .bytes = {0x20, 0x01, 0x0d, 0xb8, [15] = 1}};
    bksi_host_probe probe;
    bksi_host_probe_open(&probe, &address);
    assert_int_equal(bksi_host_probe_look(&probe),
                     has_route(&address) ? BKSI_HOST_SILENT : BKSI_HOST_NO_ROUTE);
    bksi_host_probe_close(&probe);
}

static void an_address_of_a_custom_transport_is_left_alone(void **state)
{
    (void)state;
    const bks_address other = {.length = 3, .bytes = {1, 2, 3}};
    bksi_host_probe probe;
    bksi_host_probe_open(&probe, &other);
    assert_int_equal(probe.socket, BKSI_NO_SOCKET);
    assert_int_equal(bksi_host_probe_look(&probe), BKSI_HOST_SILENT);
    bksi_host_probe_close(&probe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_without_a_program_is_closed_until_one_listens),
        cmocka_unit_test(an_address_without_a_route_is_found_at_once),
        cmocka_unit_test(an_address_of_a_custom_transport_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
