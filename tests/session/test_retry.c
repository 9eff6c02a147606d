// SPDX-License-Identifier: MIT

#include "session/agree/retry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static session_common common;
static session_retry retry;

/// A round trip of 160 ms. A packet of the match has 100 bytes.
static int begin(void **state)
{
    (void)state;
    memset(&common, 0, sizeof(common));
    common.now_ns = 7 * NS_PER_SECOND;
    common.links.peers[1].link.round_trip_ns = 160.0 * NS_PER_MS;
    common.links.peers[1].rate.packet_bytes = 100.0;
    common.links.peers[1].rate.rate = common.links.peers[1].rate.config.most = 60.0;
    bksi_retry_begin(&retry, &common);
    return 0;
}

/// The question goes when it is due.
/// @return the time to when it goes next
static uint64_t go(size_t bytes)
{
    common.now_ns = retry.next_ns;
    assert_true(bksi_retry_is_due(&retry, &common));
    bksi_retry_sent(&retry, &common, 1, bytes);
    assert_false(bksi_retry_is_due(&retry, &common));
    return (retry.next_ns - common.now_ns) / NS_PER_MS;
}

static void where_a_line_has_room_each_question_has_a_twin(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(go(300), 30);
        assert_int_equal(go(300), 210);
    }
}

static void on_a_narrow_line_a_question_waits_for_what_its_bytes_take(void **state)
{
    (void)state;
    common.links.peers[1].rate.ceiling = 10.0;
    common.links.peers[1].rate.rate = 10.0; // 1000 bytes a second
    const size_t head = BKSI_PACKET_SEAL_BYTES + BKSI_DATAGRAM_HEAD_BYTES;
    assert_int_equal(go(100 - head), 210 + 4 * 100);
    assert_int_equal(go(1000 - head), 210 + 4 * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(where_a_line_has_room_each_question_has_a_twin, begin),
        cmocka_unit_test_setup(on_a_narrow_line_a_question_waits_for_what_its_bytes_take, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
