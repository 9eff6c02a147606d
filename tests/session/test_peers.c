// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/common/seats.h"

static void a_mask_is_counted_and_has_a_lowest_peer(void **state)
{
    (void)state;
    assert_int_equal(bksi_peers_count(0), 0);
    assert_int_equal(bksi_peers_count(PEER_BIT(3)), 1);
    assert_int_equal(bksi_peers_count(0xb), 3);
    assert_int_equal(bksi_peers_count(UINT32_MAX), 32);
    assert_int_equal(bksi_peers_lowest(0xc), 2);
    assert_int_equal(bksi_peers_lowest(0), BKS_PEERS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mask_is_counted_and_has_a_lowest_peer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
